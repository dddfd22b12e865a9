// The receivers of a run in lockstep: hosts that take part, and guests, which get all that hosts get except messages.
#pragma once

#include <set>
#include <vector>

#include "run/books.h"

namespace convoy {

class Audience {
 public:
  explicit Audience(Books& books) : books_(books) {}

  // A guest waits for the next boundary.
  void attend(Owner guest) { waiting_guests_.insert(guest); }
  void leave(Owner guest);
  bool is_guest(Owner member) const { return guests_.count(member) > 0; }
  const std::set<Owner>& guests() const { return guests_; }
  // Guests that came in since the last call: they have not been sent any elements.
  std::set<Owner> take_new_guests() { return std::exchange(new_guests_, {}); }

  // Does a host or a guest wait to be let in?
  bool anybody_waits() const;
  // Members that wait come in, with the world as it is at this boundary. True: hosts are among them.
  bool admit(Tick tick, std::size_t image_chunk);

  void to_all(FrameType type, const Payload& payload);
  void to_hosts(FrameType type, const Payload& payload);
  // States of a host, as they came. The number of hosts that got them.
  std::size_t to_others(Owner from, FrameType type, const Payload& payload);

 private:
  Payload shared(const Payload& payload, std::size_t without) const;

  Books& books_;
  std::set<Owner> waiting_guests_, guests_, new_guests_;
};

}  // namespace convoy
