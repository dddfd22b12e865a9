// Edits that wait for the boundary at which they can be carried out, in the order in which they were asked for.
#pragma once

#include <deque>
#include <functional>

#include "convoy/result.h"
#include "convoy/time.h"
#include "core/check.h"
#include "world/edit.h"

namespace convoy {

// What a submitted edit came to.
struct EditOutcome {
  Tick tick = 0;                   // the boundary that it changed
  WorldNumber number = kNoEntity;  // of what was spawned
};
using EditDone = std::function<void(const Result<EditOutcome>&)>;

// The agent that asked for an edit, and by which of its messages; kNoEntity: somebody outside did.
struct Asker {
  WorldNumber agent = kNoEntity;
  std::uint32_t index = 0;
};

struct WaitingEdit {
  Edit edit;
  EditDone done;  // empty: no caller waits for the outcome
  Asker asker{};
  bool for_nobody = false;  // what it makes gets no host

  void answer(const Result<EditOutcome>& outcome) const {
    if (done) done(outcome);
  }
};

class WaitingEdits {
 public:
  void add(Edit edit, EditDone done) { waiting_.push_back({std::move(edit), std::move(done), {}}); }
  // Before all others: what a lost host leaves behind.
  void add_first(Edit edit) { waiting_.push_front({std::move(edit), nullptr, {}}); }
  bool empty() const { return waiting_.empty(); }
  WaitingEdit take() {
    EXPECTS(!waiting_.empty());
    WaitingEdit next = std::move(waiting_.front());
    waiting_.pop_front();
    return next;
  }
  // All that wait are refused, and forgotten.
  void refuse_all(const Error& error) {
    for (const WaitingEdit& one : std::exchange(waiting_, {})) one.answer(tl::unexpected(error));
  }

 private:
  std::deque<WaitingEdit> waiting_;
};

}  // namespace convoy
