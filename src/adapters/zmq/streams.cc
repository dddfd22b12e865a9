#include "adapters/zmq/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "adapters/zmq/test_pattern.h"

namespace convoy::zmq {

namespace {

constexpr int kControlPort = 1, kInfoPort = 2, kCameraPort = 3, kCallsPort = 4;  // places in the block
constexpr Duration kBeat = std::chrono::milliseconds(20);  // between looks at the sockets while no tick comes

// Where programs of this machine find what listens there.
std::string reachable(const std::string& listen) {
  return listen == "0.0.0.0" || listen == "*" || listen == "[::]" ? "127.0.0.1" : listen;
}

bool covers(const std::set<std::string>& prefixes, const std::string& topic) {
  // No prefix of a text stands behind it.
  for (auto it = prefixes.begin(); it != prefixes.end() && *it <= topic; ++it)
    if (topic.starts_with(*it)) return true;
  return false;
}

// What a robot without instruments of its own shows: the joints and the pose of its state.
Panel panel_of(const Model& model) {
  Panel out;
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    out.joints.push_back({model.joints[i], static_cast<std::int32_t>(i)});
  if (model.drive != Drive::kNone) out.bases.push_back({"base", static_cast<std::int32_t>(model.joints.size())});
  for (const std::string& name : model.actuators) out.actuators.push_back({name});
  return out;
}

void read_state(const Panel& panel, const State& state, std::span<const double> tail, PanelReadings& out) {
  out.joints.clear(), out.bases.clear(), out.sensors.clear();
  for (std::size_t i = 0; i < panel.joints.size() && i < tail.size() / 2; ++i)
    out.joints.push_back({tail[i], tail[tail.size() / 2 + i], 0});
  if (!panel.bases.empty())
    out.bases.push_back({state.pose, state.twist.v, rotate(state.pose.q.conjugate(), state.twist.w)});
}

}  // namespace

std::string StreamsCounters::text() const {
  return fmt::format(
      "{} malformed, {} of unknown topics, {} for unknown robots, {} for unknown actuators, "
      "{} not finite, {} too many, {} for leased robots",
      malformed, unknown_topic, unknown_robot, unknown_actuator, not_finite, too_many, leased);
}

std::vector<GatewayCount> StreamsCounters::list() const {
  return {{"zmq_received", received, false},
          {"zmq_published", published, false},
          {"zmq_malformed", malformed, true},
          {"zmq_unknown_topic", unknown_topic, true},
          {"zmq_unknown_robot", unknown_robot, true},
          {"zmq_unknown_actuator", unknown_actuator, true},
          {"zmq_not_finite", not_finite, true},
          {"zmq_too_many", too_many, true},
          {"zmq_leased", leased, true}};
}

// ---------------------------------------------------------------------------------------------------- sockets

SocketOptions Streams::socket_at(SocketOptions::Kind kind, int place) const {
  SocketOptions out;
  out.kind = kind;
  out.address = options_.listen + ":" + std::to_string(options_.port + place);
  out.secret_key = options_.secret_key;
  return out;
}

Result<std::unique_ptr<Streams>> Streams::open(StreamsOptions options, Log& log) {
  std::unique_ptr<Streams> out(new Streams(std::move(options), log));
  if (auto ok = out->open_sockets(); !ok) return tl::unexpected(ok.error());
  return out;
}

Status Streams::open_sockets() {
  const auto place = [&](std::unique_ptr<Socket>& to, const SocketOptions& options) -> Status {
    auto made = Socket::open(context_, options);
    if (!made) return tl::unexpected(made.error());
    to = std::make_unique<Socket>(std::move(*made));
    return {};
  };
  using Kind = SocketOptions::Kind;
  SocketOptions info = socket_at(Kind::kPublish, kInfoPort);
  info.each_one = true;  // whoever comes hears of the robots at once
  auto state = Publisher::open(socket_at(Kind::kPublish, 0), options_.port / kBlock);  // each client's on its own core
  if (!state) return tl::unexpected(state.error());
  state_ = std::move(*state);
  if (auto ok = place(control_, socket_at(Kind::kListen, kControlPort)); !ok) return ok;
  if (auto ok = place(info_, info); !ok) return ok;
  if (auto ok = place(door_, socket_at(Kind::kRoute, kCallsPort)); !ok) return ok;
  const auto address = [&](int at) {
    return fmt::format("tcp://{}:{}", reachable(options_.listen), options_.port + at);
  };
  CallsOptions calls = options_.calls;
  calls.doors = Json{{"calls", address(kCallsPort)},
                     {"state", address(0)},
                     {"control", address(kControlPort)},
                     {"info", address(kInfoPort)}}
                    .dump();
  calls_ = std::make_unique<Calls>(std::move(calls));
  return {};
}

Streams::~Streams() {
  if (counters_.dropped() > 0)
    log_.line(LogLevel::kWarn, fmt::format("ZeroMQ, port {}: of {} messages in some were dropped: {}", options_.port,
                                           counters_.received, counters_.text()));
}

// ----------------------------------------------------------------------------------------------------- robots

void Streams::add_cameras(Robot& robot) {
  for (const std::string& name : robot.panel.cameras) {
    Camera camera;
    camera.name = name, camera.topic = robot.name + "/camera/" + name + " ";
    for (int place = kCameraPort; place < kBlock && !camera.socket; ++place) {
      if (place == kCallsPort || camera_places_.count(place) > 0) continue;
      SocketOptions options = socket_at(SocketOptions::Kind::kPublish, place);
      options.queue = 1;                            // pictures are large, and old ones of no use
      auto made = Socket::open(context_, options);  // on a port that is taken: the next one
      if (!made) continue;
      camera.socket = std::make_unique<Socket>(std::move(*made));
      camera.place = place;
      camera_places_.insert(place);
      camera.endpoint = fmt::format("tcp://{}:{}", reachable(options_.listen), options_.port + place);
    }
    if (!camera.socket) {
      log_.line(LogLevel::kWarn, fmt::format("ZeroMQ: no port left for the camera '{}' of '{}'", name, robot.name));
      return;
    }
    robot.cameras.push_back(std::move(camera));
  }
}

Streams::Robot Streams::make_robot(const Fleet& fleet, const Agent& agent) {
  Robot out;
  const World& world = fleet.world();
  out.number = agent.number();
  out.name = world.entity(world.slot_of(out.number)).name;
  out.has_drive = agent.model().drive != Drive::kNone;
  out.from_engine = agent.physics().panel() != nullptr;
  out.panel = out.from_engine ? *agent.physics().panel() : panel_of(agent.model());
  const auto lines = [&](const auto& items, const char* kind) {
    std::vector<Line> made;
    for (const auto& item : items) made.push_back({out.name + "/" + kind + "/" + item.name});
    return made;
  };
  out.joints = lines(out.panel.joints, "joint");
  out.bases = lines(out.panel.bases, "base_state");
  out.sensors = lines(out.panel.sensors, "sensor");
  out.twist.topic = out.name + "/twist";
  out.actions.topic = out.name + "/actions";
  add_cameras(out);
  return out;
}

// The robots are the fleet's agents, which come, go and move between hosts.
void Streams::follow(const Fleet& fleet) {
  const auto& agents = fleet.all();
  if (are_agents_of(fleet, robots_)) return;
  std::vector<Robot> before = std::move(robots_);
  robots_.clear();
  by_name_.clear();
  std::erase_if(before, [&](const Robot& robot) {
    if (fleet.agent(robot.number)) return false;
    for (const Camera& camera : robot.cameras) camera_places_.erase(camera.place);
    return true;
  });
  for (const auto& agent : agents) {
    const auto known =
        std::find_if(before.begin(), before.end(), [&](const Robot& r) { return r.number == agent->number(); });
    robots_.push_back(known != before.end() ? std::move(*known) : make_robot(fleet, *agent));
    by_name_[robots_.back().name] = robots_.size() - 1;
  }
  find_wanted();
  rhythm_.ask();
}

Streams::Robot* Streams::find(std::string_view name) {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : &robots_[it->second];
}

// --------------------------------------------------------------------------------------------------------- in

void Streams::take_gains(Robot& robot, ByteView payload) {
  auto gains = read_gains(as_text(payload));
  if (!gains) return void(++counters_.malformed);
  const auto known = [&](std::string_view name) {
    const auto& all = robot.panel.actuators;
    return std::any_of(all.begin(), all.end(), [&](const Panel::Actuator& a) { return a.name == name; });
  };
  robot.gains.clear();
  for (GainPatch& patch : *gains) {
    const bool full = patch.actuator.starts_with(robot.name + "_");
    if (!known(patch.actuator) && full) patch.actuator = patch.actuator.substr(robot.name.size() + 1);
    if (known(patch.actuator)) robot.gains.push_back(std::move(patch));
    else ++counters_.unknown_actuator;
  }
  robot.new_gains = true;
}

// As URLab has it: the controller goes on, and what the message does not name has its defaults again.
void Streams::give_gains(Robot& robot, std::size_t& room, std::vector<Input>& inputs) {
  const std::size_t needed = 2 + 3 * robot.gains.size();
  if (!robot.new_gains || needed > room) return void(counters_.too_many += robot.new_gains);
  robot.new_gains = false;
  room -= needed;
  add_parameter(inputs, robot.number, "mode", "pd", Source::kZmq);
  add_parameter(inputs, robot.number, "gains", "default", Source::kZmq);
  for (const GainPatch& patch : robot.gains) add_gains(inputs, robot.number, patch);
}

void Streams::take(ByteView topic_bytes, ByteView payload) {
  const auto topic = read_topic(as_text(topic_bytes));
  if (!topic) return void(++counters_.unknown_topic);
  Robot* robot = find(topic->robot);
  if (!robot) return void(++counters_.unknown_robot);
  if (calls_->leased(robot->number)) return void(++counters_.leased);
  if (topic->kind == CommandTopic::Kind::kSetGains) return take_gains(*robot, payload);
  pairs_.clear();
  if (!read_controls(payload, pairs_)) return void(++counters_.malformed);
  for (const ControlPair& pair : pairs_) {
    if (pair.actuator < 0 || static_cast<std::size_t>(pair.actuator) >= robot->panel.actuators.size())
      ++counters_.unknown_actuator;
    else if (!std::isfinite(pair.value)) ++counters_.not_finite;
    else robot->controls[static_cast<std::uint32_t>(pair.actuator)] = pair.value;
  }
}

void Streams::hear() {
  for (int i = 0; i < kMaxHeardAtOnce && control_->receive(parts_); ++i) {
    ++counters_.received;
    if (parts_.size() < 2) ++counters_.malformed;
    else take(parts_[0], parts_[1]);
  }
  if (counters_.dropped() == 0 || told_trouble_) return;
  told_trouble_ = true;  // once; the sums come at the end
  log_.line(LogLevel::kWarn, fmt::format("ZeroMQ, port {}: messages to control make no sense: {}",
                                         options_.port + kControlPort, counters_.text()));
}

void Streams::serve(const Fleet* fleet) {
  for (int i = 0; i < kMaxHeardAtOnce && door_->receive(parts_); ++i) {
    if (parts_.size() < 2) continue;
    const Bytes request = std::move(parts_.back());
    parts_.pop_back();
    calls_->take(std::move(parts_), request, fleet, now_);
    send_answers();
  }
}

void Streams::send_answers() {
  for (const Calls::Answer& answer : calls_->take_answers()) door_->send(answer.peer, answer.bytes);
}

void Streams::before_tick(const Fleet& fleet, Tick, std::vector<Input>& inputs) {
  follow(fleet);
  hear();
  serve(&fleet);
  std::size_t room = kMaxGatewayInputs;
  for (Robot& robot : robots_) {
    give_gains(robot, room, inputs);
    if (robot.controls.empty()) continue;
    if (room == 0) {
      ++counters_.too_many;  // the next tick has room again
      continue;
    }
    --room;
    SetControls set{robot.number, {}, Source::kZmq};
    for (const auto& [actuator, value] : robot.controls)
      if (set.controls.size() < kMaxControls) set.controls.push_back({actuator, value});
    inputs.emplace_back(std::move(set));
    robot.controls.clear();
  }
  calls_->before_tick(fleet, room, inputs);
}

// -------------------------------------------------------------------------------------------------------- out

// True: somebody has come or gone.
template <class Publishing>
bool Streams::take_subscriptions(Publishing& socket, std::set<std::string>& prefixes) {
  bool any = false;
  for (int i = 0; i < kMaxHeardAtOnce && socket.receive(parts_); ++i) {
    if (parts_.empty() || parts_[0].empty()) continue;
    const std::string prefix(as_text(ByteView(parts_[0]).subspan(1)));
    any = true;
    if (parts_[0][0] == 0) prefixes.erase(prefix);
    else if (prefixes.size() < kMaxPrefixes) prefixes.insert(prefix);
  }
  return any;
}

void Streams::find_wanted() {
  for (Robot& robot : robots_) {
    robot.wanted = false;
    const auto look = [&](Line& line) {
      line.wanted = covers(prefixes_, line.topic);
      robot.wanted = robot.wanted || line.wanted;
    };
    for (auto* lines : {&robot.joints, &robot.bases, &robot.sensors})
      for (Line& line : *lines) look(line);
    if (robot.has_drive) look(robot.twist);
    look(robot.actions);
  }
}

void Streams::read(const Fleet& fleet, Robot& robot, Instant at, const Snapshot& states) {
  const Agent& agent = *fleet.agent(robot.number);
  const Slot slot = fleet.world().slot_of(robot.number);
  if (!robot.from_engine || !agent.physics().read(robot.readings))
    read_state(robot.panel, states.state(slot), states.tail(slot), robot.readings);
  robot.told = agent.told(at);
  robot.held_keys = agent.actions();
  robot.known = true;
}

void Streams::say(const Robot& robot) {
  const auto out = [&](const Line& line) {
    state_->add(line.topic, payload_);
    ++counters_.published;
  };
  const PanelReadings& r = robot.readings;
  for (std::size_t i = 0; i < robot.joints.size() && i < r.joints.size(); ++i)
    if (robot.joints[i].wanted) put_joint(payload_, robot.panel.joints[i].id, r.joints[i]), out(robot.joints[i]);
  std::size_t first = 0;
  for (std::size_t i = 0; i < robot.sensors.size(); ++i) {
    const Panel::Sensor& sensor = robot.panel.sensors[i];
    if (first + sensor.size > r.sensors.size()) break;
    if (robot.sensors[i].wanted) {
      put_sensor(payload_, options_.profile, sensor.id, std::span(r.sensors).subspan(first, sensor.size));
      out(robot.sensors[i]);
    }
    first += sensor.size;
  }
  for (std::size_t i = 0; i < robot.bases.size() && i < r.bases.size(); ++i)
    if (robot.bases[i].wanted) put_base(payload_, options_.profile, r.bases[i]), out(robot.bases[i]);
  if (robot.twist.wanted) put_twist(payload_, robot.told), out(robot.twist);
  if (robot.actions.wanted && robot.held_keys != 0) put_actions(payload_, robot.held_keys), out(robot.actions);
}

void Streams::say_again(const Fleet& fleet) {
  const Snapshot& states = fleet.world().snapshot();
  for (Robot& robot : robots_) {
    if (!robot.wanted) continue;
    if (!robot.known) read(fleet, robot, states.state(fleet.world().slot_of(robot.number)).stamp, states);
    say(robot);
  }
  state_->flush();
}

void Streams::after_tick(const Fleet& fleet, Tick reached, const Snapshot& states) {
  calls_->after_tick(fleet, reached, states);
  send_answers();
  if (take_subscriptions(*state_, prefixes_)) find_wanted();
  for (Robot& robot : robots_) {
    if (!robot.wanted) continue;
    read(fleet, robot, states.state(fleet.world().slot_of(robot.number)).stamp, states);
    say(robot);
  }
  state_->flush();
  ticked_ = true;
  if (rhythm_.ticked()) say_info();
}

void Streams::say_info() {
  for (const Robot& robot : robots_) {
    std::vector<CameraPlace> cameras;
    for (const Camera& camera : robot.cameras) cameras.push_back({camera.name, camera.endpoint});
    info_->send(info_text(robot.name, robot.panel, cameras));
  }
  rhythm_.said(now_);
}

void Streams::show() {
  bool made = false;
  for (Robot& robot : robots_)
    for (Camera& camera : robot.cameras) {
      (void)take_subscriptions(*camera.socket, camera.prefixes);
      if (!covers(camera.prefixes, camera.topic)) continue;
      if (!made) put_test_pattern(picture_, pictures_++);
      made = true;
      camera.socket->send(camera.topic, picture_);
      ++counters_.published;
    }
}

void Streams::on_time(const Fleet* fleet, Moment now) {
  now_ = now;
  if (std::exchange(ticked_, false)) last_tick_ = now;
  calls_->on_time(fleet, now);
  serve(fleet);  // always: what has come does not ring again
  send_answers();
  if (now < next_beat_) return;
  next_beat_ = now + kBeat;
  if (!fleet) return;
  follow(*fleet);
  if (take_subscriptions(*info_, info_prefixes_)) rhythm_.ask();
  if (take_subscriptions(*state_, prefixes_)) find_wanted();
  hear();
  if (rhythm_.due(now)) say_info();
  if (now >= next_picture_) {
    next_picture_ = now + kPicturePeriod;
    show();
  }
  if (now - last_tick_ < kIdlePeriod) return;
  last_tick_ = now;
  say_again(*fleet);
}

// ------------------------------------------------------------------------------------------------------ calls

void Streams::at_boundary(const Fleet& fleet, const Standing& standing) {
  calls_->at_boundary(fleet, standing);
  send_answers();
}

void Streams::held_at(const Fleet* fleet, std::uint32_t run, Tick tick) {
  calls_->held_at(fleet, run, tick);
  send_answers();
}

void Streams::answered(const Fleet* fleet, const GatewayAnswer& answer) {
  calls_->answered(fleet, answer);
  send_answers();
}

}  // namespace convoy::zmq
