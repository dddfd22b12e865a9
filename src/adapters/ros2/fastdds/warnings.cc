#include "adapters/ros2/fastdds/warnings.h"

#include <fastdds/dds/log/Log.hpp>

#include <memory>

namespace convoy::ros2 {

namespace {

using FastLog = eprosima::fastdds::dds::Log;

class ToLog final : public eprosima::fastdds::dds::LogConsumer {
 public:
  explicit ToLog(Log& log) : log_(log) {}
  void Consume(const FastLog::Entry& entry) override {
    const LogLevel level = entry.kind == FastLog::Error ? LogLevel::kWarn : LogLevel::kDebug;
    log_.line(level, "Fast DDS: " + entry.message);
  }

 private:
  Log& log_;
};

}  // namespace

void send_warnings_to(Log& log) {
  FastLog::ClearConsumers();
  FastLog::RegisterConsumer(std::make_unique<ToLog>(log));
}

}  // namespace convoy::ros2
