// Calls about the inside of one robot: parts that are set from outside, and what it touches.
#include <algorithm>

#include "roles/call.h"

namespace convoy {

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

// Its host is asked: the answer comes a little later.
void contacts(const Call& call) {
  const Slot slot = call.entity(call.request.contacts().name());
  if (slot == kNoSlot) return;
  const Entity& robot = call.world().entity(slot);
  if (robot.owner == kNobody) return call.refuse(ErrorCode::kUnavailable, "nobody runs '" + robot.name + "'");
  Run& run = call.run;
  run.ask(
      save(NodesQuestion{NodesQuestion::Kind::kContacts, 0, robot.name}), kNever,
      [&run, name = robot.name, answer = call.answer](const std::vector<Bytes>& all) {
        proto::Reply reply;
        reply.set_tick(run.tick());
        const std::vector<NodesAnswer> answers = read_answers(all);
        const auto found =
            std::find_if(answers.begin(), answers.end(), [](const auto& a) { return !a.touching.empty(); });
        if (found == answers.end()) {
          reply.set_error(static_cast<std::uint32_t>(ErrorCode::kUnavailable));
          reply.set_text("the host of '" + name + "' does not answer");
          return answer(std::move(reply));
        }
        const NodesAnswer::Touching& touching = found->touching.front();
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
        answer(std::move(reply));
      },
      robot.owner);
}

}  // namespace convoy
