#include <algorithm>

#include "core/approx.h"
#include "physics/mujoco/testing.h"
#include "shapes/shapes.h"

namespace import_test {

using namespace convoy;
using namespace convoy::mujoco;

namespace {

Result<ImportedModel> import_of(std::map<std::string, std::string> files, const std::string& path = "/r/main.xml") {
  REQUIRE(start(CONVOY_MUJOCO_PLUGINS));
  return import_model(path, {of(std::move(files)), {"/roots/a"}, "dut", {}, {}});
}

std::string error_of(std::map<std::string, std::string> files) {
  const auto made = import_of(std::move(files));
  REQUIRE_FALSE(made);
  return made.error().message();
}

// A binary STL of one tetrahedron.
std::string tetrahedron() {
  const float corners[4][3] = {{0, 0, 0}, {0.1f, 0, 0}, {0, 0.1f, 0}, {0, 0, 0.1f}};
  const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  std::string out(80, ' ');
  const auto put = [&](const void* data, std::size_t n) { out.append(static_cast<const char*>(data), n); };
  const std::uint32_t count = 4;
  put(&count, 4);
  for (const auto& face : faces) {
    const float normal[3] = {0, 0, 0};
    put(normal, 12);
    for (int corner : face) put(corners[corner], 12);
    const char attribute[2] = {};
    put(attribute, 2);
  }
  return out;
}

}  // namespace

TEST_CASE("an error in an included file names that file and its line") {
  const std::string main = "<mujoco>\n<include file='parts/arm.xml'/>\n</mujoco>";
  CHECK(error_of(
            {{"/r/main.xml", main},
             {"/r/parts/arm.xml",
              "<mujoco>\n<worldbody>\n<body>\n\n<geom type='spere' size='1'/>\n</body>\n</worldbody>\n</mujoco>"}}) ==
        "/r/parts/arm.xml:5: XML Error: invalid keyword: 'spere' Element 'geom'");
  CHECK(error_of({{"/r/main.xml", main},
                  {"/r/parts/arm.xml", "<mujoco>\n<worldbody>\n<body name='b'>\n<joint/></body></worldbody></mujoco>"}})
            .starts_with("/r/parts/arm.xml:3: Error: mass and inertia of moving bodies"));
  CHECK(error_of({{"/r/main.xml", main}, {"/r/parts/arm.xml", "<mujoco>\n<worldbody>\n</mujoco>"}})
            .starts_with("/r/parts/arm.xml:2: not well-formed XML"));
  CHECK(error_of({{"/r/main.xml", main}}) == "/r/main.xml:2: no file 'parts/arm.xml'; tried /r/parts/arm.xml");
  CHECK(error_of({{"/r/main.xml", "<mujoco>\n<include file='main.xml'/></mujoco>"}}) ==
        "/r/main.xml:2: the file '/r/main.xml' is included twice");
}

TEST_CASE("a missing mesh lists the paths that were tried") {
  CHECK(error_of({{"/r/main.xml",
                   "<mujoco>\n<compiler meshdir='assets'/>\n<asset>\n<mesh file='a/b.stl'/></asset></mujoco>"}}) ==
        "/r/main.xml:4: no file 'a/b.stl' for <mesh>; tried /r/assets/a/b.stl, /roots/a/assets/a/b.stl");
}

TEST_CASE("files travel by their content, and nothing of the caller's paths is left") {
  const std::map<std::string, std::string> files = {
      {"/r/main.xml",
       "<mujoco><compiler meshdir='m'/><asset><mesh file='part.STL'/><mesh name='again' file='part.STL'/></asset>"
       "<include file='body.xml'/></mujoco>"},
      {"/r/body.xml",
       "<x><worldbody><body><freejoint/><geom type='mesh' mesh='part'/><geom type='mesh' mesh='again'/></body>"
       "</worldbody></x>"},
      {"/r/m/part.STL", tetrahedron()}};
  const auto made = import_of(files);
  REQUIRE_MESSAGE(made, made.error().message());
  REQUIRE(made->files.size() == 3);  // the document, the mesh, and the shapes that it makes
  CHECK(made->model.files[2].name == kShapesFile);
  const std::string text(made->files[0].begin(), made->files[0].end());
  CHECK(text.find("/r/") == std::string::npos);
  CHECK(text.find("part.STL") == std::string::npos);
  CHECK(made->model.files[1].name == hex16(hash64(made->files[1])) + ".stl");
  std::map<std::string, std::string> moved;
  for (const auto& [path, text_of] : files) moved["/elsewhere" + path.substr(2)] = text_of;
  const auto again = import_of(moved, "/elsewhere/main.xml");
  REQUIRE_MESSAGE(again, again.error().message());
  CHECK(again->files == made->files);
  CHECK(again->model == made->model);
  Stage dut(*made);
  CHECK(dut.run(0.1));
}

TEST_CASE("a document is solved as it is written, wherever the robot is made") {
  const char* xml = R"(<mujoco><worldbody>
    <geom type="plane" size="1 1 1" friction="0.3"/>
    <geom name="post" type="box" pos="0.5 0 0.1" size="0.05 0.05 0.1"/>
    <body name="base"><geom type="cylinder" size="0.1 0.05"/>
      <body name="link" pos="0 0 0.1"><joint name="j" axis="0 0 1" damping="1"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/></body>
    </body></worldbody><actuator><position name="p" joint="j" kp="50"/></actuator>
    <keyframe><key name="home" qpos="0.4" ctrl="0.4"/></keyframe></mujoco>)";
  Stage dut(written(xml), {{5, 6, 0}, {0, 0, 0, 1}});
  CHECK(dut.model().joints == std::vector<std::string>{"j"});
  CHECK(dut.model().actuators == std::vector<std::string>{"p"});
  CHECK(dut.tail[0] == 0.4);  // of the keyframe, before the first tick
  REQUIRE(dut.run(1));
  CHECK(dut.state.pose == Pose{{5, 6, 0}, {0, 0, 0, 1}});
  const mjModel* m = dut.robot().compiled().model;
  const int post = mj_name2id(m, mjOBJ_GEOM, "post");
  CHECK(m->geom_bodyid[post] == 0);
  CHECK(Unfolded(dut.robot())->geom_xpos[3 * post] == 0.5);
  CHECK(dut.tail[0] == approx(0.4).epsilon(0.05));
  REQUIRE(dut.run(2, {}, {{0, -0.5}}));
  CHECK(dut.tail[0] == approx(-0.5).epsilon(0.05));
}

TEST_CASE("the same model anywhere is the same motion: robots differ by where they are made alone") {
  const ImportedModel burger = shipped("turtlebot3_burger");
  Stage here(burger), there(burger, {{100, -50, 0}, {}});
  REQUIRE(here.run(2, {{0.2, 0, 0}, {0, 0, 0.3}}));
  REQUIRE(there.run(2, {{0.2, 0, 0}, {0, 0, 0.3}}));
  CHECK(there.state.pose.p.x - 100 == approx(here.state.pose.p.x).epsilon(1e-3));
  CHECK(there.state.pose.p.y + 50 == approx(here.state.pose.p.y).epsilon(1e-2));
}

TEST_CASE("a model of any size is taken, and the report lists what it has") {
  const ImportedModel made =
      written(R"(<mujoco><worldbody><body><freejoint/><geom type="box" size="5000 1 5000" mass="1e9"/>
    <site name="s"/></body></worldbody><sensor><gyro site="s"/></sensor></mujoco>)");
  CHECK(made.model.height <= 1000);
  CHECK(made.model.mass < 1e6);
  CHECK(std::count(made.report.made.begin(), made.report.made.end(),
                   "1 sensors are computed, and published over ZeroMQ alone") == 1);
  Stage dut(made);
  CHECK(dut.run(0.05));
}

TEST_CASE("what is neither MJCF nor URDF is refused with what it is") {
  CHECK(error_of({{"/r/main.xml", "<sdf version='1.6'/>"}}) ==
        "/r/main.xml:1: <sdf> has neither a <model> nor a <world>");
  CHECK(error_of({{"/r/main.xml", "\n<html/>"}}) == "/r/main.xml:2: <html> is none of <mujoco>, <robot> and <sdf>");
}

TEST_CASE("a keyframe names positions in the document's order, whether what is fixed comes before or behind") {
  const std::string arm = "<body name='arm' pos='1 0 0.5'><joint name='turn' axis='0 0 1'/><geom size='0.1'/></body>";
  const std::string crate = "<body name='crate' pos='0 0 0.1'><freejoint/><geom type='box' size='0.1 0.1 0.1'/></body>";
  const std::string loose = " 4 5 0.6 1 0 0 0";
  const auto document = [&](const std::string& bodies, const std::string& qpos) {
    return "<mujoco><worldbody><body name='hand' mocap='true'/>" + bodies + "</worldbody><keyframe><key qpos='" + qpos +
           "' mpos='7 8 9'/></keyframe></mujoco>";
  };
  for (const auto& text : {document(arm + crate, "0.3" + loose), document(crate + arm, loose + " 0.3")}) {
    Stage dut(written(text), {{10, 0, 0}, {}});
    const auto& joints = dut.model().joints;
    const auto of = [&](const char* name) {
      return dut.tail[static_cast<std::size_t>(std::find(joints.begin(), joints.end(), name) - joints.begin())];
    };
    CHECK(of("turn") == approx(0.3));
    dut.run(0.01);
    CHECK(of("crate:x") == approx(14));
    const mjModel* m = dut.robot().compiled().model;
    const int hand = m->body_mocapid[mj_name2id(m, mjOBJ_BODY, "hand")];
    CHECK(Unfolded(dut.robot())->mocap_pos[3 * hand] == 7);  // in the file's frame, as all of its numbers
  }
  Stage mixed(written(document(arm + crate + "<body><joint name='last' axis='1 0 0'/><geom size='0.1'/></body>",
                               "0.3" + loose + " 0.1")));
  CHECK(mixed.tail[1] == 0.1);
}

TEST_CASE("a model that came from elsewhere is made anew, and is the same if nobody has touched it") {
  for (const char* name : {"turtlebot3_burger", "arm", "quadruped", "humanoid", "rover", "turtlebot3_waffle"}) {
    CAPTURE(name);
    const ImportedModel made = shipped(name);
    ModelFiles files;
    for (const Bytes& bytes : made.files) add(files, bytes);
    Model lying = made.model;
    lying.max_speed = 1e9, lying.reach = 0.001, lying.joints.push_back("none");

    for (const Model& sent : {made.model, lying}) {
      const auto again = import_again(sent, files);
      REQUIRE_MESSAGE(again, (again ? "" : again.error().message()));
      CHECK(again->model == made.model);
      CHECK(again->files == made.files);
    }
  }
}

TEST_CASE("a document within the world gets no file of the machine that it is on") {
  REQUIRE(start(CONVOY_MUJOCO_PLUGINS));
  const std::string models = CONVOY_SOURCE_DIR "/models";
  const std::string pole = models + "/arm.xml";
  REQUIRE(read_disk(pole));
  const auto refusal = [](const std::string& xml, const std::string& second = "") -> std::string {
    Model model;
    model.name = "m";
    ModelFiles files;
    for (const auto& [name, text] : {std::pair<std::string, std::string>{"m.xml", xml}, {"inner.xml", second}}) {
      if (text.empty()) continue;
      const Bytes bytes(text.begin(), text.end());
      model.files.push_back({name, hash64(bytes)});
      add(files, bytes);
    }
    const auto again = import_again(model, files);
    CHECK_FALSE(again);  // where it arrives
    const Status compiled = Factory().check(model, files, kTick);
    return compiled ? "" : compiled.error().text;  // where it is compiled, whoever let it in
  };
  const std::string inner = "'inner.xml' is none of the model's files";
  CHECK(refusal("<mujoco><include file='" + pole + "'/></mujoco>").find("no file '" + pole) != std::string::npos);
  CHECK(refusal("<mujoco><asset><mesh name='a' file='" + pole + "'/></asset></mujoco>").find("none of the") !=
        std::string::npos);
  CHECK(refusal("<mujoco><asset><model name='a' file='inner.xml'/></asset></mujoco>").find(inner) != std::string::npos);
  CHECK(refusal("<mujoco><asset><model name='a' file='inner.xml'/></asset></mujoco>",
                "<mujoco><asset><texture name='t' type='2d' file='" + pole + "'/></asset></mujoco>")
            .find("none of the model's files") != std::string::npos);
  CHECK(refusal("<mujoco><compiler meshdir='" + models + "'/><asset><mesh name='a' file='inner.xml'/></asset></mujoco>",
                "x")
            .find("has no meshdir") != std::string::npos);
}

TEST_CASE("options from outside stand in the document, and make another model of it") {
  REQUIRE(start(CONVOY_MUJOCO_PLUGINS));
  const std::string xml =
      "<mujoco><option timestep='0.005'/><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>";
  const auto made = [&](EngineOptions options) {
    ImportOptions asked;
    asked.read = of({{"dut.xml", xml}}), asked.name = "dut", asked.options = std::move(options);
    auto out = import_model("dut.xml", asked);
    REQUIRE_MESSAGE(out, out.error().message());
    return *out;
  };
  const ImportedModel plain = made({}), quick = made({{"timestep", "0.001"}, {"solver", "PGS"}});
  CHECK(plain.model.files[0].hash != quick.model.files[0].hash);
  Stage dut(quick);
  const mjModel* m = dut.robot().compiled().model;
  CHECK(m->opt.timestep == 0.001);
  CHECK(m->opt.solver == mjSOL_PGS);
  CHECK(Stage(plain).robot().compiled().model->opt.timestep == 0.005);
}

}  // namespace import_test
