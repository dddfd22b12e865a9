// One robot: its physics, driver, nodes and pending messages, advanced one tick at a time.
//
// An agent's tick is a pure function of its inner state, the snapshot k cut to its view, the inputs and messages that
// enter at k and its random streams. Its state is in the world's snapshot; everything else that the next tick
// depends on is in save(), and its hash is in the digest.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "agent/agent_nodes.h"
#include "agent/agent_sensors.h"
#include "agent/driver.h"
#include "agent/neighbours.h"
#include "core/fields.h"
#include "physics/factory.h"
#include "physics/odometry.h"
#include "world/digest.h"

namespace convoy {

// What a user may want to know about a robot after a run.
struct AgentStatistics {
  double distance = 0;               // m
  std::uint32_t map_contacts = 0;    // ticks in which the static map cut its motion
  std::uint32_t robot_contacts = 0;  // ticks in which another robot did
  std::uint32_t first_contacts = 0;  // of those, how often a new robot was touched
  Duration stuck{0};                 // commanded to move, but moving at less than a tenth of it
};
template <class V, MaybeConst<AgentStatistics> T>
void fields(V& v, T& s) {
  v("distance", s.distance), v("map_contacts", s.map_contacts), v("robot_contacts", s.robot_contacts);
  v("first_contacts", s.first_contacts), v("stuck", s.stuck);
}

// Who may command a robot, and how many commands of others it has ignored since it was made.
struct Rule {
  ControlSource ruler = ControlSource::kAny;
  ControlSource drive_from = ControlSource::kAny;        // who gave the twist that drives it; kAny: none yet
  std::array<std::uint32_t, kControlSources> ignored{};  // commands, by source; [0]: of sources that there are not
};
template <class V, MaybeConst<Rule> T>
void fields(V& v, T& r) {
  v("ruler", r.ruler), v("drive_from", r.drive_from), v("ignored", r.ignored);
}

// What each entity carries, at any depth; an entity that carries nothing is not in it.
using Loads = std::map<WorldNumber, std::vector<Carried>>;

// What one agent gets for tick k, or a part of it, besides the world.
struct AgentTick {
  Instant begin{};  // of the tick
  Duration length{};
  Duration from{0}, to{};  // the part: all physics steps that begin in it; 0 and `length`: the whole tick
  const World* world = nullptr;
  const Grid* grid = nullptr;
  double view_radius = 0;
  bool robots_touch = true;       // agents touch each other
  std::span<const Input> inputs;  // to this agent, in journal order
  const Loads* loads = nullptr;
  const RayWorld* rays = nullptr;                         // at the boundary where it begins, if a sensor casts some
  const std::shared_ptr<Exposures>* exposures = nullptr;  // likewise of cameras
  const SensorRules* sensor_rules = nullptr;
  const SampleTaker* taker = nullptr;  // of samples, beside nodes
  const SampleMeter* meter = nullptr;  // of what samples take; null: nobody wants to know

  bool first() const { return from == Duration(0); }
  bool last() const { return to == length; }
};

// What comes out of it.
struct AgentOutput {
  AgentHash hash;
  std::vector<Message> sent;
  std::vector<WorldNumber> touched;  // robots that cut its motion, and did not in the tick before; ascending
  std::vector<SampleSpent> spent;    // where the tick has a meter
  void clear() { hash = {}, sent.clear(), touched.clear(), spent.clear(); }
};

// Most messages, and bytes of them, that wait for their instant at one agent; beyond it the one due last is dropped,
// and counted in the inner state. (Where the bytes are too many, which are dropped depends on the order in which
// messages are handed over; that is the same on every host.)
inline constexpr std::size_t kMaxPending = 4096;
inline constexpr std::size_t kMaxPendingBytes = 4 * 1024 * 1024;

// What not every agent has.
struct Equipment {
  std::unique_ptr<AgentNodes> nodes;      // its software, or the reason why there is none
  std::unique_ptr<AgentSensors> sensors;  // beside encoders and joints
};

struct OdometryReading;

class Agent {
 public:
  // `setup`: without its scene.
  Agent(const Entity& entity, std::shared_ptr<const Model> model, std::unique_ptr<Physics> physics, const Setup& setup,
        const State& state, Instant first_decision);

  WorldNumber number() const { return number_; }
  const AgentStatistics& statistics() const { return inner_.statistics; }
  const Model& model() const { return *model_; }
  const Physics& physics() const { return *physics_; }
  struct Told {
    Twist twist;
    Duration lasts{0};
  };
  // The drive command from outside that is in force at this instant; zero if there is none.
  Told told(Instant at) const { return at < inner_.drive_until ? Told{inner_.drive, inner_.drive_until - at} : Told{}; }
  const Rule& rule() const { return inner_.rule; }
  std::uint32_t actions() const { return inner_.actions; }  // keys that are held, as last commanded
  // Adds the parameters of its controller, under the name of `node`.
  void answer(const std::string& node, NodesAnswer& out, std::size_t& room) const;
  void answer_rule(NodesAnswer& out, std::size_t& room) const;

  bool subscribes_to(const std::string& topic) const { return driver_ && driver_->subscribes_to(topic); }
  // Set before its first tick.
  Equipment& equipment() { return equipment_; }
  const Equipment& equipment() const { return equipment_; }
  // Delivers the message at `due`. Agents that receive it share one copy.
  void expect(std::shared_ptr<const Message> message, Instant due);

  // Reads snapshot k at `slot`, writes the state and tail at k+1. A tick may come in parts, each from where the one
  // before has ended; until the last one, the state and tail are where the physics is.
  void advance(const AgentTick& tick, Slot slot, State& next, std::span<double> next_tail, AgentOutput& out);
  // Instead of advance() while it is attached to another entity: its physics rests, its nodes go on.
  void ride(const AgentTick& tick, Slot slot, AgentOutput& out);
  AgentHash hash() const;

  // The state was changed from outside: velocities are read anew, and the joints, at rest, if there is a tail.
  void reread(const State& state, std::span<const double> tail = {}) { physics_->put(state, tail); }
  // The same with all that moves it. Bytes that its physics does not take are left out.
  void put(const PutBody& body, const State& state, Instant now);
  void set_part(const SetPart& part, Instant now) { physics_->set_part(part, now); }
  // Who alone commands it from now on; empty: everybody may. What others have commanded ends.
  void hold(const std::string& holder);
  // What its physics feels in the state at `slot`. Of physics that cannot tell, `whole` is false, and the contacts are those
  // of the last tick by name alone.
  Feeling feel(const AgentTick& tick, Slot slot, bool& whole) const;
  // What its sensor of that name shows at the boundary where the tick begins.
  Result<Sample> look(std::string_view sensor, const AgentTick& tick, Slot slot) const;
  // Bodies that it carries, by number; from the world's attachments.
  void set_carried(std::vector<Carried> carried) { carried_ = std::move(carried), near_.forget(); }
  const std::vector<Carried>& carried() const { return carried_; }

  void save(Bytes& out) const;
  // False, and nothing changed, if the bytes are not those of such an agent.
  bool load(ByteView bytes);
  DescribeFields::List describe() const;

 private:
  struct Pending {
    Instant due{};
    std::shared_ptr<const Message> message;
    std::size_t bytes() const { return message->topic.size() + message->payload.size(); }
  };
  template <class V, MaybeConst<Pending> T>
  friend void fields(V& v, T& p) {
    v("due", p.due);
    if constexpr (std::is_const_v<T>) {
      v("message", *p.message);
    } else {  // may change it, for this agent alone
      auto own = p.message ? std::make_shared<Message>(*p.message) : std::make_shared<Message>();
      v("message", *own);
      p.message = std::move(own);
    }
  }
  struct Inner {
    Twist drive;  // from outside
    Instant drive_until{};
    Rule rule;
    std::uint32_t actions = 0;
    Twist own;  // from the driver
    Instant own_until{};
    Instant next_decision{};
    std::uint32_t sent = 0;        // messages so far
    std::uint64_t events = 0;      // hash of the order of what happened inside
    std::uint32_t overflowed = 0;  // messages dropped by these bounds
    Random random;                 // the driver's
    Odometry odometry;
    std::vector<WorldNumber> touching;  // last tick's contacts
    AgentStatistics statistics;
    std::vector<Pending> pending;  // by (due, sender, index)
  };
  template <class V, MaybeConst<Inner> T>
  friend void fields(V& v, T& i) {
    v("drive", i.drive), v("drive_until", i.drive_until), v("rule", i.rule), v("actions", i.actions);
    v("own", i.own), v("own_until", i.own_until);
    v("next_decision", i.next_decision), v("sent", i.sent), v("events", i.events), v("overflowed", i.overflowed);
    v("random", i.random), v("odometry", i.odometry), v("touching", i.touching), v("statistics", i.statistics);
    v("pending", i.pending);
  }

  friend OdometryReading odometry_of(const Agent& agent);

  void save_inner(SaveFields& out) const;
  void deliver_until(Instant end, const AgentTick& tick, Slot slot, AgentOutput& out);
  void decide(Instant now, const AgentTick& tick, Slot slot, AgentOutput& out);
  void take_inputs(const AgentTick& tick);
  struct TakeInput;
  bool obeys(ControlSource source, const std::string& holder = {});
  void sense(const AgentTick& tick, Slot slot, AgentOutput& out);
  void run_nodes_at_begin(const AgentTick& tick, Slot slot);
  void finish(Instant end, const State& next, AgentOutput& out);
  void move(const AgentTick& tick, Slot slot, State& next, std::span<double> next_tail, AgentOutput& out);
  void command(const Twist& twist, Instant at, Duration timeout, ControlSource source, const std::string& holder = {});
  void happened(std::uint64_t what, Instant at, WorldNumber who, std::uint32_t index);

  WorldNumber number_;
  DriverSpec driver_spec_;
  std::shared_ptr<const Model> model_;
  std::unique_ptr<Physics> physics_;
  std::unique_ptr<Driver> driver_;
  Equipment equipment_;
  std::vector<Control> controls_;  // for its next physics step, in the tick in progress
  bool odometry_read_ = false;     // at the boundary where the last tick ended
  std::vector<Carried> carried_;
  std::size_t pending_bytes_ = 0;  // of inner_.pending
  Neighbours near_;
  Inner inner_;
  std::string held_by_;  // by a lease; part of the inner state where it is not empty
};

}  // namespace convoy
