#include "seeds/noticed.h"

#include <initializer_list>

namespace convoy::testing {

namespace {

bool has_one(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    if (text.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace

bool shows(Planted bug, const std::string& failure) {
  switch (bug) {
    case Planted::kNone: return false;
    case Planted::kDedupe:
      return has_one(failure, {"broke the protocol", "out of place", "another boundary than the next", "edits for tick",
                               "a second world image", "the server gave up host"});
    case Planted::kOrdering: return has_one(failure, {"another order", "digests differ", "heard something else"});
    case Planted::kTokens: return has_one(failure, {"a stranger without a token was let in"});
    case Planted::kResend:
    case Planted::kGaps: return has_one(failure, {"the run hangs", "another boundary than the next"});
    case Planted::kCorrupt: return has_one(failure, {"digests differ"});
    case Planted::kLosses: return has_one(failure, {"against the replay of its journal"});
    case Planted::kChecksum:
      return has_one(failure,
                     {"other bytes", "heard nothing", "nothing heard", "another place", "other joints",
                      "not where the edit left it", "no answer after a minute", "has no world", "it has no world yet"});
    case Planted::kStamps: return has_one(failure, {"other bytes", "other joints", "another place"});
  }
  return false;
}

}  // namespace convoy::testing
