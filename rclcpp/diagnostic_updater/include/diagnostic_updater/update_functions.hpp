// Tasks that many nodes want: how often something happens, and how old it is when it does.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "diagnostic_updater/diagnostic_updater.hpp"

namespace diagnostic_updater {

// The bounds (Hz) are behind pointers, so that they may change.
struct FrequencyStatusParam {
  FrequencyStatusParam(double* min_freq, double* max_freq, double tolerance = 0.1, int window_size = 5)
      : min_freq_(min_freq), max_freq_(max_freq), tolerance_(tolerance), window_size_(window_size) {}
  double *min_freq_, *max_freq_;
  double tolerance_;  // by which part of themselves the bounds may be missed
  int window_size_;   // in updates
};

// Whether tick() is called as often as it should be.
class FrequencyStatus : public DiagnosticTask {
 public:
  FrequencyStatus(const FrequencyStatusParam& params, const std::string& name,
                  const rclcpp::Clock::SharedPtr& clock = std::make_shared<rclcpp::Clock>())
      : DiagnosticTask(name), params_(params), clock_(clock) {
    clear();
  }
  explicit FrequencyStatus(const FrequencyStatusParam& params,
                           const rclcpp::Clock::SharedPtr& clock = std::make_shared<rclcpp::Clock>())
      : FrequencyStatus(params, "Frequency Status", clock) {}

  void clear() {
    count_ = 0;
    window_.assign(static_cast<std::size_t>(params_.window_size_), {clock_->now().seconds(), 0});
    oldest_ = 0;
  }
  void tick() { ++count_; }
  void run(DiagnosticStatusWrapper& stat) override {
    const double now = clock_->now().seconds();
    Update& before = window_[oldest_];
    const int events = count_ - before.count;
    const double lasted = now - before.time, frequency = events / lasted;
    before = {now, count_};
    oldest_ = (oldest_ + 1) % window_.size();

    const double low = *params_.min_freq_ * (1 - params_.tolerance_),
                 high = *params_.max_freq_ * (1 + params_.tolerance_);
    using Status = diagnostic_msgs::msg::DiagnosticStatus;
    if (events == 0) stat.summary(Status::ERROR, "No events recorded.");
    else if (frequency < low) stat.summary(Status::WARN, "Frequency too low.");
    else if (frequency > high) stat.summary(Status::WARN, "Frequency too high.");
    else stat.summary(Status::OK, "Desired frequency met");
    stat.addf("Events in window", "%d", events);
    stat.addf("Events since startup", "%d", count_);
    stat.addf("Duration of window (s)", "%f", lasted);
    stat.addf("Actual frequency (Hz)", "%f", frequency);
    if (*params_.min_freq_ == *params_.max_freq_) stat.addf("Target frequency (Hz)", "%f", *params_.min_freq_);
    if (*params_.min_freq_ > 0) stat.addf("Minimum acceptable frequency (Hz)", "%f", low);
    if (std::isfinite(*params_.max_freq_)) stat.addf("Maximum acceptable frequency (Hz)", "%f", high);
  }

 private:
  struct Update {
    double time;  // s
    int count;
  };
  FrequencyStatusParam params_;
  rclcpp::Clock::SharedPtr clock_;
  int count_ = 0;
  std::vector<Update> window_;
  std::size_t oldest_ = 0;
};

// How much older (s) than the clock a stamp may be; below 0: newer.
struct TimeStampStatusParam {
  TimeStampStatusParam(double min_acceptable = -1, double max_acceptable = 5)  // NOLINT: implicit, as there
      : max_acceptable_(max_acceptable), min_acceptable_(min_acceptable) {}
  double max_acceptable_, min_acceptable_;
};
inline const TimeStampStatusParam DefaultTimeStampStatusParam;

class TimeStampStatus : public DiagnosticTask {
 public:
  TimeStampStatus(const TimeStampStatusParam& params, const std::string& name,
                  const rclcpp::Clock::SharedPtr& clock = std::make_shared<rclcpp::Clock>())
      : DiagnosticTask(name), params_(params), clock_(clock) {}
  explicit TimeStampStatus(const TimeStampStatusParam& params,
                           const rclcpp::Clock::SharedPtr& clock = std::make_shared<rclcpp::Clock>())
      : TimeStampStatus(params, "Timestamp Status", clock) {}
  explicit TimeStampStatus(const rclcpp::Clock::SharedPtr& clock = std::make_shared<rclcpp::Clock>())
      : TimeStampStatus(DefaultTimeStampStatusParam, clock) {}

  void tick(double stamp) {
    if (stamp == 0) {
      zero_seen_ = true;
      return;
    }
    const double age = clock_->now().seconds() - stamp;
    oldest_ = seen_ ? std::max(oldest_, age) : age;
    newest_ = seen_ ? std::min(newest_, age) : age;
    seen_ = true;
  }
  void tick(const rclcpp::Time& stamp) { tick(stamp.seconds()); }

  void run(DiagnosticStatusWrapper& stat) override {
    using Status = diagnostic_msgs::msg::DiagnosticStatus;
    stat.summary(Status::OK, "Timestamps are reasonable.");
    if (!seen_) {
      stat.summary(Status::WARN, "No data since last update.");
    } else {
      const auto wrong = [&](bool is, const char* text, int& count) {
        if (is) stat.summary(Status::ERROR, text), ++count;
      };
      wrong(newest_ < params_.min_acceptable_, "Timestamps too far in future seen.", early_);
      wrong(oldest_ > params_.max_acceptable_, "Timestamps too far in past seen.", late_);
      wrong(zero_seen_, "Zero timestamp seen.", zeros_);
    }
    stat.addf("Earliest timestamp delay:", "%f", newest_);
    stat.addf("Latest timestamp delay:", "%f", oldest_);
    stat.addf("Earliest acceptable timestamp delay:", "%f", params_.min_acceptable_);
    stat.addf("Latest acceptable timestamp delay:", "%f", params_.max_acceptable_);
    stat.add("Late diagnostic update count:", late_);
    stat.add("Early diagnostic update count:", early_);
    stat.add("Zero seen diagnostic update count:", zeros_);
    seen_ = zero_seen_ = false;
    newest_ = oldest_ = 0;
  }

 private:
  TimeStampStatusParam params_;
  rclcpp::Clock::SharedPtr clock_;
  int early_ = 0, late_ = 0, zeros_ = 0;
  bool seen_ = false, zero_seen_ = false;
  double newest_ = 0, oldest_ = 0;  // s, of those since the last update
};

class Heartbeat : public DiagnosticTask {
 public:
  Heartbeat() : DiagnosticTask("Heartbeat") {}
  void run(DiagnosticStatusWrapper& stat) override {
    stat.summary(diagnostic_msgs::msg::DiagnosticStatus::OK, "Alive");
  }
};

}  // namespace diagnostic_updater
