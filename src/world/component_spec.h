// A robot's software, as a scenario describes it.
#pragma once

#include <string>
#include <vector>

#include "core/fields.h"

namespace convoy {

// A node of an agent's software: a component of a shared library. Without library and class it is a whole
// program with its own main(), which joins the run under the agent's name.
struct ComponentSpec {
  std::string library;                 // a package of an ament index, or the path of a shared library
  std::string type;                    // "demo::Talker"
  std::vector<std::string> arguments;  // ROS arguments of this node alone, without --ros-args
  friend bool operator==(const ComponentSpec&, const ComponentSpec&) = default;
};
template <class V, MaybeConst<ComponentSpec> T>
void fields(V& v, T& c) {
  v("library", c.library), v("type", c.type), v("arguments", c.arguments);
}

struct ComponentList {
  std::vector<ComponentSpec> all;
};
template <class V, MaybeConst<ComponentList> T>
void fields(V& v, T& l) {
  v("all", l.all);
}

inline constexpr std::size_t kMaxComponents = 1'000;  // of one agent

inline bool is_joining_program(const ComponentSpec& c) { return c.type.empty(); }
inline bool joins(const std::vector<ComponentSpec>& components) {
  return components.size() == 1 && is_joining_program(components[0]);
}

}  // namespace convoy
