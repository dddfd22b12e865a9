#include "adapters/zmq/calls.h"

#include <algorithm>

namespace convoy::zmq {

namespace {

// What the server's refusals are called here.
const char* code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNotFound: return "unknown_articulation";
    case ErrorCode::kDenied: return "wrong_host";
    case ErrorCode::kState:
    case ErrorCode::kUnavailable: return "not_ready";
    default: return "bad_value";
  }
}

}  // namespace

Calls::Calls(CallsOptions options) : options_(std::move(options)) {
  (void)wish({0, GatewayWish::Kind::kLook, {}, 0, options_.doors});  // all shall know where we are
}

// ---------------------------------------------------------------------------------------------------- requests

void Calls::take(Peer peer, ByteView bytes, const Fleet* fleet, Moment now) {
  now_ = now;
  Open open;
  open.peer = std::move(peer), open.encoding = encoding_of(bytes), open.since = now;
  const auto request = decode(bytes, open.encoding);
  if (!request) return refuse_open(open, {"bad_encoding", "a request is one map, in msgpack or JSON, not too deep"});
  if (!request->is_object()) return refuse_open(open, {"bad_request", "a request is a map"});
  const auto op = request->find("op");
  if (op == request->end() || !op->is_string()) return refuse_open(open, {"missing_op", "a request has an op"});
  open.op = op->get<std::string>();
  const auto& all = operations();
  const auto known = std::find_if(all.begin(), all.end(), [&](const Operation& o) { return open.op == o.name; });
  if (known == all.end()) return refuse_open(open, {"unknown_op", "meta lists what there is"});
  if (!fleet && known->carry_out != &Calls::meta) return refuse_open(open, {"not_ready", "the run has not begun"});
  if (open_.size() >= kMaxOpenCalls) return refuse_open(open, {"not_ready", "too many calls wait already"});

  Session* session = nullptr;
  if (const auto id = request->find("session_id"); id != request->end() && id->is_string()) {
    open.session = id->get<std::string>();
    const auto it = sessions_.find(open.session);
    if (it == sessions_.end()) return refuse_open(open, {"session_expired", "there is no such session, or no longer"});
    session = &it->second;
    session->heard = now;
  }
  if (known->with_session && !session)
    return refuse_open(open, {"no_session", open.op + " needs the session_id of a hello"});
  if (known->carry_out == &Calls::meta) {  // also before there is a world
    Json ops = Json::array();
    for (const Operation& one : all)
      ops.push_back({{"name", one.name},
                     {"category", one.category},
                     {"required_fields", one.required},
                     {"reply_fields", one.returns}});
    return reply(open, {{"ops", ops}, {"error_codes", error_codes()}});
  }
  robots_.follow(*fleet);
  open_.push_back(std::move(open));
  Call call{*request, *fleet, open_.back(), session};
  (this->*known->carry_out)(call);
  settle(fleet);
}

void Calls::reply(Open& open, Json fields) {
  Json whole{{"op", open.op + "_ok"}};
  whole.update(fields);
  answers_.push_back({open.peer, encode(std::move(whole), open.encoding)});
  open.ends = true;
}

void Calls::refuse_open(Open& open, const Refusal& why) {
  answers_.push_back(
      {open.peer, encode({{"op", "error"}, {"code", why.code}, {"message", why.message}}, open.encoding)});
  open.ends = true;
}

std::uint64_t Calls::wish(GatewayWish wanted) {
  wanted.id = ++wishes_made_;
  wishes_.push_back(std::move(wanted));
  return wishes_made_;
}

std::uint64_t Calls::ask(Open& open, GatewayWish wanted) {
  const std::uint64_t id = wish(std::move(wanted));
  open.asked.insert(id);
  return id;
}

void Calls::settle(const Fleet& fleet, Open& open) {
  while (!open.ends && !open.until && open.asked.empty()) {
    if (open.refused) return refuse_open(open, *open.refused);
    if (!open.then) {
      open.ends = true;
      return;
    }
    const Open::Then then = std::exchange(open.then, nullptr);
    then(fleet, open);
  }
}

void Calls::settle(const Fleet* fleet) {
  if (!fleet) return;
  for (Open& open : open_) {
    if (open.until && *open.until <= stands_.tick) open.until.reset(), open.since = now_;
    settle(*fleet, open);
    if (const auto session = sessions_.find(open.session); session != sessions_.end()) session->second.heard = now_;
  }
  std::erase_if(open_, [](const Open& open) { return open.ends; });
}

// -------------------------------------------------------------------------------------------------------- time

std::optional<Tick> Calls::horizon() const {
  std::optional<Tick> least;
  for (const auto& [id, session] : sessions_)
    if (session.target) least = std::min(least.value_or(*session.target), *session.target);
  return least;
}

void Calls::before_tick(const Fleet& fleet, std::size_t& room, std::vector<Input>& inputs) {
  robots_.follow(fleet);
  robots_.give(room, inputs);
}

void Calls::after_tick(const Fleet& fleet, Tick reached, const Snapshot& states) {
  robots_.set_ahead(stands_.lockstep ? &states : nullptr);
  stands_.tick = reached;
  ticked_ = true;
  settle(&fleet);
}

void Calls::at_boundary(const Fleet& fleet, const Standing& standing) {
  robots_.set_ahead(nullptr);
  const bool anew = standing.run != stands_.run;
  stands_ = standing;
  if (anew) {  // who steps rests at the new run's first boundary
    robots_.forget_commands();
    for (auto& [id, session] : sessions_)
      if (session.target) session.target = 0;
    for (Open& open : open_) {
      if (!open.until) continue;
      open.until.reset();
      open.refused = Refusal{"was_reset", "the world was reset meanwhile"};
    }
  }
  settle(&fleet);
}

void Calls::held_at(const Fleet* fleet, std::uint32_t run, Tick tick) {
  if (run != stands_.run) return;
  for (auto& [id, session] : sessions_) {
    if (!session.entering) continue;
    session.entering = false;
    session.target = tick;
    for (Open& open : open_)
      if (open.session == id && open.asked.erase(0) > 0) open.until = tick;
  }
  settle(fleet);
}

void Calls::on_time(const Fleet* fleet, Moment now) {
  now_ = now;
  if (std::exchange(ticked_, false)) last_tick_ = now;
  bool slow = false;
  for (Open& open : open_) {
    const auto session = sessions_.find(open.session);
    if (!open.until || session == sessions_.end()) continue;
    const Moment since = std::max(open.since, last_tick_);
    slow = slow || now - since > kSlowStep;
    if (now - since <= session->second.timeout) continue;
    session->second.target = std::min(*session->second.target, stands_.tick);
    open.until.reset();
    open.refused = Refusal{"step_timeout", "no tick for as long as the session's timeout: others hold the world"};
  }
  if (slow && looked_ == 0) looked_ = wish({0, GatewayWish::Kind::kLook, {}, 0, options_.doors});
  std::vector<std::string> over;
  for (const auto& [id, session] : sessions_) {
    const bool waits =
        std::any_of(open_.begin(), open_.end(), [&, &name = id](const Open& o) { return o.session == name; });
    if (!waits && now - session.heard > session.timeout) over.push_back(id);
  }
  for (const std::string& id : over) end(id);
  settle(fleet);
}

void Calls::answered(const Fleet* fleet, const GatewayAnswer& answer) {
  if (answer.id == looked_) {
    looked_ = 0;
    const Json look = Json::parse(answer.text, nullptr, false);
    const bool paused = look.is_object() && look.value("paused", false);
    for (Open& open : open_) {
      const auto session = sessions_.find(open.session);
      if (!paused || !open.until || session == sessions_.end() || now_ - std::max(open.since, last_tick_) < kSlowStep)
        continue;
      session->second.target = std::min(*session->second.target, stands_.tick);
      open.until.reset();
      open.refused = Refusal{"paused", "the run is paused: set_paused ends it"};
    }
  }
  for (Open& open : open_) {
    if (open.asked.erase(answer.id) == 0) continue;
    if (answer.error && !open.refused) open.refused = Refusal{code_of(answer.error->code), answer.error->message()};
    open.text = answer.text, open.tick = answer.tick;
  }
  settle(fleet);
}

// ---------------------------------------------------------------------------------------------------- sessions

void Calls::end(const std::string& id) {
  std::erase_if(owners_, [&](const auto& owner) { return owner.second == id; });
  for (Open& open : open_)
    if (open.session == id && !open.ends) refuse_open(open, {"session_expired", "the session has ended"});
  sessions_.erase(id);
}

bool Calls::may_command(WorldNumber number, const std::string& session) const {
  const auto it = owners_.find(number);
  return it == owners_.end() || it->second == session;
}

}  // namespace convoy::zmq
