// What a world knows of models' files beside the edits that bring them (edits/add_file.cc).
#include "world/world.h"

namespace convoy {

std::optional<ControlSource> control_source_of(std::string_view name) {
  for (std::size_t i = 0; i < kControlSources; ++i)
    if (kControlSourceNames[i] == name) return static_cast<ControlSource>(i);
  return {};
}

void forget_scene(Setup& setup) {
  Bytes().swap(setup.map.cells);  // "= {}" would keep the memory
  std::vector<Bytes>().swap(setup.files);
  std::vector<EntitySpec>().swap(setup.entities);
}

Status World::check_files_of(const Model& model) const {
  for (const ModelFile& file : model.files)
    if (!files_.count(file.hash))
      return fail(ErrorCode::kNotFound, "model '" + model.name + "': the file '" + file.name + "' is not there");
  return model_check_ ? model_check_(model, files_) : Status{};
}

}  // namespace convoy
