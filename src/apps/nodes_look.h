// Questions to a running server about the nodes of its robots.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/arguments.h"

namespace convoy::apps {

struct NodesReply {
  nlohmann::ordered_json data;
  Tick tick = 0;
  int code = 0;  // else: it has been complained about
};

// `kind`: LookAtNodes of the protocol. 0: topics and services; 1: what was published on the topic of that name since the
// watcher asked last; 2: it watches no more; 3: parameters; 4: nodes; 5: the response to a call.
NodesReply look(const Arguments& a, std::uint32_t kind, std::uint64_t watcher, const std::string& name);
// One that nobody else has.
std::uint64_t new_watcher();

}  // namespace convoy::apps
