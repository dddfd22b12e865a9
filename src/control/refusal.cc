#include "control/refusal.h"

namespace convoy::control {

namespace {

Reason reason_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNotFound: return Reason::kUnknownRobot;
    case ErrorCode::kDenied: return Reason::kDenied;
    case ErrorCode::kLeased: return Reason::kLeased;
    case ErrorCode::kState:
    case ErrorCode::kUnavailable: return Reason::kNotReady;
    default: return Reason::kBadValue;
  }
}

}  // namespace

Refusal refusal_of(const Error& error) { return {reason_of(error.code), error.message()}; }

}  // namespace convoy::control
