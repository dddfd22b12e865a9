// A conductor and two hosts joined by a queue whose frames may be altered or lost on their way: for tests.
//
//   BarrierRig dut({.end = 20});
//   dut.on_way = [](BarrierRig::Frame& frame) { return frame.type != FrameType::kStates; };
//   dut.settle();
//   dut.trouble    // "server: Done does not fit ...": what was found first, and by whom
#pragma once

#include <doctest/doctest.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/conductor.h"
#include "lockstep/host.h"

namespace convoy::testing {

// Four robots without commands: 1 and 3 on the first host, 2 and 4 on the second.
inline Setup four_robots() {
  Setup setup;
  setup.models = built_in_models();
  for (int i = 0; i < 4; ++i) {
    EntitySpec spec;
    spec.name = "r" + std::to_string(i), spec.model = setup.models[0].name, spec.pose.p.x = i;
    setup.entities.push_back(spec);
  }
  return setup;
}

// What watchers are shown.
struct Diary final : RunWatcher {
  struct Digest {
    std::uint32_t run = 0;
    Tick tick = 0;
    std::vector<AgentHash> inside;
  };
  void completed(std::uint32_t, Tick, const World&, std::span<const AgentHash>,
                 std::span<const Message> messages) override {
    for (const Message& m : messages) handed_over.push_back(m);
  }
  void entered(const JournalEntry& entry) override { journal.push_back(entry); }
  void chained(std::uint32_t run, Tick tick, std::uint64_t, const World&, std::span<const AgentHash> inside) override {
    digests.push_back({run, tick, {inside.begin(), inside.end()}});
  }
  void checkpointed(std::uint32_t, Tick, const InnerBytes&) override {}

  std::vector<Message> handed_over;
  std::vector<JournalEntry> journal;
  std::vector<Digest> digests;
};

struct BarrierRig {
  static constexpr Owner kGuest{9};
  struct Frame {
    bool to_host = false;
    Owner who{};
    FrameType type{};
    Bytes bytes;
  };

  explicit BarrierRig(ConductorOptions options = {.end = 20}, Setup of = four_robots(),
                      SoftwareFactory* software = nullptr)
      : setup(std::move(of)),
        conductor(*World::make(setup), setup, std::move(options),
                  [this](Owner to, FrameType type, const Payload& payload) {
                    frames.push_back({true, to, type, Bytes(payload.bytes.begin(), payload.bytes.end())});
                  }) {
    conductor.watchers().add(&diary);
    for (Owner owner : {Owner{1}, Owner{2}}) {
      hosts.emplace_back(std::make_unique<LockstepHost>(setup, owner, false, executor, AgentParts{factory, software},
                                                        [this, owner](FrameType type, Bytes bytes, std::uint64_t) {
                                                          frames.push_back({false, owner, type, std::move(bytes)});
                                                        }));
      conductor.join(owner, hosts.size() == 1 ? "host1" : "host2");
    }
    std::vector<std::string> warnings;
    conductor.start(now, warnings);
  }

  // All that happens without time going on, until the server or a host reports trouble.
  void settle() {
    conductor.proceed(now);
    while (!frames.empty() && trouble.empty()) {
      Frame frame = std::move(frames.front());
      frames.pop_front();
      if (on_way && !on_way(frame)) continue;
      deliver(frame);
    }
  }
  void deliver(const Frame& frame) {
    if (frame.to_host && to_guest && frame.who == kGuest) return to_guest(frame);
    if (frame.to_host) {
      LockstepHost& host = *hosts[frame.who == Owner{1} ? 0 : 1];
      REQUIRE(host.on_frame(frame.type, frame.bytes));
      if (host.trouble()) trouble = "host: " + host.trouble()->text;
      return;
    }
    REQUIRE(conductor.on_frame(frame.who, frame.type, frame.bytes, now));
    if (const auto found = std::exchange(conductor.books().trouble, std::nullopt)) {
      CHECK(found->first == frame.who);
      trouble = "server: " + found->second.text;
    }
    conductor.proceed(now);
  }

  Setup setup;
  SerialExecutor executor;
  KinematicFactory factory;
  Moment now{std::chrono::seconds(1)};
  std::deque<Frame> frames;
  Diary diary;
  std::vector<std::unique_ptr<LockstepHost>> hosts;
  Conductor conductor;
  std::function<bool(Frame&)> on_way;            // false: the frame is lost
  std::function<void(const Frame&)> to_guest{};  // takes what kGuest gets, which may attend
  std::string trouble;                           // the first one
};

}  // namespace convoy::testing
