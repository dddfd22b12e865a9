// Datagrams: one header, one payload, one checksum; at most 1,400 bytes.
//
//   0      1       2     4            8     12    16         20
//   | type | flags | run | connection | seq | ack | ack bits | payload | u32 checksum |
//
// Little-endian; the checksum is the low half of the XXH3-64 of all before it. seq counts this sender's datagrams from
// 1; ack and its bits say which of the peer's were received. `run` counts resets: an older run's datagrams are dropped.
#pragma once

#include <array>
#include <optional>

#include "convoy/ids.h"
#include "core/bytes.h"

namespace convoy {

inline constexpr std::size_t kDatagramHeader = 20;
inline constexpr std::size_t kDatagramChecksum = 4;
inline constexpr std::size_t kMaxDatagram = 1400;
inline constexpr std::size_t kMaxDatagramPayload = kMaxDatagram - kDatagramHeader - kDatagramChecksum;

enum class DatagramType : std::uint8_t {
  kGoodbye = 1,      // token
  kElement = 2,      // one element
  kElements = 7,     // many elements
  kStates = 20,      // batch of quantised states
  kClock = 22,       // clock probe and answer
  kRegister = 23,    // token: the first datagram of a connection
  kAnswer = 24,      // nonce: the first datagram from a changed endpoint
  kRegistered = 25,  // server: confirmed
};

inline constexpr std::uint8_t kFullFlag = 1;   // the list is complete: what is missing is gone
inline constexpr std::uint8_t kDeltaFlag = 2;  // only what changed

struct Datagram {
  DatagramType type{};
  std::uint8_t flags = 0;
  std::uint16_t run = 0;
  Owner connection;
  std::uint32_t seq = 0, ack = 0, ack_bits = 0;
  ByteView payload;
};

// False if the payload is too large.
bool put_datagram(Bytes& out, const Datagram& datagram);

enum class DatagramTrouble : std::uint8_t { kNone, kTooLarge, kTooShort, kChecksum, kUnknownType };
// The datagram is meaningful only for kNone. `verify` false: a planted bug, for tests; a wrong checksum is no trouble.
DatagramTrouble parse_datagram(ByteView bytes, Datagram& datagram, bool verify = true);
// The type that has this number; nothing: this version has none. No other code makes a type of a byte.
std::optional<DatagramType> known_datagram(std::uint8_t number);

using Token = std::array<std::uint8_t, 16>;

}  // namespace convoy
