// The newest frame of states, and since when each entity's state is what it is: so a page need not be told it again.
//
// Made once for all pages, of whole frames. What moves counts as changed in each frame, also where it comes from nowhere
// and gets nowhere: pages carry it on by its speed until they hear of it.
#pragma once

#include "adapters/web/frame.h"

namespace convoy::web {

inline constexpr std::size_t kWholeUntil = 64 * 1024;  // bytes; a larger frame is a crowd, of which pages get parts

// The place in `before` of each entity of `now`; kNowhere: it is new.
inline constexpr std::uint32_t kNowhere = ~0u;
std::vector<std::uint32_t> places_before(const Roster& before, const Roster& now);

class Crowd {
 public:
  // `roster` may lack; then its states cannot be told apart.
  void take(SharedBytes frame, std::shared_ptr<const Roster> roster);
  // What was taken no longer goes with the list of entities.
  void outdated() { current_ = false; }

  // The newest frame; null: there is none that goes with the list of entities.
  SharedBytes frame() const { return current_ ? frame_ : nullptr; }
  bool large() const { return current_ && roster_ && frame_->size() > kWholeUntil; }

  // Of a large one.
  const std::shared_ptr<const Roster>& roster() const { return roster_; }
  std::uint32_t run() const;
  std::uint32_t count() const { return count_; }                            // frames that were taken
  std::uint32_t changed(std::size_t slot) const { return changed_[slot]; }  // by which of them
  Vec3 place(std::size_t slot) const;                                       // p_WB
  std::size_t bytes(std::size_t slot) const;                                // in a part

 private:
  bool same(std::size_t slot, const Bytes& before, const Roster& roster_before, std::size_t slot_before) const;
  bool moves(std::size_t slot) const;

  SharedBytes frame_;
  std::shared_ptr<const Roster> roster_;
  std::vector<std::uint32_t> changed_;
  std::uint32_t count_ = 0;
  bool current_ = false;
};

}  // namespace convoy::web
