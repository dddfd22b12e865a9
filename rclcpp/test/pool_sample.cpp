#include "pool_sample.hpp"

#include <pthread.h>

namespace pool_sample {

void run(const std::function<void()>& work) {
  pthread_t thread{};
  pthread_create(
      &thread, nullptr,
      [](void* given) -> void* {
        (*static_cast<const std::function<void()>*>(given))();
        return nullptr;
      },
      const_cast<std::function<void()>*>(&work));
  pthread_join(thread, nullptr);
}

}  // namespace pool_sample
