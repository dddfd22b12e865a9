#include "physics/mujoco/sdf_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "physics/mujoco/sdf_include.h"

namespace convoy::mujoco {

namespace {

constexpr std::size_t kMaxChain = 150;  // of links, one hanging on the other: as deep as documents may be nested

bool is_among(const std::string& tag, std::initializer_list<const char*> known) {
  return std::any_of(known.begin(), known.end(), [&](const char* k) { return tag == k; });
}

class SceneReader {
 public:
  explicit SceneReader(Losses& losses) : losses_(losses) {}

  Result<SdfScene> read(const Element& parent, bool prefixed) {
    for (const Element& e : parent.children) {
      if (e.tag == "model") {
        scene_.models.push_back({values_.name(e), values_.flag(e, "self_collide", false)});
        model(e, {FrameId::kWorld, prefixed ? e.get("name") + "::" : "", false});
      } else if (e.tag == "frame") {
        scene_.frames.add(FrameKind::kFrame, FrameId::kWorld, values_.name(e), e, values_);
      } else if (e.tag == "joint") {
        joint(e, FrameId::kWorld, "", false);
      } else if (!is_among(e.tag, {"physics", "gravity"})) {
        losses_.add(fmt::format("<{}> is not read", e.tag));
      }
    }
    if (!values_.status()) return tl::unexpected(values_.status().error());
    if (auto ok = scene_.frames.place(); !ok) return tl::unexpected(ok.error());
    for (std::size_t j = 0; j < scene_.joints.size(); ++j) connect(j);
    cut_circles();
    if (!values_.status()) return tl::unexpected(values_.status().error());
    if (auto ok = find_standing(); !ok) return tl::unexpected(ok.error());
    return std::move(scene_);
  }

 private:
  struct Around {
    FrameId scope{};
    std::string prefix;  // of the names inside
    bool is_static = false;
  };

  // The depth of models is bounded by put_in_includes().
  void model(const Element& e, const Around& around) {
    const FrameId id = scene_.frames.add(FrameKind::kModel, around.scope, values_.name(e), e, values_);
    const bool is_static = values_.flag(e, "static", around.is_static) || around.is_static;
    const double version = std::strtod(e.get(kSdfVersion).c_str(), nullptr);
    bool any = false;
    for (const Element& c : e.children) {
      any = any || c.tag == "link" || c.tag == "model";
      if (c.tag == "link") link(c, {id, around.prefix, is_static});
      else if (c.tag == "joint") joint(c, id, around.prefix, version > 0 && version < 1.45);
      else if (c.tag == "frame") scene_.frames.add(FrameKind::kFrame, id, values_.name(c), c, values_);
      else if (c.tag == "model") model(c, {id, around.prefix + values_.name(c) + "::", is_static});
      else if (!is_among(c.tag, {"pose", "static", "self_collide", "allow_auto_disable", "enable_wind"}))
        losses_.add(fmt::format("<{}> is not read", c.tag));
    }
    if (!any) values_.refuse(e, fmt::format("the model '{}' has no <link>", e.get("name")));
  }

  void link(const Element& e, const Around& around) {
    SdfLink out;
    // Converters from URDF once wrote its empty link 'world' too; joints to it hang on the world.
    if (e.get("name") == "world" && !e.child("collision") && !e.child("visual"))
      return losses_.add("an empty link 'world' is the world itself");
    const std::string name = values_.name(e);
    out.element = &e, out.name = around.prefix + name, out.is_static = out.stands = around.is_static;
    out.frame = scene_.frames.add(FrameKind::kLink, around.scope, name, e, values_);
    out.model = scene_.models.size() - 1;
    number_[out.frame] = scene_.links.size();
    scene_.links.push_back(std::move(out));
    for (const Element& c : e.children)
      if (!is_among(c.tag, {"pose", "inertial", "collision", "visual", "gravity", "self_collide", "must_be_base_link",
                            "enable_wind", "velocity_decay", "kinematic"}))
        losses_.add(fmt::format("<{}> is not read", c.tag));
    if (values_.flag(e, "kinematic", false)) losses_.add("a <kinematic> link moves as others do");
  }

  void joint(const Element& e, FrameId scope, const std::string& prefix, bool axis_in_model) {
    SdfJoint out;
    const std::string name = values_.name(e);
    out.element = &e, out.scope = scope, out.prefix = prefix, out.name = prefix + name;
    out.axis_in_model = axis_in_model;
    out.frame = scene_.frames.add(FrameKind::kJoint, scope, name, e, values_);
    scene_.joints.push_back(std::move(out));
    for (const Element& c : e.children)
      if (c.tag == "sensor" || c.tag == "plugin") losses_.add(fmt::format("<{}> is not read", c.tag));
  }

  // The link that <parent> or <child> names; none: the world.
  std::optional<std::size_t> end_of(const SdfJoint& joint, const char* tag) {
    const Element* e = joint.element->child(tag);
    if (!e) return values_.refuse(*joint.element, fmt::format("<joint> has no <{}>", tag)), std::nullopt;
    const FrameId frame = scene_.frames.look_up(joint.scope, e->text, *e, values_);
    const auto link = scene_.frames.link_of(frame);
    if (link) return number_.at(*link);
    return std::nullopt;
  }

  void connect(std::size_t j) {
    SdfJoint& joint = scene_.joints[j];
    const auto parent = end_of(joint, "parent"), child = end_of(joint, "child");
    if (!values_.status()) return;
    if (!child) return values_.refuse(*joint.element, "the <child> of a joint is a link, not the world");
    if (parent == child)
      return values_.refuse(*joint.element, fmt::format("'{}' is its own <parent>", scene_.links[*child].name));
    joint.parent = parent, joint.child = *child;
    if (joint.type() == "gearbox") return losses_.add("a gearbox joint is not read: nothing couples its links");
    SdfLink& link = scene_.links[*child];
    if (link.is_static) return;
    if (link.by) return scene_.loops.push_back(j);
    link.by = j;
    if (parent) scene_.links[*parent].below.push_back(j);
  }

  // Links that hang on each other in a circle: the joint of the first in the file is cut.
  void cut_circles() {
    enum class Seen : char { kNo, kOnTheWay, kYes };
    std::vector<Seen> seen(scene_.links.size(), Seen::kNo);
    for (std::size_t first = 0; first < scene_.links.size(); ++first) {
      std::vector<std::size_t> way;
      std::optional<std::size_t> at = first;
      while (at && seen[*at] == Seen::kNo) {
        seen[*at] = Seen::kOnTheWay, way.push_back(*at);
        const auto by = scene_.links[*at].by;
        at = by ? scene_.joints[*by].parent : std::nullopt;
      }
      if (at && seen[*at] == Seen::kOnTheWay) cut(*std::min_element(std::find(way.begin(), way.end(), *at), way.end()));
      for (const std::size_t link : way) seen[link] = Seen::kYes;
    }
  }

  void cut(std::size_t link) {
    const std::size_t j = *scene_.links[link].by;
    scene_.links[link].by.reset();
    std::erase(scene_.links[*scene_.joints[j].parent].below, j);
    scene_.loops.push_back(j);
  }

  // It, or anything that is fixed to it.
  bool weighs(std::size_t first) const {
    SdfValues values;
    std::vector<std::size_t> todo{first};
    while (!todo.empty()) {
      const SdfLink& link = scene_.links[todo.back()];
      todo.pop_back();
      const Element* inertial = link.element->child("inertial");
      if (!inertial || values.number(*inertial, "mass", 1) != 0 || !values.status()) return true;
      for (const std::size_t j : link.below)
        if (is_rigid(scene_.joints[j])) todo.push_back(scene_.joints[j].child);
    }
    return false;
  }

  Status find_standing() {
    std::vector<std::pair<std::size_t, std::size_t>> todo;  // links whose own `stands` is known, and how deep they hang
    for (std::size_t i = 0; i < scene_.links.size(); ++i) {
      SdfLink& link = scene_.links[i];
      if (link.by && scene_.joints[*link.by].parent) continue;
      link.held = !link.is_static && !link.by && !weighs(i);
      link.stands = link.is_static || link.held || (link.by && is_rigid(scene_.joints[*link.by]));
      todo.emplace_back(i, 1);
    }
    while (!todo.empty()) {
      const auto [i, depth] = todo.back();
      todo.pop_back();
      if (depth > kMaxChain)
        return fail(ErrorCode::kUnsupported,
                    fmt::format("more than {} links hang in a row, up to '{}'", kMaxChain, scene_.links[i].name),
                    scene_.links[i].element->where());
      for (const std::size_t j : scene_.links[i].below) {
        SdfLink& child = scene_.links[scene_.joints[j].child];
        child.stands = scene_.links[i].stands && is_rigid(scene_.joints[j]);
        todo.emplace_back(scene_.joints[j].child, depth + 1);
      }
    }
    return {};
  }

  Losses& losses_;
  SdfValues values_;
  SdfScene scene_;
  std::map<FrameId, std::size_t> number_;  // of a link
};

// Limits that leave no way, as old files fix links.
bool is_held(const SdfJoint& joint) {
  const Element* axis = joint.element->child("axis");
  const Element* limit = axis ? axis->child("limit") : nullptr;
  if (!limit) return false;
  SdfValues values;
  const double lower = values.limit(*limit, "lower", -1e16), upper = values.limit(*limit, "upper", 1e16);
  return std::fabs(lower) < 1e-9 && std::fabs(upper) < 1e-9;
}

}  // namespace

bool is_rigid(const SdfJoint& joint) {
  const std::string type = joint.type();
  if (type == "revolute" || type == "prismatic") return is_held(joint);
  return type != "continuous" && type != "ball" && type != "universal" && type != "revolute2";
}

Result<SdfScene> read_scene(const Element& parent, bool prefixed, Losses& losses) {
  return SceneReader(losses).read(parent, prefixed);
}

}  // namespace convoy::mujoco
