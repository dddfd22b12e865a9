// Runs work so that it can stop in the middle and go on later: the port that lets callbacks block.
//
// src/os implements it with fibres, or with threads of which one runs at a time. Without one a graph works, but no
// callback of it can wait for simulated time.
#pragma once

#include <functional>
#include <memory>

namespace convoy::nodes {

class Execution {
 public:
  // One piece of work on a stack of its own. Destroyed before it has ended, it is unwound by an exception, which it
  // lets pass; while that happens suspend() must not be called.
  class Strand {
   public:
    virtual ~Strand() = default;
    // From outside: it goes on until it suspends itself or ends.
    virtual void resume() = 0;
    // From inside: back to whoever called resume().
    virtual void suspend() = 0;
  };

  virtual ~Execution() = default;
  // `work` begins with the first resume(), and should not end: when it does, resume() must not be called again.
  virtual std::unique_ptr<Strand> make(std::function<void()> work) = 0;
};

}  // namespace convoy::nodes
