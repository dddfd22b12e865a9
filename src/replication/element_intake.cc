#include "replication/element_intake.h"

#include <algorithm>

namespace convoy {

struct ElementIntake::Piece final : Handlers::Piece {
  Piece(const ElementTypes& with, ArrivedElements what) : types(with), arrived(std::move(what)) {}
  void work() override { arrived.parsed = parse_payload(types, {arrived.type, arrived.flags, arrived.payload}); }
  bool is_frame() const { return arrived.seq == 0; }

  const ElementTypes& types;
  ArrivedElements arrived;
};

ElementIntake::ElementIntake(const ElementTypes& types, Handlers& handlers, IntakeBounds bounds)
    : types_(types), handlers_(handlers), bounds_(bounds) {}

ElementIntake::~ElementIntake() {
  waiting_.clear();
  while (in_hand_ > 0) take_back(true, [](ArrivedElements&) {});
}

void ElementIntake::put(ArrivedElements arrived, Drops& drops, const Each& each) {
  const bool frame = arrived.seq == 0;
  const std::size_t size = arrived.payload.size();
  while (full(size)) {
    if (drop_oldest()) {
      drops.count(Drop::kQueueFull);
    } else if (!frame) {
      return drops.count(Drop::kQueueFull);  // frames alone wait, and they were here first
    } else if (empty()) {
      break;  // alone it may be larger than the bound
    } else {
      hand_out();
      take_back(true, each);
    }
  }
  bytes_ += size;
  datagrams_ += frame ? 0 : 1;
  waiting_.push_back(std::make_unique<Piece>(types_, std::move(arrived)));
}

// The datagram that has waited longest; false if there is none.
bool ElementIntake::drop_oldest() {
  if (datagrams_ == 0) return false;
  const auto oldest =
      std::find_if(waiting_.begin(), waiting_.end(), [](const auto& piece) { return !piece->is_frame(); });
  bytes_ -= (*oldest)->arrived.payload.size();
  --datagrams_;
  waiting_.erase(oldest);
  return true;
}

void ElementIntake::hand_out() {
  const std::size_t most = bounds_.in_hand * static_cast<std::size_t>(handlers_.width());
  std::vector<std::unique_ptr<Handlers::Piece>> next;
  while (!waiting_.empty() && in_hand_ < most) {
    bytes_ -= waiting_.front()->arrived.payload.size();
    datagrams_ -= waiting_.front()->is_frame() ? 0 : 1;
    next.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
    ++in_hand_;
  }
  if (!next.empty()) handlers_.submit(std::move(next));
}

void ElementIntake::take_back(bool wait, const Each& each) {
  if (in_hand_ == 0) return;
  done_.clear();
  handlers_.collect(done_, wait);
  in_hand_ -= done_.size();
  for (const auto& piece : done_) each(static_cast<Piece&>(*piece).arrived);
}

void ElementIntake::turn(const Each& each) {
  take_back(false, each);
  hand_out();
}

void ElementIntake::catch_up(const Each& each) {
  while (!empty()) {
    hand_out();
    take_back(true, each);
  }
}

}  // namespace convoy
