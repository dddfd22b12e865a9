#include "record/mcap_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.h"
#include "core/utf8.h"
#include "record/crc32.h"

namespace convoy {
namespace {

constexpr std::size_t kMaxIds = 65535;
constexpr std::size_t kMaxText = 64 * 1024;

tl::unexpected<Error> refuse(std::string text) { return fail(ErrorCode::kInvalid, std::move(text)); }

// Others' readers stop at a text that is not UTF-8.
Status check_text(std::string_view what, std::string_view text) {
  if (text.size() > kMaxText) return refuse(fmt::format("{} of {} bytes; at most {}", what, text.size(), kMaxText));
  if (!is_utf8(text)) return refuse(fmt::format("{} is not UTF-8", what));
  return {};
}

Status check_map(std::string_view what, const mcap::TextMap& map) {
  std::size_t size = 0;
  for (const auto& [key, value] : map) {
    if (!is_utf8(key) || !is_utf8(value)) return refuse(fmt::format("{}: an entry is not UTF-8", what));
    size += key.size() + value.size();
  }
  if (size > kMaxMessage) return refuse(fmt::format("{} of {} bytes; at most {}", what, size, kMaxMessage));
  return {};
}

}  // namespace

McapWriter::McapWriter(ByteSink& sink, McapOptions options) : sink_(sink), options_(std::move(options)) {
  EXPECTS(options_.chunk_size > 0 && options_.chunk_size <= kMaxMessage);
  static_assert(kMaxMessage + kMaxSchema + kMaxChannelRecord + 1024 < kMaxUnpacked);
}

Status McapWriter::ready() {
  if (broken_) return tl::unexpected(*broken_);
  if (closed_) return fail(ErrorCode::kState, "the recording is closed");
  if (begun_) return {};
  begun_ = true;
  Bytes head(mcap::kMagic.begin(), mcap::kMagic.end());
  append(head, mcap::Header{.profile = options_.profile, .library = options_.library});
  return put(head);
}

Status McapWriter::put(ByteView bytes) {
  if (Status ok = sink_.write(bytes); !ok) {
    broken_ = ok.error();
    return ok;
  }
  data_crc_ = crc32(bytes, data_crc_);
  at_ += bytes.size();
  return {};
}

Status McapWriter::flush() {
  Status ok = sink_.flush();
  if (!ok) broken_ = ok.error();
  return ok;
}

Result<std::uint16_t> McapWriter::add_schema(std::string_view name, std::string_view encoding, ByteView data) {
  if (Status ok = ready(); !ok) return tl::unexpected(ok.error());
  if (Status ok = check_text("schema name", name); !ok) return tl::unexpected(ok.error());
  if (Status ok = check_text("schema encoding", encoding); !ok) return tl::unexpected(ok.error());
  if (data.size() > kMaxSchema / 2) return refuse(fmt::format("schema '{}': {} bytes are too many", name, data.size()));
  if (schemas_.size() >= kMaxIds) return fail(ErrorCode::kUnavailable, "no schema id is left");

  SchemaState state;
  state.schema = {.id = static_cast<std::uint16_t>(schemas_.size() + 1),
                  .name = std::string(name),
                  .encoding = std::string(encoding),
                  .data = Bytes(data.begin(), data.end())};
  scratch_.clear();
  append(scratch_, state.schema);
  state.record_size = scratch_.size();
  schemas_.push_back(std::move(state));
  statistics_.schema_count = static_cast<std::uint16_t>(schemas_.size());
  return schemas_.back().schema.id;
}

Result<std::uint16_t> McapWriter::add_channel(mcap::Channel channel) {
  if (Status ok = ready(); !ok) return tl::unexpected(ok.error());
  if (Status ok = check_text("topic", channel.topic); !ok) return tl::unexpected(ok.error());
  if (Status ok = check_text("message encoding", channel.message_encoding); !ok) return tl::unexpected(ok.error());
  if (Status ok = check_map("channel metadata", channel.metadata); !ok) return tl::unexpected(ok.error());
  if (channel.schema_id > schemas_.size())
    return fail(ErrorCode::kNotFound, fmt::format("channel '{}': no schema {}", channel.topic, channel.schema_id));
  if (channels_.size() >= kMaxIds) return fail(ErrorCode::kUnavailable, "no channel id is left");

  ChannelState state;
  state.channel = std::move(channel);
  state.channel.id = static_cast<std::uint16_t>(channels_.size() + 1);
  state.index.channel_id = state.channel.id;
  scratch_.clear();
  append(scratch_, state.channel);
  state.record_size = scratch_.size();
  if (state.record_size > kMaxChannelRecord)
    return refuse(fmt::format("channel '{}': {} bytes are too many", state.channel.topic, state.record_size));
  channels_.push_back(std::move(state));
  statistics_.channel_count = static_cast<std::uint32_t>(channels_.size());
  return channels_.back().channel.id;
}

std::size_t McapWriter::introduction_size(const ChannelState& state) const {
  if (state.in_chunk) return 0;
  const std::uint16_t schema = state.channel.schema_id;
  const bool schema_too = schema != 0 && !schemas_[schema - 1].in_chunk;
  return state.record_size + (schema_too ? schemas_[schema - 1].record_size : 0);
}

void McapWriter::introduce(ChannelState& state) {
  if (state.in_chunk) return;
  if (const std::uint16_t schema = state.channel.schema_id; schema != 0 && !schemas_[schema - 1].in_chunk) {
    append(chunk_, schemas_[schema - 1].schema);
    schemas_[schema - 1].in_chunk = schemas_[schema - 1].written = true;
  }
  append(chunk_, state.channel);
  state.in_chunk = true;
  chunk_channels_.push_back(state.channel.id);
}

Status McapWriter::write(const mcap::Message& message) {
  if (Status ok = ready(); !ok) return ok;
  if (message.channel_id == 0 || message.channel_id > channels_.size())
    return fail(ErrorCode::kNotFound, fmt::format("no channel {}", message.channel_id));
  ChannelState& state = channels_[message.channel_id - 1u];
  if (message.data.size() > kMaxMessage)
    return refuse(
        fmt::format("'{}': a message of {} bytes; at most {}", state.channel.topic, message.data.size(), kMaxMessage));

  const std::size_t size = mcap::kRecordHead + mcap::kMessageHead + message.data.size();
  if (!chunk_.empty() && chunk_.size() + size + introduction_size(state) > options_.chunk_size)
    if (Status ok = put_chunk(); !ok) return ok;

  if (chunk_.empty()) {
    if (chunk_indexes_.size() >= kMaxChunks) return fail(ErrorCode::kUnavailable, "the recording has too many chunks");
    chunk_start_ns_ = chunk_end_ns_ = message.log_time_ns;
  }
  introduce(state);
  state.index.entries.emplace_back(message.log_time_ns, chunk_.size());
  append(chunk_, message);
  chunk_start_ns_ = std::min(chunk_start_ns_, message.log_time_ns);
  chunk_end_ns_ = std::max(chunk_end_ns_, message.log_time_ns);

  const bool first = statistics_.message_count++ == 0;
  ++state.messages;
  statistics_.start_ns = first ? message.log_time_ns : std::min(statistics_.start_ns, message.log_time_ns);
  statistics_.end_ns = std::max(statistics_.end_ns, message.log_time_ns);
  return {};
}

Status McapWriter::put_chunk() {
  if (chunk_.empty()) return {};
  const Result<Bytes> packed = pack(options_.compression, chunk_);
  if (!packed) {
    broken_ = packed.error();
    return tl::unexpected(packed.error());
  }
  const mcap::Chunk chunk{.start_ns = chunk_start_ns_,
                          .end_ns = chunk_end_ns_,
                          .plain_size = chunk_.size(),
                          .plain_crc = crc32(chunk_),
                          .compression = std::string(compression_name(options_.compression)),
                          .packed = *packed};
  scratch_.clear();
  append(scratch_, chunk);
  mcap::ChunkIndex index{.start_ns = chunk.start_ns,
                         .end_ns = chunk.end_ns,
                         .offset = at_,
                         .length = scratch_.size(),
                         .compression = chunk.compression,
                         .packed_size = packed->size(),
                         .plain_size = chunk.plain_size};
  if (Status ok = put(scratch_); !ok) return ok;
  if (Status ok = put_indexes(index); !ok) return ok;

  chunk_indexes_.push_back(std::move(index));
  statistics_.chunk_count = static_cast<std::uint32_t>(chunk_indexes_.size());
  chunk_.clear();
  chunk_channels_.clear();
  for (SchemaState& schema : schemas_) schema.in_chunk = false;
  return {};
}

Status McapWriter::put_indexes(mcap::ChunkIndex& index) {
  const std::uint64_t begin = at_;
  std::sort(chunk_channels_.begin(), chunk_channels_.end());
  for (const std::uint16_t id : chunk_channels_) {
    ChannelState& state = channels_[id - 1u];
    index.message_index_offsets.emplace_back(id, at_);
    scratch_.clear();
    append(scratch_, state.index);
    if (Status ok = put(scratch_); !ok) return ok;
    state.index.entries.clear();
    state.in_chunk = false;
  }
  index.message_index_length = at_ - begin;
  return {};
}

Status McapWriter::attach(const mcap::Attachment& attachment) {
  if (Status ok = ready(); !ok) return ok;
  if (Status ok = check_text("attachment name", attachment.name); !ok) return ok;
  if (Status ok = check_text("media type", attachment.media_type); !ok) return ok;

  Bytes record;
  append(record, attachment);
  attachment_indexes_.push_back({.offset = at_,
                                 .length = record.size(),
                                 .log_time_ns = attachment.log_time_ns,
                                 .create_time_ns = attachment.create_time_ns,
                                 .data_size = attachment.data.size(),
                                 .name = attachment.name,
                                 .media_type = attachment.media_type});
  ++statistics_.attachment_count;
  return put(record);
}

Status McapWriter::add_metadata(const mcap::Metadata& metadata) {
  if (Status ok = ready(); !ok) return ok;
  if (Status ok = check_text("metadata name", metadata.name); !ok) return ok;
  if (Status ok = check_map("metadata", metadata.entries); !ok) return ok;

  scratch_.clear();
  append(scratch_, metadata);
  metadata_indexes_.push_back({.offset = at_, .length = scratch_.size(), .name = metadata.name});
  ++statistics_.metadata_count;
  return put(scratch_);
}

Status McapWriter::finish_chunk() {
  if (Status ok = ready(); !ok) return ok;
  if (Status ok = put_chunk(); !ok) return ok;
  return flush();
}

// The summary may only repeat what the data section has: schemas and channels without messages go there at the end.
Status McapWriter::put_unused() {
  scratch_.clear();
  for (const SchemaState& state : schemas_)
    if (!state.written) append(scratch_, state.schema);
  for (const ChannelState& state : channels_)
    if (state.messages == 0) append(scratch_, state.channel);
  return put(scratch_);
}

mcap::Statistics McapWriter::full_statistics() const {
  mcap::Statistics all = statistics_;
  for (const ChannelState& state : channels_)
    if (state.messages > 0) all.channel_message_counts.emplace_back(state.channel.id, state.messages);
  return all;
}

Status McapWriter::put_summary() {
  const std::uint64_t summary_start = at_;
  Bytes out, offsets;
  const auto group = [&](mcap::Opcode opcode, const auto& records, auto&& record_of) {
    const std::uint64_t begin = out.size();
    for (const auto& record : records) append(out, record_of(record));
    if (out.size() > begin)
      append(offsets, mcap::SummaryOffset{.group = static_cast<std::uint8_t>(opcode),
                                          .start = summary_start + begin,
                                          .length = out.size() - begin});
  };
  const auto same = [](const auto& v) -> const auto& { return v; };
  group(
      mcap::Opcode::kSchema, schemas_, [](const SchemaState& s) -> const auto& { return s.schema; });
  group(
      mcap::Opcode::kChannel, channels_, [](const ChannelState& s) -> const auto& { return s.channel; });
  group(mcap::Opcode::kStatistics, std::vector{full_statistics()}, same);
  group(mcap::Opcode::kChunkIndex, chunk_indexes_, same);
  group(mcap::Opcode::kAttachmentIndex, attachment_indexes_, same);
  group(mcap::Opcode::kMetadataIndex, metadata_indexes_, same);

  mcap::Footer footer{.summary_start = summary_start, .summary_offset_start = summary_start + out.size()};
  out.insert(out.end(), offsets.begin(), offsets.end());
  append(out, footer);
  footer.summary_crc = crc32(ByteView(out).first(out.size() - sizeof footer.summary_crc));
  out.resize(out.size() - mcap::kFooterSize);
  append(out, footer);
  out.insert(out.end(), mcap::kMagic.begin(), mcap::kMagic.end());
  return put(out);
}

Status McapWriter::close() {
  if (Status ok = ready(); !ok) return ok;
  if (Status ok = put_chunk(); !ok) return ok;
  if (Status ok = put_unused(); !ok) return ok;
  scratch_.clear();
  mcap::append_data_end(scratch_, data_crc_);
  if (Status ok = put(scratch_); !ok) return ok;
  if (Status ok = put_summary(); !ok) return ok;
  closed_ = true;
  return flush();
}

}  // namespace convoy
