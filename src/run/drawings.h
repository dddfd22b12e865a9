// What programs draw for those who look at a run: lines, arrows, points, text.
//
// Nothing of it is in the world, its journal, its digest or a recording. It is kept here by name for whoever asks, until
// it is erased, its time is over, the entity with which it moves is gone, or the whole world is reset.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "convoy/result.h"
#include "world/world.h"

namespace convoy {

inline constexpr std::size_t kMaxDrawings = 1000;
// Of all together, as they are told to who asks: they are one answer, and some 20,000 points.
inline constexpr std::size_t kMaxDrawnBytes = 1'000'000;
inline constexpr std::size_t kMaxDrawnText = 1024;  // bytes of one

struct Drawn {
  enum class Kind : std::uint8_t {
    kLines = 0,   // a pair of points each
    kStrip = 1,   // one line through all points
    kArrows = 2,  // a pair of points each, from the first to the second
    kPoints = 3,
    kText = 4,  // at the first point
  };
  std::string name;               // 1 to 256 bytes
  WorldNumber frame = kNoEntity;  // with which it moves; kNoEntity: the world
  Kind kind{};
  std::vector<Vec3> points;        // in its frame, m
  std::string text;                // also beside what is no text
  std::string color = "#ffb224";   // #rrggbb or #rrggbbaa, sRGB
  double size = 0;                 // m, of lines, points and letters; 0: as thin or small as they are drawn well
  std::optional<Instant> until{};  // simulated
};

class Drawings {
 public:
  // Erases, then draws, in place of those of the same names; nothing of it if an error is returned, which names the drawing.
  Status change(std::span<const std::string> erase, bool erase_all, std::vector<Drawn> drawings);
  // What is over by then is gone. `run` counts resets of the whole world.
  void follow(const World& world, std::uint32_t run, Instant now);

  std::uint64_t revision() const { return revision_; }  // grows with each change; never 0
  const std::map<std::string, Drawn>& all() const { return all_; }

 private:
  std::map<std::string, Drawn> all_;
  std::uint64_t revision_ = 1;
  std::uint32_t run_ = 0;
};

}  // namespace convoy
