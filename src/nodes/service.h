// Services and their clients: a request is an event at the server, its response one at the client.
#pragma once

#include <string>
#include <vector>

#include "convoy/ids.h"
#include "nodes/delay.h"
#include "nodes/receiver.h"

namespace convoy::nodes {

class Client;
class Service;

struct ServiceType {
  std::string name;  // "std_srvs/srv/Trigger"
  const MessageType* request = nullptr;
  const MessageType* response = nullptr;
};

struct ServiceSpec {
  std::string service;
  const ServiceType* type = nullptr;
  CallbackGroup* group = nullptr;  // null: the node's own
  DeliveryCallback callback;       // of a service: a request; of a client: a response
  Ranks ranks = Ranks::kUser;
  // Of a service: it stands for servers outside the run. Other agents do not learn of it, and it is asked only where no
  // agent serves that name.
  bool for_outside = false;
};

// Most requests or responses that wait at one service or client; beyond it the oldest is dropped and counted.
inline constexpr std::uint32_t kMaxCallsWaiting = 1u << 16;

// A name with its type, its servers and its clients.
class ServiceName {
 public:
  const std::string& name() const { return name_; }
  const ServiceType& type() const { return *type_; }
  const std::vector<Service*>& servers() const { return servers_; }  // in order of creation: the first answers
  const std::vector<Client*>& clients() const { return clients_; }   // by rank
  std::uint64_t count() const { return count_; }                     // calls so far
  WorldNumber remote() const { return remote_; }  // the agent that answers where none of ours does; or kNoEntity
  // Who answers of this agent's nodes; null: none does.
  Service* server() const;
  // Does a node serve it, of this agent or another?
  bool served_inside() const { return server() || remote_ != kNoEntity; }

 private:
  friend class Client;
  friend class Graph;
  friend class Service;
  ServiceName(std::string name, const ServiceType& type);

  std::string name_;
  const ServiceType* type_;
  std::uint64_t key_;
  std::vector<Service*> servers_;
  std::vector<Client*> clients_;
  std::uint64_t count_ = 0;
  WorldNumber remote_;  // the agent that answers where none of ours does
};

// The receiver of the response: from and index of the request.
struct CallId {
  std::uint32_t client = 0;
  std::uint64_t index = 0;
};

class Service final : public Receiver {
 public:
  ServiceName& name() const { return *name_; }
  Node& node() const { return *node_; }
  bool for_outside() const { return for_outside_; }
  // Now or at any later instant, once for each request. Nothing happens if the client is gone.
  void respond(const CallId& call, MessageValue response);

 private:
  friend class Client;
  friend class Graph;
  friend class Node;
  Service(Graph& graph, Node& node, ServiceName& name, ServiceSpec spec);
  ~Service() override;
  void detach() override;
  std::string label() const override { return name_->name() + " (request)"; }
  void note_interface();  // it has come, or goes

  Node* node_;
  ServiceName* name_;
  bool for_outside_;
  DelaySource delay_;  // of responses
};

class Client final : public Receiver {
 public:
  ServiceName& name() const { return *name_; }
  Node& node() const { return *node_; }
  bool service_is_ready() const { return !name_->servers_.empty() || name_->remote_ != kNoEntity; }
  // The number of the call, which its response carries. Without a server the request is lost, and a warning reports it.
  std::uint64_t call(MessageValue request);

 private:
  friend class Graph;
  friend class Node;
  friend class Service;
  Client(Graph& graph, Node& node, ServiceName& name, ServiceSpec spec);
  ~Client() override;
  void detach() override;
  std::string label() const override { return name_->name() + " (response)"; }

  Node* node_;
  ServiceName* name_;
  std::uint64_t next_index_ = 0;
  DelaySource delay_;  // of requests
};

}  // namespace convoy::nodes
