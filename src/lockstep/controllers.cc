#include "lockstep/controllers.h"

#include <algorithm>

namespace convoy {

Controllers::Controllers(const std::vector<std::string>& names, Duration deadline) : deadline_(deadline) {
  for (const std::string& name : names) seats_[name];
}

void Controllers::join(Owner owner, const std::string& name) {
  if (const auto seat = seats_.find(name); seat != seats_.end()) seat->second = {owner, false};
}

void Controllers::leave(Owner owner) {
  for (auto& [name, seat] : seats_) {
    if (seat.owner != owner) continue;
    seat = {};
    absent_.push_back({name, true});
  }
}

std::vector<std::string> Controllers::missing() const {
  std::vector<std::string> names;
  for (const auto& [name, seat] : seats_)
    if (seat.owner == kNobody) names.push_back(name);
  return names;
}

void Controllers::opened(Moment now, const std::set<Owner>& guests) {
  since_ = now;
  for (auto& [name, seat] : seats_) seat.owes = guests.count(seat.owner) > 0;
}

void Controllers::done(Owner owner) {
  for (auto& [name, seat] : seats_)
    if (seat.owner == owner) seat.owes = false;
}

void Controllers::forgive() {
  for (auto& [name, seat] : seats_) seat.owes = false;
}

std::vector<std::string> Controllers::owing() const {
  std::vector<std::string> names;
  for (const auto& [name, seat] : seats_)
    if (seat.owes) names.push_back(name);
  return names;
}

Moment Controllers::until() const {
  const bool any = std::any_of(seats_.begin(), seats_.end(), [](const auto& s) { return s.second.owes; });
  return any ? since_ + deadline_ : Moment{};
}

void Controllers::give_up() {
  for (auto& [name, seat] : seats_) {
    if (!std::exchange(seat.owes, false)) continue;
    ++missed_[name];
    absent_.push_back({name, false});
  }
}

}  // namespace convoy
