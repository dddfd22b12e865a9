// Driving a robot by keys, a gamepad or fingers, with a dead man's switch: it goes while something is held, and no longer.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "convoy/time.h"
#include "stream/player_message.h"

namespace convoy::stream {

class PlayerDrive {
 public:
  static constexpr Duration kEvery = std::chrono::milliseconds(100);     // between commands
  static constexpr Duration kRules = std::chrono::milliseconds(300);     // a command
  static constexpr Duration kForgets = std::chrono::milliseconds(2000);  // what was held, if nothing is heard of it

  struct Command {
    double forward = 0, turn = 0;  // m/s, rad/s
    friend bool operator==(const Command&, const Command&) = default;
  };

  // Begins with that robot; at full it goes so fast. An empty name: with none.
  void begin(std::string robot, double max_speed, double max_turn);
  const std::string& robot() const { return robot_; }

  // True: it is one that drives.
  bool take(const PlayerMessage& message, Moment now);
  // A command that is due; one of zeros follows the last.
  std::optional<Command> due(Moment now);
  Moment deadline() const { return robot_.empty() || !(going_ || wanted() != Command{}) ? kNever : next_; }

 private:
  Command wanted() const;

  std::string robot_;
  double max_speed_ = 0, max_turn_ = 0;
  std::set<std::uint8_t> keys_;  // arrows that are held
  double stick_forward_ = 0, stick_turn_ = 0;
  bool going_ = false;
  Moment next_{}, heard_{};
};

}  // namespace convoy::stream
