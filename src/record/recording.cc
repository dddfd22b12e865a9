#include "record/recording.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.h"
#include "core/hash.h"
#include "core/overloads.h"
#include "world/edits/edits.h"

namespace convoy {
namespace {

RecordKind kind_of(const std::string& name) {
  if (name == topic::kReached) return RecordKind::kReached;
  if (name == topic::kCheckpoint) return RecordKind::kCheckpoint;
  if (name == topic::kJournal) return RecordKind::kJournal;
  if (name == topic::kEdited) return RecordKind::kEdited;
  if (name == topic::kWorld) return RecordKind::kWorld;
  if (name == topic::kElements) return RecordKind::kElements;
  if (name == topic::kDigest) return RecordKind::kDigest;
  if (name == topic::kSample) return RecordKind::kSample;
  return RecordKind::kOther;
}

// The run and tick that all our records begin with.
bool place_of(ByteView bytes, Place& place) {
  Reader in(bytes);
  place.run = in.u32();
  place.tick = in.i64();
  return in.ok();
}

Error unusable(const Recording::Mark& mark, const char* why) {
  return {ErrorCode::kInvalid, fmt::format("the checkpoint of tick {} cannot be used: {}", mark.place.tick, why), {}};
}

Error not_ours(const std::string& why) { return {ErrorCode::kInvalid, "not a recording of convoy: " + why, {}}; }

}  // namespace

Result<Recording> Recording::open(ByteView file) {
  Recording r;
  r.file_ = file;
  std::optional<Error> bad;
  ScanVisits visits;
  visits.attachment = [&](const mcap::Attachment& a, bool checked) -> Status {
    if (!checked) return {};
    if (a.name == topic::kHead) r.has_head_ = load(a.data, r.head_);
    if (CodeList list; a.name == topic::kCode && load(a.data, list)) r.head_.code = std::move(list.files);
    if (a.name == topic::kScenario) r.scenario_text_ = as_text(a.data);
    if (a.name != topic::kSetup) return {};
    r.has_setup_ = load(a.data, r.setup_);
    if (r.has_setup_ && r.has_head_ && hash64(a.data) != r.head_.setup_hash)
      bad = not_ours("its setup is not the one that its head names");
    return {};
  };
  visits.message = [&](const MessageView& m) { return r.note(m); };
  const auto report = scan_mcap(file, visits);
  if (!report) return tl::unexpected(not_ours(report.error().text));
  if (!r.has_head_) {
    if (file.size() < mcap::kMagic.size()) return tl::unexpected(not_ours("it is too short"));
    return tl::unexpected(not_ours("it has no head" + (report->intact() ? "" : " (" + report->text() + ")")));
  }
  if (r.head_.layout != kRecordingLayout && r.head_.layout != kSampledLayout)
    return fail(ErrorCode::kUnsupported,
                fmt::format("the recording's layout is {}, this build reads {} and {} ({})", r.head_.layout,
                            kRecordingLayout, kSampledLayout, "written by " + r.head_.build));
  if (bad) return tl::unexpected(*bad);
  if (!r.has_setup_)
    return fail(ErrorCode::kInvalid, "the recording ends before its setup, or that is damaged: " + report->text());
  if (auto ok = r.finish(*report); !ok) return tl::unexpected(ok.error());
  return r;
}

bool Recording::follows(RecordKind kind, std::uint32_t sequence) {
  std::uint32_t& next = sequences_[kind];
  if (sequence != next) return false;
  ++next;
  return true;
}

Status Recording::note(const MessageView& m) {
  const auto known = kinds_.find(m.channel->id);
  const RecordKind kind = known != kinds_.end() ? known->second : kinds_[m.channel->id] = kind_of(m.channel->topic);
  if (kind == RecordKind::kOther || !broken_.empty()) return {};
  const auto broken = [&](std::string why) {
    broken_ = fmt::format("byte {}: {}", m.file_offset, why);
    return Status{};
  };
  if (!m.checked) return broken("records without a checksum");
  if (!follows(kind, m.sequence)) return broken("records are missing on " + m.channel->topic);
  Place place;
  if (!place_of(m.data, place)) return broken("a malformed record");
  if (chunks_.empty() || chunks_.back().offset != m.file_offset) chunks_.push_back({.offset = m.file_offset});
  const std::size_t here = chunks_.size() - 1;
  Chunk& chunk = chunks_.back();
  switch (kind) {
    case RecordKind::kSample:
    case RecordKind::kReached: {
      const Place before = last_.value_or(Place{0, -1});
      const bool next = kind == RecordKind::kSample ? place > before && place.run <= before.run + 1
                                                    : place == Place{before.run, before.tick + 1} ||
                                                          (last_ && place == Place{before.run + 1, 0});
      if (!next) return broken("boundaries are missing");
      if (last_ && place.run != last_->run) run_ends_.push_back(last_->tick);
      chunk.reached_before = last_, chunk.reached_before_ns = last_ns_;
      chunk.reached = last_ = place;
      chunk.reached_ns = last_ns_ = m.log_time_ns;
      BoundaryHead head;
      if (peek(m.data, head) && head.key) {
        const Mark key{place, m.log_time_ns, here, 0, {}, false};
        if (kind == RecordKind::kReached) key_ = key;
        else marks_.push_back(key);
      }
      break;
    }
    case RecordKind::kDigest:
      if (DigestRecord digest; !load(m.data, digest) || digest.entries != noted_.size())
        return broken("records are missing on " + std::string(topic::kJournal));
      chunk.digested = place, chunk.digested_ns = m.log_time_ns;
      break;
    case RecordKind::kJournal: {
      Noted noted{{}, here};
      if (!load(m.data, noted.entry)) return broken("a malformed journal entry");
      noted_.push_back(std::move(noted));
      break;
    }
    case RecordKind::kWorld:
    case RecordKind::kCheckpoint: {
      Piece piece;
      if (!load(m.data, piece)) return broken("a malformed piece");
      if (kind == RecordKind::kWorld) {
        if (!std::exchange(world_coming_, !piece.last)) world_begun_ = here;
        if (piece.last) world_ = {world_begun_, place};
      } else if (piece.last && key_ && key_->place == place) {
        if (world_) key_->has_world = true, std::tie(key_->world_chunk, key_->world_place) = *world_;
        marks_.push_back(*key_);
      }
      break;
    }
    default: break;
  }
  return {};
}

// Keeps what lies before the first damage.
Status Recording::finish(const ScanReport& report) {
  std::uint64_t limit = report.cut ? report.whole : UINT64_MAX;
  for (const Damage& d : report.damages) limit = std::min(limit, d.offset);
  damage_ = report.intact() ? "" : report.text();
  if (!broken_.empty()) damage_ += (damage_.empty() ? "" : "; ") + broken_;
  while (!chunks_.empty() && chunks_.back().offset >= limit) chunks_.pop_back();
  std::optional<Place> end, reached, before;
  std::uint64_t reached_ns = 0, before_ns = 0;
  for (const Chunk& c : chunks_) {
    if (c.digested) end = c.digested, end_.time_ns = c.digested_ns;
    if (c.reached)
      reached = c.reached, reached_ns = c.reached_ns, before = c.reached_before, before_ns = c.reached_before_ns;
  }
  has_digests_ = end.has_value();
  const bool sampled = head_.layout == kSampledLayout;  // a sample has no edits behind it
  if (!end && (damage_.empty() || sampled)) end = reached, end_.time_ns = reached_ns;
  if (!end) end = before, end_.time_ns = before_ns;  // of the very last one the edits may be missing
  if (!end || !reached)
    return fail(ErrorCode::kInvalid,
                "the recording holds no whole boundary" + (damage_.empty() ? "" : " (" + damage_ + ")"));
  end_.place = *end;
  // Up to the chunk with the last whole boundary, that chunk included.
  const auto beyond = [&](const Chunk& c) { return (c.reached_before ? c.reached_before : c.reached) > end; };
  std::size_t used = chunks_.size();
  while (used > 1 && beyond(chunks_[used - 1])) --used;
  const auto last = mcap::record_at(file_, chunks_[used - 1].offset);
  EXPECTS(last.has_value());
  end_.whole_share = damage_.empty() ? 1 : static_cast<double>(last->end()) / static_cast<double>(file_.size());
  for (Noted& n : noted_)
    if (n.chunk < chunks_.size() && Place{n.entry.run, n.entry.tick} <= end_.place)
      journal_.push_back(std::move(n.entry));
  noted_.clear();
  std::stable_sort(journal_.begin(), journal_.end(), [](const auto& a, const auto& b) {
    return Place{a.run, a.tick} < Place{b.run, b.tick};
  });
  std::erase_if(marks_, [&](const Mark& m) { return m.chunk >= chunks_.size() || m.place > end_.place; });
  return {};
}

std::span<const JournalEntry> Recording::journal_at(Place place) const {
  const auto less = [](const JournalEntry& a, Place b) { return Place{a.run, a.tick} < b; };
  const auto more = [](Place a, const JournalEntry& b) { return a < Place{b.run, b.tick}; };
  const auto low = std::lower_bound(journal_.begin(), journal_.end(), place, less);
  const auto high = std::upper_bound(low, journal_.end(), place, more);
  return {journal_.data() + (low - journal_.begin()), static_cast<std::size_t>(high - low)};
}

Status Recording::Cursor::load() {
  const std::uint64_t offset = recording_->chunks_[chunk_++].offset;
  const auto damaged = [&] { return fail(ErrorCode::kInvalid, fmt::format("byte {}: damaged", offset)); };
  const auto record = mcap::record_at(recording_->file_, offset);
  if (!record) return damaged();
  Bytes plain;
  std::vector<mcap::PlacedMessage> messages;
  mcap::Chunk chunk;
  if (record->opcode == mcap::Opcode::kMessage) {
    if (!parse(record->content, messages.emplace_back().message)) return damaged();
  } else {
    if (!parse(record->content, chunk)) return damaged();
    auto unpacked = mcap::unpack_chunk(chunk);
    if (!unpacked) return tl::unexpected(unpacked.error());
    plain = std::move(*unpacked);
    mcap::Catalogue catalogue;
    auto read = mcap::read_chunk(plain, true, catalogue);
    if (!read) return tl::unexpected(read.error());
    messages = std::move(*read);
  }
  for (const auto& placed : messages) {
    const auto kind = recording_->kinds_.find(placed.message.channel_id);
    if (kind == recording_->kinds_.end() || kind->second == RecordKind::kOther) continue;
    Item item{kind->second, {}, placed.message.log_time_ns, {}};
    if (!place_of(placed.message.data, item.place)) return damaged();
    if (item.kind == RecordKind::kWorld || item.kind == RecordKind::kCheckpoint) {
      Piece piece;
      if (!convoy::load(placed.message.data, piece)) return damaged();
      Bytes& whole = pieces_[item.kind];
      whole.insert(whole.end(), piece.bytes.begin(), piece.bytes.end());
      if (!piece.last) continue;
      item.bytes = std::exchange(whole, {});
    } else {
      item.bytes.assign(placed.message.data.begin(), placed.message.data.end());
    }
    ready_.push_back(std::move(item));
  }
  return {};
}

const Recording::Item* Recording::Cursor::peek() {
  while (ready_.empty() && !trouble_ && chunk_ < recording_->chunks_.size())
    if (auto ok = load(); !ok) trouble_ = ok.error();
  if (ready_.empty() || trouble_) return nullptr;
  if (ready_.front().place > recording_->end_.place) return nullptr;
  return &ready_.front();
}

Result<World> world_of(const Recording& recording, const Recording::Mark& mark) {
  auto world = World::make(recording.setup());
  if (!world || !mark.has_world) return world;
  Recording::Cursor cursor = recording.from_chunk(mark.world_chunk);
  // An image before the edits and one after them may be at the same boundary: the last one before the key counts.
  Bytes image;
  while (const Recording::Item* item = cursor.peek()) {
    if (item->place > mark.place || (item->kind == RecordKind::kReached && item->place == mark.place)) break;
    if (item->kind == RecordKind::kWorld && item->place == mark.world_place) image = item->bytes;
    cursor.next();
  }
  if (image.empty()) return tl::unexpected(unusable(mark, "its world is not there"));
  if (auto ok = world->load_image(image); !ok) return tl::unexpected(ok.error());
  return world;
}

Result<ResumePoint> resume_point(const Recording& recording, const Recording::Mark& mark) {
  auto world = world_of(recording, mark);
  if (!world) return tl::unexpected(world.error());
  ResumePoint out{std::move(*world), {}, {}};
  const auto missing = [&](const char* what) { return tl::unexpected(unusable(mark, what)); };
  const auto seek = [&](Recording::Cursor& cursor, RecordKind kind, Place place) -> const Recording::Item* {
    while (const Recording::Item* item = cursor.peek()) {
      if (item->kind == kind && item->place == place) return item;
      if (item->place > place) return nullptr;
      cursor.next();
    }
    return nullptr;
  };
  Recording::Cursor cursor = recording.from_chunk(mark.chunk);
  BoundaryCoder coder;
  const Recording::Item* key = seek(cursor, RecordKind::kReached, mark.place);
  if (!key || !coder.decode(key->bytes, out.boundary)) return missing("its boundary is not there");
  const Recording::Item* body = seek(cursor, RecordKind::kCheckpoint, mark.place);
  if (!body || !convoy::load(body->bytes, out.checkpoint)) return missing("its body is not there");
  if (!out.checkpoint.complete) return missing("a host was lost, and with it its agents' inner state");

  Snapshot& snapshot = out.world.snapshot();
  if (!std::equal(snapshot.numbers().begin(), snapshot.numbers().end(), out.boundary.numbers.begin(),
                  out.boundary.numbers.end()) ||
      out.world.structure_hash() != out.checkpoint.structure)
    return missing("its world is another");
  for (Slot slot : SlotRange(snapshot.size())) {
    const std::vector<double> tail = out.boundary.tail(slot.index());
    if (tail.size() != snapshot.tail(slot).size()) return missing("its joints are others");
    snapshot.state(slot) = out.boundary.state(slot.index());
    std::copy(tail.begin(), tail.end(), snapshot.tail(slot).begin());
  }
  out.world.settle();
  return out;
}

std::map<std::pair<std::uint32_t, WorldNumber>, std::string> names_of(const Recording& recording) {
  std::map<std::pair<std::uint32_t, WorldNumber>, std::string> names;
  const auto begin_run = [&](std::uint32_t run) {
    std::uint32_t number = 1;
    for (const EntitySpec& spec : recording.setup().entities) names[{run, WorldNumber(number++)}] = spec.name;
    return number;
  };
  std::uint32_t run = 0;
  std::uint32_t next = begin_run(0);
  for (const JournalEntry& entry : recording.journal()) {
    while (run < entry.run && run < recording.end().run) next = begin_run(++run);
    const auto take = [&](const Edit& edit) {
      if (const std::string* name = std::visit(edits::SpawnedName{}, edit)) names[{run, WorldNumber(next++)}] = *name;
    };
    std::visit(Overloads{take, [](const Input&) {}, [](const Lost&) {}, [](const ElementChanged&) {},
                         [](const Absent&) {}, [&](const AskedEdit& asked) { take(asked.edit); }},
               entry.what);
  }
  while (run < recording.end().run) begin_run(++run);
  return names;
}

}  // namespace convoy
