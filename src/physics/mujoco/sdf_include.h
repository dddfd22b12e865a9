// The models that an SDF includes, put in the place of their <include>.
#pragma once

#include <string>
#include <vector>

#include "physics/mujoco/sdf_values.h"

namespace convoy::mujoco {

// The attribute that says by which version of SDF a <model> is written: an included one may have another.
inline constexpr const char* kSdfVersion = "convoy:sdf_version";

struct SdfPlaces {
  const FileReader& read;
  const std::vector<std::string>& roots;  // in which model:// is searched for, after the folders around the document
};

// `root` is an <sdf>; afterwards no <include> is in it, and each <model> has its version. What is included but cannot
// be found is an error that lists the paths tried, except for Gazebo's own sun and ground.
Status put_in_includes(Element& root, const SdfPlaces& places, Losses& losses, ImportReport& report);

}  // namespace convoy::mujoco
