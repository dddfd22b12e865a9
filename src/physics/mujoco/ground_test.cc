#include "physics/mujoco/ground.h"
#include "core/approx.h"

#include <algorithm>

#include "physics/mujoco/testing.h"

namespace ground_test {

using namespace convoy;
using namespace convoy::mujoco;

namespace {

const std::string kFree = "<body pos='0 0 0.3'><freejoint/><geom type='box' size='0.1 0.1 0.1'/></body>";
// Its weight passes a metre below 0.
const std::string kPendulum =
    "<body><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 1 0 0' size='0.05'/></body>";

std::string document(const std::string& world, const std::string& before = "") {
  return "<mujoco><option timestep='0.002'/>" + before + "<worldbody>" + world + "</worldbody></mujoco>";
}

bool has(const ImportedModel& model, const std::string& name) {
  const std::string text(model.files[0].begin(), model.files[0].end());
  return text.find(name) != text.npos;
}

std::string line_of(const ImportedModel& model) {
  std::string out;
  for (const std::string& line : model.report.made)
    if (line.starts_with("ground: ")) out += line;
  return out;
}

}  // namespace

TEST_CASE("a ground is added where something is free and nothing of the compiled file is one, however it is written") {
  CHECK(has(written(document(kFree)), kGround));
  CHECK(
      line_of(written(document(kFree))).starts_with("ground: a plane at height 0 is added: the file has free bodies"));
  const struct {
    const char *what, *geom, *before;
  } kGrounds[] = {{"a plane", "<geom type='plane' size='1 1 1' friction='0.3'/>", ""},
                  {"its z axis is named", "<geom type='plane' size='1 1 1' zaxis='0 0 1'/>", ""},
                  {"the type is a default's", "<geom class='floor'/>",
                   "<default><default class='floor'><geom type='plane' size='1 1 1'/></default></default>"},
                  {"it is tilted", "<geom type='plane' size='1 1 1' euler='10 0 0'/>", ""},
                  {"a body holds it", "<body pos='0 0 -1'><geom type='plane' size='1 1 1'/></body>", ""},
                  {"a height field", "<geom type='hfield' hfield='h'/>",
                   "<asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1'/></asset>"}};
  for (const auto& own : kGrounds) {
    CAPTURE(own.what);
    const ImportedModel dut = written(document(own.geom + kFree, own.before));
    CHECK(!has(dut, kGround));
    CHECK(line_of(dut) == "ground: the file's own; nothing is added");
  }
}

TEST_CASE("nothing free gets no ground: a pendulum swings below 0 as in plain MuJoCo, and with one it is stopped") {
  const std::string xml = document(kPendulum);
  CHECK(line_of(written(xml)) == "ground: none; nothing in the file is free to fall on one");
  Plain plain(xml);
  Stage dut(written(xml)), stopped(written(xml, Ground::kPlane));
  plain.run(0.6);
  REQUIRE(dut.run(0.6));
  CHECK(dut.tail[0] > 1.5);
  CHECK(differing(dut.robot(), plain) == 0);
  REQUIRE(stopped.run(0.6));
  CHECK(stopped.tail[0] < 0.5);
}

TEST_CASE("what was asked for is in the document, so that whoever imports it anew makes the same of it") {
  for (const Ground ground : {Ground::kAuto, Ground::kNone, Ground::kPlane}) {
    const ImportedModel made = written(document(kFree), ground);
    CHECK(has(made, kGround) == (ground != Ground::kNone));
    ModelFiles files;
    for (const Bytes& bytes : made.files) add(files, bytes);
    const auto again = import_again(made.model, files);
    REQUIRE(again);
    CHECK(again->files == made.files);
    CHECK(again->model == made.model);
  }
  CHECK(line_of(written(document(kFree), Ground::kNone)) == "ground: none, as asked");
  Stage falling(written(document(kFree), Ground::kNone));
  REQUIRE(falling.run(1));
  CHECK(falling.state.pose.p.z < -4);
  const auto wrong = import_model(
      "dut.xml", {of({{"dut.xml", document(kFree, "<custom><text name='convoy_ground' data='sand'/></custom>")}}),
                  {},
                  "dut",
                  {},
                  {}});
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message() == "dut.xml:1: convoy_ground is auto, none or plane, not 'sand'");
}

TEST_CASE("where a robot has no ground, passive ghosts have one, and its own geoms never meet it") {
  const ImportedModel robot = written(document(kPendulum)), crate = written(document(kFree));
  ModelFiles files;
  for (const auto* model : {&robot, &crate})
    for (const Bytes& bytes : model->files) add(files, bytes);
  Library library;
  const auto alone = library.alone(robot.model, files);
  REQUIRE(alone);
  const std::vector<Ghost> ghosts{{library.kind(crate.model, files, false), 0}};
  const auto among = library.among(robot.model, files, **alone, nullptr, nullptr, ghosts);
  REQUIRE(among);
  REQUIRE((*among)->outside >= 0);
  const mjModel* m = (*among)->model;
  mjData* d = mj_makeData(m);
  double* ghost = d->qpos + (*among)->ghosts[0].place.qpos;
  ghost[0] = 3, ghost[2] = 0.11;
  for (int i = 0; i < 300; ++i) mj_step(m, d);
  CHECK(ghost[2] == approx(0.1).epsilon(0.02));
  Plain plain(document(kPendulum));
  plain.run(0.6);
  CHECK(d->qpos[0] == approx(plain.d->qpos[0]).epsilon(1e-9));
  mj_deleteData(d);
}

}  // namespace ground_test
