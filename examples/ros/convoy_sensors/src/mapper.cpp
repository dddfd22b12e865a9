// Draws an occupancy grid from scans and odometry alone, publishes it on `map`, and writes it as a picture if asked to.
#include <algorithm>
#include <cmath>
#include <deque>
#include <fstream>
#include <string>
#include <vector>

#include <nav_msgs/msg/occupancy_grid.hpp>
#include <nav_msgs/msg/odometry.hpp>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_components/register_node_macro.hpp>
#include <sensor_msgs/msg/laser_scan.hpp>

namespace convoy_sensors {

using nav_msgs::msg::OccupancyGrid;
using nav_msgs::msg::Odometry;
using sensor_msgs::msg::LaserScan;

class Mapper : public rclcpp::Node {
 public:
  explicit Mapper(const rclcpp::NodeOptions& options) : Node("mapper", options) {
    size_ = declare_parameter("size", 12.0);              // m, of each side
    resolution_ = declare_parameter("resolution", 0.05);  // m
    offset_ = declare_parameter("scanner_x", -0.032);     // m; in the robot's frame
    file_ = declare_parameter("file", "");
    side_ = static_cast<int>(std::lround(size_ / resolution_));
    evidence_.assign(static_cast<std::size_t>(side_) * side_, 0);
    map_ = create_publisher<OccupancyGrid>("map", rclcpp::QoS(1).transient_local());
    odometry_ = create_subscription<Odometry>("odom", 50, [this](const Odometry& odom) {
      way_.push_back(odom);
      if (way_.size() > 50) way_.pop_front();
    });
    scan_ =
        create_subscription<LaserScan>("scan", rclcpp::SensorDataQoS(), [this](const LaserScan& scan) { add(scan); });
    timer_ = create_wall_timer(std::chrono::seconds(5), [this] { publish(); });
  }

 private:
  static constexpr int kMost = 20, kMet = 4, kPassed = -1;

  void add(const LaserScan& scan) {
    // Where it was when it scanned, not where it is now.
    const rclcpp::Time at(scan.header.stamp);
    const Odometry* here = nullptr;
    for (const Odometry& odom : way_)
      if (!here || std::abs((rclcpp::Time(odom.header.stamp) - at).nanoseconds()) <
                       std::abs((rclcpp::Time(here->header.stamp) - at).nanoseconds()))
        here = &odom;
    if (!here) return;
    const auto& p = here->pose.pose;
    const double yaw = 2 * std::atan2(p.orientation.z, p.orientation.w);
    const double x = p.position.x + offset_ * std::cos(yaw), y = p.position.y + offset_ * std::sin(yaw);
    for (std::size_t i = 0; i < scan.ranges.size(); ++i) {
      const double angle = yaw + scan.angle_min + static_cast<double>(i) * scan.angle_increment;
      const bool met = std::isfinite(scan.ranges[i]);
      const double length = met ? scan.ranges[i] : scan.range_max;
      if (scan.ranges[i] < 0) continue;  // nearer than it can see
      for (double way = scan.range_min; way < length - resolution_; way += resolution_)
        weigh(x + way * std::cos(angle), y + way * std::sin(angle), kPassed);
      if (met) weigh(x + length * std::cos(angle), y + length * std::sin(angle), kMet);
    }
  }

  void weigh(double x, double y, int evidence) {
    const int column = static_cast<int>(std::floor((x + size_ / 2) / resolution_)),
              row = static_cast<int>(std::floor((y + size_ / 2) / resolution_));
    if (column < 0 || row < 0 || column >= side_ || row >= side_) return;
    int& cell = evidence_[static_cast<std::size_t>(row) * side_ + column];
    cell = std::clamp(cell + evidence, -kMost, kMost);
  }

  void publish() {
    OccupancyGrid out;
    out.header.stamp = now(), out.header.frame_id = "odom";
    out.info.resolution = static_cast<float>(resolution_);
    out.info.width = out.info.height = static_cast<std::uint32_t>(side_);
    out.info.origin.position.x = out.info.origin.position.y = -size_ / 2;
    out.info.origin.orientation.w = 1;
    for (const int cell : evidence_) out.data.push_back(static_cast<std::int8_t>(cell > 0 ? 100 : cell < 0 ? 0 : -1));
    if (!file_.empty()) write(out);
    map_->publish(std::move(out));
  }

  // As nav2's map_saver does: rows from the top.
  void write(const OccupancyGrid& map) const {
    std::ofstream image(file_, std::ios::binary);
    image << "P5\n" << side_ << " " << side_ << "\n255\n";
    for (int row = side_ - 1; row >= 0; --row)
      for (int column = 0; column < side_; ++column) {
        const std::int8_t cell = map.data[static_cast<std::size_t>(row) * side_ + column];
        image.put(static_cast<char>(cell == 100 ? 0 : cell == 0 ? 254 : 205));
      }
  }

  double size_ = 0, resolution_ = 0, offset_ = 0;
  int side_ = 0;
  std::string file_;
  std::vector<int> evidence_;
  std::deque<Odometry> way_;
  rclcpp::Publisher<OccupancyGrid>::SharedPtr map_;
  rclcpp::Subscription<Odometry>::SharedPtr odometry_;
  rclcpp::Subscription<LaserScan>::SharedPtr scan_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace convoy_sensors

RCLCPP_COMPONENTS_REGISTER_NODE(convoy_sensors::Mapper)
