// Named fields: one list per type gives its canonical bytes, its way back from them, and the name of what differs.
//
//   struct Motor { double speed; Duration since; };
//   template <class V, MaybeConst<Motor> T> void fields(V& v, T& m) { v("speed", m.speed), v("since", m.since); }
//
//   Bytes bytes = save(motor);            // canonical: little-endian, -0 as 0
//   bool ok = load(bytes, motor);         // false: too short, too long, or a length out of bounds
//   auto diff = first_difference(a, b);   // "speed: 0.22 / 0.21"
//
// A field that came after digests of runs were published is listed by later(): bytes always have it, hashes
// (save_for_hash) only where it is not what it is by default. So digests of what does not use it stay what they were.
//
// The list is written once for visitors that read (the value is const) and for those that change it.
// Order and width of the fields are the layout that docs/protocol.md versions.
#pragma once

#include <array>
#include <concepts>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "convoy/geometry.h"
#include "convoy/ids.h"
#include "convoy/time.h"
#include "core/bytes.h"

namespace convoy {

// T or const T.
template <class M, class T>
concept MaybeConst = std::same_as<std::remove_const_t<M>, T>;

template <class V, MaybeConst<Vec3> T>
void fields(V& v, T& a) {
  v("x", a.x), v("y", a.y), v("z", a.z);
}
template <class V, MaybeConst<Quat> T>
void fields(V& v, T& a) {
  v("w", a.w), v("x", a.x), v("y", a.y), v("z", a.z);
}
template <class V, MaybeConst<Pose> T>
void fields(V& v, T& a) {
  v("p", a.p), v("q", a.q);
}
template <class V, MaybeConst<Twist> T>
void fields(V& v, T& a) {
  v("v", a.v), v("w", a.w);
}

namespace detail {

template <class T>
struct IsId : std::false_type {};
template <class Tag>
struct IsId<Id<Tag>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsArray : std::false_type {};
template <class T, std::size_t N>
struct IsArray<std::array<T, N>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVariant : std::false_type {};
template <class... T>
struct IsVariant<std::variant<T...>> : std::true_type {};

template <std::size_t I = 0, class... T>
bool emplace_alternative(std::variant<T...>& v, std::size_t index) {
  if constexpr (I < sizeof...(T)) {
    if (index == I) return v.template emplace<I>(), true;
    return emplace_alternative<I + 1>(v, index);
  } else {
    return false;
  }
}

}  // namespace detail

template <class V, class T>
void later(V& v, const char* name, T& value) {
  if constexpr (requires { v.later(name, value); }) v.later(name, value);
  else v(name, value);
}

// The one bit pattern of a number: -0 becomes 0. (x + 0.0 does that in round-to-nearest.)
inline double canonical(double x) { return x + 0.0; }

// The bytes are in `out` when the visitor is destroyed: they are gathered on the stack, because growing a vector by
// eight bytes at a time was most of the cost of hashing an agent.
class SaveFields {
 public:
  enum class For : std::uint8_t { kBytes, kHash };
  explicit SaveFields(Bytes& out, For purpose = For::kBytes) : out_(out), purpose_(purpose) {}
  SaveFields(const SaveFields&) = delete;
  SaveFields& operator=(const SaveFields&) = delete;
  ~SaveFields() { flush(); }

  template <class T>
  void operator()(const char*, const T& value) {
    put(value);
  }
  template <class T>
  void later(const char* name, const T& value) {
    if (purpose_ == For::kBytes) return put(value);
    if (value == T{}) return;
    put(std::string(name));  // what has one of two such fields differs from what has the other
    put(value);
  }

 private:
  template <class T>
  void word(T value) {
    static_assert(sizeof value <= 8);
    if (end_ > gathered_ + sizeof gathered_ - 8) [[unlikely]]
      flush();
    std::memcpy(end_, &value, sizeof value);
    end_ += sizeof value;
  }
  void blob(ByteView bytes) {
    word(static_cast<std::uint32_t>(bytes.size()));
    flush();
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }
  void flush() {
    out_.insert(out_.end(), gathered_, end_);
    end_ = gathered_;
  }
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_same_v<T, bool>) word(static_cast<std::uint8_t>(value ? 1 : 0));
    else if constexpr (std::is_enum_v<T>) word(static_cast<std::uint8_t>(value));
    else if constexpr (std::is_same_v<T, double>) word(canonical(value));
    else if constexpr (std::is_same_v<T, float>) word(value + 0.0f);  // as canonical()
    else if constexpr (std::is_integral_v<T>) word(value);
    else if constexpr (detail::IsId<T>::value) word(value.value());
    else if constexpr (std::is_same_v<T, Duration> || std::is_same_v<T, Instant>) word(nanos(value));
    else if constexpr (std::is_same_v<T, std::string>) blob(as_bytes(value));
    else if constexpr (std::is_same_v<T, Bytes>) blob(value);
    else if constexpr (detail::IsVector<T>::value) {
      word(static_cast<std::uint32_t>(value.size()));
      for (const auto& element : value) put(element);
    } else if constexpr (detail::IsArray<T>::value) {
      for (const auto& element : value) put(element);
    } else if constexpr (detail::IsOptional<T>::value) {
      word(static_cast<std::uint8_t>(value.has_value()));
      if (value) put(*value);
    } else if constexpr (detail::IsVariant<T>::value) {
      word(static_cast<std::uint8_t>(value.index()));
      std::visit([this](const auto& alternative) { this->put(alternative); }, value);
    } else fields(*this, value);
  }

  Bytes& out_;
  For purpose_;
  std::uint8_t* end_ = gathered_;
  std::uint8_t gathered_[512];
};

class LoadFields {
 public:
  explicit LoadFields(Reader& in) : r_(in) {}

  template <class T>
  void operator()(const char*, T& value) {
    get(value);
  }

 private:
  template <class T>
  void get(T& value) {
    if constexpr (std::is_same_v<T, bool>) value = r_.u8() != 0;
    else if constexpr (std::is_enum_v<T>) value = static_cast<T>(r_.u8());
    else if constexpr (std::is_same_v<T, double>) value = r_.f64();
    else if constexpr (std::is_integral_v<T> || std::is_same_v<T, float>) {
      const ByteView b = r_.bytes(sizeof value);
      if (b.size() == sizeof value) std::memcpy(&value, b.data(), sizeof value);
    } else if constexpr (detail::IsId<T>::value) value = T(r_.u32());
    else if constexpr (std::is_same_v<T, Duration>) value = Duration(r_.i64());
    else if constexpr (std::is_same_v<T, Instant>) value = instant(r_.i64());
    else if constexpr (std::is_same_v<T, std::string>) value = r_.text();
    else if constexpr (std::is_same_v<T, Bytes>) {
      const ByteView b = r_.blob();
      value.assign(b.begin(), b.end());
    } else if constexpr (detail::IsVector<T>::value) {
      const std::uint32_t n = r_.u32();
      value.clear();
      if (n > r_.left()) return r_.spoil();  // every element takes a byte at least
      // One at a time: an element in memory may be hundreds of times as large as that byte.
      for (std::uint32_t i = 0; i < n; ++i) {
        get(value.emplace_back());
        if (!r_.ok()) return value.clear();
      }
    } else if constexpr (detail::IsArray<T>::value) {
      for (auto& element : value) get(element);
    } else if constexpr (detail::IsOptional<T>::value) {
      value.reset();
      if (r_.u8() != 0) get(value.emplace());
    } else if constexpr (detail::IsVariant<T>::value) {
      if (!detail::emplace_alternative(value, r_.u8())) return r_.spoil();
      std::visit([this](auto& alternative) { this->get(alternative); }, value);
    } else fields(*this, value);
  }

  Reader& r_;
};

// A flat list of (path, text): what people read when two runs differ.
class DescribeFields {
 public:
  using List = std::vector<std::pair<std::string, std::string>>;
  explicit DescribeFields(List& out) : out_(out) {}

  template <class T>
  void operator()(const char* name, const T& value) {
    const std::size_t before = path_.size();
    if (!path_.empty()) path_ += '.';
    path_ += name;
    describe_value(value);
    path_.resize(before);
  }

 private:
  template <class T>
  void describe_value(const T& value) {
    if constexpr (std::is_floating_point_v<T>) {
      char text[32];
      std::snprintf(text, sizeof text, "%.*g", std::is_same_v<T, float> ? 9 : 17,
                    static_cast<double>(canonical(value)));
      out_.emplace_back(path_, text);
    } else if constexpr (std::is_enum_v<T>) out_.emplace_back(path_, std::to_string(static_cast<int>(value)));
    else if constexpr (std::is_integral_v<T>) out_.emplace_back(path_, std::to_string(value));
    else if constexpr (detail::IsId<T>::value) out_.emplace_back(path_, std::to_string(value.value()));
    else if constexpr (std::is_same_v<T, Duration> || std::is_same_v<T, Instant>)
      out_.emplace_back(path_, std::to_string(nanos(value)) + "ns");
    else if constexpr (std::is_same_v<T, std::string>) out_.emplace_back(path_, value);
    else if constexpr (std::is_same_v<T, Bytes>) {
      std::string hex;
      for (std::uint8_t b : value) {
        char two[3];
        std::snprintf(two, sizeof two, "%02x", b);
        hex += two;
      }
      out_.emplace_back(path_, hex);
    } else if constexpr (detail::IsVector<T>::value || detail::IsArray<T>::value) {
      out_.emplace_back(path_ + ".size", std::to_string(value.size()));
      for (std::size_t i = 0; i < value.size(); ++i) nested("[" + std::to_string(i) + "]", value[i]);
    } else if constexpr (detail::IsOptional<T>::value) {
      out_.emplace_back(path_ + ".given", value ? "1" : "0");
      if (value) describe_value(*value);
    } else if constexpr (detail::IsVariant<T>::value) {
      out_.emplace_back(path_ + ".kind", std::to_string(value.index()));
      std::visit([this](const auto& alternative) { this->describe_value(alternative); }, value);
    } else fields(*this, value);
  }
  template <class T>
  void nested(const std::string& suffix, const T& value) {
    const std::size_t before = path_.size();
    path_ += suffix;
    describe_value(value);
    path_.resize(before);
  }

  List& out_;
  std::string path_;
};

template <class T>
void save_into(Bytes& out, const T& value) {
  SaveFields v(out);
  fields(v, value);
}
template <class T>
Bytes save(const T& value) {
  Bytes out;
  save_into(out, value);
  return out;
}
// What digests are made of, see later().
template <class T>
void save_for_hash(Bytes& out, const T& value) {
  SaveFields v(out, SaveFields::For::kHash);
  fields(v, value);
}
// True when the bytes held exactly one T.
template <class T>
bool load(ByteView bytes, T& value) {
  Reader in(bytes);
  LoadFields v(in);
  fields(v, value);
  return in.done();
}
template <class T>
DescribeFields::List describe(const T& value) {
  DescribeFields::List list;
  DescribeFields v(list);
  fields(v, value);
  return list;
}

// "path: a / b" of the first field that differs, or nothing.
std::optional<std::string> first_difference(const DescribeFields::List& a, const DescribeFields::List& b);

}  // namespace convoy
