#include "nodes/name.h"

#include <algorithm>

namespace convoy::nodes {
namespace {

// Names are ASCII in any locale.
bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

tl::unexpected<Error> bad(std::string_view what, std::string_view name, const char* why) {
  return fail(ErrorCode::kInvalid, std::string(what) + " '" + std::string(name) + "' " + why);
}

Status check_full_name(std::string_view what, std::string_view name, std::string_view given) {
  if (name.size() < 2 || name.front() != '/') return bad(what, given, "is empty");
  if (name.size() > kMaxNameLength) return bad(what, given, "is too long");
  if (name.back() == '/') return bad(what, given, "ends with a '/'");
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c != '/' && !letter(c) && !digit(c))
      return bad(what, given, "has characters other than a-z, A-Z, 0-9, _ and /");
    if (i == 0 || name[i - 1] != '/') continue;
    if (c == '/') return bad(what, given, "has two '/' in a row");
    if (digit(c)) return bad(what, given, "has a part that starts with a digit");
  }
  return {};
}

}  // namespace

Status check_node_name(std::string_view name) {
  if (name.empty()) return bad("node name", name, "is empty");
  if (digit(name[0])) return bad("node name", name, "starts with a digit");
  if (!std::all_of(name.begin(), name.end(), [](char c) { return letter(c) || digit(c); }))
    return bad("node name", name, "has characters other than a-z, A-Z, 0-9 and _");
  return {};
}

Status check_namespace(std::string_view space) {
  if (space == "/") return {};
  if (space.empty() || space[0] != '/') return bad("namespace", space, "does not start with a '/'");
  return check_full_name("namespace", space, space);
}

std::string full_node_name(const NodeName& name) {
  std::string full(name.space);
  if (full != "/") full += '/';
  return full += name.node;
}

Result<std::string> expand(std::string_view given, const NodeName& node) {
  std::string name;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] != '{') {
      name += given[i];
      continue;
    }
    const std::size_t end = given.find('}', i);
    if (end == std::string_view::npos) return bad("name", given, "has a '{' without '}'");
    const std::string_view word = given.substr(i + 1, end - i - 1);
    if (word == "node") name += node.node;
    else if (word == "ns" || word == "namespace") name += node.space == "/" ? std::string_view{} : node.space;
    else return bad("name", given, "has an unknown substitution");
    i = end;
  }
  if (name.empty()) return bad("name", given, "is empty");
  if (name[0] == '~') {
    if (name.size() > 1 && name[1] != '/') return bad("name", given, "has a '~' that no '/' follows");
    name = full_node_name(node) + name.substr(1);
  } else if (name[0] != '/') {
    name = (node.space == "/" ? "/" : std::string(node.space) + '/') + name;
  }
  if (auto ok = check_full_name("name", name, given); !ok) return tl::unexpected(ok.error());
  return name;
}

Result<std::string> resolve(std::string_view given, NameOf kind, const NodeName& node, std::span<const Remap> remaps) {
  auto name = expand(given, node);
  if (!name) return name;
  for (const Remap& remap : remaps) {
    if (!(kind == NameOf::kTopic ? remap.topics : remap.services)) continue;
    const auto from = expand(remap.from, node);
    if (!from) return from;
    if (*from == *name) return expand(remap.to, node);
  }
  return name;
}

}  // namespace convoy::nodes
