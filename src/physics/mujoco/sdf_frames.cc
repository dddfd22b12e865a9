#include "physics/mujoco/sdf_frames.h"

#include <fmt/format.h>

namespace convoy::mujoco {

namespace {

constexpr std::size_t kLongestName = 1000;  // of a frame, with the models around it

constexpr FrameKind kInOrder[] = {FrameKind::kLink, FrameKind::kModel, FrameKind::kFrame, FrameKind::kJoint};

const char* word(FrameKind kind) {
  switch (kind) {
    case FrameKind::kWorld: return "world";
    case FrameKind::kModel: return "model";
    case FrameKind::kLink: return "link";
    case FrameKind::kJoint: return "joint";
    case FrameKind::kFrame: return "frame";
  }
  return "";
}

// SDF 1.5 and 1.6 called it `frame`.
std::string relative_to(const Element& pose) {
  const std::string out = pose.get("relative_to");
  return out.empty() ? pose.get("frame") : out;
}

}  // namespace

SdfFrames::SdfFrames() { all_.emplace_back().placed = true; }

FrameId SdfFrames::add(FrameKind kind, FrameId scope, const std::string& name, const Element& element,
                       SdfValues& values) {
  const FrameId id{all_.size()};
  Frame& f = all_.emplace_back();
  f.kind = kind, f.scope = scope, f.element = &element;
  const auto [same, added] = names_[kind].try_emplace({scope, name}, id);
  if (!added)
    values.refuse(element, fmt::format("there is a {} '{}' already ({}); each needs a <name> of its own", word(kind),
                                       name, at(same->second).element->where()));
  if (kind == FrameKind::kLink || kind == FrameKind::kModel) first_link_.try_emplace(scope, id);
  if (const Element* pose = element.child("pose"); pose && kind != FrameKind::kWorld)
    f.X_PF = values.pose(*pose), f.relative_to = relative_to(*pose);
  return id;
}

std::optional<FrameId> SdfFrames::find(FrameId scope, const std::string& name) const {
  if (name.size() > kLongestName) return {};
  if (name == "__model__" || name == "__root__") return scope;
  if (name == "world") return FrameId::kWorld;
  for (const FrameKind kind : kInOrder) {
    const auto names = names_.find(kind);
    if (names == names_.end()) continue;
    if (const auto found = names->second.find({scope, name}); found != names->second.end()) return found->second;
  }
  const auto models = names_.find(FrameKind::kModel);
  for (std::size_t colon = name.find("::"); colon != std::string::npos && models != names_.end();
       colon = name.find("::", colon + 2)) {
    const std::string first = name.substr(0, colon), rest = name.substr(colon + 2);
    if (const auto model = models->second.find({scope, first}); model != models->second.end())
      return find(model->second, rest);
    // Old files call a model's own links by its name too.
    if (scope != FrameId::kWorld && at(scope).element->get("name") == first) return find(scope, rest);
  }
  return {};
}

FrameId SdfFrames::look_up(FrameId scope, const std::string& name, const Element& where, SdfValues& values) const {
  if (const auto found = find(scope, name)) return *found;
  values.refuse(where,
                fmt::format("<{}>: there is no link, joint, frame or model '{}' in {}", where.tag, name,
                            scope == FrameId::kWorld ? "the world" : "'" + at(scope).element->get("name") + "'"));
  return FrameId::kWorld;
}

// What it moves with.
FrameId SdfFrames::attached_by(FrameId id, SdfValues& values) const {
  const Frame& f = at(id);
  std::string name;
  const Element* where = f.element;
  switch (f.kind) {
    case FrameKind::kWorld: return FrameId::kWorld;
    case FrameKind::kLink: return id;
    case FrameKind::kFrame:
      name = f.element->get("attached_to");
      if (name.empty()) return f.scope;
      break;
    case FrameKind::kJoint:
      where = f.element->child("child");
      if (where) name = where->text;
      if (!where || name.empty()) return values.refuse(*f.element, "<joint> has no <child>"), FrameId::kWorld;
      break;
    case FrameKind::kModel:
      name = f.element->get("canonical_link");
      if (name.empty()) {
        const auto first = first_link_.find(id);
        return first == first_link_.end() ? FrameId::kWorld : first->second;
      }
      return look_up(id, name, *where, values);
  }
  return look_up(f.scope, name, *where, values);
}

std::optional<FrameId> SdfFrames::link_of(FrameId frame) const {
  for (std::size_t steps = 0; steps <= all_.size(); ++steps) {
    if (at(frame).kind == FrameKind::kLink) return frame;
    if (frame == FrameId::kWorld) return {};
    frame = at(frame).attached_to;
  }
  return {};
}

void SdfFrames::join(FrameId id, SdfValues& values) {
  Frame& f = at(id);
  f.attached_to = attached_by(id, values);
  if (!f.relative_to.empty()) f.parent = look_up(f.scope, f.relative_to, *f.element->child("pose"), values);
  else f.parent = f.kind == FrameKind::kJoint || f.kind == FrameKind::kFrame ? f.attached_to : f.scope;
}

// A model whose pose is said for one of its frames instead of for itself.
void SdfFrames::put_by_placement(FrameId model, SdfValues& values) {
  const std::string name = at(model).element->get("placement_frame");
  if (name.empty()) return;
  const FrameId wanted = look_up(model, name, *at(model).element, values);
  Pose X_MF;
  FrameId f = wanted;
  for (std::size_t steps = 0; f != model && steps <= all_.size() && f != FrameId::kWorld; ++steps)
    X_MF = at(f).X_PF * X_MF, f = at(f).parent;
  if (f != model)
    return values.refuse(*at(model).element, fmt::format("the placement_frame '{}' does not stand in the model", name));
  at(model).X_PF = at(model).X_PF * X_MF.inverse();
}

// Upwards until one is placed, then down again: chains may be longer than a stack is deep.
void SdfFrames::place(FrameId id, SdfValues& values) {
  std::vector<FrameId> way;
  for (FrameId f = id; !at(f).placed; f = at(f).parent) {
    if (way.size() > all_.size())
      return values.refuse(*at(id).element, fmt::format("the pose of the {} '{}' goes in a circle: it stands, by way "
                                                        "of others, in itself",
                                                        word(at(id).kind), at(id).element->get("name")));
    way.push_back(f);
  }
  for (; !way.empty(); way.pop_back()) {
    Frame& f = at(way.back());
    f.X_WF = at(f.parent).X_WF * f.X_PF, f.placed = true;
  }
}

Status SdfFrames::place() {
  SdfValues values;
  for (std::size_t i = 1; i < all_.size(); ++i) join(FrameId{i}, values);
  // Inner ones first: the pose of an outer one may be said for a frame of theirs.
  for (std::size_t i = all_.size(); i-- > 1;)
    if (at(FrameId{i}).kind == FrameKind::kModel) put_by_placement(FrameId{i}, values);
  for (std::size_t i = 1; i < all_.size() && values.status(); ++i) place(FrameId{i}, values);
  return values.status();
}

Pose SdfFrames::X_LP(FrameId link, const Element& parent, SdfValues& values) const {
  const Element* pose = parent.child("pose");
  if (!pose) return {};
  const Pose X = values.pose(*pose);
  const std::string frame = relative_to(*pose);
  if (frame.empty()) return X;
  return X_WF(link).inverse() * X_WF(look_up(at(link).scope, frame, *pose, values)) * X;
}

}  // namespace convoy::mujoco
