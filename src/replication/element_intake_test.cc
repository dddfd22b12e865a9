#include "replication/element_intake.h"

#include <doctest/doctest.h>

#include <string>

#include "wire/element_samples.h"

namespace element_intake_test {

using namespace convoy;
using namespace convoy::samples;

namespace {

// Handlers without threads. Each piece is done when the test orders it; a caller that waits gets the oldest one.
class SlowHandlers final : public Handlers {
 public:
  int width() const override { return 2; }
  void submit(std::vector<std::unique_ptr<Piece>> pieces) override {
    for (auto& piece : pieces) slots_.push_back({std::move(piece), false});
  }
  void collect(std::vector<std::unique_ptr<Piece>>& done, bool wait) override {
    if (wait && !slots_.empty()) finish(0);
    while (!slots_.empty() && slots_.front().second) {
      done.push_back(std::move(slots_.front().first));
      slots_.pop_front();
    }
  }
  void finish(std::size_t which) {
    if (!std::exchange(slots_.at(which).second, true)) slots_[which].first->work();
  }
  std::size_t in_hand() const { return slots_.size(); }

 private:
  std::deque<std::pair<std::unique_ptr<Piece>, bool>> slots_;
};

struct Fixture {
  explicit Fixture(IntakeBounds bounds) : dut(types, handlers, bounds) {}

  void datagram(std::uint32_t seq) { put(seq, 4); }
  void frame(std::size_t wheels = 4) { put(0, wheels); }
  void put(std::uint32_t seq, std::size_t wheels) {
    ArrivedElements arrived{Owner(7), DatagramType::kElement, 0, seq, 3, instant(5), {}, {}};
    put_element(arrived.payload, vehicle(7, ++ids, 1, static_cast<int>(wheels)));
    dut.put(std::move(arrived), drops, each());
  }
  // What came back, by the ids that the elements were given in the order in which they came.
  ElementIntake::Each each() {
    return [this](ArrivedElements& arrived) {
      CHECK(arrived.from == Owner(7));
      CHECK(arrived.run == 3);
      CHECK(arrived.now == instant(5));
      REQUIRE(arrived.parsed.elements.size() == 1);
      seen += (seen.empty() ? "" : " ") + std::to_string(arrived.parsed.elements[0].id.value()) +
              (arrived.seq == 0 ? "f" : "");
    };
  }
  std::uint64_t dropped() const { return drops.of(Drop::kQueueFull); }

  ElementTypes types = *ElementTypes::make();
  SlowHandlers handlers;
  Drops drops;
  std::uint32_t ids = 0;
  std::string seen;
  ElementIntake dut;
};

}  // namespace

TEST_CASE("what the handlers finish in any order is applied in the order in which it came") {
  Fixture f({.in_hand = 2});  // of two handlers: four
  for (std::uint32_t seq = 1; seq <= 6; ++seq) f.datagram(seq);
  f.dut.turn(f.each());
  CHECK(f.handlers.in_hand() == 4);

  f.handlers.finish(3);
  f.handlers.finish(1);
  f.dut.turn(f.each());
  CHECK(f.seen.empty());

  f.handlers.finish(0);
  f.dut.turn(f.each());
  CHECK(f.seen == "1 2");
  CHECK(f.handlers.in_hand() == 4);  // they were given the next two

  f.dut.catch_up(f.each());
  CHECK(f.seen == "1 2 3 4 5 6");
  CHECK(f.dut.empty());
  CHECK(f.drops.total() == 0);
}

TEST_CASE("in a full queue the datagrams that waited longest make room, and are counted") {
  Fixture f({.count = 3, .in_hand = 1});
  f.datagram(1), f.datagram(2);
  f.dut.turn(f.each());  // two in hand: no one takes these back
  for (std::uint32_t seq = 3; seq <= 9; ++seq) f.datagram(seq);
  CHECK(f.dropped() == 4);

  f.dut.catch_up(f.each());
  CHECK(f.seen == "1 2 7 8 9");
}

TEST_CASE("bytes bound the queue as well as the count does") {
  Bytes one;
  put_element(one, vehicle(7, 1, 1));
  Fixture f({.bytes = 3 * one.size()});
  for (std::uint32_t seq = 1; seq <= 5; ++seq) f.datagram(seq);

  f.dut.catch_up(f.each());
  CHECK(f.seen == "3 4 5");
  CHECK(f.dropped() == 2);
}

TEST_CASE("frames are never dropped: datagrams make room for them, and when frames alone wait the caller waits too") {
  Fixture f({.count = 3, .in_hand = 1});
  f.frame(), f.datagram(1), f.frame(), f.frame();
  CHECK(f.dropped() == 1);
  CHECK(f.seen.empty());

  f.datagram(2);  // no room, and nothing that may go
  CHECK(f.dropped() == 2);
  f.frame();  // waits until a handler has had the oldest
  CHECK(f.seen == "1f");

  f.dut.catch_up(f.each());
  CHECK(f.seen == "1f 3f 4f 6f");
}

TEST_CASE("a frame that is larger than the queue goes through alone") {
  Fixture f({.bytes = 200});
  f.datagram(1);
  f.frame(100);
  CHECK(f.dropped() == 1);

  f.dut.catch_up(f.each());
  CHECK(f.seen == "2f");
}

TEST_CASE("an intake that ends waits for what is in hand, and hands nothing over any more") {
  SlowHandlers handlers;
  const ElementTypes types = *ElementTypes::make();
  {
    ElementIntake dut(types, handlers, {});
    ArrivedElements arrived{Owner(7), DatagramType::kElement, 0, 1, 0, instant(0), {}, {}};
    put_element(arrived.payload, vehicle(7, 1, 1));
    Drops drops;
    dut.put(std::move(arrived), drops, {});
    dut.turn({});
    CHECK(handlers.in_hand() == 1);
  }
  CHECK(handlers.in_hand() == 0);
}

}  // namespace element_intake_test
