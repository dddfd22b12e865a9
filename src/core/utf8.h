// Whether bytes are well-formed UTF-8 (RFC 3629: shortest forms only, no surrogates, at most U+10FFFF).
#pragma once

#include <cstdint>
#include <string_view>

namespace convoy {

inline bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<std::uint8_t>(text[i++]);
    if (lead < 0x80) continue;
    const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4 || text.size() - i < static_cast<std::size_t>(more)) return false;
    std::uint32_t point = lead & (0x3fu >> more);
    for (int k = 0; k < more; ++k) {
      const auto next = static_cast<std::uint8_t>(text[i++]);
      if ((next & 0xc0) != 0x80) return false;
      point = point << 6 | (next & 0x3fu);
    }
    if (more == 2 && (point < 0x800 || (point >= 0xd800 && point < 0xe000))) return false;
    if (more == 3 && (point < 0x10000 || point > 0x10ffff)) return false;
  }
  return true;
}

}  // namespace convoy
