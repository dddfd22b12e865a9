// Runs an agent's software: calls it at its instants, passes messages from and to other agents, and reports its end.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "agent/inspect.h"
#include "agent/nodes_outlet.h"
#include "agent/outsider.h"
#include "agent/software.h"

namespace convoy {

// What nodes are given from outside the run.
using NodesInput = std::variant<SetParameter, PublishMessage, CallService, OutsideTraffic>;

class AgentNodes {
 public:
  // `start`: what the nodes' clocks show at instant 0. All instants here are the world's.
  AgentNodes(const Entity& entity, Duration start, std::unique_ptr<Software> software)
      : agent_(entity.number),
        domain_(entity.kind->domain),
        start_(start),
        outlet_(std::make_shared<NodesOutlet>(software->graph())),
        software_(std::move(software)) {}
  // The software could not be made; the error is reported in the first tick.
  AgentNodes(const Entity& entity, const Error& error)
      : agent_(entity.number), ended_(Ended{error.code == ErrorCode::kState ? 1 : 2, error.message(), true}) {}
  ~AgentNodes();

  bool over() const { return ended_.has_value(); }
  std::uint64_t digest() const;
  // Through which a gateway takes what its nodes say to programs outside; null: it has none, or they have ended.
  std::shared_ptr<NodesOutlet> outlet() const { return over() ? nullptr : outlet_; }
  Software* software() { return software_.get(); }
  const Software* software() const { return software_.get(); }

  // Does one of them listen to this sensor of the robot?
  bool takes(std::string_view sensor) const { return software_ && !over() && software_->takes(sensor); }

  // Call whenever the directory has changed, and before the first tick.
  void set_directory(const Directory& directory);
  void receive(const nodes::RemoteMessage& message, WorldNumber from, Instant arrival);
  // What came of an edit that it asked for.
  void edited(const EditReply& reply);
  // At a boundary: what its agent sees of elements.
  void look(const ElementView& elements, Slot agent, const World& world, double view_radius);
  void take(NodesInput input) { inputs_.push_back(std::move(input)); }  // at the next instant

  // Appends the answer of its nodes; `room`: bytes left for messages and parameters.
  void answer(const NodesQuestion& question, NodesAnswer& out, std::size_t& room);

  // Everything at `t`. Commands to the drive go to `command`.
  void run_at(Instant t, const Readings* readings, const std::function<void(const Twist&, Instant)>& command);
  // Everything before `end`.
  void run_until(Instant end, const std::function<void(const Twist&, Instant)>& command);
  // What leaves in this tick, as (topic, payload, when it was sent).
  void take_sent(Instant end, const std::function<void(const char*, Bytes, Instant)>& send);

 private:
  void end(Ended how);
  void send_edit_requests(Instant sent, const std::function<void(const char*, Bytes, Instant)>& send);
  void carry_out_inputs(Instant t);
  Outsider& outsider();

  WorldNumber agent_;
  std::uint32_t domain_ = 0;
  Duration start_{0};
  std::unique_ptr<AgentOutside> outside_;
  std::shared_ptr<NodesOutlet> outlet_;  // outlives the software, whose graph it taps
  std::unique_ptr<Software> software_;
  std::optional<Ended> ended_;
  bool begun_ = false;  // its first tick has
  bool end_reported_ = false;
  std::uint64_t seen_ = 0;               // hash of the elements that it knows of; 0: none
  std::uint64_t announced_version_ = 0;  // version of the interfaces that the others know
  std::vector<std::string> warned_;
  std::vector<NodesInput> inputs_;
  Watchers watchers_;
  std::optional<Outsider> outsider_;  // once it is needed
};

}  // namespace convoy
