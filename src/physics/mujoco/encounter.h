// One tick of a robot together with what comes from outside of its file: walls, and the ghosts of its neighbours.
//
//   company.choose(...);             // from the snapshot alone: what can be met in the tick
//   if (company.any()) {
//     company.enter(row, trouble);   // the robot's own state, and all others where the snapshot has them
//     ... mj_step(company.model(), company.data()), move() before each
//     company.leave(row);            // the robot's own state again
//   }
//
// A tick in several steps is one meeting: hold() after a step keeps where the ghosts are, and resume() instead of
// enter() goes on from there.
//
// Nothing of it is part of the robot's state: it comes after the robot's own bodies in the model, is put into the
// file's frame F at every boundary, and nothing of it is kept.
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

  // What a robot meets whose file's frame stands there; any(): something, in the tick that begins.
  void choose(const PhysicsInput& input, const State& state, std::span<const double> tail, const Pose& X_WF,
              const Felt& felt);
  bool any() const { return any_; }
  // After choose(): a neighbour may need this robot's wrench at the end of the tick.
  bool soon_near() const { return choice_.soon_near(); }
  // Loads `row` (the robot's mjSTATE_INTEGRATION) and sets the ghosts. False, with the reason, if MuJoCo fails.
  bool enter(const std::vector<double>& row, std::string& trouble);
  // Goes on with the tick from where hold() was called.
  bool resume(const std::vector<double>& row, std::string& trouble);
  // Moves driven ghosts to their poses `after` seconds from the boundary.
  void move(double after);
  bool leave(std::vector<double>& row);
  bool hold(std::string& trouble);
  void end();     // the step is over: data() is given back
  void forget();  // after an error of MuJoCo's

  const mjModel* model() const { return copy_ ? copy_ : placed_ ? placed_->get() : in_->model; }
  mjData* data() const { return data_.data(); }
  int outside() const { return in_->outside; }  // the body of the walls, or -1
  const Party& party() const { return me_; }
  WorldNumber who(int body) const;  // whose ghost it is; kNoEntity: nobody's
  // Appends the neighbours that the robot touches now; true if one of them is driven, and so has infinite mass.
  bool count_contacts(std::vector<WorldNumber>& touched) const;

 private:
  bool find_model(std::string& trouble);
  void make_copy(std::span<const Ghost> among);
  void put_own(const std::vector<double>& row);
  void put(const GhostPlace& place, const GhostMotion& motion);
  void put_walls();
  void put_ghosts();

  Party me_;
  Choice choice_;
  bool any_ = false;
  struct {
    Pose X_WF;
    Felt felt;
  } at_;                                     // in the tick in progress
  std::vector<GhostMotion> theirs_, later_;  // of the tick in progress
  std::vector<double> part_;                 // room for a part of the state
  std::vector<double> held_;                 // all of the state, from hold() to resume()

  // The model with those ghosts and walls; kept as long as they are the same.
  std::vector<Ghost> among_;
  bool among_walls_ = false;
  std::shared_ptr<const Compiled> in_;
  std::shared_ptr<const Compiled> walled_;  // that with walls alone, once it was needed
  mjModel* copy_ = nullptr;  // of in_->model, if some of the ghosts move inside: their shapes are put anew as well
  std::unique_ptr<PlacedModel> placed_;  // of in_->model, if it is another here, and there is no copy
  DataPool::Loan data_;                  // from enter() or resume() to end()
};

}  // namespace convoy::mujoco
