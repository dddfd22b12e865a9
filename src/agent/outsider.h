// The node of an agent by which callers outside the run publish to its nodes and call their services.
//
// What it does comes from inputs, which are journalled; what its callers read of it changes neither the run nor a
// digest. It is made when it is first needed, with ranks of its own, so that it changes those of no other node.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "agent/inspect.h"
#include "agent/nodes_outlet.h"
#include "agent/software.h"

namespace convoy {

inline constexpr const char* kOutsiderNode = "outside";
inline constexpr std::size_t kMaxResponses = 100;       // that are kept for their callers; the oldest goes
inline constexpr std::size_t kMaxCallsUnderWay = 1000;  // that wait for their responses; the oldest is forgotten

class Outsider {
 public:
  // Both outlive it.
  Outsider(Software& software, NodesOutlet& outlet) : software_(software), outlet_(outlet) {}

  // Both at the instant that has begun; an error: nothing has happened. Whoever subscribes later and asks for what is
  // kept gets the newest message of each topic.
  Status publish(const PublishMessage& message);
  Status call(const CallService& call);  // what comes of it is kept in either case
  // The same in bytes, and services of programs outside; what comes of it leaves by the outlet. An error: nothing has happened.
  Status pass(const OutsideTraffic& traffic);

  // Appends the response to that call, if it has come.
  void answer(std::uint64_t id, WorldNumber agent, NodesAnswer& out, std::size_t& room) const;

 private:
  struct Call {
    const nodes::ServiceName* service;
    std::uint64_t index, id;
    bool in_bytes;  // its response leaves by the outlet
  };
  struct Offer {  // of programs outside
    nodes::Owned<nodes::Service> service;
    std::map<std::uint64_t, nodes::CallId> waiting;  // for their responses, by number
  };
  struct Kept {
    std::uint64_t id;
    NodesAnswer::Response response;
  };
  Result<nodes::Node*> node();
  Result<nodes::Client*> client(const nodes::ServiceName& service);
  enum class Reaches : std::uint8_t { kAll, kOwn };  // agents
  Status publish(const nodes::Topic& topic, nodes::MessageValue message, Reaches whom);
  Status request(const CallService& call);
  Status request(const nodes::ServiceName& service, nodes::MessageValue request, std::uint64_t id, bool in_bytes);
  Status offer(const OutsideTraffic& traffic);
  void asked(const nodes::ServiceName& service, const nodes::Delivery& request);
  Status respond(const OutsideTraffic& traffic);
  void responded(const nodes::ServiceName& service, const nodes::Delivery& response);
  void keep(std::uint64_t id, NodesAnswer::Response response);

  Software& software_;
  NodesOutlet& outlet_;
  nodes::Owned<nodes::Node> node_;
  using Publishers = std::map<std::string, nodes::Owned<nodes::Publisher>>;
  Publishers publishers_;  // by topic
  // In bytes: each agent that subscribes is given those by itself.
  Publishers passing_;
  std::map<std::string, nodes::Owned<nodes::Client>> clients_;  // by service
  std::map<std::string, Offer> offers_;                         // by service
  std::uint64_t next_number_ = 1;                               // of requests to them
  std::deque<Call> under_way_;
  std::deque<Kept> responses_;
};

// For Kind::kTopic and kService: what this agent's nodes say; nothing, if none of them has it.
std::optional<NodesAnswer::Taker> taker_of(const NodesQuestion& question, const Software& software);

}  // namespace convoy
