// Reads an MCAP file that the caller has mapped or read: by index, or from the start for all that a cut or damaged one
// still holds.
//
//   auto file = McapReader::open(bytes);                         // a whole file, by its summary
//   Status ok = file->messages_between(t0, t1, visit);           // in order of log time
//
//   auto report = scan_mcap(bytes, {.message = visit});          // any file: what is whole in it, and what is not
//
// No content of the bytes leads to a crash, to reading outside them or to more than kMaxUnpacked bytes for a
// chunk; errors name the offset in the file. A message is handed over only after the CRC over it was found right;
// where the writer left none, or it was lost with the end of the file, MessageView::checked is false. Our own writer
// leaves no message without one: a reader of a cut recording of ours drops what is not checked. The bytes outlive
// the reader.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "convoy/result.h"
#include "core/bytes.h"
#include "record/mcap_format.h"

namespace convoy {

namespace mcap {
class Catalogue;
}

// What messages_between holds unpacked at a time; a file whose chunks overlap in time by more is refused.
inline constexpr std::uint64_t kMaxHeld = 512u << 20;
// Of messages outside of chunks, where there is no index.
inline constexpr std::size_t kMaxLoose = 1u << 23;
// Further damages of a file are counted, not described.
inline constexpr std::size_t kMaxDamages = 64;

// Valid during the visit.
struct MessageView {
  const mcap::Channel* channel = nullptr;
  const mcap::Schema* schema = nullptr;  // absent when the channel has none
  std::uint32_t sequence = 0;
  std::uint64_t log_time_ns = 0, publish_time_ns = 0;
  ByteView data;
  std::uint64_t file_offset = 0;  // of the chunk, or of the message where it lies outside of chunks
  bool checked = false;           // a CRC covers it, and is right
};

// An error ends the reading, and is returned from it.
using MessageVisit = std::function<Status(const MessageView&)>;

// What a scan hands over as it finds it; absent ones are skipped. `checked`: a CRC covers it, and is right.
struct ScanVisits {
  MessageVisit message;
  std::function<Status(const mcap::Attachment&, bool checked)> attachment;
  std::function<Status(const mcap::Metadata&, bool checked)> metadata;
};

struct Damage {
  std::uint64_t offset = 0;  // of the record in the file
  std::string text;
  friend bool operator==(const Damage&, const Damage&) = default;
};

struct ScanReport {
  mcap::Header header;
  std::uint64_t messages = 0, chunks = 0, attachments = 0, metadata = 0;  // the whole ones
  bool cut = false;                                                       // the file ends too early
  std::uint64_t whole = 0;  // the records before this offset are all there; the file's size when it is not cut
  std::vector<Damage> damages;
  std::uint64_t further_damages = 0;

  bool intact() const { return !cut && damages.empty(); }
  // "cut at byte 812 of 1000; byte 120: chunk: ...", or "intact".
  std::string text() const;
};

// Goes through the file from its start. Fails only when it does not begin as an MCAP file, or when a visit fails.
Result<ScanReport> scan_mcap(ByteView file, const ScanVisits& visits = {});

class McapReader {
 public:
  // Reads and checks header, footer and summary, without reading the data section.
  static Result<McapReader> open(ByteView file);

  const mcap::Header& header() const { return header_; }
  const mcap::Statistics& statistics() const { return statistics_; }
  const std::map<std::uint16_t, mcap::Schema>& schemas() const { return schemas_; }
  const std::map<std::uint16_t, mcap::Channel>& channels() const { return channels_; }
  const std::vector<mcap::ChunkIndex>& chunks() const { return chunks_; }  // in file order
  const std::vector<mcap::AttachmentIndex>& attachments() const { return attachments_; }
  const std::vector<mcap::MetadataIndex>& metadata() const { return metadata_; }
  std::uint64_t data_end() const { return data_end_; }  // the offset after the data section's DataEnd

  // For a file whose summary has no index by time, or that has no summary: goes through the data section once and makes
  // one, with channels, schemas, and counts (of messages in chunks at least two). Nothing to do elsewhere.
  Status make_index();

  // All messages in file order, with every check that there is: the first damage ends it as an error.
  Status messages(const MessageVisit& visit) const;

  // The messages with from <= log time < to (nanoseconds), by log time, then by place in the file. Reads only the
  // chunks that can hold any.
  Status messages_between(std::uint64_t from_ns, std::uint64_t to_ns, const MessageVisit& visit) const;

  // Found by the index. The attachment points into the file; its CRC is checked. A metadata record has none: only
  // messages() and scan_mcap(), which check the whole data section, can vouch for it.
  Result<mcap::Attachment> attachment(const mcap::AttachmentIndex& index) const;
  Result<mcap::Metadata> metadata(const mcap::MetadataIndex& index) const;

 private:
  friend class McapCursor;
  struct Loose {
    std::uint64_t log_time_ns = 0, offset = 0;
    std::uint16_t channel = 0;
  };
  explicit McapReader(ByteView file) : file_(file) {}
  Status read_summary(const mcap::Footer& footer);
  Status read_summary_record(const mcap::RecordView& record);
  Status check_places() const;
  Status index_chunk(const mcap::RecordView& record, mcap::Catalogue& catalogue, bool has_channels);
  struct PlainChunk {
    Bytes bytes;
    bool checked = false;
  };
  Result<PlainChunk> unpack_indexed(const mcap::ChunkIndex& index) const;

  ByteView file_;
  std::uint64_t data_end_ = 0;  // where the summary begins
  mcap::Header header_;
  mcap::Statistics statistics_;
  bool has_statistics_ = false;
  std::map<std::uint16_t, mcap::Schema> schemas_;
  std::map<std::uint16_t, mcap::Channel> channels_;
  std::vector<mcap::ChunkIndex> chunks_;
  std::vector<mcap::AttachmentIndex> attachments_;
  std::vector<mcap::MetadataIndex> metadata_;
  std::vector<Loose> loose_;  // by log time, then place; of make_index()
};

}  // namespace convoy
