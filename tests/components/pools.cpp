// Components that compute on the pools of OpenMP and TBB, for tests.
#include <chrono>

#include <omp.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_components/register_node_macro.hpp>
#include <std_msgs/msg/float64.hpp>

namespace pools {

// Publishes a sum whose last bits depend on who adds up what; `set_threads`: what the constructor tells OpenMP, 0: nothing.
class Sums : public rclcpp::Node {
 public:
  explicit Sums(const rclcpp::NodeOptions& options) : Node("sums", options) {
    if (const int threads = static_cast<int>(declare_parameter("set_threads", 0)); threads > 0)
      omp_set_num_threads(threads);
    const bool tbb = declare_parameter("tbb", false);
    out_ = create_publisher<std_msgs::msg::Float64>("sum", 10);
    timer_ = create_wall_timer(std::chrono::milliseconds(10), [this, tbb] {
      ++count_;
      std_msgs::msg::Float64 message;
      message.data = tbb ? by_tbb() : by_openmp();
      out_->publish(message);
    });
  }

 private:
  static constexpr int kTerms = 20000;
  double by_openmp() const {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic)
    for (int i = 1; i < kTerms; ++i) sum += 1.0 / (i + count_);
    return sum;
  }
  double by_tbb() const {
    return tbb::parallel_reduce(
        tbb::blocked_range<int>(1, kTerms), 0.0,
        [this](const tbb::blocked_range<int>& part, double sum) {
          for (int i = part.begin(); i != part.end(); ++i) sum += 1.0 / (i + count_);
          return sum;
        },
        [](double a, double b) { return a + b; });
  }
  int count_ = 0;
  rclcpp::Publisher<std_msgs::msg::Float64>::SharedPtr out_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace pools

RCLCPP_COMPONENTS_REGISTER_NODE(pools::Sums)
