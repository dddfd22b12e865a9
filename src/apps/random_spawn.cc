#include "apps/random_spawn.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/nearest.h"

namespace convoy::apps {

namespace {

constexpr std::uint32_t kMaxRobots = 10'000;

const std::vector<std::string> kParameters{"robot_name",      "robot_num", "start_index", "service_namespace",
                                           "models",          "x_lim",     "y_lim",       "linear_vel_lim",
                                           "angular_vel_lim", "duration",  "seed"};

std::string trimmed(std::string text) {
  const auto bare = [](char c) { return c == ' ' || c == '"' || c == '\''; };
  while (!text.empty() && bare(text.back())) text.pop_back();
  std::size_t at = 0;
  while (at < text.size() && bare(text[at])) ++at;
  return text.substr(at);
}

// "[a, b]"; nothing: it has no brackets.
std::vector<std::string> list_in(std::string text) {
  text = trimmed(std::move(text));
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return {};
  std::vector<std::string> out;
  for (std::size_t at = 1; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size() - 1);
    out.push_back(trimmed(text.substr(at, end - at)));
    at = end + 1;
  }
  return out;
}

template <class Number>
bool read(const std::string& text, Number& out) {
  const std::string bare = trimmed(text);
  const auto [end, error] = std::from_chars(bare.data(), bare.data() + bare.size(), out);
  return error == std::errc{} && end == bare.data() + bare.size();
}

bool read(const std::string& text, Range& out) {
  const std::vector<std::string> two = list_in(text);
  return two.size() == 2 && read(two[0], out.low) && read(two[1], out.high) && std::isfinite(out.low) &&
         std::isfinite(out.high);
}

bool read_models(const std::string& text, std::vector<std::string>& out) {
  const std::vector<std::string> list = list_in(text);
  out = list.empty() ? std::vector{trimmed(text)} : list;
  return std::none_of(out.begin(), out.end(), [](const std::string& one) { return one.empty(); });
}

// False: the value is none of that parameter.
bool set(RandomSpawn& out, const std::string& name, const std::string& value) {
  if (name == "robot_name") return out.name = trimmed(value), !out.name.empty();
  if (name == "service_namespace") return out.ns = trimmed(value), true;
  if (name == "models") return read_models(value, out.models);
  if (name == "robot_num") return read(value, out.count) && out.count >= 1 && out.count <= kMaxRobots;
  if (name == "start_index") return read(value, out.start_index) && out.start_index <= kMaxRobots;
  if (name == "x_lim") return read(value, out.x);
  if (name == "y_lim") return read(value, out.y);
  if (name == "linear_vel_lim") return read(value, out.linear);
  if (name == "angular_vel_lim") return read(value, out.angular);
  if (name == "duration") return read(value, out.duration) && out.duration >= 0 && std::isfinite(out.duration);
  return read(value, out.seed);
}

}  // namespace

Status set_parameter(RandomSpawn& out, const std::string& text) {
  const std::size_t at = text.find(":=");
  if (at == text.npos || at == 0)
    return fail(ErrorCode::kInvalid, fmt::format("-p is '{}'; it is written NAME:=VALUE", text));
  const std::string name = text.substr(0, at), value = text.substr(at + 2);
  if (std::find(kParameters.begin(), kParameters.end(), name) == kParameters.end()) {
    const std::string near = nearest_name(name, kParameters);
    return fail(ErrorCode::kInvalid,
                fmt::format("no parameter '{}'; {}", name,
                            near.empty() ? fmt::format("there are {}", fmt::join(kParameters, ", "))
                                         : "did you mean '" + near + "'?"));
  }
  if (!set(out, name, value))
    return fail(ErrorCode::kInvalid, fmt::format("the parameter {} is '{}', which is none of its values", name, value));
  return {};
}

std::vector<std::string> names_of(const RandomSpawn& plan) {
  if (plan.count == 1) return {plan.name};
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < plan.count; ++i) out.push_back(plan.name + std::to_string(plan.start_index + i));
  return out;
}

}  // namespace convoy::apps
