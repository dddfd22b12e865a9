// Messages with equal stamps belong together.
#pragma once

#include "message_filters/synchronizer.hpp"

namespace message_filters::sync_policies {

template <class... Ms>
class ExactTime : public PolicyBase<Ms...> {
 public:
  using Base = PolicyBase<Ms...>;
  using Set = typename Base::Set;
  // So many stamps wait for their missing messages; the oldest go first.
  explicit ExactTime(std::uint32_t queue_size) : queue_size_(queue_size) {}

  template <std::size_t I>
  void add(const std::tuple_element_t<I, Set>& message) {
    using M = std::remove_cvref_t<decltype(*message)>;
    const std::int64_t stamp = message_traits::TimeStamp<M>::value(*message).nanoseconds();
    Set& set = waiting_[stamp];
    std::get<I>(set) = message;
    if (complete(set)) {
      const Set whole = set;
      waiting_.erase(waiting_.begin(), waiting_.upper_bound(stamp));  // older ones will not be complete any more
      this->signal(whole);
      return;
    }
    while (queue_size_ > 0 && waiting_.size() > queue_size_) waiting_.erase(waiting_.begin());
  }

 private:
  std::uint32_t queue_size_;
  std::map<std::int64_t, Set> waiting_;
};

}  // namespace message_filters::sync_policies
