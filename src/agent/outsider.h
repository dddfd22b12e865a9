// The node of an agent by which callers outside the run publish to its nodes and call their services.
//
// What it does comes from inputs, which are journalled; what its callers read of it changes neither the run nor a
// digest. It is made when it is first needed, with ranks of its own, so that it changes those of no other node.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "agent/inspect.h"
#include "agent/software.h"

namespace convoy {

inline constexpr const char* kOutsiderNode = "outside";
inline constexpr std::size_t kMaxResponses = 100;       // that are kept for their callers; the oldest goes
inline constexpr std::size_t kMaxCallsUnderWay = 1000;  // that wait for their responses; the oldest is forgotten

class Outsider {
 public:
  // The software outlives it.
  explicit Outsider(Software& software) : software_(software) {}

  // Both at the instant that has begun; an error: nothing has happened. Whoever subscribes later and asks for what is
  // kept gets the newest message of each topic.
  Status publish(const PublishMessage& message);
  Status call(const CallService& call);  // what comes of it is kept in either case

  // Appends the response to that call, if it has come.
  void answer(std::uint64_t id, WorldNumber agent, NodesAnswer& out, std::size_t& room) const;

 private:
  struct Call {
    const nodes::ServiceName* service;
    std::uint64_t index, id;
  };
  struct Kept {
    std::uint64_t id;
    NodesAnswer::Response response;
  };
  Result<nodes::Node*> node();
  Result<nodes::Client*> client(const nodes::ServiceName& service);
  Status request(const CallService& call);
  void responded(const nodes::ServiceName& service, const nodes::Delivery& response);
  void keep(std::uint64_t id, NodesAnswer::Response response);

  Software& software_;
  nodes::Owned<nodes::Node> node_;
  std::map<std::string, nodes::Owned<nodes::Publisher>> publishers_;  // by topic
  std::map<std::string, nodes::Owned<nodes::Client>> clients_;        // by service
  std::deque<Call> under_way_;
  std::deque<Kept> responses_;
};

// For Kind::kTopic and kService: what this agent's nodes say; nothing, if none of them has it.
std::optional<NodesAnswer::Taker> taker_of(const NodesQuestion& question, const Software& software);

}  // namespace convoy
