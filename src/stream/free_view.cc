#include "stream/free_view.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "core/overloads.h"
#include "core/pose.h"
#include "sensing/camera.h"

namespace convoy::stream {

namespace {

constexpr double kNearest = 0.2, kFarthest = 2000;  // m
constexpr double kHighest = 1.55, kLowest = -0.3;   // rad
constexpr double kTurn = 3.5;                       // rad for the width of the picture
constexpr double kNotch = 1.15;                     // nearer, for 120 of the wheel
constexpr double kSpeed = 0.8;                      // distances a second, by keys
constexpr double kWithoutGround = 10;               // m, to what is looked at where no ground is in sight

}  // namespace

FreeView::FreeView(const Shot& first, std::uint32_t width, std::uint32_t height) : lens_(first.lens) {
  const double by = std::min(1.0 * width / lens_.width, 1.0 * height / lens_.height);
  lens_.width = width, lens_.height = height;
  lens_.fx *= by, lens_.fy *= by;
  lens_.cx = (width - 1) / 2.0, lens_.cy = (height - 1) / 2.0;
  lens_.distortion = {};
  const Vec3 gaze = rotate(first.X_WC.q, {0, 0, 1});
  yaw_ = math::atan2(gaze.y, gaze.x), pitch_ = math::atan2(-gaze.z, std::hypot(gaze.x, gaze.y));
  pitch_ = std::clamp(pitch_, kLowest, kHighest);
  distance_ = gaze.z < -0.05 && first.X_WC.p.z > 0 ? first.X_WC.p.z / -gaze.z : kWithoutGround;
  distance_ = std::clamp(distance_, kNearest, kFarthest);
  target_ = first.X_WC.p + distance_ * gaze;
}

std::optional<Shot> FreeView::shot(const film::Seen&) {
  const Quat q_WC = optical_frame({{}, from_yaw(yaw_) * from_axis_angle({0, 1, 0}, pitch_)}).q;
  return Shot{.X_WC = {target_ - distance_ * rotate(q_WC, {0, 0, 1}), q_WC}, .lens = lens_};
}

void FreeView::turn(double dx, double dy) {
  yaw_ -= kTurn * dx;
  pitch_ = std::clamp(pitch_ + kTurn * dy, kLowest, kHighest);
}

// So that what is grabbed stays under the pointer, at the target's distance.
void FreeView::shift(double dx, double dy) {
  const double metres = distance_ * lens_.width / lens_.fx;
  const Vec3 right = rotate(from_yaw(yaw_), {0, -1, 0}), ahead = rotate(from_yaw(yaw_), {1, 0, 0});
  const double steep = std::max(0.2, std::abs(math::sin(pitch_)));
  target_ = target_ - metres * dx * right + metres * dy * lens_.height / lens_.width / steep * ahead;
}

void FreeView::approach(double factor) { distance_ = std::clamp(distance_ / factor, kNearest, kFarthest); }

void FreeView::key(const KeyChange& change) {
  const double value = change.down ? 1 : 0;
  switch (change.code) {
    case 'W': ahead_ = value; break;
    case 'S': ahead_ = -value; break;
    case 'D': aside_ = value; break;
    case 'A': aside_ = -value; break;
    case 'E': up_ = value; break;
    case 'Q': up_ = -value; break;
    default: break;
  }
}

void FreeView::on_time(Duration passed) {
  if (!moves()) return;
  const double way = kSpeed * distance_ * std::min(seconds(passed), 0.2);
  target_ = target_ + way * ahead_ * rotate(from_yaw(yaw_), {1, 0, 0}) +
            way * aside_ * rotate(from_yaw(yaw_), {0, -1, 0}) + Vec3{0, 0, way * up_};
}

void FreeView::touch(const Touches& touches) {
  if (touches.kind == Touches::Kind::kMove && touches.fingers.size() == fingers_.size()) {
    const auto& now = touches.fingers;
    if (now.size() == 1) turn(now[0].x - fingers_[0].x, now[0].y - fingers_[0].y);
    if (now.size() == 2) {
      const auto apart = [](const std::vector<Touches::Finger>& two) {
        return std::max(0.01, std::hypot(two[0].x - two[1].x, two[0].y - two[1].y));
      };
      shift((now[0].x + now[1].x - fingers_[0].x - fingers_[1].x) / 2,
            (now[0].y + now[1].y - fingers_[0].y - fingers_[1].y) / 2);
      approach(std::clamp(apart(now) / apart(fingers_), 0.5, 2.0));
    }
  }
  if (touches.kind == Touches::Kind::kEnd) return fingers_.clear();
  fingers_ = touches.fingers;
}

bool FreeView::take(const PlayerMessage& message) {
  return std::visit(Overloads{[this](const KeyChange& change) { return key(change), true; },
                              [this](const ButtonChange& change) {
                                (change.button == 0 ? held_.turns : held_.shifts) = change.down;
                                return true;
                              },
                              [this](const MouseMove& move) {
                                if (held_.shifts) shift(move.dx, move.dy);
                                else if (held_.turns) turn(move.dx, move.dy);
                                return true;
                              },
                              [this](const WheelTurn& wheel) {
                                approach(std::pow(kNotch, std::clamp(wheel.delta / 120, -5.0, 5.0)));
                                return true;
                              },
                              [this](const Touches& touches) { return touch(touches), true; },
                              [this](const MouseLeft&) { return release(), true; }, [](const auto&) { return false; }},
                    message);
}

}  // namespace convoy::stream
