// Stacks for node callbacks that block: fibres, or under sanitizers threads of which one runs at a time.
#pragma once

#include <chrono>

#include "nodes/execution.h"

namespace convoy::os {

// Bytes of address space for each stack; memory is used as it is touched. As much as a thread has.
inline constexpr std::size_t kFibreStack = 8u << 20;

// Its strands may be resumed from any thread, by one at a time.
class Fibres final : public nodes::Execution {
 public:
  std::unique_ptr<Strand> make(std::function<void()> work) override;
};

// Each strand is a thread that only runs while resume() waits for it: what belongs to a thread, such as a lock, belongs
// to the strand. A switch costs two wake-ups of the kernel.
class ThreadStrands final : public nodes::Execution {
 public:
  std::unique_ptr<Strand> make(std::function<void()> work) override;
};

// Gives the turn from one thread to another and back: the one that resumes waits while the other is inside.
class Turn {
 public:
  Turn();
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  // From outside: returns when the turn is back. False: it was not within the patience; the other has it still.
  bool resume();
  bool resume_within(std::chrono::nanoseconds patience);
  void wait_to_begin();  // from inside, once, before anything else
  void suspend();        // from inside: returns with the next resume()
  void end();            // from inside: never comes again

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace convoy::os
