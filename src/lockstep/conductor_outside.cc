// The conductor and the programs outside: their elements take effect when a tick opens, ticks may wait for them, and what
// comes through a host's gateway is journalled. How hosts hold the world back for those.
#include <algorithm>

#include "agent/software.h"
#include "lockstep/conductor.h"
#include "wire/live.h"

namespace convoy {

void ElementCounts::count(const ElementChanged& change) {
  switch (change.kind) {
    case ElementChanged::Kind::kAppeared: ++appeared; break;
    case ElementChanged::Kind::kGone: ++gone; break;
    default: ++changed;
  }
}

void Conductor::attend(Owner owner, const std::string& name) {
  joining_guests_.insert(owner);
  controllers_.join(owner, name);
}

// What changed until now takes effect in the tick that opens; the hash of it, 0 for nothing. However much was pushed, it
// is no more than the source holds and held at the last opening (ElementOptions::total_bytes).
std::uint64_t Conductor::take_elements() {
  for (Absent& absent : controllers_.take_absent()) journal({run_, tick_, std::move(absent)});
  taken_ = std::exchange(fed_, {});
  if (elements_) {
    std::vector<ElementChanged> more = elements_->take(run_);
    taken_.insert(taken_.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  for (const ElementChanged& change : taken_) {
    element_counts_.count(change);
    journal({run_, tick_, change});
  }
  return elements_hash(taken_);
}

// Who is new gets all there are. The source has just been asked, so that is what holds at this boundary.
void Conductor::tell_elements() {
  std::vector<ElementChanged> taken = std::exchange(taken_, {});
  if (guests_.empty()) return;
  std::vector<Bytes> all;
  if (!fresh_guests_.empty() && elements_) all = encode_taken(run_, tick_, elements_->all());
  const std::vector<Bytes> news = encode_taken(run_, tick_, taken);
  for (Owner guest : guests_)
    for (const Bytes& frame : fresh_guests_.count(guest) ? all : news) send_(guest, FrameType::kTaken, frame);
  fresh_guests_.clear();
}

Status Conductor::tick_done(Owner from, ByteView payload) {
  TickDone message;
  if (!load(payload, message)) return fail(ErrorCode::kInvalid, "a TickDone frame is malformed");
  // One for an earlier tick comes too late to matter: its deadline was missed.
  if (opened_ == std::pair{message.run, message.tick}) controllers_.done(from);
  return {};
}

std::vector<std::string> Conductor::awaited() const {
  if (phase_ != Phase::kBoundary || deadline() == kNever || last_now_ < pace_due()) return {};
  return controllers_.owing();
}

// Agents that say that their software has ended.
void Conductor::note_endings() {
  bool any = false;
  for (const Message& message : mail_) {
    EndedSaid said;
    note_fault(message, tick_);
    if (message.topic != kEndedTopic || !load(message.payload, said)) continue;
    endings_.push_back(
        {message.from, world_.entity(world_.slot_of(message.from)).name, said.exit_code, said.why, said.run});
    if (said.run) stop_asked_ = true;
    any = true;
  }
  if (!any || !options_.end_with_software) return;
  const auto runs = [&](const Entity& e) {
    return !e.kind->components.empty() && e.owner != kNobody &&
           std::none_of(endings_.begin(), endings_.end(),
                        [&](const Ending& ending) { return ending.agent == e.number; });
  };
  if (std::none_of(world_.entities().begin(), world_.entities().end(), runs)) stop_asked_ = true;
}

void Conductor::ask(Bytes question, Moment until, Questions::Done done) {
  std::vector<Owner> hosts;
  for (const auto& [owner, host] : hosts_)
    if (host.present) hosts.push_back(owner);
  questions_.ask(hosts, std::move(question), until, std::move(done), send_);
}

// What a host's gateway commanded its own agents in the tick that runs. It has taken effect there already; here it is
// journalled behind the tick's other inputs, which is the order in which the agents took them.
Status Conductor::own_inputs(Owner from, ByteView payload) {
  Inputs more;
  const auto it = sources_.find(from);
  if (phase_ != Phase::kTick || it == sources_.end() || it->second.done || !load(payload, more) || more.run != run_)
    return fail(ErrorCode::kInvalid, "Inputs for another tick than the one that runs");
  if ((it->second.inputs += more.inputs.size()) > kMaxInputs)
    return fail(ErrorCode::kInvalid, "too many commands of a host's own for one tick");
  for (const Input& input : more.inputs) {
    const Slot slot = world_.slot_of(recipient(input));
    if (slot == kNoSlot || world_.entity(slot).owner != from)
      return fail(ErrorCode::kDenied, "a command of a host's own for another's agent");
    journal({run_, tick_, input});
  }
  return {};
}

void Conductor::begin_pace(Moment now) {
  pace_origin_ = now;
  pace_tick_ = tick_;
}

// A host that holds the world has it back at its own pace only when nobody does any more.
void Conductor::let_go(Owner owner) {
  if (horizons_.erase(owner) > 0 && horizons_.empty()) begin_pace(last_now_);
}

bool Conductor::held_back() const {
  return std::any_of(horizons_.begin(), horizons_.end(), [&](const auto& h) { return h.second <= tick_; });
}

Status Conductor::allow(Owner from, ByteView payload, Moment now) {
  last_now_ = now;
  Allow said;
  if (!load(payload, said)) return fail(ErrorCode::kInvalid, "an Allow frame is malformed");
  if (said.run != run_ && said.through) return {};  // of before a reset: it holds the new run's first boundary
  if (!said.through) return let_go(from), Status{};
  const bool begins = horizons_.count(from) == 0;
  horizons_[from] = std::max(*said.through, next_tick());
  if (begins || *said.through < next_tick()) send_(from, FrameType::kAllow, save(Allow{run_, horizons_[from]}));
  return {};
}

void Conductor::tell_edits() {
  if (phase_ == Phase::kBoundary && !transfer_) say_edits();
}

}  // namespace convoy
