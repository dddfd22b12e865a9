// World edits: what changes the world from outside the agents, each applied whole at one boundary.
//
// They are values: journalled, sent in Open, applied by the server and by every mirror with the same code.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "convoy/ids.h"
#include "core/fields.h"
#include "world/entity_spec.h"
#include "world/environment.h"

namespace convoy {

struct Spawn {
  EntitySpec spec;        // pose already in the world frame
  Owner owner = kNobody;  // kNobody: the entity stays where it is, without an agent
};
struct Delete {
  WorldNumber entity = kNoEntity;
};
struct SetState {
  WorldNumber entity = kNoEntity;
  Pose pose;                   // X_WB
  std::optional<Twist> twist;  // v_WB_W, w_WB_W; absent: at rest
  bool keep_pose = false;      // the pose stays as it is at the boundary; `pose` is ignored
};
struct Attach {
  WorldNumber parent = kNoEntity, child = kNoEntity;
};  // keeps the child's pose in the world
struct Detach {
  WorldNumber child = kNoEntity;
};
struct SetEnvironment {
  Environment environment;
};
struct AddModel {
  Model model;
};                         // its files are in the world
struct AddFile {           // a piece of a file that models may be made of; pieces come in order
  std::uint64_t hash = 0;  // of the whole
  std::uint64_t offset = 0, total = 0;
  Bytes bytes;
};
struct Reset {
  std::vector<WorldNumber> entities;
};  // named entities back to their creation; empty: the whole world
struct Freeze {
  WorldNumber entity = kNoEntity;
};              // its agent is gone; the state stays
struct Mount {  // where on its parent an attached entity is
  WorldNumber child = kNoEntity;
  Pose X_PC;
};
struct Move {  // another owner takes the agent over, with its inner state
  WorldNumber entity = kNoEntity;
  Owner owner = kNobody;
  Bytes inner;
};

struct PutBody {  // a robot as it once was, or as its owner worked out that it would be
  WorldNumber entity = kNoEntity;
  Pose pose;                 // X_WB
  Twist twist;               // v_WB_W, w_WB_W
  std::vector<double> tail;  // world/model.h
  Twist told;                // the command from outside that drives it,
  Duration told_for{0};      // and how long that still rules
  Bytes physics;             // what Physics::save() has written; empty: it is put there as by SetState
};

struct Return {  // a frozen entity has an agent again: as it is in the world, with all that is inside it made anew
  WorldNumber entity = kNoEntity;
  Owner owner = kNobody;
};

// One part of a MuJoCo robot is set from outside. Its owner's physics does it, at the beginning of the tick.
struct SetPart {
  enum class Kind : std::uint8_t {
    kForce = 0,   // on one of Model::bodies (no name: on its base) for some time: force N and torque N m about the
                  // body's centre of mass, in W. A new one takes the place of an old one; lasting 0 ends it.
    kJoint = 1,   // one of Model::joints: position, and velocity if there is one; else it is at rest
    kMocap = 2,   // one of Model::mocaps: X_WM, as x, y, z and perhaps qw, qx, qy, qz; else it keeps its orientation
    kOption = 3,  // of its engine (world/engine_options.h)
  };
  WorldNumber entity = kNoEntity;
  Kind kind{};
  std::string name;
  std::vector<double> values;
  Duration lasts{0};  // kForce
};

// Who alone commands some robots, through every door. A holder is a name, which commands carry; it is no connection.
struct Lease {
  enum class Kind : std::uint8_t {
    kTake = 0,      // all of them or none: each is free, or the holder's already
    kGiveBack = 1,  // each is the holder's
    kBreak = 2,     // whoever holds them
  };
  std::vector<WorldNumber> entities;
  std::string holder;  // of kBreak: who breaks it
  Kind kind{};
};

// An entity's tags, instead of those that it had. A reset of the whole world goes back to the setup's.
struct SetTags {
  WorldNumber entity = kNoEntity;
  std::vector<std::string> tags;
};

using Edit = std::variant<Spawn, Delete, SetState, Attach, Detach, SetEnvironment, AddModel, Reset, Freeze, Move, Mount,
                          AddFile, PutBody, Return, SetPart, Lease, SetTags>;
inline constexpr Duration kLongestTold = std::chrono::hours(24);

template <class V, MaybeConst<Spawn> T>
void fields(V& v, T& e) {
  v("spec", e.spec), v("owner", e.owner);
}
template <class V, MaybeConst<Delete> T>
void fields(V& v, T& e) {
  v("entity", e.entity);
}
template <class V, MaybeConst<SetState> T>
void fields(V& v, T& e) {
  v("entity", e.entity), v("pose", e.pose), v("twist", e.twist), v("keep_pose", e.keep_pose);
}
template <class V, MaybeConst<Attach> T>
void fields(V& v, T& e) {
  v("parent", e.parent), v("child", e.child);
}
template <class V, MaybeConst<Detach> T>
void fields(V& v, T& e) {
  v("child", e.child);
}
template <class V, MaybeConst<SetEnvironment> T>
void fields(V& v, T& e) {
  v("environment", e.environment);
}
template <class V, MaybeConst<AddModel> T>
void fields(V& v, T& e) {
  v("model", e.model);
}
template <class V, MaybeConst<AddFile> T>
void fields(V& v, T& e) {
  v("hash", e.hash), v("offset", e.offset), v("total", e.total), v("bytes", e.bytes);
}
template <class V, MaybeConst<Reset> T>
void fields(V& v, T& e) {
  v("entities", e.entities);
}
template <class V, MaybeConst<Freeze> T>
void fields(V& v, T& e) {
  v("entity", e.entity);
}
template <class V, MaybeConst<Move> T>
void fields(V& v, T& e) {
  v("entity", e.entity), v("owner", e.owner), v("inner", e.inner);
}
template <class V, MaybeConst<PutBody> T>
void fields(V& v, T& e) {
  v("entity", e.entity), v("pose", e.pose), v("twist", e.twist), v("tail", e.tail), v("told", e.told);
  v("told_for", e.told_for), v("physics", e.physics);
}
template <class V, MaybeConst<Return> T>
void fields(V& v, T& e) {
  v("entity", e.entity), v("owner", e.owner);
}
template <class V, MaybeConst<SetPart> T>
void fields(V& v, T& e) {
  v("entity", e.entity), v("kind", e.kind), v("name", e.name), v("values", e.values), v("lasts", e.lasts);
}
template <class V, MaybeConst<Lease> T>
void fields(V& v, T& e) {
  v("entities", e.entities), v("holder", e.holder), v("kind", e.kind);
}
template <class V, MaybeConst<SetTags> T>
void fields(V& v, T& e) {
  v("entity", e.entity), v("tags", e.tags);
}
template <class V, MaybeConst<Mount> T>
void fields(V& v, T& e) {
  v("child", e.child), v("X_PC", e.X_PC);
}

}  // namespace convoy
