// What a rank says on its stdout where it shares no folder with whoever follows the run: a numbered line for each line of
// its files.
//
//   0 out listening on port 7447
//   1 at 10.42.0.7:7447
//   2 end {"signal":0,"status":0,"text":"ended with status 0"}
//
// The number tells a line that is read twice, as after a broken connection, from two equal ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace convoy::gang {

enum class SaidKind : std::uint8_t { kOut, kLog, kAt, kReport, kEnd };  // its stdout, its stderr, server.at, ...

struct Said {
  std::uint64_t number = 0;
  SaidKind kind = SaidKind::kOut;
  std::string text;  // without an end of line
  friend bool operator==(const Said&, const Said&) = default;
};

std::string text_of(const Said& said);
// Nothing: it is some other line.
std::optional<Said> parse_said(std::string_view line);

}  // namespace convoy::gang
