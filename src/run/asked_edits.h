// Edits that agents ask for, at the server: whether one may be carried out, and the message that answers it.
#pragma once

#include <functional>

#include "agent/edit_request.h"
#include "run/books.h"
#include "world/traffic.h"

namespace convoy {

// Counts what each agent asks for in a tick.
class RequestLimit {
 public:
  // False: it is one too many. What one agent asks for in one tick comes in a row.
  bool admit(WorldNumber agent, Tick tick) {
    if (agent != agent_ || tick != tick_) agent_ = agent, tick_ = tick, asked_ = 0;
    return ++asked_ <= kMaxEditRequests;
  }

 private:
  WorldNumber agent_ = kNoEntity;
  Tick tick_ = -1;
  std::uint32_t asked_ = 0;
};

// How a mode carries edits out.
struct EditsOfRun {
  const Books& books;
  std::function<State(Slot)> state;            // where an entity is now
  std::function<void(WaitingEdit)> carry_out;  // answers before it returns
};

inline bool is_edit_request(const Message& message) { return message.topic == kEditTopic; }

// Carries out what a message asks for, which its agent sent in `tick`, or refuses it: the message for the asker, in place
// of this one.
Message answer(const Message& message, Tick tick, RequestLimit& limit, const EditsOfRun& run);

}  // namespace convoy
