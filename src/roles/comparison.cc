#include "roles/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/hash.h"
#include "core/overloads.h"
#include "roles/difference.h"

namespace convoy {
namespace {

DescribeFields::List fields_of(EntityRecord entity) {
  entity.owner = kNobody;
  entity.spec.host.clear();
  return describe(entity);
}

}  // namespace

std::string Difference::text(Duration tick) const {
  const double at = seconds(Duration(place.tick * nanos(tick)));
  return fmt::format("{}tick {} ({:.9g} s){}, {}: {} recorded, {} replayed",
                     place.run > 0 ? fmt::format("run {}, ", place.run) : "", place.tick, at,
                     entity.empty() ? "" : ", entity " + entity, field, recorded, replayed);
}

Comparison::Comparison(const Recording& recording, Place from, std::size_t chunk, const AgentParts& parts)
    : recording_(recording), parts_(parts), cursor_(recording.from_chunk(chunk)) {
  while (const Recording::Item* item = cursor_.peek()) {
    if (item->kind == RecordKind::kReached && item->place == from) break;
    cursor_.next();
  }
}

void Comparison::differ(Difference difference) {
  if (!difference_) difference_ = std::move(difference);
}

// The next record of this kind at this boundary; nothing if it has none.
const Recording::Item* Comparison::next(RecordKind kind, Place place) {
  while (const Recording::Item* item = cursor_.peek()) {
    if (item->place > place) return nullptr;
    if (item->place == place && item->kind == kind) return item;
    // Boundaries that are passed over still are the base of the next.
    if (item->kind == RecordKind::kReached || item->kind == RecordKind::kEdited)
      if (auto ok = coder_.decode(item->bytes, recorded_); !ok && !trouble_) trouble_ = ok.error();
    cursor_.next();
  }
  if (cursor_.trouble() && !trouble_) trouble_ = *cursor_.trouble();
  return nullptr;
}

void Comparison::compare_words(const World& world, Slot slot, std::size_t at) {
  const Place place{recorded_.run, recorded_.tick};
  const std::string& name = world.entity(slot).name;
  const auto first = word_difference(recorded_.state(at), recorded_.tail(at), world.snapshot().state(slot),
                                     world.snapshot().tail(slot), world.model_of(slot).joints);
  if (first) differ({place, name, first->field, first->a, first->b});
}

// True when nothing differs.
bool Comparison::compare(const World& world, std::span<const AgentHash> inside, bool agents) {
  const Snapshot& snapshot = world.snapshot();
  const Place place{recorded_.run, recorded_.tick};
  for (std::size_t i = 0, j = 0; i < recorded_.size() || j < snapshot.size(); ++i, ++j) {
    const WorldNumber a = i < recorded_.size() ? recorded_.numbers[i] : WorldNumber(~0u);
    const WorldNumber b = j < snapshot.size() ? snapshot.number(static_cast<Slot>(j)) : WorldNumber(~0u);
    if (a == b) continue;
    const auto names = names_of(recording_);
    const auto known = names.find({place.run, a});
    const std::string name = b < a                  ? world.entity(static_cast<Slot>(j)).name
                             : known != names.end() ? known->second
                                                    : "number " + std::to_string(a.value());
    const FieldDifference what = existence(a < b);
    differ({place, name, what.field, what.a, what.b});
    return false;
  }
  StateWords mine;
  for (Slot slot : SlotRange(snapshot.size())) {
    const auto words_there = recorded_.of(slot.index());
    mine = words(snapshot.state(slot));
    const auto tail = snapshot.tail(slot);
    if (std::equal(mine.begin(), mine.end(), words_there.begin()) && words_there.size() == kStateWords + tail.size() &&
        std::memcmp(tail.data(), words_there.data() + kStateWords, tail.size_bytes()) == 0)
      continue;
    compare_words(world, slot, slot.index());
    return false;
  }
  for (Slot slot : SlotRange(snapshot.size())) {
    const AgentHash& there = recorded_.hashes[slot.index()];
    if (there == inside[slot.index()]) continue;
    const std::string& name = world.entity(slot).name;
    if (there.inner != inside[slot.index()].inner && !difference_ && agents) unnamed_ = world.entity(slot).number;
    const FieldDifference what = hash_difference(there, inside[slot.index()]);
    differ({place, name, what.field, what.a, what.b});
    return false;
  }
  return true;
}

void Comparison::completed(std::uint32_t run, Tick tick, const World& world, std::span<const AgentHash> inside,
                           std::span<const Message>) {
  if (trouble_ || (difference_ && unnamed_ == kNoEntity)) return;
  const Place place{run, tick};
  const Recording::Item* item = next(RecordKind::kReached, place);
  if (!item) {
    if (!trouble_) trouble_ = Error{ErrorCode::kInvalid, fmt::format("the recording lacks tick {}", tick), {}};
    return;
  }
  if (auto ok = coder_.decode(item->bytes, recorded_); !ok) {
    trouble_ = ok.error();
    return;
  }
  cursor_.next();
  ++boundaries_;
  if (!difference_) compare(world, inside, true);
  if (unnamed_ != kNoEntity) name_field(place, world);
}

void Comparison::name_field(Place place, const World& world) {
  const Recording::Item* item = next(RecordKind::kCheckpoint, place);
  if (!item) return;  // there is none here; the next one shows it
  Checkpoint there;
  const bool read = load(item->bytes, there);
  const WorldNumber who = std::exchange(unnamed_, kNoEntity);
  const Slot slot = world.slot_of(who);
  const auto mine = inner_.find(who);
  const auto theirs =
      std::find_if(there.inner.begin(), there.inner.end(), [&](const auto& a) { return a.number == who; });
  if (!read || slot == kNoSlot || inner_at_ != place || mine == inner_.end() || theirs == there.inner.end()) return;
  const auto fields_in = [&](const Bytes& bytes) {
    const std::shared_ptr<const Model>& model = world.models()[world.entity(slot).model];
    Agent agent(world.entity(slot), model, parts_.physics->make(*model, world, recording_.setup().tick),
                recording_.setup(), world.snapshot().state(slot), Instant{});
    return agent.load(bytes) ? agent.describe() : DescribeFields::List{{"bytes", "unreadable"}};
  };
  const auto first = first_of(fields_in(theirs->bytes), fields_in(mine->second));
  if (!first) return;
  difference_->field = first->field;
  const std::string at = place == difference_->place ? "" : fmt::format(" at tick {}", place.tick);
  difference_->recorded = first->a + at, difference_->replayed = first->b + at;
}

void Comparison::compare_worlds(Place place, const Bytes& image, const World& world) {
  World there = world;
  if (!there.load_image(image)) {
    trouble_ = Error{ErrorCode::kInvalid, fmt::format("the recorded world of tick {} cannot be read", place.tick), {}};
    return;
  }
  if (const auto first = first_of(describe(there.environment()), describe(world.environment())))
    return differ({place, "", "environment." + first->field, first->a, first->b});
  for (std::size_t i = 0; i < std::max(there.models().size(), world.models().size()); ++i) {
    const auto list = [&](const World& w) {
      return i < w.models().size() ? describe(*w.models()[i]) : DescribeFields::List{};
    };
    if (const auto first = first_of(list(there), list(world)))
      return differ({place, "", fmt::format("models[{}].", i) + first->field, first->a, first->b});
  }
  for (Slot slot : SlotRange(std::min(there.entities().size(), world.entities().size())))
    if (const auto first = first_of(fields_of(there.entity(slot).record()), fields_of(world.entity(slot).record())))
      return differ({place, there.entity(slot).name, first->field, first->a, first->b});
}

void Comparison::entered(const JournalEntry& entry) {
  std::visit(Overloads{[](const Edit&) {}, [](const Input&) {}, [](const Lost&) {},
                       [&](const ElementChanged& element) { elements_.push_back(element); }, [](const Absent&) {},
                       [&](const AskedEdit& asked) { asked_.push_back(asked); }},
             entry.what);
}

// What agents asked for follows from the run itself: the journal only says what it came to.
void Comparison::compare_asked(Place place, const World& world) {
  const std::vector<AskedEdit> mine = std::exchange(asked_, {});
  std::vector<const AskedEdit*> there;
  for (const JournalEntry& entry : recording_.journal_at(place))
    if (const auto* asked = std::get_if<AskedEdit>(&entry.what)) there.push_back(asked);
  for (std::size_t i = 0; i < std::max(mine.size(), there.size()); ++i) {
    const auto fields_at = [](const AskedEdit& asked) { return describe(asked); };
    const auto first = first_of(i < there.size() ? fields_at(*there[i]) : DescribeFields::List{},
                                i < mine.size() ? fields_at(mine[i]) : DescribeFields::List{});
    if (!first) continue;
    const Slot asker = world.slot_of(i < mine.size() ? mine[i].agent : there[i]->agent);
    const std::string name = asker == kNoSlot ? std::string() : world.entity(asker).name;
    return differ({place, name, "edit asked for, " + first->field, first->a, first->b});
  }
}

// The journal is where the elements come from in a replay: only its own hashes show which was altered.
void Comparison::compare_elements(Place place, std::span<const std::uint64_t> there) {
  const std::vector<ElementChanged> mine = std::exchange(elements_, {});
  for (std::size_t i = 0; i < std::max(mine.size(), there.size()); ++i) {
    const std::string a = i < there.size() ? "hash " + hex16(there[i]) : "absent";
    const std::string b = i < mine.size() ? "hash " + hex16(element_hash(mine[i])) : "absent";
    if (a == b) continue;
    const std::string who = i < mine.size() ? fmt::format("{} {}/{}", mine[i].type, mine[i].owner, mine[i].id.value())
                                            : "that is not there";
    return differ({place, "", "element " + who, a, b});
  }
}

void Comparison::chained(std::uint32_t run, Tick tick, std::uint64_t digest, const World& world,
                         std::span<const AgentHash> inside) {
  if (trouble_ || difference_) return;
  std::vector<std::uint64_t> element_hashes;
  const Place place{run, tick};
  Bytes image;
  std::optional<DigestRecord> there;
  while (const Recording::Item* item = cursor_.peek()) {
    if (item->place > place || item->kind == RecordKind::kReached) break;
    if (item->kind == RecordKind::kEdited) {  // without one, what was reached holds
      if (auto ok = coder_.decode(item->bytes, recorded_); !ok) {
        trouble_ = ok.error();
        return;
      }
    } else if (item->kind == RecordKind::kWorld) {
      image = item->bytes;
    } else if (ElementHashes some; item->kind == RecordKind::kElements) {
      if (!load(item->bytes, some)) {
        trouble_ = Error{ErrorCode::kInvalid, "malformed hashes of elements in the recording", {}};
        return;
      }
      element_hashes.insert(element_hashes.end(), some.hashes.begin(), some.hashes.end());
    } else if (item->kind == RecordKind::kDigest && !load(item->bytes, there.emplace())) {
      trouble_ = Error{ErrorCode::kInvalid, "a malformed digest in the recording", {}};
      return;
    }
    cursor_.next();
    if (there) break;
  }
  if (cursor_.trouble()) {
    trouble_ = *cursor_.trouble();
    return;
  }
  compare_elements(place, element_hashes);
  compare_asked(place, world);
  if (difference_ || !compare(world, inside, false)) return;
  if (there && there->structure != world.structure_hash() && !image.empty()) compare_worlds(place, image, world);
  if (trouble_ || difference_ || !there) return;
  ++digests_;
  if (there->structure != world.structure_hash())
    return differ(
        {place, "", "history of edits", "hash " + hex16(there->structure), "hash " + hex16(world.structure_hash())});
  if (there->digest != digest) differ({place, "", "digest", hex16(there->digest), hex16(digest)});
}

void Comparison::checkpointed(std::uint32_t run, Tick tick, const InnerBytes& inner) {
  if (difference_ && unnamed_ == kNoEntity) return;
  if (inner_at_ != Place{run, tick}) inner_.clear();
  inner_at_ = {run, tick};
  for (const InnerBytes::Agent& agent : inner.agents) inner_[agent.number] = agent.bytes;
}

void Comparison::refused(const JournalEntry& entry, const Error& error) {
  differ({{entry.run, entry.tick}, "", "journal", "carried out", "refused: " + error.message()});
}

}  // namespace convoy
