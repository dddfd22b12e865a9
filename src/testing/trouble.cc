#include "testing/trouble.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "testing/virtual_log.h"

namespace convoy::testing {

namespace {

constexpr std::size_t kMischiefs = static_cast<std::size_t>(Mischief::kCount);

const char* name_of(Mischief kind) {
  const char* names[kMischiefs] = {
      "cut",         "stall",           "refuse", "half-open link", "stopped server", "stopped client",
      "busy client", "clock that jumps"};
  return names[static_cast<std::size_t>(kind)];
}

Duration part_of(Duration whole, double share) {
  return Duration(static_cast<std::int64_t>(static_cast<double>(whole.count()) * share));
}

}  // namespace

std::vector<Mischief> some_mischief(Random& random) {
  std::vector<Mischief> kinds;
  for (std::size_t i = 0; i < kMischiefs; ++i)
    if (random.below(2) == 0) kinds.push_back(static_cast<Mischief>(i));
  if (kinds.empty()) kinds.push_back(static_cast<Mischief>(random.below(kMischiefs)));
  return kinds;
}

void Troublemaker::begin() {
  if (over_ || options_.every.count() <= 0) return;
  net_.at(net_.now() + part_of(options_.every, -std::log(1 - random_.uniform())), [this] {
    if (over_) return;
    make();
    begin();
  });
}

void Troublemaker::cut(Hit& hit) {
  net_.cut(hit.who.client);
  hit.cut_before = std::exchange(hit.cut_last, net_.now());
  hit.quiet_until = net_.now() + std::max<Duration>(limit() / 4, millis(200));
  if (random_.below(2) == 0) net_.refuse(hit.who.client, millis(random_.uniform(1, 400)));
}

// Any that is linked, even if it has trouble already: a close that both see only shortens a silence.
void Troublemaker::cut_near(std::size_t victim) {
  for (std::size_t i = 0; i < victims_.size(); ++i)
    if (Hit& hit = victims_[(victim + i) % victims_.size()]; net_.linked(hit.who.client)) return cut(hit);
}

void Troublemaker::make() {
  // All is drawn whether it is used or not: what a seed does next does not hang on what could be done.
  Hit& hit = victims_[random_.below(victims_.size())];
  const Mischief kind = options_.kinds[random_.below(options_.kinds.size())];
  const double share = random_.uniform(), square = share * share;
  const auto half_open = static_cast<HalfOpen>(random_.below(3));
  const bool of_server = random_.below(2) == 0;
  if (kind == Mischief::kStopServer || (kind == Mischief::kJumpClock && of_server)) {
    const Duration length = part_of(limit(), 3 * square);
    if (server_quiet_until_ > net_.now()) return;
    if (options_.verbose)
      std::fprintf(stderr, "%9.4f net: %s by %.3f s\n", seconds(net_.now().time_since_epoch()), name_of(kind),
                   seconds(length));
    const bool stops = kind == Mischief::kStopServer;
    stops ? net_.stop(SimNet::kServer, length) : net_.jump_clock(SimNet::kServer, length);
    if (!stops) jumped_ += length;
    server_quiet_until_ = net_.now() + (stops ? length : Duration(0)) + limit();
    return;
  }
  const std::size_t client = hit.who.client;
  if (!net_.linked(client) || hit.quiet_until > net_.now()) return;
  if (options_.verbose)
    std::fprintf(stderr, "%9.4f net: %s of %s\n", seconds(net_.now().time_since_epoch()), name_of(kind),
                 hit.who.name.c_str());
  const Duration rest = limit() / 5, brief = part_of(limit(), 0.3 * square);
  switch (kind) {
    case Mischief::kCut:
      // A link that is cut each time before it is back is a silence that adds up; twice in a row is a test enough.
      if (hit.cut_before && net_.now() - *hit.cut_before < 2 * limit()) return;
      return cut(hit);
    case Mischief::kStall:
      net_.stall(client, brief);
      hit.quiet_until = net_.now() + brief + rest;
      return;
    case Mischief::kRefuse: return net_.refuse(client, millis(300 * share));
    case Mischief::kHalfOpen:
      if (options_.liveness.count() == 0) return;
      net_.half_open(client, half_open);
      hit.quiet_until = net_.now() + limit();
      return;
    case Mischief::kStopClient:
      net_.stop(client, brief);
      if (hit.who.signs) net_.stop(*hit.who.signs, brief);
      hit.quiet_until = net_.now() + brief + rest;
      return;
    case Mischief::kBusyClient: {
      if (!hit.who.signs || !net_.linked(*hit.who.signs)) return;  // nothing would be known of it
      if (busy_until_ > net_.now()) return;                        // one at a time, or hardly a tick would pass
      const Duration length = part_of(limit(), 2 * share);
      busy_until_ = net_.now() + length + rest;
      busy_for_long_ += length > limit();
      net_.stop(client, length);
      hit.quiet_until = net_.now() + length + rest;
      return;
    }
    case Mischief::kJumpClock:
      jumped_ += part_of(limit(), square);
      return net_.jump_clock(client, part_of(limit(), square));
    case Mischief::kStopServer:
    case Mischief::kCount: return;
  }
}

}  // namespace convoy::testing
