// A run, as calls and roles see it, whichever way its time goes: Conductor (lockstep) and LiveServer (free) implement it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "convoy/result.h"
#include "session/drops.h"
#include "session/questions.h"
#include "wire/datagram.h"
#include "wire/frame.h"
#include "wire/lockstep.h"
#include "world/traffic.h"
#include "world/world.h"

namespace convoy {

enum class LeavePolicy : std::uint8_t { kFreeze = 0, kRemove = 1, kRecover = 2 };

// What a submitted edit came to.
struct EditOutcome {
  Tick tick = 0;                   // the boundary that it changed
  WorldNumber number = kNoEntity;  // of what was spawned
};
using EditDone = std::function<void(const Result<EditOutcome>&)>;

struct HostStatus {
  Owner owner = kNobody;
  std::string name;
  bool present = false;  // has the world, takes part
  bool done = false;     // with the tick in progress
  Tick joined_at = 0;
  std::uint64_t busy_ns = 0;  // advancing agents, all ticks
  std::uint64_t foreign_contacts = 0;
  std::uint64_t states_bytes = 0;
  double divergence = 0;          // free mode: largest distance between a state and what was expected, m
  double mean_divergence = 0;     // m
  Moment lagging_since = kNever;  // since when others wait for it, or it is too far behind them
  HostReport report;              // at the end
  bool reported = false;
  bool gone = false;

  Status take_report(ByteView payload);  // several may follow one another
};

// The software of an agent has come to its end.
struct Ending {
  WorldNumber agent = kNoEntity;
  std::string name;  // of the entity
  int exit_code = 0;
  std::string why;   // an error, for people
  bool run = false;  // the run ends with it
};

// The physics of an agent has given up: it stands still, and the run goes on. Or it is not to be trusted.
struct PhysicsFault {
  WorldNumber agent = kNoEntity;
  std::string name;  // of the entity
  std::string why;
  Tick tick = 0;  // the boundary from which on it is so
  bool stands_still = true;
};

inline constexpr std::size_t kMaxFaultsKept = 1000;

// What a server does to its world. Frames come in by on_frame(), `now` is given.
class Run {
 public:
  virtual ~Run() = default;

  // A host whose scene is loaded comes in, with the world as it stands.
  virtual void join(Owner owner, std::string name) = 0;
  // Somebody without robots who wants to see what happens.
  virtual void attend(Owner owner, const std::string& name) = 0;
  // Gone for good: its agents freeze or vanish.
  virtual void leave(Owner owner) = 0;
  // Gives every entity of the setup an owner (placed by name, else round-robin over the hosts in name order), and
  // begins. Names that no host has are put into `warnings`.
  virtual void start(Moment now, std::vector<std::string>& warnings) = 0;
  // False: not a frame of this mode. trouble(): the host broke the protocol.
  virtual bool on_frame(Owner from, FrameType type, const Payload& payload, Moment now) = 0;
  virtual std::optional<std::pair<Owner, Error>> take_trouble() = 0;
  // False: it cannot be used now; it is to be said again.
  virtual bool on_datagram(Owner, const Datagram&, Moment, Drops& drops) {
    return drops.count(Drop::kUnexpected), true;
  }
  virtual void acked(Owner, std::uint32_t) {}  // the peer has that datagram of mine

  // The answer comes when the edit has been carried out or refused.
  virtual void submit(Edit edit, EditDone done) = 0;
  virtual Status submit(Input input) = 0;
  // Who would get a new entity: the named host, or the one with the fewest agents.
  virtual Result<Owner> place(const std::string& host) const = 0;

  virtual Tick pause() = 0;  // the boundary at which time will stand still
  virtual bool paused() const = 0;
  virtual void resume(Moment now) = 0;
  // n more ticks, then paused again; `done` gets the boundary reached. Only while paused.
  virtual Status step(std::uint64_t ticks, std::function<void(Tick)> done) = 0;
  virtual Status set_speed(double factor, Moment now) = 0;
  virtual double speed() const = 0;
  // The run ends at the next boundary.
  virtual void finish() = 0;

  // Does all that can be done now; deadline(): when there is more.
  virtual void proceed(Moment now) = 0;
  virtual Moment deadline() const = 0;
  // Peers learn of the edits that were carried out, as far as they have not.
  virtual void tell_edits() {}

  virtual const char* phase_name() const = 0;
  virtual bool gathering() const = 0;  // not begun: hosts are loading
  virtual bool over() const = 0;
  virtual bool all_reported() const = 0;
  virtual Tick tick() const = 0;
  // The tick at whose beginning what is submitted now takes effect.
  virtual Tick next_tick() const = 0;
  // Programs without which the next tick does not begin, and which have not said that they are ready for it.
  virtual std::vector<std::string> awaited() const { return {}; }
  virtual std::uint32_t run() const = 0;
  virtual std::uint64_t ticks_done() const = 0;
  virtual std::string digest_text() const = 0;  // 16 hex digits; "none" in free mode
  virtual Instant now() const = 0;
  virtual const World& world() const = 0;
  // Where an entity is now; where time goes on by itself, world() may be older.
  virtual const State& state(Slot slot) { return world().snapshot().state(slot); }
  virtual const Setup& setup() const = 0;  // without the map's cells and the entities
  virtual const std::map<Owner, HostStatus>& hosts() const = 0;
  virtual std::uint64_t updates_in() const = 0;
  virtual std::uint64_t updates_out() const = 0;
  virtual std::uint64_t spawned() const = 0;
  virtual std::uint64_t deleted() const = 0;
  // Asks all hosts that take part; between ticks, and while they last. Those that are silent until then are left out.
  virtual void ask(Bytes question, Moment until, Questions::Done done) = 0;
  Questions& questions() { return questions_; }
  const std::vector<Ending>& endings() const { return endings_; }  // by boundary, then by agent

  const std::vector<PhysicsFault>& physics_faults() const { return physics_faults_; }  // of this run, in their order

  std::uint64_t contacts_between_hosts() const {
    std::uint64_t sum = 0;
    for (const auto& [owner, host] : hosts()) sum += host.foreign_contacts;
    return sum;
  }

 protected:
  // Takes note of a message, if it says that.
  void note_fault(const Message& message, Tick tick);

  std::vector<Ending> endings_;
  std::vector<PhysicsFault> physics_faults_;
  Questions questions_;
};

}  // namespace convoy
