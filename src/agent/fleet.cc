#include "agent/fleet.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "agent/fleet_edits.h"
#include "agent/fleet_looks.h"
#include "agent/network_model.h"
#include "agent/sensed_at.h"
#include "core/check.h"
#include "core/random.h"
#include "world/edits/edits.h"

namespace convoy {

namespace {

constexpr const char* kNoSoftware = "this host runs no ROS components";

// Adds the time that it lives to a sum.
class Stopwatch {
 public:
  Stopwatch(const std::function<std::uint64_t()>& now_ns, std::uint64_t& sum_ns)
      : now_ns_(now_ns), sum_ns_(sum_ns), begin_(now_ns ? now_ns() : 0) {}
  ~Stopwatch() {
    if (now_ns_) sum_ns_ += now_ns_() - begin_;
  }
  Stopwatch(const Stopwatch&) = delete;

 private:
  const std::function<std::uint64_t()>& now_ns_;
  std::uint64_t& sum_ns_;
  std::uint64_t begin_;
};

void show(ElementView& elements, const std::vector<std::unique_ptr<Agent>>& agents, const World& world,
          double view_radius) {
  if (!elements.concerns_agents()) return;
  for (const auto& agent : agents)
    if (agent->equipment().nodes)
      agent->equipment().nodes->look(elements, world.slot_of(agent->number()), world, view_radius);
}

void hand_samples(const std::vector<std::unique_ptr<Agent>>& agents, const World& world, SampleTaker& taker,
                  Instant now) {
  for (const auto& agent : agents) {
    if (!agent->equipment().sensors || agent->equipment().sensors->queue().taken().empty()) continue;
    const auto& specs = world.entity(world.slot_of(agent->number())).kind->sensors;
    for (const Sample& sample : agent->equipment().sensors->queue().taken())
      taker.took(agent->number(), specs[sample.sensor], sample, now);
  }
}

}  // namespace

Fleet::Fleet(World world, const Setup& setup, Owner me, Executor& executor, const AgentParts& parts)
    : world_(std::move(world)),
      setup_(setup),
      me_(me),
      executor_(executor),
      parts_(parts),
      sight_{FleetRays(parts.rays, parts.sensors), FleetPictures(parts.pictures),
             FleetOrders(agents_, world_, setup_, parts_.taker), nullptr} {
  forget_scene(setup_);
}

void Fleet::others() {
  static std::atomic<std::uint64_t> last{0};  // for those who watch; in no digest
  roll_.slots_for = 0;
  roll_.number = ++last;
}

Fleet::Agents::const_iterator Fleet::place_of(WorldNumber number) const {
  return std::lower_bound(agents_.begin(), agents_.end(), number,
                          [](const auto& agent, WorldNumber n) { return agent->number() < n; });
}

const Agent* Fleet::agent(WorldNumber number) const {
  const auto it = place_of(number);
  return it != agents_.end() && (*it)->number() == number ? it->get() : nullptr;
}

Agent* Fleet::mine(WorldNumber number) { return const_cast<Agent*>(agent(number)); }

void Fleet::make(Slot slot, Begins begins) {
  others();
  const Entity& entity = world_.entity(slot);
  EXPECTS(entity.owner == me_ && !agent(entity.number));
  // Decisions are spread over the period, so that no tick has to wait for all drivers at once.
  const std::int64_t ticks = std::max<std::int64_t>(1, entity.kind->driver.period / setup_.tick);
  const std::uint64_t share =
      stream_key(0, entity.number.value(), "first decision") % static_cast<std::uint64_t>(ticks);
  const State& state = world_.snapshot().state(slot);
  const std::shared_ptr<const Model>& model = world_.models()[entity.model];
  const auto agent =
      agents_.insert(place_of(entity.number),
                     std::make_unique<Agent>(entity, model, parts_.physics->make(*model, world_, setup_.tick), setup_,
                                             state, state.stamp + static_cast<std::int64_t>(share) * setup_.tick));
  if (!entity.kind->sensors.empty()) {
    (*agent)->equipment().sensors =
        AgentSensors::make(entity, sight_.rays.shapes_of(model, world_.files()), sight_.rays.sensors(), setup_.sensors,
                           setup_.tick, convoy::physics_step((*agent)->physics(), setup_.tick), state.stamp);
  }
  if (begins == Begins::kWhereItIs) (*agent)->reread(state, world_.snapshot().tail(slot));
  (*agent)->hold(holder_of(world_, entity.number));
  sight_.orders.came(**agent);
  if (entity.kind->components.empty()) return;
  directory_version_ = 0;
  auto software =
      parts_.software
          ? parts_.software->make({entity, world_.model_of(slot), setup_, state.stamp, &sight_.rays.sensors()})
          : Result<std::unique_ptr<Software>>(fail(ErrorCode::kUnsupported, kNoSoftware));
  (*agent)->equipment().nodes =
      (software ? std::make_unique<AgentNodes>(entity, setup_.nodes.start, std::move(*software))
                : std::make_unique<AgentNodes>(entity, software.error()));
}

void Fleet::take_up() {
  for (Slot slot : world_.slots_of(me_))
    if (!agent(world_.entity(slot).number)) make(slot);
  settle();
}

void Fleet::drop(WorldNumber number) {
  others();
  const auto it = place_of(number);
  if (it != agents_.end() && (*it)->number() == number) agents_.erase(it);
  sight_.orders.forget(number);
}

bool Fleet::apply(const Edit& edit, Instant now) {
  const std::vector<WorldNumber> to_reread = std::visit(RereadBy{world_}, edit);
  sight_.orders.before_edit();
  const WorldNumber made = world_.apply(edit, now);
  if (restarts_run(edit)) inbox_.elements.clear();
  const bool followed = std::visit(FollowEdit{*this, now, made}, edit);
  for (WorldNumber number : to_reread)
    if (Agent* agent = mine(number)) agent->reread(world_.snapshot().state(world_.slot_of(number)));
  return followed;
}

void Fleet::refresh_carried() {
  loads_.clear();
  for (Slot slot : SlotRange(world_.entities().size())) {
    Pose X_UC;
    for (Slot up = slot; world_.entity(up).parent != kNoEntity; up = world_.slot_of(world_.entity(up).parent)) {
      X_UC = world_.entity(up).X_PC * X_UC;
      loads_[world_.entity(up).parent].push_back({world_.entity(slot).number, X_UC, &world_.model_of(slot)});
    }
  }
  for (auto& agent : agents_) {
    const auto load = loads_.find(agent->number());
    if (load != loads_.end()) agent->set_carried(load->second);
    else if (!agent->carried().empty()) agent->set_carried({});
  }
}

void Fleet::settle() {
  world_.settle();
  refresh_carried();
}

void Fleet::open(std::span<const Message> messages) {
  rebuild(grid_, world_);
  if (parts_.taker) parts_.taker->follow(world_);
  if (!messages.empty()) refresh_slots();
  for (const Message& message : messages) hand_over(message);
  show(inbox_.elements, agents_, world_, setup_.view_radius);
  if (directory_version_ == world_.directory().version() + 1) return;
  directory_version_ = world_.directory().version() + 1;
  for (const auto& agent : agents_)
    if (agent->equipment().nodes) agent->equipment().nodes->set_directory(world_.directory());
}

void Fleet::hand_over(nodes::RemoteMessage message, const Message& envelope) {
  NetworkModel network = setup_.network;
  if (message.reliable) network.loss = 0;
  if (message.delay != nodes::kNoDelay) message.delay = std::max(message.delay, setup_.tick);
  const auto to = [&](WorldNumber number) {
    Agent* agent = number == envelope.from ? nullptr : mine(number);
    if (!agent || !agent->equipment().nodes) return;
    if (const auto at = due(network, setup_.seed, setup_.tick, envelope, number))
      agent->equipment().nodes->receive(message, envelope.from, *at);
  };
  if (message.to != kNoEntity) return to(message.to);
  const std::uint32_t domain = world_.entity(world_.slot_of(envelope.from)).kind->domain;
  for (WorldNumber number : world_.directory().who(Interface::Kind::kSubscribes, in_domain(domain, message.name)))
    to(number);
}

// Messages that are malformed are dropped: they come from another host.
void Fleet::hand_over(const Message& message) {
  if (message.topic == kElementTopic) {
    if (message.from == kNoEntity) inbox_.elements.take(message.payload);
    return;
  }
  const Snapshot& snapshot = world_.snapshot();
  const Slot sender = snapshot.slot_of(message.from);
  if (sender == kNoSlot) return;  // it was deleted at this very boundary: no agent gets the message
  if (message.topic == kNodePart) {
    Bytes& part = inbox_.parts[message.from];
    if (part.size() < kMaxNodeMessage) part.insert(part.end(), message.payload.begin(), message.payload.end());
    return;
  }
  if (message.topic == kNodeTopic) {
    Bytes bytes;
    if (const auto part = inbox_.parts.find(message.from); part != inbox_.parts.end()) {
      bytes = std::move(part->second);
      inbox_.parts.erase(part);
    }
    bytes.insert(bytes.end(), message.payload.begin(), message.payload.end());
    if (nodes::RemoteMessage announced; load(bytes, announced)) hand_over(std::move(announced), message);
    return;
  }
  if (message.topic == kEditTopic) return;  // the server's
  if (message.topic == kEditedTopic) {
    const Agent* asker = agent(message.from);
    EditReply reply;
    if (asker && asker->equipment().nodes && load(message.payload, reply)) asker->equipment().nodes->edited(reply);
    return;
  }
  if (message.topic == kInterfacesTopic || message.topic == kEndedTopic) return apply_announcement(world_, message);
  const Vec3 from = snapshot.state(sender).pose.p;
  const double range = setup_.network.range;
  std::shared_ptr<const Message> kept;
  const auto hears = [&](Slot slot) {
    Agent* agent = roll_.at[slot];
    if (!agent || slot == sender || !agent->subscribes_to(message.topic)) return;
    const Vec3 d = snapshot.state(slot).pose.p - from;
    if (d.x * d.x + d.y * d.y > range * range) return;
    const auto at = due(setup_.network, setup_.seed, setup_.tick, message, agent->number());
    if (!at) return;
    if (!kept) kept = std::make_shared<const Message>(message);
    agent->expect(kept, *at);
  };
  if (message.to == kNoEntity) grid_.each(from.x, from.y, range, hears);
  else if (const Slot receiver = snapshot.slot_of(message.to); receiver != kNoSlot) hears(receiver);
}

void Fleet::refresh_slots() {
  if (roll_.slots_for != 0 && roll_.slots_for == grid_.generation()) return;
  roll_.slots_for = grid_.generation();
  const std::span<const WorldNumber> numbers = world_.snapshot().numbers();
  roll_.slots.clear();
  roll_.at.assign(numbers.size(), nullptr);
  for (const auto& agent : agents_) {
    roll_.slots.push_back(world_.slot_of(agent->number()));
    EXPECTS(roll_.slots.back() != kNoSlot);
    roll_.at[roll_.slots.back()] = agent.get();
  }
}

void InputsByAgent::take(std::span<const Input> inputs) {
  places_.clear();
  in_order_.clear();
  for (const Input& input : inputs) places_.emplace_back(recipient(input), static_cast<std::uint32_t>(places_.size()));
  std::sort(places_.begin(), places_.end());
  for (const auto& [number, place] : places_) in_order_.push_back(inputs[place]);
}

std::span<const Input> InputsByAgent::of(WorldNumber agent) const {
  if (places_.empty()) return {};
  const auto before = [](const auto& input, WorldNumber number) { return input.first < number; };
  const auto first = std::lower_bound(places_.begin(), places_.end(), agent, before);
  auto last = first;
  while (last != places_.end() && last->first == agent) ++last;
  return std::span(in_order_).subspan(static_cast<std::size_t>(first - places_.begin()),
                                      static_cast<std::size_t>(last - first));
}

void Fleet::advance_some(Instant begin, Duration to, std::size_t first, std::size_t last) {
  Snapshot& next = world_.next();
  const bool attached = world_.any_attached();  // entities are large: none is read where none is attached
  for (std::size_t i = first; i < last; ++i) {
    Agent& agent = *agents_[i];
    AgentOutput& out = outputs_[i];
    if (progress_.reached == Duration(0)) out.clear();
    const Slot slot = roll_.slots[i];
    const std::span<const Input> inputs = inputs_.of(agent.number());
    const AgentTick tick{.begin = begin,
                         .length = setup_.tick,
                         .from = progress_.reached,
                         .to = to,
                         .world = &world_,
                         .grid = &grid_,
                         .view_radius = setup_.view_radius,
                         .robots_touch = setup_.robots_touch,
                         .inputs = inputs,
                         .loads = &loads_,
                         .rays = sight_.rays.field(),
                         .exposures = &sight_.pictures.exposures(),
                         .sensor_rules = &setup_.sensors,
                         .taker = parts_.taker,
                         .meter = parts_.meter};
    if (attached && world_.entity(slot).parent != kNoEntity) {
      agent.ride(tick, slot, out);  // World::turn() writes its state
      world_.hold(slot);
      continue;
    }
    agent.advance(tick, slot, next.state(slot), next.tail(slot), out);
  }
}

const Advance& Fleet::advance(Tick k, std::span<const Input> inputs, std::optional<Duration> to) {
  const Stopwatch busy(parts_.stopwatch, counts_.busy_ns);
  const Instant begin = instant(k * nanos(setup_.tick));
  const Duration until = to.value_or(setup_.tick);
  EXPECTS(until > progress_.reached && until <= setup_.tick);
  refresh_slots();
  inputs_.take(inputs);
  outputs_.resize(agents_.size());
  const bool begins = progress_.reached == Duration(0);
  progress_.ahead = true;
  if (begins) sight_.rays.begin(agents_, world_, setup_, begin, parts_.taker);
  if (begins) sight_.pictures.begin(agents_, world_, setup_, sight_.rays.shapes(), begin, parts_.taker);
  executor_.parallel(agents_.size(),
                     [&](std::size_t first, std::size_t last) { advance_some(begin, until, first, last); });
  if (begins && parts_.taker) hand_samples(agents_, world_, *parts_.taker, begin);
  progress_.reached = until < setup_.tick ? until : Duration(0);
  if (progress_.reached > Duration(0)) return advance_;

  advance_.slots = roll_.slots;
  advance_.hashes.clear();
  advance_.sent.clear();
  advance_.foreign_contacts = 0;
  for (AgentOutput& out : outputs_) {
    advance_.hashes.push_back(out.hash);
    for (Message& message : out.sent) advance_.sent.push_back(std::move(message));
    for (const SampleSpent& spent : out.spent) parts_.meter->add(spent);
    for (WorldNumber other : out.touched) {
      const Slot slot = world_.slot_of(other);
      if (slot != kNoSlot && world_.entity(slot).owner != me_) ++advance_.foreign_contacts;
    }
  }
  ++counts_.ticks;
  counts_.agent_ticks += agents_.size();
  counts_.foreign_contacts += advance_.foreign_contacts;
  return advance_;
}

Bytes Fleet::inner(WorldNumber number) const {
  Bytes out;
  if (const Agent* a = agent(number)) a->save(out);
  return out;
}

Bytes Fleet::answer(ByteView bytes) {
  NodesQuestion question;
  NodesAnswer out;
  std::size_t room = kMaxAnswer;
  if (!load(bytes, question)) return save(out);
  if (question.kind == NodesQuestion::Kind::kCode) {
    NodesAnswer::Code& code = out.code.emplace_back();
    code.host = me_;
    if (parts_.software) {
      std::optional<Error> missing;
      code.files = parts_.software->code_of(question.components, CodeSource::kSpawn, missing);
      if (missing) code.missing = missing->message();
    } else {
      code.missing = kNoSoftware;
    }
    return save(out);
  }
  if (question.kind == NodesQuestion::Kind::kRules) {
    for (const auto& agent : agents_)
      if (question.name.empty() || question.name == world_.entity(world_.slot_of(agent->number())).name)
        agent->answer_rule(out, room);
    return save(out);
  }
  if (question.kind == NodesQuestion::Kind::kContacts) {
    const Slot slot = world_.find(question.name);
    auto found = slot == kNoSlot ? std::nullopt : contacts_of(*this, world_.entity(slot).number);
    if (found) out.touching.push_back(std::move(*found));
    return save(out);
  }
  if (question.kind == NodesQuestion::Kind::kSensor) {
    if (auto seen = seen_by(*this, question.name, question.sensor)) out.seen.push_back(std::move(*seen));
    return save(out);
  }
  if (question.kind == NodesQuestion::Kind::kFits) {
    if (auto fit = fit_of(world_, sight_.rays.sensors(), question)) out.fits.push_back(std::move(*fit));
    return save(out);
  }
  if (question.kind == NodesQuestion::Kind::kActuators) {
    const Slot slot = world_.find(question.name);
    auto found = slot == kNoSlot ? std::nullopt : equipment_of(*this, world_.entity(slot).number);
    if (found) out.equipped.push_back(std::move(*found));
    return save(out);
  }
  if (question.kind == NodesQuestion::Kind::kLoad) {
    out.loads.push_back(load_of(*this));
    return save(out);
  }
  for (const auto& agent : agents_)
    if (agent->equipment().nodes) agent->equipment().nodes->answer(question, out, room);
  if (question.kind != NodesQuestion::Kind::kParameters) return save(out);
  for (const auto& agent : agents_) {  // behind those of nodes, for which there is room then
    const std::string node = controller_name(world_.entity(world_.slot_of(agent->number())).name);
    if (question.name.empty() || question.name == node) agent->answer(node, out, room);
  }
  return save(out);
}

AgentTick Fleet::at_boundary(Slot slot, Grid& grid, Looks looks, CameraShots cameras) const {
  rebuild(grid, world_);
  const Instant now = world_.snapshot().state(slot).stamp;
  if (looks == Looks::kDraw)
    sight_.asked = sight_.pictures.now(world_, setup_, sight_.rays.shapes(), now, std::move(cameras));
  return {.begin = now,
          .length = setup_.tick,
          .to = setup_.tick,
          .world = &world_,
          .grid = &grid,
          .robots_touch = setup_.robots_touch,
          .loads = &loads_,
          .rays = looks == Looks::kCast ? sight_.rays.cast_for(world_, setup_) : nullptr,
          .exposures = looks == Looks::kDraw ? &sight_.asked : nullptr,
          .sensor_rules = &setup_.sensors};
}

Duration clock_start(const Fleet& fleet) { return fleet.setup_.nodes.start; }

Duration physics_step(const Fleet& fleet) {
  std::int64_t step = nanos(fleet.tick());
  for (const auto& agent : fleet.all()) step = std::gcd(step, nanos(physics_step(agent->physics(), fleet.tick())));
  const std::int64_t least = nanos(kShortestStep);
  return std::min(fleet.tick(), Duration((least + step - 1) / step * step));
}

}  // namespace convoy
