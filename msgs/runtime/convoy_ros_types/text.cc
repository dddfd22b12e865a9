#include "convoy_ros_types/text.h"

namespace convoy::ros {
namespace {

constexpr char32_t kReplacement = 0xfffd;

void append(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3f));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

bool is_high(char32_t c) { return c >= 0xd800 && c < 0xdc00; }
bool is_low(char32_t c) { return c >= 0xdc00 && c < 0xe000; }

}  // namespace

Decoded decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {};
  char32_t c = lead & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return {};
    c = (c << 6) | (next & 0x3f);
  }
  if (c < kLeast[length] || c > 0x10ffff || is_high(c) || is_low(c)) return {};
  return {c, length};
}

std::string utf8(std::u16string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char32_t c = text[i];
    if (is_high(c) && i + 1 < text.size() && is_low(text[i + 1])) {
      c = 0x10000 + ((c - 0xd800) << 10) + (text[++i] - 0xdc00);
    } else if (is_high(c) || is_low(c)) {
      c = kReplacement;
    }
    append(out, c);
  }
  return out;
}

std::u16string utf16(std::string_view text) {
  std::u16string out;
  while (!text.empty()) {
    Decoded next = decode(text);
    if (next.length == 0) next = {kReplacement, 1};
    text.remove_prefix(next.length);
    if (next.character < 0x10000) {
      out += static_cast<char16_t>(next.character);
    } else {
      const char32_t c = next.character - 0x10000;
      out += static_cast<char16_t>(0xd800 + (c >> 10));
      out += static_cast<char16_t>(0xdc00 + (c & 0x3ff));
    }
  }
  return out;
}

}  // namespace convoy::ros
