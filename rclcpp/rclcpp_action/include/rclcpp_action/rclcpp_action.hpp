// All of rclcpp_action.
#pragma once
#include "rclcpp_action/client.hpp"
#include "rclcpp_action/server.hpp"
