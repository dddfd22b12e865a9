// convoy sensor-shot: what a sensor shows at an instant of a scenario, as a picture.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "agent/fleet_looks.h"
#include "apps/arguments.h"
#include "apps/embedded_clients.h"
#include "apps/library_folders.h"
#include "apps/prepare.h"
#include "apps/software.h"
#include "apps/users_code.h"
#include "core/pose.h"
#include "engines/engines.h"
#include "engines/identity.h"
#include "os/clock.h"
#include "os/output_file.h"
#include "os/standard_streams.h"
#include "os/terminal.h"
#include "os/thread_pool.h"
#include "plugins/sensor_libraries.h"
#include "record/camera_picture.h"
#include "record/sensor_picture.h"
#include "scenario/schema.h"
#include "shapes/map_boxes.h"
#include "shapes/slice.h"
#include "world/world_model.h"

namespace convoy::apps {

namespace {

constexpr std::size_t kMostInstants = 20'000;  // of a curve

// Looks through one sensor at each boundary up to one, or at that one alone where it casts rays.
class Shot final : public Gateway {
 public:
  Shot(const Setup& setup, const DrawArguments& wanted, Tick at) : setup_(setup), wanted_(wanted), at_(at) {}

  void before_tick(const Fleet&, Tick, std::vector<Input>&) override {}
  void after_tick(const Fleet&, Tick, const Snapshot&) override {}
  void on_time(const Fleet*, Moment) override {}
  Moment deadline() const override { return kNever; }
  void at_boundary(const Fleet& fleet, const HostPosition& here) override {
    if (here.tick > at_ || here.tick <= last_ || trouble_) return;
    last_ = here.tick;
    const World& world = fleet.world();
    const Slot slot = world.find(wanted_.robot);
    const Agent* agent = slot == kNoSlot ? nullptr : fleet.agent(world.entity(slot).number);
    if (here.tick < at_ && (!agent || is_picture(world.entity(slot)))) return;
    if (!agent) return fail_with(ErrorCode::kNotFound, "there is no robot '" + wanted_.robot + "' then");
    auto sample = look(fleet, agent->number(), wanted_.sensor);
    if (!sample) return fail_with(sample.error().code, "'" + wanted_.robot + "': " + sample.error().message());
    if (here.tick == at_) finish(world, slot);
    if (samples.size() < kMostInstants || here.tick == at_) samples.push_back(std::move(*sample));
  }

  std::vector<Sample> samples;  // by time
  Pose X_WS;                    // at the last
  Shapes scene;
  std::optional<MapData> map;  // at the sensor's height
  const std::optional<Error>& trouble() const { return trouble_; }

 private:
  bool is_picture(const Entity& entity) const {
    for (const SensorSpec& spec : entity.kind->sensors)
      if (spec.name == wanted_.sensor) {
        const SensorType* type = find_sensor_type(spec.type);
        return type && (type->traits.rays || type->traits.pictures);
      }
    return true;
  }
  void fail_with(ErrorCode code, std::string text) { trouble_ = Error{code, std::move(text), {}}; }
  void finish(const World& world, Slot slot) {
    const Entity& entity = world.entity(slot);
    const auto shapes = book_.of(world.models()[entity.model], world.files());
    for (const SensorSpec& spec : entity.kind->sensors)
      if (spec.name == wanted_.sensor)
        X_WS = place_mount(spec, {world.model_of(slot), shapes ? **shapes : Shapes{}, world.snapshot().state(slot),
                                  entity.pose, world.joints(slot)})
                   .X_WS;
    Scenery scenery = scenery_of(setup_, world.model(kWorldModel));
    scenery.map = &world.map().data();
    if (auto drawn = map_of_scene(scenery, world.files(), X_WS.p.z, 0)) map = std::move(*drawn);
  }

  const Setup& setup_;
  const DrawArguments& wanted_;
  Tick at_, last_ = -1;
  ShapeBook book_;
  std::optional<Error> trouble_;
};

PlacedDot dot_at(const Pose& X_WS, const Vec3& p_S, const Colour& colour) {
  const Vec3 p = (X_WS * Pose{p_S, {}}).p;
  return {p.x, p.y, colour};
}

constexpr Colour kMet{0xd1, 0x3b, 0x3b};

std::vector<PlacedDot> dots_of(const SampleData& data, const Pose& X_WS) {
  std::vector<PlacedDot> out;
  if (const auto* scan = std::get_if<Scan>(&data)) {
    for (std::size_t i = 0; i < scan->ranges.size(); ++i) {
      const double range = scan->ranges[i];
      double s, c;
      math::sincos(scan->angle_min + static_cast<double>(i) * scan->angle_increment, s, c);
      if (std::isfinite(range)) out.push_back(dot_at(X_WS, {range * c, range * s, 0}, kMet));
    }
  } else if (const auto* cloud = std::get_if<Cloud>(&data)) {
    // Coloured by height above the ground, blue at it, red at 2 m.
    for (const CloudPoint& p : cloud->points) {
      if (!std::isfinite(p.x)) continue;
      const Vec3 p_S{p.x, p.y, p.z};
      out.push_back(dot_at(X_WS, p_S, heat((X_WS * Pose{p_S, {}}).p.z / 2)));
    }
  } else if (const auto* radar = std::get_if<RadarScan>(&data)) {
    // Blue comes nearer at 1 m/s or more, red goes away.
    for (const RadarReturn& r : radar->returns) {
      double sa, ca, se, ce;
      math::sincos(r.azimuth, sa, ca), math::sincos(r.elevation, se, ce);
      out.push_back(dot_at(X_WS, r.range * Vec3{ca * ce, sa * ce, se}, heat(0.5 + r.speed / 2)));
    }
  } else if (const auto* range = std::get_if<RangeReading>(&data)) {
    for (int i = -20; std::isfinite(range->range) && i <= 20; ++i) {  // an arc: somewhere on it is what it saw
      double s, c;
      math::sincos(range->field / 2 * i / 20, s, c);
      out.push_back(dot_at(X_WS, range->range * Vec3{c, s, 0}, kMet));
    }
  }
  return out;
}

void add(CurvePanel& panel, const char* x, const char* y, const char* z, const Vec3& v) {
  if (panel.curves.empty()) panel.curves = {{x, {}}, {y, {}}, {z, {}}};
  panel.curves[0].values.push_back(v.x), panel.curves[1].values.push_back(v.y), panel.curves[2].values.push_back(v.z);
}

void add(std::vector<CurvePanel>& panels, std::size_t i, const char* label, std::span<const std::string> names,
         std::span<const double> values) {
  if (panels.size() <= i) panels.resize(i + 1);
  CurvePanel& panel = panels[i];
  panel.label = label;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (panel.curves.size() <= k) panel.curves.push_back({k < names.size() ? names[k] : std::to_string(k), {}});
    panel.curves[k].values.push_back(values[k]);
  }
}

// Of sensors that know their robot from inside.
void add_inside(std::vector<CurvePanel>& panels, const SampleData& data) {
  using Names = std::vector<std::string>;
  using Values = std::vector<double>;
  if (const auto* odom = std::get_if<OdometryReading>(&data)) {
    add(panels, 0, "place in its odom frame (m)", Names{"x", "y"}, Values{odom->x, odom->y});
    add(panels, 1, "speed (m/s), turn rate (rad/s)", Names{"speed", "turn rate"}, Values{odom->speed, odom->turn_rate});
  } else if (const auto* joints = std::get_if<JointsReading>(&data)) {
    add(panels, 0, "position (rad, m)", joints->names, joints->positions);
    add(panels, 1, "velocity (rad/s, m/s)", joints->names, joints->velocities);
  } else if (const auto* touches = std::get_if<Touches>(&data)) {
    Vec3 force;
    for (const Touch& one : touches->touches) force = force + one.force;
    add(panels, 0, "touches", Names{"touches"}, Values{static_cast<double>(touches->touches.size())});
    add(panels, 1, "force in its frame (N)", Names{"x", "y", "z"}, Values{force.x, force.y, force.z});
  } else if (const auto* overlaps = std::get_if<Overlaps>(&data)) {
    add(panels, 0, "inside", Names{"inside"}, Values{static_cast<double>(overlaps->inside.size())});
  } else if (const auto* battery = std::get_if<BatteryReading>(&data)) {
    add(panels, 0, "charge (%)", Names{"charge"}, Values{100 * battery->share});
    add(panels, 1, "voltage (V), current (A)", Names{"voltage", "current"}, Values{battery->voltage, battery->current});
  } else if (const auto* keys = std::get_if<KeysReading>(&data)) {
    add(panels, 0, "keys held (mask)", Names{"held"}, Values{static_cast<double>(keys->held)});
  } else if (const auto* stick = std::get_if<StickReading>(&data)) {
    add(panels, 0, "axes", Names{"forwards", "left", "turn"}, Values(stick->axes.begin(), stick->axes.end()));
  } else if (const auto* engine = std::get_if<EngineReading>(&data)) {
    add(panels, 0, engine->element.c_str(), {}, engine->values);
  }
}

std::vector<CurvePanel> panels_of(std::span<const Sample> samples) {
  std::vector<CurvePanel> out;
  const auto panel = [&](std::size_t i, const char* label) -> CurvePanel& {
    if (out.size() <= i) out.resize(i + 1);
    out[i].label = label;
    return out[i];
  };
  for (const Sample& sample : samples) {
    if (const auto* imu = std::get_if<ImuSample>(&sample.data)) {
      add(panel(0, "specific force (m/s^2)"), "x", "y", "z", imu->linear_acceleration);
      add(panel(1, "angular velocity (rad/s)"), "x", "y", "z", imu->angular_velocity);
    } else if (const auto* mag = std::get_if<MagneticReading>(&sample.data)) {
      add(panel(0, "magnetic field (uT)"), "x", "y", "z", 1e6 * mag->field);
    } else if (const auto* fix = std::get_if<Fix>(&sample.data)) {
      const auto& first = std::get<Fix>(samples.front().data).at;
      add(panel(0, "from the first fix (m)"), "east", "north", "up", place_of(first, fix->at));
    } else if (const auto* pose = std::get_if<PoseReading>(&sample.data)) {
      add(panel(0, "place (m)"), "x", "y", "z", pose->X_OS.p);
      add(panel(1, "velocity in its frame (m/s)"), "x", "y", "z", pose->v_WS_S.v);
    } else {
      add_inside(out, sample.data);
    }
  }
  return out;
}

Bytes picture_of(const Shot& shot, const std::string& title) {
  const Sample& last = shot.samples.back();
  if (const auto* seen = std::get_if<CameraReading>(&last.data)) return draw_camera_png(*seen);
  if (const auto panels = panels_of(shot.samples); !panels.empty()) {
    std::vector<double> times;
    for (const Sample& sample : shot.samples) times.push_back(seconds(sample.at));
    return draw_curves_png(panels, times, title);
  }
  std::vector<MapCell> cells;
  std::optional<MapImage> map;
  if (shot.map) {
    for (const std::uint8_t cell : shot.map->cells) cells.push_back(cell < 3 ? static_cast<MapCell>(cell) : MapCell{});
    const MapOrigin& origin = shot.map->origin;
    map = MapImage{static_cast<int>(shot.map->width),
                   static_cast<int>(shot.map->height),
                   shot.map->resolution,
                   origin.x,
                   origin.y,
                   origin.yaw,
                   cells};
  }
  return draw_dots_png(dots_of(last.data, shot.X_WS), {0, shot.X_WS.p.x, shot.X_WS.p.y, yaw_of(shot.X_WS.q)},
                       map ? &*map : nullptr, title);
}

}  // namespace

int sensor_shot(const Arguments& arguments) {
  os::StderrLog log(arguments.log_level);
  const DrawArguments& wanted = arguments.draw;
  const auto at = scenario::parse_duration(wanted.at);
  if (!at || *at < Duration(0)) return complain("--at " + wanted.at + ": an instant is 0s or later, as 12.5s", kUsage);
  const std::string out = wanted.out.empty() ? wanted.robot + "_" + wanted.sensor + ".png" : wanted.out;
  if (!out.ends_with(".png")) return complain(out + ": it is drawn as a .png", kUsage);
  ScenarioArguments run = arguments.run;
  run.mode = "lockstep", run.speed = "max";
  auto scenario = load_scenario(run);
  if (!scenario) return complain(scenario.error());
  warn_of(*scenario, log);
  if (const auto absent = check_users_code(scenario->setup, scenario->setup.entities, library_folders(arguments));
      !absent.empty())
    return complain(absent);
  if (auto ok = check_nobody_joins(scenario->setup.entities); !ok) return complain(ok.error().message(), kUsage);
  auto file = os::OutputFile::open(out);
  if (!file) return complain(file.error().message(), kUsage);

  const Tick tick = *at / scenario->setup.tick;
  ServerOptions options = server_options(*scenario, 0);
  options.membership.liveness = Duration{0};
  options.hosts = {"host0"};
  options.conductor.end = tick + 1;
  const auto physics = make_physics(library_folders(arguments));
  const auto rays = engines::ray_casters();
  const auto pictures = engines::picture_maker();
  const auto software = software_factory(arguments.log_level, library_folders(arguments));
  SensorLibraries sensors(library_folders(arguments));
  os::ThreadPool pool(1);
  Embedded embedded;
  auto server = ServerRole::make(scenario->setup, options, embedded.server_network(), log, {});
  if (!server) return complain(server.error().message(), kUsage);
  embedded.set_server(**server);
  Shot shot(scenario->setup, wanted, tick);
  Gateway* const gateways[] = {&shot};
  const auto clients =
      add_clients(embedded, options.hosts, options, pool,
                  AgentParts{*physics, software.get(), rays.get(), nullptr, &sensors, pictures.get()}, log, gateways);
  embedded.run(
      [&] {
        if (shot.trouble()) (*server)->stop();
        return os::now();
      },
      [](Moment next) { sleep_a_while(next); });
  if (shot.trouble()) return complain(arguments.run.scenario + ": " + shot.trouble()->message(), kUsage);
  if (clients[0]->failure()) return complain(clients[0]->failure()->message(), kFailed);
  if (shot.samples.empty()) return complain(arguments.run.scenario + ": the run ended before " + wanted.at, kFailed);
  const std::string title = fmt::format("{}: {} of {} at {:.9g} s", scenario->setup.name, wanted.sensor, wanted.robot,
                                        seconds(shot.samples.back().at));
  const Bytes png = picture_of(shot, title);
  if (png.empty()) return complain(out + ": no memory for a picture", kFailed);
  if (auto ok = file->write(png); !ok) return complain(ok.error().message(), kFailed);
  log.line(LogLevel::kInfo, fmt::format("{}: sample {} of {}", out, shot.samples.back().index, wanted.sensor));
  return kOk;
}

}  // namespace convoy::apps
