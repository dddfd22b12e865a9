// The outcome of something that a correct program may fail at: a value, or an Error that a person can act on.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace convoy {

// What kind of failure it was; programs branch on this, people read the text.
enum class ErrorCode : std::uint8_t {
  kInvalid = 1,      // bad input: malformed, out of range, unknown field
  kNotFound = 2,     // no such entity, model, frame, file
  kExists = 3,       // the name is taken
  kDenied = 4,       // not allowed for this role, or wrong credentials
  kState = 5,        // right call, wrong moment ("not paused")
  kUnavailable = 6,  // the other side is gone, full, or has timed out
  kUnsupported = 7,  // understood, but not done by this build
  kInternal = 8,     // a fault of ours
  kLeased = 9,       // another has the robot for itself
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string text;   // one clear line, no trailing full stop
  std::string where;  // "file:line: field" when the cause is in a file, else empty

  friend bool operator==(const Error&, const Error&) = default;
  // "scenarios/a.yaml:7: robots[0].model: unknown model 'x'", or the text alone.
  std::string message() const { return where.empty() ? text : where + ": " + text; }
};

// [[nodiscard]] a T, or why there is none. Nothing in Convoy throws.
template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string text, std::string where = {}) {
  return tl::unexpected<Error>(Error{code, std::move(text), std::move(where)});
}

}  // namespace convoy
