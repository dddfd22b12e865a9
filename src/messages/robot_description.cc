#include "messages/robot_description.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/math.h"
#include "core/pose.h"
#include "messages/links.h"

namespace convoy::ros {
namespace {

constexpr double kUnlimited = 1000;  // m, m/s, rad/s, N, N m: where URDF wants a limit and none is known
constexpr double kThin = 0.001;      // m; of a plane, and at least of a box

std::string text_of(double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value + 0.0).ptr;  // without -0
  return {digits, end};
}
std::string text_of(const Vec3& v) { return text_of(v.x) + " " + text_of(v.y) + " " + text_of(v.z); }

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  return out;
}
std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + escaped(value) + "\"";
}

// Fixed-axis roll, pitch and yaw, rad: Rz(yaw) Ry(pitch) Rx(roll).
Vec3 rpy_of(const Quat& q) {
  const Vec3 x = rotate(q, {1, 0, 0}), y = rotate(q, {0, 1, 0}), z = rotate(q, {0, 0, 1});
  const double level = math::hypot(x.x, x.y);
  const double pitch = math::atan2(-x.z, level);
  if (level < 1e-9) return {0, pitch, math::atan2(-y.x, y.y)};  // x is upright: roll and yaw are one
  return {math::atan2(y.z, z.z), pitch, math::atan2(x.y, x.x)};
}

std::string origin_of(const Pose& X) {
  return "<origin" + attribute("xyz", text_of(X.p)) + attribute("rpy", text_of(rpy_of(X.q))) + "/>";
}

// One geometry of URDF, and where it is in the shape.
struct Piece {
  std::string geometry;
  Pose X_SG{};
};

std::string box(const Vec3& half) {
  const auto edge = [](double h) { return std::max(2 * h, kThin); };
  return "<box" + attribute("size", text_of(Vec3{edge(half.x), edge(half.y), edge(half.z)})) + "/>";
}
Piece box_between(const Vec3& low, const Vec3& high) { return {box(0.5 * (high - low)), {0.5 * (low + high), {}}}; }
std::string sphere(double radius) { return "<sphere" + attribute("radius", text_of(radius)) + "/>"; }
std::string cylinder(double radius, double half) {
  return "<cylinder" + attribute("radius", text_of(radius)) + attribute("length", text_of(2 * half)) + "/>";
}

Piece about(const Mesh& mesh) {
  Vec3 low = mesh.corner(0), high = low;
  for (std::size_t i = 1; i < mesh.corner_count(); ++i) {
    const Vec3 p = mesh.corner(i);
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  return box_between(low, high);
}

Piece about_ellipsoid(const Vec3& r) {
  constexpr double kSide = 0.70710678118654752440;  // of a quarter turn's quaternion
  const double xy = std::fabs(r.x - r.y), yz = std::fabs(r.y - r.z), zx = std::fabs(r.z - r.x);
  if (xy <= yz && xy <= zx) return {cylinder(std::max(r.x, r.y), r.z)};
  if (zx <= yz) return {cylinder(std::max(r.z, r.x), r.y), {{}, {kSide, kSide, 0, 0}}};
  return {cylinder(std::max(r.y, r.z), r.x), {{}, {kSide, 0, kSide, 0}}};
}

class Urdf {
 public:
  Urdf(const Shapes& shapes, const Model& model, const DescriptionOptions& options)
      : shapes_(shapes), model_(model), options_(options), joint_names_(model.joints.begin(), model.joints.end()) {
    link_names_.insert(options.base);
    for (const Link& link : shapes.links) link_names_.insert(link.name);
  }

  std::string take() {
    const std::vector<LinkFrame> frames = link_frames(shapes_, options_.base);
    add("<?xml version=\"1.0\"?>");
    add("<robot" + attribute("name", options_.name) + ">");
    add_links(frames);
    for (const LinkFrame& frame : frames)
      if (!frame.is_base) add_chain(frame);
    add("</robot>");
    return std::move(out_);
  }

 private:
  void add(const std::string& line) { (out_ += line) += '\n'; }

  static std::string unused(const std::string& name, std::set<std::string>& names) {
    std::string out = name;
    while (!names.insert(out).second) out += '_';
    return out;
  }

  // --- links

  void add_links(const std::vector<LinkFrame>& frames) {
    std::map<std::uint32_t, std::vector<const Shape*>> by_link;
    for (const Shape& shape : shapes_.shapes) by_link[shape.link].push_back(&shape);
    std::vector<std::pair<std::string, std::string>> looks{{options_.base, {}}};
    for (const LinkFrame& frame : frames) {
      if (!frame.is_base) looks.emplace_back(shapes_.links[frame.link].name, std::string());
      std::string& look = frame.is_base ? looks.front().second : looks.back().second;
      for (const Shape* shape : by_link[frame.link]) look += look_of(*shape, frame.is_base ? frame.X_PL : Pose());
    }
    for (const auto& [name, look] : looks) {
      if (look.empty()) add("  <link" + attribute("name", name) + "/>");
      else add("  <link" + attribute("name", name) + ">\n" + look + "  </link>");
    }
  }

  // `X_HL`: its link in the frame whose look it is part of.
  std::string look_of(const Shape& shape, const Pose& X_HL) const {
    std::string out;
    for (const Piece& piece : pieces_of(shape)) {
      const std::string body =
          origin_of(X_HL * shape.X_LS * piece.X_SG) + "<geometry>" + piece.geometry + "</geometry>";
      if (shape.visible) out += "    <visual>" + body + material_of(shape.color) + "</visual>\n";
      if (shape.solid) out += "    <collision>" + body + "</collision>\n";
    }
    return out;
  }

  static std::string material_of(const Color& color) {
    constexpr char kHex[] = "0123456789abcdef";
    std::string name = "rgba_", rgba;
    for (const std::uint8_t c : color) {
      (name += kHex[c >> 4]) += kHex[c & 15];
      rgba += (rgba.empty() ? "" : " ") + text_of(c / 255.0);
    }
    return "<material" + attribute("name", name) + "><color" + attribute("rgba", rgba) + "/></material>";
  }

  std::vector<Piece> pieces_of(const Shape& shape) const {
    const Vec3& s = shape.size;
    switch (shape.kind) {
      case Shape::Kind::kPlane:
        if (s.x <= 0 || s.y <= 0) return {};
        return {box_between({-s.x, -s.y, -kThin}, {s.x, s.y, 0})};
      case Shape::Kind::kSphere: return {{sphere(s.x)}};
      case Shape::Kind::kCapsule:
        return {{cylinder(s.x, s.y)}, {sphere(s.x), {{0, 0, s.y}, {}}}, {sphere(s.x), {{0, 0, -s.y}, {}}}};
      case Shape::Kind::kEllipsoid: return {about_ellipsoid(s)};
      case Shape::Kind::kCylinder: return {{cylinder(s.x, s.y)}};
      case Shape::Kind::kBox: return {{box(s)}};
      case Shape::Kind::kMesh: return pieces_of_mesh(shape.data);
      case Shape::Kind::kTerrain: {
        const Terrain& t = shapes_.terrains[shape.data];
        return {box_between({-t.half_x, -t.half_y, -t.base}, {t.half_x, t.half_y, t.top})};
      }
    }
    return {};
  }

  std::vector<Piece> pieces_of_mesh(std::uint32_t number) const {
    const std::string uri = options_.mesh_uri ? options_.mesh_uri(number) : std::string();
    if (!uri.empty()) return {{"<mesh" + attribute("filename", uri) + "/>"}};
    const Mesh& mesh = shapes_.meshes[number];
    if (mesh.corner_count() == 0) return {};
    return {about(mesh)};
  }

  // --- joints

  struct Hanging {
    std::string name, type, parent, child;
    Pose X_PJ{};
    std::string rest{};  // axis, limit, mimic
  };
  void add_joint(const Hanging& j) {
    add("  <joint" + attribute("name", j.name) + attribute("type", j.type) + ">" + origin_of(j.X_PJ) + "<parent" +
        attribute("link", j.parent) + "/><child" + attribute("link", j.child) + "/>" + j.rest + "</joint>");
  }

  // What is between a link and its parent: its joints, one after the other, each about the origin of what it moves.
  void add_chain(const LinkFrame& frame) {
    const Link& link = shapes_.links[frame.link];
    std::string on = frame.parent;
    Pose X_OL = frame.X_PL;  // of the link in the end of the chain so far, with the joints that follow at their zeros
    for (const LinkJoint& joint : link.joints) {
      const std::size_t needed = joint.type == LinkJoint::Type::kBall ? 4 : 1;
      if (joint.at + needed > model_.joints.size()) continue;
      const bool slides = joint.type == LinkJoint::Type::kSlide;
      const Pose X_LJ{slides ? Vec3{} : joint.anchor, {}}, X_J0 = at_number_zero(joint);
      const bool ends = &joint == &link.joints.back() && X_LJ == Pose();
      Hanging next = moved_by(joint);
      next.parent = on, next.X_PJ = X_OL * X_LJ * X_J0;
      next.child = ends ? link.name : unused(link.name + "__" + next.name, link_names_);
      if (!ends) add("  <link" + attribute("name", next.child) + "/>");
      add_joint(next);
      if (ends) return;
      on = next.child, X_OL = X_LJ.inverse();
    }
    add_joint({unused(link.name + "_fixed", joint_names_), "fixed", on, link.name, X_OL});
  }

  // URDF's joints are in their parents' frame where their number is 0, ours where it is `zero`.
  static Pose at_number_zero(const LinkJoint& joint) {
    switch (joint.type) {
      case LinkJoint::Type::kSlide: return {-joint.zero * joint.axis, {}};
      case LinkJoint::Type::kHinge:
      case LinkJoint::Type::kSteered: return {{}, from_axis_angle(joint.axis, -joint.zero)};
      case LinkJoint::Type::kBall: return {};
    }
    return {};
  }

  Hanging moved_by(const LinkJoint& joint) {
    const std::string& number = model_.joints[joint.at];
    if (joint.type == LinkJoint::Type::kBall)  // "hip:qw"
      return {unused(number.substr(0, number.rfind(':')), joint_names_), "floating", {}, {}};
    Hanging out;
    out.rest = "<axis" + attribute("xyz", text_of(joint.axis)) + "/>";
    const bool first = movers_.insert(joint.at).second;
    out.name = first ? number : unused(number + "_mimic", joint_names_);
    if (!first) out.rest += "<mimic" + attribute("joint", number) + attribute("multiplier", "1") + "/>";
    const auto limit = limit_of(number);
    const bool slides = joint.type == LinkJoint::Type::kSlide;
    out.type = slides ? "prismatic" : limit ? "revolute" : "continuous";
    if (slides || limit) {
      const std::string most = text_of(kUnlimited);
      out.rest += "<limit" + attribute("lower", text_of(limit ? limit->low : -kUnlimited)) +
                  attribute("upper", text_of(limit ? limit->high : kUnlimited)) + attribute("effort", most) +
                  attribute("velocity", most) + "/>";
    }
    return out;
  }

  std::optional<JointLimit> limit_of(const std::string& joint) const {
    for (const JointLimit& limit : options_.limits)
      if (limit.joint == joint) return limit;
    const bool steers = model_.drive == Drive::kAckermann || model_.drive == Drive::kTricycle;
    if (steers && model_.files.empty() && joint == model_.joints.front())
      return JointLimit{joint, -model_.max_steering, model_.max_steering};
    return {};
  }

  const Shapes& shapes_;
  const Model& model_;
  const DescriptionOptions& options_;
  std::set<std::string> joint_names_, link_names_;  // that are taken
  std::set<std::uint32_t> movers_;                  // numbers of the tail that a joint has already
  std::string out_;
};

}  // namespace

std::string robot_description(const Shapes& shapes, const Model& model, const DescriptionOptions& options) {
  return Urdf(shapes, model, options).take();
}

// 80 bytes of header, u32 count, then for each triangle: normal, three corners (floats), u16 0. Little-endian.
Bytes stl_of(const Mesh& mesh) {
  Bytes out(80, 0);
  Writer w(out);
  const auto count = static_cast<std::uint32_t>(mesh.triangle_count());
  w.raw(&count, sizeof count);
  const auto put = [&](const Vec3& v) {
    const float xyz[] = {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
    w.raw(xyz, sizeof xyz);
  };
  for (std::size_t i = 0; i < count; ++i) {
    const auto corners = mesh.triangle(i);
    const Vec3 a = mesh.corner(corners[0]), b = mesh.corner(corners[1]), c = mesh.corner(corners[2]);
    const Vec3 n = cross(b - a, c - a);
    put(norm(n) > 0 ? (1 / norm(n)) * n : Vec3{}), put(a), put(b), put(c);
    constexpr std::uint16_t kNone = 0;
    w.raw(&kNone, sizeof kNone);
  }
  return out;
}

}  // namespace convoy::ros
