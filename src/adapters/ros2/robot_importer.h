// Reads robots' descriptions for who brings them. How, and in which thread or process, is not known here: it takes a while.
#pragma once

#include <functional>
#include <string>

#include "world/model_files.h"

namespace convoy::ros2 {

// URDF, MJCF or SDF: the text itself, or else a file on this machine.
struct RobotDescription {
  std::string text;
  std::string file;        // of a text: the name that it would have, whose suffix is that of its format
  std::string model_name;  // empty: by the file's
};

class RobotImporter {
 public:
  using Imported = std::function<void(const Result<ImportedModel>&)>;
  virtual ~RobotImporter() = default;
  // `imported` is called once, by a later proceed(), with Errors as world/model_files.h's importers have them.
  virtual void import(RobotDescription what, Imported imported) = 0;
  virtual void proceed() = 0;
};

}  // namespace convoy::ros2
