// Calls about the inside of one robot: parts that are set from outside, and what it touches.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/nearest.h"
#include "roles/call.h"
#include "run/sensor_places.h"
#include "scenario/sensor_text.h"
#include "sensing/sensor_facts.h"

namespace convoy {

namespace {

using Json = nlohmann::ordered_json;

// With its mount: the link of the robot's model (null: the robot's own frame) and its place in that, m.
Json description_of(const SensorSpec& spec) {
  Json out = Json::parse(to_json(facts_of(spec)));
  const auto& [p, q] = spec.X_LS;
  out["link"] = spec.link.empty() ? Json() : Json(spec.link);
  out["position"] = {p.x, p.y, p.z}, out["orientation"] = {q.w, q.x, q.y, q.z};
  return out;
}

// Null after having refused.
const SensorSpec* sensor_of(const Call& call, const Entity& robot, const std::string& name) {
  const auto spec = sensor_named(robot.kind->sensors, name, "'" + robot.name + "'");
  if (spec) return *spec;
  call.refuse(spec.error());
  return nullptr;
}

}  // namespace

// Checked at once, so that what is misspelt is refused before a run that waits has come to the next boundary.
void set_part(const Call& call) {
  const proto::SetPart& wanted = call.request.set_part();
  const Slot slot = call.entity(wanted.name());
  if (slot == kNoSlot) return;
  const Entity& robot = call.world().entity(slot);
  if (wanted.kind() > static_cast<std::uint32_t>(SetPart::Kind::kOption))
    return call.refuse(ErrorCode::kUnsupported, "this server does not know that kind of part");
  SetPart edit{.entity = robot.number,
               .kind = static_cast<SetPart::Kind>(wanted.kind()),
               .name = wanted.part(),
               .values = {wanted.values().begin(), wanted.values().end()},
               .lasts = Duration(wanted.lasts_ns())};
  if (auto ok = call.world().check(edit); !ok) return call.refuse(ok.error());
  if (robot.owner == kNobody && edit.kind != SetPart::Kind::kJoint)
    return call.refuse(ErrorCode::kUnavailable, "nobody runs '" + robot.name + "'");
  call.run.submit(std::move(edit), call.then_done());
}

void contacts(const Call& call) {
  const Slot slot = call.entity(call.request.contacts().name());
  if (slot == kNoSlot) return;
  ask_host(call, call.world().entity(slot), NodesQuestion::Kind::kContacts, &NodesAnswer::touching,
           [&run = call.run](const NodesAnswer::Touching& touching, proto::Reply& reply) {
             const World& world = run.world();
             reply.set_contacts_named_only(!touching.whole), reply.set_contacts_cut(touching.cut);
             for (const ContactReading& one : touching.contacts) {
               proto::Contact& out = *reply.add_contacts();
               out.set_body(one.body), out.set_other_body(one.other_body), out.set_depth(one.depth);
               if (const Slot other = world.slot_of(one.other); one.other != kNoEntity && other != kNoSlot)
                 out.set_other(world.entity(other).name);
               put(out.mutable_position(), one.position), put(out.mutable_normal(), one.normal);
               put(out.mutable_force(), one.force);
             }
           });
}

// What a robot carries is in the world; what a sensor shows its host knows.
void sensor(const Call& call) {
  const Slot slot = call.entity(call.request.sensor().name());
  if (slot == kNoSlot) return;
  const Entity& robot = call.world().entity(slot);
  const std::vector<SensorSpec>& all = robot.kind->sensors;
  Json told{{"robot", robot.name}};
  if (call.request.sensor().sensor().empty()) {
    told["sensors"] = Json::array();
    for (const SensorSpec& spec : all) told["sensors"].push_back(description_of(spec));
    proto::Reply reply;
    reply.set_tick(call.run.tick()), reply.set_json(told.dump());
    return call.answer(std::move(reply));
  }
  const SensorSpec* spec = sensor_of(call, robot, call.request.sensor().sensor());
  if (!spec) return;
  told.update(description_of(*spec));
  if (robot.owner == kNobody) return call.refuse(ErrorCode::kUnavailable, "nobody runs '" + robot.name + "'");
  Run& run = call.run;
  NodesQuestion question{.kind = NodesQuestion::Kind::kSensor, .name = robot.name};
  question.sensor = call.request.sensor().sensor();
  run.ask(
      save(question), kNever,
      [&run, told = std::move(told), answer = call.answer](const std::vector<Bytes>& bytes) mutable {
        proto::Reply reply;
        reply.set_tick(run.tick());
        const std::string name = told["robot"];
        const auto refuse = [&](ErrorCode code, const std::string& why) {
          reply.set_error(static_cast<std::uint32_t>(code)), reply.set_text("'" + name + "': " + why);
          answer(std::move(reply));
        };
        const std::vector<NodesAnswer> answers = read_answers(bytes);
        const auto found = std::find_if(answers.begin(), answers.end(), [](const auto& a) { return !a.seen.empty(); });
        if (found == answers.end()) return refuse(ErrorCode::kUnavailable, "its host does not answer");
        const NodesAnswer::Seen& seen = found->seen.front();
        if (seen.error) return refuse(*seen.error, seen.why);
        const Json sample = Json::parse(seen.json, nullptr, false);
        if (!sample.is_object()) return refuse(ErrorCode::kInternal, "its host's answer is malformed");
        told["index"] = sample.value("index", 0), told["stamp_ns"] = sample.value("at", std::int64_t{0});
        told["data"] = sample.contains("data") ? sample["data"] : Json::object();
        reply.set_json(told.dump());
        answer(std::move(reply));
      },
      robot.owner);
}

namespace {

// Robots and leases may have changed since the call came.
void give(Run& run, SetSensor change, const std::string& machine, const Answer& answer) {
  if (run.world().slot_of(change.entity) == kNoSlot)
    return refuse(run, {ErrorCode::kNotFound, "its robot is gone", {}}, answer);
  if (auto ok = may_command(run.world(), change.entity, change.holder); !ok) return refuse(run, ok.error(), answer);
  if (auto ok = run.submit(std::move(change)); !ok) return refuse(run, ok.error(), answer);
  proto::Reply reply;
  reply.set_tick(run.next_tick());
  if (!machine.empty()) reply.set_json(text_of({{"runs_on", machine}}));
  answer(std::move(reply));
}

}  // namespace

// It is carried out on the machine where the sensor samples, and so that one says whether it can be.
void change_sensor(const Call& call) {
  const proto::ChangeSensor& wanted = call.request.change_sensor();
  const Slot slot = call.entity(wanted.name());
  if (slot == kNoSlot) return;
  const Entity& robot = call.world().entity(slot);
  const SensorSpec* spec = sensor_of(call, robot, wanted.sensor());
  if (!spec) return;
  auto change = scenario::read_sensor_change(wanted.fields(), *spec, call.run.setup().tick);
  if (!change) return call.refuse(change.error());
  change->entity = robot.number, change->holder = call.request.holder();
  Run& run = call.run;
  if (robot.owner == kNobody) return give(run, std::move(*change), "", call.answer);
  const auto place = static_cast<std::uint32_t>(spec - robot.kind->sensors.data());
  const Owner elsewhere = run.places().host_of(robot.number, place);
  const Owner there = elsewhere == kNobody ? robot.owner : elsewhere;
  const std::string machine = elsewhere == kNobody ? run.hosts().at(robot.owner).name : run.places().name_of(elsewhere);
  NodesQuestion question{.kind = NodesQuestion::Kind::kFits, .name = robot.name};
  question.sensor = spec->name, question.parameters = change->parameters;
  run.ask(
      save(question), kNever,
      [&run, change = std::move(*change), machine, answer = call.answer](const std::vector<Bytes>& all) {
        for (const NodesAnswer& one : read_answers(all))
          for (const NodesAnswer::Fit& fit : one.fits)
            if (!fit.wrong.empty())
              return refuse(run, {ErrorCode::kInvalid, machine + ": '" + change.sensor + "': " + fit.wrong, {}},
                            answer);
        give(run, change, machine, answer);
      },
      there);
}

}  // namespace convoy
