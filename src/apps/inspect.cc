#include "apps/inspect.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "apps/ctl.h"
#include "apps/nodes_look.h"
#include "apps/prepare.h"
#include "core/nearest.h"
#include "core/utf8.h"
#include "os/clock.h"
#include "os/signals.h"
#include "os/standard_streams.h"

namespace convoy::apps {

namespace {

using Json = nlohmann::ordered_json;

constexpr auto kPoll = std::chrono::milliseconds(200);
constexpr auto kSettle = std::chrono::milliseconds(50);  // between checks whether a parameter is set

// There is none of that name among these: what is near, or which command shows them.
int complain_of(const char* what, const std::string& name, const std::vector<std::string>& names,
                const char* shown_by) {
  const std::string near = nearest_name(name, names);
  return complain(std::string("no ") + what + " '" + name + "'" +
                      (near.empty() ? std::string("; ") + shown_by + " shows them" : "; did you mean '" + near + "'?"),
                  kFailed);
}

// Is there such a topic? What is near, if not.
int check_topic(const Arguments& a) {
  const NodesReply all = look(a, 0, 0, "");
  if (all.code != kOk) return all.code;
  std::vector<std::string> names;
  for (const Json& t : all.data["topics"]) names.push_back(t["name"]);
  if (std::find(names.begin(), names.end(), a.look.topic) != names.end()) return kOk;
  return complain_of("topic", a.look.topic, names, "convoy topic list");
}

// Calls `take` with what was published since, until it returns that it is enough, or Ctrl-C.
template <class Take>
int watch(const Arguments& a, const Take& take) {
  if (const int code = check_topic(a); code != kOk) return code;
  std::atomic<bool> interrupted{false};
  const os::Signals signals([&](int) { interrupted = true; });
  const std::uint64_t watcher = new_watcher();
  int code = kOk;
  for (bool enough = false; !enough && !interrupted && !os::stdout_failed();) {
    const NodesReply now = look(a, 1, watcher, a.look.topic);
    if (now.code != kOk) return now.code;  // the run is over, or the server gone
    enough = take(now.data);
    if (!enough) std::this_thread::sleep_for(kPoll);
  }
  if (interrupted) code = kInterrupted;
  (void)look(a, 2, watcher, a.look.topic);
  return code;
}

std::string at(const Json& message) {
  const std::int64_t ns = message["at_ns"];
  return fmt::format("{}.{:09}", ns / 1'000'000'000, ns % 1'000'000'000);
}

NodesReply parameters(const Arguments& a) {
  NodesReply found = look(a, 3, 0, a.look.node);
  if (found.code == kOk && found.data["parameters"].empty())
    found.code = complain(
        a.look.node.empty() ? "no node has parameters" : "no node '" + a.look.node + "'; convoy param list shows them",
        kFailed);
  return found;
}

// The parameter's line, or null after having complained.
Json parameter(const Arguments& a, int& code) {
  const NodesReply found = parameters(a);
  code = found.code;
  if (code != kOk) return {};
  std::vector<std::string> names;
  for (const Json& p : found.data["parameters"]) {
    if (p["name"] == a.look.parameter) return p;
    names.push_back(p["name"]);
  }
  code = complain(
      fmt::format("'{}' has no parameter '{}'; it has: {}", a.look.node, a.look.parameter, fmt::join(names, ", ")),
      kFailed);
  return {};
}

std::string domain_of(const Json& line) {
  return line["domain"] == 0 ? "" : fmt::format(", domain {}", line["domain"].get<int>());
}

void print_table(const Json& lines, const char* givers, const char* takers) {
  std::size_t name = 5, type = 4;
  for (const Json& l : lines)
    name = std::max(name, l["name"].get<std::string>().size()),
    type = std::max(type, l["type"].get<std::string>().size());
  for (const Json& l : lines)
    os::print("{:<{}}  {:<{}}  {} {}, {} {}, {} so far{}\n", l["name"].get<std::string>(), name,
              l["type"].get<std::string>(), type, l[givers].get<int>(), givers, l[takers].get<int>(), takers,
              l["count"].get<std::uint64_t>(), domain_of(l));
}

// Of topics or services, a line each.
int list_of(const Arguments& a, const char* what, const char* givers, const char* takers) {
  const NodesReply all = look(a, 0, 0, "");
  if (all.code != kOk) return all.code;
  if (a.json) os::print("{}\n", Json{{what, all.data[what]}}.dump());
  else print_table(all.data[what], givers, takers);
  return kOk;
}

// The answer to a call that gives nodes something, or nothing after having complained.
std::optional<proto::Reply> given(const Arguments& a, const proto::Request& request, int& code) {
  Answered answered = ask(a, request);
  code = answered.code;
  if (!answered.reply && code == kOk) code = kFailed;
  if (answered.reply && answered.reply->error() != 0) code = complain(answered.reply->text(), kFailed);
  if (code != kOk) return std::nullopt;
  return std::move(answered.reply);
}

// False: interrupted meanwhile.
bool sleep_until(Moment due, const std::atomic<bool>& interrupted) {
  for (Moment now = os::now(); now < due && !interrupted; now = os::now())
    std::this_thread::sleep_for(std::min<Duration>(due - now, kSettle));
  return !interrupted;
}

template <class Message>
int fill(const Arguments& a, Message& message) {
  // What is no UTF-8 would be no call.
  for (const std::string* text : {&a.look.topic, &a.look.service, &a.look.value, &a.look.type, &a.look.agent})
    if (!is_utf8(*text)) return complain("the arguments are not UTF-8", kUsage);
  message.set_type(a.look.type), message.set_yaml(a.look.value), message.set_agent(a.look.agent);
  return kOk;
}

}  // namespace

int topic_pub(const Arguments& a) {
  proto::Request request;
  request.mutable_publish()->set_topic(a.look.topic);
  if (const int code = fill(a, *request.mutable_publish()); code != kOk) return code;
  std::atomic<bool> interrupted{false};
  const os::Signals signals([&](int) { interrupted = true; });
  const Moment began = os::now();
  for (std::uint64_t i = 0; a.look.times == 0 || i < a.look.times; ++i) {
    const auto after = Duration(static_cast<std::int64_t>(static_cast<double>(i) / a.look.rate * 1e9));
    if (!sleep_until(began + after, interrupted)) return kInterrupted;
    int code = kOk;
    const auto reply = given(a, request, code);
    if (!reply) return code;
    if (a.json) os::print("{}\n", Json{{"tick", reply->tick()}}.dump());
    else os::print("published at tick {}\n", reply->tick());
    os::flush_stdout();
    if (os::stdout_failed()) break;
  }
  return kOk;
}

int service_call(const Arguments& a) {
  proto::Request request;
  const std::uint64_t id = new_watcher();
  request.mutable_call_service()->set_service(a.look.service);
  request.mutable_call_service()->set_id(id);
  if (const int code = fill(a, *request.mutable_call_service()); code != kOk) return code;
  std::atomic<bool> interrupted{false};
  const os::Signals signals([&](int) { interrupted = true; });
  int code = kOk;
  const auto called = given(a, request, code);
  if (!called) return code;
  const Moment until = os::now() + Duration(static_cast<std::int64_t>(a.look.timeout * 1e9));
  while (true) {
    const NodesReply now = look(a, 5, id, "");
    if (now.code != kOk) return now.code;
    if (const Json& responses = now.data["responses"]; !responses.empty()) {
      const Json& response = responses[0];
      if (!response["error"].get<std::string>().empty()) return complain(response["error"].get<std::string>(), kFailed);
      os::print("{}", a.json ? response.dump() + "\n" : response["yaml"].get<std::string>());
      return kOk;
    }
    if (os::now() >= until)
      return complain(fmt::format("no response within {:g} s; the call is of tick {}, and the run is at tick {}",
                                  a.look.timeout, called->tick(), now.tick),
                      kFailed);
    if (!sleep_until(os::now() + kSettle, interrupted)) return kInterrupted;
  }
}

int service_list(const Arguments& a) { return list_of(a, "services", "servers", "clients"); }

int node_list(const Arguments& a) {
  const NodesReply all = look(a, 4, 0, "");
  if (all.code != kOk) return all.code;
  if (a.json) os::print("{}\n", all.data.dump());
  else
    for (const Json& n : all.data["nodes"]) os::print("{}{}\n", n["name"].get<std::string>(), domain_of(n));
  return kOk;
}

int node_info(const Arguments& a) {
  const NodesReply found = look(a, 4, 0, a.look.node);
  if (found.code != kOk) return found.code;
  if (found.data["nodes"].empty()) {
    const NodesReply all = look(a, 4, 0, "");
    if (all.code != kOk) return all.code;
    std::vector<std::string> names;
    for (const Json& n : all.data["nodes"]) names.push_back(n["name"]);
    return complain_of("node", a.look.node, names, "convoy node list");
  }
  if (a.json) {
    os::print("{}\n", found.data.dump());
    return kOk;
  }
  for (const Json& n : found.data["nodes"]) {
    os::print("{}\nrobot       {}{}\n", n["name"].get<std::string>(), n["agent"].get<std::string>(), domain_of(n));
    for (const char* what : {"publishes", "subscribes", "serves", "calls"})
      for (const Json& one : n[what])
        os::print("{:<10}  {}  {}\n", what, one["name"].get<std::string>(), one["type"].get<std::string>());
  }
  return kOk;
}

int topic_list(const Arguments& a) {
  const NodesReply all = look(a, 0, 0, "");
  if (all.code != kOk) return all.code;
  if (a.json) {
    os::print("{}\n", all.data.dump());
    return kOk;
  }
  print_table(all.data["topics"], "publishers", "subscriptions");
  if (!all.data["services"].empty()) os::print("\n");
  print_table(all.data["services"], "servers", "clients");
  return kOk;
}

int topic_echo(const Arguments& a) {
  std::uint64_t printed = 0;
  return watch(a, [&](const Json& now) {
    if (now["missed"] != 0)
      complain(fmt::format("{} messages came too fast to be shown", now["missed"].get<std::uint64_t>()), kOk);
    for (const Json& m : now["messages"]) {
      if (a.json) os::print("{}\n", m.dump());
      else os::print("# {} by {}\n{}---\n", at(m), m["agent"].get<std::string>(), m["yaml"].get<std::string>());
      if (++printed == a.look.count) break;
    }
    os::flush_stdout();
    return a.look.count > 0 && printed >= a.look.count;
  });
}

int topic_hz(const Arguments& a) {
  std::uint64_t messages = 0, lines = 0;
  std::int64_t first = 0, last = 0;
  Moment began = os::now();
  bool begun = false;
  return watch(a, [&](const Json& now) {
    if (!std::exchange(begun, true)) return false;  // what was kept, of before
    for (const Json& m : now["messages"]) {
      last = m["at_ns"];
      if (messages++ == 0) first = last;
    }
    messages += now["missed"].get<std::uint64_t>();
    if (seconds(os::now() - began) < a.look.window) return false;
    const double span = static_cast<double>(last - first) * 1e-9;
    const double rate = messages > 1 && span > 0 ? static_cast<double>(messages - 1) / span : 0;
    if (a.json) os::print("{}\n", Json{{"hz", rate}, {"messages", messages}, {"sim_s", span}}.dump());
    else os::print("{:.3f} Hz: {} messages in {:.3f} s of simulated time\n", rate, messages, span);
    os::flush_stdout();
    messages = 0, began = os::now();
    return a.look.count > 0 && ++lines >= a.look.count;
  });
}

int topic_bw(const Arguments& a) {
  std::uint64_t messages = 0, missed = 0, bytes = 0, lines = 0;
  std::int64_t first = 0, last = 0;
  Moment began = os::now();
  bool begun = false;
  return watch(a, [&](const Json& now) {
    if (!std::exchange(begun, true)) return false;
    for (const Json& m : now["messages"]) {
      last = m["at_ns"];
      if (messages++ == 0) first = last;
      else bytes += m["bytes"].get<std::uint64_t>();
    }
    missed += now["missed"].get<std::uint64_t>();
    if (seconds(os::now() - began) < a.look.window) return false;
    // What came too fast to be looked at is taken to be like the rest.
    const double span = static_cast<double>(last - first) * 1e-9;
    const double mean = messages > 1 ? static_cast<double>(bytes) / static_cast<double>(messages - 1) : 0;
    const double rate = span > 0 ? mean * static_cast<double>(messages + missed - 1) / span : 0;
    if (a.json)
      os::print(
          "{}\n",
          Json{{"bytes_per_s", rate}, {"messages", messages + missed}, {"mean_bytes", mean}, {"sim_s", span}}.dump());
    else
      os::print("{:.0f} bytes a second: {} messages in {:.3f} s of simulated time, of {:.0f} bytes in the mean\n", rate,
                messages + missed, span, mean);
    os::flush_stdout();
    messages = missed = bytes = 0, began = os::now();
    return a.look.count > 0 && ++lines >= a.look.count;
  });
}

int topic_info(const Arguments& a) {
  if (const int code = check_topic(a); code != kOk) return code;
  const NodesReply all = look(a, 4, 0, "");
  if (all.code != kOk) return all.code;
  Json out{{"name", a.look.topic}, {"publishers", Json::array()}, {"subscriptions", Json::array()}};
  for (const Json& node : all.data["nodes"])
    for (const auto& [what, as] : {std::pair("publishes", "publishers"), std::pair("subscribes", "subscriptions")})
      for (const Json& one : node[what])
        if (one["name"] == a.look.topic)
          out[as].push_back({{"node", node["name"]}, {"agent", node["agent"]}, {"type", one["type"]}});
  if (a.json) {
    os::print("{}\n", out.dump());
    return kOk;
  }
  os::print("{}\n", a.look.topic);
  for (const char* what : {"publishers", "subscriptions"})
    for (const Json& end : out[what])
      os::print("{:<13}  {}  {}\n", what, end["node"].get<std::string>(), end["type"].get<std::string>());
  return kOk;
}

int param_list(const Arguments& a) {
  const NodesReply found = parameters(a);
  if (found.code != kOk) return found.code;
  if (a.json) os::print("{}\n", found.data.dump());
  else
    for (const Json& p : found.data["parameters"])
      os::print("{} {}: {}\n", p["node"].get<std::string>(), p["name"].get<std::string>(),
                p["value"].get<std::string>());
  return kOk;
}

int param_get(const Arguments& a) {
  int code = kOk;
  const Json p = parameter(a, code);
  if (code != kOk) return code;
  if (a.json) os::print("{}\n", p.dump());
  else os::print("{}\n", p["value"].get<std::string>());
  return kOk;
}

int param_set(const Arguments& a) {
  int code = kOk;
  const Json before = parameter(a, code);
  if (code != kOk) return code;
  proto::Request request;
  request.mutable_set_parameter()->set_node(a.look.node);
  request.mutable_set_parameter()->set_name(a.look.parameter);
  request.mutable_set_parameter()->set_value(a.look.value);
  const Answered answered = ask(a, request);
  if (!answered.reply) return answered.code;
  if (answered.reply->error() != 0) return complain(answered.reply->text(), kFailed);
  const Tick due = answered.reply->tick();
  // It counts from a tick on, and the node may refuse it then.
  const Moment until = os::now() + std::chrono::seconds(5);
  while (os::now() < until) {
    const NodesReply now = look(a, 3, 0, a.look.node);
    if (now.code != kOk) return now.code;
    for (const Json& p : now.data["parameters"])
      if (p["name"] == a.look.parameter && p["value"] != before["value"]) return kOk;
    if (now.tick > due + 1) {
      for (const Json& p : now.data["parameters"])
        if (p["name"] == a.look.parameter && p["value"] == a.look.value) return kOk;  // it was so before
      return complain("'" + a.look.node + "' refused it: its value is still " + before["value"].get<std::string>() +
                          "; the host's log says why",
                      kFailed);
    }
    std::this_thread::sleep_for(kSettle);
  }
  os::print_error("convoy: it takes effect in tick {}, which has not come\n", due);
  return kOk;
}

}  // namespace convoy::apps
