// The car of bicycle.h as a library that scenarios name.
#include "bicycle.h"

CONVOY_ROBOTS({"bicycle", convoy::robot::maker<convoy_example::Bicycle>()})
