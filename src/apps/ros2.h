// A robot client's door to ROS 2, as a scenario or the command line asks for it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agent/gateway.h"
#include "apps/arguments.h"
#include "scenario/scenario.h"
#include "sensing/sensor.h"

namespace convoy::apps {

// What the client of that name uses, one of a run's with `ros2`.
Ros2Arguments arguments_of(const scenario::RunOptions& options, const std::string& name,
                           std::vector<std::string> clients, const std::string& run);
void add_ros2_flags(std::vector<std::string>& argv, const Ros2Arguments& arguments);

// Where clients of this run will be: "domain 0, on this network". kInvalid as of open_ros2(); kUnsupported: no build for it.
Result<std::string> ros2_place(const Ros2Arguments& arguments);

// Doors of clients in this process, in one domain; all arguments name the same domain and distribution. Says on `log` which
// domain that is.
// `sensors`: types of users' libraries, which outlive the doors.
// kInvalid: ROS_DOMAIN_ID and its like make no sense; kUnavailable: no participant can be opened.
Result<std::vector<std::unique_ptr<Gateway>>> open_ros2(std::span<const Ros2Arguments> clients, UsersSensors& sensors,
                                                        Log& log);

// Another one each time.
std::string new_ros2_run();

}  // namespace convoy::apps
