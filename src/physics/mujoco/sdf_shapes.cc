#include "physics/mujoco/sdf_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "physics/mujoco/numbers.h"

namespace convoy::mujoco {

namespace {

constexpr double kSdfDensity = 1000;  // kg/m³; SDF's own

// Of Gazebo's own materials, those that people use.
struct Material {
  const char* name;
  const char* rgb;
};
constexpr Material kMaterials[] = {
    {"Gazebo/Grey", "0.7 0.7 0.7"},      {"Gazebo/Gray", "0.7 0.7 0.7"},   {"Gazebo/DarkGrey", "0.2 0.2 0.2"},
    {"Gazebo/DarkGray", "0.2 0.2 0.2"},  {"Gazebo/White", "1 1 1"},        {"Gazebo/Black", "0.1 0.1 0.1"},
    {"Gazebo/FlatBlack", "0.1 0.1 0.1"}, {"Gazebo/Red", "0.8 0.1 0.1"},    {"Gazebo/Green", "0.1 0.8 0.1"},
    {"Gazebo/Blue", "0.1 0.1 0.8"},      {"Gazebo/Yellow", "0.9 0.9 0.1"}, {"Gazebo/Orange", "1 0.5 0.1"},
    {"Gazebo/Wood", "0.6 0.4 0.2"},
};

int words_in(const std::string& text) {
  int out = 0;
  bool inside = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    out += inside == blank && !blank;
    inside = !blank;
  }
  return out;
}

// That turns the z axis to where the normal points.
Quat z_to(const Vec3& normal) {
  if (normal.z < -0.999999) return {0, 1, 0, 0};
  return unit({1 + normal.z, -normal.y, normal.x, 0});
}

}  // namespace

Element made_from(const Element& source, const char* tag) {
  Element out;
  out.tag = tag, out.file = source.file, out.line = source.line;
  return out;
}

std::string text_of(const Vec3& v) { return fmt::format("{} {} {}", v.x, v.y, v.z); }

void put_pose(Element& e, const Pose& X) {
  if (X.p != Vec3{}) e.set("pos", text_of(X.p));
  if (X.q != Quat{}) e.set("quat", fmt::format("{} {} {} {}", X.q.w, X.q.x, X.q.y, X.q.z));
}

std::vector<Element> SdfShapes::of(const SdfLink& link, const Pose& X_BL, bool weighs, SdfValues& values) {
  std::vector<Element> out;
  Shape shape;
  for (const Element& e : link.element->children) shape.beside_visuals = shape.beside_visuals || e.tag == "visual";
  const Element* inertial = link.element->child("inertial");
  for (const Element& e : link.element->children) {
    if (e.tag != "collision" && e.tag != "visual") continue;
    shape.from = &e, shape.visual = e.tag == "visual", shape.density = 0;
    if (weighs && !shape.visual)
      shape.density =
          values.number(e, "density", inertial ? values.number(*inertial, "density", kSdfDensity) : kSdfDensity);
    if (shape.density < 0) values.refuse(e, "<density> must not be below 0");
    Element made;
    if (geom(link, X_BL, shape, made, values)) out.push_back(std::move(made));
    if (!values.status()) break;
  }
  return out;
}

bool SdfShapes::geom(const SdfLink& link, const Pose& X_BL, const Shape& shape, Element& out, SdfValues& values) {
  const Element& from = *shape.from;
  out = made_from(from, "geom");
  for (const Element& e : from.children)
    if (e.tag == "plugin" || e.tag == "sensor") losses_.add(fmt::format("<{}> is not read", e.tag));
  const Element* geometry = from.child("geometry");
  if (!geometry) return values.refuse(from, fmt::format("<{}> has no <geometry>", from.tag)), false;
  Pose X_BG = X_BL * frames_.X_LP(link.frame, from, values);
  if (!size(link, shape, *geometry, X_BG, out, values)) return false;
  put_pose(out, X_BG);
  if (shape.visual) {
    out.set("contype", "0"), out.set("conaffinity", "0"), out.set("group", "2"), out.set("mass", "0");
    colour(from, out, values);
  } else {
    if (shape.density > 0) out.set("density", fmt::format("{}", shape.density));
    else out.set("mass", "0");
    if (shape.beside_visuals && out.get("type") != "plane") out.set("group", "3");
    surface(from, out, values);
  }
  return true;
}

bool SdfShapes::size(const SdfLink& link, const Shape& shape, const Element& geometry, Pose& X_BG, Element& out,
                     SdfValues& values) {
  for (const Element& e : geometry.children) {
    if (e.tag == "box") {
      const Element* size = e.child("size");
      if (!size) return values.refuse(e, "<box> has no <size>"), false;
      const Vec3 s = values.vector(*size);
      if (s.x <= 0 || s.y <= 0 || s.z <= 0) return values.refuse(*size, "the sizes of a box must be above 0"), false;
      out.set("type", "box"), out.set("size", text_of(0.5 * s));
    } else if (e.tag == "sphere") {
      out.set("type", "sphere"), out.set("size", fmt::format("{}", values.size(e, "radius")));
    } else if (e.tag == "cylinder" || e.tag == "capsule") {
      out.set("type", e.tag);
      const double radius = values.size(e, "radius");
      out.set("size", fmt::format("{} {}", radius, values.size(e, "length") / 2));
    } else if (e.tag == "ellipsoid") {
      const Element* radii = e.child("radii");
      if (!radii) return values.refuse(e, "<ellipsoid> has no <radii>"), false;
      const Vec3 r = values.vector(*radii);
      if (r.x <= 0 || r.y <= 0 || r.z <= 0) return values.refuse(*radii, "the <radii> must be above 0"), false;
      out.set("type", "ellipsoid"), out.set("size", text_of(r));
    } else if (e.tag == "plane") {
      return plane(link, shape, e, X_BG, out, values);
    } else if (e.tag == "mesh") {
      return mesh(shape, e, out, values);
    } else {
      if (e.tag != "empty") losses_.add(fmt::format("the shape <{}> is not read", e.tag));
      return false;
    }
    return true;
  }
  return false;  // an empty one is none
}

bool SdfShapes::plane(const SdfLink& link, const Shape& shape, const Element& e, Pose& X_BG, Element& out,
                      SdfValues& values) {
  // MuJoCo's planes have no end and no thickness: a picture of one would be a ground to others.
  if (shape.visual) return false;
  if (!link.stands) return losses_.add("a <plane> of a link that moves is not read"), false;
  const Element* normal = e.child("normal");
  const Vec3 n = normal ? values.vector(*normal) : Vec3{0, 0, 1};
  if (norm(n) < 1e-9) return values.refuse(e, "the <normal> of a plane is 0"), false;
  double side[2] = {100, 100};
  if (const Element* size = e.child("size")) {
    const std::vector<double> s = values.numbers(*size, 2);
    for (int i = 0; i < 2; ++i) side[i] = std::fabs(s[static_cast<std::size_t>(i)]);
  }
  X_BG = X_BG * Pose{{}, z_to(1 / norm(n) * n)};
  out.set("type", "plane"), out.set("size", fmt::format("{} {} 1", side[0] / 2, side[1] / 2));  // for pictures
  return true;
}

bool SdfShapes::mesh(const Shape& shape, const Element& e, Element& out, SdfValues& values) {
  const std::string uri = text_of(e, "uri");
  if (uri.empty()) return values.refuse(e, "<mesh> has no <uri>"), false;
  if (uri.starts_with("http://") || uri.starts_with("https://")) {
    if (shape.visual) return losses_.add("a mesh for the eye that lies on the web is not downloaded"), false;
    return values.refuse(e, fmt::format("the mesh '{}' is not downloaded: put it beside this file", uri),
                         ErrorCode::kUnsupported),
           false;
  }
  if (e.child("submesh")) losses_.add("of a <submesh> the whole mesh is taken");
  const Element* scale = e.child("scale");
  const Vec3 s = scale ? values.vector(*scale) : Vec3{1, 1, 1};
  if (scale && s.x * s.y * s.z == 0) return values.refuse(*scale, "the <scale> of a mesh must not be 0"), false;
  auto file = meshes_.take(uri, *e.child("uri"));
  if (!file) {
    const Error& why = file.error();
    return values.refuse(*e.child("uri"), why.text, why.code), false;
  }
  const std::string key = fmt::format("{} {} {}", *file, text_of(s), shape.density > 0);
  const auto [known, is_new] = names_.try_emplace(key, fmt::format("mesh_{}", names_.size()));
  if (is_new) {
    Element asset = made_from(e, "mesh");
    // A surface may be open or flat; what it weighs is said elsewhere, unless the link's inertia follows from it.
    asset.set("name", known->second), asset.set("file", *file), asset.set("scale", text_of(s));
    if (shape.density <= 0) asset.set("inertia", "shell");
    assets_.push_back(std::move(asset));
  }
  out.set("type", "mesh"), out.set("mesh", known->second);
  return true;
}

// Gazebo takes the smaller friction of two that touch, MuJoCo the larger: so 1, Gazebo's own, is the most, and what is
// more slippery rules.
void SdfShapes::surface(const Element& collision, Element& out, SdfValues& values) {
  const Element* surface = collision.child("surface");
  if (!surface) return;
  const Element* friction = surface->child("friction");
  double mu = 1;
  for (const auto& [engine, first, second] :
       {std::tuple{"bullet", "friction", "friction2"}, std::tuple{"ode", "mu", "mu2"}}) {
    const Element* e = friction ? friction->child(engine) : nullptr;
    if (!e) continue;
    const double one = values.number(*e, first, 1), two = values.number(*e, second, one);
    if (one < 0 || two < 0) values.refuse(*e, "friction must not be below 0");
    if (std::min(one, 1.) != std::min(two, 1.))
      losses_.add("friction that depends on the direction is everywhere the larger");
    mu = std::min(std::max(one, two), 1.);
  }
  if (mu < 1) out.set("friction", fmt::format("{} 0.005 0.0001", mu)), out.set("priority", "1");
  if (const Element* bounce = surface->child("bounce");
      bounce && values.number(*bounce, "restitution_coefficient", 0) > 0)
    losses_.add("<bounce> is not kept");
  const Element* contact = surface->child("contact");
  if (!contact) return;
  const std::string mask = text_of(*contact, "collide_bitmask");
  const bool never = mask == "0" || mask == "0x0" || mask == "0x00" || mask == "0x0000";
  if (never || values.flag(*contact, "collide_without_contact", false))
    out.set("contype", "0"), out.set("conaffinity", "0");
  else if (!mask.empty() && mask != "65535" && mask != "0xffff" && mask != "0xFFFF")
    losses_.add("<collide_bitmask> is not kept: it touches all");
}

void SdfShapes::colour(const Element& visual, Element& out, SdfValues& values) {
  const Element* material = visual.child("material");
  const double alpha = 1 - std::clamp(values.number(visual, "transparency", 0), 0., 1.);
  std::string rgb;
  double own = 1;
  if (material) {
    const Element* script = material->child("script");
    const std::string name = script ? text_of(*script, "name") : "";
    for (const Material& known : kMaterials)
      if (name == known.name) rgb = known.rgb;
    if ((script && rgb.empty()) || material->child("pbr")) losses_.add("a material's script or texture is not read");
    const Element* diffuse = material->child("diffuse");
    if (!diffuse && rgb.empty()) diffuse = material->child("ambient");
    if (diffuse) {
      const bool three = words_in(diffuse->text) == 3;  // without the last, as some write it
      const std::vector<double> c = values.numbers(*diffuse, three ? 3 : 4);
      const auto part = [&](std::size_t i) { return std::clamp(c[i], 0., 1.); };
      rgb = fmt::format("{} {} {}", part(0), part(1), part(2)), own = three ? 1 : part(3);
    }
  }
  if (rgb.empty() && alpha < 1) rgb = "0.5 0.5 0.5";
  if (!rgb.empty()) out.set("rgba", fmt::format("{} {}", rgb, own * alpha));
}

}  // namespace convoy::mujoco
