#include "arguments.hpp"

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <fstream>
#include <sstream>

namespace convoy::ros {
namespace {

using Setting = nodes::ParameterValue;

Setting scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;  // it is in quotes
  if (node.IsNull() || text == "~" || text == "null") return {};
  for (const char* word : {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y"})
    if (text == word) return true;
  for (const char* word : {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N"})
    if (text == word) return false;
  // Numbers: decimal, 0x and 0o; a text that only begins like one is a text.
  std::int64_t integer;
  const bool sign = !text.empty() && (text[0] == '-' || text[0] == '+');
  const std::string digits = text.substr(sign ? 1 : 0);
  const int base = digits.rfind("0x", 0) == 0 ? 16 : digits.rfind("0o", 0) == 0 ? 8 : 10;
  const std::string whole = (text[0] == '-' ? "-" : "") + (base == 10 ? digits : digits.substr(2));
  const auto read = std::from_chars(whole.data(), whole.data() + whole.size(), integer, base);
  if (read.ec == std::errc() && read.ptr == whole.data() + whole.size() && !digits.empty()) return integer;
  double real;
  if (!digits.empty() && (std::isdigit(static_cast<unsigned char>(digits[0])) || digits[0] == '.') &&
      YAML::convert<double>::decode(node, real))
    return real;
  return text;
}

// One vector of what all elements are.
Result<Setting> sequence(const YAML::Node& node) {
  std::vector<Setting> values;
  for (const YAML::Node& element : node) {
    if (!element.IsScalar()) return fail(ErrorCode::kInvalid, "an array of something other than values");
    values.push_back(scalar(element));
    if (values.back().index() != values[0].index()) return fail(ErrorCode::kInvalid, "an array of mixed types");
  }
  if (values.empty()) return fail(ErrorCode::kInvalid, "an empty array, which has no type");
  const auto all = [&]<class T>(std::vector<T> out) {
    for (const Setting& value : values) out.push_back(std::get<T>(value));
    return Setting(std::move(out));
  };
  switch (nodes::type_of(values[0])) {
    case nodes::ParameterType::kBool: return all(std::vector<bool>{});
    case nodes::ParameterType::kInteger: return all(std::vector<std::int64_t>{});
    case nodes::ParameterType::kDouble: return all(std::vector<double>{});
    case nodes::ParameterType::kString: return all(std::vector<std::string>{});
    default: return fail(ErrorCode::kInvalid, "an array of something without a type");
  }
}

Result<Setting> value_of(const YAML::Node& node) {
  if (node.IsSequence()) return sequence(node);
  if (node.IsScalar() || node.IsNull()) return scalar(node);
  return fail(ErrorCode::kInvalid, "no value");
}

class FileReader {
 public:
  FileReader(Arguments& out, const std::string& file) : out_(out), file_(file) {}

  // Namespaces and nodes, down to "ros__parameters".
  Status nodes(const YAML::Node& map, const std::string& name) {
    if (!map.IsMap()) return bad(map, name, "is no map of nodes");
    for (const auto& entry : map) {
      const std::string key = entry.first.Scalar();
      if (key == "ros__parameters") {
        if (auto ok = parameters(entry.second, name, ""); !ok) return ok;
        continue;
      }
      const std::string below = name.empty() || key[0] == '/' || name.back() == '/' ? name + key : name + "/" + key;
      if (auto ok = nodes(entry.second, below); !ok) return ok;
    }
    return {};
  }

 private:
  Status parameters(const YAML::Node& map, const std::string& node, const std::string& prefix) {
    if (map.IsNull()) return {};
    if (!map.IsMap()) return bad(map, prefix.empty() ? "ros__parameters" : prefix, "is no map of parameters");
    for (const auto& entry : map) {
      const std::string name = prefix.empty() ? entry.first.Scalar() : prefix + "." + entry.first.Scalar();
      if (entry.second.IsMap()) {
        if (auto ok = parameters(entry.second, node, name); !ok) return ok;
        continue;
      }
      auto value = value_of(entry.second);
      if (!value) return bad(entry.second, name, ("is " + value.error().text).c_str());
      out_.parameters.push_back({node, name, std::move(*value)});
    }
    return {};
  }
  Status bad(const YAML::Node& at, const std::string& field, const char* what) {
    return fail(ErrorCode::kInvalid, what, file_ + ":" + std::to_string(at.Mark().line + 1) + ": " + field);
  }

  Arguments& out_;
  const std::string& file_;
};

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  std::istringstream in(path);
  for (std::string part; std::getline(in, part, '/');)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

bool fit(const std::vector<std::string>& pattern, std::size_t i, const std::vector<std::string>& name, std::size_t k) {
  if (i == pattern.size()) return k == name.size();
  if (pattern[i] == "**") return fit(pattern, i + 1, name, k) || (k < name.size() && fit(pattern, i, name, k + 1));
  return k < name.size() && (pattern[i] == "*" || pattern[i] == name[k]) && fit(pattern, i + 1, name, k + 1);
}

int level_named(const std::string& name) {
  static const std::map<std::string, int> kLevels{
      {"debug", 10}, {"info", 20}, {"warn", 30}, {"error", 40}, {"fatal", 50}};
  std::string lower;
  for (char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto found = kLevels.find(lower);
  return found == kLevels.end() ? 0 : found->second;
}

// "[node:]from:=to"
struct Assignment {
  std::string node, from, to;
};
Result<Assignment> split(const std::string& text, const char* what) {
  const std::size_t at = text.find(":=");
  if (at == std::string::npos || at == 0)
    return fail(ErrorCode::kInvalid, std::string(what) + " '" + text + "' is not from:=to");
  Assignment a{"", text.substr(0, at), text.substr(at + 2)};
  const std::size_t colon = a.from.find(':');
  if (colon != std::string::npos && a.from.compare(colon, 3, "://") != 0)
    a.node = a.from.substr(0, colon), a.from.erase(0, colon + 1);
  return a;
}

}  // namespace

Result<Setting> parse_parameter(const std::string& yaml) {
  try {
    return value_of(YAML::Load(yaml));
  } catch (const YAML::Exception& e) { return fail(ErrorCode::kInvalid, e.what()); }
}

bool fits(const std::string& pattern, const std::string& full_name) {
  return fit(parts_of(pattern), 0, parts_of(full_name), 0);
}

Status Arguments::add_yaml(const std::string& text, const std::string& file) {
  try {
    return FileReader(*this, file).nodes(YAML::Load(text), "");
  } catch (const YAML::Exception& e) {
    return fail(ErrorCode::kInvalid, e.msg, file + ":" + std::to_string(e.mark.line + 1));
  }
}

Status Arguments::add_file(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) return fail(ErrorCode::kNotFound, "cannot be read", path);
  return add_yaml(text.str(), path);
}

Status Arguments::add(const std::vector<std::string>& words) {
  bool inside = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--ros-args") inside = true;
    else if (word == "--") inside = false;
    if (!inside || word == "--ros-args" || word.rfind("--enable-", 0) == 0 || word.rfind("--disable-", 0) == 0)
      continue;
    static const std::vector<std::string> kKnown{"-r",          "--remap", "-p",       "--param", "--params-file",
                                                 "--log-level", "-e",      "--enclave"};
    if (std::find(kKnown.begin(), kKnown.end(), word) == kKnown.end())
      return fail(ErrorCode::kInvalid, "unknown ROS argument '" + word + "'");
    if (i + 1 == words.size()) return fail(ErrorCode::kInvalid, "'" + word + "' has no value");
    const std::string& value = words[++i];
    if (word == "-r" || word == "--remap") {
      auto a = split(value, "remap");
      if (!a) return tl::unexpected(a.error());
      Rule rule{a->node, a->from, a->to};
      if (rule.from.rfind("rostopic://", 0) == 0) rule.from.erase(0, 11), rule.services = false;
      else if (rule.from.rfind("rosservice://", 0) == 0) rule.from.erase(0, 13), rule.topics = false;
      rules.push_back(std::move(rule));
    } else if (word == "-p" || word == "--param") {
      auto a = split(value, "parameter");
      if (!a) return tl::unexpected(a.error());
      auto parsed = parse_parameter(a->to);
      if (!parsed) return fail(ErrorCode::kInvalid, "parameter '" + value + "': " + parsed.error().text);
      parameters.push_back({a->node.empty() ? "/**" : "/**/" + a->node, a->from, std::move(*parsed)});
    } else if (word == "--params-file") {
      if (auto ok = add_file(value); !ok) return ok;
    } else if (word == "--log-level") {
      const std::size_t at = value.find(":=");
      const int level = level_named(at == std::string::npos ? value : value.substr(at + 2));
      if (level == 0) return fail(ErrorCode::kInvalid, "unknown log level '" + value + "'");
      levels[at == std::string::npos ? "" : value.substr(0, at)] = level;
    }
  }
  return {};
}

}  // namespace convoy::ros
