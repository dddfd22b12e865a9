// The values in a call: msgpack, or JSON text. The bytes come from outside: any input is accepted or refused, none
// crashes.
//
// JSON has no bytes: there a binary field is base64 text. NaN and infinity are null in JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "core/bytes.h"

namespace convoy::zmq {

using Json = nlohmann::ordered_json;

enum class Encoding : std::uint8_t { kMsgpack, kJson };
inline constexpr int kMaxDepth = 32;  // of maps and arrays within each other

// JSON if its first byte that is no blank is '{'.
Encoding encoding_of(ByteView bytes);
// Nothing: it is malformed, too deep, or goes on behind its end.
std::optional<Json> decode(ByteView bytes, Encoding encoding);
Bytes encode(Json value, Encoding encoding);

// A binary field, or base64 text.
std::optional<Bytes> read_binary(const Json& field);

}  // namespace convoy::zmq
