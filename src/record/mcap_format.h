// The records of an MCAP file as values, with their bytes (https://mcap.dev/spec, version 0).
//
//   file    magic | Header | data section ... DataEnd | summary ... | summary offsets ... | Footer | magic
//   record  opcode u8 | content length u64 | content
//   text    length u32 | UTF-8;   map, array: length in bytes u32 | elements
//
// Numbers are little-endian. A reader skips unknown opcodes and unknown fields at the end of a record.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/bytes.h"

namespace convoy::mcap {

inline constexpr std::array<std::uint8_t, 8> kMagic = {0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};
inline constexpr std::size_t kRecordHead = 9;                 // opcode and length
inline constexpr std::size_t kFooterSize = kRecordHead + 20;  // a footer is never extended
inline constexpr std::size_t kMessageHead = 22;               // a message's fields before its data
inline constexpr std::size_t kDataEndSize = kRecordHead + 4;

enum class Opcode : std::uint8_t {
  kHeader = 0x01,
  kFooter = 0x02,
  kSchema = 0x03,
  kChannel = 0x04,
  kMessage = 0x05,
  kChunk = 0x06,
  kMessageIndex = 0x07,
  kChunkIndex = 0x08,
  kAttachment = 0x09,
  kAttachmentIndex = 0x0a,
  kStatistics = 0x0b,
  kMetadata = 0x0c,
  kMetadataIndex = 0x0d,
  kSummaryOffset = 0x0e,
  kDataEnd = 0x0f,
};

using TextMap = std::map<std::string, std::string>;
// (channel, value), sorted by channel.
using ChannelMap = std::vector<std::pair<std::uint16_t, std::uint64_t>>;

struct Header {
  std::string profile, library;
  friend bool operator==(const Header&, const Header&) = default;
};

// How messages of a type are decoded; id 0 is no schema.
struct Schema {
  std::uint16_t id = 0;
  std::string name, encoding;
  Bytes data;
  friend bool operator==(const Schema&, const Schema&) = default;
};

struct Channel {
  std::uint16_t id = 0, schema_id = 0;
  std::string topic, message_encoding;
  TextMap metadata;
  friend bool operator==(const Channel&, const Channel&) = default;
};

// Times are nanoseconds of whatever clock the file is about; in our recordings, of simulated time.
struct Message {
  std::uint16_t channel_id = 0;
  std::uint32_t sequence = 0;
  std::uint64_t log_time_ns = 0, publish_time_ns = 0;
  ByteView data;  // borrowed
};

struct Chunk {
  std::uint64_t start_ns = 0, end_ns = 0;  // of the log times inside; 0 without messages
  std::uint64_t plain_size = 0;
  std::uint32_t plain_crc = 0;  // 0: not known
  std::string compression;
  ByteView packed;  // borrowed
};

struct MessageIndex {
  std::uint16_t channel_id = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> entries;  // (log time ns, offset in the unpacked chunk)
};

struct ChunkIndex {
  std::uint64_t start_ns = 0, end_ns = 0;
  std::uint64_t offset = 0, length = 0;  // of the whole chunk record in the file
  ChannelMap message_index_offsets;
  std::uint64_t message_index_length = 0;
  std::string compression;
  std::uint64_t packed_size = 0, plain_size = 0;
};

struct Attachment {
  std::uint64_t log_time_ns = 0, create_time_ns = 0;
  std::string name, media_type;
  ByteView data;  // borrowed
};

struct AttachmentIndex {
  std::uint64_t offset = 0, length = 0, log_time_ns = 0, create_time_ns = 0, data_size = 0;
  std::string name, media_type;
};

struct Metadata {
  std::string name;
  TextMap entries;
  friend bool operator==(const Metadata&, const Metadata&) = default;
};

struct MetadataIndex {
  std::uint64_t offset = 0, length = 0;
  std::string name;
};

struct Statistics {
  std::uint64_t message_count = 0;
  std::uint16_t schema_count = 0;
  std::uint32_t channel_count = 0, attachment_count = 0, metadata_count = 0, chunk_count = 0;
  std::uint64_t start_ns = 0, end_ns = 0;
  ChannelMap channel_message_counts;
};

struct SummaryOffset {
  std::uint8_t group = 0;
  std::uint64_t start = 0, length = 0;
};

struct Footer {
  std::uint64_t summary_start = 0, summary_offset_start = 0;
  std::uint32_t summary_crc = 0;  // 0: not known
};

// Each appends one whole record.
void append(Bytes& out, const Header& v);
void append(Bytes& out, const Schema& v);
void append(Bytes& out, const Channel& v);
void append(Bytes& out, const Message& v);
void append(Bytes& out, const Chunk& v);
void append(Bytes& out, const MessageIndex& v);
void append(Bytes& out, const ChunkIndex& v);
void append(Bytes& out, const Attachment& v);  // with its CRC
void append(Bytes& out, const AttachmentIndex& v);
void append(Bytes& out, const Metadata& v);
void append(Bytes& out, const MetadataIndex& v);
void append(Bytes& out, const Statistics& v);
void append(Bytes& out, const SummaryOffset& v);
void append(Bytes& out, const Footer& v);
void append_data_end(Bytes& out, std::uint32_t data_crc);

// A record where it lies in a file or chunk.
struct RecordView {
  std::uint64_t offset = 0;
  Opcode opcode{};
  ByteView content;
  std::uint64_t length() const { return kRecordHead + content.size(); }
  std::uint64_t end() const { return offset + length(); }
};

// The record that begins at `at`, or nothing when the bytes end before it does.
std::optional<RecordView> record_at(ByteView bytes, std::uint64_t at);

// Each reads a record's content; false when it is malformed. Views point into `content`.
bool parse(ByteView content, Header& v);
bool parse(ByteView content, Schema& v);
bool parse(ByteView content, Channel& v);
bool parse(ByteView content, Message& v);
bool parse(ByteView content, Chunk& v);
bool parse(ByteView content, MessageIndex& v);
bool parse(ByteView content, ChunkIndex& v);
bool parse(ByteView content, Attachment& v);  // does not check the CRC
bool parse(ByteView content, AttachmentIndex& v);
bool parse(ByteView content, Metadata& v);
bool parse(ByteView content, MetadataIndex& v);
bool parse(ByteView content, Statistics& v);
bool parse(ByteView content, Footer& v);
bool parse_data_end(ByteView content, std::uint32_t& data_crc);
// Whether an attachment's CRC is right, or absent.
bool attachment_intact(ByteView content);

}  // namespace convoy::mcap
