// Services and their clients, in both manners that ROS 2's middlewares have.
//
//   rmw_fastrtps     which request a reply is to stands beside it, in the sample's related identity
//   rmw_cyclonedds   16 bytes of the client's choice stand before the request, and before the reply again
//
// One server answers each client in its own manner. A reply waits until its client's reader is matched, as ROS 2's own
// servers do: before that it would be lost. A writer of replies keeps the last one alone (more of them were lost to clients in
// new participants, where old ones had vanished); so a reply to another client waits until the last one has arrived, or a while.
#pragma once

#include <deque>

#include "adapters/ros2/domain.h"
#include "adapters/ros2/topics.h"

namespace convoy::ros2 {

inline constexpr Duration kReaderComes = std::chrono::seconds(5);         // within, or its reply is dropped
inline constexpr Duration kReplyArrives = std::chrono::milliseconds(20);  // until the next one may take its place
inline constexpr std::size_t kMaxReplies = 10'000;                        // that wait at one service

// Whom a reply goes to.
struct ReplyTo {
  Guid client{};  // the writer of its requests
  Dialect dialect{};
  Guid reader{};  // as it said; none: not known
  std::int64_t sequence = 0;
  std::array<std::uint8_t, 16> cyclone{};  // its header
};

struct ServiceRequest {
  ReplyTo from;
  Bytes cdr;
  std::string_view type_hash;  // of the client's requests; empty: it does not say
};

class Service final : public Endpoint {
 public:
  ~Service() override { *self_ = nullptr; }
  // Any time after the request; one to nobody who asked does no harm.
  void reply(const ReplyTo& to, ByteView cdr);
  const std::string& name() const { return name_; }
  // The service as long as there is one, then null: for replies that come late.
  std::shared_ptr<Service* const> handle() const { return self_; }

 private:
  friend class Node;
  struct Waiting {
    ReplyTo to;
    Bytes cdr;
    Moment until{};
  };
  Service(Domain& domain, Node::Serves serves) : Endpoint(domain), serves_(std::move(serves)) {}
  void received(const Received& sample) override;
  Moment work(Moment now) override;
  bool reachable(const ReplyTo& to) const;
  void send(const Waiting& reply, Moment now);

  std::shared_ptr<Service*> self_ = std::make_shared<Service*>(this);
  Node::Serves serves_;
  std::string name_, reply_topic_;
  std::unique_ptr<WireReader> requests_;
  std::unique_ptr<WireWriter> replies_;
  std::deque<Waiting> waiting_;
  Guid last_client_{};
  Moment last_sent_{};
};

// Asks servers of either manner; of several the first reply counts.
class Client final : public Endpoint {
 public:
  using Done = std::function<void(Result<Bytes>)>;
  // Is there a server that would be reached?
  bool ready() const;
  // One that is not of this run?
  bool ready_outside();
  // `done` is called once: with the reply, or kUnavailable at `until`.
  void call(ByteView request, Moment until, Done done);

 private:
  friend class Node;
  struct Asked {
    Moment until{};
    Done done;
  };
  using Endpoint::Endpoint;
  void received(const Received& sample) override;
  Moment work(Moment now) override;
  bool asks_cyclone() const;
  void answered(std::int64_t sequence, Bytes cdr);

  std::string name_, request_topic_, reply_topic_;
  std::unique_ptr<WireWriter> requests_;
  std::unique_ptr<WireReader> replies_;
  MatchedOutside outside_;
  std::map<std::int64_t, Asked> asked_;  // by the number of the request
  std::int64_t cyclone_asked_ = 0;
};

// A service of a type: `serve` gets each request and whom to answer; bytes that are no request are counted.
template <class ServiceT>
Result<std::unique_ptr<Service>> serve(
    Node& node, std::string_view name,
    std::function<void(const typename ServiceT::Request&, const ServiceRequest&)> serve) {
  return node.service(name, ros::ServiceSupport::of<ServiceT>(),
                      [&domain = node.domain(), serve = std::move(serve)](const ServiceRequest& asked) {
                        if (const auto request = message_in<typename ServiceT::Request>(domain, asked.cdr))
                          serve(*request, asked);
                      });
}
template <class Response>
void reply(Service& service, const ReplyTo& to, const Response& response) {
  if (const auto cdr = ros::TypeSupport::of<Response>().to_cdr(&response)) service.reply(to, *cdr);
}

}  // namespace convoy::ros2
