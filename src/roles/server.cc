#include "roles/server.h"

#include <algorithm>
#include <set>

#include "agent/scene.h"
#include "core/hash.h"
#include "run/sensor_places.h"

namespace convoy {

namespace {

bool has_elements(DatagramType type) { return type == DatagramType::kElement || type == DatagramType::kElements; }
// A person's script may make many calls a second, each a connection.
LogLevel coming_and_going(const Member& member) {
  return member.role == PeerRole::kControl || runs_robots(member) ? LogLevel::kDebug : LogLevel::kInfo;
}

// What a host reports of the code that it has. False: it may not take part.
bool take_code(Books& books, const Member& host, ByteView payload, bool lockstep) {
  CodeList list;
  if (!payload.empty() && !load(payload, list)) {
    books.trouble = {host.number, Error{ErrorCode::kInvalid, "a malformed list of code", {}}};
    return false;
  }
  const Status admitted = books.code.admit(host.name, list.files, lockstep);
  if (admitted) return true;
  if (admitted.error().code == ErrorCode::kDenied) books.declined.emplace_back(host.number, admitted.error().text);
  else books.trouble = {host.number, admitted.error()};
  return false;
}

// Out of a callback of the membership, in which nobody may be dropped.
void send_away(Books& books, Membership& membership, Log& log, Moment now) {
  for (const auto& [owner, why] : std::exchange(books.declined, {})) {
    log.line(LogLevel::kError, "declined: " + why);
    proto::Decline decline;
    decline.set_code(static_cast<std::uint32_t>(DeclineCode::kCode));
    decline.set_text(why);
    membership.drops().count(Drop::kDeclined);
    membership.send(owner, FrameType::kDecline, as_bytes(decline.SerializeAsString()));
    membership.drop(owner, LeaveReason::kDeclined, now);
  }
}

constexpr std::size_t kMostUnseen = 1 << 20;  // bytes that a viewer has not taken; beyond them it gets no samples

// What viewers want is asked of the hosts; what has come goes to those that have taken what they were sent before.
void show_samples(Books& books, Membership& membership) {
  if (const auto wanted = books.seen.take_change())
    for (Owner host : books.roll.present_owners()) membership.send(host, FrameType::kWanted, *wanted);
  const auto has_room = [&](Owner viewer) {
    const Member* member = membership.find(viewer);
    return member && member->channel.unacked_bytes() < kMostUnseen;
  };
  books.seen.send(has_room, [&](Owner to, const Bytes& frame) { membership.send(to, FrameType::kSamples, frame); });
}

// An element names somebody whom there is not. Each name is said once, and not for ever: programs choose them.
void note_unknown(const ElementChanged& element, const std::string& name, std::set<std::string>& told, Drops& drops,
                  Log& log) {
  drops.count(Drop::kForNobody);
  if (told.size() >= 100 || !told.insert(name).second) return;
  log.line(LogLevel::kWarn, "element " + std::to_string(element.id.value()) + " of " + element.owner + " is for '" +
                                name.substr(0, 100) + "', and nobody has that name");
}

MembershipOptions with(MembershipOptions options, RelayEvents& relay) {
  options.relay = &relay;
  return options;
}

}  // namespace

Result<std::unique_ptr<ServerRole>> ServerRole::make(const Setup& setup, ServerOptions options, Network& network,
                                                     Log& log, const std::vector<RunWatcher*>& watchers) {
  auto bytes = std::make_shared<const Bytes>(save(setup));
  auto world = World::make(setup, bytes);
  if (!world) return tl::unexpected(world.error());
  options.membership.scenario = hash64(*bytes);
  options.membership.equal_hosts = !options.membership.free_mode;
  std::stable_sort(options.faults.begin(), options.faults.end(),
                   [](const Fault& a, const Fault& b) { return a.at < b.at; });
  options.elements.by_tick = !options.membership.free_mode;
  const std::uint64_t scenario = options.membership.scenario;
  auto role = std::unique_ptr<ServerRole>(new ServerRole(std::move(*world), setup, std::move(options), network, log));
  auto elements = ElementExchange::make(
      role->options_.elements,
      [r = role.get()](Owner to, FrameType type, const Payload& payload) { r->membership_.send(to, type, payload); },
      [r = role.get()](Owner to, DatagramType type, std::uint8_t flags, std::uint16_t run, ByteView payload) {
        return r->membership_.send_datagram(to, type, flags, run, payload);
      },
      [r = role.get()](Owner from, std::uint32_t datagram) { return r->membership_.keep(from, datagram); });
  if (!elements) return tl::unexpected(elements.error());
  role->elements_ = std::move(*elements);
  if (role->conductor_) role->conductor_->elements().take_from(role->elements_.get());
  role->run_->books().beginning = bytes;
  if (!pictures_count(setup) && role->options_.conductor.wait_for.empty())
    role->run_->books().code.leave_out(kRendererCode);
  role->membership_.side().assets().offer(scenario, std::move(bytes));
  for (RunWatcher* watcher : watchers)
    if (role->conductor_) role->conductor_->watchers().add(watcher);
  ElementExchange::Changed changed;
  if (role->live_) changed = [live = role->live_](const ElementChanged& change) { live->element(change); };
  role->elements_->watch(std::move(changed),
                         {[r = role.get()](const std::string& name) { return r->run_->world().find(name) != kNoSlot; },
                          [r = role.get(), told = std::set<std::string>()](const ElementChanged& element,
                                                                           const std::string& name) mutable {
                            note_unknown(element, name, told, r->membership_.drops(), r->log_);
                          }});
  return role;
}

ServerRole::ServerRole(World world, const Setup& setup, ServerOptions options, Network& network, Log& log)
    : options_(std::move(options)),
      log_(log),
      network_(network),
      membership_(with(options_.membership, post_), network, *this, log),
      post_(membership_, run_),
      evictions_(options_.membership.liveness > Duration(0)
                     ? options_.evictions
                     : EvictionRules{Duration(0), options_.evictions.end_deadline}) {
  const auto send = [this](Owner to, FrameType type, const Payload& payload) { membership_.send(to, type, payload); };
  if (options_.membership.free_mode) {
    auto live = std::make_unique<LiveServer>(std::move(world), setup, options_.live, send,
                                             [this](Owner to, DatagramType type, std::uint16_t run, ByteView payload) {
                                               return membership_.send_datagram(to, type, 0, run, payload);
                                             });
    live_ = live.get();
    run_ = std::move(live);
  } else {
    auto conductor = std::make_unique<Conductor>(std::move(world), setup, options_.conductor, send);
    conductor_ = conductor.get();
    run_ = std::move(conductor);
  }
  if (options_.seen) run_->books().seen.record(options_.wanted, *options_.seen);
  desk_ = std::make_unique<CallDesk>(*run_, membership_, evictions_, options_.membership.audit, options_.judge,
                                     options_.judges);
  warnings_ = std::make_unique<RunWarnings>(*run_, conductor_, membership_.side().life(), options_.slow_after, log_);
}

// ------------------------------------------------------------------------------------------------ from the driver

void ServerRole::on_opened(LinkId link, Moment now) { membership_.on_opened(link, now); }

void ServerRole::on_bytes(LinkId link, ByteView bytes, Moment now) {
  if (gate_.holds(link)) return gate_.keep(link, bytes, now);
  membership_.on_bytes(link, bytes, now);
}

void ServerRole::on_closed(LinkId link, Moment now) {
  gate_.forget(link);
  membership_.on_closed(link, now);
}

void ServerRole::on_datagram(const Endpoint& from, ByteView bytes, Moment now) {
  membership_.on_datagram(from, bytes, now);
}

void ServerRole::on_time(Moment now) {
  gate_.release(now, [&](LinkId link, ByteView bytes) { membership_.on_bytes(link, bytes, now); });
  membership_.on_time(now);
  send_away(run_->books(), membership_, log_, now);
  for (const std::string& line : run_->books().code.take_news()) log_.line(LogLevel::kWarn, line);
  if (run_->books().code.take_grown()) {
    if (conductor_) conductor_->watchers().code(run_->books().code.files());
    for (LiveWatcher* watcher : options_.live.watchers)
      if (live_) watcher->code(run_->books().code.files());
  }
  begin_if_ready(now);
  if (stop_asked_) {
    evictions_.run_shall_end();
    run_->finish();
    if (run_->gathering()) finished_ = true;
  }
  // In lockstep what came before a tick opens is there when it opens, however busy the handlers are.
  if (conductor_) elements_->catch_up(membership_.drops());
  else elements_->collect(membership_.drops());
  desk_->proceed(now);
  for (const std::string& line : desk_->take_news(now)) log_.line(LogLevel::kWarn, line);
  run_->books().questions.on_time(now);
  run_->proceed(now);
  while (auto trouble = std::exchange(run_->books().trouble, std::nullopt)) {
    log_.line(LogLevel::kError,
              "connection " + std::to_string(trouble->first.value()) + ": " + trouble->second.message());
    membership_.drops().count(Drop::kMalformed);
    membership_.drop(trouble->first, LeaveReason::kProtocol, now);
    run_->proceed(now);
  }
  desk_->reply_to_hosts();
  show_samples(run_->books(), membership_);
  elements_->proceed(run_->run(), now);
  make_faults(now);
  run_->places().on_time(now);
  for (const std::string& line : run_->places().take_news()) log_.line(LogLevel::kWarn, line);
  for (const auto& [member, reason] : evictions_.due(*run_, membership_.side().life(), now))
    membership_.drop(member, reason, now);
  if (!run_->gathering()) warnings_->on_time(now);
  end_if_over(now);
  membership_.flush();
}

Moment ServerRole::deadline() const {
  Moment next = std::min({membership_.deadline(), run_->deadline(), run_->books().questions.deadline(),
                          elements_->deadline(), gate_.deadline(), evictions_.deadline(), desk_->deadline()});
  next = std::min({next, warnings_->deadline(), run_->places().deadline()});
  if (over_since_ != kNever) next = std::min(next, over_since_ + options_.report_timeout);
  return next;
}

// ------------------------------------------------------------------------------------------------- from membership

void ServerRole::joined(Member& member, Moment) {
  log_.line(coming_and_going(member), std::string(name_of(member.role)) + " " + member.name + " joined as connection " +
                                          std::to_string(member.number.value()));
}

// The address is the one from which the sensor host is seen here, which is none for others if it is this machine.
void introduce(const Member& host, ByteView payload, Membership& membership) {
  Introduction introduction;
  const Passed& passed = introduction.passed;
  if (!load(payload, introduction) || passed.from != host.number || host.role != PeerRole::kSensorHost)
    return membership.drops().count(Drop::kUnexpected);
  const Member* to = membership.find(passed.to);
  if (!to || !runs_robots(*to)) return;  // it has gone
  const std::uint16_t port = introduction.where.port;
  if (port != 0 && is_this_machine(host.from) && !is_this_machine(to->from)) return;  // by way of this server, then
  introduction.where = {host.from.high, host.from.low, port};
  membership.send(passed.to, FrameType::kIntroduce, save(introduction));
}

void ServerRole::frame(Member& member, FrameType type, ByteView payload, Moment now) {
  if (type == FrameType::kReady) {
    elements_->enter(member.number, member.name);
    if (runs_robots(member)) {
      if (!take_code(run_->books(), member, payload, conductor_ != nullptr)) return;
      log_.line(LogLevel::kDebug, member.name + " is ready");
      if (const auto wanted = run_->books().seen.wanted()) membership_.send(member.number, FrameType::kWanted, *wanted);
      const std::size_t robots = returning(run_->books(), member.name).size();
      run_->join(member.number, member.name);
      if (robots > 0)
        log_.line(LogLevel::kInfo,
                  member.name + " has come again: what it left behind returns to it (" + std::to_string(robots) + ")");
    } else if (member.role == PeerRole::kSensorHost) {
      if (!take_code(run_->books(), member, payload, conductor_ != nullptr)) return;
      log_.line(LogLevel::kDebug, member.name + " is ready");
      run_->attend(member.number, member.name, Run::Sees::kWhatIsOrdered);
    } else {
      const bool viewer = member.role == PeerRole::kViewer;
      run_->attend(member.number, member.name, viewer ? Run::Sees::kWhatItAsksFor : Run::Sees::kAll);
      // A caller wants its answer and nothing else. In lockstep the run sends elements.
      if (live_ && member.role != PeerRole::kControl && member.datagrams) elements_->attend(member.number);
    }
    return;
  }
  if (type == FrameType::kIntroduce) return introduce(member, payload, membership_);
  if (type == FrameType::kWanted && member.role == PeerRole::kViewer && member.ready) {
    if (!run_->books().seen.watch(member.number, payload)) membership_.drops().count(Drop::kMalformed);
    return;
  }
  if (type == FrameType::kCosts && (run_->books().roll.present(member.number) || run_->places().has(member.number))) {
    if (!run_->places().costs(member.number, payload, now)) membership_.drops().count(Drop::kMalformed);
    return;
  }
  if (!allowed(member, type)) return membership_.drops().count(Drop::kNotAllowed);
  if (type == FrameType::kRequest) return desk_->take(member, payload, now);
  if (type == FrameType::kUserData && !member.ready) return user_data(member, payload);
  // The frame may end the tick, or depend on elements that the handlers still have.
  if (conductor_ && type != FrameType::kElements) elements_->catch_up(membership_.drops());
  if ((type == FrameType::kElements || type == FrameType::kPush) && member.ready && !run_->gathering())
    return elements_->on_frame(member.number, type, payload, elements_now(), membership_.drops());
  if (!run_->on_frame(member.number, type, {payload, member.payload_hash}, now))
    membership_.drops().count(Drop::kUnexpected);
}

// In lockstep the next boundary: the same from one opening to the next, whenever in between they come.
Instant ServerRole::elements_now() const {
  return live_ ? run_->now() : instant(run_->next_tick() * nanos(run_->setup().tick));
}

void ServerRole::user_data(Member& member, ByteView payload) {
  const auto answer = [&](ByteView bytes) { membership_.send(member.number, FrameType::kUserData, bytes); };
  if (options_.user_data) options_.user_data(member.name, payload, answer);
  else answer(payload);
}

void ServerRole::acked(Member& member, std::uint32_t datagram) {
  run_->acked(member.number, datagram);
  elements_->acked(member.number, datagram);
}

bool ServerRole::datagram(Member& member, const Datagram& datagram, Moment now) {
  if (has_elements(datagram.type)) {
    if (!member.ready || run_->gathering()) return false;  // too early: it sends it again
    if (!allowed(member, FrameType::kElements)) return membership_.drops().count(Drop::kNotAllowed), true;
    return elements_->on_datagram(member.number, datagram, elements_now(), membership_.drops());
  }
  return run_->on_datagram(member.number, datagram, now, membership_.drops());
}

void ServerRole::lost(Member& member, Moment now) {
  run_->places().link_lost(member.number, now + options_.sensors_wait);
  if (runs_robots(member)) log_.line(LogLevel::kWarn, member.name + " has lost its link; it may come back");
  if (const auto it = cut_until_.find(member.name); it != cut_until_.end() && it->second <= now) cut_until_.erase(it);
}

void ServerRole::resumed(Member& member, Moment now) {
  if (const auto it = cut_until_.find(member.name); it != cut_until_.end()) {
    if (now < it->second) {  // the cut lasts: the new link is no better than the old one
      const LinkId link = member.channel.link();
      network_.close(link);
      membership_.on_closed(link, now);
      return;
    }
    cut_until_.erase(it);
  }
  ++resumes_;
  run_->places().link_back(member.number, member.name);
  log_.line(LogLevel::kInfo, member.name + " is back");
}

void ServerRole::left(Member& member, LeaveReason reason, Moment) {
  desk_->left(member.number);
  const bool took_part = runs_robots(member) && run_->hosts().count(member.number) > 0;
  if (took_part && !run_->over()) {
    losses_.all.push_back(member.name);
    if (reason != LeaveReason::kGoodbye && reason != LeaveReason::kKilled) losses_.unexpected.push_back(member.name);
    log_.line(LogLevel::kWarn, member.name + " is gone: " + name_of(reason));
  } else {
    log_.line(coming_and_going(member), member.name + " left: " + name_of(reason));
  }
  run_->leave(member.number);
  elements_->leave(member.number);
}

// -------------------------------------------------------------------------------------------------------- its own

std::string missing_of(const std::vector<std::string>& names, const ServerRole& server) {
  std::string missing;
  const auto add = [&](const std::string& name) { missing += (missing.empty() ? "" : ", ") + name; };
  const auto& hosts = server.run().hosts();
  for (const std::string& name : names) {
    const bool here =
        std::any_of(hosts.begin(), hosts.end(), [&](const auto& h) { return h.second.name == name && !h.second.gone; });
    if (here) continue;
    const std::vector<std::string> sensors = server.run().places().names();
    if (std::find(sensors.begin(), sensors.end(), name) == sensors.end()) add(name);
  }
  if (const auto* conductor = dynamic_cast<const Conductor*>(&server.run()))
    for (const std::string& name : conductor->pace().controllers().missing()) add(name);
  return missing;
}

void ServerRole::begin_if_ready(Moment now) {
  if (!run_->gathering()) return;
  const std::string missing = missing_of(options_.hosts, *this);
  warnings_->awaits(missing, now);
  if (!missing.empty()) return;
  std::vector<std::string> warnings;
  run_->start(now, warnings);
  for (const std::string& warning : warnings) log_.line(LogLevel::kWarn, warning);
  run_begun_ = now;
  log_.line(LogLevel::kInfo, "all hosts are ready: the run begins");
}

void ServerRole::make_faults(Moment now) {
  while (next_fault_ < options_.faults.size() && !run_->gathering() &&
         options_.faults[next_fault_].at <= run_->tick()) {
    const Fault& fault = options_.faults[next_fault_++];
    Member* member = nullptr;
    for (const auto& [number, m] : membership_.members())
      if (m->name == fault.host) member = membership_.find(number);
    if (!member) continue;
    log_.line(LogLevel::kInfo, std::string("fault: ") + name_of(fault.kind) + " of " + fault.host + " at tick " +
                                   std::to_string(run_->tick()));
    ++faults_done_;
    const LinkId link = member->channel.link();
    const bool linked = member->channel.attached();
    switch (fault.kind) {
      case FaultKind::kDelay:
        if (linked) gate_.delay(link, fault.duration);
        break;
      case FaultKind::kStall:
        if (linked) gate_.stall(link, now + fault.duration);
        break;
      case FaultKind::kCut:
        cut_until_[member->name] = now + fault.duration;
        if (!linked) break;
        network_.close(link);
        gate_.forget(link);
        membership_.on_closed(link, now);
        break;
      case FaultKind::kKill: membership_.drop(member->number, LeaveReason::kKilled, now); break;
      case FaultKind::kCorruptState: break;  // the host's own doing
    }
  }
}

void ServerRole::end_if_over(Moment now) {
  if (!run_->over() || finished_) return;
  if (over_since_ == kNever) {
    over_since_ = run_ended_ = now;
    membership_.close_doors("the run is over");
  }
  if (!run_->books().roll.all_reported() && now - over_since_ < options_.report_timeout) return;
  if (!options_.quit_when_over && !stop_asked_) return;
  for (const auto& [number, member] : membership_.members()) {
    member->channel.send_loose(FrameType::kGoodbye, {});
    member->channel.flush();
    if (member->channel.attached()) network_.close(member->channel.link());
  }
  finished_ = true;
}

}  // namespace convoy
