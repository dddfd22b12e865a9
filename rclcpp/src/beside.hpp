// What a simulation adds to its nodes by itself: /rosout, /clock, and the services of parameters.
//
// What is not used costs nothing. /rosout and /clock are published while they have a subscription, by the node
// /convoy, which is made for them. The six services of a node's parameters are made for the first client of one of
// them: 500 nodes would otherwise have 3,000 services that none of them uses. All of it has ranks in series of its own,
// so that ranks, digests and the order of what users make are the same with it and without.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "convoy_ros/simulation.hpp"

namespace rclcpp::node_interfaces {
class NodeParametersInterface;
}

namespace convoy::ros {

class Beside {
 public:
  using Parameters = rclcpp::node_interfaces::NodeParametersInterface;
  // The last parts of their names, and the names of their types in rcl_interfaces/srv.
  static const std::map<std::string, std::string>& parameter_services();

  explicit Beside(Simulation& simulation);
  ~Beside();

  // --- services of parameters
  void offer(const std::string& node, Parameters& parameters);
  void withdraw(const std::string& node, Parameters& parameters);
  // A client of this service has been made.
  void asked_for(const std::string& service);
  bool offers(const std::string& service) const;
  const std::multimap<std::string, Parameters*>& offers() const { return offers_; }

  // --- topics
  // Has /parameter_events a subscription?
  bool events_have_subscribers() { return find_topics(), has_subscribers(events_); }
  void publish_time();
  void publish(const LogLine& line);
  void keep_off_rosout(const std::string& logger) { off_rosout_.insert(logger); }

 private:
  struct Publishers;
  void find_topics() {
    if (simulation_.graph().topics().size() != topics_seen_) find_topics_again();
  }
  void find_topics_again();
  static bool has_subscribers(const nodes::Topic* topic) { return topic && !topic->subscriptions().empty(); }
  Publishers& publishers();

  Simulation& simulation_;
  std::multimap<std::string, Parameters*> offers_;  // by full node name; of equal names in order of creation
  std::set<std::string> off_rosout_;
  std::size_t topics_seen_ = 0;  // so many topics; one that is there stays
  nodes::Topic *clock_ = nullptr, *rosout_ = nullptr, *events_ = nullptr;
  std::unique_ptr<Publishers> publishers_;
};

}  // namespace convoy::ros
