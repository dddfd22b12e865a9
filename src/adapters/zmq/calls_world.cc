// Calls about entities of the whole run, which the server answers: this client asks on behalf of its caller.
#include "adapters/zmq/articulation.h"
#include "adapters/zmq/operations.h"
#include "convoy/geometry.h"
#include "run/drawn_kinds.h"

namespace convoy::zmq {

namespace {

constexpr std::size_t kMaxEntities = 10'000;  // in one call

const char* code_of(std::uint32_t error) {
  switch (static_cast<ErrorCode>(error)) {
    case ErrorCode::kNotFound: return "unknown_entity";
    case ErrorCode::kExists: return "exists";
    case ErrorCode::kDenied: return "denied";
    case ErrorCode::kState:
    case ErrorCode::kUnavailable: return "not_ready";
    case ErrorCode::kUnsupported: return "unsupported";
    case ErrorCode::kLeased: return "leased";
    default: return "bad_value";
  }
}

// Fields of the protocol have the server's names; 64-bit numbers are text there.
std::int64_t tick_of(const Json& reply) { return std::strtoll(reply["tick"].get<std::string>().c_str(), nullptr, 10); }
Json row_of(const Json& vector) { return Json::array({vector["x"], vector["y"], vector["z"]}); }
Json vector_of(const std::vector<double>& row) {
  return {{"x", row[0]}, {"y", row[1]}, {"z", row.size() > 2 ? row[2] : 0.0}};
}

// Asks the server, and answers by `write(reply, answer)` unless all of it was refused.
template <class Write>
void ask(Call& call, const char* method, Json fields, const Write& write) {
  GatewayWish wish;
  wish.kind = GatewayWish::Kind::kCall;
  wish.text = Json{{method, std::move(fields)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  call.control.ask(
      call.fleet, call.caller, std::move(wish),
      call.reply.once_reached([write, &control = call.control](const Reply& reply, const control::Reached& reached) {
        const Json answer = Json::parse(reached.text, nullptr, false);
        if (!answer.is_object()) return reply.refuse({"not_ready", "the server's answer is no answer"});
        const auto error = answer["error"].get<std::uint32_t>();
        if (error != 0 && answer["outcomes"].empty())
          return reply.refuse({code_of(error), answer["text"].get<std::string>()});
        write(reply, answer, control);
      }));
}

void ask_for_tick(Call& call, const char* method, Json fields) {
  ask(call, method, std::move(fields), [](const Reply& reply, const Json& answer, const control::ControlCore&) {
    reply.ok({{"tick", tick_of(answer)}});
  });
}

// Copies a field that is there into `out`, under the name that the server has for it. Kinds of JSON are checked here, so
// that a refusal names the caller's field; what the values may be the server knows.
std::optional<Refusal> take(const Json& from, const char* name, const char* as, Json::value_t kind, Json& out) {
  const Json* field = field_of(from, name);
  if (!field) return std::nullopt;
  const bool fits = field->type() == kind || (kind == Json::value_t::number_unsigned && field->is_number_unsigned()) ||
                    (kind == Json::value_t::number_float && field->is_number());
  if (!fits) return Refusal{"bad_value", std::string(name) + " is of another kind"};
  if (kind == Json::value_t::array)
    for (const Json& one : *field)
      if (!one.is_string()) return Refusal{"bad_value", std::string(name) + " is a list of texts"};
  out[as] = *field;
  return std::nullopt;
}

struct Field {
  const char *name, *as;
  Json::value_t kind;
};
std::optional<Refusal> take(const Json& from, std::initializer_list<Field> fields, Json& out) {
  for (const Field& one : fields)
    if (auto refusal = take(from, one.name, one.as, one.kind, out)) return refusal;
  return std::nullopt;
}

// position [2 or 3], and yaw (rad) or orientation [w, x, y, z]; nothing: there is no position.
Checked<std::optional<Json>> pose_of(const Json& from) {
  const Json *position = field_of(from, "position"), *yaw = field_of(from, "yaw"),
             *orientation = field_of(from, "orientation");
  if (!position) {
    if (yaw || orientation) return refuse("missing_field", "an orientation stands beside a position");
    return std::nullopt;
  }
  if (yaw && orientation) return refuse("bad_value", "yaw or orientation, not both");
  const auto p = read_row(*position, "position", {2, 3});
  if (!p) return tl::unexpected(p.error());
  Quat q;
  if (yaw) {
    if (!yaw->is_number()) return refuse("bad_value", "yaw is a number (rad)");
    q = from_yaw(yaw->get<double>());
  } else if (orientation) {
    const auto row = read_row(*orientation, "orientation", {4});
    if (!row) return tl::unexpected(row.error());
    q = {(*row)[0], (*row)[1], (*row)[2], (*row)[3]};
  }
  return Json{{"p", vector_of(*p)}, {"q", {{"w", q.w}, {"x", q.x}, {"y", q.y}, {"z", q.z}}}};
}

Checked<Json> one_to_spawn(const Json& wanted) {
  using T = Json::value_t;
  if (!wanted.is_object()) return refuse("bad_value", "entities is a list of maps");
  if (!field_of(wanted, "name") || !field_of(wanted, "model"))
    return refuse("missing_field", "an entity has a name and a model");
  Json out;
  if (auto bad = take(wanted,
                      {{"name", "name", T::string},
                       {"model", "model", T::string},
                       {"frame", "frame_of_pose", T::string},
                       {"namespace", "ns", T::string},
                       {"base_frame", "frame", T::string},
                       {"tags", "tags", T::array},
                       {"host", "host", T::string},
                       {"keyframe", "keyframe", T::string},
                       {"domain", "domain", T::number_unsigned},
                       {"control_source", "control_source", T::string},
                       {"sensors", "sensors", T::string}},
                      out))
    return tl::unexpected(*bad);
  auto pose = pose_of(wanted);
  if (!pose) return tl::unexpected(pose.error());
  if (*pose) out["pose"] = **pose;
  return out;
}

// What the caller is told of each: its number, or why it is not there. A robot that this client runs is described as by
// hello, so that the caller can command it.
Json spawned(const std::vector<std::string>& names, const Json& outcomes, const control::ControlCore& control) {
  Json out = Json::array();
  for (std::size_t i = 0; i < names.size() && i < outcomes.size(); ++i) {
    const Json& outcome = outcomes[i];
    Json one{{"name", names[i]}};
    const std::string text = outcome["text"].get<std::string>();
    if (const auto error = outcome["error"].get<std::uint32_t>(); error != 0) {
      one.update({{"code", code_of(error)}, {"message", text}});
    } else {
      one["number"] = outcome["number"];
      if (!text.empty()) one["doubt"] = text;
      const WorldNumber number(outcome["number"].get<std::uint32_t>());
      if (const control::RobotEntry* robot = control.roster().find(number)) one["articulation"] = describe(*robot);
    }
    out.push_back(std::move(one));
  }
  return out;
}

// The names in a field, of which there is one at least.
Checked<Json> names_in(const Call& call, const char* name) {
  Json out;
  if (!field_of(call.request, name)) return refuse("missing_field", std::string(name) + " is needed: a list of names");
  if (auto bad = take(call.request, name, "names", Json::value_t::array, out)) return tl::unexpected(*bad);
  if (out["names"].empty()) return refuse("bad_value", std::string(name) + " names nobody");
  return out;
}

// Fields that are names, all of which must be there.
Checked<Json> words_in(const Call& call, std::initializer_list<Field> fields) {
  Json out;
  for (const Field& one : fields)
    if (!field_of(call.request, one.name)) return refuse("missing_field", std::string(one.name) + " is needed");
  if (auto bad = take(call.request, fields, out)) return tl::unexpected(*bad);
  return out;
}

}  // namespace

void spawn(Call& call) {
  const Json* wanted = field_of(call.request, "entities");
  if (!wanted || !wanted->is_array() || wanted->empty())
    return call.reply.refuse({"missing_field", "spawn has entities, a list of maps"});
  if (wanted->size() > kMaxEntities) return call.reply.refuse({"bad_value", "at most 10000 entities in one call"});
  Json all = Json::array();
  std::vector<std::string> names;
  for (const Json& one : *wanted) {
    auto entity = one_to_spawn(one);
    if (!entity) return call.reply.refuse(entity.error());
    names.push_back((*entity)["name"].get<std::string>());
    all.push_back(std::move(*entity));
  }
  ask(call, "spawn", {{"entities", std::move(all)}},
      [names = std::move(names)](const Reply& reply, const Json& answer, const control::ControlCore& control) {
        reply.ok({{"entities", spawned(names, answer["outcomes"], control)}, {"tick", tick_of(answer)}});
      });
}

void remove(Call& call) {
  auto names = names_in(call, "entities");
  if (!names) return call.reply.refuse(names.error());
  ask_for_tick(call, "delete_", std::move(*names));
}

void attach(Call& call) {
  constexpr auto kText = Json::value_t::string;
  auto both = words_in(call, {{"parent", "parent", kText}, {"child", "child", kText}});
  if (!both) return call.reply.refuse(both.error());
  ask_for_tick(call, "attach", std::move(*both));
}

void detach(Call& call) {
  auto child = words_in(call, {{"child", "child", Json::value_t::string}});
  if (!child) return call.reply.refuse(child.error());
  ask_for_tick(call, "detach", std::move(*child));
}

void set_tags(Call& call) {
  auto fields = words_in(call, {{"entity", "name", Json::value_t::string}, {"tags", "tags", Json::value_t::array}});
  if (!fields) return call.reply.refuse(fields.error());
  ask_for_tick(call, "set_tags", std::move(*fields));
}

void set_entity(Call& call) {
  auto fields = words_in(call, {{"entity", "name", Json::value_t::string}});
  if (!fields) return call.reply.refuse(fields.error());
  if (auto bad = take(call.request, "frame", "frame", Json::value_t::string, *fields)) return call.reply.refuse(*bad);
  auto pose = pose_of(call.request);
  if (!pose) return call.reply.refuse(pose.error());
  if (*pose) (*fields)["pose"] = **pose;
  const std::pair<const char*, const char*> rates[] = {{"velocity", "v"}, {"turn_rate", "w"}};
  for (const auto& [name, as] : rates) {
    const Json* field = field_of(call.request, name);
    if (!field) continue;
    const auto row = read_row(*field, name, {3});
    if (!row) return call.reply.refuse(row.error());
    (*fields)["twist"][as] = vector_of(*row);
  }
  ask_for_tick(call, "set", std::move(*fields));
}

void get_entity(Call& call) {
  auto fields = words_in(call, {{"entity", "name", Json::value_t::string}});
  if (!fields) return call.reply.refuse(fields.error());
  if (auto bad = take(call.request, "frame", "frame", Json::value_t::string, *fields)) return call.reply.refuse(*bad);
  (*fields)["details"] = true;
  ask(call, "get", std::move(*fields), [](const Reply& reply, const Json& answer, const control::ControlCore&) {
    const Json &pose = answer["pose"], &twist = answer["twist"], &q = pose["q"];
    reply.ok({{"position", row_of(pose["p"])},
              {"orientation", Json::array({q["w"], q["x"], q["y"], q["z"]})},
              {"velocity", row_of(twist["v"])},
              {"turn_rate", row_of(twist["w"])},
              {"details", Json::parse(answer["json"].get<std::string>(), nullptr, false)},
              {"tick", tick_of(answer)}});
  });
}

void list_entities(Call& call) {
  using T = Json::value_t;
  Json filter = Json::object();
  if (auto bad = take(call.request,
                      {{"prefix", "prefix", T::string},
                       {"name", "name", T::string},
                       {"tags", "tags", T::array},
                       {"model", "model", T::string},
                       {"category", "category", T::string},
                       {"details", "details", T::boolean}},
                      filter))
    return call.reply.refuse(*bad);
  if (const Json* region = field_of(call.request, "region")) {
    const auto row = read_row(*region, "region", {4});
    if (!row) return call.reply.refuse(row.error());
    filter["region"] = {{"x_min", (*row)[0]}, {"y_min", (*row)[1]}, {"x_max", (*row)[2]}, {"y_max", (*row)[3]}};
  }
  const bool details = filter.value("details", false);
  ask(call, "list", std::move(filter), [details](const Reply& reply, const Json& answer, const control::ControlCore&) {
    Json all = details ? Json::parse(answer["json"].get<std::string>(), nullptr, false) : answer["names"];
    reply.ok({{"entities", std::move(all)}, {"tick", tick_of(answer)}});
  });
}

void list_models(Call& call) {
  ask(call, "spawnables", Json::object(), [](const Reply& reply, const Json& answer, const control::ControlCore&) {
    reply.ok({{"models", answer["names"]}});
  });
}

namespace {

// What the server tells as JSON, under `field`; empty: as the answer itself.
void tell(Call& call, const char* method, const char* field) {
  const std::string under = field;
  ask(call, method, Json::object(), [under](const Reply& reply, const Json& answer, const control::ControlCore&) {
    Json told = Json::parse(answer["json"].get<std::string>(), nullptr, false);
    if (under.empty()) reply.ok(std::move(told));
    else reply.ok({{under, std::move(told)}});
  });
}

}  // namespace

void get_world(Call& call) { tell(call, "world", ""); }
void list_elements(Call& call) { tell(call, "elements", "elements"); }

void list_drawings(Call& call) { tell(call, "drawings", ""); }

namespace {

// With the names and forms of drawings here: kind by name, points as rows.
Checked<Json> one_to_draw(const Json& wanted) {
  using T = Json::value_t;
  if (!wanted.is_object()) return refuse("bad_value", "drawings is a list of maps");
  const Json *name = field_of(wanted, "name"), *points = field_of(wanted, "points"), *kind = field_of(wanted, "kind");
  if (!name || !points) return refuse("missing_field", "a drawing has a name and points");
  Json out;
  if (auto bad = take(wanted,
                      {{"name", "name", T::string},
                       {"frame", "frame", T::string},
                       {"text", "text", T::string},
                       {"color", "color", T::string},
                       {"size", "size", T::number_float},
                       {"lasts", "lasts", T::number_float}},
                      out))
    return tl::unexpected(*bad);
  const auto known =
      std::find_if(std::begin(kDrawnKinds), std::end(kDrawnKinds), [&](const char* k) { return kind && *kind == k; });
  if (kind && known == std::end(kDrawnKinds))
    return refuse("bad_value", "the kind of a drawing is lines, strip, arrows, points or text");
  out["kind"] = kind ? known - std::begin(kDrawnKinds) : 0;
  if (!points->is_array()) return refuse("bad_value", "points is a list of [x, y] or [x, y, z]");
  out["points"] = Json::array();
  for (const Json& one : *points) {
    const auto row = read_row(one, "points", {2, 3});
    if (!row) return tl::unexpected(row.error());
    for (std::size_t i = 0; i < 3; ++i) out["points"].push_back(i < row->size() ? (*row)[i] : 0.0);
  }
  return out;
}

}  // namespace

void draw(Call& call) {
  const Json* wanted = field_of(call.request, "drawings");
  if (!wanted || !wanted->is_array() || wanted->empty())
    return call.reply.refuse({"missing_field", "draw has drawings, a list of maps"});
  Json all = Json::array();
  for (const Json& one : *wanted) {
    auto drawing = one_to_draw(one);
    if (!drawing) return call.reply.refuse(drawing.error());
    all.push_back(std::move(*drawing));
  }
  ask_for_tick(call, "draw", {{"drawings", std::move(all)}});
}

void erase(Call& call) {
  const Json* all = field_of(call.request, "all");
  if (all && *all == true) return ask_for_tick(call, "draw", {{"erase_all", true}});
  auto names = names_in(call, "drawings");
  if (!names) return call.reply.refuse(names.error());
  ask_for_tick(call, "draw", {{"erase", (*names)["names"]}});
}

// What is not named stays as it is.
void set_environment(Call& call) {
  const Environment& now = call.fleet.world().environment();
  Json wanted{{"fog", now.fog},
              {"rain", now.rain},
              {"wetness", now.wetness},
              {"cloudiness", now.cloudiness},
              {"road_damage", now.road_damage},
              {"time_of_day", now.time_of_day}};
  for (const auto& [name, value] : wanted.items())
    if (auto bad = take(call.request, name.c_str(), name.c_str(), Json::value_t::number_float, wanted))
      return call.reply.refuse(*bad);
  const std::pair<const char*, std::optional<Vec3>> vectors[] = {{"gravity", now.gravity}, {"wind", now.wind}};
  for (const auto& [name, value] : vectors) {
    if (value) wanted[name] = vector_of({value->x, value->y, value->z});
    const Json* field = field_of(call.request, name);
    if (!field) continue;
    const auto row = read_row(*field, name, {3});
    if (!row) return call.reply.refuse(row.error());
    wanted[name] = vector_of(*row);
  }
  ask_for_tick(call, "environment", std::move(wanted));
}

}  // namespace convoy::zmq
