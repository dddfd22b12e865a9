#include "film/view.h"

#include <algorithm>
#include <cmath>

#include "core/fields.h"
#include "core/math.h"
#include "core/pose.h"
#include "sensing/camera_spec.h"
#include "sensing/mount.h"

namespace convoy::film {

namespace {

constexpr double kField = 40 * math::kDegree;       // from the upper to the lower edge
constexpr double kFieldAbove = 20 * math::kDegree;  // what is tall leans less
constexpr double kMargin = 0.04;                    // of the picture, on each side
// Obliquely: from the south-west, with the noon's sun from the right.
constexpr double kYaw = 60 * math::kDegree, kPitch = 38 * math::kDegree;
// Room around each body, by how widely they are spread.
constexpr double kAround = 0.06, kAroundAtLeast = 0.6;  // m
// Behind a robot: how far, by the radius of what is seen of it.
constexpr double kBehind = 4.5, kBehindAtLeast = 0.6, kAbove = 1.4, kAboveAtLeast = 0.3;  // radii, m
constexpr double kUpwards = 7 * math::kDegree;  // it looks that much above the robot, to show where it goes
constexpr double kTurns = 0.5;                  // s of the film, in which most of a turn is made

PictureLens lens_of_film(const PictureSize& size, double field) {
  return lens_of(CameraModel{.width = size.width, .height = size.height, .field = field});
}

// C of who looks that way: yaw as of a robot, and then down by the pitch.
Quat gaze(double yaw, double pitch) { return optical_frame({{}, from_yaw(yaw) * from_axis_angle({0, 1, 0}, pitch)}).q; }

class StillView final : public View {
 public:
  StillView(std::span<const Box> boxes, const Quat& q_WC, const PictureLens& lens)
      : shot_{.X_WC = place_before(boxes, q_WC, lens), .lens = lens} {}
  std::optional<Shot> shot(const Seen&) override { return shot_; }

 private:
  Shot shot_;
};

class FollowingView final : public View {
 public:
  FollowingView(std::string robot, const PictureSize& size, Duration step)
      : robot_(std::move(robot)), lens_(lens_of_film(size, kField)), share_(1 - math::exp(-seconds(step) / kTurns)) {}

  // Stays where it was once the robot has gone.
  std::optional<Shot> shot(const Seen& seen) override {
    const Slot slot = seen.world.find(robot_);
    if (slot == kNoSlot) return last_;
    const Pose& X_WR = seen.world.snapshot().state(slot).pose;
    measure(seen, seen.world.entity(slot).number, X_WR);
    const double yaw = yaw_of(X_WR.q);
    double turn = std::fmod(yaw - yaw_, 2 * math::kPi);  // the shorter way
    if (turn > math::kPi) turn -= 2 * math::kPi;
    if (turn < -math::kPi) turn += 2 * math::kPi;
    yaw_ = last_ ? yaw_ + share_ * turn : yaw;

    const double behind = kBehind * radius_ + kBehindAtLeast, above = kAbove * radius_ + kAboveAtLeast;
    const Vec3 middle = X_WR.p + Vec3{0, 0, height_};
    last_ = Shot{.X_WC = {middle + rotate(from_yaw(yaw_), {-behind, 0, above}),
                          gaze(yaw_, math::atan2(above, behind) - kUpwards)},
                 .lens = lens_};
    return last_;
  }

 private:
  // Once: a robot that stretches an arm does not move the camera.
  void measure(const Seen& seen, WorldNumber number, const Pose& X_WR) {
    if (number_ == number) return;
    number_ = number;
    Extents extents;
    Box box;
    for (const PictureBody& body : seen.scene.bodies)
      if (body.number == number) box = extents.of(body);
    if (box.empty()) return;
    radius_ = norm(box.size()) / 2, height_ = box.middle().z - X_WR.p.z;
  }

  std::string robot_;
  PictureLens lens_;
  double share_;  // of a turn, that is made from one picture to the next
  WorldNumber number_ = kNoEntity;
  double radius_ = 0.5, height_ = 0;  // m; of what is seen of it, its middle above its frame
  double yaw_ = 0;                    // of the camera
  std::optional<Shot> last_;
};

// The same picture, larger or smaller: as large as fits in.
PictureLens fitted(PictureLens lens, const PictureSize& size) {
  const double by = std::min(1.0 * size.width / lens.width, 1.0 * size.height / lens.height);
  const auto side = [&](std::uint32_t was, std::uint32_t most) {
    return std::clamp(static_cast<std::uint32_t>(std::lround(was * by)), 1u, most);
  };
  lens.width = side(lens.width, size.width), lens.height = side(lens.height, size.height);
  lens.fx *= by, lens.fy *= by;
  // (0, 0) is the middle of a pixel.
  lens.cx = (lens.cx + 0.5) * by - 0.5, lens.cy = (lens.cy + 0.5) * by - 0.5;
  return lens;
}

class CameraView final : public View {
 public:
  CameraView(std::string robot, std::string camera, const PictureSize& size, ShapeBook& book)
      : robot_(std::move(robot)), camera_(std::move(camera)), size_(size), book_(book) {}

  std::optional<Shot> shot(const Seen& seen) override {
    const Slot slot = seen.world.find(robot_);
    if (slot == kNoSlot) return last_;
    const Entity& entity = seen.world.entity(slot);
    for (const SensorSpec& spec : entity.kind->sensors)
      if (spec.name == camera_) look(seen.world, slot, spec);
    return last_;
  }

 private:
  void look(const World& world, Slot slot, const SensorSpec& spec) {
    auto camera = camera_of(spec);
    if (!camera) return;
    camera->color = true, camera->depth = camera->numbers = camera->classes = false;
    const Entity& entity = world.entity(slot);
    const auto shapes = book_.of(world.models()[entity.model], world.files());
    const Pose X_WS = place_mount(spec, {world.model_of(slot), shapes ? **shapes : Shapes{},
                                         world.snapshot().state(slot), entity.pose, world.joints(slot)})
                          .X_WS;
    last_ = shot_of(*camera, X_WS, entity.number, spec.see_self);
    last_->lens = fitted(last_->lens, size_);
  }

  std::string robot_, camera_;
  PictureSize size_;
  ShapeBook& book_;
  std::optional<Shot> last_;
};

// Of planes through points, that lean by t against the camera's axis: where the outermost ones cross z = 0.
struct Reach {
  double low = Box::kNone, high = -Box::kNone;
  double width() const { return high - low; }
  double middle() const { return (low + high) / 2; }
};
Reach reach_of(std::span<const Vec3> points, double Vec3::*axis, double t) {
  Reach out;
  for (const Vec3& p : points) {
    out.low = std::min(out.low, p.*axis + t * p.z);
    out.high = std::max(out.high, p.*axis - t * p.z);
  }
  return out;
}
// Along an axis, of a camera at that z: where both sides are equally far from the edges, which are at most at t.
double middle_of(std::span<const Vec3> points, double Vec3::*axis, double z, double t) {
  double low = 0;
  for (int i = 0; i < 30; ++i) {
    const double middle = (low + t) / 2;
    (reach_of(points, axis, middle).width() <= -2 * middle * z ? t : low) = middle;
  }
  return reach_of(points, axis, t).middle();
}

// Those that are not empty; or something to look at where there is nothing.
std::vector<Box> boxes_of(const std::map<WorldNumber, Box>& bodies) {
  std::vector<Box> out;
  for (const auto& [number, box] : bodies)
    if (!box.empty()) out.push_back(box);
  return out;
}
void or_some(std::vector<Box>& boxes) {
  if (boxes.empty()) boxes.push_back({{-5, -5, 0}, {5, 5, 1}});
}

}  // namespace

void add_to(Stage& stage, Extents& extents, const PictureScene& scene) {
  for (const PictureBody& body : scene.bodies)
    (body.number == kNoEntity ? stage.scenery : stage.bodies[body.number]).add(extents.of(body));
}

// In C, the planes of the picture's edges are at x = t z on the right and x = -t z on the left of the camera's place. From
// the left-most and the right-most such plane through a point follow the least distance, and the place midway; the same
// of y. In the direction that leaves room the lowest t is sought with which all of it is seen: so that it is in the middle.
Pose place_before(std::span<const Box> boxes, const Quat& q_WC, const PictureLens& lens) {
  const double tx = (1 - 2 * kMargin) * lens.width / 2 / lens.fx, ty = (1 - 2 * kMargin) * lens.height / 2 / lens.fy;
  std::vector<Vec3> points;  // in C, but for its place
  for (const Box& box : boxes)
    for (int corner = 0; corner < 8; ++corner)
      points.push_back(
          rotate(q_WC.conjugate(), {corner & 1 ? box.high.x : box.low.x, corner & 2 ? box.high.y : box.low.y,
                                    corner & 4 ? box.high.z : box.low.z}));
  double nearest = Box::kNone;
  for (const Vec3& p : points) nearest = std::min(nearest, p.z);
  // Not inside of it: it might be a mere point.
  const double z = std::min({-reach_of(points, &Vec3::x, tx).width() / (2 * tx),
                             -reach_of(points, &Vec3::y, ty).width() / (2 * ty), nearest - 0.5});
  return {rotate(q_WC, {middle_of(points, &Vec3::x, z, tx), middle_of(points, &Vec3::y, z, ty), z}), q_WC};
}

Bytes mounted(CameraPicture picture, const PictureSize& size) {
  const PictureLens& lens = picture.lens;
  if (lens.width == size.width && lens.height == size.height) return std::move(picture.color);
  Bytes out(std::size_t{3} * size.width * size.height);
  const std::size_t left = (size.width - lens.width) / 2, above = (size.height - lens.height) / 2;
  for (std::size_t y = 0; y < lens.height; ++y)
    std::copy_n(picture.color.begin() + static_cast<std::ptrdiff_t>(3 * lens.width * y), 3 * lens.width,
                out.begin() + static_cast<std::ptrdiff_t>(3 * ((above + y) * size.width + left)));
  return out;
}

std::unique_ptr<View> view_from_above(const Stage& stage, const PictureSize& size) {
  std::vector<Box> all = boxes_of(stage.bodies);
  if (!stage.scenery.empty()) all.push_back(stage.scenery);
  or_some(all);
  return std::make_unique<StillView>(all, gaze(math::kPi / 2, math::kPi / 2), lens_of_film(size, kFieldAbove));
}

std::unique_ptr<View> oblique_view(const Stage& stage, const PictureSize& size) {
  std::vector<Box> all = boxes_of(stage.bodies);
  Box spread;
  for (const Box& box : all) spread.add(box);
  const double around = std::max(kAroundAtLeast, kAround * std::max(spread.size().x, spread.size().y));
  for (Box& box : all) {
    box.low += {-around, -around, 0};
    box.high += {around, around, 0};
  }
  if (all.empty() && !stage.scenery.empty()) all.push_back(stage.scenery);
  or_some(all);
  return std::make_unique<StillView>(all, gaze(kYaw, kPitch), lens_of_film(size, kField));
}

std::unique_ptr<View> following_view(std::string robot, const PictureSize& size, Duration step) {
  return std::make_unique<FollowingView>(std::move(robot), size, step);
}

std::unique_ptr<View> camera_view(std::string robot, std::string camera, const PictureSize& size, ShapeBook& book) {
  return std::make_unique<CameraView>(std::move(robot), std::move(camera), size, book);
}

}  // namespace convoy::film
