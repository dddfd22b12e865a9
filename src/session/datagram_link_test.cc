#include "session/datagram_link.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "core/random.h"

namespace datagram_link_test {

using namespace convoy;

TEST_CASE("each number is taken once, in any order within the window") {
  DatagramLink link;
  Datagram d;
  for (std::uint32_t seq : {5u, 3u, 4u, 1u, 70u}) {
    d.seq = seq;
    CHECK(link.take(d));
    CHECK_FALSE(link.take(d));
  }
  d.seq = 6;  // 64 behind the newest: beyond the window
  CHECK_FALSE(link.take(d));
  d.seq = 7;
  CHECK(link.take(d));
  d.seq = 0;
  CHECK_FALSE(link.take(d));
}

TEST_CASE("over a line that loses, repeats and reorders, what was acked has arrived, and is reported once") {
  Random rng{stream_key(2, 0, "link")};
  DatagramLink a, b;
  std::deque<Datagram> to_a, to_b;
  std::set<std::uint32_t> arrived;
  std::map<std::uint32_t, int> reported;
  const auto transmit = [&](DatagramLink& from, std::deque<Datagram>& line) {
    Datagram d;
    from.stamp(d);
    if (rng.below(4) == 0) return;
    line.push_back(d);
    if (rng.below(8) == 0) line.push_back(d);
    if (rng.below(3) == 0 && line.size() > 1) std::swap(line.back(), line[rng.below(line.size())]);
  };
  for (int i = 0; i < 20'000; ++i) {
    transmit(a, to_b);
    transmit(b, to_a);
    while (to_b.size() > 5) {
      const Datagram d = to_b.front();
      to_b.pop_front();
      if (!b.take(d)) continue;
      b.keep(d);
      CHECK(arrived.insert(d.seq).second);
    }
    while (to_a.size() > 5) {
      const Datagram d = to_a.front();
      to_a.pop_front();
      if (!a.take(d)) continue;
      a.keep(d);
      a.acked(d, [&](std::uint32_t seq) { ++reported[seq]; });
    }
  }
  CHECK(reported.size() > 10'000);
  for (const auto& [seq, times] : reported) {
    REQUIRE(times == 1);
    REQUIRE(arrived.count(seq) == 1);
  }
}

TEST_CASE("an ack of what was never sent acknowledges nothing") {
  DatagramLink link;
  Datagram d;
  link.stamp(d);
  Datagram answer;
  answer.seq = 1, answer.ack = 7, answer.ack_bits = ~0u;
  int reported = 0;
  link.acked(answer, [&](std::uint32_t) { ++reported; });
  CHECK(reported == 0);
  answer.ack = 1;
  link.acked(answer, [&](std::uint32_t) { ++reported; });
  CHECK(reported == 1);
}

TEST_CASE("what is not kept is never acknowledged, whatever comes before and after it") {
  DatagramLink sender, receiver;
  std::map<std::uint32_t, int> reported;
  const auto answer = [&] {
    Datagram back;
    receiver.stamp(back);
    sender.acked(back, [&](std::uint32_t seq) { ++reported[seq]; });
  };

  for (std::uint32_t i = 1; i <= 200; ++i) {
    Datagram d;
    sender.stamp(d);
    REQUIRE(receiver.take(d));
    if (i % 3 != 0 && i >= 5) receiver.keep(d);
    if (i % 7 == 0 || i == 2) answer();
    CHECK_FALSE(receiver.take(d));  // known all the same
  }
  answer();

  for (std::uint32_t i = 1; i <= 200; ++i) CHECK(reported.count(i) == (i % 3 != 0 && i >= 5));
  CHECK(std::all_of(reported.begin(), reported.end(), [](const auto& t) { return t.second == 1; }));
}

TEST_CASE("what was taken but not kept is not acknowledged, and does not come again") {
  DatagramLink a, b;
  std::vector<Datagram> sent(4);
  for (Datagram& d : sent) a.stamp(d);

  for (const Datagram& d : sent) {
    CHECK(b.take(d));
    if (d.seq != 2 && d.seq != 4) b.keep(d);
  }
  CHECK_FALSE(b.take(sent[3]));
  Datagram answer;
  b.stamp(answer);
  std::set<std::uint32_t> reported;
  a.acked(answer, [&](std::uint32_t seq) { reported.insert(seq); });

  CHECK(reported == std::set<std::uint32_t>{1, 3});
}

}  // namespace datagram_link_test
