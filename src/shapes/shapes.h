// What a model looks like, and how its parts move: links, and the shapes that are fixed to them.
//
//   Result<Shapes> arm = shapes_of(model, files);
//   std::vector<Pose> X_WL;
//   place_links(*arm, {.X_WR = state.pose, .X_WF = file_frame(*arm, state.pose, origin), .joints = tail}, X_WL);
//   X_WL[arm->shapes[0].link] * arm->shapes[0].X_LS
//
// No engine is needed for it: an importer writes the shapes as one of the model's files, and a model without files gets
// those of its drive and its footprint. Frames: W the world, R the robot's frame (REP-105 base_footprint), F the frame
// of its file, which stands where the robot was made, L a link, S a shape.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "convoy/geometry.h"
#include "convoy/result.h"
#include "core/fields.h"
#include "world/model_files.h"

namespace convoy {

inline constexpr std::uint32_t kNoPart = std::numeric_limits<std::uint32_t>::max();
// Of one model. How many corners and triangles it may have follows from kMaxModelFile.
inline constexpr std::size_t kMaxLinks = 100'000, kMaxShapes = 1'000'000, kMaxMeshes = 100'000;
inline constexpr std::uint32_t kMaxTerrainSide = 20'000, kMaxTextureSide = 16'384;

// How a link moves against what it hangs on. Several joints of one link act one after the other.
struct LinkJoint {
  enum class Type : std::uint8_t {
    kHinge = 0,  // one number, rad
    kSlide = 1,  // one number, m
    kBall = 2,   // four numbers, a quaternion w, x, y, z; of any length
    // A hinge about a wheel's upright axis, beside the middle of a steered axle: one number, the angle d of the
    // middle, rad. With `lead` = the wheel's y / the wheelbase it turns by atan2(sin d, cos d - lead sin d), so that all
    // wheels roll about one point.
    kSteered = 3,
  };
  Type type{};
  std::uint32_t at = 0;  // the first of its numbers in the tail
  Vec3 anchor;           // in L, m; where the axis passes
  Vec3 axis{0, 0, 1};    // in L, of length 1
  double zero = 0;       // its number where X_PL holds
  double lead = 0;
  friend bool operator==(const LinkJoint&, const LinkJoint&) = default;
};
template <class V, MaybeConst<LinkJoint> T>
void fields(V& v, T& j) {
  v("type", j.type), v("at", j.at), v("anchor", j.anchor), v("axis", j.axis), v("zero", j.zero), v("lead", j.lead);
}

struct Link {
  enum class Base : std::uint8_t {
    kLink = 0,   // hangs on `parent`, an earlier link
    kRobot = 1,  // hangs on the robot's frame R
    kPlace = 2,  // stands in F
    kFree = 3,   // its X_WL is seven numbers in the tail, from `at` on: x, y, z, qw, qx, qy, qz
  };
  std::string name;  // unique in the model
  Base base{};
  std::uint32_t parent = kNoPart;
  std::uint32_t at = 0;
  Pose X_PL;  // in what it hangs on, with each joint at its zero
  std::vector<LinkJoint> joints;
  friend bool operator==(const Link&, const Link&) = default;
};
template <class V, MaybeConst<Link> T>
void fields(V& v, T& l) {
  v("name", l.name), v("base", l.base), v("parent", l.parent), v("at", l.at), v("X_PL", l.X_PL), v("joints", l.joints);
}

using Color = std::array<std::uint8_t, 4>;  // red, green, blue, opacity; sRGB as in the file

struct Texture {
  std::uint32_t width = 0, height = 0;  // pixels
  std::uint32_t channels = 3;           // 1 to 4 bytes a pixel
  bool cube = false;                    // six square faces below one another: right, left, up, down, front, back
  Bytes pixels;                         // row by row from the top
  friend bool operator==(const Texture&, const Texture&) = default;
};
template <class V, MaybeConst<Texture> T>
void fields(V& v, T& t) {
  v("width", t.width), v("height", t.height), v("channels", t.channels), v("cube", t.cube);
  v("pixels", t.pixels);
}

struct Material {
  std::string name;
  std::uint32_t texture = kNoPart;
  double repeat_x = 1, repeat_y = 1;  // of the texture: per shape, or per m if uniform
  bool uniform = false;
  double specular = 0.5, shininess = 0.5, reflectance = 0, emission = 0;  // 0 to 1
  double metallic = -1, roughness = -1;                                   // 0 to 1; below 0: the file does not say
  friend bool operator==(const Material&, const Material&) = default;
};
template <class V, MaybeConst<Material> T>
void fields(V& v, T& m) {
  v("name", m.name), v("texture", m.texture), v("repeat_x", m.repeat_x), v("repeat_y", m.repeat_y);
  v("uniform", m.uniform), v("specular", m.specular), v("shininess", m.shininess), v("reflectance", m.reflectance);
  v("emission", m.emission), v("metallic", m.metallic), v("roughness", m.roughness);
}

struct Mesh {
  std::string name;
  Bytes corners;    // three little-endian floats each: x, y, z in S, m
  Bytes triangles;  // three little-endian uint32 each, counter-clockwise seen from outside: numbers of corners
  Bytes texture;    // empty, or six floats a triangle: u, v of each corner, v downwards
  std::size_t corner_count() const { return corners.size() / 12; }
  std::size_t triangle_count() const { return triangles.size() / 12; }
  Vec3 corner(std::size_t i) const;
  std::array<std::uint32_t, 3> triangle(std::size_t i) const;
  friend bool operator==(const Mesh&, const Mesh&) = default;
};
template <class V, MaybeConst<Mesh> T>
void fields(V& v, T& m) {
  v("name", m.name), v("corners", m.corners), v("triangles", m.triangles), v("texture", m.texture);
}
void add_corner(Mesh& mesh, double x, double y, double z);
void add_triangle(Mesh& mesh, std::uint32_t a, std::uint32_t b, std::uint32_t c);

// A height field over a rectangle around its frame's origin: rows along y, from -half_y on, columns along x.
struct Terrain {
  std::uint32_t columns = 0, rows = 0;                       // at least 2
  double half_x = 0, half_y = 0;                             // m
  double top = 0;                                            // m; the height of 1
  double base = 0;                                           // m; how far it is solid below height 0
  Bytes heights;                                             // little-endian floats, 0 to 1, row by row
  double height(std::size_t column, std::size_t row) const;  // m
  friend bool operator==(const Terrain&, const Terrain&) = default;
};
template <class V, MaybeConst<Terrain> T>
void fields(V& v, T& t) {
  v("columns", t.columns), v("rows", t.rows), v("half_x", t.half_x), v("half_y", t.half_y), v("top", t.top);
  v("base", t.base), v("heights", t.heights);
}

// One piece, fixed to a link. Axes and middle of primitives are those of S.
struct Shape {
  enum class Kind : std::uint8_t {
    kPlane = 0,      // z = 0, seen from above; half of its edges along x and y, 0: without end
    kSphere = 1,     // radius
    kCapsule = 2,    // radius, half of the length of its straight part, along z
    kEllipsoid = 3,  // three radii
    kCylinder = 4,   // radius, half of its height, along z
    kBox = 5,        // half of its edges
    kMesh = 6,       // `data`: of the meshes
    kTerrain = 7,    // `data`: of the terrains
  };
  std::string name;  // empty: it has none
  std::uint32_t link = 0;
  Kind kind{};
  Vec3 size;  // m; what is not named above is 0
  Pose X_LS;
  Color color{128, 128, 128, 255};
  std::uint32_t material = kNoPart;
  std::uint32_t data = kNoPart;
  bool visible = true;  // to eyes, cameras and rays
  bool solid = true;    // to bodies
  friend bool operator==(const Shape&, const Shape&) = default;
};
template <class V, MaybeConst<Shape> T>
void fields(V& v, T& s) {
  v("name", s.name), v("link", s.link), v("kind", s.kind), v("size", s.size), v("X_LS", s.X_LS), v("color", s.color);
  v("material", s.material), v("data", s.data), v("visible", s.visible), v("solid", s.solid);
}

// The content of the file.
struct Shapes {
  std::string category;     // for segmentation: "robot", "object", "ground", "wall" or a word of the user's
  bool fixed_base = false;  // R is F
  std::vector<Link> links;
  std::vector<Shape> shapes;
  std::vector<Mesh> meshes;
  std::vector<Terrain> terrains;
  std::vector<Material> materials;
  std::vector<Texture> textures;
  std::vector<std::string> at_rest;  // names of flexible bodies and skins, of which only the rest shape is known
  friend bool operator==(const Shapes&, const Shapes&) = default;
};
template <class V, MaybeConst<Shapes> T>
void fields(V& v, T& s) {
  v("category", s.category), v("fixed_base", s.fixed_base), v("links", s.links), v("shapes", s.shapes);
  v("meshes", s.meshes), v("terrains", s.terrains), v("materials", s.materials), v("textures", s.textures);
  v("at_rest", s.at_rest);
}

// Empty, or what is wrong with shapes of a model with so many joints: a number out of bounds, a link that hangs on a
// later one.
std::string problem_of(const Shapes& shapes, std::size_t joints);

// Without the shapes of what moves, or of what does not, in F: of an MJCF world, which is one model for both.
Shapes still_part(Shapes shapes);
Shapes moving_part(Shapes shapes);

// The only answer to what a model looks like: its file's, or else those of its drive and footprint. A program looks like
// nothing; of an MJCF world's objects what moves is theirs. The level ground in a
// robot's file is the world's, and left out. Errors: the file is damaged.
Result<Shapes> shapes_of(const Model& model, const ModelFiles& files);

// Where a robot is.
struct Posture {
  Pose X_WR;
  Pose X_WF;
  std::span<const double> joints;  // the first half of its tail (world/model.h), or all of it
};
// Where its file stands: where its robot was made (`origin`, X_WR at its creation), of a fixed base where it is.
Pose file_frame(const Shapes& shapes, const Pose& X_WR, const Pose& origin);
// The pose of each link. Numbers that the tail lacks are at their zero. Quaternions need no unit length.
void place_links(const Shapes& shapes, const Posture& posture, std::vector<Pose>& X_WL);

}  // namespace convoy
