#include "testing/seeds.h"

#include <cstdio>

#include "core/hash.h"

namespace convoy::testing {

namespace {

// "" if equal; else the first boundary that differs.
std::string difference(const char* what, const Outcome& a, const Outcome& b) {
  for (std::size_t k = 0; k < std::min(a.digests.size(), b.digests.size()); ++k)
    if (a.digests[k] != b.digests[k])
      return std::string(what) + ": digests differ from boundary " + std::to_string(k) + " on";
  if (a.digest != b.digest || a.ticks != b.ticks) return std::string(what) + ": the last digests differ";
  if (a.messages != b.messages) return std::string(what) + ": the messages of a boundary stand in another order";
  return {};
}

}  // namespace

const Script& Sweep::script(std::uint64_t number) {
  const auto it = scripts_.find(number);
  return it != scripts_.end() ? it->second : scripts_.emplace(number, make_script(number)).first->second;
}

const Outcome& Sweep::calm(std::uint64_t number) {
  const auto it = calm_.find(number);
  return it != calm_.end() ? it->second : calm_.emplace(number, run(undisturbed(number), script(number))).first->second;
}

std::string Sweep::check(std::uint64_t seed) { return free_ ? check_free(seed) : check_lockstep(seed); }

std::string Sweep::check_free(std::uint64_t seed) {
  LivePlan plan = live_plan_of(seed);
  plan.planted = planted_;
  if (verbose_) std::fprintf(stderr, "%s\n", describe(plan).c_str());
  const LiveOutcome outcome = run(plan, script(plan.script).setup, verbose_);
  tally(outcome);
  if (outcome.failure.empty() && seed % 20 == 0 && run(plan, script(plan.script).setup).trace != outcome.trace)
    return "the same seed gave another event trace";
  return outcome.failure;
}

std::string Sweep::check_lockstep(std::uint64_t seed) {
  Plan plan = plan_of(seed);
  plan.planted = planted_;
  const Script& what = script(plan.script);
  if (verbose_) std::fprintf(stderr, "%s\n", describe(plan).c_str());
  const Outcome outcome = run(plan, what, nullptr, verbose_);
  tally(outcome);
  if (!outcome.failure.empty()) return outcome.failure;
  if (plan.cut_at >= 0 && outcome.troubles[static_cast<std::size_t>(Trouble::kCut)] == 0) return "no cut happened";
  if (seed % 20 == 0) {
    const Outcome again = run(plan, what);
    if (again.trace != outcome.trace) return "the same seed gave another event trace";
  }
  if (!outcome.killed) {
    const Outcome& reference = calm(plan.script);
    if (!reference.failure.empty()) return "the undisturbed run failed: " + reference.failure;
    return difference("against the undisturbed run", outcome, reference);
  }
  const Outcome replayed = run(undisturbed(plan.script, plan.hosts.size() - 1), what, &outcome.journal);
  if (!replayed.failure.empty()) return "the replay failed: " + replayed.failure;
  return difference("against the replay of its journal", outcome, replayed);
}

void Sweep::add(const std::string& kind, std::uint64_t times) {
  Row& row = rows_[kind];
  row.times += times;
  row.seeds += times > 0;
}

void Sweep::tally(const Outcome& outcome) {
  for (std::size_t i = 0; i < kTroubles; ++i) add(name_of(static_cast<Trouble>(i)), outcome.troubles[i]);
  const Events& e = outcome.events;
  add("reconnect", e.reconnects), add("frames_resent", e.resent), add("duplicates_dropped", e.duplicates);
  add("started_late", e.slow_starts), add("joined_late", e.late_joins), add("carried_across_hosts", e.carried_across);
  add("host_lost", e.lost_hosts), add("lost_within_a_tick", e.lost_mid_tick), add("wrong_token", e.wrong_tokens);
  add("garbage", e.garbage), add("contacts_between_hosts", e.contacts),
      add("datagrams_confirmed", e.confirmed_datagrams);
  for (const auto& [reason, n] : outcome.drops) rows_["drop " + reason].times += n, ++rows_["drop " + reason].seeds;
}

void Sweep::tally(const LiveOutcome& outcome) {
  for (std::size_t i = 0; i < kTroubles; ++i) add(name_of(static_cast<Trouble>(i)), outcome.troubles[i]);
  for (const auto& [kind, n] : outcome.events) add(kind, n);
  for (const Drop reason : {Drop::kBadChecksum, Drop::kReplayed, Drop::kStaleStamp, Drop::kOldRun, Drop::kUnknownEntity,
                            Drop::kBadToken, Drop::kDuplicateFrame, Drop::kUnknownConnection})
    rows_[std::string("drop ") + name_of(reason)];
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
    std::snprintf(line, sizeof line, "  %-28s %10llu times in %llu seeds\n", kind.c_str(),
                  static_cast<unsigned long long>(row.times), static_cast<unsigned long long>(row.seeds));
    out += line;
  }
  return out;
}

}  // namespace convoy::testing
