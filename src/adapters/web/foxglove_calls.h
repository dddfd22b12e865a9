// What Foxglove's clients ask for, as calls of the control protocol: services, cmd_vel, parameters.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "convoy/control.pb.h"
#include "convoy/result.h"

namespace convoy::web {

inline constexpr double kFoxgloveDrive = 0.5;  // s that a robot obeys a message of cmd_vel; then it stops

inline constexpr const char *kSpeedParameter = "/convoy/speed", *kPausedParameter = "/convoy/paused";

// The services as the protocol's `advertiseServices` has them: numbers from 1, requests and responses in JSON.
nlohmann::json foxglove_services();
// Their names, in the order of their numbers.
std::vector<std::string> foxglove_service_names();
// kNotFound: no such service; kInvalid: not what it takes.
Result<proto::Request> call_of_service(std::uint32_t service, const nlohmann::json& request);
// Of a call that was carried out; a batch of which something failed is none.
nlohmann::json response_of(const proto::Reply& reply);
// Why it was not; empty: it was.
std::string failure_of(const proto::Reply& reply);

// The robot that a topic drives, "/NAME/cmd_vel"; nothing: none.
std::optional<std::string> driven_by(std::string_view topic);
// A geometry_msgs/Twist, or TwistStamped, as JSON.
Result<proto::Request> call_of_twist(const std::string& robot, const nlohmann::json& message);

// Sets a parameter: one of ours, or "/node.name" of a node.
Result<proto::Request> call_of_parameter(const std::string& name, const nlohmann::json& value);

}  // namespace convoy::web
