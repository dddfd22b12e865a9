// What who operates a robot does: keys that are held, and the stick that drives it. Both come as inputs of the journal.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/fields.h"
#include "sensing/limits.h"

namespace convoy {

struct KeyboardModel {
  friend bool operator==(const KeyboardModel&, const KeyboardModel&) = default;
};
template <class V, MaybeConst<KeyboardModel> T>
void fields(V&, T&) {}
inline std::string problem_of(const KeyboardModel&) { return {}; }

struct KeysReading {
  std::uint32_t held = 0;  // a bit for each key
};
template <class V, MaybeConst<KeysReading> T>
void fields(V& v, T& k) {
  v("held", k.held);
}

// A stick at its end is the twist of these.
struct JoystickModel {
  double linear = 1;   // m/s
  double angular = 1;  // rad/s
  friend bool operator==(const JoystickModel&, const JoystickModel&) = default;
};
template <class V, MaybeConst<JoystickModel> T>
void fields(V& v, T& m) {
  v("linear", m.linear), v("angular", m.angular);
}
inline std::string problem_of(const JoystickModel& m) {
  return m.linear > 0 && m.linear <= kMaxDeviation && m.angular > 0 && m.angular <= kMaxDeviation
             ? ""
             : "linear and angular are above 0, and 1000 at most";
}

struct StickReading {
  std::array<float, 3> axes{};  // forwards, to the left, counter-clockwise: -1 to 1
  std::uint32_t buttons = 0;    // a bit for each
};
template <class V, MaybeConst<StickReading> T>
void fields(V& v, T& s) {
  v("axes", s.axes), v("buttons", s.buttons);
}

StickReading stick_of(const JoystickModel& model, const Twist& told, std::uint32_t keys);

}  // namespace convoy
