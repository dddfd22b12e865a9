#include "physics/mujoco/data_pool.h"

#include <set>
#include <thread>

#include "physics/mujoco/testing.h"

namespace data_pool_test {

using namespace convoy;
using namespace convoy::mujoco;

namespace {

// A ball on a spring that comes to rest and sleeps, with a plane to bounce from.
std::string ball(const std::string& flags) {
  return "<mujoco><option timestep='0.01'><flag " + flags +
         "/></option><worldbody><geom type='plane' size='5 5 1'/><body pos='0 0 0.3'><freejoint/>"
         "<geom type='sphere' size='0.1' mass='1'/></body></worldbody></mujoco>";
}

}  // namespace

TEST_CASE("two loans at a time are two mjData, and one after the other the same") {
  Stage stage(written(ball("gravity='enable'")));
  const Compiled& c = stage.robot().compiled();
  std::string trouble;
  const mjData* before = nullptr;
  {
    const DataPool::Loan a = c.pool.take(c.model, trouble), b = c.pool.take(c.model, trouble);
    REQUIRE(a.data());
    REQUIRE(b.data());
    CHECK(a.data() != b.data());
    before = a.data();
  }
  CHECK(c.pool.take(c.model, trouble).data() == before);
  std::vector<DataPool::Loan> all;
  std::set<const mjData*> distinct;
  for (int i = 0; i < 100; ++i) all.push_back(c.pool.take(c.model, trouble)), distinct.insert(all.back().data());
  CHECK(distinct.size() == 100);  // more than it keeps
  CHECK(distinct.count(nullptr) == 0);
}

TEST_CASE("threads that borrow at once get one each") {
  Stage stage(written(ball("gravity='enable'")));
  const Compiled& c = stage.robot().compiled();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      std::string trouble;
      for (int i = 0; i < 2000; ++i) {
        const DataPool::Loan loan = c.pool.take(c.model, trouble);
        loan.data()->time = t;
        for (int k = 0; k < 10; ++k) wrong += loan.data()->time != t;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("robots that take turns move as each does alone, among them one that fails, and one that sleeps") {
  for (const std::string flags : {"gravity='enable'", "sleep='enable'"}) {
    CAPTURE(flags);
    const ImportedModel model = written(ball(flags));
    const auto start = [](Robot& robot, double height, double speed) {
      State state;
      state.pose.p.z = height, state.twist.v.x = speed;
      robot.put(state, {});
    };
    std::vector<Bytes> alone;
    for (double height : {0.0, 0.7, 1e12}) {
      Stage stage(model);
      start(stage.robot(), height, height);
      stage.run(3);
      alone.push_back(stage.saved());
    }
    // Three robots of one stage share its factory, and so its compiled model.
    Stage first(model), second(model), third(model);
    second.factory = first.factory, third.factory = first.factory;
    second.physics = second.another(), third.physics = third.another();
    REQUIRE(&first.robot().compiled() == &second.robot().compiled());
    start(first.robot(), 0.0, 0.0), start(second.robot(), 0.7, 0.7), start(third.robot(), 1e12, 1e12);
    for (int tick = 0; tick < 300; ++tick)
      for (Stage* stage : {&third, &first, &second}) stage->run(0.01);
    CHECK(first.saved() == alone[0]);
    CHECK(second.saved() == alone[1]);
    CHECK(third.saved() == alone[2]);
    CHECK(!third.fault.empty());
    CHECK(first.fault.empty());
  }
}

}  // namespace data_pool_test
