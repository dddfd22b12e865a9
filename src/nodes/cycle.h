// Finds the cycle in a list of who triggers whom, to name it in an error.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace convoy::nodes {

// The names along one circle of the edges, from the least to itself again; empty if there is none.
std::vector<std::string> find_cycle(const std::vector<std::pair<std::string, std::string>>& edges);

}  // namespace convoy::nodes
