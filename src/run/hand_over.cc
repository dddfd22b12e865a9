#include "run/hand_over.h"

#include <algorithm>

namespace convoy {

namespace {

struct Need {
  const World& world;
  std::optional<HandOverNeed> operator()(const Attach& edit) const {
    HandOverNeed need;
    need.from = world.entity(world.slot_of(edit.child)).owner;
    need.to = world.entity(world.slot_of(edit.parent)).owner;
    if (need.from == need.to || need.from == kNobody) return std::nullopt;
    need.agents = world.with_descendants(edit.child);
    return need;
  }
  std::optional<HandOverNeed> operator()(const Spawn&) const { return std::nullopt; }
  std::optional<HandOverNeed> operator()(const Delete&) const { return std::nullopt; }
  std::optional<HandOverNeed> operator()(const SetState&) const { return std::nullopt; }
  std::optional<HandOverNeed> operator()(const Detach&) const { return std::nullopt; }
  std::optional<HandOverNeed> operator()(const SetEnvironment&) const { return std::nullopt; }
  std::optional<HandOverNeed> operator()(const AddModel&) const { return std::nullopt; }
  std::optional<HandOverNeed> operator()(const Reset&) const { return std::nullopt; }
  std::optional<HandOverNeed> operator()(const Freeze&) const { return std::nullopt; }
  std::optional<HandOverNeed> operator()(const Move&) const { return std::nullopt; }
  std::optional<HandOverNeed> operator()(const Mount&) const { return std::nullopt; }
  std::optional<HandOverNeed> operator()(const AddFile&) const { return std::nullopt; }
  std::optional<HandOverNeed> operator()(const PutBody&) const { return std::nullopt; }
};

}  // namespace

std::optional<HandOverNeed> hand_over_for(const World& world, const Edit& edit) {
  if (!world.check(edit)) return std::nullopt;
  return std::visit(Need{world}, edit);
}

std::vector<Move> HandOver::take(Owner from, InnerBytes& more) {
  std::vector<Move> moves;
  if (!need_ || need_->from != from) return moves;
  for (InnerBytes::Agent& agent : more.agents)
    if (std::binary_search(need_->agents.begin(), need_->agents.end(), agent.number))
      inner_[agent.number] = std::move(agent.bytes);
  if (!more.last || inner_.size() < need_->agents.size()) return moves;
  for (WorldNumber number : need_->agents) moves.push_back({number, need_->to, std::move(inner_.at(number))});
  cancel();
  return moves;
}

}  // namespace convoy
