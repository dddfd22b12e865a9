// A message as CDR bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "rclcpp/macros.hpp"

// The part of rcl's C struct that users read and write.
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
  explicit SerializedMessage(std::vector<std::uint8_t> bytes) : storage_(std::move(bytes)) { refer(storage_.size()); }
  explicit SerializedMessage(const rcl_serialized_message_t& other)
      : SerializedMessage(std::vector<std::uint8_t>(other.buffer, other.buffer + other.buffer_length)) {}
  SerializedMessage(const SerializedMessage& other)
      : SerializedMessage(std::vector<std::uint8_t>(other.bytes().begin(), other.bytes().end())) {}
  SerializedMessage(SerializedMessage&& other) noexcept { swap(other); }
  SerializedMessage& operator=(SerializedMessage other) noexcept { return swap(other), *this; }

  std::size_t size() const { return view_.buffer_length; }
  std::size_t capacity() const { return view_.buffer_capacity; }
  void reserve(std::size_t capacity) {
    if (capacity <= storage_.size()) return;
    storage_.resize(capacity);
    refer(view_.buffer_length);
  }
  std::span<const std::uint8_t> bytes() const { return {view_.buffer, view_.buffer_length}; }
  // A user that writes into the buffer sets its length, up to the capacity; the buffer itself stays this object's.
  rcl_serialized_message_t& get_rcl_serialized_message() { return view_; }
  const rcl_serialized_message_t& get_rcl_serialized_message() const { return view_; }

 private:
  void swap(SerializedMessage& other) noexcept {
    storage_.swap(other.storage_);
    std::swap(view_, other.view_);
  }
  void refer(std::size_t length) { view_ = {storage_.data(), length, storage_.size()}; }

  std::vector<std::uint8_t> storage_;  // of the capacity's size
  rcl_serialized_message_t view_;
};

}  // namespace rclcpp
