#include "core/json_fields.h"

namespace convoy {

void JsonFields::text(std::string_view value) {
  out_ += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') out_ += '\\', out_ += c;
    else if (static_cast<unsigned char>(c) >= 0x20) out_ += c;
    else {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out_ += escaped;
    }
  }
  out_ += '"';
}

void JsonFields::base64(const Bytes& value) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  out_ += '"';
  for (std::size_t i = 0; i < value.size(); i += 3) {
    const std::size_t left = value.size() - i;
    const std::uint32_t three = static_cast<std::uint32_t>(value[i]) << 16 |
                                static_cast<std::uint32_t>(left > 1 ? value[i + 1] : 0) << 8 |
                                static_cast<std::uint32_t>(left > 2 ? value[i + 2] : 0);
    out_ += kLetters[three >> 18], out_ += kLetters[three >> 12 & 63];
    out_ += left > 1 ? kLetters[three >> 6 & 63] : '=', out_ += left > 2 ? kLetters[three & 63] : '=';
  }
  out_ += '"';
}

}  // namespace convoy
