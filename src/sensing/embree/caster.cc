#include "sensing/embree/caster.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "core/check.h"
#include "core/pose.h"
#include "sensing/embree/embree.h"
#include "sensing/intersect.h"
#include "shapes/brightness.h"
#include "shapes/tessellate.h"

namespace convoy {

namespace {

constexpr double kNowhere = std::numeric_limits<double>::infinity();
constexpr double kEndless = 1e5;                    // m; half of an edge of a plane without end, for Embree
constexpr std::size_t kFewTriangles = 12;           // a mesh of so many needs no tree of its own
constexpr std::size_t kPacket = LinePacket::kSize;  // 16 at a time is slower where beams spread

// Single precision holds a coordinate to 6e-8 of it: a box is wider by many times that of what it and a ray that comes
// from `kReach` away may be wrong by.
constexpr double kPrecision = 1e-6;
constexpr double kReach = 1000;  // m
double slack_at(double coordinate) { return kPrecision * (coordinate + kReach); }
// How far a ray goes on behind what it has met, so that what is as near is found too.
float beyond(double range) { return static_cast<float>(range * (1 + 1e-5) + slack_at(0)); }

struct DeviceCloser {
  void operator()(RTCDevice device) const { rtcReleaseDevice(device); }
};
struct SceneCloser {
  void operator()(RTCScene scene) const { rtcReleaseScene(scene); }
};
using Device = std::shared_ptr<std::remove_pointer_t<RTCDevice>>;
using Scene = std::unique_ptr<std::remove_pointer_t<RTCScene>, SceneCloser>;

struct Box {
  Vec3 low{kNowhere, kNowhere, kNowhere}, high{-kNowhere, -kNowhere, -kNowhere};
  void add(const Vec3& p) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
};

void give(const Box& box, RTCBounds& out) {
  const auto low = [](double x) { return static_cast<float>(std::max(x, -kEndless) - slack_at(std::fabs(x))); };
  const auto high = [](double x) { return static_cast<float>(std::min(x, kEndless) + slack_at(std::fabs(x))); };
  out.lower_x = low(box.low.x), out.lower_y = low(box.low.y), out.lower_z = low(box.low.z);
  out.upper_x = high(box.high.x), out.upper_y = high(box.high.y), out.upper_z = high(box.high.z);
}

// A tree over one user geometry of `count` primitives.
Scene tree_of(RTCDevice device, std::size_t count, RTCBuildQuality quality, void* user, RTCBoundsFunction bounds,
              RTCIntersectFunctionN intersect) {
  Scene scene(rtcNewScene(device));
  rtcSetSceneFlags(scene.get(), RTC_SCENE_FLAG_ROBUST);
  rtcSetSceneBuildQuality(scene.get(), quality);
  RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
  rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(count));
  rtcSetGeometryUserData(geometry, user);
  rtcSetGeometryBoundsFunction(geometry, bounds, nullptr);
  rtcSetGeometryIntersectFunction(geometry, intersect);
  rtcCommitGeometry(geometry);
  rtcAttachGeometry(scene.get(), geometry);
  rtcReleaseGeometry(geometry);
  rtcCommitScene(scene.get());
  return scene;
}

// The triangles of a mesh or terrain in S, and a tree over them if they are many.
class Surface {
 public:
  Surface(const Device& device, std::vector<std::array<Vec3, 3>> triangles)
      : device_(device), triangles_(std::move(triangles)) {
    for (const auto& triangle : triangles_)
      for (const Vec3& p : triangle) box_.add(p);
    if (triangles_.size() > kFewTriangles)
      tree_ = tree_of(device.get(), triangles_.size(), RTC_BUILD_QUALITY_MEDIUM, this, bounds, intersect);
  }
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;

  const Box& box() const { return box_; }
  bool empty() const { return triangles_.empty(); }

  // The nearest one up to `far`, that included, and which it is.
  double range_of(const Line& line, double far, std::uint32_t& triangle) const {
    Search search{{}, TriangleLine(line), far, kNoPart};
    if (tree_) {
      RTCRayHit ray{};
      ray.ray.org_x = static_cast<float>(line.origin.x), ray.ray.org_y = static_cast<float>(line.origin.y);
      ray.ray.org_z = static_cast<float>(line.origin.z), ray.ray.dir_x = static_cast<float>(line.direction.x);
      ray.ray.dir_y = static_cast<float>(line.direction.y), ray.ray.dir_z = static_cast<float>(line.direction.z);
      ray.ray.tnear = std::max(0.0f, static_cast<float>(line.near) - static_cast<float>(slack_at(line.near)));
      ray.ray.tfar = beyond(far);
      ray.ray.mask = ~0u, ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
      embree::intersect(tree_.get(), search.context, ray);
    } else {
      for (std::uint32_t i = 0; i < triangles_.size(); ++i) try_one(search, i);
    }
    triangle = search.triangle;
    return search.triangle == kNoPart ? kNowhere : search.best;
  }

  Vec3 normal(std::uint32_t triangle) const {
    const auto& t = triangles_[triangle];
    const Vec3 n = cross(t[1] - t[0], t[2] - t[0]);
    const double length = norm(n);
    return length > 0 ? (1 / length) * n : Vec3{0, 0, 1};
  }

 private:
  struct Search {
    embree::Context context;  // first: Embree hands its address on
    TriangleLine line;
    double best;
    std::uint32_t triangle;
  };

  void try_one(Search& search, std::uint32_t i) const {
    const double range = search.line.range_of(triangles_[i]);
    if (range > search.best || (range == search.best && search.triangle < i)) return;
    search.best = range, search.triangle = i;
  }

  static void bounds(const RTCBoundsFunctionArguments* args) {
    const auto& self = *static_cast<const Surface*>(args->geometryUserPtr);
    Box box;
    for (const Vec3& p : self.triangles_[args->primID]) box.add(p);
    give(box, *args->bounds_o);
  }
  static void intersect(const RTCIntersectFunctionNArguments* args) {
    if (args->valid[0] != -1) return;
    const auto& self = *static_cast<const Surface*>(args->geometryUserPtr);
    auto& search = *reinterpret_cast<Search*>(args->context);
    const double before = search.best;
    self.try_one(search, args->primID);
    if (search.best < before) RTCRayN_tfar(RTCRayHitN_RayN(args->rayhit, args->N), args->N, 0) = beyond(search.best);
  }

  Device device_;  // outlives the tree
  std::vector<std::array<Vec3, 3>> triangles_;
  Box box_;
  Scene tree_;
};

// One visible shape of a model.
struct Piece {
  std::uint32_t number = 0;  // in the model's list
  std::uint32_t link = 0;
  Shape::Kind kind{};
  Vec3 size;
  Pose X_LS;
  const Surface* surface = nullptr;
  double brightness = 1;
};

class Model final : public RayModel {
 public:
  Model(const Device& device, const Shapes& shapes) {
    std::map<std::pair<Shape::Kind, std::uint32_t>, const Surface*> known;
    for (std::uint32_t i = 0; i < shapes.shapes.size(); ++i) {
      const Shape& shape = shapes.shapes[i];
      if (!shape.visible) continue;
      Piece piece{i, shape.link, shape.kind, shape.size, shape.X_LS, nullptr, brightness_of(shape, shapes)};
      if (shape.kind == Shape::Kind::kMesh || shape.kind == Shape::Kind::kTerrain) {
        const Surface*& surface = known[{shape.kind, shape.data}];
        if (!surface) {
          surfaces_.push_back(std::make_unique<Surface>(device, surface_of(shape, shapes)));
          surface = surfaces_.back().get();
        }
        if (surface->empty()) continue;
        piece.surface = surface;
      }
      pieces_.push_back(piece);
    }
    // The order of ties.
    std::stable_sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) { return a.link < b.link; });
  }
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  std::vector<std::unique_ptr<Surface>> surfaces_;
  std::vector<Piece> pieces_;
};

// The shape's own axes aligned box in S.
Box box_of(const Piece& piece) {
  const Vec3& s = piece.size;
  const auto around = [](const Vec3& half) { return Box{-half, half}; };
  const auto edge = [](double half) { return half > 0 ? half : kEndless; };
  switch (piece.kind) {
    case Shape::Kind::kPlane: return around({edge(s.x), edge(s.y), 0});
    case Shape::Kind::kSphere: return around({s.x, s.x, s.x});
    case Shape::Kind::kCapsule: return around({s.x, s.x, s.x + s.y});
    case Shape::Kind::kCylinder: return around({s.x, s.x, s.y});
    case Shape::Kind::kEllipsoid:
    case Shape::Kind::kBox: return around(s);
    case Shape::Kind::kMesh:
    case Shape::Kind::kTerrain: return piece.surface->box();
  }
  return {};
}

class Field final : public RayField {
 public:
  Field(const Device& device, std::shared_ptr<const RayField> scene, std::span<const RayBody> bodies)
      : device_(device), scene_(std::dynamic_pointer_cast<const Field>(std::move(scene))) {
    for (const RayBody& body : bodies) {
      const auto& model = dynamic_cast<const Model&>(*body.model);
      for (const Piece& piece : model.pieces()) add(body, piece);
    }
    if (!placed_.empty())
      tree_ = tree_of(device.get(), placed_.size(), scene_ ? RTC_BUILD_QUALITY_LOW : RTC_BUILD_QUALITY_MEDIUM, this,
                      bounds, intersect);
  }

  Vec3 normal(const Beam& beam, const Hit& hit) const override {
    const Placed& placed = placed_of(hit);
    const Piece& piece = *placed.piece;
    const Vec3 p = placed.frame.to_frame(beam.origin + hit.range * beam.direction);
    const Vec3 n = placed.frame.to_world(piece.surface ? piece.surface->normal(hit.triangle)
                                                       : normal_of(p, piece.kind, piece.size));
    return dot(n, beam.direction) > 0 ? -n : n;
  }

  double brightness(const Hit& hit) const override { return placed_of(hit).piece->brightness; }

  void cast(std::span<const Beam> beams, WorldNumber but, std::span<Hit> hits) const override {
    EXPECTS(hits.size() == beams.size());
    std::array<Found, kPacket> found;
    for (std::size_t first = 0; first < beams.size(); first += kPacket) {
      const std::size_t count = std::min(kPacket, beams.size() - first);
      for (std::size_t i = 0; i < count; ++i) found[i] = {beams[first + i].far, nullptr, kNoPart};
      const auto packet = beams.subspan(first, count);
      if (scene_) scene_->search(packet, but, found);
      search(packet, but, found);
      for (std::size_t i = 0; i < count; ++i) hits[first + i] = hit_of(found[i]);
    }
  }

 private:
  struct Placed {
    WorldNumber number;
    const Piece* piece;
    ShapeFrame frame;
    std::uint32_t place;  // in the scene's list, and then this one's
    Box box;              // in W
  };
  const Placed& placed_of(const Hit& hit) const {
    return hit.place < still_count() ? scene_->placed_[hit.place] : placed_[hit.place - still_count()];
  }
  struct Found {
    double range;
    const Placed* what;  // null: nothing yet
    std::uint32_t triangle;
  };
  struct Search {
    embree::Context context;  // first: Embree hands its address on
    const Field* field;
    std::span<const Beam> beams;
    WorldNumber but;
    Found* found;
    LinePacket lines;
  };

  std::uint32_t still_count() const { return scene_ ? static_cast<std::uint32_t>(scene_->placed_.size()) : 0; }

  void add(const RayBody& body, const Piece& piece) {
    const Pose X = body.X_WL[piece.link] * piece.X_LS;
    const Box own = box_of(piece);
    const Vec3 at = (X * Pose{0.5 * (own.low + own.high), {}}).p, half = 0.5 * (own.high - own.low);
    const Vec3 x = rotate(X.q, {half.x, 0, 0}), y = rotate(X.q, {0, half.y, 0}), z = rotate(X.q, {0, 0, half.z});
    const Vec3 reach{std::fabs(x.x) + std::fabs(y.x) + std::fabs(z.x), std::fabs(x.y) + std::fabs(y.y) + std::fabs(z.y),
                     std::fabs(x.z) + std::fabs(y.z) + std::fabs(z.z)};
    const auto place = still_count() + static_cast<std::uint32_t>(placed_.size());
    placed_.push_back({body.number, &piece, ShapeFrame(X), place, {at - reach, at + reach}});
  }

  void search(std::span<const Beam> beams, WorldNumber but, std::array<Found, kPacket>& found) const {
    if (!tree_) return;
    Search search{{}, this, beams, but, found.data(), {}};
    alignas(64) int valid[kPacket];
    RTCRayHit8 rays;
    for (std::size_t i = 0; i < kPacket; ++i) {
      const Beam& beam = beams[std::min(i, beams.size() - 1)];
      valid[i] = i < beams.size() ? -1 : 0;
      search.lines.origin[0][i] = beam.origin.x, search.lines.direction[0][i] = beam.direction.x;
      search.lines.origin[1][i] = beam.origin.y, search.lines.direction[1][i] = beam.direction.y;
      search.lines.origin[2][i] = beam.origin.z, search.lines.direction[2][i] = beam.direction.z;
      search.lines.near[i] = beam.near;
      rays.ray.org_x[i] = static_cast<float>(beam.origin.x), rays.ray.org_y[i] = static_cast<float>(beam.origin.y);
      rays.ray.org_z[i] = static_cast<float>(beam.origin.z), rays.ray.dir_x[i] = static_cast<float>(beam.direction.x);
      rays.ray.dir_y[i] = static_cast<float>(beam.direction.y);
      rays.ray.dir_z[i] = static_cast<float>(beam.direction.z);
      rays.ray.tnear[i] = std::max(0.0f, static_cast<float>(beam.near - slack_at(beam.near)));
      rays.ray.tfar[i] = beyond(found[std::min(i, beams.size() - 1)].range);
      rays.ray.mask[i] = ~0u, rays.ray.flags[i] = 0, rays.ray.time[i] = 0, rays.ray.id[i] = static_cast<unsigned>(i);
      rays.hit.geomID[i] = RTC_INVALID_GEOMETRY_ID, rays.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
    }
    embree::intersect(valid, tree_.get(), search.context, rays);
  }

  static void bounds(const RTCBoundsFunctionArguments* args) {
    give(static_cast<const Field*>(args->geometryUserPtr)->placed_[args->primID].box, *args->bounds_o);
  }

  static void intersect(const RTCIntersectFunctionNArguments* args) {
    const auto& search = *reinterpret_cast<const Search*>(args->context);
    const Placed& placed = search.field->placed_[args->primID];
    if (placed.number == search.but && search.but != kNoEntity) return;
    RTCRayN* rays = RTCRayHitN_RayN(args->rayhit, args->N);
    alignas(64) std::array<double, kPacket> of_box;
    const bool box = placed.piece->kind == Shape::Kind::kBox;
    if (box) ranges_of_box(search.lines, placed.frame, placed.piece->size, of_box.data());
    for (unsigned i = 0; i < args->N; ++i) {
      if (args->valid[i] != -1) continue;
      const unsigned beam = RTCRayN_id(rays, args->N, i);
      if (beam >= search.beams.size()) continue;  // where packets are of four, those left out come along
      Found& found = search.found[beam];
      std::uint32_t triangle = kNoPart;
      const double range = box ? of_box[beam] : range_in(search.beams[beam], placed, found.range, triangle);
      if (offer(range, triangle, placed, found)) RTCRayN_tfar(rays, args->N, i) = beyond(found.range);
    }
  }

  static double range_in(const Beam& beam, const Placed& placed, double far, std::uint32_t& triangle) {
    const Line line = placed.frame.line(beam.origin, beam.direction, beam.near);
    return placed.piece->surface ? placed.piece->surface->range_of(line, far, triangle)
                                 : range_of(line, placed.piece->kind, placed.piece->size);
  }

  // Takes it if it is nearer, or as near and first in the order of ties.
  static bool offer(double range, std::uint32_t triangle, const Placed& placed, Found& found) {
    if (!(range <= found.range) || range == kNowhere) return false;
    if (range == found.range && found.what && !before(placed, *found.what)) return false;
    found = {range, &placed, triangle};
    return true;
  }

  static bool before(const Placed& a, const Placed& b) {
    if (a.number != b.number) return a.number < b.number;
    if (a.piece->link != b.piece->link) return a.piece->link < b.piece->link;
    return a.piece->number < b.piece->number;
  }

  static Hit hit_of(const Found& found) {
    if (!found.what) return {};
    return {found.range, found.what->number, found.what->piece->number, found.triangle, found.what->place};
  }

  Device device_;  // outlives the tree
  std::shared_ptr<const Field> scene_;
  std::vector<Placed> placed_;
  Scene tree_;
};

class Caster final : public RayCaster {
 public:
  explicit Caster(Device device) : device_(std::move(device)) {}
  std::shared_ptr<const RayModel> prepare(const Shapes& shapes) override {
    return std::make_shared<Model>(device_, shapes);
  }
  std::shared_ptr<const RayField> field(std::shared_ptr<const RayField> scene,
                                        std::span<const RayBody> bodies) override {
    return std::make_shared<Field>(device_, std::move(scene), bodies);
  }

 private:
  Device device_;
};

bool has(RayIsa isa) {
  switch (isa) {
    case RayIsa::kSse42: return __builtin_cpu_supports("sse4.2");
    case RayIsa::kAvx2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case RayIsa::kAvx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  }
  return false;
}

}  // namespace

RayIsa best_isa() {
  for (const RayIsa isa : {RayIsa::kAvx512, RayIsa::kAvx2})
    if (has(isa)) return isa;
  return RayIsa::kSse42;
}

Result<std::unique_ptr<RayCaster>> embree_caster(RayIsa isa) {
  const std::string name = name_of(isa);
  if (!has(isa))
    return fail(ErrorCode::kUnsupported, "this processor has no " + name + ", which rays are to be cast with");
  // One thread: whoever builds a tree does it alone.
  Device device(rtcNewDevice(("isa=" + name + ",threads=1").c_str()), DeviceCloser{});
  if (!device) return fail(ErrorCode::kUnsupported, "Embree does not start here");
  return std::make_unique<Caster>(std::move(device));
}

std::string version_of_embree() { return RTC_VERSION_STRING; }

std::unique_ptr<RayCasters> embree_casters() {
  struct Casters final : RayCasters {
    Result<std::unique_ptr<RayCaster>> make(RayIsa isa) const override { return embree_caster(isa); }
  };
  return std::make_unique<Casters>();
}

}  // namespace convoy
