// The player, the recorder and the monitor: components of the package `convoy`, loaded as a job loads them.
#include <convoy_ros/bag.hpp>
#include <convoy_ros/job.hpp>
#include <std_msgs/msg/string.hpp>
#include <std_msgs/msg/u_int64.hpp>
#include <std_msgs/msg/u_int8.hpp>

#include <filesystem>

#include "library.hpp"
#include "node_rig.hpp"
#include "os/file.h"

using namespace std::chrono_literals;
using convoy::instant;
using std_msgs::msg::String;
using std_msgs::msg::UInt64;

namespace {

using Words = std::vector<std::string>;

struct Folder {
  std::string path(const std::string& name) const { return directory.path() + "/" + name; }
  convoy::os::TempDirectory directory = *convoy::os::TempDirectory::create();
};

// A component of ours in the simulation that is current.
rclcpp_components::NodeInstanceWrapper component(const std::string& type, const Words& arguments) {
  const auto factory = convoy::ros::find_factory({"convoy", type, {}}, {});
  REQUIRE(factory);
  Words words{"--ros-args"};
  for (const std::string& argument : arguments) words.push_back("-p"), words.push_back(argument);
  return (*factory)->create_node_instance(rclcpp::NodeOptions().arguments(words));
}

std::string refusal(const std::string& type, const Words& arguments) {
  const NodeRig rig;
  try {
    component(type, arguments);
  } catch (const std::exception& e) { return e.what(); }
  return "accepted";
}

UInt64 number(std::uint64_t data) {
  UInt64 message;
  message.data = data;
  return message;
}

// At 1 s: two messages of one instant, and one of a latched topic; then numbers each 7 ns, and text at odd times.
std::string made_bag(const Folder& folder, const std::string& name = "made.mcap", const Words& options = {}) {
  NodeRig rig({}, {.now = instant(1'000'000'000)});
  Words arguments{"file:=" + folder.path(name)};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const auto recorder = component("convoy::Recorder", arguments);
  auto node = std::make_shared<rclcpp::Node>("n");
  auto latched = node->create_publisher<String>("map", rclcpp::QoS(1).transient_local());
  auto numbers = node->create_publisher<UInt64>("numbers", 20);
  auto text = node->create_publisher<String>("text", rclcpp::SensorDataQoS());
  String map;
  map.data = "a map";
  latched->publish(map);
  numbers->publish(number(100)), numbers->publish(number(101));
  std::uint64_t count = 0;
  auto fast = node->create_wall_timer(7ns, [&] { numbers->publish(number(count++)); });
  auto slow = node->create_wall_timer(33ns, [&] {
    String message;
    message.data = "at " + std::to_string(convoy::nanos(rig.simulation.now()));
    text->publish(message);
  });
  REQUIRE(rig.run_until(1'000'000'100));
  REQUIRE(rig.simulation.end());
  return folder.path(name);
}

// What subscriptions of the three topics receive when a bag is played.
struct Listening {
  explicit Listening(NodeRig& rig) {
    node = std::make_shared<rclcpp::Node>("listener");
    in.push_back(node->create_subscription<String>("map", rclcpp::QoS(1).transient_local(),
                                                   [&rig](const String& m) { rig.tell("map " + m.data); }));
    in.push_back(node->create_subscription<UInt64>(
        "numbers", 20, [&rig](const UInt64& m) { rig.tell("number " + std::to_string(m.data)); }));
    in.push_back(node->create_subscription<String>("text", rclcpp::SensorDataQoS(),
                                                   [&rig](const String& m) { rig.tell("text " + m.data); }));
  }
  rclcpp::Node::SharedPtr node;
  std::vector<rclcpp::SubscriptionBase::SharedPtr> in;
};

Lines played(const Words& arguments) {
  NodeRig rig;
  const auto player = component("convoy::Player", arguments);
  const Listening listening(rig);
  REQUIRE(rig.run_until(2'000'000'000));
  CHECK(rig.simulation.next() == convoy::nodes::kNoInstant);
  return rig.story;
}

Lines all_of_the_bag() {
  Lines lines{"1000000000: map a map", "1000000000: number 100", "1000000000: number 101"};
  for (int t = 1; t <= 100; ++t) {
    const std::string at = std::to_string(1'000'000'000 + t);
    if (t % 7 == 0) lines.push_back(at + ": number " + std::to_string(t / 7 - 1));
    if (t % 33 == 0) lines.push_back(at + ": text at " + at);
  }
  return lines;
}

}  // namespace

TEST_CASE("what was recorded is played at the same nanoseconds, in the same order") {
  const Folder folder;
  for (const char* compression : {"none", "zstd", "lz4"}) {
    const std::string name = std::string(compression) + ".mcap";
    const std::string bag = made_bag(folder, name, {"compression:=" + std::string(compression)});
    CHECK(played({"file:=" + bag}) == all_of_the_bag());
    CHECK_FALSE(convoy::os::exists(bag + ".active"));
  }
}

TEST_CASE("the run begins with the bag's first message, and nodes that are made later see that time") {
  const Folder folder;
  const std::string bag = made_bag(folder);
  NodeRig rig;
  const auto player = component("convoy::Player", {"file:=" + bag});
  CHECK(rig.simulation.start() == instant(1'000'000'000));
  CHECK(rclcpp::Node("n").now().nanoseconds() == 1'000'000'000);

  // With other parameters: what is earlier is left out.
  NodeRig later({}, {.now = instant(1'000'000'090)});
  const auto late = component("convoy::Player", {"file:=" + bag});
  const Listening listening(later);
  REQUIRE(later.run_until(2'000'000'000));
  CHECK(later.story == Lines{"1000000091: number 12", "1000000098: number 13", "1000000099: text at 1000000099"});
}

TEST_CASE("a player leaves out topics and the beginning") {
  const Folder folder;
  const std::string bag = made_bag(folder);
  Lines numbers, rest, end;
  for (const std::string& line : all_of_the_bag()) {
    (line.find("number") != line.npos ? numbers : rest).push_back(line);
    if (line >= "1000000050") end.push_back(line);
  }
  CHECK(played({"file:=" + bag, "topics:=[/numbers]"}) == numbers);
  CHECK(played({"file:=" + bag, "exclude:=['/num.*']"}) == rest);
  CHECK(played({"file:=" + bag, "start_offset:=0.00000005"}) == end);
  CHECK(refusal("convoy::Player", {"file:=" + bag, "topics:=[/nothing]"}) ==
        bag + ": no topic '/nothing'; there are: /map, /numbers, /text");
  CHECK(refusal("convoy::Player", {"file:=" + bag, "topics:=['/a(']"}).find("regular expression") != std::string::npos);
  CHECK(refusal("convoy::Player", {}) == "parameter 'file' is missing");
  CHECK(refusal("convoy::Player", {"file:=" + bag, "start_offset:=-1.0"}).find("'start_offset'") != std::string::npos);
}

TEST_CASE("topics have the recorded quality of service, or what is asked for") {
  const Folder folder;
  const std::string bag = made_bag(folder);
  const auto offered = [&](Words arguments, const std::string& topic) {
    NodeRig rig;
    arguments.push_back("file:=" + bag);
    const auto player = component("convoy::Player", arguments);
    return rig.simulation.graph().topics().at(topic)->publishers().at(0)->qos();
  };
  using convoy::nodes::QoS;
  CHECK(offered({}, "/map") == QoS{.depth = 1, .transient_local = true});
  CHECK(offered({}, "/numbers") == QoS{.depth = 20});
  CHECK(offered({}, "/text") == QoS{.depth = 5, .reliable = false});
  CHECK(offered({"qos_overrides./text.publisher.reliability:=reliable", "qos_overrides./text.publisher.depth:=3"},
                "/text") == QoS{.depth = 3});
  const std::string file = folder.path("qos.yaml");
  REQUIRE(convoy::os::write_file(
      file, "/numbers: {history: keep_all, durability: transient_local, deadline: {sec: 1, nsec: 0}}\n"));
  CHECK(offered({"qos_profile_overrides_path:=" + file}, "/numbers") ==
        QoS{.depth = 20, .keep_all = true, .transient_local = true});

  const auto refuses = [&](const std::string& argument, const std::string& text) {
    const std::string refused = refusal("convoy::Player", {"file:=" + bag, argument});
    CAPTURE(refused);
    CHECK(refused.find(text) != std::string::npos);
  };
  refuses("qos_overrides./text.publisher.speed:=high", "'qos_overrides./text.publisher.speed': unknown policy");
  refuses("qos_overrides./text.publisher.reliability:=maybe", "unknown value 'maybe'");
  refuses("qos_overrides./text.reliability:=reliable", "not qos_overrides.TOPIC.publisher.POLICY");
  refuses("qos_overrides./txt.publisher.depth:=1", "'/txt', which is not played");
  REQUIRE(convoy::os::write_file(file, "/numbers: {sped: 1}\n"));
  refuses("qos_profile_overrides_path:=" + file, "qos.yaml: /numbers: policy 'sped'");
}

TEST_CASE("a latched message of a bag reaches who comes later") {
  const Folder folder;
  const std::string bag = made_bag(folder);
  NodeRig rig;
  const auto player = component("convoy::Player", {"file:=" + bag});
  REQUIRE(rig.run_until(1'000'000'050));
  rig.story.clear();
  const Listening late(rig);
  REQUIRE(rig.run_until(1'000'000'050));
  CHECK(rig.story == Lines{"1000000049: map a map"});
}

TEST_CASE("a bag of a package that is not there is played, recorded again, and is the same") {
  const Folder folder;
  const Folder other;  // a bag has its own name in it
  const std::string first = folder.path("bag.mcap"), second = other.path("bag.mcap");
  {
    NodeRig rig({}, {.now = instant(5)});
    const auto recorder = component("convoy::Recorder", {"file:=" + first});
    auto node = std::make_shared<rclcpp::Node>("n");
    auto out = node->create_generic_publisher("/thing", "nowhere_msgs/msg/Thing", 10);
    for (std::uint8_t i = 0; i < 3; ++i) out->publish(rclcpp::SerializedMessage(std::vector<std::uint8_t>(8, i)));
    REQUIRE(rig.run_until(10));
    REQUIRE(rig.simulation.end());
    REQUIRE(rig.log.size() == 1);
    CHECK(rig.log[0].find("the definition of nowhere_msgs/msg/Thing is not known") != std::string::npos);
  }
  {
    NodeRig rig;
    const auto recorder = component("convoy::Recorder", {"file:=" + second});
    const auto player = component("convoy::Player", {"file:=" + first});
    REQUIRE(rig.run_until(10));
    REQUIRE(rig.simulation.end());
  }
  CHECK(*convoy::os::read_file(first) == *convoy::os::read_file(second));
}

TEST_CASE("recording a job changes nothing of it") {
  const Folder folder;
  const std::string determinism = convoy::ros::own_folder() + "/libdeterminism_components.so";
  const auto run = [&](std::optional<convoy::ros::BagSpec> record) {
    convoy::ros::JobSpec spec;
    for (const char* name : {"A", "B", "C", "D"})
      spec.components.push_back({determinism, "determinism::" + std::string(name), {}});
    spec.duration = 2s;
    spec.record = std::move(record);
    auto job = convoy::ros::Job::make(spec);
    REQUIRE(job);
    REQUIRE((*job)->run());
    return std::pair((*job)->digest(), (*job)->callbacks());
  };
  CHECK(run({}) == run(convoy::ros::BagSpec{.file = folder.path("all.mcap")}));
  // A folder, as ros2 bag has them; once there, it is not overwritten.
  const convoy::ros::BagSpec bag{.file = folder.path("bag"), .topics = {"/t1"}, .compression = "none"};
  CHECK(run({}) == run(bag));
  CHECK(convoy::os::exists(folder.path("bag/bag_0.mcap")));
  CHECK(convoy::os::exists(folder.path("bag/metadata.yaml")));
  convoy::ros::JobSpec again;
  again.record = bag;
  CHECK(convoy::ros::Job::make(again).error().message() ==
        bag.file + ": is there already, and is not to be overwritten");
  CHECK(played({"file:=" + bag.file}).empty());
}

TEST_CASE("a job that does not begin leaves no file") {
  const Folder folder;
  for (const char* name : {"one.mcap", "many"}) {
    convoy::ros::JobSpec spec;
    spec.record = convoy::ros::BagSpec{.file = folder.path(name)};
    spec.components.push_back({"convoy", "convoy::Player", {"-p", "file:=/nowhere.mcap"}});
    CHECK_FALSE(convoy::ros::Job::make(spec));
  }
  CHECK(std::filesystem::is_empty(folder.directory.path()));
  CHECK(refusal("convoy::Recorder", {"file:=x.mcap", "compression:=best"}).find("'best' is none of none, zstd, lz4") !=
        std::string::npos);
}

TEST_CASE("a monitor ends the job after a time or on a message, with an exit code") {
  const auto run = [](const Words& arguments) {
    convoy::ros::JobSpec spec;
    spec.start = instant(5'000'000'000);
    spec.built = instant(0);
    Words words;
    for (const std::string& argument : arguments) words.push_back("-p"), words.push_back(argument);
    spec.components.push_back({"convoy", "convoy::Monitor", words});
    spec.log_level = 40;
    auto job = convoy::ros::Job::make(spec);
    REQUIRE(job);
    REQUIRE((*job)->run());
    return std::pair((*job)->exit_code(), convoy::nanos((*job)->simulated()));
  };
  CHECK(run({"timeout:=2"}) == std::pair(1, 2'000'000'000L));
  CHECK(run({"timeout:=0.25", "timeout_exit_code:=7"}) == std::pair(7, 250'000'000L));
  CHECK(run({}) == std::pair(0, 0L));

  NodeRig rig;
  const auto monitor = component("convoy::Monitor", {"timeout:=2", "exit_code_topic:=/rslcpp/error_code"});
  auto node = std::make_shared<rclcpp::Node>("n");
  auto out = node->create_publisher<std_msgs::msg::UInt8>("/rslcpp/error_code", 1);
  auto timer = node->create_wall_timer(1s, [&] {
    std_msgs::msg::UInt8 code;
    code.data = 42;
    out->publish(code);
  });
  REQUIRE(rig.run_until(10'000'000'000));
  CHECK(rig.simulation.exit_code() == 42);
  CHECK(rig.simulation.now() == instant(1'000'000'000));
  CHECK(refusal("convoy::Monitor", {"timeout_exit_code:=256"}).find("timeout_exit_code") != std::string::npos);
}

TEST_CASE("a file that was cut anywhere is refused with one line, and so is what is none") {
  const Folder folder;
  const auto whole = *convoy::os::read_file(made_bag(folder));
  const std::string cut = folder.path("cut.mcap");
  for (std::size_t length = 0; length < whole.size(); length += length < 100 || length + 100 > whole.size() ? 1 : 37) {
    REQUIRE(convoy::os::write_file(cut, convoy::ByteView(whole).first(length)));
    const std::string refused = refusal("convoy::Player", {"file:=" + cut});
    CAPTURE(length);
    CAPTURE(refused);
    CHECK(refused.rfind(cut + ": ", 0) == 0);
    CHECK(refused.find('\n') == refused.npos);
  }
  REQUIRE(convoy::os::write_file(cut, std::string_view("SQLite format 3")));
  CHECK(refusal("convoy::Player", {"file:=" + cut}) == cut + ": byte 0: not an MCAP file");
  CHECK(refusal("convoy::Player", {"file:=" + folder.path("absent.mcap")}).find("absent.mcap") != std::string::npos);
  REQUIRE(convoy::os::make_directories(folder.path("empty")));
  CHECK(refusal("convoy::Player", {"file:=" + folder.path("empty")}).find("metadata.yaml") != std::string::npos);
}
