#include "nodes/entity.h"

#include "nodes/graph.h"

namespace convoy::nodes {

Entity::Entity(Graph& graph, CallbackGroup* group, Ranks ranks)
    : graph_(&graph), group_(group), rank_(graph.next_rank_[static_cast<std::size_t>(ranks)]++) {
  if (group_) group_->hold();
  next_ = graph.entities_;
  if (next_) next_->previous_ = this;
  graph.entities_ = this;
}

Entity::~Entity() {
  if (graph_) {
    (previous_ ? previous_->next_ : graph_->entities_) = next_;
    if (next_) next_->previous_ = previous_;
  }
  if (group_) group_->release();
}

void Entity::retire() {
  if (graph_) detach();
  gone_ = true;
  release();
}

void Receiver::push(Delivery delivery) {
  if (ring_.size() == bound_) ring_.pop_front(), ++dropped_;
  delivery.received = graph()->now();
  ring_.push_back(std::move(delivery));
  graph()->enqueue(*this);
}

void Receiver::run() {
  if (ring_.empty()) return;
  Delivery delivery = ring_.pop_front();
  note(delivery);
  handle(delivery);
}

void Receiver::note(const Delivery& delivery) {
  Graph& g = *graph();
  if (delivery.from < kFirstSilentRank) [[likely]]
    g.trail_.note(std::uint64_t{rank()} << 32 | delivery.from, delivery.index,
                  static_cast<std::uint64_t>(nanos(g.now_)), static_cast<std::uint64_t>(nanos(delivery.published)));
}

void Receiver::handle(Delivery& delivery) {
  if (graph()) ++graph()->callbacks_;
  callback_(delivery);
}

bool Receiver::take(Delivery& delivery) {
  if (ring_.empty() || !graph()) return false;
  delivery = ring_.pop_front();
  note(delivery);
  return true;
}

void Entity::entered(const char* call, std::string_view name) const {
  if (graph_ && graph_->options_.entered) graph_->options_.entered(call, name);
}

void Trigger::trigger() {
  if (!graph()) return;
  entered("trigger()", {});
  graph()->enqueue(*this);
}

void Trigger::run() {
  Graph& g = *graph();
  ++g.callbacks_;
  g.trail_.note(rank(), static_cast<std::uint64_t>(nanos(g.now_)));
  callback_();
}

}  // namespace convoy::nodes
