#include "roles/faults.h"

#include <algorithm>

namespace convoy {

const char* name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kDelay: return "delay";
    case FaultKind::kStall: return "stall";
    case FaultKind::kCut: return "cut";
    case FaultKind::kKill: return "kill";
    case FaultKind::kCorruptState: return "corrupt_state";
  }
  return "unknown";
}

void FaultGate::keep(LinkId link, ByteView bytes, Moment now) {
  Line& line = lines_[link];
  line.waiting.push_back({now + line.late, Bytes(bytes.begin(), bytes.end())});
}

Moment FaultGate::deadline() const {
  Moment next = kNever;
  for (const auto& [link, line] : lines_)
    if (!line.waiting.empty()) next = std::min(next, due(line));
  return next;
}

}  // namespace convoy
