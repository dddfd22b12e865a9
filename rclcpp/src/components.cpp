#include "rclcpp_components/register_node_macro.hpp"

#include <algorithm>

namespace rclcpp_components {
namespace {

// Made by the first registration, never destroyed: libraries may be unloaded after the end of main().
std::vector<const Registration*>& registrations() {
  static auto* all = new std::vector<const Registration*>;
  return *all;
}

}  // namespace

Registration::Registration(const char* class_name, NodeFactory& factory) : class_name_(class_name), factory_(&factory) {
  registrations().push_back(this);
}
Registration::~Registration() { std::erase(registrations(), this); }

const std::vector<const Registration*>& registered() { return registrations(); }

NodeFactory* find_component(const std::string& class_name) {
  for (const Registration* one : registrations())
    if (one->class_name() == class_name) return &one->factory();
  return nullptr;
}

std::vector<std::string> component_names() {
  std::vector<std::string> names;
  for (const Registration* one : registrations()) names.push_back(one->class_name());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace rclcpp_components
