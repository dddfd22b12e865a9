// Viewers of a run in lockstep: each is shown the world at a boundary when it asks for the next one, and never else.
//
// So a viewer that is slow skips boundaries, and one that has stopped costs nothing: what waits for it is bounded, and
// beyond that it gets the whole world anew. What is shown is for eyes (wire/quantized); edits are exact. A sensor host is
// one for which robots' hosts ask, when there is something for it to compute: it is shown exact states.
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "run/books.h"

namespace convoy {

inline constexpr std::size_t kMostNoted = 4 << 20;  // bytes of edits that are kept for viewers

class Viewers {
 public:
  explicit Viewers(Books& books) : books_(books) {}

  // It is shown the whole world first.
  void attend(Owner viewer) { all_[viewer] = {}; }
  // It is shown exactly what show_to() says.
  void attend_exactly(Owner viewer) { all_[viewer] = {.asks = false, .exact = true}; }
  void leave(Owner viewer) { all_.erase(viewer); }
  bool has(Owner member) const { return all_.contains(member); }
  // It has taken what it was shown.
  void asks(Owner viewer) { all_.at(viewer).asks = true; }
  // Edits that were carried out, in their order.
  void note(const Edits& edits);
  // The world is at this boundary, and all its edits are noted.
  void show(Tick tick, std::size_t image_chunk);
  // The same for one of those, now.
  void show_to(Owner viewer, Tick tick, std::size_t image_chunk);
  void to_all(FrameType type, const Payload& payload);

 private:
  struct Viewer {
    bool asks = true, knows_world = false;
    bool exact = false;
    std::uint64_t next = 0;  // edit that it has not been told of
    std::pair<std::uint32_t, Tick> shown{0, -1};
  };
  void show(Owner owner, Viewer& viewer, Tick tick);
  void show(Owner owner, Viewer& viewer, Tick tick, std::size_t image_chunk, std::vector<Payload>& image);
  void forget_noted();
  const std::vector<Payload>& states(Tick tick, bool exact);

  Books& books_;
  std::map<Owner, Viewer> all_;
  std::deque<std::pair<Edits, std::size_t>> noted_;  // with their bytes
  std::uint64_t first_ = 0;                          // number of the first of them
  std::size_t bytes_ = 0;                            // of all
  // What was shown last, for who asks at the same boundary: how many edits it goes with, and the frames; for eyes, and
  // exactly.
  struct Made {
    std::pair<std::uint32_t, Tick> at{0, -1};
    std::uint64_t with = 0;
    std::vector<Payload> frames;
  } made_[2];
};

}  // namespace convoy
