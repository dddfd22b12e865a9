// A domain of ROS 2 as arguments and environment want it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "adapters/ros2/domain.h"
#include "apps/arguments.h"
#include "core/ports.h"

namespace convoy::apps {

struct OpenedDomain {
  std::unique_ptr<ros2::Domain> domain;
  std::string text;  // "domain 0, on this network"
  std::uint32_t number = 0;
};
// kInvalid: ROS_DOMAIN_ID and its like make no sense; kUnavailable: no participant can be opened. `log` outlives it.
Result<OpenedDomain> open_domain(const Ros2Arguments& arguments, Log& log);

// Hands over what comes, until then or until it is `enough`, which is asked at least twenty times a second.
void spin_until(ros2::Domain& domain, Moment until, const std::function<bool()>& enough);

}  // namespace convoy::apps
