#include "stream/players.h"

#include <algorithm>
#include <vector>

#include "roles/call_text.h"
#include "world/edit.h"

namespace convoy::stream {

namespace {

using Json = nlohmann::json;

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string event(const char* level, const std::string& text) {
  return text_of({{"event", {{"level", level}, {"text", text}}}});
}

}  // namespace

void Players::on_opened(LinkId link, Moment now) {
  for (auto& [player, actor] : acting_) (void)actor.session->on_opened(link, now);
}
void Players::on_bytes(LinkId link, ByteView bytes, Moment now) {
  for (auto& [player, actor] : acting_) actor.session->on_bytes(link, bytes, now);
}
void Players::on_closed(LinkId link, Moment now) {
  for (auto& [player, actor] : acting_) actor.session->on_closed(link, now);
}

Moment Players::deadline() const {
  Moment out = leaving_.empty() ? kNever : Moment{};
  for (const auto& [player, actor] : acting_) out = std::min({out, actor.session->deadline(), actor.drive.deadline()});
  return out;
}

void Players::on_time(Moment now) {
  leaving_.clear();
  std::vector<PlayerId> ended;
  for (auto& one : acting_) {
    Actor& actor = one.second;
    if (const auto command = actor.drive.due(now)) {
      proto::Request request;
      proto::Drive& drive = *request.mutable_drive();
      drive.set_name(actor.drive.robot());
      drive.set_forward(command->forward), drive.set_turn(command->turn);
      drive.set_timeout(seconds(PlayerDrive::kRules));
      actor.session->ask(std::move(request), [&actor](const proto::Reply& reply) {
        if (reply.error() == 0 || actor.drive.robot().empty()) return;
        actor.drive = {};
        actor.respond(text_of({{"driving", nullptr}}));
        actor.respond(event("error", reply.text()));
      });
    }
    actor.session->on_time(now);
    if (actor.session->welcome() && !std::exchange(actor.told, true))
      actor.respond(text_of({{"welcome", Json::object()}}));
    if (const auto end = actor.session->end()) {
      actor.respond(event("error", end->text));
      actor.respond(text_of({{"driving", nullptr}}));
      ended.push_back(one.first);
    }
  }
  for (const PlayerId& player : ended) acting_.erase(player);
}

void Players::gone(const PlayerId& player) {
  const auto at = acting_.find(player);
  if (at == acting_.end()) return;
  // Its leases end with its connection, which is closed when what is in it has left.
  leaving_[player] = std::move(at->second.session);
  acting_.erase(at);
}

bool Players::said(const PlayerId& player, const PlayerMessage& message, const Respond& respond, Moment now) {
  if (const auto* interaction = std::get_if<Interaction>(&message))
    return text(player, interaction->text, respond, now), true;
  const auto at = acting_.find(player);
  return at != acting_.end() && at->second.drive.take(message, now);
}

void Players::text(const PlayerId& player, const std::string& said, const Respond& respond, Moment now) {
  const Json json = said.size() > kMaxText ? Json() : Json::parse(said, nullptr, false);
  if (!json.is_object() || json.size() != 1) return respond(event("error", "a message is an object with one member"));
  const std::string& kind = json.begin().key();
  const Json& value = *json.begin();
  if (kind == "hello") return hello(player, value, respond, now);
  const auto at = acting_.find(player);
  if (at == acting_.end())
    return respond(event("error", "this needs a hello with credentials: without, a player may only look"));
  if (kind == "call") return call(at->second, value);
  if (kind == "drive") return drive(at->second, value);
  respond(event("error", "'" + kind.substr(0, 40) + "' is no message: hello, call, drive"));
}

void Players::hello(const PlayerId& player, const Json& value, const Respond& respond, Moment now) {
  const auto given = value.is_object() ? value.find("credentials") : value.end();
  const auto* credentials = value.is_object() && given != value.end() ? given->get_ptr<const std::string*>() : nullptr;
  if (credentials == nullptr) return respond(event("error", "hello has credentials, as text"));
  gone(player);
  if (acting_.size() >= kMaxActing) return respond(event("error", std::to_string(kMaxActing) + " players act already"));
  SessionOptions session = session_;
  session.name.clear();  // the server chooses
  session.credentials = [text = *credentials] { return text; };
  Actor& actor = acting_[player];
  actor.respond = respond;
  actor.session =
      std::make_unique<PlayerSession>(std::move(session), "video/player" + std::to_string(++holders_), network_, now);
}

void Players::call(Actor& actor, const Json& value) {
  const auto id = value.is_object() ? value.find("id") : value.end();
  if (!value.is_object() || id == value.end() || !id->is_number_unsigned() || !value.contains("request"))
    return actor.respond(event("error", "a call has an id, a number, and a request, an object"));
  const auto number = id->get<std::uint64_t>();
  auto request = call_of_json(text_of(value["request"]));
  if (!request) {
    proto::Reply refusal;
    refusal.set_error(static_cast<std::uint32_t>(request.error().code)), refusal.set_text(request.error().text);
    return actor.respond(reply_for_page(number, refusal));
  }
  actor.session->ask(std::move(*request),
                     [&actor, number](const proto::Reply& reply) { actor.respond(reply_for_page(number, reply)); });
}

void Players::drive(Actor& actor, const Json& value) {
  const std::string before = actor.drive.robot();
  actor.drive = {};
  if (!before.empty()) {
    proto::Request back;
    back.mutable_lease()->set_kind(static_cast<std::uint32_t>(Lease::Kind::kGiveBack));
    back.mutable_lease()->add_names(before);
    actor.session->ask(std::move(back), [](const proto::Reply&) {});
  }
  if (value.is_null()) return actor.respond(text_of({{"driving", nullptr}}));
  const auto* name = value.get_ptr<const std::string*>();
  const auto pace = name == nullptr ? std::nullopt : pace_of_(*name);
  if (!pace)
    return actor.respond(
        event("error", name == nullptr ? "drive has a robot's name, or null" : "there is no robot '" + *name + "'"));
  proto::Request lease;
  lease.mutable_lease()->set_kind(static_cast<std::uint32_t>(Lease::Kind::kTake));
  lease.mutable_lease()->add_names(*name);
  actor.session->ask(std::move(lease), [&actor, name = *name, pace = *pace](const proto::Reply& reply) {
    if (reply.error() != 0) return actor.respond(event("error", reply.text()));
    actor.drive.begin(name, pace.speed, pace.turn);
    actor.respond(text_of({{"driving", {{"name", name}, {"speed", pace.speed}, {"turn", pace.turn}}}}));
  });
}

}  // namespace convoy::stream
