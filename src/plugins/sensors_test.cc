// Sensors of users' libraries: which are loaded, what they are told and what becomes of what they give.
#include <doctest/doctest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/approx.h"
#include "core/pose.h"
#include "plugins/sensor_libraries.h"
#include "sensing/fake_inside.h"
#include "sensing/users_parameters.h"

namespace sensors_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

const std::string kSensors = CONVOY_SAMPLE_SENSORS;

SensorSpec spec_of(const char* type, const UsersParameters& parameters = {}) {
  SensorSpec out;
  out.name = "s", out.type = type, out.library = kSensors, out.period = Duration(0);
  if (!parameters.all.empty()) out.parameters = save(parameters);
  return out;
}

UsersParameter number(const char* name, double value) {
  return {name, UsersParameter::Kind::kNumbers, {value}, false, {}};
}
UsersParameters with(UsersParameter one) {
  UsersParameters out;
  out.set(std::move(one));
  return out;
}

// Three robots in a row, 3 m apart; the first is the sensor's.
struct Row {
  explicit Row() {
    Setup setup;
    setup.models = built_in_models();
    for (int i = 0; i < 3; ++i) {
      EntitySpec e;
      e.name = "r" + std::to_string(i), e.model = "turtlebot3_burger", e.pose.p.x = 3.0 * i;
      setup.entities.push_back(e);
    }
    world.emplace(*World::make(setup));
    grid.rebuild(world->snapshot(), world->radii(), 1);
    view.world = &*world, view.grid = &grid, view.inside = &inside, view.rules = &rules;
    view.key = {7, WorldNumber(1), "s", 3};
    view.period = 200ms;
  }
  std::optional<World> world;
  Grid grid;
  FakeInside inside;
  SensorRules rules;
  SensorView view;
};

std::string error_of(SensorBook& book, const SensorSpec& spec) {
  const auto made = book.of(spec, CodeSource::kScenario);
  return made ? "" : made.error().message();
}

// What the first beam meets is at 1 m, of the second robot; others meet nothing.
struct OneHit final : RayField {
  void cast(std::span<const Beam> beams, WorldNumber, std::span<Hit> hits) const override {
    far = beams[0].far;
    hits[0] = {1, WorldNumber(2), 0, kNoPart, 0};
  }
  Vec3 normal(const Beam& beam, const Hit&) const override { return -beam.direction; }
  mutable double far = 0;
};

}  // namespace

TEST_CASE("a library is loaded where the host allows it, and only with this version's tag") {
  const std::string folder = std::filesystem::path(kSensors).parent_path().string();
  SensorLibraries nowhere({});
  auto denied = nowhere.find(kSensors, "gas", CodeSource::kScenario);
  REQUIRE_FALSE(denied);
  CHECK(denied.error().code == ErrorCode::kDenied);
  CHECK(denied.error().message().find("--allow-library") != std::string::npos);

  SensorLibraries scenarios({.scenarios = {folder}});
  CHECK_FALSE(scenarios.find(kSensors, "gas", CodeSource::kSpawn));
  CHECK(scenarios.find(kSensors, "gas", CodeSource::kScenario));
  CHECK(scenarios.find(kSensors, "gas", CodeSource::kSpawn));  // the scenario has it loaded

  SensorLibraries here({.anyones = {folder}});
  const auto near = here.find(kSensors, "gass", CodeSource::kSpawn);
  REQUIRE_FALSE(near);
  CHECK(near.error().message().find("did you mean 'gas'?") != std::string::npos);
  // Both would end this program if any of their code ran.
  const auto other = here.find(CONVOY_SAMPLE_OTHER_ABI, "gas", CodeSource::kSpawn);
  REQUIRE_FALSE(other);
  CHECK(other.error().message().find("it is built for 'convoy sensor 0'") != std::string::npos);
  CHECK(other.error().message().find("other_abi") != std::string::npos);
  const auto none = here.find(CONVOY_SAMPLE_NONE, "gas", CodeSource::kSpawn);
  REQUIRE_FALSE(none);
  CHECK(none.error().message().find("CONVOY_SENSORS") != std::string::npos);
  CHECK_FALSE(here.find(folder + "/libabsent.so", "gas", CodeSource::kSpawn));
}

TEST_CASE("a damaged library is refused before it is loaded") {
  std::ifstream in(kSensors, std::ios::binary);
  const std::string sound{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "convoy_plugins_test";
  std::filesystem::create_directories(folder);
  const auto refused = [&](const std::string& bytes) {
    const std::string path = (folder / "lib.so").string();
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    SensorLibraries libraries({.all = true});
    const auto found = libraries.find(path, "gas", CodeSource::kSpawn);
    return found ? "" : found.error().message();
  };
  CHECK(refused("").find("no shared library") != std::string::npos);
  CHECK(refused("#!/bin/sh\n").find("no shared library") != std::string::npos);
  CHECK(refused(sound.substr(0, 100)).find("damaged") != std::string::npos);
  CHECK(refused(sound.substr(0, sound.size() - 70)).find("damaged") != std::string::npos);
  std::string arm = sound;
  arm[18] = static_cast<char>(arm[18] ^ 0x77);  // e_machine
  CHECK(refused(arm).find("another kind of machine") != std::string::npos);
  std::string far = sound;
  std::memset(far.data() + 40, 0xff, 8);  // e_shoff
  CHECK(refused(far).find("damaged") != std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST_CASE("what a library has of a type holds for its sensors") {
  SensorLibraries libraries({.all = true});
  const SensorType& gas = **libraries.find(kSensors, "gas", CodeSource::kSpawn);
  CHECK(gas.period == 200ms);
  CHECK(gas.traits.distribution == Distribution::kMainOrClient);
  CHECK(gas.traits.load == 2500);
  CHECK_FALSE(gas.traits.at_once());
  CHECK(std::string(gas.message) == "std_msgs/msg/Float64MultiArray");
  const SensorType& counter = **libraries.find(kSensors, "counter", CodeSource::kSpawn);
  CHECK(counter.traits.at_once());
  CHECK(counter.traits.remembers);
  CHECK(std::string((*libraries.find(kSensors, "whiskers", CodeSource::kSpawn))->message) ==
        "sensor_msgs/msg/LaserScan");

  std::optional<Error> missing;
  SensorSpec absent = spec_of("gas");
  absent.library = "/nowhere/libabsent.so";
  const SensorSpec all[] = {spec_of("gas"), spec_of("counter"), absent};
  const auto code = libraries.code_of(all, missing);
  REQUIRE(code.size() == 1);
  CHECK(code[0].name == kSensors);
  CHECK(code[0].hash != 0);
  CHECK(missing);
}

TEST_CASE("parameters are checked by the library, and what it does not ask for is an error") {
  SensorLibraries libraries({.all = true});
  SensorBook book(&libraries);
  CHECK(error_of(book, spec_of("gas", with(number("far", 20)))).empty());
  CHECK(error_of(book, spec_of("gas", with(number("far", 200)))) == "parameters.far: is from 0.1 to 100");
  CHECK(error_of(book, spec_of("gas", with(number("fare", 20)))) ==
        "parameters.fare: its type has no such parameter; did you mean 'far'?");
  CHECK(error_of(book, spec_of("gas", with({"far", UsersParameter::Kind::kText, {}, false, "much"}))) ==
        "parameters.far: is a number");
  CHECK(error_of(book, spec_of("counter", with(number("flag", 1)))) == "parameters.flag: is true or false");
  CHECK(error_of(book, spec_of("counter", with(number("text", 1)))) == "parameters.text: is a text");
  CHECK(error_of(book, spec_of("whiskers", with({"angles", UsersParameter::Kind::kNumbers, {1}, true, {}}))) ==
        "parameters.angles: two at least");
  CHECK(error_of(book, spec_of("wrong", with(number("how", 9)))) == "made of nothing");
  SensorSpec malformed = spec_of("gas");
  malformed.parameters = {1, 2, 3};
  CHECK(error_of(book, malformed) == "its parameters are malformed");
  CHECK(book.of(spec_of("gas"))->get() == book.of(spec_of("gas"))->get());  // one for all
}

TEST_CASE("a sensor sees others by number, and its chance is the sample's") {
  Row row;
  SensorLibraries libraries({.all = true});
  SensorBook book(&libraries);
  const auto level = [&](const UsersParameters& parameters) {
    return std::get<EngineReading>((*book.of(spec_of("gas", parameters)))->sample(row.view)).values.at(0);
  };
  CHECK(level(with(number("far", 4))) == approx(1 / (1 + 3.0)));
  CHECK(level({}) == approx(1 / (1 + 3.0) + 1 / (1 + 6.0)));
  row.view.key.index = 4;
  const double noise = level(with(number("noise", 1))) - level({});
  CHECK(noise == about(Noise(7, WorldNumber(1), "s", 4).normal(), 1e-12));
  row.view.key.index = 5;
  CHECK(level(with(number("noise", 1))) - level({}) != noise);
}

TEST_CASE("a sensor of a library casts rays as Convoy's own do") {
  Row row;
  const OneHit field;
  row.view.field = &field;
  SensorLibraries libraries({.all = true});
  SensorBook book(&libraries);
  const auto sensor = *book.of(spec_of("whiskers"));
  const Scan scan = std::get<Scan>(sensor->sample(row.view));
  CHECK(field.far == 5);
  REQUIRE(scan.ranges.size() == 2);
  CHECK(scan.ranges[0] == 1);
  CHECK(std::isinf(scan.ranges[1]));
  CHECK(scan.angle_min == -0.5f);
  CHECK(scan.angle_max == 0.5f);
}

TEST_CASE("what a sensor keeps goes from sample to sample, and it knows its robot from inside") {
  Row row;
  row.inside.way = 12.5;
  row.inside.twist.v.x = 0.25;
  row.inside.joint_readings = {{"a", "b"}, {1, 2}, {3, 4}};
  SensorLibraries libraries({.all = true});
  SensorBook book(&libraries);
  const auto sensor = *book.of(spec_of("counter", with(number("by", 2))));
  Bytes memory;
  (void)sensor->sample(row.view, memory);
  const auto second = std::get<EngineReading>(sensor->sample(row.view, memory));
  CHECK(second.element == "counter");
  CHECK(second.values == std::vector<double>{4, 12.5, 2, 0.25});
  CHECK(memory.size() == sizeof(double));
}

TEST_CASE("what goes wrong in a sample is told, and floating point stays as it was") {
  Row row;
  SensorLibraries libraries({.all = true});
  SensorBook book(&libraries);
  const auto why = [&](double how) {
    const SampleData data = (*book.of(spec_of("wrong", with(number("how", how)))))->sample(row.view);
    const auto* none = std::get_if<NoReading>(&data);
    return none ? none->why : "";
  };
  CHECK(why(0) == "broken");
  CHECK(why(1) == "it threw something that is no std::exception");
  CHECK(why(2) == "it gave points, which is not what its type gives");
  CHECK(why(3) == "it gave more than one sample at once");
  CHECK(why(4) == "it gave no sample");
  const SampleData sound = (*book.of(spec_of("wrong", with(number("how", 5)))))->sample(row.view);
  CHECK(std::fegetround() == FE_TONEAREST);
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  CHECK(bits(std::get<RangeReading>(sound).range) == bits(std::numeric_limits<double>::quiet_NaN()));  // of all NaNs
  const Cloud cloud = std::get<Cloud>((*book.of(spec_of("cloud")))->sample(row.view));
  CHECK(cloud.width == 2);
  CHECK_FALSE(cloud.dense);
  CHECK(cloud.points[0].ring == 4);
}

}  // namespace sensors_test
