// The frames of an SDF: its models, links, joints and <frame>s, each placed in another, as SDF 1.7 and later say.
//
//   const FrameId model = frames.add(FrameKind::kModel, FrameId::kWorld, "arm", element);
//   const FrameId link = frames.add(FrameKind::kLink, model, "base", *link_element);
//   if (auto ok = frames.place(); !ok) return ...
//   frames.X_WF(link)
//
// W is the frame of the document. The elements outlive the frames.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "physics/mujoco/sdf_values.h"

namespace convoy::mujoco {

enum class FrameId : std::size_t { kWorld = 0 };
enum class FrameKind { kWorld, kModel, kLink, kJoint, kFrame };

class SdfFrames {
 public:
  SdfFrames();

  // `scope` is the model (or the world) that it stands in. A second one of the kind and name there is refused.
  FrameId add(FrameKind kind, FrameId scope, const std::string& name, const Element& element, SdfValues& values);
  // Behind all add(): where each of them is. A frame that is not there, or stands in itself, is an error.
  Status place();

  // A name as it is written in a scope: "link", "model::link", "__model__".
  std::optional<FrameId> find(FrameId scope, const std::string& name) const;
  // The same; where it is not, that is refused.
  FrameId look_up(FrameId scope, const std::string& name, const Element& at, SdfValues& values) const;
  // The link that a frame moves with. Nothing: it is the world's.
  std::optional<FrameId> link_of(FrameId frame) const;
  FrameKind kind(FrameId frame) const { return at(frame).kind; }
  const Pose& X_WF(FrameId frame) const { return at(frame).X_WF; }
  // Of a <pose> of what stands in a link: in the link, unless it says in which frame.
  Pose X_LP(FrameId link, const Element& parent, SdfValues& values) const;

 private:
  struct Frame {
    FrameKind kind{};
    FrameId scope{};
    const Element* element = nullptr;
    std::string relative_to;          // its pose; "": what its kind has
    FrameId parent{}, attached_to{};  // of its pose; for a model: its first link
    Pose X_PF, X_WF;                  // in its parent; in the world
    bool placed = false;
  };
  using Names = std::map<std::pair<FrameId, std::string>, FrameId>;

  Frame& at(FrameId id) { return all_[static_cast<std::size_t>(id)]; }
  const Frame& at(FrameId id) const { return all_[static_cast<std::size_t>(id)]; }
  FrameId attached_by(FrameId id, SdfValues& values) const;
  void join(FrameId id, SdfValues& values);
  void put_by_placement(FrameId model, SdfValues& values);
  void place(FrameId id, SdfValues& values);

  std::vector<Frame> all_;
  std::map<FrameKind, Names> names_;
  std::map<FrameId, FrameId> first_link_;  // of a model: its first link, or else its first model's
};

}  // namespace convoy::mujoco
