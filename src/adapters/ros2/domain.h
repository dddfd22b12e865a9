// Nodes of ROS 2 in this process: any number, in one participant of one domain.
//
//   auto domain = Domain::open(open_wire, {.run = run});
//   Node node(**domain, "/scout", "robot");
//   auto odom = node.publisher("odom", TypeSupport::of<nav_msgs::msg::Odometry>());
//   auto stop = node.service("stop", ServiceSupport::of<std_srvs::srv::Trigger>(), [](const ServiceRequest& request) { ... });
//   (*domain)->spin(now);                       // what has come is handed over, replies leave
//
// A topic may have several types, each with endpoints of its own, as cmd_vel has. Nodes outlive their endpoints, the domain
// outlives its nodes. One thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "adapters/ros2/remote_graph.h"
#include "adapters/ros2/wire.h"
#include "convoy_ros_types/type_support.h"
#include "nodes/message.h"
#include "nodes/service.h"

namespace convoy::ros2 {

inline constexpr int kMaxTakenAtOnce = 1000;  // samples of one reader in one spin()

struct DomainOptions {
  std::string run;           // tells this run's participants from all others
  std::uint32_t client = 0;  // the lowest number of a client that has its door here; 0: there is none
  GidSize gids = GidSize::kIron;
};

// Why samples of others were dropped, and what passed.
struct DomainCounts {
  std::uint64_t received = 0;
  std::uint64_t malformed = 0;     // bytes that are no such message
  std::uint64_t late_replies = 0;  // to clients whose readers did not come in time, or have gone
  std::uint64_t crowded = 0;       // requests beyond what a service has waiting
};

// Whose nodes they are, where several doors share a domain.
enum class Party : std::uint32_t {};

// Of the run's clients those that have a world and their door in this process, by number, and which of them speaks for the run
// (adapters/ros2/voice.h).
struct Speakers {
  std::set<std::pair<std::uint32_t, Party>> clients;
  std::optional<Party> speaks;
};

class Node;
class Endpoint;

class Domain {
 public:
  // Makes a participant with that USER_DATA.
  using OpenWire = std::function<Result<std::unique_ptr<Wire>>(const std::string& user_data)>;
  static Result<std::unique_ptr<Domain>> open(const OpenWire& open, DomainOptions options);
  ~Domain();
  Domain(const Domain&) = delete;

  // Hands over what has come for nodes of that party, on this thread; what has come for others waits for theirs. Callbacks
  // may make and end nodes and endpoints.
  void spin(Moment now, Party party = {});
  // When spin() has something to do of its own.
  Moment deadline(Party party = {}) const;
  std::vector<int> descriptors() const;

  Moment now() const { return now_; }  // of the last spin()

  const RemoteGraph& graph() const { return graph_; }
  DomainCounts& counts() { return counts_; }
  const std::string& run() const { return options_.run; }
  Guid guid() const { return wire_->guid(); }
  Speakers& speakers() { return speakers_; }
  // Has another door of the run, in this process or elsewhere, a node of that name?
  bool node_elsewhere(std::string_view ns, std::string_view name, Party party) const;
  // Is that endpoint one of this domain, or of another process of its run?
  bool ours(const Guid& endpoint) const;

 private:
  friend class Node;
  friend class Endpoint;
  struct Place {
    const Node* node = nullptr;
    bool writer = false;
    Guid guid{};
  };

  explicit Domain(DomainOptions options) : options_(std::move(options)) {}
  Status tell_of_nodes();
  bool own(const Guid& guid) const;  // of its participant
  void hear_of_nodes(WireReader& reader);
  void hand_over(WireReader& reader);
  Party party_of(WireReader& reader) const;
  void publish_nodes();

  void enter(const Node& node);
  void leave(const Node& node);
  void enter(Endpoint& endpoint, const Place& place, WireReader* reader);
  void leave(Endpoint& endpoint);

  DomainOptions options_;
  std::unique_ptr<Wire> wire_;
  struct Telling {
    std::unique_ptr<WireWriter> writer;
    std::unique_ptr<WireReader> reader;
    bool due = false;
  } telling_;
  RemoteGraph graph_;
  DomainCounts counts_;
  Speakers speakers_;
  std::vector<const Node*> nodes_;  // in the order in which they came
  std::multimap<Endpoint*, Place> places_;
  std::map<WireReader*, Endpoint*> readers_;
  std::vector<Endpoint*> waiting_;       // have something to do in spin()
  std::vector<WireReader*> unfinished_;  // not taken yet: of other parties, or more than one spin() takes
  Moment now_{};
};

// What nodes are made of. Ends with its handle.
class Endpoint {
 public:
  virtual ~Endpoint() { domain_.leave(*this); }
  Endpoint(const Endpoint&) = delete;

 protected:
  friend class Domain;
  friend class Node;
  explicit Endpoint(Domain& domain) : domain_(domain) {}
  // Something has come for one of its readers.
  virtual void received(const Received&) {}
  // Does what it waits for; when next. kNever: it waits for nothing more.
  virtual Moment work(Moment) { return kNever; }
  void wait();  // asks for work() in each spin() until it returns kNever
  Result<std::unique_ptr<WireWriter>> make_writer(const Node& node, const EndpointSpec& spec);
  Result<std::unique_ptr<WireReader>> make_reader(const Node& node, const EndpointSpec& spec);
  Domain& domain() const { return domain_; }

 private:
  Domain& domain_;
};

class Publisher;
class Subscription;
class Service;
class Client;
struct ServiceRequest;

// A type as endpoints tell it: "std_msgs/msg/String" and its hash; without one an empty hash.
struct TypeName {
  std::string_view name, hash;
  TypeName(const ros::TypeSupport& type)
      : name(type.name()), hash(type.hash()) {}  // NOLINT(google-explicit-constructor)
  TypeName(const nodes::MessageType& type)       // NOLINT(google-explicit-constructor)
      : name(type.name()), hash(type.definition_hash()) {}
};
struct ServiceTypes {
  TypeName request, response;
  ServiceTypes(const TypeName& of_requests, const TypeName& of_responses)
      : request(of_requests), response(of_responses) {}
  ServiceTypes(const ros::ServiceSupport& type)  // NOLINT(google-explicit-constructor)
      : request(type.request), response(type.response) {}
  ServiceTypes(const nodes::ServiceType& type)  // NOLINT(google-explicit-constructor)
      : request(*type.request), response(*type.response) {}
};

class Node {
 public:
  // Names as valid_namespace() and as_name_part() give them. Two may have the same.
  Node(Domain& domain, std::string ns, std::string name, Party party = {});
  ~Node();
  Node(const Node&) = delete;

  const std::string& ns() const { return ns_; }
  const std::string& name() const { return name_; }
  Domain& domain() const { return domain_; }
  Party party() const { return party_; }

  // Names are resolved in the node's namespace. kInvalid: not a name of ROS; kUnavailable: no endpoint can be made.
  Result<std::unique_ptr<Publisher>> publisher(std::string_view topic, const TypeName& type, const Qos& qos = {});
  using Hears = std::function<void(const Received&)>;
  Result<std::unique_ptr<Subscription>> subscription(std::string_view topic, const TypeName& type, const Qos& qos,
                                                     Hears hears);
  using Serves = std::function<void(const ServiceRequest&)>;
  Result<std::unique_ptr<Service>> service(std::string_view name, const ServiceTypes& type, Serves serves);
  Result<std::unique_ptr<Client>> client(std::string_view name, const ServiceTypes& type);

 private:
  Domain& domain_;
  std::string ns_, name_;
  Party party_;
};

}  // namespace convoy::ros2
