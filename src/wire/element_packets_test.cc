#include "wire/element_packets.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/random.h"
#include "wire/element_samples.h"

namespace element_packets_test {

using namespace convoy;
using namespace convoy::samples;

namespace {

RawPayload list(const Bytes& payload, std::uint8_t flags) { return {DatagramType::kElements, flags, payload}; }

// What all parts contain, in order.
struct Unpacked {
  std::vector<Element> elements;
  std::vector<ElementKey> keys_only;
};
Unpacked unpack(const Packed& packed, const ElementTypes& types) {
  Unpacked all;
  for (std::size_t i = 0; i < packed.payloads.size(); ++i) {
    const ParsedPayload part = parse_payload(types, list(packed.payloads[i], packed.flags));
    REQUIRE(part.whole());
    CHECK(part.where.part == i);
    CHECK(part.where.parts == packed.payloads.size());
    all.elements.insert(all.elements.end(), part.elements.begin(), part.elements.end());
    all.keys_only.insert(all.keys_only.end(), part.keys_only.begin(), part.keys_only.end());
  }
  return all;
}

std::string trouble(const RawPayload& raw) {
  ElementPacket packet;
  return name_of(read_elements(raw, packet));
}

Bytes list_bytes(std::uint32_t number, std::uint16_t part, std::uint16_t parts) {
  Bytes bytes;
  Writer w(bytes);
  w.u32(number), w.u16(part), w.u16(parts);
  return bytes;
}

}  // namespace

TEST_CASE("a single element is its type and its bytes") {
  const auto types = ElementTypes::make();
  const Element sent = vehicle(1, 2, 3);
  Bytes payload;
  put_element(payload, sent);
  CHECK(payload.size() == 4 + sent.bytes.size());

  const ParsedPayload parsed = parse_payload(*types, {DatagramType::kElement, 0, payload});

  CHECK(parsed.whole());
  CHECK(parsed.where == ListPart{});
  CHECK(parsed.elements == std::vector<Element>{sent});
}

TEST_CASE("one, a subset or many more than a datagram holds come back in order, full or delta") {
  const auto types = ElementTypes::make();
  std::vector<Element> world;
  for (std::uint32_t i = 0; i < 500; ++i)
    world.push_back(i % 3 ? vehicle(1 + i / 100, i, 5, static_cast<int>(i % 7)) : note(1, i, 5, "n"));
  for (bool full : {false, true})
    for (std::size_t n : {std::size_t{1}, std::size_t{20}, world.size()}) {
      const auto some = std::span(world).first(n);
      const auto packed = pack(some, {.list = 12, .full = full});
      REQUIRE(packed);
      CHECK(packed->flags == (full ? kFullFlag : kDeltaFlag));
      CHECK(packed->large.empty());
      for (const Bytes& payload : packed->payloads) {
        CHECK(payload.size() <= kMaxDatagramPayload);
        ElementPacket packet;
        CHECK(read_elements(list(payload, packed->flags), packet) == PacketTrouble::kNone);
        CHECK(packet.where.list == 12);
        CHECK(packet.where.full == full);
      }
      CHECK((packed->payloads.size() > 1) == (n > 20));
      CHECK(unpack(*packed, *types).elements == std::vector<Element>(some.begin(), some.end()));
    }
}

TEST_CASE("an empty full list is one part, an empty delta none") {
  const auto full = pack(std::span<const Element>(), {.list = 1, .full = true});
  CHECK(full->payloads == std::vector<Bytes>{list_bytes(1, 0, 1)});
  CHECK(pack(std::span<const Element>(), {.list = 1, .full = false})->payloads.empty());
}

TEST_CASE("what is too large for a datagram is reported apart, and a full list names it") {
  const auto types = ElementTypes::make();
  std::vector<Element> world{note(1, 1, 1, "small")};
  for (std::uint32_t id = 2; id < 600; ++id) world.push_back(note(1, id, 1, std::string(2000, 'x')));
  const std::size_t fits = kMaxDatagramPayload - kElementsHeader - kRecordHeader;
  const std::size_t around = note(1, 600, 1, std::string(1000, 'y')).bytes.size() - 1000;
  const Element border = note(1, 600, 1, std::string(fits - around, 'y'));
  REQUIRE(border.bytes.size() == fits);
  world.push_back(border);

  const auto full = pack(world, {.list = 1, .full = true});
  const auto delta = pack(world, {.list = 2, .full = false});

  CHECK(full->large.size() == 598);
  CHECK(full->large[0] == &world[1]);
  const Unpacked all = unpack(*full, *types);
  CHECK(all.elements == std::vector<Element>{world.front(), border});
  CHECK(all.keys_only.size() == 598);
  CHECK(all.keys_only.front() == ElementKey{Owner(1), ElementId(2)});
  CHECK(all.keys_only.back() == ElementKey{Owner(1), ElementId(599)});
  CHECK(delta->large.size() == 598);
  CHECK(unpack(*delta, *types).keys_only.empty());
  Bytes frame;
  put_element(frame, *full->large[0]);
  CHECK(parse_payload(*types, {DatagramType::kElement, 0, frame}).elements == std::vector<Element>{world[1]});
}

TEST_CASE("malformed packets of elements are refused by name") {
  Bytes bytes = list_bytes(1, 0, 1);
  CHECK(trouble(list(bytes, kFullFlag)) == "none");
  CHECK(trouble({DatagramType::kStates, 0, bytes}) == "no_elements");
  for (int flags : {0, 3, 4, 255}) CHECK(trouble(list(bytes, static_cast<std::uint8_t>(flags))) == "bad_flags");
  CHECK(trouble(list(list_bytes(0, 0, 1), kFullFlag)) == "bad_part");
  CHECK(trouble(list(list_bytes(1, 0, 0), kFullFlag)) == "bad_part");
  CHECK(trouble(list(list_bytes(1, 2, 2), kFullFlag)) == "bad_part");
  CHECK(trouble(list(Bytes(7), kFullFlag)) == "cut_short");
  CHECK(trouble({DatagramType::kElement, 0, ByteView(bytes).first(3)}) == "cut_short");
  CHECK(trouble({DatagramType::kElement, 0, Bytes(kMaxElementPayload + 1)}) == "too_large");
  CHECK(trouble({DatagramType::kElement, 0, Bytes(kMaxElementPayload)}) == "none");

  Bytes trailing = bytes;
  trailing.resize(trailing.size() + 7);
  CHECK(trouble(list(trailing, kFullFlag)) == "trailing");
  Bytes runs_over = bytes;
  Writer(runs_over).u32(5);
  Writer(runs_over).u32(0xffffffff);
  CHECK(trouble(list(runs_over, kFullFlag)) == "cut_short");
  Bytes large = bytes;
  Writer(large).u32(5);
  Writer(large).blob(Bytes(kMaxElement + 1));
  CHECK(trouble(list(large, kFullFlag)) == "too_large");
  Bytes keys = bytes;
  Writer(keys).u32(0);
  Writer(keys).blob(Bytes(16));
  CHECK(trouble(list(keys, kFullFlag)) == "none");
  CHECK(trouble(list(keys, kDeltaFlag)) == "bad_keys");
  Bytes half_key = bytes;
  Writer(half_key).u32(0);
  Writer(half_key).blob(Bytes(12));
  CHECK(trouble(list(half_key, kFullFlag)) == "bad_keys");
}

TEST_CASE("a list cut short at any byte is refused, but between two records") {
  std::vector<Element> world{vehicle(1, 1, 1), note(1, 2, 1, "text"), note(1, 3, 1)};
  const auto packed = pack(world, {.list = 3, .full = true});
  REQUIRE(packed->payloads.size() == 1);
  const Bytes& payload = packed->payloads[0];
  std::vector<std::size_t> borders{kElementsHeader};
  for (const Element& e : world) borders.push_back(borders.back() + kRecordHeader + e.bytes.size());

  for (std::size_t n = 0; n <= payload.size(); ++n) {
    ElementPacket packet;
    const bool border = std::find(borders.begin(), borders.end(), n) != borders.end();
    CHECK((read_elements({DatagramType::kElements, kFullFlag, ByteView(payload).first(n)}, packet) ==
           PacketTrouble::kNone) == border);
  }
}

TEST_CASE("flipped bits and random bytes never do more than give a reason") {
  const auto types = ElementTypes::make();
  std::vector<Element> world{vehicle(1, 1, 1), note(1, 2, 1, "text"), note(1, 3, 1, std::string(3000, 'x'))};
  const Bytes payload = pack(world, {.list = 3, .full = true})->payloads[0];
  std::size_t sound = 0, refused = 0;
  const auto check_damaged = [&](const RawPayload& raw) {
    const ParsedPayload parsed = parse_payload(*types, raw);
    parsed.whole() ? ++sound : ++refused;
    CHECK((parsed.trouble == PacketTrouble::kNone || parsed.elements.empty()));
  };
  Random random{11, 0};
  for (std::size_t bit = 0; bit < 8 * payload.size(); ++bit) {
    Bytes damaged = payload;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    check_damaged(list(damaged, kFullFlag));
    damaged[random.below(damaged.size())] ^= static_cast<std::uint8_t>(random.bits());
    check_damaged(list(damaged, kFullFlag));
  }
  for (int i = 0; i < 10'000; ++i) {
    Bytes garbage(random.below(100));
    for (std::uint8_t& byte : garbage) byte = static_cast<std::uint8_t>(random.bits());
    check_damaged({static_cast<DatagramType>(i % 2 ? 2 : 7), static_cast<std::uint8_t>(random.below(3)), garbage});
  }
  CHECK(sound > 0);
  CHECK(refused > 0);
}

TEST_CASE("a bad record does not spoil its neighbours, and the packet is not whole") {
  const auto types = ElementTypes::make();
  Element unknown = note(1, 2, 1);
  unknown.type = 77;
  const std::vector<Element> sent{note(1, 1, 1), unknown, vehicle(1, 3, 1, 0, 1.0 / 0.0), note(1, 4, 1)};
  const Bytes payload = pack(sent, {.list = 1, .full = true})->payloads[0];

  const ParsedPayload parsed = parse_payload(*types, list(payload, kFullFlag));

  CHECK(parsed.trouble == PacketTrouble::kNone);
  CHECK(parsed.elements == std::vector<Element>{sent[0], sent[3]});
  CHECK(parsed.refused_for(ElementTrouble::kUnknownType) == 1);
  CHECK(parsed.refused_for(ElementTrouble::kNotFinite) == 1);
  CHECK(!parsed.whole());
}

}  // namespace element_packets_test
