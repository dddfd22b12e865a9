#include "agent/sample_queue.h"

#include <algorithm>
#include <utility>

#include "core/check.h"

namespace convoy {

void SampleQueue::add(Waiting waiting) {
  const auto later = [](const Waiting& a, const Waiting& b) {
    return std::pair(a.due, a.sample.sensor) < std::pair(b.due, b.sample.sensor);
  };
  waiting_.insert(std::upper_bound(waiting_.begin(), waiting_.end(), waiting, later), std::move(waiting));
}

std::vector<SampleQueue::Waiting>::iterator SampleQueue::ordered(std::uint32_t sensor, std::uint64_t index) {
  return std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& w) {
    return w.ordered && w.sample.sensor == sensor && w.sample.index == index;
  });
}

bool SampleQueue::fill(std::uint32_t sensor, std::uint64_t index, SampleData data) {
  const auto at = ordered(sensor, index);
  if (at == waiting_.end()) return false;
  at->sample.data = std::move(data), at->ordered = false;
  return true;
}

void SampleQueue::put_off(std::uint32_t sensor, std::uint64_t index, Instant due) {
  const auto at = ordered(sensor, index);
  if (at == waiting_.end()) return;
  Waiting waiting = std::move(*at);
  waiting_.erase(at);
  waiting.due = due, waiting.late = true;
  add(std::move(waiting));
}

void SampleQueue::drop(std::uint32_t sensor, std::uint64_t index) {
  if (const auto at = ordered(sensor, index); at != waiting_.end()) waiting_.erase(at);
}

bool SampleQueue::lags(std::uint32_t sensor) const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [&](const Waiting& w) { return w.ordered && w.late && w.sample.sensor == sensor; });
}

std::vector<SampleQueue::UnderWay> SampleQueue::under_way() {
  std::vector<UnderWay> out;
  for (Waiting& waiting : waiting_) {
    if (!waiting.judged) continue;
    EXPECTS(!waiting.ordered);
    if (waiting.later) waiting.sample.data = std::exchange(waiting.later, nullptr)();
    out.push_back({waiting.due, waiting.sample});
  }
  return out;
}

void SampleQueue::deliver(Instant now, const std::function<bool(const Sample&)>& judge) {
  delivered_.clear(), taken_.clear();
  const auto end = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& w) { return w.due > now; });
  for (auto at = waiting_.begin(); at != end; ++at) {
    EXPECTS(!at->ordered);
    if (at->later) at->sample.data = at->later();
    if (at->judged && !judge(at->sample)) continue;
    if (std::holds_alternative<NoReading>(at->sample.data)) continue;  // it could not be drawn
    if (at->to_taker && at->to_nodes) taken_.push_back(at->sample);
    else if (at->to_taker) taken_.push_back(std::move(at->sample));
    if (at->to_nodes) delivered_.push_back(std::move(at->sample));
  }
  waiting_.erase(waiting_.begin(), end);
}

std::optional<Instant> SampleQueue::next_within(Instant end) const {
  const auto at =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& w) { return w.to_nodes && w.within; });
  return at != waiting_.end() && at->due < end ? std::optional(at->due) : std::nullopt;
}

std::span<const Sample> SampleQueue::deliver_within(Instant at) {
  within_.clear();
  for (Waiting& waiting : waiting_) {
    if (waiting.due != at || !waiting.to_nodes || !waiting.within) continue;
    waiting.to_nodes = false;
    if (waiting.to_taker) within_.push_back(waiting.sample);
    else within_.push_back(std::move(waiting.sample));
  }
  std::erase_if(waiting_, [](const Waiting& w) { return !w.to_nodes && !w.to_taker && !w.judged; });
  return within_;
}

}  // namespace convoy
