#include "testing/script.h"

#include <algorithm>

#include "core/hash.h"
#include "core/random.h"
#include "testing/virtual_log.h"

namespace convoy::testing {

namespace {

constexpr double kPi = 3.14159265358979323846;

const char* kModels[] = {"turtlebot3_burger", "turtlebot3_waffle", "turtlebot3_burger", "box", "cart"};

EntitySpec random_robot(Random& random, int index, double x, double y) {
  const char* model = kModels[random.below(5)];
  const DriverKind kinds[] = {DriverKind::kRandomWalk, DriverKind::kRightOfWay, DriverKind::kRightOfWay,
                              DriverKind::kWaypoints};
  const DriverKind kind =
      kinds[random.below(4)];  // one draw a statement: compilers evaluate arguments in orders of their own
  const double yaw = random.uniform(-kPi, kPi);
  EntitySpec spec = robot("r" + std::to_string(index), model, x, y, yaw, kind);
  if (spec.model == "box") spec.driver.kind = DriverKind::kNone;
  // Short periods, drawn from few values: many decide, and many messages come due, at the same instant.
  spec.driver.period = std::chrono::milliseconds(20 * (1 + static_cast<int>(random.below(5))));
  if (spec.driver.kind == DriverKind::kWaypoints)
    for (int i = 0; i < 3; ++i) spec.driver.waypoints.push_back({random.uniform(-2, 2), random.uniform(-2, 2)});
  return spec;
}

}  // namespace

Setup empty_arena(double side, std::uint64_t seed) {
  Setup setup;
  setup.name = "arena";
  setup.seed = seed;
  setup.tick = std::chrono::milliseconds(20);
  setup.models = built_in_models();
  setup.map.resolution = 0.1;
  const auto cells = static_cast<std::uint32_t>(side / setup.map.resolution);
  setup.map.width = setup.map.height = cells;
  setup.map.origin = {-side / 2, -side / 2, 0};
  setup.map.cells.assign(std::size_t{cells} * cells, 0);
  for (std::uint32_t i = 0; i < cells; ++i)
    for (std::uint32_t edge : {0u, cells - 1})
      setup.map.cells[std::size_t{edge} * cells + i] = setup.map.cells[std::size_t{i} * cells + edge] = 1;
  return setup;
}

EntitySpec robot(std::string name, std::string model, double x, double y, double yaw, DriverKind driver) {
  EntitySpec spec;
  spec.name = std::move(name);
  spec.model = std::move(model);
  spec.pose = {{x, y, 0}, from_yaw(yaw)};
  spec.driver.kind = driver;
  return spec;
}

Script make_script(std::uint64_t number) {
  Random random{stream_key(number, 0, "script"), 0};
  Script script;
  script.number = number;
  script.end = 300 + static_cast<Tick>(random.below(40));
  script.setup = empty_arena(8, 1 + number);
  Setup& setup = script.setup;
  setup.name = "script" + std::to_string(number);
  setup.view_radius = random.uniform(2, 5);
  setup.checkpoint = 50;
  setup.network = {millis(random.uniform(0, 30)), millis(random.uniform(0, 60)), random.uniform(0, 0.3),
                   random.uniform(2, 12)};
  if (random.below(3) == 0) setup.network = {};  // all due at once

  const int robots = 24 + static_cast<int>(random.below(7));
  for (int i = 0; i < robots; ++i) {
    const double x = -2.1 + 0.75 * (i % 6) + random.uniform(-0.1, 0.1),
                 y = -1.9 + 0.75 * (i / 6) + random.uniform(-0.1, 0.1);
    setup.entities.push_back(random_robot(random, i, x, y));
  }
  setup.entities.push_back(robot("truck0", "truck", -3, 3.2, 0, DriverKind::kRandomWalk));
  const auto last = static_cast<std::uint32_t>(setup.entities.size());

  // What is done from outside. Numbers of spawned entities follow from the order of spawns.
  const auto some = [&] { return WorldNumber(1 + static_cast<std::uint32_t>(random.below(last - 1))); };
  const auto moment = [&](Tick from) { return from + static_cast<Tick>(random.below(15)); };
  const auto add = [&](Tick tick, auto what) { script.steps.push_back({tick, what, 0}); };
  std::vector<WorldNumber> cast;  // distinct ones, so that no step refuses another
  while (cast.size() < 8)
    if (const WorldNumber n = some(); std::find(cast.begin(), cast.end(), n) == cast.end()) cast.push_back(n);

  Model model = built_in_models()[0];
  model.name = "newcomer";
  model.max_speed = 0.5;
  EntitySpec spawned = robot("spawned0", "turtlebot3_waffle", 3, -3, 1, DriverKind::kRightOfWay);
  EntitySpec newcomer = robot("spawned1", "newcomer", 3, 3, -2, DriverKind::kRandomWalk);
  spawned.driver.period = newcomer.driver.period = std::chrono::milliseconds(40);
  add(moment(5), Edit{Spawn{spawned, kNobody}});
  add(moment(20), Edit{AddModel{model}});
  add(moment(35), Edit{Spawn{newcomer, kNobody}});
  add(moment(50), Edit{SetState{cast[0], {{3.2, 0, 0}, from_yaw(random.uniform(-3, 3))}, std::nullopt}});
  add(moment(65), Edit{Attach{cast[1], cast[2]}});
  add(moment(80), Edit{Attach{cast[2], cast[3]}});                // hangs on what hangs on cast[1]
  add(moment(80), Edit{Attach{cast[4], WorldNumber(last + 1)}});  // a spawned one
  add(moment(95), Edit{SetEnvironment{{0.5, random.uniform(), 0.25, 1, 0, 18.5}}});
  for (int i = 0; i < 6; ++i) {
    DriveCommand drive{some(), {}, millis(random.uniform(100, 900))};
    drive.twist.v.x = random.uniform(-0.3, 0.6);
    drive.twist.w.z = random.uniform(-1.5, 1.5);
    add(moment(30 + 35 * i), Input{drive});
  }
  add(moment(130), Edit{SetState{cast[1], {{-3.2, 0, 0}, from_yaw(0.5)}, Twist{{0.1, 0, 0}, {0, 0, 0.2}}}});
  add(moment(150), Edit{Detach{cast[2]}});
  add(moment(165), Edit{Reset{{cast[5], cast[0]}}});
  add(moment(180), Edit{Delete{cast[6]}});
  add(moment(195), Edit{Delete{cast[4]}});  // with one attached, which comes free
  spawned.name = "spawned2";
  spawned.pose.p = {-3, -3, 0};
  add(moment(210), Edit{Spawn{spawned, kNobody}});
  add(moment(230), Edit{Attach{WorldNumber(last + 3), cast[7]}});
  add(moment(250), Edit{Detach{cast[7]}});
  add(moment(100), Edit{Lease{{cast[0], cast[5]}, "planner", Lease::Kind::kTake}});
  DriveCommand led{cast[0], {{0.2, 0, 0}, {}}, millis(400)};
  led.holder = "planner";
  add(moment(120), Input{led});
  add(moment(140), Edit{Lease{{cast[5]}, "planner", Lease::Kind::kGiveBack}});
  add(moment(240), Edit{Lease{{cast[0]}, "admin", Lease::Kind::kBreak}});
  std::stable_sort(script.steps.begin(), script.steps.end(),
                   [](const auto& a, const auto& b) { return a.tick < b.tick; });
  return script;
}

void ScriptPlayer::completed(std::uint32_t run, Tick tick, const World&, std::span<const AgentHash>,
                             std::span<const Message>) {
  for (const ScriptStep& step : steps_) {
    if (step.run != run || step.tick != tick) continue;
    if (const auto* input = std::get_if<Input>(&step.what)) {
      conductor_->submit(*input);
      continue;
    }
    const auto* reset = std::get_if<Reset>(&std::get<Edit>(step.what));
    const bool restarts = reset && reset->entities.empty();
    conductor_->submit(std::get<Edit>(step.what), [this, tick, restarts](const Result<EditOutcome>& outcome) {
      if (!outcome) refused_.push_back("tick " + std::to_string(tick) + ": " + outcome.error().message());
      else if (outcome->tick != tick && !restarts) late_.push_back("tick " + std::to_string(tick) + ": came late");
    });
  }
}

void JournalReplay::completed(std::uint32_t run, Tick tick, const World&, std::span<const AgentHash>,
                              std::span<const Message>) {
  for (const JournalEntry& entry : journal_) {
    if (entry.run != run || entry.tick != tick) continue;
    if (const auto* input = std::get_if<Input>(&entry.what)) conductor_->submit(*input);
    if (const auto* edit = std::get_if<Edit>(&entry.what)) conductor_->submit(*edit, nullptr);
  }
}

void JournalReplay::chained(std::uint32_t run, Tick tick, std::uint64_t, const World&, std::span<const AgentHash>) {
  for (const JournalEntry& entry : journal_)
    if (const auto* lost = std::get_if<Lost>(&entry.what); lost && entry.run == run && entry.tick == tick + 1)
      conductor_->playback().mark_lost(*lost);
}

std::uint64_t carried_across(const World& world) {
  std::uint64_t found = 0;
  for (const Entity& child : world.entities()) {
    if (child.parent == kNoEntity || child.owner == kNobody) continue;
    const Owner owner = world.entity(world.slot_of(child.parent)).owner;
    found += owner != kNobody && owner != child.owner;
  }
  return found;
}

void RunMemory::completed(std::uint32_t, Tick, const World& world, std::span<const AgentHash>,
                          std::span<const Message> sent) {
  carried_across_ += testing::carried_across(world);
  for (const Message& message : sent) messages_ = chain(messages_, hash64(save(message)));
}

}  // namespace convoy::testing
