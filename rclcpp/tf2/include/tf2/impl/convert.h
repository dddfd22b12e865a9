#pragma once

#include "tf2/impl/convert.hpp"
