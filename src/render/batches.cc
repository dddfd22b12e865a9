#include "render/batches.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/pose.h"

namespace convoy::render {

namespace {

// The ground is drawn this share farther than it is, so that what lies on it is seen: a millimetre at 20 m.
constexpr double kBehind = 5e-5;
constexpr std::size_t kMostBehind = 16;   // planes that lie on one another
constexpr double kLeastHorizon = 10'000;  // m; how far an endless plane is drawn
constexpr double kGrid = 10;              // m, after which the lines of the ground repeat

// Whether a ball is in the picture, and where.
class Frustum {
 public:
  explicit Frustum(const View& v) : eye_(v.X_WC.p), to_camera_(unit(v.X_WC.q).conjugate()), near_(v.near) {
    const double left = (-0.5 - v.cx) / v.fx, right = (v.width - 0.5 - v.cx) / v.fx;
    const double top = (-0.5 - v.cy) / v.fy, bottom = (v.height - 0.5 - v.cy) / v.fy;
    const auto side = [](double x, double y, double z) { return (1 / norm({x, y, z})) * Vec3{x, y, z}; };
    sides_ = {side(1, 0, -left), side(-1, 0, right), side(0, 1, -top), side(0, -1, bottom)};
    widest_ = std::sqrt(1 + std::max(left * left, right * right) + std::max(top * top, bottom * bottom));
  }
  Vec3 in_camera(const Vec3& p) const { return rotate(to_camera_, p - eye_); }
  bool sees(const Vec3& middle, double radius) const {
    if (middle.z < near_ - radius) return false;
    return std::all_of(sides_.begin(), sides_.end(), [&](const Vec3& n) { return dot(n, middle) >= -radius; });
  }
  // No part of it is cut by what is too near.
  bool is_outside(const Vec3& middle, double radius) const { return norm(middle) > 1.01 * radius + near_ * widest_; }

 private:
  Vec3 eye_;
  Quat to_camera_;
  double near_, widest_ = 1;
  std::array<Vec3, 4> sides_{};
};

std::array<float, 4> row(double x, double y, double z, double p) {
  return {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z), static_cast<float>(p)};
}

Instance instance_of(const Placed& placed, const Vec3& eye) {
  const Piece& piece = *placed.piece;
  const Vec3 p = placed.p_WS - eye;
  const auto& [x, y, z] = placed.axes;
  return {{row(x.x, y.x, z.x, p.x), row(x.y, y.y, z.y, p.y), row(x.z, y.z, z.z, p.z)},
          piece.scale,
          piece.color,
          {placed.instance, placed.category},
          piece.look,
          piece.place};
}

// A plane without end is a large one under the camera; its picture stays where it is.
void move_under(Instance& out, const Placed& placed, const View& view) {
  const Piece& piece = *placed.piece;
  const Vec3 on = view.X_WC.p - placed.p_WS;
  const double x = dot(on, placed.axes[0]), y = dot(on, placed.axes[1]), z = dot(on, placed.axes[2]);
  const Vec3 foot = -z * placed.axes[2];
  out.rows[0][3] = static_cast<float>(foot.x), out.rows[1][3] = static_cast<float>(foot.y);
  out.rows[2][3] = static_cast<float>(foot.z);
  const double reach = std::max({kLeastHorizon, 2 * view.far, 100 * std::fabs(z)});
  out.scale[0] = static_cast<float>(piece.half_x > 0 ? piece.half_x : reach);
  out.scale[1] = static_cast<float>(piece.half_y > 0 ? piece.half_y : reach);
  const double period = piece.texturing == Texturing::kNone ? kGrid : 1;
  const auto& f = piece.place;
  out.place[0] = static_cast<float>(std::fmod(f[0] + static_cast<double>(f[2]) * x, period));
  out.place[1] = static_cast<float>(std::fmod(f[1] - static_cast<double>(f[3]) * y, period));
}

// Gathers instances by what they have in common.
class Gatherer {
 public:
  void add(const Batch& batch, const Instance& instance) {
    const auto key = std::tuple{batch.form, batch.texturing, batch.texture, batch.solid, batch.outside, batch.lines};
    const auto [at, fresh] = at_.try_emplace(key, groups_.size());
    if (fresh) groups_.push_back({batch, {}});
    groups_[at->second].second.push_back(instance);
  }
  void pour(std::vector<Batch>& batches, std::vector<Instance>& instances) const {
    for (auto [batch, members] : groups_) {
      batch.first = static_cast<std::uint32_t>(instances.size());
      batch.count = static_cast<std::uint32_t>(members.size());
      batches.push_back(batch);
      instances.insert(instances.end(), members.begin(), members.end());
    }
  }

 private:
  std::map<std::tuple<Form, Texturing, GLuint, const Solid*, bool, bool>, std::size_t> at_;
  std::vector<std::pair<Batch, std::vector<Instance>>> groups_;  // in the order in which the first of each came
};

struct Clear {
  double distance = 0;  // m
  Batch batch;
  Instance instance;
};

bool is_endless(const Piece& piece) { return piece.form == Form::kPlane && piece.radius == 0; }

std::uint32_t level_of(const Piece& piece, double pixels_per_m) { return level_for(piece.roundness * pixels_per_m); }

}  // namespace

std::vector<Placed> place(std::span<const Item> items, Models& models) {
  std::vector<Placed> out;
  for (const Item& item : items)
    for (const Piece& piece : models.of(item.shapes)) {
      const Pose X_WS = item.X_WL[piece.link] * piece.X_LS;
      const Quat q = unit(X_WS.q);
      out.push_back({&piece,
                     X_WS.p,
                     {rotate(q, {1, 0, 0}), rotate(q, {0, 1, 0}), rotate(q, {0, 0, 1})},
                     X_WS.p + rotate(q, piece.middle),
                     item.instance,
                     item.category});
    }
  return out;
}

Drawing drawing_of(std::span<const Placed> placed, const View& view, const Models& models) {
  const Frustum frustum(view);
  const double focal = std::max(view.fx, view.fy);
  std::size_t planes = 0, plane = 0;
  for (const Placed& p : placed) planes += p.piece->form == Form::kPlane;
  Gatherer solid, flat;
  std::vector<Clear> clear;
  for (const Placed& p : placed) {
    const Piece& piece = *p.piece;
    const bool is_plane = piece.form == Form::kPlane, endless = is_endless(piece);
    plane += is_plane;
    const Vec3 middle = frustum.in_camera(p.ball);
    if (!endless && !frustum.sees(middle, piece.radius)) continue;
    Batch batch{piece.form, piece.texturing, piece.texture, piece.solid};
    Instance instance = instance_of(p, view.X_WC.p);
    batch.outside = piece.closed && frustum.is_outside(middle, piece.radius);
    if (!batch.solid) {
      const double near = std::max(middle.z - piece.radius, view.near);
      batch.solid = &models.primitive(piece.kind, level_of(piece, focal / near));
    }
    if (endless) move_under(instance, p, view);
    if (is_plane) {
      const std::size_t behind = std::min(planes - plane, kMostBehind) + (endless ? kMostBehind : 0) + kMostBehind;
      instance.scale[2] = static_cast<float>(1 - kBehind * static_cast<double>(behind) / (2 * kMostBehind));
      batch.lines = endless && piece.texturing == Texturing::kNone;
    }
    if (piece.color[3] < 1) {
      batch.faint = piece.color[3] < 0.5f, batch.count = 1;
      clear.push_back({endless ? norm(view.X_WC.p - p.p_WS) : norm(middle), batch, instance});
    } else if (is_plane) {
      flat.add(batch, instance);
    } else {
      solid.add(batch, instance);
    }
  }
  Drawing out;
  solid.pour(out.solid, out.instances), flat.pour(out.planes, out.instances);
  std::stable_sort(clear.begin(), clear.end(), [](const Clear& a, const Clear& b) { return a.distance > b.distance; });
  for (Clear& one : clear) {
    one.batch.first = static_cast<std::uint32_t>(out.instances.size());
    out.clear.push_back(one.batch), out.instances.push_back(one.instance);
  }
  return out;
}

Drawing shadows_of(std::span<const Placed> placed, const ShadowSquare& square, const Vec3& eye, const Models& models) {
  Gatherer solid;
  for (const Placed& p : placed) {
    const Piece& piece = *p.piece;
    if (is_endless(piece) || piece.color[3] < 0.5f) continue;
    const Vec3 off = p.ball - square.middle;
    const double reach = square.half + piece.radius;
    if (std::fabs(dot(off, square.x)) > reach || std::fabs(dot(off, square.y)) > reach) continue;
    if (dot(off, square.to_sun) < -4 * square.half - piece.radius) continue;
    Batch batch{piece.form, Texturing::kNone, 0, piece.solid};
    if (!batch.solid) batch.solid = &models.primitive(piece.kind, level_of(piece, 1 / square.texel));
    Instance instance = instance_of(p, eye);
    if (piece.form == Form::kPlane) instance.scale[2] = 1;
    solid.add(batch, instance);
  }
  Drawing out;
  solid.pour(out.solid, out.instances);
  return out;
}

}  // namespace convoy::render
