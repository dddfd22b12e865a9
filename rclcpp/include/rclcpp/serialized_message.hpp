// A message as CDR bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "rclcpp/macros.hpp"

// The part of rcl's C struct that users read.
struct rcl_serialized_message_t {
  std::uint8_t* buffer = nullptr;
  std::size_t buffer_length = 0;
  std::size_t buffer_capacity = 0;
};

namespace rclcpp {

class SerializedMessage {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(SerializedMessage)
  SerializedMessage() = default;
  explicit SerializedMessage(std::size_t capacity) { reserve(capacity); }
  explicit SerializedMessage(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {}

  std::size_t size() const { return bytes_.size(); }
  std::size_t capacity() const { return bytes_.capacity(); }
  void reserve(std::size_t capacity) { bytes_.reserve(capacity); }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  std::vector<std::uint8_t>& bytes() { return bytes_; }
  // A view that the next change of the message ends; writing through it changes bytes, not their number.
  rcl_serialized_message_t get_rcl_serialized_message() const {
    return {const_cast<std::uint8_t*>(bytes_.data()), bytes_.size(), bytes_.capacity()};
  }

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace rclcpp
