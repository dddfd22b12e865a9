#include "session/session.h"

#include <algorithm>
#include <utility>

#include "convoy/control.pb.h"
#include "core/hash.h"

namespace convoy {

namespace {

constexpr std::size_t kMaxSetup = 512 * 1024 * 1024;
constexpr Duration kRegisterEvery = std::chrono::milliseconds(200);
constexpr Duration kHeldUpEvery = std::chrono::milliseconds(500);  // it dials again
constexpr Duration kLongestHoldUp = std::chrono::minutes(10);

}  // namespace

Session::Session(SessionOptions options, Network& network, SessionEvents& events)
    : options_(std::move(options)), network_(network), events_(events), channel_(options_.channel) {}

void Session::end(ErrorCode code, std::string text) {
  if (ended_) return;
  ended_ = Error{code, std::move(text), {}};
  channel_.detach();
  if (link_ != 0) network_.close(link_);
  if (bulk_ != 0) network_.close(bulk_);
  link_ = bulk_ = 0;
}

void Session::start(Moment now) {
  dial_.begun = now;
  dial(now);
}

void Session::dial(Moment now) {
  reader_.clear();
  dial_.open = false;
  dial_.next = kNever;
  link_ = network_.connect();
  dial_.since = now;
  ++dial_.attempt;
}

bool Session::on_opened(LinkId link, Moment now) {
  if (link == link_) {
    dial_.open = true;
    signs_.refused.reset();
    greet(now);
  } else if (link == bulk_) {
    Bytes out = side_hello(SideLink::kBulk, number_, token_), request;
    Writer w(request);
    w.u64(scenario_), w.u64(setup_.size());
    put_frame(out, FrameType::kAssetRequest, 0, 0, request);
    network_.send(bulk_, out);
  } else {
    return false;
  }
  return true;
}

void Session::greet(Moment) {
  proto::Hello hello;
  hello.set_protocol(kProtocolVersion);
  hello.set_build(options_.build);
  hello.set_fingerprint(options_.fingerprint);
  hello.set_role(static_cast<proto::Role>(options_.role));
  hello.set_name(options_.name);
  if (options_.credentials) hello.set_credentials(options_.credentials());
  hello.set_datagrams(options_.datagrams);
  hello.set_attempt(dial_.attempt);
  if (number_ != kNobody) {
    hello.mutable_resume()->set_connection(number_.value());
    hello.mutable_resume()->set_token(token_.data(), token_.size());
    hello.mutable_resume()->set_received(channel_.received());
  }
  Bytes out;
  put_frame(out, FrameType::kHello, 0, 0, as_bytes(hello.SerializeAsString()));
  network_.send(link_, out);
}

void Session::handle_welcome(ByteView payload, Moment now) {
  proto::Welcome w;
  if (!w.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
    return end(ErrorCode::kInvalid, "the server's Welcome cannot be parsed");
  if (channel_.attached()) return drops_.count(Drop::kUnexpected);
  reader_.set_limit(kMaxFrame);
  if (number_ != kNobody) {  // back again
    ++reconnects_;
    channel_.attach(network_, link_, w.received());
    channel_.flush();
    signs_.any = signs_.link = signs_.clock.time();
    return;
  }
  if (w.token().size() != token_.size() || Owner(w.connection()) == kNobody)
    return end(ErrorCode::kInvalid, "the server's Welcome has no number or token");
  number_ = Owner(w.connection());
  std::copy(w.token().begin(), w.token().end(), token_.begin());
  name_ = w.name();
  free_mode_ = w.free_mode();
  checkpoints_ = w.checkpoints();
  scenario_ = w.scenario();
  liveness_ = Duration(w.liveness_ns());
  channel_.attach(network_, link_, 0);
  signs_.any = signs_.link = signs_.clock.time();
  next_heartbeat_ = now;
  if (options_.datagrams) register_endpoint(now);
  events_.welcomed(now);
  if (options_.load_setup) request_setup();
}

void Session::handle_decline(ByteView payload, Moment now) {
  proto::Decline decline;
  decline.ParseFromArray(payload.data(), static_cast<int>(payload.size()));
  if (decline.code() != static_cast<std::uint32_t>(DeclineCode::kNameHeld) || number_ != kNobody)
    return end(ErrorCode::kDenied, "the server declined: " + decline.text());
  if (dial_.held_up.empty()) events_.held_up(decline.text());
  dial_.held_up = decline.text();
  dial_.longer = std::clamp(Duration(decline.longer_ns()), Duration(0), kLongestHoldUp);
  network_.close(link_);
  lose(now);
  if (dial_.attempt > 1) dial_.next = now + kHeldUpEvery;
}

void Session::request_setup() {
  next_bulk_ = kNever;
  bulk_reader_.clear();
  signs_.bulk = signs_.clock.time();
  bulk_ = network_.connect();
}

void Session::register_endpoint(Moment now) {
  send_datagram(DatagramType::kRegister, 0, 0, token_);
  next_register_ = now + kRegisterEvery;
}

std::uint32_t Session::send_datagram(DatagramType type, std::uint8_t flags, std::uint16_t run, ByteView payload) {
  Bytes out;
  Datagram d{type, flags, run, number_, 0, 0, 0, payload};
  datagrams_.stamp(d);
  if (put_datagram(out, d)) network_.send_datagram(options_.server, out);
  return d.seq;
}

void Session::on_bytes(LinkId link, ByteView bytes, Moment now) {
  signs_.clock.pass(now, liveness_);
  if (link == link_) {
    dial_.since = now;
    signs_.any = signs_.link =
        signs_.clock.time();  // the control link alone: a working bulk link proves nothing about it
    reader_.feed(bytes);
    read(now);
  } else if (link == bulk_) {
    signs_.bulk = signs_.clock.time();
    bulk_reader_.set_limit(kMaxFrame);
    bulk_reader_.feed(bytes);
    read_bulk(now);
  }
}

void Session::read(Moment now) {
  FrameHeader header;
  ByteView payload;
  while (!ended_ && link_ != 0 && reader_.next(header, payload)) {
    if (header.type == FrameType::kWelcome) {
      handle_welcome(payload, now);
      continue;
    }
    if (header.type == FrameType::kDecline) return handle_decline(payload, now);
    if (!channel_.attached()) {
      drops_.count(Drop::kUnexpected);
      continue;
    }
    switch (channel_.accept(header)) {
      case Channel::Verdict::kDuplicate: drops_.count(Drop::kDuplicateFrame); continue;
      case Channel::Verdict::kGap:
        drops_.count(Drop::kGap);
        network_.close(link_);
        return lose(now);
      case Channel::Verdict::kDeliver: break;
    }
    payload_hash_ = header.payload_hash;
    if (!header.type) {
      drops_.count(Drop::kUnknownType);
      continue;
    }
    switch (*header.type) {
      case FrameType::kHeartbeat: break;
      case FrameType::kGoodbye:
        in_order_ = payload.empty();
        end(ErrorCode::kUnavailable,
            payload.empty() ? "the server said goodbye" : "the server dropped us: " + std::string(as_text(payload)));
        return;
      case FrameType::kUdpConfirmed:
        registered_ = true;
        next_register_ = kNever;
        break;
      case FrameType::kNonce: send_datagram(DatagramType::kAnswer, 0, 0, payload); break;
      case FrameType::kHello:
      case FrameType::kWelcome:
      case FrameType::kDecline:
      case FrameType::kUserData:
      case FrameType::kReady:
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
      case FrameType::kView:
      case FrameType::kPlaces:
      case FrameType::kOrders:
      case FrameType::kSamples:
      case FrameType::kIntroduce:
      case FrameType::kLate:
      case FrameType::kWanted:
      case FrameType::kCosts:
      case FrameType::kLook: events_.frame(*header.type, payload, now);
    }
  }
  if (ended_ || reader_.trouble() == FrameReader::Trouble::kNone) return;
  drops_.count(drop_of(reader_.trouble()));
  if (number_ == kNobody) return end(ErrorCode::kInvalid, "the other side does not speak Convoy's protocol");
  network_.close(link_);
  lose(now);
}

void Session::read_bulk(Moment now) {
  FrameHeader header;
  ByteView payload;
  while (!ended_ && bulk_ != 0 && bulk_reader_.next(header, payload)) {
    if (header.type == FrameType::kAssetChunk) asset_piece(payload, now);
    else if (header.type == FrameType::kDecline) lose_bulk(now);  // if the number is gone, the control link reports it
    else drops_.count(Drop::kUnexpected);
  }
  if (ended_ || bulk_ == 0 || bulk_reader_.trouble() == FrameReader::Trouble::kNone) return;
  drops_.count(drop_of(bulk_reader_.trouble()));
  network_.close(bulk_);
  lose_bulk(now);
}

// Another bulk link goes on where this one ended; not at once, lest a server that refuses be stormed.
void Session::lose_bulk(Moment now) {
  bulk_ = 0;
  bulk_reader_.clear();
  if (!setup_done_) next_bulk_ = now + options_.redial_every;
}

void Session::asset_piece(ByteView payload, Moment now) {
  Reader r(payload);
  const std::uint64_t hash = r.u64(), offset = r.u64(), total = r.u64();
  if (!r.ok() || hash != scenario_ || offset != setup_.size() || total > kMaxSetup || offset > total ||
      r.left() > total - offset) {
    drops_.count(Drop::kMalformed);
    network_.close(bulk_);
    return lose_bulk(now);
  }
  const ByteView bytes = r.bytes(r.left());
  setup_.insert(setup_.end(), bytes.begin(), bytes.end());
  if (setup_.size() < total || setup_done_) return;
  network_.close(bulk_);
  bulk_ = 0;
  if (hash64(setup_) != scenario_)
    return end(ErrorCode::kInvalid,
               "the scenario arrived damaged: its content does not have the hash that was promised");
  setup_done_ = true;
  const Bytes setup = std::exchange(setup_, {});
  events_.setup_loaded(setup, now);
}

void Session::lose(Moment now) {
  channel_.detach();
  reader_.clear();
  link_ = 0;
  dial_.open = false;
  dial_.next = now + options_.redial_every;
}

void Session::on_closed(LinkId link, Moment now) {
  if (ended_) return;
  if (link == bulk_) {
    lose_bulk(now);
  } else if (link == link_) {
    if (!dial_.open && !signs_.refused) signs_.refused = signs_.clock.time();
    lose(now);
  }
}

void Session::on_datagram(const Endpoint& from, ByteView bytes, Moment now) {
  Datagram d;
  if (from != options_.server) return drops_.count(Drop::kWrongEndpoint);
  switch (parse_datagram(bytes, d, options_.check_datagrams)) {
    case DatagramTrouble::kNone: break;
    case DatagramTrouble::kTooLarge:
    case DatagramTrouble::kTooShort: return drops_.count(Drop::kMalformed);
    case DatagramTrouble::kChecksum: return drops_.count(Drop::kBadChecksum);
    case DatagramTrouble::kUnknownType: return drops_.count(Drop::kUnknownType);
  }
  if (!datagrams_.take(d)) return drops_.count(Drop::kReplayed);
  signs_.clock.pass(now, liveness_);
  signs_.any = signs_.clock.time();  // not of the link: datagrams come through where it is half-open, and edits do not
  datagrams_.acked(d, [&](std::uint32_t seq) { events_.acked(seq); });
  if (events_.datagram(d, now)) datagrams_.keep(d);
}

void Session::on_time(Moment now) {
  if (ended_) return;
  const bool known = number_ != kNobody;
  signs_.clock.pass(now, liveness_);
  const Duration heard = signs_.clock.time();
  if (!known && now - dial_.begun >= options_.dial_timeout + dial_.longer && !dial_.held_up.empty())
    return end(ErrorCode::kDenied, "the server declined: " + dial_.held_up);
  if (!known && now - dial_.begun >= options_.dial_timeout + dial_.longer)
    return end(ErrorCode::kUnavailable, "no answer from the server within " +
                                            std::to_string(options_.dial_timeout.count() / 1'000'000'000) + " s");
  if (known && liveness_.count() > 0 && heard >= signs_.given_up(liveness_))
    return end(ErrorCode::kUnavailable, "lost the server: silent for longer than the liveness limit");
  if (known && link_ != 0 && liveness_.count() > 0 && heard - signs_.link >= liveness_ / 2 && now >= next_redial_) {
    next_redial_ = now + liveness_ / 4;
    network_.close(link_);  // half-open, perhaps: try a new one
    lose(now);
  }
  if (!known && link_ != 0 && now - dial_.since >= options_.greet_timeout) {  // the Hello or its answer went nowhere
    network_.close(link_);
    lose(now);
  }
  if (link_ == 0 && now >= dial_.next) dial(now);
  if (bulk_ != 0 && liveness_.count() > 0 && heard - signs_.bulk >= liveness_ / 2) {  // half-open, like the other
    network_.close(bulk_);
    lose_bulk(now);
  }
  if (bulk_ == 0 && now >= next_bulk_ && channel_.attached()) request_setup();
  if (!registered_ && now >= next_register_) register_endpoint(now);
  if (known && now >= next_heartbeat_) {
    next_heartbeat_ = now + Listening::most(liveness_);
    channel_.send_loose(FrameType::kHeartbeat, {});
  }
  if (channel_.overflowed()) end(ErrorCode::kUnavailable, "the server takes nothing any more");
  flush();
}

Moment Session::deadline() const {
  if (ended_) return kNever;
  Moment next = std::min({dial_.next, next_heartbeat_, next_register_});
  if (bulk_ == 0 && channel_.attached()) next = std::min(next, next_bulk_);
  if (bulk_ != 0 && liveness_.count() > 0) next = std::min(next, signs_.clock.when(signs_.bulk + liveness_ / 2));
  if (number_ == kNobody) {
    next = std::min(next, dial_.begun + options_.dial_timeout + dial_.longer);
    if (link_ != 0) next = std::min(next, dial_.since + options_.greet_timeout);
  } else if (liveness_.count() > 0) {
    next = std::min(next, signs_.clock.when(signs_.given_up(liveness_)));
    if (link_ != 0) next = std::min(next, std::max(next_redial_, signs_.clock.when(signs_.link + liveness_ / 2)));
  }
  return next;
}

void Session::leave() {
  if (ended_) return;
  channel_.send_loose(FrameType::kGoodbye, {});
  channel_.flush();
  in_order_ = true;
  end(ErrorCode::kUnavailable, "left");
}

}  // namespace convoy
