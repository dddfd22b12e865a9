#include "stream/player_session.h"

namespace convoy::stream {

namespace {

// As a viewer it may make every call that its credentials allow, and what it has leased ends with it. It is never ready for
// the world, so it is shown none of it.
SessionOptions for_calls(SessionOptions options) {
  options.role = PeerRole::kViewer;
  options.load_setup = false, options.datagrams = false;
  return options;
}

proto::Reply refusal(ErrorCode code, std::string text) {
  proto::Reply out;
  out.set_error(static_cast<std::uint32_t>(code)), out.set_text(std::move(text));
  return out;
}

}  // namespace

PlayerSession::PlayerSession(SessionOptions options, std::string holder, Network& network, Moment now)
    : holder_(std::move(holder)), session_(for_calls(std::move(options)), network, *this) {
  session_.start(now);
}

PlayerSession::~PlayerSession() {
  if (!session_.ended()) session_.leave();
}

void PlayerSession::on_time(Moment now) {
  session_.on_time(now);
  if (!session_.ended() || open_.empty()) return;
  for (auto& [id, answer] : std::exchange(open_, {})) answer(refusal(session_.ended()->code, session_.ended()->text));
}

void PlayerSession::ask(proto::Request request, Answer answer) {
  if (session_.ended()) return answer(refusal(session_.ended()->code, session_.ended()->text));
  if (open_.size() >= kMaxCalls)
    return answer(refusal(ErrorCode::kUnavailable, std::to_string(kMaxCalls) + " calls wait already"));
  request.set_id(++calls_), request.set_holder(holder_);
  open_[calls_] = std::move(answer);
  const std::string bytes = request.SerializeAsString();
  session_.send(FrameType::kRequest, Bytes(bytes.begin(), bytes.end()));
}

void PlayerSession::frame(FrameType type, ByteView payload, Moment) {
  proto::Reply reply;
  if (type != FrameType::kReply || !reply.ParseFromArray(payload.data(), static_cast<int>(payload.size()))) return;
  const auto at = open_.find(reply.id());
  if (at == open_.end()) return;
  const Answer answer = std::move(at->second);
  open_.erase(at);
  answer(reply);
}

}  // namespace convoy::stream
