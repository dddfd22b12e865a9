#include "roles/call_desk.h"

#include <algorithm>

#include "roles/caller.h"

namespace convoy {

namespace {

constexpr Duration kNameAfter = std::chrono::seconds(5), kNameEvery = std::chrono::seconds(10);

proto::Reply refusal(ErrorCode code, std::string text) {
  proto::Reply out;
  out.set_error(static_cast<std::uint32_t>(code));
  out.set_text(std::move(text));
  return out;
}

proto::Reply not_allowed(const Member& member, const proto::Request& request) {
  const Access least = needed(request);
  return refusal(ErrorCode::kDenied, least > member.grant.access
                                         ? std::string("this call needs the role ") + name_of(least) +
                                               ", and these credentials have " + name_of(member.grant.access)
                                         : std::string("a ") + name_of(member.role) + " may not make this call");
}

// Before the run begins.
bool may_come_early(const proto::Request& request) {
  using M = proto::Request;
  return request.method_case() == M::kStatus || request.method_case() == M::kStop;
}

std::string name_of_call(const proto::Request& request) {
  const auto* field = proto::Request::descriptor()->FindFieldByNumber(static_cast<int>(request.method_case()));
  std::string name = field ? field->name() : "";
  if (name.ends_with('_')) name.pop_back();  // delete_
  return name;
}

}  // namespace

void CallDesk::take(Member& member, ByteView payload, Moment now) {
  proto::Request request;
  if (!request.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
    return membership_.drops().count(Drop::kMalformed);
  const std::uint64_t id = request.id();
  if (const std::string* known = replies_.known(member.number, id)) {
    // Else it is being carried out: one answer will do.
    if (!known->empty()) membership_.send(member.number, FrameType::kReply, as_bytes(*known));
    return;
  }
  Caller& caller = callers_[member.number];
  const std::size_t most = runs_robots(member) ? kOpenCallsOfHost : kOpenCalls;
  if (caller.open > 0 && (caller.open >= most || caller.open_bytes + payload.size() > kOpenCallBytes)) {
    ++caller.refused;
    proto::Reply refused = refusal(ErrorCode::kUnavailable, "too many of your calls wait for their answers already");
    refused.set_id(id);
    return reply(member.number, id, refused.SerializeAsString());
  }
  ++caller.open, caller.open_bytes += payload.size();
  if (caller.queue.empty() && caller.carried_out < kCallsOfTurn) {
    ++caller.carried_out;
    return begin(member, request, payload.size(), now);
  }
  caller.queue.push_back({std::move(request), payload.size()});
}

void CallDesk::proceed(Moment now) {
  files_.proceed(now);
  models_.proceed(now);
  if (now < turn_ends_) return;
  turn_ends_ = now + kTurn;
  std::vector<Owner> behind;
  for (auto& [owner, caller] : callers_) {
    caller.carried_out = 0;
    if (!caller.queue.empty()) behind.push_back(owner);
  }
  for (const Owner owner : behind) {
    for (int i = 0; i < kCallsOfTurn; ++i) {
      // Looked for each time: a call can send members away.
      const auto found = callers_.find(owner);
      Member* member = membership_.find(owner);
      if (found == callers_.end() || !member || found->second.queue.empty()) break;
      const Waiting next = std::move(found->second.queue.front());
      found->second.queue.pop_front();
      ++found->second.carried_out;
      begin(*member, next.request, next.bytes, now);
    }
  }
  for (auto& [owner, caller] : callers_) {
    if (caller.queue.empty()) caller.behind_since = kNever;
    else if (caller.behind_since == kNever) caller.behind_since = now;
  }
}

Moment CallDesk::deadline() const {
  const bool waits =
      std::any_of(callers_.begin(), callers_.end(), [](const auto& c) { return !c.second.queue.empty(); });
  return std::min(waits ? turn_ends_ : kNever, files_.deadline());
}

void CallDesk::left(Owner member) {
  replies_.forget(member);
  callers_.erase(member);
  files_.left(member);
  models_.left(member);
  doors_.erase(member);
  for (Lease& lease : leases_.left(member, run_.world())) run_.submit(std::move(lease), nullptr);
}

std::vector<std::string> CallDesk::take_news(Moment now) {
  std::vector<std::string> out;
  for (auto& [owner, caller] : callers_) {
    const std::uint64_t refused = caller.refused - caller.refused_named;
    const bool behind = caller.behind_since != kNever && now - caller.behind_since >= kNameAfter;
    if ((refused == 0 && !behind) || (caller.named != kNever && now - caller.named < kNameEvery)) continue;
    const Member* member = membership_.find(owner);
    if (!member) continue;
    caller.named = now, caller.refused_named = caller.refused;
    out.push_back(member->name + " makes more calls than are carried out: " + std::to_string(caller.queue.size()) +
                  " wait for their turn, " + std::to_string(refused) + " were refused");
  }
  for (const auto& [owner, text] : files_.take_news(now))
    if (const Member* member = membership_.find(owner)) out.push_back(member->name + " " + text);
  return out;
}

void CallDesk::reply(Owner to, std::uint64_t id, const std::string& serialized) {
  if (replies_.keep(to, id, serialized)) membership_.send(to, FrameType::kReply, as_bytes(serialized));
}

// A host that gets the answer to its edit has already got the edit.
void CallDesk::reply_to_hosts() {
  const std::vector<Replies::Later> all = replies_.take_later();
  if (!all.empty()) run_.send_edits();
  for (const Replies::Later& one : all) reply(one.to, one.id, one.serialized);
}

void CallDesk::kick(const proto::Request& request, const Answer& answer) {
  const auto& all = membership_.members();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& m) { return m.second->name == request.kick().name(); });
  proto::Reply kicked;
  if (found != all.end()) evictions_.kick(found->first);
  else kicked = refusal(ErrorCode::kNotFound, "no connection is named '" + request.kick().name().substr(0, 128) + "'");
  kicked.set_tick(run_.tick());
  answer(std::move(kicked));
}

void CallDesk::add_file(const proto::Request& request, Owner from, const Answer& answer) {
  AddFile piece;
  if (!load(as_bytes(request.add_file()), piece))
    return answer(refusal(ErrorCode::kInvalid, "the piece of a file is malformed"));
  files_.take(from, piece, [answer](const Result<EditOutcome>& outcome) {
    proto::Reply reply;
    if (outcome) reply.set_tick(outcome->tick);
    else reply = refusal(outcome.error().code, outcome.error().message());
    answer(std::move(reply));
  });
}

void CallDesk::begin(Member& member, const proto::Request& request, std::size_t bytes, Moment now) {
  const Owner caller = member.number;
  const std::uint64_t id = request.id();
  const Answer answer = [this, caller, id, bytes, call = audit_ ? name_of_call(request) : std::string(),
                         later = runs_robots(member)](proto::Reply message) {
    message.set_id(id);
    if (const auto of = callers_.find(caller); of != callers_.end()) --of->second.open, of->second.open_bytes -= bytes;
    if (const Member* of = membership_.find(caller); of && audit_) {
      AuditLine line = audit_line("call", *of, message.text());
      if (!call.empty()) line.call = call;
      audit_->write(line);
    }
    if (message.ByteSizeLong() > kMaxFrame) {
      message =
          refusal(ErrorCode::kUnavailable, "the answer is larger than a frame of 1 MiB; ask for less, as by a prefix");
      message.set_id(id);
    }
    if (later) replies_.later({caller, id, message.SerializeAsString()});
    else reply(caller, id, message.SerializeAsString());
  };
  if (!allowed(member, request)) return answer(not_allowed(member, request));
  if (request.method_case() == proto::Request::kKick) return kick(request, answer);
  if (request.method_case() == proto::Request::kStop) evictions_.run_shall_end();
  if (request.method_case() == proto::Request::kLook) {
    if (!request.look().empty()) doors_[caller] = request.look();  // of several doors of a host one has words
    proto::Reply status;
    status.set_tick(run_.tick());
    status.set_json(query_json(run_, doors_));
    return answer(std::move(status));
  }
  if (run_.gathering() && !may_come_early(request)) return answer(refusal(ErrorCode::kState, kNotBegun));
  if (request.method_case() == proto::Request::kOwnEdit && !run_.over())
    return carry_out_own(request, caller, run_, leases_, answer);
  if (request.method_case() == proto::Request::kAddFile && !run_.over()) return add_file(request, caller, answer);
  if (request.method_case() == proto::Request::kAddModel && !run_.over())
    return models_.take(caller, as_bytes(request.add_model()), answer, now);
  const bool foreign = member.role == PeerRole::kForeign, client = member.role == PeerRole::kRobotClient;
  if (!foreign && !client && member.role != PeerRole::kViewer)
    return carry_out(request, run_, membership_, now, answer);
  proto::Request asked = request;
  if (foreign) asked.set_holder(member.name);  // it goes by its name
  if (client && asked.has_spawn())             // what it asks for is its own
    for (proto::SpawnOne& one : *asked.mutable_spawn()->mutable_entities())
      if (one.host().empty()) one.set_host(member.name);
  if (!asked.has_lease() || asked.lease().kind() != static_cast<std::uint32_t>(Lease::Kind::kTake))
    return carry_out(asked, run_, membership_, now, answer);
  // What is held through it ends with it.
  carry_out(asked, run_, membership_, now, [this, caller, holder = asked.holder(), answer](proto::Reply reply) {
    Lease taken{{}, holder, Lease::Kind::kTake};
    for (const std::string& name : reply.names())
      if (const Slot slot = run_.world().find(name); slot != kNoSlot)
        taken.entities.push_back(run_.world().entity(slot).number);
    leases_.took(caller, taken);
    answer(std::move(reply));
  });
}

}  // namespace convoy
