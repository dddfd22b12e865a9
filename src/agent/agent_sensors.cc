#include "agent/agent_sensors.h"

#include <algorithm>

#include "agent/sensed_at.h"
#include "core/hash.h"
#include "sensing/sensor_facts.h"
#include "sensing/share.h"

namespace convoy {

namespace {

// By one that may sample elsewhere, and so remembers nothing.
SampleData measured(const Sensor& sensor, const SensorView& view, SampleSpent spent, const SensedWorld& at) {
  const std::uint64_t begin = at.meter->now();
  SampleData out = sensor.sample(view);
  spent.ns = at.meter->now() - begin;
  at.spent->push_back(spent);
  return out;
}

// When a sample of that instant began; not before the robot was there.
Instant began(Instant beginning, const Sensor& sensor, Instant now) {
  return std::max(beginning, now - sensor.sweep());
}

}  // namespace

std::unique_ptr<AgentSensors> AgentSensors::make(const Entity& entity, std::shared_ptr<const Shapes> shapes,
                                                 SensorBook& sensors, const SensorRules& rules, Duration tick,
                                                 Duration step, Instant beginning) {
  if (entity.kind->sensors.empty()) return nullptr;
  auto out = std::make_unique<AgentSensors>();
  out->robot_ = entity.number, out->origin_ = entity.pose, out->kind_ = entity.kind;
  out->shapes_ = shapes ? std::move(shapes) : std::make_shared<const Shapes>();
  out->digest_ = rules.digest, out->kept_.beginning = beginning;
  for (const SensorSpec& spec : out->kind_->sensors) {
    const auto type = sensors.type_of(spec);
    auto made = type ? sensors.of(spec) : tl::unexpected(type.error());
    if (made) {
      const Duration period = spec.period > Duration(0) ? spec.period : std::max((*type)->period, tick);
      const Duration spread = rules.stagger ? staggered(entity.number, period) : Duration(0);
      const bool asked = share_of(spec, rules).may_leave(), leaves = asked && !(*type)->traits.stays();
      if (asked && !leaves)
        out->troubles_.push_back("'" + spec.name +
                                 "' samples where its robot runs, and nowhere else: its type says so");
      const Duration grid = (*type)->traits.between && !leaves ? step : tick;
      out->has_steps_ |= grid < tick;
      out->all_.push_back({static_cast<std::uint32_t>(&spec - out->kind_->sensors.data()), &spec, *type,
                           std::move(*made), leaves, period, spec.offset + spread, grid});
    } else out->troubles_.push_back("'" + spec.name + "': " + made.error().message());
  }
  for (One& one : out->all_) {
    one.speed = out->kept_.speeds.size(), one.memory = out->kept_.memories.size();
    if (one.type->traits.acceleration) out->kept_.speeds.emplace_back();
    if (one.type->traits.remembers) out->kept_.memories.emplace_back();
  }
  if (out->has_steps_) out->kept_.speeds_at.resize(out->kept_.speeds.size(), beginning);
  return out;
}

std::optional<std::uint64_t> AgentSensors::due(const One& one, Instant now, Duration span) const {
  const Timing is = timing(one);
  if (now < is.on_from || now < is.schedule.beginning || is.schedule.count_in(now - span, now) == 0) return {};
  return is.first + is.schedule.first_from(now + Duration(1)) - 1;  // of several the newest
}

const AgentSensors::Changed* AgentSensors::changed(const One& one) const {
  for (const Changed& changed : kept_.changed)
    if (changed.sensor == one.number) return &changed;
  return nullptr;
}

AgentSensors::Timing AgentSensors::timing(const One& one) const {
  if (const Changed* by_call = changed(one)) return by_call->timing;
  return {{kept_.beginning, one.offset, one.period}, 0, kept_.beginning};
}

AgentSensors::One* AgentSensors::find(std::uint32_t number) {
  const auto one = std::find_if(all_.begin(), all_.end(), [&](const One& o) { return o.number == number; });
  return one == all_.end() ? nullptr : &*one;
}

const AgentSensors::One* AgentSensors::find(std::string_view name) const {
  const auto one = std::find_if(all_.begin(), all_.end(), [&](const One& o) { return o.spec->name == name; });
  return one == all_.end() ? nullptr : &*one;
}

Status AgentSensors::One::use(const Bytes& parameters) {
  if (parameters.empty() || !sensor) return {};
  auto made = type->make(*type, parameters);
  if (!made) return tl::unexpected(made.error());
  sensor = std::move(*made);
  return {};
}

void AgentSensors::change(const SetSensor& change, Instant now, Duration tick) {
  const One* known = find(change.sensor);
  if (!known) return;
  One& one = all_[static_cast<std::size_t>(known - all_.data())];
  Changed is{one.number, timing(one), {}};
  if (const Changed* before = changed(one)) is.parameters = before->parameters;
  if (!change.parameters.empty()) is.parameters = change.parameters;
  if (auto ok = one.use(is.parameters); !ok) {
    // Of Convoy's own types what is wrong was said to who called.
    if (!one.spec->library.empty())
      troubles_.push_back("'" + one.spec->name + "' stays as it was: " + ok.error().message());
    return;
  }
  Timing& when = is.timing;
  const Instant next = now + tick;
  if (change.on && *change.on != (when.on_from != kOff)) when.on_from = *change.on ? next : kOff;
  if (change.period > Duration(0)) {
    when.first += when.schedule.first_from(next);
    when.schedule = {next, Duration(0), change.period};
  }
  const auto at = std::lower_bound(kept_.changed.begin(), kept_.changed.end(), is,
                                   [](const Changed& a, const Changed& b) { return a.sensor < b.sensor; });
  if (at != kept_.changed.end() && at->sensor == is.sensor) *at = is;
  else kept_.changed.insert(at, is);
}

bool AgentSensors::is_taken(const One& one, std::uint64_t index, const AgentNodes* nodes,
                            const SampleTaker* taker) const {
  return digest_ || (nodes && nodes->takes(one.spec->name)) ||
         (taker && taker->takes(robot_, *one.spec, {index, timing(one).schedule.period}));
}

bool AgentSensors::casts_at(Instant now, Duration tick, const AgentNodes* nodes, const SampleTaker* taker) const {
  return std::any_of(all_.begin(), all_.end(), [&](const One& one) {
    const auto index = one.type->traits.rays ? due(one, now, tick) : std::nullopt;
    return index && !one.is_ordered(index) && is_taken(one, *index, nodes, taker);
  });
}

std::vector<std::pair<std::uint32_t, Shot>> AgentSensors::shots(const SensedWorld& at, const Model& model,
                                                                const AgentNodes* nodes) const {
  std::vector<std::pair<std::uint32_t, Shot>> out;
  for (const One& one : all_) {
    if (!one.type->traits.pictures || !one.sensor) continue;
    const auto index = due(one, at.now, at.tick);
    if (index && !one.is_ordered(index) && is_taken(one, *index, nodes, at.taker))
      out.emplace_back(one.number, one.sensor->shot(view_of(one, at, model, *index)));
  }
  return out;
}

bool AgentSensors::wants_step(Instant at, const AgentNodes* nodes, const SampleTaker* taker) const {
  return has_steps_ && std::any_of(all_.begin(), all_.end(), [&](const One& one) {
           if (!one.type->traits.between || !one.sensor || one.may_leave) return false;
           const auto index = due(one, at, one.grid);
           return index && (one.type->traits.acceleration || is_taken(one, *index, nodes, taker));
         });
}

SensorView AgentSensors::view_of(const One& one, const SensedWorld& at, const Model& model, std::uint64_t index) const {
  const State& state = *at.state;
  const MountedFrame mount = place_mount(*one.spec, {model, *shapes_, state, origin_, at.joints});
  SensorView view = convoy::view_of(*one.spec, mount, at, robot_, index);
  view.age = at.now - kept_.beginning, view.period = timing(one).schedule.period, view.inside = at.inside;
  if (at.inside && (one.type->traits.acceleration || !one.spec->library.empty())) view.gravity = at.inside->gravity();
  if (one.may_leave) view.inside = nullptr;  // where it is computed elsewhere, there is none
  // Of what has jumped since, or was not there, no acceleration is known.
  if (one.type->traits.acceleration && kept_.seen && kept_.discontinuity == state.discontinuity) {
    const Duration since = kept_.speeds_at.empty() ? at.tick : at.now - kept_.speeds_at[one.speed];
    if (since > Duration(0)) view.a_WS_W = (1 / seconds(since)) * (mount.v_WS_W.v - kept_.speeds[one.speed]);
  }
  return view;
}

void AgentSensors::look_over(const SensedWorld& at) {
  if (std::exchange(looked_over_, true)) return;
  for (One& one : all_) {
    std::string wrong = at.inside ? one.sensor->problem(*at.inside) : "";
    if (wrong.empty()) continue;
    one.sensor = nullptr;
    troubles_.push_back("'" + one.spec->name + "': " + wrong);
  }
  // Another host that has taken the robot over finds the same, and it was told.
  if (kept_.seen) troubles_.clear();
}

// One that could not be taken is told the first time.
bool AgentSensors::is_dropped(const One& one, const Sample& sample) {
  const auto* none = std::get_if<NoReading>(&sample.data);
  if (!none) return false;
  const auto at = std::lower_bound(kept_.mute.begin(), kept_.mute.end(), sample.sensor);
  if (at != kept_.mute.end() && *at == sample.sensor) return true;
  kept_.mute.insert(at, sample.sensor);
  troubles_.push_back("'" + one.spec->name + "' could not sample: " + none->why);
  return true;
}

// It is drawn meanwhile; who wants to have it waits for it.
std::function<SampleData()> AgentSensors::One::exposed(const SensedWorld& at, WorldNumber robot,
                                                       std::uint64_t index) const {
  return [exposures = *at.exposures, made = sensor, camera = Exposures::Camera{robot, number},
          key = SampleKey{at.world->seed(), robot, spec->name, index}]() -> SampleData {
    const auto picture = exposures->take(camera);
    if (!picture) return NoReading{picture.error().message()};
    return made->sample({.picture = &*picture, .key = key});
  };
}

void AgentSensors::give(std::uint32_t sensor, Owner host) {
  if (One* one = find(sensor); one && one->may_leave) one->host = host;
}

std::size_t AgentSensors::order(const SensedWorld& at, const Vec3& gravity, const AgentNodes* nodes,
                                std::span<const std::string> but, std::vector<Ordered>& out) {
  std::size_t left_out = 0;
  for (One& one : all_) {
    if (one.host == kNobody || !one.sensor || std::find(but.begin(), but.end(), one.spec->name) != but.end()) continue;
    const auto index = due(one, at.now, at.tick);
    if (!index || !is_taken(one, *index, nodes, at.taker)) continue;
    one.ordered = index;
    one.left_out = queue_.lags(one.number);
    if (one.left_out) {
      ++left_out;
      continue;
    }
    SampleOrder order{robot_, one.number, *index, at.now - kept_.beginning, timing(one).schedule.period, {}, {}};
    order.gravity = one.spec->library.empty() ? SensorView{}.gravity : gravity;
    if (const Changed* by_call = changed(one)) order.parameters = by_call->parameters;
    out.push_back({one.host, at.now + one.latency(at.tick), std::move(order)});
  }
  return left_out;
}

Duration AgentSensors::One::latency(Duration tick) const {
  return type->traits.at_once() && !may_leave ? spec->latency : std::max(spec->latency, tick);
}

void AgentSensors::sense_one(const One& one, const SensedWorld& at, const Model& model, const AgentNodes* nodes) {
  const SensorTraits& traits = one.type->traits;
  const auto index = due(one, at.now, at.rides ? at.tick : one.grid);
  const bool by_nodes = nodes && nodes->takes(one.spec->name);
  const bool by_taker = index && at.taker && at.taker->takes(robot_, *one.spec, {*index, timing(one).schedule.period});
  const bool sample = index && (digest_ || by_nodes || by_taker);
  if (!sample && !traits.acceleration && !(index && traits.remembers)) return;
  const SensorView view = view_of(one, at, model, index.value_or(0));
  if (traits.acceleration) {
    kept_.speeds[one.speed] = view.v_WS_W.v;
    if (!kept_.speeds_at.empty()) kept_.speeds_at[one.speed] = at.now;
  }
  const bool ordered = one.is_ordered(index);
  if (ordered && one.left_out) return;
  if (!index || !(sample || traits.remembers) || (traits.rays && !view.field && !ordered)) return;
  if (traits.pictures && !(at.exposures && *at.exposures) && !ordered) return;
  Sample made{one.number, *index, began(kept_.beginning, *one.sensor, at.now), {}, view.period};
  std::function<SampleData()> later;
  Bytes none;
  Bytes& memory = traits.remembers ? kept_.memories[one.memory] : none;
  if (ordered) made.data = NoReading{};
  else if (traits.pictures) later = one.exposed(at, robot_, *index);
  else if (one.may_leave && at.meter) made.data = measured(*one.sensor, view, {robot_, one.number, 1, 0}, at);
  else made.data = one.sensor->sample(view, memory);
  if (!one.may_leave) {
    if (later && digest_) made.data = std::exchange(later, nullptr)();
    if (is_dropped(one, made)) return;
    if (digest_) kept_.digest = chain(kept_.digest, hash64(convoy::save(made)));
    if (!by_nodes && !by_taker) return;
  }
  queue_.add({.due = at.now + one.latency(at.tick),
              .sample = std::move(made),
              .to_nodes = by_nodes,
              .to_taker = by_taker,
              .later = std::move(later),
              .within = traits.at_once() && !one.may_leave,
              .ordered = ordered,
              .judged = one.may_leave});
}

// What may come from elsewhere is judged and counted where it is delivered, so that it does not matter whence it came.
void AgentSensors::deliver(Instant now) {
  queue_.deliver(now, [this](const Sample& sample) {
    const One* one = find(sample.sensor);
    if (!one || is_dropped(*one, sample)) return false;
    if (digest_) kept_.digest = chain(kept_.digest, hash64(convoy::save(sample)));
    return true;
  });
}

std::vector<std::string> AgentSensors::sense(const SensedWorld& at, const Model& model, const AgentNodes* nodes) {
  look_over(at);
  for (const One& one : all_)
    if (one.sensor) sense_one(one, at, model, nodes);
  kept_.seen = true, kept_.discontinuity = at.state->discontinuity;
  return std::exchange(troubles_, {});
}

void AgentSensors::sense_step(const SensedWorld& at, const Model& model, const AgentNodes* nodes) {
  for (const One& one : all_)
    if (one.sensor && one.grid < at.tick && due(one, at.now, one.grid)) sense_one(one, at, model, nodes);
}

Result<Sample> AgentSensors::look(std::string_view name, const SensedWorld& at, const Model& model) const {
  if (auto known = sensor_named(kind_->sensors, name, "it"); !known) return tl::unexpected(known.error());
  const One* one = find(name);
  if (!one) return fail(ErrorCode::kState, "it samples nothing: what is wrong was said when its robot was made");
  if (!one->sensor)
    return fail(ErrorCode::kState, "it samples nothing: what is wrong was said when its robot was made");
  if (one->type->traits.rays && !at.rays) return fail(ErrorCode::kUnsupported, "it casts rays, and nobody does here");
  const bool pictures = one->type->traits.pictures;
  if (pictures && !(at.exposures && *at.exposures))
    return fail(ErrorCode::kUnsupported, "it takes pictures, and nobody draws here");
  const std::uint64_t index = timing(*one).newest(at.now);
  SensorView view = view_of(*one, at, model, index);
  CameraPicture picture;
  if (pictures) {
    auto drawn = (*at.exposures)->take({robot_, one->number});
    if (!drawn && drawn.error().code == ErrorCode::kNotFound) drawn = (*at.exposures)->take(one->sensor->shot(view));
    if (!drawn) return tl::unexpected(drawn.error());
    picture = std::move(*drawn), view.picture = &picture;
  }
  Bytes memory = one->type->traits.remembers ? kept_.memories[one->memory] : Bytes();
  SampleData data = one->sensor->sample(view, memory);
  if (const auto* none = std::get_if<NoReading>(&data))
    return fail(ErrorCode::kState, "it could not sample: " + none->why);
  return Sample{one->number, index, began(kept_.beginning, *one->sensor, at.now), std::move(data),
                timing(*one).schedule.period};
}

std::optional<std::pair<std::uint32_t, Shot>> AgentSensors::shot(std::string_view name, const SensedWorld& at,
                                                                 const Model& model) const {
  const One* one = find(name);
  if (!one || !one->sensor || !one->type->traits.pictures) return {};
  return std::pair(one->number, one->sensor->shot(view_of(*one, at, model, timing(*one).newest(at.now))));
}

SensorTraits AgentSensors::traits_of(std::string_view name) const {
  const One* one = find(name);
  return one ? one->type->traits : SensorTraits{};
}

void AgentSensors::save(SaveFields& out) const { out("sensors", kept_); }

void AgentSensors::describe(DescribeFields::List& out) const {
  DescribeFields v(out);
  v("sensors", kept_);
}

bool AgentSensors::load(Reader& in) {
  Kept loaded;
  LoadFields v(in);
  v("sensors", loaded);
  if (!in.ok() || loaded.speeds.size() != kept_.speeds.size() || loaded.speeds_at.size() != kept_.speeds_at.size() ||
      loaded.memories.size() != kept_.memories.size())
    return false;
  for (const Changed& changed : loaded.changed) {
    One* one = find(changed.sensor);
    if (!one || changed.timing.schedule.period <= Duration(0) || !one->use(changed.parameters)) return false;
  }
  kept_ = std::move(loaded);
  return true;
}

}  // namespace convoy
