#include "record/mcap_cursor.h"

#include <fmt/format.h>

#include <algorithm>

namespace convoy {
namespace {

using mcap::Opcode;

tl::unexpected<Error> bad_at(std::uint64_t offset, std::string_view text) {
  return fail(ErrorCode::kInvalid, fmt::format("byte {}: {}", offset, text));
}

}  // namespace

McapCursor::McapCursor(const McapReader& reader, McapSpan span) : reader_(&reader), span_(std::move(span)) {
  for (const auto& entry : reader.schemas_) (void)catalogue_.add(entry.second, true);
  for (const auto& entry : reader.channels_) (void)catalogue_.add(entry.second, true);
  for (const mcap::ChunkIndex& chunk : reader.chunks_)
    if (chunk.start_ns < span_.to_ns && chunk.end_ns >= span_.from_ns && wants(chunk)) chunks_.push_back(&chunk);
  std::stable_sort(chunks_.begin(), chunks_.end(),
                   [](const auto* a, const auto* b) { return a->start_ns < b->start_ns; });
}

bool McapCursor::wants(std::uint16_t id) const {
  const mcap::Channel* channel = catalogue_.channel(id);
  return !span_.wants || (channel && span_.wants(*channel));
}

// A chunk without message indexes may hold anything.
bool McapCursor::wants(const mcap::ChunkIndex& chunk) const {
  const auto& channels = chunk.message_index_offsets;
  return channels.empty() ||
         std::any_of(channels.begin(), channels.end(), [&](const auto& at) { return wants(at.first); });
}

Status McapCursor::open_next() {
  const mcap::ChunkIndex& index = *chunks_[next_chunk_++];
  if (held_ + index.plain_size > kMaxHeld)
    return fail(ErrorCode::kUnsupported, fmt::format("byte {}: too many chunks of the same time", index.offset));
  auto plain = reader_->unpack_indexed(index);
  if (!plain) return tl::unexpected(plain.error());
  OpenChunk chunk{.index = &index, .plain = std::move(plain->bytes), .checked = plain->checked};
  auto messages = mcap::read_chunk(chunk.plain, chunk.checked, catalogue_);
  if (!messages) return bad_at(index.offset, "chunk: " + messages.error().text);
  for (const mcap::PlacedMessage& placed : *messages) {
    const std::uint64_t t = placed.message.log_time_ns;
    if (t < index.start_ns || t > index.end_ns) return bad_at(index.offset, "chunk: a message is not of its time");
    if (t >= span_.from_ns && t < span_.to_ns && wants(placed.message.channel_id)) chunk.messages.push_back(placed);
  }
  if (chunk.messages.empty()) return {};
  std::stable_sort(chunk.messages.begin(), chunk.messages.end(),
                   [](const auto& a, const auto& b) { return a.message.log_time_ns < b.message.log_time_ns; });
  held_ += chunk.plain.size();
  queue_.push(&open_.emplace(index.offset, std::move(chunk)).first->second);
  return {};
}

const MessageView* McapCursor::show(const mcap::Message& m, std::uint64_t offset, bool checked) {
  const mcap::Channel* channel = catalogue_.channel(m.channel_id);
  view_ = {.channel = channel,
           .schema = catalogue_.schema(channel->schema_id),
           .sequence = m.sequence,
           .log_time_ns = m.log_time_ns,
           .publish_time_ns = m.publish_time_ns,
           .data = m.data,
           .file_offset = offset,
           .checked = checked};
  return &view_;
}

// One that lies outside of chunks.
Result<const MessageView*> McapCursor::next_loose() {
  const McapReader::Loose& at = reader_->loose_[next_loose_++];
  const auto record = mcap::record_at(reader_->file_, at.offset);
  mcap::Message message;
  if (!record || !parse(record->content, message)) return bad_at(at.offset, "malformed message");
  return show(message, at.offset, false);
}

Result<const MessageView*> McapCursor::next() {
  if (shown_) {
    if (++shown_->next < shown_->messages.size()) {
      queue_.push(shown_);
    } else {
      held_ -= shown_->plain.size();
      open_.erase(shown_->index->offset);
    }
    shown_ = nullptr;
  }
  const auto& loose = reader_->loose_;
  while (next_loose_ < loose.size() &&
         (loose[next_loose_].log_time_ns < span_.from_ns || loose[next_loose_].log_time_ns >= span_.to_ns ||
          !wants(loose[next_loose_].channel)))
    ++next_loose_;
  // All that is earlier than any message still unread may be handed over.
  while (next_chunk_ < chunks_.size() &&
         (queue_.empty() || queue_.top()->key().first >= chunks_[next_chunk_]->start_ns))
    if (Status ok = open_next(); !ok) return tl::unexpected(ok.error());
  if (next_loose_ < loose.size() &&
      (queue_.empty() || std::pair(loose[next_loose_].log_time_ns, loose[next_loose_].offset) < queue_.top()->key()))
    return next_loose();
  if (queue_.empty()) return nullptr;
  shown_ = queue_.top();
  queue_.pop();
  return show(shown_->messages[shown_->next].message, shown_->index->offset, shown_->checked);
}

Status McapReader::make_index() {
  if (!chunks_.empty() || (has_statistics_ && statistics_.message_count == 0)) return {};
  mcap::Catalogue catalogue;
  for (const auto& entry : schemas_) (void)catalogue.add(entry.second, true);
  for (const auto& entry : channels_) (void)catalogue.add(entry.second, true);
  const bool has_channels = !channels_.empty();
  const auto met = [&](std::uint64_t t) {
    statistics_.start_ns = statistics_.message_count++ == 0 ? t : std::min(statistics_.start_ns, t);
    statistics_.end_ns = std::max(statistics_.end_ns, t);
  };
  statistics_ = {};
  const ByteView data = file_.first(data_end_);
  for (std::uint64_t at = mcap::kMagic.size(); at < data_end_;) {
    const auto record = mcap::record_at(data, at);
    if (!record) return bad_at(at, "a record runs past the end of the data");
    Status ok;
    if (record->opcode == Opcode::kChunk) {
      ok = index_chunk(*record, catalogue, has_channels);
    } else if (record->opcode == Opcode::kMessage) {
      mcap::Message message;
      if (!parse(record->content, message)) return bad_at(at, "malformed message");
      if (!catalogue.channel(message.channel_id))
        return bad_at(at, fmt::format("a message of the unknown channel {}", message.channel_id));
      if (loose_.size() == kMaxLoose) return fail(ErrorCode::kUnsupported, "too many messages outside of chunks");
      loose_.push_back({message.log_time_ns, at, message.channel_id});
      met(message.log_time_ns);
    } else if (mcap::Schema schema; record->opcode == Opcode::kSchema && parse(record->content, schema)) {
      ok = catalogue.add(schema, false);
      schemas_.emplace(schema.id, schema);
    } else if (mcap::Channel channel; record->opcode == Opcode::kChannel && parse(record->content, channel)) {
      ok = catalogue.add(channel, false);
      channels_.emplace(channel.id, channel);
    }
    if (!ok) return bad_at(at, ok.error().text);
    at = record->end();
  }
  for (const mcap::ChunkIndex& chunk : chunks_) met(chunk.start_ns), met(chunk.end_ns);
  std::stable_sort(loose_.begin(), loose_.end(),
                   [](const auto& a, const auto& b) { return a.log_time_ns < b.log_time_ns; });
  return {};
}

// What the summary would have listed of it; its channels too, if no summary names them.
Status McapReader::index_chunk(const mcap::RecordView& record, mcap::Catalogue& catalogue, bool has_channels) {
  mcap::Chunk chunk;
  if (!parse(record.content, chunk)) return fail(ErrorCode::kInvalid, "malformed chunk");
  const Result<Bytes> plain = has_channels ? Bytes{} : mcap::unpack_chunk(chunk);
  if (!plain) return fail(ErrorCode::kInvalid, "chunk: " + plain.error().text);
  for (std::uint64_t at = 0; at < plain->size();) {
    const auto inner = mcap::record_at(*plain, at);
    if (!inner) return fail(ErrorCode::kInvalid, "chunk: a record runs past its end");
    if (mcap::Schema schema; inner->opcode == Opcode::kSchema && parse(inner->content, schema)) {
      if (Status ok = catalogue.add(schema, false); !ok) return ok;
      schemas_.emplace(schema.id, schema);
    } else if (mcap::Channel channel; inner->opcode == Opcode::kChannel && parse(inner->content, channel)) {
      if (Status ok = catalogue.add(channel, false); !ok) return ok;
      channels_.emplace(channel.id, channel);
    }
    at = inner->end();
  }
  chunks_.push_back({.start_ns = chunk.start_ns,
                     .end_ns = chunk.end_ns,
                     .offset = record.offset,
                     .length = record.length(),
                     .compression = chunk.compression,
                     .packed_size = chunk.packed.size(),
                     .plain_size = chunk.plain_size});
  return {};
}

}  // namespace convoy
