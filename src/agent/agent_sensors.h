// The sensors of one robot: when each samples, who takes it, and the samples that wait for their delivery.
//
// A sensor samples at the first boundary at which it is due, from the snapshot of that boundary. Its samples come a tick
// later or after its latency; those of immediate types (sensing/sensor.h) at once. A sample that nobody takes is not
// computed, and changes nothing: its number counts all the same. One that the scenario lets sample elsewhere may be given a
// host: then its samples are ordered there, and waited for where they are due.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agent/agent_nodes.h"
#include "agent/sample_meter.h"
#include "agent/sample_queue.h"
#include "agent/sample_taker.h"
#include "sensing/exposures.h"
#include "sensing/mount.h"
#include "sensing/sample_order.h"
#include "sensing/schedule.h"
#include "sensing/sensor.h"

namespace convoy {

// What a robot's sensors may see at a boundary, or between two where its physics makes steps: its own state is that of the
// instant, everything else as at the boundary before.
struct SensedWorld {
  Instant now{};
  Duration tick{};
  const World* world = nullptr;
  Slot slot = kNoSlot;
  const RayWorld* rays = nullptr;                         // where some are cast
  const std::shared_ptr<Exposures>* exposures = nullptr;  // null: nobody draws
  const Grid* grid = nullptr;
  const RobotInside* inside = nullptr;
  const State* state = nullptr;  // its own at that instant, with its joints
  std::span<const double> joints;
  bool rides = false;  // its physics rests: nothing happens between boundaries
  const SensorRules* rules = nullptr;
  const SampleTaker* taker = nullptr;  // beside nodes
  // What samples take that might be computed elsewhere is measured by it, and added to `spent`; null: it is not.
  const SampleMeter* meter = nullptr;
  std::vector<SampleSpent>* spent = nullptr;
};

class AgentSensors {
 public:
  // Null: the entity has none. `sensors`: those of all robots; `beginning`: when its sample 0 is due, but for its
  // offset; `step`: of its physics, the tick where it has none.
  static std::unique_ptr<AgentSensors> make(const Entity& entity, std::shared_ptr<const Shapes> shapes,
                                            SensorBook& sensors, const SensorRules& rules, Duration tick, Duration step,
                                            Instant beginning);

  // Does one of them cast rays at that boundary?
  bool casts_at(Instant now, Duration tick, const AgentNodes* nodes, const SampleTaker* taker) const;
  // What its cameras take at that boundary, as somebody needs it: a shot for each, by its place in the robot's specs.
  std::vector<std::pair<std::uint32_t, Shot>> shots(const SensedWorld& at, const Model& model,
                                                    const AgentNodes* nodes) const;
  // The host that computes the samples of the sensor at that place; kNobody: they are computed here. One that may not leave
  // stays.
  void give(std::uint32_t sensor, Owner host);
  // Before a tick begins: adds what is due at its boundary from hosts, and somebody takes. From then on it is ordered. A
  // sensor of which an older sample was put off leaves this one out: a host that is too slow gets no more than it can do.
  // `gravity`: of its robot; `but`: sensors that change at this boundary, by name. How many were left out.
  struct Ordered {
    Owner host = kNobody;
    Instant due{};  // when it is delivered
    SampleOrder order;
  };
  std::size_t order(const SensedWorld& at, const Vec3& gravity, const AgentNodes* nodes,
                    std::span<const std::string> but, std::vector<Ordered>& out);
  // Takes the samples that are due. Once at each boundary. What is wrong with sensors, each once: one that its robot cannot
  // have, and what samples nothing.
  std::vector<std::string> sense(const SensedWorld& at, const Model& model, const AgentNodes* nodes);
  // Is a sample due within a tick that somebody needs, at the end of a physics step?
  bool wants_step(Instant at, const AgentNodes* nodes, const SampleTaker* taker) const;
  // Takes those. In order of time, at instants that are wanted; what is wrong is told by the next sense().
  void sense_step(const SensedWorld& at, const Model& model, const AgentNodes* nodes);
  bool has_steps() const { return has_steps_; }
  // What the sensor of that name shows at a boundary, before sense(): its newest sample if it takes one then, that which it
  // would take else. Changes nothing.
  Result<Sample> look(std::string_view name, const SensedWorld& at, const Model& model) const;
  // Of a camera: what is to be drawn for look(), by its place in the robot's specs. Nothing: it is none, or takes none.
  std::optional<std::pair<std::uint32_t, Shot>> shot(std::string_view name, const SensedWorld& at,
                                                     const Model& model) const;
  // How the sensor of that name works; as by default: there is none.
  SensorTraits traits_of(std::string_view name) const;
  // What is due at that boundary, behind sense().
  void deliver(Instant now);
  // What is due goes to nodes and to the taker from here.
  SampleQueue& queue() { return queue_; }
  const SampleQueue& queue() const { return queue_; }
  // At the boundary `now`, before sense(). A new period, and a sensor that was off, begin at the next boundary: in this one
  // rays are cast for who was due before. Sensors and parameters that are not known are left alone.
  void change(const SetSensor& change, Instant now, Duration tick);

  // What later samples depend on. Samples that wait are not in it: nodes and takers, who get those, are not saved either.
  void save(SaveFields& out) const;
  bool load(Reader& in);
  void describe(DescribeFields::List& out) const;

 private:
  struct One {
    std::uint32_t number;    // its place in the robot's specs
    const SensorSpec* spec;  // of the entity's kind, which stays
    const SensorType* type;
    std::shared_ptr<const Sensor> sensor;  // null: it samples nothing
    bool may_leave = false;  // it may sample on another machine: its samples are of boundaries, and never at once
    Duration period{0}, offset{0};           // as its spec, its type and its number have it
    Duration grid{0};                        // from one instant at which it may sample to the next
    std::size_t speed = 0;                   // of kept_.speeds, if it needs an acceleration
    std::size_t memory = 0;                  // of kept_.memories, if it remembers
    Owner host = kNobody;                    // that computes its samples
    std::optional<std::uint64_t> ordered{};  // its newest sample that was ordered, or left out
    bool left_out = false;                   // that one was
    bool is_ordered(std::optional<std::uint64_t> index) const { return index && ordered == index; }
    Duration latency(Duration tick) const;
    // Makes it with these parameters.
    Status use(const Bytes& parameters);
    std::function<SampleData()> exposed(const SensedWorld& at, WorldNumber robot, std::uint64_t index) const;
  };
  static constexpr Instant kOff = Instant::max();
  // When one samples.
  struct Timing {
    Schedule schedule{};
    std::uint64_t first = 0;  // number of the sample that is due at its beginning
    Instant on_from{};        // it samples from here on; kOff: not
    // The number of the sample that is taken at that boundary, or was last.
    std::uint64_t newest(Instant now) const {
      const std::uint64_t next = first + schedule.first_from(now + Duration(1));
      return next > 0 ? next - 1 : 0;
    }
    friend bool operator==(const Timing&, const Timing&) = default;
  };
  // What calls have changed of one.
  struct Changed {
    std::uint32_t sensor = 0;
    Timing timing;
    Bytes parameters{};  // empty: those of its spec
    friend bool operator==(const Changed&, const Changed&) = default;
  };
  template <class V, MaybeConst<Changed> T>
  friend void fields(V& v, T& c) {
    v("sensor", c.sensor), v("schedule", c.timing.schedule), v("first", c.timing.first);
    v("on_from", c.timing.on_from), v("parameters", c.parameters);
  }
  struct Kept {
    Instant beginning{};
    std::uint64_t digest = 0;         // of all samples so far, where they count
    std::uint64_t discontinuity = 0;  // of the state, when speeds were seen
    bool seen = false;                // speeds were, at the boundary before
    std::vector<Vec3> speeds;         // of those that need an acceleration, in W, m/s
    std::vector<Instant> speeds_at;   // when they were seen, if between boundaries, too
    std::vector<Bytes> memories;      // of those that remember
    std::vector<Changed> changed;     // in the order of sensors
    std::vector<std::uint32_t> mute;  // sensors that could not take a sample, which was told
  };
  template <class V, MaybeConst<Kept> T>
  friend void fields(V& v, T& k) {
    v("beginning", k.beginning), v("digest", k.digest), v("discontinuity", k.discontinuity), v("seen", k.seen);
    v("speeds", k.speeds);
    later(v, "memories", k.memories), later(v, "changed", k.changed);
    later(v, "mute", k.mute), later(v, "speeds_at", k.speeds_at);
  }

  // What it may know at a boundary, for its sample of that number.
  SensorView view_of(const One& one, const SensedWorld& at, const Model& model, std::uint64_t index) const;
  // The number of the sample that is due at a boundary; nothing: none is.
  std::optional<std::uint64_t> due(const One& one, Instant now, Duration span) const;
  bool is_taken(const One& one, std::uint64_t index, const AgentNodes* nodes, const SampleTaker* taker) const;
  void sense_one(const One& one, const SensedWorld& at, const Model& model, const AgentNodes* nodes);
  const Changed* changed(const One& one) const;
  Timing timing(const One& one) const;
  One* find(std::uint32_t number);
  const One* find(std::string_view name) const;
  void look_over(const SensedWorld& at);
  bool is_dropped(const One& one, const Sample& sample);

  WorldNumber robot_;
  Pose origin_;
  std::shared_ptr<const EntityKind> kind_;
  std::shared_ptr<const Shapes> shapes_;
  bool digest_ = false;
  std::vector<One> all_;
  std::vector<std::string> troubles_;  // to be told
  bool has_steps_ = false;             // some sample at physics steps
  bool looked_over_ = false;           // since it was made
  SampleQueue queue_;
  Kept kept_;
};

}  // namespace convoy
