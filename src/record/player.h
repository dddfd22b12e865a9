// The world of a recording as it was at any of its times, from what is stored: nothing is run again.
//
//   auto player = Player::make(recording);
//   if (auto ok = player->show(12'500'000'000); !ok) ...   // the last boundary at or before 12.5 s of log time
//   player->world(), player->place(), player->time_ns()
//
// Going on is cheap; going back, or far ahead, begins at the last mark before (of samples: the last key). Names,
// models and attachments follow from the journal's edits, states are those that were kept. Owners are not recorded.
#pragma once

#include "record/recording.h"

namespace convoy {

class Player {
 public:
  // Shows the beginning. The recording outlives it.
  static Result<Player> make(const Recording& recording);

  // A time beyond the end shows the end. An error: the file is damaged there; another time may be shown all the same.
  Status show(std::uint64_t time_ns);
  // The next boundary, if there is one.
  Status show_next();

  const World& world() const { return world_; }
  Place place() const { return {boundary_.run, boundary_.tick}; }
  std::uint64_t time_ns() const { return time_ns_; }  // log time of what is shown
  Instant sim_time() const { return instant(boundary_.stamp); }

 private:
  Player(const Recording& recording, World world)
      : recording_(&recording), world_(std::move(world)), cursor_(recording.from_start()) {}
  Status begin_at(const Recording::Mark* key);
  Status read_until(std::uint64_t time_ns);
  Status take(const Recording::Item& item);
  Status begin_run(std::uint32_t run);
  void edit(const JournalEntry& entry);
  void put_states();

  const Recording* recording_;
  World world_;
  Recording::Cursor cursor_;
  BoundaryCoder coder_;
  Boundary boundary_;
  std::uint32_t run_ = 0;      // of the world
  std::uint64_t time_ns_ = 0;  // of boundary_
  bool any_ = false;           // a boundary has been read since the cursor was put
  bool fresh_ = false;         // boundary_ is not in the world yet
  Place skipping_to_{};        // what is before it in its chunk does not count
};

}  // namespace convoy
