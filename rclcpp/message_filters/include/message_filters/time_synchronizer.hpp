// A synchronizer of equal stamps.
#pragma once

#include "message_filters/sync_policies/exact_time.hpp"

namespace message_filters {

template <class... Ms>
class TimeSynchronizer : public Synchronizer<sync_policies::ExactTime<Ms...>> {
 public:
  using Policy = sync_policies::ExactTime<Ms...>;
  using Base = Synchronizer<Policy>;
  explicit TimeSynchronizer(std::uint32_t queue_size) : Base(Policy(queue_size)) {}
  template <class F0, class F1>
  TimeSynchronizer(F0& f0, F1& f1, std::uint32_t queue_size) : Base(Policy(queue_size), f0, f1) {}
  template <class F0, class F1, class F2>
  TimeSynchronizer(F0& f0, F1& f1, F2& f2, std::uint32_t queue_size) : Base(Policy(queue_size), f0, f1, f2) {}
  template <class F0, class F1, class F2, class F3>
  TimeSynchronizer(F0& f0, F1& f1, F2& f2, F3& f3, std::uint32_t queue_size)
      : Base(Policy(queue_size), f0, f1, f2, f3) {}
};

}  // namespace message_filters
