// Names and readings of a robot's joints, actuators and sensors, as its physics engine has them.
//
// For adapters and people: nothing of it enters a state, an order or a digest.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "convoy/geometry.h"
#include "convoy/ids.h"
#include "convoy/time.h"

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
    bool limited = false;
    std::string joint{};  // that it drives; empty: none, or several
    bool servo = false;   // its control is the position that the joint is to have, rad or m
  };
  struct Sensor {
    std::string name;
    std::int32_t id = 0;
    std::uint32_t size = 0;  // numbers
  };
  std::vector<Item> joints;         // that are moved by one number, or of several the first
  std::vector<Item> bases;          // joints that leave a body free
  std::vector<Actuator> actuators;  // as Model::actuators
  std::vector<Sensor> sensors;
  std::vector<std::string> mocaps;  // bodies that stand where they are put

  // The engine's own layout: the place of each joint in qpos and qvel, and the keyframes.
  struct Joint {
    enum class Type : std::uint8_t { kFree, kBall, kSlide, kHinge };
    std::string name;
    std::int32_t id = 0;
    Type type{};
    std::size_t qpos = 0, qvel = 0;
    double low = 0, high = 0;
    bool limited = false;
  };
  struct Keyframe {
    std::string name;
    double time = 0;  // s
    std::vector<double> qpos, qvel, act, ctrl;
  };
  std::vector<Joint> all_joints;
  std::vector<Keyframe> keyframes;
  std::size_t nq = 0, nv = 0, na = 0, nsensordata = 0;
  Duration step{};  // of its physics
};

// Views of the engine's arrays; valid until the robot's next step or change.
struct EngineView {
  std::span<const double> qpos, qvel, act, ctrl, sensors;
};

// New values for the engine's arrays; an empty one is left as it is.
struct EngineValues {
  std::vector<double> qpos, qvel, act, ctrl;
  std::vector<std::pair<std::size_t, Pose>> mocaps;  // some of the panel's, in the world
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
