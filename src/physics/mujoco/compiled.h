// A model as MuJoCo compiled it: read-only, shared by all robots of the model in this process.
//
// It is its document and nothing else, solved in the document's frame F, which stands where the robot was made. What
// comes from outside is in variants of it, behind all that is the document's: ghosts, then one mocap body with the
// static world. The robot's frame R is rigidly attached to its base: to the first free body of the document, or else to
// F. At the start R is F.
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
#include "physics/panel.h"
#include "world/model_files.h"

namespace convoy::mujoco {

// The ground that importing adds to a document which has none.
inline constexpr const char* kGround = "convoy:ground";
// A numeric in the document: the robot's frame is fixed, although all bodies are free.
inline constexpr const char* kFixedBase = "convoy_fixed_base";

// Where a number of a joint's position is in qpos, and that of its velocity in qvel; -1: it has none.
struct JointPlace {
  int qpos = -1, qvel = -1;
};

struct FreeBody {
  JointPlace place;
  int body = 0;
  Pose X_FB;  // at the start
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
class Walls;

struct Compiled {
  Compiled() = default;
  ~Compiled();
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  mjModel* model = nullptr;
  Duration step{};             // the physics step
  int key = -1;                // the keyframe to start from; -1: none
  int state_size = 0;          // numbers of mjSTATE_INTEGRATION
  std::vector<FreeBody> free;  // the first is the base, unless fixed_base
  Pose X_BR;                   // the robot's frame in the base body
  bool fixed_base = false;
  bool has_ground = false;      // a plane or a height field is fixed in it
  bool sees_far = false;        // it has rangefinders: walls that are far away matter too
  bool without_ground = false;  // what importing has added is left out: the world has one
  int outside = -1;             // of a variant with what comes from outside, the body of the static world; -1: none
  // In the order of Model::joints: hinges and slides, each ball joint's four (velocities of the last three; of qw there
  // is none), then seven numbers for the pose of each mocap body (without a place) and for that of each free body beside
  // the base (velocities of the last three are about its own axes).
  std::vector<JointPlace> joints;
  std::size_t singles = 0;      // how many of them are hinges and slides
  std::size_t first_mocap = 0;  // where the numbers of mocap bodies begin: those of joints end here
  std::size_t first_loose = 0;  // where those of free bodies begin
  std::vector<std::string> joint_names;
  std::vector<double> start;  // their positions
  std::vector<Wheel> left, right;
  std::vector<std::string> warnings;  // of the compiler
  Panel panel;
  struct {
    std::size_t qpos, qvel, act, ctrl;
  } row{};  // where in them these begin
  mutable DataPool pool;
  // Of a variant with what comes from outside, in which only these, `outside`, model and step are filled in.
  std::vector<GhostPlace> ghosts;
};

// What is compiled together with the model.
struct Surroundings {
  bool without_ground = false;  // leaves out kGround
  const Walls* walls = nullptr;
  std::span<const GhostBody* const> ghosts;
  const Compiled* alone = nullptr;  // the same without walls and ghosts, if there are any
  const Load* load = nullptr;       // what it carries; null: nothing
  const Compiled* bare = nullptr;   // the same without a load, if there is one
};

// `trouble` of the Result names lines of the document ("line 12") as MuJoCo does.
Result<std::shared_ptr<const Compiled>> compile(const Model& model, const ModelFiles& files,
                                                const Surroundings& around);

}  // namespace convoy::mujoco
