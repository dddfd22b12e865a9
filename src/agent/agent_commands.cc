// The part of an agent that takes commands from outside: whose it obeys, and what they set.
#include <charconv>

#include "agent/agent.h"
#include "agent/inspect.h"

namespace convoy {

namespace {

// Among the kinds of inner events: a command of a holder, empty for a command without one.
std::uint64_t commanded(const std::string& holder) { return 1 + (holder.empty() ? 0 : hash64(as_bytes(holder))); }

// May who goes by this name command what is held so?
bool lets(const std::string& held_by, const std::string& holder) { return held_by.empty() || held_by == holder; }

// A command's part of the event: what it is, and whose.
std::uint32_t kind(std::uint32_t what, ControlSource source) { return what | static_cast<std::uint32_t>(source) << 8; }

}  // namespace

// Counts what is not obeyed. A driver that does not rule counts at each of its decisions. A lease binds everybody but its
// holder; the rule by source binds the holder as well.
bool Agent::obeys(ControlSource source, const std::string& holder) {
  const bool rules = inner_.rule.ruler == ControlSource::kAny || inner_.rule.ruler == source;
  if (rules && lets(held_by_, holder)) return true;
  ++inner_.rule.ignored[is_control_source(source) ? static_cast<std::size_t>(source) : 0];
  return false;
}

// Controls hold.
void Agent::hold(const std::string& holder) {
  if (held_by_ == holder) return;
  held_by_ = holder;
  if (!holder.empty()) inner_.drive_until = inner_.own_until = Instant{};
}

void Agent::command(const Twist& twist, Instant at, Duration timeout, ControlSource source, const std::string& holder) {
  if (!obeys(source, holder)) return;
  inner_.drive = twist;
  inner_.drive_until = at + (timeout.count() > 0 ? timeout : model_->command_timeout);
  inner_.rule.drive_from = source;
}

// What an agent does with each kind of input.
struct Agent::TakeInput {
  Agent& agent;
  const AgentTick& tick;
  Instant now{};

  // Counts what a lease keeps away.
  bool may_change(const std::string& holder) const {
    if (lets(agent.held_by_, holder)) return true;
    ++agent.inner_.rule.ignored[0];
    return false;
  }
  template <class T>
  void give_nodes(const T& input) const {
    if (agent.equipment_.nodes && may_change(input.holder)) agent.equipment_.nodes->take(input);
  }
  void let_rule(ControlSource source) const;
  void take_parameter(const SetParameter& parameter) const;
  void operator()(const DriveCommand& drive) const {
    agent.happened(commanded(drive.holder), now, kNoEntity, kind(0, drive.source));
    agent.command(drive.twist, now, drive.timeout, drive.source, drive.holder);
  }
  void operator()(const SetControls& set) const {
    agent.happened(commanded(set.holder), now, kNoEntity, kind(1, set.source));
    if (agent.obeys(set.source, set.holder))
      agent.controls_.insert(agent.controls_.end(), set.controls.begin(), set.controls.end());
  }
  void operator()(const SetSensor& set) const {
    if (agent.equipment_.sensors && may_change(set.holder))
      agent.equipment_.sensors->change(set, tick.begin, tick.length);
  }
  void operator()(const PublishMessage& publish) const { give_nodes(publish); }
  void operator()(const CallService& call) const { give_nodes(call); }
  void operator()(const OutsideTraffic& traffic) const {
    using Kind = OutsideTraffic::Kind;
    const bool asked_for = traffic.kind != Kind::kMessage && traffic.kind != Kind::kRequest;  // by the nodes themselves
    if (agent.equipment_.nodes && (asked_for || may_change(traffic.holder))) agent.equipment_.nodes->take(traffic);
  }
  void operator()(const SetParameter& set) const {
    if (set.node == kControllerNode) {
      agent.happened(commanded(set.holder), now, kNoEntity, kind(2, set.source));
      take_parameter(set);
    } else {
      give_nodes(set);
    }
  }
};

// What the others have commanded ends here; controls hold.
void Agent::TakeInput::let_rule(ControlSource source) const {
  agent.inner_.rule.ruler = source;
  if (source == ControlSource::kAny) return;
  if (agent.inner_.rule.drive_from != source) agent.inner_.drive_until = Instant{};
  if (source != ControlSource::kNodes) agent.inner_.own_until = Instant{};
}

void Agent::TakeInput::take_parameter(const SetParameter& parameter) const {
  const bool setting =
      parameter.source == ControlSource::kAny;  // which counts under any ruler, and not against a lease
  if (setting && !may_change(parameter.holder)) return;
  if (!setting && !agent.obeys(parameter.source, parameter.holder)) return;
  const std::string& value = parameter.value;
  if (parameter.name == "source") {
    if (const auto source = control_source_of(value)) let_rule(*source);
  } else if (parameter.name == "actions") {
    std::uint32_t mask = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), mask);
    if (error == std::errc() && end == value.data() + value.size()) agent.inner_.actions = mask;
  } else {
    (void)agent.physics_->set_parameter(parameter.name, value);
  }
}

void Agent::take_inputs(const AgentTick& tick) {
  for (const Input& input : tick.inputs) { std::visit(TakeInput{*this, tick, tick.begin + tick.from}, input); }
}

void Agent::answer(const std::string& node, NodesAnswer& out, std::size_t& room) const {
  const auto add = [&](std::string name, const char* type, std::string value, bool settable) {
    const std::size_t bytes = node.size() + name.size() + value.size();
    if (bytes > room) return;
    room -= bytes;
    out.parameters.push_back({number_, node, std::move(name), type, std::move(value), true, settable});
  };
  const Rule& rule = inner_.rule;
  add("source", "string", std::string(name_of(rule.ruler)), true);
  if (inner_.actions != 0) add("actions", "integer", std::to_string(inner_.actions), true);
  for (auto& [name, value] : physics_->parameters()) add(std::move(name), "string", std::move(value), true);
  for (std::size_t i = 0; i < kControlSources; ++i)
    if (rule.ignored[i] > 0)
      add("ignored." + std::string(i == 0 ? "unknown" : kControlSourceNames[i]), "integer",
          std::to_string(rule.ignored[i]), false);
}

Feeling Agent::feel(const AgentTick& tick, Slot slot, bool& whole) const {
  Feeling out;
  const State& state = tick.world->snapshot().state(slot);
  std::vector<Neighbour> neighbours;
  if (tick.robots_touch)
    collect_neighbours(tick, slot, state.pose.p, physics_->neighbourhood(*model_, tick.length, carried_), carried_,
                       neighbours);
  const PhysicsInput input{.begin = tick.begin,
                           .step = tick.length,
                           .self = number_,
                           .map = &tick.world->map(),
                           .neighbours = neighbours,
                           .carried = carried_,
                           .files = &tick.world->files(),
                           .environment = &tick.world->environment()};
  whole = physics_->feel(input, state, tick.world->snapshot().tail(slot), out);
  if (!whole)
    for (WorldNumber other : inner_.touching) out.contacts.emplace_back().other = other;
  return out;
}

void Agent::answer_rule(NodesAnswer& out, std::size_t& room) const {
  NodesAnswer::Ruled ruled{number_, inner_.rule.ruler, {}, physics_->one_sided_ticks()};
  for (std::size_t i = 0; i < kControlSources; ++i)
    if (inner_.rule.ignored[i] > 0) ruled.ignored.push_back({static_cast<ControlSource>(i), inner_.rule.ignored[i]});
  const std::size_t bytes = convoy::save(ruled).size();
  if (bytes > room) return;
  room -= bytes;
  out.rules.push_back(std::move(ruled));
}

}  // namespace convoy
