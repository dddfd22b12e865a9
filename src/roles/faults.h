// Fault injection between the server and its hosts, at ticks that a scenario names: delays, stalls and cuts of links,
// as a bad network makes them. It works on the server role's input, so it acts alike in one process, over sockets and
// in a simulated cluster.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/ports.h"

namespace convoy {

enum class FaultKind : std::uint8_t { kDelay, kStall, kCut, kKill, kCorruptState };
const char* name_of(FaultKind kind);

struct Fault {
  Tick at = 0;  // when the server has reached this boundary
  std::string host;
  FaultKind kind = FaultKind::kStall;
  Duration duration{0};  // on the host's clock: how long a stall or cut lasts, how late delayed bytes come
};

// Delays the bytes of a link. One queue for each link; bytes keep their order.
class FaultGate {
 public:
  // From `now` on: bytes of the link come `late` later than they do.
  void delay(LinkId link, Duration late) { lines_[link].late = late; }
  // Nothing comes until then; after that all at once, in order.
  void stall(LinkId link, Moment until) { lines_[link].stalled_until = until; }
  bool holds(LinkId link) const { return lines_.count(link) > 0; }
  void keep(LinkId link, ByteView bytes, Moment now);
  void forget(LinkId link) { lines_.erase(link); }
  Moment deadline() const;
  // Hands over what is due: deliver(link, bytes).
  template <class Deliver>
  void release(Moment now, Deliver&& deliver) {
    std::vector<std::pair<LinkId, Bytes>> ready;
    for (auto& [link, line] : lines_) {
      while (!line.waiting.empty() && due(line) <= now) {
        ready.emplace_back(link, std::move(line.waiting.front().bytes));
        line.waiting.pop_front();
      }
    }
    for (auto& [link, bytes] : ready) deliver(link, ByteView(bytes));
  }

 private:
  struct Held {
    Moment due{};
    Bytes bytes;
  };
  struct Line {
    Duration late{0};
    Moment stalled_until{};
    std::deque<Held> waiting;
  };
  static Moment due(const Line& line) { return std::max(line.waiting.front().due, line.stalled_until); }
  std::map<LinkId, Line> lines_;
};

}  // namespace convoy
