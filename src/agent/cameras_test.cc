// Cameras of agents: what is drawn for them and when, who gets it, and what the digest knows of it.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "agent/fleet_looks.h"
#include "agent/fleet_rig.h"
#include "sensing/camera.h"
#include "sensing/presets.h"

namespace cameras_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

// Colours each picture by where it is taken; nothing is drawn before somebody takes it.
class Painter final : public PictureMaker {
 public:
  struct Begun {
    std::shared_ptr<const PictureScene> scene;
    std::vector<Shot> shots;
  };
  std::vector<Begun> begun;
  int taken = 0;
  std::uint8_t tint = 1;
  bool broken = false;

  std::shared_ptr<PictureJob> draw(std::shared_ptr<const PictureScene> scene, std::vector<Shot> shots) override {
    begun.push_back({std::move(scene), std::move(shots)});
    return std::make_shared<Job>(*this, begun.back().shots);
  }
  Result<std::uint64_t> fingerprint() override { return 1; }

 private:
  struct Job final : PictureJob {
    Job(Painter& p, std::vector<Shot> s) : painter(p), shots(std::move(s)) {}
    Result<CameraPicture> take(std::size_t shot) override {
      ++painter.taken;
      if (painter.broken) return fail(ErrorCode::kUnavailable, "no paint");
      const Shot& of = shots[shot];
      CameraPicture out{.lens = of.lens, .color = Bytes(3 * of.lens.width * of.lens.height, painter.tint)};
      out.color[0] = static_cast<std::uint8_t>(100 * of.X_WC.p.x);
      return out;
    }
    Painter& painter;
    std::vector<Shot> shots;
  };
};

struct Got {
  WorldNumber robot = kNoEntity;
  Instant at{};
  Sample sample;
};

// Takes all samples of the sensors called so.
class Album final : public SampleTaker {
 public:
  explicit Album(std::string sensor) : sensor_(std::move(sensor)) {}
  std::vector<Got> all;
  bool takes(WorldNumber, const SensorSpec& spec, const DueSample&) const override { return spec.name == sensor_; }
  void took(WorldNumber robot, const SensorSpec&, const Sample& sample, Instant now) override {
    all.push_back({robot, now, sample});
  }

 private:
  std::string sensor_;
};

SensorSpec camera(const char* name, Duration period) {
  SensorSpec spec = *sensor_of("camera");
  spec.name = name, spec.period = period;
  spec.X_LS.p = {0.5, 0, 0.2};
  spec.parameters = save(CameraModel{.width = 4, .height = 2});
  return spec;
}

// Two robots with a camera each 30 ms and one each 20 ms; the first drives.
Setup two() {
  Setup setup;
  setup.models = built_in_models();
  for (const char* name : {"a", "b"}) {
    EntitySpec spec;
    spec.name = name, spec.model = "turtlebot3_waffle";
    spec.pose.p.x = setup.entities.empty() ? 0 : 3;
    spec.sensors = {camera("front", 30ms), camera("rear", 20ms)};
    setup.entities.push_back(spec);
  }
  return setup;
}

const Input kDrive = DriveCommand{WorldNumber(1), {{0.2, 0, 0}, {0, 0, 0}}, 10s};

void run(FleetRig& rig, int ticks) {
  for (int i = 0; i < ticks; ++i) rig.step(i == 0 ? std::span(&kDrive, 1) : std::span<const Input>());
}

// What is begun in the first tick where somebody takes that sensor of each robot.
std::vector<Shot> first_shots(const Setup& setup, const std::string& sensor) {
  Painter painter;
  Album album(sensor);
  SerialExecutor executor;
  FleetRig rig(setup, 1, executor, nullptr, nullptr, &album, &painter);
  run(rig, 1);
  REQUIRE(painter.begun.size() == 1);
  return painter.begun[0].shots;
}

}  // namespace

TEST_CASE("pictures are begun where they are due and wanted, and delivered a tick later") {
  Painter painter;
  Album album("front");
  SerialExecutor executor;
  FleetRig rig(two(), 1, executor, nullptr, nullptr, &album, &painter);
  run(rig, 8);  // boundaries 0 to 70 ms

  REQUIRE(painter.begun.size() == 3);  // at 0, 30 and 60 ms, of both robots, and none of the other camera
  for (const auto& [scene, shots] : painter.begun) {
    REQUIRE(shots.size() == 2);
    CHECK(shots[0].but == WorldNumber(1));
    CHECK(shots[1].but == WorldNumber(2));
    CHECK(shots[1].lens == lens_of({.width = 4, .height = 2}));
  }
  CHECK(painter.begun[0].shots[0].X_WC.p.x == 0.5);
  CHECK(painter.begun[1].shots[0].X_WC.p.x > 0.5);  // it has gone on
  CHECK(painter.begun[1].shots[1].X_WC.p.x == 3.5);
  CHECK(painter.begun[1].scene->now == instant(30'000'000));
  CHECK(painter.begun[1].scene->bodies.size() == 4);  // ground, walls and two robots

  REQUIRE(album.all.size() == 6);
  CHECK(painter.taken == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    const Got& got = album.all[i];
    CHECK(got.robot == WorldNumber(1 + i % 2));
    CHECK(got.sample.index == i / 2);
    CHECK(got.at - got.sample.at == 10ms);
    const auto& reading = std::get<CameraReading>(got.sample.data);
    CHECK(reading.color.size() == 24);
    CHECK(reading.color[0] == static_cast<std::uint8_t>(100 * painter.begun[i / 2].shots[i % 2].X_WC.p.x));
  }
}

TEST_CASE("a camera sees its own robot if it shall") {
  Setup setup = two();
  setup.entities[0].sensors[1].see_self = true;
  const std::vector<Shot> shots = first_shots(setup, "rear");
  CHECK(shots[0].but == kNoEntity);
  CHECK(shots[1].but == WorldNumber(2));
}

TEST_CASE("what several cameras show is drawn at once, and in the order in which they are asked for") {
  Painter painter;
  SerialExecutor executor;
  FleetRig rig(two(), 1, executor, nullptr, nullptr, nullptr, &painter);
  run(rig, 3);
  const std::vector<CameraName> wanted{{WorldNumber(2), "front"}, {WorldNumber(1), "rear"},  {WorldNumber(1), "front"},
                                       {WorldNumber(2), "frnt"},  {WorldNumber(9), "front"}, {WorldNumber(2), "front"}};
  const std::vector<Result<Sample>> seen = pictures_of(rig.fleet(0), wanted);

  REQUIRE(painter.begun.size() == 1);
  CHECK(painter.begun[0].shots.size() == 3);
  REQUIRE(seen.size() == wanted.size());
  for (const std::size_t i : {0u, 1u, 2u, 5u}) {
    CAPTURE(i);
    REQUIRE(seen[i]);
    const auto alone = look(rig.fleet(0), wanted[i].robot, wanted[i].sensor);
    REQUIRE(alone);
    CHECK(save(*seen[i]) == save(*alone));
  }
  CHECK(save(*seen[0]) != save(*seen[2]));
  CHECK(seen[3].error().message().find("did you mean 'front'?") != std::string::npos);
  CHECK(seen[4].error().code == ErrorCode::kNotFound);
}

TEST_CASE("a camera of its own world says so to who draws") {
  Setup setup = two();
  for (EntitySpec& entity : setup.entities) {
    CameraModel model;
    REQUIRE(load(entity.sensors[0].parameters, model));
    model.others = false;
    entity.sensors[0].parameters = save(model);
  }
  setup.entities[1].sensors[0].see_self = true;
  const std::vector<Shot> shots = first_shots(setup, "front");
  CHECK(shots[0].alone == kNoEntity);
  CHECK(shots[1].alone == WorldNumber(2));
}

TEST_CASE("without anybody who wants them no pictures are drawn") {
  Painter painter;
  SerialExecutor executor;
  FleetRig rig(two(), 1, executor, nullptr, nullptr, nullptr, &painter);
  run(rig, 5);
  CHECK(painter.begun.empty());
}

TEST_CASE("pictures that count are in the digest, on any number of fleets, and others are not") {
  const auto digest = [](bool counts, std::uint8_t tint, int fleets, bool wanted) {
    Painter painter;
    painter.tint = tint;
    Album album(wanted ? "front" : "");
    SerialExecutor executor;
    Setup setup = two();
    setup.sensors.digest = counts;
    FleetRig rig(setup, fleets, executor, nullptr, nullptr, &album, &painter);
    run(rig, 8);
    return rig.digest();
  };
  CHECK(digest(true, 1, 1, true) == digest(true, 1, 2, false));
  CHECK(digest(true, 1, 1, true) != digest(true, 2, 1, true));
  CHECK(digest(false, 1, 1, true) == digest(false, 2, 1, false));
}

TEST_CASE("a picture that cannot be drawn is not delivered") {
  Painter painter;
  painter.broken = true;
  Album album("front");
  SerialExecutor executor;
  FleetRig rig(two(), 1, executor, nullptr, nullptr, &album, &painter);
  run(rig, 5);
  CHECK(painter.begun.size() == 2);
  CHECK(album.all.empty());
}

TEST_CASE("who asks between ticks gets a picture of then, and changes nothing") {
  Painter painter;
  SerialExecutor executor;
  FleetRig rig(two(), 1, executor, nullptr, nullptr, nullptr, &painter), other(two(), 1, executor);
  run(rig, 3);
  const auto seen = look(rig.fleet(0), WorldNumber(1), "rear");
  REQUIRE(seen);
  CHECK(std::get<CameraReading>(seen->data).color.size() == 24);
  REQUIRE(painter.begun.size() == 1);
  CHECK(painter.begun[0].scene->now == rig.now());
  CHECK(painter.begun[0].shots[0].X_WC.p.x > 0.5);
  run(rig, 3), run(other, 3), run(other, 3);
  CHECK(rig.digest() == other.digest());

  FleetRig blind(two(), 1, executor);
  const auto none = look(blind.fleet(0), WorldNumber(1), "rear");
  REQUIRE(!none);
  CHECK(none.error().code == ErrorCode::kUnsupported);
}

}  // namespace cameras_test
