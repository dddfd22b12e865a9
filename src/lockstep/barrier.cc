#include "lockstep/barrier.h"

#include <algorithm>

#include "agent/software.h"
#include "core/hash.h"
#include "wire/live.h"
#include "world/edits/edits.h"

namespace convoy {

namespace {

// The slot that an edit takes away; kNoSlot: none.
struct ErasedSlot {
  const World& world;
  Slot operator()(const Delete& edit) const { return world.slot_of(edit.entity); }
  Slot operator()(const Spawn&) const { return kNoSlot; }
  Slot operator()(const SetState&) const { return kNoSlot; }
  Slot operator()(const Attach&) const { return kNoSlot; }
  Slot operator()(const Detach&) const { return kNoSlot; }
  Slot operator()(const SetEnvironment&) const { return kNoSlot; }
  Slot operator()(const AddModel&) const { return kNoSlot; }
  Slot operator()(const Reset&) const { return kNoSlot; }
  Slot operator()(const Freeze&) const { return kNoSlot; }
  Slot operator()(const Move&) const { return kNoSlot; }
  Slot operator()(const Mount&) const { return kNoSlot; }
  Slot operator()(const AddFile&) const { return kNoSlot; }
  Slot operator()(const PutBody&) const { return kNoSlot; }
  Slot operator()(const Return&) const { return kNoSlot; }
  Slot operator()(const SetPart&) const { return kNoSlot; }
  Slot operator()(const Lease&) const { return kNoSlot; }
  Slot operator()(const SetTags&) const { return kNoSlot; }
};

}  // namespace

Barrier::Barrier(Books& books, Audience& audience, RunWatchers& watchers, BarrierOptions options,
                 std::uint64_t digest_seed)
    : books_(books),
      audience_(audience),
      watchers_(watchers),
      options_(options),
      digest_seed_(digest_seed),
      digest_(digest_seed),
      inside_(books.world.snapshot().size()),
      inside_next_(inside_) {}

// ------------------------------------------------------------------------------------------------- at a boundary

WorldNumber Barrier::edit(const Edit& edit) {
  EXPECTS(!place_.running && !restarts_run(edit));
  World& world = books_.world;
  const Slot erased = std::visit(ErasedSlot{world}, edit);
  for (WorldNumber number : resets_inside(edit)) inside_[world.slot_of(number)] = {};
  const WorldNumber made = world.apply(edit, instant(place_.tick * nanos(books_.setup.tick)));
  if (made != kNoEntity) inside_.emplace_back();
  if (erased != kNoSlot) inside_.erase(erased);
  EXPECTS(inside_.size() == world.snapshot().size());
  edited();
  return made;
}

void Barrier::chain_digest(std::uint64_t elements) {
  digest_ = next_digest(digest_, place_.tick, books_.world, inside_);
  if (elements != 0) digest_ = chain(digest_, elements);
  watchers_.chained(place_.run, place_.tick, digest_, books_.world, inside_);
}

void Barrier::open() {
  EXPECTS(!place_.running);
  World& world = books_.world;
  for (const Message& message : messages_) apply_announcement(world, message);
  messages_.clear();
  if (std::exchange(edited_, false)) world.settle();
  inside_next_ = inside_;
  if (std::exchange(stale_, false)) {
    gathering_.expect(world, [this](Owner owner) { return books_.roll.present(owner); });
    for (Owner owner : books_.roll.present_owners()) gathering_.expect(owner);  // one without agents sends Done, too
  }
  gathering_.begin();
  place_.running = true;
}

void Barrier::reset() {
  books_.world.apply(Reset{}, instant(0));
  ++books_.run;
  place_ = {books_.run, 0, false};
  digest_ = digest_seed_;
  messages_.clear();
  inputs_.clear();
  inside_.assign(books_.world.snapshot().size(), {});
  edited();
}

void Barrier::resume_at(Tick tick, std::uint64_t digest, std::vector<AgentHash> inside, std::vector<Message> messages) {
  EXPECTS(inside.size() == books_.world.snapshot().size());
  place_ = {books_.run, tick, false};
  digest_ = digest;
  inside_.assign(inside.begin(), inside.end());
  inside_next_ = inside_;
  messages_ = std::move(messages);
}

// ------------------------------------------------------------------------------------------------------ in a tick

Status Barrier::states(Owner from, const Payload& payload) {
  if (!place_.running || !gathering_.awaits(from))
    return fail(ErrorCode::kInvalid, "States for another boundary than the next");
  const NextBoundary next{place_.run, place_.tick + 1, books_.setup.tick};
  const auto records = gathering_.states(payload, next, books_.world, inside_next_, from);
  if (!records) return tl::unexpected(records.error());
  books_.counts.updates_in += *records;
  books_.roll.at(from).states_bytes += payload.bytes.size();
  // As it came: no second encoding.
  books_.counts.updates_out += *records * audience_.to_others(from, FrameType::kStates, payload);
  return {};
}

Status Barrier::messages(Owner from, ByteView payload) {
  Messages more;
  if (!place_.running || !gathering_.awaits(from) || !load(payload, more) || more.run != place_.run ||
      more.tick != place_.tick + 1)
    return fail(ErrorCode::kInvalid, "Messages for another boundary than the next");
  for (Message& message : more.messages) {
    const Slot slot = books_.world.slot_of(message.from);
    if (slot == kNoSlot || books_.world.entity(slot).owner != from)
      return fail(ErrorCode::kDenied, "a message in another agent's name");
    if (message.payload.size() > kMaxMessageBytes) return fail(ErrorCode::kInvalid, "a message is too large");
    gathering_.count_messages(from, 1);
    messages_.push_back(std::move(message));
  }
  return {};
}

// What a host's gateway commanded its own agents in the tick that runs. It has taken effect there already; here it is
// journalled behind the tick's other inputs, which is the order in which the agents took them.
Status Barrier::inputs(Owner from, ByteView payload) {
  Inputs more;
  if (!place_.running || !gathering_.awaits(from) || !load(payload, more) || more.run != place_.run)
    return fail(ErrorCode::kInvalid, "Inputs for another tick than the one that runs");
  if (gathering_.count_inputs(from, more.inputs.size()) > kMaxInputs)
    return fail(ErrorCode::kInvalid, "too many commands of a host's own for one tick");
  for (const Input& input : more.inputs) {
    const Slot slot = books_.world.slot_of(recipient(input));
    if (slot == kNoSlot || books_.world.entity(slot).owner != from)
      return fail(ErrorCode::kDenied, "a command of a host's own for another's agent");
    watchers_.entered({place_.run, place_.tick, input});
  }
  return {};
}

Status Barrier::done(Owner from, ByteView payload) {
  Done done;
  if (!load(payload, done)) return fail(ErrorCode::kInvalid, "a Done frame is malformed");
  if (!place_.running || !gathering_.awaits(from) || done.run != place_.run || done.tick != place_.tick + 1)
    return fail(ErrorCode::kInvalid, "Done for another boundary than the next");
  if (auto ok = gathering_.close(from, done); !ok) return ok;
  HostStatus& host = books_.roll.at(from);
  host.done = true;
  host.busy_ns += done.busy_ns;
  host.foreign_contacts += done.foreign_contacts;
  books_.places->count({.samples = done.remote_samples});
  return {};
}

void Barrier::lose(Owner owner, const std::vector<WorldNumber>& agents) {
  expect_anew();
  if (!place_.running || !gathering_.awaits(owner)) return;  // its tick is whole: the states count, here and elsewhere
  lose(agents);                                              // complete() erases what they sent in this tick
  gathering_.forget(owner);
}

void Barrier::lose(const std::vector<WorldNumber>& agents) { lost_.insert(lost_.end(), agents.begin(), agents.end()); }

void Barrier::hold(WorldNumber number) {
  const Slot slot = books_.world.slot_of(number);
  if (slot == kNoSlot) return;
  books_.world.hold(slot);
  inside_next_[slot] = inside_[slot];
}

std::vector<WorldNumber> Barrier::complete() {
  EXPECTS(place_.running && all_done());
  std::vector<WorldNumber> held = std::exchange(lost_, {});
  if (!held.empty()) {
    std::sort(held.begin(), held.end());
    for (WorldNumber number : held) hold(number);
    std::erase_if(messages_, [&](const Message& m) { return std::binary_search(held.begin(), held.end(), m.from); });
    if (options_.journal_losses) watchers_.entered({place_.run, place_.tick + 1, Lost{held}});
    edited_ = true;
  }
  if (options_.sort_messages)
    std::sort(messages_.begin(), messages_.end(), [](const Message& a, const Message& b) {
      return std::pair(a.from, a.index) < std::pair(b.from, b.index);
    });
  books_.world.turn();
  std::swap(inside_, inside_next_);
  ++place_.tick;
  place_.running = false;
  ++ticks_done_;
  return held;
}

void Barrier::report_completed() { watchers_.completed(place_.run, place_.tick, books_.world, inside_, messages_); }

}  // namespace convoy
