#include "adapters/web/foxglove_clerk.h"

#include <algorithm>

#include "adapters/web/foxglove_calls.h"
#include "adapters/web/json_text.h"
#include "roles/calls.h"

namespace convoy::web {

namespace {

using Json = nlohmann::json;

constexpr std::uint32_t kListParameters = 3;  // LookAtNodes

proto::Reply refusal(ErrorCode code, const std::string& text) {
  proto::Reply reply;
  reply.set_error(static_cast<std::uint32_t>(code)), reply.set_text(text);
  return reply;
}

// A list of that name in a message; nothing: there is none, or it has something else in it.
template <class T>
std::optional<std::vector<T>> list_in(const Json& message, const char* name, bool (*fits)(const Json&)) {
  const auto at = message.find(name);
  if (at == message.end() || !at->is_array() || !std::all_of(at->begin(), at->end(), fits)) return std::nullopt;
  return at->get<std::vector<T>>();
}
bool is_text(const Json& json) { return json.is_string(); }
bool is_number(const Json& json) { return json.is_number_unsigned() && json.get<std::uint64_t>() <= 0xffffffffU; }
bool is_named(const Json& json) { return json.is_object() && json.contains("name") && json["name"].is_string(); }

// The reply to a request that wants one carries its id.
Json with_id(Json out, const Json& message) {
  if (const auto id = message.find("id"); id != message.end() && id->is_string()) out["id"] = *id;
  return out;
}

}  // namespace

Json FoxgloveClerk::capabilities(Access access, bool sdk) {
  Json out{"time", "parameters", "parametersSubscribe", "connectionGraph"};
  if (access >= Access::kDrive) out.push_back("clientPublish");
  if (access >= Access::kEdit) out.push_back("services");
  if (access >= Access::kEdit && sdk) out.push_back("playbackControl");
  return out;
}

void FoxgloveClerk::opened(PageId page, Access access, bool sdk) {
  askers_[page] = {.access = access, .playback = sdk && access >= Access::kEdit};
}

void FoxgloveClerk::closed(PageId page) {
  askers_.erase(page);
  std::vector<Done> ended;
  std::erase_if(open_, [&](auto& one) {
    if (one.second.page == page) ended.push_back(std::move(one.second.done));
    return one.second.page == page;
  });
  for (const Done& done : ended) done(refusal(ErrorCode::kUnavailable, "it is closed"));
}

void FoxgloveClerk::say(PageId page, const Json& message) const { port_.send(page, text_message(dump(message))); }

void FoxgloveClerk::refuse(PageId page, const char* reason, const std::string& text) {
  constexpr int kError = 2;
  ++refused_[reason];
  say(page, {{"op", "status"}, {"level", kError}, {"message", text}});
}

void FoxgloveClerk::ask(PageId page, proto::Request request, Done done) {
  const auto at = askers_.find(page);
  if (at == askers_.end()) return;
  Asker& asker = at->second;
  if (const Access least = needed(request); asker.access < least) {
    ++refused_["role"];
    return done(refusal(ErrorCode::kDenied, std::string("this needs the role ") + name_of(least) + "; the link gives " +
                                                name_of(asker.access)));
  }
  if (asker.calls >= kMostCalls) {
    ++refused_["too many calls"];
    return done(refusal(ErrorCode::kUnavailable, std::to_string(kMostCalls) + " calls wait already"));
  }
  ++asker.calls;
  request.set_holder(holder_of_page(page));
  open_[++calls_] = {page, std::move(done)};
  backend_.ask(page, calls_, std::move(request));
}

void FoxgloveClerk::answered(std::uint64_t id, const proto::Reply& reply) {
  auto node = open_.extract(id);
  if (node.empty()) return;
  if (const auto at = askers_.find(node.mapped().page); at != askers_.end() && at->second.calls > 0) --at->second.calls;
  node.mapped().done(reply);
}

void FoxgloveClerk::lose() {
  for (const std::uint64_t last = calls_; !open_.empty() && open_.begin()->first <= last;)
    answered(open_.begin()->first, refusal(ErrorCode::kUnavailable, "the simulation is gone"));
}

void FoxgloveClerk::set_run(bool paused, double speed) {
  const bool other = paused != paused_ || speed != speed_;
  paused_ = paused, speed_ = speed;
  tell_parameters(parameters_.set_run(paused, speed));
  if (!other) return;
  for (const auto& [page, asker] : askers_)
    if (asker.playback) tell_playback(page, {});
}

void FoxgloveClerk::on_time(Moment now) {
  if (now < next_parameters_) return;
  for (const auto& [page, asker] : askers_) {
    const auto of_nodes = [](const std::string& name) { return !FoxgloveParameters::is_ours(name); };
    if (std::none_of(asker.parameters.begin(), asker.parameters.end(), of_nodes)) continue;
    next_parameters_ = now + kParametersEvery;
    return learn_parameters(page, [] {});
  }
}

bool FoxgloveClerk::text(PageId page, const std::string& op, const Json& message) {
  const auto at = askers_.find(page);
  if (at == askers_.end()) return false;
  if (op == "advertise") return advertise(page, at->second, message), true;
  if (op == "unadvertise") return unadvertise(page, at->second, message), true;
  if (op == "getParameters") return get_parameters(page, message), true;
  if (op == "setParameters") return set_parameters(page, message), true;
  if (op == "subscribeParameterUpdates") return follow_parameters(page, at->second, message, true), true;
  if (op == "unsubscribeParameterUpdates") return follow_parameters(page, at->second, message, false), true;
  return false;
}

void FoxgloveClerk::binary(PageId page, ByteView bytes) {
  const auto asked = read_foxglove(bytes);
  if (!asked) return refuse(page, "malformed message", "a binary message of no kind, or one that is cut");
  std::visit([&](const auto& one) { take(page, one); }, *asked);
}

// --- robots that it drives

void FoxgloveClerk::advertise(PageId page, Asker& asker, const Json& message) {
  const auto all = list_in<Json>(message, "channels", [](const Json& json) { return json.is_object(); });
  if (!all) return refuse(page, "malformed message", "advertise has a list of channels");
  for (const Json& one : *all) {
    const Json id = one.value("id", Json()), topic = one.value("topic", Json());
    if (!is_number(id) || !topic.is_string()) {
      refuse(page, "malformed message", "a channel has an id, a number, and a topic");
      continue;
    }
    const std::string name = topic;
    const auto robot = driven_by(name);
    if (asker.access < Access::kDrive)
      refuse(page, "role", "publishing needs the role drive; the link gives " + std::string(name_of(asker.access)));
    else if (!robot || one.value("encoding", Json()) != "json")
      refuse(page, "unknown topic", "what is taken is /ROBOT/cmd_vel in json, not '" + name.substr(0, 100) + "'");
    else if (asker.drives.size() >= kMostPublished)
      refuse(page, "too many channels", std::to_string(kMostPublished) + " channels are there already");
    else asker.drives[id.get<std::uint32_t>()] = *robot;
  }
}

void FoxgloveClerk::unadvertise(PageId page, Asker& asker, const Json& message) {
  const auto ids = list_in<std::uint32_t>(message, "channelIds", is_number);
  if (!ids) return refuse(page, "malformed message", "unadvertise has a list of channelIds");
  for (const std::uint32_t id : *ids) asker.drives.erase(id);
}

void FoxgloveClerk::take(PageId page, const FoxglovePublished& published) {
  const auto at = askers_.find(page);
  if (at == askers_.end()) return;
  const auto robot = at->second.drives.find(published.channel);
  if (robot == at->second.drives.end())
    return refuse(page, "unknown channel", "a message of a channel that was not advertised");
  auto call = call_of_twist(robot->second, Json::parse(as_text(published.bytes), nullptr, false));
  if (!call) return refuse(page, "malformed message", call.error().text);
  ask(page, std::move(*call), [this, page, name = robot->second](const proto::Reply& reply) {
    constexpr int kWarning = 1;
    if (const std::string why = failure_of(reply); !why.empty() && askers_.contains(page))
      say(page, {{"op", "status"}, {"level", kWarning}, {"message", "/" + name + "/cmd_vel: " + why}});
  });
}

// --- services

void FoxgloveClerk::take(PageId page, const FoxgloveCall& call) {
  const auto fail_with = [this, page, service = call.service, number = call.call](const std::string& why) {
    say(page, {{"op", "serviceCallFailure"}, {"serviceId", service}, {"callId", number}, {"message", why}});
  };
  const Json json = call.bytes.empty() ? Json::object() : Json::parse(as_text(call.bytes), nullptr, false);
  auto request = call.encoding == "json" ? call_of_service(call.service, json)
                                         : fail(ErrorCode::kUnsupported, "requests are in json");
  if (!request) return ++refused_["malformed call"], fail_with(request.error().text);
  ask(page, std::move(*request), [this, page, fail_with, out = call](const proto::Reply& reply) mutable {
    if (!askers_.contains(page)) return;
    if (const std::string why = failure_of(reply); !why.empty()) return fail_with(why);
    const std::string text = dump(response_of(reply));
    out.bytes.assign(text.begin(), text.end());
    port_.send(page, {false, std::make_shared<const Bytes>(foxglove_response(out))});
  });
}

// --- parameters

void FoxgloveClerk::learn_parameters(PageId page, const std::function<void()>& then) {
  proto::Request request;
  request.mutable_nodes()->set_kind(kListParameters);
  ask(page, std::move(request), [this, then](const proto::Reply& reply) {
    if (reply.error() == 0) tell_parameters(parameters_.set_nodes(Json::parse(reply.json(), nullptr, false)));
    then();
  });
}

void FoxgloveClerk::get_parameters(PageId page, const Json& message) {
  const auto names = list_in<std::string>(message, "parameterNames", is_text);
  if (!names) return refuse(page, "malformed message", "getParameters has a list of parameterNames");
  const auto tell = [this, page, names = *names, message] {
    say(page, with_id({{"op", "parameterValues"}, {"parameters", parameters_.json_of(names)}}, message));
  };
  if (!names->empty() && std::all_of(names->begin(), names->end(), FoxgloveParameters::is_ours)) return tell();
  learn_parameters(page, tell);
}

void FoxgloveClerk::set_parameters(PageId page, const Json& message) {
  const auto all = list_in<Json>(message, "parameters", is_named);
  if (!all) return refuse(page, "malformed message", "setParameters has a list of parameters with names");
  std::vector<std::string> names;
  for (const Json& one : *all) names.push_back(one["name"]);
  if (names.empty()) return say(page, with_id({{"op", "parameterValues"}, {"parameters", Json::array()}}, message));
  // When the last of them is set, all are told as they are then.
  auto left = std::make_shared<std::size_t>(all->size());
  const auto done = [this, page, message, names, left] {
    if (--*left > 0) return;
    Json ask_for{{"op", "getParameters"}, {"parameterNames", names}};
    if (askers_.contains(page) && message.contains("id")) get_parameters(page, with_id(std::move(ask_for), message));
  };
  for (const Json& one : *all) {
    const std::string name = one["name"];
    const Json value = one.value("value", Json());
    auto call = call_of_parameter(name, value);
    if (!call) {
      refuse(page, "malformed call", call.error().text);
      done();
      continue;
    }
    ask(page, std::move(*call), [this, page, name, value, done](const proto::Reply& reply) {
      if (const std::string why = failure_of(reply); !why.empty()) {
        if (askers_.contains(page)) say(page, {{"op", "status"}, {"level", 2}, {"message", name + ": " + why}});
      } else if (name == kPausedParameter) {
        set_run(value.get<bool>(), speed_);
      } else if (name == kSpeedParameter) {
        set_run(paused_, value.get<double>());
      }
      done();
    });
  }
}

void FoxgloveClerk::follow_parameters(PageId page, Asker& asker, const Json& message, bool on) {
  const auto names = list_in<std::string>(message, "parameterNames", is_text);
  if (!names || names->size() > kMostCalls * kMostCalls)
    return refuse(page, "malformed message", "a list of parameterNames is missing, or too long");
  if (names->empty() && !on) return asker.parameters.clear();
  if (names->empty()) asker.parameters.insert("");
  for (const std::string& name : *names)
    if (on && asker.parameters.size() < kMostCalls * kMostCalls) asker.parameters.insert(name);
    else asker.parameters.erase(name);
}

void FoxgloveClerk::tell_parameters(const std::set<std::string>& names) const {
  if (names.empty()) return;
  for (const auto& [page, asker] : askers_) {
    std::vector<std::string> its;
    for (const std::string& name : names)
      if (asker.parameters.contains(name) || asker.parameters.contains("")) its.push_back(name);
    if (!its.empty()) say(page, {{"op", "parameterValues"}, {"parameters", parameters_.json_of(its)}});
  }
}

// --- the run's time

void FoxgloveClerk::take(PageId page, const FoxglovePlay& play) {
  if (const auto at = askers_.find(page); at == askers_.end() || !at->second.playback)
    return refuse(page, "role", "playback is for foxglove.sdk.v1, and needs the role edit");
  std::vector<std::pair<const char*, Json>> wishes;
  if (play.pause != paused_) wishes.emplace_back(kPausedParameter, play.pause);
  if (play.speed > 0 && static_cast<float>(speed_) != play.speed) wishes.emplace_back(kSpeedParameter, play.speed);
  if (wishes.empty()) return tell_playback(page, play.request);
  auto left = std::make_shared<std::size_t>(wishes.size());
  for (const auto& [name, value] : wishes) {
    auto call = call_of_parameter(name, value);
    if (!call) return refuse(page, "malformed call", call.error().text);
    ask(page, std::move(*call), [this, page, left, play, name = std::string(name)](const proto::Reply& reply) {
      if (const std::string why = failure_of(reply); !why.empty()) {
        if (askers_.contains(page)) say(page, {{"op", "status"}, {"level", 2}, {"message", why}});
      } else if (name == kPausedParameter) {
        set_run(play.pause, speed_);
      } else {
        set_run(paused_, play.speed);
      }
      if (--*left == 0 && askers_.contains(page)) tell_playback(page, play.request);
    });
  }
}

void FoxgloveClerk::tell_playback(PageId page, const std::string& request) const {
  port_.send(
      page,
      {false, std::make_shared<const Bytes>(foxglove_playback(
                  {.paused = paused_, .time_ns = time_ns_, .speed = static_cast<float>(speed_), .request = request}))});
}

}  // namespace convoy::web
