#include "wire/frame.h"

#include "core/hash.h"

namespace convoy {

namespace {

std::uint32_t checksum(const std::uint8_t* header16, ByteView payload) {
  return static_cast<std::uint32_t>(hash64(payload, hash64({header16, 16})));
}

}  // namespace

const char* name_of(FrameType type) {
  switch (type) {
    case FrameType::kGoodbye: return "goodbye";
    case FrameType::kHeartbeat: return "heartbeat";
    case FrameType::kHello: return "hello";
    case FrameType::kWelcome: return "welcome";
    case FrameType::kDecline: return "decline";
    case FrameType::kUdpConfirmed: return "udp_confirmed";
    case FrameType::kNonce: return "nonce";
    case FrameType::kUserData: return "user_data";
    case FrameType::kReady: return "ready";
    case FrameType::kAssetRequest: return "asset_request";
    case FrameType::kAssetChunk: return "asset_chunk";
    case FrameType::kImage: return "image";
    case FrameType::kOpen: return "open";
    case FrameType::kStates: return "states";
    case FrameType::kMessages: return "messages";
    case FrameType::kDone: return "done";
    case FrameType::kSurrender: return "surrender";
    case FrameType::kSurrendered: return "surrendered";
    case FrameType::kCheckpoint: return "checkpoint";
    case FrameType::kEdits: return "edits";
    case FrameType::kFinish: return "finish";
    case FrameType::kReport: return "report";
    case FrameType::kRequest: return "request";
    case FrameType::kReply: return "reply";
  }
  return "unknown";
}

void put_frame(Bytes& out, FrameType type, std::uint32_t seq, std::uint32_t ack, ByteView payload) {
  const std::size_t at = out.size();
  Writer w(out);
  w.u32(static_cast<std::uint32_t>(payload.size()));
  w.u8(static_cast<std::uint8_t>(type));
  w.u8(0);
  w.u16(0);
  w.u32(seq);
  w.u32(ack);
  w.u32(checksum(out.data() + at, payload));
  w.bytes(payload);
}

bool FrameReader::next(FrameHeader& header, ByteView& payload) {
  if (trouble_ != Trouble::kNone) return false;
  const std::size_t left = buffer_.size() - at_;
  const auto compact = [&] {
    if (at_ == 0) return;
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ = 0;
  };
  if (left < kFrameHeader) return compact(), false;
  const std::uint8_t* start = buffer_.data() + at_;
  Reader r({start, kFrameHeader});
  header.size = r.u32();
  header.type = static_cast<FrameType>(r.u8());
  header.flags = r.u8();
  const std::uint16_t zero = r.u16();
  header.seq = r.u32();
  header.ack = r.u32();
  const std::uint32_t sum = r.u32();
  if (header.size > limit_) return trouble_ = Trouble::kTooLarge, false;
  if (zero != 0 || header.flags != 0) return trouble_ = Trouble::kMalformed, false;
  if (left < kFrameHeader + header.size) return compact(), false;
  payload = {start + kFrameHeader, header.size};
  if (checksum(start, payload) != sum) return trouble_ = Trouble::kChecksum, false;
  at_ += kFrameHeader + header.size;
  return true;
}

}  // namespace convoy
