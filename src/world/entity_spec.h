// An entity that does not exist yet, as a scenario or a spawn call specifies it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "convoy/geometry.h"
#include "core/fields.h"
#include "world/component_spec.h"
#include "world/control_source.h"
#include "world/controller_spec.h"
#include "world/driver_spec.h"
#include "world/edit_kind.h"
#include "world/sensor_spec.h"

namespace convoy {

// One entity as it is to be made, by a scenario or by a spawn call.
struct EntitySpec {
  std::string name;   // unique in the world
  std::string model;  // name of a Model
  Pose pose;          // X_WB at its creation
  std::string ns;     // namespace of its interfaces; empty: its name
  std::string frame;  // frame id of its base; empty: base_footprint
  std::vector<std::string> tags;
  DriverSpec driver;
  std::vector<ComponentSpec> components;        // its software, made in this order
  std::uint32_t domain = 0;                     // nodes of different domains do not discover each other, as in ROS 2
  std::optional<ControlSource> control_source;  // who rules it at its beginning; nothing: the setup's
  std::optional<ControllerSpec> controller;     // nothing: the setup's
  std::string keyframe;                         // of its model, in which it begins; empty: the model's own
  std::vector<SensorSpec> sensors;              // beside its odometry and joints
  std::vector<EditKind> edits;                  // that it may ask for, ascending
  std::string host;  // where it should run if such a host exists; never part of a digest's inputs

  friend bool operator==(const EntitySpec&, const EntitySpec&) = default;
};
template <class V, MaybeConst<EntitySpec> T>
void fields(V& v, T& e) {
  v("name", e.name), v("model", e.model), v("pose", e.pose), v("ns", e.ns), v("frame", e.frame), v("tags", e.tags);
  v("driver", e.driver), v("components", e.components), v("domain", e.domain);
  v("control_source", e.control_source), v("controller", e.controller), v("keyframe", e.keyframe), v("host", e.host);
  later(v, "sensors", e.sensors), later(v, "edits", e.edits);
}

}  // namespace convoy
