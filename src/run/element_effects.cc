#include "run/element_effects.h"

#include <algorithm>

namespace convoy {

namespace {

Message message_of(bool gone, const InsideElement& element) {
  Message out;
  out.topic = kElementTopic;
  out.payload = save(ElementNews{gone, element});
  return out;
}

}  // namespace

std::string body_name(const std::string& owner, ElementId id) {
  std::string name = "element_" + owner + "_" + std::to_string(id.value());
  for (char& c : name)
    if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z')) c = '_';
  return name;
}

Message ElementEffects::take(const ElementChanged& change) {
  InsideElement element{change.owner, change.id, {}, 0, {}, {}};
  const std::pair key{change.owner, change.id};
  if (change.kind == ElementChanged::Kind::kGone || !change.reach.inside()) {
    inside_.erase(key);
    return message_of(true, element);
  }
  element.type = change.type, element.stamp = change.stamp, element.bytes = change.bytes, element.reach = change.reach;
  Message out = message_of(false, element);
  inside_[key] = std::move(element);
  return out;
}

std::vector<Message> ElementEffects::all() const {
  std::vector<Message> out;
  for (const auto& [key, element] : inside_) out.push_back(message_of(false, element));
  return out;
}

const std::string* ElementEffects::model_of(const ElementChanged& change) const {
  const auto shape =
      std::find_if(shapes_.begin(), shapes_.end(), [&](const ElementShape& s) { return s.type == change.type; });
  return shape == shapes_.end() ? nullptr : &shape->model;
}

std::vector<Edit> ElementEffects::body(const ElementChanged& change, const World& world, const PoseOf& pose_of) const {
  const std::string* model = model_of(change);
  if (!model) return {};
  const std::string name = body_name(change.owner, change.id);
  const Slot slot = world.find(name);
  const ElementReach& reach = change.reach;
  const Slot parent = reach.parent.empty() ? kNoSlot : world.find(reach.parent);
  const bool by_itself = parent != kNoSlot && parent == slot;
  std::optional<Pose> pose;
  if (change.kind != ElementChanged::Kind::kGone && !by_itself) pose = place_of(reach, world, pose_of);
  std::vector<Edit> out;
  if (!pose) {
    if (slot != kNoSlot) out.push_back(Delete{world.entity(slot).number});
    return out;
  }
  WorldNumber number = world.next_number();
  if (slot == kNoSlot) {
    Spawn spawn;
    spawn.spec.name = name, spawn.spec.model = *model, spawn.spec.pose = *pose;
    out.push_back(std::move(spawn));
    out.push_back(Freeze{number});  // no host shall run it
  } else {
    number = world.entity(slot).number;
    const Entity& body = world.entity(slot);
    const WorldNumber carrier = parent == kNoSlot ? kNoEntity : world.entity(parent).number;
    if (carrier != kNoEntity && body.parent == carrier && body.X_PC == reach.pose.value_or(Pose{})) return out;
    if (body.parent != kNoEntity) out.push_back(Detach{number});
    out.push_back(SetState{number, *pose, {}, false});
  }
  if (parent != kNoSlot) out.push_back(Attach{world.entity(parent).number, number});
  return out;
}

}  // namespace convoy
