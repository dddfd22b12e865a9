#include "library.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "convoy_ros/simulation.hpp"
#include "late.hpp"
#include "os/float_mode.h"
#include "thread_order.hpp"

namespace convoy::ros {
namespace {

using rclcpp_components::NodeFactory;

constexpr const char* kIndex = "share/ament_index/resource_index/rclcpp_components/";

constexpr std::string_view kOwnPackage = "convoy";  // whatever an index lists

std::string list(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out.empty() ? "none" : out;
}

// Lines "demo::Talker;lib/libtalkers.so" of a package; the library's path is relative to the prefix.
Result<std::string> library_in_index(const Component& component, const std::vector<std::string>& prefixes) {
  for (const std::string& prefix : prefixes) {
    const std::string file = prefix + "/" + kIndex + component.library;
    std::ifstream in(file);
    if (!in) continue;
    std::vector<std::string> types;
    std::size_t number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (line.empty()) continue;
      const std::size_t semicolon = line.find(';');
      if (semicolon == line.npos || semicolon == 0 || semicolon + 1 == line.size())
        return fail(ErrorCode::kInvalid, "no line of Class;library", file + ":" + std::to_string(number));
      const std::string library = line.substr(semicolon + 1);
      types.push_back(line.substr(0, semicolon));
      if (types.back() == component.type) return library[0] == '/' ? library : prefix + "/" + library;
    }
    return fail(ErrorCode::kNotFound, "package '" + component.library + "' has no component '" + component.type +
                                          "'; it has: " + list(types));
  }
  return fail(ErrorCode::kNotFound, "no package '" + component.library + "' with components in AMENT_PREFIX_PATH (" +
                                        list(prefixes) + "); a library is named by its path");
}

}  // namespace

bool is_path(const std::string& library) {
  return library.find('/') != library.npos || std::filesystem::path(library).extension() == ".so";
}

Result<Library> Library::open(const std::string& path) {
  // Local: two libraries may have functions of the same name.
  void* handle = dlopen((path.find('/') == path.npos ? "./" + path : path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return fail(ErrorCode::kNotFound, dlerror());
  if (os::restore_float_mode())
    std::fprintf(
        stderr,
        "[WARN] [convoy]: %s changes how floating point rounds, or flushes denormals to zero, when it is loaded "
        "(linked with -ffast-math?): it is put back\n",
        path.c_str());
  if (is_late())
    if (const std::string means = makes_threads_by(handle); !means.empty())
      return fail(ErrorCode::kUnsupported,
                  "it makes threads (" + means +
                      "), and this program has loaded Convoy too late to bring them into an "
                      "order: link the program to convoy_rclcpp, or begin it with LD_PRELOAD=" +
                      own_folder() + "/libconvoy_rclcpp.so",
                  path);
  return Library(handle);
}

bool Library::holds(const NodeFactory& factory) const {
  link_map* map = nullptr;
  Dl_info info{};
  return dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0 && dladdr(&factory, &info) != 0 &&
         info.dli_fname == std::string(map->l_name);
}

NodeFactory* Library::find(const std::string& type) const {
  for (const rclcpp_components::Registration* one : rclcpp_components::registered())
    if (one->class_name() == type && holds(one->factory())) return &one->factory();
  return nullptr;
}

std::vector<std::string> Library::types() const {
  std::vector<std::string> out;
  for (const rclcpp_components::Registration* one : rclcpp_components::registered())
    if (holds(one->factory())) out.push_back(one->class_name());
  std::sort(out.begin(), out.end());
  return out;
}

void* Library::symbol(const char* name) const { return dlsym(handle_, name); }

std::vector<os::LoadedFile> Library::files() const { return os::files_of_library(handle_); }

std::string own_folder() {
  static const char here = 0;
  Dl_info info{};
  if (dladdr(&here, &info) == 0) return ".";
  return std::filesystem::absolute(info.dli_fname).parent_path().string();
}

Result<NodeFactory*> find_factory(const Component& component, const std::vector<std::string>& prefixes) {
  auto found = find_component_class(component, prefixes);
  return found ? Result<NodeFactory*>(found->factory) : tl::unexpected(found.error());
}

Result<FoundComponent> find_component_class(const Component& component, const std::vector<std::string>& prefixes,
                                            const Admit& admit) {
  std::string path = component.library, name = component.library;
  if (!is_path(path)) {
    auto found = component.library == kOwnPackage ? Result<std::string>(own_folder() + "/" + kComponents)
                                                  : library_in_index(component, prefixes);
    if (!found) return tl::unexpected(found.error());
    path = std::move(*found);
    name += "/" + std::filesystem::path(path).filename().string();
  } else if (admit) {
    auto real = admit(path);
    if (!real) return tl::unexpected(real.error());
    path = std::move(*real);  // what was asked about, wherever the path leads by now
  }
  auto library = Library::open(path);
  if (!library) return tl::unexpected(library.error());
  NodeFactory* factory = library->find(component.type);
  if (!factory)
    return fail(ErrorCode::kNotFound,
                "no component '" + component.type + "'; the library has: " + list(library->types()), path);
  return FoundComponent{factory, *library, std::move(name)};
}

Result<std::vector<NodeFactory*>> find_factories(const std::vector<Component>& components,
                                                 const std::vector<std::string>& prefixes, const Admit& admit) {
  std::vector<NodeFactory*> factories;
  for (const Component& component : components) {
    auto found = find_component_class(component, prefixes, admit);
    if (!found) return tl::unexpected(found.error());
    factories.push_back(found->factory);
  }
  return factories;
}

std::vector<std::string> ros_args(const std::vector<std::string>& words) {
  std::vector<std::string> out{"--ros-args"};
  out.insert(out.end(), words.begin(), words.end());
  return out;
}

Result<rclcpp_components::NodeInstanceWrapper> make_node(Simulation& simulation, NodeFactory& factory,
                                                         const Component& component) {
  const Watched::Work making(simulation.watched(), simulation.keep(component.type + ": constructor"));
  try {
    auto made = factory.create_node_instance(rclcpp::NodeOptions().arguments(ros_args(component.arguments)));
    restore_float_mode(simulation, component.type + ": constructor");
    if (const std::string trouble = simulation.watched().threads()->settle(); !trouble.empty())
      return fail(ErrorCode::kState, trouble);
    return made;
  } catch (const std::exception& e) {
    const std::string trouble = simulation.watched().threads()->trouble();  // what was thrown may follow from that
    if (!trouble.empty()) return fail(ErrorCode::kState, trouble);
    return fail(ErrorCode::kInvalid, e.what(), component.type);
  }
}

Result<std::size_t> make_on_stacks(Simulation& simulation, std::size_t count, std::function<Status(std::size_t)> make) {
  struct Making {
    std::function<Status(std::size_t)> make;
    std::size_t left;
    Status outcome;
    bool late = false;
  };
  const auto making = std::make_shared<Making>(Making{std::move(make), count, {}});
  for (std::size_t i = 0; i < count && making->outcome; ++i)
    simulation.graph().stacks().run([&simulation, making, i] {
      const Status made = making->make(i);
      --making->left;
      simulation.find_topics_again();  // who waits for what it offers
      if (!made && making->outcome) making->outcome = made;
      if (!made && making->late) simulation.graph().stop(made.error());
    });
  making->late = true;
  if (!making->outcome) return tl::unexpected(making->outcome.error());
  return making->left;
}

Status nobody_waits_in_vain(Simulation& simulation) {
  const std::string text = ThreadOrder::of(simulation).waits().deadlock();
  return text.empty() ? Status() : fail(ErrorCode::kState, text);
}

bool finish_nodes(Simulation& simulation, const std::function<void()>& drop) {
  ThreadOrder& order = ThreadOrder::of(simulation);
  if (!order.used()) {
    simulation.unwind();
    drop();
    return true;
  }
  const std::string rest = order.finish(drop);
  if (rest.empty()) return true;
  std::fprintf(stderr, "convoy: at the end there remain: %s\n", rest.c_str());
  static const int once = on_exit(
      [](int code, void*) {
        std::fflush(nullptr);
        _exit(code);
      },
      nullptr);
  (void)once;
  return false;
}

}  // namespace convoy::ros
