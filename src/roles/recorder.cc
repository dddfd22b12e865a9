#include "roles/recorder.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.h"
#include "core/hash.h"
#include "core/overloads.h"
#include "world/edits/edits.h"

namespace convoy {
Recorder::Recorder(ByteSink& sink, const Setup& setup, RecordingHead head, std::string_view scenario_text,
                   const ViewDetail& view)
    : file_(sink, setup, std::move(head), scenario_text),
      scene_(file_, setup, view, kFramesEvery),
      tick_length_(setup.tick),
      checkpoint_(std::max<std::uint32_t>(setup.checkpoint, 1)),
      digest_seed_(digest_seed(setup)),
      reached_(file_.line(topic::kReached, "each boundary before its edits")),
      checkpoint_line_(file_.line(topic::kCheckpoint, "agents' inner states and messages on the way")),
      journal_(file_.line(topic::kJournal, "edits, inputs, elements and losses")),
      edited_(file_.line(topic::kEdited, "each boundary that edits changed")),
      world_(file_.line(topic::kWorld, "names, models, attachments and environment")),
      elements_(file_.line(topic::kElements, "hashes of the journal's elements")),
      digest_line_(file_.line(topic::kDigest, "the chained digest")),
      digest_(digest_seed_) {}

void Recorder::code(std::span<const CodeFile> files) { file_.code(files); }

std::uint64_t Recorder::log_time(Tick tick) const { return file_.log_time(instant(tick * nanos(tick_length_))); }

void Recorder::write(Line& to, Tick tick, ByteView bytes) { file_.write(to, log_time(tick), bytes); }

void Recorder::write_world(const World& world, Tick tick) {
  file_.write_pieces(world_, {run_, tick}, log_time(tick), world.image());
  written_structure_ = world.structure_hash();
}

void Recorder::write_checkpoint(const World& world, std::span<const AgentHash> inside, std::span<const Message> sent) {
  EXPECTS(inside.size() == world.entities().size());
  Checkpoint c{run_, tick_, digest_, world.structure_hash(), {sent.begin(), sent.end()}, {}, {}, true};
  for (Slot slot : SlotRange(world.entities().size())) {
    const Entity& entity = world.entity(slot);
    if (entity.owner == kNobody) c.ownerless.push_back(entity.number);
    if (entity.owner == kNobody || tick_ == 0) continue;
    const auto it = inner_.find(entity.number);
    if (inner_tick_ == tick_ && it != inner_.end() && hash64(it->second) == inside[slot.index()].inner) {
      const Bytes& more = under_way_[entity.number];
      it->second.insert(it->second.end(), more.begin(), more.end());
      c.inner.push_back({entity.number, std::move(it->second)});
    } else if (!std::binary_search(lost_.begin(), lost_.end(), entity.number)) c.complete = false;
  }
  file_.write_pieces(checkpoint_line_, {run_, tick_}, log_time(tick_), save(c));
  inner_.clear(), under_way_.clear();
}

void Recorder::completed(std::uint32_t run, Tick tick, const World& world, std::span<const AgentHash> inside,
                         std::span<const Message> sent) {
  if (run != run_) {
    file_.begin_run(log_time(tick_));
    run_ = run;
    digest_ = digest_seed_;
    written_structure_ = 0;
    inner_.clear(), under_way_.clear();
    if (tick == 0) write_world(world, 0);  // the last world in the file is the old run's
  }
  tick_ = tick;
  edited_now_ = Edited::kNot;
  const bool mark = tick % checkpoint_ == 0;
  if (mark && world.structure_hash() != written_structure_) write_world(world, tick);
  take(run, tick, instant(tick * nanos(tick_length_)), world.snapshot(), inside, boundary_);
  coder_.encode(boundary_, mark, scratch_);
  write(reached_, tick, scratch_);
  if (mark) write_checkpoint(world, inside, sent);
  const Instant now = instant(tick * nanos(tick_length_));
  scene_.follow(now, world);
  scene_.place(now, world);
  lost_.clear();
}

void Recorder::entered(const JournalEntry& entry) {
  const auto edited = [&](const Edit& edit) {
    edited_now_ = std::max(edited_now_, changes_image(edit) ? Edited::kShape : Edited::kStates);
  };
  std::visit(Overloads{[&](const Edit& edit) { edited(edit); }, [](const Input&) {},
                       [&](const Lost& lost) { lost_ = lost.agents; },
                       [&](const ElementChanged& element) { element_hashes_.push_back(element_hash(element)); },
                       [](const Absent&) {}, [&](const AskedEdit& asked) { edited(asked.edit); }},
             entry.what);
  write(journal_, entry.tick, save(entry));
}

void Recorder::write_element_hashes(Tick tick) {
  for (std::size_t at = 0; at < element_hashes_.size(); at += kMaxElementHashes) {
    const auto begin = element_hashes_.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end =
        element_hashes_.begin() + static_cast<std::ptrdiff_t>(std::min(at + kMaxElementHashes, element_hashes_.size()));
    write(elements_, tick, save(ElementHashes{run_, tick, {begin, end}}));
  }
  element_hashes_.clear();
}

void Recorder::chained(std::uint32_t run, Tick tick, std::uint64_t digest, const World& world,
                       std::span<const AgentHash> inside) {
  if (edited_now_ != Edited::kNot) {
    take(run, tick, instant(tick * nanos(tick_length_)), world.snapshot(), inside, boundary_);
    coder_.encode(boundary_, false, scratch_);
    write(edited_, tick, scratch_);
    if (edited_now_ == Edited::kShape) write_world(world, tick);
  }
  scene_.follow(instant(tick * nanos(tick_length_)), world);
  write_element_hashes(tick);
  write(digest_line_, tick, save(DigestRecord{run, tick, world.structure_hash(), digest, journal_.sequence}));
  digest_ = digest;
}

void Recorder::checkpointed(std::uint32_t run, Tick tick, const InnerBytes& inner) {
  if (run != run_ || tick != tick_ + 1) return;
  if (std::exchange(inner_tick_, tick) != tick) inner_.clear(), under_way_.clear();
  for (const InnerBytes::Agent& agent : inner.agents) inner_[agent.number] = agent.bytes;
  for (const InnerBytes::Agent& agent : inner.under_way) under_way_[agent.number] = agent.bytes;
}

}  // namespace convoy
