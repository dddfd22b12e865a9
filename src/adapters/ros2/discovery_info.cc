#include "adapters/ros2/discovery_info.h"

#include "record/foxglove/cdr.h"

namespace convoy::ros2 {

namespace {

constexpr std::size_t kHeader = 4;

// Bytes have no alignment.
void put(Bytes& out, const Guid& guid, GidSize size) {
  out.insert(out.end(), guid.begin(), guid.end());
  out.resize(out.size() + static_cast<std::size_t>(size) - guid.size());
}
void put(Cdr& cdr, Bytes& out, const std::vector<Guid>& guids, GidSize size) {
  cdr.number(static_cast<std::uint32_t>(guids.size()));
  for (const Guid& guid : guids) put(out, guid, size);
}

// Reads the little of CDR that there is here; after a short read ok() is false, and everything is zero.
class In {
 public:
  explicit In(ByteView cdr) : bytes_(cdr.subspan(kHeader)), little_(cdr[1] & 1) {}
  bool ok() const { return ok_; }
  std::size_t left() const { return bytes_.size() - at_; }

  std::uint32_t count() {
    while (at_ % 4 != 0) ++at_;
    std::uint32_t out = 0;
    for (std::size_t i = 0; i < 4; ++i) out |= std::uint32_t{byte()} << 8 * (little_ ? i : 3 - i);
    return out;
  }
  std::string text() {
    const std::uint32_t length = count();
    if (length == 0 || length > left()) return ok_ = false, std::string();
    std::string out(as_text(bytes_.subspan(at_, length - 1)));
    at_ += length;
    return out;
  }
  Guid guid(std::size_t size) {
    Guid out{};
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint8_t one = byte();
      if (i < out.size()) out[i] = one;
      else if (one != 0) ok_ = false;
    }
    return out;
  }
  std::vector<Guid> guids(std::size_t size) {
    const std::uint32_t n = count();
    if (n > left() / size) return ok_ = false, std::vector<Guid>();
    std::vector<Guid> out;
    for (std::uint32_t i = 0; i < n; ++i) out.push_back(guid(size));
    return out;
  }

 private:
  std::uint8_t byte() { return at_ < bytes_.size() ? bytes_[at_++] : (ok_ = false, std::uint8_t{0}); }

  ByteView bytes_;
  bool little_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

std::optional<ParticipantEntities> decode(ByteView cdr, std::size_t size) {
  In in(cdr);
  ParticipantEntities out;
  out.participant = in.guid(size);
  const std::uint32_t nodes = in.count();
  if (nodes > kMaxNodesTold) return std::nullopt;
  for (std::uint32_t i = 0; i < nodes && in.ok(); ++i) {
    NodeEntities& node = out.nodes.emplace_back();
    node.ns = in.text(), node.name = in.text();
    node.readers = in.guids(size), node.writers = in.guids(size);
  }
  // DDS pads to a whole number of four.
  return in.ok() && in.left() < 4 ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

Bytes encode(const ParticipantEntities& told, GidSize size) {
  Bytes out;
  Cdr cdr(out);
  put(out, told.participant, size);
  cdr.number(static_cast<std::uint32_t>(told.nodes.size()));
  for (const NodeEntities& node : told.nodes) {
    cdr.text(node.ns), cdr.text(node.name);
    put(cdr, out, node.readers, size), put(cdr, out, node.writers, size);
  }
  return out;
}

Result<ParticipantEntities> decode_entities(ByteView cdr) {
  if (cdr.size() > kHeader)
    for (const GidSize size : {GidSize::kIron, GidSize::kHumble})
      if (auto out = decode(cdr, static_cast<std::size_t>(size))) return std::move(*out);
  return fail(ErrorCode::kInvalid, "not what a participant tells of its nodes");
}

}  // namespace convoy::ros2
