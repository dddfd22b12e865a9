// PassThrough stands with the filter.
#pragma once
#include "message_filters/simple_filter.hpp"
