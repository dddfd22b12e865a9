// Reads the files of `convoy ctl spawn --file` and `ctl model`: entities to spawn, a model to add, written as in a
// scenario.
//
//   robots:                                       or the list alone; JSON is YAML too
//     - {name: cart_1, model: cart, pose: [1, 2, 1.57], driver: random_walk}
//     - {name: box_1, model: box, pose: [0, 1], frame_of_pose: cart_1}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "convoy/result.h"
#include "world/entity_spec.h"

namespace convoy::scenario {

struct SpawnLine {
  EntitySpec spec;            // its pose is in `frame_of_pose`
  std::string frame_of_pose;  // an entity; empty: the world
};

// `file` is for messages.
Result<std::vector<SpawnLine>> read_spawn_list(std::string_view text, const std::string& file);

// One model: the fields of an entry of `models`, or a `models` list of one. `like` may name a built-in model.
Result<Model> read_model_file(std::string_view text, const std::string& file);

}  // namespace convoy::scenario
