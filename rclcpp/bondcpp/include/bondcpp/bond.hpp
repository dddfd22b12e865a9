// A bond: each of two sides says on a topic that it is there, and is told when the other one is formed, breaks off or is
// silent. All times are simulated.
//
//   bond::Bond bond("bond", "arm", node, [] { stop(); });
//   bond.start();
//   bond.waitUntilFormed(rclcpp::Duration(4s));   // suspends the caller
//
// It waits until the other is heard or the time to connect is over; it is alive until either side breaks it or is not
// heard for the heartbeat's time; after breakBond() it awaits the other's end. A dead one stays so.
#pragma once

#include <bond/msg/constants.hpp>
#include <bond/msg/status.hpp>

#include <functional>
#include <memory>
#include <string>

#include "rclcpp/rclcpp.hpp"

namespace bond {

class Bond {
 public:
  using EventCallback = std::function<void()>;

  // NodeT: a shared_ptr to an rclcpp::Node or a LifecycleNode. `id`: of the bond, the same on both sides.
  template <class NodeT>
  Bond(const std::string& topic, const std::string& id, NodeT node, EventCallback on_broken = {},
       EventCallback on_formed = {})
      : Bond(topic, id, node->get_node_base_interface(), node->get_node_logging_interface(),
             node->get_node_parameters_interface(), node->get_node_timers_interface(),
             node->get_node_topics_interface(), std::move(on_broken), std::move(on_formed)) {}
  Bond(const std::string& topic, const std::string& id, rclcpp::node_interfaces::NodeBaseInterface::SharedPtr base,
       rclcpp::node_interfaces::NodeLoggingInterface::SharedPtr logging,
       rclcpp::node_interfaces::NodeParametersInterface::SharedPtr parameters,
       rclcpp::node_interfaces::NodeTimersInterface::SharedPtr timers,
       rclcpp::node_interfaces::NodeTopicsInterface::SharedPtr topics, EventCallback on_broken = {},
       EventCallback on_formed = {});
  ~Bond();  // breaks it, and says so once
  Bond(const Bond&) = delete;
  Bond& operator=(const Bond&) = delete;

  // Before start(), s; std::runtime_error after. Of heartbeats the other side's are waited for as it says itself.
  double getConnectTimeout() const { return times_.connect; }
  void setConnectTimeout(double seconds) { set(times_.connect, seconds); }
  double getDisconnectTimeout() const { return times_.disconnect; }
  void setDisconnectTimeout(double seconds) { set(times_.disconnect, seconds); }
  double getHeartbeatTimeout() const { return times_.silence; }
  void setHeartbeatTimeout(double seconds) { set(times_.silence, seconds); }
  double getHeartbeatPeriod() const { return times_.heartbeat; }
  void setHeartbeatPeriod(double seconds) { set(times_.heartbeat, seconds); }
  void setFormedCallback(EventCallback on_formed) { tell_.formed = std::move(on_formed); }
  void setBrokenCallback(EventCallback on_broken) { tell_.broken = std::move(on_broken); }

  void start();
  // False at the end of the time (below 0: never), or of the simulation.
  bool waitUntilFormed(rclcpp::Duration timeout = rclcpp::Duration(std::chrono::nanoseconds(-1)));
  bool waitUntilBroken(rclcpp::Duration timeout = rclcpp::Duration(std::chrono::nanoseconds(-1)));
  // The other side is told, and both are broken once it has answered, or the time to disconnect is over.
  void breakBond();
  bool isBroken() const { return state_ == State::kDead; }
  std::string getTopic() const { return topic_; }
  std::string getId() const { return id_; }
  std::string getInstanceId() const { return instance_; }

 private:
  using Node = rclcpp::node_interfaces::NodeInterfaces<
      rclcpp::node_interfaces::NodeBaseInterface, rclcpp::node_interfaces::NodeLoggingInterface,
      rclcpp::node_interfaces::NodeParametersInterface, rclcpp::node_interfaces::NodeTimersInterface,
      rclcpp::node_interfaces::NodeTopicsInterface>;
  enum class State { kWaiting, kAlive, kAwaiting, kDead };
  struct Times {  // s
    double connect = msg::Constants::DEFAULT_CONNECT_TIMEOUT, disconnect = msg::Constants::DEFAULT_DISCONNECT_TIMEOUT;
    double silence = msg::Constants::DEFAULT_HEARTBEAT_TIMEOUT, heartbeat = msg::Constants::DEFAULT_HEARTBEAT_PERIOD;
  };
  struct Tell {
    EventCallback broken, formed;
  };
  void set(double& which, double seconds);
  void heard(const msg::Status& status);
  void say(bool active);
  void turn(State state);
  void await(double seconds);

  const std::string topic_, id_;
  std::string instance_, other_;  // this side's and the other's
  Node node_;
  Tell tell_;
  Times times_;
  State state_ = State::kWaiting;
  bool formed_ = false;  // at one time
  rclcpp::CallbackGroup::SharedPtr group_;
  rclcpp::Publisher<msg::Status>::SharedPtr publisher_;
  rclcpp::Subscription<msg::Status>::SharedPtr subscription_;
  rclcpp::TimerBase::SharedPtr heartbeat_, due_;  // since start()
};

}  // namespace bond
