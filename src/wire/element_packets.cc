#include "wire/element_packets.h"

#include <algorithm>

#include "core/check.h"

namespace convoy {

namespace {

// Fills parts one after another; a record never crosses a border.
class Parts {
 public:
  Parts(std::vector<Bytes>& out, std::size_t max_payload) : out_(out), max_(max_payload) {}

  void add(const Element& element) {
    Writer w = room_for(kRecordHeader + element.bytes.size());
    w.u32(element.type);
    w.blob(element.bytes);
  }
  void add(std::span<const ElementKey> keys) {
    const std::size_t most = (max_ - kElementsHeader - kRecordHeader) / kKeySize;
    for (; !keys.empty(); keys = keys.subspan(std::min(most, keys.size()))) {
      const auto now = keys.first(std::min(most, keys.size()));
      Writer w = room_for(kRecordHeader + now.size() * kKeySize);
      w.u32(0);
      w.u32(static_cast<std::uint32_t>(now.size() * kKeySize));
      for (const ElementKey& key : now) w.u32(key.connection.value()), w.u32(key.id.value());
    }
  }
  void open() { out_.emplace_back(kElementsHeader); }

 private:
  Writer room_for(std::size_t size) {
    if (out_.empty() || out_.back().size() + size > max_) open();
    return Writer(out_.back());
  }
  std::vector<Bytes>& out_;
  std::size_t max_;
};

void write_header(Bytes& payload, std::uint32_t list, std::uint16_t part, std::uint16_t parts) {
  Bytes header;
  Writer w(header);
  w.u32(list);
  w.u16(part);
  w.u16(parts);
  std::copy(header.begin(), header.end(), payload.begin());
}

PacketTrouble read_keys(ByteView bytes, bool full, std::vector<ElementKey>& keys) {
  if (bytes.size() % kKeySize != 0 || !full) return PacketTrouble::kBadKeys;
  Reader r(bytes);
  while (r.left() > 0) {
    const Owner connection(r.u32());
    keys.push_back({connection, ElementId(r.u32())});
  }
  return PacketTrouble::kNone;
}

PacketTrouble read_record(Reader& r, ElementPacket& packet) {
  if (r.left() < kRecordHeader) return PacketTrouble::kTrailing;
  const ElementTypeId type = r.u32();
  const ByteView bytes = r.blob();
  if (!r.ok()) return PacketTrouble::kCutShort;
  if (type == 0) return read_keys(bytes, packet.where.full, packet.keys_only);
  if (bytes.size() > kMaxElement) return PacketTrouble::kTooLarge;
  packet.records.push_back({type, bytes});
  return PacketTrouble::kNone;
}

PacketTrouble read_list(const RawPayload& raw, ElementPacket& packet) {
  if (raw.flags != kFullFlag && raw.flags != kDeltaFlag) return PacketTrouble::kBadFlags;
  if (raw.payload.size() < kElementsHeader) return PacketTrouble::kCutShort;
  Reader r(raw.payload);
  packet.where.full = raw.flags == kFullFlag;
  packet.where.list = r.u32();
  packet.where.part = r.u16();
  packet.where.parts = r.u16();
  if (packet.where.list == 0 || packet.where.part >= packet.where.parts) return PacketTrouble::kBadPart;
  while (r.left() > 0)
    if (const PacketTrouble trouble = read_record(r, packet); trouble != PacketTrouble::kNone) return trouble;
  return PacketTrouble::kNone;
}

}  // namespace

const char* name_of(PacketTrouble trouble) {
  switch (trouble) {
    case PacketTrouble::kNone: return "none";
    case PacketTrouble::kNoElements: return "no_elements";
    case PacketTrouble::kTooLarge: return "too_large";
    case PacketTrouble::kBadFlags: return "bad_flags";
    case PacketTrouble::kBadPart: return "bad_part";
    case PacketTrouble::kCutShort: return "cut_short";
    case PacketTrouble::kBadKeys: return "bad_keys";
    case PacketTrouble::kTrailing: return "trailing";
    case PacketTrouble::kCount: break;
  }
  return "unknown";
}

void put_element(Bytes& out, const Element& element) {
  EXPECTS(element.bytes.size() <= kMaxElement);
  Writer w(out);
  w.u32(element.type);
  w.bytes(element.bytes);
}

Result<Packed> pack(std::span<const Element* const> elements, const PackOptions& options) {
  EXPECTS(options.max_payload >= 64 && options.list > 0);
  Packed packed;
  packed.flags = options.full ? kFullFlag : kDeltaFlag;
  Parts parts(packed.payloads, options.max_payload);
  if (options.full) parts.open();  // an empty list means that all is gone
  std::vector<ElementKey> keys_only;
  for (const Element* element : elements) {
    EXPECTS(element->bytes.size() <= kMaxElement);
    if (kElementsHeader + kRecordHeader + element->bytes.size() <= options.max_payload) {
      parts.add(*element);
    } else {
      packed.large.push_back(element);
      if (options.full) keys_only.push_back(element->key());
    }
  }
  parts.add(keys_only);
  const std::size_t n = packed.payloads.size();
  if (n > kMaxParts) return fail(ErrorCode::kInvalid, "a list of elements needs more than 65535 datagrams");
  for (std::size_t i = 0; i < n; ++i)
    write_header(packed.payloads[i], options.list, static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(n));
  return packed;
}

Result<Packed> pack(std::span<const Element> elements, const PackOptions& options) {
  std::vector<const Element*> pointers;
  pointers.reserve(elements.size());
  for (const Element& element : elements) pointers.push_back(&element);
  return pack(pointers, options);
}

PacketTrouble read_elements(const RawPayload& raw, ElementPacket& packet) {
  packet = {};
  if (raw.type == DatagramType::kElements) return read_list(raw, packet);
  if (raw.type != DatagramType::kElement) return PacketTrouble::kNoElements;
  if (raw.payload.size() < kElementHeader) return PacketTrouble::kCutShort;
  if (raw.payload.size() > kMaxElementPayload) return PacketTrouble::kTooLarge;
  Reader r(raw.payload);
  const ElementTypeId type = r.u32();
  packet.records.push_back({type, r.bytes(r.left())});
  return PacketTrouble::kNone;
}

bool ParsedPayload::whole() const {
  return trouble == PacketTrouble::kNone &&
         std::all_of(refused.begin(), refused.end(), [](std::uint32_t n) { return n == 0; });
}

ParsedPayload parse_payload(const ElementTypes& types, const RawPayload& raw) {
  ParsedPayload parsed;
  ElementPacket packet;
  parsed.trouble = read_elements(raw, packet);
  if (parsed.trouble != PacketTrouble::kNone) return parsed;
  parsed.where = packet.where;
  parsed.keys_only = std::move(packet.keys_only);
  parsed.elements.reserve(packet.records.size());
  for (const RawElement& record : packet.records) {
    auto element = types.parse(record.type, record.bytes);
    if (element) parsed.elements.push_back(std::move(*element));
    else ++parsed.refused[static_cast<std::size_t>(element.error())];
  }
  return parsed;
}

std::vector<ParsedPayload> parse_all(const ElementTypes& types, std::span<const RawPayload> payloads,
                                     Executor& executor) {
  std::vector<ParsedPayload> parsed(payloads.size());
  executor.parallel(payloads.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) parsed[i] = parse_payload(types, payloads[i]);
  });
  return parsed;
}

}  // namespace convoy
