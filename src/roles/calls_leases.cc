// Leases: who alone commands robots, whatever door it comes through.
#include "roles/call.h"

namespace convoy {

namespace {

using Names = google::protobuf::RepeatedPtrField<std::string>;

// The robots that a request commands or edits. A robot that is found later, or not at all, is its call's own affair.
std::vector<std::string> commanded(const proto::Request& request) {
  const auto all = [](const Names& names) { return std::vector<std::string>(names.begin(), names.end()); };
  using M = proto::Request;
  switch (request.method_case()) {
    case M::kDelete: return all(request.delete_().names());
    case M::kSet: return {request.set().name()};
    case M::kDrive: return {request.drive().name()};
    case M::kSetActions: return {request.set_actions().name()};
    case M::kSetGains: return {request.set_gains().name()};
    case M::kSetControls: return {request.set_controls().name()};
    case M::kSetPart: return {request.set_part().name()};
    case M::kChangeSensor: return {request.change_sensor().name()};
    case M::kAttach: return {request.attach().parent(), request.attach().child()};
    case M::kDetach: return {request.detach().child()};
    case M::kSetTags: return {request.set_tags().name()};
    case M::kReset: return all(request.reset().names());
    case M::kControlSource: return all(request.control_source().names());
    default: return {};
  }
}

bool is_of_all(const proto::Request& request) {
  using M = proto::Request;
  return (request.method_case() == M::kReset && request.reset().names().empty()) ||
         (request.method_case() == M::kControlSource && request.control_source().names().empty());
}

bool asks_only(const proto::Request& request) {
  return request.method_case() == proto::Request::kControlSource && request.control_source().source().empty();
}

}  // namespace

Status leases_allow(const Call& call) {
  const World& world = call.world();
  const std::string& holder = call.request.holder();
  if (!holder.empty() && !valid_holder(holder)) return fail(ErrorCode::kInvalid, kHolderRule);
  if (world.holders().empty() || asks_only(call.request)) return {};
  if (is_of_all(call.request))
    if (auto ok = may_command_all(world, holder); !ok) return ok;
  for (const std::string& name : commanded(call.request))
    if (const Slot slot = world.find(name); slot != kNoSlot)
      if (auto ok = may_command(world, world.entity(slot).number, holder); !ok) return ok;
  return {};
}

void lease(const Call& call) {
  const proto::LeaseRobots& wanted = call.request.lease();
  if (wanted.kind() > static_cast<std::uint32_t>(Lease::Kind::kBreak))
    return call.refuse(ErrorCode::kUnsupported, "this server does not know that kind of lease");
  Lease edit{{}, call.request.holder(), static_cast<Lease::Kind>(wanted.kind())};
  for (const std::string& name : wanted.names()) {
    const Slot slot = call.entity(name, "robot");
    if (slot == kNoSlot) return;
    edit.entities.push_back(call.world().entity(slot).number);
  }
  if (edit.entities.empty() && edit.kind == Lease::Kind::kGiveBack)
    for (const auto& [robot, holder] : call.world().holders())
      if (holder == edit.holder) edit.entities.push_back(robot);
  std::vector<std::string> names;
  for (WorldNumber number : edit.entities) names.push_back(call.world().entity(call.world().slot_of(number)).name);
  if (names.empty() && edit.kind == Lease::Kind::kGiveBack) return call.done();
  call.run.submit(std::move(edit), [answer = call.answer, names](const Result<EditOutcome>& outcome) {
    proto::Reply reply;
    if (outcome) {
      reply.set_tick(outcome->tick);
      for (const std::string& name : names) reply.add_names(name);
    } else {
      reply.set_error(static_cast<std::uint32_t>(outcome.error().code)), reply.set_text(outcome.error().message());
    }
    answer(std::move(reply));
  });
}

}  // namespace convoy
