// Everything that a run is a function of, besides the journal: what a host must know before the first tick.
//
// A scenario file becomes a Setup; its canonical bytes travel to the hosts, and their hash is the scenario's digest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "convoy/time.h"
#include "core/fields.h"
#include "world/control_source.h"
#include "world/element.h"
#include "world/entity_spec.h"
#include "world/environment.h"
#include "world/model.h"
#include "world/network_model.h"
#include "world/node_rules.h"
#include "world/sensor_rules.h"
#include "world/static_map.h"

namespace convoy {

struct Setup {
  std::string name;
  std::uint64_t seed = 1;
  Duration tick = std::chrono::milliseconds(10);
  double view_radius = 5;          // m; what an agent may see
  std::uint32_t checkpoint = 100;  // ticks between two complete images of the agents' inner states
  bool robots_touch = true;        // agents touch each other; else only the static world
  NetworkModel network;
  NodeRules nodes;
  ControlSource control_source = ControlSource::kAny;  // who rules robots that do not specify it themselves
  Duration control_silence{0};                         // ControllerSpec::silence of those that do not specify it
  Environment environment;
  MapData map;
  std::vector<BoxShape> boxes;  // already painted into the map; for pictures and rays
  std::vector<CylinderShape> cylinders;
  std::vector<Bytes> files;  // what models' files hold; each once
  std::vector<Model> models;
  std::vector<EntitySpec> entities;  // in world-number order, first is 1
  SensorRules sensors;
  std::vector<ElementShape> element_shapes;  // by type; each type once

  friend bool operator==(const Setup&, const Setup&) = default;
};
// Frees the map's cells, the files and the entities, which are not needed once the world is made.
void forget_scene(Setup& setup);
template <class V, MaybeConst<Setup> T>
void fields(V& v, T& s) {
  v("name", s.name), v("seed", s.seed), v("tick", s.tick), v("view_radius", s.view_radius);
  v("checkpoint", s.checkpoint), v("meet", s.robots_touch), v("network", s.network), v("nodes", s.nodes);
  v("control_source", s.control_source), v("control_silence", s.control_silence), v("environment", s.environment),
      v("map", s.map);
  v("boxes", s.boxes), v("cylinders", s.cylinders), v("files", s.files), v("models", s.models),
      v("entities", s.entities);
  later(v, "sensors", s.sensors), later(v, "element_shapes", s.element_shapes);
}

}  // namespace convoy
