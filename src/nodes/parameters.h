// A node's parameters as ROS 2 knows them: declared, typed, with ranges and callbacks that may refuse.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "convoy/result.h"

namespace convoy::nodes {

// Numbers as in rcl_interfaces/msg/ParameterType; the alternatives of ParameterValue are in this order.
enum class ParameterType : std::uint8_t {
  kNotSet,
  kBool,
  kInteger,
  kDouble,
  kString,
  kByteArray,
  kBoolArray,
  kIntegerArray,
  kDoubleArray,
  kStringArray
};
using ParameterValue =
    std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::uint8_t>, std::vector<bool>,
                 std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>>;
inline ParameterType type_of(const ParameterValue& value) { return static_cast<ParameterType>(value.index()); }
std::string_view to_string(ParameterType type);    // "integer_array", as rclcpp writes it
std::string to_text(const ParameterValue& value);  // for people

struct Parameter {
  std::string name;
  ParameterValue value;
};

// Both ends belong to it. Step 0: every value between; else from + n * step, and `to`.
template <class T>
struct ParameterRange {
  T from{}, to{}, step{};
};
struct ParameterDescriptor {
  ParameterType type = ParameterType::kNotSet;  // set by declare()
  std::string description;
  std::string constraints;  // in words
  bool read_only = false;
  bool dynamic_typing = false;
  std::optional<ParameterRange<std::int64_t>> integers;
  std::optional<ParameterRange<double>> doubles;
};

struct SetResult {
  bool successful = true;
  std::string reason;
};

class ParameterStore {
 public:
  using PreSet = std::function<void(std::vector<Parameter>&)>;            // may change, add and remove
  using OnSet = std::function<SetResult(const std::vector<Parameter>&)>;  // may refuse
  using PostSet = std::function<void(const std::vector<Parameter>&)>;     // is given what was set
  using CallbackId = std::uint64_t;

  void set_overrides(std::map<std::string, ParameterValue> overrides) { overrides_ = std::move(overrides); }
  const std::map<std::string, ParameterValue>& overrides() const { return overrides_; }
  void set_allow_undeclared(bool allow) { allow_undeclared_ = allow; }

  // The value that it has now: the override, or the default. kExists: declared before; kUnsupported: of another type
  // than the default; kInvalid: refused, by a range or a callback.
  Result<ParameterValue> declare(const std::string& name, const ParameterValue& by_default,
                                 ParameterDescriptor descriptor = {}, bool ignore_override = false);
  // A parameter of a type without a value, until an override or a set gives one.
  Result<ParameterValue> declare_type(const std::string& name, ParameterType type, ParameterDescriptor descriptor = {},
                                      bool ignore_override = false);
  // kNotFound; kDenied: it is read-only; kUnsupported: only parameters of dynamic type go.
  Status undeclare(const std::string& name);

  bool has(std::string_view name) const { return values_.find(name) != values_.end(); }
  const ParameterValue* find(std::string_view name) const;
  const ParameterDescriptor* describe(std::string_view name) const;
  std::vector<std::string> names() const;  // in order

  // All or none. kNotFound, and nothing is changed, if one is not declared.
  Result<SetResult> set(std::vector<Parameter> parameters);

  CallbackId add_pre_set(PreSet callback);
  CallbackId add_on_set(OnSet callback);
  CallbackId add_post_set(PostSet callback);
  bool remove_callback(CallbackId id);

 private:
  struct Entry {
    ParameterValue value;
    ParameterDescriptor descriptor;
  };
  template <class T>
  using Callbacks = std::vector<std::pair<CallbackId, T>>;  // the newest is called first

  Result<ParameterValue> declare_entry(const std::string& name, Entry entry, bool ignore_override);
  SetResult check(const std::vector<Parameter>& parameters) const;
  SetResult ask(const std::vector<Parameter>& parameters) const;

  std::map<std::string, Entry, std::less<>> values_;
  std::map<std::string, ParameterValue> overrides_;
  bool allow_undeclared_ = false;
  bool setting_ = false;  // callbacks run: they must not set
  CallbackId next_callback_ = 1;
  Callbacks<PreSet> pre_set_;
  Callbacks<OnSet> on_set_;
  Callbacks<PostSet> post_set_;
};

}  // namespace convoy::nodes
