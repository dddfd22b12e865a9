// What tf2 throws.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace tf2 {

enum class TF2Error : std::uint8_t {
  TF2_NO_ERROR,
  TF2_LOOKUP_ERROR,
  TF2_CONNECTIVITY_ERROR,
  TF2_EXTRAPOLATION_ERROR,
  TF2_INVALID_ARGUMENT_ERROR,
  TF2_TIMEOUT_ERROR,
  TF2_TRANSFORM_ERROR,
  TF2_BACKWARD_EXTRAPOLATION_ERROR,
  TF2_FORWARD_EXTRAPOLATION_ERROR,
  TF2_NO_DATA_FOR_EXTRAPOLATION_ERROR
};

class TransformException : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
// The frames are in trees that nothing connects.
class ConnectivityException : public TransformException {
  using TransformException::TransformException;
};
// A frame that no transform has named.
class LookupException : public TransformException {
  using TransformException::TransformException;
};
// A time before the earliest or behind the latest that is known.
class ExtrapolationException : public TransformException {
  using TransformException::TransformException;
};
class BackwardExtrapolationException : public ExtrapolationException {
  using ExtrapolationException::ExtrapolationException;
};
class ForwardExtrapolationException : public ExtrapolationException {
  using ExtrapolationException::ExtrapolationException;
};
class NoDataForExtrapolationException : public ExtrapolationException {
  using ExtrapolationException::ExtrapolationException;
};
class InvalidArgumentException : public TransformException {
  using TransformException::TransformException;
};
class TimeoutException : public TransformException {
  using TransformException::TransformException;
};

}  // namespace tf2
