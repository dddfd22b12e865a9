#include "adapters/web/foxglove_desk.h"

#include <algorithm>

#include "adapters/web/foxglove_calls.h"
#include "adapters/web/json_text.h"

namespace convoy::web {

namespace {

using Json = nlohmann::json;

constexpr const char* kMyself = "convoy";  // in the graph

std::optional<std::uint32_t> number_of(const Json& json) {
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > 0xffffffffU) return std::nullopt;
  return json.get<std::uint32_t>();
}

WebMessage binary_message(Bytes bytes) { return {false, std::make_shared<const Bytes>(std::move(bytes))}; }

}  // namespace

void FoxgloveDesk::opened(PageId page, const WebOpening& opening) {
  const auto access = keys_.access_of_token(opening.token);
  if (!access) return port_.close(page, CloseCode::kDenied, "no such token");
  const bool sdk = opening.subprotocol == kFoxgloveSdk;
  clients_[page];
  clerk_.opened(page, *access, sdk);
  Json metadata = facts_;
  metadata["role"] = name_of(*access);
  Json info{{"op", "serverInfo"},
            {"name", "Convoy " + facts_.value("name", "")},
            {"capabilities", FoxgloveClerk::capabilities(*access, sdk)},
            {"supportedEncodings", {"json"}},
            {"metadata", std::move(metadata)},
            {"sessionId", session_}};
  if (sdk &&
      *access >= Access::kEdit) {  // it begins at 0; where it ends nobody knows, and it has no past to go back to
    const Json begin{{"sec", 0}, {"nsec", 0}},
        end{{"sec", time_ns_ / 1'000'000'000}, {"nsec", time_ns_ % 1'000'000'000}};
    info["dataStartTime"] = begin, info["dataEndTime"] = end;
  }
  clerk_.say(page, info);
  clerk_.say(page, {{"op", "advertise"}, {"channels", channels_.json_of(channels_.ids())}});
  if (*access >= Access::kEdit) clerk_.say(page, {{"op", "advertiseServices"}, {"services", foxglove_services()}});
  port_.send(page, binary_message(foxglove_time(time_ns_)));
  backend_.joined(page);
}

void FoxgloveDesk::closed(PageId page) {
  if (clients_.erase(page) == 0) return;
  clerk_.closed(page);
  backend_.left(page, holder_of_page(page), false);
  want();
}

void FoxgloveDesk::text(PageId page, std::string_view text) {
  const auto at = clients_.find(page);
  if (at == clients_.end()) return;
  const Json message = Json::parse(text, nullptr, false);
  if (!message.is_object() || !message.contains("op") || !message["op"].is_string())
    return clerk_.refuse(page, "malformed message", "a message is a JSON object with an op");
  const std::string op = message["op"];
  if (op == "subscribe") return subscribe(page, at->second, message);
  if (op == "unsubscribe") return unsubscribe(page, at->second, message);
  if (op == "subscribeConnectionGraph") return at->second.graph = true, tell_graph(page, {});
  if (op == "unsubscribeConnectionGraph") return void(at->second.graph = false);
  if (!clerk_.text(page, op, message))
    clerk_.refuse(page, "unknown message", "'" + op.substr(0, 40) + "' is nothing that this server does");
}

void FoxgloveDesk::binary(PageId page, ByteView bytes) {
  if (clients_.contains(page)) clerk_.binary(page, bytes);
}

void FoxgloveDesk::on_time(Moment now) { clerk_.on_time(now); }

// --- who gets what

void FoxgloveDesk::subscribe(PageId page, Client& client, const Json& message) {
  const Json all = message.value("subscriptions", Json());
  if (!all.is_array()) return clerk_.refuse(page, "malformed message", "subscribe has a list of subscriptions");
  for (const Json& one : all) {
    const auto id = one.is_object() ? number_of(one.value("id", Json())) : std::nullopt;
    const auto channel = one.is_object() ? number_of(one.value("channelId", Json())) : std::nullopt;
    if (!id || !channel) {
      clerk_.refuse(page, "malformed message", "a subscription has an id and a channelId, numbers");
      continue;
    }
    const FoxgloveChannel* found = channels_.find(*channel);
    const bool twice =
        client.channels.contains(*id) || std::any_of(client.channels.begin(), client.channels.end(),
                                                     [&](const auto& known) { return known.second == *channel; });
    if (!found) {
      clerk_.refuse(page, "unknown channel", "there is no channel " + std::to_string(*channel));
    } else if (twice) {
      clerk_.refuse(page, "twice", "subscription " + std::to_string(*id) + ": its id or its channel has one already");
    } else {
      client.channels.emplace(*id, *channel);
      send_kept(page, *id, found->topic);
    }
  }
  want();
}

void FoxgloveDesk::unsubscribe(PageId page, Client& client, const Json& message) {
  const Json all = message.value("subscriptionIds", Json());
  if (!all.is_array()) return clerk_.refuse(page, "malformed message", "unsubscribe has a list of subscriptionIds");
  for (const Json& one : all)
    if (const auto id = number_of(one); !id || client.channels.erase(*id) == 0)
      clerk_.refuse(page, "unknown subscription", "there is no such subscription");
  want();
}

// What is not wanted any more is no longer followed, so what is known of it goes stale.
void FoxgloveDesk::want() {
  wanted_.clear();
  for (const auto& [page, client] : clients_)
    for (const auto& [id, channel] : client.channels)
      if (const FoxgloveChannel* found = channels_.find(channel)) wanted_.insert(found->topic);
  if (!wanted_.contains(kFoxgloveScene)) scene_.clear();
  backend_.wants(wanted_);
}

void FoxgloveDesk::send_kept(PageId page, std::uint32_t subscription, const std::string& topic) const {
  if (const auto kept = kept_.find(topic); kept != kept_.end())
    port_.send(page, binary_message(foxglove_data(subscription, kept->second.time_ns, *kept->second.message)));
  if (topic != kFoxgloveScene) return;
  std::vector<SharedBytes> parts;
  for (const auto& [name, part] : scene_) parts.push_back(part);
  send_parts(page, subscription, parts);
}

// In protobuf messages behind one another are one message with all that is in them.
void FoxgloveDesk::send_parts(PageId page, std::uint32_t subscription, const std::vector<SharedBytes>& parts) const {
  Bytes update;
  const auto send = [&] {
    if (!update.empty()) port_.send(page, binary_message(foxglove_data(subscription, scene_ns_, update)));
    update.clear();
  };
  for (const SharedBytes& part : parts) {
    if (update.size() + part->size() > kMostOfUpdate) send();
    update.insert(update.end(), part->begin(), part->end());
  }
  send();
}

void FoxgloveDesk::publish(const std::string& topic, std::uint64_t time_ns, const SharedBytes& message, bool keep) {
  if (keep) kept_[topic] = {time_ns, message};
  const std::uint32_t channel = channels_.id_of(topic);
  if (channel == 0) return;
  const bool stream = channels_.find(channel)->stream;
  for (const auto& [page, client] : clients_)
    for (const auto& [id, its] : client.channels)
      if (its == channel && !(stream && port_.backlog(page) >= kMostUntaken))
        port_.send(page, binary_message(foxglove_data(id, time_ns, *message)));
}

void FoxgloveDesk::change_scene(std::uint64_t time_ns, const FoxgloveSceneChange& change) {
  scene_ns_ = time_ns;
  if (change.all) scene_.clear();
  std::vector<SharedBytes> parts;
  for (const auto& [name, part] : change.gone) scene_.erase(name), parts.push_back(part);
  for (const auto& [name, part] : change.set) scene_[name] = part, parts.push_back(part);
  const std::uint32_t channel = channels_.id_of(kFoxgloveScene);
  for (const auto& [page, client] : clients_)
    for (const auto& [id, its] : client.channels)
      if (its == channel) send_parts(page, id, parts);
}

void FoxgloveDesk::set_time(std::uint64_t time_ns) {
  time_ns_ = time_ns;
  clerk_.set_time(time_ns);
  const WebMessage message = binary_message(foxglove_time(time_ns));
  for (const auto& [page, client] : clients_)
    if (port_.backlog(page) < kMostUntaken) port_.send(page, message);
}

// --- which there are

void FoxgloveDesk::set_channels(const std::vector<FoxgloveChannel>& all) {
  const FoxgloveChannels::News news = channels_.set(all);
  std::erase_if(kept_, [&](const auto& one) { return channels_.id_of(one.first) == 0; });
  if (news.come.empty() && news.gone.empty()) return;
  for (auto& [page, client] : clients_) {
    if (!news.gone.empty()) clerk_.say(page, {{"op", "unadvertise"}, {"channelIds", news.gone}});
    if (!news.come.empty()) clerk_.say(page, {{"op", "advertise"}, {"channels", channels_.json_of(news.come)}});
    std::erase_if(client.channels, [&](const auto& one) { return !channels_.find(one.second); });
    if (client.graph) tell_graph(page, news.gone);
  }
  want();
}

void FoxgloveDesk::tell_graph(PageId page, const std::vector<std::uint32_t>& gone) {
  Json published = Json::array(), subscribed = Json::array(), served = Json::array();
  std::set<std::string> robots;
  for (const auto& [id, channel] : channels_.all()) {
    published.push_back({{"name", channel.topic}, {"publisherIds", {kMyself}}});
    if (!channel.robot.empty() && robots.insert(channel.robot).second)
      subscribed.push_back({{"name", "/" + channel.robot + "/cmd_vel"}, {"subscriberIds", {kMyself}}});
  }
  for (const std::string& name : foxglove_service_names())
    served.push_back({{"name", name}, {"providerIds", {kMyself}}});
  Json removed = Json::array();
  for (const std::uint32_t id : gone) removed.push_back(channels_.topic_of(id));
  clerk_.say(page, {{"op", "connectionGraphUpdate"},
                    {"publishedTopics", std::move(published)},
                    {"subscribedTopics", std::move(subscribed)},
                    {"advertisedServices", std::move(served)},
                    {"removedTopics", std::move(removed)},
                    {"removedServices", Json::array()}});
}

// --- the simulation goes and comes

void FoxgloveDesk::lose(const std::string& why) {
  clerk_.lose();
  for (const auto& [page, client] : clients_)
    clerk_.say(page, {{"op", "status"}, {"level", 2}, {"message", "the simulation is gone: " + why}});
}

void FoxgloveDesk::join_again() {
  for (const auto& [page, client] : clients_) backend_.joined(page);
  want();
}

}  // namespace convoy::web
