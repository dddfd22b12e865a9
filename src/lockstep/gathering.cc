#include "lockstep/gathering.h"

#include <algorithm>

#include "core/hash.h"

namespace convoy {

void Gathering::expect(const World& world, const std::function<bool(Owner)>& sends) {
  sources_.clear();
  for (Slot slot = 0; slot < world.entities().size(); ++slot)
    if (const Owner owner = world.entity(slot).owner; owner != kNobody && sends(owner))
      sources_[owner].slots.push_back(slot);
}

void Gathering::begin() {
  for (auto& [owner, source] : sources_) {
    std::vector<Slot> slots = std::move(source.slots);
    source = {};
    source.slots = std::move(slots);
  }
}

Result<std::uint32_t> Gathering::states(const Payload& payload, const NextBoundary& next, World& world,
                                        std::span<AgentHash> inside, Owner from) {
  StatesHeader header;
  if (!peek_states(payload, header) || header.run != next.run || header.tick != next.tick ||
      (from != kNobody && header.owner != from))
    return fail(ErrorCode::kInvalid, "States for another boundary than the next");
  const auto it = sources_.find(header.owner);
  if (it == sources_.end()) return fail(ErrorCode::kInvalid, "States of an owner that owns nothing");
  Source& source = it->second;
  if (source.closed) return fail(ErrorCode::kInvalid, "States for another boundary than the next");
  const std::uint32_t before = source.records;
  const Instant stamp = instant(header.tick * nanos(next.tick_length));
  if (auto ok = decode_states(payload, world, source.slots, stamp, inside, source.records); !ok)
    return tl::unexpected(ok.error());
  ++source.frames;
  source.hash = chain(source.hash, payload.hash);
  return source.records - before;
}

bool Gathering::awaits(Owner owner) const {
  const auto it = sources_.find(owner);
  return it != sources_.end() && !it->second.closed;
}

Status Gathering::close(Owner owner, const Done& done) {
  Source& source = sources_.at(owner);
  EXPECTS(!source.closed);
  if (done.frames != source.frames || done.hash != source.hash || source.records != source.slots.size() ||
      done.messages != source.messages)
    return fail(ErrorCode::kInternal, "Done does not fit what came before: " + std::to_string(source.records) + " of " +
                                          std::to_string(source.slots.size()) + " states");
  source.closed = true;
  return {};
}

bool Gathering::all_closed() const {
  return std::all_of(sources_.begin(), sources_.end(), [](const auto& s) { return s.second.closed; });
}

std::vector<Manifest> Gathering::manifests() const {
  std::vector<Manifest> manifests;
  for (const auto& [owner, source] : sources_)
    if (source.frames > 0 || source.closed) manifests.push_back({owner, source.frames, source.hash});
  return manifests;
}

Status Gathering::agree(std::span<const Manifest> manifests, Tick tick, World& world) {
  for (const auto& [number, source] : sources_) {
    const Owner owner = number;
    const auto it = std::find_if(manifests.begin(), manifests.end(), [&](const auto& m) { return m.owner == owner; });
    if (it == manifests.end()) {  // lost in this tick: its agents stay where they were
      for (Slot slot : source.slots) world.hold(slot);
    } else if (it->frames != source.frames || it->hash != source.hash || source.records != source.slots.size()) {
      return fail(ErrorCode::kInternal, "the states of connection " + std::to_string(owner.value()) + " for tick " +
                                            std::to_string(tick) + " are not those that the server has");
    }
  }
  begin();
  return {};
}

}  // namespace convoy
