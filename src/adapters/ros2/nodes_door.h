// The nodes of one agent of the run as nodes of ROS 2: what they publish leaves, what they subscribe to comes in, and services
// go both ways, without a mapping file: names, types and qualities are the nodes' own.
//
// What comes in is inputs of the next tick (world/traffic.h, OutsideTraffic), so that it is journalled and a replay has it
// without any DDS. What this run itself wrote never comes in: its nodes have that already. Nothing is turned into bytes that
// nobody would get. What only concerns one process (/clock), and names that the robot's own node has, stay out.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "adapters/ros2/robot_doors.h"
#include "adapters/ros2/services.h"
#include "agent/nodes_outlet.h"

namespace convoy::ros2 {

inline constexpr std::size_t kMaxIncoming = 1000;  // that wait at one agent for their tick; the oldest goes
inline constexpr std::size_t kMaxIncomingPerTick = kMaxTrafficBytes + (16 << 10);  // bytes, of one door, with names
inline constexpr std::size_t kMaxCalls =
    1000;  // of programs outside that one agent has not answered; the oldest is forgotten

class NodesDoor {
 public:
  using Names = std::set<std::string, std::less<>>;
  // As whom a command of that endpoint counts, where the robot is leased; empty: as nobody.
  using HolderOf = std::function<std::string(const Guid& sender)>;
  NodesDoor(DoorHere& here, WorldNumber agent, std::shared_ptr<NodesOutlet> outlet, HolderOf holder_of);
  ~NodesDoor();

  // Of the agent as it was made now? Another one after the run began anew.
  bool is_of(const NodesOutlet* outlet) const { return outlet_.get() == outlet; }
  // Between ticks: endpoints as the nodes are now. `taken`: topics that the robot has without them.
  void keep_up(const Names& taken);
  // Before a tick: inputs; bytes of messages beyond `bytes` wait for the next one.
  void give(std::size_t& room, std::size_t& bytes, std::vector<Input>& inputs);
  // After a tick: what the nodes said in it.
  void publish();

 private:
  template <class End>
  struct At {  // an endpoint, which goes before its node does
    std::unique_ptr<End> end;
    const Node* node = nullptr;
  };
  struct Leaving : At<Publisher> {
    std::string topic;
    bool latched = false, wanted = false;
  };
  struct Called : At<Client> {  // a service outside
    std::string type;
  };
  struct Asked {               // a request from outside
    std::uint64_t number = 0;  // that the nodes' answer will have
    std::string service;
    ReplyTo from;
  };
  void renew(const Names& taken);
  void close_gone(const nodes::Graph& graph);
  void collect(bool anew);
  Node& node_of(const nodes::Node& node);
  void open_topics(const nodes::Graph& graph, const Names& taken);
  void open_services(const nodes::Graph& graph);
  void leave_by(const nodes::Topic& topic, const nodes::Publisher& publisher);
  void enter_by(const nodes::Topic& topic);
  void serve(const nodes::ServiceName& service);
  void call(const nodes::ServiceName& service);
  void look_for_servers();
  void heard(const std::string& topic, const nodes::MessageType& type, const Received& sample);
  void asked(const std::string& service, const nodes::ServiceType& type, const ServiceRequest& request);
  void comes(OutsideTraffic traffic);
  template <class T>
  T made(Result<T> result, const std::string& what);

  DoorHere& here_;
  WorldNumber agent_;
  std::shared_ptr<NodesOutlet> outlet_;
  HolderOf holder_of_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::map<std::string, std::unique_ptr<Node>, std::less<>> nodes_;  // by full name; outlive their endpoints
  std::map<std::uint32_t, Leaving> leaving_;                         // by the publisher's rank
  std::map<std::string, At<Subscription>> entering_;                 // by topic
  std::map<std::string, At<Service>> served_;                        // by service
  std::map<std::string, Called> called_;                             // by service
  std::deque<Asked> asked_;                                          // in the order in which they came
  std::deque<OutsideTraffic> incoming_;
  Names warned_;               // of which the log has why they stay inside
  std::uint64_t version_ = 0;  // of the graph's entities
  std::size_t taken_ = 0;
};

// Of all agents of a client that have nodes.
class NodesDoors {
 public:
  // Both outlive it.
  NodesDoors(DoorHere& here, const RobotDoors& robots) : here_(here), robots_(robots) {}

  // Between ticks. Called while there is a fleet.
  void follow();
  void clear() { doors_.clear(); }
  // Before a tick.
  void give(std::size_t& room, std::vector<Input>& inputs);
  // After a tick.
  void publish();

 private:
  DoorHere& here_;
  const RobotDoors& robots_;
  void look_who_has_nodes();

  std::map<WorldNumber, std::unique_ptr<NodesDoor>> doors_;
  std::vector<WorldNumber> with_nodes_;
  std::uint64_t roll_ = 0;  // of the fleet of which these are
};

}  // namespace convoy::ros2
