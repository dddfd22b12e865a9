#include "adapters/ros2/robot_text.h"

namespace convoy::ros2 {

namespace {

constexpr std::string_view kBlank = " \t\r\n";

// From the beginning of the first element after `at`, past declarations and comments; npos: there is none.
std::size_t first_element(std::string_view text, std::size_t at) {
  while ((at = text.find('<', at)) != std::string_view::npos) {
    const std::string_view rest = text.substr(at);
    const std::string_view end = rest.starts_with("<!--")                           ? "-->"
                                 : rest.starts_with("<?") || rest.starts_with("<!") ? ">"
                                                                                    : "";
    if (end.empty()) return at;
    at = text.find(end, at);
    if (at != std::string_view::npos) at += end.size();
  }
  return at;
}

struct Tag {
  std::string_view name, attributes;
  std::size_t end = 0;  // behind it
};
Tag tag_at(std::string_view text, std::size_t at) {
  const std::size_t close = std::min(text.find('>', at), text.size());
  const std::size_t name_end = std::min(text.find_first_of(" \t\r\n/>", at + 1), close);
  return {text.substr(at + 1, name_end - at - 1), text.substr(name_end, close - name_end), close};
}

std::string attribute_of(const Tag& tag, std::string_view name) {
  for (std::size_t at = 0; (at = tag.attributes.find(name, at)) != std::string_view::npos; at += name.size()) {
    if (at == 0 || kBlank.find(tag.attributes[at - 1]) == std::string_view::npos) continue;
    const std::size_t sign = tag.attributes.find_first_not_of(kBlank, at + name.size());
    if (sign == std::string_view::npos || tag.attributes[sign] != '=') continue;
    const std::size_t open = tag.attributes.find_first_not_of(kBlank, sign + 1);
    if (open == std::string_view::npos) return {};
    const std::size_t close = tag.attributes.find(tag.attributes[open], open + 1);
    if (close == std::string_view::npos) return {};
    return std::string(tag.attributes.substr(open + 1, close - open - 1));
  }
  return {};
}

// <sdf ...> has a <model name="..."> in it, maybe below a <world>.
std::string name_in_sdf(std::string_view text, std::size_t at) {
  while ((at = first_element(text, at)) != std::string_view::npos) {
    const Tag tag = tag_at(text, at);
    if (tag.name == "model") return attribute_of(tag, "name");
    at = tag.end;
  }
  return {};
}

}  // namespace

std::optional<RobotText> robot_text_of(std::string_view text) {
  const std::size_t at = first_element(text, 0);
  if (at == std::string_view::npos) return std::nullopt;
  const Tag root = tag_at(text, at);
  if (root.name == "robot") return RobotText{RobotFormat::kUrdf, attribute_of(root, "name")};
  if (root.name == "mujoco") return RobotText{RobotFormat::kMjcf, attribute_of(root, "model")};
  if (root.name == "sdf") return RobotText{RobotFormat::kSdf, name_in_sdf(text, root.end)};
  return std::nullopt;
}

const char* suffix_of(RobotFormat format) {
  switch (format) {
    case RobotFormat::kUrdf: return ".urdf";
    case RobotFormat::kMjcf: return ".xml";
    case RobotFormat::kSdf: return ".sdf";
  }
  return "";
}

}  // namespace convoy::ros2
