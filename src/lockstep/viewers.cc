#include "lockstep/viewers.h"

#include <algorithm>
#include <array>

#include "session/world_image.h"
#include "wire/live.h"
#include "wire/lockstep.h"

namespace convoy {

namespace {

constexpr std::size_t kPiece = 256 * 1024;  // bytes of states in a frame

// All states as rows of batches, each at most so many bytes and a datagram's more.
std::vector<Bytes> rows_of(const World& world, Instant now) {
  std::vector<Bytes> rows(1);
  BatchWriter writer;
  const auto flush = [&] {
    const ByteView row = writer.payload();
    if (rows.back().size() >= kPiece) rows.emplace_back();
    rows.back().insert(rows.back().end(), row.begin(), row.end());
    writer.clear();
  };
  std::array<std::uint8_t, kMostJoints * kJointSize> packed{};
  for (const Slot slot : SlotRange(world.entities().size())) {
    const State& state = world.snapshot().state(slot);
    const BatchOrigin origin = origin_for(state);
    QuantizedState bytes{};
    if (!quantize(state, world.entity(slot).number, origin, bytes.data())) continue;  // too far away to be seen
    std::size_t joints = world.model_of(slot).joints.size();
    if (joints > kMostJoints || !pack_joints(world.joints(slot), packed.data())) joints = 0;
    const ByteView tail(packed.data(), joints * kJointSize);
    if (writer.add(now, origin, bytes, tail)) continue;
    flush();
    writer.add(now, origin, bytes, tail);
  }
  if (!writer.empty()) flush();
  return rows;
}

}  // namespace

void Viewers::note(const Edits& edits) {
  if (edits.edits.empty()) return;
  if (all_.empty()) {
    first_ += noted_.size() + 1;
    noted_.clear(), bytes_ = 0;
    return;
  }
  Edits kept{edits.run, edits.tick, {}, {}, edits.edits};
  const std::size_t size = save(kept).size();
  noted_.emplace_back(std::move(kept), size);
  bytes_ += size;
  while (bytes_ > kMostNoted) {
    bytes_ -= noted_.front().second;
    noted_.pop_front(), ++first_;
  }
}

const std::vector<Payload>& Viewers::states(Tick tick, bool exact) {
  const std::pair here{books_.run, tick};
  const std::uint64_t with = first_ + noted_.size();
  Made& made = made_[exact ? 1 : 0];
  if (made.at == here && made.with == with) return made.frames;
  made.at = here, made.with = with;
  made.frames.clear();
  std::vector<Bytes> rows =
      exact ? encode_exact(books_.world) : rows_of(books_.world, instant(tick * nanos(books_.setup.tick)));
  if (rows.empty()) rows.emplace_back();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    View view{books_.run, tick, {}, {}, {}, i + 1 == rows.size()};
    (exact ? view.exact : view.states) = std::move(rows[i]);
    made.frames.push_back(Payload(save(view)).shared());
  }
  return made.frames;
}

void Viewers::show(Owner owner, Viewer& viewer, Tick tick) {
  for (; viewer.next < first_ + noted_.size(); ++viewer.next)
    books_.send(owner, FrameType::kView,
                save(View{books_.run, tick, {noted_[viewer.next - first_].first}, {}, {}, false}));
  for (const Payload& frame : states(tick, viewer.exact)) books_.send(owner, FrameType::kView, frame);
}

// `image`: made when it is first needed, the same for all.
void Viewers::show(Owner owner, Viewer& viewer, Tick tick, std::size_t image_chunk, std::vector<Payload>& image) {
  const std::uint64_t end = first_ + noted_.size();
  const bool behind = !viewer.knows_world || viewer.next < first_;
  const std::pair here{books_.run, tick};
  if (!viewer.asks || (!behind && viewer.next == end && viewer.shown == here)) return;
  viewer.asks = false, viewer.shown = here;
  if (!behind) return show(owner, viewer, tick);
  if (image.empty()) image = image_pieces(books_.world, books_.run, tick, image_chunk);
  for (const Payload& piece : image) books_.send(owner, FrameType::kImage, piece);
  viewer.knows_world = true, viewer.next = end;
}

void Viewers::show(Tick tick, std::size_t image_chunk) {
  std::vector<Payload> image;
  for (auto& [owner, viewer] : all_) show(owner, viewer, tick, image_chunk, image);
  forget_noted();
}

void Viewers::show_to(Owner owner, Tick tick, std::size_t image_chunk) {
  Viewer& viewer = all_.at(owner);
  std::vector<Payload> image;
  viewer.asks = true;
  show(owner, viewer, tick, image_chunk, image);
  viewer.asks = false;
}

void Viewers::forget_noted() {
  const std::uint64_t end = first_ + noted_.size();
  std::uint64_t needed = end;
  for (const auto& [owner, viewer] : all_) needed = std::min(needed, viewer.knows_world ? viewer.next : end);
  for (; first_ < needed && !noted_.empty(); ++first_) {
    bytes_ -= noted_.front().second;
    noted_.pop_front();
  }
}

void Viewers::to_all(FrameType type, const Payload& payload) {
  for (const auto& [owner, viewer] : all_) books_.send(owner, type, payload);
}

}  // namespace convoy
