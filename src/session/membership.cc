#include "session/membership.h"

#include <algorithm>

#include "convoy/control.pb.h"
#include "core/check.h"
#include "core/hash.h"
#include "session/secret.h"
#include "world/world.h"

namespace convoy {

namespace {

constexpr const char* kNoCredentials = "credentials are needed, or a program of the user who started the server";
constexpr Duration kCheckPeriod = std::chrono::milliseconds(5);  // of members' queues

Bytes serialized(const google::protobuf::MessageLite& message) {
  Bytes out(message.ByteSizeLong());
  message.SerializeToArray(out.data(), static_cast<int>(out.size()));
  return out;
}

// One without which bytes would differ: its build and its numbers are compared.
bool computes(PeerRole role) { return role == PeerRole::kRobotClient || role == PeerRole::kSensorHost; }

}  // namespace

const char* name_of(PeerRole role) {
  switch (role) {
    case PeerRole::kRobotClient: return "robot client";
    case PeerRole::kSensorHost: return "sensor host";
    case PeerRole::kViewer: return "viewer";
    case PeerRole::kControl: return "control";
    case PeerRole::kForeign: return "foreign simulator";
    case PeerRole::kNobody: break;
  }
  return "nobody";
}

const char* name_of(LeaveReason reason) {
  switch (reason) {
    case LeaveReason::kGoodbye: return "goodbye";
    case LeaveReason::kTimeout: return "silent for longer than the liveness limit";
    case LeaveReason::kUdpTimeout: return "sent no datagram in time";
    case LeaveReason::kSlow: return "too slow: its queue was full";
    case LeaveReason::kProtocol: return "broke the protocol";
    case LeaveReason::kSuperseded: return "came again before it had said anything";
    case LeaveReason::kReplaced: return "its links are closed, and a new process has come under its name";
    case LeaveReason::kKilled: return "killed by a fault of the scenario";
    case LeaveReason::kDeclined: return "declined";
    case LeaveReason::kTickDeadline: return "did not finish its tick in time";
    case LeaveReason::kKicked: return "sent away";
  }
  return "unknown";
}

const char* name_of(MemberState state) {
  switch (state) {
    case MemberState::kNumbered: return "numbered";
    case MemberState::kAwaitUdp: return "await_udp";
    case MemberState::kRegistered: return "registered";
  }
  return "unknown";
}

AuditLine audit_line(std::string_view what, const Member& member, std::string_view text) {
  return {.what = what,
          .from = member.from,
          .name = member.name,
          .role = name_of(member.role),
          .access = name_of(member.grant.access),
          .call = {},
          .text = text};
}

Membership::Membership(MembershipOptions options, Network& network, MembershipEvents& events, Log& log)
    : options_(std::move(options)),
      network_(network),
      events_(events),
      log_(log),
      reception_(options_.reception, network, drops_, log, options_.audit),
      side_(network, options_.relay, drops_, 4 * options_.max_members) {
  EXPECTS(options_.new_token != nullptr);
}

void Membership::on_opened(LinkId link, Moment now) {
  listen(now);
  reception_.open(link, network_.peer(link), listening_.time());
}

void Membership::on_bytes(LinkId link, ByteView bytes, Moment now) {
  listen(now);
  bytes_.in += bytes.size();
  if (reception_.has(link)) {
    if (const auto hello = reception_.read(link, bytes)) greet(link, *hello, now);
    return;
  }
  if (const auto it = by_link_.find(link); it != by_link_.end()) {
    Member& member = *members_.at(it->second);
    member.last_received = listening_.time();
    member.bytes_in += bytes.size();
    member.reader.feed(bytes);
    read(member, now);
    return;
  }
  if (const auto peer = side_.peer_of(link)) {
    members_.at(*peer)->last_received = listening_.time();
    side_.on_bytes(link, bytes);
  }
}

namespace {

// What this secret lets its bearer do; nothing: it is none of them. All are compared, so that timing reveals nothing.
std::optional<Grant> grant_of(const std::string& secret, const std::vector<Credential>& credentials) {
  if (credentials.empty()) return Grant{};
  std::optional<Grant> found;
  for (const Credential& one : credentials)
    if (same_secret(as_bytes(secret), as_bytes(one.secret))) found = one.grant;
  return found;
}

// Why this robot client may not take part; nothing: it may.
std::optional<std::pair<DeclineCode, std::string>> why_no_host(const proto::Hello& hello,
                                                               const MembershipOptions& ours) {
  const bool program = !ours.program_build.empty() && hello.build() == ours.program_build;
  const bool awaited = std::find(ours.programs.begin(), ours.programs.end(), hello.name()) != ours.programs.end();
  if (program && !awaited) {
    std::string names;
    for (const std::string& name : ours.programs) names += (names.empty() ? "" : ", ") + name;
    return {{DeclineCode::kName, "no robot '" + hello.name() + "' here waits for its program; " +
                                     (names.empty() ? "none does" : "these do: " + names)}};
  }
  if (awaited && !program)
    return {{DeclineCode::kName, "'" + hello.name() + "' waits for a program of its own, built with this Convoy"}};
  if (!ours.equal_hosts) return {};
  const bool library = !ours.host_build.empty() && hello.build() == ours.host_build;
  if (hello.build() != ours.build && !program && !library)
    return {{DeclineCode::kBuild, "build " + hello.build() + ", but lockstep needs the server's own, " + ours.build}};
  if (hello.fingerprint() != ours.fingerprint)
    return {{DeclineCode::kFingerprint,
             "numeric fingerprint " + hex16(hello.fingerprint()) + " differs from the server's " +
                 hex16(ours.fingerprint) +
                 ": this machine computes other bits, so lockstep would diverge (see docs/determinism.md)"}};
  return {};
}

}  // namespace

void Membership::greet(LinkId link, ByteView payload, Moment now) {
  proto::Hello hello;
  if (!hello.ParseFromArray(payload.data(), static_cast<int>(payload.size()))) {
    drops_.count(Drop::kMalformed);
    return reception_.decline(link, DeclineCode::kMalformed, "the Hello cannot be parsed");
  }
  if (hello.protocol() != kProtocolVersion)
    return reception_.decline(link, DeclineCode::kProtocol,
                              "protocol version " + std::to_string(hello.protocol()) + ", this server speaks " +
                                  std::to_string(kProtocolVersion));
  if (hello.has_bulk() || hello.has_life() || hello.has_relay()) open_side(link, hello);
  else if (hello.has_resume()) resume(link, hello, now);
  else join(link, hello, now);
}

Member* Membership::identify(LinkId link, Owner number, const std::string& token) {
  Member* member = find(number);
  if (member && (!options_.check_tokens || same_secret(member->token, as_bytes(token)))) return member;
  drops_.count(Drop::kBadToken);
  reception_.decline(link, DeclineCode::kToken, "unknown connection number or wrong token");
  return nullptr;
}

void Membership::open_side(LinkId link, const proto::Hello& hello) {
  const SideLink what = hello.has_bulk() ? SideLink::kBulk : hello.has_life() ? SideLink::kLife : SideLink::kRelay;
  const proto::Bulk& whose = what == SideLink::kBulk   ? hello.bulk()
                             : what == SideLink::kLife ? hello.life()
                                                       : hello.relay();
  Member* member = identify(link, Owner(whose.connection()), whose.token());
  if (!member) return;
  side_.open(what, member->number, link, reception_.leave(link));
}

void Membership::resume(LinkId link, const proto::Hello& hello, Moment now) {
  Member* member = identify(link, Owner(hello.resume().connection()), hello.resume().token());
  if (!member) return;
  if (member->channel.attached()) {  // the old link has not noticed yet that it is dead
    by_link_.erase(member->channel.link());
    network_.close(member->channel.link());
  }
  EXPECTS(!by_link_.count(link));
  by_link_[link] = member->number;
  member->reader = reception_.leave(link);
  member->from = network_.peer(link);
  member->last_received = listening_.time();
  member->lost_since = kNever;
  proto::Welcome welcome;
  welcome.set_connection(member->number.value());
  welcome.set_received(member->channel.received());
  welcome.set_scenario(options_.scenario);
  Bytes out;
  put_frame(out, FrameType::kWelcome, 0, member->channel.received(), serialized(welcome));
  network_.send(link, out);
  member->channel.attach(network_, link, hello.resume().received());
  member->channel.flush();
  events_.resumed(*member, now);
  read(*member, now);
}

void Membership::join(LinkId link, const proto::Hello& hello, Moment now) {
  const auto role = static_cast<PeerRole>(hello.role());
  if (hello.role() < 1 || hello.role() > 5) return reception_.decline(link, DeclineCode::kRole, "unknown role");
  if (!closed_.empty() && role != PeerRole::kControl) return reception_.decline(link, DeclineCode::kEnded, closed_);
  const auto grant = grant_of(hello.credentials(), options_.credentials);
  if (!grant && hello.credentials().empty()) return reception_.decline(link, DeclineCode::kCredentials, kNoCredentials);
  if (!grant)
    return reception_.decline(link, DeclineCode::kCredentials, "wrong credentials",
                              listening_.time() + kWrongSecretDelay);
  if (computes(role) && !grant->host)
    return reception_.decline(link, DeclineCode::kCredentials, "these credentials let no host in");
  if (members_.size() >= options_.max_members + (role == PeerRole::kControl ? kControlSeats : 0))
    return reception_.decline(link, DeclineCode::kFull,
                              "the server is full (" + std::to_string(options_.max_members) + " connections)");
  if (computes(role))
    if (const auto why = why_no_host(hello, options_)) return reception_.decline(link, why->first, why->second);
  std::string name = hello.name();
  if (!name.empty() && !valid_client_name(name))
    return reception_.decline(link, DeclineCode::kName, "the name is not valid");
  if (computes(role) && !name.empty() && !make_way(link, hello, now)) return;
  const auto taken = [&](const std::string& n) {
    return std::any_of(members_.begin(), members_.end(), [&](const auto& m) { return m.second->name == n; });
  };
  if (name.empty()) {
    const std::string stem = role == PeerRole::kSensorHost ? "sensor"
                             : computes(role)              ? "host"
                             : role == PeerRole::kControl  ? "ctl"
                                                           : "peer";
    for (int i = 0; name.empty() || taken(name); ++i) name = stem + std::to_string(i);
  } else if (taken(name)) {
    return reception_.decline(link, DeclineCode::kName, "the name '" + name + "' is taken");
  }

  EXPECTS(next_number_ != 0 && !by_link_.count(link));
  auto member = std::make_unique<Member>();
  member->number = Owner(next_number_++);
  member->role = role;
  member->name = name;
  member->from = network_.peer(link);
  member->grant = *grant;
  member->token = options_.new_token();
  member->attempt = hello.attempt();
  member->datagrams = hello.datagrams();
  member->reader = reception_.leave(link);
  member->joined = listening_.time();
  member->last_received = listening_.time();
  member->channel = Channel(options_.channel);
  by_link_[link] = member->number;

  proto::Welcome welcome;
  welcome.set_connection(member->number.value());
  welcome.set_token(member->token.data(), member->token.size());
  welcome.set_udp_port(options_.udp_port);
  welcome.set_free_mode(options_.free_mode);
  welcome.set_scenario(options_.scenario);
  welcome.set_name(name);
  welcome.set_liveness_ns(nanos(options_.liveness));
  welcome.set_build(options_.build);
  welcome.set_checkpoints(options_.checkpoints);
  Bytes out;
  put_frame(out, FrameType::kWelcome, 0, 0, serialized(welcome));
  network_.send(link, out);
  member->channel.attach(network_, link, 0);
  next_check_ = {};
  Member& joined = *members_.emplace(member->number, std::move(member)).first->second;
  if (options_.audit) options_.audit->write(audit_line("joined", joined, ""));
  events_.joined(joined, now);
  read(joined, now);
}

// A host's name may be held by what is no process any more, or by this one under another number. True: not any longer.
bool Membership::make_way(LinkId link, const proto::Hello& hello, Moment now) {
  const auto holder = std::find_if(members_.begin(), members_.end(), [&](const auto& m) {
    return m.second->name == hello.name() && m.second->role == static_cast<PeerRole>(hello.role());
  });
  if (holder == members_.end()) return true;
  const auto& [number, member] = *holder;
  // One that has sent nothing since its Hello may never have seen its Welcome: the link broke in between, and this is
  // the same client once more. It does not know its number, so it cannot resume.
  const bool silent = member->bytes_in == 0;
  // A Hello that the network has delivered after a newer one of the same client, which was welcomed, ends nothing. A
  // process that was started anew under the name dials again, and its attempts catch up.
  const bool overtaken = hello.attempt() < member->attempt;
  if (silent && !overtaken) return drop(number, LeaveReason::kSuperseded, now), true;
  if (silent) {  // no answer: the client has left this link
    drops_.count(Drop::kUnexpected);
    network_.close(link);
    return reception_.forget(link), false;
  }
  const bool connected = member->channel.attached() || side_.has(number);
  if (!connected && !overtaken) return drop(number, LeaveReason::kReplaced, now), true;
  return reception_.decline_for_now(link, DeclineCode::kNameHeld,
                                    "the name '" + hello.name() +
                                        "' is held by a host that is connected; 'convoy ctl kick " + hello.name() +
                                        "' sends it away",
                                    options_.liveness),
         false;
}

void Membership::lose(Member& member, Moment now) {
  by_link_.erase(member.channel.link());
  member.channel.detach();
  member.reader.clear();
  if (member.lost_since == kNever) {
    member.lost_since = now;
    events_.lost(member, now);
  }
}

void Membership::read(Member& member, Moment now) {
  const Owner number = member.number;
  FrameHeader header;
  ByteView payload;
  while (member.channel.attached() && member.reader.next(header, payload)) {
    switch (member.channel.accept(header)) {
      case Channel::Verdict::kDuplicate: drops_.count(Drop::kDuplicateFrame); continue;
      case Channel::Verdict::kGap:
        drops_.count(Drop::kGap);
        network_.close(member.channel.link());
        return lose(member, now);
      case Channel::Verdict::kDeliver: break;
    }
    member.payload_hash = header.payload_hash;
    if (header.type) control(member, *header.type, payload, now);
    else drops_.count(Drop::kUnknownType);
    if (!members_.count(number)) return;  // it left
  }
  if (const auto trouble = member.reader.trouble();
      trouble != FrameReader::Trouble::kNone) {  // a damaged stream: a new link resumes behind the last sound frame
    drops_.count(drop_of(trouble));
    network_.close(member.channel.link());
    lose(member, now);
  }
}

void Membership::control(Member& member, FrameType type, ByteView payload, Moment now) {
  switch (type) {
    case FrameType::kHeartbeat: return;
    case FrameType::kGoodbye: return drop(member.number, LeaveReason::kGoodbye, now);
    case FrameType::kReady:
      if (member.ready) return drops_.count(Drop::kUnexpected);  // once: it takes part already, or waits to
      member.ready = true;
      next_check_ = {};
      if (member.state == MemberState::kNumbered)
        member.state = member.datagrams && !member.has_endpoint ? MemberState::kAwaitUdp : MemberState::kRegistered;
      // In free mode it takes no part before its first datagram: registered() passes this on.
      if (options_.free_mode && member.state == MemberState::kAwaitUdp) {
        member.ready_payload.assign(payload.begin(), payload.end());
        return;
      }
      return events_.frame(member, type, payload, now);
    case FrameType::kHello:
    case FrameType::kWelcome:
    case FrameType::kDecline:
    case FrameType::kUdpConfirmed:
    case FrameType::kNonce:
    case FrameType::kUserData:
    case FrameType::kAssetRequest:
    case FrameType::kAssetChunk:
    case FrameType::kImage:
    case FrameType::kOpen:
    case FrameType::kStates:
    case FrameType::kMessages:
    case FrameType::kDone:
    case FrameType::kCheckpoint:
    case FrameType::kEdits:
    case FrameType::kFinish:
    case FrameType::kReport:
    case FrameType::kPace:
    case FrameType::kInputs:
    case FrameType::kElements:
    case FrameType::kPush:
    case FrameType::kTaken:
    case FrameType::kRequest:
    case FrameType::kReply:
    case FrameType::kTickDone:
    case FrameType::kInterest:
    case FrameType::kAsk:
    case FrameType::kAnswer:
    case FrameType::kAllow:
    case FrameType::kPlaces:
    case FrameType::kOrders:
    case FrameType::kSamples:
    case FrameType::kIntroduce:
    case FrameType::kLate:
    case FrameType::kWanted:
    case FrameType::kCosts:
    case FrameType::kLook:
    case FrameType::kView: return events_.frame(member, type, payload, now);
  }
}

void Membership::on_closed(LinkId link, Moment now) {
  reception_.forget(link);
  if (side_.peer_of(link)) return side_.on_closed(link);
  const auto it = by_link_.find(link);
  if (it == by_link_.end()) return;
  Member& member = *members_.at(it->second);
  // Without a liveness limit nothing else would ever remove a caller that was killed.
  if (options_.liveness.count() == 0 && !computes(member.role)) return drop(member.number, LeaveReason::kGoodbye, now);
  lose(member, now);
}

void Membership::registered(Member& member, const Endpoint& from, Moment now) {
  const bool awaited = member.state == MemberState::kAwaitUdp;
  if (member.has_endpoint) by_endpoint_.erase(member.endpoint);
  member.endpoint = from;
  member.has_endpoint = true;
  member.nonce = 0;
  by_endpoint_[from] = member.number;
  if (member.ready) member.state = MemberState::kRegistered;
  member.channel.send_loose(FrameType::kUdpConfirmed, {});
  if (options_.free_mode && awaited)
    events_.frame(member, FrameType::kReady, std::exchange(member.ready_payload, {}), now);
}

void Membership::on_datagram(const Endpoint& from, ByteView bytes, Moment now) {
  listen(now);
  bytes_.in += bytes.size();
  Datagram d;
  switch (parse_datagram(bytes, d, options_.check_datagrams)) {
    case DatagramTrouble::kNone: break;
    case DatagramTrouble::kTooLarge: return drops_.count(Drop::kTooLarge);
    case DatagramTrouble::kTooShort: return drops_.count(Drop::kMalformed);
    case DatagramTrouble::kChecksum: return drops_.count(Drop::kBadChecksum);
    case DatagramTrouble::kUnknownType: return drops_.count(Drop::kUnknownType);
  }
  Member* member = find(d.connection);
  if (!member) return drops_.count(Drop::kUnknownConnection);

  if (d.type == DatagramType::kRegister || d.type == DatagramType::kGoodbye) {
    if (!same_secret(member->token, d.payload)) return drops_.count(Drop::kBadToken);
    if (d.type == DatagramType::kGoodbye) return drop(member->number, LeaveReason::kGoodbye, now);
    if (!member->has_endpoint || member->endpoint == from) {
      registered(*member, from, now);
      member->last_received = listening_.time();
      return;
    }
    // Right token from another address: the owner of the TCP link must confirm that it moved.
    if (!member->channel.attached()) return drops_.count(Drop::kWrongEndpoint);
    member->challenged = from;
    const Token random = options_.new_token();
    std::memcpy(&member->nonce, random.data(), sizeof member->nonce);
    member->nonce |= 1;  // never 0
    Bytes nonce;
    Writer(nonce).u64(member->nonce);
    member->channel.send_loose(FrameType::kNonce, nonce);
    member->channel.flush();
    return drops_.count(Drop::kWrongEndpoint);
  }
  if (d.type == DatagramType::kAnswer) {
    Reader r(d.payload);
    const std::uint64_t nonce = r.u64();
    if (!r.done() || member->nonce == 0 || nonce != member->nonce || from != member->challenged)
      return drops_.count(Drop::kBadNonce);
    return registered(*member, from, now);
  }
  if (!member->has_endpoint || member->endpoint != from) return drops_.count(Drop::kWrongEndpoint);
  if (!member->numbers.take(d)) return drops_.count(Drop::kReplayed);
  member->last_received = listening_.time();
  ++member->datagrams_in;
  member->numbers.acked(d, [&](std::uint32_t seq) { events_.acked(*member, seq); });
  if (events_.datagram(*member, d, now)) member->numbers.keep(d);
}

std::uint32_t Membership::send_datagram(Owner to, DatagramType type, std::uint8_t flags, std::uint16_t run,
                                        ByteView payload) {
  Member* member = find(to);
  if (!member || !member->has_endpoint) return 0;
  Bytes& out = datagram_;
  Datagram d{type, flags, run, to, 0, 0, 0, payload};
  member->numbers.stamp(d);
  if (!put_datagram(out, d)) return 0;
  network_.send_datagram(member->endpoint, out);
  bytes_.out_gone += out.size();
  return d.seq;
}

bool Membership::keep(Owner from, std::uint32_t datagram) {
  Member* member = find(from);
  if (!member) return false;
  if (datagram == 0) return true;  // what came by a frame
  Datagram d;
  d.seq = datagram;
  member->numbers.keep(d);
  return true;
}

void Membership::on_time(Moment now) {
  listen(now);
  reception_.on_time(now, listening_.time());
  if (now >= next_check_) check_members(now);
  if (now >= next_heartbeat_) {
    next_heartbeat_ = now + Listening::most(options_.liveness);
    for (auto& [number, member] : members_) member->channel.send_loose(FrameType::kHeartbeat, {});
  }
  side_.assets().serve();
  flush();
}

namespace {

// In lockstep nothing that counts comes by datagrams, so a wall-time limit on them decides nothing.
void go_without_datagrams(Member& member, Drops& drops, Log& log) {
  member.state = MemberState::kRegistered;
  drops.count(Drop::kUdpTimeout);
  log.line(LogLevel::kWarn, member.name + " has sent no datagram: does something keep UDP away? The run goes on");
}

}  // namespace

// Who is silent, when it is due, or too slow, soon after. Not at every event: with a thousand members that would be most of
// what an event costs.
void Membership::check_members(Moment now) {
  next_check_ = now + kCheckPeriod;
  std::vector<std::pair<Owner, LeaveReason>> gone;
  // In listened time. Else it is checked again by then: a sign of life only moves that instant back.
  const auto due = [&](Duration at) {
    const Moment moment = now + (at - listening_.time());
    if (now >= moment) return true;
    next_check_ = std::min(next_check_, moment);
    return false;
  };
  for (auto& [number, member] : members_) {
    if (options_.liveness.count() > 0 && due(member->last_received + options_.liveness))
      gone.emplace_back(number, LeaveReason::kTimeout);
    else if (member->state == MemberState::kAwaitUdp && due(member->joined + options_.udp_timeout)) {
      if (options_.free_mode) gone.emplace_back(number, LeaveReason::kUdpTimeout);
      else go_without_datagrams(*member, drops_, log_);
    } else if (member->channel.overflowed()) gone.emplace_back(number, LeaveReason::kSlow);
  }
  for (const auto& [number, reason] : gone) {
    if (reason == LeaveReason::kUdpTimeout) drops_.count(Drop::kUdpTimeout);
    if (reason == LeaveReason::kSlow) drops_.count(Drop::kSlowPeer);
    drop(number, reason, now);
  }
}

Moment Membership::deadline() const {
  Moment next = members_.empty() ? kNever : next_heartbeat_;
  next = std::min(next, reception_.deadline(listening_, Listening::most(options_.liveness)));
  if (!side_.assets().idle()) next = std::min(next, next_heartbeat_);
  return next;
}

void Membership::send(Owner to, FrameType type, const Payload& payload) {
  if (Member* member = find(to)) member->channel.send(type, payload);
}

void Membership::drop(Owner number, LeaveReason reason, Moment now) {
  Member* found = find(number);
  if (!found) return;
  // Out of the tables first: whatever the role does in left() meets a world without this member.
  last_found_ = nullptr;
  auto node = members_.extract(number);
  Member& member = *node.mapped();
  if (member.channel.attached()) {
    by_link_.erase(member.channel.link());
    if (reason != LeaveReason::kGoodbye) {
      const std::string text = name_of(reason);
      member.channel.send_loose(FrameType::kGoodbye, as_bytes(text));
    }
    member.channel.flush();
    network_.close(member.channel.link());
  }
  side_.drop(number);
  if (member.has_endpoint) by_endpoint_.erase(member.endpoint);
  bytes_.out_gone += member.channel.bytes_sent();
  if (options_.audit) options_.audit->write(audit_line("left", member, name_of(reason)));
  events_.left(member, reason, now);
}

void Membership::flush() {
  for (auto& [number, member] : members_) member->channel.flush();
}

Member* Membership::find(Owner number) {
  if (last_found_ && last_found_->number == number) return last_found_;
  const auto it = members_.find(number);
  return it == members_.end() ? nullptr : last_found_ = it->second.get();
}

std::uint64_t Membership::bytes_out() const {
  std::uint64_t sum = bytes_.out_gone;
  for (const auto& [number, member] : members_) sum += member->channel.bytes_sent();
  return sum;
}

}  // namespace convoy
