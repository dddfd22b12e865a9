// An executor that runs its pieces one by one, in an order drawn from a seed: what threads may do, without threads.
#pragma once

#include <vector>

#include "core/ports.h"
#include "core/random.h"

namespace convoy::testing {

class ShuffledExecutor final : public Executor {
 public:
  // seed 0: in order, in one piece.
  explicit ShuffledExecutor(std::uint64_t seed) : random_{seed, 0} {}
  int width() const override { return random_.key == 0 ? 1 : 4; }
  void parallel(std::size_t n, const std::function<void(std::size_t, std::size_t)>& work) override {
    if (random_.key == 0) {
      if (n > 0) work(0, n);
      return;
    }
    std::vector<std::size_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = i;
    for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random_.below(i)]);
    for (std::size_t i : order) work(i, i + 1);
  }

 private:
  Random random_;
};

}  // namespace convoy::testing
