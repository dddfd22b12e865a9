// Where a robot's file stands in the world, and the robot's numbers on their way between the two.
//
// Its file's frame F is put where the robot is made or reset: there is its place and heading, of a fixed base its whole
// pose. A model whose F is raised or tilted is a placed one (placed_model.h).
#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <memory>
#include <span>

#include "physics/mujoco/compiled.h"
#include "physics/mujoco/placed_model.h"
#include "world/model.h"
#include "world/state.h"

namespace convoy::mujoco {

class Station {
 public:
  explicit Station(const Compiled& compiled) : c_(&compiled) {}
  void take(const Compiled& compiled);  // another variant of the same model
  void stand(const Pose& X_WF);
  void feel(const Felt& felt);
  const Felt& felt() const { return felt_; }

  const Pose& X_WF() const { return X_WF_; }
  const mjModel* model() const { return placed_ ? placed_->get() : c_->model; }  // as it is there

  // Of data that mj_resetData() has put at the start: stands there, and the robot with it.
  void begin(const State& state, mjData* d);
  // The robot is put elsewhere. A free base leaves its file where it is; a fixed one takes it along, and all that is
  // free in it stays.
  void move(const State& state, mjData* d);

  // Joints and loose bodies are where the tail has them, and everything is at rest.
  void rest(std::span<const double> tail, mjData* d) const;

  Pose X_WR(const mjData* d) const;  // of the robot's frame
  // Its state, and all of the tail (world/model.h). `wrench`: in F.
  void read(const mjData* d, const std::array<double, kWrenchSize>& wrench, State& state, std::span<double> tail) const;
  // Turns the numbers of all free bodies in qpos and qvel (either may be null), in place.
  void to_world(double* qpos, double* qvel) const { turn(X_WF_, qpos, qvel); }
  void to_file(double* qpos, double* qvel) const { turn(X_WF_.inverse(), qpos, qvel); }

 private:
  Twist twist(const mjData* d) const;
  void put_base(const State& state, mjData* d) const;
  std::size_t loose() const { return c_->free.size() - (c_->fixed_base ? 0 : 1); }  // free bodies beside the base
  void read_loose(const FreeBody& free, const mjData* d, std::span<double> tail) const;
  void turn(const Pose& X, double* qpos, double* qvel) const;

  const Compiled* c_;
  Pose X_WF_;
  Felt felt_;
  std::unique_ptr<PlacedModel> placed_;  // null: the compiled model does
};

}  // namespace convoy::mujoco
