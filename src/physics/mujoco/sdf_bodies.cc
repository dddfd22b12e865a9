#include "physics/mujoco/sdf_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "physics/mujoco/numbers.h"
#include "physics/mujoco/sdf_inertia.h"

namespace convoy::mujoco {

namespace {

constexpr double kNoLimit = 1e15;   // SDF's "none" is 1e16
constexpr double kFarthest = 1e4;   // rad or m; the other limit of a joint that has one
constexpr double kLeastWay = 1e-4;  // rad or m; between a joint's limits
constexpr std::size_t kMaxExcludes = 20'000;

bool is_solid(const Element& geom) { return geom.tag == "geom" && geom.get("contype") != "0"; }

}  // namespace

Status SdfBodies::add_to(Element& world) {
  solid_.assign(scene_.links.size(), false);
  for (std::size_t i = 0; i < scene_.links.size() && values_.status(); ++i) {
    const SdfLink& link = scene_.links[i];
    if (link.by && scene_.joints[*link.by].parent) continue;
    Element made = body(i, {});
    for (Element& plane : planes_) world.children.push_back(std::move(plane));
    planes_.clear();
    world.children.push_back(std::move(made));
  }
  return values_.status();
}

// The recursion is as deep as a chain of links may be (read_scene).
Element SdfBodies::body(std::size_t i, const Pose& X_WP) {
  const SdfLink& link = scene_.links[i];
  const Pose& X_WB = scene_.frames.X_WF(link.frame);
  Element out = made_from(*link.element, "body");
  out.set("name", link.name);
  put_pose(out, X_WP.inverse() * X_WB);
  if (!values_.flag(*link.element, "gravity", true)) out.set("gravcomp", "1");
  if (link.held)
    report_.made.push_back(
        fmt::format("the link '{}' stands: it weighs nothing, and nothing else holds it", link.name));
  if (link.by) joints(scene_.joints[*link.by], X_WB, out);
  else if (!link.stands) out.children.push_back(made_from(*link.element, "freejoint"));
  const Element* inertia = link.element->child("inertial");
  const bool weighs = inertia && (inertia->get("auto") == "true" || inertia->get("auto") == "1");
  if (!weighs && !link.stands) inertial(link, out);
  for (Element& geom : shapes_.of(link, {}, weighs && !link.stands, values_)) {
    if (geom.get("type") != "plane") {
      solid_[i] = solid_[i] || is_solid(geom);
      out.children.push_back(std::move(geom));
      continue;
    }
    // The world's own: a level one at height 0 is everybody's ground.
    Element frame = made_from(geom, "frame");
    put_pose(frame, X_WB);
    frame.children.push_back(std::move(geom));
    planes_.push_back(std::move(frame));
  }
  for (const std::size_t j : link.below)
    if (values_.status()) out.children.push_back(body(scene_.joints[j].child, X_WB));
  return out;
}

void SdfBodies::inertial(const SdfLink& link, Element& body) {
  const Element* e = link.element->child("inertial");
  double mass = 1;
  Pose X_BI;
  Inertia inertia{1, 1, 1, 0, 0, 0};  // SDF's own
  if (e) {
    mass = values_.number(*e, "mass", 1);
    if (mass < 0) return values_.refuse(*e, "<mass> must not be below 0");
    if (const Element* pose = e->child("pose")) X_BI = values_.pose(*pose);
    if (const Element* i = e->child("inertia")) {
      const char* tags[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
      for (std::size_t at = 0; at < 6; ++at) inertia[at] = values_.number(*i, tags[at], inertia[at]);
    }
  }
  if (mass == 0) return;  // MuJoCo says so if that cannot be
  Element out = made_from(e ? *e : *link.element, "inertial");
  out.set("mass", fmt::format("{}", mass)), out.set("pos", text_of(X_BI.p));
  inertia = turned(inertia, X_BI.q);
  switch (repair(inertia, mass)) {
    case InertiaState::kSound: break;
    case InertiaState::kThickened:
      losses_.add("an <inertia> is that of a point or a line: that of a millimetre is added");
      break;
    case InertiaState::kEvened:
      losses_.add("an <inertia> is no body's: a moment exceeds the sum of the others; their mean is used");
      break;
    case InertiaState::kNone:
      if (!link.by || !is_rigid(scene_.joints[*link.by]))
        return values_.refuse(
            e ? *e : *link.element,
            fmt::format("the <inertia> of the link '{}' is no body's: a moment is below 0", link.name));
      out.set("diaginertia", "0 0 0");
      return body.children.push_back(std::move(out));
  }
  const auto& i = inertia;
  out.set("fullinertia", fmt::format("{} {} {} {} {} {}", i[0], i[1], i[2], i[3], i[4], i[5]));
  body.children.push_back(std::move(out));
}

void SdfBodies::joints(const SdfJoint& j, const Pose& X_WB, Element& body) {
  const std::string type = j.type();
  if (type.empty()) return values_.refuse(*j.element, "<joint> has no type");
  if (type == "fixed") return;
  if (is_rigid(j)) {
    if (type == "revolute" || type == "prismatic")
      return report_.made.push_back(fmt::format("the joint '{}' holds its link: both its limits are 0", j.name));
    return losses_.add(fmt::format("a joint of type '{}' is not read: it holds its link", type));
  }
  if (type == "ball") {
    Element out = made_from(*j.element, "joint");
    out.set("name", j.name), out.set("type", "ball");
    out.set("pos", text_of((X_WB.inverse() * scene_.frames.X_WF(j.frame)).p));
    return body.children.push_back(std::move(out));
  }
  joint(j, X_WB, "axis", j.name, type == "prismatic", body);
  if (type == "universal" || type == "revolute2") joint(j, X_WB, "axis2", j.name + "_2", false, body);
}

void SdfBodies::joint(const SdfJoint& j, const Pose& X_WB, const char* which, const std::string& name, bool slides,
                      Element& body) {
  const Pose &X_WJ = scene_.frames.X_WF(j.frame), X_BW = X_WB.inverse();
  Element out = made_from(*j.element, "joint");
  out.set("name", name), out.set("type", slides ? "slide" : "hinge");
  out.set("pos", text_of((X_BW * X_WJ).p));
  Vec3 direction{0, 0, 1};
  Quat q_WA = X_WJ.q;
  Servo servo{name, !slides, 0};
  const Element* axis = j.element->child(which);
  if (axis) {
    const Element* xyz = axis->child("xyz");
    if (xyz) direction = values_.vector(*xyz);
    if (xyz && norm(direction) < 1e-9) return values_.refuse(*xyz, "the <xyz> of an axis is 0");
    const std::string frame = xyz ? xyz->get("expressed_in") : "";
    if (xyz && !frame.empty()) q_WA = scene_.frames.X_WF(scene_.frames.look_up(j.scope, frame, *xyz, values_)).q;
    else if (values_.flag(*axis, "use_parent_model_frame", j.axis_in_model)) q_WA = scene_.frames.X_WF(j.scope).q;
    const Element* limit = axis->child("limit");
    if (limit && limits(*limit, j.type() != "continuous", out, servo.effort)) servo.turns = false;
    dynamics(*axis, out);
  }
  out.set("axis", text_of(rotate(X_BW.q, rotate(q_WA, direction))));
  body.children.push_back(std::move(out));
  if (const Element* mimic = axis ? axis->child("mimic") : nullptr) {
    const std::string of = mimic->get("joint");
    if (of.empty()) return values_.refuse(*mimic, "<mimic> names no joint");
    const double multiplier = values_.number(*mimic, "multiplier", 1);
    const double offset = values_.number(*mimic, "offset", 0) - multiplier * values_.number(*mimic, "reference", 0);
    mimics_.push_back({name, j.prefix + of + (mimic->get("axis") == "axis2" ? "_2" : ""), offset, multiplier});
  } else if (servo.effort >= 0) {
    servos_.push_back(std::move(servo));
  }
}

// True: it has some. `effort` becomes -1 for a joint that nothing may move.
bool SdfBodies::limits(const Element& limit, bool bounded, Element& out, double& effort) {
  const double most = values_.limit(limit, "effort", -1);
  effort = most == 0 ? -1 : most > 0 && most < kNoLimit ? most : 0;
  const double velocity = values_.limit(limit, "velocity", -1);
  if (velocity >= 0 && velocity < kNoLimit) losses_.add("a joint's velocity limit is not kept");
  double lower = values_.limit(limit, "lower", -1e16), upper = values_.limit(limit, "upper", 1e16);
  if (lower > upper) return values_.refuse(limit, "<lower> is above <upper>"), false;
  if (!bounded || (lower <= -kNoLimit && upper >= kNoLimit)) return false;
  lower = std::max(lower, -kFarthest), upper = std::min(upper, kFarthest);
  if (upper - lower < kLeastWay) lower -= kLeastWay / 2, upper += kLeastWay / 2;
  if (lower >= upper) return values_.refuse(limit, "these limits are too far away"), false;
  out.set("range", fmt::format("{} {}", lower, upper));
  return true;
}

void SdfBodies::dynamics(const Element& axis, Element& out) {
  const Element* e = axis.child("dynamics");
  if (!e) return;
  for (const auto& [tag, attribute] :
       {std::pair{"damping", "damping"}, {"friction", "frictionloss"}, {"spring_stiffness", "stiffness"}}) {
    const double value = values_.number(*e, tag, 0);
    if (value < 0) values_.refuse(*e, fmt::format("<{}> must not be below 0", tag));
    if (value > 0) out.set(attribute, fmt::format("{}", value));
  }
  if (const double rest = values_.number(*e, "spring_reference", 0); rest != 0)
    out.set("springref", fmt::format("{}", rest));
}

void SdfBodies::add_loops(Element& equality) {
  for (const std::size_t number : scene_.loops) {
    const SdfJoint& j = scene_.joints[number];
    const SdfLink& child = scene_.links[j.child];
    const bool rigid = is_rigid(j);
    if (j.type() == "prismatic" && !rigid) {
      losses_.add("a prismatic joint that closes a loop is not read: nothing holds its link there");
      continue;
    }
    Element out = made_from(*j.element, rigid ? "weld" : "connect");
    out.set("name", j.name), out.set("body1", child.name);
    if (j.parent) out.set("body2", scene_.links[*j.parent].name);
    if (!rigid) {
      out.set("anchor", text_of((scene_.frames.X_WF(child.frame).inverse() * scene_.frames.X_WF(j.frame)).p));
      losses_.add("a joint that closes a loop is a point that holds two links together: no axis, limits or motor");
    }
    equality.children.push_back(std::move(out));
  }
}

void SdfBodies::add_excludes(Element& contact) {
  std::vector<std::vector<std::size_t>> of_model(scene_.models.size());
  for (std::size_t i = 0; i < scene_.links.size(); ++i)
    if (solid_[i] && !scene_.models[scene_.links[i].model].self_collide) of_model[scene_.links[i].model].push_back(i);
  std::size_t pairs = 0;
  for (const auto& links : of_model) pairs += links.size() * (links.size() - 1) / 2;
  if (pairs > kMaxExcludes)
    return losses_.add(fmt::format("links of one model touch each other: there are more than {} pairs", kMaxExcludes));
  for (const auto& links : of_model)
    for (std::size_t a = 0; a < links.size(); ++a)
      for (std::size_t b = a + 1; b < links.size(); ++b) {
        const SdfLink &one = scene_.links[links[a]], &two = scene_.links[links[b]];
        if (one.stands && two.stands) continue;
        Element out = made_from(*one.element, "exclude");
        out.set("body1", one.name), out.set("body2", two.name);
        contact.children.push_back(std::move(out));
      }
}

}  // namespace convoy::mujoco
