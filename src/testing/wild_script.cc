#include "testing/wild_script.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/hash.h"
#include "core/random.h"
#include "testing/chatter.h"
#include "testing/virtual_log.h"

namespace convoy::testing {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kApart = 0.8;  // m; between robots at the beginning

enum class Doing : std::uint8_t {
  kSpawn,
  kStorm,  // dozens of spawns at one boundary
  kDelete,
  kPlace,
  kAttach,
  kAttachAll,  // everything to something, in one go
  kDetach,
  kResetSome,
  kEnvironment,
  kAddModel,
  kDrive,
  kControl,
  kParameter,
  kPart,  // of MuJoCo robots: the last, and drawn for them alone
  kCount,
};
constexpr std::size_t kDoings = static_cast<std::size_t>(Doing::kCount);

class Draft {
 public:
  Draft(std::uint64_t number, const Cast& cast)
      : random_{stream_key(number, 0, "wild script"), 0},
        leases_{stream_key(number, 0, "leases"), 0},
        edits_{stream_key(number, 0, "edits"), 0},
        outside_{stream_key(number, 0, "outside"), 0},
        cast_(cast) {
    script_.number = number;
    furnish();
    world_.emplace(*World::make(script_.setup));
  }

  Script made() {
    std::array<bool, kDoings> does{};
    for (std::size_t i = 0; i < kDoings; ++i)
      does[i] = (i != static_cast<std::size_t>(Doing::kPart) || !cast_.files.empty()) && random_.below(2) == 0;
    script_.resets = random_.below(3) == 0 ? 1 + static_cast<std::uint32_t>(random_.below(2)) : 0;
    script_.end = cast_.longest / 2 + static_cast<Tick>(random_.below(static_cast<std::uint64_t>(cast_.longest / 2)));
    for (; run_ <= script_.resets; ++run_) {
      const bool last = run_ == script_.resets;
      const auto most = static_cast<std::uint64_t>(std::min<Tick>(60, script_.end - 15));  // else it is over before
      const Tick length = last ? script_.end : 10 + static_cast<Tick>(random_.below(most));
      play(does, length);
      if (last) break;
      tick_ = length;
      take(Reset{});
    }
    return std::move(script_);
  }

 private:
  double uniform(double low, double high) { return random_.uniform(low, high); }
  std::uint64_t below(std::uint64_t n) { return random_.below(n); }

  void furnish();
  EntitySpec somebody(const std::string& name, double x, double y);
  void play(const std::array<bool, kDoings>& does, Tick length);
  void act(Doing what);
  void take(Edit edit);
  void set_part();
  void lease();
  void tag();
  void say(WorldNumber agent);
  std::string somebody_else() { return std::array{"ann", "bob", "cid"}[leases_.below(3)]; }
  void give(const Input& input) { script_.steps.push_back({tick_, input, run_}); }
  WorldNumber any() { return world_->snapshot().numbers()[below(world_->snapshot().size())]; }
  Pose somewhere() {
    const double x = uniform(-side_ / 2 + 0.6, side_ / 2 - 0.6), y = uniform(-side_ / 2 + 0.6, side_ / 2 - 0.6);
    return {{x, y, 0}, from_yaw(uniform(-kPi, kPi))};
  }

  Random random_, leases_, edits_, outside_;
  const Cast& cast_;
  Script script_;
  double side_ = 8;  // m
  std::optional<World> world_;
  std::uint32_t run_ = 0;
  Tick tick_ = 0;
  int made_ = 0;  // names of what is spawned or added differ
  int said_ = 0;  // from outside to nodes
};

void Draft::furnish() {
  const int most_in_a_row = 7, robots = 2 + static_cast<int>(below(static_cast<std::uint64_t>(cast_.most - 1)));
  side_ = uniform(most_in_a_row * kApart + 1.5, 10);
  Setup setup = empty_arena(side_, 1 + script_.number);
  setup.name = "wild" + std::to_string(script_.number);
  const int ticks[] = {5, 10, 20, 20, 40};
  setup.tick = std::chrono::milliseconds(ticks[below(5)]);
  setup.view_radius = uniform(0.5, 6);
  setup.checkpoint = 1 + static_cast<std::uint32_t>(below(90));
  setup.robots_touch = below(6) != 0;
  if (below(4) != 0) {
    const double delay = uniform(0, 30), jitter = uniform(0, 60), loss = uniform(0, 0.3);
    setup.network = {millis(delay), millis(jitter), loss, uniform(1, 12)};
  }
  script_.agents_edit = !cast_.components.empty() && edits_.below(2) == 0;
  setup.models.insert(setup.models.end(), cast_.models.begin(), cast_.models.end());
  setup.files = cast_.files;
  script_.setup = std::move(setup);
  for (int i = 0; i < robots; ++i) {
    const double x = -2.4 + kApart * (i % most_in_a_row) + uniform(-0.1, 0.1),
                 y = -2 + kApart * (i / most_in_a_row) + uniform(-0.1, 0.1);
    script_.setup.entities.push_back(somebody("r" + std::to_string(i), x, y));
  }
}

EntitySpec Draft::somebody(const std::string& name, double x, double y) {
  const std::string& model = cast_.names[below(cast_.names.size())];
  const DriverKind kinds[] = {DriverKind::kNone, DriverKind::kRandomWalk, DriverKind::kRightOfWay,
                              DriverKind::kRightOfWay, DriverKind::kWaypoints};
  const DriverKind kind = kinds[below(5)];
  const double yaw = uniform(-kPi, kPi);
  EntitySpec spec = robot(name, model, x, y, yaw, kind);
  const auto& models = script_.setup.models;
  const auto it = std::find_if(models.begin(), models.end(), [&](const Model& m) { return m.name == model; });
  if (it == models.end() || it->drive == Drive::kNone) spec.driver.kind = DriverKind::kNone;
  spec.driver.period = std::chrono::milliseconds(20 * (1 + static_cast<int>(below(5))));
  spec.driver.speed = uniform(0.3, 1);
  if (spec.driver.kind == DriverKind::kWaypoints)
    for (int i = 0; i < 3; ++i) spec.driver.waypoints.push_back({uniform(-2, 2), uniform(-2, 2)});
  if (!cast_.components.empty() && below(2) == 0) {
    spec.components = {cast_.components[below(cast_.components.size())]};
    const bool edits = script_.agents_edit && edits_.below(3) != 0;
    for (std::size_t kind = 0; edits && kind < kEditKinds; ++kind)
      if (edits_.below(6) != 0) spec.edits.push_back(static_cast<EditKind>(kind));
  }
  return spec;
}

// What it does, as often as it likes, in the order of its moments.
void Draft::play(const std::array<bool, kDoings>& does, Tick length) {
  std::vector<std::pair<Tick, Doing>> moments;
  for (std::size_t i = 0; i < kDoings; ++i) {
    const std::uint64_t times = 1 + below(6);
    const auto what = static_cast<Doing>(i);
    const bool rare = what == Doing::kStorm || what == Doing::kAttachAll || what == Doing::kAddModel;
    for (std::uint64_t n = 0; does[i] && n < (rare ? 1 : times); ++n)
      moments.push_back({static_cast<Tick>(below(static_cast<std::uint64_t>(length))), what});
  }
  std::stable_sort(moments.begin(), moments.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [tick, what] : moments) {
    tick_ = tick;
    act(what);
    if (leases_.below(4) == 0) lease();
    if (leases_.below(8) == 0 && !world_->entities().empty()) tag();
  }
}

// A force, a joint, a mocap body or an option of any MuJoCo robot.
void Draft::set_part() {
  SetPart part{any(), static_cast<SetPart::Kind>(below(4)), "", {}, Duration(0)};
  const Model& model = world_->model_of(world_->slot_of(part.entity));
  const auto one_of = [&](const std::vector<std::string>& names) {
    return names.empty() ? "" : names[below(names.size())];
  };
  const auto some = [&](std::size_t n, double most) {
    for (std::size_t i = 0; i < n; ++i) part.values.push_back(uniform(-most, most));
  };
  switch (part.kind) {
    case SetPart::Kind::kForce:
      part.name = one_of(model.bodies), part.lasts = millis(uniform(0, 300));
      return some(6, 2), take(std::move(part));
    case SetPart::Kind::kJoint: part.name = one_of(model.joints); return some(1 + below(2), 1), take(std::move(part));
    case SetPart::Kind::kMocap: part.name = one_of(model.mocaps); return some(3, 1), take(std::move(part));
    case SetPart::Kind::kOption:
      part.name = "iterations", part.values = {static_cast<double>(1 + below(100))};
      return take(std::move(part));
  }
}

// From outside to nodes, which may have no such topic or service.
void Draft::say(WorldNumber agent) {
  const std::string text = std::string(kFromOutside) + std::to_string(said_++);
  const std::string holder = outside_.below(4) == 0 ? "ann" : "";
  if (outside_.below(2) == 0)
    return give(PublishMessage{agent, "/talk" + std::to_string(outside_.below(kTopics)), kRemarkType, text, holder});
  const std::uint64_t id = outside_.below(1000);
  if (outside_.below(2) == 0) {
    const auto kind = static_cast<OutsideTraffic::Kind>(outside_.below(5));
    const bool topic = kind == OutsideTraffic::Kind::kMessage, answers = kind == OutsideTraffic::Kind::kResponse;
    return give(OutsideTraffic{
        agent, kind,
        topic ? "/talk" + std::to_string(outside_.below(kTopics)) : "/ask" + std::to_string(outside_.below(kServices)),
        topic ? kRemarkType : kAskType, answers ? 1 + outside_.below(3) : id, remark(text), holder});
  }
  give(CallService{agent, "/ask" + std::to_string(outside_.below(kServices)), kAskType, text, id, holder});
}

// By anybody, of one robot or two.
void Draft::lease() {
  const auto one = [&] { return world_->snapshot().numbers()[leases_.below(world_->snapshot().size())]; };
  if (world_->entities().empty()) return;
  Lease edit{{one()}, somebody_else(), static_cast<Lease::Kind>(leases_.below(3))};
  if (const WorldNumber other = one(); leases_.below(2) == 0 && other != edit.entities[0])
    edit.entities.push_back(other);
  take(std::move(edit));
}

// One other tag, or two, or none.
void Draft::tag() {
  SetTags edit{world_->snapshot().numbers()[leases_.below(world_->snapshot().size())], {}};
  for (std::uint64_t n = leases_.below(3); n > 0; --n) edit.tags.push_back("tag" + std::to_string(leases_.below(5)));
  take(std::move(edit));
}

// Only what can be done.
void Draft::take(Edit edit) {
  if (!world_->check(edit)) return;
  world_->apply(edit, instant(tick_ * nanos(script_.setup.tick)));
  world_->settle();
  script_.steps.push_back({tick_, std::move(edit), run_});
}

void Draft::act(Doing what) {
  if (world_->entities().empty() && what != Doing::kSpawn) return;
  switch (what) {
    case Doing::kStorm:
    case Doing::kSpawn: {
      const std::uint64_t n = what == Doing::kSpawn ? 1 : 20 + below(30);
      for (std::uint64_t i = 0; i < n; ++i) {
        const Pose pose = somewhere();
        EntitySpec spec = somebody("new" + std::to_string(made_++), pose.p.x, pose.p.y);
        take(Spawn{std::move(spec), kNobody});
      }
      return;
    }
    case Doing::kDelete: return take(Delete{any()});
    case Doing::kPlace: {
      SetState edit{any(), somewhere(), std::nullopt, below(5) == 0};
      if (below(2) == 0) edit.twist = Twist{{uniform(-0.3, 0.3), uniform(-0.3, 0.3), 0}, {0, 0, uniform(-1, 1)}};
      return take(edit);
    }
    case Doing::kAttach: {
      const WorldNumber parent = any();
      return take(Attach{parent, any()});
    }
    case Doing::kAttachAll: {  // a star, a chain or any tree
      const std::uint64_t shape = below(3);
      const WorldNumber centre = any();
      WorldNumber last = centre;
      const auto view = world_->snapshot().numbers();
      const std::vector<WorldNumber> all(view.begin(), view.end());
      for (WorldNumber child : all) {
        take(Attach{shape == 0 ? centre : shape == 1 ? last : any(), child});
        last = child;
      }
      return;
    }
    case Doing::kDetach: return take(Detach{any()});
    case Doing::kResetSome: {
      Reset edit;
      for (std::uint64_t n = 1 + below(4); n > 0; --n)
        if (const WorldNumber one = any();
            std::find(edit.entities.begin(), edit.entities.end(), one) == edit.entities.end())
          edit.entities.push_back(one);
      return take(std::move(edit));
    }
    case Doing::kEnvironment: {
      const double fog = uniform(0, 1), rain = uniform(0, 1), hour = uniform(0, 24);
      return take(SetEnvironment{{.fog = fog, .rain = rain, .time_of_day = hour}});
    }
    case Doing::kAddModel: {
      Model model = built_in_models()[0];
      model.name = "model" + std::to_string(made_++);
      model.max_speed = uniform(0.1, 0.6);
      EntitySpec spec = robot("of_" + model.name, model.name, 0, 0, 0, DriverKind::kRandomWalk);
      spec.pose = somewhere();
      take(AddModel{std::move(model)});
      return take(Spawn{std::move(spec), kNobody});
    }
    case Doing::kDrive: {
      DriveCommand drive{any(), {}, millis(uniform(50, 900))};
      drive.twist.v.x = uniform(-0.3, 0.6);
      drive.twist.w.z = uniform(-1.5, 1.5);
      if (leases_.below(2) == 0) drive.holder = somebody_else();
      return give(drive);
    }
    case Doing::kControl: {
      std::vector<WorldNumber> able;
      for (Slot slot : SlotRange(world_->entities().size()))
        if (!world_->model_of(slot).actuators.empty()) able.push_back(world_->entity(slot).number);
      if (able.empty()) return;
      SetControls controls{able[below(able.size())], {}, ControlSource::kDashboard};
      const std::size_t n = world_->model_of(world_->slot_of(controls.entity)).actuators.size();
      for (std::uint32_t i = 0; i < n; ++i)
        if (below(3) != 0) controls.controls.push_back({i, uniform(-1.5, 1.5)});
      if (leases_.below(2) == 0) controls.holder = somebody_else();
      return give(controls);
    }
    case Doing::kPart: return set_part();
    case Doing::kParameter: {
      std::vector<std::string> nodes;
      std::vector<WorldNumber> of;
      for (const Entity& entity : world_->entities())
        if (!entity.kind->components.empty()) nodes.push_back("/" + entity.name), of.push_back(entity.number);
      if (of.empty()) return;
      const std::size_t i = below(of.size());
      give(SetParameter{of[i], nodes[i] + "/chatter", "mood", std::to_string(below(100))});
      for (std::uint64_t n = outside_.below(4); n > 0; --n) say(of[outside_.below(of.size())]);
      return;
    }
    case Doing::kCount: return;
  }
}

}  // namespace

Cast plain_cast() {
  Cast cast;
  cast.names = {"turtlebot3_burger", "turtlebot3_waffle", "turtlebot3_burger", "box", "cart", "truck"};
  return cast;
}

Script make_wild_script(std::uint64_t number, const Cast& cast) { return Draft(number, cast).made(); }

}  // namespace convoy::testing
