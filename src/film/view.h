// Where a film is seen from: a place that stands still, one behind a robot, or a robot's own camera.
//
// A view is asked picture by picture, in the order of the film. Frames: C is the camera's optical frame (REP 103), W the
// world.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "film/extents.h"
#include "shapes/shape_book.h"
#include "world/world.h"

namespace convoy::film {

struct PictureSize {
  std::uint32_t width = 1280, height = 720;  // px
};

// The world at an instant of the film, and as cameras see it.
struct Seen {
  const World& world;
  const PictureScene& scene;
};

class View {
 public:
  virtual ~View() = default;
  // None: what it is of is not there, and has not been. Its picture may be smaller than the film's: it is its middle then.
  virtual std::optional<Shot> shot(const Seen& seen) = 0;
};

// What all of a film shows: where each body comes, and what stands around.
struct Stage {
  std::map<WorldNumber, Box> bodies;
  Box scenery;
};
// Adds one of its instants.
void add_to(Stage& stage, Extents& extents, const PictureScene& scene);

// From straight above, with y upwards: everything.
std::unique_ptr<View> view_from_above(const Stage& stage, const PictureSize& size);
// Obliquely from the side: all places where bodies come, with some room around. The scenery, if there are none.
std::unique_ptr<View> oblique_view(const Stage& stage, const PictureSize& size);
// Behind a robot and above it, as far as it is large; turns as it does, more smoothly. `step`: of the film's time.
std::unique_ptr<View> following_view(std::string robot, const PictureSize& size, Duration step);
// Through a camera of a robot, with all that it sees: its picture as large as fits in. The book outlives it.
std::unique_ptr<View> camera_view(std::string robot, std::string camera, const PictureSize& size, ShapeBook& book);

// Three bytes a pixel: a smaller picture stands in the middle of a black one.
Bytes mounted(CameraPicture picture, const PictureSize& size);

// The nearest place, for a camera that is turned so, from which it has all of these boxes in its picture; there is one.
Pose place_before(std::span<const Box> boxes, const Quat& q_WC, const PictureLens& lens);

}  // namespace convoy::film
