#include "messages/robot_description.h"

#include <cstring>

#include "core/math.h"
#include "core/random.h"
#include "messages/links.h"
#include "messages/testing.h"
#include "messages/urdf_reader.h"
#include "shapes/drive_shapes.h"
#ifdef CONVOY_MUJOCO_PLUGINS
#include <fstream>

#include "physics/mujoco/engine.h"
#include "physics/mujoco/import.h"
#endif

namespace messages_robot_description_test {

using namespace convoy;
using namespace convoy::ros;
using testing::kStamp;
using testing::UrdfReader;

namespace {

Model built_in(const std::string& name) {
  for (const Model& model : built_in_models())
    if (model.name == name) return model;
  FAIL("no such model");
  return {};
}

double distance(const Pose& a, const Pose& b) {
  const Quat d = a.q.conjugate() * b.q;
  return norm(a.p - b.p) + 2 * norm({d.x, d.y, d.z});  // m, and rad of small turns
}

// Numbers of a tail: those of ball joints and free bodies as where nothing moves them.
std::vector<double> numbers_of(const Model& model, const Shapes& shapes, Random* random) {
  std::vector<double> out(model.joints.size(), 0);
  for (const Link& link : shapes.links)
    for (const LinkJoint& joint : link.joints) {
      if (joint.type == LinkJoint::Type::kBall) out[joint.at] = 1;
      else if (random) out[joint.at] = random->uniform(-2, 2);
    }
  return out;
}

// How far the links of the URDF, and those of the transforms, are at most from where src/shapes has them.
double farthest(const Model& model, const Shapes& shapes, const std::vector<double>& numbers) {
  const UrdfReader dut(robot_description(shapes, model, {.name = model.name}));
  std::map<std::string, double> named;
  for (std::size_t i = 0; i < numbers.size(); ++i) named[model.joints[i]] = numbers[i];
  const std::map<std::string, Pose> X_RU = dut.forward(named);
  std::map<std::string, Pose> X_RT{{kBaseFrame, {}}};
  for (const auto& t : link_transforms(shapes, numbers, {}, kStamp).transforms) {
    const auto& p = t.transform.translation;
    const auto& q = t.transform.rotation;
    X_RT[t.child_frame_id] = X_RT.at(t.header.frame_id) * Pose{{p.x, p.y, p.z}, {q.w, q.x, q.y, q.z}};
  }
  std::vector<Pose> X_RL;
  place_links(shapes, {.X_WR = {}, .X_WF = {}, .joints = numbers}, X_RL);
  double out = 0;
  for (const LinkFrame& frame : link_frames(shapes, kBaseFrame)) {
    if (frame.is_base) continue;
    const std::string& name = shapes.links[frame.link].name;
    REQUIRE(X_RU.count(name) == 1);
    out = std::max({out, distance(X_RU.at(name), X_RL[frame.link]), distance(X_RT.at(name), X_RL[frame.link])});
  }
  return out;
}

Link hanging(const std::string& name, std::uint32_t parent, const Pose& X_PL, std::vector<LinkJoint> joints) {
  Link out;
  out.name = name, out.base = parent == kNoPart ? Link::Base::kRobot : Link::Base::kLink, out.parent = parent;
  out.X_PL = X_PL, out.joints = std::move(joints);
  return out;
}

std::string attribute(const tinyxml2::XMLElement& look, const char* geometry, const char* name) {
  const auto* found = look.FirstChildElement("geometry")->FirstChildElement(geometry);
  REQUIRE(found);
  return found->Attribute(name);
}

}  // namespace

TEST_CASE("a TurtleBot has its base, its body and two wheels that turn by the names in joint_states") {
  const Model model = built_in("turtlebot3_burger");
  const Shapes shapes = shapes_of_drive(model);

  const UrdfReader dut(robot_description(shapes, model, {.name = "scout"}));

  CHECK(dut.robot == "scout");
  CHECK(dut.links == std::vector<std::string>{"base_footprint", "base_link", "wheel_left_link", "wheel_right_link"});
  REQUIRE(dut.joints.size() == 3);
  CHECK(dut.joints[0].type == "fixed");
  CHECK(dut.joints[1].name == model.joints[0]);
  CHECK(dut.joints[1].type == "continuous");
  CHECK(dut.joints[1].parent == "base_footprint");
  CHECK(dut.joints[1].axis == Vec3{0, 1, 0});
  CHECK(dut.joints[1].X_PJ.p.y == model.half_separation);
  CHECK(attribute(dut.look("wheel_left_link"), "cylinder", "radius") == "0.033");
  CHECK(dut.look("wheel_left_link").FirstChildElement("material")->FirstChildElement("color")->Attribute("rgba"));
  CHECK(dut.looks.at("base_link")->FirstChildElement("collision"));
}

TEST_CASE("a link moves in its parent if it has a joint, or one that is of the base's frame has") {
  const LinkJoint hinge{};
  Shapes shapes;
  shapes.links = {hanging("base_link", kNoPart, {}, {}), hanging("arm", 0, {}, {hinge}), hanging("hand", 1, {}, {}),
                  hanging("base_footprint", kNoPart, {}, {hinge}), hanging("tail", 3, {}, {})};

  const auto names = [&](bool move) {
    std::string out;
    for (const LinkFrame& frame : links_that(move, link_frames(shapes, kBaseFrame)))
      out += shapes.links[frame.link].name + " ";
    return out;
  };
  CHECK(names(false) == "base_link hand ");
  CHECK(names(true) == "arm tail ");
}

TEST_CASE("kinematic robots' links are where src/shapes has them, at zero and turned") {
  Random random{3};
  for (const Model& model : built_in_models()) {
    CAPTURE(model.name);
    const Shapes shapes = shapes_of_drive(model);
    std::vector<double> numbers = numbers_of(model, shapes, nullptr);
    CHECK(farthest(model, shapes, numbers) < 1e-9);
    numbers = numbers_of(model, shapes, &random);
    if (model.drive == Drive::kAckermann) numbers[0] = 0;  // its wheels stand at angles of their own
    CHECK(farthest(model, shapes, numbers) < 1e-9);
  }
}

TEST_CASE("a steered axle's wheels mimic its middle, which is limited as the model's steering") {
  for (const Model& model : built_in_models()) {
    if (model.drive != Drive::kAckermann) continue;
    const UrdfReader dut(robot_description(shapes_of_drive(model), model, {.name = "cart"}));

    const auto& steering = dut.joint_named(model.joints[0]);
    CHECK(steering.type == "revolute");
    CHECK(steering.high == model.max_steering);
    CHECK(dut.joint_named(model.joints[0] + "_mimic").mimics == model.joints[0]);
    CHECK(dut.joint_named(model.joints[1] + "_mimic").mimics == model.joints[1]);
  }
}

TEST_CASE("joints beside the origin, several of a link, away from 0 at rest, end where src/shapes has them") {
  Model model;
  model.name = "made", model.joints = {"lift", "turn", "swing"};
  Shapes shapes;
  const LinkJoint lift{LinkJoint::Type::kSlide, 0, {}, {0.6, 0, 0.8}, 0.2, 0};
  const LinkJoint turn{LinkJoint::Type::kHinge, 1, {0.1, 0.2, 0.3}, {0, 0.6, 0.8}, 0.3, 0};
  const LinkJoint swing{LinkJoint::Type::kHinge, 2, {0, -0.1, 0}, {1, 0, 0}, -0.7, 0};
  const Pose X_PL{{1, 2, 3}, unit({1, 0.2, -0.3, 0.4})}, upright{{0, 0, 1}, from_axis_angle({0, 1, 0}, math::kPi / 2)};
  shapes.links = {hanging("mast", kNoPart, upright, {}), hanging("hand", 0, X_PL, {lift, turn, swing}),
                  hanging("finger", 1, X_PL, {turn})};
  Random random{5};

  CHECK(farthest(model, shapes, {0, 0, 0}) < 1e-9);
  CHECK(farthest(model, shapes, {0.2, 0.3, -0.7}) < 1e-9);
  CHECK(farthest(model, shapes, numbers_of(model, shapes, &random)) < 1e-9);
  const UrdfReader dut(robot_description(shapes, model, {.name = "made", .limits = {{"swing", -1, 2}}}));
  CHECK(dut.joint_named("lift").type == "prismatic");
  CHECK(dut.joint_named("turn").type == "continuous");
  CHECK(dut.joint_named("swing").type == "revolute");
  CHECK(dut.joint_named("swing").low == -1);
  CHECK(dut.joint_named("turn_mimic").mimics == "turn");
  CHECK(dut.has_link("hand__lift"));
}

TEST_CASE("the base may be a link of the model, and what moves freely beside the robot is left out") {
  Model model;
  Shapes shapes;
  Shape box;
  box.kind = Shape::Kind::kBox, box.size = {1, 1, 1}, box.link = 1;
  shapes.links = {hanging("base_link", kNoPart, {{0, 0, 0.5}, {}}, {}),
                  hanging("base_footprint", 0, {{0, 0, -0.25}, {}}, {}), hanging("lamp", 1, {{1, 0, 0}, {}}, {}),
                  hanging("ball", kNoPart, {}, {}), hanging("ribbon", 3, {}, {})};
  shapes.links[3].base = Link::Base::kFree;
  shapes.shapes = {box};

  const UrdfReader dut(robot_description(shapes, model, {.name = "r"}));

  CHECK(dut.links == std::vector<std::string>{"base_footprint", "base_link", "lamp"});
  CHECK(dut.look("base_footprint").FirstChildElement("origin")->Attribute("xyz") == std::string("0 0 0.25"));
  CHECK(farthest(model, shapes, {}) < 1e-12);
}

TEST_CASE("every kind of shape has a geometry of URDF, and names are escaped") {
  Model model;
  Shapes shapes;
  Mesh wedge;
  add_corner(wedge, 0, 0, 0), add_corner(wedge, 2, 0, 0), add_corner(wedge, 0, 4, 0), add_corner(wedge, 0, 0, 6);
  add_triangle(wedge, 0, 1, 2);
  shapes.meshes = {wedge};
  shapes.links = {hanging("a<b> & \"c\"", kNoPart, {}, {})};
  using Kind = Shape::Kind;
  for (const auto& [kind, size] : std::vector<std::pair<Kind, Vec3>>{{Kind::kSphere, {1, 0, 0}},
                                                                     {Kind::kCapsule, {1, 2, 0}},
                                                                     {Kind::kEllipsoid, {3, 1, 3}},
                                                                     {Kind::kPlane, {}},
                                                                     {Kind::kPlane, {1, 1, 0}},
                                                                     {Kind::kMesh, {}}}) {
    Shape shape;
    shape.kind = kind, shape.size = size, shape.data = kind == Kind::kMesh ? 0 : kNoPart, shape.solid = false;
    shape.color = {255, 0, 0, 51};
    shapes.shapes.push_back(shape);
  }

  const UrdfReader plain(robot_description(shapes, model, {.name = "r"}));
  const UrdfReader named(robot_description(shapes, model, {.name = "r", .mesh_uri = [](std::uint32_t mesh) {
                                                             return "m/" + std::to_string(mesh) + ".stl";
                                                           }}));

  std::vector<std::string> kinds;
  const auto* last = &plain.look("a<b> & \"c\"");
  for (const auto* v = last; v; v = v->NextSiblingElement("visual")) {
    kinds.push_back(v->FirstChildElement("geometry")->FirstChildElement()->Name());
    last = v;
  }
  CHECK(kinds == std::vector<std::string>{"sphere", "cylinder", "sphere", "sphere", "cylinder", "box", "box"});
  CHECK(attribute(*last, "box", "size") == "2 4 6");
  CHECK(last->FirstChildElement("origin")->Attribute("xyz") == std::string("1 2 3"));
  CHECK(last->FirstChildElement("material")->FirstChildElement("color")->Attribute("rgba") == std::string("1 0 0 0.2"));
  CHECK(!plain.looks.at("a<b> & \"c\"")->FirstChildElement("collision"));
  CHECK(attribute(*named.looks.at("a<b> & \"c\"")->LastChildElement("visual"), "mesh", "filename") == "m/0.stl");
}

TEST_CASE("a mesh as STL has 50 bytes a triangle behind 84") {
  Mesh mesh;
  add_corner(mesh, 0, 0, 0), add_corner(mesh, 2, 0, 0), add_corner(mesh, 0, 3, 0);
  add_triangle(mesh, 0, 1, 2);

  const Bytes stl = stl_of(mesh);

  REQUIRE(stl.size() == 134);
  CHECK(stl[80] == 1);
  float numbers[12];
  std::memcpy(numbers, stl.data() + 84, sizeof numbers);
  CHECK(numbers[2] == 1);  // the normal's z
  CHECK(numbers[6] == 2);
  CHECK(numbers[10] == 3);
}

#ifdef CONVOY_MUJOCO_PLUGINS

namespace {

struct Imported {
  Model model;
  Shapes shapes;
};
Imported imported(const std::string& path, const mujoco::FileReader& read) {
  REQUIRE(mujoco::start(CONVOY_MUJOCO_PLUGINS));
  auto made = mujoco::import_model(path, {read, {}, "dut", {}, {}});
  REQUIRE_MESSAGE(made.has_value(), (made ? "" : made.error().message()));
  ModelFiles files;
  for (Bytes& bytes : made->files) add(files, std::move(bytes));
  auto shapes = shapes_of(made->model, files);
  REQUIRE(shapes);
  return {std::move(made->model), std::move(*shapes)};
}
Imported shipped(const std::string& name) {
  return imported(CONVOY_SOURCE_DIR "/models/" + name + ".xml", [](const std::string& path) -> Result<Bytes> {
    std::ifstream in(path, std::ios::binary);
    if (!in) return fail(ErrorCode::kNotFound, "no such file: " + path);
    return Bytes(std::istreambuf_iterator<char>(in), {});
  });
}

}  // namespace

TEST_CASE("the links of every model of ours are where src/shapes has them, at zero and for drawn joints") {
  Random random{9};
  for (const char* name : {"arm", "humanoid", "quadruped", "rover", "turtlebot3_burger", "turtlebot3_waffle"}) {
    CAPTURE(name);
    const Imported robot = shipped(name);
    CHECK(farthest(robot.model, robot.shapes, numbers_of(robot.model, robot.shapes, nullptr)) < 1e-9);
    for (int i = 0; i < 20; ++i)
      CHECK(farthest(robot.model, robot.shapes, numbers_of(robot.model, robot.shapes, &random)) < 1e-9);
  }
}

TEST_CASE("an arm hangs on its base by the joints that its file names") {
  const Imported arm = shipped("arm");

  const UrdfReader dut(robot_description(arm.shapes, arm.model, {.name = "arm", .limits = {{"joint_2", -2, 2}}}));

  CHECK(dut.links == std::vector<std::string>{"base_footprint", "foot", "shoulder", "upper_arm", "forearm", "wrist_1",
                                              "wrist_2", "wrist_3"});
  for (const std::string& joint : arm.model.joints) CHECK(dut.joint_named(joint).child != "");
  CHECK(dut.joint_named("joint_2").type == "revolute");
  CHECK(dut.joint_named("joint_2").low == -2);
  CHECK(dut.joint_named("joint_2").axis == Vec3{0, 1, 0});
  CHECK(dut.joint_named("joint_3").parent == "upper_arm");
  CHECK(dut.joint_named("joint_3").X_PJ.p == Vec3{0, 0, 0.42});
}

TEST_CASE("a robot that came as URDF keeps the names of its links and joints") {
  const std::string urdf = R"(<robot name="r"><link name="base_footprint"/>
    <link name="base_link"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
      <visual><geometry><box size="0.4 0.2 0.1"/></geometry></visual></link>
    <link name="lid"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="base_joint" type="fixed"><parent link="base_footprint"/><child link="base_link"/><origin xyz="0 0 0.1"/></joint>
    <joint name="hinge" type="continuous"><parent link="base_link"/><child link="lid"/><origin xyz="0 0 0.2"/>
      <axis xyz="0 1 0"/></joint></robot>)";
  const Imported robot =
      imported("r.urdf", [&](const std::string&) -> Result<Bytes> { return Bytes(urdf.begin(), urdf.end()); });

  const UrdfReader dut(robot_description(robot.shapes, robot.model, {.name = "r"}));

  for (const char* link : {"base_footprint", "base_link", "lid"}) CHECK(dut.has_link(link));
  CHECK(dut.joint_named("hinge").child == "lid");
  CHECK(dut.joint_named("hinge").parent == "base_link");
  CHECK(attribute(dut.look("base_link"), "box", "size") == "0.4 0.2 0.1");
  CHECK(farthest(robot.model, robot.shapes, numbers_of(robot.model, robot.shapes, nullptr)) < 1e-9);
}

#endif

}  // namespace messages_robot_description_test
