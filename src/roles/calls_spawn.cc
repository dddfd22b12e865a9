#include <map>
#include <memory>

#include "physics/footprint.h"
#include "roles/call.h"
#include "roles/control_source.h"
#include "sensing/presets.h"
#include "world/component_classes.h"
#include "world/world_model.h"

namespace convoy {

namespace {

Error invalid(std::string text) { return {ErrorCode::kInvalid, std::move(text), {}}; }

Result<EntitySpec> spec_of(const Call& call, const proto::SpawnOne& one) {
  EntitySpec spec;
  spec.name = one.name();
  spec.model = one.model();
  spec.pose = from(one.pose());
  spec.ns = one.ns();
  spec.frame = one.frame();
  spec.tags = {one.tags().begin(), one.tags().end()};
  spec.host = one.host();
  spec.keyframe = one.keyframe();
  spec.domain = one.domain();
  const SensorRules& rules = call.run.setup().sensors;
  if (!one.sensors().empty() && one.sensors() != "default" && one.sensors() != "none")
    return tl::unexpected(invalid("sensors are default or none, not '" + one.sensors().substr(0, 140) + "'"));
  if (one.sensors().empty() ? rules.by_default : one.sensors() == "default")
    spec.sensors = sensors_of_model(spec.model, rules, call.run.setup().tick);
  if (!one.control_source().empty() && !(spec.control_source = control_source_of(one.control_source())))
    return tl::unexpected(invalid("unknown source '" + one.control_source().substr(0, 140) + "'"));
  ComponentList components;
  if (!one.components().empty() && !load(as_bytes(one.components()), components))
    return tl::unexpected(invalid("the components are malformed"));
  spec.components = std::move(components.all);
  if (joins(spec.components)) return fail(ErrorCode::kUnsupported, "programs join at the start of a run only");
  if (!one.driver().empty() && !load(as_bytes(one.driver()), spec.driver))
    return tl::unexpected(invalid("the driver is malformed"));
  if (!one.controller().empty() && !load(as_bytes(one.controller()), spec.controller.emplace()))
    return tl::unexpected(invalid("the controller is malformed"));
  if (!one.frame_of_pose().empty()) {
    const Slot slot = call.world().find(one.frame_of_pose());
    if (slot == kNoSlot) return fail(ErrorCode::kNotFound, "unknown frame '" + one.frame_of_pose() + "'");
    spec.pose = call.run.state(slot).pose * spec.pose;
  }
  return spec;
}

// Will it stand where it cannot go anywhere? Where there is an MJCF world, the robots of its engine meet that, not the map.
std::string doubt_of(const World& world, const EntitySpec& spec) {
  const Model* model = world.model(spec.model);
  if (!model || world.map().empty() || (!model->files.empty() && world.model(kWorldModel))) return {};
  return in_wall(world.map(), spec.pose, *model) ? "it stands in a wall or outside the map" : "";
}

struct Wanted {
  int index = 0;  // in the batch
  Spawn edit;
};

// May the components that these hosts have been asked for be brought into the run? What nobody had before is from now on
// what all must have.
Status admit_code(Run& run, const std::vector<Bytes>& answers) {
  CodeBook book = run.books().code;  // what is refused sets nothing
  const bool lockstep = run.position().digest.has_value();
  for (const NodesAnswer& answer : read_answers(answers))
    for (const NodesAnswer::Code& code : answer.code) {
      const auto host = run.hosts().find(code.host);
      if (host == run.hosts().end()) continue;
      if (!code.missing.empty()) return fail(ErrorCode::kNotFound, host->second.name + ": " + code.missing);
      if (auto ok = book.admit(host->second.name, code.files, lockstep); !ok) return ok;
    }
  run.books().code = std::move(book);
  return {};
}

// Spawns of robots with components: those that may get them, all if no host is named, are asked for their builds first.
void spawn_with_code(Run& run, std::vector<Wanted> wanted, Owner host, const std::shared_ptr<BatchReply>& batch) {
  ComponentClasses classes;
  for (const Wanted& one : wanted) classes.add(one.edit.spec.components);
  const NodesQuestion question{NodesQuestion::Kind::kCode, 0, {}, classes.all()};
  const auto then = [&run, wanted = std::move(wanted), batch](const std::vector<Bytes>& answers) {
    const Status admitted = admit_code(run, answers);
    for (const Wanted& one : wanted) {
      if (!admitted) batch->outcome(one.index, tl::unexpected(admitted.error()));
      else run.submit(one.edit, [batch, i = one.index](const Result<EditOutcome>& r) { batch->outcome(i, r); });
    }
  };
  run.ask(save(question), kNever, then, host);
}

}  // namespace

void spawn(const Call& call) {
  const auto& entities = call.request.spawn().entities();
  if (entities.empty()) return call.refuse(ErrorCode::kInvalid, "nothing to spawn");
  if (entities.size() > 10'000) return call.refuse(ErrorCode::kInvalid, "at most 10000 entities in one call");
  const auto batch = std::make_shared<BatchReply>(entities.size(), call.answer);
  std::map<Owner, std::vector<Wanted>> with_code;
  for (int i = 0; i < entities.size(); ++i) {
    Result<EntitySpec> spec = spec_of(call, entities[i]);
    // Without a wish the run chooses when it is carried out, so that a batch spreads over the hosts.
    const Result<Owner> owner = !spec || spec->host.empty() ? Result<Owner>(kNobody) : call.run.place(spec->host);
    if (!spec || !owner) {
      batch->outcome(i, tl::unexpected(spec ? owner.error() : spec.error()));
      continue;
    }
    if (std::string doubt = doubt_of(call.world(), *spec); !doubt.empty()) batch->doubt(i, std::move(doubt));
    Spawn edit{std::move(*spec), *owner};
    if (!edit.spec.components.empty()) with_code[*owner].push_back({i, std::move(edit)});
    else call.run.submit(std::move(edit), [batch, i](const Result<EditOutcome>& r) { batch->outcome(i, r); });
  }
  for (auto& [host, wanted] : with_code) spawn_with_code(call.run, std::move(wanted), host, batch);
}

}  // namespace convoy
