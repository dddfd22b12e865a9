// A user's robot file, MJCF, URDF or SDF, as a model that travels: one MJCF document and its assets, and what Convoy
// knows of it.
//
//   auto robot = import_model("robots/arm/scene.xml", {.read = read_file});
//   robot->model.joints, robot->report
//
// Only the caller's file system is asked, through `read`; the hosts that run the model get bytes. docs/mujoco.md states
// what an import does, and the report lists what it did.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "physics/mujoco/document.h"
#include "world/engine_options.h"
#include "world/ground.h"
#include "world/inertia_rule.h"
#include "world/model_files.h"

namespace convoy::mujoco {

struct ImportOptions {
  FileReader read;
  std::vector<std::string> roots;  // folders in which package:// and meshes are searched for, after the document's own
  std::string name;                // of the model; empty: of the file
  // Joints that a twist turns, where the document does not specify it itself.
  std::vector<std::string> left_wheels, right_wheels;
  Ground ground = Ground::kAuto;
  InertiaRule inertia = InertiaRule::kRepair;  // of a URDF
  EngineOptions options{};                     // in place of the document's own
};

// Puts them into an MJCF document.
void override_options(Element& mjcf, const EngineOptions& options);

Result<ImportedModel> import_model(const std::string& path, const ImportOptions& options);

// A model that came from elsewhere, made anew from its document: what its sender says of its joints, its size and its
// speed is not believed, and it gets no file but its own.
Result<ImportedModel> import_again(const Model& model, const ModelFiles& files);

// An error of MuJoCo's about a line of the text, with the user's file and line.
Error explained(const Error& error, const Text& text, const std::string& path);

// "turtlebot3_burger_xml" of "models/turtlebot3_burger.xml".
std::string model_name_of(const std::string& path);

}  // namespace convoy::mujoco
