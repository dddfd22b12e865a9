#include "world/model.h"

#include <doctest/doctest.h>

#include <cmath>

namespace model_test {

using namespace convoy;

TEST_CASE("built-in models have convex counter-clockwise footprints and the joints of their drives") {
  const std::vector<Model> models = built_in_models();
  REQUIRE(models.size() == 6);
  const char* const names[] = {"turtlebot3_burger", "turtlebot3_waffle", "cart", "truck", "box", "program"};
  for (std::size_t i = 0; i < models.size(); ++i) {
    const Model& m = models[i];
    CHECK(m.name == names[i]);
    CHECK(m.joints == joint_names(m.drive));
    for (std::size_t k = 0; k < m.footprint.size(); ++k) {
      const Vec2 a = m.footprint[k], b = m.footprint[(k + 1) % 4], c = m.footprint[(k + 2) % 4];
      CHECK((b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x) > 0);
    }
    CHECK(has_body(m) == (m.name != kProgramModel));
    CHECK(inscribed_radius(m) <= circumscribed_radius(m));
    CHECK(circumscribed_radius(m) < bounding_radius(m));
  }
}

TEST_CASE("radii are those of the circles around the frame's origin") {
  Model m;
  m.footprint = {{-1, -2}, {3, -2}, {3, 2}, {-1, 2}};
  m.height = 2;
  CHECK(circumscribed_radius(m) == std::sqrt(13.0));
  CHECK(inscribed_radius(m) == 1);
  CHECK(bounding_radius(m) == std::sqrt(17.0));
  for (Vec2& corner : m.footprint) corner.x += 2;
  CHECK(inscribed_radius(m) == 0);
}

}  // namespace model_test
