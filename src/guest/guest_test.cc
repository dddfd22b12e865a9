// A guest in lockstep notices when what it got is not what the server has.
#include "guest/guest.h"

#include <doctest/doctest.h>

#include <map>
#include <set>

#include "lockstep/barrier_rig.h"
#include "session/world_image.h"

namespace guest_test {

using namespace convoy;
using namespace convoy::testing;

namespace {

using Frame = BarrierRig::Frame;

struct Elements final : ElementSource {
  std::vector<ElementChanged> take(std::uint32_t) override {
    const bool now = ++openings % 3 == 0;
    if (!now) return {};
    return {{"alice", Owner(7), ElementId(1), ElementChanged::Kind::kChanged, "convoy.Note", openings, {1, 2, 3}}};
  }
  std::vector<ElementChanged> all() const override { return {}; }
  std::int64_t openings = 0;
};

// What the guest finds when frames to it are altered, or lost, from tick 3 on; "": nothing, and it sees the server's world.
std::string found_when(const std::function<bool(Frame&)>& on_way) {
  Elements elements;
  BarrierRig dut;
  dut.conductor.elements().take_from(&elements);
  const auto guest = Guest::make(dut.setup, false, nullptr);
  dut.conductor.attend(BarrierRig::kGuest, "guest", Run::Sees::kAll);
  dut.to_guest = [&](const Frame& frame) { guest->on_frame(frame.type, frame.bytes); };
  dut.on_way = [&](Frame& frame) {
    return dut.conductor.tick() < 3 || !frame.to_host || frame.who != BarrierRig::kGuest || on_way(frame);
  };
  dut.settle();
  REQUIRE(dut.trouble == "");
  REQUIRE(dut.conductor.over());
  if (guest->trouble()) return guest->trouble()->text;
  CHECK(guest->world().image() == dut.conductor.world().image());
  CHECK(guest->finished());
  return "";
}

template <class T>
bool altered(Frame& frame, FrameType type, const std::function<void(T&)>& alter) {
  T value;
  if (frame.type != type) return true;
  REQUIRE(load(frame.bytes, value));
  alter(value);
  frame.bytes = save(value);
  return true;
}

std::string found_in_open(const std::function<void(Manifest&)>& alter) {
  return found_when([&](Frame& frame) {
    return altered<Open>(frame, FrameType::kOpen, [&](Open& open) {
      for (Manifest& manifest : open.edits.states)
        if (manifest.owner == Owner{2}) alter(manifest);
    });
  });
}

const std::string kNotTheServers = "the states of connection 2 for tick 3 are not those that the server has";

}  // namespace

TEST_CASE("a guest that gets all frames as they are sees the server's world to the end") {
  CHECK(found_when([](Frame&) { return true; }) == "");
}

TEST_CASE("a guest notices States that are not those of the server, to the last bit") {
  for (std::size_t from_end : {1, 8}) {  // bytes of a hash that a guest makes no use of
    CHECK(found_when([&](Frame& frame) {
            if (frame.type == FrameType::kStates && frame.bytes[12] == 2)
              frame.bytes[frame.bytes.size() - from_end] ^= 4;
            return true;
          }) == kNotTheServers);
  }
  CHECK(found_when([](Frame& frame) { return frame.type != FrameType::kStates || frame.bytes[12] != 2; }) ==
        kNotTheServers);
  CHECK(found_in_open([](Manifest& m) { m.hash ^= 1; }) == kNotTheServers);
  CHECK(found_in_open([](Manifest& m) { ++m.frames; }) == kNotTheServers);
}

TEST_CASE("a guest notices elements that are not those of the server") {
  const std::string wrong = "the elements of tick 5 are not the server's";
  CHECK(found_when([](Frame& frame) { return frame.type != FrameType::kTaken; }) == wrong);
  CHECK(found_when([](Frame& frame) {
          return altered<Taken>(frame, FrameType::kTaken, [](Taken& t) { t.changes.at(0).bytes[1] ^= 1; });
        }) == wrong);
}

TEST_CASE("a guest takes the States of the tick that runs, and of no other") {
  CHECK(found_when([](Frame& frame) {
          if (frame.type == FrameType::kStates) ++frame.bytes[4];
          return true;
        }) == "States for another boundary than the next");
}

namespace {

// A viewer of a run of 20 ticks, which asks as soon as it is shown something, or in these ticks alone.
struct Viewing {
  BarrierRig dut;
  std::unique_ptr<Guest> eye;
  std::vector<Tick> seen;
  std::set<FrameType> got;
  std::optional<std::set<Tick>> asks_in;
  std::map<Tick, std::vector<Edit>> edits;  // submitted while that tick runs

  void run() {
    eye = Guest::make(dut.setup, false, nullptr, [this] {
      dut.frames.push_back({false, BarrierRig::kGuest, FrameType::kLook, {}});
    });
    dut.conductor.attend(BarrierRig::kGuest, "eye", Run::Sees::kWhatItAsksFor);
    dut.to_guest = [this](const Frame& frame) {
      got.insert(frame.type);
      REQUIRE(eye->on_frame(frame.type, frame.bytes));
      if (eye->trouble()) FAIL(eye->trouble()->text);
      if (frame.type == FrameType::kFinish || !eye->known()) return;
      if (seen.empty() || seen.back() != *eye->begun()) seen.push_back(*eye->begun());
      if (!asks_in) eye->reckon({});
    };
    dut.on_way = [this](const Frame&) {
      const Tick tick = dut.conductor.tick();
      if (asks_in && asks_in->erase(tick) > 0) eye->reckon({});
      if (const auto due = edits.extract(tick); !due.empty())
        for (const Edit& edit : due.mapped())
          dut.conductor.submit(edit, [](const Result<EditOutcome>& r) { CHECK(r); });
      return true;
    };
    dut.settle();
    REQUIRE(dut.trouble == "");
    REQUIRE(eye->finished());
  }
  // Entities are the server's to the bit; where they are, to the eye.
  void check_last() {
    const World &here = eye->world(), &there = dut.conductor.world();
    REQUIRE(here.entities().size() == there.entities().size());
    for (const Slot slot : SlotRange(there.entities().size())) {
      CHECK(here.entity(slot).number == there.entity(slot).number);
      CHECK(here.entity(slot).kind->tags == there.entity(slot).kind->tags);
      CHECK(here.entity(slot).parent == there.entity(slot).parent);
      const State &a = here.snapshot().state(slot), &b = there.snapshot().state(slot);
      const Vec3 apart = a.pose.p - b.pose.p;
      CHECK(dot(apart, apart) < 0.002 * 0.002);
      CHECK(a.discontinuity == b.discontinuity);
      for (std::size_t i = 0; i < there.joints(slot).size() / 2; ++i)
        CHECK(here.joints(slot)[i] == doctest::Approx(there.joints(slot)[i]).epsilon(1e-5));
    }
  }
};

EntitySpec newcomer() {
  EntitySpec spec;
  spec.name = "late", spec.model = built_in_models()[0].name, spec.pose.p = {0, 3, 0};
  return spec;
}

}  // namespace

TEST_CASE("a viewer is shown what it asks for: edits to the bit, places to the eye") {
  Viewing dut;
  dut.edits[3] = {Spawn{newcomer(), Owner{1}}, SetTags{WorldNumber(1), {"red"}}};
  dut.edits[6] = {SetState{WorldNumber(2), {{5, 5, 0}, from_yaw(1)}, std::nullopt},
                  Attach{WorldNumber(1), WorldNumber(3)}};
  dut.edits[9] = {Delete{WorldNumber(4)}};
  dut.run();
  CHECK(dut.got == std::set{FrameType::kImage, FrameType::kView, FrameType::kFinish});
  CHECK(dut.seen.size() > 15);
  dut.check_last();
}

TEST_CASE("a viewer that asks seldom skips boundaries, and no edit") {
  Viewing dut;
  dut.asks_in = {4, 8, 18};
  dut.edits[3] = {Spawn{newcomer(), Owner{1}}};
  dut.edits[6] = {Delete{WorldNumber(5)}, SetTags{WorldNumber(1), {"red"}}};
  dut.edits[10] = {SetState{WorldNumber(2), {{5, 5, 0}, from_yaw(1)}, std::nullopt}};
  dut.run();
  REQUIRE(dut.seen.size() == 4);
  CHECK((dut.seen[0] == 0 && dut.seen[1] == 4 && dut.seen[2] == 8 && dut.seen[3] == 18));
  dut.check_last();
}

TEST_CASE("a viewer is told of a reset of the world, and of what comes after it") {
  Viewing dut;
  dut.edits[3] = {Spawn{newcomer(), Owner{1}}};
  dut.edits[5] = {Reset{}};
  dut.edits[7] = {SetTags{WorldNumber(1), {"red"}}};
  dut.run();
  CHECK(dut.eye->run() == 1);
  dut.check_last();
}

TEST_CASE("a viewer for whom too many edits wait is shown the whole world anew") {
  Viewing dut;
  const std::vector<std::string> tags(1000, std::string(128, 't'));
  for (Tick tick = 2; tick < 12; ++tick) dut.edits[tick] = std::vector<Edit>(4, SetTags{WorldNumber(1), tags});
  dut.asks_in = {14};
  dut.run();
  CHECK(dut.got == std::set{FrameType::kImage, FrameType::kFinish});
  CHECK(dut.seen == std::vector<Tick>{0, 14});
  dut.check_last();
}

TEST_CASE("a viewer refuses what is no view") {
  Viewing dut;
  dut.run();
  for (const Bytes& bytes :
       {Bytes{}, Bytes{1, 2, 3}, save(View{0, 3, {}, {1, 2, 3}, {}, true}), save(View{0, 3, {}, {}, {1, 2, 3}, true}),
        save(View{0, 3, {Edits{0, 3, {}, {}, {Delete{WorldNumber(77)}}}}, {}, {}, true})}) {
    const auto eye = Guest::make(dut.dut.setup, false, nullptr, [] {});
    for (const Payload& piece : image_pieces(dut.dut.conductor.world(), 0, 20, kMaxChunk))
      REQUIRE(eye->on_frame(FrameType::kImage, piece));
    REQUIRE(eye->known());
    eye->on_frame(FrameType::kView, bytes);
    CHECK(eye->trouble());
  }
}

}  // namespace guest_test
