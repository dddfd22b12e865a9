// The name under which users find rcl's guard conditions.
#pragma once
#include "rcl/wait.h"
