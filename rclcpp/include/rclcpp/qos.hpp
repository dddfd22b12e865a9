// Quality of service. Depth, keep-all, reliability and durability have an effect; the rest is stored and given back.
#pragma once

#include <string>

#include "nodes/qos.h"
#include "rclcpp/duration.hpp"

enum rmw_qos_history_policy_e {
  RMW_QOS_POLICY_HISTORY_SYSTEM_DEFAULT,
  RMW_QOS_POLICY_HISTORY_KEEP_LAST,
  RMW_QOS_POLICY_HISTORY_KEEP_ALL,
  RMW_QOS_POLICY_HISTORY_UNKNOWN
};
enum rmw_qos_reliability_policy_e {
  RMW_QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT,
  RMW_QOS_POLICY_RELIABILITY_RELIABLE,
  RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT,
  RMW_QOS_POLICY_RELIABILITY_UNKNOWN,
  RMW_QOS_POLICY_RELIABILITY_BEST_AVAILABLE
};
enum rmw_qos_durability_policy_e {
  RMW_QOS_POLICY_DURABILITY_SYSTEM_DEFAULT,
  RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL,
  RMW_QOS_POLICY_DURABILITY_VOLATILE,
  RMW_QOS_POLICY_DURABILITY_UNKNOWN,
  RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE
};
enum rmw_qos_liveliness_policy_e {
  RMW_QOS_POLICY_LIVELINESS_SYSTEM_DEFAULT = 0,
  RMW_QOS_POLICY_LIVELINESS_AUTOMATIC = 1,
  RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC = 3,
  RMW_QOS_POLICY_LIVELINESS_UNKNOWN = 4,
  RMW_QOS_POLICY_LIVELINESS_BEST_AVAILABLE = 5
};
using rmw_qos_history_policy_t = rmw_qos_history_policy_e;
using rmw_qos_reliability_policy_t = rmw_qos_reliability_policy_e;
using rmw_qos_durability_policy_t = rmw_qos_durability_policy_e;
using rmw_qos_liveliness_policy_t = rmw_qos_liveliness_policy_e;

struct rmw_qos_profile_t {
  rmw_qos_history_policy_t history = RMW_QOS_POLICY_HISTORY_KEEP_LAST;
  std::size_t depth = 10;
  rmw_qos_reliability_policy_t reliability = RMW_QOS_POLICY_RELIABILITY_RELIABLE;
  rmw_qos_durability_policy_t durability = RMW_QOS_POLICY_DURABILITY_VOLATILE;
  rmw_time_t deadline{};
  rmw_time_t lifespan{};
  rmw_qos_liveliness_policy_t liveliness = RMW_QOS_POLICY_LIVELINESS_SYSTEM_DEFAULT;
  rmw_time_t liveliness_lease_duration{};
  bool avoid_ros_namespace_conventions = false;
};

inline constexpr rmw_qos_profile_t rmw_qos_profile_default{};
inline constexpr rmw_qos_profile_t rmw_qos_profile_sensor_data{RMW_QOS_POLICY_HISTORY_KEEP_LAST, 5,
                                                               RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT};
inline constexpr rmw_qos_profile_t rmw_qos_profile_parameters{RMW_QOS_POLICY_HISTORY_KEEP_LAST, 1000};
inline constexpr rmw_qos_profile_t rmw_qos_profile_parameter_events{RMW_QOS_POLICY_HISTORY_KEEP_LAST, 1000};
inline constexpr rmw_qos_profile_t rmw_qos_profile_services_default{};
inline constexpr rmw_qos_profile_t rmw_qos_profile_system_default{RMW_QOS_POLICY_HISTORY_SYSTEM_DEFAULT, 0,
                                                                  RMW_QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT,
                                                                  RMW_QOS_POLICY_DURABILITY_SYSTEM_DEFAULT};
inline constexpr rmw_qos_profile_t rmw_qos_profile_best_available{
    RMW_QOS_POLICY_HISTORY_KEEP_LAST,         10, RMW_QOS_POLICY_RELIABILITY_BEST_AVAILABLE,
    RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE, {}, {},
    RMW_QOS_POLICY_LIVELINESS_BEST_AVAILABLE};
inline constexpr rmw_qos_profile_t rmw_qos_profile_unknown{
    RMW_QOS_POLICY_HISTORY_UNKNOWN,   0, RMW_QOS_POLICY_RELIABILITY_UNKNOWN, RMW_QOS_POLICY_DURABILITY_UNKNOWN, {}, {},
    RMW_QOS_POLICY_LIVELINESS_UNKNOWN};
inline constexpr rmw_qos_profile_t rcl_qos_profile_rosout_default{
    RMW_QOS_POLICY_HISTORY_KEEP_LAST,          1000, RMW_QOS_POLICY_RELIABILITY_RELIABLE,
    RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL, {},   {10, 0}};

namespace rclcpp {

enum class HistoryPolicy {
  KeepLast = RMW_QOS_POLICY_HISTORY_KEEP_LAST,
  KeepAll = RMW_QOS_POLICY_HISTORY_KEEP_ALL,
  SystemDefault = RMW_QOS_POLICY_HISTORY_SYSTEM_DEFAULT,
  Unknown = RMW_QOS_POLICY_HISTORY_UNKNOWN
};
enum class ReliabilityPolicy {
  BestEffort = RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT,
  Reliable = RMW_QOS_POLICY_RELIABILITY_RELIABLE,
  SystemDefault = RMW_QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT,
  BestAvailable = RMW_QOS_POLICY_RELIABILITY_BEST_AVAILABLE,
  Unknown = RMW_QOS_POLICY_RELIABILITY_UNKNOWN
};
enum class DurabilityPolicy {
  Volatile = RMW_QOS_POLICY_DURABILITY_VOLATILE,
  TransientLocal = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL,
  SystemDefault = RMW_QOS_POLICY_DURABILITY_SYSTEM_DEFAULT,
  BestAvailable = RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE,
  Unknown = RMW_QOS_POLICY_DURABILITY_UNKNOWN
};
enum class LivelinessPolicy {
  Automatic = RMW_QOS_POLICY_LIVELINESS_AUTOMATIC,
  ManualByTopic = RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC,
  SystemDefault = RMW_QOS_POLICY_LIVELINESS_SYSTEM_DEFAULT,
  BestAvailable = RMW_QOS_POLICY_LIVELINESS_BEST_AVAILABLE,
  Unknown = RMW_QOS_POLICY_LIVELINESS_UNKNOWN
};
enum class QoSCompatibility { Ok, Warning, Error };

struct QoSInitialization {
  rmw_qos_history_policy_t history_policy;
  std::size_t depth;
  static QoSInitialization from_rmw(const rmw_qos_profile_t& profile) { return {profile.history, profile.depth}; }
};
struct KeepAll : QoSInitialization {
  KeepAll() : QoSInitialization{RMW_QOS_POLICY_HISTORY_KEEP_ALL, 0} {}
};
struct KeepLast : QoSInitialization {
  explicit KeepLast(std::size_t kept) : QoSInitialization{RMW_QOS_POLICY_HISTORY_KEEP_LAST, kept} {}
};

class QoS {
 public:
  explicit QoS(const QoSInitialization& init, const rmw_qos_profile_t& profile = rmw_qos_profile_default)
      : p_(profile) {
    p_.history = init.history_policy, p_.depth = init.depth;
  }
  QoS(std::size_t depth) : QoS(KeepLast(depth)) {}  // NOLINT: implicit, as there

  rmw_qos_profile_t& get_rmw_qos_profile() { return p_; }
  const rmw_qos_profile_t& get_rmw_qos_profile() const { return p_; }
  QoS& history(HistoryPolicy h) { return p_.history = static_cast<rmw_qos_history_policy_t>(h), *this; }
  QoS& history(rmw_qos_history_policy_t h) { return p_.history = h, *this; }
  QoS& keep_last(std::size_t depth) { return p_.history = RMW_QOS_POLICY_HISTORY_KEEP_LAST, p_.depth = depth, *this; }
  QoS& keep_all() { return p_.history = RMW_QOS_POLICY_HISTORY_KEEP_ALL, p_.depth = 0, *this; }
  QoS& reliability(rmw_qos_reliability_policy_t r) { return p_.reliability = r, *this; }
  QoS& reliability(ReliabilityPolicy r) { return reliability(static_cast<rmw_qos_reliability_policy_t>(r)); }
  QoS& reliable() { return reliability(ReliabilityPolicy::Reliable); }
  QoS& best_effort() { return reliability(ReliabilityPolicy::BestEffort); }
  QoS& reliability_best_available() { return reliability(ReliabilityPolicy::BestAvailable); }
  QoS& durability(rmw_qos_durability_policy_t d) { return p_.durability = d, *this; }
  QoS& durability(DurabilityPolicy d) { return durability(static_cast<rmw_qos_durability_policy_t>(d)); }
  QoS& durability_volatile() { return durability(DurabilityPolicy::Volatile); }
  QoS& transient_local() { return durability(DurabilityPolicy::TransientLocal); }
  QoS& durability_best_available() { return durability(DurabilityPolicy::BestAvailable); }
  QoS& deadline(const Duration& d) { return p_.deadline = d.to_rmw_time(), *this; }
  QoS& lifespan(const Duration& d) { return p_.lifespan = d.to_rmw_time(), *this; }
  QoS& liveliness(LivelinessPolicy l) { return p_.liveliness = static_cast<rmw_qos_liveliness_policy_t>(l), *this; }
  QoS& liveliness(rmw_qos_liveliness_policy_t l) { return p_.liveliness = l, *this; }
  QoS& liveliness_lease_duration(const Duration& d) { return p_.liveliness_lease_duration = d.to_rmw_time(), *this; }
  QoS& avoid_ros_namespace_conventions(bool avoid) { return p_.avoid_ros_namespace_conventions = avoid, *this; }

  HistoryPolicy history() const { return static_cast<HistoryPolicy>(p_.history); }
  std::size_t depth() const { return p_.depth; }
  ReliabilityPolicy reliability() const { return static_cast<ReliabilityPolicy>(p_.reliability); }
  DurabilityPolicy durability() const { return static_cast<DurabilityPolicy>(p_.durability); }
  Duration deadline() const { return Duration::from_rmw_time(p_.deadline); }
  Duration lifespan() const { return Duration::from_rmw_time(p_.lifespan); }
  LivelinessPolicy liveliness() const { return static_cast<LivelinessPolicy>(p_.liveliness); }
  Duration liveliness_lease_duration() const { return Duration::from_rmw_time(p_.liveliness_lease_duration); }
  bool avoid_ros_namespace_conventions() const { return p_.avoid_ros_namespace_conventions; }

  // `best_available` counts as what connects with everything: an offer is good, a request modest.
  convoy::nodes::QoS offered() const { return kernel(true); }
  convoy::nodes::QoS requested() const { return kernel(false); }

 private:
  convoy::nodes::QoS kernel(bool offer) const {
    const bool any_reliability = p_.reliability == RMW_QOS_POLICY_RELIABILITY_BEST_AVAILABLE;
    const bool any_durability = p_.durability == RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE;
    return {.depth = static_cast<std::uint32_t>(p_.depth),
            .keep_all = p_.history == RMW_QOS_POLICY_HISTORY_KEEP_ALL,
            .reliable = any_reliability ? offer : p_.reliability != RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT,
            .transient_local = any_durability ? offer : p_.durability == RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL};
  }
  rmw_qos_profile_t p_;
};
bool operator==(const QoS& a, const QoS& b);
inline bool operator!=(const QoS& a, const QoS& b) { return !(a == b); }

// The profiles with their names.
#define RCLCPP_DETAIL_PROFILE(Name, profile)                                                                    \
  class Name : public QoS {                                                                                     \
   public:                                                                                                      \
    explicit Name(const QoSInitialization& init = QoSInitialization::from_rmw(profile)) : QoS(init, profile) {} \
  };
RCLCPP_DETAIL_PROFILE(SensorDataQoS, rmw_qos_profile_sensor_data)
RCLCPP_DETAIL_PROFILE(ParametersQoS, rmw_qos_profile_parameters)
RCLCPP_DETAIL_PROFILE(ServicesQoS, rmw_qos_profile_services_default)
RCLCPP_DETAIL_PROFILE(ParameterEventsQoS, rmw_qos_profile_parameter_events)
RCLCPP_DETAIL_PROFILE(SystemDefaultsQoS, rmw_qos_profile_system_default)
RCLCPP_DETAIL_PROFILE(BestAvailableQoS, rmw_qos_profile_best_available)
#undef RCLCPP_DETAIL_PROFILE
class ClockQoS : public QoS {
 public:
  explicit ClockQoS(const QoSInitialization& init = KeepLast(1)) : QoS(init) { best_effort(); }
};
class RosoutQoS : public QoS {
 public:
  explicit RosoutQoS(const QoSInitialization& init = KeepLast(1000)) : QoS(init) { transient_local(); }
};

}  // namespace rclcpp
