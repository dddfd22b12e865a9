#include "film/webm_writer.h"

#include <bit>
#include <initializer_list>
#include <string_view>

namespace convoy::film {

namespace {

// Names of elements, with the bits of their length.
enum : std::uint32_t {
  kEbml = 0x1a45dfa3,
  kEbmlVersion = 0x4286,
  kEbmlReadVersion = 0x42f7,
  kEbmlMaxIdLength = 0x42f2,
  kEbmlMaxSizeLength = 0x42f3,
  kDocType = 0x4282,
  kDocTypeVersion = 0x4287,
  kDocTypeReadVersion = 0x4285,
  kVoid = 0xec,
  kSegment = 0x18538067,
  kSeekHead = 0x114d9b74,
  kSeek = 0x4dbb,
  kSeekId = 0x53ab,
  kSeekPosition = 0x53ac,
  kInfo = 0x1549a966,
  kTimestampScale = 0x2ad7b1,
  kDuration = 0x4489,
  kMuxingApp = 0x4d80,
  kWritingApp = 0x5741,
  kTracks = 0x1654ae6b,
  kTrackEntry = 0xae,
  kTrackNumber = 0xd7,
  kTrackUid = 0x73c5,
  kTrackType = 0x83,
  kFlagLacing = 0x9c,
  kDefaultDuration = 0x23e383,
  kCodecId = 0x86,
  kVideo = 0xe0,
  kPixelWidth = 0xb0,
  kPixelHeight = 0xba,
  kColour = 0x55b0,
  kMatrixCoefficients = 0x55b1,
  kRange = 0x55b9,
  kTransferCharacteristics = 0x55ba,
  kPrimaries = 0x55bb,
  kCluster = 0x1f43b675,
  kTimestamp = 0xe7,
  kSimpleBlock = 0xa3,
  kCues = 0x1c53bb6b,
  kCuePoint = 0xbb,
  kCueTime = 0xb3,
  kCueTrackPositions = 0xb7,
  kCueTrack = 0xf7,
  kCueClusterPosition = 0xf1,
};

constexpr std::uint64_t kTrack = 1;
constexpr std::uint64_t kSizeUnknown = (1ull << 56) - 1;
constexpr std::uint64_t kMostInCluster_ms = 30'000;  // times of blocks are 16 bits from its beginning

void put_big_endian(Bytes& out, std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

void put_id(Bytes& out, std::uint32_t id) { put_big_endian(out, id, (std::bit_width(id) + 7) / 8); }

// In as few bytes as hold it; all ones stand for an unknown size.
void put_size(Bytes& out, std::uint64_t size) {
  int bytes = 1;
  while (bytes < 8 && size >= (1ull << (7 * bytes)) - 1) ++bytes;
  put_big_endian(out, size | 1ull << (7 * bytes), bytes);
}
void put_size_in_eight(Bytes& out, std::uint64_t size) { put_big_endian(out, size | 1ull << 56, 8); }

Bytes element(std::uint32_t id, ByteView content) {
  Bytes out;
  put_id(out, id);
  put_size(out, content.size());
  out.insert(out.end(), content.begin(), content.end());
  return out;
}
// In eight bytes whatever it is: the head has one length.
Bytes number(std::uint32_t id, std::uint64_t value) {
  Bytes content;
  put_big_endian(content, value, 8);
  return element(id, content);
}
Bytes real(std::uint32_t id, double value) { return number(id, std::bit_cast<std::uint64_t>(value)); }
Bytes text(std::uint32_t id, std::string_view value) { return element(id, as_bytes(value)); }
Bytes all_of(std::initializer_list<Bytes> parts) {
  Bytes out;
  for (const Bytes& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}
Bytes holding(std::uint32_t id, std::initializer_list<Bytes> parts) { return element(id, all_of(parts)); }

// As long as that one, below 128 bytes.
Bytes gap_for(const Bytes& other) { return element(kVoid, Bytes(other.size() - 2)); }

Bytes seek(std::uint32_t id, std::uint64_t place) {
  Bytes name;
  put_id(name, id);
  return holding(kSeek, {element(kSeekId, name), number(kSeekPosition, place)});
}

Bytes ebml() {
  return holding(kEbml, {number(kEbmlVersion, 1), number(kEbmlReadVersion, 1), number(kEbmlMaxIdLength, 4),
                         number(kEbmlMaxSizeLength, 8), text(kDocType, "webm"), number(kDocTypeVersion, 4),
                         number(kDocTypeReadVersion, 2)});
}

Bytes info(const std::uint64_t* end_ms) {
  const Bytes duration = real(kDuration, end_ms ? static_cast<double>(*end_ms) : 0);
  return holding(kInfo, {number(kTimestampScale, 1'000'000), end_ms ? duration : gap_for(duration),
                         text(kMuxingApp, "convoy"), text(kWritingApp, "convoy")});
}

Bytes tracks(const Format& f) {
  // BT.709 in studio range; sRGB has its primaries, and players take its curve for the same.
  const Bytes colour = holding(kColour, {number(kMatrixCoefficients, 1), number(kRange, 1),
                                         number(kTransferCharacteristics, 1), number(kPrimaries, 1)});
  const Bytes video = holding(kVideo, {number(kPixelWidth, f.width), number(kPixelHeight, f.height), colour});
  return holding(kTracks,
                 {holding(kTrackEntry, {number(kTrackNumber, kTrack), number(kTrackUid, kTrack), number(kTrackType, 1),
                                        number(kFlagLacing, 0), number(kDefaultDuration, 1'000'000'000 / f.rate),
                                        text(kCodecId, "V_VP9"), video})});
}

}  // namespace

// Null: they are not known yet.
Bytes WebmWriter::head(const Ends* ends) const {
  Bytes out = ebml();
  put_id(out, kSegment);
  put_size_in_eight(out, ends ? ends->size : kSizeUnknown);
  const Bytes about = info(ends ? &ends->end_ms : nullptr), track = tracks(format_);
  const auto index = [&](std::uint64_t first) {
    const Bytes cues = seek(kCues, ends ? ends->cues : 0);
    return holding(kSeekHead, {seek(kInfo, first), seek(kTracks, first + about.size()), ends ? cues : gap_for(cues)});
  };
  const Bytes seeks = index(index(0).size());
  for (const Bytes* part : {&seeks, &about, &track}) out.insert(out.end(), part->begin(), part->end());
  return out;
}

Status WebmWriter::append(ByteView bytes) {
  size_ += bytes.size();
  return file_.write(bytes);
}

Status WebmWriter::begin() {
  if (size_ > 0) return {};
  segment_ = ebml().size() + 4 + 8;  // the Segment's name and size
  return append(head(nullptr));
}

Status WebmWriter::add(const Packet& packet, std::uint64_t at_ms) {
  if (auto ok = begin(); !ok) return ok;
  if (packet.key || blocks_.empty() || at_ms - cluster_ms_ > kMostInCluster_ms) {
    if (auto ok = end_cluster(); !ok) return ok;
    cluster_ms_ = at_ms;
    const Bytes began = number(kTimestamp, at_ms);
    blocks_.insert(blocks_.end(), began.begin(), began.end());
    cues_.push_back({at_ms, size_ - segment_});
  }
  put_id(blocks_, kSimpleBlock);
  put_size(blocks_, packet.bytes.size() + 4);
  blocks_.push_back(0x80 | kTrack);
  put_big_endian(blocks_, at_ms - cluster_ms_, 2);
  blocks_.push_back(packet.key ? 0x80 : 0);
  blocks_.insert(blocks_.end(), packet.bytes.begin(), packet.bytes.end());
  return {};
}

Status WebmWriter::end_cluster() {
  if (blocks_.empty()) return {};
  const Bytes cluster = element(kCluster, blocks_);
  blocks_.clear();
  return append(cluster);
}

Status WebmWriter::close(std::uint64_t end_ms) {
  if (auto ok = begin(); !ok) return ok;
  if (auto ok = end_cluster(); !ok) return ok;
  const std::uint64_t cues_at = size_ - segment_;
  Bytes points;
  for (const Cue& cue : cues_) {
    const Bytes point = holding(
        kCuePoint, {number(kCueTime, cue.at_ms),
                    holding(kCueTrackPositions, {number(kCueTrack, kTrack), number(kCueClusterPosition, cue.place)})});
    points.insert(points.end(), point.begin(), point.end());
  }
  if (auto ok = append(element(kCues, points)); !ok) return ok;
  const Ends ends{end_ms, cues_at, size_ - segment_};
  return file_.rewrite(0, head(&ends));
}

}  // namespace convoy::film
