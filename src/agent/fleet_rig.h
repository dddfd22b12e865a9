// Several fleets that share a run in memory, for the probe and for tests.
//
//   Rig rig(setup, 3, executor);       // entity i belongs to fleet i % 3; one whose host is "nobody" has no agent
//   rig.edit(Attach{1, 2});            // at the current boundary
//   rig.step(inputs);                  // one tick
//   rig.digest()                       // the same for any number of fleets and any executor
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "agent/fleet.h"
#include "agent/under_way.h"
#include "core/hash.h"

namespace convoy {

class FleetRig {
 public:
  // The setup must make a world.
  FleetRig(Setup setup, int fleets, Executor& executor, SoftwareFactory* software = nullptr,
           const RayCasters* rays = nullptr, SampleTaker* taker = nullptr, PictureMaker* pictures = nullptr)
      : setup_(std::move(setup)),
        executor_(executor),
        software_(software),
        rays_(rays),
        taker_(taker),
        pictures_(pictures),
        digest_(digest_seed(setup_)) {
    auto world = World::make(setup_);
    EXPECTS(world.has_value());
    make_fleets(*world, fleets);
    hashes_.resize(world->entities().size());
    for (Slot slot : SlotRange(hashes_.size()))
      if (const Agent* a = agent(world->entity(slot).number)) hashes_[slot.index()] = a->hash();
    digest_ = next_digest(digest_, 0, this->world(), hashes_);
  }

  // The same run from the boundary of `other`, as a late host takes it up: from the world's image, the
  // agents' inner bytes and the messages in between.
  FleetRig(const FleetRig& other, int fleets, Executor& executor)
      : setup_(other.setup_),
        executor_(executor),
        rays_(other.rays_),
        pictures_(other.pictures_),
        tick_(other.tick_),
        inbox_(other.inbox_),
        digest_(other.digest_) {
    auto world = World::make(setup_);
    EXPECTS(world.has_value() && world->load_image(other.world().image()));
    make_fleets(*world, fleets);
    FleetRays casters(rays_);
    FleetPictures drawn(pictures_);
    SampleMaker maker(casters, drawn, executor);
    for (const auto& fleet : other.fleets_)
      for (const Entity& e : other.world().entities()) {
        if (!fleet->agent(e.number)) continue;
        Bytes bytes = fleet->inner(e.number);
        const Bytes more = save_under_way(*fleet, e.number, maker);
        bytes.insert(bytes.end(), more.begin(), more.end());
        EXPECTS(owner_of(e.number)->mine(e.number)->load(bytes));
      }
  }

  World& world() { return fleets_[0]->world(); }
  const World& world() const { return fleets_[0]->world(); }
  std::uint64_t digest() const { return digest_; }
  Tick tick() const { return tick_; }
  Instant now() const { return instant(tick_ * nanos(setup_.tick)); }
  // Sent in the last tick, handed over in the next.
  std::span<const Message> inbox() const { return inbox_; }
  std::vector<Message>& inbox() { return inbox_; }
  std::span<const AgentHash> hashes() const { return hashes_; }
  Fleet& fleet(std::size_t i) { return *fleets_[i]; }
  Fleet* owner_of(WorldNumber number) {
    for (auto& fleet : fleets_)
      if (fleet->agent(number)) return fleet.get();
    return nullptr;
  }
  const Agent* agent(WorldNumber number) {
    Fleet* fleet = owner_of(number);
    return fleet ? fleet->agent(number) : nullptr;
  }
  const State& state(WorldNumber number) const { return world().snapshot().state(world().slot_of(number)); }
  WorldNumber number(const char* name) const { return world().entity(world().find(name)).number; }

  Status edit(const Edit& edit) {
    if (auto ok = world().check(edit); !ok) return ok;
    for (auto& fleet : fleets_) fleet->apply(edit, now());
    edited_ = true;
    return {};
  }

  // Called between the opening of a tick and the tick itself.
  std::function<void(Fleet&, Tick, std::span<const Input>)> before_tick;
  // What was spent, as the given clock counts.
  struct Clocks {
    std::int64_t open = 0, advance = 0;
  };
  Clocks step(
      std::span<const Input> inputs = {}, std::int64_t (*clock)() = [] { return std::int64_t{0}; }) {
    if (edited_)
      for (auto& fleet : fleets_) fleet->settle();
    edited_ = false;
    hashes_.assign(world().snapshot().size(), {});
    std::vector<Message> sent;
    Clocks used;
    for (auto& fleet : fleets_) {
      const std::int64_t before = clock();
      fleet->open(inbox_);
      const std::int64_t opened = clock();
      if (before_tick) before_tick(*fleet, tick_, inputs);
      const Advance& made = fleet->advance(tick_, inputs);
      used.open += opened - before;
      used.advance += clock() - opened;
      sent.insert(sent.end(), made.sent.begin(), made.sent.end());
      for (std::size_t i = 0; i < made.slots.size(); ++i) hashes_[made.slots[i].index()] = made.hashes[i];
      for (auto& other : fleets_)
        if (other != fleet) copy(fleet->world(), other->world(), made.slots);
    }
    std::sort(sent.begin(), sent.end(), [](const Message& a, const Message& b) {
      return std::pair(a.from, a.index) < std::pair(b.from, b.index);
    });
    inbox_ = std::move(sent);
    for (auto& fleet : fleets_) fleet->turn();
    ++tick_;
    digest_ = next_digest(digest_, tick_, world(), hashes_);
    return used;
  }

 private:
  void make_fleets(World& world, int fleets) {
    for (Slot slot : SlotRange(world.entities().size())) {
      const Entity& e = world.entity(slot);
      world.set_owner(slot, e.kind->host == "nobody" || e.frozen
                                ? kNobody
                                : Owner(1 + slot.value() % static_cast<std::uint32_t>(fleets)));
    }
    for (int i = 0; i < fleets; ++i) {
      fleets_.push_back(std::make_unique<Fleet>(world, setup_, static_cast<Owner>(i + 1), executor_,
                                                AgentParts{factory_, software_, rays_, taker_, nullptr, pictures_}));
      fleets_.back()->take_up();
    }
  }
  static void copy(World& from, World& to, std::span<const Slot> slots) {
    for (Slot slot : slots) {
      to.next().state(slot) = from.next().state(slot);
      const std::span<const double> tail = from.next().tail(slot);
      std::copy(tail.begin(), tail.end(), to.next().tail(slot).begin());
    }
  }

  Setup setup_;
  Executor& executor_;
  KinematicFactory factory_;
  SoftwareFactory* software_ = nullptr;
  const RayCasters* rays_ = nullptr;
  SampleTaker* taker_ = nullptr;
  PictureMaker* pictures_ = nullptr;
  std::vector<std::unique_ptr<Fleet>> fleets_;
  std::vector<AgentHash> hashes_;
  Tick tick_ = 0;
  std::vector<Message> inbox_;
  bool edited_ = false;
  std::uint64_t digest_;
};

}  // namespace convoy
