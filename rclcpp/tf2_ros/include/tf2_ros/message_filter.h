// The older name of the header.
#pragma once
#include "tf2_ros/message_filter.hpp"
