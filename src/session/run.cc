#include "session/run.h"

#include <algorithm>

namespace convoy {

Status HostStatus::take_report(ByteView payload) {
  HostReport more;
  if (!load(payload, more)) return fail(ErrorCode::kInvalid, "a report is malformed");
  report.robots.insert(report.robots.end(), more.robots.begin(), more.robots.end());
  if (more.last) {
    more.robots = std::move(report.robots);
    report = std::move(more);
    foreign_contacts = std::max(foreign_contacts, report.foreign_contacts);
    reported = true;
  }
  return {};
}

}  // namespace convoy
