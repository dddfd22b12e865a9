#include "roles/wishes.h"

#include "roles/call_text.h"
#include "wire/lockstep.h"

namespace convoy {

namespace {

Result<proto::Request> request_of(GatewayWish& wish) {
  using Kind = GatewayWish::Kind;
  proto::Request out;
  switch (wish.kind) {
    case Kind::kEdit:
      out.set_own_edit(std::string(as_text(save(OwnEdit{std::move(wish.edit), std::move(wish.holder)}))));
      break;
    case Kind::kPause: out.mutable_pause(); break;
    case Kind::kResume: out.mutable_resume(); break;
    case Kind::kSpeed: out.mutable_speed()->set_factor(wish.speed); break;
    case Kind::kQuery: out.set_look(std::move(wish.text)); break;
    case Kind::kCall: {
      auto call = call_of_json(wish.text);
      if (!call) return call;
      out = std::move(*call);
      out.set_holder(std::move(wish.holder));
      break;
    }
  }
  out.set_id(wish.id);
  return out;
}

}  // namespace

void GatewayWishes::send(Gateway& gateway, const Fleet* fleet, Session& session) {
  for (GatewayWish& wish : gateway.take_wishes()) {
    const auto request = request_of(wish);
    if (!request) {
      gateway.answered(fleet, {wish.id, request.error(), 0, {}});
      continue;
    }
    if (wish.kind == GatewayWish::Kind::kCall) calls_.insert(wish.id);
    session.send(FrameType::kRequest, as_bytes(request->SerializeAsString()));
  }
}

bool GatewayWishes::take(ByteView payload, Gateway& gateway, const Fleet* fleet) {
  proto::Reply reply;
  if (!reply.ParseFromArray(payload.data(), static_cast<int>(payload.size()))) return false;
  GatewayAnswer answer{reply.id(), std::nullopt, reply.tick(), {}};
  if (calls_.erase(reply.id()) > 0) answer.text = json_of_reply(reply);
  else if (answer.text = std::move(*reply.mutable_json()); reply.error() != 0)
    answer.error = Error{static_cast<ErrorCode>(reply.error()), reply.text(), {}};
  gateway.answered(fleet, answer);
  return true;
}

}  // namespace convoy
