// What players say over the data channel: the messages of Epic's Pixel Streaming, as its front end sends them.
//
// A message is a byte for its kind and then its fields, little-endian. Places are parts of the picture, 0 to 1 from its
// upper left corner. What is malformed, or not of the part that is understood here (docs/viewer.md), is none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/bytes.h"

namespace convoy::stream {

struct KeyChange {
  std::uint8_t code = 0;  // as KeyboardEvent.keyCode
  bool down = false, repeats = false;
  friend bool operator==(const KeyChange&, const KeyChange&) = default;
};
struct ButtonChange {
  std::uint8_t button = 0;  // 0 left, 1 middle, 2 right
  bool down = false;
  double x = 0, y = 0;
  friend bool operator==(const ButtonChange&, const ButtonChange&) = default;
};
struct MouseMove {
  double x = 0, y = 0, dx = 0, dy = 0;  // dx, dy: parts of the picture since the last one
  friend bool operator==(const MouseMove&, const MouseMove&) = default;
};
struct WheelTurn {
  double delta = 0;  // 120 for a notch, towards the screen
  double x = 0, y = 0;
  friend bool operator==(const WheelTurn&, const WheelTurn&) = default;
};
struct Touches {
  enum class Kind : std::uint8_t { kStart, kEnd, kMove } kind = Kind::kStart;
  struct Finger {
    double x = 0, y = 0;
    std::uint8_t id = 0;
    friend bool operator==(const Finger&, const Finger&) = default;
  };
  std::vector<Finger> fingers;
  friend bool operator==(const Touches&, const Touches&) = default;
};
struct GamepadAxis {
  std::uint8_t pad = 0, axis = 0;  // axes 1 to 4: left x, left y, right x, right y
  double value = 0;                // -1 to 1
  friend bool operator==(const GamepadAxis&, const GamepadAxis&) = default;
};
struct GamepadButton {
  std::uint8_t pad = 0, button = 0;
  bool down = false;
  friend bool operator==(const GamepadButton&, const GamepadButton&) = default;
};
// JSON of the page's own (emitUIInteraction).
struct Interaction {
  std::string text;  // UTF-8
  friend bool operator==(const Interaction&, const Interaction&) = default;
};
struct MouseLeft {  // its pointer left the picture: nothing is held any more
  friend bool operator==(const MouseLeft&, const MouseLeft&) = default;
};
struct WantsKeyPicture {
  friend bool operator==(const WantsKeyPicture&, const WantsKeyPicture&) = default;
};
struct WantsControl {  // of the quality
  friend bool operator==(const WantsControl&, const WantsControl&) = default;
};
struct WantsSettings {
  friend bool operator==(const WantsSettings&, const WantsSettings&) = default;
};
struct LatencyQuestion {
  bool by_channel = false;  // DataChannelLatencyTest
  std::string text;         // its JSON
  friend bool operator==(const LatencyQuestion&, const LatencyQuestion&) = default;
};
struct Echo {
  std::string text;
  friend bool operator==(const Echo&, const Echo&) = default;
};

using PlayerMessage =
    std::variant<KeyChange, ButtonChange, MouseMove, WheelTurn, Touches, GamepadAxis, GamepadButton, Interaction,
                 MouseLeft, WantsKeyPicture, WantsControl, WantsSettings, LatencyQuestion, Echo>;

std::optional<PlayerMessage> parse_player_message(ByteView bytes);

// To players.
enum class ToPlayer : std::uint8_t {
  kQualityControl = 0,
  kResponse = 1,
  kLatency = 6,
  kSettings = 7,
  kEcho = 11,
  kInputControl = 12,
  kChannelLatency = 14,
  kProtocol = 255
};
// Its text, as UTF-16.
Bytes text_to_player(ToPlayer kind, const std::string& text);
Bytes flag_to_player(ToPlayer kind, bool value);
// What each kind of theirs is made of, as Epic's front end wants to be told (kind 255).
const std::string& protocol_for_players();

}  // namespace convoy::stream
