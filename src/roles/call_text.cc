#include "roles/call_text.h"

#include <google/protobuf/util/json_util.h>

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

}  // namespace convoy
