#include "session/run.h"

#include <algorithm>

namespace convoy {

Status HostStatus::take_report(ByteView payload) {
  HostReport more;
  if (!load(payload, more)) return fail(ErrorCode::kInvalid, "a report is malformed");
  report.robots.insert(report.robots.end(), more.robots.begin(), more.robots.end());
  report.gateway.insert(report.gateway.end(), more.gateway.begin(), more.gateway.end());
  if (more.last) {
    more.robots = std::move(report.robots), more.gateway = std::move(report.gateway);
    report = std::move(more);
    foreign_contacts = std::max(foreign_contacts, report.foreign_contacts);
    reported = true;
  }
  return {};
}

void Run::note_fault(const Message& message, Tick tick) {
  const bool fault = message.topic == kFaultTopic;
  if ((!fault && message.topic != kAdviceTopic) || physics_faults_.size() >= kMaxFaultsKept) return;
  const Slot slot = world().slot_of(message.from);
  if (slot == kNoSlot) return;
  physics_faults_.push_back(
      {message.from, world().entity(slot).name, std::string(as_text(message.payload)).substr(0, 500), tick, fault});
}

}  // namespace convoy
