// A ROS 2 program on Cyclone DDS that knows no ROS: a peer of the tests that speaks as rmw_cyclonedds does.
//
//   cyclone_peer echo TOPIC TYPE          each sample's CDR, a line each
//   cyclone_peer pub TOPIC TYPE HEX|-     sends it --count times; -: each line of standard input once
//   cyclone_peer call SERVICE TYPE HEX|-  the reply's CDR and the round trip in us, or "timeout"
//   cyclone_peer serve SERVICE TYPE HEX   answers every request so, and prints it
//   cyclone_peer nodes                    nodes with their endpoints, a line of JSON each
//   cyclone_peer topics                   participants and endpoints, a line of JSON each
//   cyclone_peer crowd                    --participants with --endpoints each, until a signal
//
// CDR is in hexadecimal from its encapsulation header on, without the 16 bytes that rmw_cyclonedds puts before requests and
// replies (with --raw, with them). TYPE is pkg/msg/Name or pkg/srv/Name. The domain is ROS_DOMAIN_ID; of
// ROS_AUTOMATIC_DISCOVERY_RANGE it knows LOCALHOST; where CYCLONEDDS_URI is set, that decides.
//
//   --count N  --timeout S  --rate HZ            how many, how long for one step, how fast
//   --reliable  --best-effort  --transient-local  --keep-all  --depth N   instead of ROS's defaults
//   --node NAME  --namespace NAME                 as whom
//   --typehash H  --reply-typehash H              what USER_DATA says of the types
//   --humble                                      24 bytes a gid in ros_discovery_info, as up to Humble
//   --until NAME  --gone NAME                     nodes: waits for a node, or "NODE TOPIC", or that it is gone;
//                                                 topics: for a topic; topics as DDS names them
//   --no-wait                                     pub: for nobody; call: for no reply
//
// Exits with 0; 1 if it timed out; 2 for wrong arguments; 3 if DDS failed.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iostream>
#include <memory>
#include <set>

#include "cyclone_graph.h"

namespace peers {
namespace {

using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t stopped = 0;

struct Options {
  std::vector<std::string> words;
  int count = 0, depth = 10, participants = 1, endpoints = 10;  // count 0: as the command has it
  double timeout_s = 0, rate_hz = 10;
  bool best_effort = false, transient_local = false, keep_all = false, humble = false, wait = true, raw = false;
  std::string node = "cyclone_peer", space = "/", typehash, reply_typehash;
  std::vector<std::string> until, gone;

  std::size_t gid_size() const { return humble ? 24 : 16; }
  Clock::time_point deadline(double seconds) const {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  EndpointQos qos(const std::string& user_data = "") const {
    return {!best_effort, transient_local, keep_all, depth,
            user_data + (typehash.empty() ? "" : "typehash=" + typehash + ";")};
  }
};

[[noreturn]] void usage(const std::string& why) {
  std::fprintf(stderr, "cyclone_peer: %s\n", why.c_str());
  std::exit(2);
}

template <class Number>
Number number_of(const std::string& word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) usage("'" + word + "' is no number");
  return value;
}

Options options_of(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string {
      if (++i >= argc) usage(word + " lacks its value");
      return argv[i];
    };
    if (!word.starts_with("--")) o.words.push_back(word);
    else if (word == "--count") o.count = number_of<int>(value());
    else if (word == "--depth") o.depth = number_of<int>(value());
    else if (word == "--participants") o.participants = number_of<int>(value());
    else if (word == "--endpoints") o.endpoints = number_of<int>(value());
    else if (word == "--timeout") o.timeout_s = number_of<double>(value());
    else if (word == "--rate") o.rate_hz = number_of<double>(value());
    else if (word == "--reliable") o.best_effort = false;
    else if (word == "--best-effort") o.best_effort = true;
    else if (word == "--transient-local") o.transient_local = true;
    else if (word == "--keep-all") o.keep_all = true;
    else if (word == "--humble") o.humble = true;
    else if (word == "--no-wait") o.wait = false;
    else if (word == "--raw") o.raw = true;
    else if (word == "--node") o.node = value();
    else if (word == "--namespace") o.space = value();
    else if (word == "--typehash") o.typehash = value();
    else if (word == "--reply-typehash") o.reply_typehash = value();
    else if (word == "--until") o.until.push_back(value());
    else if (word == "--gone") o.gone.push_back(value());
    else usage("no option " + word);
  }
  return o;
}

void line(const std::string& text) {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

// Comes back when the condition holds (true), at the deadline or when the program is to end.
template <class Condition>
bool wait_until(Clock::time_point deadline, Condition condition) {
  while (!stopped) {
    if (condition()) return true;
    if (Clock::now() >= deadline) return false;
    dds_sleepfor(DDS_MSECS(5));
  }
  return false;
}

// Wakes when a reader has something; in slices, so that a signal ends the program soon.
class Inbox {
 public:
  Inbox(const Node& node, dds_entity_t reader)
      : reader_(reader), set_(need(dds_create_waitset(node.participant()), "waitset")) {
    const dds_entity_t condition = need(dds_create_readcondition(reader, DDS_ANY_STATE), "read condition");
    need(dds_waitset_attach(set_, condition, 0), "waitset");
  }
  // Empty at the deadline, or when the program is to end.
  std::vector<Sample> next(Clock::time_point deadline) {
    while (!stopped) {
      std::vector<Sample> samples = take_raw(reader_);
      if (!samples.empty()) return samples;
      const auto left = std::chrono::nanoseconds(deadline - Clock::now()).count();
      if (left <= 0) break;
      dds_waitset_wait(set_, nullptr, 0, std::min<dds_duration_t>(left, DDS_MSECS(100)));
    }
    return {};
  }

 private:
  dds_entity_t reader_, set_;
};

// The arguments' bytes so many times, or each line of standard input.
class Messages {
 public:
  Messages(const std::string& word, int count) : left_(std::max(count, 1)), from_input_(word == "-") {
    if (!from_input_) message_ = parsed(word);
  }
  const Bytes* next() {
    if (stopped) return nullptr;
    if (!from_input_) return left_-- > 0 ? &message_ : nullptr;
    std::string text;
    if (!std::getline(std::cin, text)) return nullptr;
    message_ = parsed(text);
    return &message_;
  }

 private:
  static Bytes parsed(const std::string& word) {
    const std::optional<Bytes> bytes = bytes_of(word);
    if (!bytes) usage("no hexadecimal: " + word.substr(0, 40));
    return *bytes;
  }

  Bytes message_;
  int left_;
  bool from_input_;
};

void pause(double rate_hz) {
  if (rate_hz > 0) dds_sleepfor(static_cast<dds_duration_t>(1e9 / rate_hz));
}

bool acknowledged(const Options& o, dds_entity_t writer, double seconds) {
  return o.best_effort || dds_wait_for_acks(writer, static_cast<dds_duration_t>(seconds * 1e9)) == DDS_RETCODE_OK;
}

int echo(const Options& o, Node& node) {
  const dds_entity_t reader = node.add_reader("rt" + o.words[1], dds_type(o.words[2]), o.qos());
  node.announce();
  Inbox inbox(node, reader);
  const auto deadline = o.deadline(o.timeout_s > 0 ? o.timeout_s : 1e6);
  for (int count = 0; o.count == 0 || count < o.count;) {
    const std::vector<Sample> samples = inbox.next(deadline);
    if (samples.empty()) return stopped ? 0 : 1;
    for (const Sample& sample : samples) {
      if (o.count != 0 && count == o.count) break;
      line(hex_of(sample.cdr));
      ++count;
    }
  }
  return 0;
}

// Samples that nobody has acknowledged yet: fewer than a reader keeps. An acknowledgment takes a tenth of a second.
constexpr int kUnderWay = 8;

int pub(const Options& o, Node& node) {
  const dds_entity_t writer = node.add_writer("rt" + o.words[1], dds_type(o.words[2]), o.qos());
  node.announce();
  const double patience = o.timeout_s > 0 ? o.timeout_s : 10;
  const auto heard = [writer] {
    dds_publication_matched_status_t status;
    return dds_get_publication_matched_status(writer, &status) == DDS_RETCODE_OK && status.current_count > 0;
  };
  if (o.wait && !wait_until(o.deadline(patience), heard)) {
    line("timeout");
    return 1;
  }
  if (o.wait) line("matched");
  Messages messages(o.words[3], o.count);
  int sent = 0;
  while (const Bytes* message = messages.next()) {
    if (sent > 0) pause(o.rate_hz);
    need(write_raw(writer, *message), "write");
    ++sent;
    if (sent % kUnderWay != 0) continue;
    if (!acknowledged(o, writer, patience)) break;
  }
  if (!acknowledged(o, writer, patience)) {
    line("unacknowledged " + std::to_string(sent));
    return 1;
  }
  line("sent " + std::to_string(sent));
  return 0;
}

// --- Services: 16 bytes {u64 of the client, i64 number} after the encapsulation header of requests and replies.

constexpr std::size_t kEncapsulation = 4, kHeader = 16;

Bytes with_header(const Bytes& cdr, const Bytes& header) {
  Bytes whole = cdr;
  const std::size_t at = std::min(kEncapsulation, whole.size());
  whole.insert(whole.begin() + static_cast<std::ptrdiff_t>(at), header.begin(), header.end());
  return whole;
}
Bytes header_of(const Bytes& whole) {
  if (whole.size() < kEncapsulation + kHeader) return {};
  return {whole.begin() + kEncapsulation, whole.begin() + kEncapsulation + kHeader};
}
Bytes without_header(const Bytes& whole) {
  Bytes cdr = whole;
  cdr.erase(cdr.begin() + kEncapsulation, cdr.begin() + kEncapsulation + kHeader);
  return cdr;
}

// Sixteen numbers with dots between them, as rmw_cyclonedds writes the bytes that name a client or a service.
std::string dotted(const Gid& id) {
  std::string text;
  for (const std::uint8_t byte : id) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%x", byte);
    text += (text.empty() ? "" : ".") + std::string(digits);
  }
  return text;
}

struct ServiceEnd {
  dds_entity_t writer, reader;
};

ServiceEnd add_service_end(const Options& o, Node& node, bool serves) {
  const std::string& name = o.words[1];
  const std::string id = (serves ? "serviceid=" : "clientid=") + dotted(node.gid()) + ";";
  const EndpointQos request = o.qos(id);
  EndpointQos reply = request;
  if (!o.reply_typehash.empty()) reply.user_data = id + "typehash=" + o.reply_typehash + ";";
  const std::string asks = "rq" + name + "Request", answers = "rr" + name + "Reply";
  const std::string request_type = dds_type(o.words[2], "_Request"), reply_type = dds_type(o.words[2], "_Response");
  ServiceEnd end{};
  if (serves) {
    end = {node.add_writer(answers, reply_type, reply), node.add_reader(asks, request_type, request)};
  } else {
    end = {node.add_writer(asks, request_type, request), node.add_reader(answers, reply_type, reply)};
  }
  node.announce();
  return end;
}

using Found = std::unique_ptr<dds_builtintopic_endpoint_t, decltype(&dds_builtintopic_free_endpoint)>;

// What the matched endpoints' USER_DATA says for this key; an empty text for one that does not have it.
std::multiset<std::string> readers_of(dds_entity_t writer, const std::string& key) {
  std::multiset<std::string> ids;
  dds_instance_handle_t handles[1024];
  const dds_return_t count = dds_get_matched_subscriptions(writer, handles, std::size(handles));
  for (dds_return_t i = 0; i < std::min<dds_return_t>(count, std::size(handles)); ++i) {
    const Found one(dds_get_matched_subscription_data(writer, handles[i]), &dds_builtintopic_free_endpoint);
    if (one) ids.insert(value_in(user_data_of(one->qos), key));
  }
  return ids;
}
std::multiset<std::string> writers_of(dds_entity_t reader, const std::string& key) {
  std::multiset<std::string> ids;
  dds_instance_handle_t handles[1024];
  const dds_return_t count = dds_get_matched_publications(reader, handles, std::size(handles));
  for (dds_return_t i = 0; i < std::min<dds_return_t>(count, std::size(handles)); ++i) {
    const Found one(dds_get_matched_publication_data(reader, handles[i]), &dds_builtintopic_free_endpoint);
    if (one) ids.insert(value_in(user_data_of(one->qos), key));
  }
  return ids;
}

// As rmw_cyclonedds takes a service for there: both of its endpoints, of one serviceid if they have any.
bool served(const ServiceEnd& end) {
  const std::multiset<std::string> requests = readers_of(end.writer, "serviceid");
  const std::multiset<std::string> replies = writers_of(end.reader, "serviceid");
  return std::ranges::any_of(requests, [&](const std::string& id) { return replies.contains(id); });
}

Bytes request_header(const Node& node, std::int64_t number) {
  const Gid gid = node.gid();
  Bytes header(gid.begin() + 4, gid.begin() + 12);  // differs between participants
  for (int i = 0; i < 8; ++i) header.push_back(static_cast<std::uint8_t>(number >> (8 * i)));
  return header;
}

// The reply of this header; empty at the deadline.
Bytes reply_to(Inbox& inbox, const Bytes& header, Clock::time_point deadline) {
  while (true) {
    const std::vector<Sample> samples = inbox.next(deadline);
    if (samples.empty()) return {};
    for (const Sample& sample : samples) {
      if (!header.empty() && header_of(sample.cdr) == header) return sample.cdr;
    }
  }
}

int call(const Options& o, Node& node) {
  const ServiceEnd end = add_service_end(o, node, false);
  const double patience = o.timeout_s > 0 ? o.timeout_s : 10;
  if (!wait_until(o.deadline(patience), [&] { return served(end); })) {
    line("no service");
    return 1;
  }
  Inbox inbox(node, end.reader);
  Messages messages(o.words[3], o.count);
  std::int64_t number = 0;
  int result = 0;
  while (const Bytes* message = messages.next()) {
    const Bytes request = o.raw ? *message : with_header(*message, request_header(node, ++number));
    const auto begun = Clock::now();
    need(write_raw(end.writer, request), "write");
    if (!o.wait) {
      if (++number % kUnderWay == 0 && !acknowledged(o, end.writer, patience)) result = 1;
      continue;
    }
    const Bytes reply = reply_to(inbox, header_of(request), o.deadline(patience));
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun).count();
    if (reply.empty()) {
      line("timeout");
      result = 1;
    } else {
      line(hex_of(o.raw ? reply : without_header(reply)) + " " + std::to_string(took));
    }
  }
  if (!o.wait && !acknowledged(o, end.writer, patience)) result = 1;
  if (!o.wait) line(result == 0 ? "sent" : "unacknowledged");
  return result;
}

// Answers who is matched already; who asked is told by the clientid of the request's writer.
void answer(const ServiceEnd& end, const Sample& request, const Bytes& reply) {
  const Found asker(dds_get_matched_publication_data(end.reader, request.info.publication_handle),
                    &dds_builtintopic_free_endpoint);
  const std::string id = asker ? value_in(user_data_of(asker->qos), "clientid") : "";
  const auto hears = [&] { return id.empty() || readers_of(end.writer, "clientid").contains(id); };
  wait_until(Clock::now() + std::chrono::seconds(1), hears);
  need(write_raw(end.writer, with_header(reply, header_of(request.cdr))), "write");
}

int serve(const Options& o, Node& node) {
  const std::optional<Bytes> reply = bytes_of(o.words[3]);
  if (!reply) usage("no hexadecimal: " + o.words[3]);
  const ServiceEnd end = add_service_end(o, node, true);
  Inbox inbox(node, end.reader);
  line("serving");
  const auto deadline = o.deadline(o.timeout_s > 0 ? o.timeout_s : 1e6);
  for (int count = 0; o.count == 0 || count < o.count;) {
    const std::vector<Sample> requests = inbox.next(deadline);
    if (requests.empty()) return stopped ? 0 : 1;
    for (const Sample& request : requests) {
      if (header_of(request.cdr).empty()) {
        line("short " + hex_of(request.cdr));
        continue;
      }
      line(hex_of(o.raw ? request.cdr : without_header(request.cdr)));
      answer(end, request, *reply);
      ++count;
    }
  }
  dds_wait_for_acks(end.writer, DDS_SECS(1));
  return 0;
}

// --- What others are.

std::string json_of(const Graph& graph, const std::vector<Gid>& gids) {
  std::string list;
  for (const Gid& gid : gids) {
    const auto found = graph.endpoints().find(gid);
    list += list.empty() ? "{" : ", {";
    if (found != graph.endpoints().end()) {
      list += "\"topic\": " + json_text(found->second.topic) + ", \"type\": " + json_text(found->second.type) + ", ";
    }
    list += "\"gid\": \"" + hex_of(gid) + "\"}";
  }
  return "[" + list + "]";
}

// Waits for what is asked for; without a wish, for as long as the timeout says.
template <class Names>
int watch(const Options& o, Node& node, Graph& graph, Names names) {
  node.announce();
  const bool wishes = !o.until.empty() || !o.gone.empty();
  const auto satisfied = [&] {
    graph.update();
    const std::set<std::string> there = names();
    const auto is_there = [&](const std::string& name) { return there.contains(name); };
    return wishes && graph.complete() && std::ranges::all_of(o.until, is_there) &&
           std::ranges::none_of(o.gone, is_there);
  };
  const bool in_time = wait_until(o.deadline(o.timeout_s > 0 ? o.timeout_s : 3), satisfied);
  return in_time || !wishes ? 0 : 1;
}

int nodes(const Options& o, Node& node) {
  Graph graph(node, o.gid_size());
  const int result = watch(o, node, graph, [&] {
    std::set<std::string> names;
    for (const NodeInfo& one : graph.nodes()) {
      names.insert(one.full_name);
      for (const std::vector<Gid>* gids : {&one.writers, &one.readers}) {
        for (const Gid& gid : *gids) {
          const auto found = graph.endpoints().find(gid);
          if (found != graph.endpoints().end()) names.insert(one.full_name + " " + found->second.topic);
        }
      }
    }
    return names;
  });
  for (const NodeInfo& one : graph.nodes()) {
    line("{\"node\": " + json_text(one.full_name) + ", \"writers\": " + json_of(graph, one.writers) +
         ", \"readers\": " + json_of(graph, one.readers) + "}");
  }
  if (graph.bad_infos() > 0) line("{\"bad_infos\": " + std::to_string(graph.bad_infos()) + "}");
  return result;
}

int topics(const Options& o, Node& node) {
  Graph graph(node, o.gid_size());
  const int result = watch(o, node, graph, [&] {
    std::set<std::string> names;
    for (const auto& [gid, one] : graph.endpoints()) names.insert(one.topic);
    return names;
  });
  for (const auto& [gid, user_data] : graph.participants()) {
    line("{\"kind\": \"participant\", \"gid\": \"" + hex_of(gid) + "\", \"user_data\": " + json_text(user_data) + "}");
  }
  for (const auto& [gid, one] : graph.endpoints()) {
    line(std::string("{\"kind\": \"") + (one.writes ? "writer" : "reader") + "\", \"topic\": " + json_text(one.topic) +
         ", \"type\": " + json_text(one.type) + ", \"gid\": \"" + hex_of(gid) + "\", \"participant\": \"" +
         hex_of(one.participant) + "\", \"user_data\": " + json_text(one.user_data) + one.qos + "}");
  }
  return result;
}

int crowd(const Options& o, dds_domainid_t domain) {
  std::deque<Node> all;
  for (int i = 0; i < o.participants; ++i) {
    Node& node = all.emplace_back(domain, o.space, o.node + "_" + std::to_string(i), o.gid_size());
    for (int k = 0; k < o.endpoints; ++k) {
      const std::string topic = "rt/crowd/p" + std::to_string(i) + "/t" + std::to_string(k / 2);
      k % 2 == 0 ? node.add_writer(topic, dds_type("std_msgs/msg/String"), o.qos())
                 : node.add_reader(topic, dds_type("std_msgs/msg/String"), o.qos());
    }
    node.announce();
  }
  line("ready");
  wait_until(o.deadline(o.timeout_s > 0 ? o.timeout_s : 1e6), [] { return false; });
  return 0;
}

dds_domainid_t domain_of_environment() {
  const char* id = std::getenv("ROS_DOMAIN_ID");
  return id != nullptr && *id != 0 ? number_of<dds_domainid_t>(id) : 0;
}

int run(const Options& o) {
  struct Command {
    const char* name;
    std::size_t words;
    int (*go)(const Options&, Node&);
  };
  constexpr Command commands[] = {{"echo", 3, echo},   {"pub", 4, pub},     {"call", 4, call},
                                  {"serve", 4, serve}, {"nodes", 1, nodes}, {"topics", 1, topics}};
  const dds_domainid_t domain = domain_of_environment();
  const char* range = std::getenv("ROS_AUTOMATIC_DISCOVERY_RANGE");
  if (std::getenv("CYCLONEDDS_URI") == nullptr) {
    need(dds_create_domain(domain, configuration(range != nullptr ? range : "").c_str()), "no domain");
  }
  if (o.words.size() == 1 && o.words[0] == "crowd") return crowd(o, domain);
  for (const Command& command : commands) {
    if (o.words.empty() || o.words[0] != command.name) continue;
    if (o.words.size() != command.words) usage(o.words[0] + ": not that many words");
    Node node(domain, o.space, o.node, o.gid_size());
    return command.go(o, node);
  }
  usage("echo, pub, call, serve, nodes, topics or crowd");
}

}  // namespace
}  // namespace peers

int main(int argc, char** argv) {
  struct sigaction action {};
  action.sa_handler = [](int) { peers::stopped = 1; };
  sigaction(SIGINT, &action, nullptr);  // without SA_RESTART: reading standard input ends, too
  sigaction(SIGTERM, &action, nullptr);
  return peers::run(peers::options_of(argc, argv));
}
