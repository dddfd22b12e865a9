#include "session/drops.h"

#include "core/check.h"

namespace convoy {

const char* name_of(Drop reason) {
  switch (reason) {
    case Drop::kTooLarge: return "too_large";
    case Drop::kBadChecksum: return "bad_checksum";
    case Drop::kMalformed: return "malformed";
    case Drop::kUnknownType: return "unknown_type";
    case Drop::kUnexpected: return "unexpected";
    case Drop::kNotAllowed: return "not_allowed";
    case Drop::kHandshakeTimeout: return "handshake_timeout";
    case Drop::kDeclined: return "declined";
    case Drop::kFull: return "full";
    case Drop::kUdpTimeout: return "udp_timeout";
    case Drop::kUnknownConnection: return "unknown_connection";
    case Drop::kBadToken: return "bad_token";
    case Drop::kWrongEndpoint: return "wrong_endpoint";
    case Drop::kBadNonce: return "bad_nonce";
    case Drop::kOldRun: return "old_run";
    case Drop::kReplayed: return "replayed";
    case Drop::kFutureStamp: return "future_stamp";
    case Drop::kStaleStamp: return "stale_stamp";
    case Drop::kWrongElementType: return "wrong_element_type";
    case Drop::kUnknownElementType: return "unknown_element_type";
    case Drop::kForeignElement: return "foreign_element";
    case Drop::kTooManyElements: return "too_many_elements";
    case Drop::kElementGone: return "element_gone";
    case Drop::kForNobody: return "element_for_nobody";
    case Drop::kOldList: return "old_list";
    case Drop::kBadList: return "bad_list";
    case Drop::kUnknownEntity: return "unknown_entity";
    case Drop::kNotOwner: return "not_owner";
    case Drop::kNotFinite: return "not_finite";
    case Drop::kDuplicateFrame: return "duplicate_frame";
    case Drop::kGap: return "gap";
    case Drop::kSlowPeer: return "slow_peer";
    case Drop::kQueueFull: return "queue_full";
    case Drop::kAssetUnknown: return "asset_unknown";
    case Drop::kCount: break;
  }
  return "unknown";
}

std::uint64_t Drops::total() const {
  std::uint64_t sum = 0;
  for (std::uint64_t count : counts_) sum += count;
  return sum;
}

std::map<std::string, std::uint64_t> Drops::named() const {
  std::map<std::string, std::uint64_t> named;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i] > 0) named[name_of(static_cast<Drop>(i))] = counts_[i];
  return named;
}

Drop drop_of(FrameReader::Trouble trouble) {
  EXPECTS(trouble != FrameReader::Trouble::kNone);
  switch (trouble) {
    case FrameReader::Trouble::kTooLarge: return Drop::kTooLarge;
    case FrameReader::Trouble::kChecksum: return Drop::kBadChecksum;
    case FrameReader::Trouble::kMalformed:
    case FrameReader::Trouble::kNone: break;
  }
  return Drop::kMalformed;
}

}  // namespace convoy
