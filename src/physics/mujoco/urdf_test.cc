#include <algorithm>

#include "core/approx.h"
#include "physics/mujoco/testing.h"

namespace urdf_test {

using namespace convoy;
using namespace convoy::mujoco;

namespace {

constexpr const char* kInertia =
    "<inertial><mass value='0.3'/><inertia ixx='1e-3' ixy='0' ixz='0' iyy='1e-3' iyz='0' izz='1e-3'/></inertial>";

// A base that nothing fixes, with two wheels, a lift, a finger that mimics it, and a frame for a sensor.
std::string robot(const std::string& visual, const std::string& extra = "") {
  const std::string i = kInertia;
  const auto wheel = [&](const char* name, const char* y) {
    return std::string("<joint name='") + name + "_joint' type='continuous'><parent link='base_link'/><child link='" +
           name + "'/><origin xyz='0 " + y + " 0.023' rpy='-1.5707963 0 0'/><axis xyz='0 0 1'/></joint><link name='" +
           name + "'><collision><geometry><cylinder length='0.018' radius='0.033'/></geometry></collision>" + kInertia +
           "</link>\n";
  };
  return "<robot name='tb'>\n<link name='base_footprint'/>\n<joint name='b' type='fixed'><parent "
         "link='base_footprint'/><child "
         "link='base_link'/><origin xyz='0 0 0.01'/></joint>\n<link name='base_link'>" +
         visual +
         "<collision><origin xyz='-0.03 0 0.04'/><geometry><box size='0.14 0.13 0.06'/></geometry></collision>"
         "<inertial><origin xyz='-0.01 0 0.02'/><mass value='2'/><inertia ixx='4e-3' ixy='0' ixz='0' iyy='4e-3' "
         "iyz='0' izz='4e-3'/>"
         "</inertial></link>\n" +
         wheel("left", "0.08") + wheel("right", "-0.08") +
         "<joint name='caster_joint' type='fixed'><parent link='base_link'/><child link='caster'/><origin xyz='-0.08 0 "
         "-0.005'/></joint>"
         "<link name='caster'><collision><geometry><sphere radius='0.005'/></geometry></collision></link>"
         "<joint name='lift' type='prismatic'><parent link='base_link'/><child link='fork'/><axis xyz='0 0 1'/>"
         "<limit lower='0' upper='0.1' effort='20' velocity='1'/></joint><link name='fork'>" +
         i +
         "</link>"
         "<joint name='finger' type='prismatic'><parent link='fork'/><child link='tip'/><axis xyz='0 1 0'/>"
         "<limit lower='-1' upper='1' effort='20' velocity='1'/><mimic joint='lift' multiplier='-0.5' "
         "offset='0.01'/></joint>"
         "<link name='tip'>" +
         i +
         "</link>"
         "<joint name='imu_joint' type='fixed'><parent link='base_link'/><child link='imu_link'/><origin xyz='0 0 "
         "0.1'/></joint>"
         "<link name='imu_link'/>" +
         extra + "</robot>";
}

Result<ImportedModel> import_of(const std::string& urdf, std::map<std::string, std::string> more = {}) {
  REQUIRE(start(CONVOY_MUJOCO_PLUGINS));
  more["/ws/tb_description/urdf/tb.urdf"] = urdf;
  return import_model("/ws/tb_description/urdf/tb.urdf",
                      {of(std::move(more)), {"/roots/a"}, "dut", {"left_joint"}, {"right_joint"}});
}

bool loses(const ImportedModel& made, const std::string& line) {
  return std::find(made.report.lost.begin(), made.report.lost.end(), line) != made.report.lost.end();
}

constexpr const char* kTextStl =
    "solid t\nfacet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\n"
    "facet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet\n"
    "facet normal -1 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nendloop\nendfacet\n"
    "facet normal 1 1 1\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\nendsolid t\n";

// A COLLADA tetrahedron in millimetres, whose file has y as its up axis.
constexpr const char* kCollada = R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit name="mm" meter="0.001"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="pa" count="12">0 0 0 100 0 0 0 200 0 0 0 300</float_array>
<technique_common><accessor source="#pa" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>)";

}  // namespace

TEST_CASE("a URDF robot floats, drives on its wheels and keeps its fixed frames; what it loses is reported") {
  const auto made = import_of(robot("", "<gazebo/><gazebo/><transmission/>"));
  REQUIRE_MESSAGE(made, made.error().message());
  CHECK(made->model.joints == std::vector<std::string>{"left_joint", "right_joint", "lift", "finger"});
  CHECK(made->model.actuators == std::vector<std::string>{"left_joint", "right_joint", "lift"});
  CHECK(loses(*made, "of <gazebo> only what names wheels and friction is read (2 times)"));
  CHECK(loses(*made, "of <transmission> only what names wheels and friction is read"));
  CHECK(loses(*made, "a joint's velocity limit is not kept (2 times)"));
  CHECK(std::count(made->report.made.begin(), made->report.made.end(),
                   "the base 'base_footprint' floats: it hangs on no link 'world'") == 1);

  Stage dut(*made, {{1, 1, 0}, {}});
  CHECK(mj_name2id(dut.robot().compiled().model, mjOBJ_BODY, "imu_link") >= 0);
  REQUIRE(dut.run(0.5));
  const bool fine = dut.run(3, {{0.2, 0, 0}, {}}, {{2, 0.08}});
  REQUIRE_MESSAGE(fine, dut.fault);
  CHECK(dut.state.pose.p.x == approx(1.6).epsilon(0.05));
  CHECK(dut.tail[2] == approx(0.0506).epsilon(0.02));  // its servo gives way to what it lifts
  CHECK(dut.tail[3] == about(0.01 - 0.5 * dut.tail[2], 0.01));
}

TEST_CASE("a robot that hangs on the link world is fixed") {
  const std::string i = kInertia;
  const auto made = import_model(
      "/a.urdf",
      {of({{"/a.urdf",
            "<robot name='a'><link name='world'/><joint name='f' type='fixed'><parent link='world'/>"
            "<child link='base'/></joint><link name='base'>" +
                i +
                "</link><joint name='j' type='revolute'><parent link='base'/><child link='l'/>"
                "<axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='5' velocity='1'/></joint><link name='l'>" +
                i + "</link></robot>"}}),
       {},
       "dut",
       {},
       {}});
  REQUIRE_MESSAGE(made, made.error().message());
  Stage dut(*made, {{3, 0, 0}, {}});
  REQUIRE(dut.run(1, {}, {{0, 0.5}}));
  CHECK(dut.state.pose == Pose{{3, 0, 0}, {}});
  CHECK(dut.tail[0] == approx(0.5).epsilon(0.05));
}

TEST_CASE("meshes are found by package, and those that MuJoCo does not read are converted") {
  const auto mesh = [](const char* uri) {
    return std::string("<visual><geometry><mesh filename='") + uri + "'/></geometry></visual>";
  };
  for (const auto& found :
       {std::pair{"/ws/tb_description/urdf/../../tb_description/meshes/b.stl", "package://tb_description/meshes/b.stl"},
        {"/roots/a/share/tb_description/meshes/b.stl", "package://tb_description/meshes/b.stl"},
        {"/ws/tb_description/urdf/../meshes/b.stl", "../meshes/b.stl"},
        {"/elsewhere/b.stl", "file:///elsewhere/b.stl"}}) {
    const std::string path = found.first, uri = found.second;
    CAPTURE(uri);
    const auto made = import_of(robot(mesh(uri.c_str())), {{path, kTextStl}});
    REQUIRE_MESSAGE(made, made.error().message());
    CHECK(made->files.size() == 3);  // the document, the mesh, and the shapes that it makes
  }
  const auto missing = import_of(robot(mesh("package://tb_description/meshes/b.stl")));
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message().starts_with(
      "/ws/tb_description/urdf/tb.urdf:4: no mesh 'package://tb_description/meshes/b.stl'; tried "));
  CHECK(missing.error().message().find("/roots/a/tb_description/share/tb_description/meshes/b.stl") !=
        std::string::npos);

  const auto dae =
      import_of(robot(mesh("package://tb_description/b.dae")), {{"/roots/a/tb_description/b.dae", kCollada}});
  REQUIRE_MESSAGE(dae, dae.error().message());
  Stage dut(*dae);
  const mjModel* m = dut.robot().compiled().model;
  REQUIRE(m->nmesh == 1);
  float high[3] = {0, 0, 0};  // in metres, and z as the file has it
  for (int v = 0; v < m->mesh_vertnum[0]; ++v)
    for (int a = 0; a < 3; ++a) high[a] = std::max(high[a], m->mesh_vert[3 * v + a]);
  float low[3] = {0, 0, 0};
  for (int v = 0; v < m->mesh_vertnum[0]; ++v)
    for (int a = 0; a < 3; ++a) low[a] = std::min(low[a], m->mesh_vert[3 * v + a]);
  std::vector<float> sizes;
  for (int a = 0; a < 3; ++a) sizes.push_back(high[a] - low[a]);
  CHECK(*std::max_element(sizes.begin(), sizes.end()) < 0.5f);
  CHECK(*std::max_element(sizes.begin(), sizes.end()) > 0.1f);
}

TEST_CASE("xacro is refused with the command that expands it") {
  const auto by_name = import_model("/r/tb.urdf.xacro", {of({{"/r/tb.urdf.xacro", "<robot/>"}}), {}, "dut", {}, {}});
  REQUIRE_FALSE(by_name);
  CHECK(by_name.error().message() ==
        "/r/tb.urdf.xacro: this is xacro; expand it first: xacro /r/tb.urdf.xacro > /r/tb.urdf, or let it run here: "
        "--trust");
  const auto by_content = import_of("<robot xmlns:xacro='x'><xacro:include filename='a'/></robot>");
  REQUIRE_FALSE(by_content);
  CHECK(by_content.error().message().find("this is xacro") != std::string::npos);
}

TEST_CASE("an error in a URDF names its line") {
  const auto made = import_of(
      "<robot name='r'>\n<link name='a'/>\n<joint name='j' type='fixed'><parent link='a'/>\n<child "
      "link='nobody'/></joint></robot>");
  REQUIRE_FALSE(made);
  CHECK(made.error().message().starts_with("/ws/tb_description/urdf/tb.urdf"));
}

}  // namespace urdf_test
