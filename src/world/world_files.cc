// What a world knows of models' files beside the edits that bring them (edits/add_file.cc).
#include "world/world.h"

namespace convoy {

Status World::check_files_of(const Model& model) const {
  for (const ModelFile& file : model.files)
    if (!files_.count(file.hash))
      return fail(ErrorCode::kNotFound, "model '" + model.name + "': the file '" + file.name + "' is not there");
  return {};
}

}  // namespace convoy
