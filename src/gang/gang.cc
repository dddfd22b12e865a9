#include "gang/gang.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace convoy::gang {

namespace {

using Json = nlohmann::json;

Error unreadable(const char* what) { return {ErrorCode::kInvalid, fmt::format("is no {}", what), {}}; }

// A field of the type, or nothing.
template <class T>
bool take(const Json& json, const char* name, T& value) {
  const auto at = json.find(name);
  if (at == json.end()) return false;
  if constexpr (std::is_same_v<T, int>) {
    if (!at->is_number_integer()) return false;
  } else {
    if (!at->is_string()) return false;
  }
  value = at->get<T>();
  return true;
}

bool take_rank(const Json& json, Rank& rank) {
  const auto argv = json.find("argv");
  if (!json.is_object() || !take(json, "name", rank.name) || argv == json.end() || !argv->is_array()) return false;
  for (const Json& word : *argv) {
    if (!word.is_string()) return false;
    rank.argv.push_back(word.get<std::string>());
  }
  if (const auto environment = json.find("environment"); environment != json.end()) {
    if (!environment->is_object()) return false;
    for (const auto& [name, value] : environment->items()) {
      if (!value.is_string()) return false;
      rank.environment[name] = value.get<std::string>();
    }
  }
  return !rank.argv.empty();
}

}  // namespace

std::string text_of(const Gang& gang) {
  Json ranks = Json::array();
  for (const Rank& rank : gang.ranks) {
    Json one{{"name", rank.name}, {"argv", rank.argv}};
    if (!rank.environment.empty()) one["environment"] = rank.environment;
    ranks.push_back(std::move(one));
  }
  const Json all{{"name", gang.name},           {"folder", gang.folder},   {"exe", gang.exe},
                 {"interface", gang.interface}, {"threads", gang.threads}, {"patience_s", gang.patience_s},
                 {"ranks", std::move(ranks)}};
  return all.dump(2) + "\n";
}

Result<Gang> parse_gang(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  Gang out;
  if (!json.is_object() || !take(json, "name", out.name) || !take(json, "folder", out.folder) ||
      !take(json, "exe", out.exe) || !take(json, "interface", out.interface) || !take(json, "threads", out.threads) ||
      !take(json, "patience_s", out.patience_s))
    return tl::unexpected(unreadable("job's description"));
  const auto ranks = json.find("ranks");
  if (ranks == json.end() || !ranks->is_array() || ranks->empty() || ranks->size() > kMaxRanks)
    return tl::unexpected(unreadable("job's description"));
  for (const Json& one : *ranks)
    if (!take_rank(one, out.ranks.emplace_back())) return tl::unexpected(unreadable("job's description"));
  return out;
}

std::string filled(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values) {
    const std::string word = "{" + name + "}";
    for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; at += value.size())
      text.replace(at, word.size(), value);
  }
  return text;
}

std::string attempt_folder(const std::string& folder, int attempt) {
  return fmt::format("{}/attempt-{}", folder, attempt);
}
std::string log_file(const std::string& attempt, const std::string& rank) { return attempt + "/" + rank + ".log"; }
std::string output_file(const std::string& attempt, const std::string& rank) { return attempt + "/" + rank + ".out"; }
std::string end_file(const std::string& attempt, const std::string& rank) { return attempt + "/" + rank + ".end"; }

std::string text_of(const RankEnd& end) {
  return Json{{"status", end.status}, {"signal", end.signal}, {"text", end.text}}.dump() + "\n";
}

Result<RankEnd> parse_end(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  RankEnd out;
  if (!json.is_object() || !take(json, "status", out.status) || !take(json, "signal", out.signal) ||
      !take(json, "text", out.text))
    return tl::unexpected(unreadable("rank's end"));
  return out;
}

}  // namespace convoy::gang
