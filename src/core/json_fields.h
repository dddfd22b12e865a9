// A value as JSON, by its list of fields (fields.h): for programs and people that ask; nothing is read back from it.
//
//   std::string text = to_json(sample);   // {"index":3,"at":40000000,"data":{"ranges":[1.5,"inf"]}}
//
// Numbers are the shortest text that is the same number again. JSON has no infinities: they are the strings "inf" and
// "-inf"; NaN is null. Instants and durations are nanoseconds; of a variant the alternative's own fields alone.
// Bytes are base64 (RFC 4648).
#pragma once

#include <charconv>
#include <cmath>
#include <string>

#include "core/base64.h"
#include "core/fields.h"

namespace convoy {

class JsonFields {
 public:
  explicit JsonFields(std::string& out) : out_(out) {}

  template <class T>
  void operator()(const char* name, const T& value) {
    if (!first_) out_ += ',';
    first_ = false;
    text(name);
    out_ += ':';
    put(value);
  }
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_same_v<T, bool>) out_ += value ? "true" : "false";
    else if constexpr (std::is_floating_point_v<T>) number(value);
    else if constexpr (std::is_enum_v<T>) out_ += std::to_string(static_cast<std::int64_t>(value));
    else if constexpr (std::is_integral_v<T>) out_ += std::to_string(value);
    else if constexpr (detail::IsId<T>::value) out_ += std::to_string(value.value());
    else if constexpr (std::is_same_v<T, Duration> || std::is_same_v<T, Instant>) out_ += std::to_string(nanos(value));
    else if constexpr (std::is_same_v<T, std::string>) text(value);
    else if constexpr (std::is_same_v<T, Bytes>) text(base64_of(value));
    else if constexpr (detail::IsVector<T>::value || detail::IsArray<T>::value) list(value);
    else if constexpr (detail::IsOptional<T>::value) value ? put(*value) : static_cast<void>(out_ += "null");
    else if constexpr (detail::IsVariant<T>::value) std::visit([this](const auto& one) { this->put(one); }, value);
    else object(value);
  }

 private:
  template <class T>
  void object(const T& value) {
    out_ += '{';
    const bool first = std::exchange(first_, true);
    fields(*this, value);
    first_ = first;
    out_ += '}';
  }
  template <class T>
  void list(const T& values) {
    out_ += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) out_ += ',';
      put(values[i]);
    }
    out_ += ']';
  }
  template <class T>
  void number(T value) {
    if (std::isnan(value)) return static_cast<void>(out_ += "null");
    if (std::isinf(value)) return static_cast<void>(out_ += value > 0 ? "\"inf\"" : "\"-inf\"");
    char digits[40];
    const auto end = std::to_chars(digits, digits + sizeof digits, value + T{0}).ptr;
    out_.append(digits, end);
  }
  void text(std::string_view value);

  std::string& out_;
  bool first_ = true;  // field of its object
};

template <class T>
std::string to_json(const T& value) {
  std::string out;
  JsonFields(out).put(value);
  return out;
}

}  // namespace convoy
