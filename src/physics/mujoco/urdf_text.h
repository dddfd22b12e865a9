// Rows of numbers in a URDF, as people write them and other readers take them.
#pragma once

#include <optional>
#include <string>

#include "physics/mujoco/document.h"
#include "world/model_files.h"

namespace convoy::mujoco {

// Commas between numbers, a fourth number of three, an element that may stand once and stands twice (the first counts):
// mended, and listed. MuJoCo refuses what is left.
void mend_text(Element& root, ImportReport& report);

// The number that an attribute is; none: it is missing, or no finite number.
std::optional<double> number_in(const Element& e, const char* attribute);

// Names, the first few of them: "'a', 'b' and 3 more".
std::string listed(const std::vector<std::string>& names);

}  // namespace convoy::mujoco
