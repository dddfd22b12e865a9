// A first-in first-out queue in one growing array of a power of two: no allocation once it has its size.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "core/check.h"

namespace convoy::nodes {

template <class T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& front() { return items_[head_]; }
  T& operator[](std::size_t i) { return items_[(head_ + i) & (capacity_ - 1)]; }

  void push_back(T item) {
    if (size_ == capacity_) [[unlikely]]
      grow();
    items_[(head_ + size_++) & (capacity_ - 1)] = std::move(item);
  }
  T pop_front() {
    T item = std::move(items_[head_]);
    head_ = (head_ + 1) & (capacity_ - 1);
    --size_;
    return item;
  }
  void clear() {
    while (!empty()) pop_front();
  }

 private:
  void grow() {
    const std::size_t larger = capacity_ == 0 ? 2 : 2 * capacity_;
    auto items = std::make_unique<T[]>(larger);
    for (std::size_t i = 0; i < size_; ++i) items[i] = std::move((*this)[i]);
    items_ = std::move(items);
    head_ = 0, capacity_ = larger;
  }

  std::unique_ptr<T[]> items_;
  std::size_t capacity_ = 0, head_ = 0, size_ = 0;
};

}  // namespace convoy::nodes
