// What the elements of outside programs do inside the world: hosts hear of those that may reach agents, and those of
// types that the scenario gives a shape are bodies, which robots and rays meet.
//
//   for each change:  messages.push_back(effects.take(change));
//                     for (Edit& edit : effects.body(change, world, pose_of)) ... carry it out, before the next change
//
// A body is an entity named element_OWNER_ID that nobody runs. What it does follows from the elements alone.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "wire/journal.h"
#include "world/element_place.h"
#include "world/setup.h"
#include "world/world.h"

namespace convoy {

class ElementEffects {
 public:
  ElementEffects() = default;  // no type has a shape
  explicit ElementEffects(const Setup& setup) : shapes_(setup.element_shapes) {}

  // The message by which hosts learn of it.
  Message take(const ElementChanged& change);
  // For a host that has just come.
  std::vector<Message> all() const;
  // Those that hosts know, by (owner's name, id).
  const std::map<std::pair<std::string, ElementId>, InsideElement>& inside() const { return inside_; }
  // A reset of the whole world takes all.
  void clear() { inside_.clear(); }
  // In order, for the world as it is now; none: it is no body. What World::check() refuses is left out by the caller.
  std::vector<Edit> body(const ElementChanged& change, const World& world, const PoseOf& pose_of) const;

 private:
  const std::string* model_of(const ElementChanged& change) const;

  std::vector<ElementShape> shapes_;
  std::map<std::pair<std::string, ElementId>, InsideElement> inside_;  // those that hosts know
};

// "element_alice_1". What no name may have becomes '_'.
std::string body_name(const std::string& owner, ElementId id);

}  // namespace convoy
