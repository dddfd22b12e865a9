// Stacks for node callbacks that block: fibres, or under sanitizers threads of which one runs at a time.
#pragma once

#include "nodes/execution.h"

namespace convoy::os {

// Bytes of address space for each stack; memory is used as it is touched. As much as a thread has.
inline constexpr std::size_t kFibreStack = 8u << 20;

// Its strands may be resumed from any thread, by one at a time.
class Fibres final : public nodes::Execution {
 public:
  std::unique_ptr<Strand> make(std::function<void()> work) override;
};

}  // namespace convoy::os
