// The journal: everything from outside the agents that a run depends on, with its tick. Setup + journal = the run.
#pragma once

#include <variant>
#include <vector>

#include "world/edit.h"
#include "world/traffic.h"

namespace convoy {

// A host was lost while tick `tick` - 1 was running: these agents stand still at boundary `tick` as they stood before,
// and what they sent in that tick is gone.
struct Lost {
  std::vector<WorldNumber> agents;
};
template <class V> void fields(V& v, Lost& l) { v("agents", l.agents); }

struct JournalEntry {
  std::uint32_t run = 0;
  Tick tick = 0;  // the boundary at which it takes effect
  std::variant<Edit, Input, Lost> what;
};
template <class V>
void fields(V& v, JournalEntry& e) { v("run", e.run), v("tick", e.tick), v("what", e.what); }

}  // namespace convoy
