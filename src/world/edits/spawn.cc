// Spawn: a new entity of a known model, under a name that is free.
#include "core/nearest.h"
#include "world/edits/edits.h"
#include "world/edits/structure.h"
#include "world/spec_check.h"
#include "world/users_code.h"

namespace convoy::edits {

Status Check::operator()(const Spawn& edit) const {
  const EntitySpec& s = edit.spec;
  if (s.name.empty()) return fail(ErrorCode::kInvalid, "the entity name is empty");
  if (!valid_name(s.name))
    return fail(ErrorCode::kInvalid, "'" + s.name.substr(0, 140) +
                                         "' is no valid name: letters, digits and '_', a letter first, at most 128");
  if (world.find(s.name) != kNoSlot) return fail(ErrorCode::kExists, "an entity named '" + s.name + "' exists already");
  if (!world.model(s.model)) {
    std::vector<std::string> names;
    for (const auto& m : world.models()) names.push_back(m->name);
    const std::string near = nearest_name(s.model, names);
    return fail(ErrorCode::kNotFound,
                "unknown model '" + s.model + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  if (const Model& model = *world.model(s.model); !s.keyframe.empty() && !find_keyframe(model, s.keyframe)) {
    std::vector<std::string> names;
    for (const Model::Keyframe& keyframe : model.keyframes) names.push_back(keyframe.name);
    const std::string near = nearest_name(s.keyframe, names);
    return fail(ErrorCode::kNotFound, "the model '" + s.model + "' has no keyframe '" + s.keyframe.substr(0, 140) +
                                          "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  if (world.entities().size() >= kMaxEntities) return fail(ErrorCode::kUnavailable, "the world is full");
  if (auto ok = check_spec(s); !ok) return ok;
  return check_pose(s.pose);
}

WorldNumber Apply::operator()(const Spawn& edit) const {
  return world.entity(world.append(edit.spec, edit.owner, now)).number;
}

// All but where it runs, and from which files its software is loaded.
std::uint64_t StructureHash::operator()(const Spawn& edit) const {
  Spawn placed_nowhere = edit;
  placed_nowhere.owner = kNobody;
  placed_nowhere.spec.host.clear();
  forget_libraries(placed_nowhere.spec);
  return in_order(before, placed_nowhere);
}

std::vector<WorldNumber> EntitiesOf::operator()(const Spawn&) const { return {}; }
std::vector<WorldNumber> ResetsInside::operator()(const Spawn&) const { return {}; }
bool RestartsRun::operator()(const Spawn&) const { return false; }
bool ChangesImage::operator()(const Spawn&) const { return true; }
const std::string* SpawnedName::operator()(const Spawn& edit) const { return &edit.spec.name; }

}  // namespace convoy::edits
