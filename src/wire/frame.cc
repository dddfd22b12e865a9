#include "wire/frame.h"

namespace convoy {

namespace {

std::uint32_t checksum(const std::uint8_t* header16, std::uint64_t payload_hash) {
  std::uint8_t both[24];
  std::memcpy(both, header16, 16);
  std::memcpy(both + 16, &payload_hash, 8);
  return static_cast<std::uint32_t>(hash64(both));
}

constexpr const char* kUnknownName = "unknown";

}  // namespace

std::optional<FrameType> known_frame(std::uint8_t number) {
  const auto type = static_cast<FrameType>(number);
  return name_of(type) == kUnknownName ? std::nullopt : std::optional(type);
}

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
    case FrameType::kAsk: return "ask";
    case FrameType::kAnswer: return "answer";
    case FrameType::kCheckpoint: return "checkpoint";
    case FrameType::kEdits: return "edits";
    case FrameType::kFinish: return "finish";
    case FrameType::kReport: return "report";
    case FrameType::kPace: return "pace";
    case FrameType::kInputs: return "inputs";
    case FrameType::kElements: return "elements";
    case FrameType::kPush: return "push";
    case FrameType::kInterest: return "interest";
    case FrameType::kTaken: return "taken";
    case FrameType::kRequest: return "request";
    case FrameType::kReply: return "reply";
    case FrameType::kTickDone: return "tick_done";
    case FrameType::kAllow: return "allow";
    case FrameType::kView: return "view";
    case FrameType::kLook: return "look";
    case FrameType::kPlaces: return "places";
    case FrameType::kOrders: return "orders";
    case FrameType::kSamples: return "samples";
    case FrameType::kIntroduce: return "introduce";
    case FrameType::kLate: return "late";
    case FrameType::kWanted: return "wanted";
    case FrameType::kCosts: return "costs";
  }
  return kUnknownName;
}

void put_frame_header(Bytes& out, FrameType type, std::uint32_t seq, std::uint32_t ack, const Payload& payload) {
  const std::size_t at = out.size();
  Writer w(out);
  w.u32(static_cast<std::uint32_t>(payload.bytes.size()));
  w.u8(static_cast<std::uint8_t>(type));
  w.u8(0);
  w.u16(0);
  w.u32(seq);
  w.u32(ack);
  w.u32(checksum(out.data() + at, payload.hash));
}

void put_frame(Bytes& out, FrameType type, std::uint32_t seq, std::uint32_t ack, const Payload& payload) {
  put_frame_header(out, type, seq, ack, payload);
  Writer(out).bytes(payload);
}

void FrameReader::feed(ByteView bytes) {
  if (trouble_ != Trouble::kNone) return;  // what is left lies where the caller's bytes were, and nobody reads on
  if (rest_.empty()) {
    kept_.clear();
    rest_ = bytes;
    return;
  }
  if (rest_.data() < kept_.data() || rest_.data() >= kept_.data() + kept_.size())
    kept_.assign(rest_.begin(), rest_.end());  // fed twice without reading
  else kept_.erase(kept_.begin(), kept_.begin() + (rest_.data() - kept_.data()));
  kept_.insert(kept_.end(), bytes.begin(), bytes.end());
  rest_ = kept_;
}

bool FrameReader::next(FrameHeader& header, ByteView& payload) {
  if (trouble_ != Trouble::kNone) return false;
  const auto wait = [&] {  // the caller's bytes end here: what has begun is ours from now on
    if (rest_.data() < kept_.data() || rest_.data() >= kept_.data() + kept_.size()) {
      kept_.assign(rest_.begin(), rest_.end());
      rest_ = kept_;
    }
    return false;
  };
  if (rest_.size() < kFrameHeader) return wait();
  Reader r(rest_.first(kFrameHeader));
  header.size = r.u32();
  header.type = known_frame(r.u8());
  header.flags = r.u8();
  const std::uint16_t zero = r.u16();
  header.seq = r.u32();
  header.ack = r.u32();
  const std::uint32_t sum = r.u32();
  if (header.size > limit_) return trouble_ = Trouble::kTooLarge, false;
  if (zero != 0 || header.flags != 0) return trouble_ = Trouble::kMalformed, false;
  if (rest_.size() < kFrameHeader + header.size) return wait();
  payload = rest_.subspan(kFrameHeader, header.size);
  header.payload_hash = hash64(payload);
  if (checksum(rest_.data(), header.payload_hash) != sum) return trouble_ = Trouble::kChecksum, false;
  rest_ = rest_.subspan(kFrameHeader + header.size);
  return true;
}

}  // namespace convoy
