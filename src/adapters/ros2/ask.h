// Calls of the server on behalf of a program that came by ROS 2, in the words of docs/protocol.md.
//
//   ask(control, fleet, "delete_", {{"names", {"crate"}}}, holder, [](const Answer& answer) { ... });
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "control/control_core.h"

namespace convoy::ros2 {

using Json = nlohmann::json;

struct Answer {
  std::optional<Error> error;  // of the call as a whole
  Json reply;                  // its fields, else an empty object
  Tick tick() const;
  Json data() const;  // of those that answer by JSON of their own; else an empty object
  // Of a batch, in its order: why one of it was refused.
  std::size_t outcomes() const;
  std::optional<Error> outcome(std::size_t i) const;
  std::string remark(std::size_t i) const;  // on one that was not
};
using Answered = std::function<void(const Answer&)>;

// `holder`: as whom, for leases; empty: as nobody. `answered` is called once, now or later.
void ask(control::ControlCore& control, const Fleet& fleet, const char* method, Json fields, const std::string& holder,
         Answered answered);

Json json_of(const Pose& pose);
Json json_of(const Twist& twist);
Pose pose_in(const Json& reply);    // its field `pose`; none: the identity
Twist twist_in(const Json& reply);  // likewise `twist`

}  // namespace convoy::ros2
