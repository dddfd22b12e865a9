// A model as MuJoCo compiled it for one world: read-only, shared by all robots of the model in this process.
//
// Its bodies: the world (ground, static map), kBaseBody with all that the model fixes to the world, and the model's
// free bodies. The robot's frame F is rigidly attached to its base: to the first free body of
// the model, or else to kBaseBody. At the start F is the document's world frame, put where the robot is created.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "convoy/geometry.h"
#include "convoy/result.h"
#include "convoy/time.h"
#include "physics/mujoco/data_pool.h"
#include "physics/mujoco/map_boxes.h"
#include "physics/panel.h"
#include "world/model_files.h"
#include "world/static_map.h"

namespace convoy::mujoco {

// The mocap body that holds all that the document fixes to the world. Importing makes it.
inline constexpr const char* kBaseBody = "convoy:base";
// A numeric in the document: the robot's frame is fixed, although all bodies are free.
inline constexpr const char* kFixedBase = "convoy_fixed_base";

// A joint's places in qpos and qvel.
struct JointPlace {
  int qpos = -1, qvel = -1;
};

struct FreeBody {
  JointPlace place;
  int body = 0;
  Pose X_FB;     // at the start: where it is in the robot's frame
  Twist v_FB_B;  // its velocity at the start: v in F, w in its own frame
};

// A driven wheel: ctrl is its wanted speed about the axis along which it rolls forward.
struct Wheel {
  int actuator = -1;
  JointPlace place;
  double sign = 1;  // of the joint's axis against the robot's y axis
};

// Where a ghost (ghosts.h) is in a model that was compiled with some.
struct GhostPlace {
  int body = 0;
  JointPlace place;
};
struct GhostBody;
struct Load;

struct Compiled {
  Compiled() = default;
  ~Compiled();
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  mjModel* model = nullptr;
  Duration step{};             // the physics step
  int key = -1;                // the keyframe to start from; -1: none
  int fixed_mocap = -1;        // mocap index of kBaseBody; -1: nothing is fixed
  std::vector<FreeBody> free;  // the first is the base, unless fixed_base
  bool fixed_base = false;
  Pose X_BF;  // the robot's frame in the base body
  // In the order of Model::joints: hinges and slides, then seven numbers for each free body beside the base, its pose
  // in the world (velocities of the last three are about its own axes; of qw there is none).
  std::vector<JointPlace> joints;
  std::vector<std::string> joint_names;
  std::vector<double> start;  // their positions
  std::vector<Wheel> left, right;
  std::vector<char> solid_geom;       // by geom: part of the map, or static in the model, but no ground
  std::vector<std::string> warnings;  // of the compiler
  Panel panel;
  int state_size = 0;  // numbers of mjSTATE_INTEGRATION
  struct {
    std::size_t qpos, qvel, act, ctrl;
  } row{};  // where in them these begin
  mutable DataPool pool;
  std::shared_ptr<const std::vector<MapBox>> boxes;  // of the map: found once for all that are made of this one
  std::vector<GhostPlace> ghosts;  // with ghosts among its bodies: only this, boxes, model and step are filled in
};

// What is compiled together with the model.
struct Surroundings {
  const StaticMap* map = nullptr;  // null: only ground
  const Model* world = nullptr;    // what replaces the map: a model of kWorldModel
  std::span<const GhostBody* const> ghosts;
  const Compiled* alone = nullptr;  // the same without ghosts, if there are some
  const Load* load = nullptr;       // what it carries; null: nothing
  const Compiled* bare = nullptr;   // the same without ghosts and load, if there is some
};

// `trouble` of the Result names lines of the document ("line 12") as MuJoCo does.
Result<std::shared_ptr<const Compiled>> compile(const Model& model, const ModelFiles& files,
                                                const Surroundings& around);

}  // namespace convoy::mujoco
