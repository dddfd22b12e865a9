// Rows of numbers on the command line.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "convoy/result.h"

namespace convoy::apps {

// "1,2" or "1,2,1.57": `least` to `most` finite numbers; the rest is 0. `option` and `form` are for the Error's text.
inline Result<std::vector<double>> numbers_in(const std::string& option, const std::string& text, const char* form,
                                              std::size_t least, std::size_t most) {
  std::vector<double> out;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    double value = 0;
    const auto [stop, status] = std::from_chars(at, end, value);
    if (status != std::errc{} || !std::isfinite(value)) break;
    out.push_back(value);
    at = stop;
    if (at == end || *at != ',') break;
    ++at;
  }
  if (at != end || out.size() < least || out.size() > most)
    return fail(ErrorCode::kInvalid, fmt::format("{} is '{}'; it is written {}", option, text, form));
  out.resize(most, 0.0);
  return out;
}

}  // namespace convoy::apps
