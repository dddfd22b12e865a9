// What a recording holds, for people and as JSON: replay and plot print it.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "lockstep/opening_elements.h"
#include "record/recording.h"

namespace convoy::apps {

struct RecordingFacts {
  std::uint64_t edits = 0, inputs = 0, losses = 0;
  std::uint64_t asked = 0;  // edits that agents asked for
  ElementCounts elements;
  std::map<std::string, std::uint64_t> by_type;  // entries of elements: "convoy.Vehicle of alice"
  std::map<std::string, std::uint64_t> missed;   // deadlines, by program
};
RecordingFacts facts_of(const Recording& recording);

// Lines of what outside programs had in the run; empty if there were none.
std::string outside_text(const RecordingFacts& facts);

// "run 1, tick 20 (0.2 s)"
std::string place_text(Place place, Duration tick);

// What is wrong with a file that is not intact.
std::string damage_text(const Recording& recording);

// The fields that replay and plot have in common.
nlohmann::ordered_json json_of(const std::string& file, const Recording& recording, const RecordingFacts& facts);

}  // namespace convoy::apps
