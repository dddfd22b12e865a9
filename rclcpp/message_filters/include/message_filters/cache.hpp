// The newest messages of a filter, by stamp.
#pragma once

#include <deque>
#include <vector>

#include "message_filters/simple_filter.hpp"

namespace message_filters {

template <class M>
class Cache : public SimpleFilter<M> {
 public:
  using MConstPtr = std::shared_ptr<const M>;
  explicit Cache(unsigned int size = 1) { setCacheSize(size); }
  template <class F>
  explicit Cache(F& f, unsigned int size = 1) : Cache(size) {
    connectInput(f);
  }
  ~Cache() override { connection_.disconnect(); }
  template <class F>
  void connectInput(F& f) {
    connection_.disconnect();
    connection_ = f.registerCallback([this](const MConstPtr& m) { add(m); });
  }
  void setCacheSize(unsigned int size) { size_ = size ? size : 1; }
  void add(const MConstPtr& message) {
    while (messages_.size() >= size_) messages_.pop_front();
    auto place = messages_.end();
    while (place != messages_.begin() && stamp(*std::prev(place)) > stamp(message)) --place;
    messages_.insert(place, message);
    this->signalMessage(message);
  }
  // Both ends belong to it.
  std::vector<MConstPtr> getInterval(const rclcpp::Time& start, const rclcpp::Time& end) const {
    std::vector<MConstPtr> out;
    for (const auto& m : messages_)
      if (stamp(m) >= start && stamp(m) <= end) out.push_back(m);
    return out;
  }
  // With the last one before and the first one behind, if they are there.
  std::vector<MConstPtr> getSurroundingInterval(const rclcpp::Time& start, const rclcpp::Time& end) const {
    std::vector<MConstPtr> out;
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      const bool ends_before = i + 1 < messages_.size() && stamp(messages_[i + 1]) <= start;
      const bool starts_behind = i > 0 && stamp(messages_[i - 1]) >= end;
      if (!ends_before && !starts_behind) out.push_back(messages_[i]);
    }
    return out;
  }
  MConstPtr getElemBeforeTime(const rclcpp::Time& time) const {
    MConstPtr out;
    for (const auto& m : messages_)
      if (stamp(m) < time) out = m;
    return out;
  }
  MConstPtr getElemAfterTime(const rclcpp::Time& time) const {
    for (const auto& m : messages_)
      if (stamp(m) > time) return m;
    return nullptr;
  }
  rclcpp::Time getOldestTime() const { return messages_.empty() ? rclcpp::Time() : stamp(messages_.front()); }
  rclcpp::Time getLatestTime() const { return messages_.empty() ? rclcpp::Time() : stamp(messages_.back()); }

 private:
  static rclcpp::Time stamp(const MConstPtr& m) { return message_traits::TimeStamp<M>::value(*m); }
  std::size_t size_ = 1;
  std::deque<MConstPtr> messages_;
  Connection connection_;
};

}  // namespace message_filters
