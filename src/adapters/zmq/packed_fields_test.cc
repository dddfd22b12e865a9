#include "adapters/zmq/packed_fields.h"

#include <doctest/doctest.h>

#include <cmath>

#include "adapters/zmq/values.h"
#include "core/json_fields.h"
#include "sensing/samples.h"

namespace packed_fields_test {

using namespace convoy;
using namespace convoy::zmq;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

template <class T>
Json packed(const T& value) {
  Bytes bytes;
  pack(bytes, value);
  const auto out = decode(bytes, Encoding::kMsgpack);
  REQUIRE(out);
  return *out;
}

}  // namespace

TEST_CASE("a value has the same fields in msgpack as in JSON, whatever their sizes") {
  std::vector<SampleData> all;
  for (std::size_t count : {0, 15, 16, 70'000}) {
    all.emplace_back(Cloud{.width = 300, .height = 1, .dense = true, .points = std::vector<CloudPoint>(count)});
    all.emplace_back(EngineReading{std::string(count, 'x'), std::vector<double>(count, -0.5)});
  }
  all.emplace_back(ImuSample{});
  all.emplace_back(Touches{{Touch{.part = "gripper", .depth = 0.25}}});
  all.emplace_back(KeysReading{.held = 0xffffffff});
  all.emplace_back(StickReading{});
  all.emplace_back(PoseReading{});
  for (const SampleData& one : all) {
    CAPTURE(one.index());
    CHECK(packed(one) == Json::parse(to_json(one)));
  }
  CHECK(packed(std::int64_t{-3}) == Json(-3));
  CHECK(packed(std::numeric_limits<std::uint64_t>::max()) == Json(std::numeric_limits<std::uint64_t>::max()));
}

TEST_CASE("infinities and NaN are numbers in msgpack, and floats have 4 bytes") {
  Bytes bytes;
  pack(bytes, std::vector<float>{1.5f, kInf, -kInf});
  CHECK(bytes == Bytes{0x93, 0xca, 0x3f, 0xc0, 0, 0, 0xca, 0x7f, 0x80, 0, 0, 0xca, 0xff, 0x80, 0, 0});
  const Json twice = packed(std::vector<double>{kInf, std::nan(""), -0.0});
  CHECK(twice[0].get<double>() == kInf);
  CHECK(std::isnan(twice[1].get<double>()));
  CHECK_FALSE(std::signbit(twice[2].get<double>()));
}

}  // namespace packed_fields_test
