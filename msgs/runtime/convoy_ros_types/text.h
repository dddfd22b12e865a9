// UTF-8 and UTF-16, for strings and wstrings of messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace convoy::ros {

struct Decoded {
  char32_t character = 0;
  std::size_t length = 0;  // bytes; 0: not UTF-8
};
// The first character of a text that is not empty.
Decoded decode(std::string_view text);

// Lone surrogates become U+FFFD.
std::string utf8(std::u16string_view text);
// Malformed bytes become U+FFFD.
std::u16string utf16(std::string_view text);

}  // namespace convoy::ros
