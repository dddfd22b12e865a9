// The wagon of wagon.h as a library that scenarios name.
#include "wagon.h"

CONVOY_ROBOTS({"wagon", convoy::robot::maker<convoy_example::Wagon>()})
