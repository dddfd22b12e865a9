#include "roles/recorder.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.h"
#include "core/hash.h"
#include "core/overloads.h"
#include "record/foxglove.h"
#include "world/edits/edits.h"

namespace convoy {
namespace {

constexpr std::size_t kTransformsInOne = 2000;

}  // namespace

Recorder::Recorder(ByteSink& sink, const Setup& setup, RecordingHead head, std::string_view scenario_text)
    : file_(sink, {.profile = "", .library = "convoy " + head.version}),
      tick_length_(setup.tick),
      checkpoint_(std::max<std::uint32_t>(setup.checkpoint, 1)),
      digest_seed_(digest_seed(setup)),
      digest_(digest_seed_) {
  begin(setup, std::move(head), scenario_text);
}

void Recorder::keep(const Status& status) {
  if (!status && !failure_) failure_ = status.error();
}

Recorder::Line Recorder::line(const char* name, std::uint16_t schema, const char* encoding, const char* help) {
  auto id = file_.add_channel(
      {.schema_id = schema, .topic = name, .message_encoding = encoding, .metadata = {{"what", help}}});
  if (!id) keep(tl::unexpected(id.error()));
  return {id.value_or(0), 0};
}

void Recorder::begin(const Setup& setup, RecordingHead head, std::string_view scenario_text) {
  const Bytes setup_bytes = save(setup);
  head.setup_hash = hash64(setup_bytes);
  const Bytes head_bytes = save(head);
  const char* ours = "application/x-convoy";
  keep(file_.attach({.name = topic::kHead, .media_type = ours, .data = head_bytes}));
  keep(file_.attach({.name = topic::kSetup, .media_type = ours, .data = setup_bytes}));
  if (!scenario_text.empty())
    keep(file_.attach({.name = topic::kScenario, .media_type = "application/yaml", .data = as_bytes(scenario_text)}));
  keep(file_.add_metadata({.name = "convoy",
                           .entries = {{"version", head.version},
                                       {"build", head.build},
                                       {"numeric_fingerprint", hex16(head.fingerprint)},
                                       {"protocol", std::to_string(head.protocol)},
                                       {"layout", std::to_string(head.layout)},
                                       {"mode", head.mode},
                                       {"seed", std::to_string(setup.seed)},
                                       {"scenario", head.scenario},
                                       {"setup", hex16(head.setup_hash)},
                                       {"tick_ns", std::to_string(nanos(setup.tick))}}}));
  const char* code = "x-convoy";
  reached_ = line(topic::kReached, 0, code, "each boundary before its edits");
  checkpoint_line_ = line(topic::kCheckpoint, 0, code, "agents' inner states and messages on the way");
  journal_ = line(topic::kJournal, 0, code, "edits, inputs, elements and losses");
  edited_ = line(topic::kEdited, 0, code, "each boundary that edits changed");
  world_ = line(topic::kWorld, 0, code, "names, models, attachments and environment");
  elements_ = line(topic::kElements, 0, code, "hashes of the journal's elements");
  digest_line_ = line(topic::kDigest, 0, code, "the chained digest");
  const auto schema = file_.add_schema(kFrameTransformsName, "protobuf", frame_transforms_schema());
  if (!schema) return keep(tl::unexpected(schema.error()));
  transforms_ = line(topic::kTransforms, *schema, "protobuf", "poses in the world");
}

void Recorder::code(std::span<const CodeFile> files) {
  if (failure_ || closed_) return;
  const Bytes list = save(CodeList{{files.begin(), files.end()}});
  keep(file_.attach({.name = topic::kCode, .media_type = "application/x-convoy", .data = list}));
  std::map<std::string, std::string> entries;
  for (const CodeFile& file : files) entries[file.name] = hex16(file.hash);
  keep(file_.add_metadata({.name = topic::kCode, .entries = entries}));
}

std::uint64_t Recorder::log_time(Tick tick) const {
  return run_began_ns_ + static_cast<std::uint64_t>(tick) * static_cast<std::uint64_t>(nanos(tick_length_));
}

void Recorder::write(Line& to, Tick tick, ByteView bytes) {
  if (failure_ || closed_) return;
  const std::uint64_t time = log_time(tick);
  keep(file_.write({.channel_id = to.channel,
                    .sequence = to.sequence++,
                    .log_time_ns = time,
                    .publish_time_ns = time,
                    .data = bytes}));
}

void Recorder::write_pieces(Line& to, Tick tick, const Bytes& whole) {
  std::size_t at = 0;
  do {
    const std::size_t n = std::min(kPiece, whole.size() - at);
    Piece piece{run_, tick, at + n == whole.size(), {}};
    piece.bytes.assign(whole.begin() + static_cast<std::ptrdiff_t>(at),
                       whole.begin() + static_cast<std::ptrdiff_t>(at + n));
    write(to, tick, save(piece));
    at += n;
  } while (at < whole.size());
}

void Recorder::write_world(const World& world, Tick tick) {
  write_pieces(world_, tick, world.image());
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
    if (inner_tick_ == tick_ && it != inner_.end() && hash64(it->second) == inside[slot.index()].inner)
      c.inner.push_back({entity.number, std::move(it->second)});
    else if (!std::binary_search(lost_.begin(), lost_.end(), entity.number)) c.complete = false;
  }
  write_pieces(checkpoint_line_, tick_, save(c));
  inner_.clear();
}

void Recorder::completed(std::uint32_t run, Tick tick, const World& world, std::span<const AgentHash> inside,
                         std::span<const Message> sent) {
  if (run != run_) {
    run_began_ns_ = log_time(tick_);
    run_ = run;
    digest_ = digest_seed_;
    written_structure_ = 0;
    inner_.clear();
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
  const Tick every = std::max<Tick>(1, nanos(kTransformsEvery) / std::max<std::int64_t>(1, nanos(tick_length_)));
  if (tick % every == 0) write_transforms(world);
  lost_.clear();
}

void Recorder::write_transforms(const World& world) {
  std::vector<FrameTransform> transforms;
  for (Slot slot : SlotRange(world.entities().size())) {
    transforms.push_back({"world", world.entity(slot).name, world.snapshot().state(slot).pose});
    if (transforms.size() < kTransformsInOne && slot.index() + 1 < world.entities().size()) continue;
    encode_frame_transforms(instant(static_cast<std::int64_t>(log_time(tick_))), transforms, scratch_);
    write(transforms_, tick_, scratch_);
    transforms.clear();
  }
}

void Recorder::entered(const JournalEntry& entry) {
  std::visit(Overloads{[&](const Edit& edit) {
                         edited_now_ = std::max(edited_now_, changes_image(edit) ? Edited::kShape : Edited::kStates);
                       },
                       [](const Input&) {}, [&](const Lost& lost) { lost_ = lost.agents; },
                       [&](const ElementChanged& element) { element_hashes_.push_back(element_hash(element)); },
                       [](const Absent&) {}},
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
  write_element_hashes(tick);
  write(digest_line_, tick, save(DigestRecord{run, tick, world.structure_hash(), digest, journal_.sequence}));
  digest_ = digest;
}

void Recorder::checkpointed(std::uint32_t run, Tick tick, const InnerBytes& inner) {
  if (run != run_ || tick != tick_ + 1) return;
  if (std::exchange(inner_tick_, tick) != tick) inner_.clear();
  for (const InnerBytes::Agent& agent : inner.agents) inner_[agent.number] = agent.bytes;
}

void Recorder::on_time(Moment now) {
  if (closed_ || failure_ || now < chunk_due_) return;
  chunk_due_ = now + kChunkEvery;
  keep(file_.finish_chunk());
}

Status Recorder::close() {
  if (!closed_) {
    closed_ = true;
    if (!failure_) keep(file_.close());
  }
  return failure_ ? Status(tl::unexpected(*failure_)) : Status{};
}

}  // namespace convoy
