// A robot that an engine of a user's library moves, as Convoy's physics: its state, its memory, its failures.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/engine_libraries.h"

namespace convoy {

// What is saved of it beside the robot's state.
struct EngineMemory {
  std::string fault;            // why it does not move any more; empty: it moves
  bool told = false;            // that was reported
  std::uint64_t one_sided = 0;  // ticks that ended in touch with what no push moves
  std::vector<double> numbers;
  std::vector<std::int64_t> whole;
};
template <class V, MaybeConst<EngineMemory> T>
void fields(V& v, T& m) {
  v("fault", m.fault), v("told", m.told), v("one_sided", m.one_sided), v("numbers", m.numbers), v("whole", m.whole);
}

class UsersEngine final : public Physics {
 public:
  // All but the model outlive it.
  UsersEngine(const Model& model, const PhysicsFactory& bodies, const EngineType& type);
  // There is no such engine here: it stands still, and says why.
  UsersEngine(const Model& model, const PhysicsFactory& bodies, const Error& error);
  UsersEngine(const UsersEngine&) = delete;
  UsersEngine& operator=(const UsersEngine&) = delete;
  ~UsersEngine() override;

  // Why no robot could be made of it; empty: one was.
  const std::string& trouble() const { return trouble_; }

  double neighbourhood(const Model& model, Duration tick, std::span<const Carried> carried) const override;
  void step(const PhysicsInput& input, State& state, std::span<double> tail, PhysicsEvents& events) override;
  void reset(const State& state) override;
  void put(const State& state, std::span<const double> tail) override;
  void save(SaveFields& out) const override;
  bool load(Reader& in) override;
  bool accepts(ByteView saved) const override;
  void describe(DescribeFields::List& out) const override;
  std::optional<Vec3> gravity(const Environment& environment) const override;
  std::uint64_t one_sided_ticks() const override { return one_sided_; }

 private:
  void make();
  void drop();
  EngineMemory memory() const;
  bool take(const EngineMemory& memory);
  struct Boundary;
  std::string advance(const PhysicsInput& input, const Boundary& before, State& state, std::span<double> tail,
                      PhysicsEvents& events);

  Model model_;
  std::vector<robot::Corner> corners_;
  std::vector<std::string_view> joints_, actuators_;  // of model_
  robot::Model shown_;
  const PhysicsFactory& bodies_;
  const EngineType* type_ = nullptr;  // null: there is none
  robot::Robot* robot_ = nullptr;     // made and dropped by its library
  std::string trouble_, fault_;
  bool told_ = false;
  std::uint64_t one_sided_ = 0;
};

}  // namespace convoy
