#include "nodes/delay.h"

#include <algorithm>
#include <limits>

#include "core/check.h"

namespace convoy::nodes {
namespace {

// Publisher and subscriber named, then subscriber, then publisher, then the name alone.
int specific(const DelayRule& rule) { return 2 * !rule.subscriber.empty() + !rule.publisher.empty(); }

std::string_view word(DelayRule::Of of) {
  return of == DelayRule::Of::kTopic     ? "delay"
         : of == DelayRule::Of::kRequest ? "delay of requests"
                                         : "delay of responses";
}

}  // namespace

Status check(const Delay& delay) {
  const auto bad = [](const char* why) { return fail(ErrorCode::kInvalid, why); };
  switch (delay.kind) {
    case Delay::Kind::kConstant: return delay.low < Duration(0) ? Status(bad("a delay below 0")) : Status();
    case Delay::Kind::kUniform:
      if (delay.low < Duration(0)) return bad("a delay below 0");
      return delay.high < delay.low ? Status(bad("a range that ends before it begins")) : Status();
    case Delay::Kind::kNormal:
      if (delay.low < Duration(0)) return bad("a mean delay below 0");
      return delay.high < Duration(0) ? Status(bad("a deviation below 0")) : Status();
    case Delay::Kind::kTrace:
      if (delay.samples.empty()) return bad("a trace without samples");
      for (Duration d : delay.samples)
        if (d < Duration(0)) return bad("a delay below 0 in a trace");
  }
  return {};
}

Duration DelaySource::draw() {
  const Delay& d = *delay_;
  switch (d.kind) {
    case Delay::Kind::kConstant: return d.low;
    case Delay::Kind::kUniform:
      return d.low + Duration(static_cast<std::int64_t>(
                         random_.below(static_cast<std::uint64_t>((d.high - d.low).count()) + 1)));
    case Delay::Kind::kNormal: {
      const double off = static_cast<double>(d.high.count()) * random_.normal();
      const Duration drawn = d.low + Duration(static_cast<std::int64_t>(off + (off < 0 ? -0.5 : 0.5)));
      return std::max(drawn, Duration(0));
    }
    case Delay::Kind::kTrace: return d.samples[next_++ % d.samples.size()];
  }
  return Duration(0);
}

DelayBook::DelayBook(std::vector<DelayRule> rules, std::uint64_t seed, std::uint64_t agent)
    : seed_(seed), agent_(agent) {
  for (DelayRule& rule : rules) {
    EXPECTS(check(rule.delay));
    rules_.push_back({std::move(rule)});
  }
  // The most specific first; of equals, the first given.
  std::stable_sort(rules_.begin(), rules_.end(),
                   [](const Entry& a, const Entry& b) { return specific(a.rule) > specific(b.rule); });
}

DelaySource DelayBook::sender(DelayRule::Of of, std::string_view name, std::string_view publisher,
                              std::uint32_t ordinal) {
  for (Entry& entry : rules_) {
    const DelayRule& rule = entry.rule;
    if (rule.of != of || rule.name != name || !rule.subscriber.empty()) continue;
    if (!rule.publisher.empty() && rule.publisher != publisher) continue;
    entry.used = true;
    std::string purpose(word(of));
    purpose.append(" ").append(name).append(" ").append(publisher).append(" ").append(std::to_string(ordinal));
    return {rule.delay, Random{stream_key(seed_, agent_, purpose)}};
  }
  return {};
}

DelaySource DelayBook::link(DelayRule::Of of, std::string_view name, std::string_view publisher, std::uint32_t ordinal,
                            std::string_view subscriber, std::uint32_t subscriber_ordinal) {
  for (Entry& entry : rules_) {
    const DelayRule& rule = entry.rule;
    if (rule.of != of || rule.name != name || rule.subscriber != subscriber) continue;
    if (!rule.publisher.empty() && rule.publisher != publisher) continue;
    entry.used = true;
    std::string purpose(word(of));
    purpose.append(" ").append(name).append(" ").append(publisher).append(" ").append(std::to_string(ordinal));
    purpose.append(" to ").append(subscriber).append(" ").append(std::to_string(subscriber_ordinal));
    return {rule.delay, Random{stream_key(seed_, agent_, purpose)}};
  }
  return {};
}

std::vector<const DelayRule*> DelayBook::unused() const {
  std::vector<const DelayRule*> unused;
  for (const Entry& entry : rules_)
    if (!entry.used) unused.push_back(&entry.rule);
  return unused;
}

Result<Duration> parse_duration(std::string_view text) {
  const auto bad = [&](const char* why) { return fail(ErrorCode::kInvalid, "'" + std::string(text) + "' " + why); };
  struct Unit {
    std::string_view name;
    std::int64_t nanos;
    int digits;  // after the point, that still are whole nanoseconds
  };
  static constexpr Unit kUnits[] = {{"ns", 1, 0}, {"us", 1'000, 3}, {"ms", 1'000'000, 6}, {"s", 1'000'000'000, 9}};
  static constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return text.substr(begin, at - begin);
  };
  const std::string_view whole = digits();
  std::string_view part;
  if (at < text.size() && text[at] == '.') ++at, part = digits();
  if (whole.empty() && part.empty()) return bad("is no duration; write 10ms, 1500ns or 0.5s");
  while (at < text.size() && text[at] == ' ') ++at;
  const std::string_view rest = text.substr(at);
  const Unit* unit = nullptr;
  for (const Unit& u : kUnits)
    if (u.name == rest) unit = &u;
  if (!unit)
    return bad(rest.empty() ? "has no unit (ns, us, ms or s)" : "has an unknown unit (ns, us, ms and s are known)");

  std::int64_t value = 0;
  for (char c : whole)
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, c - '0', &value))
      return bad("is too long");
  if (value > kMax / unit->nanos) return bad("is too long");
  value *= unit->nanos;
  std::int64_t weight = unit->nanos;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (static_cast<int>(i) >= unit->digits) {
      if (part[i] != '0') return bad("is no whole number of nanoseconds");
      continue;
    }
    weight /= 10;
    if (__builtin_add_overflow(value, weight * (part[i] - '0'), &value)) return bad("is too long");
  }
  return Duration(value);
}

}  // namespace convoy::nodes
