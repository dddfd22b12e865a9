// A script: a small crowded world and what is done to it from outside at fixed ticks; all of it from one number.
//
// Two runs of one script have one digest, whatever happened to hosts and links, as long as no host is lost for good.
#pragma once

#include <map>
#include <variant>
#include <vector>

#include "lockstep/conductor.h"

namespace convoy::testing {

struct ScriptStep {
  Tick tick = 0;
  std::variant<Edit, Input> what;
  std::uint32_t run = 0;  // counts resets of the whole world
};

struct Script {
  std::uint64_t number = 0;
  Setup setup;  // walls, models, >= 24 robots that meet
  Tick end = 300;
  std::vector<ScriptStep> steps;  // by run, then tick
  std::uint32_t resets = 0;       // of the whole world
  bool agents_edit = false;       // nodes change the world, too: a step may find that it cannot be done
};

Script make_script(std::uint64_t number);

// A walled square arena, m, without robots: what tests start from.
Setup empty_arena(double side, std::uint64_t seed);
EntitySpec robot(std::string name, std::string model, double x, double y, double yaw, DriverKind driver);

// Submits the steps at their ticks, as control from outside would.
class ScriptPlayer final : public RunWatcher {
 public:
  explicit ScriptPlayer(const std::vector<ScriptStep>& steps) : steps_(steps) {}
  void set_conductor(Conductor& conductor) { conductor_ = &conductor; }
  // Refusals of edits, one line each: empty in a run without losses, where agents do not edit.
  const std::vector<std::string>& refused() const { return refused_; }
  // Edits that were carried out later than they were submitted: empty in any run.
  const std::vector<std::string>& late() const { return late_; }

  void completed(std::uint32_t run, Tick tick, const World&, std::span<const AgentHash>,
                 std::span<const Message>) override;
  void entered(const JournalEntry&) override {}
  void chained(std::uint32_t, Tick, std::uint64_t, const World&, std::span<const AgentHash>) override {}
  void checkpointed(std::uint32_t, Tick, const InnerBytes&) override {}

 private:
  const std::vector<ScriptStep>& steps_;
  Conductor* conductor_ = nullptr;
  std::vector<std::string> refused_, late_;
};

// Feeds a run with the journal of another: the same edits, inputs and losses at the same boundaries.
class JournalReplay final : public RunWatcher {
 public:
  explicit JournalReplay(const std::vector<JournalEntry>& journal) : journal_(journal) {}
  void set_conductor(Conductor& conductor) { conductor_ = &conductor; }

  void completed(std::uint32_t run, Tick tick, const World&, std::span<const AgentHash>,
                 std::span<const Message>) override;
  void entered(const JournalEntry&) override {}
  // The tick that begins now is the one in which agents were lost: before its end they are marked.
  void chained(std::uint32_t run, Tick tick, std::uint64_t, const World&, std::span<const AgentHash>) override;
  void checkpointed(std::uint32_t, Tick, const InnerBytes&) override {}

 private:
  const std::vector<JournalEntry>& journal_;
  Conductor* conductor_ = nullptr;
};

// Entities that ride on a robot of another host just now.
std::uint64_t carried_across(const World& world);

// Keeps what a run was: its journal, the digests of its boundaries, and a hash of the messages in their order.
class RunMemory final : public RunWatcher {
 public:
  const std::vector<JournalEntry>& journal() const { return journal_; }
  const std::vector<std::uint64_t>& digests() const { return digests_; }
  std::uint64_t messages() const { return messages_; }
  std::uint64_t carried_across() const { return carried_across_; }  // entities times ticks
  // The digest at a boundary of a run; 0 if it was never chained.
  std::uint64_t digest_at(std::uint32_t run, Tick tick) const {
    const auto it = by_boundary_.find({run, tick});
    return it == by_boundary_.end() ? 0 : it->second;
  }

  void completed(std::uint32_t, Tick, const World& world, std::span<const AgentHash>,
                 std::span<const Message> sent) override;
  void entered(const JournalEntry& entry) override { journal_.push_back(entry); }
  void chained(std::uint32_t run, Tick tick, std::uint64_t digest, const World&, std::span<const AgentHash>) override {
    digests_.push_back(digest);
    by_boundary_[{run, tick}] = digest;
  }
  void checkpointed(std::uint32_t, Tick, const InnerBytes&) override {}

 private:
  std::vector<JournalEntry> journal_;
  std::vector<std::uint64_t> digests_;
  std::map<std::pair<std::uint32_t, Tick>, std::uint64_t> by_boundary_;
  std::uint64_t messages_ = 0, carried_across_ = 0;
};

}  // namespace convoy::testing
