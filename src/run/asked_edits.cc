#include "run/asked_edits.h"

#include <algorithm>

#include "core/check.h"
#include "run/leases.h"
#include "sensing/presets.h"

namespace convoy {

namespace {

struct Reading {
  const EditRequest& ask;
  const Entity& asker;
  const EditsOfRun& run;
  const World& world() const { return run.books.world; }

  Result<Slot> entity(const std::string& name, const char* what = "entity") const {
    if (name.empty()) return fail(ErrorCode::kInvalid, std::string("the ") + what + " name is empty");
    const Slot slot = world().find(name == kAsker ? asker.name : name);
    if (slot == kNoSlot)
      return fail(ErrorCode::kNotFound, std::string("unknown ") + what + " '" + name.substr(0, 140) + "'");
    return slot;
  }
  // One that is changed: a lease lets through nobody but its holder.
  Result<WorldNumber> own(const std::string& name) const {
    const auto slot = entity(name);
    if (!slot) return tl::unexpected(slot.error());
    const WorldNumber number = world().entity(*slot).number;
    if (auto ok = may_command(world(), number, {}); !ok) return tl::unexpected(ok.error());
    return number;
  }
  Result<State> frame() const {
    if (ask.frame.empty()) return State{};
    const auto slot = entity(ask.frame, "frame");
    if (!slot) return tl::unexpected(slot.error());
    return run.state(*slot);
  }

  Result<Edit> spawn() const {
    const auto at = frame();
    if (!at) return tl::unexpected(at.error());
    const Setup& setup = run.books.setup;
    Spawn edit;
    edit.spec.model = ask.model;
    edit.spec.name = ask.entity;
    if (ask.entity.empty()) edit.spec.name = ask.model + "_" + std::to_string(world().next_number().value());
    const Pose pose = ask.pose.value_or(Pose{});
    edit.spec.pose = ask.frame.empty() ? pose : at->pose * pose;
    edit.spec.ns = ask.ns;
    edit.spec.tags = ask.tags;
    if (setup.sensors.by_default) edit.spec.sensors = sensors_of_model(ask.model, setup.sensors, setup.tick);
    return edit;
  }
  Result<Edit> set() const {
    const auto number = own(ask.entity);
    if (!number) return tl::unexpected(number.error());
    const auto at = frame();
    if (!at) return tl::unexpected(at.error());
    SetState edit{*number, {}, {}, !ask.pose};
    if (ask.pose) edit.pose = ask.frame.empty() ? *ask.pose : at->pose * *ask.pose;
    if (ask.twist) edit.twist = Twist{rotate(at->pose.q, ask.twist->v), rotate(at->pose.q, ask.twist->w)};
    return edit;
  }
  Result<Edit> attach() const {
    const auto parent = own(ask.parent), child = own(ask.entity);
    if (!parent || !child) return tl::unexpected(parent ? child.error() : parent.error());
    return Attach{*parent, *child};
  }
  template <class E>
  Result<Edit> about_one() const {
    const auto number = own(ask.entity);
    if (!number) return tl::unexpected(number.error());
    return E{*number};
  }
  Result<Edit> edit() const {
    switch (ask.kind) {
      case EditKind::kSpawn: return spawn();
      case EditKind::kDelete: return about_one<Delete>();
      case EditKind::kSet: return set();
      case EditKind::kAttach: return attach();
      case EditKind::kDetach: return about_one<Detach>();
    }
    return fail(ErrorCode::kInvalid, "unknown kind of edit");
  }
};

Status may_ask(const Entity& asker, const EditRequest& ask) {
  if (static_cast<std::size_t>(ask.kind) >= kEditKinds) return fail(ErrorCode::kInvalid, "unknown kind of edit");
  const auto& edits = asker.kind->edits;
  if (std::find(edits.begin(), edits.end(), ask.kind) != edits.end()) return {};
  const std::string kind = kEditNames[static_cast<std::size_t>(ask.kind)];
  return fail(ErrorCode::kDenied,
              "'" + asker.name + "' may not ask for this: its scenario needs edits: [" + kind + "]");
}

Result<Edit> asked_edit(const EditRequest& ask, const Message& message, bool admitted, const EditsOfRun& run) {
  const World& world = run.books.world;
  const Slot slot = world.slot_of(message.from);
  if (slot == kNoSlot) return fail(ErrorCode::kNotFound, "the asker was deleted");
  const Entity& asker = world.entity(slot);
  if (auto ok = may_ask(asker, ask); !ok) return tl::unexpected(ok.error());
  if (!admitted) return fail(ErrorCode::kUnavailable, kTooManyEdits);
  return Reading{ask, asker, run}.edit();
}

// Which entity an edit is about; of a spawn, one that is still to come.
struct Subject {
  WorldNumber operator()(const Delete& edit) const { return edit.entity; }
  WorldNumber operator()(const SetState& edit) const { return edit.entity; }
  WorldNumber operator()(const Attach& edit) const { return edit.child; }
  WorldNumber operator()(const Detach& edit) const { return edit.child; }
  template <class Other>
  WorldNumber operator()(const Other&) const {
    return kNoEntity;
  }
};

}  // namespace

Message answer(const Message& message, Tick tick, RequestLimit& limit, const EditsOfRun& run) {
  EditRequest ask;
  EditReply outcome;
  Result<EditOutcome> done = fail(ErrorCode::kInvalid, "what is asked for is malformed");
  const bool admitted = limit.admit(message.from, tick);
  if (load(message.payload, ask)) {
    outcome.id = ask.id;
    const World& world = run.books.world;
    if (Result<Edit> edit = asked_edit(ask, message, admitted, run); !edit) {
      done = tl::unexpected(edit.error());
    } else {
      outcome.number = std::visit(Subject{}, *edit);
      if (const auto* spawn = std::get_if<Spawn>(&*edit)) outcome.name = spawn->spec.name;
      else outcome.name = world.entity(world.slot_of(outcome.number)).name;
      run.carry_out(
          {std::move(*edit), [&](const Result<EditOutcome>& result) { done = result; }, {message.from, message.index}});
    }
  }
  if (!done) outcome = {outcome.id, static_cast<std::uint32_t>(done.error().code), done.error().message(), {}, {}};
  else if (outcome.number == kNoEntity) outcome.number = done->number;
  return {.from = message.from,
          .to = message.from,
          .index = message.index,
          .sent = message.sent,
          .topic = kEditedTopic,
          .payload = save(outcome)};
}

}  // namespace convoy
