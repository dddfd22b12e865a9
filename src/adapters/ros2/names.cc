#include "adapters/ros2/names.h"

#include <algorithm>
#include <array>

namespace convoy::ros2 {

namespace {

constexpr std::string_view kTopicPrefix = "rt", kRequestPrefix = "rq", kReplyPrefix = "rr";
constexpr std::string_view kRequestSuffix = "Request", kReplySuffix = "Reply";

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Tokens between slashes: letters, digits and underscores, no digit first, no two underscores in a row.
bool valid_path(std::string_view path) {
  if (path.size() < 2 || path.front() != '/' || path.back() == '/' || path.size() > kMaxNameLength) return false;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const char c = path[i], before = i == 0 ? '\0' : path[i - 1];
    if (c == '/' ? before == '/' : !is_letter(c) && !(is_digit(c) && before != '/')) return false;
    if (c == '_' && before == '_') return false;
  }
  return true;
}

std::string with(std::string_view prefix, std::string_view name, std::string_view suffix = {}) {
  std::string out(prefix);
  return out.append(name).append(suffix);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

}  // namespace

Result<std::string> resolve_name(std::string_view name, std::string_view ns, std::string_view node) {
  std::string base(ns == "/" ? "" : ns), out;
  if (name.starts_with('/')) out = name;
  else if (name == "~") out = base + "/" + std::string(node);
  else if (name.starts_with("~/")) out = base + "/" + std::string(node) + std::string(name.substr(1));
  else out = base + "/" + std::string(name);
  if (!valid_path(out)) return fail(ErrorCode::kInvalid, "'" + out + "' is no name of ROS 2");
  return out;
}

Result<std::string> valid_namespace(std::string_view ns) {
  if (ns.empty() || ns == "/") return "/";
  std::string out = ns.front() == '/' ? std::string(ns) : "/" + std::string(ns);
  if (!valid_path(out)) return fail(ErrorCode::kInvalid, "'" + out + "' is no namespace of ROS 2");
  return out;
}

std::string as_name_part(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const char one = is_letter(c) || is_digit(c) ? c : '_';
    if (one == '_' && !out.empty() && out.back() == '_') continue;
    out += one;
  }
  while (out.size() > 1 && out.back() == '_') out.pop_back();
  if (out.empty() || is_digit(out.front())) out.insert(0, "n");
  return out;
}

std::string dds_topic(std::string_view topic) { return with(kTopicPrefix, topic); }
std::string dds_request(std::string_view service) { return with(kRequestPrefix, service, kRequestSuffix); }
std::string dds_reply(std::string_view service) { return with(kReplyPrefix, service, kReplySuffix); }

std::string dds_type(std::string_view type) {
  std::string out(type);
  replace_all(out, "/", "::");
  const std::size_t last = out.rfind("::");
  if (last == std::string::npos) return out + "_";
  return out.insert(last + 2, "dds_::") + "_";
}

std::optional<RosTopic> ros_topic(std::string_view dds) {
  const auto after = [&](std::string_view prefix, std::string_view suffix) -> std::optional<std::string> {
    if (!dds.starts_with(prefix) || !dds.ends_with(suffix)) return std::nullopt;
    const std::string_view name = dds.substr(prefix.size());
    if (name.size() < suffix.size() + 2 || name.front() != '/') return std::nullopt;
    return std::string(name.substr(0, name.size() - suffix.size()));
  };
  if (const auto topic = after(kTopicPrefix, {})) return RosTopic{TopicKind::kTopic, *topic};
  if (const auto service = after(kRequestPrefix, kRequestSuffix)) return RosTopic{TopicKind::kRequest, *service};
  if (const auto service = after(kReplyPrefix, kReplySuffix)) return RosTopic{TopicKind::kReply, *service};
  return std::nullopt;
}

std::optional<std::string> ros_type(std::string_view dds) {
  constexpr std::string_view kMark = "dds_::";
  std::string out(dds);
  const std::size_t at = out.find(kMark);
  if (at == std::string::npos || !out.ends_with('_')) return std::nullopt;
  out.erase(at, kMark.size());
  out.pop_back();
  replace_all(out, "::", "/");
  return out;
}

std::string_view user_datum(std::string_view user_data, std::string_view key) {
  while (!user_data.empty()) {
    const std::size_t end = std::min(user_data.find(';'), user_data.size());
    const std::string_view pair = user_data.substr(0, end);
    if (const std::size_t sign = pair.find('='); sign != std::string_view::npos && pair.substr(0, sign) == key)
      return pair.substr(sign + 1);
    user_data.remove_prefix(std::min(end + 1, user_data.size()));
  }
  return {};
}

std::string type_hash_datum(std::string_view hash) {
  return hash.empty() ? std::string() : "typehash=" + std::string(hash) + ";";
}

}  // namespace convoy::ros2
