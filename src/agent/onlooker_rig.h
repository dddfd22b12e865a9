// Nodes for tests that look at elements of outside programs, and note what their agent sees of them.
//
//   Onlookers eyes;
//   ... a run with robots that have components, made by `eyes`
//   eyes.seen["r1"]     // "20 ms: alice1@35 bob7": with a place at x = 3.5, and without one
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "agent/software.h"

namespace convoy::testing {

using Lines = std::vector<std::string>;

// Notes what its agent sees.
class Onlooker final : public Software {
 public:
  Onlooker(const SoftwareSpec& spec, Lines& seen)
      : graph_({.now = spec.now, .agent = spec.entity.number.value(), .origin = spec.entity.number}), seen_(seen) {}
  nodes::Graph& graph() override { return graph_; }
  const nodes::Graph& graph() const override { return graph_; }
  Instant next() const override { return nodes::kNoInstant; }
  Status run(Instant t, const Readings*) override {
    if (news_) seen_.push_back(std::to_string(nanos(t) / 1'000'000) + " ms:" + *std::exchange(news_, std::nullopt));
    return graph_.run_instant(t);
  }
  std::optional<Twist> take_command() override { return std::nullopt; }
  bool looks_at_elements() const override { return true; }
  void elements(std::span<const SeenElement> seen) override {
    news_ = "";
    for (const SeenElement& one : seen)
      *news_ += " " + one.element->owner + std::to_string(one.element->id.value()) +
                (one.pose ? "@" + std::to_string(std::lround(one.pose->p.x * 10)) : "");
  }
  std::string text_of(const nodes::Delivery&) const override { return {}; }
  Status set_parameter(const std::string&, const std::string&, const std::string&) override { return {}; }

 private:
  nodes::Graph graph_;
  Lines& seen_;
  std::optional<std::string> news_;
};
class Onlookers final : public SoftwareFactory {
 public:
  std::vector<CodeFile> code_of(std::span<const ComponentSpec>, CodeSource, std::optional<Error>&) override {
    return {};
  }
  Result<std::unique_ptr<Software>> make(const SoftwareSpec& spec) override {
    return std::make_unique<Onlooker>(spec, seen[spec.entity.name]);
  }
  std::map<std::string, Lines> seen;
};

}  // namespace convoy::testing
