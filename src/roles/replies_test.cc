#include "roles/replies.h"

#include <doctest/doctest.h>

namespace replies_test {

using namespace convoy;

namespace {

constexpr Owner kMe{1}, kOther{2};

bool kept(Replies& replies, std::uint64_t id) {
  const std::string* known = replies.known(kMe, id);
  return known && !known->empty();
}

}  // namespace

TEST_CASE("a call is new once, and then has its reply") {
  Replies dut;
  CHECK(dut.known(kMe, 1) == nullptr);
  REQUIRE(dut.known(kMe, 1) != nullptr);
  CHECK(dut.known(kMe, 1)->empty());
  CHECK(dut.keep(kMe, 1, "done"));
  CHECK(*dut.known(kMe, 1) == "done");
  CHECK(dut.known(kOther, 1) == nullptr);
  dut.forget(kMe);
  CHECK_FALSE(dut.keep(kMe, 1, "done"));
}

TEST_CASE("replies are kept up to a number and up to their bytes, the newest ones") {
  Replies small, large;
  for (std::uint64_t id = 1; id <= kKeptReplies + 10; ++id) small.known(kMe, id), small.keep(kMe, id, "x");
  CHECK(kept(small, 11));
  CHECK_FALSE(kept(small, 10));
  const std::string reply(900'000, 'x');
  for (std::uint64_t id = 1; id <= 1024; ++id) large.known(kMe, id), large.keep(kMe, id, reply);
  for (std::uint64_t id = 1021; id <= 1024; ++id) CHECK(kept(large, id));
  CHECK_FALSE(kept(large, 1020));
}

TEST_CASE("one reply above all bounds is kept, and goes with the next") {
  Replies dut;
  const std::string reply(kKeptReplyBytes + 1, 'x');
  dut.known(kMe, 1), dut.keep(kMe, 1, reply);
  CHECK(kept(dut, 1));
  dut.known(kMe, 2), dut.keep(kMe, 2, "y");
  CHECK(kept(dut, 2));
  CHECK_FALSE(kept(dut, 1));
}

TEST_CASE("a call that is being carried out is known, however many come after it") {
  Replies dut;
  dut.known(kMe, 1);
  for (std::uint64_t id = 2; id <= 2 * kKeptReplies; ++id) dut.known(kMe, id), dut.keep(kMe, id, "x");
  const std::string large(kKeptReplyBytes, 'x');
  for (std::uint64_t id = 9001; id <= 9003; ++id) dut.known(kMe, id), dut.keep(kMe, id, large);
  REQUIRE(dut.known(kMe, 1) != nullptr);
  CHECK(dut.known(kMe, 1)->empty());
}

}  // namespace replies_test
