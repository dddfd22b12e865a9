#include "nodes/parameters.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace convoy::nodes {
namespace {

std::string text_of(bool v) { return v ? "true" : "false"; }
std::string text_of(std::int64_t v) { return std::to_string(v); }
std::string text_of(std::uint8_t v) { return std::to_string(v); }
std::string text_of(double v) {
  char text[32];  // the shortest that reads back as the same
  const auto end = std::to_chars(text, text + sizeof text, v);
  std::string out(text, end.ptr);
  return out.find_first_of(".en") == out.npos ? out + ".0" : out;
}
std::string text_of(const std::string& v) { return v; }
template <class T>
std::string text_of(const std::vector<T>& v) {
  std::string text = "[";
  for (std::size_t i = 0; i < v.size(); ++i) text += (i > 0 ? ", " : "") + text_of(static_cast<T>(v[i]));
  return text + "]";
}
std::string text_of(std::monostate) { return "not set"; }

// rclcpp counts values as equal to a bound when they differ by rounding alone.
bool same(double a, double b) {
  const double off = a > b ? a - b : b - a, size = std::max(a < 0 ? -a : a, b < 0 ? -b : b);
  return off <= std::numeric_limits<double>::epsilon() * size * 100;
}

bool within(const ParameterRange<std::int64_t>& r, std::int64_t v) {
  if (v == r.from || v == r.to) return true;
  if (v < r.from || v > r.to) return false;
  // Unsigned: from the lowest integer to the highest is one step too far for a difference with a sign.
  return r.step == 0 ||
         (static_cast<std::uint64_t>(v) - static_cast<std::uint64_t>(r.from)) % static_cast<std::uint64_t>(r.step) == 0;
}

bool within(const ParameterRange<double>& r, double v) {
  if (same(v, r.from) || same(v, r.to)) return true;
  if (!(v >= r.from && v <= r.to)) return false;  // neither is NaN
  if (r.step == 0) return true;
  const double steps = (v - r.from) / r.step;
  if (steps >= 0x1p53) return true;
  const double nearest = r.from + static_cast<double>(static_cast<std::int64_t>(steps + 0.5)) * r.step;
  return same(v, nearest);
}

SetResult refuse(std::string reason) { return {false, std::move(reason)}; }

SetResult check_value(const std::string& name, const ParameterDescriptor& d, const ParameterValue& value) {
  const ParameterType type = type_of(value);
  if (!d.dynamic_typing && type != d.type)
    return refuse("Wrong parameter type, parameter {" + name + "} is of type {" + std::string(to_string(d.type)) +
                  "}, setting it to {" + std::string(to_string(type)) + "} is not allowed.");
  if (const auto* v = std::get_if<std::int64_t>(&value); v && d.integers && !within(*d.integers, *v))
    return refuse("Parameter {" + name + "} doesn't comply with integer range.");
  if (const auto* v = std::get_if<double>(&value); v && d.doubles && !within(*d.doubles, *v))
    return refuse("Parameter {" + name + "} doesn't comply with floating point range.");
  return {};
}

}  // namespace

std::string_view to_string(ParameterType type) {
  static constexpr std::string_view kNames[] = {"not set",      "bool",        "integer",    "double",
                                                "string",       "byte_array",  "bool_array", "integer_array",
                                                "double_array", "string_array"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string to_text(const ParameterValue& value) {
  return std::visit([](const auto& v) { return text_of(v); }, value);
}

Result<ParameterValue> ParameterStore::declare(const std::string& name, const ParameterValue& by_default,
                                               ParameterDescriptor descriptor, bool ignore_override) {
  if (!descriptor.dynamic_typing) {
    if (type_of(by_default) == ParameterType::kNotSet)
      return fail(ErrorCode::kUnsupported, "cannot declare a statically typed parameter with an uninitialized value");
    descriptor.type = type_of(by_default);
  }
  return declare_entry(name, {by_default, std::move(descriptor)}, ignore_override);
}

Result<ParameterValue> ParameterStore::declare_type(const std::string& name, ParameterType type,
                                                    ParameterDescriptor descriptor, bool ignore_override) {
  if (type == ParameterType::kNotSet || descriptor.dynamic_typing)
    return fail(ErrorCode::kUnsupported,
                "declare parameter '" + name + "' with a type, or dynamically typed, not both");
  descriptor.type = type;
  return declare_entry(name, {{}, std::move(descriptor)}, ignore_override);
}

Result<ParameterValue> ParameterStore::declare_entry(const std::string& name, Entry entry, bool ignore_override) {
  if (name.empty()) return fail(ErrorCode::kInvalid, "parameter name must not be empty");
  if (has(name)) return fail(ErrorCode::kExists, "parameter '" + name + "' has already been declared");
  if (const auto given = overrides_.find(name); given != overrides_.end() && !ignore_override)
    entry.value = given->second;
  const bool unset = type_of(entry.value) == ParameterType::kNotSet;
  if (!unset) {
    if (const SetResult ok = check_value(name, entry.descriptor, entry.value); !ok.successful) {
      const bool type = !entry.descriptor.dynamic_typing && type_of(entry.value) != entry.descriptor.type;
      return fail(type ? ErrorCode::kUnsupported : ErrorCode::kInvalid,
                  "parameter '" + name + "' could not be set: " + ok.reason);
    }
    if (const SetResult ok = ask({{name, entry.value}}); !ok.successful)
      return fail(ErrorCode::kInvalid, "parameter '" + name + "' could not be set: " + ok.reason);
  }
  const Parameter declared{name, entry.value};
  values_.insert_or_assign(name, std::move(entry));
  if (!unset)
    for (const auto& [id, callback] : post_set_) callback({declared});
  return declared.value;
}

Status ParameterStore::undeclare(const std::string& name) {
  const auto found = values_.find(name);
  if (found == values_.end())
    return fail(ErrorCode::kNotFound, "cannot undeclare parameter '" + name + "' which has not yet been declared");
  if (found->second.descriptor.read_only)
    return fail(ErrorCode::kDenied, "cannot undeclare parameter '" + name + "' because it is read-only");
  if (!found->second.descriptor.dynamic_typing)
    return fail(ErrorCode::kUnsupported, "cannot undeclare a statically typed parameter");
  values_.erase(found);
  return {};
}

const ParameterValue* ParameterStore::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second.value;
}

const ParameterDescriptor* ParameterStore::describe(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second.descriptor;
}

std::vector<std::string> ParameterStore::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : values_) names.push_back(name);
  return names;
}

SetResult ParameterStore::check(const std::vector<Parameter>& parameters) const {
  for (const Parameter& p : parameters) {
    const auto found = values_.find(p.name);
    if (found == values_.end()) continue;  // undeclared, and that is allowed
    const ParameterDescriptor& descriptor = found->second.descriptor;
    if (descriptor.read_only) return refuse("parameter '" + p.name + "' cannot be set because it is read-only");
    if (const SetResult ok = check_value(p.name, descriptor, p.value); !ok.successful) return ok;
  }
  return {};
}

SetResult ParameterStore::ask(const std::vector<Parameter>& parameters) const {
  for (const auto& [id, callback] : on_set_)
    if (const SetResult ok = callback(parameters); !ok.successful) return ok;
  return {};
}

Result<SetResult> ParameterStore::set(std::vector<Parameter> parameters) {
  if (setting_)
    return fail(ErrorCode::kState, "cannot set or declare a parameter, or change callbacks, from within set callback");
  struct Setting {
    bool& flag;
    explicit Setting(bool& f) : flag(f) { flag = true; }
    ~Setting() { flag = false; }
  };
  {
    const Setting setting(setting_);
    for (const auto& [id, callback] : pre_set_) callback(parameters);
    for (const Parameter& p : parameters) {
      if (p.name.empty()) return fail(ErrorCode::kInvalid, "parameter name must not be empty");
      if (!has(p.name) && !allow_undeclared_)
        return fail(ErrorCode::kNotFound, "parameter '" + p.name + "' cannot be set because it was not declared");
    }
    if (const SetResult ok = check(parameters); !ok.successful) return ok;
    if (const SetResult ok = ask(parameters); !ok.successful) return ok;
  }
  for (const Parameter& p : parameters) {
    const auto found = values_.find(p.name);
    if (found == values_.end()) {
      Entry entry{p.value, {}};
      entry.descriptor.type = type_of(p.value), entry.descriptor.dynamic_typing = true;
      if (entry.descriptor.type != ParameterType::kNotSet) values_.emplace(p.name, std::move(entry));
    } else if (type_of(p.value) == ParameterType::kNotSet) {
      values_.erase(found);  // how ROS undeclares a parameter of dynamic type
    } else {
      found->second.value = p.value;
    }
  }
  for (const auto& [id, callback] : post_set_) callback(parameters);
  return SetResult{};
}

ParameterStore::CallbackId ParameterStore::add_pre_set(PreSet callback) {
  pre_set_.insert(pre_set_.begin(), {next_callback_, std::move(callback)});
  return next_callback_++;
}
ParameterStore::CallbackId ParameterStore::add_on_set(OnSet callback) {
  on_set_.insert(on_set_.begin(), {next_callback_, std::move(callback)});
  return next_callback_++;
}
ParameterStore::CallbackId ParameterStore::add_post_set(PostSet callback) {
  post_set_.insert(post_set_.begin(), {next_callback_, std::move(callback)});
  return next_callback_++;
}

bool ParameterStore::remove_callback(CallbackId id) {
  const auto is = [id](const auto& entry) { return entry.first == id; };
  return std::erase_if(pre_set_, is) + std::erase_if(on_set_, is) + std::erase_if(post_set_, is) > 0;
}

}  // namespace convoy::nodes
