#include "lockstep/gathering.h"

#include <algorithm>

#include "core/check.h"
#include "core/hash.h"

namespace convoy {

void Gathering::expect(const World& world, const std::function<bool(Owner)>& sends) {
  senders_.clear();
  for (Slot slot : SlotRange(world.entities().size()))
    if (const Owner owner = world.entity(slot).owner; owner != kNobody && sends(owner))
      senders_[owner].slots.push_back(slot);
}

void Gathering::begin() {
  for (auto& [owner, sender] : senders_) {
    std::vector<Slot> slots = std::move(sender.slots);
    sender = {};
    sender.slots = std::move(slots);
  }
}

Result<std::uint32_t> Gathering::states(const Payload& payload, const NextBoundary& next, World& world,
                                        std::span<AgentHash> inside, Owner from) {
  StatesHeader header;
  if (!peek_states(payload, header) || header.run != next.run || header.tick != next.tick ||
      (from != kNobody && header.owner != from))
    return fail(ErrorCode::kInvalid, "States for another boundary than the next");
  const auto it = senders_.find(header.owner);
  if (it == senders_.end()) return fail(ErrorCode::kInvalid, "States of an owner that owns nothing");
  Sender& sender = it->second;
  if (sender.closed) return fail(ErrorCode::kInvalid, "States for another boundary than the next");
  const std::uint32_t before = sender.records;
  const Instant stamp = instant(header.tick * nanos(next.tick_length));
  if (auto ok = decode_states(payload, world, sender.slots, stamp, inside, sender.records); !ok)
    return tl::unexpected(ok.error());
  EXPECTS(sender.records <= sender.slots.size());
  ++sender.frames;
  sender.hash = chain(sender.hash, payload.hash);
  return sender.records - before;
}

bool Gathering::awaits(Owner owner) const {
  const auto it = senders_.find(owner);
  return it != senders_.end() && !it->second.closed;
}

Status Gathering::close(Owner owner, const Done& done) {
  Sender& sender = senders_.at(owner);
  EXPECTS(!sender.closed);
  if (done.frames != sender.frames || done.hash != sender.hash || sender.records != sender.slots.size() ||
      done.messages != sender.messages)
    return fail(ErrorCode::kInternal, "Done does not fit what came before: " + std::to_string(sender.records) + " of " +
                                          std::to_string(sender.slots.size()) + " states");
  sender.closed = true;
  return {};
}

bool Gathering::all_closed() const {
  return std::all_of(senders_.begin(), senders_.end(), [](const auto& s) { return s.second.closed; });
}

std::vector<Manifest> Gathering::manifests() const {
  std::vector<Manifest> manifests;
  for (const auto& [owner, sender] : senders_)
    if (sender.frames > 0 || sender.closed) manifests.push_back({owner, sender.frames, sender.hash});
  return manifests;
}

Status Gathering::agree(std::span<const Manifest> manifests, Tick tick, World& world) {
  for (const auto& [number, sender] : senders_) {
    const Owner owner = number;
    const auto it = std::find_if(manifests.begin(), manifests.end(), [&](const auto& m) { return m.owner == owner; });
    if (it == manifests.end()) {  // lost in this tick: its agents stay where they were
      for (Slot slot : sender.slots) world.hold(slot);
    } else if (it->frames != sender.frames || it->hash != sender.hash || sender.records != sender.slots.size()) {
      return fail(ErrorCode::kInternal, "the states of connection " + std::to_string(owner.value()) + " for tick " +
                                            std::to_string(tick) + " are not those that the server has");
    }
  }
  begin();
  return {};
}

}  // namespace convoy
