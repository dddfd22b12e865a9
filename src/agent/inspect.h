// Inspection of the nodes of running agents: topics, messages, parameters, responses. It changes neither the run nor a digest.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/fields.h"
#include "nodes/graph.h"
#include "world/code_file.h"
#include "world/component_spec.h"
#include "world/contact_reading.h"
#include "world/control_source.h"

namespace convoy {

class AgentNodes;

// The node name under which a robot's controller shows its parameters.
inline std::string controller_name(const std::string& entity) { return "/" + entity + "/controller"; }

struct NodesQuestion {
  enum class Kind : std::uint8_t {
    kList,
    kWatch,
    kUnwatch,
    kParameters,
    kRules,
    kCode,
    kCompile,
    kContacts,
    kSensor,
    kNodes,
    kTopic,    // who has this topic, and is `text` a message of it?
    kService,  // who serves this, and is `text` a request of it?
    kResponse,
    kActuators,
    kLoad,  // how the host fares
    kFits   // could a sensor have these parameters, where it samples?
  };
  Kind kind{};
  std::uint64_t watcher = 0;  // a number that the asker has drawn at random; kResponse: CallService::id
  std::string name;  // kWatch, kTopic: a topic; kService: a service; kParameters, kNodes: a node; kRules: an entity; or
                     // nothing for all; kContacts, kSensor, kActuators, kFits: an entity
  std::vector<ComponentSpec> components;  // kCode
  std::string sensor;                     // kSensor, kFits
  Bytes model;                            // kCompile: a Model; the role answers it, when it is compiled
  std::string text;                       // kTopic, kService: YAML
  Bytes parameters{};                     // kFits: of the sensor; empty: those that it has
};
template <class V, MaybeConst<NodesQuestion> T>
void fields(V& v, T& q) {
  v("kind", q.kind), v("watcher", q.watcher), v("name", q.name), v("components", q.components);
  v("model", q.model), v("sensor", q.sensor), v("text", q.text), v("parameters", q.parameters);
}

struct ActuatorGains {
  double kp = 0, kv = 0, torque_limit = 0;
};
template <class V, MaybeConst<ActuatorGains> T>
void fields(V& v, T& g) {
  v("kp", g.kp), v("kv", g.kv), v("torque_limit", g.torque_limit);
}

struct NodesAnswer {
  struct Topic {
    WorldNumber agent = kNoEntity;
    std::uint32_t domain = 0;
    bool service = false;
    std::string name, type;
    std::uint32_t publishers = 0, subscriptions = 0;  // of a service: servers and clients
    std::uint64_t count = 0;                          // messages, or calls, so far
  };
  struct Published {  // a message that was published
    WorldNumber agent = kNoEntity;
    Instant at{};
    std::uint32_t bytes = 0;  // as CDR
    std::string text;         // YAML
  };
  struct Parameter {
    WorldNumber agent = kNoEntity;
    std::string node, name, type, value;
    bool controller = false;  // of the robot's controller: no node has it
    bool settable = true;
  };
  struct Ignored {
    ControlSource source = ControlSource::kAny;  // kAny: of sources that there are not
    std::uint32_t commands = 0;
  };
  struct Ruled {  // who may command a robot, and counters of it
    WorldNumber agent = kNoEntity;
    ControlSource ruler = ControlSource::kAny;
    std::vector<Ignored> ignored;  // those above 0
    std::uint64_t one_sided = 0;   // Physics::one_sided_ticks()
  };
  struct Touching {  // what one robot touches
    WorldNumber agent = kNoEntity;
    bool whole = true;  // false: its physics knows with whom alone, as of the last tick, and no forces
    std::vector<ContactReading> contacts;
    bool cut = false;  // there were more
  };
  struct Seen {  // by one sensor
    WorldNumber agent = kNoEntity;
    std::string json;  // of a Sample (core/json_fields.h)
    std::optional<ErrorCode> error{};
    std::string why;
  };
  struct Interface {
    std::string name, type;
  };
  struct Node {
    WorldNumber agent = kNoEntity;
    std::uint32_t domain = 0;
    std::string name;  // in full
    // Topics that it publishes and subscribes to, services that it has and calls; by name.
    std::vector<Interface> publishes, subscribes, serves, calls;
  };
  std::vector<Topic> topics;
  std::vector<Node> nodes;
  std::vector<Published> messages;  // since the watcher asked last
  std::uint64_t missed = 0;         // older ones that were dropped
  std::vector<Parameter> parameters;
  std::vector<Ruled> rules;
  struct Code {  // of one host
    Owner host = kNobody;
    std::vector<CodeFile> files;
    std::string missing;  // why a component is not there; empty: all are
  };
  std::vector<Code> code;
  std::vector<Touching> touching;
  std::vector<Seen> seen;
  struct Taker {  // an agent that has the topic or service
    WorldNumber agent = kNoEntity;
    std::string type;
    std::uint32_t takers = 0;  // subscriptions, or servers
    std::string wrong;         // why the text is no message of it; empty: it is one
  };
  std::vector<Taker> takers;
  struct Response {  // of a service, to a caller outside
    WorldNumber agent = kNoEntity;
    Instant at{};
    std::string text;  // YAML
    std::string why;   // there will be none; else empty
  };
  std::vector<Response> responses;
  struct Actuator {
    std::string name, joint;             // that it drives; empty: none, or several
    std::optional<double> low, high;     // of its controls; nothing: without limits
    double control = 0;                  // as its engine has it; of one with gains the target is not told
    std::optional<ActuatorGains> gains;  // nothing: controls go to it as they are
  };
  struct Equipped {  // one robot
    WorldNumber agent = kNoEntity;
    std::vector<Actuator> actuators;
    bool pd = false;  // its controller turns targets into torques
  };
  std::vector<Equipped> equipped;
  struct Load {  // of one host
    Owner host = kNobody;
    std::uint64_t ticks = 0;    // that it has advanced
    std::uint64_t busy_ns = 0;  // while advancing
    std::uint32_t agents = 0, sensors = 0;
  };
  std::vector<Load> loads;
  struct Fit {          // of one sensor
    std::string wrong;  // why it cannot have the parameters; empty: it can
  };
  std::vector<Fit> fits;
};
template <class V, MaybeConst<NodesAnswer::Topic> T>
void fields(V& v, T& t) {
  v("agent", t.agent), v("domain", t.domain), v("service", t.service), v("name", t.name), v("type", t.type);
  v("publishers", t.publishers), v("subscriptions", t.subscriptions), v("count", t.count);
}
template <class V, MaybeConst<NodesAnswer::Interface> T>
void fields(V& v, T& i) {
  v("name", i.name), v("type", i.type);
}
template <class V, MaybeConst<NodesAnswer::Node> T>
void fields(V& v, T& n) {
  v("agent", n.agent), v("domain", n.domain), v("name", n.name), v("publishes", n.publishes);
  v("subscribes", n.subscribes), v("serves", n.serves), v("calls", n.calls);
}
template <class V, MaybeConst<NodesAnswer::Published> T>
void fields(V& v, T& h) {
  v("agent", h.agent), v("at", h.at), v("bytes", h.bytes), v("text", h.text);
}
template <class V, MaybeConst<NodesAnswer::Parameter> T>
void fields(V& v, T& p) {
  v("agent", p.agent), v("node", p.node), v("name", p.name), v("type", p.type), v("value", p.value);
  v("controller", p.controller), v("settable", p.settable);
}
template <class V, MaybeConst<NodesAnswer::Ignored> T>
void fields(V& v, T& i) {
  v("source", i.source), v("commands", i.commands);
}
template <class V, MaybeConst<NodesAnswer::Ruled> T>
void fields(V& v, T& r) {
  v("agent", r.agent), v("ruler", r.ruler), v("ignored", r.ignored), v("one_sided", r.one_sided);
}
template <class V, MaybeConst<NodesAnswer::Code> T>
void fields(V& v, T& c) {
  v("host", c.host), v("files", c.files), v("missing", c.missing);
}
template <class V, MaybeConst<NodesAnswer::Touching> T>
void fields(V& v, T& t) {
  v("agent", t.agent), v("whole", t.whole), v("contacts", t.contacts), v("cut", t.cut);
}
template <class V, MaybeConst<NodesAnswer::Seen> T>
void fields(V& v, T& s) {
  v("agent", s.agent), v("json", s.json), v("error", s.error), v("why", s.why);
}
template <class V, MaybeConst<NodesAnswer::Taker> T>
void fields(V& v, T& t) {
  v("agent", t.agent), v("type", t.type), v("takers", t.takers), v("wrong", t.wrong);
}
template <class V, MaybeConst<NodesAnswer::Response> T>
void fields(V& v, T& r) {
  v("agent", r.agent), v("at", r.at), v("text", r.text), v("why", r.why);
}
template <class V, MaybeConst<NodesAnswer::Actuator> T>
void fields(V& v, T& a) {
  v("name", a.name), v("joint", a.joint), v("low", a.low), v("high", a.high), v("control", a.control);
  v("gains", a.gains);
}
template <class V, MaybeConst<NodesAnswer::Equipped> T>
void fields(V& v, T& e) {
  v("agent", e.agent), v("actuators", e.actuators), v("pd", e.pd);
}
template <class V, MaybeConst<NodesAnswer::Load> T>
void fields(V& v, T& l) {
  v("host", l.host), v("ticks", l.ticks), v("busy_ns", l.busy_ns), v("agents", l.agents), v("sensors", l.sensors);
}
template <class V, MaybeConst<NodesAnswer::Fit> T>
void fields(V& v, T& f) {
  v("wrong", f.wrong);
}
template <class V, MaybeConst<NodesAnswer> T>
void fields(V& v, T& a) {
  v("topics", a.topics), v("heard", a.messages), v("missed", a.missed), v("parameters", a.parameters),
      v("rules", a.rules), v("code", a.code), v("touching", a.touching), v("seen", a.seen), v("nodes", a.nodes),
      v("takers", a.takers), v("responses", a.responses), v("equipped", a.equipped), v("loads", a.loads),
      v("fits", a.fits);
}

inline constexpr std::size_t kMaxWatchers = 16;           // of one agent; the oldest goes
inline constexpr std::size_t kMaxMessagesWaiting = 1000;  // messages that wait for a watcher at one agent
inline constexpr std::size_t kMaxMessageText = 16'384;    // characters of one message
inline constexpr std::size_t kMaxAnswer = 768 * 1024;     // bytes of messages, parameters and rules in one answer

// Watches on one agent's topics.
class Watchers {
 public:
  // `text`: a message for people.
  using Text = std::function<std::string(const nodes::Delivery&)>;
  void answer(const NodesQuestion& question, WorldNumber agent, nodes::Graph& graph, const Text& text, NodesAnswer& out,
              std::size_t& room);

 private:
  struct Watch {
    std::string topic;
    std::deque<NodesAnswer::Published> messages;
    std::uint64_t missed = 0;
    bool tapped = false;
  };
  std::map<std::uint64_t, std::shared_ptr<Watch>> watches_;
  std::deque<std::uint64_t> order_;
};

}  // namespace convoy
