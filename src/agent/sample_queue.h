// Samples of one robot's sensors on their way to its nodes, and to a taker beside them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "sensing/samples.h"

namespace convoy {

class SampleQueue {
 public:
  struct Waiting {
    Instant due{};
    Sample sample;
    bool to_nodes = true, to_taker = false;
    std::function<SampleData()> later{};  // what it is, waited for when it is delivered; empty: it is there
    bool within = false;   // nodes get it at that instant, even within a tick; else at the first boundary from there on
    bool ordered = false;  // another machine computes it, and it has not come
    bool judged = false;   // who delivers it looks at it first
    bool late = false;     // it had not come when it was due first
  };
  void add(Waiting waiting);
  // What was ordered has come. False: it is not waited for.
  bool fill(std::uint32_t sensor, std::uint64_t index, SampleData data);
  // What was ordered and has not come: is due then, or never.
  void put_off(std::uint32_t sensor, std::uint64_t index, Instant due);
  void drop(std::uint32_t sensor, std::uint64_t index);
  // Was a sample of that sensor put off that has not come yet?
  bool lags(std::uint32_t sensor) const;

  // What is judged and waits, with what it is. Nothing of it may be ordered.
  struct UnderWay {
    Instant due{};
    Sample sample;
  };
  std::vector<UnderWay> under_way();
  // What is due at that boundary: delivered() and taken() until the next call. Nothing of it may be ordered. `judge`, of
  // those that are judged: false, and it is dropped.
  void deliver(Instant now, const std::function<bool(const Sample&)>& judge);
  std::span<const Sample> delivered() const { return delivered_; }
  std::span<const Sample> taken() const { return taken_; }
  // The first instant before `end` at which a sample goes to nodes within a tick; nothing: none does.
  std::optional<Instant> next_within(Instant end) const;
  // What goes to nodes at that instant; a taker gets it with the next boundary.
  std::span<const Sample> deliver_within(Instant at);

 private:
  std::vector<Waiting>::iterator ordered(std::uint32_t sensor, std::uint64_t index);

  std::vector<Waiting> waiting_;  // by (due, sensor)
  std::vector<Sample> delivered_, taken_, within_;
};
template <class V, MaybeConst<SampleQueue::UnderWay> T>
void fields(V& v, T& u) {
  v("due", u.due), v("sample", u.sample);
}

}  // namespace convoy
