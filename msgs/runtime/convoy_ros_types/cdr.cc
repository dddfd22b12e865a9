// XCDR1 as ROS 2 uses it:
//
//   00 01 00 00   little-endian (00 00: big-endian), two bytes of options that mean nothing here
//   fields        in order; a primitive is at a multiple of its width, counted from after the header
//     string      u32 length with the closing NUL, bytes, NUL         wstring: u32 length, then u32 per UTF-16 unit
//     sequence    u32 count, elements                                 array: elements
//   padding       to a multiple of four bytes, or more, by some senders
//
// Sources: OMG DDS-XTypes 1.3 section 7.4.1, and what rmw_fastrtps and rmw_cyclonedds of Jazzy send (wstring).
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "convoy_ros_types/fields.h"

namespace convoy::ros {
namespace {

constexpr std::size_t kHeader = 4;
constexpr std::uint8_t kBigEndian = 0, kLittleEndian = 1;
constexpr std::size_t kPadding = 4;  // payloads may be padded to a multiple of this
static_assert(std::endian::native == std::endian::little,
              "a big-endian host needs byte swaps where this copies blocks");

// A message without strings, sequences and bools whose fields lie in memory as in CDR, without gaps, whenever it lies
// at a multiple of `alignment`: a run of them is copied in one piece.
struct Block {
  std::size_t size = 0;  // 0: not such a message
  std::size_t alignment = 1;
  std::size_t first = 1;  // alignment of the first field
};

Block block_of(const Members& members) {
  Block block;
  std::size_t end = 0;
  for (const Member& member : fields_of(members)) {
    if ((member.is_array_ && !is_fixed_array(member)) || member.type_id_ == id::ROS_TYPE_BOOLEAN) return {};
    Block inner{width(member.type_id_), width(member.type_id_), width(member.type_id_)};
    if (member.type_id_ == id::ROS_TYPE_MESSAGE) inner = block_of(nested_members(member));
    if (inner.size == 0 || member.offset_ != end) return {};
    if (end == 0) block.first = inner.first;
    end += inner.size * (member.is_array_ ? member.array_size_ : 1);
    block.alignment = std::max(block.alignment, inner.alignment);
  }
  block.size = end == members.size_of_ ? end : 0;
  return block;
}

// Where something failed, collected from the inside out.
struct Trouble {
  std::string path, text;

  void within(const Member& member, std::size_t index) {
    std::string step = member.name_;
    if (member.is_array_ && index != kWhole) step += "[" + std::to_string(index) + "]";
    path = path.empty() ? step : step + "." + path;
  }
  tl::unexpected<Error> error(const Members& members) const {
    return fail(ErrorCode::kInvalid, name_of(members) + (path.empty() ? "" : ", " + path) + ": " + text);
  }
};

class CdrWriter {
 public:
  explicit CdrWriter(std::vector<std::uint8_t>& out) : out_(out), origin_(out.size() + kHeader) {
    out_.insert(out_.end(), {0, kLittleEndian, 0, 0});
  }

  bool message(const Members& members, const std::byte* at) {
    for (const Member& member : fields_of(members)) {
      if (!value(member, at + member.offset_)) return false;
    }
    return true;
  }
  const Trouble& trouble() const { return trouble_; }

 private:
  bool value(const Member& member, const std::byte* at) {
    const Elements<const std::byte> all = elements(member, at);
    if (member.is_array_ && !is_fixed_array(member)) {
      if (member.is_upper_bound_ && all.count > member.array_size_) return wrong(member, kWhole, "more than its bound");
      if (!count(all.count)) return wrong(member, kWhole, "too long for CDR");
    }
    if (all.count == 0) return true;
    if (is_bool_sequence(member)) return bools(member, at, all.count);
    if (const std::size_t bytes = width(member.type_id_)) {
      align(bytes);
      raw(all.first, bytes * all.count);
      return true;
    }
    if (member.type_id_ == id::ROS_TYPE_MESSAGE) return messages(member, all);
    for (std::size_t i = 0; i < all.count; ++i) {
      if (!text(member, all.first + i * stride(member))) return wrong(member, i, "a string is longer than it may be");
    }
    return true;
  }

  bool messages(const Member& member, Elements<const std::byte> all) {
    const Members& members = nested_members(member);
    if (all.count > 1) {
      const Block block = block_of(members);
      align(block.first);
      if (block.size != 0 && (out_.size() - origin_) % block.alignment == 0) {
        raw(all.first, block.size * all.count);
        return true;
      }
    }
    for (std::size_t i = 0; i < all.count; ++i) {
      if (message(members, all.first + i * members.size_of_)) continue;
      trouble_.within(member, i);
      return false;
    }
    return true;
  }

  bool bools(const Member& member, const std::byte* at, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      bool bit = false;
      member.fetch_function(at, i, &bit);
      out_.push_back(bit ? 1 : 0);
    }
    return true;
  }

  bool text(const Member& member, const std::byte* at) {
    if (member.type_id_ == id::ROS_TYPE_STRING) {
      const std::string& text = as_string(at);
      if (!fits(member, text.size()) || !count(text.size() + 1)) return false;
      raw(text.c_str(), text.size() + 1);
      return true;
    }
    const std::u16string& text = as_wstring(at);
    if (!fits(member, text.size()) || !count(text.size())) return false;
    for (const char16_t unit : text) {
      const std::uint32_t wide = unit;
      raw(&wide, sizeof wide);
    }
    return true;
  }

  static bool fits(const Member& member, std::size_t length) {
    return member.string_upper_bound_ == 0 || length <= member.string_upper_bound_;
  }
  bool count(std::size_t value) {
    if (value > std::numeric_limits<std::uint32_t>::max()) return false;
    const auto narrow = static_cast<std::uint32_t>(value);
    align(sizeof narrow);
    raw(&narrow, sizeof narrow);
    return true;
  }
  void align(std::size_t to) { out_.resize(origin_ + ((out_.size() - origin_ + to - 1) & ~(to - 1))); }
  void raw(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::uint8_t*>(data);
    out_.insert(out_.end(), first, first + size);
  }
  bool wrong(const Member& member, std::size_t index, const char* text) {
    trouble_.text = text;
    trouble_.within(member, index);
    return false;
  }

  std::vector<std::uint8_t>& out_;
  std::size_t origin_;
  Trouble trouble_;
};

template <class Word>
void swap_words(std::byte* at, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    Word word;
    std::memcpy(&word, at + i * sizeof word, sizeof word);
    if constexpr (sizeof word == 2) word = __builtin_bswap16(word);
    if constexpr (sizeof word == 4) word = __builtin_bswap32(word);
    if constexpr (sizeof word == 8) word = __builtin_bswap64(word);
    std::memcpy(at + i * sizeof word, &word, sizeof word);
  }
}

// The fewest bytes that a field's element, or a message, can take: what a count is checked against.
std::size_t least(const Members& members);
std::size_t least_of_element(const Member& member) {
  switch (member.type_id_) {
    case id::ROS_TYPE_MESSAGE: return least(nested_members(member));
    case id::ROS_TYPE_STRING:
    case id::ROS_TYPE_WSTRING: return sizeof(std::uint32_t);
    default: return width(member.type_id_);
  }
}
std::size_t least(const Members& members) {
  std::size_t sum = 0;
  for (const Member& member : fields_of(members)) {
    if (member.is_array_ && !is_fixed_array(member)) {
      sum += sizeof(std::uint32_t);
    } else {
      sum += least_of_element(member) * (member.is_array_ ? member.array_size_ : 1);
    }
  }
  return sum;
}

class CdrReader {
 public:
  CdrReader(std::span<const std::uint8_t> body, bool swap) : body_(body), swap_(swap) {}

  bool message(const Members& members, std::byte* at) {
    for (const Member& member : fields_of(members)) {
      if (!value(member, at + member.offset_)) return false;
    }
    return true;
  }
  bool end(Rest rest) {
    if (rest == Rest::kIgnored || left() == 0) return true;
    if (left() < kPadding && body_.size() % kPadding == 0) return true;
    trouble_.text = std::to_string(left()) + " bytes follow the message";
    return false;
  }
  const Trouble& trouble() const { return trouble_; }

 private:
  bool value(const Member& member, std::byte* at) {
    if (member.is_array_ && !is_fixed_array(member) && !sequence(member, at)) return false;
    const Elements<std::byte> all = elements(member, at);
    if (all.count == 0) return true;
    if (member.type_id_ == id::ROS_TYPE_BOOLEAN) return bools(member, at, all.count);
    if (const std::size_t bytes = width(member.type_id_)) return primitives(member, all, bytes);
    if (member.type_id_ == id::ROS_TYPE_MESSAGE) return messages(member, all);
    for (std::size_t i = 0; i < all.count; ++i) {
      if (!text(member, i, all.first + i * stride(member))) return false;
    }
    return true;
  }

  bool sequence(const Member& member, std::byte* at) {
    std::uint32_t count = 0;
    if (!u32(count)) return wrong(member, kWhole, "cut short");
    if (member.is_upper_bound_ && count > member.array_size_) {
      return wrong(member, kWhole,
                   std::to_string(count) + " elements; its bound is " + std::to_string(member.array_size_));
    }
    if (count > left() / least_of_element(member)) {
      return wrong(member, kWhole,
                   std::to_string(count) + " elements do not fit in " + std::to_string(left()) + " bytes");
    }
    member.resize_function(at, count);
    return true;
  }

  bool primitives(const Member& member, Elements<std::byte> all, std::size_t bytes) {
    if (!align(bytes) || all.count > left() / bytes) return wrong(member, kWhole, "cut short");
    take(all.first, bytes * all.count);
    if (swap_ && bytes == 2) swap_words<std::uint16_t>(all.first, all.count);
    if (swap_ && bytes == 4) swap_words<std::uint32_t>(all.first, all.count);
    if (swap_ && bytes == 8) swap_words<std::uint64_t>(all.first, all.count);
    return true;
  }

  bool bools(const Member& member, std::byte* at, std::size_t count) {
    if (count > left()) return wrong(member, kWhole, "cut short");
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint8_t byte = body_[at_++];
      if (byte > 1) return wrong(member, i, std::to_string(byte) + " is not a bool");
      const bool bit = byte != 0;
      if (member.is_array_) {
        member.assign_function(at, i, &bit);
      } else {
        std::memcpy(at, &bit, sizeof bit);
      }
    }
    return true;
  }

  bool messages(const Member& member, Elements<std::byte> all) {
    const Members& members = nested_members(member);
    if (all.count > 1 && !swap_) {
      const Block block = block_of(members);
      if (block.size != 0 && align(block.first) && at_ % block.alignment == 0 && all.count <= left() / block.size) {
        take(all.first, block.size * all.count);
        return true;
      }
    }
    for (std::size_t i = 0; i < all.count; ++i) {
      if (message(members, all.first + i * members.size_of_)) continue;
      trouble_.within(member, i);
      return false;
    }
    return true;
  }

  bool text(const Member& member, std::size_t index, std::byte* at) {
    std::uint32_t length = 0;
    if (!u32(length)) return wrong(member, index, "cut short");
    const bool wide = member.type_id_ == id::ROS_TYPE_WSTRING;
    if (length > left() / (wide ? sizeof(std::uint32_t) : 1)) {
      return wrong(member, index,
                   "a string of " + std::to_string(length) + " does not fit in " + std::to_string(left()) + " bytes");
    }
    const std::size_t characters = wide || length == 0 ? length : length - 1;
    if (member.string_upper_bound_ != 0 && characters > member.string_upper_bound_) {
      return wrong(
          member, index,
          "a string of " + std::to_string(characters) + "; its bound is " + std::to_string(member.string_upper_bound_));
    }
    return wide ? wide_text(member, index, length, as_wstring(at)) : narrow_text(member, index, length, as_string(at));
  }

  // Some senders write an empty string without its NUL.
  bool narrow_text(const Member& member, std::size_t index, std::uint32_t length, std::string& text) {
    const auto* first = reinterpret_cast<const char*>(body_.data()) + at_;
    if (length != 0 && first[length - 1] != '\0') return wrong(member, index, "a string without its closing NUL");
    text.assign(first, length == 0 ? 0 : length - 1);
    at_ += length;
    return true;
  }

  bool wide_text(const Member& member, std::size_t index, std::uint32_t length, std::u16string& text) {
    text.resize(length);
    for (char16_t& unit : text) {
      std::uint32_t wide = 0;
      u32(wide);  // there: counted before
      if (wide > 0xffff) return wrong(member, index, "a character beyond UTF-16");
      unit = static_cast<char16_t>(wide);
    }
    return true;
  }

  std::size_t left() const { return body_.size() - at_; }
  bool align(std::size_t to) {
    const std::size_t next = (at_ + to - 1) & ~(to - 1);
    if (next > body_.size()) return false;
    at_ = next;
    return true;
  }
  bool u32(std::uint32_t& value) {
    if (!align(sizeof value) || left() < sizeof value) return false;
    take(&value, sizeof value);
    if (swap_) value = __builtin_bswap32(value);
    return true;
  }
  void take(void* to, std::size_t size) {
    std::memcpy(to, body_.data() + at_, size);
    at_ += size;
  }
  bool wrong(const Member& member, std::size_t index, std::string text) {
    trouble_.text = std::move(text);
    trouble_.within(member, index);
    return false;
  }

  std::span<const std::uint8_t> body_;
  std::size_t at_ = 0;
  bool swap_;
  Trouble trouble_;
};

}  // namespace

Status write_cdr(const Members& members, const void* message, std::vector<std::uint8_t>& out) {
  const std::size_t before = out.size();
  CdrWriter writer(out);
  if (writer.message(members, static_cast<const std::byte*>(message))) return {};
  out.resize(before);
  return writer.trouble().error(members);
}

Status read_cdr(const Members& members, std::span<const std::uint8_t> bytes, void* message, Rest rest) {
  if (bytes.size() < kHeader) return fail(ErrorCode::kInvalid, name_of(members) + ": no CDR header");
  if (bytes[0] != 0 || bytes[1] > kLittleEndian) {
    return fail(ErrorCode::kInvalid, name_of(members) + ": encapsulation " + std::to_string(bytes[0] * 256 + bytes[1]) +
                                         " is not plain XCDR1");
  }
  CdrReader reader(bytes.subspan(kHeader), bytes[1] == kBigEndian);
  if (reader.message(members, static_cast<std::byte*>(message)) && reader.end(rest)) return {};
  return reader.trouble().error(members);
}

}  // namespace convoy::ros
