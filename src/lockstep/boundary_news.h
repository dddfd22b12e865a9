// What hosts and guests were not yet sent of the boundary at which the run waits: what it is made of, and its edits.
#pragma once

#include "lockstep/audience.h"

namespace convoy {

class BoundaryNews {
 public:
  void completed(std::vector<Manifest> states, std::vector<WorldNumber> held) {
    states_ = std::move(states);
    held_ = std::move(held);
  }
  void add(Edit edit) { edits_.push_back(std::move(edit)); }
  void forget_edits() { edits_.clear(); }  // an image will contain them
  bool empty() const { return edits_.empty() && states_.empty() && held_.empty(); }

  // Few and small edits go within Open; else all go before it, in as many frames as they need.
  bool fit_into_open() const;
  // All of it as the front of Open.
  Edits take(std::uint32_t run, Tick tick);
  void send(std::uint32_t run, Tick tick, Audience& audience);

 private:
  std::vector<Manifest> states_;
  std::vector<WorldNumber> held_;
  std::vector<Edit> edits_;
};

}  // namespace convoy
