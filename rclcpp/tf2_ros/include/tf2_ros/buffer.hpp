// A buffer of frames whose lookups may wait: the caller is suspended, and simulated time goes on.
#pragma once

#include <tf2_msgs/srv/frame_graph.hpp>

#include <future>
#include <memory>

#include "rclcpp/node.hpp"
#include "tf2/buffer_core.hpp"
#include "tf2_ros/buffer_interface.hpp"
#include "tf2_ros/create_timer_interface.hpp"

namespace tf2_ros {

// Knows which request it is of, so that it can be cancelled.
class TransformStampedFuture : public std::shared_future<geometry_msgs::msg::TransformStamped> {
 public:
  using Base = std::shared_future<geometry_msgs::msg::TransformStamped>;
  TransformStampedFuture() = default;
  explicit TransformStampedFuture(Base future) : Base(std::move(future)) {}
  void setHandle(tf2::TransformableRequestHandle handle) { handle_ = handle; }
  tf2::TransformableRequestHandle getHandle() const { return handle_; }

 private:
  tf2::TransformableRequestHandle handle_ = 0;
};
using TransformReadyCallback = std::function<void(const TransformStampedFuture&)>;

class AsyncBufferInterface {
 public:
  virtual ~AsyncBufferInterface() = default;
  virtual TransformStampedFuture waitForTransform(const std::string& target_frame, const std::string& source_frame,
                                                  const tf2::TimePoint& time, const tf2::Duration& timeout,
                                                  TransformReadyCallback callback) = 0;
  virtual void cancel(const TransformStampedFuture& future) = 0;
};

class Buffer : public BufferInterface, public AsyncBufferInterface, public tf2::BufferCore {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(Buffer)
  using tf2::BufferCore::canTransform;
  using tf2::BufferCore::lookupTransform;

  explicit Buffer(rclcpp::Clock::SharedPtr clock, tf2::Duration cache_time = tf2::BUFFER_CORE_DEFAULT_CACHE_TIME);
  // With a node there is its service ~/tf2_frames.
  template <class NodeT>
  Buffer(rclcpp::Clock::SharedPtr clock, tf2::Duration cache_time, NodeT&& node,
         const rclcpp::QoS& = rclcpp::ServicesQoS())
      : Buffer(std::move(clock), cache_time) {
    if (node == nullptr) return;
    using Service = tf2_msgs::srv::FrameGraph;
    frames_service_ = node->template create_service<Service>(
        "~/tf2_frames", [this](std::shared_ptr<Service::Request>, std::shared_ptr<Service::Response> response) {
          response->frame_yaml = allFramesAsYAML();
        });
  }

  // With a timeout: as soon as it is there. When the time is over they throw, or return false, as they would without.
  TransformStamped lookupTransform(const std::string& target_frame, const std::string& source_frame,
                                   const tf2::TimePoint& time, const tf2::Duration timeout) const override;
  TransformStamped lookupTransform(const std::string& target_frame, const rclcpp::Time& time,
                                   const std::string& source_frame, const rclcpp::Time& source_time,
                                   const std::string& fixed_frame,
                                   const rclcpp::Duration timeout = rclcpp::Duration()) const {
    return lookupTransform(target_frame, fromRclcpp(time), source_frame, fromRclcpp(source_time), fixed_frame,
                           fromRclcpp(timeout));
  }
  TransformStamped lookupTransform(const std::string& target_frame, const std::string& source_frame,
                                   const rclcpp::Time& time,
                                   const rclcpp::Duration timeout = rclcpp::Duration()) const {
    return lookupTransform(target_frame, source_frame, fromRclcpp(time), fromRclcpp(timeout));
  }
  TransformStamped lookupTransform(const std::string& target_frame, const tf2::TimePoint& target_time,
                                   const std::string& source_frame, const tf2::TimePoint& source_time,
                                   const std::string& fixed_frame, const tf2::Duration timeout) const override;
  bool canTransform(const std::string& target_frame, const std::string& source_frame, const tf2::TimePoint& time,
                    const tf2::Duration timeout, std::string* errstr = nullptr) const override;
  bool canTransform(const std::string& target_frame, const std::string& source_frame, const rclcpp::Time& time,
                    const rclcpp::Duration timeout = rclcpp::Duration(), std::string* errstr = nullptr) const {
    return canTransform(target_frame, source_frame, fromRclcpp(time), fromRclcpp(timeout), errstr);
  }
  bool canTransform(const std::string& target_frame, const tf2::TimePoint& target_time, const std::string& source_frame,
                    const tf2::TimePoint& source_time, const std::string& fixed_frame, const tf2::Duration timeout,
                    std::string* errstr = nullptr) const override;
  bool canTransform(const std::string& target_frame, const rclcpp::Time& target_time, const std::string& source_frame,
                    const rclcpp::Time& source_time, const std::string& fixed_frame,
                    const rclcpp::Duration timeout = rclcpp::Duration(), std::string* errstr = nullptr) const {
    return canTransform(target_frame, fromRclcpp(target_time), source_frame, fromRclcpp(source_time), fixed_frame,
                        fromRclcpp(timeout), errstr);
  }

  // The callback comes when the transform is there, or when the timeout is over: then get() throws. Needs a source of
  // timers: setCreateTimerInterface().
  TransformStampedFuture waitForTransform(const std::string& target_frame, const std::string& source_frame,
                                          const tf2::TimePoint& time, const tf2::Duration& timeout,
                                          TransformReadyCallback callback) override;
  TransformStampedFuture waitForTransform(const std::string& target_frame, const std::string& source_frame,
                                          const rclcpp::Time& time, const rclcpp::Duration& timeout,
                                          TransformReadyCallback callback) {
    return waitForTransform(target_frame, source_frame, fromRclcpp(time), fromRclcpp(timeout), std::move(callback));
  }
  // Neither callback nor result will come.
  void cancel(const TransformStampedFuture& future) override;
  void setCreateTimerInterface(CreateTimerInterface::SharedPtr timers) { timers_ = std::move(timers); }
  rclcpp::Clock::SharedPtr getClock() const { return clock_; }

 private:
  struct Wait {
    std::shared_ptr<std::promise<TransformStamped>> promise;
    TransformStampedFuture future;
    TransformReadyCallback callback;
    TimerHandle timer = 0;  // 0: none, it waits for ever
  };
  void wait(tf2::Duration timeout, const std::function<bool()>& done) const;
  void settle(tf2::TransformableRequestHandle handle, const std::function<void(std::promise<TransformStamped>&)>& give);

  rclcpp::Clock::SharedPtr clock_;
  rclcpp::ServiceBase::SharedPtr frames_service_;
  CreateTimerInterface::SharedPtr timers_;
  std::map<tf2::TransformableRequestHandle, Wait> waits_;
};

}  // namespace tf2_ros
