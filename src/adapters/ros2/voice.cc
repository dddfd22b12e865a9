#include "adapters/ros2/voice.h"

#include <algorithm>

#include "adapters/ros2/names.h"

namespace convoy::ros2 {

void Voice::enter(Moment now, bool begins) {
  if (entered()) return;
  settled_ = begins && options_.number == kFirstClient ? now : now + options_.limit;
  domain_.speakers().clients.insert({options_.number, party_});
}

void Voice::leave() {
  Speakers& here = domain_.speakers();
  here.clients.erase({options_.number, party_});
  if (here.speaks == party_) here.speaks.reset();
  settled_.reset(), lower_since_.reset();
}

// Of two with one number the one whose participant comes first.
void Voice::look() {
  const RemoteGraph& graph = domain_.graph();
  if (seen_.version == graph.version()) return;
  seen_ = {graph.version(), false, graph.run_writes(domain_.run(), dds_topic("/clock"))};
  for (const RunClient& one : graph.clients_of(domain_.run()))
    seen_.lower = seen_.lower || std::pair(one.number, one.participant) < std::pair(options_.number, domain_.guid());
}

bool Voice::follow(Moment now) {
  if (!entered()) return false;
  look();
  Speakers& here = domain_.speakers();
  const bool lower = seen_.lower || *here.clients.begin() < std::pair(options_.number, party_);
  if (!lower) lower_since_.reset();
  else if (!lower_since_) lower_since_ = now;
  if (here.speaks == party_) {
    if (lower && now >= *lower_since_ + kLetsGoAfter) here.speaks.reset();
  } else if (seen_.speaks || here.speaks) {
    spoken_ = true;
  } else if (!lower && (spoken_ || now >= *settled_)) {
    here.speaks = party_;
  }
  return here.speaks == party_;
}

}  // namespace convoy::ros2
