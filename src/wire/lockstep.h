// The messages of lockstep, as values: Open, States, Messages, Done and what goes with them.
//
// All but States are canonical bytes by named fields (core/fields.h). States is the hot one:
//
//   u32 run | i64 tick | u32 owner | u32 first | u32 count | count records
//   record:  u16 mask | [tail mask: one bit a word, padded to bytes] | changed words, 8 bytes each | u64 inner
//            | [u64 sent, if mask bit 15]
//
// A record is the bit-exact difference to the entity's state at the boundary before. Mask bit i marks word i of the
// State (stamp, position xyz, orientation wxyz, linear xyz, angular xyz), bit 14 for the discontinuity count; the
// stamp's bit is set only if it is not the instant of the boundary. Records are in the order of the owner's entities by
// world number, `first` is the index of the first one: no number travels.
#pragma once

#include <optional>
#include <vector>

#include "convoy/result.h"
#include "wire/frame.h"
#include "wire/journal.h"
#include "world/digest.h"
#include "world/traffic.h"
#include "world/world.h"

namespace convoy {

// Which States frames make up snapshot k: for each owner how many, and the hash of their bytes.
struct Manifest {
  Owner owner = kNobody;
  std::uint32_t frames = 0;
  std::uint64_t hash = 0;
};
template <class V, MaybeConst<Manifest> T>
void fields(V& v, T& m) {
  v("owner", m.owner), v("frames", m.frames), v("hash", m.hash);
}

// Completes snapshot k and edits it, while the run waits at k. Any number of them may come before Open(k).
struct Edits {
  std::uint32_t run = 0;  // counts resets of the whole world
  Tick tick = 0;
  std::vector<Manifest> states;   // of snapshot k before its edits
  std::vector<WorldNumber> held;  // lost in the tick: these are as they were at k-1, whatever States came of them
  std::vector<Edit> edits;        // in this order
};
template <class V, MaybeConst<Edits> T>
void fields(V& v, T& e) {
  v("run", e.run), v("tick", e.tick), v("states", e.states), v("held", e.held), v("edits", e.edits);
}

// What a viewer sees of boundary k, in one frame or several: edits since it last saw the world, then the states: for eyes
// as rows of batches of free mode (wire/live), for sensor hosts exactly (encode_exact()).
struct View {
  std::uint32_t run = 0;
  Tick tick = 0;
  std::vector<Edits> edits;
  Bytes states, exact;
  bool last = false;  // of this boundary
};
template <class V, MaybeConst<View> T>
void fields(V& v, T& w) {
  v("run", w.run), v("tick", w.tick), v("edits", w.edits), v("states", w.states), v("exact", w.exact);
  v("last", w.last);
}

struct Open {
  Edits edits;                 // what was not sent before
  std::uint64_t digest = 0;    // the chain up to boundary k, edits included
  std::vector<Input> inputs;   // take effect at k
  std::uint32_t messages = 0;  // handed over at k, in the Messages frames before
  std::uint64_t elements = 0;  // elements_hash() of the changes that take effect at k, in the Taken frames before
};
template <class V, MaybeConst<Open> T>
void fields(V& v, T& o) {
  v("edits", o.edits), v("digest", o.digest), v("inputs", o.inputs), v("messages", o.messages),
      v("elements", o.elements);
}

// Messages that left agents in tick k-1 and are handed over at k. Several frames may follow one another.
struct Messages {
  std::uint32_t run = 0;
  Tick tick = 0;  // the boundary of hand-over
  std::vector<Message> messages;
};
template <class V, MaybeConst<Messages> T>
void fields(V& v, T& m) {
  v("run", m.run), v("tick", m.tick), v("messages", m.messages);
}

// A client's changes to its elements for the next boundary. May be split over several frames.
struct Push {
  std::uint32_t run = 0;
  std::vector<ElementId> gone;  // first
  struct Set {
    std::uint32_t type = 0;  // element_type_id()
    Bytes bytes;             // of the whole message
  };
  std::vector<Set> set;
};
template <class V, MaybeConst<Push::Set> T>
void fields(V& v, T& s) {
  v("type", s.type), v("bytes", s.bytes);
}
template <class V, MaybeConst<Push> T>
void fields(V& v, T& p) {
  v("run", p.run), v("gone", p.gone), v("set", p.set);
}

// Changes of all elements at boundary `tick`; before a guest's first Open: all elements there are.
struct Taken {
  std::uint32_t run = 0;
  Tick tick = 0;
  std::vector<ElementChanged> changes;
};
template <class V, MaybeConst<Taken> T>
void fields(V& v, T& t) {
  v("run", t.run), v("tick", t.tick), v("changes", t.changes);
}

// An outside program is done with this tick.
struct TickDone {
  std::uint32_t run = 0;
  Tick tick = 0;
};
template <class V, MaybeConst<TickDone> T>
void fields(V& v, T& d) {
  v("run", d.run), v("tick", d.tick);
}

// From a host: the last boundary that the run may reach now; none: no limit. From the server: the boundary that it
// holds instead, because the host's own had passed already.
struct Allow {
  std::uint32_t run = 0;
  std::optional<Tick> through;
};
template <class V, MaybeConst<Allow> T>
void fields(V& v, T& a) {
  v("run", a.run), v("through", a.through);
}

// What a host asks to be done to robots of its own.
struct OwnEdit {
  Edit edit;
  std::string holder;  // as whom, for leases
};
template <class V, MaybeConst<OwnEdit> T>
void fields(V& v, T& e) {
  v("edit", e.edit), v("holder", e.holder);
}

struct Done {
  std::uint32_t run = 0;
  Tick tick = 0;               // the boundary that was reached
  std::uint32_t frames = 0;    // States frames sent
  std::uint64_t hash = 0;      // of their bytes
  std::uint32_t messages = 0;  // sent in Messages frames
  std::uint32_t foreign_contacts = 0;
  std::uint64_t busy_ns = 0;  // time spent advancing; for reports only
  std::uint32_t remote_samples =
      0;  // that sensor hosts have computed and it has taken since the last; for reports only
};
template <class V, MaybeConst<Done> T>
void fields(V& v, T& d) {
  v("run", d.run), v("tick", d.tick), v("frames", d.frames), v("hash", d.hash), v("messages", d.messages);
  v("foreign_contacts", d.foreign_contacts), v("busy_ns", d.busy_ns);
  v("remote_samples", d.remote_samples);
}

// The inner bytes of agents at a boundary: a checkpoint. Several frames may follow.
struct InnerBytes {
  std::uint32_t run = 0;
  Tick tick = 0;
  struct Agent {
    WorldNumber number = kNoEntity;
    Bytes bytes;
  };
  std::vector<Agent> agents;
  std::vector<Agent> under_way;  // what stands behind the bytes of some in a checkpoint, and is in no hash
  bool last = false;
};
template <class V, MaybeConst<InnerBytes::Agent> T>
void fields(V& v, T& a) {
  v("number", a.number), v("bytes", a.bytes);
}
template <class V, MaybeConst<InnerBytes> T>
void fields(V& v, T& c) {
  v("run", c.run), v("tick", c.tick), v("agents", c.agents), v("under_way", c.under_way);
  v("last", c.last);
}

// A question of the server, and a host's answer to it.
struct Ask {
  std::uint64_t id = 0;
  Bytes bytes;
};
template <class V, MaybeConst<Ask> T>
void fields(V& v, T& a) {
  v("id", a.id), v("bytes", a.bytes);
}

// What a host did, at the end.
struct RobotReport {
  WorldNumber number = kNoEntity;
  double distance = 0;
  std::uint32_t map_contacts = 0, robot_contacts = 0, first_contacts = 0;
  Duration stuck{};
  std::uint64_t nodes = 0;      // digest of its nodes; 0: it has none
  std::uint64_t callbacks = 0;  // of its nodes
  std::uint64_t published = 0;  // messages on topics, by its nodes
  std::uint64_t one_sided = 0;  // ticks in touch with what no push moves
};
template <class V, MaybeConst<RobotReport> T>
void fields(V& v, T& r) {
  v("number", r.number), v("distance", r.distance), v("map_contacts", r.map_contacts);
  v("robot_contacts", r.robot_contacts), v("first_contacts", r.first_contacts), v("stuck", r.stuck);
  v("nodes", r.nodes), v("callbacks", r.callbacks), v("published", r.published);
  v("one_sided", r.one_sided);
}
struct HostReport {
  std::uint64_t pid = 0;
  std::uint64_t agent_ticks = 0;
  std::uint64_t cpu_ns = 0;            // of the process; 0 if unknown
  std::uint64_t peak_memory = 0;       // bytes
  std::uint64_t foreign_contacts = 0;  // first contacts with other hosts' robots
  struct Count {
    std::string name;
    std::uint64_t count = 0;
    bool dropped = false;
  };
  std::vector<Count> gateway;  // what passed its doors to programs outside, and what was dropped there
  std::vector<RobotReport> robots;
  bool last = false;  // several frames may follow one another
};
template <class V, MaybeConst<HostReport::Count> T>
void fields(V& v, T& c) {
  v("name", c.name), v("count", c.count), v("dropped", c.dropped);
}
template <class V, MaybeConst<HostReport> T>
void fields(V& v, T& r) {
  v("pid", r.pid), v("agent_ticks", r.agent_ticks), v("cpu_ns", r.cpu_ns), v("peak_memory", r.peak_memory);
  v("foreign_contacts", r.foreign_contacts), v("gateway", r.gateway);
  v("robots", r.robots), v("last", r.last);
}

// One piece of the world image for a member that comes in at boundary `tick`.
struct ImagePiece {
  std::uint32_t run = 0;
  Tick tick = 0;
  std::uint32_t offset = 0, total = 0;
  Bytes bytes;
};
template <class V, MaybeConst<ImagePiece> T>
void fields(V& v, T& p) {
  v("run", p.run), v("tick", p.tick), v("offset", p.offset), v("total", p.total), v("bytes", p.bytes);
}

// Payloads of Messages frames, of about kMaxChunk each; none for no messages.
std::vector<Bytes> encode_messages(std::uint32_t run, Tick tick, std::span<const Message> messages);

// Payloads of Push and Taken frames, likewise.
std::vector<Bytes> encode_push(std::uint32_t run, std::vector<ElementId> gone, std::vector<Push::Set> set);
std::vector<Bytes> encode_taken(std::uint32_t run, Tick tick, std::span<const ElementChanged> changes);

// Payloads of States frames, of about kMaxChunk each: a record more may be in it. They hold the states in `next` as
// changes against `world.snapshot()`.
struct StatesHeader {
  std::uint32_t run = 0;
  Tick tick = 0;
  Owner owner = kNobody;
};
std::vector<Bytes> encode_states(const StatesHeader& header, const World& world, const Snapshot& next,
                                 std::span<const Slot> slots, std::span<const AgentHash> hashes, Instant stamp);

// The states of all entities as they are, in pieces of about kMaxChunk each: | u32 first slot | u32 count | count times the
// words of its State, then of its tail |.
std::vector<Bytes> encode_exact(const World& world);
// Into the snapshot of a world with the same entities. Nothing is written unless the whole piece is sound.
Status decode_exact(ByteView piece, World& world);

// Reads one frame's header; false if it is cut short.
bool peek_states(ByteView payload, StatesHeader& header);

// Applies one frame onto world.next(), for the owner's slots. `hashes`, if not empty, gets the agents' hashes by slot.
// `done` is the index of the next expected record, moved on. Nothing is written unless the whole frame is sound.
Status decode_states(ByteView payload, World& world, std::span<const Slot> slots, Instant stamp,
                     std::span<AgentHash> hashes, std::uint32_t& done);

}  // namespace convoy
