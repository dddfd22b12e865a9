// Parameters as Foxglove's clients see them: ours of the run, and those of nodes, as "/node.name".
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace convoy::web {

class FoxgloveParameters {
 public:
  using Names = std::set<std::string>;

  // Each gives the names of those that have another value now.
  Names set_run(bool paused, double speed);
  Names set_nodes(const nlohmann::json& reply);  // to the call `nodes` of kind 3

  static bool is_ours(const std::string& name);
  // As the protocol's `parameterValues` has them; of all if none is named. Those that are not known are left out.
  nlohmann::json json_of(const std::vector<std::string>& names) const;

 private:
  std::map<std::string, nlohmann::json> values_;
};

}  // namespace convoy::web
