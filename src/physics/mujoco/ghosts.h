// Ghosts: rigid bodies in a robot's own model that represent its neighbours. They are set from the snapshot at every
// boundary; of a contact each robot keeps only the effect on itself.
//
//   neighbour                              ghost
//   mobile, passive (no actuators)         one free body; has gravity, touches the static world
//   mobile, actuated or of a user's engine one free body; no gravity, does not touch the static world; the wrench
//                                          that its owner measured in the last tick acts on it
//   fixed to the world, held, kinematic    a driven body for each link: nothing pushes it back (a one-sided contact)
//   what its document fixes beside it      the same
//
// A free ghost has the mass, inertia and hulls of all that is attached to the base, in the pose of its joints at the
// boundary (wheels: in their pose at the start), and of what the neighbour carries (load.h).
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "physics/mujoco/bounding_box.h"
#include "physics/mujoco/compiled.h"
#include "physics/physics.h"

namespace convoy::mujoco {

// A solid geom in its ghost's frame B.
struct GhostGeom {
  int type = mjGEOM_BOX;
  Pose X_BG;
  std::array<double, 3> size{};
  std::vector<float> vertices;  // of a mesh: a convex hull is made of them
  int condim = 3, priority = 0;
  double margin = 0, gap = 0, solmix = 1;
  double adhesion = 0;
  std::array<double, 3> friction{1, 0.005, 0.0001};
  std::array<double, 6> surfacevel{};
  std::array<double, mjNREF> solref{0.02, 1};
  std::array<double, mjNIMP> solimp{0.9, 0.95, 0.001, 0.5, 2};
};

struct GhostBody {
  int body = -1;      // of the neighbour's model: whose frame it has (0: its file's); -1: the neighbour's own frame
  bool free = false;  // else driven
  bool passive = false;
  double mass = 0;
  Vec3 com;                         // in B
  std::array<double, 6> inertia{};  // about com, along B's axes: xx yy zz xy xz yz
  double radius = 0;                // around B's origin: holds all geoms, for all joint positions, m
  BoundingBox box;                  // does as well, and their contacts' margins
  bool posed = false;               // joints move some of them, and are no wheels
  bool still = false;               // nothing moves it in its file's frame
  std::vector<GhostGeom> geoms;
};

// The ghosts of all neighbours of one model.
struct GhostKind {
  std::uint64_t key = 0;                     // of what it was made from
  std::shared_ptr<const Compiled> compiled;  // null: a kinematic model
  std::vector<GhostBody> bodies;
  GhostBody load;  // all that goes where the neighbour's frame goes, as one body in that frame: as others carry it
  // The same from afar: spheres that hold all of them, for all joint positions.
  double core_radius = -1;  // about the neighbour's frame, of all but the loose ones, m; below 0: there are no others
  std::size_t core_joints = 0;  // that move what is in it: the first ones
  std::vector<std::size_t>
      core_slides;           // those among them whose way has no end: kUnlimitedSlide of it is in the radius
  double still_radius = -1;  // about its file's frame, of what stands beside a floating base, m; below 0: there is none
  struct Loose {
    std::size_t joint;  // the first of its seven
    double radius;      // m
  };
  std::vector<Loose> loose;  // free bodies beside the base
};

inline constexpr double kUnlimitedSlide = 1.0;  // m

// A bounding sphere in the world that holds all positions of the joints inside, and how fast it moves or grows, m/s.
struct Outline {
  Vec3 p;
  double radius = 0, drift = 0;
  double speed = 0;  // an upper bound of that of what is in it
};
// Cheap: of joints only the rates are read.
void find_outlines(const GhostKind& kind, const Neighbour& neighbour, std::vector<Outline>& out);

// `compiled` is that of the model alone; null for one without files.
GhostKind ghosts_of(const Model& model, std::shared_ptr<const Compiled> compiled);
// The same for a neighbour that has no agent: all bodies are driven.
GhostKind held(GhostKind kind);

// Where the neighbour's file has its frame in the world.
Pose file_frame(const Compiled& compiled, const Neighbour& neighbour);

// Adds what has that mass, centre and inertia about it in C to a body whose frame has C at X_BC.
void add_mass(GhostBody& body, const Pose& X_BC, double mass, const Vec3& com, const std::array<double, 6>& inertia);

// The radius about the robot's frame that holds it for all joint positions, m; other free bodies as at the start.
double reach_of(const Compiled& compiled);

// Where and how fast a ghost is: its own frame B in the world.
struct GhostMotion {
  Pose X_WB;
  Twist v_WB_W;
};
// By body of the kind, at `after` seconds from the boundary: joints go on with their velocities.
void find_motions(const GhostKind& kind, const Neighbour& neighbour, double after, std::vector<GhostMotion>& out);

// Ghosts use two bits that hardly any document does: everything solid of the robot itself takes part in kGhosts, and
// all of the static world offers kPassive. So an actuated ghost meets the robot and passive ghosts alone, a passive one
// everything.
inline constexpr int kGhosts = static_cast<int>(0x80000000u);
inline constexpr int kPassive = 0x40000000;
inline constexpr mjtSize kArenaForOne = 256 * 1024;  // bytes more for the contacts of a ghost, or of what is carried
// Where a document lets no body specify its inertia: bodies without one keep what they had, and others may have their
// own.
void let_say_inertia(mjSpec* spec);
GhostGeom geom_of(const mjModel* m, int geom, const Pose& X_BG);
// It has no mass of its own.
mjsGeom* add_geom(mjSpec* spec, mjsBody* body, const GhostGeom& from, const std::string& name, int contype,
                  int conaffinity);
// Of a ghost's geom in the model.
std::string geom_name(std::size_t ghost, std::size_t geom);

// The body as its joints have it now: mass, com, inertia and the places of its geoms, of which nothing else is filled
// in.
GhostBody pose_of(const GhostKind& kind, std::size_t index, const Neighbour& neighbour);
// Puts a ghost's mass and geoms where they are `now` in a model that was compiled with `then`: `from`, of which `m` is
// a copy that serves one robot alone.
void put_shape(mjModel* m, const mjModel* from, int body, const GhostBody& then, const GhostBody& now);
// Once in such a copy: the bounding volumes of the ghost hold it for all joint positions.
void widen(mjModel* m, int body, double radius);

// Puts them behind all other bodies of a document that MuJoCo has parsed. Its keyframes, which know none of them, go.
void add_ghosts(mjSpec* spec, std::span<const GhostBody* const> ghosts);
// Finds them in what became of it, lets them touch what they should, and checks that all else is as in `alone`.
Status find_ghosts(mjModel* model, const Compiled& alone, std::size_t count, std::vector<GhostPlace>& out);

}  // namespace convoy::mujoco
