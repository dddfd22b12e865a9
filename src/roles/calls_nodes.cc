// Calls that give something to the nodes inside: hosts are first asked whether it can be given, and the caller hears why
// not; what can be is an input of the tick that comes next.
#include <algorithm>

#include "roles/call.h"

namespace convoy {

namespace {

using Taker = NodesAnswer::Taker;

// What is wanted, of a topic or a service.
struct WantedMessage {
  bool service = false;
  std::string name, type, text;
  WorldNumber agent;  // kNoEntity: any
  std::string holder;

  std::string what() const { return (service ? "the service '" : "the topic '") + name + "'"; }
};

Status check(const WantedMessage& wanted) {
  if (!wanted.name.starts_with('/'))
    return fail(ErrorCode::kInvalid, wanted.what() + " is not named in full, as /scout/cmd_vel");
  if (wanted.text.size() > kMaxPublishedText)
    return fail(ErrorCode::kInvalid, "the text is longer than " + std::to_string(kMaxPublishedText) + " bytes");
  return {};
}

// "geometry_msgs/Twist" is geometry_msgs/msg/Twist.
bool names_type(const std::string& given, const std::string& type) {
  const std::size_t first = type.find('/'), last = type.rfind('/');
  return given == type || (first != type.npos && given == type.substr(0, first) + type.substr(last));
}

// Of those that take it the one with the lowest number, or of those that only have it.
const Taker* chosen(const std::vector<NodesAnswer>& answers, WorldNumber agent) {
  const Taker* best = nullptr;
  for (const NodesAnswer& answer : answers)
    for (const Taker& one : answer.takers) {
      if (agent != kNoEntity && one.agent != agent) continue;
      const auto rank = [](const Taker& t) { return std::pair(t.takers == 0, t.agent); };
      if (!best || rank(one) < rank(*best)) best = &one;
    }
  return best;
}

Error nowhere(const WantedMessage& wanted, const World& world, const std::vector<NodesAnswer>& listed) {
  std::string who = "no node";
  if (wanted.agent != kNoEntity)
    if (const Slot slot = world.slot_of(wanted.agent); slot != kNoSlot)
      who = "no node of '" + world.entity(slot).name + "'";
  std::string text = who + (wanted.service ? " serves '" : " has the topic '") + wanted.name.substr(0, 140) + "'";
  std::vector<std::string> names;
  for (const NodesAnswer& answer : listed)
    for (const NodesAnswer::Topic& t : answer.topics)
      if (t.service == wanted.service && (wanted.agent == kNoEntity || t.agent == wanted.agent) &&
          (!t.service || t.publishers > 0))
        names.push_back(t.name);
  std::sort(names.begin(), names.end());
  if (const std::string near = nearest_name(wanted.name, names); !near.empty() && near != wanted.name)
    text += "; did you mean '" + near + "'?";
  return {ErrorCode::kNotFound, text, {}};
}

// What must be true of the one that was chosen.
Status check(const WantedMessage& wanted, const Taker& taker, const World& world) {
  if (!wanted.type.empty() && !names_type(wanted.type, taker.type))
    return fail(ErrorCode::kInvalid,
                wanted.what() + " is of type " + taker.type + ", not " + wanted.type.substr(0, 140));
  if (!taker.wrong.empty()) return fail(ErrorCode::kInvalid, taker.type + ": " + taker.wrong);
  if (world.slot_of(taker.agent) == kNoSlot) return fail(ErrorCode::kNotFound, "its agent is gone");
  return may_command(world, taker.agent, wanted.holder);
}

using MakeInput = std::function<Input(WorldNumber agent, const std::string& type)>;

void give(Run& run, const WantedMessage& wanted, const Taker& taker, const MakeInput& make, const Answer& answer) {
  if (auto ok = check(wanted, taker, run.world()); !ok) return refuse(run, ok.error(), answer);
  const Tick tick = run.next_tick();
  if (auto ok = run.submit(make(taker.agent, taker.type)); !ok) return refuse(run, ok.error(), answer);
  proto::Reply reply;
  reply.set_tick(tick);
  answer(std::move(reply));
}

void give(const Call& call, const WantedMessage& wanted, const MakeInput& make) {
  if (auto ok = check(wanted); !ok) return call.refuse(ok.error());
  using Kind = NodesQuestion::Kind;
  NodesQuestion question{wanted.service ? Kind::kService : Kind::kTopic, 0, wanted.name};
  question.text = wanted.text;
  call.run.ask(save(question), kNever,
               [&run = call.run, wanted, make, answer = call.answer](const std::vector<Bytes>& all) {
                 const std::vector<NodesAnswer> answers = read_answers(all);
                 if (const Taker* taker = chosen(answers, wanted.agent)) return give(run, wanted, *taker, make, answer);
                 run.ask(save(NodesQuestion{Kind::kList, 0, {}}), kNever,
                         [&run, wanted, answer](const std::vector<Bytes>& listed) {
                           refuse(run, nowhere(wanted, run.world(), read_answers(listed)), answer);
                         });
               });
}

// The agent of that name, kNoEntity if none is asked for; false after having refused.
bool find_agent(const Call& call, const std::string& name, WorldNumber& out) {
  if (name.empty()) return true;
  const Slot slot = call.entity(name, "agent");
  if (slot == kNoSlot) return false;
  out = call.world().entity(slot).number;
  return true;
}

}  // namespace

void publish(const Call& call) {
  const proto::PublishMessage& p = call.request.publish();
  WantedMessage wanted{false, p.topic(), p.type(), p.yaml(), kNoEntity, call.request.holder()};
  if (!find_agent(call, p.agent(), wanted.agent)) return;
  give(call, wanted, [wanted](WorldNumber agent, const std::string& type) {
    return PublishMessage{agent, wanted.name, type, wanted.text, wanted.holder};
  });
}

void call_service(const Call& call) {
  const proto::CallService& c = call.request.call_service();
  WantedMessage wanted{true, c.service(), c.type(), c.yaml(), kNoEntity, call.request.holder()};
  if (!find_agent(call, c.agent(), wanted.agent)) return;
  give(call, wanted, [wanted, id = c.id()](WorldNumber agent, const std::string& type) {
    return CallService{agent, wanted.name, type, wanted.text, id, wanted.holder};
  });
}

}  // namespace convoy
