// The state of the whole run, as the server answers a gateway's question (GatewayWish::Kind::kLook).
#pragma once

#include <string>
#include <vector>

namespace convoy::control {

struct RunStatus {
  struct Host {
    std::string name;
    std::string doors;  // what its gateway reports of itself; empty: it has none
  };
  bool paused = false;
  double speed = 0;  // simulated seconds per second; 0: as fast as possible
  std::vector<Host> hosts;
};

// What the text does not contain is as in an empty one.
RunStatus read_status(const std::string& text);

}  // namespace convoy::control
