#include "pools.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>

#include "current.hpp"
#include "thread_order.hpp"

namespace convoy::ros {
namespace {

constexpr const char* kPools[] = {"libgomp.", "libgomp-", "libomp.",      "libomp-",     "libiomp5",
                                  "libtbb.",  "libtbb-",  "libtbbmalloc", "libopenblas", "libopencv_",
                                  "libmkl_",  "libblis",  "libarmpl"};

// OpenMP's own, of whichever runtime is loaded; a component's may be behind a door that RTLD_NEXT does not open.
template <class Function>
Function* openmp(const char* name) {
  if (void* next = dlsym(RTLD_NEXT, name)) return reinterpret_cast<Function*>(next);
  for (const char* runtime : {"libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so"})
    if (void* handle = dlopen(runtime, RTLD_LAZY | RTLD_NOLOAD)) {
      auto* function = reinterpret_cast<Function*>(dlsym(handle, name));
      dlclose(handle);
      if (function) return function;
    }
  return nullptr;
}

thread_local int the_pool_size = 0;  // that this thread has; 0: what it began with
int first_pool_size = 0;             // what threads begin with

void set_pool_size(int size) {
  if (size == the_pool_size) return;
  auto* set = openmp<void(int)>("omp_set_num_threads");
  if (!set) return;
  set(size > 0 ? size : first_pool_size);
  the_pool_size = size;
}

}  // namespace

std::atomic<bool> pool_sizes_set{false};

std::string file_of(const void* address) {
  Dl_info info{};
  if (!address || dladdr(address, &info) == 0 || !info.dli_fname) return {};
  const char* slash = std::strrchr(info.dli_fname, '/');
  return slash ? slash + 1 : info.dli_fname;
}

bool is_pool(const void* code) {
  // By address: a thread asks at each of its waits.
  static thread_local std::map<const void*, bool> known;
  if (const auto at = known.find(code); at != known.end()) return at->second;
  const std::string file = file_of(code);
  const bool pool =
      std::any_of(std::begin(kPools), std::end(kPools), [&](const char* prefix) { return file.rfind(prefix, 0) == 0; });
  return known.emplace(code, pool).first->second;
}

const bool pools_have_one_thread = [] {
  const char* strict = std::getenv("CONVOY_STRICT_THREADS");
  return strict && *strict && std::strcmp(strict, "0") != 0;
}();

void use_pool_size_of(Simulation& simulation) { set_pool_size(ThreadOrder::of(simulation).pool_size()); }

}  // namespace convoy::ros

// Before OpenMP's, as those of interpose.cpp are.
extern "C" void omp_set_num_threads(int size) {
  using namespace convoy::ros;
  if (!pool_sizes_set) {
    if (auto* most = openmp<int()>("omp_get_max_threads")) first_pool_size = most();
    pool_sizes_set = true;
  }
  if (ThreadOrder* order = ThreadOrder::of_locks(); order && order->waits().self() >= kCallback)
    order->set_pool_size(size);
  set_pool_size(size);
}
