#include "record/record_detail.h"

#include <doctest/doctest.h>

#include "core/approx.h"

namespace record_detail_test {

using namespace convoy;

TEST_CASE("a detail is full, or poses at a rate") {
  CHECK(parse_record_detail("full") == RecordDetail{});
  CHECK(parse_record_detail("poses@10Hz") == RecordDetail{std::chrono::milliseconds(100)});
  CHECK(parse_record_detail("poses@0.5Hz") == RecordDetail{std::chrono::seconds(2)});
  for (const char* text : {"full", "poses@10Hz", "poses@0.5Hz", "poses@1000Hz", "poses@0.001Hz"})
    CHECK(to_text(parse_record_detail(text).value()) == text);

  for (const char* text :
       {"", "poses", "poses@", "poses@Hz", "poses@0Hz", "poses@-1Hz", "poses@1001Hz", "poses@nanHz", "poses@1e2Hz",
        "poses@10", "poses@10hz", "poses@1.2.3Hz", "Full", "poses@ 10Hz", "poses@0.0001Hz"})
    CHECK_MESSAGE(!parse_record_detail(text), text);
}

TEST_CASE("a rate is a number of Hz, and becomes the time between two") {
  CHECK(parse_rate("10Hz") == std::chrono::milliseconds(100));
  CHECK(parse_rate("0.5Hz") == std::chrono::seconds(2));
  for (const char* text : {"", "Hz", "10", "0Hz", "-1Hz", "1e1Hz", "10hz", "2000Hz", "1.2.3Hz"})
    CHECK_MESSAGE(!parse_rate(text), text);
}

TEST_CASE("what is expected grows with robots, time and rate, and poses take less than all") {
  Setup setup;
  setup.models = {Model{}};
  setup.models[0].name = "box";
  const auto with = [&](std::size_t robots) {
    setup.entities.resize(robots);
    for (EntitySpec& e : setup.entities) e.model = "box", e.driver.kind = DriverKind::kRandomWalk;
    return setup;
  };
  const RecordDetail full, ten{std::chrono::milliseconds(100)}, one{std::chrono::seconds(1)};
  const Duration hour = std::chrono::hours(1);

  CHECK(expected_size(with(1000), full, hour) > 10 * expected_size(with(1000), ten, hour));
  CHECK(expected_size(with(1000), ten, hour) > 5 * expected_size(with(1000), one, hour));
  CHECK(expected_size(with(1000), full, hour) > 5 * expected_size(with(100), full, hour));
  CHECK(expected_size(with(10), full, hour) == approx(60 * expected_size(with(10), full, hour / 60)));
}

}  // namespace record_detail_test
