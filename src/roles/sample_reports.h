// What a robot client tells the server of samples: those that it wants itself, and what they take where sensors are placed
// by that.
#pragma once

#include "run/cost_meter.h"
#include "run/robot_host.h"
#include "run/sample_reporter.h"
#include "session/session.h"

namespace convoy {

class SampleReports {
 public:
  // `stopwatch`: ns since any moment; may be empty.
  SampleReports(Session& session, std::function<std::uint64_t()> stopwatch);

  SampleTaker* taker() { return &reporter_; }
  // For the robots' parts; null: nobody wants to know.
  SampleMeter* meter(const SensorRules& rules);
  // The payload of a Wanted frame.
  void wanted(ByteView payload);
  // What was delivered leaves.
  void deliver(const RobotHost& host);
  void on_time(Moment now, const RobotHost& host);

 private:
  Session& session_;
  SampleReporter reporter_;
  CostMeter costs_;
  bool measures_ = false;
};

}  // namespace convoy
