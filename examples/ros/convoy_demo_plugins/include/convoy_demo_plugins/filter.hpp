// What plugins do: a value out of each value in.
#pragma once

namespace convoy_demo_plugins {

class Filter {
 public:
  virtual ~Filter() = default;
  virtual double filtered(double value) = 0;
};

}  // namespace convoy_demo_plugins
