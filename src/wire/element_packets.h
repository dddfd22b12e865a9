// Payloads of datagrams that carry elements, and the way back.
//
//   element    u32 type | bytes to the end
//   elements   u32 list | u16 part | u16 parts | records
//   record     u32 type | u32 size | size bytes
//   record     u32 0    | u32 size | {u32 connection, u32 id}, size / 8 times: keys that are listed
//
// Little-endian. The datagram's flags state what a list is: full (what it does not name is gone) or delta (adds and
// changes only). A sender counts its lists from 1, full and delta together. An element that is too large for a datagram
// travels in a frame, as an `element` payload of at most 4 bytes + kMaxElement; a full list names it by its key.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/ports.h"
#include "wire/datagram.h"
#include "wire/element_types.h"

namespace convoy {

inline constexpr std::size_t kElementHeader = 4;
inline constexpr std::size_t kElementsHeader = 8;
inline constexpr std::size_t kRecordHeader = 8;
inline constexpr std::size_t kKeySize = 8;
inline constexpr std::size_t kMaxElementPayload = kElementHeader + kMaxElement;
inline constexpr std::size_t kMaxParts = 65'535;

// Appends an `element` payload, for a datagram or a frame. The element is at most kMaxElement.
void put_element(Bytes& out, const Element& element);

struct PackOptions {
  std::uint32_t list = 1;  // its number
  bool full = false;
  std::size_t max_payload = kMaxDatagramPayload;  // bytes, at least 64
};
struct Packed {
  std::uint8_t flags = 0;             // of each datagram
  std::vector<Bytes> payloads;        // `elements`, the parts in order; an empty full list has one part
  std::vector<const Element*> large;  // put each into a frame
};
// One list of any elements: one, a subset, all. kInvalid if it would need more than kMaxParts datagrams. A delta
// without anything for a datagram has no payloads.
Result<Packed> pack(std::span<const Element* const> elements, const PackOptions& options);
Result<Packed> pack(std::span<const Element> elements, const PackOptions& options);

// Why a payload cannot be read.
enum class PacketTrouble : std::uint8_t {
  kNone,
  kNoElements,  // another type of datagram
  kTooLarge,    // an element of more than kMaxElement
  kBadFlags,    // a list is either full or delta
  kBadPart,     // the part is not below the number of parts
  kCutShort,    // a header or record runs past the end
  kBadKeys,     // not a whole number of keys, or keys in a delta
  kTrailing,    // too few bytes left for a record
  kCount
};
const char* name_of(PacketTrouble trouble);

// The place of a packet among its sender's lists. list 0: a single element.
struct ListPart {
  std::uint32_t list = 0;
  std::uint16_t part = 0, parts = 1;
  bool full = false;
  friend bool operator==(const ListPart&, const ListPart&) = default;
};

struct RawElement {
  ElementTypeId type = 0;
  ByteView bytes;
};
struct ElementPacket {
  ListPart where;
  std::vector<RawElement> records;    // into the payload
  std::vector<ElementKey> keys_only;  // named without content
};

// What came, borrowed. A frame's element is of type kElement.
struct RawPayload {
  DatagramType type{};
  std::uint8_t flags = 0;
  ByteView payload;
};
// `packet` is meaningful only for kNone.
PacketTrouble read_elements(const RawPayload& raw, ElementPacket& packet);

// A payload, read to the end. One bad record does not spoil its neighbours.
struct ParsedPayload {
  PacketTrouble trouble = PacketTrouble::kNone;
  ListPart where;
  std::vector<Element> elements;
  std::vector<ElementKey> keys_only;
  std::array<std::uint32_t, static_cast<std::size_t>(ElementTrouble::kCount)> refused{};  // records, by reason

  std::uint32_t refused_for(ElementTrouble reason) const { return refused[static_cast<std::size_t>(reason)]; }
  // Every record was understood; only then does a full list show what is missing.
  bool whole() const;
  friend bool operator==(const ParsedPayload&, const ParsedPayload&) = default;
};
ParsedPayload parse_payload(const ElementTypes& types, const RawPayload& raw);

// The same for many, on the executor's threads; result i belongs to payload i, whatever the order of work.
std::vector<ParsedPayload> parse_all(const ElementTypes& types, std::span<const RawPayload> payloads,
                                     Executor& executor);

}  // namespace convoy
