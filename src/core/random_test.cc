#include "core/random.h"

#include <doctest/doctest.h>

#include <cmath>

namespace random_test {

using namespace convoy;

TEST_CASE("philox gives the published vectors of Random123") {
  // kat_vectors of the Random123 distribution: philox4x32 10, counter and key all zero, then all ones.
  const PhiloxBlock zero = philox(0, 0, 0);
  CHECK(zero.low == (0x6627e8d5ULL | 0xe169c58dULL << 32));
  CHECK(zero.high == (0xbc57ac4cULL | 0x9b00dbd8ULL << 32));
  const PhiloxBlock ones = philox(~0ULL, ~0ULL, ~0ULL);
  CHECK(ones.low == (0x408f276dULL | 0x41c83b0eULL << 32));
  CHECK(ones.high == (0xa20bc7c6ULL | 0x6d5451fdULL << 32));
}

TEST_CASE("streams of different purposes and subjects share nothing, and the same one repeats") {
  Random a{stream_key(1, 7, "encoder")}, same{stream_key(1, 7, "encoder")};
  Random other_purpose{stream_key(1, 7, "driver")}, other_subject{stream_key(1, 8, "encoder")};

  const auto first = a.bits();

  CHECK(first == same.bits());
  CHECK(first != other_purpose.bits());
  CHECK(first != other_subject.bits());
}

TEST_CASE("normals have mean 0 and variance 1, are not correlated, and no draw repeats the one before") {
  Random rng{stream_key(3, 0, "test")}, same = rng;
  double sum[2] = {}, squares[2] = {}, products = 0, last = 0;
  const int n = 100'000;
  for (int i = 0; i < n; ++i) {
    const NormalPair pair = rng.normals();
    CHECK(pair.first == same.normal());
    CHECK(pair.first != last);
    last = pair.first;
    sum[0] += pair.first, sum[1] += pair.second;
    squares[0] += pair.first * pair.first, squares[1] += pair.second * pair.second;
    products += pair.first * pair.second;
  }
  for (int k = 0; k < 2; ++k) {
    CHECK(std::abs(sum[k] / n) < 0.02);
    CHECK(std::abs(squares[k] / n - 1) < 0.02);
  }
  CHECK(std::abs(products / n) < 0.02);
}

TEST_CASE("below stays below, and reaches every value") {
  Random rng{stream_key(9, 0, "test")};
  int seen[7] = {};
  for (int i = 0; i < 7000; ++i) ++seen[rng.below(7)];
  for (int count : seen) CHECK(count > 800);
}

}  // namespace random_test
