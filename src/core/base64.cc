#include "core/base64.h"

#include <algorithm>

namespace convoy {

namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64_of(ByteView bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t j = 0; j < 3; ++j) group = group << 8 | (j < n ? bytes[i + j] : 0);
    for (std::size_t j = 0; j < 4; ++j) out += j <= n ? kDigits[group >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

std::optional<Bytes> bytes_of_base64(std::string_view text) {
  if (text.size() % 4 != 0) return {};
  std::size_t length = text.size() / 4 * 3;
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1), --length;
  Bytes out;
  std::uint32_t bits = 0;
  int known = 0;
  for (char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return {};
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if ((known += 6) < 8) continue;
    out.push_back(static_cast<std::uint8_t>(bits >> (known -= 8)));
  }
  return out.size() == length ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace convoy
