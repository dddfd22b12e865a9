// One tick of a robot together with the ghosts of its neighbours.
//
//   if (company.choose(...)) {       // from the snapshot alone: which can be met in the tick
//     company.enter(row, trouble);   // the robot's own state, and all others where the snapshot has them
//     ... mj_step(company.model(), company.data()), move() before each
//     company.leave(row);            // the robot's own state again
//   }
//
// Ghosts are no part of the robot's state: they come after its own bodies in the model, are set from the snapshot at
// every boundary, and nothing of them is kept.
#pragma once

#include <string>
#include <vector>

#include "physics/mujoco/library.h"

namespace convoy::mujoco {

// Most ghosts in one tick: the nearest, by (distance, world number, body). All fixed bodies of a neighbour count as
// one.
inline constexpr std::size_t kMostGhosts = 8;

class Encounter {
 public:
  // `alone`: the compiled `model` without ghosts.
  Encounter(const Model& model, std::shared_ptr<const Compiled> alone, std::shared_ptr<Library> library)
      : model_(model), alone_(std::move(alone)), library_(std::move(library)) {}
  // The robot carries `load` from now on (null: nothing); `alone` is the model compiled with it.
  void carry(std::shared_ptr<const Compiled> alone, std::shared_ptr<const Load> load);
  ~Encounter();
  Encounter(const Encounter&) = delete;
  Encounter& operator=(const Encounter&) = delete;

  bool choose(const PhysicsInput& input, const State& state, std::span<const double> tail);
  // After choose(): a neighbour may need this robot's wrench at the end of the tick.
  bool soon_near() const { return soon_near_; }
  // Loads `row` (the robot's mjSTATE_INTEGRATION without ghosts) and sets the ghosts. False, with the reason, if MuJoCo
  // fails.
  bool enter(const PhysicsInput& input, const std::vector<double>& row, std::string& trouble);
  // Moves driven ghosts to their poses `after` seconds from the boundary.
  void move(double after);
  bool leave(std::vector<double>& row) const;
  void end();     // the tick is over: data() is given back
  void forget();  // after an error of MuJoCo's

  const mjModel* model() const { return copy_ ? copy_ : in_->model; }
  mjData* data() const { return data_.data(); }
  // Appends the neighbours that the robot touches now; true if one of them is driven, and so has infinite mass.
  bool count_contacts(std::vector<WorldNumber>& touched) const;

 private:
  struct Chosen {
    std::size_t neighbour = 0;  // among the tick's
    Ghost ghost;
  };
  enum class Reach { kFar, kSoon, kNear };
  // The reference lasts until the next call.
  const std::shared_ptr<const GhostKind>& kind_of(const Neighbour& neighbour, const ModelFiles* files);
  Reach reach(double dt) const;
  struct Near;
  void find_near(const PhysicsInput& input, const Neighbour& self, std::vector<Near>& near, std::vector<Near>& others);
  void add_leaning(const PhysicsInput& input, std::vector<Near>& near, std::vector<Near>& others);
  double distance(const GhostBody& body, const GhostMotion& theirs, double dt) const;
  void put(const GhostPlace& place, const GhostMotion& motion);
  void put_ghosts();
  void make_copy(std::span<const Ghost> among);

  const Model& model_;
  std::shared_ptr<const Compiled> alone_;
  std::shared_ptr<const Load> load_;
  std::shared_ptr<Library> library_;
  std::shared_ptr<const GhostKind> own_;
  struct Known {
    const Model* model;
    bool held;
    std::vector<Carried> carried;
    std::shared_ptr<const GhostKind> kind;
  };
  std::vector<Known> known_;  // models live as long as the world does
  std::vector<Known> laden_;  // the same of those that carry something: the last ones

  // Of the tick in progress.
  std::vector<Neighbour> neighbours_;
  std::vector<std::shared_ptr<const GhostKind>> kinds_;  // by neighbour; null: too far to matter
  std::vector<Chosen> chosen_;
  std::vector<GhostMotion> mine_, theirs_, later_;
  std::vector<Outline> my_outlines_, their_outlines_;
  bool soon_near_ = false;

  // The model with those ghosts; kept as long as they are the same.
  std::vector<Ghost> among_;
  std::shared_ptr<const Compiled> in_;
  mjModel* copy_ = nullptr;  // of in_->model, if some of the ghosts move inside: their shapes are put anew as well
  DataPool::Loan data_;      // from enter() to end()
};

}  // namespace convoy::mujoco
