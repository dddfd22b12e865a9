// AddModel: one more model that can be spawned; its files have come before it.
#include "world/edits/edits.h"
#include "world/edits/structure.h"
#include "world/spec_check.h"

namespace convoy::edits {

Status Check::operator()(const AddModel& edit) const {
  if (edit.model.name.empty()) return fail(ErrorCode::kInvalid, "the model name is empty");
  if (world.model(edit.model.name))
    return fail(ErrorCode::kExists, "a model named '" + edit.model.name + "' exists already");
  if (world.models().size() >= kMaxModels) return fail(ErrorCode::kUnavailable, "too many models");
  if (auto ok = convoy::check(edit.model); !ok) return ok;
  return world.check_files_of(edit.model);
}

WorldNumber Apply::operator()(const AddModel& edit) const {
  world.model_by_name_[edit.model.name] = static_cast<std::uint32_t>(world.models_.size());
  world.models_.push_back(std::make_shared<const Model>(edit.model));
  return kNoEntity;
}

std::uint64_t StructureHash::operator()(const AddModel& edit) const { return in_order(before, edit); }

std::vector<WorldNumber> EntitiesOf::operator()(const AddModel&) const { return {}; }
std::vector<WorldNumber> ResetsInside::operator()(const AddModel&) const { return {}; }
bool RestartsRun::operator()(const AddModel&) const { return false; }
bool ChangesImage::operator()(const AddModel&) const { return true; }
const std::string* SpawnedName::operator()(const AddModel&) const { return nullptr; }

}  // namespace convoy::edits
