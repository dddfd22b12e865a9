// Calls and replies as JSON, in the names of proto/convoy/control.proto: {"delete_": {"names": ["crate"]}}.
#pragma once

#include <cstdint>
#include <string>

#include "convoy/control.pb.h"
#include "convoy/result.h"

namespace convoy {

// kInvalid: it is no call, or has no method.
Result<proto::Request> call_of_json(const std::string& text);
// All fields that are numbers, text or lists, whatever they hold; 64-bit numbers are text, bytes base64.
std::string json_of_reply(const proto::Reply& reply);

// The same for a page: the JSON in it is JSON, its sources are numbers, and `id` is the page's own.
std::string reply_for_page(std::uint64_t id, const proto::Reply& reply);

}  // namespace convoy
