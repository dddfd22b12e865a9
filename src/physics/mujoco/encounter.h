// One tick of a robot together with what comes from outside of its file: walls, and the ghosts of its neighbours.
//
//   if (company.choose(...)) {       // from the snapshot alone: what can be met in the tick
//     company.enter(row, trouble);   // the robot's own state, and all others where the snapshot has them
//     ... mj_step(company.model(), company.data()), move() before each
//     company.leave(row);            // the robot's own state again
//   }
//
// Nothing of it is part of the robot's state: it comes after the robot's own bodies in the model, is put into the file's
// frame F at every boundary, and nothing of it is kept.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "physics/mujoco/choice.h"
#include "physics/mujoco/placed_model.h"

namespace convoy::mujoco {

class Encounter {
 public:
  explicit Encounter(Party me) : me_(std::move(me)), choice_(me_) {}
  // The robot carries `load` from now on (null: nothing); `alone` is the model compiled with it.
  void carry(std::shared_ptr<const Compiled> alone, std::shared_ptr<const Load> load);
  ~Encounter();
  Encounter(const Encounter&) = delete;
  Encounter& operator=(const Encounter&) = delete;

  // Of a robot whose file's frame stands there.
  bool choose(const PhysicsInput& input, const State& state, std::span<const double> tail, const Pose& X_WF);
  // After choose(): a neighbour may need this robot's wrench at the end of the tick.
  bool soon_near() const { return choice_.soon_near(); }
  // Loads `row` (the robot's mjSTATE_INTEGRATION) and sets the ghosts. False, with the reason, if MuJoCo fails.
  bool enter(const std::vector<double>& row, std::string& trouble);
  // Moves driven ghosts to their poses `after` seconds from the boundary.
  void move(double after);
  bool leave(std::vector<double>& row);
  void end();     // the tick is over: data() is given back
  void forget();  // after an error of MuJoCo's

  const mjModel* model() const { return copy_ ? copy_ : placed_ ? placed_->get() : in_->model; }
  mjData* data() const { return data_.data(); }
  int outside() const { return in_->outside; }  // the body of the walls, or -1
  // Appends the neighbours that the robot touches now; true if one of them is driven, and so has infinite mass.
  bool count_contacts(std::vector<WorldNumber>& touched) const;

 private:
  bool find_model(std::string& trouble);
  void make_copy(std::span<const Ghost> among);
  void put(const GhostPlace& place, const GhostMotion& motion);
  void put_walls();
  void put_ghosts();

  Party me_;
  Choice choice_;
  Pose X_WF_;
  std::vector<GhostMotion> theirs_, later_;  // of the tick in progress
  std::vector<double> part_;                 // room for a part of the state

  // The model with those ghosts and walls; kept as long as they are the same.
  std::vector<Ghost> among_;
  bool among_walls_ = false;
  std::shared_ptr<const Compiled> in_;
  std::shared_ptr<const Compiled> walled_;  // that with walls alone, once it was needed
  mjModel* copy_ = nullptr;  // of in_->model, if some of the ghosts move inside: their shapes are put anew as well
  std::unique_ptr<PlacedModel> placed_;  // of in_->model, if F is raised or tilted, and there is no copy
  DataPool::Loan data_;                  // from enter() to end()
};

}  // namespace convoy::mujoco
