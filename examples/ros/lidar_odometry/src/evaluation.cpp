// lidar_odometry::Evaluation: compares odometry with the truth when both have fallen silent, and reports if it passed.
//
// The first pose of the odometry is laid on the truth; then
//   APE      the root mean square of the distances between both, which must stay below `limit` percent of the way
//   guess    the same of a drive at constant velocity, the one that fits the truth best: it must be worse
//   over 1 s the root mean square of what a second's motion is off, next to that of a guess which goes on for that
//            second as the truth moved just before: it must be worse, too
// On `exit_code` (std_msgs/UInt8): 0 passed, 1 failed.
#include <algorithm>
#include <cmath>
#include <nav_msgs/msg/odometry.hpp>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_components/register_node_macro.hpp>
#include <std_msgs/msg/u_int8.hpp>

#include "pose.hpp"

namespace lidar_odometry {

namespace {

struct Stamped {
  std::int64_t stamp;  // ns
  Pose pose;
};
using Trajectory = std::vector<Stamped>;

// Between two poses both parts go straight.
bool at(const Trajectory& trajectory, std::int64_t stamp, Pose& out) {
  const auto after = std::lower_bound(trajectory.begin(), trajectory.end(), stamp,
                                      [](const Stamped& s, std::int64_t t) { return s.stamp < t; });
  if (after == trajectory.end() || (after == trajectory.begin() && after->stamp != stamp)) return false;
  out = after->pose;
  if (after->stamp == stamp) return true;
  const Stamped& before = *std::prev(after);
  const double share = static_cast<double>(stamp - before.stamp) / static_cast<double>(after->stamp - before.stamp);
  out = before.pose * part(before.pose.inverse() * after->pose, share);
  return true;
}

double root_mean(double squares, std::size_t count) {
  return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count));
}

struct Verdict {
  double way = 0, ape = 0, guess = 0;   // m
  double second = 0, second_guess = 0;  // m
  std::size_t poses = 0, seconds = 0;
};

double ape_of(const Trajectory& is, const Trajectory& truth) {
  const Pose align = truth[0].pose * is[0].pose.inverse();
  double squares = 0;
  for (std::size_t i = 0; i < is.size(); ++i)
    squares += (align * is[i].pose.translation - truth[i].pose.translation).squaredNorm();
  return root_mean(squares, is.size());
}

double best_constant_velocity(const Trajectory& truth) {
  const auto seconds = [&](const Stamped& s) { return static_cast<double>(s.stamp - truth[0].stamp) * 1e-9; };
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  double times = 0, squares = 0;
  for (const Stamped& s : truth) {
    sum += seconds(s) * (s.pose.translation - truth[0].pose.translation);
    times += seconds(s) * seconds(s);
  }
  const Eigen::Vector3d velocity = times > 0 ? Eigen::Vector3d(sum / times) : Eigen::Vector3d::Zero();
  for (const Stamped& s : truth)
    squares += (truth[0].pose.translation + seconds(s) * velocity - s.pose.translation).squaredNorm();
  return root_mean(squares, truth.size());
}

void over_a_second(const Trajectory& is, const Trajectory& truth, Verdict& out) {
  double squares = 0, guesses = 0;
  for (std::size_t i = 1, j = 1; i < is.size(); ++i) {
    while (j < is.size() && is[j].stamp < is[i].stamp + 1'000'000'000) ++j;
    if (j == is.size()) break;
    const Pose motion = truth[i].pose.inverse() * truth[j].pose;
    const Pose odometry = is[i].pose.inverse() * is[j].pose;
    const Pose step = truth[i - 1].pose.inverse() * truth[i].pose;
    Pose guess;
    for (std::size_t k = i; k < j; ++k) guess = guess * step;
    squares += (odometry.translation - motion.translation).squaredNorm();
    guesses += (guess.translation - motion.translation).squaredNorm();
    ++out.seconds;
  }
  out.second = root_mean(squares, out.seconds);
  out.second_guess = root_mean(guesses, out.seconds);
}

Verdict judge(const Trajectory& odometry, const Trajectory& truth) {
  Trajectory is, was;
  for (const Stamped& s : odometry) {
    Pose pose;
    if (at(truth, s.stamp, pose)) is.push_back(s), was.push_back({s.stamp, pose});
  }
  Verdict out;
  out.poses = is.size();
  if (is.empty()) return out;
  for (std::size_t i = 1; i < was.size(); ++i)
    out.way += (was[i].pose.translation - was[i - 1].pose.translation).norm();
  out.ape = ape_of(is, was);
  out.guess = best_constant_velocity(was);
  over_a_second(is, was, out);
  return out;
}

}  // namespace

class Evaluation : public rclcpp::Node {
 public:
  explicit Evaluation(const rclcpp::NodeOptions& options)
      : Node("evaluation", options),
        limit_(declare_parameter("limit", 1.0)),
        shortest_(declare_parameter("min_way", 10.0)),
        silence_(rclcpp::Duration::from_seconds(declare_parameter("silence", 1.0))),
        heard_(now()) {
    exit_code_ = create_publisher<std_msgs::msg::UInt8>("exit_code", 1);
    odometry_ = listen("odometry", is_);
    truth_ = listen("ground_truth", was_);
    timer_ = create_timer(std::chrono::milliseconds(100), [this] {
      if (now() - heard_ >= silence_) finish();
    });
  }

 private:
  using Message = nav_msgs::msg::Odometry;

  rclcpp::Subscription<Message>::SharedPtr listen(const char* topic, Trajectory& into) {
    return create_subscription<Message>(topic, 100, [this, &into](const Message& m) {
      const auto& p = m.pose.pose.position;
      const auto& q = m.pose.pose.orientation;
      into.push_back({rclcpp::Time(m.header.stamp).nanoseconds(),
                      {Eigen::Quaterniond(q.w, q.x, q.y, q.z).normalized(), {p.x, p.y, p.z}}});
      heard_ = now();
    });
  }

  void finish() {
    timer_->cancel();
    const Verdict v = judge(is_, was_);
    const double percent = v.way > 0 ? 100 * v.ape / v.way : 0;
    const bool passed =
        v.poses > 1 && v.way >= shortest_ && percent < limit_ && v.ape < v.guess && v.second < v.second_guess;
    RCLCPP_INFO(get_logger(), "%zu poses on a way of %.1f m", v.poses, v.way);
    RCLCPP_INFO(get_logger(), "APE RMSE %.3f m, %.3f %% of the way; best constant velocity %.3f m", v.ape, percent,
                v.guess);
    RCLCPP_INFO(get_logger(), "over 1 s RMSE %.3f m; constant velocity %.3f m", v.second, v.second_guess);
    if (passed) RCLCPP_INFO(get_logger(), "passed: below %g %% and better than the guesses", limit_);
    else
      RCLCPP_ERROR(get_logger(), "failed: not below %g %% of at least %g m, or no better than a guess", limit_,
                   shortest_);
    std_msgs::msg::UInt8 code;
    code.data = passed ? 0 : 1;
    exit_code_->publish(code);
  }

  double limit_;     // percent
  double shortest_;  // m
  rclcpp::Duration silence_;
  rclcpp::Time heard_;
  Trajectory is_, was_;
  rclcpp::Publisher<std_msgs::msg::UInt8>::SharedPtr exit_code_;
  rclcpp::Subscription<Message>::SharedPtr odometry_, truth_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace lidar_odometry

RCLCPP_COMPONENTS_REGISTER_NODE(lidar_odometry::Evaluation)
