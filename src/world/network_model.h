// The network between robots that is simulated; not the one between machines.
#pragma once

#include "convoy/time.h"
#include "core/fields.h"

namespace convoy {

// Seeded, deterministic, a part of the world.
struct NetworkModel {
  Duration delay{0};   // added to the least delay, which is one tick
  Duration jitter{0};  // uniform in [0, jitter], drawn per (sender, receiver, message)
  double loss = 0;     // probability in [0, 1], drawn per (sender, receiver, message)
  double range = 30;   // m; an agent that is farther from the sender at the boundary of hand-over does not receive it

  friend bool operator==(const NetworkModel&, const NetworkModel&) = default;
};
template <class V, MaybeConst<NetworkModel> T>
void fields(V& v, T& n) {
  v("delay", n.delay), v("jitter", n.jitter), v("loss", n.loss), v("range", n.range);
}

}  // namespace convoy
