#include "adapters/web/crowd.h"

#include <cstring>

namespace convoy::web {

namespace {

constexpr std::size_t kRun = 8;     // where a head has its run
constexpr std::size_t kTwist = 20;  // where a state has its twist, to its end
constexpr std::size_t kTwistBytes = kFrameEntity - kTwist;

const std::uint8_t* state_in(const Bytes& frame, std::size_t slot) {
  return frame.data() + kFrameHead + slot * kFrameEntity;
}
const std::uint8_t* joints_in(const Bytes& frame, const Roster& roster, std::size_t slot) {
  return state_in(frame, roster.size()) + roster.joint_at[slot] * kFrameJoint;
}

}  // namespace

std::vector<std::uint32_t> places_before(const Roster& before, const Roster& now) {
  std::vector<std::uint32_t> out(now.size(), kNowhere);
  std::uint32_t old = 0;
  for (std::size_t slot = 0; slot < now.size(); ++slot) {
    while (old < before.size() && before.numbers[old] < now.numbers[slot]) ++old;
    if (old < before.size() && before.numbers[old] == now.numbers[slot]) out[slot] = old;
  }
  return out;
}

bool Crowd::same(std::size_t slot, const Bytes& before, const Roster& roster_before, std::size_t slot_before) const {
  const std::uint32_t joints = roster_->joints(slot);
  return joints == roster_before.joints(slot_before) &&
         std::memcmp(state_in(*frame_, slot), state_in(before, slot_before), kFrameEntity) == 0 &&
         std::memcmp(joints_in(*frame_, *roster_, slot), joints_in(before, roster_before, slot_before),
                     joints * kFrameJoint) == 0;
}

bool Crowd::moves(std::size_t slot) const {
  static constexpr std::uint8_t kStands[kTwistBytes] = {};
  return std::memcmp(state_in(*frame_, slot) + kTwist, kStands, kTwistBytes) != 0;
}

void Crowd::take(SharedBytes frame, std::shared_ptr<const Roster> roster) {
  const SharedBytes before = std::exchange(frame_, std::move(frame));
  const std::shared_ptr<const Roster> roster_before = std::exchange(roster_, std::move(roster));
  const std::vector<std::uint32_t> changed_before = std::move(changed_);
  current_ = true;
  ++count_;
  changed_.clear();
  if (!large()) return;
  EXPECTS(frame_->size() == kFrameHead + roster_->size() * kFrameEntity + roster_->joint_at.back() * kFrameJoint);
  changed_.assign(roster_->size(), count_);
  if (changed_before.empty()) return;
  const bool alike = roster_before == roster_;
  const std::vector<std::uint32_t> places =
      alike ? std::vector<std::uint32_t>{} : places_before(*roster_before, *roster_);
  for (std::uint32_t slot = 0; slot < roster_->size(); ++slot) {
    const std::uint32_t old = alike ? slot : places[slot];
    if (old != kNowhere && !moves(slot) && same(slot, *before, *roster_before, old))
      changed_[slot] = changed_before[old];
  }
}

std::uint32_t Crowd::run() const {
  std::uint32_t run = 0;
  std::memcpy(&run, frame_->data() + kRun, sizeof run);
  return run;
}

Vec3 Crowd::place(std::size_t slot) const {
  float p[3];
  std::memcpy(p, state_in(*frame_, slot), sizeof p);
  return {p[0], p[1], p[2]};
}

std::size_t Crowd::bytes(std::size_t slot) const {
  return kFrameSlot + kFrameEntity + roster_->joints(slot) * kFrameJoint;
}

}  // namespace convoy::web
