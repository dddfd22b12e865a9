// Bytes as text and back (RFC 4648, with what fills up the last four letters).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/bytes.h"

namespace convoy {

std::string base64_of(ByteView bytes);
// Nothing: it is no such text.
std::optional<Bytes> bytes_of_base64(std::string_view text);

}  // namespace convoy
