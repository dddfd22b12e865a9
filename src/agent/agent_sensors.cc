#include "agent/agent_sensors.h"

#include <algorithm>

#include "core/hash.h"
#include "core/nearest.h"

namespace convoy {

std::unique_ptr<AgentSensors> AgentSensors::make(const Entity& entity, std::shared_ptr<const Shapes> shapes,
                                                 SensorBook& sensors, const SensorRules& rules, Instant beginning) {
  if (entity.kind->sensors.empty()) return nullptr;
  auto out = std::make_unique<AgentSensors>();
  out->robot_ = entity.number, out->origin_ = entity.pose, out->kind_ = entity.kind;
  out->shapes_ = shapes ? std::move(shapes) : std::make_shared<const Shapes>();
  out->digest_ = rules.digest, out->kept_.beginning = beginning;
  for (const SensorSpec& spec : out->kind_->sensors) {
    auto made = sensors.of(spec);
    if (made) out->all_.push_back({&spec, find_sensor_type(spec.type), std::move(*made), 0, 0});
    else out->troubles_.push_back("'" + spec.name + "': " + made.error().message());
  }
  for (One& one : out->all_) {
    one.speed = out->kept_.speeds.size(), one.memory = out->kept_.memories.size();
    if (one.type->traits.acceleration) out->kept_.speeds.emplace_back();
    if (one.type->traits.remembers) out->kept_.memories.emplace_back();
  }
  return out;
}

std::optional<std::uint64_t> AgentSensors::due(const One& one, Instant now, Duration tick) const {
  const Changed is = as_it_is(one);
  if (now < is.on_from || now < is.schedule.beginning || is.schedule.count_in(now - tick, now) == 0) return {};
  return is.first + is.schedule.first_from(now + Duration(1)) - 1;  // of several the newest
}

AgentSensors::Changed AgentSensors::as_it_is(const One& one) const {
  for (const Changed& changed : kept_.changed)
    if (changed.sensor == number_of(one)) return changed;
  return {number_of(one), {kept_.beginning, one.spec->offset, one.spec->period}, 0, kept_.beginning};
}

// Makes the sensor with its parameters. False: there is no such sensor, or they are not its type's.
bool AgentSensors::use(const Changed& changed) {
  const auto one = std::find_if(all_.begin(), all_.end(), [&](const One& o) { return number_of(o) == changed.sensor; });
  if (one == all_.end()) return false;
  if (changed.parameters.empty() || !one->sensor) return true;
  SensorSpec spec = *one->spec;
  spec.parameters = changed.parameters;
  auto made = make_sensor(spec);
  if (made) one->sensor = std::move(*made);
  return made.has_value();
}

void AgentSensors::change(const SetSensor& change, Instant now, Duration tick) {
  const auto one = std::find_if(all_.begin(), all_.end(), [&](const One& o) { return o.spec->name == change.sensor; });
  if (one == all_.end()) return;
  Changed is = as_it_is(*one);
  if (!change.parameters.empty()) is.parameters = change.parameters;
  if (!use(is)) return;
  const Instant next = now + tick;
  if (change.on && *change.on != (is.on_from != kOff)) is.on_from = *change.on ? next : kOff;
  if (change.period > Duration(0)) {
    is.first += is.schedule.first_from(next);
    is.schedule = {next, Duration(0), change.period};
  }
  const auto at = std::lower_bound(kept_.changed.begin(), kept_.changed.end(), is,
                                   [](const Changed& a, const Changed& b) { return a.sensor < b.sensor; });
  if (at != kept_.changed.end() && at->sensor == is.sensor) *at = is;
  else kept_.changed.insert(at, is);
}

bool AgentSensors::casts_at(Instant now, Duration tick, const AgentNodes* nodes, const SampleTaker* taker) const {
  return std::any_of(all_.begin(), all_.end(), [&](const One& one) {
    const auto index = one.type->traits.rays ? due(one, now, tick) : std::nullopt;
    return index &&
           (digest_ || (nodes && nodes->takes(one.spec->name)) || (taker && taker->takes(robot_, *one.spec, *index)));
  });
}

SensorView AgentSensors::view_of(const One& one, const SensedWorld& at, const Model& model, std::uint64_t index) const {
  const State& state = at.world->snapshot().state(at.slot);
  const MountedFrame mount = place_mount(*one.spec, {model, *shapes_, state, origin_, at.world->joints(at.slot)});
  SensorView view{.X_WS = mount.X_WS,
                  .v_WS_W = mount.v_WS_W,
                  .age = at.now - kept_.beginning,
                  .world = at.world,
                  .field = at.rays,
                  .inside = at.inside,
                  .see_self = one.spec->see_self,
                  .rules = at.rules,
                  .key = {at.world->seed(), robot_, one.spec->name, index}};
  view.gravity = at.world->environment().gravity.value_or(view.gravity);
  // Of what has jumped since, or was not there, no acceleration is known.
  if (one.type->traits.acceleration && kept_.seen && kept_.discontinuity == state.discontinuity)
    view.a_WS_W = (1 / seconds(at.tick)) * (mount.v_WS_W.v - kept_.speeds[one.speed]);
  return view;
}

std::vector<std::string> AgentSensors::troubles(const SensedWorld& at) {
  if (std::exchange(looked_over_, true)) return {};
  for (One& one : all_) {
    std::string wrong = at.inside ? one.sensor->problem(*at.inside) : "";
    if (wrong.empty()) continue;
    one.sensor = nullptr;
    troubles_.push_back("'" + one.spec->name + "': " + wrong);
  }
  // Another host that has taken the robot over finds the same, and it was told.
  return kept_.seen ? std::vector<std::string>() : std::move(troubles_);
}

void AgentSensors::sense(const SensedWorld& at, const Model& model, const AgentNodes* nodes) {
  std::vector<Vec3> speeds(kept_.speeds.size());
  for (const One& one : all_) {
    if (!one.sensor) continue;
    const SensorTraits& traits = one.type->traits;
    const auto index = due(one, at.now, at.tick);
    const bool by_nodes = nodes && nodes->takes(one.spec->name);
    const bool by_taker = index && at.taker && at.taker->takes(robot_, *one.spec, *index);
    const bool sample = index && (digest_ || by_nodes || by_taker);
    if (!sample && !traits.acceleration && !(index && traits.remembers)) continue;
    const SensorView view = view_of(one, at, model, index.value_or(0));
    if (traits.acceleration) speeds[one.speed] = view.v_WS_W.v;
    if (!index || !(sample || traits.remembers) || (traits.rays && !view.field)) continue;
    Bytes none;
    Bytes& memory = traits.remembers ? kept_.memories[one.memory] : none;
    Sample made{number_of(one), *index, began(one, at.now), one.sensor->sample(view, memory),
                as_it_is(one).schedule.period};
    if (digest_) kept_.digest = chain(kept_.digest, hash64(convoy::save(made)));
    if (!by_nodes && !by_taker) continue;
    const Duration latency = traits.immediate ? one.spec->latency : std::max(one.spec->latency, at.tick);
    Waiting waiting{at.now + latency, std::move(made), by_nodes, by_taker};
    const auto later = [](const Waiting& a, const Waiting& b) {
      return std::pair(a.due, a.sample.sensor) < std::pair(b.due, b.sample.sensor);
    };
    waiting_.insert(std::upper_bound(waiting_.begin(), waiting_.end(), waiting, later), std::move(waiting));
  }
  kept_.speeds = std::move(speeds);
  kept_.seen = true, kept_.discontinuity = at.world->snapshot().state(at.slot).discontinuity;
}

Result<Sample> AgentSensors::look(std::string_view name, const SensedWorld& at, const Model& model) const {
  const auto one = std::find_if(all_.begin(), all_.end(), [&](const One& o) { return o.spec->name == name; });
  if (one == all_.end()) {
    std::vector<std::string> names;
    for (const One& o : all_) names.push_back(o.spec->name);
    const std::string near = nearest_name(std::string(name), names);
    return fail(ErrorCode::kNotFound, "it has no sensor '" + std::string(name) + "'" +
                                          (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  if (!one->sensor)
    return fail(ErrorCode::kState, "it samples nothing: what is wrong was said when its robot was made");
  if (one->type->traits.rays && !at.rays) return fail(ErrorCode::kUnsupported, "it casts rays, and nobody does here");
  const Changed is = as_it_is(*one);
  const std::uint64_t next = is.first + is.schedule.first_from(at.now + Duration(1)), index = next > 0 ? next - 1 : 0;
  Bytes memory = one->type->traits.remembers ? kept_.memories[one->memory] : Bytes();
  return Sample{number_of(*one), index, began(*one, at.now),
                one->sensor->sample(view_of(*one, at, model, index), memory), is.schedule.period};
}

bool AgentSensors::casts(std::string_view name) const {
  return std::any_of(all_.begin(), all_.end(),
                     [&](const One& one) { return one.spec->name == name && one.type->traits.rays; });
}

void AgentSensors::deliver(Instant now) {
  delivered_.clear(), taken_.clear();
  const auto end = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& w) { return w.due > now; });
  for (auto at = waiting_.begin(); at != end; ++at) {
    if (at->to_taker && at->to_nodes) taken_.push_back(at->sample);
    else if (at->to_taker) taken_.push_back(std::move(at->sample));
    if (at->to_nodes) delivered_.push_back(std::move(at->sample));
  }
  waiting_.erase(waiting_.begin(), end);
}

void AgentSensors::hand_to(SampleTaker& taker, Instant now) const {
  for (const Sample& sample : taken_) taker.took(robot_, kind_->sensors[sample.sensor], sample, now);
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
  if (!in.ok() || loaded.speeds.size() != kept_.speeds.size() || loaded.memories.size() != kept_.memories.size())
    return false;
  for (const Changed& changed : loaded.changed)
    if (changed.schedule.period <= Duration(0) || !use(changed)) return false;
  kept_ = std::move(loaded);
  return true;
}

}  // namespace convoy
