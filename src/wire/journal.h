// The journal: everything from outside the agents that a run depends on, with its tick. Setup + journal = the run. What
// agents have changed in the world stands there, too, for comparison.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/fields.h"
#include "world/edit.h"
#include "world/element.h"
#include "world/traffic.h"

namespace convoy {

// A host was lost while tick `tick` - 1 was running: these agents are at boundary `tick` as they were at the one
// before, and what they sent in that tick is gone.
struct Lost {
  std::vector<WorldNumber> agents;
};
template <class V, MaybeConst<Lost> T>
void fields(V& v, T& l) {
  v("agents", l.agents);
}

// A change of one element of an outside program. The content is opaque: bytes of a named type.
struct ElementChanged {
  enum class Kind : std::uint8_t { kAppeared, kChanged, kGone };
  std::string owner;  // the member's name: (owner, id) identifies it in orders and digests
  Owner connection;   // its number in that run, for peers: in no order and no digest
  ElementId id;
  Kind kind{};
  std::string type;        // full name: "convoy.Vehicle"
  std::int64_t stamp = 0;  // ns of simulated time; 0 if gone
  Bytes bytes;             // without the field `connection`; empty if gone
  ElementReach reach;      // what these bytes say of it; of one that is gone: nothing

  friend bool operator==(const ElementChanged&, const ElementChanged&) = default;
};
template <class V, MaybeConst<ElementChanged> T>
void fields(V& v, T& e) {
  v("owner", e.owner), v("connection", e.connection), v("id", e.id), v("kind", e.kind), v("type", e.type);
  v("stamp", e.stamp), v("bytes", e.bytes);
  later(v, "reach", e.reach);
}

// Hash of a change for the digest: all but the connection number.
std::uint64_t element_hash(ElementChanged change);
// Of the changes of one boundary, in their order; 0 if there are none.
std::uint64_t elements_hash(std::span<const ElementChanged> changes);

// A tick began without an outside program of wait_for: it missed its deadline, or has left.
struct Absent {
  std::string name;
  bool gone = false;
};
template <class V, MaybeConst<Absent> T>
void fields(V& v, T& a) {
  v("name", a.name), v("gone", a.gone);
}

// An edit that an agent asked for in the tick before the boundary, or that an element's body makes. It follows from the
// run: a replay works it out again, and compares.
struct AskedEdit {
  WorldNumber agent = kNoEntity;  // who asked; kNoEntity: it is that of an element's body
  std::uint32_t index = 0;        // by which of its messages; of bodies' edits at this boundary, which
  Edit edit;
};
template <class V, MaybeConst<AskedEdit> T>
void fields(V& v, T& a) {
  v("agent", a.agent), v("index", a.index), v("edit", a.edit);
}

struct JournalEntry {
  std::uint32_t run = 0;
  Tick tick = 0;  // the boundary at which it takes effect
  std::variant<Edit, Input, Lost, ElementChanged, Absent, AskedEdit> what;
};
template <class V, MaybeConst<JournalEntry> T>
void fields(V& v, T& e) {
  v("run", e.run), v("tick", e.tick), v("what", e.what);
}

}  // namespace convoy
