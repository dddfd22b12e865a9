#include "wire/datagram.h"

#include "core/hash.h"

namespace convoy {

bool put_datagram(Bytes& out, const Datagram& d) {
  if (d.payload.size() > kMaxDatagramPayload) return false;
  out.clear();
  Writer w(out);
  w.u8(static_cast<std::uint8_t>(d.type));
  w.u8(d.flags);
  w.u16(d.run);
  w.u32(d.connection);
  w.u32(d.seq);
  w.u32(d.ack);
  w.u32(d.ack_bits);
  w.bytes(d.payload);
  w.u32(static_cast<std::uint32_t>(hash64(out)));
  return true;
}

DatagramTrouble parse_datagram(ByteView bytes, Datagram& d) {
  if (bytes.size() > kMaxDatagram) return DatagramTrouble::kTooLarge;
  if (bytes.size() < kDatagramHeader + kDatagramChecksum) return DatagramTrouble::kTooShort;
  Reader sum(bytes.last(kDatagramChecksum));
  const bool sound = static_cast<std::uint32_t>(hash64(bytes.first(bytes.size() - kDatagramChecksum))) == sum.u32();
  Reader r(bytes);
  d.type = static_cast<DatagramType>(r.u8());
  d.flags = r.u8();
  d.run = r.u16();
  d.connection = r.u32();
  d.seq = r.u32();
  d.ack = r.u32();
  d.ack_bits = r.u32();
  d.payload = r.bytes(r.left() - kDatagramChecksum);
  return sound ? DatagramTrouble::kNone : DatagramTrouble::kChecksum;
}

bool known(DatagramType type) {
  switch (type) {
    case DatagramType::kGoodbye:
    case DatagramType::kElement:
    case DatagramType::kElements:
    case DatagramType::kStates:
    case DatagramType::kJoints:
    case DatagramType::kClock:
    case DatagramType::kRegister:
    case DatagramType::kAnswer:
    case DatagramType::kRegistered: return true;
  }
  return false;
}

}  // namespace convoy
