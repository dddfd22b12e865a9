#include "gang/said.h"

#include <fmt/format.h>

#include <charconv>

namespace convoy::gang {

namespace {

constexpr SaidKind kSaidKinds[] = {SaidKind::kOut, SaidKind::kLog, SaidKind::kAt, SaidKind::kReport, SaidKind::kEnd};

const char* word_of(SaidKind kind) {
  switch (kind) {
    case SaidKind::kOut: return "out";
    case SaidKind::kLog: return "log";
    case SaidKind::kAt: return "at";
    case SaidKind::kReport: return "report";
    case SaidKind::kEnd: return "end";
  }
  return "";
}

}  // namespace

std::string text_of(const Said& said) { return fmt::format("{} {} {}", said.number, word_of(said.kind), said.text); }

std::optional<Said> parse_said(std::string_view line) {
  Said out;
  const auto [at, error] = std::from_chars(line.data(), line.data() + line.size(), out.number);
  if (error != std::errc()) return {};
  const std::string_view rest = line.substr(static_cast<std::size_t>(at - line.data()));
  for (const SaidKind kind : kSaidKinds) {
    const std::string begin = fmt::format(" {} ", word_of(kind));
    if (!rest.starts_with(begin)) continue;
    out.kind = kind, out.text = rest.substr(begin.size());
    return out;
  }
  return {};
}

}  // namespace convoy::gang
