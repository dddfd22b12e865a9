// What a node reports of its health: tasks that fill in a status, run together and published on /diagnostics.
#pragma once

#include <diagnostic_msgs/msg/diagnostic_array.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "diagnostic_updater/DiagnosticStatusWrapper.hpp"
#include "rclcpp/rclcpp.hpp"

namespace diagnostic_updater {

using TaskFunction = std::function<void(DiagnosticStatusWrapper&)>;
using UnwrappedTaskFunction = std::function<void(diagnostic_msgs::msg::DiagnosticStatus&)>;

class DiagnosticTask {
 public:
  explicit DiagnosticTask(const std::string& name) : name_(name) {}
  virtual ~DiagnosticTask() = default;
  const std::string& getName() const { return name_; }
  virtual void run(DiagnosticStatusWrapper& stat) = 0;

 private:
  std::string name_;
};

template <class T>
class GenericFunctionDiagnosticTask : public DiagnosticTask {
 public:
  GenericFunctionDiagnosticTask(const std::string& name, std::function<void(T&)> fn)
      : DiagnosticTask(name), fn_(std::move(fn)) {}
  void run(DiagnosticStatusWrapper& stat) override { fn_(stat); }

 private:
  std::function<void(T&)> fn_;
};
using UnwrappedFunctionDiagnosticTask = GenericFunctionDiagnosticTask<diagnostic_msgs::msg::DiagnosticStatus>;
using FunctionDiagnosticTask = GenericFunctionDiagnosticTask<DiagnosticStatusWrapper>;

// Several tasks as one status: all their values, and their summaries merged. Each begins with the summary from before.
class CompositeDiagnosticTask : public DiagnosticTask {
 public:
  using DiagnosticTask::DiagnosticTask;
  void run(DiagnosticStatusWrapper& stat) override {
    DiagnosticStatusWrapper before, merged;
    before.summary(stat);
    for (DiagnosticTask* task : tasks_) {
      stat.summary(before);
      task->run(stat);
      merged.mergeSummary(stat);
    }
    stat.summary(merged);
  }
  void addTask(DiagnosticTask* task) { tasks_.push_back(task); }

 private:
  std::vector<DiagnosticTask*> tasks_;
};

// Tasks in the order in which they were added.
class DiagnosticTaskVector {
 public:
  virtual ~DiagnosticTaskVector() = default;
  void add(const std::string& name, TaskFunction f) {
    tasks_.push_back({name, std::move(f)});
    addedTaskCallback(tasks_.back());
  }
  void add(DiagnosticTask& task) {
    add(task.getName(), [&task](DiagnosticStatusWrapper& stat) { task.run(stat); });
  }
  template <class T>
  void add(const std::string& name, T* c, void (T::*f)(DiagnosticStatusWrapper&)) {
    add(name, [c, f](DiagnosticStatusWrapper& stat) { (c->*f)(stat); });
  }
  // The first one of this name; false: there is none.
  bool removeByName(const std::string& name) {
    for (auto it = tasks_.begin(); it != tasks_.end(); ++it) {
      if (it->name != name) continue;
      tasks_.erase(it);
      return true;
    }
    return false;
  }

 protected:
  struct DiagnosticTaskInternal {
    std::string name;
    TaskFunction run;
    const std::string& getName() const { return name; }
  };
  const std::vector<DiagnosticTaskInternal>& getTasks() const { return tasks_; }

 private:
  virtual void addedTaskCallback(DiagnosticTaskInternal&) {}
  std::vector<DiagnosticTaskInternal> tasks_;
};

// Runs all tasks each period: parameter diagnostic_updater.period, s. diagnostic_updater.use_fqn: statuses have the
// node's whole name before theirs.
class Updater : public DiagnosticTaskVector {
 public:
  bool verbose_ = false;  // a warning in the log for each status that is not OK

  template <class NodeT>
  explicit Updater(NodeT node, double period = 1.0)
      : Updater(static_cast<rclcpp::detail::NodeFunctions&>(*node), period) {}

  void force_update() { update(); }
  rclcpp::Duration getPeriod() const { return period_; }
  void setPeriod(rclcpp::Duration period) {
    period_ = period;
    timer_ = node_->create_timer(period_.to_chrono<std::chrono::nanoseconds>(), [this] { update(); });
  }
  void setPeriod(double seconds) { setPeriod(rclcpp::Duration::from_seconds(seconds)); }
  void setHardwareID(const std::string& id) { hardware_id_ = id; }
  __attribute__((format(printf, 2, 3))) void setHardwareIDf(const char* format, ...) {
    std::va_list words;
    va_start(words, format);
    hardware_id_ = detail::formatted(format, words);
    va_end(words);
  }

  // The same status for every task.
  void broadcast(unsigned char level, const std::string& text) {
    std::vector<diagnostic_msgs::msg::DiagnosticStatus> all;
    for (const auto& task : getTasks()) {
      DiagnosticStatusWrapper status;
      status.name = task.name;
      status.summary(level, text);
      all.push_back(status);
    }
    publish(std::move(all));
  }

 private:
  Updater(rclcpp::detail::NodeFunctions& node, double period)
      : node_(&node),
        period_(rclcpp::Duration::from_seconds(parameter(node, "diagnostic_updater.period", period))),
        name_(parameter(node, "diagnostic_updater.use_fqn", false) ? node.get_fully_qualified_name() : node.get_name()),
        publisher_(node.create_publisher<diagnostic_msgs::msg::DiagnosticArray>("/diagnostics", 1)) {
    setPeriod(period_);
  }
  // Another updater of the node may have declared it.
  template <class T>
  static T parameter(rclcpp::detail::NodeFunctions& node, const std::string& name, T value) {
    return node.has_parameter(name) ? node.get_parameter(name).get_value<T>() : node.declare_parameter<T>(name, value);
  }

  void update() {
    if (!rclcpp::ok()) return;
    std::vector<diagnostic_msgs::msg::DiagnosticStatus> all;
    bool all_well = true;
    for (const auto& task : getTasks()) {
      DiagnosticStatusWrapper status;
      status.name = task.name;
      status.summary(diagnostic_msgs::msg::DiagnosticStatus::ERROR, "No message was set");
      status.hardware_id = hardware_id_;
      task.run(status);
      all_well = all_well && status.level == 0;
      if (verbose_ && status.level != 0)
        RCLCPP_WARN(node_->get_logger(), "Non-zero diagnostic status. Name: '%s', status %i: '%s'", status.name.c_str(),
                    status.level, status.message.c_str());
      all.push_back(status);
    }
    if (hardware_id_.empty() && all_well && !warned_) {
      RCLCPP_WARN(node_->get_logger(), "diagnostic_updater: no hardware id has been set; 'none' is one, too");
      warned_ = true;
    }
    publish(std::move(all));
  }
  void publish(std::vector<diagnostic_msgs::msg::DiagnosticStatus> all) {
    for (auto& status : all) status.name = name_ + ": " + status.name;
    diagnostic_msgs::msg::DiagnosticArray message;
    message.header.stamp = node_->now();
    message.status = std::move(all);
    publisher_->publish(message);
  }
  void addedTaskCallback(DiagnosticTaskInternal& task) override {
    DiagnosticStatusWrapper status;
    status.name = task.name;
    status.summary(diagnostic_msgs::msg::DiagnosticStatus::OK, "Node starting up");
    publish({status});
  }

  rclcpp::detail::NodeFunctions* node_;
  rclcpp::Duration period_;
  std::string name_, hardware_id_;
  rclcpp::Publisher<diagnostic_msgs::msg::DiagnosticArray>::SharedPtr publisher_;
  rclcpp::TimerBase::SharedPtr timer_;
  bool warned_ = false;
};

}  // namespace diagnostic_updater
