// What an agent's nodes say to programs outside the run, in bytes: collected while a tick runs, taken by a gateway after it.
//
// It changes neither the run nor a digest: nothing is collected until a gateway asks for it, and what nobody takes is
// dropped. What comes in goes by inputs (world/traffic.h, OutsideTraffic).
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "nodes/graph.h"

namespace convoy {

inline constexpr std::size_t kMaxOutletBytes = 64u << 20;  // of one agent between two takes; what is beyond is dropped

class NodesOutlet {
 public:
  struct Message {
    std::uint32_t publisher = 0;  // its rank in the graph
    Bytes bytes;
  };
  struct Request {  // of a service that is offered by programs outside
    std::string service;
    std::uint64_t number = 0;
    Bytes bytes;
  };
  struct Response {  // to a request from outside
    std::uint64_t number = 0;
    Bytes bytes;
  };
  struct Taken {
    std::vector<Message> messages;
    std::vector<Request> requests;
    std::vector<Response> responses;
    std::uint64_t dropped = 0;
  };

  explicit NodesOutlet(nodes::Graph& graph) : graph_(&graph) {}
  NodesOutlet(const NodesOutlet&) = delete;

  // To be called between ticks. Null once the nodes have ended: let go of the outlet then.
  const nodes::Graph* graph() const { return graph_; }
  // Requests and responses are collected from now on.
  void use() { used_ = true; }
  // Messages of this topic are collected from now on, or no longer. A topic that the graph does not have: nothing happens.
  void collect(const std::string& topic, bool wanted);
  Taken take();
  // Services that programs outside offer now, as inputs have said.
  const std::set<std::string>& offered() const { return offered_; }

  // --- for the agent
  void close() { graph_ = nullptr; }
  void offer(const std::string& service, bool offered);
  void add(Request request);
  void add(Response response);

 private:
  bool fits(std::size_t bytes);

  nodes::Graph* graph_;
  bool used_ = false;
  std::map<std::string, std::shared_ptr<bool>> wanted_;  // topics that are tapped
  std::set<std::string> offered_;
  Taken taken_;
  std::size_t bytes_ = 0;
};

}  // namespace convoy
