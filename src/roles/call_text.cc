#include "roles/call_text.h"

#include <google/protobuf/util/json_util.h>

#include <nlohmann/json.hpp>

namespace convoy {

Result<proto::Request> call_of_json(const std::string& text) {
  proto::Request out;
  const auto read = google::protobuf::util::JsonStringToMessage(text, &out);
  if (!read.ok()) return fail(ErrorCode::kInvalid, "no call: " + std::string(read.message()));
  if (out.method_case() == proto::Request::METHOD_NOT_SET)
    return fail(ErrorCode::kInvalid, "no call: it has no method");
  return out;
}

std::string json_of_reply(const proto::Reply& reply) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true, options.preserve_proto_field_names = true;
  std::string out;
  (void)google::protobuf::util::MessageToJsonString(reply, &out, options);  // fails for unknown types in Any alone
  return out;
}

std::string reply_for_page(std::uint64_t id, const proto::Reply& reply) {
  using Json = nlohmann::json;
  proto::Reply bare = reply;
  bare.clear_json();
  Json out = Json::parse(json_of_reply(bare), nullptr, false);
  if (!out.is_object()) out = Json::object();
  out["id"] = id, out["error"] = reply.error(), out["tick"] = reply.tick();
  out.erase("json");
  if (!reply.json().empty()) out["data"] = Json::parse(reply.json(), nullptr, false);
  if (!reply.sources().empty()) {
    out["sources"] = Json::array();
    for (const char source : reply.sources()) out["sources"].push_back(static_cast<int>(source));
  }
  return Json{{"reply", std::move(out)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace convoy
