#include "agent/gateways.h"

#include <algorithm>

#include "core/check.h"

namespace convoy {

Gateways::Gateways(std::vector<std::unique_ptr<Gateway>> all) : all_(std::move(all)) {
  EXPECTS(!all_.empty());
  for (auto& one : all_) takers_.add(one->taker());
}

void Gateways::before_tick(const Fleet& fleet, Tick k, std::vector<Input>& inputs) {
  for (auto& one : all_) one->before_tick(fleet, k, inputs);
}

void Gateways::after_tick(const Fleet& fleet, Tick reached, const Snapshot& states) {
  for (auto& one : all_) one->after_tick(fleet, reached, states);
}

void Gateways::before_step(const Fleet& fleet, std::vector<Input>& inputs) {
  for (auto& one : all_) one->before_step(fleet, inputs);
}

void Gateways::after_step(const Fleet& fleet, const Snapshot& states) {
  for (auto& one : all_) one->after_step(fleet, states);
}

// The server sends a host that begins to hold the world where it waits; a second gateway of that host learns it here.
void Gateways::on_time(const Fleet* fleet, Moment now) {
  for (auto& one : all_) one->on_time(fleet, now);
  for (auto& one : all_)
    for (const auto& other : all_)
      if (one->awaits_held_at() && !other->awaits_held_at())
        if (const auto held = other->horizon()) one->held_at(fleet, run_, *held);
}

void Gateways::left() {
  for (auto& one : all_) one->left();
}

Moment Gateways::deadline() const {
  Moment next = kNever;
  for (const auto& one : all_) next = std::min(next, one->deadline());
  return next;
}

void Gateways::at_boundary(const Fleet& fleet, const HostPosition& standing) {
  run_ = standing.run;
  for (auto& one : all_) one->at_boundary(fleet, standing);
}

std::optional<Tick> Gateways::horizon() const {
  std::optional<Tick> least;
  for (const auto& one : all_)
    if (const auto own = one->horizon()) least = std::min(least.value_or(*own), *own);
  return least;
}

bool Gateways::awaits_held_at() const {
  return std::any_of(all_.begin(), all_.end(), [](const auto& one) { return one->awaits_held_at(); });
}

void Gateways::held_at(const Fleet* fleet, std::uint32_t run, Tick tick) {
  for (auto& one : all_) one->held_at(fleet, run, tick);
}

// Each numbers its own wishes; here their numbers are interleaved.
std::vector<GatewayWish> Gateways::take_wishes() {
  std::vector<GatewayWish> out;
  for (std::size_t i = 0; i < all_.size(); ++i)
    for (GatewayWish& wish : all_[i]->take_wishes()) {
      wish.id = wish.id * all_.size() + i;
      out.push_back(std::move(wish));
    }
  return out;
}

void Gateways::answered(const Fleet* fleet, const GatewayAnswer& answer) {
  GatewayAnswer own = answer;
  own.id = answer.id / all_.size();
  all_[answer.id % all_.size()]->answered(fleet, own);
}

std::vector<int> Gateways::descriptors() const {
  std::vector<int> out;
  for (const auto& one : all_)
    for (int descriptor : one->descriptors()) out.push_back(descriptor);
  return out;
}

std::vector<GatewayCount> Gateways::counts() const {
  std::vector<GatewayCount> out;
  for (const auto& one : all_)
    for (GatewayCount& count : one->counts()) out.push_back(std::move(count));
  return out;
}

}  // namespace convoy
