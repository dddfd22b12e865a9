#include "render/models.h"

#include <algorithm>
#include <cstddef>

#include "core/pose.h"
#include "render/textures.h"

namespace convoy::render {

namespace {

Vec3 point(const Corner& c) { return {c.p[0], c.p[1], c.p[2]}; }

bool same(const std::weak_ptr<const Shapes>& a, const std::shared_ptr<const Shapes>& b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

std::array<float, 4> linear_of(const Color& c) {
  std::array<float, 4> out{};
  for (std::size_t k = 0; k < 3; ++k) out[k] = static_cast<float>(linear(c[k] / 255.0));
  out[3] = static_cast<float>(c[3]) / 255;
  return out;
}

void set_ball(Piece& piece, const Geometry& geometry) {
  if (geometry.corners.empty()) return;
  Vec3 low = point(geometry.corners[0]), high = low;
  for (const Corner& c : geometry.corners) {
    const Vec3 p = point(c);
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  piece.middle = 0.5 * (low + high);
  piece.radius = std::max(0.5 * norm(high - low), 1e-9);
}

void set_form(Piece& piece, const Shape& shape) {
  const Vec3& s = shape.size;
  const auto scale = [&](double x, double y, double z, double w) {
    piece.scale = {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z), static_cast<float>(w)};
  };
  switch (shape.kind) {
    case Shape::Kind::kPlane:
      piece.form = Form::kPlane, piece.closed = false;
      piece.half_x = s.x, piece.half_y = s.y;
      piece.radius = s.x > 0 && s.y > 0 ? norm({s.x, s.y, 0}) : 0;
      return scale(s.x, s.y, 1, 0);
    case Shape::Kind::kSphere:
      piece.form = Form::kBall, piece.radius = piece.roundness = s.x;
      return scale(s.x, s.x, s.x, 0);
    case Shape::Kind::kEllipsoid:
      piece.form = Form::kBall, piece.radius = piece.roundness = std::max({s.x, s.y, s.z});
      return scale(s.x, s.y, s.z, 0);
    case Shape::Kind::kCapsule:
      piece.form = Form::kCapsule, piece.radius = s.x + s.y, piece.roundness = s.x;
      return scale(s.x, s.x, s.x, s.y);
    case Shape::Kind::kCylinder:
      piece.form = Form::kCylinder, piece.radius = norm({s.x, s.y, 0}), piece.roundness = s.x;
      return scale(s.x, s.x, s.y, 0);
    case Shape::Kind::kBox: piece.radius = norm(s); return scale(s.x, s.y, s.z, 0);
    case Shape::Kind::kMesh:
    case Shape::Kind::kTerrain: piece.closed = false; return scale(1, 1, 1, 0);
  }
}

// Factors of local x and y, for a picture over the whole of a rectangle or over each metre of it.
void set_planar(Piece& piece, const Material& m, double half_x, double half_y) {
  const bool endless = !(half_x > 0 && half_y > 0);
  const double x = m.uniform || endless ? m.repeat_x : m.repeat_x / (2 * half_x);
  const double y = m.uniform || endless ? m.repeat_y : m.repeat_y / (2 * half_y);
  const auto half = [&](double n) { return static_cast<float>(m.uniform || endless ? 0 : n / 2); };
  piece.place = {half(m.repeat_x), half(m.repeat_y), static_cast<float>(x), static_cast<float>(y)};
}

}  // namespace

Models::Models(const Gl& gl) : gl_(gl), box_(upload(unit_box())), plane_(upload(unit_plane())) {
  for (std::uint32_t i = 0; i < kLevels; ++i)
    balls_[i] = upload(unit_ball(i)), cylinders_[i] = upload(unit_cylinder(i)), capsules_[i] = upload(unit_capsule(i));
}

const std::vector<Piece>& Models::of(const std::shared_ptr<const Shapes>& shapes) {
  Entry& entry = known_[shapes.get()];
  if (!same(entry.of, shapes)) {
    free(entry);
    entry.of = shapes;
    make(entry, *shapes);
  }
  return entry.pieces;
}

void Models::forget() {
  for (auto at = known_.begin(); at != known_.end();) {
    const bool gone = at->second.of.expired();
    if (gone) free(at->second);
    at = gone ? known_.erase(at) : std::next(at);
  }
}

const Solid& Models::primitive(Shape::Kind kind, std::uint32_t level) const {
  switch (kind) {
    case Shape::Kind::kPlane: return plane_;
    case Shape::Kind::kSphere:
    case Shape::Kind::kEllipsoid: return balls_[level];
    case Shape::Kind::kCapsule: return capsules_[level];
    case Shape::Kind::kCylinder: return cylinders_[level];
    case Shape::Kind::kBox:
    case Shape::Kind::kMesh:
    case Shape::Kind::kTerrain: break;
  }
  return box_;
}

Solid Models::upload(const Geometry& g) const {
  Solid out;
  out.count = static_cast<GLsizei>(g.indices.empty() ? g.corners.size() : g.indices.size());
  gl_.gen_vertex_arrays(1, &out.array), gl_.gen_buffers(1, &out.corners);
  gl_.bind_vertex_array(out.array);
  gl_.bind_buffer(GL_ARRAY_BUFFER, out.corners);
  gl_.buffer_data(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(g.corners.size() * sizeof(Corner)), g.corners.data(),
                  GL_STATIC_DRAW);
  const auto attribute = [&](GLuint at, GLint numbers, std::size_t offset) {
    gl_.enable_attribute(at);
    gl_.attribute(at, numbers, GL_FLOAT, GL_FALSE, sizeof(Corner), reinterpret_cast<const void*>(offset));
  };
  attribute(0, 4, offsetof(Corner, p)), attribute(1, 3, offsetof(Corner, flat));
  attribute(2, 3, offsetof(Corner, n)), attribute(3, 2, offsetof(Corner, uv));
  if (!g.indices.empty()) {
    gl_.gen_buffers(1, &out.indices);
    gl_.bind_buffer(GL_ELEMENT_ARRAY_BUFFER, out.indices);
    gl_.buffer_data(GL_ELEMENT_ARRAY_BUFFER, static_cast<GLsizeiptr>(g.indices.size() * 4), g.indices.data(),
                    GL_STATIC_DRAW);
  }
  gl_.bind_vertex_array(0);
  return out;
}

void Models::free(Entry& entry) const {
  for (const auto& solid : entry.solids) {
    gl_.delete_vertex_arrays(1, &solid->array);
    gl_.delete_buffers(1, &solid->corners), gl_.delete_buffers(1, &solid->indices);
  }
  gl_.delete_textures(static_cast<GLsizei>(entry.textures.size()), entry.textures.data());
  entry = {};
}

void Models::make(Entry& entry, const Shapes& shapes) const {
  for (const Texture& texture : shapes.textures) entry.textures.push_back(render::upload(gl_, texture));
  std::map<std::pair<Shape::Kind, std::uint32_t>, std::pair<const Solid*, Piece>> made;
  for (const Shape& shape : shapes.shapes) {
    if (!shape.visible || shape.color[3] == 0) continue;
    Piece piece;
    piece.link = shape.link, piece.X_LS = shape.X_LS, piece.kind = shape.kind;
    piece.color = linear_of(shape.color);
    piece.X_LS.q = unit(piece.X_LS.q);
    set_form(piece, shape);
    if (shape.kind == Shape::Kind::kMesh || shape.kind == Shape::Kind::kTerrain) {
      const auto [at, fresh] = made.try_emplace({shape.kind, shape.data});
      if (fresh) {
        const Geometry geometry = shape.kind == Shape::Kind::kMesh ? geometry_of(shapes.meshes[shape.data])
                                                                   : geometry_of(shapes.terrains[shape.data]);
        entry.solids.push_back(std::make_unique<Solid>(upload(geometry)));
        at->second.first = entry.solids.back().get();
        set_ball(at->second.second, geometry);
      }
      piece.solid = at->second.first;
      piece.middle = at->second.second.middle, piece.radius = at->second.second.radius;
      if (piece.solid->count == 0) continue;
    }
    set_material(entry, piece, shape, shapes);
    entry.pieces.push_back(piece);
  }
}

void Models::set_material(Entry& entry, Piece& piece, const Shape& shape, const Shapes& shapes) const {
  const Material plain;
  const Material& m = shape.material == kNoPart ? plain : shapes.materials[shape.material];
  const auto share = [](double v) { return static_cast<float>(std::clamp(v, 0.0, 1.0)); };
  const float roughness = share(m.roughness >= 0 ? m.roughness : 0.85 - 0.6 * m.shininess);
  const float metallic = m.metallic > 0 ? share(m.metallic) : -share(m.reflectance);
  piece.look = {share(m.specular), std::max(roughness, 0.05f), share(m.emission), metallic};
  piece.place = {0, 0, 1, 1};
  if (m.texture == kNoPart) return;
  const Texture& texture = shapes.textures[m.texture];
  piece.texture = entry.textures[m.texture];
  if (texture.cube) {
    piece.texturing = Texturing::kCube;
    const Vec3 s = piece.solid ? Vec3{piece.radius, piece.radius, piece.radius} : shape.size;
    const auto inverse = [&](double v) { return m.uniform || v <= 0 ? 1.0f : static_cast<float>(1 / v); };
    piece.place = {inverse(s.x), inverse(s.y), inverse(s.z), 0};
    // The middle of a flat side would have no direction.
    if (piece.form == Form::kPlane) piece.texturing = Texturing::kNone;
  } else if (shape.kind == Shape::Kind::kMesh && !shapes.meshes[shape.data].texture.empty()) {
    piece.texturing = Texturing::kCorners;
  } else if (shape.kind == Shape::Kind::kPlane || shape.kind == Shape::Kind::kBox) {
    piece.texturing = Texturing::kPlanar;
    set_planar(piece, m, shape.size.x, shape.size.y);
  } else if (shape.kind == Shape::Kind::kTerrain) {
    piece.texturing = Texturing::kPlanar;
    set_planar(piece, m, shapes.terrains[shape.data].half_x, shapes.terrains[shape.data].half_y);
  }
  if (piece.texturing != Texturing::kNone) return;
  // What a picture can't be wrapped around has its mean colour.
  const Rgb mean = mean_of(texture);
  for (std::size_t k = 0; k < 3; ++k) piece.color[k] *= static_cast<float>(mean[k]);
}

}  // namespace convoy::render
