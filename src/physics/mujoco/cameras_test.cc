#include <doctest/doctest.h>

#include "physics/mujoco/testing.h"

namespace cameras_test {

using namespace convoy;
using namespace convoy::mujoco;

namespace {

// A foot that stands, with an arm of one joint; the camera has these attributes.
ImportedModel seeing(const std::string& attributes, const std::string& more = "") {
  return written("<mujoco><worldbody>" + more + R"(<body name="foot"><geom size="0.1"/><body name="arm" pos="0 0 0.5">
    <joint name="j"/><geom size="0.05"/><camera name="eye" )" +
                 attributes + "/></body></body></worldbody></mujoco>");
}

struct Pixel {
  double x = 0, y = 0;
};
// Where the camera sees a point of its link.
Pixel seen(const ModelCamera& camera, const Vec3& p_L) {
  const Vec3 p = camera.X_LC.inverse() * p_L;
  REQUIRE(p.z > 0);
  return {camera.fx * p.x / p.z + camera.cx, camera.fy * p.y / p.z + camera.cy};
}

}  // namespace

// The pixels are those at which MuJoCo's own renderer shows a small ball at (0.3, 0.2, -2), from (0, 0, 0), looking down.
TEST_CASE("a camera of a file sees things at the pixels at which MuJoCo shows them") {
  struct Case {
    const char* attributes;
    std::uint32_t width, height;
    Pixel at;
  };
  const Case cases[] = {
      {R"(fovy="60" resolution="400 300")", 400, 300, {238.5, 123.5}},
      {R"(sensorsize="0.004 0.003" focal="0.003 0.003" resolution="400 300")", 400, 300, {244.5, 119.5}},
      {R"(sensorsize="0.004 0.003" focalpixel="300 310" principalpixel="20 -10" resolution="400 300")",
       400,
       300,
       {224.5, 128.5}},
      {R"(sensorsize="0.004 0.003" focal="0.003 0.003" principal="0.0002 0.0001" resolution="400 300")",
       400,
       300,
       {224.5, 109.5}},
  };
  for (const Case& one : cases) {
    CAPTURE(one.attributes);
    const ImportedModel made = seeing(one.attributes);
    REQUIRE(made.report.cameras.size() == 1);
    const ModelCamera& camera = made.report.cameras[0];
    CHECK(camera.name == "eye");
    CHECK(camera.link == "arm");
    CHECK(camera.width == one.width);
    CHECK(camera.height == one.height);
    const Pixel at = seen(camera, {0.3, 0.2, -2});
    CHECK(std::abs(at.x - one.at.x) < 0.6);
    CHECK(std::abs(at.y - one.at.y) < 0.6);
  }
}

TEST_CASE("without a resolution a camera has 640 x 480 pixels, and its field is the vertical one") {
  const ImportedModel made = seeing(R"(pos="1 2 3" fovy="90")");
  const ModelCamera& camera = made.report.cameras.at(0);
  CHECK(camera.width == 640);
  CHECK(camera.height == 480);
  CHECK(std::abs(camera.fx - 240) < 1e-9);
  CHECK(camera.fx == camera.fy);
  CHECK(camera.X_LC.p == Vec3{1, 2, 3});
  CHECK(camera.color);
  CHECK_FALSE(camera.depth);
}

TEST_CASE(
    "a camera in the world of a robot that stands is in the robot's frame; of one that goes elsewhere it is left out") {
  const std::string side = R"(<camera name="side" pos="0 -2 1" xyaxes="1 0 0 0 0.4 1"/>)";
  const ImportedModel stands = seeing("", side);
  REQUIRE(stands.report.cameras.size() == 2);
  CHECK(stands.report.cameras[0].name == "side");
  CHECK(stands.report.cameras[0].link.empty());
  CHECK(stands.report.cameras[0].X_LC.p == Vec3{0, -2, 1});

  const ImportedModel goes =
      written("<mujoco><worldbody>" + side + R"(<body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>)");
  CHECK(goes.report.cameras.empty());
  CHECK(std::count(goes.report.lost.begin(), goes.report.lost.end(),
                   "the camera 'side' stands in the file's world, and the robot goes elsewhere") == 1);
}

TEST_CASE("cameras that turn by themselves are left out, and said so") {
  const ImportedModel made = seeing(R"(mode="targetbody" target="foot")");
  CHECK(made.report.cameras.empty());
  CHECK(std::count(made.report.lost.begin(), made.report.lost.end(),
                   "the camera 'eye' follows something, and cameras here are fixed to their links") == 1);
}

}  // namespace cameras_test
