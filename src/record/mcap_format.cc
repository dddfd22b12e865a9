#include "record/mcap_format.h"

#include "record/crc32.h"

namespace convoy::mcap {
namespace {

// One record under construction: the length is filled in at the end.
class Record {
 public:
  Record(Bytes& out, Opcode opcode) : w(out), out_(out) {
    w.u8(static_cast<std::uint8_t>(opcode));
    w.u64(0);
    start_ = out.size();
  }
  ~Record() {
    const std::uint64_t length = out_.size() - start_;
    std::memcpy(out_.data() + start_ - sizeof length, &length, sizeof length);
  }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  // A length in bytes before what `write` appends.
  template <class Write>
  void sized(Write write) {
    const std::size_t at = out_.size();
    w.u32(0);
    write();
    const auto length = static_cast<std::uint32_t>(out_.size() - at - 4);
    std::memcpy(out_.data() + at, &length, sizeof length);
  }
  void map(const TextMap& v) {
    sized([&] {
      for (const auto& [key, value] : v) {
        w.text(key);
        w.text(value);
      }
    });
  }
  void map(const ChannelMap& v) {
    sized([&] {
      for (const auto& [channel, value] : v) {
        w.u16(channel);
        w.u64(value);
      }
    });
  }
  ByteView content() const { return ByteView(out_).subspan(start_); }

  Writer w;

 private:
  Bytes& out_;
  std::size_t start_ = 0;
};

// A repeated key makes a map ambiguous, so it counts as malformed.
void read_map(Reader& r, TextMap& v) {
  v.clear();
  Reader in(r.blob());
  while (in.ok() && in.left() > 0) {
    std::string key = in.text();
    std::string value = in.text();
    if (!in.ok() || !v.emplace(std::move(key), std::move(value)).second) return r.spoil();
  }
}

void read_map(Reader& r, ChannelMap& v) {
  v.clear();
  Reader in(r.blob());
  std::map<std::uint16_t, std::uint64_t> sorted;
  while (in.left() > 0) {
    const std::uint16_t channel = in.u16();
    const std::uint64_t value = in.u64();
    if (!in.ok() || !sorted.emplace(channel, value).second) return r.spoil();
  }
  v.assign(sorted.begin(), sorted.end());
}

// A u64 length, then the bytes.
ByteView long_blob(Reader& r) {
  const std::uint64_t n = r.u64();
  return r.bytes(n);
}

}  // namespace

void append(Bytes& out, const Header& v) {
  Record r(out, Opcode::kHeader);
  r.w.text(v.profile);
  r.w.text(v.library);
}

void append(Bytes& out, const Schema& v) {
  Record r(out, Opcode::kSchema);
  r.w.u16(v.id);
  r.w.text(v.name);
  r.w.text(v.encoding);
  r.w.blob(v.data);
}

void append(Bytes& out, const Channel& v) {
  Record r(out, Opcode::kChannel);
  r.w.u16(v.id);
  r.w.u16(v.schema_id);
  r.w.text(v.topic);
  r.w.text(v.message_encoding);
  r.map(v.metadata);
}

void append(Bytes& out, const Message& v) {
  Record r(out, Opcode::kMessage);
  r.w.u16(v.channel_id);
  r.w.u32(v.sequence);
  r.w.u64(v.log_time_ns);
  r.w.u64(v.publish_time_ns);
  r.w.bytes(v.data);
}

void append(Bytes& out, const Chunk& v) {
  Record r(out, Opcode::kChunk);
  r.w.u64(v.start_ns);
  r.w.u64(v.end_ns);
  r.w.u64(v.plain_size);
  r.w.u32(v.plain_crc);
  r.w.text(v.compression);
  r.w.u64(v.packed.size());
  r.w.bytes(v.packed);
}

void append(Bytes& out, const MessageIndex& v) {
  Record r(out, Opcode::kMessageIndex);
  r.w.u16(v.channel_id);
  r.sized([&] {
    for (const auto& [time, offset] : v.entries) {
      r.w.u64(time);
      r.w.u64(offset);
    }
  });
}

void append(Bytes& out, const ChunkIndex& v) {
  Record r(out, Opcode::kChunkIndex);
  r.w.u64(v.start_ns);
  r.w.u64(v.end_ns);
  r.w.u64(v.offset);
  r.w.u64(v.length);
  r.map(v.message_index_offsets);
  r.w.u64(v.message_index_length);
  r.w.text(v.compression);
  r.w.u64(v.packed_size);
  r.w.u64(v.plain_size);
}

void append(Bytes& out, const Attachment& v) {
  Record r(out, Opcode::kAttachment);
  r.w.u64(v.log_time_ns);
  r.w.u64(v.create_time_ns);
  r.w.text(v.name);
  r.w.text(v.media_type);
  r.w.u64(v.data.size());
  r.w.bytes(v.data);
  r.w.u32(crc32(r.content()));
}

void append(Bytes& out, const AttachmentIndex& v) {
  Record r(out, Opcode::kAttachmentIndex);
  r.w.u64(v.offset);
  r.w.u64(v.length);
  r.w.u64(v.log_time_ns);
  r.w.u64(v.create_time_ns);
  r.w.u64(v.data_size);
  r.w.text(v.name);
  r.w.text(v.media_type);
}

void append(Bytes& out, const Metadata& v) {
  Record r(out, Opcode::kMetadata);
  r.w.text(v.name);
  r.map(v.entries);
}

void append(Bytes& out, const MetadataIndex& v) {
  Record r(out, Opcode::kMetadataIndex);
  r.w.u64(v.offset);
  r.w.u64(v.length);
  r.w.text(v.name);
}

void append(Bytes& out, const Statistics& v) {
  Record r(out, Opcode::kStatistics);
  r.w.u64(v.message_count);
  r.w.u16(v.schema_count);
  r.w.u32(v.channel_count);
  r.w.u32(v.attachment_count);
  r.w.u32(v.metadata_count);
  r.w.u32(v.chunk_count);
  r.w.u64(v.start_ns);
  r.w.u64(v.end_ns);
  r.map(v.channel_message_counts);
}

void append(Bytes& out, const SummaryOffset& v) {
  Record r(out, Opcode::kSummaryOffset);
  r.w.u8(v.group);
  r.w.u64(v.start);
  r.w.u64(v.length);
}

void append(Bytes& out, const Footer& v) {
  Record r(out, Opcode::kFooter);
  r.w.u64(v.summary_start);
  r.w.u64(v.summary_offset_start);
  r.w.u32(v.summary_crc);
}

void append_data_end(Bytes& out, std::uint32_t data_crc) {
  Record r(out, Opcode::kDataEnd);
  r.w.u32(data_crc);
}

std::optional<RecordView> record_at(ByteView bytes, std::uint64_t at) {
  if (at > bytes.size()) return std::nullopt;
  Reader r(bytes.subspan(at));
  const auto opcode = static_cast<Opcode>(r.u8());
  const ByteView content = long_blob(r);
  if (!r.ok()) return std::nullopt;
  return RecordView{.offset = at, .opcode = opcode, .content = content};
}

bool parse(ByteView content, Header& v) {
  Reader r(content);
  v.profile = r.text();
  v.library = r.text();
  return r.ok();
}

bool parse(ByteView content, Schema& v) {
  Reader r(content);
  v.id = r.u16();
  v.name = r.text();
  v.encoding = r.text();
  const ByteView data = r.blob();
  v.data.assign(data.begin(), data.end());
  return r.ok();
}

bool parse(ByteView content, Channel& v) {
  Reader r(content);
  v.id = r.u16();
  v.schema_id = r.u16();
  v.topic = r.text();
  v.message_encoding = r.text();
  read_map(r, v.metadata);
  return r.ok();
}

bool parse(ByteView content, Message& v) {
  Reader r(content);
  v.channel_id = r.u16();
  v.sequence = r.u32();
  v.log_time_ns = r.u64();
  v.publish_time_ns = r.u64();
  v.data = r.bytes(r.left());
  return r.ok();
}

bool parse(ByteView content, Chunk& v) {
  Reader r(content);
  v.start_ns = r.u64();
  v.end_ns = r.u64();
  v.plain_size = r.u64();
  v.plain_crc = r.u32();
  v.compression = r.text();
  v.packed = long_blob(r);
  return r.ok();
}

bool parse(ByteView content, MessageIndex& v) {
  Reader r(content);
  v.channel_id = r.u16();
  Reader in(r.blob());
  v.entries.clear();
  v.entries.reserve(in.left() / 16);
  while (in.left() > 0) {
    const std::uint64_t time = in.u64();
    v.entries.emplace_back(time, in.u64());
  }
  return r.ok() && in.ok();
}

bool parse(ByteView content, ChunkIndex& v) {
  Reader r(content);
  v.start_ns = r.u64();
  v.end_ns = r.u64();
  v.offset = r.u64();
  v.length = r.u64();
  read_map(r, v.message_index_offsets);
  v.message_index_length = r.u64();
  v.compression = r.text();
  v.packed_size = r.u64();
  v.plain_size = r.u64();
  return r.ok();
}

bool parse(ByteView content, Attachment& v) {
  Reader r(content);
  v.log_time_ns = r.u64();
  v.create_time_ns = r.u64();
  v.name = r.text();
  v.media_type = r.text();
  v.data = long_blob(r);
  r.u32();
  return r.ok();
}

bool attachment_intact(ByteView content) {
  Attachment v;
  if (!parse(content, v)) return false;
  // The CRC covers the fields before it; fields of a later version of the format could follow.
  const std::size_t covered = static_cast<std::size_t>(v.data.data() + v.data.size() - content.data());
  const std::uint32_t crc = Reader(content.subspan(covered)).u32();
  return crc == 0 || crc == crc32(content.first(covered));
}

bool parse(ByteView content, AttachmentIndex& v) {
  Reader r(content);
  v.offset = r.u64();
  v.length = r.u64();
  v.log_time_ns = r.u64();
  v.create_time_ns = r.u64();
  v.data_size = r.u64();
  v.name = r.text();
  v.media_type = r.text();
  return r.ok();
}

bool parse(ByteView content, Metadata& v) {
  Reader r(content);
  v.name = r.text();
  read_map(r, v.entries);
  return r.ok();
}

bool parse(ByteView content, MetadataIndex& v) {
  Reader r(content);
  v.offset = r.u64();
  v.length = r.u64();
  v.name = r.text();
  return r.ok();
}

bool parse(ByteView content, Statistics& v) {
  Reader r(content);
  v.message_count = r.u64();
  v.schema_count = r.u16();
  v.channel_count = r.u32();
  v.attachment_count = r.u32();
  v.metadata_count = r.u32();
  v.chunk_count = r.u32();
  v.start_ns = r.u64();
  v.end_ns = r.u64();
  read_map(r, v.channel_message_counts);
  return r.ok();
}

bool parse(ByteView content, Footer& v) {
  Reader r(content);
  v.summary_start = r.u64();
  v.summary_offset_start = r.u64();
  v.summary_crc = r.u32();
  return r.done();
}

bool parse_data_end(ByteView content, std::uint32_t& data_crc) {
  Reader r(content);
  data_crc = r.u32();
  return r.ok();
}

}  // namespace convoy::mcap
