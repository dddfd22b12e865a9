// The old name of rclcpp/exceptions/exceptions.hpp.
#pragma once
#include "rclcpp/exceptions/exceptions.hpp"
