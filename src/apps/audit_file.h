// --audit FILE: who came, called and was turned away, a JSON object a line, behind what the file has already.
#pragma once

#include <functional>

#include "os/file.h"
#include "session/audit.h"
#include "world/state.h"

namespace convoy::apps {

class AuditFile final : public Audit {
 public:
  static Result<std::unique_ptr<AuditFile>> open(const std::string& path, Log& log);
  // Asked for each line.
  void set_tick(std::function<Tick()> tick) { tick_ = std::move(tick); }
  // Lines are in the file when this returns. What cannot be written is reported once, and the run goes on.
  void write(const AuditLine& line) override;

 private:
  AuditFile(os::AppendFile file, Log& log) : file_(std::move(file)), log_(log) {}

  os::AppendFile file_;
  Log& log_;
  std::function<Tick()> tick_;
  bool failed_ = false;
};

}  // namespace convoy::apps
