// A subscription as a filter.
#pragma once

#include "message_filters/simple_filter.hpp"
#include "rclcpp/node.hpp"

namespace message_filters {

template <class NodeT = rclcpp::Node>
class SubscriberBase {
 public:
  using NodePtr = std::shared_ptr<NodeT>;
  virtual ~SubscriberBase() = default;
  virtual void unsubscribe() = 0;
};

template <class M, class NodeT = rclcpp::Node>
class Subscriber : public SubscriberBase<NodeT>, public SimpleFilter<M> {
 public:
  Subscriber() = default;
  template <class Node>
  Subscriber(Node node, const std::string& topic, const rclcpp::QoS& qos = rclcpp::QoS(10),
             const rclcpp::SubscriptionOptions& options = {}) {
    subscribe(node, topic, qos, options);
  }
  template <class Node>
  Subscriber(Node node, const std::string& topic, const rmw_qos_profile_t& qos,
             const rclcpp::SubscriptionOptions& options = {}) {
    subscribe(node, topic, qos, options);
  }
  template <class Node>
  void subscribe(Node node, const std::string& topic, const rclcpp::QoS& qos = rclcpp::QoS(10),
                 const rclcpp::SubscriptionOptions& options = {}) {
    subscription_.reset();
    if (topic.empty()) return;
    topic_ = topic;
    again_ = [this, node, topic, qos, options] {
      subscription_ = node->template create_subscription<M>(
          topic, qos,
          [this, clock = node->get_clock()](std::shared_ptr<const M> message) {
            this->signalMessage(MessageEvent<const M>(std::move(message), clock->now()));
          },
          options);
    };
    again_();
  }
  template <class Node>
  void subscribe(Node node, const std::string& topic, const rmw_qos_profile_t& qos,
                 const rclcpp::SubscriptionOptions& options = {}) {
    subscribe(node, topic, rclcpp::QoS(rclcpp::QoSInitialization::from_rmw(qos), qos), options);
  }
  void subscribe() {
    if (again_ && !subscription_) again_();
  }
  void unsubscribe() override { subscription_.reset(); }
  std::string getTopic() const { return topic_; }
  typename rclcpp::Subscription<M>::SharedPtr getSubscriber() const { return subscription_; }

 private:
  typename rclcpp::Subscription<M>::SharedPtr subscription_;
  std::function<void()> again_;
  std::string topic_;
};

}  // namespace message_filters
