#include "wire/datagram.h"

#include <doctest/doctest.h>

#include "core/random.h"

namespace datagram_test {

using namespace convoy;

namespace {

const DatagramType kTypes[] = {DatagramType::kGoodbye, DatagramType::kElement,   DatagramType::kElements,
                               DatagramType::kStates,  DatagramType::kClock,     DatagramType::kRegister,
                               DatagramType::kAnswer,  DatagramType::kRegistered};

}  // namespace

TEST_CASE("every type of datagram comes back as it was") {
  const Bytes payload{1, 2, 3, 4, 5};
  for (DatagramType type : kTypes) {
    Bytes out;
    REQUIRE(put_datagram(out, {type, kFullFlag, 3, Owner(70'000), 9, 8, 0xf0f0f0f0, payload}));
    Datagram d;
    REQUIRE(parse_datagram(out, d) == DatagramTrouble::kNone);

    CHECK(d.type == type);
    CHECK(d.flags == kFullFlag);
    CHECK(d.run == 3);
    CHECK(d.connection == Owner(70'000));
    CHECK(d.seq == 9);
    CHECK(d.ack == 8);
    CHECK(d.ack_bits == 0xf0f0f0f0);
    CHECK(Bytes(d.payload.begin(), d.payload.end()) == payload);
  }
}

TEST_CASE("a datagram of a type that this version does not know is refused") {
  Datagram d;
  for (int number : {0, 3, 200}) {
    Bytes out;
    put_datagram(out, {static_cast<DatagramType>(number), 0, 0, Owner(1), 2, 3, 4, {}});
    CHECK(parse_datagram(out, d) == DatagramTrouble::kUnknownType);
    CHECK(!known_datagram(static_cast<std::uint8_t>(number)));
  }
}

TEST_CASE("a datagram cut short at any byte, or with any bit flipped, is refused") {
  Bytes out;
  put_datagram(out, {DatagramType::kStates, 0, 0, Owner(1), 2, 3, 4, as_bytes("some states")});
  Datagram d;

  for (std::size_t n = 0; n < out.size(); ++n) {
    const DatagramTrouble expected =
        n < kDatagramHeader + kDatagramChecksum ? DatagramTrouble::kTooShort : DatagramTrouble::kChecksum;
    CHECK(parse_datagram(ByteView(out).first(n), d) == expected);
  }
  for (std::size_t bit = 0; bit < 8 * out.size(); ++bit) {
    Bytes damaged = out;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    CHECK(parse_datagram(damaged, d) == DatagramTrouble::kChecksum);
  }
}

TEST_CASE("the largest datagram fits, one byte more does not") {
  Bytes out;
  Datagram d{DatagramType::kStates, 0, 0, Owner(1), 1, 0, 0, {}};
  const Bytes most(kMaxDatagramPayload), more(kMaxDatagramPayload + 1);
  d.payload = most;
  CHECK(put_datagram(out, d));
  CHECK(out.size() == kMaxDatagram);
  CHECK(parse_datagram(out, d) == DatagramTrouble::kNone);
  d.payload = more;
  CHECK(!put_datagram(out, d));
  CHECK(parse_datagram(Bytes(kMaxDatagram + 1), d) == DatagramTrouble::kTooLarge);
}

TEST_CASE("random bytes are no datagrams") {
  Random random{5, 0};
  Datagram d;
  for (int i = 0; i < 10'000; ++i) {
    Bytes garbage(random.below(200));
    for (std::uint8_t& byte : garbage) byte = static_cast<std::uint8_t>(random.bits());
    CHECK(parse_datagram(garbage, d) != DatagramTrouble::kNone);
  }
}

}  // namespace datagram_test
