// What a client tells of the whole run: clock and map, in its own namespace and, while it is the run's voice, at the root.
//
// A clock goes back only where the run begins anew: one that takes over at the root is silent until it has reached what was
// said before; and as the last of that may not have been heard, until a tick was made, or none came for kCatchesUp.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "adapters/ros2/door_here.h"
#include "adapters/ros2/topics.h"

namespace convoy::ros2 {

inline constexpr const char* kRoot = "/";  // the place that is the voice's
inline constexpr Duration kCatchesUp = std::chrono::seconds(1);

class RunTopics {
 public:
  // `node` is the client's, and outlives it as `here` does.
  RunTopics(DoorHere& here, Node& node);

  // A place is a namespace with its slash: "/", "/NetworkPC1/". It is opened while there is a fleet.
  void open(const std::string& place);
  void close(const std::string& place);

  // A tick was made, and the run is at that instant of its clocks.
  void tell(Instant stamp) { catches_up_.reset(), say(stamp); }
  // The same while nothing happens: what was told last, or `stamp` if that is later.
  void repeat(Instant stamp) { say(last_ ? std::max(*last_, stamp) : stamp); }
  void begin_anew() { last_.reset(), heard_.reset(); }
  // Nothing is told at the root meanwhile: this process may have been taken for lost.
  void set_doubt(bool doubt) { doubt_ = doubt; }

 private:
  struct Place {
    std::unique_ptr<Publisher> clock, map;
  };
  void listen();
  const MapData& map();
  void say(Instant stamp);
  bool may_say_at_root(Instant stamp) const;

  DoorHere& here_;
  Node& node_;
  std::map<std::string, Place> places_;
  std::optional<MapData> drawn_;          // of an MJCF world, once it was needed
  std::unique_ptr<Subscription> others_;  // /clock of this run, while another is the voice
  std::optional<Instant> last_, heard_;   // told, and heard of others
  std::optional<Moment> catches_up_;      // until then, unless a tick is made before
  bool doubt_ = false;
};

}  // namespace convoy::ros2
