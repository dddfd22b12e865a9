#include "apps/audit_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "os/address.h"
#include "os/clock.h"

namespace convoy::apps {

Result<std::unique_ptr<AuditFile>> AuditFile::open(const std::string& path, Log& log) {
  auto file = os::AppendFile::open(path, os::AppendFile::Mode::kAppend);
  if (!file) return tl::unexpected(file.error());
  return std::unique_ptr<AuditFile>(new AuditFile(std::move(*file), log));
}

void AuditFile::write(const AuditLine& line) {
  nlohmann::ordered_json j;
  j["unix_time"] = os::unix_time();
  j["tick"] = tick_ ? tick_() : 0;
  j["what"] = line.what;
  j["address"] = os::endpoint_text(line.from);
  const auto add = [&](const char* key, std::string_view value) {
    if (!value.empty()) j[key] = value;
  };
  add("name", line.name), add("role", line.role), add("access", line.access), add("call", line.call);
  add("text", line.text);
  const std::string text = j.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  Status ok = file_.write(as_bytes(text));
  if (ok) ok = file_.flush();
  if (!ok && !std::exchange(failed_, true))
    log_.line(LogLevel::kError, "the audit log is not complete: " + ok.error().message());
}

}  // namespace convoy::apps
