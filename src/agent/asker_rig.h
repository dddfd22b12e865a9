// Nodes for tests that ask for edits of the world at set instants, and note what comes of it.
//
//   Askers askers;
//   askers.plans["r1"] = {{15ms, spawn_request("crate", "box", {1, 0, 0})}};
//   ... a run with robots that have components, made by `askers`
//   askers.heard["r1"]     // "20 ms: crate is 4", or "20 ms: an entity named 'crate' exists already"
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agent/software.h"

namespace convoy::testing {

using AskerPlan = std::vector<std::pair<Duration, EditRequest>>;  // by instant

class Asker final : public Software {
 public:
  Asker(const SoftwareSpec& spec, AskerPlan plan, std::vector<std::string>& heard)
      : graph_({.now = spec.now, .agent = spec.entity.number.value(), .origin = spec.entity.number}),
        plan_(std::move(plan)),
        heard_(heard) {
    while (at_ < plan_.size() && Instant(plan_[at_].first) < spec.now) ++at_;  // it was made later
  }
  nodes::Graph& graph() override { return graph_; }
  const nodes::Graph& graph() const override { return graph_; }
  Instant next() const override { return at_ < plan_.size() ? Instant(plan_[at_].first) : nodes::kNoInstant; }
  Status run(Instant t, const Readings*) override {
    for (const EditReply& reply : std::exchange(replies_, {}))
      heard_.push_back(std::to_string(nanos(t) / 1'000'000) + " ms: " +
                       (reply.error == 0 ? reply.name + " is " + std::to_string(reply.number.value()) : reply.text));
    for (; at_ < plan_.size() && Instant(plan_[at_].first) <= t; ++at_) asked_.push_back(plan_[at_].second);
    return graph_.run_instant(t);
  }
  std::optional<Twist> take_command() override { return std::nullopt; }
  std::vector<EditRequest> take_edit_requests() override { return std::exchange(asked_, {}); }
  void edited(const EditReply& reply) override { replies_.push_back(reply); }
  std::string text_of(const nodes::Delivery&) const override { return {}; }
  Status set_parameter(const std::string&, const std::string&, const std::string&) override { return {}; }

 private:
  nodes::Graph graph_;
  AskerPlan plan_;
  std::size_t at_ = 0;
  std::vector<EditRequest> asked_;
  std::vector<EditReply> replies_;
  std::vector<std::string>& heard_;
};

class Askers final : public SoftwareFactory {
 public:
  std::vector<CodeFile> code_of(std::span<const ComponentSpec>, CodeSource, std::optional<Error>&) override {
    return {};
  }
  Result<std::unique_ptr<Software>> make(const SoftwareSpec& spec) override {
    return std::make_unique<Asker>(spec, plans[spec.entity.name], heard[spec.entity.name]);
  }
  std::map<std::string, AskerPlan> plans;  // by agent
  std::map<std::string, std::vector<std::string>> heard;
};

// An entity with such nodes that may ask for all kinds of edits.
inline EntitySpec asker(std::string name, double x, std::string model = "turtlebot3_burger") {
  EntitySpec spec;
  spec.name = std::move(name), spec.model = std::move(model), spec.pose.p.x = x;
  spec.components = {{"tests", "asker", {}}};
  for (std::size_t kind = 0; kind < kEditKinds; ++kind) spec.edits.push_back(static_cast<EditKind>(kind));
  return spec;
}

inline EditRequest spawn_request(std::string name, const Vec3& at, std::string frame = "") {
  return {.kind = EditKind::kSpawn,
          .entity = std::move(name),
          .model = "box",
          .frame = std::move(frame),
          .pose = Pose{at, {}}};
}
inline EditRequest about(EditKind kind, std::string entity) { return {.kind = kind, .entity = std::move(entity)}; }
inline EditRequest attach_request(std::string parent, std::string child) {
  return {.kind = EditKind::kAttach, .entity = std::move(child), .parent = std::move(parent)};
}

}  // namespace convoy::testing
