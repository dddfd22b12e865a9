// Topics that are watched: how often something is published, and with what stamps.
#pragma once

#include <memory>
#include <string>

#include "diagnostic_updater/update_functions.hpp"

namespace diagnostic_updater {

class HeaderlessTopicDiagnostic : public CompositeDiagnosticTask {
 public:
  HeaderlessTopicDiagnostic(const std::string& name, Updater& updater, const FrequencyStatusParam& frequency)
      : CompositeDiagnosticTask(name + " topic status"), frequency_(frequency) {
    addTask(&frequency_);
    updater.add(*this);
  }
  virtual void tick() { frequency_.tick(); }
  virtual void clear_window() { frequency_.clear(); }

 private:
  FrequencyStatus frequency_;
};

class TopicDiagnostic : public HeaderlessTopicDiagnostic {
 public:
  TopicDiagnostic(const std::string& name, Updater& updater, const FrequencyStatusParam& frequency,
                  const TimeStampStatusParam& stamp,
                  const rclcpp::Clock::SharedPtr& clock = std::make_shared<rclcpp::Clock>())
      : HeaderlessTopicDiagnostic(name, updater, frequency), stamp_(stamp, clock) {
    addTask(&stamp_);
  }
  void tick() override { throw std::runtime_error("tick(): this topic's messages have stamps"); }
  virtual void tick(const rclcpp::Time& stamp) {
    stamp_.tick(stamp);
    HeaderlessTopicDiagnostic::tick();
  }

 private:
  TimeStampStatus stamp_;
};

// A publisher whose messages have headers.
template <class MessageT, class AllocatorT = std::allocator<void>>
class DiagnosedPublisher : public TopicDiagnostic {
 public:
  using PublisherT = rclcpp::Publisher<MessageT, AllocatorT>;
  DiagnosedPublisher(const typename PublisherT::SharedPtr& publisher, Updater& updater,
                     const FrequencyStatusParam& frequency, const TimeStampStatusParam& stamp,
                     const rclcpp::Clock::SharedPtr& clock = std::make_shared<rclcpp::Clock>())
      : TopicDiagnostic(publisher->get_topic_name(), updater, frequency, stamp, clock), publisher_(publisher) {}
  virtual void publish(typename MessageT::UniquePtr message) {
    tick(rclcpp::Time(message->header.stamp));
    publisher_->publish(std::move(message));
  }
  virtual void publish(const MessageT& message) {
    tick(rclcpp::Time(message.header.stamp));
    publisher_->publish(message);
  }
  typename PublisherT::SharedPtr getPublisher() const { return publisher_; }
  void setPublisher(const typename PublisherT::SharedPtr& publisher) { publisher_ = publisher; }

 private:
  typename PublisherT::SharedPtr publisher_;
};

}  // namespace diagnostic_updater
