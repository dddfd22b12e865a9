// Data with the time at which it holds and the frame in which it is given.
#pragma once

#include <array>
#include <string>

#include "tf2/time.hpp"

namespace tf2 {

template <class T>
class Stamped : public T {
 public:
  TimePoint stamp_{};
  std::string frame_id_ = "NO_ID_STAMPED_DEFAULT_CONSTRUCTION";

  Stamped() = default;
  Stamped(const T& data, const TimePoint& stamp, const std::string& frame) : T(data), stamp_(stamp), frame_id_(frame) {}
  void setData(const T& data) { static_cast<T&>(*this) = data; }
  bool operator==(const Stamped& other) const {
    return frame_id_ == other.frame_id_ && stamp_ == other.stamp_ &&
           static_cast<const T&>(*this) == static_cast<const T&>(other);
  }
};

template <class T>
class WithCovarianceStamped : public T {
 public:
  TimePoint stamp_{};
  std::string frame_id_ = "NO_ID_STAMPED_DEFAULT_CONSTRUCTION";
  std::array<std::array<double, 6>, 6> cov_mat_{};

  WithCovarianceStamped() = default;
  WithCovarianceStamped(const T& data, const TimePoint& stamp, const std::string& frame,
                        const std::array<std::array<double, 6>, 6>& covariance)
      : T(data), stamp_(stamp), frame_id_(frame), cov_mat_(covariance) {}
  void setData(const T& data) { static_cast<T&>(*this) = data; }
};

}  // namespace tf2
