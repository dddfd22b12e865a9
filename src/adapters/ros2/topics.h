// Publishers and subscriptions of a node.
#pragma once

#include "adapters/ros2/domain.h"

namespace convoy::ros2 {

// Is any of the readers that a writer matches not of this run? Looked at anew when those that match, or the domain's graph,
// have changed.
class MatchedOutside {
 public:
  // `topic`: the writer's, as DDS has it.
  bool of(const Domain& domain, const WireWriter& writer, const std::string& topic);

 private:
  std::size_t matched_ = 0;
  std::uint64_t version_ = 0;  // of the graph
  bool any_ = false;
};

class Publisher final : public Endpoint {
 public:
  // Is there anybody whom it would reach?
  bool wanted() const { return writer_->matched() > 0; }
  // Anybody who is not of this run?
  bool wanted_outside();
  std::size_t matched() const { return writer_->matched(); }
  // All that was published has arrived at everybody who asks for that.
  bool acknowledged() const { return writer_->acknowledged(); }
  void publish(ByteView cdr) { kept_ = writer_->write(cdr) > 0; }
  // Who comes later gets nothing of what was published until now.
  void forget() {
    if (std::exchange(kept_, false)) writer_->forget();
  }
  const std::string& topic() const { return topic_; }

 private:
  friend class Node;
  using Endpoint::Endpoint;
  std::unique_ptr<WireWriter> writer_;
  std::string topic_;
  bool kept_ = false;
  MatchedOutside outside_;
};

class Subscription final : public Endpoint {
 public:
  std::size_t matched() const { return reader_->matched(); }

 private:
  friend class Node;
  Subscription(Domain& domain, Node::Hears hears) : Endpoint(domain), hears_(std::move(hears)) {}
  void received(const Received& sample) override { hears_(sample); }
  Node::Hears hears_;
  std::unique_ptr<WireReader> reader_;
};

// The message in a sample, or nothing and the sample is counted: bytes from strangers.
template <class Message>
std::optional<Message> message_in(Domain& domain, ByteView cdr) {
  Message out;
  if (ros::TypeSupport::of<Message>().from_cdr(cdr, &out, ros::Rest::kIgnored)) return out;
  ++domain.counts().malformed;
  return std::nullopt;
}

template <class Message>
void publish(Publisher& publisher, const Message& message) {
  if (const auto cdr = ros::TypeSupport::of<Message>().to_cdr(&message)) publisher.publish(*cdr);
}

}  // namespace convoy::ros2
