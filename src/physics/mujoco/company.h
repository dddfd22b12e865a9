// A robot among the ghosts of its neighbours, for one tick at a time.
//
//   if (company.choose(...)) {       // from the snapshot alone: who can be met in the tick
//     company.enter(row, trouble);   // the robot's own state, and everybody where the snapshot has them
//     ... mj_step(company.model(), company.data()), move() before each
//     company.leave(row);            // the robot's own state again
//   }
//
// Whom a robot is among is no part of its state: the ghosts stand behind all that is its own, are put anew at every
// boundary, and nothing of them is kept.
#pragma once

#include <string>
#include <vector>

#include "physics/mujoco/library.h"

namespace convoy::mujoco {

// Ghosts at a time, all that is fixed of a neighbour counted as one; of more, the nearest by (distance, world number,
// body).
inline constexpr std::size_t kMostGhosts = 8;

class Company {
 public:
  // `model` with its files, limits and wheels, and what it was compiled to.
  Company(const Model& model, std::shared_ptr<const Compiled> alone, std::shared_ptr<Library> library)
      : model_(model), alone_(std::move(alone)), library_(std::move(library)) {}
  // From now on the robot is compiled to that, with what it carries; null: nothing.
  void carry(std::shared_ptr<const Compiled> alone, std::shared_ptr<const Load> load);
  ~Company();
  Company(const Company&) = delete;
  Company& operator=(const Company&) = delete;

  bool choose(const PhysicsInput& input, const State& state, std::span<const double> tail);
  // After choose(): might somebody choose the robot at the end of the tick?
  bool soon_near() const { return soon_near_; }
  // `row` is the robot's mjSTATE_INTEGRATION without ghosts. False, with the reason: it cannot be.
  bool enter(const PhysicsInput& input, const std::vector<double>& row, std::string& trouble);
  // Driven ghosts go to where they are `after` seconds from the boundary.
  void move(double after);
  bool leave(std::vector<double>& row) const;
  void end();     // of the tick: what follows asks nothing of data() any more
  void forget();  // after an error of MuJoCo's

  const mjModel* model() const { return copy_ ? copy_ : in_->model; }
  mjData* data() const { return data_.data(); }
  // Neighbours that the robot touches now, and whether one of them stands for an infinite mass.
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
  void look_around(const PhysicsInput& input, const Neighbour& self, std::vector<Near>& near,
                   std::vector<Near>& others);
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
  std::vector<Known> laden_;  // the same of those who carry something: the last ones

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
