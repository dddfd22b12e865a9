#include "testing/live_calls.h"

#include "testing/virtual_log.h"

namespace convoy::testing {

namespace {

std::string text_of(const proto::Reply& reply) { return reply.error() == 0 ? "done" : "'" + reply.text() + "'"; }

WorldNumber number_of(const World& world, const std::string& name) {
  const Slot slot = world.find(name);
  return slot == kNoSlot ? kNoEntity : world.entity(slot).number;
}

// The edit that a request asks for.
std::optional<Edit> edit_of(const Request& request, const World& world) {
  switch (request.method_case()) {
    case Request::kSpawn: {
      const proto::SpawnOne& one = request.spawn().entities(0);
      Spawn edit;
      edit.spec.name = one.name(), edit.spec.model = one.model();
      return edit;
    }
    case Request::kDelete: return Delete{number_of(world, request.delete_().names(0))};
    case Request::kSet: return SetState{number_of(world, request.set().name()), {}, {}, false};
    case Request::kAttach:
      return Attach{number_of(world, request.attach().parent()), number_of(world, request.attach().child())};
    case Request::kDetach: return Detach{number_of(world, request.detach().child())};
    case Request::kReset: {
      Reset edit;
      for (const std::string& name : request.reset().names()) edit.entities.push_back(number_of(world, name));
      return edit;
    }
    default: return std::nullopt;
  }
}

}  // namespace

LiveCalls::LiveCalls(std::uint64_t seed, const Setup& setup, SimNet& net, Caller& caller, bool only_drive)
    : random_{seed, 0}, net_(net), caller_(caller), setup_(setup), only_drive_(only_drive) {
  for (const EntitySpec& spec : setup.entities) names_.push_back(spec.name);
}

std::string LiveCalls::name() { return names_[random_.below(names_.size())]; }

std::pair<std::string, Request> LiveCalls::one_spawn() {
  names_.push_back("new" + std::to_string(spawned_++));
  Request r = spawn(names_.back(), random_.below(4) == 0 ? "nothing_such" : "turtlebot3_burger");
  r.mutable_spawn()->mutable_entities(0)->mutable_pose()->mutable_p()->set_x(random_.uniform(-3, 3));
  r.mutable_spawn()->mutable_entities(0)->mutable_pose()->mutable_p()->set_y(random_.uniform(2.5, 3.5));
  return {"spawn", r};
}

// Dozens of spawns, or everything attached to something.
void LiveCalls::begin_burst() {
  if (random_.below(2) == 0) {
    ++made_["spawn_storm"];
    for (std::uint64_t n = 15 + random_.below(15); n > 0; --n) burst_.push_back(one_spawn());
  } else {
    ++made_["everything_attached"];
    const std::string centre = name();
    for (const std::string& child : std::vector<std::string>(names_))
      burst_.push_back({"attach", attach(centre, child)});
  }
}

std::pair<std::string, Request> LiveCalls::draw() {
  if (only_drive_) {  // one draw a statement: compilers evaluate arguments in orders of their own
    const double hold = random_.uniform(0.05, 0.8), turn = random_.uniform(-1.5, 1.5),
                 forward = random_.uniform(-0.3, 0.6);
    return {"drive", drive(name(), forward, turn, hold)};
  }
  switch (random_.below(16)) {
    case 0:
    case 1:
    case 2: return one_spawn();
    case 3: return {"delete", erase(name())};
    case 4:
    case 5:
    case 6: {
      Request r = set_pose(name(), random_.uniform(-3, 3));
      r.mutable_set()->mutable_pose()->mutable_p()->set_y(random_.uniform(-3.4, -2.5));
      return {"set", r};
    }
    case 7:
    case 8:
    case 9: return {"attach", attach(name(), name())};
    case 10: {  // of an entity that probably is attached
      for (std::size_t i = calls_.size(); i-- > 0;)
        if (calls_[i].kind == "attach" && random_.below(2) == 0)
          return {"detach", detach(calls_[i].request.attach().child())};
      return {"detach", detach(name())};
    }
    case 11: {
      Request r;
      r.mutable_reset()->add_names(name());
      return {"reset_one", r};
    }
    case 12:
      if (random_.below(4) == 0) {
        Request r;
        r.mutable_reset();
        return {"reset", r};
      }
      return {"drive", drive(name(), 0.3, 0.2, 0.5)};
    case 13: {
      Request r;
      r.mutable_pause();
      return {"pause", r};
    }
    case 14: {
      Request r;
      const double factors[] = {0.5, 1, 1, 2};
      r.mutable_speed()->set_factor(factors[random_.below(4)]);
      return {"speed", r};
    }
    default: return {"step", step(1 + random_.below(9))};
  }
}

// Most of the time the run goes on: after a pause comes a step or two, then a resume.
void LiveCalls::next() {
  if (ending_ || open_) return;
  Made made;
  if (paused_ && random_.below(3) == 0) {
    made.kind = "resume";
    made.request.mutable_resume();
  } else {
    if (!only_drive_ && burst_.empty() && random_.below(50) == 0) begin_burst();
    if (burst_.empty()) {
      std::tie(made.kind, made.request) = draw();
    } else {
      std::tie(made.kind, made.request) = std::move(burst_.front());
      burst_.pop_front();
    }
  }
  ++made_[made.kind];
  made.request.set_id(calls_.size() + 1);
  caller_.send(made.request);
  calls_.push_back(std::move(made));
  open_ = true;
  const std::size_t call = calls_.size() - 1;
  if (random_.below(3) == 0) net_.at(net_.now() + millis(random_.uniform(0, 250)), [this, call] { repeat(call); });
}

void LiveCalls::repeat(std::size_t call) {
  ++made_["repeated"];
  caller_.send(calls_[call].request);
}

void LiveCalls::listen() {
  for (; received_ < caller_.replies(); ++received_) {
    const proto::Reply& reply = caller_.reply_at(received_);
    const std::string bytes = reply.SerializeAsString();
    Made& made = calls_.at(reply.id() - 1);
    if (!made.reply.empty()) {
      ++made_["answered_again"];
      if (made.reply != bytes) wrong_ = made.kind + ": answered " + text_of(reply) + ", but another answer before";
      continue;
    }
    made.reply = bytes;
    open_ = false;
    if (reply.error() == 0) {
      if (made.kind == "pause") paused_ = true;
      if (made.kind == "resume") paused_ = false;
    }
    net_.at(net_.now() + millis(random_.uniform(0, burst_.empty() ? 120 : 1)), [this] { next(); });
  }
}

std::uint64_t LiveCalls::succeeded(const std::string& kind) const {
  std::uint64_t n = 0;
  for (const Made& made : calls_) {
    proto::Reply reply;
    n += made.kind == kind && !made.reply.empty() && reply.ParseFromString(made.reply) && reply.error() == 0;
  }
  return n;
}

std::string LiveCalls::judge(const World& world, bool host_lost) const {
  if (!wrong_.empty()) return wrong_;
  World mine = *World::make(setup_);
  bool paused = false;
  for (const Made& made : calls_) {
    const std::string what = made.kind + " (call " + std::to_string(made.request.id()) + "): ";
    if (made.reply.empty()) return what + "no answer";
    proto::Reply reply;
    EXPECTS(reply.ParseFromString(made.reply));
    bool fine = true;
    const std::optional<Edit> edit = edit_of(made.request, mine);
    if (edit) fine = mine.check(*edit).has_value();
    if (made.kind == "resume" || made.kind == "step") fine = paused;
    // A command to a robot that another caller deleted, or that has no drive, is answered so.
    // With a host its robots may have gone, and set free what rode on them.
    const bool either = made.kind == "drive" || host_lost;
    if (!either && fine != (reply.error() == 0))
      return what + "answered " + text_of(reply) + ", but it " + (fine ? "must" : "cannot") + " be done";
    if (reply.error() != 0 || !fine) continue;
    if (edit) {
      const WorldNumber number = mine.apply(*edit, instant(0));
      mine.settle();
      if (number != kNoEntity && reply.outcomes(0).number() != number.value()) return what + "another number";
    }
    if (made.kind == "pause") paused = true;
    if (made.kind == "resume") paused = false;
  }
  if (only_drive_ || host_lost) return {};  // its robots may have been deleted
  if (mine.entities().size() != world.entities().size())
    return "the world has another number of entities than the answers say";
  for (Slot slot : SlotRange(world.entities().size())) {
    const Entity &a = mine.entity(slot), &b = world.entity(slot);
    if (a.number != b.number || a.name != b.name || a.parent != b.parent)
      return b.name + ": another than the answers say";
    if (mine.snapshot().state(slot).discontinuity != world.snapshot().state(slot).discontinuity)
      return b.name + ": " + std::to_string(world.snapshot().state(slot).discontinuity) + " edits instead of " +
             std::to_string(mine.snapshot().state(slot).discontinuity);
  }
  return {};
}

}  // namespace convoy::testing
