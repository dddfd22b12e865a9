// The different classes among components: what a machine must have to run them, whatever their arguments.
#pragma once

#include <set>
#include <utility>

#include "world/component_spec.h"

namespace convoy {

class ComponentClasses {
 public:
  // True: a class that was not there yet. A program that joins has none.
  bool add(const ComponentSpec& c) {
    if (is_joining_program(c) || !known_.emplace(c.library, c.type).second) return false;
    all_.push_back({c.library, c.type, {}});
    return true;
  }
  void add(const std::vector<ComponentSpec>& components) {
    for (const ComponentSpec& c : components) add(c);
  }
  const std::vector<ComponentSpec>& all() const { return all_; }  // without arguments, in the order of add()

 private:
  std::set<std::pair<std::string, std::string>> known_;
  std::vector<ComponentSpec> all_;
};

}  // namespace convoy
