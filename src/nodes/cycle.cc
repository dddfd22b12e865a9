#include "nodes/cycle.h"

#include <algorithm>
#include <map>

namespace convoy::nodes {
namespace {

using Edges = std::vector<std::pair<std::string, std::string>>;

bool search(const Edges& edges, std::map<std::string, bool>& finished, std::vector<std::string>& path) {
  const std::string at = path.back();
  for (const auto& [from, to] : edges) {
    if (from != at) continue;
    if (const auto again = std::find(path.begin(), path.end(), to); again != path.end()) {
      path.erase(path.begin(), again);
      std::rotate(path.begin(), std::min_element(path.begin(), path.end()), path.end());
      path.push_back(path.front());
      return true;
    }
    if (finished[to]) continue;
    path.push_back(to);
    if (search(edges, finished, path)) return true;
  }
  finished[at] = true;
  path.pop_back();
  return false;
}

}  // namespace

std::vector<std::string> find_cycle(const Edges& edges) {
  std::map<std::string, bool> finished;
  for (const auto& edge : edges) {
    std::vector<std::string> path{edge.first};
    if (!finished[edge.first] && search(edges, finished, path)) return path;
  }
  return {};
}

}  // namespace convoy::nodes
