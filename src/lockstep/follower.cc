#include "lockstep/follower.h"

#include "world/edits/edits.h"

namespace convoy {

void Follower::begin_at(std::uint32_t run, Tick tick, const World& world) {
  run_ = run;
  tick_ = tick;
  running_ = false;
  expect(world);
}

void Follower::expect(const World& world) {
  gathering_.expect(world, [this](Owner owner) { return owner != me_; });
}

Status Follower::states(const Payload& payload, World& world) {
  if (!running_) return fail(ErrorCode::kInvalid, "States for another boundary than the next");
  const auto records = gathering_.states(payload, {run_, tick_ + 1, tick_length_}, world);
  return records ? Status{} : tl::unexpected(records.error());
}

Status Follower::reach(const Edits& edits, World& world, const std::function<void()>& turn) {
  if (edits.run != run_) return fail(ErrorCode::kInvalid, "edits for another run");
  if (edits.tick == tick_ && !running_) return {};
  if (edits.tick != tick_ + 1 || !running_)
    return fail(ErrorCode::kInvalid,
                "edits for tick " + std::to_string(edits.tick) + " at tick " + std::to_string(tick_));
  if (auto ok = gathering_.agree(edits.states, tick_ + 1, world); !ok) return ok;
  // The owner of those may be there all the same: in a replay.
  for (WorldNumber number : edits.held)
    if (const Slot slot = world.slot_of(number); slot != kNoSlot) world.hold(slot);
  turn();
  ++tick_;
  running_ = false;
  return {};
}

Status Follower::edit(const Edits& edits, World& world, const std::function<Status(const Edit&, Instant)>& apply) {
  for (const Edit& edit : edits.edits) {
    if (auto ok = world.check(edit); !ok) return ok;
    const bool restarts = restarts_run(edit);
    if (auto ok = apply(edit, restarts ? instant(0) : now()); !ok) return ok;
    if (restarts) {
      ++run_;
      tick_ = 0;
    }
  }
  return {};
}

}  // namespace convoy
