// What waits for messages and runs a callback for each: the common part of subscriptions, services and clients.
#pragma once

#include <functional>

#include "convoy/time.h"
#include "nodes/entity.h"
#include "nodes/message.h"
#include "nodes/ring.h"

namespace convoy::nodes {

// One message on its way to one callback, or from one publisher to all.
struct Delivery {
  MessageValue message;
  Instant published{};
  Instant received{};       // when it was put into the receiver's queue
  std::uint64_t index = 0;  // counts the messages of its publisher; of a request and its response: the call
  std::uint32_t from = 0;   // rank of the publisher; of a request and its response: of the client
};

using DeliveryCallback = std::function<void(Delivery&)>;

class Receiver : public Entity {
 public:
  std::uint64_t dropped() const { return dropped_; }  // pushed out by newer ones before their callback ran
  std::size_t waiting() const { return ring_.size(); }
  // The message in front, for users that take it instead of waiting for the callback: its event will find the next one,
  // or nothing. False: there is none.
  bool take(Delivery& delivery);
  // Runs the callback with a message that was taken.
  void handle(Delivery& delivery);

 protected:
  Receiver(Graph& graph, CallbackGroup& group, std::uint32_t bound, DeliveryCallback callback,
           Ranks ranks = Ranks::kUser)
      : Entity(graph, &group, ranks), bound_(bound), callback_(std::move(callback)) {}

  // Into the ring, and one event into the graph's queue. A full ring drops its oldest, but keeps the event: as with
  // rclcpp's EventsExecutor, the k-th event takes what is then in front, and the last ones find nothing.
  void push(Delivery delivery);
  void run() override;
  void note(const Delivery& delivery);  // a delivery, in the trail
  bool may_wait() override {
    if (parked_ >= bound_) return false;  // it would find nothing when it comes
    return ++parked_, true;
  }
  void waits_no_more() override { --parked_; }

 private:
  friend class CallbackGroup;
  friend class Client;
  friend class Graph;
  friend class Publisher;
  friend class Service;
  friend class Topic;

  std::uint32_t bound_;
  std::uint32_t parked_ = 0;  // events that wait because the group is busy
  std::uint64_t dropped_ = 0;
  Ring<Delivery> ring_;
  DeliveryCallback callback_;
};

}  // namespace convoy::nodes
