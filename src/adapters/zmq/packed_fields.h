// A value as msgpack, by its list of fields (core/fields.h): the same maps and lists as its JSON (core/json_fields.h).
//
//   pack(payload, sample.data);   // {"ranges": [1.5, inf], ...}
//
// Numbers stay what they are: a float is a float32, a double a float64, and infinities and NaN are numbers, too.
#pragma once

#include <bit>
#include <limits>

#include "core/fields.h"

namespace convoy::zmq {

class PackedFields {
 public:
  explicit PackedFields(Bytes& out) : out_(out) {}

  template <class T>
  void operator()(const char* name, const T& value) {
    text(name);
    put(value);
  }
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_same_v<T, bool>) byte(value ? 0xc3 : 0xc2);
    else if constexpr (std::is_same_v<T, float>) item(0xca, std::bit_cast<std::uint32_t>(value + 0.0f));
    else if constexpr (std::is_same_v<T, double>) item(0xcb, std::bit_cast<std::uint64_t>(canonical(value)));
    else if constexpr (std::is_enum_v<T>) integer(static_cast<std::int64_t>(value));
    else if constexpr (std::is_integral_v<T>) integer(value);
    else if constexpr (detail::IsId<T>::value) integer(value.value());
    else if constexpr (std::is_same_v<T, Duration> || std::is_same_v<T, Instant>) integer(nanos(value));
    else if constexpr (std::is_same_v<T, std::string>) text(value);
    else if constexpr (detail::IsVector<T>::value || detail::IsArray<T>::value) list(value);
    else if constexpr (detail::IsOptional<T>::value) value ? put(*value) : byte(0xc0);
    else if constexpr (detail::IsVariant<T>::value) std::visit([this](const auto& one) { this->put(one); }, value);
    else object(value);
  }
  void map_of(std::size_t count) { head(count, 0x80, 0xde); }
  void text(std::string_view value) {
    if (value.size() < 32) byte(static_cast<std::uint8_t>(0xa0 | value.size()));
    else item(0xdb, static_cast<std::uint32_t>(value.size()));
    out_.insert(out_.end(), value.begin(), value.end());
  }

 private:
  struct Count {
    template <class T>
    void operator()(const char*, const T&) {
      ++fields;
    }
    std::size_t fields = 0;
  };

  template <class T>
  void object(const T& value) {
    Count count;
    fields(count, value);
    map_of(count.fields);
    fields(*this, value);
  }
  template <class T>
  void list(const T& values) {
    head(values.size(), 0x90, 0xdc);
    for (std::size_t i = 0; i < values.size(); ++i) put(values[i]);
  }
  template <class T>
  void integer(T value) {
    if (value >= 0 && value < 128) byte(static_cast<std::uint8_t>(value));
    else if constexpr (std::is_signed_v<T>) item(0xd3, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
    else item(0xcf, std::uint64_t{value});
  }
  // Of a map or list: up to 15 in one byte, else 16 bits after `kind` or 32 after the kind behind it.
  void head(std::size_t count, std::uint8_t few, std::uint8_t kind) {
    if (count < 16) byte(static_cast<std::uint8_t>(few | count));
    else if (count <= std::numeric_limits<std::uint16_t>::max()) item(kind, static_cast<std::uint16_t>(count));
    else item(static_cast<std::uint8_t>(kind + 1), static_cast<std::uint32_t>(count));
  }
  void byte(std::uint8_t value) { out_.push_back(value); }
  // Big-endian.
  template <class T>
  void item(std::uint8_t kind, T value) {
    std::array<std::uint8_t, 1 + sizeof(T)> bytes{kind};
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bytes[i + 1] = static_cast<std::uint8_t>(value >> (8 * (sizeof(T) - 1 - i)));
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }

  Bytes& out_;
};

// Behind what is in `out`.
template <class T>
void pack(Bytes& out, const T& value) {
  PackedFields(out).put(value);
}

}  // namespace convoy::zmq
