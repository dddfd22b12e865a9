// A first scenario for a robot's file.
#pragma once

#include <string>

#include "world/model_files.h"

namespace convoy::apps {

// One that `convoy run` takes: the robot on a plain ground, driving around a square if it has wheels. `file`: as a
// scenario in the working folder names it.
std::string scenario_of(const ImportedModel& robot, const std::string& file);

}  // namespace convoy::apps
