#include "adapters/web/sight.h"

#include <algorithm>
#include <cmath>

namespace convoy::web {

namespace {

constexpr double kClose = 3;  // m; seen, wherever the eye looks
constexpr double kNear = 20;  // m; what is nearer waits for its turn little more than half as long as what is far
constexpr Duration kLongAgo = std::chrono::seconds(60);  // ago; as if it was told then: what is new goes first

// How soon it is an entity's turn.
double urgency(const Due& one) { return one.waited * (1 + kNear / (kNear + one.far)); }

bool in_view(const Look& look, Vec3 to, double far) {
  return far < kClose || dot(look.ahead, to) > far * std::cos(look.angle);
}

}  // namespace

std::vector<std::uint32_t> choose(std::vector<Due> due, std::size_t budget) {
  std::vector<std::uint32_t> out;
  std::size_t left = budget;
  const auto tell = [&](const Due& one) {
    out.push_back(one.slot);
    left -= std::min(left, one.bytes);
  };
  // Takes from the best on until no more than that is left of the budget.
  const auto take = [&](auto begin, auto end, std::size_t until, auto worse) {
    std::make_heap(begin, end, worse);
    while (begin != end && left > until) {
      std::pop_heap(begin, end, worse);
      tell(*--end);
    }
    return end;
  };
  const std::size_t turns = budget / 2;
  const auto must = std::partition(due.begin(), due.end(), [](const Due& one) { return !one.always; });
  std::for_each(must, due.end(), tell);
  const auto seen = std::partition(due.begin(), must, [](const Due& one) { return !one.in_view; });
  const auto rest = take(seen, must, turns, [](const Due& a, const Due& b) {
    return std::pair(a.far, a.slot) > std::pair(b.far, b.slot);
  });
  left = std::max(left, turns);
  take(due.begin(), rest, 0,
       [](const Due& a, const Due& b) { return std::pair(urgency(a), b.slot) < std::pair(urgency(b), a.slot); });
  std::sort(out.begin(), out.end());
  return out;
}

void Sight::told_all(const Crowd& crowd, Moment now) {
  roster_ = crowd.large() ? crowd.roster() : nullptr;
  lacks_ = false;
  last_ = now;
  told_.clear();
  if (!roster_) return;
  run_ = crowd.run();
  told_.assign(roster_->size(), {crowd.count(), now});
}

// Others may be there than when it was told last.
void Sight::follow(const Crowd& crowd, Moment now) {
  const auto before = std::exchange(roster_, crowd.roster());
  if (before == roster_) return;
  std::vector<Told> told(roster_->size(), {0, now - kLongAgo});
  const std::vector<std::uint32_t> places = places_before(*before, *roster_);
  for (std::size_t slot = 0; slot < told.size(); ++slot)
    if (places[slot] != kNowhere) told[slot] = told_[places[slot]];
  told_ = std::move(told);
}

std::vector<Due> Sight::due(const Crowd& crowd, Moment now) const {
  std::vector<Due> out;
  for (std::uint32_t slot = 0; slot < told_.size(); ++slot) {
    if (crowd.changed(slot) <= told_[slot].count) continue;
    const Vec3 to = crowd.place(slot) - look_->eye;
    const double far = std::sqrt(dot(to, to));
    out.push_back({.slot = slot,
                   .bytes = crowd.bytes(slot),
                   .waited = seconds(now - told_[slot].at),
                   .far = far,
                   .always = false,
                   .in_view = in_view(*look_, to, far)});
  }
  const auto& numbers = roster_->numbers;
  for (const std::uint32_t number : look_->always) {
    const auto at = std::lower_bound(numbers.begin(), numbers.end(), number);
    if (at == numbers.end() || *at != number) continue;
    const auto slot = static_cast<std::uint32_t>(at - numbers.begin());
    const auto one =
        std::lower_bound(out.begin(), out.end(), slot, [](const Due& a, std::uint32_t b) { return a.slot < b; });
    if (one != out.end() && one->slot == slot) one->always = true;
  }
  return out;
}

Bytes Sight::next(const Crowd& crowd, Moment now) {
  EXPECTS(look_ && !needs_all(crowd));
  follow(crowd, now);
  const double passed = seconds(std::min<Duration>(now - last_, kLongestPart));
  last_ = now;
  std::vector<Due> all = due(crowd, now);
  const std::size_t count = all.size();
  const std::vector<std::uint32_t> chosen =
      choose(std::move(all), std::max<std::size_t>(1, static_cast<std::size_t>(passed * kBytesASecond)));
  for (const std::uint32_t slot : chosen) told_[slot] = {crowd.count(), now};
  lacks_ = chosen.size() < count;
  return part_of(*crowd.frame(), *roster_, chosen);
}

}  // namespace convoy::web
