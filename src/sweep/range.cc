#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sweep/plan.h"

namespace convoy::sweep {

namespace {

constexpr std::size_t kMaxDigits = 17;  // of a number, so that all sums fit 64 bits

// A decimal number: `units` of 10^-places.
struct Decimal {
  std::int64_t units = 0;
  int places = 0;
};

std::optional<Decimal> parse_decimal(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  Decimal out;
  std::size_t digits = 0;
  bool point = false;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9' || ++digits > kMaxDigits) return {};
    out.units = out.units * 10 + (c - '0');
    out.places += point;
  }
  if (digits == 0 || text.ends_with('.') || text.starts_with('.')) return {};
  if (negative) out.units = -out.units;
  return out;
}

// In units of 10^-places; nothing if that is too large a number.
std::optional<std::int64_t> scaled(Decimal d, int places) {
  for (; d.places < places; ++d.places)
    if (__builtin_mul_overflow(d.units, 10, &d.units)) return {};
  return d.units;
}

std::string text_of(std::int64_t units, int places) {
  const bool negative = units < 0;
  const std::uint64_t magnitude = negative ? 0 - static_cast<std::uint64_t>(units) : static_cast<std::uint64_t>(units);
  std::string digits = fmt::format("{:0{}}", magnitude, places + 1);
  if (places > 0) {
    digits.insert(digits.size() - static_cast<std::size_t>(places), ".");
    while (digits.back() == '0') digits.pop_back();
    if (digits.back() == '.') digits.pop_back();
  }
  return negative && digits != "0" ? "-" + digits : digits;
}

}  // namespace

Result<std::vector<std::string>> parse_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == text.npos) return std::vector<std::string>{};
  std::string_view first = text.substr(0, dots), last = text.substr(dots + 2), step;
  if (const std::size_t by = last.find(" by "); by != last.npos) {
    step = last.substr(by + 4), last = last.substr(0, by);
    if (step.empty()) return fail(ErrorCode::kInvalid, "a range ends in its step, as 0.1..0.5 by 0.1");
  }
  const auto from = parse_decimal(first), to = parse_decimal(last);
  if (!from || !to) return std::vector<std::string>{};  // a text with dots in it
  const auto width = step.empty() ? Decimal{1, 0} : parse_decimal(step).value_or(Decimal{});
  if (width.units <= 0)
    return fail(ErrorCode::kInvalid, fmt::format("the step of a range is a number above 0, not '{}'", step));
  if (step.empty() && from->places + to->places > 0)
    return fail(ErrorCode::kInvalid,
                fmt::format("a range of numbers that are not whole needs a step, as {} by 0.1", text));
  const int places = std::max({from->places, to->places, width.places});
  const auto a = scaled(*from, places), b = scaled(*to, places), s = scaled(width, places);
  if (!a || !b || !s) return fail(ErrorCode::kInvalid, "a range has numbers of at most 17 digits");
  if (*a > *b) return fail(ErrorCode::kInvalid, fmt::format("the range {} begins above its end", text));
  const std::uint64_t count =
      (static_cast<std::uint64_t>(*b) - static_cast<std::uint64_t>(*a)) / static_cast<std::uint64_t>(*s) + 1;
  if (count > kMaxRuns)
    return fail(ErrorCode::kInvalid,
                fmt::format("the range {} has {} values; at most {} are run", text, count, kMaxRuns));
  std::vector<std::string> out;
  out.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) out.push_back(text_of(*a + static_cast<std::int64_t>(i) * *s, places));
  return out;
}

}  // namespace convoy::sweep
