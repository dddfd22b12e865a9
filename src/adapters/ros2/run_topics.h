// What a client tells of the whole run: clock and map, in its own namespace and, while it is the run's voice, at the root.
//
// A clock goes back only where the run begins anew: one that takes over at the root is silent until it has reached what was
// said before.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "adapters/ros2/door_here.h"
#include "adapters/ros2/topics.h"

namespace convoy::ros2 {

inline constexpr const char* kRoot = "/";  // the place that is the voice's

class RunTopics {
 public:
  // `node` is the client's, and outlives it as `here` does.
  RunTopics(DoorHere& here, Node& node);

  // A place is a namespace with its slash: "/", "/NetworkPC1/". It is opened while there is a fleet.
  void open(const std::string& place);
  void close(const std::string& place);

  // The run is at that instant of its clocks.
  void tell(Instant stamp);
  // The same while nothing happens: what was told last, or `stamp` if that is later.
  void repeat(Instant stamp) { tell(last_ ? std::max(*last_, stamp) : stamp); }
  void begin_anew() { last_.reset(), heard_.reset(); }
  // Nothing is told at the root meanwhile: this process may have been taken for lost.
  void set_doubt(bool doubt) { doubt_ = doubt; }

 private:
  struct Place {
    std::unique_ptr<Publisher> clock, map;
  };
  void listen();

  DoorHere& here_;
  Node& node_;
  std::map<std::string, Place> places_;
  std::unique_ptr<Subscription> others_;  // /clock of this run, while another is the voice
  std::optional<Instant> last_, heard_;   // told, and heard of others
  bool doubt_ = false;
};

}  // namespace convoy::ros2
