#include "record/mcap_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>

#include "record/crc32.h"
#include "record/mcap_chunk.h"

namespace convoy {
namespace {

using mcap::Opcode;

tl::unexpected<Error> bad(std::uint64_t offset, std::string_view text) {
  return fail(ErrorCode::kInvalid, fmt::format("byte {}: {}", offset, text));
}

bool has_magic(ByteView bytes) {
  return std::equal(bytes.begin(), bytes.end(), mcap::kMagic.begin(), mcap::kMagic.end());
}

// A chunk's messages of a span of time, being handed over.
struct OpenChunk {
  const mcap::ChunkIndex* index = nullptr;
  Bytes plain;
  bool checked = false;
  std::vector<mcap::PlacedMessage> messages;  // by log time, then place
  std::size_t next = 0;

  std::pair<std::uint64_t, std::uint64_t> key() const { return {messages[next].message.log_time_ns, index->offset}; }
};

struct Later {
  bool operator()(const OpenChunk* a, const OpenChunk* b) const { return a->key() > b->key(); }
};

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
    default:
      return {};
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
  if (chunks_.empty() && !(has_statistics_ && statistics_.message_count == 0))
    return fail(ErrorCode::kUnsupported, "the file has no index by time");
  std::vector<const mcap::ChunkIndex*> wanted;
  for (const mcap::ChunkIndex& chunk : chunks_)
    if (chunk.start_ns < to_ns && chunk.end_ns >= from_ns) wanted.push_back(&chunk);
  std::stable_sort(wanted.begin(), wanted.end(),
                   [](const auto* a, const auto* b) { return a->start_ns < b->start_ns; });

  mcap::Catalogue catalogue;
  for (const auto& [id, schema] : schemas_) (void)catalogue.add(schema, true);
  for (const auto& [id, channel] : channels_) (void)catalogue.add(channel, true);

  std::map<std::uint64_t, OpenChunk> open;  // by offset
  std::priority_queue<OpenChunk*, std::vector<OpenChunk*>, Later> queue;
  std::uint64_t held = 0;

  // Hands over all that is earlier than any message still unread.
  const auto drain = [&](std::uint64_t before, bool all) -> Status {
    while (!queue.empty() && (all || queue.top()->key().first < before)) {
      OpenChunk* const top = queue.top();
      queue.pop();
      const mcap::Message& m = top->messages[top->next++].message;
      const mcap::Channel* channel = catalogue.channel(m.channel_id);
      const Status ok = visit({.channel = channel,
                               .schema = catalogue.schema(channel->schema_id),
                               .sequence = m.sequence,
                               .log_time_ns = m.log_time_ns,
                               .publish_time_ns = m.publish_time_ns,
                               .data = m.data,
                               .file_offset = top->index->offset,
                               .checked = top->checked});
      if (!ok) return ok;
      if (top->next < top->messages.size()) {
        queue.push(top);
      } else {
        held -= top->plain.size();
        open.erase(top->index->offset);
      }
    }
    return {};
  };

  for (const mcap::ChunkIndex* index : wanted) {
    if (Status ok = drain(index->start_ns, false); !ok) return ok;
    if (held + index->plain_size > kMaxHeld)
      return fail(ErrorCode::kUnsupported, fmt::format("byte {}: too many chunks of the same time", index->offset));
    Result<PlainChunk> plain = unpack_indexed(*index);
    if (!plain) return tl::unexpected(plain.error());
    OpenChunk chunk{.index = index, .plain = std::move(plain->bytes), .checked = plain->checked};
    auto messages = mcap::read_chunk(chunk.plain, chunk.checked, catalogue);
    if (!messages) return bad(index->offset, "chunk: " + messages.error().text);
    for (const mcap::PlacedMessage& placed : *messages) {
      const std::uint64_t t = placed.message.log_time_ns;
      if (t < index->start_ns || t > index->end_ns) return bad(index->offset, "chunk: a message is not of its time");
      if (t >= from_ns && t < to_ns) chunk.messages.push_back(placed);
    }
    if (chunk.messages.empty()) continue;
    std::stable_sort(chunk.messages.begin(), chunk.messages.end(),
                     [](const auto& a, const auto& b) { return a.message.log_time_ns < b.message.log_time_ns; });
    held += chunk.plain.size();
    queue.push(&open.emplace(index->offset, std::move(chunk)).first->second);
  }
  return drain(0, true);
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
