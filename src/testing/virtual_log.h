// A log with the simulated network's time, and what its users' times are written in.
#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include "testing/sim_net.h"

namespace convoy::testing {

inline Duration millis(double ms) { return Duration(static_cast<std::int64_t>(ms * 1e6)); }

class VirtualLog final : public Log {
 public:
  VirtualLog(const SimNet& net, std::string who, bool verbose) : net_(net), who_(std::move(who)), verbose_(verbose) {}
  void line(LogLevel level, const std::string& text) override {
    if (verbose_)
      std::fprintf(stderr, "%9.4f %s: %s\n", seconds(net_.now().time_since_epoch()), who_.c_str(), text.c_str());
    if (level == LogLevel::kError) last_error_ = text;
  }
  const std::string& last_error() const { return last_error_; }

 private:
  const SimNet& net_;
  std::string who_, last_error_;
  bool verbose_;
};

}  // namespace convoy::testing
