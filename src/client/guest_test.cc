// A guest in lockstep notices when what it got is not what the server has.
#include "client/guest.h"

#include <doctest/doctest.h>

#include "lockstep/barrier_rig.h"

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
  dut.conductor.attend(BarrierRig::kGuest, "guest");
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
