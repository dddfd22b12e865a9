// How services of simulation_interfaces say what has become of a request.
#pragma once

#include <optional>
#include <simulation_interfaces/msg/result.hpp>
#include <string>

#include "adapters/ros2/door_here.h"
#include "convoy/result.h"

namespace convoy::ros2 {

using SimResult = simulation_interfaces::msg::Result;

inline SimResult done(std::string remark = {}) {
  SimResult out;
  out.result = SimResult::RESULT_OK, out.error_message = std::move(remark);
  return out;
}
// A code of SimResult's own, or of the service, above 100.
inline SimResult refused(std::uint8_t code, std::string why) {
  SimResult out;
  out.result = code, out.error_message = std::move(why);
  return out;
}
inline SimResult failed(std::string why) { return refused(SimResult::RESULT_OPERATION_FAILED, std::move(why)); }
inline SimResult not_begun() { return refused(SimResult::RESULT_INCORRECT_STATE, kRunNotBegun); }
// As the server says it; nothing: it is done.
inline SimResult result_of(const std::optional<Error>& error) {
  if (!error) return done();
  return refused(error->code == ErrorCode::kNotFound ? SimResult::RESULT_NOT_FOUND : SimResult::RESULT_OPERATION_FAILED,
                 error->text);
}
template <class Response>
Response with(SimResult result) {
  Response out;
  out.result = std::move(result);
  return out;
}

}  // namespace convoy::ros2
