// convoy tf: the frames of a run's nodes, or of whoever is in a domain of ROS 2.
#pragma once

#include "apps/arguments.h"

namespace convoy::apps {

int tf_echo(const Arguments& arguments);
int tf_tree(const Arguments& arguments);

}  // namespace convoy::apps
