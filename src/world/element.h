// Elements of outside programs, as far as the world inside knows them: where one is, and whom it reaches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "convoy/geometry.h"
#include "convoy/ids.h"
#include "core/fields.h"

namespace convoy {

struct ElementRegion {
  double x = 0, y = 0, radius = 0;  // m, of the world
  friend bool operator==(const ElementRegion&, const ElementRegion&) = default;
};
template <class V, MaybeConst<ElementRegion> T>
void fields(V& v, T& r) {
  v("x", r.x), v("y", r.y), v("radius", r.radius);
}

// What an element's own fields say of it (docs/foreign.md). Named in `to`: reaches those alone, wherever they are. Else
// with a region: the agents inside. Else with a place: the agents within its radius. Else no agent. Programs are
// reached by all that is not addressed to others.
struct ElementReach {
  using Region = ElementRegion;
  std::optional<Pose> pose;     // in the frame of `parent`, or of the world
  std::string parent;           // an entity's name
  double radius = 0;            // m; 0: the run's view radius
  std::vector<std::string> to;  // names of programs and of entities
  std::optional<Region> region;

  bool has_place() const { return pose || !parent.empty(); }
  // Can it reach an agent, or be a body?
  bool inside() const { return has_place() || !to.empty() || region; }
  friend bool operator==(const ElementReach&, const ElementReach&) = default;
};
template <class V, MaybeConst<ElementReach> T>
void fields(V& v, T& r) {
  v("pose", r.pose), v("parent", r.parent), v("radius", r.radius), v("to", r.to), v("region", r.region);
}

inline constexpr const char* kEverybody = "*";  // in ElementReach::to
bool is_addressed_to(const ElementReach& reach, const std::string& name);

// An element as agents know it.
struct InsideElement {
  std::string owner;  // the program's name
  ElementId id;       // its own number for it
  std::string type;   // "convoy.Vehicle"
  std::int64_t stamp = 0;
  Bytes bytes;  // protobuf, without the field `connection`
  ElementReach reach;
};
template <class V, MaybeConst<InsideElement> T>
void fields(V& v, T& e) {
  v("owner", e.owner), v("id", e.id), v("type", e.type), v("stamp", e.stamp), v("bytes", e.bytes), v("reach", e.reach);
}

// Payload of a message to all hosts, whose sender is kNoEntity.
inline constexpr const char* kElementTopic = "/element";
struct ElementNews {
  bool gone = false;  // only owner and id count
  InsideElement element;
};
template <class V, MaybeConst<ElementNews> T>
void fields(V& v, T& n) {
  v("gone", n.gone), v("element", n.element);
}

// Elements of this type are bodies: an entity of this model stands where such an element is.
struct ElementShape {
  std::string type, model;
  friend bool operator==(const ElementShape&, const ElementShape&) = default;
};
template <class V, MaybeConst<ElementShape> T>
void fields(V& v, T& s) {
  v("type", s.type), v("model", s.model);
}

}  // namespace convoy
