// ROS arguments and parameter files: what they specify for one node.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "convoy/result.h"
#include "nodes/name.h"
#include "nodes/parameters.h"

namespace convoy::ros {

// "-r a:=b -p x:=1 --params-file f --log-level debug" between --ros-args and --, as words of a command line.
struct Arguments {
  struct Rule {
    std::string node;  // the node that it is for; empty: all
    std::string from, to;
    bool topics = true, services = true;
  };
  struct Given {
    std::string node;  // a pattern of full node names: "/**", "/robot/*", "talker"
    std::string name;
    nodes::ParameterValue value;
  };
  std::vector<Rule> rules;
  std::vector<Given> parameters;      // a later one overrides an earlier one
  std::map<std::string, int> levels;  // by logger; "": all

  // Appends what these words specify; words outside --ros-args are passed over.
  Status add(const std::vector<std::string>& words);
  Status add_file(const std::string& path);
  Status add_yaml(const std::string& text, const std::string& file);
};

// What a word of YAML is as a parameter: true, 3, 2.5, "text", [1, 2].
Result<nodes::ParameterValue> parse_parameter(const std::string& yaml);
// Does a node's full name fit a key of a parameter file?
bool fits(const std::string& pattern, const std::string& full_name);

}  // namespace convoy::ros
