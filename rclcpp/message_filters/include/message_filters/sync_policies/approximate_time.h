// The older name of the header.
#pragma once
#include "message_filters/sync_policies/approximate_time.hpp"
