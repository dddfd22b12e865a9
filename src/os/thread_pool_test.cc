#include "os/thread_pool.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

namespace thread_pool_test {

using namespace convoy;

TEST_CASE("every index is worked on exactly once, at any width and size") {
  for (const int width : {1, 2, 5}) {
    os::ThreadPool pool(width);
    CHECK(pool.width() == width);
    for (std::size_t n = 0; n <= 1000; ++n) {
      std::vector<int> hits(n, 0);
      pool.parallel(n, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++hits[i];
      });
      REQUIRE(std::all_of(hits.begin(), hits.end(), [](int h) { return h == 1; }));
    }
  }
}

TEST_CASE("many short calls in a row see each other's results") {
  os::ThreadPool pool(3);
  std::vector<std::uint64_t> values(64, 0);
  for (int call = 0; call < 20'000; ++call) {
    pool.parallel(values.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) values[i] += values.size() - i;
    });
  }

  CHECK(values.front() == 64 * 20'000);
  CHECK(values.back() == 20'000);
}

TEST_CASE("pools that did nothing, or little, end") {
  for (int i = 0; i < 50; ++i) {
    os::ThreadPool pool(4);
    std::atomic<std::size_t> sum{0};
    if (i % 2 == 0) pool.parallel(10, [&](std::size_t begin, std::size_t end) { sum += end - begin; });
    CHECK(sum == (i % 2 == 0 ? 10U : 0U));
  }
}

}  // namespace thread_pool_test
