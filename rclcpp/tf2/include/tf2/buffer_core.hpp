// The frames that are known, each with its history, and what lies between any two of them at any time.
//
//   tf2::BufferCore buffer;
//   buffer.setTransform(msg, "localisation");
//   const auto X_MB = buffer.lookupTransform("map", "base_link", tf2::TimePointZero);
//
// A transform whose frame_id is A and whose child_frame_id is B is X_AB: it takes points from B to A. Of one thread.
#pragma once

#include <geometry_msgs/msg/transform_stamped.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tf2/LinearMath/Transform.hpp"
#include "tf2/buffer_core_interface.hpp"
#include "tf2/exceptions.hpp"
#include "tf2/transform_datatypes.hpp"

namespace tf2 {

class FrameHistory;
using TransformableRequestHandle = std::uint64_t;
enum TransformableResult { TransformAvailable, TransformFailure };

inline constexpr Duration BUFFER_CORE_DEFAULT_CACHE_TIME = std::chrono::seconds(10);
// More frames than this from one to its root: there is a circle.
inline constexpr int kMaxDepth = 1000;

class BufferCore : public BufferCoreInterface {
 public:
  static constexpr std::uint32_t MAX_GRAPH_DEPTH = kMaxDepth;
  // How long before its newest each frame's history reaches.
  explicit BufferCore(Duration cache_time = BUFFER_CORE_DEFAULT_CACHE_TIME);
  ~BufferCore() override;
  BufferCore(const BufferCore&) = delete;
  BufferCore& operator=(const BufferCore&) = delete;

  void clear() override;
  // False, with the reason in last_rejection(): no frame names, not of finite numbers, a rotation not of length 1, or
  // older than the history. Of one stamp the last one counts. A static one holds at all times.
  bool setTransform(const geometry_msgs::msg::TransformStamped& transform, const std::string& authority,
                    bool is_static = false);
  const std::string& last_rejection() const { return rejection_; }

  // X_target_source. Throws LookupException, ConnectivityException, ExtrapolationException or InvalidArgumentException.
  // Between two stamps translations go linearly, rotations at an even rate.
  geometry_msgs::msg::TransformStamped lookupTransform(const std::string& target_frame, const std::string& source_frame,
                                                       const TimePoint& time) const override;
  // X_target_source, from the source at one time to the target at another, by a frame that does not move meanwhile.
  geometry_msgs::msg::TransformStamped lookupTransform(const std::string& target_frame, const TimePoint& target_time,
                                                       const std::string& source_frame, const TimePoint& source_time,
                                                       const std::string& fixed_frame) const override;
  bool canTransform(const std::string& target_frame, const std::string& source_frame, const TimePoint& time,
                    std::string* error_msg = nullptr) const override;
  bool canTransform(const std::string& target_frame, const TimePoint& target_time, const std::string& source_frame,
                    const TimePoint& source_time, const std::string& fixed_frame,
                    std::string* error_msg = nullptr) const override;

  std::vector<std::string> getAllFrameNames() const override;  // in order of their first mention
  std::string allFramesAsYAML(TimePoint now) const;
  std::string allFramesAsYAML(double now) const { return allFramesAsYAML(timeFromSec(now)); }
  std::string allFramesAsYAML() const { return allFramesAsYAML(TimePointZero); }
  std::string allFramesAsString() const;
  Duration getCacheLength() const { return cache_time_; }

  // The callback comes once: when the transform is there, or can no longer come because its time is too old. 0: it is
  // there already; UINT64_MAX: it is too old already; for both no callback comes.
  using TransformableCallback =
      std::function<void(TransformableRequestHandle handle, const std::string& target_frame,
                         const std::string& source_frame, TimePoint time, TransformableResult result)>;
  TransformableRequestHandle addTransformableRequest(const TransformableCallback& callback,
                                                     const std::string& target_frame, const std::string& source_frame,
                                                     TimePoint time);
  void cancelTransformableRequest(TransformableRequestHandle handle) { requests_.erase(handle); }

  void setUsingDedicatedThread(bool value) { dedicated_thread_ = value; }
  bool isUsingDedicatedThread() const { return dedicated_thread_; }
  bool _frameExists(const std::string& frame) const { return ids_.count(frame) > 0; }
  bool _getParent(const std::string& frame, TimePoint time, std::string& parent) const;
  void _chainAsVector(const std::string& target_frame, TimePoint target_time, const std::string& source_frame,
                      TimePoint source_time, const std::string& fixed_frame, std::vector<std::string>& output) const;

 private:
  using Id = std::uint32_t;  // an index of frames_
  struct Failure {
    TF2Error code = TF2Error::TF2_NO_ERROR;
    std::string text;
  };
  struct Request {
    TransformableCallback callback;
    std::string target, source;
    TimePoint time;
  };

  Id id_of(const std::string& frame);
  Failure find(const char* function, const char* argument, const std::string& frame, Id& id) const;
  TimePoint latest_common(Id target, Id source) const;
  // From a frame upwards, with X_frame_start for each; ends at `until`, at a root, or where the time is not known.
  struct Step {
    Id frame;
    Transform X_FS;
  };
  Failure climb(Id start, Id until, TimePoint time, std::vector<Step>& steps) const;
  Failure between(Id target, Id source, TimePoint time, Transform& X_TS) const;
  Failure compute(const char* function, const std::string& target, const std::string& source, TimePoint time,
                  Stamped<Transform>& X_TS) const;
  Failure compute_advanced(const char* function, const std::string& target, TimePoint target_time,
                           const std::string& source, TimePoint source_time, const std::string& fixed,
                           Stamped<Transform>& X_TS) const;
  bool too_old(const std::string& target, const std::string& source, TimePoint time) const;
  void answer_requests();

  Duration cache_time_;
  std::map<std::string, Id> ids_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<FrameHistory>> frames_;  // null: a root so far
  std::map<TransformableRequestHandle, Request> requests_;
  TransformableRequestHandle next_request_ = 1;
  std::string rejection_;
  bool dedicated_thread_ = false;
};

}  // namespace tf2
