// How long messages take inside one agent: rules by name, and the seeded source that each link draws from.
//
//   DelayRule rule{.name = "/scan", .delay = {.kind = Delay::Kind::kConstant, .low = 10ms}};
//
// Of the rules that fit a message the most specific applies: publisher and subscriber named, then subscriber, then
// publisher, then the topic alone.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "convoy/result.h"
#include "convoy/time.h"
#include "core/delay.h"
#include "core/random.h"

namespace convoy::nodes {

// Nothing, or why such a delay makes no sense.
Status check(const Delay& delay);

// The delays of one sender, or of one link. Its numbers depend on names and the agent's number alone, so that a node
// more changes no other's.
class DelaySource {
 public:
  DelaySource() = default;
  DelaySource(const Delay& delay, Random random) : delay_(&delay), random_(random) {}
  explicit operator bool() const { return delay_ != nullptr; }
  Duration draw();

 private:
  const Delay* delay_ = nullptr;
  Random random_;
  std::size_t next_ = 0;
};

// The rules of one graph.
class DelayBook {
 public:
  DelayBook(std::vector<DelayRule> rules, std::uint64_t seed, std::uint64_t agent);

  bool empty() const { return rules_.empty(); }
  // What everything that a node sends on a name takes; `ordinal` distinguishes several senders of one node and name.
  DelaySource sender(DelayRule::Of of, std::string_view name, std::string_view publisher, std::uint32_t ordinal);
  // What one link takes, if a rule names its subscriber.
  DelaySource link(DelayRule::Of of, std::string_view name, std::string_view publisher, std::uint32_t ordinal,
                   std::string_view subscriber, std::uint32_t subscriber_ordinal);
  // Rules that nothing has asked for: a wrong name in a file.
  std::vector<const DelayRule*> unused() const;

 private:
  struct Entry {
    DelayRule rule;
    bool used = false;
  };
  std::vector<Entry> rules_;  // never changed: sources point into it
  std::uint64_t seed_, agent_;
};

// "10ms", "1500ns", "0.5ms", "2 s": exact to the nanosecond, and an error if it is not whole there.
Result<Duration> parse_duration(std::string_view text);

}  // namespace convoy::nodes
