// A library that computes on a thread of its own, for tests.
#pragma once

#include <functional>

namespace pool_sample {

// Returns when the work is done, on another thread.
void run(const std::function<void()>& work);

}  // namespace pool_sample
