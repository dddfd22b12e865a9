#include "agent/agent.h"

#include <algorithm>
#include <cmath>

#include "agent/agent_inside.h"
#include "agent/under_way.h"
#include "core/check.h"
#include "core/hash.h"
#include "physics/kinematic.h"

namespace convoy {

namespace {

// Kinds of inner events, for the hash of their order.
enum : std::uint64_t { kDecided = 2, kReceived = 3 };  // 1 is a command

constexpr Duration kOdometryPeriod = std::chrono::milliseconds(50);  // 20 readings a second

// To all in range.
Message broadcast(WorldNumber from, std::uint32_t index, Instant sent, std::string topic, Bytes payload) {
  return {.from = from,
          .to = kNoEntity,
          .index = index,
          .sent = sent,
          .topic = std::move(topic),
          .payload = std::move(payload)};
}

Bytes text_bytes(const std::string& text) { return {text.begin(), text.end()}; }

SensedWorld sensed_by(const AgentTick& tick, Slot slot, const RobotInside& inside) {
  return {.now = tick.begin,
          .tick = tick.length,
          .world = tick.world,
          .slot = slot,
          .rays = tick.rays,
          .exposures = tick.exposures,
          .grid = tick.grid,
          .inside = &inside,
          .state = &tick.world->snapshot().state(slot),
          .joints = tick.world->joints(slot),
          .rides = tick.world->entity(slot).parent != kNoEntity,
          .rules = tick.sensor_rules,
          .taker = tick.taker,
          .meter = tick.meter};
}

// Lets the sensors of an agent sample between boundaries.
class StepSensing final : public StepWatcher {
 public:
  StepSensing(Agent& agent, const Odometry& odometry, const AgentTick& tick, Slot slot)
      : agent_(agent), odometry_(odometry), tick_(tick), slot_(slot) {}
  bool wants(Instant at) override { return sensors().wants_step(at, nodes(), tick_.taker); }
  void saw(Instant at, const State& state, std::span<const double> tail) override {
    const std::span<const double> joints = tail.first(joints_size(agent_.model()));
    const AgentInside inside(agent_, odometry_, tick_, slot_, joints);
    SensedWorld sensed = sensed_by(tick_, slot_, inside);
    sensed.now = at, sensed.state = &state, sensed.joints = joints;
    sensors().sense_step(sensed, agent_.model(), nodes());
  }

 private:
  AgentSensors& sensors() { return *agent_.equipment().sensors; }
  const AgentNodes* nodes() { return agent_.equipment().nodes.get(); }
  Agent& agent_;
  const Odometry& odometry_;
  const AgentTick& tick_;
  Slot slot_;
};

}  // namespace

Agent::Agent(const Entity& entity, std::shared_ptr<const Model> model, std::unique_ptr<Physics> physics,
             const Setup& setup, const State& state, Instant first_decision)
    : number_(entity.number),
      driver_spec_(entity.kind->driver),
      model_(std::move(model)),
      physics_(std::move(physics)),
      driver_(make_driver(driver_spec_)) {
  const std::string& keyframe = entity.kind->keyframe;
  physics_->start_from(keyframe);
  State at = state;  // its file stands where it was made, and the base where the keyframe has it
  if (!keyframe.empty() && state.pose == start_pose(*model_, keyframe, entity.pose)) at.pose = entity.pose;
  physics_->reset(at);
  ControllerSpec controller = entity.kind->controller.value_or(ControllerSpec{});
  if (!controller.silence) controller.silence = setup.control_silence;
  physics_->set_controller(controller);
  inner_.rule.ruler = entity.kind->control_source.value_or(setup.control_source);
  inner_.next_decision = first_decision;
  inner_.random.key = stream_key(setup.seed, number_.value(), "driver");
  inner_.odometry.random.key = stream_key(setup.seed, number_.value(), "encoder");
  inner_.odometry.period = kOdometryPeriod;
  for (const SensorSpec& sensor : entity.kind->sensors)
    if (sensor.library.empty() && sensor.type == "odom")
      inner_.odometry.period = std::min(inner_.odometry.period, sensor.period);
}

void Agent::happened(std::uint64_t what, Instant at, WorldNumber who, std::uint32_t index) {
  const std::uint64_t event[4] = {inner_.events, what, static_cast<std::uint64_t>(nanos(at)),
                                  who.value() | std::uint64_t{index} << 32};
  inner_.events = hash64({reinterpret_cast<const std::uint8_t*>(event), sizeof event});
}

void Agent::expect(std::shared_ptr<const Message> message, Instant due) {
  EXPECTS(message != nullptr);
  const auto later = [](const Pending& a, const Pending& b) {
    return std::tuple(a.due, a.message->from, a.message->index) < std::tuple(b.due, b.message->from, b.message->index);
  };
  Pending pending{due, std::move(message)};
  pending_bytes_ += pending.bytes();
  inner_.pending.insert(std::upper_bound(inner_.pending.begin(), inner_.pending.end(), pending, later),
                        std::move(pending));
  while (inner_.pending.size() > kMaxPending || pending_bytes_ > kMaxPendingBytes) {
    pending_bytes_ -= inner_.pending.back().bytes();
    inner_.pending.pop_back();
    ++inner_.overflowed;
  }
}

void Agent::decide(Instant now, const AgentTick& tick, Slot slot, AgentOutput& out) {
  DriverActions actions;
  driver_->decide({.now = now,
                   .self = number_,
                   .slot = slot,
                   .model = *model_,
                   .spec = driver_spec_,
                   .world = *tick.world,
                   .grid = *tick.grid,
                   .view_radius = tick.view_radius},
                  inner_.random, actions);
  happened(kDecided, now, number_, 0);
  if (obeys(ControlSource::kNodes)) inner_.own = actions.command, inner_.own_until = now + 2 * driver_spec_.period;
  for (auto& sent : actions.sent) {
    if (out.sent.size() >= kMaxMessagesPerTick || sent.payload.size() > kMaxMessageBytes) continue;
    out.sent.push_back(broadcast(number_, inner_.sent++, now, std::move(sent.topic), std::move(sent.payload)));
  }
}

// Messages that are due and decisions of the driver in the order of their instants, messages first, before `end`.
void Agent::deliver_until(Instant end, const AgentTick& tick, Slot slot, AgentOutput& out) {
  std::size_t delivered = 0;
  while (true) {
    const bool message = delivered < inner_.pending.size() && inner_.pending[delivered].due < end;
    const bool decision = driver_ && inner_.next_decision < end;
    if (!message && !decision) break;
    if (message && (!decision || inner_.pending[delivered].due <= inner_.next_decision)) {
      const Pending& p = inner_.pending[delivered++];
      pending_bytes_ -= p.bytes();
      const Message& received = *p.message;
      happened(kReceived + hash64(as_bytes(received.topic)), p.due, received.from, received.index);
      if (driver_) driver_->receive(received, p.due);
    } else {
      const Instant now = std::max(inner_.next_decision, tick.begin);
      decide(now, tick, slot, out);
      inner_.next_decision = now + driver_spec_.period;
    }
  }
  inner_.pending.erase(inner_.pending.begin(), inner_.pending.begin() + static_cast<long>(delivered));
}

void Agent::sense(const AgentTick& tick, Slot slot, AgentOutput& out) {
  if (!equipment_.sensors) [[likely]]
    return;
  const AgentInside inside(*this, inner_.odometry, tick, slot, tick.world->joints(slot));
  SensedWorld at = sensed_by(tick, slot, inside);
  at.spent = &out.spent;
  for (const std::string& trouble : equipment_.sensors->sense(at, *model_, equipment_.nodes.get()))
    out.sent.push_back(broadcast(number_, inner_.sent++, tick.begin, kSensorTopic, text_bytes(trouble)));
  equipment_.sensors->deliver(tick.begin);
}

Result<Sample> Agent::look(std::string_view sensor, const AgentTick& tick, Slot slot) const {
  if (!equipment_.sensors) return fail(ErrorCode::kNotFound, "it has no sensors");
  const AgentInside inside(*this, inner_.odometry, tick, slot, tick.world->joints(slot));
  return equipment_.sensors->look(sensor, sensed_by(tick, slot, inside), *model_);
}

void Agent::run_nodes_at_begin(const AgentTick& tick, Slot slot) {
  const Snapshot& snapshot = tick.world->snapshot();
  const Readings readings{*model_, snapshot.state(slot), tick.world->joints(slot),
                          odometry_read_ ? &inner_.odometry : nullptr,
                          equipment_.sensors ? equipment_.sensors->queue().delivered() : std::span<const Sample>()};
  equipment_.nodes->run_at(tick.begin, &readings,
                           [this](const Twist& twist, Instant at) { command(twist, at, {}, ControlSource::kNodes); });
}

// The rest of the tick, and its hash.
void Agent::finish(Instant end, const State& next, AgentOutput& out) {
  if (equipment_.nodes) [[unlikely]] {
    const auto obey = [this](const Twist& twist, Instant at) { command(twist, at, {}, ControlSource::kNodes); };
    while (equipment_.sensors) {
      const auto at = equipment_.sensors->queue().next_within(end);
      if (!at) break;
      equipment_.nodes->run_until(*at, obey);
      const Readings readings{*model_, next, {}, nullptr, equipment_.sensors->queue().deliver_within(*at)};
      equipment_.nodes->run_at(*at, &readings, obey);
    }
    equipment_.nodes->run_until(end, obey);
    equipment_.nodes->take_sent(end, [&](const char* topic, Bytes payload, Instant sent) {
      out.sent.push_back(broadcast(number_, inner_.sent++, sent, topic, std::move(payload)));
    });
  }
  out.hash = hash();
  for (const Message& message : out.sent) {
    static thread_local Bytes bytes;
    bytes.clear();
    save_into(bytes, message);
    out.hash.sent = chain(out.hash.sent, hash64(bytes));
  }
}

void Agent::put(const PutBody& body, const State& state, Instant now) {
  inner_.drive = body.told, inner_.drive_until = now + body.told_for;
  Reader in(body.physics);
  if (body.physics.empty() || !physics_->accepts(body.physics) || !physics_->load(in)) physics_->put(state, {});
}

void Agent::ride(const AgentTick& tick, Slot slot, AgentOutput& out) {
  if (tick.first()) controls_.clear();
  take_inputs(tick);  // what it is told counts once it is parted, whatever it carries
  if (tick.first()) sense(tick, slot, out);
  if (equipment_.nodes) {
    if (tick.first()) odometry_read_ = false;
    if (tick.first()) run_nodes_at_begin(tick, slot);
    if (tick.last()) finish(tick.begin + tick.length, tick.world->snapshot().state(slot), out);
  } else if (tick.last()) {
    out.hash = hash();
  }
}

void Agent::advance(const AgentTick& tick, Slot slot, State& next, std::span<double> next_tail, AgentOutput& out) {
  const Snapshot& snapshot = tick.world->snapshot();
  EXPECTS(tick.from >= Duration(0) && tick.from < tick.to && tick.to <= tick.length &&
          snapshot.number(slot) == number_);
  if (tick.first()) controls_.clear();
  take_inputs(tick);
  if (tick.first()) {
    sense(tick, slot, out);
    deliver_until(tick.begin + Duration(1), tick, slot, out);  // what is due at t_k itself acts on this step
    if (equipment_.nodes) [[unlikely]]
      run_nodes_at_begin(tick, slot);
    next = snapshot.state(slot);
    const auto tail = snapshot.tail(slot);
    std::copy(tail.begin(), tail.end(), next_tail.begin());
    odometry_read_ = false;
  }
  move(tick, slot, next, next_tail, out);
  if (!tick.last()) return;
  const Instant end = tick.begin + tick.length;
  deliver_until(end, tick, slot, out);
  finish(end, next, out);
}

// The physics steps that begin in this part of the tick.
void Agent::move(const AgentTick& tick, Slot slot, State& next, std::span<double> next_tail, AgentOutput& out) {
  const Duration step = tick.first() && tick.last() ? tick.length : physics_step(*physics_, tick.length);
  const auto on_grid = [&](Duration at) { return std::min(tick.length, (at + step - Duration(1)) / step * step); };
  const Duration from = on_grid(tick.from), to = on_grid(tick.to);
  if (from == to) return;
  const Snapshot& snapshot = tick.world->snapshot();
  const Instant begin = tick.begin + from, end = tick.begin + to;

  static thread_local std::vector<Neighbour> neighbours;
  static thread_local PhysicsEvents events;
  near_.find(tick, slot, snapshot.state(slot).pose.p, *physics_, *model_, carried_, neighbours);

  Twist command;
  if (begin < inner_.drive_until) command = inner_.drive;
  else if (begin < inner_.own_until) command = inner_.own;
  events.distance = 0, events.touched_map = false, events.wheel_left = events.wheel_right = events.steering = 0;
  events.touched.clear();
  events.fault.clear();
  events.advice.clear();
  StepSensing watcher(*this, inner_.odometry, tick, slot);
  const bool nodes_rule =
      held_by_.empty() && (inner_.rule.ruler == ControlSource::kAny || inner_.rule.ruler == ControlSource::kNodes);
  physics_->step({.begin = begin,
                  .step = to - from,
                  .before = from,
                  .behind = tick.length - to,
                  .self = number_,
                  .command = command,
                  .map = &tick.world->map(),
                  .at_boundary = from > Duration(0) ? &snapshot.state(slot) : nullptr,
                  .neighbours = neighbours,
                  .carried = carried_,
                  .controls = controls_,
                  .may_play = nodes_rule,
                  .files = &tick.world->files(),
                  .environment = &tick.world->environment(),
                  .watcher = equipment_.sensors && equipment_.sensors->has_steps() ? &watcher : nullptr},
                 next, next_tail, events);
  controls_.clear();
  next.stamp = end;
  if (!make_canonical(next)) {  // a fault of the physics must not spread: stop in place
    next = snapshot.state(slot);
    next.stamp = end;
    next.twist = Twist{};
  }
  for (double& value : next_tail) value = canonical(value);

  if (!events.fault.empty())
    out.sent.push_back(broadcast(number_, inner_.sent++, end - Duration(1), kFaultTopic, text_bytes(events.fault)));

  if (!events.advice.empty()) {
    if (!events.touched.empty())
      events.advice += ": " + tick.world->entity(tick.world->slot_of(events.touched[0])).name;
    out.sent.push_back(broadcast(number_, inner_.sent++, end - Duration(1), kAdviceTopic, text_bytes(events.advice)));
  }

  if (convoy::advance(inner_.odometry, *model_, events, to - from)) odometry_read_ = true;
  AgentStatistics& s = inner_.statistics;
  s.distance += events.distance;
  if (std::fabs(command.v.x) > 0.02 && events.distance < 0.1 * std::fabs(command.v.x) * seconds(to - from))
    s.stuck += to - from;
  if (to < tick.length) return;
  s.map_contacts += events.touched_map;  // contacts are those in which the tick ends
  s.robot_contacts += !events.touched.empty();
  for (WorldNumber who : events.touched)
    if (!std::binary_search(inner_.touching.begin(), inner_.touching.end(), who)) out.touched.push_back(who);
  s.first_contacts += static_cast<std::uint32_t>(out.touched.size());
  inner_.touching = events.touched;
}

AgentHash Agent::hash() const {
  static thread_local Bytes buffer;
  buffer.clear();
  save(buffer);
  const std::uint64_t inner = hash64(buffer);
  return {equipment_.nodes ? chain(inner, equipment_.nodes->digest()) : inner, 0};
}

// Flattened: called for every agent and tick, and as one piece it is several times as fast as field by field.
[[gnu::flatten]] void Agent::save_inner(SaveFields& out) const { fields(out, inner_); }

void Agent::save(Bytes& out) const {
  SaveFields v(out);
  save_inner(v);
  physics_->save(v);
  if (driver_) driver_->save(v);
  if (equipment_.sensors) equipment_.sensors->save(v);
  if (!held_by_.empty()) v("held_by", held_by_);
}

namespace {

// Who has leased it; what nobody has leased saves nothing.
bool load_holder(Reader& in, std::string& holder) {
  holder.clear();
  if (in.done() || begins_under_way(in)) return in.ok();
  LoadFields v(in);
  v("held_by", holder);
  return in.ok() && valid_holder(holder);
}

}  // namespace

bool Agent::load(ByteView bytes) {
  const auto take = [this](ByteView from) {
    Reader in(from);
    LoadFields v(in);
    v("inner", inner_);
    pending_bytes_ = 0;
    for (const Pending& p : inner_.pending) pending_bytes_ += p.bytes();
    return in.ok() && inner_.pending.size() <= kMaxPending && pending_bytes_ <= kMaxPendingBytes &&
           physics_->load(in) && (!driver_ || driver_->load(in)) &&
           (!equipment_.sensors || equipment_.sensors->load(in)) && load_holder(in, held_by_) &&
           (in.done() || (equipment_.sensors && load_under_way(in, equipment_.sensors->queue())));
  };
  Bytes before;
  save(before);
  if (take(bytes)) return true;
  EXPECTS(take(before));
  return false;
}

DescribeFields::List Agent::describe() const {
  DescribeFields::List list;
  DescribeFields v(list);
  v("inner", inner_);
  physics_->describe(list);
  if (driver_) driver_->describe(list);
  if (equipment_.sensors) equipment_.sensors->describe(list);
  if (!held_by_.empty()) v("held_by", held_by_);
  return list;
}

}  // namespace convoy
