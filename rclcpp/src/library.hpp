// Shared libraries of components: loading them, and which of the registered components are theirs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "convoy/result.h"
#include "convoy_ros/job.hpp"
#include "os/loaded_files.h"
#include "rclcpp_components/register_node_macro.hpp"

namespace convoy::ros {

class Library {
 public:
  // A path; without a slash, in the current folder. It stays loaded for good.
  static Result<Library> open(const std::string& path);
  // Null: no such component here.
  rclcpp_components::NodeFactory* find(const std::string& type) const;
  std::vector<std::string> types() const;  // in order of the alphabet
  void* symbol(const char* name) const;    // null: none
  // Its own file and those that it needs.
  std::vector<os::LoadedFile> files() const;

 private:
  explicit Library(void* handle) : handle_(handle) {}
  bool holds(const rclcpp_components::NodeFactory& factory) const;
  void* handle_;
};

// A path, not a package: it has a slash, or ends in .so.
bool is_path(const std::string& library);

// Convoy's own components, those of the package `convoy`: beside the library that this code is in.
inline constexpr const char* kComponents = "libconvoy_components.so";
// The folder of the library that this code is in.
std::string own_folder();
// A component's class, by the path of its library or by its package. The library's name does not depend on the machine:
// as the component has it, or "package/libname.so".
struct FoundComponent {
  rclcpp_components::NodeFactory* factory = nullptr;
  Library library;
  std::string library_name;
};
// Asked before a library that is named by its path is loaded: the file to load. Empty: all may be.
using Admit = std::function<Result<std::string>(const std::string& path)>;
Result<FoundComponent> find_component_class(const Component& component, const std::vector<std::string>& prefixes,
                                            const Admit& admit = {});
Result<rclcpp_components::NodeFactory*> find_factory(const Component& component,
                                                     const std::vector<std::string>& prefixes);

// Of several, in their order.
Result<std::vector<rclcpp_components::NodeFactory*>> find_factories(const std::vector<Component>& components,
                                                                    const std::vector<std::string>& prefixes,
                                                                    const Admit& admit = {});
// ROS arguments as a command line has them.
std::vector<std::string> ros_args(const std::vector<std::string>& words);
// The component's node, in the simulation that is the current one; its constructor is watched, and what it throws is an
// error that names it.
Result<rclcpp_components::NodeInstanceWrapper> make_node(Simulation& simulation,
                                                         rclcpp_components::NodeFactory& factory,
                                                         const Component& component);

// Calls make(i) for each of so many nodes, each on a stack of the simulation's graph: one that blocks goes on in the run,
// which what is wrong then ends, and the next one is made. How many are left to come; what they refer to must stay.
Result<std::size_t> make_on_stacks(Simulation& simulation, std::size_t count, std::function<Status(std::size_t)> make);
// Nothing more will happen to these nodes by itself: an error if one of them waits for a lock, a thread or a sign then.
Status nobody_waits_in_vain(Simulation& simulation);
// The end of them, once shutdown() was called: callbacks and threads that are in the middle, then the nodes, by `drop`. False:
// threads remain, which is said; what they may touch must stay until the process ends, which it then does without taking
// anything down.
bool finish_nodes(Simulation& simulation, const std::function<void()>& drop);

}  // namespace convoy::ros
