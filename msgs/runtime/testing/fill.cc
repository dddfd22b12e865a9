#include "testing/fill.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "convoy_ros_types/fields.h"
#include "convoy_ros_types/text.h"

namespace convoy::ros {
namespace {

class Filler {
 public:
  explicit Filler(std::uint64_t seed) : state_(seed) {}

  void message(const Members& members, std::byte* at) {
    if (is_empty(members)) return;
    for (const Member& member : fields_of(members)) value(member, at + member.offset_);
  }

 private:
  // SplitMix64.
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }

  void value(const Member& member, std::byte* at) {
    if (member.is_array_ && !is_fixed_array(member)) {
      std::size_t count = below(4);
      if (member.is_upper_bound_) count = std::min(count, member.array_size_);
      member.resize_function(at, count);
    }
    const Elements<std::byte> all = elements(member, at);
    for (std::size_t i = 0; i < all.count; ++i) {
      if (is_bool_sequence(member)) {
        const bool bit = below(2) == 1;
        member.assign_function(at, i, &bit);
      } else {
        one(member, all.first + i * stride(member));
      }
    }
  }

  void one(const Member& member, std::byte* at) {
    switch (member.type_id_) {
      case id::ROS_TYPE_MESSAGE: return message(nested_members(member), at);
      case id::ROS_TYPE_STRING: as_string(at) = utf8(text(member)); return;
      case id::ROS_TYPE_WSTRING: as_wstring(at) = text(member); return;
      case id::ROS_TYPE_FLOAT: return number<float>(at);
      case id::ROS_TYPE_DOUBLE: return number<double>(at);
      case id::ROS_TYPE_BOOLEAN: *at = std::byte{static_cast<unsigned char>(below(2))}; return;
      default: {
        const std::uint64_t bits = next();
        std::memcpy(at, &bits, width(member.type_id_));
      }
    }
  }

  template <class Float>
  void number(std::byte* at) {
    Float value = std::numeric_limits<Float>::infinity();
    while (!std::isfinite(value)) {
      const std::uint64_t bits = next();
      std::memcpy(&value, &bits, sizeof value);
    }
    std::memcpy(at, &value, sizeof value);
  }

  // A bound counts bytes; no bound of the packages here is shorter than these.
  std::u16string text(const Member& member) {
    static constexpr std::u16string_view kCharacters = u"abcXYZ019 _/.:-#'\"\\\n\u00e9\u4e16";
    std::size_t length = below(8);
    if (member.string_upper_bound_ != 0) length = std::min(length, member.string_upper_bound_ / 3);
    std::u16string out;
    for (std::size_t i = 0; i < length; ++i) out += kCharacters[below(kCharacters.size())];
    return out;
  }

  std::uint64_t state_;
};

}  // namespace

void fill(const TypeSupport& type, void* message, std::uint64_t seed) {
  Filler(seed).message(type.members(), static_cast<std::byte*>(message));
}

}  // namespace convoy::ros
