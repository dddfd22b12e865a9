#include "run/sample_frames.h"

#include <doctest/doctest.h>

namespace sample_frames_test {

using namespace convoy;

namespace {

constexpr Passed kBack{Owner(5), Owner(2)};

std::vector<SampleOrder> orders(std::size_t count) {
  std::vector<SampleOrder> out(count);
  for (std::size_t i = 0; i < count; ++i)
    out[i].robot = WorldNumber(static_cast<std::uint32_t>(1 + i)), out[i].index = 9;
  return out;
}

SampleData scan(std::size_t beams) {
  Scan out;
  for (std::size_t i = 0; i < beams; ++i) out.ranges.push_back(static_cast<float>(i));
  return out;
}

std::vector<Bytes> encoded(const std::vector<SampleData>& data) {
  SamplePieces samples{kBack, 4, 17, {}};
  const std::vector<SampleOrder> ordered = orders(data.size());
  for (std::size_t i = 0; i < data.size(); ++i)
    cut(name_of(ordered[i]), {instant(static_cast<std::int64_t>(i)), Duration(3)}, data[i], samples.pieces);
  return encode_samples(std::move(samples));
}

SamplePieces loaded(const Bytes& frame) {
  SamplePieces out;
  REQUIRE(load(frame, out));
  return out;
}

}  // namespace

TEST_CASE("samples go in pieces and come out whole, in their order") {
  const std::vector<SampleData> data{scan(3), scan(40'000), NoReading{"it is broken"}, scan(0)};
  const auto frames = encoded(data);
  CHECK(frames.size() > 2);
  SampleCollector collector;
  std::vector<SampleCollector::Whole> whole;
  for (const Bytes& frame : frames) {
    CHECK(frame.size() < kMaxChunk + 4096);
    Passed passed;
    CHECK(peek_passed(frame, passed));
    CHECK(passed.to == kBack.to);
    REQUIRE(collector.take(loaded(frame), whole));
  }
  REQUIRE(whole.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(whole[i].tick == 17);
    CHECK(whole[i].name == name_of(orders(4)[i]));
    CHECK(whole[i].at == instant(static_cast<std::int64_t>(i)));
  }
  CHECK(std::get<Scan>(whole[1].data).ranges == std::get<Scan>(data[1]).ranges);
  CHECK(std::get<NoReading>(whole[2].data).why == "it is broken");
}

TEST_CASE("orders go in chunks, each with the states of its own robots") {
  Orders all{{Owner(2), Owner(5)}, 4, 17, orders(3000), {}};
  for (SampleOrder& order : all.orders) order.parameters = Bytes(100, 7);
  for (std::uint32_t i = 1; i <= 3000; i += 2) all.robots.push_back({WorldNumber(i), {}, {1.0 * i, 2}});
  const auto frames = encode_orders(all);
  CHECK(frames.size() > 5);
  std::size_t seen = 0;
  for (const Bytes& frame : frames) {
    CHECK(frame.size() < kMaxChunk + 4096);
    Orders part;
    REQUIRE(load(frame, part));
    std::size_t robot = 0;
    for (const SampleOrder& order : part.orders) {
      CHECK(order.robot == all.orders[seen++].robot);
      if (order.robot.value() % 2 == 0) continue;
      REQUIRE(robot < part.robots.size());
      CHECK(part.robots[robot].robot == order.robot);
      CHECK(part.robots[robot++].joints == std::vector<double>{1.0 * order.robot.value(), 2});
    }
    CHECK(robot == part.robots.size());
  }
  CHECK(seen == 3000);
}

TEST_CASE("pieces that do not fit are refused") {
  const auto frames = encoded({scan(40'000)});
  REQUIRE(frames.size() > 1);
  std::vector<SampleCollector::Whole> whole;
  {
    SampleCollector collector;
    CHECK_FALSE(collector.take(loaded(frames[1]), whole));  // the first is missing
  }
  SampleCollector collector;
  REQUIRE(collector.take(loaded(frames[0]), whole));
  CHECK_FALSE(collector.take(loaded(frames[0]), whole));  // twice
  REQUIRE(collector.take(loaded(frames[0]), whole));      // from the beginning
  collector.forget(kBack.from);
  CHECK(collector.take(loaded(frames[1]), whole));  // it was on another way when the first one broke
  CHECK(whole.empty());
  REQUIRE(collector.take(loaded(frames[0]), whole));
  collector.clear();
  CHECK_FALSE(collector.take(loaded(frames[1]), whole));
  SamplePieces huge = loaded(frames[0]);
  huge.pieces[0].total = kMostSample + 1;
  CHECK_FALSE(collector.take(huge, whole));
  SamplePieces wrong = loaded(frames[0]);
  wrong.pieces[0].total = static_cast<std::uint32_t>(wrong.pieces[0].bytes.size());
  CHECK_FALSE(collector.take(wrong, whole));  // bytes of no sample
  CHECK(whole.empty());
}

}  // namespace sample_frames_test
