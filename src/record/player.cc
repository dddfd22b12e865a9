#include "record/player.h"

#include <algorithm>

#include "core/overloads.h"

namespace convoy {

Result<Player> Player::make(const Recording& recording) {
  auto world = World::make(recording.setup());
  if (!world) return tl::unexpected(world.error());
  Player out(recording, std::move(*world));
  if (auto ok = out.show(0); !ok) return tl::unexpected(ok.error());
  return out;
}

Status Player::show(std::uint64_t time_ns) {
  time_ns = std::min(time_ns, recording_->end_ns());
  const auto& keys = recording_->marks();
  const auto after = std::upper_bound(keys.begin(), keys.end(), time_ns,
                                      [](std::uint64_t t, const Recording::Mark& key) { return t < key.time_ns; });
  // Not at each key that playing comes by: a world is made anew there.
  const bool nearer = after - keys.begin() >= 2 && std::prev(after, 2)->place > place();
  if (!any_ || time_ns < time_ns_ || nearer) {
    any_ = false;
    if (auto ok = begin_at(after == keys.begin() ? nullptr : &*std::prev(after)); !ok) return ok;
  }
  return read_until(time_ns);
}

Status Player::show_next() {
  while (const Recording::Item* item = cursor_.peek()) {
    const bool boundary = item->kind == RecordKind::kReached || item->kind == RecordKind::kSample;
    if (boundary) return read_until(item->time_ns);
    if (auto ok = take(*item); !ok) return ok;
    cursor_.next();
  }
  return read_until(time_ns_);
}

// Puts the world and the cursor in front of the key; nullptr: of everything.
Status Player::begin_at(const Recording::Mark* key) {
  coder_ = {};
  boundary_ = {};
  fresh_ = false;
  cursor_ = key ? recording_->from_chunk(key->chunk) : recording_->from_start();
  skipping_to_ = key ? key->place : Place{0, -1};
  if (auto ok = begin_run(key ? key->place.run : 0); !ok) return ok;
  if (!key) return {};
  if (recording_->head().layout == kSampledLayout) {
    for (const JournalEntry& entry : recording_->journal())
      if (entry.run == run_ && Place{entry.run, entry.tick} < key->place) edit(entry);
    return {};
  }
  auto world = world_of(*recording_, *key);
  if (!world) return tl::unexpected(world.error());
  world_ = std::move(*world);
  return {};
}

Status Player::begin_run(std::uint32_t run) {
  auto world = World::make(recording_->setup());
  if (!world) return tl::unexpected(world.error());
  world_ = std::move(*world);
  run_ = run;
  return {};
}

Status Player::read_until(std::uint64_t time_ns) {
  while (const Recording::Item* item = cursor_.peek()) {
    if (item->time_ns > time_ns) break;
    if (auto ok = take(*item); !ok) return ok;
    cursor_.next();
  }
  if (cursor_.trouble()) return tl::unexpected(*cursor_.trouble());
  put_states();
  return {};
}

Status Player::take(const Recording::Item& item) {
  if (item.kind == RecordKind::kJournal) {
    JournalEntry entry;
    if (!load(item.bytes, entry)) return fail(ErrorCode::kInvalid, "a malformed journal entry");
    if (Place{entry.run, entry.tick} < skipping_to_) return {};
    if (entry.run != run_)
      if (auto ok = begin_run(entry.run); !ok) return ok;
    edit(entry);
    return {};
  }
  const bool boundary =
      item.kind == RecordKind::kReached || item.kind == RecordKind::kEdited || item.kind == RecordKind::kSample;
  if (!boundary || item.place < skipping_to_) return {};
  if (item.place.run != run_)
    if (auto ok = begin_run(item.place.run); !ok) return ok;
  if (auto ok = coder_.decode(item.bytes, boundary_); !ok) return ok;
  time_ns_ = item.time_ns, any_ = fresh_ = true;
  return {};
}

// Those that cannot be carried out did not change the recorded world either.
void Player::edit(const JournalEntry& entry) {
  const auto carry_out = [&](const Edit& edit) {
    put_states();  // what is attached stays where it is then
    if (world_.check(edit)) world_.apply(edit, instant(entry.tick * nanos(recording_->setup().tick)));
  };
  std::visit(Overloads{carry_out, [&](const AskedEdit& asked) { carry_out(asked.edit); }, [](const auto&) {}},
             entry.what);
}

// Both lists are in the numbers' order.
void Player::put_states() {
  if (!std::exchange(fresh_, false)) return;
  Snapshot& snapshot = world_.snapshot();
  std::size_t at = 0;
  for (const Slot slot : SlotRange(snapshot.size())) {
    const WorldNumber number = world_.entity(slot).number;
    while (at < boundary_.size() && boundary_.numbers[at] < number) ++at;
    if (at == boundary_.size()) break;
    if (boundary_.numbers[at] != number) continue;
    snapshot.state(slot) = boundary_.state(at);
    const std::vector<double> tail = boundary_.tail(at);
    if (tail.size() == snapshot.tail(slot).size()) std::copy(tail.begin(), tail.end(), snapshot.tail(slot).begin());
  }
  world_.settle();
}

}  // namespace convoy
