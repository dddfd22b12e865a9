#include "os/send_queue.h"

#include <doctest/doctest.h>

#include "core/random.h"

namespace send_queue_test {

using namespace convoy;
using os::SendQueue;

namespace {

Bytes some(std::size_t n, Random& random) {
  Bytes bytes(n);
  for (auto& b : bytes) b = static_cast<std::uint8_t>(random.below(256));
  return bytes;
}

}  // namespace

TEST_CASE("what comes out is what went in, in order, however it was taken and whoever owns it") {
  Random random{3, 0};
  SendQueue dut;
  Bytes in, out;
  for (int i = 0; i < 3000; ++i) {
    if (random.below(3) > 0) {
      const Bytes bytes = some(random.below(10) == 0 ? random.below(200'000) : random.below(300), random);
      if (random.below(2) == 0) dut.append(ByteView(bytes));
      else dut.append(std::make_shared<const Bytes>(bytes));
      in.insert(in.end(), bytes.begin(), bytes.end());
    } else {
      iovec pieces[4];
      std::size_t offered = 0, wanted = random.below(120'000);
      const std::size_t n = dut.pieces(pieces, 4);
      REQUIRE((n > 0) == (dut.size() > 0));
      for (std::size_t p = 0; p < n && offered < wanted; ++p) {
        const std::size_t part = std::min(pieces[p].iov_len, wanted - offered);
        const auto* at = static_cast<const std::uint8_t*>(pieces[p].iov_base);
        out.insert(out.end(), at, at + part);
        offered += part;
      }
      dut.consume(offered);
    }
    REQUIRE(dut.size() == in.size() - out.size());
  }
  iovec rest[1];
  while (dut.pieces(rest, 1) > 0) {
    const auto* at = static_cast<const std::uint8_t*>(rest[0].iov_base);
    out.insert(out.end(), at, at + rest[0].iov_len);
    dut.consume(rest[0].iov_len);
  }
  CHECK(out == in);
}

TEST_CASE("shared bytes are not copied, and let go of when they are sent") {
  SendQueue dut;
  const auto bytes = std::make_shared<const Bytes>(5000, std::uint8_t{1});
  dut.append(bytes);
  iovec pieces[2];
  REQUIRE(dut.pieces(pieces, 2) == 1);
  CHECK(pieces[0].iov_base == bytes->data());
  dut.consume(4999);
  CHECK(bytes.use_count() == 2);
  dut.consume(1);
  CHECK(bytes.use_count() == 1);
  dut.append(bytes);
  dut.clear();
  CHECK(bytes.use_count() == 1);
  CHECK(dut.size() == 0);
}

}  // namespace send_queue_test
