#include "agent/scene.h"

#include <doctest/doctest.h>

#include <string>

namespace scene_test {

using namespace convoy;

namespace {

// Remembers for which models it was asked, and what of that is still kept.
struct Engine final : PhysicsFactory {
  std::unique_ptr<Physics> make(const Model& m, const World& w, Duration t) const override {
    return rest.make(m, w, t);
  }
  Status check(const Model&, const ModelFiles&, Duration) const override { return {}; }
  Preparation prepare(const Model& model, const World&) const override {
    asked += model.name + " ";
    return [this] { return kept; };
  }
  KinematicFactory rest;
  std::shared_ptr<int> kept = std::make_shared<int>(1);
  mutable std::string asked;
};

EntitySpec one(const std::string& name, const std::string& model) {
  EntitySpec spec;
  spec.name = name, spec.model = model;
  return spec;
}

}  // namespace

TEST_CASE("what the robots of a setup need is made before the first tick, once for each model that has any") {
  Setup setup;
  setup.models = built_in_models();
  const std::string first = setup.models[0].name, second = setup.models[1].name;
  setup.entities = {one("a", second), one("b", first), one("c", second)};
  const Engine engine;
  {
    auto scene = Scene::make(setup, engine);
    REQUIRE(scene);
    CHECK(engine.asked == first + " " + second + " ");
    CHECK(engine.kept.use_count() == 3);
    const World world = (*scene)->take();
    CHECK(world.entities().size() == 3);
    CHECK(engine.kept.use_count() == 3);  // as long as the scene is there
  }
  CHECK(engine.kept.use_count() == 1);
  setup.entities.push_back(one("a", first));
  CHECK_FALSE(Scene::make(setup, engine));
}

}  // namespace scene_test
