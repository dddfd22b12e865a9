// convoy::Client: a ForeignRole on a loop of its own, driven step by step by the program that owns it.
#include "convoy/client.h"

#include <algorithm>
#include <cmath>

#include "client/foreign.h"
#include "os/clock.h"
#include "os/loop.h"
#include "os/port_secret.h"

namespace convoy {

namespace {

Weather weather_of(const Environment& e) {
  return {e.fog, e.rain, e.wetness, e.cloudiness, e.road_damage, e.time_of_day, e.gravity, e.wind};
}

constexpr Duration kSlice = std::chrono::milliseconds(10);  // of a blocking call

void put(proto::Vec3* out, const Vec3& v) { out->set_x(v.x), out->set_y(v.y), out->set_z(v.z); }
void put(proto::Pose* out, const Pose& pose) {
  put(out->mutable_p(), pose.p);
  out->mutable_q()->set_w(pose.q.w), out->mutable_q()->set_x(pose.q.x);
  out->mutable_q()->set_y(pose.q.y), out->mutable_q()->set_z(pose.q.z);
}
Vec3 from(const proto::Vec3& v) { return {v.x(), v.y(), v.z()}; }

Error refusal(const proto::Reply& reply) { return {static_cast<ErrorCode>(reply.error()), reply.text(), {}}; }

}  // namespace

struct ClientCalls::Inside {
  std::unique_ptr<os::NetLoop> loop;
  std::unique_ptr<ForeignRole> role;
  std::vector<EntityState> entities;  // by number
  Weather weather;
  std::uint32_t run = 0;
  WatchFunctions watch;
  std::optional<Instant> shown;       // simulated time of the last poll()
  std::optional<RunTick> shown_tick;  // in lockstep
  bool by_tick = false;               // done() or advance() was called
  bool watch_all = false;             // new functions have seen no entity yet
  bool left = false;

  ~Inside() { leave(); }

  // The loop hands over what was sent, the goodbye too, before it lets the links go.
  void leave() {
    if (!role || std::exchange(left, true)) return;
    role->leave();
    (void)loop->run(*role);
  }

  Status look(const InterestRegion& region);

  Error ended() const {
    if (const auto end = role->end()) return *end;
    return {ErrorCode::kUnavailable, "left", {}};
  }

  template <class Done>
  Status step_until(const Done& done, Duration timeout, const char* late) {
    const Moment until = os::now() + timeout;
    while (!done()) {
      if (left || role->end()) return tl::unexpected(ended());
      const Duration rest = until - os::now();
      if (rest <= Duration(0)) return fail(ErrorCode::kUnavailable, late);
      loop->step(*role, std::min(rest, kSlice));
    }
    return {};
  }

  Status done(proto::Request request, Duration deadline) {
    const auto reply = call(std::move(request), deadline);
    return reply ? Status{} : tl::unexpected(reply.error());
  }
  Result<std::string> json(proto::Request request, Duration deadline) {
    const auto reply = call(std::move(request), deadline);
    if (!reply) return tl::unexpected(reply.error());
    return reply->json();
  }
  Result<proto::Reply> call(proto::Request request, Duration deadline) {
    if (left || role->end()) return tl::unexpected(ended());
    request.set_deadline_ns(nanos(deadline));
    const std::uint64_t id = role->ask(std::move(request));
    std::optional<proto::Reply> reply;
    const Status ok = step_until([&] { return (reply = role->take_reply(id)).has_value(); }, deadline,
                                 "no answer within the deadline; the call may still be carried out");
    if (!ok) {
      role->forget(id);
      return tl::unexpected(ok.error());
    }
    if (reply->error() != 0) return tl::unexpected(refusal(*reply));
    return std::move(*reply);
  }

  Status set_part(std::string_view robot, std::uint32_t kind, std::string_view part, std::span<const double> values,
                  Duration lasts, Duration deadline) {
    proto::Request request;
    proto::SetPart* set = request.mutable_set_part();
    set->set_name(std::string(robot)), set->set_kind(kind), set->set_part(std::string(part));
    for (double value : values) set->add_values(value);
    set->set_lasts_ns(nanos(lasts));
    return done(std::move(request), deadline);
  }

  const EntityState* find(std::string_view name) const {
    const auto it =
        std::find_if(entities.begin(), entities.end(), [&](const EntityState& e) { return e.name == name; });
    return it == entities.end() ? nullptr : &*it;
  }

  void look();
};

// Compares the world with what was shown last, and calls the watcher.
void ClientCalls::Inside::look() {
  if (!role->running()) return;
  role->reckon(os::now());
  shown = role->sim_now(os::now());
  shown_tick = role->begun();
  const World& world = role->world();
  const bool again = std::exchange(run, role->run()) != role->run() || std::exchange(watch_all, false);
  std::vector<EntityState> now, gone;
  std::vector<std::size_t> appeared, changed, moved, attached, tagged, given;
  now.reserve(world.entities().size());
  auto old = entities.begin();
  for (Slot slot : SlotRange(world.entities().size())) {
    const Entity& entity = world.entity(slot);
    const State& state = world.snapshot().state(slot);
    const std::span<const double> tail = world.joints(slot);
    const auto middle = tail.begin() + static_cast<std::ptrdiff_t>(tail.size() / 2);
    for (; old != entities.end() && old->number < entity.number; ++old) gone.push_back(std::move(*old));
    const bool known = old != entities.end() && old->number == entity.number;
    if (known && !again) {
      if (old->parent != entity.parent) attached.push_back(now.size());
      else if (old->jumps != state.discontinuity) moved.push_back(now.size());
      if (old->tags != entity.kind->tags) tagged.push_back(now.size());
      if (old->owner != entity.owner) given.push_back(now.size());
    }
    if (!known || again) appeared.push_back(now.size());
    else if (old->pose != state.pose || old->twist != state.twist ||
             !std::equal(tail.begin(), middle, old->joints.begin()))
      changed.push_back(now.size());
    if (known) now.push_back(std::move(*old++));
    else now.push_back({.number = entity.number, .name = entity.name, .model = world.model_of(slot).name});
    if (now.back().tags != entity.kind->tags) now.back().tags = entity.kind->tags;
    now.back().pose = state.pose, now.back().twist = state.twist, now.back().stamp = state.stamp;
    now.back().parent = entity.parent, now.back().owner = entity.owner, now.back().frozen = entity.frozen;
    now.back().jumps = state.discontinuity;
    now.back().joints.assign(tail.begin(), middle), now.back().joint_velocities.assign(middle, tail.end());
  }
  for (; old != entities.end(); ++old) gone.push_back(std::move(*old));
  entities = std::move(now);
  const WatchFunctions to_call = watch;  // they may call watch() themselves
  if (to_call.gone)
    for (const EntityState& entity : gone) to_call.gone(entity);
  const auto tell = [this](const auto& function, const std::vector<std::size_t>& which) {
    if (function)
      for (std::size_t i : which) function(entities[i]);
  };
  tell(to_call.appeared, appeared), tell(to_call.owner_changed, given), tell(to_call.attached, attached),
      tell(to_call.tagged, tagged);
  tell(to_call.moved, moved), tell(to_call.changed, changed);
  const Weather there = weather_of(world.environment());
  if (again || there != weather) {
    weather = there;
    if (to_call.weather) to_call.weather(weather);
  }
}

ClientCalls::ClientCalls(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
ClientCalls::ClientCalls(ClientCalls&&) noexcept = default;
ClientCalls& ClientCalls::operator=(ClientCalls&&) noexcept = default;
ClientCalls::~ClientCalls() = default;
Client::Client(std::unique_ptr<Inside> inside) : ClientCalls(std::move(inside)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

namespace {

class Phase final : public TcpPhase {
 public:
  Phase(ForeignRole& role, std::function<Status(const std::function<bool()>&, Duration)> step)
      : role_(role), step_(std::move(step)) {}
  Status send(std::span<const std::uint8_t> bytes) override {
    if (bytes.size() > kMaxFrame) return fail(ErrorCode::kInvalid, "a message of the TCP phase is larger than 1 MiB");
    role_.send(FrameType::kUserData, bytes);
    return {};
  }
  Result<std::vector<std::uint8_t>> receive(Duration timeout) override {
    if (auto ok = step_([&] { return !role_.user_data().empty(); }, timeout); !ok) return tl::unexpected(ok.error());
    Bytes bytes = std::move(role_.user_data().front());
    role_.user_data().pop_front();
    return bytes;
  }

 private:
  ForeignRole& role_;
  std::function<Status(const std::function<bool()>&, Duration)> step_;
};

}  // namespace

Result<Client> Client::connect(Options options) {
  auto types = ElementTypes::make(options.element_types);
  if (!types) return tl::unexpected(types.error());
  auto inside = std::make_unique<Inside>();
  os::NetLoopOptions net;
  net.connect = options.address;
  auto loop = os::NetLoop::open(net);
  if (!loop) return tl::unexpected(loop.error());
  inside->loop = std::move(*loop);
  ForeignOptions foreign;
  foreign.session.name = options.name;
  foreign.session.build = "foreign";
  foreign.session.credentials = os::credentials(options.credentials, *inside->loop);
  foreign.session.server = inside->loop->server_endpoint();
  foreign.session.dial_timeout = options.timeout;
  inside->role = std::make_unique<ForeignRole>(foreign, std::move(*types), *inside->loop);
  ForeignRole& role = *inside->role;
  const auto loaded = [&] { return role.loaded() && role.session().registered(); };
  if (auto ok = inside->step_until(loaded, options.timeout, "the server did not send its scenario in time"); !ok) {
    Error error = ok.error();
    const std::string& trouble = inside->loop->last_trouble();
    if (!role.session().welcome() && error.code == ErrorCode::kUnavailable && !trouble.empty())
      error.text += ": " + trouble;
    return tl::unexpected(error);
  }
  if (options.tcp_phase) {
    Phase phase(role, [in = inside.get()](const std::function<bool()>& done, Duration timeout) {
      return in->step_until(done, timeout, "nothing came within the timeout");
    });
    if (auto ok = options.tcp_phase(phase); !ok) return tl::unexpected(ok.error());
  }
  role.ready();
  inside->loop->step(role, Duration(0));
  inside->look();
  return Client(std::move(inside));
}

Status Client::poll(Duration timeout) {
  if (inside_->left) return tl::unexpected(inside_->ended());
  inside_->loop->step(*inside_->role, std::max(timeout, Duration(0)));
  inside_->look();
  if (inside_->role->end()) return tl::unexpected(inside_->ended());
  return {};
}

Status Client::done() {
  if (!running()) return fail(ErrorCode::kState, "the run has not begun");
  inside_->by_tick = true;
  if (inside_->shown_tick) inside_->role->tick_done(*inside_->shown_tick);
  return {};
}

Status Client::advance(Duration timeout) {
  if (free_mode()) return poll(timeout);
  // The first tick is handed out by the first call, whether a poll() happened to show it already or not.
  std::optional<RunTick> before;
  if (std::exchange(inside_->by_tick, true)) {
    before = inside_->shown_tick;
    if (running()) (void)done();
  }
  const ForeignRole& role = *inside_->role;
  const auto begun = [&] { return role.begun() && role.begun() != before; };
  if (!begun()) inside_->loop->step(*inside_->role, std::max(timeout, Duration(0)), begun);
  if (auto ok = poll(Duration(0)); !ok) return ok;
  if (inside_->shown_tick == before)
    return fail(ErrorCode::kUnavailable, "the next tick did not begin within the timeout");
  return {};
}

void Client::leave() { inside_->leave(); }
Owner Client::connection() const { return inside_->role->session().number(); }
const std::string& Client::name() const { return inside_->role->session().name(); }
bool Client::free_mode() const { return inside_->role->session().free_mode(); }
bool Client::running() const { return inside_->role->running(); }

std::optional<Instant> Client::now() const {
  if (!running()) return std::nullopt;
  if (!free_mode() && inside_->shown) return inside_->shown;
  return inside_->role->sim_now(os::now());
}

Status Client::push(std::string_view type, ElementId id, Instant stamp, std::span<const std::uint8_t> bytes) {
  if (!running()) return fail(ErrorCode::kState, "the run has not begun");
  ForeignRole& role = *inside_->role;
  auto element = role.types().address(element_type_id(type), {connection(), id}, nanos(stamp), bytes);
  if (!element) return fail(ErrorCode::kInvalid, std::string(type) + ": " + name_of(element.error()));
  return role.push(std::move(*element));
}

void Client::retract(ElementId id) { inside_->role->retract(id); }

std::vector<ElementEvent> Client::drain() {
  ForeignRole& role = *inside_->role;
  std::vector<ElementEvent> events;
  for (const ElementChange& change : role.others().changes()) {
    ElementEvent& event = events.emplace_back();
    event.kind = static_cast<ElementEvent::Kind>(change.kind);
    if (const ElementType* type = role.types().find(change.type)) event.type = type->name;
    event.connection = change.key.connection, event.id = change.key.id;
    if (change.kind == ElementChange::Kind::kGone) continue;
    const Element* element = role.others().find(change.key);
    event.stamp = instant(element->stamp);
    event.bytes = element->bytes;
  }
  return events;
}

std::span<const EntityState> Client::entities() const { return inside_->entities; }

Weather Client::weather() const { return inside_->weather; }

const EntityState* Client::find(std::string_view name) const { return inside_->find(name); }

void Client::watch(WatchFunctions functions) {
  inside_->watch = std::move(functions);
  inside_->watch_all = true;
}

Status ClientCalls::Inside::look(const InterestRegion& region) {
  if (left || role->end()) return tl::unexpected(ended());
  if (!role->running()) return fail(ErrorCode::kState, "the run has not begun");
  if (!role->session().free_mode()) return fail(ErrorCode::kState, "in lockstep everybody gets all states");
  role->set_interest(region);
  return {};
}

Status Client::look_at(double x, double y, double radius) {
  if (!(radius > 0) || !std::isfinite(x + y + radius)) return fail(ErrorCode::kInvalid, "not a circle");
  return inside_->look({radius, kNoEntity, x, y});
}

Status Client::look_around(std::string_view entity, double radius) {
  if (!(radius > 0) || !std::isfinite(radius)) return fail(ErrorCode::kInvalid, "not a radius");
  const EntityState* middle = find(entity);
  if (!middle) return fail(ErrorCode::kNotFound, "unknown entity '" + std::string(entity) + "'");
  return inside_->look({radius, WorldNumber(middle->number), middle->pose.p.x, middle->pose.p.y});
}

Status Client::look_everywhere() { return inside_->look({}); }

Result<WorldNumber> ClientCalls::spawn(const SpawnOptions& options, Duration deadline) {
  proto::Request request;
  proto::SpawnOne* one = request.mutable_spawn()->add_entities();
  one->set_name(options.name), one->set_model(options.model), one->set_host(options.host);
  one->set_keyframe(options.keyframe), one->set_ns(options.ns);
  for (const std::string& tag : options.tags) one->add_tags(tag);
  one->set_frame_of_pose(options.frame);
  put(one->mutable_pose(), options.pose);
  const auto reply = inside_->call(std::move(request), deadline);
  if (!reply) return tl::unexpected(reply.error());
  return WorldNumber(reply->outcomes_size() == 1 ? reply->outcomes(0).number() : 0);
}

Status ClientCalls::remove(std::string_view entity, Duration deadline) {
  proto::Request request;
  request.mutable_delete_()->add_names(std::string(entity));
  return inside_->done(std::move(request), deadline);
}

Status ClientCalls::drive(std::string_view robot, const Drive& wanted, Duration deadline) {
  proto::Request request;
  proto::Drive* drive = request.mutable_drive();
  drive->set_name(std::string(robot)), drive->set_forward(wanted.forward), drive->set_turn(wanted.turn);
  drive->set_timeout(seconds(wanted.hold));
  return inside_->done(std::move(request), deadline);
}

Status ClientCalls::control(std::string_view robot, std::span<const Control> controls, Duration deadline) {
  proto::Request request;
  proto::SetControls* set = request.mutable_set_controls();
  set->set_name(std::string(robot));
  for (const Control& one : controls) set->add_actuators(one.actuator), set->add_values(one.value);
  return inside_->done(std::move(request), deadline);
}

Status ClientCalls::set_gains(std::string_view robot, std::span<const Gains> gains, Duration deadline) {
  proto::Request request;
  request.mutable_set_gains()->set_name(std::string(robot));
  for (const Gains& one : gains) {
    proto::Gain* gain = request.mutable_set_gains()->add_gains();
    gain->set_actuator(one.actuator);
    if (one.kp) gain->set_kp(*one.kp);
    if (one.kv) gain->set_kv(*one.kv);
    if (one.torque_limit) gain->set_torque_limit(*one.torque_limit);
  }
  return inside_->done(std::move(request), deadline);
}

Status ClientCalls::draw(std::span<const Drawing> drawings, Duration deadline) {
  proto::Request request;
  for (const Drawing& one : drawings) {
    proto::Drawing* out = request.mutable_draw()->add_drawings();
    out->set_name(one.name), out->set_frame(one.frame), out->set_kind(static_cast<std::uint32_t>(one.kind));
    for (const Vec3& p : one.points) out->add_points(p.x), out->add_points(p.y), out->add_points(p.z);
    out->set_text(one.text), out->set_color(one.color), out->set_size(one.size), out->set_lasts(seconds(one.lasts));
  }
  return inside_->done(std::move(request), deadline);
}

Status ClientCalls::erase(std::span<const std::string> names, Duration deadline) {
  proto::Request request;
  request.mutable_draw()->set_erase_all(names.empty());
  for (const std::string& name : names) request.mutable_draw()->add_erase(name);
  return inside_->done(std::move(request), deadline);
}

Status ClientCalls::set(std::string_view entity, const Pose& pose, std::optional<Twist> twist, std::string_view frame,
                        Duration deadline) {
  proto::Request request;
  proto::Set* set = request.mutable_set();
  set->set_name(std::string(entity)), set->set_frame(std::string(frame));
  put(set->mutable_pose(), pose);
  if (twist) put(set->mutable_twist()->mutable_v(), twist->v), put(set->mutable_twist()->mutable_w(), twist->w);
  return inside_->done(std::move(request), deadline);
}

Status ClientCalls::attach(std::string_view parent, std::string_view child, Duration deadline) {
  proto::Request request;
  request.mutable_attach()->set_parent(std::string(parent)), request.mutable_attach()->set_child(std::string(child));
  return inside_->done(std::move(request), deadline);
}

Status ClientCalls::set_tags(std::string_view entity, const std::vector<std::string>& tags, Duration deadline) {
  proto::Request request;
  request.mutable_set_tags()->set_name(std::string(entity));
  for (const std::string& tag : tags) request.mutable_set_tags()->add_tags(tag);
  return inside_->done(std::move(request), deadline);
}

Status ClientCalls::detach(std::string_view child, Duration deadline) {
  proto::Request request;
  request.mutable_detach()->set_child(std::string(child));
  return inside_->done(std::move(request), deadline);
}

Status ClientCalls::reset(std::span<const std::string> robots, Duration deadline) {
  proto::Request request;
  request.mutable_reset();
  for (const std::string& robot : robots) request.mutable_reset()->add_names(robot);
  return inside_->done(std::move(request), deadline);
}

Status ClientCalls::pause(Duration deadline) {
  proto::Request request;
  request.mutable_pause();
  return inside_->done(std::move(request), deadline);
}

Status ClientCalls::resume(Duration deadline) {
  proto::Request request;
  request.mutable_resume();
  return inside_->done(std::move(request), deadline);
}

Status ClientCalls::step(std::uint64_t ticks, Duration deadline) {
  proto::Request request;
  request.mutable_step()->set_ticks(ticks);
  return inside_->done(std::move(request), deadline);
}

namespace {

proto::Request lease_request(Lease::Kind kind, std::span<const std::string> robots) {
  proto::Request request;
  request.mutable_lease()->set_kind(static_cast<std::uint32_t>(kind));
  for (const std::string& robot : robots) request.mutable_lease()->add_names(robot);
  return request;
}

}  // namespace

Status ClientCalls::lease(std::span<const std::string> robots, Duration deadline) {
  return inside_->done(lease_request(Lease::Kind::kTake, robots), deadline);
}

Status ClientCalls::release(std::span<const std::string> robots, Duration deadline) {
  return inside_->done(lease_request(Lease::Kind::kGiveBack, robots), deadline);
}

Status ClientCalls::push_body(std::string_view robot, std::string_view body, Vec3 force, Vec3 torque, Duration lasts,
                              Duration deadline) {
  const double values[] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
  return inside_->set_part(robot, 0, body, values, lasts, deadline);
}

Status ClientCalls::put_joint(std::string_view robot, std::string_view joint, double position, double velocity,
                              Duration deadline) {
  const double values[] = {position, velocity};
  return inside_->set_part(robot, 1, joint, values, Duration(0), deadline);
}

Status ClientCalls::put_mocap(std::string_view robot, std::string_view body, const Pose& pose, Duration deadline) {
  const double values[] = {pose.p.x, pose.p.y, pose.p.z, pose.q.w, pose.q.x, pose.q.y, pose.q.z};
  return inside_->set_part(robot, 2, body, values, Duration(0), deadline);
}

Status ClientCalls::set_option(std::string_view robot, std::string_view option, double value, Duration deadline) {
  return inside_->set_part(robot, 3, option, {&value, 1}, Duration(0), deadline);
}

Result<std::vector<Contact>> ClientCalls::contacts(std::string_view robot, Duration deadline) {
  proto::Request request;
  request.mutable_contacts()->set_name(std::string(robot));
  const auto reply = inside_->call(std::move(request), deadline);
  if (!reply) return tl::unexpected(reply.error());
  std::vector<Contact> out;
  for (const proto::Contact& c : reply->contacts())
    out.push_back(
        {c.body(), c.other(), c.other_body(), from(c.position()), from(c.normal()), from(c.force()), c.depth()});
  return out;
}

Result<std::string> ClientCalls::sensor(std::string_view robot, std::string_view sensor, Duration deadline) {
  proto::Request request;
  request.mutable_sensor()->set_name(std::string(robot)), request.mutable_sensor()->set_sensor(std::string(sensor));
  return inside_->json(std::move(request), deadline);
}

Result<std::string> ClientCalls::actuators(std::string_view robot, Duration deadline) {
  proto::Request request;
  request.mutable_actuators()->set_name(std::string(robot));
  return inside_->json(std::move(request), deadline);
}

Result<std::string> ClientCalls::describe(std::string_view entity, Duration deadline) {
  proto::Request request;
  request.mutable_get()->set_name(std::string(entity));
  request.mutable_get()->set_details(true);
  return inside_->json(std::move(request), deadline);
}

Result<std::string> ClientCalls::drawings(Duration deadline) {
  proto::Request request;
  request.mutable_drawings();
  return inside_->json(std::move(request), deadline);
}

Result<std::string> ClientCalls::world(Duration deadline) {
  proto::Request request;
  request.mutable_world();
  return inside_->json(std::move(request), deadline);
}

Result<EntityState> ClientCalls::get(std::string_view entity, std::string_view frame, Duration deadline) {
  proto::Request request;
  request.mutable_get()->set_name(std::string(entity));
  request.mutable_get()->set_frame(std::string(frame));
  const auto reply = inside_->call(std::move(request), deadline);
  if (!reply) return tl::unexpected(reply.error());
  EntityState state;
  state.name = entity;
  const auto& q = reply->pose().q();
  state.pose = {from(reply->pose().p()), {q.w(), q.x(), q.y(), q.z()}};
  state.twist = {from(reply->twist().v()), from(reply->twist().w())};
  if (const EntityState* known = inside_->find(entity)) state.number = known->number, state.model = known->model;
  // The reply names a boundary; the length of a tick is in the scenario.
  state.stamp = instant(reply->tick() * nanos(inside_->role->tick_length()));
  return state;
}

}  // namespace convoy
