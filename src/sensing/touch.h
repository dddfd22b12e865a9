// Bumpers, and areas that notice who is in them.
#pragma once

#include <string>
#include <vector>

#include "core/fields.h"
#include "sensing/sensor_view.h"

namespace convoy {

struct ContactModel {
  std::string part;         // of the robot, that feels; empty: all of it
  double min_force = 0;     // N; weaker touches are left out
  std::uint32_t most = 32;  // touches in one sample
  friend bool operator==(const ContactModel&, const ContactModel&) = default;
};
template <class V, MaybeConst<ContactModel> T>
void fields(V& v, T& m) {
  v("part", m.part), v("min_force", m.min_force), v("most", m.most);
}

struct Touch {
  std::string part;        // of the robot; empty: it is one body
  std::string other;       // the entity; empty: the static world, or the robot itself
  std::string other_part;  // of the robot's own file, if that is what it touches
  Vec3 position, normal;   // in S, m; the normal points to the robot
  Vec3 force;              // on the robot, in S, N; 0 of a kinematic robot
  double depth = 0;        // m
};
template <class V, MaybeConst<Touch> T>
void fields(V& v, T& t) {
  v("part", t.part), v("other", t.other), v("other_part", t.other_part), v("position", t.position);
  v("normal", t.normal), v("force", t.force), v("depth", t.depth);
}
struct Touches {
  std::vector<Touch> touches;
};
template <class V, MaybeConst<Touches> T>
void fields(V& v, T& t) {
  v("touches", t.touches);
}

// A box about S. An entity is in it if the ball of its bounding radius about its origin meets it.
struct OverlapModel {
  Vec3 size{1, 1, 1};  // m
  friend bool operator==(const OverlapModel&, const OverlapModel&) = default;

  struct Occupant {
    WorldNumber number = kNoEntity;
    std::string name;
  };
  // Who was in it at the sample before, ascending by number.
  struct Memory {
    std::vector<Occupant> inside;
  };
};
template <class V, MaybeConst<OverlapModel> T>
void fields(V& v, T& m) {
  v("size", m.size);
}
template <class V, MaybeConst<OverlapModel::Occupant> T>
void fields(V& v, T& o) {
  v("number", o.number), v("name", o.name);
}
template <class V, MaybeConst<OverlapModel::Memory> T>
void fields(V& v, T& m) {
  v("inside", m.inside);
}

// Names of entities, each list in the order of their world numbers.
struct Overlaps {
  std::vector<std::string> inside, appeared, gone;
};
template <class V, MaybeConst<Overlaps> T>
void fields(V& v, T& o) {
  v("inside", o.inside), v("appeared", o.appeared), v("gone", o.gone);
}

// Empty, or what is wrong with it.
std::string problem_of(const ContactModel& model);
std::string problem_of(const OverlapModel& model);

Touches touches_of(const ContactModel& model, const SensorView& view);
Overlaps overlaps_of(const OverlapModel& model, const SensorView& view, OverlapModel::Memory& memory);

}  // namespace convoy
