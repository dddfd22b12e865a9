#include "stream/broadcast.h"

#include <fmt/format.h>

#include <algorithm>

namespace convoy::stream {

namespace {

using Json = nlohmann::json;

const std::string* text_in(const Json& json, const char* field) {
  const auto at = json.find(field);
  return at == json.end() ? nullptr : at->get_ptr<const std::string*>();
}

std::vector<VideoIceServer> servers_in(const Json& config) {
  std::vector<VideoIceServer> out;
  const auto options = config.find("peerConnectionOptions");
  if (options == config.end() || !options->is_object()) return out;
  const auto servers = options->find("iceServers");
  if (servers == options->end() || !servers->is_array()) return out;
  for (const Json& one : *servers) {
    if (!one.is_object()) continue;
    VideoIceServer server;
    if (const std::string* name = text_in(one, "username")) server.username = *name;
    if (const std::string* secret = text_in(one, "credential")) server.credential = *secret;
    const auto urls = one.find("urls");
    if (urls == one.end()) continue;
    for (const Json& url : urls->is_array() ? *urls : Json::array({*urls}))
      if (const auto* text = url.get_ptr<const std::string*>()) server.url = *text, out.push_back(server);
  }
  return out;
}

// What the media of a description are called, in their order.
std::vector<std::string> mids_in(const std::string& sdp) {
  constexpr std::string_view kMid = "a=mid:";
  std::vector<std::string> out;
  for (std::size_t at = sdp.find(kMid); at != sdp.npos; at = sdp.find(kMid, at)) {
    at += kMid.size();
    out.push_back(sdp.substr(at, sdp.find_first_of("\r\n", at) - at));
  }
  return out;
}

}  // namespace

Broadcast::Broadcast(BroadcastOptions options, SignalingLine& line, BroadcastEvents& events, Log& log)
    : options_(std::move(options)),
      id_(options_.id),
      line_(line),
      events_(events),
      log_(log),
      audience_(options_.format, options_.direct, *this) {}

Broadcast::~Broadcast() {
  *alive_ = false;
  audience_.end();
}

void Broadcast::tell(const Json& message) { line_.send(message.dump(-1, ' ', false, Json::error_handler_t::replace)); }

void Broadcast::line_closed() {
  // Those that are not connected by now cannot be: their server knows them no more.
  std::vector<PlayerId> never;
  for (const auto& [id, player] : players_)
    if (!player.connected) never.push_back(id);
  for (const PlayerId& id : never) left(id);
}

void Broadcast::line_text(std::string_view text) {
  const Json message = Json::parse(text, nullptr, false);
  const std::string* const type = message.is_object() ? text_in(message, "type") : nullptr;
  if (type == nullptr) return;
  if (*type == "ping") return tell({{"type", "pong"}, {"time", message.value("time", Json(0))}});
  if (*type == "config") return void(servers_ = servers_in(message));
  if (*type == "identify") return tell({{"type", "endpointId"}, {"id", options_.id}, {"protocolVersion", "1.3.0"}});
  if (*type == "endpointIdConfirm") {
    if (const std::string* id = text_in(message, "committedId")) id_ = *id;
    return log_.line(LogLevel::kInfo, "players find this stream as '" + id_ + "'");
  }
  const std::string* const player = text_in(message, "playerId");
  if (player == nullptr) return;
  if (*type == "playerConnected") return joined(*player, message);
  if (*type == "playerDisconnected") return left(*player);
  if (!players_.contains(*player)) return;
  if (*type == "answer") {
    const std::string* const sdp = text_in(message, "sdp");
    const Status ok =
        sdp == nullptr ? fail(ErrorCode::kInvalid, "an answer has an sdp") : audience_.answer(*player, *sdp);
    if (!ok) drop(*player, ok.error().text);
  } else if (*type == "iceCandidate") {
    const auto given = message.find("candidate");
    if (given == message.end() || !given->is_object()) return;
    const std::string* const candidate = text_in(*given, "candidate");
    const auto line = given->find("sdpMLineIndex");
    if (candidate != nullptr && line != given->end() && line->is_number_unsigned() && line->get<std::uint64_t>() < 64)
      audience_.candidate(*player, *candidate, line->get<unsigned>());
  }
}

Status Broadcast::begin() {
  const auto begun = audience_.begin();
  if (!begun) log_.line(LogLevel::kWarn, id_ + ": " + begun.error().text);
  if (!begun) return tl::unexpected(begun.error());
  if (*begun)
    log_.line(LogLevel::kInfo,
              fmt::format("{}: {} x {}, {} pictures a second at most, by {}", id_, options_.format.width,
                          options_.format.height, options_.format.rate, audience_.encoder()));
  return {};
}

void Broadcast::direct_opened(const PlayerId& player, CodedPicture::Kind kind) {
  players_[player] = {.connected = true, .mids = {}};
  audience_.add_direct(player, kind);
  if (const Status ok = begin(); !ok) return drop(player, ok.error().text);
  greet(player);
}

void Broadcast::joined(const PlayerId& player, const Json& message) {
  if (message.value("sfu", Json(false)) == Json(true)) return drop(player, "this streamer serves no SFU");
  if (const Status ok = begin(); !ok) return drop(player, ok.error().text);
  left(player);  // one of that name from before
  players_[player] = {};
  if (auto ok = audience_.add(player, {servers_, options_.addresses}); !ok) {
    log_.line(LogLevel::kWarn, id_ + ": " + ok.error().text);
    drop(player, ok.error().text);
  }
}

void Broadcast::drop(const PlayerId& player, const std::string& why) {
  if (!audience_.close(player, why)) tell({{"type", "disconnectPlayer"}, {"playerId", player}, {"reason", why}});
  left(player);
}

void Broadcast::left(const PlayerId& player) {
  if (players_.erase(player) == 0) return;
  audience_.remove(player);
  events_.gone(player);
}

void Broadcast::respond(const PlayerId& player, const std::string& text) {
  send(player, text_to_player(ToPlayer::kResponse, text));
}

void Broadcast::send_away(const std::string& why) {
  while (!players_.empty()) drop(PlayerId(players_.begin()->first), why);
}

void Broadcast::on_second() {
  if (!wanted()) return;
  if (const auto kbit = audience_.adapt(); kbit && *kbit < options_.format.bitrate)
    log_.line(LogLevel::kInfo, fmt::format("{}: players lose packets: {} kbit/s from now on", id_, *kbit));
  else if (kbit) log_.line(LogLevel::kInfo, fmt::format("{}: {} kbit/s again", id_, *kbit));
}

// ---- players' words

void Broadcast::greet(const PlayerId& player) {
  send(player, text_to_player(ToPlayer::kProtocol, protocol_for_players()));
  send(player, flag_to_player(ToPlayer::kInputControl, true));
  send(player, flag_to_player(ToPlayer::kQualityControl, true));
}

void Broadcast::took(const PlayerId& player, ByteView bytes) {
  if (!players_.contains(player)) return;
  const auto message = parse_player_message(bytes);
  if (!message) return;
  if (const auto* question = std::get_if<LatencyQuestion>(&*message))
    return send(player, text_to_player(question->by_channel ? ToPlayer::kChannelLatency : ToPlayer::kLatency,
                                       question->text.empty() ? "{}" : question->text));
  if (const auto* echo = std::get_if<Echo>(&*message)) return send(player, text_to_player(ToPlayer::kEcho, echo->text));
  if (std::holds_alternative<WantsControl>(*message))
    return send(player, flag_to_player(ToPlayer::kQualityControl, true));
  if (std::holds_alternative<WantsSettings>(*message)) {
    const VideoFormat& format = options_.format;
    const Json settings{{"PixelStreaming", {{"AllowPixelStreamingCommands", false}, {"DisableLatencyTest", false}}},
                        {"Encoder", {{"TargetBitrate", format.bitrate * 1000}, {"MinQP", 4}, {"MaxQP", 56}}},
                        {"WebRTC", {{"FPS", format.rate}, {"MinBitrate", 0}, {"MaxBitrate", format.bitrate * 1000}}}};
    return send(player, text_to_player(ToPlayer::kSettings, settings.dump()));
  }
  events_.said(player, *message);
}

// ---- from the video's threads

void Broadcast::later(std::function<void()> work) {
  (void)options_.post([alive = alive_, work = std::move(work)] {
    if (*alive) work();
  });
}

void Broadcast::described(const PlayerId& player, std::string offer) {
  later([this, player, offer = std::move(offer)] {
    const auto at = players_.find(player);
    if (at == players_.end()) return;
    at->second.mids = mids_in(offer);
    Json message{{"type", "offer"}, {"playerId", player}, {"sdp", offer}};
    if (const std::string url = audience_.invitation(); !url.empty())
      message["direct"] = {{"url", url}, {"codec", options_.format.codec}};
    tell(message);
  });
}
void Broadcast::candidate(const PlayerId& player, std::string candidate, unsigned line) {
  later([this, player, candidate = std::move(candidate), line] {
    const auto at = players_.find(player);
    if (at == players_.end()) return;
    Json said{{"candidate", candidate}, {"sdpMLineIndex", line}, {"sdpMid", nullptr}};
    if (line < at->second.mids.size()) said["sdpMid"] = at->second.mids[line];
    tell({{"type", "iceCandidate"}, {"playerId", player}, {"candidate", std::move(said)}});
  });
}
void Broadcast::connected(const PlayerId& player) {
  later([this, player] {
    const auto at = players_.find(player);
    if (at != players_.end()) at->second.connected = true;
  });
}
void Broadcast::failed(const PlayerId& player) {
  later([this, player] {
    if (players_.contains(player)) drop(player, "the connection for the video failed");
  });
}
void Broadcast::channel(const PlayerId& player) {
  later([this, player] { greet(player); });
}
void Broadcast::message(const PlayerId& player, Bytes bytes) {
  later([this, player, bytes = std::move(bytes)] { took(player, bytes); });
}
void Broadcast::coded(CodedPicture picture) {
  later([this, picture = std::move(picture)] { audience_.coded(picture); });
}
void Broadcast::broken(std::string why) {
  later([this, why = std::move(why)] {
    log_.line(LogLevel::kWarn, id_ + ": " + why + "; the video begins anew");
    send_away(why);
    audience_.end();
  });
}

}  // namespace convoy::stream
