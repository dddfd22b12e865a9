// The C library's own functions, behind those of ours that stand before them (interpose.cpp).
#pragma once

#include <dlfcn.h>

#include <atomic>

namespace convoy::ros {

// Looked up at the first call. Constant before that, so that it can be called before any constructor has run.
template <class Function>
class Real {
 public:
  // `version`: of a symbol that has several, on machines where it has.
  constexpr explicit Real(const char* name, const char* version = nullptr) : name_(name), version_(version) {}
  template <class... Args>
  auto operator()(Args... args) {
    Function* function = function_.load(std::memory_order_relaxed);
    if (!function) [[unlikely]]
      function_.store(function = find(), std::memory_order_relaxed);
    return function(args...);
  }

 private:
  Function* find() const {
    void* symbol = version_ ? dlvsym(RTLD_NEXT, name_, version_) : nullptr;
    if (!symbol) symbol = dlsym(RTLD_NEXT, name_);
    return reinterpret_cast<Function*>(symbol);
  }
  const char* name_;
  const char* version_;
  std::atomic<Function*> function_{nullptr};
};

// Of the type of the function that the headers declare.
template <class R, class... A>
constexpr Real<R(A...)> real_of(R (*)(A...), const char* name, const char* version = nullptr) {
  return Real<R(A...)>(name, version);
}
template <class R, class... A>
constexpr Real<R(A..., ...)> real_of(R (*)(A..., ...), const char* name) {
  return Real<R(A..., ...)>(name);
}

}  // namespace convoy::ros
