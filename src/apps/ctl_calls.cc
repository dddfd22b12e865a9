// What each call of convoy ctl asks, and how its answer reads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/ctl.h"
#include "apps/ctl_looks.h"
#include "apps/ctl_print.h"
#include "apps/number_rows.h"
#include "core/math.h"
#include "os/file.h"
#include "os/standard_streams.h"
#include "os/terminal.h"
#include "roles/calls.h"
#include "scenario/lists.h"
#include "scenario/scenario.h"
#include "world/edit.h"
#include "world/setup.h"
#include "world/state.h"

namespace convoy::apps {

namespace {

using Made = Result<proto::Request>;

void put(proto::Pose* out, const Pose& pose) {
  put_vector(out->mutable_p(), pose.p);
  out->mutable_q()->set_w(pose.q.w), out->mutable_q()->set_x(pose.q.x);
  out->mutable_q()->set_y(pose.q.y), out->mutable_q()->set_z(pose.q.z);
}

Result<Pose> pose_of(const std::string& text) {
  const auto v = numbers_in("--pose", text, "X,Y or X,Y,YAW (m, rad)", 2, 3);
  if (!v) return tl::unexpected(v.error());
  return Pose{{(*v)[0], (*v)[1], 0}, from_yaw(math::wrap_angle((*v)[2]))};
}

void add(proto::Request& request, const EntitySpec& spec, const std::string& frame_of_pose) {
  proto::SpawnOne* one = request.mutable_spawn()->add_entities();
  one->set_name(spec.name), one->set_model(spec.model), one->set_frame_of_pose(frame_of_pose);
  one->set_ns(spec.ns), one->set_frame(spec.frame), one->set_host(spec.host), one->set_keyframe(spec.keyframe);
  for (const std::string& tag : spec.tags) one->add_tags(tag);
  put(one->mutable_pose(), spec.pose);
  const Bytes driver = save(spec.driver);
  one->set_driver(driver.data(), driver.size());
  if (!spec.components.empty()) {
    const Bytes components = save(ComponentList{spec.components});
    one->set_components(components.data(), components.size());
  }
  one->set_domain(spec.domain);
  if (spec.controller) {
    const Bytes controller = save(*spec.controller);
    one->set_controller(controller.data(), controller.size());
  }
  if (spec.control_source) one->set_control_source(std::string(name_of(*spec.control_source)));
}

Result<DriverSpec> driver_of(const CtlArguments& a) {
  DriverSpec driver;
  if (a.driver == "random_walk") driver.kind = DriverKind::kRandomWalk;
  if (a.driver == "waypoints") driver.kind = DriverKind::kWaypoints;
  if (a.driver == "right_of_way") driver.kind = DriverKind::kRightOfWay;
  for (const std::string& text : a.waypoints) {
    const auto point = numbers_in("--waypoint", text, "X,Y (m)", 2, 2);
    if (!point) return tl::unexpected(point.error());
    driver.waypoints.push_back({(*point)[0], (*point)[1]});
  }
  const bool needed = driver.kind == DriverKind::kWaypoints;
  if (needed && driver.waypoints.empty())
    return fail(ErrorCode::kInvalid, "--driver waypoints needs at least one --waypoint X,Y");
  if (!needed && !driver.waypoints.empty()) return fail(ErrorCode::kInvalid, "--waypoint needs --driver waypoints");
  return driver;
}

Made spawn_file(const std::string& file) {
  const auto text = os::read_text(file);
  if (!text) return tl::unexpected(text.error());
  const auto lines = scenario::read_spawn_list(*text, file);
  if (!lines) return tl::unexpected(lines.error());
  proto::Request request;
  for (const scenario::SpawnLine& line : *lines) add(request, line.spec, line.frame_of_pose);
  return request;
}

// One entity, a file of them, or --count of one kind in a square grid from --pose on.
Made spawn(const CtlArguments& a) {
  if (!a.file.empty()) {
    if (!a.names.empty() || !a.model.empty() || a.count > 0 || a.z || !a.keyframe.empty())
      return fail(ErrorCode::kInvalid,
                  "--file says all about the entities; leave NAME, --model, --z, --keyframe and --count out");
    return spawn_file(a.file);
  }
  const bool batch = a.count > 0;
  if (batch == !a.names.empty() || batch == a.prefix.empty())
    return fail(ErrorCode::kInvalid, "spawn takes a NAME, or --count N with --prefix P, or --file F");
  if (a.model.empty()) return fail(ErrorCode::kInvalid, "--model is missing; convoy ctl spawnables lists the models");
  const auto origin = pose_of(a.pose.empty() ? "0,0" : a.pose);
  if (!origin) return tl::unexpected(origin.error());
  const auto driver = driver_of(a);
  if (!driver) return tl::unexpected(driver.error());
  if (a.z && !scenario::names_robot_file(a.model))
    return fail(ErrorCode::kInvalid, "--z is for robots from files: others are on the ground");
  EntitySpec spec{.name = batch ? "" : a.names.front(),
                  .model = a.model,
                  .pose = *origin,
                  .ns = a.ns,
                  .frame = a.frame_id,
                  .tags = a.tags,
                  .driver = *driver,
                  .keyframe = a.keyframe,
                  .host = a.host};
  proto::Request request;
  const auto add_one = [&] {
    add(request, spec, a.frame_of_pose);
    request.mutable_spawn()->mutable_entities()->rbegin()->set_sensors(a.sensor.set);
  };
  if (!batch) {
    add_one();
    return request;
  }
  const auto columns = static_cast<std::uint32_t>(std::ceil(std::sqrt(a.count)));
  const std::size_t digits = std::to_string(a.count - 1).size();  // as a scenario's `count` names its robots
  for (std::uint32_t i = 0; i < a.count; ++i) {
    spec.name = fmt::format("{}_{:0{}}", a.prefix, i, digits);
    if (!a.ns.empty()) spec.ns = a.ns + "/" + spec.name;
    spec.pose.p = origin->p + a.spacing * Vec3{static_cast<double>(i % columns), static_cast<double>(i / columns), 0};
    add_one();
  }
  return request;
}

Made kick(const CtlArguments& a) {
  proto::Request r;
  r.mutable_kick()->set_name(a.names.at(0));
  return r;
}

Made remove(const CtlArguments& a) {
  proto::Request request;
  for (const std::string& name : a.names) request.mutable_delete_()->add_names(name);
  return request;
}

Made get(const CtlArguments& a) {
  proto::Request request;
  request.mutable_get()->set_name(a.names.front());
  request.mutable_get()->set_frame(a.frame);
  request.mutable_get()->set_rule(true);
  request.mutable_get()->set_details(true);
  return request;
}

Made set(const CtlArguments& a) {
  if (a.pose.empty() && a.twist.empty()) return fail(ErrorCode::kInvalid, "set needs --pose, --twist or both");
  proto::Request request;
  proto::Set* out = request.mutable_set();
  out->set_name(a.names.front());
  out->set_frame(a.frame);
  if (!a.pose.empty()) {
    const auto pose = pose_of(a.pose);
    if (!pose) return tl::unexpected(pose.error());
    put(out->mutable_pose(), *pose);
  }
  if (!a.twist.empty()) {
    const auto v = numbers_in("--twist", a.twist, "VX,VY or VX,VY,WZ (m/s, rad/s)", 2, 3);
    if (!v) return tl::unexpected(v.error());
    out->mutable_twist()->mutable_v()->set_x((*v)[0]);
    out->mutable_twist()->mutable_v()->set_y((*v)[1]);
    out->mutable_twist()->mutable_w()->set_z((*v)[2]);
  }
  return request;
}

Made drive(const CtlArguments& a) {
  proto::Request request;
  proto::Drive* out = request.mutable_drive();
  out->set_name(a.names.front());
  out->set_forward(a.forward), out->set_turn(a.turn), out->set_timeout(a.drive_timeout);
  return request;
}

// "actuator=value" for each.
Made control(const CtlArguments& a) {
  proto::Request request;
  request.mutable_set_controls()->set_name(a.parent);
  for (const std::string& text : a.controls) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos)
      return fail(ErrorCode::kInvalid, "a control is written ACTUATOR=VALUE, not '" + text + "'");
    const auto value = numbers_in("a control", text.substr(equals + 1), "ACTUATOR=VALUE", 1, 1);
    if (!value) return tl::unexpected(value.error());
    request.mutable_set_controls()->add_actuators(text.substr(0, equals));
    request.mutable_set_controls()->add_values((*value)[0]);
  }
  return request;
}

Made part(const CtlArguments& a, SetPart::Kind kind, const std::string& name, std::span<const double> values) {
  proto::Request request;
  proto::SetPart* out = request.mutable_set_part();
  out->set_name(a.parent), out->set_kind(static_cast<std::uint32_t>(kind)), out->set_part(name);
  for (double value : values) out->add_values(value);
  return request;
}

Made push(const CtlArguments& a) {
  if (a.part.force.empty() && a.part.torque.empty())
    return fail(ErrorCode::kInvalid, "push needs --force, --torque or both");
  std::vector<double> values;
  for (const auto& [option, text] : {std::pair{"--force", &a.part.force}, std::pair{"--torque", &a.part.torque}}) {
    const auto v = numbers_in(option, text->empty() ? "0,0,0" : *text, "X,Y,Z (N, N m, in the world)", 3, 3);
    if (!v) return tl::unexpected(v.error());
    values.insert(values.end(), v->begin(), v->end());
  }
  Made request = part(a, SetPart::Kind::kForce, a.part.body, values);
  request->mutable_set_part()->set_lasts_ns(std::llround(a.part.lasts * 1e9));
  return request;
}

// "NAME=VALUE" or "NAME=VALUE,VALUE...": of a kind of part.
Made named_part(const CtlArguments& a, SetPart::Kind kind, const char* form, std::size_t few, std::size_t many) {
  const std::size_t equals = a.part.text.rfind('=');
  if (equals == std::string::npos)
    return fail(ErrorCode::kInvalid, fmt::format("'{}': it is written {}", a.part.text, form));
  const std::string text = a.part.text.substr(equals + 1);
  const auto given = static_cast<std::size_t>(std::count(text.begin(), text.end(), ',')) + 1;
  const auto v = numbers_in(a.part.text.substr(0, equals), text, form, few, given == many ? many : few);
  if (!v) return tl::unexpected(v.error());
  return part(a, kind, a.part.text.substr(0, equals), *v);
}

Made joint(const CtlArguments& a) {
  return named_part(a, SetPart::Kind::kJoint, "JOINT=POSITION or JOINT=POSITION,VELOCITY", 1, 2);
}
Made mocap(const CtlArguments& a) {
  return named_part(a, SetPart::Kind::kMocap, "BODY=X,Y,Z or BODY=X,Y,Z,QW,QX,QY,QZ (m, in the world)", 3, 7);
}

// Solvers go by their names in MJCF.
Made option(const CtlArguments& a) {
  constexpr const char* kSolvers[] = {"solver=PGS", "solver=CG", "solver=Newton"};
  CtlArguments numbered = a;
  for (std::size_t i = 0; i < std::size(kSolvers); ++i)
    if (a.part.text == kSolvers[i]) numbered.part.text = "solver=" + std::to_string(i);
  return named_part(numbered, SetPart::Kind::kOption, "OPTION=NUMBER, or solver=PGS, CG or Newton", 1, 1);
}

Made contacts(const CtlArguments& a) {
  proto::Request request;
  request.mutable_contacts()->set_name(a.names.front());
  return request;
}

Made sensor(const CtlArguments& a) {
  proto::Request request;
  if (!a.sensor.fields.empty()) {
    if (a.names.size() < 2) return fail(ErrorCode::kInvalid, "--set needs a sensor");
    std::string fields;
    for (const std::string& one : a.sensor.fields) {
      const std::size_t equals = one.find('=');
      if (equals == std::string::npos || equals == 0)
        return fail(ErrorCode::kInvalid, "--set is FIELD=VALUE, not '" + one + "'");
      fields += (fields.empty() ? "{" : ", ") + one.substr(0, equals) + ": " + one.substr(equals + 1);
    }
    proto::ChangeSensor& change = *request.mutable_change_sensor();
    change.set_name(a.names.front()), change.set_sensor(a.names[1]), change.set_fields(fields + "}");
    return request;
  }
  request.mutable_sensor()->set_name(a.names.front());
  if (a.names.size() > 1) request.mutable_sensor()->set_sensor(a.names[1]);
  return request;
}

Made attach(const CtlArguments& a) {
  proto::Request request;
  request.mutable_attach()->set_parent(a.parent);
  request.mutable_attach()->set_child(a.child);
  return request;
}

Made detach(const CtlArguments& a) {
  proto::Request request;
  request.mutable_detach()->set_child(a.child);
  return request;
}

Made tags(const CtlArguments& a) {
  proto::Request request;
  request.mutable_set_tags()->set_name(a.parent);
  for (const std::string& tag : a.tags) request.mutable_set_tags()->add_tags(tag);
  return request;
}

Made list(const CtlArguments& a) {
  proto::Request request;
  proto::List* list = request.mutable_list();
  list->set_prefix(a.prefix), list->set_name(a.list.name), list->set_model(a.model);
  list->set_category(a.list.category);
  for (const std::string& tag : a.tags) list->add_tags(tag);
  list->set_rule(!a.list.details), list->set_details(a.list.details);
  if (!a.list.region.empty()) {
    const auto v = numbers_in("--region", a.list.region, "X0,Y0,X1,Y1 (m)", 4, 4);
    if (!v) return tl::unexpected(v.error());
    proto::Region* region = list->mutable_region();
    region->set_x_min((*v)[0]), region->set_y_min((*v)[1]), region->set_x_max((*v)[2]), region->set_y_max((*v)[3]);
  }
  return request;
}

Made leasing(const CtlArguments& a, Lease::Kind kind) {
  proto::Request request;
  request.mutable_lease()->set_kind(static_cast<std::uint32_t>(kind));
  for (const std::string& name : a.names) request.mutable_lease()->add_names(name);
  return request;
}

Made lease(const CtlArguments& a) { return leasing(a, Lease::Kind::kTake); }

Made release(const CtlArguments& a) {
  if (a.force && a.names.empty()) return fail(ErrorCode::kInvalid, "release --force needs the names of robots");
  return leasing(a, a.force ? Lease::Kind::kBreak : Lease::Kind::kGiveBack);
}

Made status(const CtlArguments&) {
  proto::Request request;
  request.mutable_status()->set_rule(true);
  return request;
}

Made actions(const CtlArguments& a) {
  proto::Request request;
  request.mutable_set_actions()->set_name(a.parent);
  request.mutable_set_actions()->set_mask(a.mask);
  return request;
}

// Without a source it asks. `convoy ctl source zmq` would name a robot: whose it shall be, is given by name or --all.
Made source(const CtlArguments& a) {
  proto::Request request;
  proto::ControlSource* out = request.mutable_control_source();
  std::vector<std::string> words = a.names;
  if (a.all && words.size() == 1) {
    out->set_source(words[0]);
    return request;
  }
  if (a.all || words.size() > 2) return fail(ErrorCode::kInvalid, "source takes NAME and SOURCE, or --all and SOURCE");
  if (!words.empty()) out->add_names(words[0]);
  if (words.size() == 2) out->set_source(words[1]);
  return request;
}

Made step(const CtlArguments& a) {
  proto::Request request;
  request.mutable_step()->set_ticks(a.ticks);
  return request;
}

Made reset(const CtlArguments& a) {
  proto::Request request;
  request.mutable_reset();
  for (const std::string& name : a.names) request.mutable_reset()->add_names(name);
  return request;
}

Made speed(const CtlArguments& a) {
  proto::Request request;
  request.mutable_speed()->set_factor(0);
  if (a.speed == "max") return request;
  const auto v = numbers_in("the speed", a.speed, "as a factor of real time above 0, or max", 1, 1);
  if (!v) return tl::unexpected(v.error());
  if (!((*v)[0] > 0)) return fail(ErrorCode::kInvalid, "the speed is a factor of real time above 0, or max");
  request.mutable_speed()->set_factor((*v)[0]);
  return request;
}

Made model(const CtlArguments& a) {
  const auto text = os::read_text(a.file);
  if (!text) return tl::unexpected(text.error());
  const auto read = scenario::read_model_file(*text, a.file);
  if (!read) return tl::unexpected(read.error());
  const Bytes bytes = save(*read);
  proto::Request request;
  request.set_add_model(bytes.data(), bytes.size());
  return request;
}

// What is not given stays as it is: ctl() fills it in from the server's status.
Made environment(const CtlArguments& a) {
  if (!a.weather.fog && !a.weather.rain && !a.weather.wetness && !a.weather.cloudiness && !a.weather.road_damage &&
      !a.weather.time_of_day && !a.weather.gravity && !a.weather.wind)
    return fail(ErrorCode::kInvalid,
                "environment needs at least one of --fog, --rain, --wetness, --cloudiness, "
                "--road-damage, --time-of-day, --gravity, --wind");
  proto::Request request;
  proto::SetEnvironment& e = *request.mutable_environment();
  const auto take = [](const char* option, const std::optional<std::string>& text, const auto& vector) -> Status {
    if (!text || *text == "file") return {};
    const auto v = numbers_in(option, *text, "X,Y,Z, or file", 3, 3);
    if (!v) return tl::unexpected(v.error());
    put_vector(vector(), {(*v)[0], (*v)[1], (*v)[2]});
    return {};
  };
  if (auto ok = take("--gravity", a.weather.gravity, [&] { return e.mutable_gravity(); }); !ok)
    return tl::unexpected(ok.error());
  if (auto ok = take("--wind", a.weather.wind, [&] { return e.mutable_wind(); }); !ok)
    return tl::unexpected(ok.error());
  return request;
}

template <proto::Empty* (proto::Request::*kField)()>
Made plain(const CtlArguments&) {
  proto::Request request;
  (request.*kField)();
  return request;
}

Made placement_request(const CtlArguments&) {
  proto::Request request;
  request.mutable_placement()->set_sensors(true);
  return request;
}

void at_tick(const char* what, const proto::Reply& r) { os::print("{} at tick {}\n", what, r.tick()); }

template <const char* const& kText>
void print_done(const CtlArguments&, const proto::Reply& r) {
  at_tick(kText, r);
}
constexpr const char* kDeleted = "deleted";
constexpr const char* kKicked = "sent away";
constexpr const char* kSet = "set";
constexpr const char* kCommanded = "commanded";
constexpr const char* kPushed = "pushed";
constexpr const char* kLeased = "leased";
constexpr const char* kReleased = "released";
constexpr const char* kAttached = "attached";
constexpr const char* kDetached = "detached";
constexpr const char* kPaused = "paused";
constexpr const char* kResumed = "resumed";
constexpr const char* kStepped = "stepped, and waits";
constexpr const char* kReset = "reset";
constexpr const char* kSpeed = "speed set";
constexpr const char* kModel = "model added";
constexpr const char* kEnvironment = "environment set";
constexpr const char* kDrawn = "drawn";
constexpr const char* kErased = "erased";
constexpr const char* kStopping = "the run ends";

using R = proto::Request;

constexpr CtlCall kCalls[] = {
    {"spawn", "Create entities", spawn, print_spawned},
    {"delete", "Remove entities", remove, print_done<kDeleted>},
    {"get", "Show an entity's pose, twist, joints, what it is and who rules it", get, print_state},
    {"set", "Put an entity somewhere else", set, print_done<kSet>},
    {"drive", "Command a robot for a moment", drive, print_done<kCommanded>},
    {"control", "Set actuators of a robot", control, print_done<kCommanded>},
    {"actuators", "Show a robot's actuators, their ranges, values and gains", actuators_request, print_actuators},
    {"gains", "Set gains of a robot's actuators, which turn targets into torques from then on", gains_request,
     print_done<kSet>},
    {"push", "Apply a force and a torque to a body of a robot for some time", push, print_done<kPushed>},
    {"joint", "Put one joint of a robot", joint, print_done<kSet>},
    {"mocap", "Put one mocap body of a robot", mocap, print_done<kSet>},
    {"option", "Set an option of a robot's physics engine", option, print_done<kSet>},
    {"contacts", "Show what a robot touches, where, and with which force", contacts, print_contacts},
    {"sensor", "List the sensors of a robot, or show what one of them shows", sensor, print_sensor},
    {"actions", "Hold keys of a robot, as a mask: bit i is key i", actions, print_done<kCommanded>},
    {"source", "Show or set whose commands robots obey: any, dashboard, zmq, ros2, nodes", source, print_source},
    {"lease", "Have robots to oneself: nobody else commands them", lease, print_done<kLeased>},
    {"release", "Give leases of robots back, or break somebody else's", release, print_done<kReleased>},
    {"attach", "Make an entity part of another", attach, print_done<kAttached>},
    {"detach", "Part an entity from the one it is attached to", detach, print_done<kDetached>},
    {"tags", "Give an entity other tags", tags, print_done<kSet>},
    {"list", "List the entities, or some of them, and who rules robots", list, print_entities},
    {"spawnables", "List the models", plain<&R::mutable_spawnables>, print_names},
    {"pause", "Stop the time at the next boundary", plain<&R::mutable_pause>, print_done<kPaused>},
    {"resume", "Let the time go on", plain<&R::mutable_resume>, print_done<kResumed>},
    {"step", "While paused, run some ticks and pause again", step, print_done<kStepped>},
    {"reset", "Put the world back to its beginning, or only the robots named", reset, print_done<kReset>},
    {"speed", "Set the speed of the time", speed, print_done<kSpeed>},
    {"status", "Show how the run stands", status, print_status},
    {"placement", "Show which host runs what, and where sensors sample", placement_request, print_placement},
    {"hosts", "Show how hosts fare: agents, sensors, time of a tick", plain<&R::mutable_hosts>, print_hosts},
    {"draw", "Draw lines, arrows, points or text for those who look at the run", draw_request, print_done<kDrawn>},
    {"erase", "Take drawings away", erase_request, print_done<kErased>},
    {"drawings", "Show what is drawn", drawings_request, print_drawings},
    {"world", "Show map, models, weather and where entities begin", plain<&R::mutable_world>, print_world},
    {"elements", "Show what outside programs have put into the world", plain<&R::mutable_elements>, print_elements},
    {"model", "Add a model to the world", model, print_done<kModel>},
    {"environment", "Set weather and time of day", environment, print_done<kEnvironment>},
    {"kick", "Send a connection away, as a host that does not finish its tick", kick, print_done<kKicked>},
    {"stop", "End the run in order, with its report", plain<&R::mutable_stop>, print_done<kStopping>},
};

}  // namespace

std::span<const CtlCall> ctl_calls() { return kCalls; }

}  // namespace convoy::apps
