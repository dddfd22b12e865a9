#include "wire/datagram.h"

#include "core/hash.h"

namespace convoy {

bool put_datagram(Bytes& out, const Datagram& d) {
  if (d.payload.size() > kMaxDatagramPayload) return false;
  const std::size_t checked = kDatagramHeader + d.payload.size();
  out.resize(checked + kDatagramChecksum);
  std::uint8_t* const at = out.data();
  at[0] = static_cast<std::uint8_t>(d.type), at[1] = d.flags;
  std::memcpy(at + 2, &d.run, 2), std::memcpy(at + 4, &d.connection, 4), std::memcpy(at + 8, &d.seq, 4);
  std::memcpy(at + 12, &d.ack, 4), std::memcpy(at + 16, &d.ack_bits, 4);
  if (!d.payload.empty()) std::memcpy(at + kDatagramHeader, d.payload.data(), d.payload.size());
  const auto sum = static_cast<std::uint32_t>(hash64(ByteView(out).first(checked)));
  std::memcpy(at + checked, &sum, kDatagramChecksum);
  return true;
}

DatagramTrouble parse_datagram(ByteView bytes, Datagram& d, bool verify) {
  if (bytes.size() > kMaxDatagram) return DatagramTrouble::kTooLarge;
  if (bytes.size() < kDatagramHeader + kDatagramChecksum) return DatagramTrouble::kTooShort;
  Reader sum(bytes.last(kDatagramChecksum));
  if (verify && static_cast<std::uint32_t>(hash64(bytes.first(bytes.size() - kDatagramChecksum))) != sum.u32())
    return DatagramTrouble::kChecksum;
  Reader r(bytes);
  const auto type = known_datagram(r.u8());
  if (!type) return DatagramTrouble::kUnknownType;
  d.type = *type;
  d.flags = r.u8();
  d.run = r.u16();
  d.connection = Owner(r.u32());
  d.seq = r.u32();
  d.ack = r.u32();
  d.ack_bits = r.u32();
  d.payload = r.bytes(r.left() - kDatagramChecksum);
  return DatagramTrouble::kNone;
}

std::optional<DatagramType> known_datagram(std::uint8_t number) {
  const auto type = static_cast<DatagramType>(number);
  switch (type) {
    case DatagramType::kGoodbye:
    case DatagramType::kElement:
    case DatagramType::kElements:
    case DatagramType::kStates:
    case DatagramType::kClock:
    case DatagramType::kRegister:
    case DatagramType::kAnswer:
    case DatagramType::kRegistered: return type;
  }
  return std::nullopt;
}

}  // namespace convoy
