#include "record/mcap_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "record/crc32.h"
#include "record/mcap_chunk.h"
#include "record/mcap_cursor.h"

namespace convoy {
namespace {

using mcap::Opcode;

tl::unexpected<Error> bad(std::uint64_t offset, std::string_view text) {
  return fail(ErrorCode::kInvalid, fmt::format("byte {}: {}", offset, text));
}

bool has_magic(ByteView bytes) {
  return std::equal(bytes.begin(), bytes.end(), mcap::kMagic.begin(), mcap::kMagic.end());
}

}  // namespace

Result<McapReader> McapReader::open(ByteView file) {
  const std::size_t magic = mcap::kMagic.size();
  if (file.size() < magic || !has_magic(file.first(magic))) return bad(0, "not an MCAP file");
  const auto header = mcap::record_at(file, magic);
  McapReader reader(file);
  if (!header || header->opcode != Opcode::kHeader || !parse(header->content, reader.header_))
    return bad(magic, "no header");
  if (file.size() < header->end() + mcap::kFooterSize + magic) return bad(file.size(), "cut: no footer");

  const std::uint64_t at = file.size() - magic - mcap::kFooterSize;
  const auto record = mcap::record_at(file, at);
  mcap::Footer footer;
  if (!has_magic(file.last(magic)) || !record || record->opcode != Opcode::kFooter ||
      record->end() + magic != file.size() || !parse(record->content, footer))
    return bad(at, "no footer: the file is cut, or its end is damaged");
  const std::uint64_t start = footer.summary_start == 0 ? at : footer.summary_start;
  if (start < header->end() || start > at) return bad(at, "the footer points outside of the file");
  const std::uint32_t crc = crc32(file.subspan(start, at + mcap::kFooterSize - sizeof footer.summary_crc - start));
  if (footer.summary_crc != 0 && footer.summary_crc != crc)
    return bad(start, fmt::format("summary: CRC {:08x}, not {:08x}", crc, footer.summary_crc));
  reader.data_end_ = start;
  if (Status ok = reader.read_summary(footer); !ok) return tl::unexpected(ok.error());
  return reader;
}

Status McapReader::read_summary(const mcap::Footer& footer) {
  const std::uint64_t footer_at = file_.size() - mcap::kMagic.size() - mcap::kFooterSize;
  const std::uint64_t end = footer.summary_offset_start == 0 ? footer_at : footer.summary_offset_start;
  if (end < data_end_ || end > footer_at) return bad(footer_at, "the footer points outside of the summary");
  const ByteView summary = file_.first(end);
  for (std::uint64_t at = data_end_; at < end;) {
    const auto record = mcap::record_at(summary, at);
    if (!record) return bad(at, "summary: a record runs past its end");
    if (Status ok = read_summary_record(*record); !ok) return ok;
    at = record->end();
  }
  std::sort(chunks_.begin(), chunks_.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  return check_places();
}

Status McapReader::read_summary_record(const mcap::RecordView& record) {
  const auto malformed = [&](const char* what) {
    return bad(record.offset, fmt::format("summary: malformed {}", what));
  };
  const auto keep = [&](auto& list) {
    list.emplace_back();
    return parse(record.content, list.back());
  };
  switch (record.opcode) {
    case Opcode::kSchema: {
      mcap::Schema v;
      if (!parse(record.content, v)) return malformed("schema");
      const auto [at, is_new] = schemas_.try_emplace(v.id, v);
      if (!is_new && at->second != v) return malformed("schema: defined twice, differently");
      return {};
    }
    case Opcode::kChannel: {
      mcap::Channel v;
      if (!parse(record.content, v)) return malformed("channel");
      const auto [at, is_new] = channels_.try_emplace(v.id, v);
      if (!is_new && at->second != v) return malformed("channel: defined twice, differently");
      return {};
    }
    case Opcode::kStatistics:
      if (has_statistics_ || !parse(record.content, statistics_)) return malformed("statistics");
      has_statistics_ = true;
      return {};
    case Opcode::kChunkIndex:
      if (!keep(chunks_)) return malformed("chunk index");
      return {};
    case Opcode::kAttachmentIndex:
      if (!keep(attachments_)) return malformed("attachment index");
      return {};
    case Opcode::kMetadataIndex:
      if (!keep(metadata_)) return malformed("metadata index");
      return {};
    default: return {};
  }
}

// What the summary names must lie inside the data section, and be named completely.
Status McapReader::check_places() const {
  const auto inside = [this](std::uint64_t offset, std::uint64_t length) {
    return offset >= mcap::kMagic.size() && length >= mcap::kRecordHead && length <= data_end_ &&
           offset <= data_end_ - length;
  };
  std::uint64_t last_end = 0;
  for (const mcap::ChunkIndex& chunk : chunks_) {
    if (!inside(chunk.offset, chunk.length) || chunk.offset < last_end || chunk.start_ns > chunk.end_ns)
      return bad(data_end_, fmt::format("summary: a chunk index for byte {} is wrong", chunk.offset));
    last_end = chunk.offset + chunk.length;
    for (const auto& [channel, offset] : chunk.message_index_offsets)
      if (!channels_.contains(channel) || offset < last_end || offset >= data_end_)
        return bad(data_end_, fmt::format("summary: a message index of channel {} is wrong", channel));
  }
  for (const auto& [id, channel] : channels_)
    if (channel.schema_id != 0 && !schemas_.contains(channel.schema_id))
      return bad(data_end_, fmt::format("summary: channel {} has the unknown schema {}", id, channel.schema_id));
  for (const auto& v : attachments_)
    if (!inside(v.offset, v.length)) return bad(data_end_, "summary: an attachment index is wrong");
  for (const auto& v : metadata_)
    if (!inside(v.offset, v.length)) return bad(data_end_, "summary: a metadata index is wrong");
  if (has_statistics_ && !chunks_.empty() && statistics_.chunk_count != chunks_.size())
    return bad(data_end_, "summary: not every chunk has an index");
  return {};
}

Status McapReader::messages(const MessageVisit& visit) const {
  const Result<ScanReport> report = scan_mcap(file_, {.message = visit});
  if (!report) return tl::unexpected(report.error());
  if (!report->intact()) return fail(ErrorCode::kInvalid, report->text());
  return {};
}

Result<McapReader::PlainChunk> McapReader::unpack_indexed(const mcap::ChunkIndex& index) const {
  const auto record = mcap::record_at(file_, index.offset);
  mcap::Chunk chunk;
  if (!record || record->opcode != Opcode::kChunk || record->length() != index.length ||
      !parse(record->content, chunk) || chunk.start_ns != index.start_ns || chunk.end_ns != index.end_ns ||
      chunk.compression != index.compression || chunk.packed.size() != index.packed_size ||
      chunk.plain_size != index.plain_size)
    return bad(index.offset, "chunk: not as the summary says");
  Result<Bytes> plain = mcap::unpack_chunk(chunk);
  if (!plain) return bad(index.offset, "chunk: " + plain.error().text);
  return PlainChunk{.bytes = std::move(*plain), .checked = chunk.plain_crc != 0};
}

Status McapReader::messages_between(std::uint64_t from_ns, std::uint64_t to_ns, const MessageVisit& visit) const {
  if (chunks_.empty() && loose_.empty() && !(has_statistics_ && statistics_.message_count == 0))
    return fail(ErrorCode::kUnsupported, "the file has no index by time");
  McapCursor cursor(*this, {.from_ns = from_ns, .to_ns = to_ns});
  for (;;) {
    const auto message = cursor.next();
    if (!message) return tl::unexpected(message.error());
    if (!*message) return {};
    if (Status ok = visit(**message); !ok) return ok;
  }
}

Result<mcap::Attachment> McapReader::attachment(const mcap::AttachmentIndex& index) const {
  const auto record = mcap::record_at(file_, index.offset);
  mcap::Attachment v;
  if (!record || record->opcode != Opcode::kAttachment || record->length() != index.length ||
      !parse(record->content, v) || v.name != index.name || v.data.size() != index.data_size)
    return bad(index.offset, "attachment: not as the summary says");
  if (!mcap::attachment_intact(record->content)) return bad(index.offset, "attachment: its CRC is wrong");
  return v;
}

Result<mcap::Metadata> McapReader::metadata(const mcap::MetadataIndex& index) const {
  const auto record = mcap::record_at(file_, index.offset);
  mcap::Metadata v;
  if (!record || record->opcode != Opcode::kMetadata || record->length() != index.length ||
      !parse(record->content, v) || v.name != index.name)
    return bad(index.offset, "metadata: not as the summary says");
  return v;
}

}  // namespace convoy
