// What a robot's engine shows beside its state: joints, actuators, sensors and cameras by name, and their readings.
//
// For adapters and people, never for the run: nothing of it enters a state, an order or a digest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "convoy/geometry.h"

namespace convoy {

// Fixed for a robot's life.
struct Panel {
  struct Item {
    std::string name;
    std::int32_t id = 0;  // the engine's number for it
  };
  struct Actuator {
    std::string name;
    double low = -100, high = 100;  // of its controls; so where it has no limits
  };
  struct Sensor {
    std::string name;
    std::int32_t id = 0;
    std::uint32_t size = 0;  // numbers
  };
  std::vector<Item> joints;  // that are moved by one number, or of several the first
  std::vector<Item> bases;   // joints that leave a body free
  std::vector<Actuator> actuators;  // as Model::actuators
  std::vector<Sensor> sensors;
  std::vector<std::string> cameras;
};

struct PanelReadings {
  struct Joint {
    double position = 0, velocity = 0, acceleration = 0;  // rad or m, per s, per s^2
  };
  struct Base {
    Pose X_WB;
    Vec3 v_WB_W;  // m/s
    Vec3 w_WB_B;  // rad/s, about the body's own axes
  };
  std::vector<Joint> joints;
  std::vector<Base> bases;
  std::vector<double> sensors;  // one after the other
};

}  // namespace convoy
