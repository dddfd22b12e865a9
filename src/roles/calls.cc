#include "roles/calls.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "core/hash.h"
#include "roles/call.h"
#include "roles/control_source.h"
#include "roles/entity_details.h"
#include "roles/placement_facts.h"
#include "roles/world_facts.h"
#include "run/sensor_places.h"

namespace convoy {

namespace {

void remove(const Call& call) {
  const auto& names = call.request.delete_().names();
  if (names.empty()) return call.refuse(ErrorCode::kInvalid, "the entity name is empty");
  std::vector<WorldNumber> numbers;
  for (const std::string& name : names) {
    const Slot slot = call.entity(name);
    if (slot == kNoSlot) return;
    numbers.push_back(call.world().entity(slot).number);
  }
  const auto batch = std::make_shared<BatchReply>(names.size(), call.answer);
  for (int i = 0; i < names.size(); ++i) {
    const WorldNumber number = numbers[static_cast<std::size_t>(i)];
    call.run.submit(Delete{number},
                    [batch, i, number](const Result<EditOutcome>& result) { batch->outcome(i, result, number); });
  }
}

// A free body among an entity's joints, "objects/crate_3": seven numbers of the tail are its pose.
std::optional<State> body_inside(const World& world, const std::string& name) {
  const std::size_t cut = name.find('/');
  const Slot slot = cut == name.npos ? kNoSlot : world.find(name.substr(0, cut));
  if (slot == kNoSlot) return {};
  const std::vector<std::string>& joints = world.model_of(slot).joints;
  const auto x = std::find(joints.begin(), joints.end(), name.substr(cut + 1) + ":x");
  const auto first = static_cast<std::size_t>(x - joints.begin());
  const auto tail = world.joints(slot);
  if (first + 7 > joints.size() || tail.size() != 2 * joints.size()) return {};
  const double* at = tail.data() + first;
  const double* rate = at + joints.size();
  State out = world.snapshot().state(slot);
  out.pose = {{at[0], at[1], at[2]}, {at[3], at[4], at[5], at[6]}};
  out.twist = {{rate[0], rate[1], rate[2]}, rotate(out.pose.q, {rate[4], rate[5], rate[6]})};
  return out;
}

// With what it is, and whose commands it obeys, if the request asks for these and a host runs it.
void say_with_rule(const Call& call, Slot slot, proto::Reply reply) {
  nlohmann::ordered_json details = nlohmann::ordered_json::object();
  if (call.request.get().details() && slot != kNoSlot) {
    details = details_of(call.run, {&slot, 1}).front();
    reply.set_json(text_of(details));
  }
  if (!call.request.get().rule() || slot == kNoSlot || call.world().entity(slot).owner == kNobody)
    return call.say(std::move(reply));
  const Entity& robot = call.world().entity(slot);
  find_rules(
      robot.name, call.run, call.now,
      [&run = call.run, reply, number = robot.number, details, answer = call.answer](const Rules& rules) mutable {
        const auto rule = rules.find(number);
        nlohmann::ordered_json json{{"source", "unknown"}, {"ignored", nlohmann::ordered_json::object()}};
        if (rule != rules.end()) json = rule_json(rule->second);
        if (rule != rules.end() && rule->second.one_sided > 0) json["one_sided_ticks"] = rule->second.one_sided;
        json.update(details);
        if (const std::string& holder = holder_of(run.world(), number); !holder.empty()) json["holder"] = holder;
        reply.set_json(text_of(json));
        answer(std::move(reply));
      });
}

void get(const Call& call) {
  const std::string& name = call.request.get().name();
  const std::optional<State> body = body_inside(call.world(), name);
  const Slot slot = body ? kNoSlot : call.entity(name);
  if (!body && slot == kNoSlot) return;
  State frame;
  if (!call.frame(call.request.get().frame(), frame)) return;
  const State state = body ? *body : call.run.state(slot);
  const Vec3 lever = state.pose.p - frame.pose.p;
  const Quat to_frame = frame.pose.q.conjugate();
  Pose pose = frame.pose.inverse() * state.pose;
  const Vec3 v = rotate(to_frame, state.twist.v - frame.twist.v - cross(frame.twist.w, lever));
  const Vec3 w = rotate(to_frame, state.twist.w - frame.twist.w);
  if (call.request.get().frame().empty()) pose = state.pose;  // exact
  proto::Reply reply;
  reply.set_tick(call.run.tick());
  put(reply.mutable_pose(), pose);
  put(reply.mutable_twist()->mutable_v(), v);
  put(reply.mutable_twist()->mutable_w(), w);
  say_with_rule(call, slot, std::move(reply));
}

void set(const Call& call) {
  const proto::Set& set = call.request.set();
  const Slot slot = call.entity(set.name());
  if (slot == kNoSlot) return;
  State frame;
  if (!call.frame(set.frame(), frame)) return;
  if (!set.has_pose() && !set.has_twist()) return call.refuse(ErrorCode::kInvalid, "a pose or a twist is needed");
  SetState edit{call.world().entity(slot).number, {}, {}, !set.has_pose()};
  if (set.has_pose()) edit.pose = set.frame().empty() ? from(set.pose()) : frame.pose * from(set.pose());
  if (set.has_twist())
    edit.twist = Twist{rotate(frame.pose.q, from(set.twist().v())), rotate(frame.pose.q, from(set.twist().w()))};
  call.run.submit(edit, call.then_done());
}

void reset(const Call& call) {
  Reset edit;
  for (const std::string& name : call.request.reset().names()) {
    const Slot slot = call.entity(name);
    if (slot == kNoSlot) return;
    edit.entities.push_back(call.world().entity(slot).number);
  }
  if (const auto ok = may_reset(call.world(), edit.entities); !ok) return call.refuse(ok.error());
  call.run.submit(edit, call.then_done());
}

void list(const Call& call) {
  proto::Reply reply;
  reply.set_tick(call.run.tick());
  std::vector<WorldNumber> numbers;
  auto filter = EntityFilter::make(call.request.list());
  if (!filter) return call.refuse(filter.error());
  std::vector<Slot> slots;
  for (const Slot slot : SlotRange(call.world().entities().size()))
    if (filter->passes(call.run, slot)) slots.push_back(slot);
  if (call.request.list().details() && slots.size() > kMaxDetails)
    return call.refuse(ErrorCode::kUnavailable,
                       "details are told of 5000 entities at most; ask for less, as by a prefix");
  for (const Slot slot : slots) {
    const Entity& e = call.world().entity(slot);
    reply.add_names(e.name);
    numbers.push_back(e.owner == kNobody ? kNoEntity : e.number);
  }
  if (call.request.list().details()) reply.set_json(text_of(details_of(call.run, slots)));
  if (!call.request.list().rule()) return call.say(std::move(reply));
  find_rules("", call.run, call.now, [reply, numbers, answer = call.answer](const Rules& rules) mutable {
    for (WorldNumber number : numbers) {
      const auto rule = rules.find(number);
      const char ruler = rule == rules.end() ? kUnknownRuler : static_cast<char>(rule->second.ruler);
      reply.mutable_sources()->push_back(number == kNoEntity ? kNobodyRuns : ruler);
    }
    answer(std::move(reply));
  });
}

void status(const Call& call) {
  proto::Reply reply;
  reply.set_tick(call.run.tick());
  reply.set_json(status_json(call.run, call.membership));
  if (!call.request.status().rule()) return call.say(std::move(reply));
  find_rules("", call.run, call.now, [&run = call.run, reply, answer = call.answer](const Rules& rules) mutable {
    auto json = nlohmann::ordered_json::parse(reply.json());
    json["control"] = rules_json(rules, run);
    reply.set_json(json.dump());
    answer(std::move(reply));
  });
}

}  // namespace

namespace {

std::string name_of_agent(const World& world, WorldNumber number) {
  const Slot slot = world.slot_of(number);
  return slot == kNoSlot ? std::string() : world.entity(slot).name;
}

// Topics and services by domain and name, over all agents.
nlohmann::ordered_json topics_json(const std::vector<NodesAnswer>& answers, const World& world, bool services) {
  std::map<std::pair<std::uint32_t, std::string>, nlohmann::ordered_json> by_name;
  for (const NodesAnswer& answer : answers)
    for (const NodesAnswer::Topic& t : answer.topics) {
      if (t.service != services) continue;
      auto& line = by_name[{t.domain, t.name}];
      if (line.is_null())
        line = {{"name", t.name},
                {"domain", t.domain},
                {"type", t.type},
                {services ? "servers" : "publishers", 0},
                {services ? "clients" : "subscriptions", 0},
                {"count", 0},
                {"agents", nlohmann::ordered_json::array()}};
      auto& givers = line[services ? "servers" : "publishers"];
      auto& takers = line[services ? "clients" : "subscriptions"];
      givers = givers.get<std::uint64_t>() + t.publishers, takers = takers.get<std::uint64_t>() + t.subscriptions;
      line["count"] = line["count"].get<std::uint64_t>() + t.count;
      line["agents"].push_back(name_of_agent(world, t.agent));
    }
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (auto& [name, line] : by_name) lines.push_back(std::move(line));
  return lines;
}

nlohmann::ordered_json interfaces_json(const std::vector<NodesAnswer::Interface>& all) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [name, type] : all) list.push_back({{"name", name}, {"type", type}});
  return list;
}

// By domain and name, on whatever hosts they are.
nlohmann::ordered_json listed_nodes(const std::vector<NodesAnswer>& answers, const World& world) {
  std::vector<const NodesAnswer::Node*> all;
  for (const NodesAnswer& answer : answers)
    for (const NodesAnswer::Node& node : answer.nodes) all.push_back(&node);
  std::sort(all.begin(), all.end(), [](const auto* a, const auto* b) {
    return std::tie(a->domain, a->name, a->agent) < std::tie(b->domain, b->name, b->agent);
  });
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (const NodesAnswer::Node* node : all)
    lines.push_back({{"name", node->name},
                     {"agent", name_of_agent(world, node->agent)},
                     {"domain", node->domain},
                     {"publishes", interfaces_json(node->publishes)},
                     {"subscribes", interfaces_json(node->subscribes)},
                     {"serves", interfaces_json(node->serves)},
                     {"calls", interfaces_json(node->calls)}});
  return lines;
}

std::string nodes_json(const std::vector<NodesAnswer>& answers, const World& world, NodesQuestion::Kind kind) {
  nlohmann::ordered_json out;
  if (kind == NodesQuestion::Kind::kList) {
    out["topics"] = topics_json(answers, world, false);
    out["services"] = topics_json(answers, world, true);
  } else if (kind == NodesQuestion::Kind::kNodes) {
    out["nodes"] = listed_nodes(answers, world);
  } else if (kind == NodesQuestion::Kind::kParameters) {
    out["parameters"] = nlohmann::ordered_json::array();
    for (const NodesAnswer& answer : answers)
      for (const NodesAnswer::Parameter& p : answer.parameters)
        out["parameters"].push_back({{"agent", name_of_agent(world, p.agent)},
                                     {"node", p.node},
                                     {"name", p.name},
                                     {"type", p.type},
                                     {"value", p.value},
                                     {"settable", p.settable}});
  } else if (kind == NodesQuestion::Kind::kResponse) {
    out["responses"] = nlohmann::ordered_json::array();
    for (const NodesAnswer& answer : answers)
      for (const NodesAnswer::Response& r : answer.responses)
        out["responses"].push_back(
            {{"at_ns", nanos(r.at)}, {"agent", name_of_agent(world, r.agent)}, {"yaml", r.text}, {"error", r.why}});
  } else {
    std::vector<const NodesAnswer::Published*> received;
    std::uint64_t missed = 0;
    for (const NodesAnswer& answer : answers) {
      missed += answer.missed;
      for (const NodesAnswer::Published& h : answer.messages) received.push_back(&h);
    }
    std::stable_sort(received.begin(), received.end(),
                     [](auto* a, auto* b) { return std::pair(a->at, a->agent) < std::pair(b->at, b->agent); });
    out["messages"] = nlohmann::ordered_json::array();
    for (const auto* h : received)
      out["messages"].push_back(
          {{"at_ns", nanos(h->at)}, {"agent", name_of_agent(world, h->agent)}, {"bytes", h->bytes}, {"yaml", h->text}});
    out["missed"] = missed;
  }
  return text_of(out);
}

void inspect_nodes(const Call& call) {
  const proto::LookAtNodes& wanted = call.request.nodes();
  using Kind = NodesQuestion::Kind;
  constexpr Kind kKinds[] = {Kind::kList,       Kind::kWatch, Kind::kUnwatch,
                             Kind::kParameters, Kind::kNodes, Kind::kResponse};
  if (wanted.kind() >= std::size(kKinds))
    return call.refuse(ErrorCode::kUnsupported, "this server does not know that question about nodes");
  const Kind kind = kKinds[wanted.kind()];
  Run& run = call.run;
  run.ask(save(NodesQuestion{kind, wanted.watcher(), wanted.name()}), kNever,
          [&run, kind, answer = call.answer](const std::vector<Bytes>& all) {
            proto::Reply reply;
            reply.set_tick(run.tick());
            reply.set_json(nodes_json(read_answers(all), run.world(), kind));
            answer(std::move(reply));
          });
}

// An input of the tick that comes next, for the agent that has the node.
void set_parameter(const Call& call) {
  const proto::SetParameter& wanted = call.request.set_parameter();
  Run& run = call.run;
  run.ask(save(NodesQuestion{NodesQuestion::Kind::kParameters, 0, wanted.node()}), kNever,
          [&run, wanted, holder = call.request.holder(), answer = call.answer](const std::vector<Bytes>& all) {
            proto::Reply reply;
            const auto refuse = [&](ErrorCode code, const std::string& text) {
              reply.set_error(static_cast<std::uint32_t>(code)), reply.set_text(text), reply.set_tick(run.tick());
              answer(reply);
            };
            WorldNumber agent = kNoEntity;
            bool node = false, controller = false, settable = true;
            for (const NodesAnswer& one : read_answers(all))
              for (const NodesAnswer::Parameter& p : one.parameters) {
                node = true;
                if (p.name == wanted.name()) agent = p.agent, controller = p.controller, settable = p.settable;
              }
            if (!node) return refuse(ErrorCode::kNotFound, "no node '" + wanted.node() + "'");
            if (agent == kNoEntity)
              return refuse(ErrorCode::kNotFound, "'" + wanted.node() + "' has no parameter '" + wanted.name() + "'");
            if (!settable) return refuse(ErrorCode::kDenied, "'" + wanted.name() + "' is only shown");
            if (controller && wanted.name() == "source" && !control_source_of(wanted.value()))
              return refuse(ErrorCode::kInvalid, "unknown source '" + wanted.value() + "'");
            if (auto ok = may_command(run.world(), agent, holder); !ok)
              return refuse(ok.error().code, ok.error().message());
            const Tick tick = run.next_tick();
            const std::string to = controller ? kControllerNode : wanted.node();
            SetParameter input{agent, to, wanted.name(), wanted.value(), ControlSource::kAny, holder};
            if (auto ok = run.submit(std::move(input)); !ok) return refuse(ok.error().code, ok.error().message());
            reply.set_tick(tick);
            answer(std::move(reply));
          });
}

}  // namespace

std::vector<NodesAnswer> read_answers(const std::vector<Bytes>& all) {
  std::vector<NodesAnswer> answers;
  for (const Bytes& bytes : all)
    if (NodesAnswer one; load(bytes, one)) answers.push_back(std::move(one));
  return answers;
}

Access needed(const proto::Request& request) {
  using M = proto::Request;
  switch (request.method_case()) {
    case M::METHOD_NOT_SET:
    case M::kGet:
    case M::kList:
    case M::kContacts:
    case M::kSensor:
    case M::kSpawnables:
    case M::kStatus:
    case M::kPlacement:
    case M::kWorld:
    case M::kElements:
    case M::kActuators:
    case M::kDrawings:
    case M::kHosts:
    case M::kNodes: return Access::kView;
    case M::kDrive:
    case M::kDraw:
    case M::kSetActions:
    case M::kSetGains:
    case M::kSetControls: return Access::kDrive;
    case M::kLease:
      return request.lease().kind() == static_cast<std::uint32_t>(Lease::Kind::kBreak) ? Access::kAdmin
                                                                                       : Access::kDrive;
    case M::kControlSource:  // without a source it asks
      return request.control_source().source().empty() ? Access::kView : Access::kDrive;
    case M::kSpawn:
    case M::kDelete:
    case M::kSet:
    case M::kSetPart:
    case M::kAttach:
    case M::kDetach:
    case M::kSetTags:
    case M::kReset:
    case M::kEnvironment:
    case M::kAddModel:
    case M::kAddFile:
    case M::kSetParameter:
    case M::kPublish:
    case M::kCallService:
    case M::kChangeSensor:
    case M::kPause:
    case M::kResume:
    case M::kStep:
    case M::kSpeed:
    case M::kLook:
    case M::kOwnEdit: return Access::kEdit;
    case M::kKick:
    case M::kStop: return Access::kAdmin;
  }
  return Access::kAdmin;
}

namespace {

// What this kind of peer is for, whatever its secret lets it do.
Access most(PeerRole role) {
  switch (role) {
    case PeerRole::kControl:
    case PeerRole::kViewer:
      return Access::kAdmin;  // its pages are people's, and it asks no more of each than its link gives
    case PeerRole::kRobotClient:
    case PeerRole::kForeign: return Access::kEdit;
    case PeerRole::kNobody:
    case PeerRole::kSensorHost: break;
  }
  return Access::kView;
}

}  // namespace

bool allowed(const Member& member, const proto::Request& request) {
  const auto method = request.method_case();
  const bool of_hosts = method == proto::Request::kLook || method == proto::Request::kOwnEdit;
  if (of_hosts && !runs_robots(member)) return false;
  // By a robot client's doors a program ends the run: its credentials alone count.
  if (method == proto::Request::kStop && member.role == PeerRole::kRobotClient)
    return needed(request) <= member.grant.access;
  return needed(request) <= std::min(most(member.role), member.grant.access);
}

bool allowed(const Member& member, FrameType type) {
  // What else changes a run comes from hosts, and the run knows them.
  const bool edits = type == FrameType::kElements || type == FrameType::kPush || type == FrameType::kTickDone;
  return !edits || member.grant.access >= Access::kEdit;
}

void carry_out(const proto::Request& request, Run& run, const Membership& membership, Moment now,
               const Answer& answer) {
  const Call call{request, run, membership, now, answer};
  if (run.over()) return call.refuse(ErrorCode::kState, "the run is over");
  if (auto ok = leases_allow(call); !ok) return call.refuse(ok.error());
  using M = proto::Request;
  switch (request.method_case()) {
    case M::kSpawn: return spawn(call);
    case M::kDelete: return remove(call);
    case M::kGet: return get(call);
    case M::kSet: return set(call);
    case M::kDrive: return drive(call);
    case M::kAttach: {
      const Slot parent = call.entity(request.attach().parent());
      if (parent == kNoSlot) return;
      const Slot child = call.entity(request.attach().child());
      if (child == kNoSlot) return;
      return run.submit(Attach{call.world().entity(parent).number, call.world().entity(child).number},
                        call.then_done());
    }
    case M::kDetach: {
      const Slot child = call.entity(request.detach().child());
      if (child == kNoSlot) return;
      return run.submit(Detach{call.world().entity(child).number}, call.then_done());
    }
    case M::kSetTags: {
      const Slot slot = call.entity(request.set_tags().name());
      if (slot == kNoSlot) return;
      const auto& tags = request.set_tags().tags();
      return run.submit(SetTags{call.world().entity(slot).number, {tags.begin(), tags.end()}}, call.then_done());
    }
    case M::kList: return list(call);
    case M::kSpawnables: {
      proto::Reply reply;
      for (const auto& model : call.world().models()) reply.add_names(model->name);
      return call.say(std::move(reply));
    }
    case M::kPause: {
      proto::Reply reply;
      reply.set_tick(run.time().pause());
      return call.say(std::move(reply));
    }
    case M::kResume:
      if (!run.time().paused()) return call.refuse(ErrorCode::kState, "not paused");
      run.time().resume(now);
      return call.done();
    case M::kStep: {
      const Answer copy = answer;
      const auto ok = run.time().step(request.step().ticks(), [copy](Tick tick) {
        proto::Reply reply;
        reply.set_tick(tick);
        copy(std::move(reply));
      });
      if (!ok) call.refuse(ok.error());
      return;
    }
    case M::kReset: return reset(call);
    case M::kSpeed:
      if (auto ok = run.time().set_speed(request.speed().factor(), now); !ok) return call.refuse(ok.error());
      return call.done();
    case M::kStatus: return status(call);
    case M::kSetPart: return set_part(call);
    case M::kContacts: return contacts(call);
    case M::kSensor: return sensor(call);
    case M::kChangeSensor: return change_sensor(call);
    case M::kSetControls: return set_controls(call);
    case M::kControlSource: return set_source(call);
    case M::kSetActions: return set_actions(call);
    case M::kSetGains: return set_gains(call);
    case M::kActuators: return actuators(call);
    case M::kDraw: return draw(call);
    case M::kDrawings: return drawings(call);
    case M::kHosts: return hosts(call);
    case M::kLease: return lease(call);
    case M::kEnvironment: {
      const proto::SetEnvironment& e = request.environment();
      Environment wanted{e.fog(), e.rain(), e.wetness(), e.cloudiness(), e.road_damage(), e.time_of_day()};
      if (e.has_gravity()) wanted.gravity = from(e.gravity());
      if (e.has_wind()) wanted.wind = from(e.wind());
      return run.submit(SetEnvironment{wanted}, call.then_done());
    }
    case M::kWorld:
    case M::kElements: {
      proto::Reply reply;
      reply.set_json(text_of(request.has_world() ? world_facts(run) : element_facts(run)));
      return call.say(std::move(reply));
    }
    case M::kPlacement: {
      proto::Reply reply;
      reply.set_json((request.placement().sensors() ? placement_facts(run) : robots_by_host(run)).dump());
      return call.say(std::move(reply));
    }
    case M::kStop: run.finish(); return call.done();
    case M::kNodes: return inspect_nodes(call);
    case M::kSetParameter: return set_parameter(call);
    case M::kPublish: return publish(call);
    case M::kCallService: return call_service(call);
    case M::kOwnEdit:
    case M::kLook:      // of hosts alone: the role answers them
    case M::kKick:      // so it does this
    case M::kAddFile:   // and this
    case M::kAddModel:  // and this
    case M::METHOD_NOT_SET: break;
  }
  call.refuse(ErrorCode::kUnsupported, "this server does not know that call");
}

std::string text_of(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string status_json(const Run& run, const Membership& membership) {
  nlohmann::ordered_json out;
  out["phase"] = std::string(run.time().paused() ? "paused" : run.position().phase);
  out["run"] = run.run();
  out["tick"] = run.tick();
  out["sim_s"] = seconds(run.now());
  out["speed"] = run.time().speed();
  out["entities"] = run.world().entities().size();
  out["digest"] = run.digest_text();
  for (const auto& [owner, host] : run.hosts())
    out["hosts"].push_back({{"name", host.name}, {"present", host.present}, {"done", host.done}});
  std::vector<std::string> slow = run.awaited();
  for (const auto& [owner, host] : run.hosts())
    if (host.present && !host.done && host.lagging_since != kNever) slow.push_back(host.name);
  out["waits_for"] = slow;
  for (const auto& [number, member] : membership.members())
    out["connections"].push_back({{"number", number.value()},
                                  {"name", member->name},
                                  {"role", name_of(member->role)},
                                  {"state", name_of(member->state)},
                                  {"linked", member->channel.attached()}});
  out["drops"] = membership.drops().named();
  const SensorPlaces& places = run.places();
  if (!places.names().empty() || places.lost() > 0)
    out["sensor_hosts"] = {{"names", places.names()},
                           {"lost", places.lost()},
                           {"remote_samples", places.counts().samples},
                           {"late_samples", places.counts().late},
                           {"skipped_samples", places.counts().skipped}};
  for (const auto& [number, holder] : run.world().holders())
    out["leases"].push_back({{"robot", run.world().entity(run.world().slot_of(number)).name}, {"holder", holder}});
  out["environment"] = environment_facts(run.world().environment());
  return out.dump();
}

}  // namespace convoy
