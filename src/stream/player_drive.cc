#include "stream/player_drive.h"

#include "core/overloads.h"

namespace convoy::stream {

namespace {

constexpr std::uint8_t kLeft = 37, kUp = 38, kRight = 39, kDown = 40;  // KeyboardEvent.keyCode
constexpr std::uint8_t kLeftX = 1, kLeftY = 2;                         // of a gamepad

}  // namespace

void PlayerDrive::begin(std::string robot, double max_speed, double max_turn) {
  *this = PlayerDrive{};
  robot_ = std::move(robot), max_speed_ = max_speed, max_turn_ = max_turn;
}

bool PlayerDrive::take(const PlayerMessage& message, Moment now) {
  if (robot_.empty()) return false;
  const bool mine = std::visit(Overloads{[this](const KeyChange& key) {
                                           if (key.code < kLeft || key.code > kDown) return false;
                                           if (key.down) keys_.insert(key.code);
                                           else keys_.erase(key.code);
                                           return true;
                                         },
                                         [this](const GamepadAxis& axis) {
                                           if (axis.axis == kLeftX) stick_turn_ = -axis.value;
                                           if (axis.axis == kLeftY) stick_forward_ = -axis.value;
                                           return axis.axis == kLeftX || axis.axis == kLeftY;
                                         },
                                         [this](const MouseLeft&) {
                                           keys_.clear(), stick_forward_ = stick_turn_ = 0;
                                           return false;  // others let go, too
                                         },
                                         [](const auto&) { return false; }},
                               message);
  if (!mine) return false;
  heard_ = now;
  if (!going_) next_ = now;
  return true;
}

PlayerDrive::Command PlayerDrive::wanted() const {
  const auto held = [this](std::uint8_t key) { return keys_.contains(key) ? 1.0 : 0.0; };
  double forward = held(kUp) - held(kDown), turn = held(kLeft) - held(kRight);
  if (forward == 0) forward = stick_forward_;
  if (turn == 0) turn = stick_turn_;
  return {forward * max_speed_, turn * max_turn_};
}

std::optional<PlayerDrive::Command> PlayerDrive::due(Moment now) {
  if (robot_.empty() || now < next_) return std::nullopt;
  // A held key repeats; a stick that rests somewhere is said once, and again each second by who polls it.
  if (now - heard_ >= kForgets) keys_.clear(), stick_forward_ = stick_turn_ = 0;
  const Command command = wanted();
  const bool stands = command == Command{};
  if (stands && !going_) return std::nullopt;
  going_ = !stands;
  next_ = now + kEvery;
  return command;
}

}  // namespace convoy::stream
