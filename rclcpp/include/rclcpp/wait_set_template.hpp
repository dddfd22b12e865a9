// The name under which users find the template of wait sets.
#pragma once
#include "rclcpp/wait_set.hpp"
