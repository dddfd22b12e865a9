// What rclcpp throws, by the names that it has there.
#pragma once

#include <stdexcept>
#include <string>

namespace rclcpp::exceptions {

class InvalidNodeError : public std::runtime_error {
 public:
  InvalidNodeError() : std::runtime_error("node is invalid") {}
};
class NameValidationError : public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};
class InvalidNodeNameError : public NameValidationError {
  using NameValidationError::NameValidationError;
};
class InvalidNamespaceError : public NameValidationError {
  using NameValidationError::NameValidationError;
};
class InvalidTopicNameError : public NameValidationError {
  using NameValidationError::NameValidationError;
};
class InvalidServiceNameError : public NameValidationError {
  using NameValidationError::NameValidationError;
};
class RCLErrorBase {
 public:
  int ret = 1;
  std::string message, file, formatted_message;
  std::size_t line = 0;
};
class RCLError : public RCLErrorBase, public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class RCLInvalidArgument : public RCLErrorBase, public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};
class RCLInvalidROSArgsError : public RCLErrorBase, public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class UnknownROSArgsError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class InvalidEventError : public std::runtime_error {
 public:
  InvalidEventError() : std::runtime_error("event is invalid") {}
};
class EventNotRegisteredError : public std::runtime_error {
 public:
  EventNotRegisteredError() : std::runtime_error("event is not registered") {}
};
class InvalidParametersException : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class InvalidParameterValueException : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class InvalidParameterTypeException : public std::runtime_error {
 public:
  InvalidParameterTypeException(const std::string& name, const std::string& message)
      : std::runtime_error("parameter '" + name + "' has invalid type: " + message) {}
};
class ParameterUninitializedException : public std::runtime_error {
 public:
  explicit ParameterUninitializedException(const std::string& name)
      : std::runtime_error("parameter '" + name + "' is not initialized") {}
};
class ParameterAlreadyDeclaredException : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class ParameterNotDeclaredException : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class ParameterImmutableException : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class ParameterModifiedInCallbackException : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class UnsupportedEventTypeException : public RCLErrorBase, public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace rclcpp::exceptions
