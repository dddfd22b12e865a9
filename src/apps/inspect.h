// convoy topic, node, service and param: inspect the nodes of a running server's robots, and give them something.
#pragma once

#include "apps/arguments.h"

namespace convoy::apps {

int topic_list(const Arguments& arguments);
int topic_echo(const Arguments& arguments);
int topic_hz(const Arguments& arguments);
int topic_info(const Arguments& arguments);
int topic_bw(const Arguments& arguments);
int topic_pub(const Arguments& arguments);
int node_list(const Arguments& arguments);
int node_info(const Arguments& arguments);
int service_list(const Arguments& arguments);
int service_call(const Arguments& arguments);
int param_list(const Arguments& arguments);
int param_get(const Arguments& arguments);
int param_set(const Arguments& arguments);

}  // namespace convoy::apps
