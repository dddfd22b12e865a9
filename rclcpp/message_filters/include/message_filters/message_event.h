// The older name of the header.
#pragma once
#include "message_filters/message_event.hpp"
