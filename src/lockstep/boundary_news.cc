#include "lockstep/boundary_news.h"

#include <algorithm>

namespace convoy {

namespace {

constexpr std::size_t kFewEdits = 8;

// Its canonical bytes, which every kind has by its fields().
std::size_t size_of(const Edit& edit) {
  return std::visit([](const auto& e) { return save(e).size(); }, edit);
}

}  // namespace

bool BoundaryNews::fit_into_open() const {
  return edits_.size() <= kFewEdits &&
         std::none_of(edits_.begin(), edits_.end(), [](const Edit& e) { return size_of(e) > kMaxChunk; });
}

Edits BoundaryNews::take(std::uint32_t run, Tick tick) {
  return {run, tick, std::exchange(states_, {}), std::exchange(held_, {}), std::exchange(edits_, {})};
}

void BoundaryNews::send(std::uint32_t run, Tick tick, Audience& audience) {
  if (empty()) return;
  Edits frame = take(run, tick);
  std::vector<Edit> edits = std::exchange(frame.edits, {});
  std::size_t bytes = 0;
  for (Edit& edit : edits) {
    if (bytes >= kMaxChunk) {
      audience.edits(frame);
      frame = Edits{run, tick, {}, {}, {}};
      bytes = 0;
    }
    bytes += size_of(edit);
    frame.edits.push_back(std::move(edit));
  }
  audience.edits(frame);
}

}  // namespace convoy
