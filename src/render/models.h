// What the graphics card has of each model: its triangles, its textures, and a list of what to draw.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "render/geometry.h"
#include "render/gl.h"
#include "render/shaders.h"
#include "shapes/shapes.h"

namespace convoy::render {

// Triangles on the card.
struct Solid {
  GLuint array = 0, corners = 0, indices = 0;
  GLsizei count = 0;
};

// A visible shape, ready to be placed.
struct Piece {
  std::uint32_t link = 0;
  Pose X_LS;
  Form form = Form::kFlat;
  Texturing texturing = Texturing::kNone;
  Shape::Kind kind{};
  bool closed = true;            // nobody sees its inner side from outside
  const Solid* solid = nullptr;  // of a mesh or terrain; null: a primitive
  GLuint texture = 0;
  std::array<float, 4> scale{};   // of the corners; the last one is what `shift` counts in
  std::array<float, 4> place{};   // of a texture: the first two are added, the others factors
  std::array<float, 4> look{};    // specular, roughness, emission, metallic or, below 0, reflectance
  std::array<float, 4> color{};   // linear light and opacity
  double half_x = 0, half_y = 0;  // m, of a plane; 0: endless
  double radius = 0;              // m, of a ball about `middle` that holds it; 0: endless
  double roundness = 0;           // m: the radius of its curvature
  Vec3 middle;                    // in S
};

class Models {
 public:
  struct Entry {
    std::weak_ptr<const Shapes> of;  // tells a model from a later one at the same address
    std::vector<std::unique_ptr<Solid>> solids;
    std::vector<GLuint> textures;
    std::vector<Piece> pieces;
  };

  explicit Models(const Gl& gl);
  // Valid until forget().
  const std::vector<Piece>& of(const std::shared_ptr<const Shapes>& shapes);
  // Frees what belongs to models that nobody has any more.
  void forget();
  const Solid& primitive(Shape::Kind kind, std::uint32_t level) const;

 private:
  Solid upload(const Geometry& geometry) const;
  void free(Entry& entry) const;
  void make(Entry& entry, const Shapes& shapes) const;
  void set_material(Entry& entry, Piece& piece, const Shape& shape, const Shapes& shapes) const;

  const Gl& gl_;
  Solid box_, plane_;
  std::array<Solid, kLevels> balls_, cylinders_, capsules_;
  std::map<const Shapes*, Entry> known_;
};

}  // namespace convoy::render
