// Messages with stamps near each other belong together: each at most once, in order, and no set could be closer without
// breaking up another. The algorithm is the one that ROS describes for its policy of this name.
#pragma once

#include <array>
#include <deque>

#include "message_filters/synchronizer.hpp"

namespace message_filters::sync_policies {

template <class... Ms>
class ApproximateTime : public PolicyBase<Ms...> {
 public:
  using Base = PolicyBase<Ms...>;
  using Set = typename Base::Set;
  explicit ApproximateTime(std::uint32_t queue_size) : queue_size_(queue_size) {}

  // How much a later set must be closer to be preferred.
  void setAgePenalty(double penalty) { age_penalty_ = penalty; }
  // Promises of the sender, with which a set can be known as the best earlier.
  void setInterMessageLowerBound(int i, const rclcpp::Duration& bound) {
    bound_[static_cast<std::size_t>(i)] = bound.nanoseconds();
  }
  void setInterMessageLowerBound(const rclcpp::Duration& bound) { bound_.fill(bound.nanoseconds()); }
  void setMaxIntervalDuration(const rclcpp::Duration& longest) { max_interval_ = longest.nanoseconds(); }

  template <std::size_t I>
  void add(const std::tuple_element_t<I, Set>& message) {
    using M = std::remove_cvref_t<decltype(*message)>;
    queue_[I].push_back({message_traits::TimeStamp<M>::value(*message).nanoseconds(), message});
    if (queue_[I].size() == 1 && all_waiting()) process();
    if (queue_[I].size() + past_[I].size() <= queue_size_) return;
    // One too many: the search begins anew without the oldest.
    for (std::size_t i = 0; i < N; ++i) recover(i, past_[i].size());
    queue_[I].pop_front();
    dropped_[I] = true;
    if (pivot_ == kNone) return;
    pivot_ = kNone;
    process();
  }

 private:
  static constexpr std::size_t N = Base::kCount, kNone = N;
  struct Entry {
    std::int64_t stamp;
    std::shared_ptr<const void> message;
  };
  struct Edge {
    std::int64_t stamp;
    std::size_t index;
  };

  bool all_waiting() const {
    for (const auto& queue : queue_)
      if (queue.empty()) return false;
    return true;
  }
  // The head of a queue; of an empty one, while a candidate is there, the earliest that may still come.
  std::int64_t head(std::size_t i) const {
    return queue_[i].empty() ? std::max(past_[i].back().stamp + bound_[i], pivot_time_) : queue_[i].front().stamp;
  }
  Edge earliest() const {
    Edge out{head(0), 0};
    for (std::size_t i = 1; i < N; ++i)
      if (head(i) < out.stamp) out = {head(i), i};
    return out;
  }
  Edge latest() const {
    Edge out{head(0), 0};
    for (std::size_t i = 1; i < N; ++i)
      if (head(i) >= out.stamp) out = {head(i), i};
    return out;
  }
  void to_past(std::size_t i) {
    past_[i].push_back(std::move(queue_[i].front()));
    queue_[i].pop_front();
  }
  void recover(std::size_t i, std::size_t count) {
    for (; count > 0; --count) {
      queue_[i].push_front(std::move(past_[i].back()));
      past_[i].pop_back();
    }
  }
  void make_candidate(std::int64_t start, std::int64_t end) {
    for (std::size_t i = 0; i < N; ++i) candidate_[i] = queue_[i].front().message, past_[i].clear();
    candidate_start_ = start, candidate_end_ = end;
  }
  // Later by so much more at its end that nothing that begins at `start` is preferred.
  bool no_better(std::int64_t end, std::int64_t start) const {
    return static_cast<double>(end - candidate_end_) * (1 + age_penalty_) >=
           static_cast<double>(start - candidate_start_);
  }
  void publish_candidate() {
    const Set set = set_of(std::make_index_sequence<N>());
    pivot_ = kNone;
    for (std::size_t i = 0; i < N; ++i) {
      recover(i, past_[i].size());
      queue_[i].pop_front();  // the candidate's
    }
    this->signal(set);
  }
  template <std::size_t... Is>
  Set set_of(std::index_sequence<Is...>) const {
    return {std::static_pointer_cast<typename std::tuple_element_t<Is, Set>::element_type>(candidate_[Is])...};
  }

  void process() {
    while (all_waiting()) {
      const Edge start = earliest(), end = latest();
      for (std::size_t i = 0; i < N; ++i)
        if (i != end.index) dropped_[i] = false;  // what was dropped there could not have been closer
      if (pivot_ == kNone) {
        // Not from a topic that has lost messages: a lost one might have been closer.
        if (end.stamp - start.stamp > max_interval_ || dropped_[end.index]) {
          queue_[start.index].pop_front();
          continue;
        }
        make_candidate(start.stamp, end.stamp);
        pivot_ = end.index, pivot_time_ = end.stamp;
      } else if (!no_better(end.stamp, start.stamp)) {
        make_candidate(start.stamp, end.stamp);
      }
      to_past(start.index);
      if (start.index == pivot_ || no_better(end.stamp, pivot_time_)) publish_candidate();
      else if (!all_waiting()) look_ahead();
    }
  }
  // Whether what may still come could be closer: with the earliest that it can be.
  void look_ahead() {
    std::array<std::size_t, N> moved{};
    for (;;) {
      const Edge start = earliest(), end = latest();
      if (no_better(end.stamp, pivot_time_)) return publish_candidate();
      if (!no_better(end.stamp, start.stamp)) break;
      to_past(start.index);
      ++moved[start.index];
    }
    for (std::size_t i = 0; i < N; ++i) recover(i, moved[i]);
  }

  std::uint32_t queue_size_;
  double age_penalty_ = 0.1;
  std::int64_t max_interval_ = INT64_MAX;  // ns
  std::array<std::int64_t, N> bound_{};    // ns
  std::array<std::deque<Entry>, N> queue_, past_;
  std::array<bool, N> dropped_{};
  std::array<std::shared_ptr<const void>, N> candidate_;
  std::int64_t candidate_start_ = 0, candidate_end_ = 0, pivot_time_ = 0;
  std::size_t pivot_ = kNone;
};

}  // namespace message_filters::sync_policies
