// Why something is not done that was asked of the control core: a reason from a closed set, and a text for people.
#pragma once

#include <string>

#include "convoy/result.h"

namespace convoy::control {

enum class Reason : std::uint8_t {
  kBadMode,  // the run cannot be stepped
  kBadValue,
  kDenied,     // the server does not let this host do it
  kElsewhere,  // the robot lives at another host
  kLeased,     // to another session
  kNotReady,
  kPaused,
  kSessionOver,
  kStepTimeout,
  kTooManySessions,
  kUnknownRobot,
  kWasReset,  // the world, meanwhile
};

struct Refusal {
  Reason reason{};
  std::string message;
};
// What the server's refusals mean here.
Refusal refusal_of(const Error& error);

template <class T>
using Checked = tl::expected<T, Refusal>;
inline tl::unexpected<Refusal> refuse(Reason reason, std::string message) {
  return tl::unexpected<Refusal>(Refusal{reason, std::move(message)});
}

}  // namespace convoy::control
