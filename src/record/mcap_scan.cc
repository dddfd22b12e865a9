// The walk through a file from its start.
//
//   data section --DataEnd, CRC right--> summary --Footer at the end--> done
//        |                                  |
//        +-- the bytes end inside a record: cut
//        +-- a bad record: a damage, and on with the next; when its length cannot be true, on with the next chunk that
//            an intact summary names
#include <fmt/format.h>

#include <algorithm>

#include "record/crc32.h"
#include "record/mcap_chunk.h"
#include "record/mcap_reader.h"

namespace convoy {
namespace {

using mcap::Opcode;
using mcap::RecordView;

class Scan {
 public:
  Scan(ByteView file, const ScanVisits& visits) : file_(file), visits_(visits) {}

  Result<ScanReport> run() {
    const std::size_t head = std::min(file_.size(), mcap::kMagic.size());
    if (!std::equal(file_.begin(), file_.begin() + static_cast<std::ptrdiff_t>(head), mcap::kMagic.begin()))
      return fail(ErrorCode::kInvalid, "byte 0: not an MCAP file");
    if (head < mcap::kMagic.size()) return cut_at(0);
    read_end();
    for (std::uint64_t at = mcap::kMagic.size();;) {
      const auto record = mcap::record_at(file_, at);
      if (!record || static_cast<int>(record->opcode) == 0) {
        const std::uint64_t next = next_known(at);
        if (next == 0 && !record) return cut_at(at);
        damage(at, record ? "a record of type 0" : "a record runs past the end of the file");
        at = next != 0 ? next : record->end();
        continue;
      }
      if (Status ok = take(*record); !ok) return tl::unexpected(ok.error());
      at = record->end();
      if (finished_) return finish();
    }
  }

 private:
  enum class ChunkIs { kAbsent, kBad, kRead };

  void damage(std::uint64_t offset, std::string text) {
    if (report_.damages.size() < kMaxDamages) report_.damages.push_back({.offset = offset, .text = std::move(text)});
    else ++report_.further_damages;
  }

  Result<ScanReport> cut_at(std::uint64_t offset) {
    report_.cut = true;
    report_.whole = offset;
    return std::move(report_);
  }

  Result<ScanReport> finish() {
    report_.whole = file_.size();
    const bool counted = index_ && index_->statistics().channel_count > 0;
    if (report_.damages.empty() && counted && index_->statistics().message_count != report_.messages)
      damage(index_->data_end(), fmt::format("the summary counts {} messages; there are {}",
                                             index_->statistics().message_count, report_.messages));
    return std::move(report_);
  }

  // With an intact summary the CRC of the data section can be checked before anything in it is trusted.
  void read_end() {
    if (Result<McapReader> index = McapReader::open(file_)) index_ = std::move(*index);
    if (!index_ || index_->data_end() < mcap::kDataEndSize) return;
    const std::uint64_t at = index_->data_end() - mcap::kDataEndSize;
    const auto record = mcap::record_at(file_, at);
    if (record && record->opcode == Opcode::kDataEnd && record->end() == index_->data_end()) check_data(*record);
  }

  // False when the CRC is there and wrong.
  bool check_data(const RecordView& record) {
    std::uint32_t crc = 0;
    if (!mcap::parse_data_end(record.content, crc)) return false;
    if (crc == 0) return true;
    if (record.offset < crc_end_) return data_is_ != DataIs::kWrong;
    crc_ = crc32(file_.subspan(crc_end_, record.offset - crc_end_), crc_);  // goes on from the last, so linear in all
    crc_end_ = record.offset;
    data_is_ = crc_ == crc ? DataIs::kRight : DataIs::kWrong;
    return crc_ == crc;
  }

  // The next chunk, or else the end of the data section, after `at`, if an intact summary names it; else 0.
  std::uint64_t next_known(std::uint64_t at) const {
    if (!index_) return 0;
    const auto& chunks = index_->chunks();
    const auto next = std::upper_bound(chunks.begin(), chunks.end(), at,
                                       [](std::uint64_t place, const mcap::ChunkIndex& c) { return place < c.offset; });
    if (next != chunks.end()) return next->offset;
    const std::uint64_t end = index_->data_end();
    if (at + mcap::kDataEndSize < end) return end - mcap::kDataEndSize;
    return at < end ? end : 0;
  }

  Status take(const RecordView& record) {
    if (record.opcode != Opcode::kMessageIndex) end_of_indexes();
    const bool first = record.offset == mcap::kMagic.size();
    if (first != (record.opcode == Opcode::kHeader)) damage(record.offset, first ? "no header" : "a second header");
    if (summary_) return take_summary(record);
    switch (record.opcode) {
      case Opcode::kHeader:
        if (first && !parse(record.content, report_.header)) damage(record.offset, "malformed header");
        return {};
      case Opcode::kSchema: take_definition<mcap::Schema>(record, "schema"); return {};
      case Opcode::kChannel: take_definition<mcap::Channel>(record, "channel"); return {};
      case Opcode::kMessage: return take_message(record);
      case Opcode::kChunk: return take_chunk(record);
      case Opcode::kMessageIndex: take_index(record); return {};
      case Opcode::kAttachment: return take_attachment(record);
      case Opcode::kMetadata: return take_metadata(record);
      case Opcode::kDataEnd:
        // Of a wrong CRC it is not known whether this is the end or some other record's type has changed.
        end_seen_ = true;
        summary_ = check_data(record);
        if (!summary_) damage(record.offset, "the CRC of the data section is wrong");
        return {};
      case Opcode::kFooter: take_footer(record); return {};
      default: return {};  // of a later version, or of the summary after a damaged end
    }
  }

  Status take_summary(const RecordView& record) {
    switch (record.opcode) {
      case Opcode::kMessage:
      case Opcode::kChunk:
      case Opcode::kMessageIndex:
      case Opcode::kAttachment:
      case Opcode::kMetadata:
      case Opcode::kDataEnd: damage(record.offset, "a record of the data section in the summary"); break;
      case Opcode::kFooter: take_footer(record); break;
      default: break;  // the CRC in the footer covers them
    }
    return {};
  }

  template <class T>
  void take_definition(const RecordView& record, const char* what) {
    T value;
    if (!parse(record.content, value)) return damage(record.offset, fmt::format("malformed {}", what));
    if (Status ok = catalogue_.add(std::move(value), data_is_ == DataIs::kRight); !ok)
      damage(record.offset, ok.error().text);
  }

  Status take_message(const RecordView& record) {
    mcap::Message message;
    if (data_is_ == DataIs::kWrong) damage(record.offset, "a message outside of chunks, under a wrong CRC");
    else if (!parse(record.content, message)) damage(record.offset, "malformed message");
    else if (!catalogue_.channel(message.channel_id))
      damage(record.offset, fmt::format("a message of the unknown channel {}", message.channel_id));
    else return hand_over(message, record.offset, data_is_ == DataIs::kRight);
    return {};
  }

  Status hand_over(const mcap::Message& message, std::uint64_t offset, bool checked) {
    ++report_.messages;
    if (!visits_.message) return {};
    const mcap::Channel* channel = catalogue_.channel(message.channel_id);
    return visits_.message({.channel = channel,
                            .schema = catalogue_.schema(channel->schema_id),
                            .sequence = message.sequence,
                            .log_time_ns = message.log_time_ns,
                            .publish_time_ns = message.publish_time_ns,
                            .data = message.data,
                            .file_offset = offset,
                            .checked = checked});
  }

  Status take_chunk(const RecordView& record) {
    chunk_ = ChunkIs::kBad;
    chunk_offset_ = record.offset;
    mcap::Chunk chunk;
    if (!parse(record.content, chunk)) return damage(record.offset, "malformed chunk"), Status{};
    const Result<Bytes> plain = mcap::unpack_chunk(chunk);
    if (!plain) return damage(record.offset, "chunk: " + plain.error().text), Status{};
    if (chunk.plain_crc == 0 && data_is_ == DataIs::kWrong)
      return damage(record.offset, "a chunk without a CRC, under a wrong one"), Status{};
    const bool checked = chunk.plain_crc != 0 || data_is_ == DataIs::kRight;
    const auto messages = mcap::read_chunk(*plain, checked, catalogue_);
    if (!messages) return damage(record.offset, "chunk: " + messages.error().text), Status{};

    chunk_ = ChunkIs::kRead;
    ++report_.chunks;
    std::uint64_t start = UINT64_MAX, end = 0;
    for (const mcap::PlacedMessage& placed : *messages) {
      start = std::min(start, placed.message.log_time_ns);
      end = std::max(end, placed.message.log_time_ns);
      unindexed_[placed.message.channel_id].emplace_back(placed.message.log_time_ns, placed.offset);
    }
    if (!messages->empty() && (start != chunk.start_ns || end != chunk.end_ns))
      damage(record.offset, "chunk: its times are not those of its messages");
    for (const mcap::PlacedMessage& placed : *messages)
      if (Status ok = hand_over(placed.message, record.offset, checked); !ok) return ok;
    return {};
  }

  void take_index(const RecordView& record) {
    mcap::MessageIndex index;
    if (!parse(record.content, index)) return damage(record.offset, "malformed message index");
    if (chunk_ == ChunkIs::kAbsent) return damage(record.offset, "a message index without a chunk");
    if (chunk_ == ChunkIs::kBad) return;  // reported already
    indexed_ = true;
    if (index.entries.empty()) return;
    const auto expected = unindexed_.find(index.channel_id);
    if (expected == unindexed_.end())
      return damage(record.offset, fmt::format("a message index of channel {}, not in its chunk", index.channel_id));
    std::sort(index.entries.begin(), index.entries.end());
    std::sort(expected->second.begin(), expected->second.end());
    if (index.entries != expected->second)
      damage(record.offset, fmt::format("the message index of channel {} is wrong", index.channel_id));
    unindexed_.erase(expected);
  }

  // A writer may leave the indexes out, but not some of them.
  void end_of_indexes() {
    if (indexed_ && !unindexed_.empty())
      damage(chunk_offset_, fmt::format("no message index of channel {}", unindexed_.begin()->first));
    unindexed_.clear();
    indexed_ = false;
    chunk_ = ChunkIs::kAbsent;
  }

  Status take_attachment(const RecordView& record) {
    mcap::Attachment attachment;
    if (!parse(record.content, attachment)) return damage(record.offset, "malformed attachment"), Status{};
    if (!mcap::attachment_intact(record.content))
      return damage(record.offset, "attachment: its CRC is wrong"), Status{};
    ++report_.attachments;
    return visits_.attachment ? visits_.attachment(attachment, data_is_ == DataIs::kRight || has_crc(record))
                              : Status{};
  }

  static bool has_crc(const RecordView& record) {
    const ByteView tail = record.content.last(4);
    return std::any_of(tail.begin(), tail.end(), [](std::uint8_t b) { return b != 0; });
  }

  Status take_metadata(const RecordView& record) {
    mcap::Metadata metadata;
    if (!parse(record.content, metadata)) return damage(record.offset, "malformed metadata"), Status{};
    ++report_.metadata;
    return visits_.metadata ? visits_.metadata(metadata, data_is_ == DataIs::kRight) : Status{};
  }

  void take_footer(const RecordView& record) {
    mcap::Footer footer;
    const ByteView tail = file_.subspan(record.end());
    if (!parse(record.content, footer)) return damage(record.offset, "malformed footer");
    if (tail.size() < mcap::kMagic.size()) return;  // cut; the next step reports it
    if (!std::equal(tail.begin(), tail.end(), mcap::kMagic.begin(), mcap::kMagic.end()))
      return damage(record.offset, "the footer is not at the end, or the end mark is wrong");
    if (!end_seen_) damage(record.offset, "no end of the data section");
    if (!index_) {
      const Result<McapReader> why = McapReader::open(file_);
      damage(record.offset, why ? "summary" : why.error().text);
    }
    finished_ = true;
  }

  enum class DataIs { kUnknown, kRight, kWrong };

  const ByteView file_;
  const ScanVisits& visits_;
  std::optional<McapReader> index_;
  mcap::Catalogue catalogue_;
  ScanReport report_;
  bool end_seen_ = false, summary_ = false, finished_ = false;

  DataIs data_is_ = DataIs::kUnknown;
  std::uint32_t crc_ = 0;  // of the bytes before crc_end_
  std::uint64_t crc_end_ = 0;

  ChunkIs chunk_ = ChunkIs::kAbsent;  // the one whose indexes may follow
  std::uint64_t chunk_offset_ = 0;
  bool indexed_ = false;
  std::map<std::uint16_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>> unindexed_;
};

}  // namespace

std::string ScanReport::text() const {
  if (intact()) return "intact";
  std::string out = cut ? fmt::format("cut: whole up to byte {}", whole) : "";
  for (const Damage& d : damages) out += fmt::format("{}byte {}: {}", out.empty() ? "" : "; ", d.offset, d.text);
  if (further_damages > 0) out += fmt::format("; and {} more", further_damages);
  return out;
}

Result<ScanReport> scan_mcap(ByteView file, const ScanVisits& visits) { return Scan(file, visits).run(); }

}  // namespace convoy
