// What the calls `world` and `elements` tell: the run as a newcomer needs to know it, and what programs have put into it.
#pragma once

#include <nlohmann/json.hpp>

#include "run/run.h"

namespace convoy {

inline constexpr std::size_t kMaxPlaces = 5000;     // start places that are told
inline constexpr std::size_t kMaxMapRuns = 20'000;  // of solid cells
inline constexpr std::size_t kMaxToldElements = 5000;

// name, seed, tick (s), now (s), run, mode, map {width, height (cells), resolution (m), origin [x, y, yaw], solid [[row, first,
// count], ...] from the bottom, walls (m)}, environment, models [{name, category, mass, bounds, radius, height, engine}],
// entities (as many as it begins with: numbers 1 to that), places [{name, model, position, orientation, host}] where the scenario's entities begin; `cut`: what is not all of it.
nlohmann::ordered_json world_facts(Run& run);

// fog, rain, wetness, cloudiness, road_damage, time_of_day; gravity and wind where they are not as robots' files say.
nlohmann::ordered_json environment_facts(const Environment& environment);

// Elements that have a place, or may reach an agent: owner, id, type, stamp (s), position and orientation in the world
// (null: none), parent, radius, to, region, entity (its body; null: it has none).
nlohmann::ordered_json element_facts(Run& run);

}  // namespace convoy
