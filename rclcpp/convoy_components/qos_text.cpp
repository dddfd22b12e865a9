#include "qos_text.hpp"

#include <yaml-cpp/yaml.h>

#include <cmath>

#include "os/file.h"

namespace convoy::ros {
namespace {

using Change = std::function<void(rmw_qos_profile_t&)>;
using Names = std::vector<const char*>;  // by the number that rmw gives the value; null: none

const Names kHistories = {"system_default", "keep_last", "keep_all", "unknown"};
const Names kReliabilities = {"system_default", "reliable", "best_effort", "unknown", "best_available"};
const Names kDurabilities = {"system_default", "transient_local", "volatile", "unknown", "best_available"};
const Names kLivelinesses = {"system_default", "automatic", nullptr, "manual_by_topic", "unknown", "best_available"};

tl::unexpected<Error> bad(const std::string& text) { return fail(ErrorCode::kInvalid, text); }

// By name, or by number as bags before version 9 have it.
Result<int> number_of(const Names& names, const std::string& text) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] && (text == names[i] || text == std::to_string(i))) return static_cast<int>(i);
  return bad("unknown value '" + text + "'");
}

// {sec: 1, nsec: 500000000}, or seconds.
Result<rmw_time_t> time_of(const YAML::Node& node) {
  rmw_time_t time{};
  if (node.IsMap()) {
    if (!node["sec"] || !node["nsec"] || node.size() != 2) return bad("a time is {sec, nsec}, or seconds");
    time.sec = node["sec"].as<std::uint64_t>(), time.nsec = node["nsec"].as<std::uint64_t>();
    return time;
  }
  const double seconds = node.as<double>();
  if (!(seconds >= 0 && seconds < 9.2e9)) return bad("a time is not below 0");
  time.sec = static_cast<std::uint64_t>(seconds);
  time.nsec = static_cast<std::uint64_t>(std::llround((seconds - std::floor(seconds)) * 1e9));
  return time;
}

template <class Value>
Result<Change> change_to(Result<int> number, Value rmw_qos_profile_t::*policy) {
  if (!number) return tl::unexpected(number.error());
  const auto value = static_cast<Value>(*number);
  return [value, policy](rmw_qos_profile_t& p) { p.*policy = value; };
}

Result<Change> change_of(const std::string& policy, const YAML::Node& value) {
  using P = rmw_qos_profile_t;
  const auto text = [&] { return value.as<std::string>(); };
  if (policy == "history") return change_to(number_of(kHistories, text()), &P::history);
  if (policy == "reliability") return change_to(number_of(kReliabilities, text()), &P::reliability);
  if (policy == "durability") return change_to(number_of(kDurabilities, text()), &P::durability);
  if (policy == "liveliness") return change_to(number_of(kLivelinesses, text()), &P::liveliness);
  if (policy == "depth") {
    const auto depth = value.as<std::uint32_t>();
    return [depth](P& p) { p.depth = depth; };
  }
  if (policy == "avoid_ros_namespace_conventions") {
    const bool avoid = value.as<bool>();
    return [avoid](P& p) { p.avoid_ros_namespace_conventions = avoid; };
  }
  rmw_time_t P::*time = policy == "deadline"                    ? &P::deadline
                        : policy == "lifespan"                  ? &P::lifespan
                        : policy == "liveliness_lease_duration" ? &P::liveliness_lease_duration
                                                                : nullptr;
  if (!time) return bad("unknown policy");
  const auto given = time_of(value);
  if (!given) return tl::unexpected(given.error());
  return [time, at = *given](P& p) { p.*time = at; };
}

// Errors name what they are about; what yaml-cpp throws becomes one.
template <class F>
auto named(const std::string& where, F parse) -> decltype(parse()) {
  try {
    auto result = parse();
    if (result) return result;
    const Error& error = result.error();
    return fail(error.code, error.text, where + (error.where.empty() ? "" : ": " + error.where));
  } catch (const YAML::Exception& e) {
    return fail(ErrorCode::kInvalid, e.msg.empty() ? "not as it should be" : e.msg, where);
  }
}

Result<std::vector<Change>> changes_of(const YAML::Node& profile) {
  std::vector<Change> changes;
  for (const auto& entry : profile) {
    const auto policy = entry.first.as<std::string>();
    auto change = named("policy '" + policy + "'", [&] { return change_of(policy, entry.second); });
    if (!change) return tl::unexpected(change.error());
    changes.push_back(std::move(*change));
  }
  return changes;
}

}  // namespace

Result<rclcpp::QoS> recorded_qos(const std::string& yaml) {
  return named("offered_qos_profiles", [&]() -> Result<rclcpp::QoS> {
    std::optional<rclcpp::QoS> agreed;
    for (const auto& profile : YAML::Load(yaml)) {
      const auto changes = changes_of(profile);
      if (!changes) return tl::unexpected(changes.error());
      rclcpp::QoS one(10);
      for (const Change& change : *changes) change(one.get_rmw_qos_profile());
      rmw_qos_profile_t& p = one.get_rmw_qos_profile();
      if (p.history != RMW_QOS_POLICY_HISTORY_KEEP_ALL &&
          (p.history != RMW_QOS_POLICY_HISTORY_KEEP_LAST || p.depth == 0))
        one.keep_last(10);
      if (agreed && *agreed != one) return rclcpp::QoS(10);
      agreed = one;
    }
    return agreed.value_or(rclcpp::QoS(10));
  });
}

Status QosOverrides::add_file(const std::string& path) {
  const auto text = os::read_text(path);
  if (!text) return tl::unexpected(text.error());
  return named(path, [&]() -> Status {
    const YAML::Node root = YAML::Load(*text);
    if (!root.IsMap()) return bad("no topics with policies");
    for (const auto& entry : root) {
      const auto topic = entry.first.as<std::string>();
      auto changes = named(topic, [&] { return changes_of(entry.second); });
      if (!changes) return tl::unexpected(changes.error());
      std::vector<Change>& all = changes_[topic];
      all.insert(all.end(), changes->begin(), changes->end());
    }
    return {};
  });
}

Status QosOverrides::add_parameters(const std::map<std::string, rclcpp::ParameterValue>& overrides) {
  const std::string prefix = "qos_overrides.", middle = ".publisher.";
  for (const auto& [name, value] : overrides) {
    if (name.rfind(prefix, 0) != 0) continue;
    const std::size_t at = name.find(middle);
    if (at == name.npos || at < prefix.size())
      return fail(ErrorCode::kInvalid, "not qos_overrides.TOPIC.publisher.POLICY", "parameter '" + name + "'");
    auto change = named("parameter '" + name + "'", [&, &value = value, policy = name.substr(at + middle.size())] {
      return change_of(policy, YAML::Load(rclcpp::to_string(value)));
    });
    if (!change) return tl::unexpected(change.error());
    changes_[name.substr(prefix.size(), at - prefix.size())].push_back(std::move(*change));
  }
  return {};
}

Status QosOverrides::check(const std::vector<std::string>& topics) const {
  for (const auto& entry : changes_)
    if (std::find(topics.begin(), topics.end(), entry.first) == topics.end())
      return fail(ErrorCode::kNotFound, "quality of service for '" + entry.first + "', which is not played");
  return {};
}

rclcpp::QoS QosOverrides::applied(const std::string& topic, rclcpp::QoS recorded) const {
  const auto found = changes_.find(topic);
  if (found == changes_.end()) return recorded;
  for (const Change& change : found->second) change(recorded.get_rmw_qos_profile());
  return recorded;
}

}  // namespace convoy::ros
