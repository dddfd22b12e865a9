// What one page sees of a crowd: where it looks, what it has been told, and which states it is told next.
//
//   sight.look({.eye = ..., .ahead = ..., .angle = 0.6, .always = {7}});
//   sight.told_all(crowd, now);                      it was sent a whole frame
//   Bytes part = sight.next(crowd, now);             then parts, each of what is due and fits
//
// A page is told 2 MB a second. Half of it is for what it must have, then for what is in view, the nearest first; the
// other half goes by turns to what has waited longest, up to twice as soon to what is near. So with 1 MB/s for turns
// nothing waits longer than 2 s for each MB of states that change, and all is told soon after nothing changes any more.
#pragma once

#include <optional>

#include "adapters/web/crowd.h"
#include "convoy/time.h"

namespace convoy::web {

inline constexpr std::size_t kBytesASecond = 2'000'000;                   // of parts, to a page
inline constexpr Duration kLongestPart = std::chrono::milliseconds(250);  // a page that draws less often gets no more
inline constexpr std::size_t kMostAlways = 64;
inline constexpr double kMostMetres = 1e6;  // of a coordinate

// Where a page looks, in the world: all within `angle` (rad) of a direction, seen from a point.
struct Look {
  Vec3 eye, ahead;  // m; a unit vector
  double angle = 0;
  std::vector<std::uint32_t> always;  // numbers of entities; those that are not there do not matter
};

// A state that a page does not have.
struct Due {
  std::uint32_t slot = 0;
  std::size_t bytes = 0;
  double waited = 0;  // s since the page was told of the entity
  double far = 0;     // m from the eye
  bool always = false, in_view = false;
};
// Slots of those that are told now, ascending: about so many bytes, and whatever a page must have.
std::vector<std::uint32_t> choose(std::vector<Due> due, std::size_t budget);

class Sight {
 public:
  void look(Look look) { look_ = std::move(look); }
  // It has said where it looks: of crowds it gets parts.
  bool looks() const { return look_.has_value(); }
  // It starts anew, from a whole frame.
  void forget() { roster_.reset(), lacks_ = false; }
  void told_all(const Crowd& crowd, Moment now);
  // A whole frame has to come first: of this run the page has nothing.
  bool needs_all(const Crowd& crowd) const { return !roster_ || run_ != crowd.run(); }
  // States of the newest frame are due, by the last part.
  bool lacks() const { return lacks_; }
  // The next part of the newest frame, without a number; of nothing if nothing is due.
  Bytes next(const Crowd& crowd, Moment now);

 private:
  void follow(const Crowd& crowd, Moment now);
  std::vector<Due> due(const Crowd& crowd, Moment now) const;

  struct Told {
    std::uint32_t count = 0;  // of the crowd
    Moment at{};
  };
  std::optional<Look> look_;
  std::shared_ptr<const Roster> roster_;  // of what it was told last; null: nothing of this run
  std::uint32_t run_ = 0;
  std::vector<Told> told_;  // by slot
  Moment last_{};
  bool lacks_ = false;
};

}  // namespace convoy::web
