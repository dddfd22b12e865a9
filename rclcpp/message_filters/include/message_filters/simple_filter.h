// The older name of the header.
#pragma once
#include "message_filters/simple_filter.hpp"
