// How long messages between nodes take, and in which order timers fire: what scenarios specify and graphs of nodes
// obey.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "convoy/time.h"

namespace convoy {

struct Delay {
  enum class Kind : std::uint8_t {
    kConstant,  // low
    kUniform,   // low to high, each nanosecond of both ends included equally likely
    kNormal,    // mean low, standard deviation high; never below 0
    kTrace,     // the samples, one after the other, then again
  };
  Kind kind = Kind::kConstant;
  Duration low{}, high{};
  std::vector<Duration> samples;

  friend bool operator==(const Delay&, const Delay&) = default;
};

// The delay of the messages of one name.
struct DelayRule {
  enum class Of : std::uint8_t { kTopic, kRequest, kResponse };
  Of of = Of::kTopic;
  std::string name;        // full name of the topic or service
  std::string publisher;   // full name of the node that sends; empty: any
  std::string subscriber;  // full name of the node that receives; empty: any. A link draws for itself alone
  Delay delay;
  std::string where;  // "delays.csv:3", for errors

  friend bool operator==(const DelayRule&, const DelayRule&) = default;
};

// Which comes first among timers that are due at one instant.
enum class TimerOrder : std::uint8_t {
  kStable,  // the one due first, then the one created first
  kRslcpp,  // the one due first, then as libstdc++'s binary heap has it: what rclcpp and RSLCPP do
};

}  // namespace convoy
