// A run, as calls and roles see it: Conductor (lockstep) and LiveServer (free mode) implement it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "convoy/result.h"
#include "run/books.h"
#include "run/time_control.h"
#include "session/drops.h"
#include "wire/datagram.h"
#include "wire/frame.h"
#include "world/traffic.h"

namespace convoy {

// What becomes of the robots of a host that is lost.
enum class LeavePolicy : std::uint8_t { kFreeze = 0, kRemove = 1, kRecover = 2 };

// Where a run has got to.
struct RunPosition {
  const char* phase = "";
  bool gathering = false;  // not begun: hosts are loading
  bool over = false;
  std::uint32_t run = 0;
  Tick tick = 0;
  Tick next_tick = 0;  // at whose beginning what is submitted now takes effect
  std::uint64_t ticks_done = 0;
  Instant now{};
  std::optional<std::uint64_t> digest;  // none in free mode
};

// What a server does to its world. Frames come in by on_frame(), `now` is given.
class Run {
 public:
  virtual ~Run() = default;

  // A host whose scene is loaded comes in, with the world as it is then.
  virtual void join(Owner owner, std::string name) = 0;
  // A guest, without robots, that wants to see what happens: all of it, or, a viewer, as much as it can take.
  // A sensor host sees what samples are ordered from it for.
  enum class Sees : std::uint8_t { kAll, kWhatItAsksFor, kWhatIsOrdered };
  virtual void attend(Owner owner, const std::string& name, Sees sees) = 0;
  // Gone for good: its agents freeze or vanish.
  virtual void leave(Owner owner) = 0;
  // Gives every entity of the setup an owner (placed by name, else round-robin over the hosts in name order), and
  // begins. Names that no host has are put into `warnings`.
  virtual void start(Moment now, std::vector<std::string>& warnings) = 0;
  // False: not a frame of this mode. A breach of the protocol is recorded in books().trouble.
  virtual bool on_frame(Owner from, FrameType type, const Payload& payload, Moment now) = 0;
  // False: it cannot be used now; it is to be sent again.
  virtual bool on_datagram(Owner, const Datagram&, Moment, Drops& drops) {
    return drops.count(Drop::kUnexpected), true;
  }
  virtual void acked(Owner, std::uint32_t) {}  // the peer has that datagram

  // The answer comes when the edit has been carried out or refused.
  virtual void submit(Edit edit, EditDone done) = 0;
  virtual Status submit(Input input) = 0;
  // The run ends at the next boundary.
  virtual void finish() = 0;

  // Does all that can be done now; deadline(): when there is more.
  virtual void proceed(Moment now) = 0;
  virtual Moment deadline() const = 0;
  // Peers learn of the edits that were carried out, as far as they have not.
  virtual void send_edits() {}

  virtual RunPosition position() const = 0;
  // Programs without which the next tick does not begin, and which have not reported that they are ready for it.
  virtual std::vector<std::string> awaited() const { return {}; }
  // Where an entity is now; where time goes on by itself, world() may be older.
  virtual const State& state(Slot slot) { return world().snapshot().state(slot); }
  virtual Books& books() = 0;
  virtual const Books& books() const = 0;

  SensorPlaces& places() { return *books().places; }
  const SensorPlaces& places() const { return *books().places; }
  TimeControl& time() { return *books().time; }
  const TimeControl& time() const { return *books().time; }
  const World& world() const { return books().world; }
  const Setup& setup() const { return books().setup; }
  const std::map<Owner, HostStatus>& hosts() const { return books().roll.all(); }
  std::uint32_t run() const { return books().run; }
  Tick tick() const { return position().tick; }
  Tick next_tick() const { return position().next_tick; }
  std::uint64_t ticks_done() const { return position().ticks_done; }
  Instant now() const { return position().now; }
  // 16 hex digits; "none" in free mode.
  std::string digest_text() const;
  bool gathering() const { return position().gathering; }
  bool over() const { return position().over; }
  // The owner that a new entity would get: the named host, or the one with the fewest agents.
  Result<Owner> place(const std::string& host) const {
    return least_loaded(world(), books().roll.present_names(), host);
  }
  // Asks all hosts that take part, or one; between ticks, and while they last. Those that are silent until then are left
  // out.
  void ask(Bytes question, Moment until, Questions::Done done, Owner one = kNobody) {
    const std::vector<Owner> hosts = one == kNobody ? books().roll.present_owners() : std::vector<Owner>{one};
    books().questions.ask(hosts, std::move(question), until, std::move(done), books().send);
  }
};

}  // namespace convoy
