#include "replication/live_edits.h"

#include <algorithm>

#include "world/edits/edits.h"

namespace convoy {

namespace {

const Pose& pose_of(const World& world, WorldNumber number) {
  return world.snapshot().state(world.slot_of(number)).pose;
}

// Replaces what an edit leaves to an entity's current place by the server's pose, so that all carry it out alike.
struct NamePlaces {
  const World& world;
  void operator()(SetState& edit) const {
    if (!std::exchange(edit.keep_pose, false)) return;
    edit.pose = pose_of(world, edit.entity);
  }
  void operator()(Spawn&) const {}
  void operator()(Delete&) const {}
  void operator()(Attach&) const {}
  void operator()(Detach&) const {}
  void operator()(SetEnvironment&) const {}
  void operator()(AddModel&) const {}
  void operator()(Reset&) const {}
  void operator()(Freeze&) const {}
  void operator()(Move&) const {}
  void operator()(Mount&) const {}
  void operator()(AddFile&) const {}
  void operator()(PutBody&) const {}
  void operator()(Return&) const {}
  void operator()(SetPart&) const {}
  void operator()(Lease&) const {}
  void operator()(SetTags&) const {}
};

// What is to be carried out before it, so that it means the same everywhere.
struct Before {
  const World& world;
  std::vector<Edit> operator()(const Freeze& edit) const {
    return {SetState{edit.entity, pose_of(world, edit.entity), {}, false}};
  }
  std::vector<Edit> operator()(const Spawn&) const { return {}; }
  std::vector<Edit> operator()(const Delete&) const { return {}; }
  std::vector<Edit> operator()(const SetState&) const { return {}; }
  std::vector<Edit> operator()(const Attach&) const { return {}; }
  std::vector<Edit> operator()(const Detach&) const { return {}; }
  std::vector<Edit> operator()(const SetEnvironment&) const { return {}; }
  std::vector<Edit> operator()(const AddModel&) const { return {}; }
  std::vector<Edit> operator()(const Reset&) const { return {}; }
  std::vector<Edit> operator()(const Move&) const { return {}; }
  std::vector<Edit> operator()(const Mount&) const { return {}; }
  std::vector<Edit> operator()(const AddFile&) const { return {}; }
  std::vector<Edit> operator()(const PutBody&) const { return {}; }
  std::vector<Edit> operator()(const Return&) const { return {}; }
  std::vector<Edit> operator()(const SetPart&) const { return {}; }
  std::vector<Edit> operator()(const Lease&) const { return {}; }
  std::vector<Edit> operator()(const SetTags&) const { return {}; }
};

// And after it.
struct After {
  const World& world;
  std::vector<Edit> operator()(const Attach& edit) const {
    return {Mount{edit.child, world.entity(world.slot_of(edit.child)).X_PC}};
  }
  std::vector<Edit> operator()(const Spawn&) const { return {}; }
  std::vector<Edit> operator()(const Delete&) const { return {}; }
  std::vector<Edit> operator()(const SetState&) const { return {}; }
  std::vector<Edit> operator()(const Detach&) const { return {}; }
  std::vector<Edit> operator()(const SetEnvironment&) const { return {}; }
  std::vector<Edit> operator()(const AddModel&) const { return {}; }
  std::vector<Edit> operator()(const Reset&) const { return {}; }
  std::vector<Edit> operator()(const Freeze&) const { return {}; }
  std::vector<Edit> operator()(const Move&) const { return {}; }
  std::vector<Edit> operator()(const Mount&) const { return {}; }
  std::vector<Edit> operator()(const AddFile&) const { return {}; }
  std::vector<Edit> operator()(const PutBody&) const { return {}; }
  std::vector<Edit> operator()(const Return&) const { return {}; }
  std::vector<Edit> operator()(const SetPart&) const { return {}; }
  std::vector<Edit> operator()(const Lease&) const { return {}; }
  std::vector<Edit> operator()(const SetTags&) const { return {}; }
};

// The entities that an edit leaves without a carrier.
struct Freed {
  const World& world;
  std::vector<WorldNumber> operator()(const Delete& edit) const { return world.children_of(edit.entity); }
  std::vector<WorldNumber> operator()(const Detach& edit) const { return {edit.child}; }
  std::vector<WorldNumber> operator()(const Spawn&) const { return {}; }
  std::vector<WorldNumber> operator()(const SetState&) const { return {}; }
  std::vector<WorldNumber> operator()(const Attach&) const { return {}; }
  std::vector<WorldNumber> operator()(const SetEnvironment&) const { return {}; }
  std::vector<WorldNumber> operator()(const AddModel&) const { return {}; }
  std::vector<WorldNumber> operator()(const Reset&) const { return {}; }
  std::vector<WorldNumber> operator()(const Freeze&) const { return {}; }
  std::vector<WorldNumber> operator()(const Move&) const { return {}; }
  std::vector<WorldNumber> operator()(const Mount&) const { return {}; }
  std::vector<WorldNumber> operator()(const AddFile&) const { return {}; }
  std::vector<WorldNumber> operator()(const PutBody&) const { return {}; }
  std::vector<WorldNumber> operator()(const Return&) const { return {}; }
  std::vector<WorldNumber> operator()(const SetPart&) const { return {}; }
  std::vector<WorldNumber> operator()(const Lease&) const { return {}; }
  std::vector<WorldNumber> operator()(const SetTags&) const { return {}; }
};

}  // namespace

void LiveEdits::send(const Edit& edit) {
  moved_ = moved_ || std::holds_alternative<Move>(edit);
  const Bytes frame = save(Edits{books_.run, pace_.tick(), {}, {}, {edit}});
  for (const auto& [owner, peer] : peers_) books_.send(owner, FrameType::kEdits, frame);
}

void LiveEdits::apply_waiting() {
  while (!books_.edits.empty()) carry_out(books_.edits.take());
}

std::size_t LiveEdits::answer_requests(Owner from, std::vector<Message>& messages) {
  if (std::none_of(messages.begin(), messages.end(), is_edit_request)) return 0;
  std::vector<Message> answers;
  for (const Message& message : messages)
    if (is_edit_request(message)) answers.push_back(carry_out_asked(message));
  std::erase_if(messages, is_edit_request);
  for (const Bytes& frame : encode_messages(books_.run, pace_.tick(), answers))
    books_.send(from, FrameType::kMessages, frame);
  return answers.size();
}

void LiveEdits::follow(const ElementChanged& change) {
  const Message news = books_.elements.take(change);
  for (const Bytes& frame : encode_messages(books_.run, pace_.tick(), {&news, 1}))
    for (const auto& [owner, peer] : peers_)
      if (peer.host) books_.send(owner, FrameType::kMessages, frame);
  const auto pose_of = [this](Slot slot) { return rounds_.state(slot).pose; };
  for (Edit& edit : books_.elements.body(change, books_.world, pose_of))
    carry_out({std::move(edit), nullptr, {}, true});
}

Message LiveEdits::carry_out_asked(const Message& message) {
  const EditsOfRun run{books_, [this](Slot slot) { return rounds_.state(slot); },
                       [this](WaitingEdit edit) { carry_out(std::move(edit)); }};
  return answer(message, message.sent.time_since_epoch() / books_.setup.tick, limit_, run);
}

void LiveEdits::carry_out(WaitingEdit next) {
  World& world = books_.world;
  Edit& edit = next.edit;
  if (auto ok = world.check(edit); !ok) return next.answer(tl::unexpected(ok.error()));
  if (!next.for_nobody)
    if (auto ok = give_owner(books_, edit); !ok) return next.answer(tl::unexpected(ok.error()));
  for (WorldNumber number : entities_of(edit))  // edits leave states as they are, or place others by them: as of now
    if (const Slot slot = world.slot_of(number); slot != kNoSlot) rounds_.state(slot);
  if (restarts_run(edit)) {
    send(edit);  // the last of the old run
    entered_(next);
    restart_();
    return next.answer(EditOutcome{0, kNoEntity});
  }
  const Tick at = pace_.tick();
  std::visit(NamePlaces{world}, edit);
  for (Edit& before : std::visit(Before{world}, edit)) carry_out({std::move(before), nullptr, {}});
  const std::vector<WorldNumber> freed = std::visit(Freed{world}, edit);
  const std::size_t entities = world.entities().size();
  const WorldNumber made = world.apply(edit, pace_.now());
  if (made != kNoEntity) ++books_.counts.spawned;
  if (world.entities().size() < entities) ++books_.counts.deleted;
  world.settle();
  rounds_.follow_world();
  send(edit);
  entered_(next);
  for (Edit& after : std::visit(After{world}, edit)) carry_out({std::move(after), nullptr, {}});
  settle_states(freed);
  next.answer(EditOutcome{at, made});
}

// Whose agent is gone, of those that are carried no longer: no other will report where it is now.
void LiveEdits::settle_states(std::span<const WorldNumber> freed) {
  for (WorldNumber number : freed)
    if (books_.world.entity(books_.world.slot_of(number)).owner == kNobody)
      carry_out({SetState{number, pose_of(books_.world, number), {}, false}, nullptr, {}});
}

}  // namespace convoy
