// What models look like without an engine is what MuJoCo has them look like.
#include "physics/mujoco/look.h"
#include "core/approx.h"

#include "core/random.h"
#include "physics/mujoco/numbers.h"
#include "physics/mujoco/station.h"
#include "physics/mujoco/testing.h"
#include "sensing/intersect.h"
#include "shapes/tessellate.h"

namespace look_test {

using namespace convoy;
using namespace convoy::mujoco;

namespace {

// Every kind of joint, several to a body, away from 0 at rest; a mocap body, what hangs on it, and two free bodies.
constexpr const char* kAllJoints = R"(<mujoco><worldbody>
  <body name="base" pos="0.1 -0.2 0.4" quat="0.9 0.1 -0.2 0.3"><freejoint/><geom size="0.1" mass="1"/>
    <body name="shoulder" pos="0.2 0 0.1" quat="1 1 0 0"><joint name="s" type="ball" pos="0.01 0.02 -0.03"/>
      <geom type="capsule" size="0.02 0.1" mass="1"/>
      <body name="slider" pos="0 0.1 0"><joint name="x" type="slide" axis="1 0 1" ref="0.2"/>
        <joint name="h" axis="0 1 2" pos="0.1 0 0" ref="0.3"/><joint name="g" axis="1 0 0" pos="0 -0.1 0"/>
        <geom type="box" size="0.1 0.02 0.03" mass="1"/></body></body></body>
  <body name="hand" mocap="true" pos="1 0 1" quat="0 1 0 0"><geom size="0.05" contype="0" conaffinity="0"/>
    <body name="finger" pos="0 0 0.1" euler="10 20 30"><geom size="0.02" contype="0" conaffinity="0"/></body></body>
  <body name="loose" pos="2 0 1"><freejoint/><geom type="cylinder" size="0.1 0.2"/></body>
  <body name="post" pos="-1 0 0"><joint name="p" axis="0 0 1"/><geom type="ellipsoid" size="0.1 0.2 0.3"/></body>
</worldbody><keyframe><key name="home" qvel="0 0 0 0 0 0  1 2 3  0 0 0  0 0 0 0 0 0  0"/></keyframe></mujoco>)";

// A quaternion of any length.
void draw_quat(Random& random, double* q) {
  for (int i = 0; i < 4; ++i) q[i] = random.uniform(-2, 2);
}

// The largest distance between a link as we have it and MuJoCo's, m, and in its axes.
double farthest(const ImportedModel& model, const Pose& X_WF, int draws) {
  Stage stage(model);
  const Compiled& c = stage.robot().compiled();
  const mjModel* m = c.model;
  ModelFiles files;
  for (const Bytes& bytes : model.files) add(files, bytes);
  const Result<Shapes> shapes = shapes_of(model.model, files);
  if (!shapes) FAIL(shapes.error().message());
  REQUIRE(shapes->links.size() == static_cast<std::size_t>(m->nbody));

  Station station(c);
  station.stand(X_WF);
  mjData* d = mj_makeData(m);
  Random random{7};
  double out = 0;
  for (int i = 0; i < draws; ++i) {
    for (int j = 0; j < m->njnt; ++j) {
      double* at = d->qpos + m->jnt_qposadr[j];
      const int type = m->jnt_type[j];
      if (type == mjJNT_FREE)
        for (int k = 0; k < 3; ++k) at[k] = random.uniform(-3, 3);
      if (type == mjJNT_FREE || type == mjJNT_BALL) draw_quat(random, at + (type == mjJNT_FREE ? 3 : 0));
      else at[0] = random.uniform(-4, 4);
    }
    if (!c.fixed_base) put(d->qpos + c.free[0].place.qpos + 3, unit(quat(d->qpos + c.free[0].place.qpos + 3)));
    for (int k = 0; k < m->nmocap; ++k) {
      for (int n = 0; n < 3; ++n) d->mocap_pos[3 * k + n] = random.uniform(-3, 3);
      draw_quat(random, d->mocap_quat + 4 * k);
    }
    mj_kinematics(m, d);
    State state;
    std::vector<double> tail(tail_size(model.model));
    station.read(d, {}, state, tail);
    std::vector<Pose> X_WL;
    place_links(*shapes, {state.pose, file_frame(*shapes, state.pose, X_WF), tail}, X_WL);
    for (int b = 0; b < m->nbody; ++b) {
      const Pose wanted = X_WF * Pose{vec(d->xpos + 3 * b), quat(d->xquat + 4 * b)};
      const Pose& got = X_WL[static_cast<std::size_t>(b)];
      for (const Vec3& p : {Vec3{}, Vec3{1, 0, 0}, Vec3{0, 1, 0}}) {
        const double apart = norm((wanted * Pose{p, {}}).p - (got * Pose{p, {}}).p);
        REQUIRE(apart == apart);
        out = std::max(out, apart);
      }
    }
  }
  mj_deleteData(d);
  return out;
}

// What a ray meets of it, all shapes tested one by one; below 0: nothing.
double nearest(const Shapes& shapes, const std::vector<Pose>& X_WL, const Vec3& origin, const Vec3& direction) {
  double out = HUGE_VAL;
  for (const Shape& shape : shapes.shapes) {
    if (!shape.visible) continue;
    const Line line = ShapeFrame(X_WL[shape.link] * shape.X_LS).line(origin, direction, 0);
    if (shape.kind != Shape::Kind::kMesh && shape.kind != Shape::Kind::kTerrain) {
      out = std::min(out, range_of(line, shape.kind, shape.size));
      continue;
    }
    const TriangleLine through(line);
    for (const auto& triangle : surface_of(shape, shapes)) out = std::min(out, through.range_of(triangle));
  }
  return out == HUGE_VAL ? -1 : out;
}

}  // namespace

TEST_CASE("rays meet what a model looks like where MuJoCo's own do") {
  // A hill, a mesh and every primitive; what is in the groups of collision shapes is not seen.
  const std::string zoo = R"(<mujoco><asset><mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1  1 1 1"/>
      <hfield name="hill" nrow="6" ncol="7" size="3 2 1.2 0.1" elevation="0 1 0 0.3 0.2 0.9 0  0 0.5 0 0.1 0.2 0.9 0
        0 1 0.7 0.3 0.2 0.9 0  0 0.2 0 0.3 0.8 0.9 0  0 1 0 0.3 0.2 0.1 0  0 0.4 0.6 0.3 0.2 0.9 0"/></asset><worldbody>
    <geom type="hfield" hfield="hill" pos="0 0 -0.5"/>
    <body pos="0 0 2"><freejoint/><geom size="0.2"/><geom type="capsule" size="0.1 0.3" pos="0.7 0 0" euler="20 40 0"/>
      <geom type="cylinder" size="0.2 0.2" pos="-0.7 0 0" euler="50 0 10"/><geom type="box" size="0.2 0.3 0.1" pos="0 0.8 0"/>
      <geom type="ellipsoid" size="0.1 0.2 0.3" pos="0 -0.8 0" euler="0 0 30"/>
      <geom type="mesh" mesh="wedge" pos="0.2 0.2 0.6"/><geom type="box" size="2 2 2" group="3"/></body>
    </worldbody></mujoco>)";
  for (const ImportedModel& model :
       {written(zoo, Ground::kNone), shipped("humanoid"), shipped("arm"), shipped("rover")}) {
    CAPTURE(model.model.files[0].name);
    Stage stage(model);
    const Compiled& c = stage.robot().compiled();
    ModelFiles files;
    for (const Bytes& bytes : model.files) add(files, bytes);
    const Shapes shapes = *shapes_of(model.model, files);
    std::vector<Pose> X_WL;
    place_links(shapes, {stage.state.pose, {}, stage.tail}, X_WL);
    const Unfolded now(stage.robot());
    const mjtByte groups[] = {1, 1, 1, 0, 0, 0};
    Random random{9};
    int met = 0;
    for (int i = 0; i < 3000; ++i) {
      const Vec3 origin{random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(3, 4)};
      const Vec3 aim = i % 2 == 0 ? Vec3{random.uniform(-2, 2), random.uniform(-1.5, 1.5), 0}
                                  : X_WL[random.below(X_WL.size())].p + Vec3{random.uniform(-0.6, 0.6), 0, 0};
      const Vec3 way = aim - origin;
      const Vec3 direction = (1 / norm(way)) * way;
      double from[3], along[3];
      put(from, origin), put(along, direction);
      int geom = -1;
      const double theirs = mj_ray(c.model, now.get(), from, along, groups, 1, -1, &geom, nullptr);
      if (geom >= 0 && c.model->geom_type[geom] == mjGEOM_PLANE) continue;  // the ground is the world's
      const double ours = nearest(shapes, X_WL, origin, direction);
      met += ours > 0;
      // Their triangles let a ray pass that meets an edge.
      REQUIRE(std::fabs(ours - theirs) < 1e-9);
    }
    CHECK(met > 100);
  }
}

TEST_CASE("links are where MuJoCo has them, for 100 drawn positions of every model, at the origin and 1 km away") {
  std::vector<ImportedModel> models;
  for (const char* name : {"arm", "humanoid", "quadruped", "rover", "turtlebot3_burger", "turtlebot3_waffle", "yard"})
    models.push_back(shipped(name));
  models.push_back(written(kAllJoints));
  for (const ImportedModel& model : models) {
    CAPTURE(model.model.files[0].name);
    CHECK(farthest(model, {}, 100) < 1e-12);
    CHECK(farthest(model, {{800, -600, 0}, {0.8, 0, 0, -0.6}}, 100) < 1e-9);
  }
}

TEST_CASE("the numbers of ball joints and mocap bodies are in the tail") {
  const ImportedModel model = written(kAllJoints);
  const std::vector<std::string>& joints = model.model.joints;
  REQUIRE(joints.size() == 4 + 4 + 7 + 7 + 7);
  CHECK(joints[3] == "p");
  CHECK(joints[4] == "s:qw");
  CHECK(joints[7] == "s:qz");
  CHECK(joints[8] == "hand:x");
  CHECK(joints[15] == "base:x");  // what stands in the file fixes the robot's frame
  CHECK(joints[22] == "loose:x");
  CHECK(model.model.start[8] == 1);
  CHECK(model.model.start[12] == 1);

  const Pose at{{5, 6, 0}, {0, 0, 0, 1}};
  Stage dut(model, at);
  CHECK(dut.tail[8] == 4);  // 1 m behind it, who looks back
  CHECK(dut.tail[22] == 3);
  const std::vector<double> before = dut.tail;
  REQUIRE(dut.run(0.1));
  CHECK(dut.tail[8] == approx(4).epsilon(1e-15));
  CHECK(dut.tail[4] != before[4]);
  CHECK(dut.tail[joints.size() + 4] == 0);
  CHECK(dut.tail[joints.size() + 5] != 0);
}

TEST_CASE("colours, materials, groups and rest shapes are the file's") {
  const ImportedModel model = written(R"(<mujoco><asset>
      <texture name="t" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1" width="8" height="4"/>
      <texture type="skybox" builtin="flat" width="16" height="16"/>
      <material name="red" rgba="1 0 0 1" texture="t" texrepeat="3 2" reflectance="0.4"/>
      <mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/>
      <hfield name="hill" nrow="2" ncol="3" size="4 2 1.5 0.1" elevation="0 1 0  0 0.5 0"/></asset><worldbody>
    <geom name="hill" type="hfield" hfield="hill" rgba="0 0.5 0 1"/>
    <body name="b"><freejoint/>
      <geom name="by material" size="0.1" material="red"/><geom name="by itself" size="0.1" material="red" rgba="0 1 0 1"/>
      <geom name="hull" type="box" size="0.1 0.2 0.3" group="3"/><geom name="ghost" size="0.1" rgba="1 1 1 0"/>
      <geom name="mesh" type="mesh" mesh="wedge" contype="0" conaffinity="0"/></body>
    </worldbody></mujoco>)");
  ModelFiles files;
  for (const Bytes& bytes : model.files) add(files, bytes);
  const Shapes s = *shapes_of(model.model, files);
  const auto shape = [&](const std::string& name) -> const Shape& {
    const auto at = std::find_if(s.shapes.begin(), s.shapes.end(), [&](const Shape& one) { return one.name == name; });
    REQUIRE(at != s.shapes.end());
    return *at;
  };

  CHECK(s.category == "object");
  CHECK(shape("by material").color == Color{255, 0, 0, 255});
  CHECK(shape("by itself").color == Color{0, 255, 0, 255});
  CHECK(shape("by itself").material == shape("by material").material);
  const Material& red = s.materials[shape("by material").material];
  CHECK(red.repeat_x == 3);
  CHECK(red.reflectance == approx(0.4));
  REQUIRE(s.textures.size() == 1);  // the sky is no part of it
  CHECK(s.textures[red.texture].width == 8);
  CHECK(s.textures[red.texture].pixels.size() == 8 * 4 * 3);
  CHECK_FALSE(shape("hull").visible);
  CHECK(shape("hull").solid);
  CHECK_FALSE(shape("ghost").visible);
  CHECK(shape("mesh").visible);
  CHECK_FALSE(shape("mesh").solid);
  const Mesh& mesh = s.meshes[shape("mesh").data];
  CHECK(mesh.corner_count() == 4);
  CHECK(mesh.triangle_count() == 4);
  const Terrain& hill = s.terrains[shape("hill").data];
  CHECK(hill.height(1, 0) == 0.75);  // the last line of the file is the nearest along y
  CHECK(hill.height(1, 1) == 1.5);
  CHECK(s.links[0].base == Link::Base::kPlace);
  CHECK(s.links[1].base == Link::Base::kRobot);
}

TEST_CASE("what is all in the groups of collision shapes is seen as it is") {
  const ImportedModel model =
      written("<mujoco><worldbody><body><freejoint/><geom size='0.1' group='3'/></body></worldbody></mujoco>");
  ModelFiles files;
  for (const Bytes& bytes : model.files) add(files, bytes);
  const Shapes s = *shapes_of(model.model, files);
  CHECK(std::count_if(s.shapes.begin(), s.shapes.end(),
                      [](const Shape& shape) { return shape.visible && shape.kind == Shape::Kind::kSphere; }) == 1);
}

TEST_CASE("a flexible body has its rest shape, and the report names it") {
  const ImportedModel model = written(R"(<mujoco><worldbody>
      <flexcomp name="cloth" type="grid" count="3 3 1" spacing="0.1 0.1 0.1" dim="2" mass="0.1" pos="1 0 1"/>
    </worldbody></mujoco>)");
  ModelFiles files;
  for (const Bytes& bytes : model.files) add(files, bytes);
  const Shapes s = *shapes_of(model.model, files);
  CHECK(s.at_rest == std::vector<std::string>{"cloth"});
  REQUIRE(s.meshes.size() == 1);
  CHECK(s.meshes[0].corner_count() == 9);
  CHECK(s.meshes[0].triangle_count() == 8);
  const auto& lost = model.report.lost;
  CHECK(
      std::any_of(lost.begin(), lost.end(), [](const std::string& line) { return line.starts_with("'cloth' bends"); }));
}

}  // namespace look_test
