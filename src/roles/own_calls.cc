// What hosts ask of the server on behalf of programs outside.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/software.h"
#include "roles/call.h"
#include "world/edits/edits.h"

namespace convoy {

namespace {

// A host resets its robots, puts them, and sets parts of them; all else is for the server's own callers.
struct HostMayAsk {
  bool operator()(const Spawn&) const { return false; }
  bool operator()(const Delete&) const { return false; }
  bool operator()(const SetState&) const { return false; }
  bool operator()(const Attach&) const { return false; }
  bool operator()(const Detach&) const { return false; }
  bool operator()(const SetEnvironment&) const { return false; }
  bool operator()(const AddModel&) const { return false; }
  bool operator()(const Reset&) const { return true; }
  bool operator()(const Freeze&) const { return false; }
  bool operator()(const Move&) const { return false; }
  bool operator()(const Mount&) const { return false; }
  bool operator()(const AddFile&) const { return false; }
  bool operator()(const PutBody&) const { return true; }
  bool operator()(const Return&) const { return false; }
  bool operator()(const SetPart&) const { return true; }
  bool operator()(const Lease&) const { return true; }
  bool operator()(const SetTags&) const { return false; }
};

}  // namespace

Status may_reset(const World& world, const std::vector<WorldNumber>& numbers) {
  for (const Entity& e : world.entities())
    if (joins(e.kind->components) &&
        (numbers.empty() || std::find(numbers.begin(), numbers.end(), e.number) != numbers.end()))
      return fail(ErrorCode::kUnsupported,
                  "the program of '" + e.name + "' has a main() of its own and cannot begin anew");
  return {};
}

void carry_out_own(const proto::Request& request, Owner caller, Run& run, LeaseBook& leases, const Answer& answer) {
  const auto answered = [answer](const Result<EditOutcome>& outcome) {
    proto::Reply reply;
    if (outcome) reply.set_tick(outcome->tick);
    else reply.set_error(static_cast<std::uint32_t>(outcome.error().code)), reply.set_text(outcome.error().message());
    answer(std::move(reply));
  };
  const World& world = run.world();
  OwnEdit own;
  if (!load(as_bytes(request.own_edit()), own)) return answered(fail(ErrorCode::kInvalid, "the edit is malformed"));
  if (!std::visit(HostMayAsk{}, own.edit))
    return answered(fail(ErrorCode::kDenied,
                         "a host resets its robots, puts them, sets parts of them and leases them, and that is all"));
  const Lease* lease = std::get_if<Lease>(&own.edit);
  if (lease && (lease->kind == Lease::Kind::kBreak || lease->holder != own.holder))
    return answered(fail(ErrorCode::kDenied, "a host takes leases and gives them back, for who asks"));
  for (WorldNumber number : lease ? lease->entities : entities_of(own.edit)) {
    const Slot slot = world.slot_of(number);
    if (slot == kNoSlot) return answered(fail(ErrorCode::kNotFound, "the robot is gone"));
    const bool gives_back = lease && lease->kind == Lease::Kind::kGiveBack && leases.taken(caller, number, own.holder);
    if (world.entity(slot).owner != caller && !gives_back)
      return answered(fail(ErrorCode::kDenied, "the robot is another host's"));
    if (auto ok = may_command(world, number, own.holder); !ok) return answered(tl::unexpected(ok.error()));
  }
  if (restarts_run(own.edit))
    if (const auto ok = may_command_all(world, own.holder); !ok) return answered(tl::unexpected(ok.error()));
  if (const auto* reset = std::get_if<Reset>(&own.edit))
    if (const auto ok = may_reset(world, reset->entities); !ok) return answered(tl::unexpected(ok.error()));
  if (!lease || lease->kind != Lease::Kind::kTake) return run.submit(std::move(own.edit), answered);
  run.submit(own.edit, [&leases, caller, lease = *lease, answered](const Result<EditOutcome>& outcome) {
    if (outcome) leases.took(caller, lease);
    answered(outcome);
  });
}

std::string query_json(const Run& run, const std::map<Owner, std::string>& doors) {
  nlohmann::ordered_json out{
      {"paused", run.time().paused()}, {"speed", run.time().speed()}, {"hosts", nlohmann::ordered_json::array()}};
  for (const auto& [owner, host] : run.hosts()) {
    if (host.gone) continue;
    const auto words = doors.find(owner);
    out["hosts"].push_back({{"name", host.name}, {"doors", words == doors.end() ? "" : words->second}});
  }
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace convoy
