#include "convoy_demo_plugins/filter.hpp"
#include "pluginlib/class_list_macros.hpp"

namespace convoy_demo_plugins {

class Negated : public Filter {
 public:
  double filtered(double value) override { return -value; }
};

class Accumulated : public Filter {
 public:
  double filtered(double value) override { return sum_ += value; }

 private:
  double sum_ = 0;
};

}  // namespace convoy_demo_plugins

PLUGINLIB_EXPORT_CLASS(convoy_demo_plugins::Negated, convoy_demo_plugins::Filter)
PLUGINLIB_EXPORT_CLASS(convoy_demo_plugins::Accumulated, convoy_demo_plugins::Filter)
