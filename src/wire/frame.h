// Frames: how messages are written in a byte stream.
//
//   0      4    5      6        8     12    16         20
//   | size | type | flags | zero | seq | ack | checksum | payload of `size` bytes |
//
// Little-endian. seq counts the frames of one direction from 1 (0: outside the count: handshake, heartbeat, assets);
// ack is the last seq that was received in order. The checksum is the low half of the XXH3-64 of 24 bytes: the first
// 16, and the XXH3-64 of the payload. So a payload that goes to many peers is hashed once. A frame that is too large,
// or whose checksum is wrong, ends the link: a stream has no place to resume.
#pragma once

#include <cstdint>
#include <optional>

#include "core/hash.h"

namespace convoy {

inline constexpr std::size_t kFrameHeader = 20;
inline constexpr std::size_t kMaxGreeting = 4 * 1024;  // payload of a frame before the peer is known
inline constexpr std::size_t kMaxFrame = 1024 * 1024;  // payload of any frame
inline constexpr std::size_t kMaxChunk = 60 * 1024;    // payload of one piece of something larger

// The numbers of CAVE are kept where the meaning is the same (1, 5, 8, 9, 10).
enum class FrameType : std::uint8_t {
  kGoodbye = 1,
  kHeartbeat = 5,
  kHello = 8,
  kWelcome = 9,
  kDecline = 10,
  kUdpConfirmed = 12,  // server: your datagrams have arrived; you are registered
  kNonce = 13,         // server: answer this by datagram from your new address
  kUserData = 14,      // either side, before Ready: the user's own exchange
  kReady = 16,         // client: everything is loaded
  kAssetRequest = 17,
  kAssetChunk = 18,
  kImage = 32,  // server: the world at the boundary where you come in
  kOpen = 33,
  kStates = 34,
  kMessages = 35,
  kDone = 36,
  kCheckpoint = 39,
  kEdits = 42,
  kFinish = 40,    // server: the run is over; report and leave
  kReport = 41,    // client: what it did
  kPace = 43,      // server, free mode: how time goes from a tick on
  kInputs = 44,    // server, free mode: commands for the host's agents
  kElements = 45,  // either side: one element too large for a datagram
  kPush = 46,      // client, lockstep: what became of its elements
  kTaken = 47,     // server, lockstep: what became of all elements at a boundary
  kRequest = 48,
  kReply = 49,
  kTickDone = 50,   // client, lockstep: the tick may end, for this client
  kInterest = 51,   // guest, free mode: what it views
  kAsk = 52,        // server: a question about the host's agents
  kAnswer = 53,     // host
  kAllow = 54,      // host, lockstep: how far the world may go; server: where it waits then
  kView = 55,       // server, lockstep: what a viewer sees
  kLook = 56,       // viewer, lockstep: it has taken that, and shall be shown the next
  kPlaces = 57,     // server: which sensor hosts compute samples of the host's robots
  kOrders = 58,     // host, passed on to a sensor host: samples to compute
  kSamples = 59,    // sensor host, directly or passed on to that host: those
  kIntroduce = 60,  // sensor host, passed on to a host: where it takes a link for them
  kLate = 61,       // host: of sensor hosts that it waited for too long; free mode: what has become of samples
  kWanted = 62,     // server: of which sensors it is sent samples
  kCosts = 63,      // host, sensor host: what samples have taken
};
const char* name_of(FrameType type);
// The type that has this number; nothing: this version has none. No other code makes a type of a byte.
std::optional<FrameType> known_frame(std::uint8_t number);

// The payload of a frame with its XXH3-64, borrowed; or shared, if `owner` holds the bytes. The hash goes along,
// because it is needed more than once: for checksums, and to check States.
struct Payload {
  ByteView bytes;
  std::uint64_t hash;
  SharedBytes owner;

  Payload() : Payload(ByteView()) {}
  Payload(ByteView b) : bytes(b), hash(hash64(b)) {}
  Payload(const Bytes& b) : Payload(ByteView(b)) {}
  Payload(ByteView b, std::uint64_t h) : bytes(b), hash(h) {}
  Payload(SharedBytes b, std::uint64_t h) : bytes(*b), hash(h), owner(std::move(b)) {}
  operator ByteView() const { return bytes; }
  // The same with an owner, which every receiver can keep: copied here if it was borrowed.
  Payload shared() const {
    return owner ? *this : Payload(std::make_shared<const Bytes>(bytes.begin(), bytes.end()), hash);
  }
};

struct FrameHeader {
  std::uint32_t size = 0;
  std::optional<FrameType> type;  // nothing: one that this version does not know
  std::uint8_t flags = 0;
  std::uint32_t seq = 0, ack = 0;
  std::uint64_t payload_hash = 0;  // does not travel
};

// Appends what is written before the payload.
void put_frame_header(Bytes& out, FrameType type, std::uint32_t seq, std::uint32_t ack, const Payload& payload);
// Appends a whole frame.
void put_frame(Bytes& out, FrameType type, std::uint32_t seq, std::uint32_t ack, const Payload& payload);

// Cuts a stream into frames.
//
//   reader.feed(bytes);
//   while (reader.next(header, payload)) ...
//
// Whole frames are read where they lie; only the piece of a frame at the end is kept. So the bytes must live until
// next() has returned false, and next() must be called until then (or clear()).
class FrameReader {
 public:
  enum class Trouble : std::uint8_t { kNone, kTooLarge, kChecksum, kMalformed };
  // Frames larger than this are trouble. Starts at kMaxGreeting.
  void set_limit(std::size_t payload) { limit_ = payload; }
  void feed(ByteView bytes);
  // The next whole frame; false if there is none yet, or trouble. The payload lives until the next call.
  bool next(FrameHeader& header, ByteView& payload);
  Trouble trouble() const { return trouble_; }  // stays until clear(); what is fed meanwhile is dropped
  void clear() { kept_.clear(), rest_ = {}, trouble_ = Trouble::kNone; }

 private:
  Bytes kept_;     // of a frame that has only begun
  ByteView rest_;  // not yet read: in kept_, or where feed() was given it
  std::size_t limit_ = kMaxGreeting;
  Trouble trouble_ = Trouble::kNone;
};

}  // namespace convoy
