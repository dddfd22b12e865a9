// The receivers of a run in lockstep: hosts that take part, guests, which get all that hosts get except messages,
// viewers, which are shown boundaries as they ask, and sensor hosts, which are shown those of which samples are ordered.
#pragma once

#include <set>
#include <vector>

#include "lockstep/sample_relay.h"
#include "lockstep/viewers.h"
#include "run/books.h"
#include "wire/lockstep.h"

namespace convoy {

class Audience {
 public:
  explicit Audience(Books& books) : books_(books), viewers_(books), samples_(books, viewers_) {}

  // A guest waits for the next boundary.
  void attend(Owner guest) { waiting_guests_.insert(guest); }
  void leave(Owner member);
  Viewers& viewers() { return viewers_; }
  SampleRelay& samples() { return samples_; }
  bool is_guest(Owner member) const { return guests_.count(member) > 0; }
  const std::set<Owner>& guests() const { return guests_; }
  // Guests that came in since the last call: they have not been sent any elements.
  std::set<Owner> take_new_guests() { return std::exchange(new_guests_, {}); }

  // Does a host or a guest wait to be let in?
  bool anybody_waits() const;
  // Members that wait come in, with the world as it is at this boundary. True: hosts are among them.
  bool admit(Tick tick, std::size_t image_chunk);

  void edits(const Edits& edits);
  void open(const Open& message);
  void finish();
  void to_hosts(FrameType type, const Payload& payload);
  // States of a host, as they came. The number of hosts that got them.
  std::size_t to_others(Owner from, FrameType type, const Payload& payload);

 private:
  void to_all(FrameType type, const Payload& payload);
  Payload shared(const Payload& payload, std::size_t without) const;

  Books& books_;
  Viewers viewers_;
  SampleRelay samples_;
  std::set<Owner> waiting_guests_, guests_, new_guests_;
};

}  // namespace convoy
