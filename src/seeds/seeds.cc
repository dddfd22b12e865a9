#include "seeds/seeds.h"

#include <cstdio>

#include "core/hash.h"
#include "os/fibres.h"

namespace convoy::testing {

namespace {

constexpr std::uint64_t kSeedsOfAScript = 4;

// "" if equal; else the first boundary that differs.
std::string difference(const char* what, const Outcome& a, const Outcome& b) {
  for (std::size_t k = 0; k < std::min(a.digests.size(), b.digests.size()); ++k)
    if (a.digests[k] != b.digests[k])
      return std::string(what) + ": digests differ from boundary " + std::to_string(k) + " on";
  if (a.digest != b.digest || a.ticks != b.ticks) return std::string(what) + ": the last digests differ";
  if (a.messages != b.messages) return std::string(what) + ": the messages of a boundary stand in another order";
  return {};
}

// What each sweep of 200 seeds or more meets.
const char* const kEdits[] = {"edit spawn",          "edit delete",      "edit set_state", "edit attach",
                              "edit detach",         "edit environment", "edit add_model", "edit reset_some",
                              "edit reset_all",      "edit freeze",      "edit return",    "spawn_storm",
                              "everything_attached", "edit lease"};
const char* const kOfLockstep[] = {"reconnect",
                                   "frames_resent",
                                   "duplicates_dropped",
                                   "started_late",
                                   "joined_late",
                                   "host_lost",
                                   "lost_within_a_tick",
                                   "wrong_token",
                                   "garbage",
                                   "datagrams_confirmed",
                                   "contacts_between_hosts",
                                   "carried_across_hosts",
                                   "busy_for_longer_than_liveness",
                                   "signs_of_life",
                                   "paused",
                                   "stepped",
                                   "input drive"};
const char* const kOfFree[] = {"reconnect",
                               "frames_resent",
                               "duplicate_frames",
                               "contacts_between_hosts",
                               "joined_late",
                               "paused_late",
                               "wrong_token",
                               "garbage",
                               "host_frozen",
                               "host_removed",
                               "host_returned",
                               "caller_reconnect",
                               "carried_across_hosts",
                               "busy_for_longer_than_liveness",
                               "signs_of_life"};
const char* const kCalls[] = {
    "spawn", "delete", "set",   "attach",    "detach",   "drive",          "pause",       "resume",
    "step",  "speed",  "reset", "reset_one", "repeated", "answered_again", "spawn_storm", "everything_attached"};
constexpr Drop kDrops[] = {Drop::kBadChecksum,       Drop::kBadToken,  Drop::kDuplicateFrame,
                           Drop::kUnknownConnection, Drop::kMalformed, Drop::kTooLarge};
constexpr Drop kDropsOfFree[] = {Drop::kReplayed, Drop::kStaleStamp, Drop::kOldRun, Drop::kUnknownEntity};

}  // namespace

void Sweep::expect_all() {
  for (std::size_t i = 0; i < kTroubles; ++i) rows_[name_of(static_cast<Trouble>(i))];
  for (const Drop reason : kDrops) rows_[std::string("drop ") + name_of(reason)];
  if (kind_ == Kind::kFree) {
    for (const char* kind : kOfFree) rows_[kind];
    for (const char* kind : kCalls) rows_[std::string("call ") + kind];
    for (const Drop reason : kDropsOfFree) rows_[std::string("drop ") + name_of(reason)];
    return;
  }
  for (const char* kind : kEdits) rows_[kind];
  for (const char* kind : kOfLockstep) rows_[kind];
  if (kind_ == Kind::kMujoco) rows_["input controls"];
  if (kind_ == Kind::kNodes)
    for (const char* kind :
         {"input parameter", "input publish", "input call", "nodes: heard from outside", "nodes: parameter",
          "nodes: heard", "nodes: heard from others", "nodes: answer", "nodes: large message"})
      rows_[kind];
}

const Script& Sweep::script(std::uint64_t number) {
  if (!script_ || script_->number != number) {
    script_ = make_wild_script(number, cast_);
    calm_.reset();
  }
  return *script_;
}

Sweep::Played Sweep::play(const Plan& plan, const std::vector<JournalEntry>* replay, bool verbose) const {
  Played played;
  os::Fibres stacks;
  os::ThreadStrands threads;
  Chatters chatters(played.stories, stacks, threads);
  played.outcome = run(plan, *script_, {physics_, &chatters}, replay, verbose);
  return played;
}

const Sweep::Played& Sweep::calm() {
  if (!calm_) calm_ = play(undisturbed(script_->number));
  return *calm_;
}

std::string Sweep::check(std::uint64_t seed) { return kind_ == Kind::kFree ? check_free(seed) : check_lockstep(seed); }

std::string Sweep::check_free(std::uint64_t seed) {
  const Script& what = script(seed / kSeedsOfAScript);
  LivePlan plan = live_plan_of(seed, what.number);
  plan.planted = planted_;
  if (verbose_) std::fprintf(stderr, "%s\n", describe(plan).c_str());
  const LiveOutcome outcome = run(plan, what.setup, verbose_);
  tally(outcome);
  if (outcome.failure.empty() && seed % 20 == 0 && run(plan, what.setup).trace != outcome.trace)
    return "the same seed gave another event trace";
  return outcome.failure;
}

std::string Sweep::check_lockstep(std::uint64_t seed) {
  const Script& what = script(seed / kSeedsOfAScript);
  Plan plan = plan_of(seed, what.number, what.end);
  plan.planted = planted_;
  if (verbose_) std::fprintf(stderr, "%s\n", describe(plan).c_str());
  const Played played = play(plan, nullptr, verbose_);
  const Outcome& outcome = played.outcome;
  tally(outcome);
  const Stories& s = played.stories;
  if (kind_ == Kind::kNodes)
    add("nodes: parameter", s.parameters), add("nodes: heard", s.events),
        add("nodes: heard from others", s.from_others), add("nodes: answer", s.answers),
        add("nodes: heard from outside", s.outside), add("nodes: large message", s.large), add("nodes: edit", s.edits),
        add("nodes: edit refused", s.refusals), add("nodes: turn of a thread", s.turns);
  if (!outcome.failure.empty()) return outcome.failure;
  if (plan.cut_at >= 0 && outcome.troubles[static_cast<std::size_t>(Trouble::kCut)] == 0) return "no cut happened";
  if (seed % 20 == 0 && play(plan).outcome.trace != outcome.trace) return "the same seed gave another event trace";
  if (!outcome.killed) {
    const Played& reference = calm();
    if (!reference.outcome.failure.empty()) return "the undisturbed run failed: " + reference.outcome.failure;
    if (const std::string d = difference("against the undisturbed run", outcome, reference.outcome); !d.empty())
      return d;
    return s.heard == reference.stories.heard ? "" : "against the undisturbed run: nodes have heard something else";
  }
  const std::size_t hosts = std::max<std::size_t>(1, plan.hosts.size() - 1);
  const Played replayed = play(undisturbed(what.number, hosts), &outcome.journal);
  if (!replayed.outcome.failure.empty()) return "the replay failed: " + replayed.outcome.failure;
  return difference("against the replay of its journal", outcome, replayed.outcome);
}

void Sweep::add(const std::string& kind, std::uint64_t times) {
  Row& row = rows_[kind];
  row.times += times;
  row.seeds += times > 0;
}

template <class OutcomeOfMode>
void Sweep::tally(const OutcomeOfMode& outcome) {
  for (std::size_t i = 0; i < kTroubles; ++i) add(name_of(static_cast<Trouble>(i)), outcome.troubles[i]);
  for (const auto& [kind, n] : outcome.events) add(kind, n);
  for (const auto& [reason, n] : outcome.drops) add("drop " + reason, n);
}

std::string Sweep::never_happened() const {
  std::string names;
  for (const auto& [kind, row] : rows_)
    if (row.times == 0) names += kind + "\n";
  return names;
}

std::string Sweep::table() const {
  std::string out;
  char line[128];
  for (const auto& [kind, row] : rows_) {
    std::snprintf(line, sizeof line, "  %-30s %10llu times in %llu seeds\n", kind.c_str(),
                  static_cast<unsigned long long>(row.times), static_cast<unsigned long long>(row.seeds));
    out += line;
  }
  return out;
}

}  // namespace convoy::testing
