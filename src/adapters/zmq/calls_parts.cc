// Calls about one part of a robot's physics, and what it touches.
#include <algorithm>
#include <cmath>

#include "adapters/zmq/articulation.h"
#include "adapters/zmq/operations.h"
#include "agent/fleet_looks.h"
#include "scenario/sensor_text.h"
#include "sensing/sensor_facts.h"

namespace convoy::zmq {

using control::RobotEntry;

namespace {

// The robot that a request names; nothing after having refused.
const RobotEntry* robot_of(Call& call, For what) {
  const Json* name = field_of(call.request, "articulation");
  if (!name || !name->is_string()) {
    call.reply.refuse({"missing_field", "an articulation is needed"});
    return nullptr;
  }
  const auto robot = find(call, name->get<std::string>(), what);
  if (robot) return *robot;
  call.reply.refuse(robot.error());
  return nullptr;
}

// As an edit at the boundary where the world stands, if the world lets it pass.
void ask_for(Call& call, SetPart edit) {
  if (const auto ok = call.fleet.world().check(edit); !ok)
    return call.reply.refuse({"bad_value", ok.error().message()});
  GatewayWish wish;
  wish.kind = GatewayWish::Kind::kEdit, wish.edit = std::move(edit);
  call.control.ask(call.fleet, call.caller, std::move(wish),
                   call.reply.once_reached([](const Reply& reply, const control::Reached& reached) {
                     reply.ok({{"tick", reached.tick}});
                   }));
}

Json row_of(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }

}  // namespace

void apply_force(Call& call) {
  const RobotEntry* robot = robot_of(call, For::kCommanding);
  if (!robot) return;
  const Json *force = field_of(call.request, "force"), *torque = field_of(call.request, "torque"),
             *lasts = field_of(call.request, "duration"), *body = field_of(call.request, "body");
  if ((!force && !torque) || !lasts)
    return call.reply.refuse({"missing_field", "apply_force has a force or a torque, and a duration"});
  if (!lasts->is_number() || !(lasts->get<double>() >= 0 && lasts->get<double>() <= seconds(kLongestTold)))
    return call.reply.refuse({"bad_value", "duration is between 0 and 86400 s"});
  if (body && !body->is_string()) return call.reply.refuse({"bad_value", "body is the name of one"});
  SetPart edit{.entity = robot->number,
               .kind = SetPart::Kind::kForce,
               .name = body ? body->get<std::string>() : "",
               .values = {},
               .lasts = Duration(std::llround(lasts->get<double>() * 1e9))};
  for (const auto& [name, value] : {std::pair{"force", force}, std::pair{"torque", torque}}) {
    const auto row = value ? read_row(*value, name, {3}) : Checked<std::vector<double>>(std::vector<double>(3, 0.0));
    if (!row) return call.reply.refuse(row.error());
    edit.values.insert(edit.values.end(), row->begin(), row->end());
  }
  ask_for(call, std::move(edit));
}

void set_option(Call& call) {
  const RobotEntry* robot = robot_of(call, For::kCommanding);
  if (!robot) return;
  const Json *option = field_of(call.request, "option"), *value = field_of(call.request, "value");
  if (!option || !value || !option->is_string())
    return call.reply.refuse({"missing_field", "set_option has an option and its value"});
  if (!value->is_number()) return call.reply.refuse({"bad_value", "value is a number"});
  ask_for(call, {robot->number, SetPart::Kind::kOption, option->get<std::string>(), {value->get<double>()}, {}});
}

void get_contacts(Call& call) {
  const RobotEntry* robot = robot_of(call, For::kReading);
  if (!robot) return;
  const auto touching = contacts_of(call.fleet, robot->number);
  if (!touching) return call.reply.refuse(gone());
  const World& world = call.fleet.world();
  Json all = Json::array();
  for (const ContactReading& one : touching->contacts) {
    const Slot other = one.other == kNoEntity ? kNoSlot : world.slot_of(one.other);
    Json out{{"body", one.body}, {"other", other == kNoSlot ? "" : world.entity(other).name}};
    if (touching->whole)
      out.update({{"other_body", one.other_body},
                  {"position", row_of(one.position)},
                  {"normal", row_of(one.normal)},
                  {"force", row_of(one.force)},
                  {"depth", one.depth}});
    all.push_back(std::move(out));
  }
  const HostPosition& position = call.control.position();
  call.reply.ok({{"contacts", std::move(all)},
                 {"named_only", !touching->whole},
                 {"cut", touching->cut},
                 {"time", time_of(call.control, call.fleet)},
                 {"tick", position.tick},
                 {"run", position.run}});
}

void get_sensor(Call& call) {
  const RobotEntry* robot = robot_of(call, For::kReading);
  if (!robot) return;
  const World& world = call.fleet.world();
  const Slot slot = world.slot_of(robot->number);
  if (slot == kNoSlot) return call.reply.refuse(gone());
  const auto describe = [](const SensorSpec& spec) { return Json::parse(to_json(facts_of(spec))); };
  const std::vector<SensorSpec>& all = world.entity(slot).kind->sensors;
  const Json* name = field_of(call.request, "sensor");
  if (!name) {
    Json list = Json::array();
    for (const SensorSpec& spec : all) list.push_back(describe(spec));
    return call.reply.ok({{"sensors", std::move(list)}});
  }
  if (!name->is_string()) return call.reply.refuse({"bad_value", "sensor is a name"});
  const auto sample = look(call.fleet, robot->number, name->get<std::string>());
  if (!sample) return call.reply.refuse({"bad_value", sample.error().message()});
  Json out = describe(all[sample->sensor]);
  const auto* picture = std::get_if<CameraReading>(&sample->data);
  const Json told = picture ? Json{{"data", show(*picture)}} : Json::parse(to_json(*sample), nullptr, false);
  out.update({{"index", sample->index},
              {"stamp_ns", nanos(sample->at)},
              {"data", told.is_object() && told.contains("data") ? told["data"] : Json::object()},
              {"time", time_of(call.control, call.fleet)},
              {"tick", call.control.position().tick},
              {"run", call.control.position().run}});
  call.reply.ok(std::move(out));
}

void set_sensor(Call& call) {
  const RobotEntry* robot = robot_of(call, For::kCommanding);
  if (!robot) return;
  const Json *name = field_of(call.request, "sensor"), *fields = field_of(call.request, "fields");
  if (!name || !name->is_string() || !fields || !fields->is_object())
    return call.reply.refuse({"missing_field", "set_sensor has a sensor and a map of fields"});
  const World& world = call.fleet.world();
  const Slot slot = world.slot_of(robot->number);
  if (slot == kNoSlot) return call.reply.refuse(gone());
  const auto spec = sensor_named(world.entity(slot).kind->sensors, name->get<std::string>(), "'" + robot->name + "'");
  if (!spec) return call.reply.refuse({"bad_value", spec.error().message()});
  auto change = scenario::read_sensor_change(fields->dump(), **spec, call.fleet.tick());
  if (!change) return call.reply.refuse({"bad_value", change.error().message()});
  change->entity = robot->number;
  call.control.commands().change_sensor(robot->number, std::move(*change));
  call.reply.ok(Json::object());
}

}  // namespace convoy::zmq
