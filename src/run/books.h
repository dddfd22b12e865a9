// The data that every run has, in lockstep and in free mode: world, members, waiting edits, endings, counters.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/code_book.h"
#include "run/drawings.h"
#include "run/element_effects.h"
#include "run/endings.h"
#include "run/questions.h"
#include "run/roll.h"
#include "run/seen_samples.h"
#include "run/time_control.h"
#include "run/waiting_edits.h"
#include "wire/journal.h"
#include "world/world.h"

namespace convoy {

struct RunCounts {
  std::uint64_t updates_in = 0, updates_out = 0;  // states
  std::uint64_t spawned = 0, deleted = 0;
  std::uint64_t inputs = 0;  // free mode: commands that were passed on
};

using SendFrame = std::function<void(Owner, FrameType, const Payload&)>;

class SensorPlaces;

struct Books {
  World world;
  Setup setup;                     // without the map's cells and the entities
  SendFrame send;                  // to a member
  TimeControl* time = nullptr;     // of its mode,
  SensorPlaces* places = nullptr;  // too
  std::uint32_t run = 0;           // counts resets of the whole world
  Roll roll;
  WaitingEdits edits;
  Endings endings;
  Questions questions;
  CodeBook code;
  ElementEffects elements;
  Drawings drawings;
  SeenSamples seen;
  std::shared_ptr<const Bytes> beginning;  // canonical bytes of the whole setup; null: of a run that serves nobody
  RunCounts counts;
  std::optional<std::pair<Owner, Error>> trouble;  // the first host that broke the protocol, until it was taken
  std::vector<std::pair<Owner, std::string>>
      declined;  // hosts that may not take part, and why, until they were sent away
};

// As it is journalled: connection numbers are those of one run's hosts, and its replay has others.
Edit without_owner(Edit edit);
JournalEntry journalled(const Books& books, Tick tick, const WaitingEdit& edit);
// Gives what is to be spawned, or returns, to a host that is present. An error: there is none.
Status give_owner(const Books& books, Edit& edit);
// What a host of that name gets back when it comes again: what it left behind and nobody runs, ascending.
std::vector<WorldNumber> returning(const Books& books, const std::string& name);
// The edits that give it back wait. The host is on the roll.
void return_robots(Books& books, Owner owner);

}  // namespace convoy
