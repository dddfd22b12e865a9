// What an import leaves out, counted by kind.
#pragma once

#include <map>
#include <string>

#include "world/model_files.h"

namespace convoy::mujoco {

class Losses {
 public:
  void add(const std::string& what) { ++count_[what]; }
  void write(ImportReport& report) const;  // a line for each kind, with how many there are

 private:
  std::map<std::string, int> count_;
};

}  // namespace convoy::mujoco
