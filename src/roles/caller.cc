#include "roles/caller.h"

namespace convoy {

namespace {

CallerOptions as_control(CallerOptions options) {
  options.session.role = PeerRole::kControl;
  options.session.load_setup = false;
  return options;
}

}  // namespace

Caller::Caller(CallerOptions options, Network& network)
    : options_(as_control(std::move(options))), session_(options_.session, network, *this) {}

void Caller::give_up(ErrorCode code, std::string text) {
  if (finished()) return;
  failure_ = Error{code, std::move(text), {}};
  session_.leave();
}

void Caller::stop() { give_up(ErrorCode::kUnavailable, "stopped before the answer came"); }

void Caller::on_closed(LinkId link, Moment now) {
  session_.on_closed(link, now);
  if (!session_.welcome() && !options_.keep_dialing) give_up(ErrorCode::kUnavailable, "nobody answers");
}

void Caller::on_time(Moment now) {
  if (!started_) {
    started_ = true;
    if (options_.keep_dialing) patient_until_ = now + options_.session.dial_timeout;
    session_.start(now);
  }
  session_.on_time(now);
  if (finished()) return;
  if (session_.ended()) {
    failure_ = session_.ended();
  } else if (now >= ask_again_at_) {
    ask_again_at_ = kNever;
    ++id_;  // to one that it knows, the server gives the answer that it gave
    ask();
  } else if (now >= give_up_at_) {
    give_up(ErrorCode::kUnavailable, "no answer within " + std::to_string(nanos(options_.timeout) / 1'000'000'000) +
                                         " s; the call may still be carried out");
  }
}

Moment Caller::deadline() const {
  if (!started_) return Moment{};
  return std::min({session_.deadline(), give_up_at_, ask_again_at_});
}

void Caller::welcomed(Moment now) {
  if (options_.timeout.count() > 0) give_up_at_ = now + options_.timeout;
  ask();
}

void Caller::ask() {
  // Counted: the session keeps it until the server has it, and sends it again over a new link.
  current().set_id(id_);
  if (options_.timeout.count() > 0) current().set_deadline_ns(nanos(options_.timeout));
  const std::string request = current().SerializeAsString();
  session_.send(FrameType::kRequest, Bytes(request.begin(), request.end()));
}

void Caller::frame(FrameType type, ByteView payload, Moment now) {
  proto::Reply reply;
  if (type != FrameType::kReply || !reply.ParseFromArray(payload.data(), static_cast<int>(payload.size())) ||
      reply.id() != id_)
    return session_.drops().count(Drop::kUnexpected);
  if (finished()) return;
  if (reply.text() == kNotBegun && now < patient_until_) {
    ask_again_at_ = now + std::chrono::milliseconds(50);
    give_up_at_ = kNever;  // the server waits for its hosts, not this call for the server
    if (options_.timeout.count() > 0) give_up_at_ = ask_again_at_ + options_.timeout;
    return;
  }
  if (reply.error() == 0 && made_ < options_.before.size()) {
    ++made_, ++id_;
    if (options_.timeout.count() > 0) give_up_at_ = now + options_.timeout;
    return ask();
  }
  reply_ = std::move(reply);
  session_.leave();
}

}  // namespace convoy
