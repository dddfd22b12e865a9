#include "record/foxglove/proto.h"

#include "record/foxglove/testing.h"

namespace proto_test {

using namespace convoy;

TEST_CASE("a message inside another has the length that its bytes have, however long they are") {
  for (const std::size_t size : {0u, 1u, 100u, 126u, 127u, 128u, 16'383u, 16'384u, 3'000'000u}) {
    CAPTURE(size);
    Bytes out;
    const Bytes data(size, 7);

    Proto(out).message(3, [&](Proto& outer) {
      outer.message(2, [&](Proto& inner) { inner.data(1, data); });
      outer.integer(5, 300);
    });

    testing::WireMessage top(out);
    REQUIRE(top.count(3) == 1);
    testing::WireMessage outer = top.message(3);
    CHECK(outer.one(5).number == 300);
    CHECK(outer.message(2).one(1).bytes == data);
  }
}

TEST_CASE("fields that have their default are left out, and a zero with a sign has not") {
  Bytes out;
  Proto p(out);
  p.integer(1, 0), p.fixed32(2, 0), p.real(3, 0), p.text(4, ""), p.data(5, {});
  CHECK(out.empty());

  p.real(3, -0.0), p.fixed32(2, 9), p.integer(1, -1);
  testing::WireMessage read(out);
  CHECK(std::signbit(read.one(3).real()));
  CHECK(read.one(2).number == 9);
  CHECK(read.one(1).number == ~std::uint64_t{0});
}

}  // namespace proto_test
