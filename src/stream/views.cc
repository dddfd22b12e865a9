#include "stream/views.h"

#include "core/pose.h"

namespace convoy::stream {

namespace {

// Robots go about: all of the ground is seen with them, unless it is much larger than where they are.
void show_scenery(film::Stage& stage) {
  constexpr double kMuch = 4;
  film::Box spread;
  for (const auto& [number, box] : stage.bodies) spread.add(box);
  if (stage.scenery.empty() || spread.empty() || norm(stage.scenery.size()) > kMuch * norm(spread.size())) return;
  stage.bodies[kNoEntity] = stage.scenery;
}

}  // namespace

Result<ViewName> parse_view_name(const std::string& text) {
  using Kind = ViewName::Kind;
  constexpr std::string_view kFollow = "follow:";
  if (text == "free") return ViewName{Kind::kFree, {}, {}};
  if (text == "orbit") return ViewName{Kind::kOrbit, {}, {}};
  if (text == "above") return ViewName{Kind::kAbove, {}, {}};
  if (text.starts_with(kFollow) && text.size() > kFollow.size())
    return ViewName{Kind::kFollow, text.substr(kFollow.size()), {}};
  const std::size_t slash = text.rfind('/');
  if (slash == text.npos || slash == 0 || slash + 1 == text.size())
    return fail(ErrorCode::kInvalid, "a view is free, orbit, above, follow:ROBOT or ROBOT/CAMERA, not '" + text + "'");
  return ViewName{Kind::kCamera, text.substr(0, slash), text.substr(slash + 1)};
}

std::unique_ptr<film::View> make_view(const ViewName& name, const film::Seen& seen, const film::PictureSize& size,
                                      Duration step, ShapeBook& book) {
  using Kind = ViewName::Kind;
  if (name.kind == Kind::kFollow) return film::following_view(name.robot, size, step);
  if (name.kind == Kind::kCamera) return film::camera_view(name.robot, name.camera, size, book);
  film::Stage stage;
  film::Extents extents;
  film::add_to(stage, extents, seen.scene);
  show_scenery(stage);
  if (name.kind == Kind::kAbove) return film::view_from_above(stage, size);
  auto oblique = film::oblique_view(stage, size);
  if (name.kind == Kind::kOrbit) return oblique;
  return std::make_unique<FreeView>(*oblique->shot(seen), size.width, size.height);
}

}  // namespace convoy::stream
