// Calls for who looks at a run: drawings, robots' actuators, and how hosts fare.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "roles/call.h"
#include "run/drawings.h"
#include "run/drawn_kinds.h"

namespace convoy {

namespace {

using Json = nlohmann::ordered_json;

// To a tenth of a millimetre, so that all that may be drawn is one answer (kMaxDrawnBytes).
Json row_of(const Vec3& v) {
  const auto rounded = [](double x) { return std::round(1e4 * x) / 1e4; };
  return {rounded(v.x), rounded(v.y), rounded(v.z)};
}

Json told(const Drawn& one, const World& world) {
  Json out{{"name", one.name}, {"frame", nullptr}, {"kind", kDrawnKinds[static_cast<std::size_t>(one.kind)]}};
  if (one.frame != kNoEntity) out["frame"] = world.entity(world.slot_of(one.frame)).name;
  out["points"] = Json::array();
  for (const Vec3& p : one.points) out["points"].push_back(row_of(p));
  out["text"] = one.text, out["color"] = one.color, out["size"] = one.size;
  out["until"] = one.until ? Json(seconds(*one.until - Instant{})) : Json();
  return out;
}

// Nothing after having refused.
std::optional<Drawn> drawing_of(const Call& call, const proto::Drawing& wanted) {
  Drawn out{.name = wanted.name(), .text = wanted.text(), .size = wanted.size()};
  if (wanted.kind() >= std::size(kDrawnKinds))
    return call.refuse(ErrorCode::kUnsupported, "this server does not know that kind of drawing"), std::nullopt;
  out.kind = static_cast<Drawn::Kind>(wanted.kind());
  if (wanted.points_size() % 3 != 0)
    return call.refuse(ErrorCode::kInvalid, "the points of a drawing are x, y and z of each"), std::nullopt;
  for (int i = 0; i < wanted.points_size(); i += 3)
    out.points.push_back({wanted.points(i), wanted.points(i + 1), wanted.points(i + 2)});
  if (!wanted.color().empty()) out.color = wanted.color();
  if (!wanted.frame().empty()) {
    const Slot slot = call.entity(wanted.frame(), "frame");
    if (slot == kNoSlot) return std::nullopt;
    out.frame = call.world().entity(slot).number;
  }
  if (!(wanted.lasts() >= 0 && wanted.lasts() <= 1e9))
    return call.refuse(ErrorCode::kInvalid, "a drawing lasts from 0 to 1e9 s"), std::nullopt;
  if (wanted.lasts() > 0) out.until = call.run.now() + Duration(static_cast<std::int64_t>(wanted.lasts() * 1e9));
  return out;
}

}  // namespace

void draw(const Call& call) {
  const proto::Draw& wanted = call.request.draw();
  std::vector<Drawn> drawings;
  for (const proto::Drawing& one : wanted.drawings()) {
    auto drawing = drawing_of(call, one);
    if (!drawing) return;
    drawings.push_back(std::move(*drawing));
  }
  const std::vector<std::string> erase(wanted.erase().begin(), wanted.erase().end());
  Drawings& all = call.run.books().drawings;
  all.follow(call.world(), call.run.run(), call.run.now());
  if (auto ok = all.change(erase, wanted.erase_all(), std::move(drawings)); !ok) return call.refuse(ok.error());
  call.done();
}

void drawings(const Call& call) {
  Drawings& all = call.run.books().drawings;
  all.follow(call.world(), call.run.run(), call.run.now());
  Json json{{"revision", all.revision()}};
  if (call.request.drawings().known() != all.revision()) {
    json["drawings"] = Json::array();
    for (const auto& [name, one] : all.all()) json["drawings"].push_back(told(one, call.world()));
  }
  proto::Reply reply;
  reply.set_tick(call.run.tick()), reply.set_json(text_of(json));
  call.say(std::move(reply));
}

// What a model's file names is in the world; ranges, values and gains its host knows.
void actuators(const Call& call) {
  const Slot slot = call.entity(call.request.actuators().name());
  if (slot == kNoSlot) return;
  const Entity& robot = call.world().entity(slot);
  ask_host(call, robot, NodesQuestion::Kind::kActuators, &NodesAnswer::equipped,
           [name = robot.name](const NodesAnswer::Equipped& equipped, proto::Reply& reply) {
             Json json{{"robot", name}, {"pd", equipped.pd}, {"actuators", Json::array()}};
             for (const NodesAnswer::Actuator& one : equipped.actuators) {
               Json& line = json["actuators"].emplace_back(Json{{"name", one.name}});
               line["joint"] = one.joint.empty() ? Json() : Json(one.joint);
               line["low"] = one.low ? Json(*one.low) : Json(), line["high"] = one.high ? Json(*one.high) : Json();
               line["control"] = one.control;
               if (!one.gains) continue;
               line["kp"] = one.gains->kp, line["kv"] = one.gains->kv, line["torque_limit"] = one.gains->torque_limit;
             }
             reply.set_json(text_of(json));
           });
}

// Hosts that are silent are told of with what the server knows of them.
void hosts(const Call& call) {
  Run& run = call.run;
  run.ask(save(NodesQuestion{.kind = NodesQuestion::Kind::kLoad}), call.now + std::chrono::seconds(1),
          [&run, answer = call.answer](const std::vector<Bytes>& all) {
            std::map<Owner, NodesAnswer::Load> loads;
            for (const NodesAnswer& one : read_answers(all))
              for (const NodesAnswer::Load& load : one.loads) loads[load.host] = load;
            std::map<Owner, std::size_t> entities;
            for (const Entity& e : run.world().entities()) ++entities[e.owner];
            Json json = Json::array();
            for (const auto& [owner, host] : run.hosts()) {
              Json& line = json.emplace_back(Json{{"name", host.name}, {"present", host.present}});
              line["entities"] = entities[owner];
              line["waited_for"] = host.present && !host.done && host.lagging_since != kNever;
              if (host.states_bytes > 0) line["states_bytes"] = host.states_bytes;
              if (!run.position().digest) line["divergence"] = host.divergence;
              const auto load = loads.find(owner);
              line["answers"] = load != loads.end();
              if (load == loads.end()) continue;
              line["agents"] = load->second.agents, line["sensors"] = load->second.sensors;
              line["ticks"] = load->second.ticks, line["busy_s"] = 1e-9 * static_cast<double>(load->second.busy_ns);
            }
            proto::Reply reply;
            reply.set_tick(run.tick()), reply.set_json(text_of(json));
            answer(std::move(reply));
          });
}

}  // namespace convoy
