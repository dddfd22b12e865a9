// Where one frame was in its parent, over time.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "tf2/LinearMath/Transform.hpp"
#include "tf2/exceptions.hpp"
#include "tf2/time.hpp"

namespace tf2 {

class FrameHistory {
 public:
  struct Entry {
    TimePoint stamp;
    std::uint32_t parent = 0;
    Quaternion rotation;  // parent from this frame
    Vector3 translation;  // m
  };

  FrameHistory(Duration length, bool is_static) : length_(length), is_static_(is_static) {}
  bool is_static() const { return is_static_; }
  // False: older than what the history keeps.
  bool insert(const Entry& entry);
  // At this time, or the latest at time 0. Otherwise returns what is wrong with the time.
  TF2Error at(TimePoint time, Entry& out, std::string* why) const;
  bool empty() const { return entries_.empty(); }
  TimePoint earliest() const { return is_static_ ? TimePointZero : entries_.front().stamp; }
  TimePoint latest() const { return is_static_ ? TimePointZero : entries_.back().stamp; }
  const Entry& newest() const { return entries_.back(); }
  std::size_t size() const { return entries_.size(); }
  std::string authority;  // who sent it last

 private:
  Duration length_;
  bool is_static_;
  std::deque<Entry> entries_;  // by stamp, each stamp once; of a static frame: one
};

}  // namespace tf2
