// Topics, with their publishers and subscriptions: order, depth, and which subscription gets the object itself.
#pragma once

#include <string>
#include <vector>

#include "nodes/delay.h"
#include "nodes/qos.h"
#include "nodes/remote.h"

namespace convoy::nodes {

class Publisher;
class Subscription;
class Topic;

// A publisher and a subscription of its topic have met or parted.
struct Match {
  int change = 0;                 // 1: messages go from one to the other; -1: no longer; 0: their qualities do not fit
  const char* missing = nullptr;  // the quality that does not fit
};
// Called at once, in the middle of another node's work: it should trigger something, and do nothing itself.
using MatchListener = std::function<void(const Match&)>;

struct PublisherSpec {
  std::string topic;
  const MessageType* type = nullptr;
  QoS qos;
  MatchListener on_match;
  Ranks ranks = Ranks::kUser;
  bool stays_inside = false;  // other agents get nothing of it
};

struct SubscriptionSpec {
  std::string topic;
  const MessageType* type = nullptr;
  QoS qos;
  bool takes_ownership = false;    // the callback changes or keeps the object: it must be the only holder
  CallbackGroup* group = nullptr;  // null: the node's own
  DeliveryCallback callback;
  MatchListener on_match;
};

// Gets each message of a topic as it is published; an observer, no part of the run.
using Tap = std::function<void(const Delivery&)>;
// Called for each topic, before anything is published there.
using TopicWatch = std::function<void(const Topic&)>;

// A name with its type. Once there, it stays for the life of the graph, so that its count does.
class Topic {
 public:
  const std::string& name() const { return name_; }
  const MessageType& type() const { return *type_; }
  const std::vector<Publisher*>& publishers() const { return publishers_; }  // in order of creation
  const std::vector<Subscription*>& subscriptions() const { return subscriptions_; }
  // Does anybody subscribe, here or in another agent? Observers do not count.
  bool has_takers() const { return !subscriptions_.empty() || !remote_subscribers_.empty(); }
  std::uint64_t count() const { return count_; }  // messages published so far
  Instant last() const { return last_; }          // the instant of the newest

 private:
  friend class Graph;
  friend class Publisher;
  friend class Subscription;

  Topic(std::string name, const MessageType& type);
  // In order of creation; those that share get one object, each owner but the last gets a copy, the last the object.
  static void deliver(Delivery delivery, const std::vector<Subscription*>& to);
  static void deliver_mixed(Delivery delivery, const std::vector<Subscription*>& to);
  // Of a publisher or subscription.
  void joined_by(const MessageType& type) { mixed_ = mixed_ || type.is_bytes() != type_->is_bytes(); }

  std::string name_;
  const MessageType* type_;
  std::uint64_t key_;  // a hash of the name: what the trail notes
  std::vector<Publisher*> publishers_;
  std::vector<Subscription*> subscriptions_;
  std::vector<Tap> taps_;
  std::vector<WorldNumber> remote_subscribers_;                      // other agents that subscribe, ascending
  std::vector<std::unique_ptr<RemotePublisher>> remote_publishers_;  // never go: messages of theirs may be under way
  bool mixed_ = false;  // messages of both forms may meet subscriptions of both
  std::uint64_t count_ = 0;
  Instant last_{};
};

class Publisher final : public Entity {
 public:
  Topic& topic() const { return *topic_; }
  Node& node() const { return *node_; }
  const QoS& qos() const { return qos_; }
  std::uint64_t published() const { return next_index_; }
  // What late subscribers that ask for it get: the newest messages, oldest first; none unless transient local.
  const std::vector<Delivery>& kept() const { return kept_; }
  std::size_t subscription_count() const { return graph() ? direct_.size() + links_.size() : 0; }

  // An owned value is handed over and not copied for the last owner; a shared one is shared as far as takers allow.
  void publish(MessageValue message);
  // A message that stays the caller's: copied only if a subscription takes it.
  void publish_copy(const void* message);

 private:
  friend class Graph;
  friend class Node;
  friend class Subscription;
  friend class Topic;

  // A subscription that has a delay of its own from here.
  struct Link {
    Subscription* subscription;
    DelaySource delay;
  };

  Publisher(Graph& graph, Node& node, Topic& topic, const PublisherSpec& spec);
  ~Publisher() override;
  void detach() override;
  void connect(Subscription& subscription);
  void disconnect(Subscription& subscription);
  bool goes_away() const;
  void refresh();  // slow_, after anything that decides it has changed
  void publish_slow(MessageValue message);
  void publish_links(Delivery delivery, Duration by);
  void arrive(Delivery delivery, const std::vector<Subscription*>& at);
  void arrive_late(Delivery delivery);  // after the delay that no link gave it

  Node* node_;
  Topic* topic_;
  const MessageType* type_;  // that of the topic, maybe in the other form
  QoS qos_;
  std::uint64_t next_index_ = 0;
  std::uint32_t ordinal_ = 0;  // distinguishes publishers of one node on one topic
  bool stays_inside_ = false;
  bool slow_ = false;  // anything but "at once, to all subscriptions of the topic, and in the trail"
  DelaySource delay_;
  std::vector<Subscription*> direct_;  // of the topic's, those that it reaches without a link delay
  std::vector<Link> links_;
  std::vector<Delivery> kept_;  // transient local: the newest, oldest first, all shared
  MatchListener on_match_;
};

class Subscription final : public Receiver {
 public:
  Topic& topic() const { return *topic_; }
  Node& node() const { return *node_; }
  const QoS& qos() const { return qos_; }
  const MessageType& type() const { return *type_; }  // that of the topic, maybe in the other form

 private:
  friend class Graph;
  friend class Node;
  friend class Publisher;
  friend class Topic;

  Subscription(Graph& graph, Node& node, Topic& topic, SubscriptionSpec spec);
  ~Subscription() override;
  void detach() override;
  std::string label() const override { return topic_->name_; }
  bool takes(const MessageValue& message) const { return type_->is_bytes() == message.type().is_bytes(); }
  // The message in its form, as an object of its own; nothing, and the graph stops, if it is none of the type.
  MessageValue convert(const MessageValue& message) const;
  void push_converted(Delivery delivery);
  void delay_converted(Duration by, WorldNumber origin, Delivery delivery);

  Node* node_;
  Topic* topic_;
  const MessageType* type_;
  QoS qos_;
  std::uint32_t ordinal_ = 0;
  bool takes_ownership_;
  MatchListener on_match_;
};

}  // namespace convoy::nodes
