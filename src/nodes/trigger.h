// An event without a message: each trigger() is one call of its callback, in the order of all events.
#pragma once

#include <functional>

#include "nodes/entity.h"

namespace convoy::nodes {

class Trigger final : public Entity {
 public:
  void trigger();

 private:
  friend class Node;
  Trigger(Graph& graph, CallbackGroup& group, std::function<void()> callback)
      : Entity(graph, &group), callback_(std::move(callback)) {}
  std::string label() const override { return "a trigger"; }
  void run() override;

  std::function<void()> callback_;
};

}  // namespace convoy::nodes
