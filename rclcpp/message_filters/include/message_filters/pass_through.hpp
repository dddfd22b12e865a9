// PassThrough is in the header of the filter.
#pragma once
#include "message_filters/simple_filter.hpp"
