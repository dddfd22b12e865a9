// Messages that wait until they can be transformed: a filter between a subscription and its callback.
//
//   message_filters::Subscriber<LaserScan> scans(this, "scan");
//   tf2_ros::MessageFilter<LaserScan> filter(scans, buffer, "map", 10, shared_from_this());
//   filter.registerCallback(&Mapper::on_scan, this);
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "message_filters/connection.hpp"
#include "message_filters/simple_filter.hpp"
#include "tf2_ros/buffer.hpp"

namespace tf2_ros {

namespace filter_failure_reasons {
enum FilterFailureReason { Unknown, OutTheBack, EmptyFrameID, NoTransformFound, QueueFull };
}  // namespace filter_failure_reasons
using FilterFailureReason = filter_failure_reasons::FilterFailureReason;

inline std::string get_filter_failure_reason_string(FilterFailureReason reason) {
  switch (reason) {
    case filter_failure_reasons::OutTheBack:
      return "the timestamp on the message is earlier than all the data in the transform cache";
    case filter_failure_reasons::EmptyFrameID: return "the frame id of the message is empty";
    case filter_failure_reasons::NoTransformFound:
      return "did not find a valid transform, this usually happens at startup ...";
    case filter_failure_reasons::QueueFull: return "discarding message because the queue is full";
    default: return "Unknown";
  }
}

class MessageFilterBase {
 public:
  using V_string = std::vector<std::string>;
  virtual ~MessageFilterBase() = default;
  virtual void clear() = 0;
  virtual void setTargetFrame(const std::string& target_frame) = 0;
  virtual void setTargetFrames(const V_string& target_frames) = 0;
  virtual void setTolerance(const rclcpp::Duration& tolerance) = 0;
};

// The queue holds at most queue_size waiting messages (0: any number): one more pushes out the oldest. The buffer needs
// timers (setCreateTimerInterface()). Messages come out when their transforms are there, not in the order they came in.
template <class M, class BufferT = Buffer>
class MessageFilter : public MessageFilterBase, public message_filters::SimpleFilter<M> {
 public:
  using MConstPtr = std::shared_ptr<const M>;
  using MEvent = message_filters::MessageEvent<const M>;
  using FailureCallback = std::function<void(const MConstPtr&, FilterFailureReason)>;
  static constexpr std::chrono::nanoseconds kForever = std::chrono::nanoseconds::max();

  // The node, or the interfaces of one, are there for their clock and logger in ROS 2, and unused here.
  template <class Rep = std::int64_t, class Period = std::nano>
  MessageFilter(BufferT& buffer, const std::string& target_frame, std::uint32_t queue_size,
                const rclcpp::Node::SharedPtr&, std::chrono::duration<Rep, Period> buffer_timeout = kForever)
      : MessageFilter(buffer, target_frame, queue_size, in_ns(buffer_timeout)) {}
  template <class F, class Rep = std::int64_t, class Period = std::nano>
  MessageFilter(F& f, BufferT& buffer, const std::string& target_frame, std::uint32_t queue_size,
                const rclcpp::Node::SharedPtr&, std::chrono::duration<Rep, Period> buffer_timeout = kForever)
      : MessageFilter(buffer, target_frame, queue_size, in_ns(buffer_timeout)) {
    connectInput(f);
  }
  template <class Logging, class Clock, class Rep = std::int64_t, class Period = std::nano>
  MessageFilter(BufferT& buffer, const std::string& target_frame, std::uint32_t queue_size,
                const std::shared_ptr<Logging>&, const std::shared_ptr<Clock>&,
                std::chrono::duration<Rep, Period> buffer_timeout = kForever)
      : MessageFilter(buffer, target_frame, queue_size, in_ns(buffer_timeout)) {}
  template <class F, class Logging, class Clock, class Rep = std::int64_t, class Period = std::nano>
  MessageFilter(F& f, BufferT& buffer, const std::string& target_frame, std::uint32_t queue_size,
                const std::shared_ptr<Logging>&, const std::shared_ptr<Clock>&,
                std::chrono::duration<Rep, Period> buffer_timeout = kForever)
      : MessageFilter(buffer, target_frame, queue_size, in_ns(buffer_timeout)) {
    connectInput(f);
  }
  ~MessageFilter() override {
    connection_.disconnect();
    drop_waiting();
  }

  template <class F>
  void connectInput(F& f) {
    connection_.disconnect();
    connection_ = f.registerCallback([this](const MEvent& event) { add(event); });
  }
  void setTargetFrame(const std::string& target_frame) override { setTargetFrames({target_frame}); }
  // All of them must be known.
  void setTargetFrames(const V_string& target_frames) override { set_targets(target_frames); }
  std::string getTargetFramesString() const {
    std::string out;
    for (const std::string& frame : targets_) out += frame + " ";
    return out;
  }
  // Transforms must also be known this much after the message's stamp.
  void setTolerance(const rclcpp::Duration& tolerance) override { tolerance_ = tolerance; }
  void setQueueSize(std::uint32_t size) { queue_size_ = size; }
  std::uint32_t getQueueSize() const { return queue_size_; }
  // Forgets what waits; no failure is reported.
  void clear() override { drop_waiting(); }

  void add(const MConstPtr& message) { add(MEvent(message)); }
  void add(const MEvent& event) {
    if (targets_.empty()) return;
    const M& message = *event.getConstMessage();
    const std::string frame = without_slash(message_filters::message_traits::FrameId<M>::value(message));
    if (frame.empty()) return fail(event, filter_failure_reasons::EmptyFrameID);
    const rclcpp::Time stamp = message_filters::message_traits::TimeStamp<M>::value(message);
    std::vector<rclcpp::Time> times{stamp};
    if (tolerance_ != rclcpp::Duration(0, 0)) times.push_back(stamp + tolerance_);
    if (queue_size_ != 0 && waiting_.size() >= queue_size_)
      fail(take(waiting_.begin()), filter_failure_reasons::QueueFull);
    const std::uint64_t number = next_++;
    waiting_[number] = {event, targets_.size() * times.size(), {}};
    const V_string targets = targets_;  // a callback may set others
    for (const std::string& target : targets) {
      for (const rclcpp::Time& time : times) {
        if (!waiting_.count(number)) return;  // it has failed already
        const auto future = buffer_.waitForTransform(
            target, frame, fromRclcpp(time), timeout_,
            [this, number](const TransformStampedFuture& settled) { receive(number, settled); });
        if (const auto found = waiting_.find(number); found != waiting_.end()) found->second.futures.push_back(future);
      }
    }
  }

  // The message and why it will not come.
  message_filters::Connection registerFailureCallback(const FailureCallback& callback) {
    const int id = failures_->next++;
    failures_->of[id] = callback;
    return message_filters::Connection([failures = std::weak_ptr<Failures>(failures_), id] {
      if (const auto held = failures.lock()) held->of.erase(id);
    });
  }

 private:
  struct Waiting {
    MEvent event;
    std::size_t left = 0;  // transforms that are not there yet
    std::vector<TransformStampedFuture> futures;
  };
  struct Failures {
    std::map<int, FailureCallback> of;
    int next = 0;
  };

  MessageFilter(BufferT& buffer, const std::string& target_frame, std::uint32_t queue_size,
                std::chrono::nanoseconds timeout)
      : buffer_(buffer), queue_size_(queue_size), timeout_(timeout) {
    set_targets({target_frame});
  }

  // What constructors and the destructor do too, where nobody's override is meant.
  void set_targets(const V_string& target_frames) {
    targets_.clear();
    for (const std::string& frame : target_frames) targets_.push_back(without_slash(frame));
  }
  void drop_waiting() {
    while (!waiting_.empty()) take(waiting_.begin());
  }

  template <class Rep, class Period>
  static std::chrono::nanoseconds in_ns(std::chrono::duration<Rep, Period> timeout) {
    return timeout >= std::chrono::duration_cast<std::chrono::duration<Rep, Period>>(kForever)
               ? kForever
               : std::chrono::duration_cast<std::chrono::nanoseconds>(timeout);
  }
  static std::string without_slash(const std::string& frame) {
    return frame.rfind('/', 0) == 0 ? frame.substr(1) : frame;
  }

  void receive(std::uint64_t number, const TransformStampedFuture& settled) {
    const auto found = waiting_.find(number);
    if (found == waiting_.end()) return;
    try {
      settled.get();
    } catch (const tf2::TransformException&) { return fail(take(found), filter_failure_reasons::NoTransformFound); }
    if (--found->second.left == 0) this->signalMessage(take(found));
  }
  MEvent take(typename std::map<std::uint64_t, Waiting>::iterator it) {
    const Waiting gone = std::move(it->second);
    waiting_.erase(it);
    for (const auto& future : gone.futures) buffer_.cancel(future);
    return gone.event;
  }
  void fail(const MEvent& event, FilterFailureReason reason) {
    const auto failures = failures_->of;
    for (const auto& [id, callback] : failures) callback(event.getConstMessage(), reason);
  }

  BufferT& buffer_;
  V_string targets_;
  std::uint32_t queue_size_;
  std::chrono::nanoseconds timeout_;
  rclcpp::Duration tolerance_{0, 0};
  std::map<std::uint64_t, Waiting> waiting_;  // in the order in which they came
  std::uint64_t next_ = 1;
  std::shared_ptr<Failures> failures_ = std::make_shared<Failures>();
  message_filters::Connection connection_;
};

}  // namespace tf2_ros
