// convoy ros2 record: topics of a domain of ROS 2 into a bag, without ROS.
#include <fmt/format.h>

#include <chrono>

#include <convoy_ros/types.hpp>
#include "apps/prepare.h"
#include "apps/ros2_room.h"
#include "bag/bag_file.h"
#include "bag/topic_filter.h"
#include "os/clock.h"

namespace convoy::apps {

namespace {

constexpr Duration kChunk = std::chrono::seconds(1);  // what a crash may take

std::uint64_t wall_ns() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
}

// Subscribes to what comes, and writes it.
class TopicRecording {
 public:
  TopicRecording(Ros2Room& room, TopicFilter filter, BagFile& bag)
      : room_(room), filter_(std::move(filter)), bag_(bag) {}

  // New topics, where the graph has changed; a chunk now and then. False: the bag has failed.
  bool proceed(Moment now) {
    if (std::exchange(version_, room_.domain().graph().version()) != room_.domain().graph().version())
      for (const ros2::ReportedTopic& topic : room_.topics(ros2::TopicKind::kTopic)) listen(topic);
    if (now >= next_chunk_) take(bag_.finish_chunk()), next_chunk_ = now + kChunk;
    return failure_.has_value() == false;
  }
  const std::optional<Error>& failure() const { return failure_; }
  std::size_t topics() const { return subscriptions_.size(); }

 private:
  void take(const Status& ok) {
    if (!ok && !failure_) failure_ = ok.error();
  }

  void listen(const ros2::ReportedTopic& topic) {
    std::vector<nodes::QoS> offered;
    std::set<std::string> types;
    std::string hash;
    for (const ros2::ReportedEnd& end : topic.ends) {
      if (!end.writer) continue;
      offered.push_back({.reliable = end.qos.reliable, .transient_local = end.qos.transient_local});
      types.insert(end.type), hash = end.hash;
    }
    if (offered.empty() || !filter_.wants(topic.name) || subscriptions_.contains(topic.name)) return;
    if (types.size() > 1) return leave_out(topic.name, fmt::format("it has several types: {}", fmt::join(types, ", ")));
    const auto type = ros::find_type(*types.begin());
    if (!type) return leave_out(topic.name, type.error().message());
    if (!hash.empty() && hash != type->hash())
      return leave_out(topic.name, *types.begin() + " has another definition there than here");
    auto made = room_.node().subscription(topic.name, *type, offered_by_all(topic),
                                          [this, name = topic.name](const ros2::Received& got) {
                                            if (!failure_) take(bag_.write(name, got.cdr, wall_ns()));
                                          });
    if (!made) return leave_out(topic.name, made.error().message());
    take(bag_.add({topic.name, *types.begin(), std::string(type->hash()), type->schema(), std::move(offered)}));
    subscriptions_[topic.name] = std::move(*made);
    os::print_error("convoy: recording {} ({})\n", topic.name, *types.begin());
  }

  void leave_out(const std::string& topic, const std::string& why) {
    if (left_out_.insert(topic).second) (void)complain(fmt::format("'{}' is not recorded: {}", topic, why), kOk);
  }

  Ros2Room& room_;
  TopicFilter filter_;
  BagFile& bag_;
  std::map<std::string, std::unique_ptr<ros2::Subscription>> subscriptions_;  // by topic
  std::set<std::string> left_out_;
  std::uint64_t version_ = 0;
  Moment next_chunk_{};
  std::optional<Error> failure_;
};

}  // namespace

int ros2_record(const Arguments& a) {
  auto filter = TopicFilter::make(a.ros2.bag.topics, a.ros2.bag.exclude);
  if (!filter) return complain(filter.error().message(), kUsage);
  int code = kOk;
  const auto room = Ros2Room::enter(a, code);
  if (!room) return code;
  auto bag = BagFile::open(a.ros2.bag.file, a.ros2.bag.compression, a.ros2.bag.overwrite);
  if (!bag) return complain(bag.error().message(), kFailed);
  TopicRecording recording(*room, std::move(*filter), **bag);
  const double s = a.ros2.bag.duration.value_or(1e9);
  (void)room->wait(s, [&] { return !recording.proceed(os::now()); });
  if (recording.failure()) return complain(recording.failure()->message(), kFailed);
  if (const Status ok = (*bag)->close(); !ok) return complain(ok.error().message(), kFailed);
  os::print("{} messages of {} topics in {}\n", (*bag)->messages(), recording.topics(), (*bag)->path());
  return kOk;
}

}  // namespace convoy::apps
