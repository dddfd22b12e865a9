// A host's half of a model's entry: compiles it beside the ticks before the world has it, and keeps it until robots do.
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "core/ports.h"
#include "physics/factory.h"

namespace convoy {

inline constexpr std::size_t kMaxPrepared = 64;  // models that are kept although no robot has them

class ModelPreparer {
 public:
  using Answer = std::function<void(Bytes)>;  // of an Answer frame

  // `handlers` may be null: models are compiled on the spot then. Both outlive it.
  ModelPreparer(const PhysicsFactory& physics, Handlers* handlers) : physics_(physics), handlers_(handlers) {}

  // The payload of an Ask. False: it asks for something else.
  bool take(ByteView ask, const World& world, const Answer& answer);
  // Answers for what the handlers have compiled.
  void collect(const Answer& answer);

 private:
  struct Compiling;
  void finish(Compiling& one, const Answer& answer);

  const PhysicsFactory& physics_;
  Handlers* handlers_;
  std::deque<std::shared_ptr<const void>> prepared_;
};

}  // namespace convoy
