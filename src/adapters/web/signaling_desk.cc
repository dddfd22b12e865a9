#include "adapters/web/signaling_desk.h"

#include <algorithm>

#include "adapters/web/json_text.h"

namespace convoy::web {

namespace {

constexpr const char* kVersion = "1.3.0";

// A field that is text; nullptr: it lacks, or is something else.
const std::string* text_in(const nlohmann::json& json, const char* field) {
  const auto at = json.find(field);
  return at == json.end() ? nullptr : at->get_ptr<const std::string*>();
}

// Ids are shown to people and stand in addresses.
bool printable(const std::string& id) {
  return std::all_of(id.begin(), id.end(), [](unsigned char c) { return c > 0x20 && c != 0x7f; });
}

}  // namespace

std::size_t SignalingDesk::streamers_of_all() const {
  return static_cast<std::size_t>(std::count_if(members_.begin(), members_.end(),
                                                [](const auto& one) { return one.second.part == Part::kStreamer; }));
}

std::vector<std::string> SignalingDesk::streamers() const {
  std::vector<std::string> out;
  for (const auto& [id, who] : by_id_) out.push_back(id);
  return out;
}

void SignalingDesk::send(PageId who, const Json& message) { port_.send(who, text_message(dump(message))); }

void SignalingDesk::refuse(PageId who, const char* reason, const std::string& text) {
  ++refused_[reason];
  port_.close(who, CloseCode::kDenied, text);
}

void SignalingDesk::opened(PageId who, Part part, Moment now) {
  const std::size_t streamers = streamers_of_all();
  const bool full = part == Part::kStreamer ? streamers >= options_.max_streamers
                                            : members_.size() - streamers >= options_.max_players;
  if (full)
    return refuse(who, part == Part::kStreamer ? "too many streamers" : "too many players",
                  part == Part::kStreamer ? "too many streamers are here" : "too many players are here");
  members_[who] = {.part = part, .opened = now};
  Json servers = Json::array();
  for (const IceServer& one : options_.ice_servers()) {
    Json server{{"urls", Json::array({one.url})}};
    if (!one.username.empty()) server["username"] = one.username, server["credential"] = one.credential;
    servers.push_back(std::move(server));
  }
  send(who, {{"type", "config"},
             {"protocolVersion", kVersion},
             {"peerConnectionOptions", {{"iceServers", std::move(servers)}}}});
  if (part == Part::kStreamer) send(who, {{"type", "identify"}});
}

void SignalingDesk::closed(PageId who) {
  const auto at = members_.find(who);
  if (at == members_.end()) return;
  Member gone = std::move(at->second);
  members_.erase(at);
  if (gone.part == Part::kPlayer) return unsubscribe(who, gone);
  if (gone.id.empty()) return;
  by_id_.erase(gone.id);
  log_.line(LogLevel::kInfo, "streamer '" + gone.id + "' is gone");
  for (auto& [player, member] : members_) {
    if (member.part != Part::kPlayer || member.streamer != who) continue;
    member.streamer = 0;
    send(player, {{"type", "streamerDisconnected"}});
  }
}

void SignalingDesk::on_time(Moment now) {
  for (auto& [who, member] : members_)
    if (member.part == Part::kStreamer && member.id.empty() && now - member.opened >= kSilence) {
      member.opened = now;  // said once
      refuse(who, "silent streamer", "it has not said its id");
    }
}

void SignalingDesk::text(PageId who, std::string_view text) {
  const auto at = members_.find(who);
  if (at == members_.end()) return;
  Json message = Json::parse(text, nullptr, false);
  const std::string* const type = message.is_object() ? text_in(message, "type") : nullptr;
  if (type == nullptr) return refuse(who, "malformed message", "a message is a JSON object with a type");
  const std::string kind = *type;
  if (kind == "ping") {
    const auto time = message.find("time");
    return send(who, {{"type", "pong"}, {"time", time != message.end() && time->is_number() ? *time : Json(0)}});
  }
  if (kind == "pong") return;
  if (at->second.part == Part::kStreamer) of_streamer(who, at->second, kind, std::move(message));
  else of_player(who, at->second, kind, std::move(message));
}

// ---- streamers

void SignalingDesk::identified(PageId who, Member& streamer, const Json& message) {
  const std::string* const wanted = text_in(message, "id");
  if (wanted == nullptr || wanted->empty() || wanted->size() > kMaxId || !printable(*wanted))
    return refuse(who, "malformed message", "endpointId has an id of 1 to 128 bytes without spaces");
  std::string id = *wanted;
  for (int copy = 2; by_id_.contains(id) && by_id_[id] != who; ++copy) id = *wanted + "-" + std::to_string(copy);
  if (const bool another = !streamer.id.empty() && streamer.id != id; another) {
    by_id_.erase(streamer.id);
    for (const auto& [player, member] : members_)
      if (member.part == Part::kPlayer && member.streamer == who)
        send(player, {{"type", "streamerIdChanged"}, {"newID", id}});
  }
  if (streamer.id != id) log_.line(LogLevel::kInfo, "streamer '" + id + "' is here");
  streamer.id = id;
  by_id_[id] = who;
  send(who, {{"type", "endpointIdConfirm"}, {"committedId", id}});
}

SignalingDesk::Member* SignalingDesk::player_of(PageId streamer, const Json& message, PageId& player) {
  const std::string* const name = text_in(message, "playerId");
  if (name == nullptr || !name->starts_with(options_.prefix)) return nullptr;
  const std::string number = name->substr(options_.prefix.size());
  if (number.empty() || number.size() > 19 || number.find_first_not_of("0123456789") != number.npos) return nullptr;
  player = std::stoull(number);
  const auto at = members_.find(player);
  const bool its = at != members_.end() && at->second.part == Part::kPlayer && at->second.streamer == streamer;
  return its ? &at->second : nullptr;
}

void SignalingDesk::of_streamer(PageId who, Member& streamer, const std::string& type, Json message) {
  if (type == "endpointId") return identified(who, streamer, message);
  const bool goes_on = type == "offer" || type == "answer" || type == "iceCandidate";
  if (!goes_on && type != "disconnectPlayer") return void(++refused_["unknown message"]);
  PageId player = 0;
  Member* const member = player_of(who, message, player);
  if (member == nullptr) return void(++refused_["unknown player"]);  // one that has just gone
  if (goes_on) {
    message.erase("playerId");
    return send(player, message);
  }
  const std::string* const reason = text_in(message, "reason");
  member->streamer = 0;
  port_.close(player, CloseCode::kOver, reason != nullptr && !reason->empty() ? *reason : "the streamer has ended it");
}

// ---- players

void SignalingDesk::subscribe(PageId who, Member& player, const Json& message) {
  const std::string* const id = text_in(message, "streamerId");
  const auto at = id == nullptr ? by_id_.end() : by_id_.find(*id);
  if (at == by_id_.end()) {
    ++refused_["unknown streamer"];
    return send(who,
                {{"type", "subscribeFailed"},
                 {"message", id == nullptr ? "subscribe has a streamerId" : "no streamer is called '" + *id + "'"}});
  }
  unsubscribe(who, player);
  player.streamer = at->second;
  send(player.streamer,
       {{"type", "playerConnected"}, {"playerId", name_of(who)}, {"dataChannel", true}, {"sfu", false}});
}

void SignalingDesk::unsubscribe(PageId who, Member& player) {
  const PageId streamer = std::exchange(player.streamer, 0);
  if (streamer != 0) send(streamer, {{"type", "playerDisconnected"}, {"playerId", name_of(who)}});
}

void SignalingDesk::of_player(PageId who, Member& player, const std::string& type, Json message) {
  if (type == "listStreamers") return send(who, {{"type", "streamerList"}, {"ids", streamers()}});
  if (type == "subscribe") return subscribe(who, player, message);
  if (type == "unsubscribe") return unsubscribe(who, player);
  if (type != "offer" && type != "answer" && type != "iceCandidate") return void(++refused_["unknown message"]);
  if (player.streamer == 0) return void(++refused_["no subscription"]);
  message["playerId"] = name_of(who);
  send(player.streamer, message);
}

}  // namespace convoy::web
