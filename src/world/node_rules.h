// How nodes run, as a scenario specifies it.
#pragma once

#include <vector>

#include "convoy/time.h"
#include "core/delay.h"
#include "core/fields.h"

namespace convoy {

template <class V, MaybeConst<DelayRule> T>
void fields(V& v, T& r) {
  v("of", r.of), v("name", r.name), v("publisher", r.publisher), v("subscriber", r.subscriber);
  v("kind", r.delay.kind), v("low", r.delay.low), v("high", r.delay.high), v("samples", r.delay.samples);
  v("where", r.where);
}

// Rules for the nodes of all agents.
struct NodeRules {
  Duration start{0};           // what their clocks show at tick 0
  bool overdue_start = false;  // they are made with clocks at 0, so that timers are due at the start
  TimerOrder order = TimerOrder::kStable;
  bool digest_messages = false;  // the bytes of messages inside agents count in the digest
  Duration end{-1};              // their last instant, from tick 0; below 0: none
  bool one_job = false;          // all are parts or copies of one job: delays are drawn as in one agent, and shutdown()
                                 // of one ends the run
  bool alone = false;            // each agent is a whole job: it ends when nothing is left to happen in it
  std::vector<DelayRule> delays;
  friend bool operator==(const NodeRules&, const NodeRules&) = default;
};
template <class V, MaybeConst<NodeRules> T>
void fields(V& v, T& r) {
  v("start", r.start), v("overdue_start", r.overdue_start), v("order", r.order);
  v("digest_messages", r.digest_messages), v("end", r.end), v("one_job", r.one_job), v("alone", r.alone),
      v("delays", r.delays);
}

}  // namespace convoy
