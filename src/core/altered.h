// Changes the n-th field of a value, for tests that must cover every field, including those added later.
//
//   for (std::size_t n = 0;; ++n) {
//     Setup changed = setup;
//     const auto path = alter(changed, n);     // "models[2].mass"
//     if (!path) break;                        // there are only n fields
//     CHECK_MESSAGE(hash(changed) != hash(setup), *path);
//   }
#pragma once

#include <cmath>

#include "core/fields.h"

namespace convoy {

// Numbers change by their last bit, or by `nudge` if it is not 0; times by a nanosecond; texts in the last character.
// The size of a list, and whether an optional is given, are fields too.
class AlterFields {
 public:
  AlterFields(std::size_t nth, double nudge) : left_(nth), nudge_(nudge) {}

  template <class T>
  void operator()(const char* name, T& value) {
    nested(path_.empty() ? name : std::string(".") + name, value);
  }
  const std::optional<std::string>& altered() const { return altered_; }

 private:
  bool mine(const char* suffix = "") {
    if (altered_ || left_-- != 0) return false;
    altered_ = path_ + suffix;
    return true;
  }
  template <class T>
  void nested(const std::string& suffix, T& value) {
    if (altered_) return;
    const std::size_t before = path_.size();
    path_ += suffix;
    change(value);
    path_.resize(before);
  }
  template <class T>
  void change(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      if (mine()) value = !value;
    } else if constexpr (std::is_floating_point_v<T>) {
      // Towards 0, so that a limit is not passed.
      if (mine())
        value =
            nudge_ != 0 ? static_cast<T>(value + nudge_) : std::nextafter(value, static_cast<T>(value == 0 ? 1 : 0));
    } else if constexpr (std::is_enum_v<T>) {
      if (mine()) value = static_cast<T>(static_cast<std::uint8_t>(value) ^ 1);
    } else if constexpr (std::is_integral_v<T>) {
      if (mine()) value = static_cast<T>(value ^ 1);
    } else if constexpr (detail::IsId<T>::value) {
      if (mine()) value = T(value.value() ^ 1);
    } else if constexpr (std::is_same_v<T, Duration> || std::is_same_v<T, Instant>) {
      if (mine()) value += Duration(1);
    } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, Bytes>) {
      if (!mine()) return;
      if (value.empty()) value.push_back('a');
      else value.back() = static_cast<typename T::value_type>(value.back() ^ 1);
    } else if constexpr (detail::IsVector<T>::value) {
      if (mine(".size")) {
        if (value.empty()) value.emplace_back();
        else value.pop_back();
        return;
      }
      for (std::size_t i = 0; i < value.size(); ++i) nested("[" + std::to_string(i) + "]", value[i]);
    } else if constexpr (detail::IsArray<T>::value) {
      for (std::size_t i = 0; i < value.size(); ++i) nested("[" + std::to_string(i) + "]", value[i]);
    } else if constexpr (detail::IsOptional<T>::value) {
      if (mine(".given")) {
        if (value) value.reset();
        else value.emplace();
      } else if (value) {
        change(*value);
      }
    } else if constexpr (detail::IsVariant<T>::value) {
      std::visit([this](auto& alternative) { this->change(alternative); }, value);
    } else {
      fields(*this, value);
    }
  }

  std::size_t left_;
  double nudge_;
  std::string path_;
  std::optional<std::string> altered_;
};

// Changes the n-th field and returns its path; nothing if there are fewer fields.
template <class T>
std::optional<std::string> alter(T& value, std::size_t nth, double nudge = 0) {
  AlterFields v(nth, nudge);
  fields(v, value);
  return v.altered();
}

}  // namespace convoy
