// Writes an MCAP file: messages in compressed, checksummed and indexed chunks, attachments, metadata, and a summary.
//
//   McapWriter file(sink, {.compression = Compression::kZstd});
//   auto schema = file.add_schema("foxglove.FrameTransforms", "protobuf", descriptor);
//   auto channel = file.add_channel({.schema_id = *schema, .topic = "/tf", .message_encoding = "protobuf"});
//   Status ok = file.write({.channel_id = *channel, .log_time_ns = t, .publish_time_ns = t, .data = bytes});
//   ok = file.close();
//
// The same calls give the same bytes (see compress.h for what that asks of libraries). Each chunk repeats the schemas
// and channels that its messages need, so that any whole chunk can be read when the rest of the file is lost.
// When the sink fails, that call and every later one return the sink's error. A call that is refused for its arguments
// leaves the file as it was. Use from one thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "convoy/result.h"
#include "core/bytes.h"
#include "record/byte_sink.h"
#include "record/compress.h"
#include "record/mcap_format.h"

namespace convoy {

// A chunk is closed before it would grow beyond this; a single larger message gets a chunk of its own.
inline constexpr std::size_t kChunkSize = 768 * 1024;
// Larger ones are refused, so that no chunk is larger than readers take (kMaxUnpacked).
inline constexpr std::size_t kMaxMessage = 32u << 20;
inline constexpr std::size_t kMaxSchema = 4u << 20;
inline constexpr std::size_t kMaxChannelRecord = 1u << 20;
// Refused beyond: the index of chunks is kept in memory until close(). At one chunk per second 12 days.
inline constexpr std::size_t kMaxChunks = 1u << 20;

struct McapOptions {
  Compression compression = Compression::kZstd;
  std::size_t chunk_size = kChunkSize;  // 1 .. kMaxMessage
  std::string profile;
  std::string library = "convoy";
};

class McapWriter {
 public:
  // The sink must be empty, and outlives the writer. The first bytes are written by the first call that needs to.
  explicit McapWriter(ByteSink& sink, McapOptions options = {});
  McapWriter(const McapWriter&) = delete;
  McapWriter& operator=(const McapWriter&) = delete;

  // Ids count from 1. `encoding` is a well-known name of the MCAP registry, as "protobuf".
  Result<std::uint16_t> add_schema(std::string_view name, std::string_view encoding, ByteView data);
  // `channel.id` is ignored; the new id is returned.
  Result<std::uint16_t> add_channel(mcap::Channel channel);

  Status write(const mcap::Message& message);
  Status attach(const mcap::Attachment& attachment);
  Status add_metadata(const mcap::Metadata& metadata);

  // Writes out the messages so far and flushes the sink; called each second, it bounds what a crash can lose.
  Status finish_chunk();

  // Writes the rest and the summary, and flushes. Only close() makes a whole file; no call is allowed after it.
  Status close();

  const mcap::Statistics& statistics() const { return statistics_; }

 private:
  struct ChannelState {
    mcap::Channel channel;
    std::size_t record_size = 0;
    bool in_chunk = false;  // introduced in the open chunk
    std::uint64_t messages = 0;
    mcap::MessageIndex index;  // of the open chunk
  };
  struct SchemaState {
    mcap::Schema schema;
    std::size_t record_size = 0;
    bool in_chunk = false, written = false;
  };

  Status ready();
  Status put(ByteView bytes);
  Status put_chunk();
  Status put_indexes(mcap::ChunkIndex& index);
  Status put_unused();
  Status put_summary();
  Status flush();
  std::size_t introduction_size(const ChannelState& state) const;
  void introduce(ChannelState& state);
  mcap::Statistics full_statistics() const;

  ByteSink& sink_;
  McapOptions options_;
  std::optional<Error> broken_;
  bool begun_ = false, closed_ = false;
  std::uint64_t at_ = 0;        // bytes written
  std::uint32_t data_crc_ = 0;  // of them
  Bytes scratch_;

  std::vector<SchemaState> schemas_;    // id - 1
  std::vector<ChannelState> channels_;  // id - 1

  Bytes chunk_;                                // the open one, not packed
  std::vector<std::uint16_t> chunk_channels_;  // introduced in it
  std::uint64_t chunk_start_ns_ = 0, chunk_end_ns_ = 0;

  std::vector<mcap::ChunkIndex> chunk_indexes_;
  std::vector<mcap::AttachmentIndex> attachment_indexes_;
  std::vector<mcap::MetadataIndex> metadata_indexes_;
  mcap::Statistics statistics_;
};

}  // namespace convoy
