// One call in progress, and conversions from and to protobuf; for calls*.cc.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "agent/inspect.h"
#include "core/nearest.h"
#include "roles/calls.h"
#include "run/leases.h"

namespace convoy {

inline Vec3 from(const proto::Vec3& v) { return {v.x(), v.y(), v.z()}; }
inline void put(proto::Vec3* out, const Vec3& v) { out->set_x(v.x), out->set_y(v.y), out->set_z(v.z); }

// An absent rotation is no rotation.
inline Pose from(const proto::Pose& p) {
  return {from(p.p()), p.has_q() ? Quat{p.q().w(), p.q().x(), p.q().y(), p.q().z()} : Quat{}};
}
inline void put(proto::Pose* out, const Pose& p) {
  put(out->mutable_p(), p.p);
  proto::Quat* q = out->mutable_q();
  q->set_w(p.q.w), q->set_x(p.q.x), q->set_y(p.q.y), q->set_z(p.q.z);
}

inline void refuse(const Run& run, const Error& error, const Answer& answer) {
  proto::Reply reply;
  reply.set_error(static_cast<std::uint32_t>(error.code)), reply.set_text(error.message()), reply.set_tick(run.tick());
  answer(std::move(reply));
}

struct Call {
  const proto::Request& request;
  Run& run;
  const Membership& membership;
  Moment now;
  const Answer& answer;

  const World& world() const { return run.world(); }

  void say(proto::Reply reply) const { answer(std::move(reply)); }
  void done() const {
    proto::Reply reply;
    reply.set_tick(run.tick());
    say(std::move(reply));
  }
  void refuse(const Error& error) const { convoy::refuse(run, error, answer); }
  void refuse(ErrorCode code, std::string text) const { refuse(Error{code, std::move(text), {}}); }

  // The slot of an entity, or kNoSlot after having refused.
  Slot entity(const std::string& name, const char* what = "entity") const {
    if (name.empty()) {
      refuse(ErrorCode::kInvalid, std::string("the ") + what + " name is empty");
      return kNoSlot;
    }
    const Slot slot = world().find(name);
    if (slot == kNoSlot) {
      std::vector<std::string> names;
      for (const Entity& e : world().entities())
        if (names.size() < 10'000) names.push_back(e.name);
      const std::string near = nearest_name(name, names);
      refuse(ErrorCode::kNotFound, std::string("unknown ") + what + " '" + name.substr(0, 140) + "'" +
                                       (near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
    return slot;
  }
  // X_WF of a reference frame: "" is the world, else an entity.
  bool frame(const std::string& name, State& frame) const {
    if (name.empty()) return true;
    const Slot slot = entity(name, "frame");
    if (slot == kNoSlot) return false;
    frame = run.state(slot);
    return true;
  }
  EditDone then_done() const {
    const Answer copy = answer;
    return [copy](const Result<EditOutcome>& outcome) {
      proto::Reply reply;
      if (outcome) reply.set_tick(outcome->tick);
      else reply.set_error(static_cast<std::uint32_t>(outcome.error().code)), reply.set_text(outcome.error().message());
      copy(std::move(reply));
    };
  }
};

// The answer to a call about several entities: given once each has been carried out or refused.
class BatchReply {
 public:
  BatchReply(int size, Answer answer) : answer_(std::move(answer)), left_(size) {
    for (int i = 0; i < size; ++i) reply_.add_outcomes();
  }
  void outcome(int index, const Result<EditOutcome>& result) {
    outcome(index, result, result ? result->number : kNoEntity);
  }
  // What its outcome says if it is carried out.
  void doubt(int index, std::string text) { doubts_[index] = std::move(text); }
  // `number`: of the entity that it is about.
  void outcome(int index, const Result<EditOutcome>& result, WorldNumber number) {
    proto::Outcome* one = reply_.mutable_outcomes(index);
    one->set_number(number.value());
    if (result) {
      if (const auto doubt = doubts_.find(index); doubt != doubts_.end()) one->set_text(doubt->second);
      reply_.set_tick(result->tick);
    } else {
      one->set_error(static_cast<std::uint32_t>(result.error().code));
      one->set_text(result.error().message());
      reply_.set_error(one->error());
      if (reply_.text().empty()) reply_.set_text(one->text());  // the first
    }
    if (--left_ == 0) answer_(std::move(reply_));
  }

 private:
  proto::Reply reply_;
  Answer answer_;
  std::map<int, std::string> doubts_;  // by index
  int left_;
};

// Do leases let it command or edit all robots that the request is about, where they are known from the request?
Status leases_allow(const Call& call);
void lease(const Call& call);

// Names are the user's, and may hold anything: what is no UTF-8 is replaced.
std::string text_of(const nlohmann::ordered_json& json);

// The answers that can be read.
std::vector<NodesAnswer> read_answers(const std::vector<Bytes>& all);

// Asks the host of a robot, and lets `tell` put what it says into the reply; the answer comes a little later. Refused: nobody
// runs the robot, or its host is silent.
template <class T, class Tell>
void ask_host(const Call& call, const Entity& robot, NodesQuestion::Kind kind, std::vector<T> NodesAnswer::*part,
              const Tell& tell) {
  if (robot.owner == kNobody) return call.refuse(ErrorCode::kUnavailable, "nobody runs '" + robot.name + "'");
  Run& run = call.run;
  run.ask(
      save(NodesQuestion{.kind = kind, .name = robot.name}), kNever,
      [&run, part, tell, name = robot.name, answer = call.answer](const std::vector<Bytes>& all) {
        proto::Reply reply;
        reply.set_tick(run.tick());
        for (const NodesAnswer& one : read_answers(all))
          if (!(one.*part).empty()) {
            tell((one.*part).front(), reply);
            return answer(std::move(reply));
          }
        reply.set_error(static_cast<std::uint32_t>(ErrorCode::kUnavailable));
        reply.set_text("the host of '" + name + "' does not answer");
        answer(std::move(reply));
      },
      robot.owner);
}

// calls_nodes.cc: nodes inside
void publish(const Call& call);
void call_service(const Call& call);

// calls_looks.cc: for who looks at the run
void draw(const Call& call);
void drawings(const Call& call);
void actuators(const Call& call);
void hosts(const Call& call);

// calls_spawn.cc
void spawn(const Call& call);

// calls_commands.cc: commands to robots
void drive(const Call& call);
void set_controls(const Call& call);
void set_part(const Call& call);
void contacts(const Call& call);
void sensor(const Call& call);
void change_sensor(const Call& call);
void set_actions(const Call& call);
void set_gains(const Call& call);
void set_source(const Call& call);

}  // namespace convoy
