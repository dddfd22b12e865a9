// The messages of an MCAP file one by one, by log time, then by place in the file: for a reader that takes the next one
// when its time has come. It unpacks chunk by chunk and holds those that overlap in time, so files may be larger than
// memory.
//
//   McapCursor cursor(reader, {.from_ns = t0});
//   for (auto m = cursor.next(); m && *m; m = cursor.next()) use(**m);
#pragma once

#include <functional>
#include <map>
#include <queue>
#include <vector>

#include "record/mcap_chunk.h"
#include "record/mcap_reader.h"

namespace convoy {

struct McapSpan {
  std::uint64_t from_ns = 0, to_ns = UINT64_MAX;    // from <= log time < to
  std::function<bool(const mcap::Channel&)> wants;  // none: all channels. Chunks without any of them are not unpacked
};

class McapCursor {
 public:
  // The reader has an index (McapReader::make_index()) and outlives the cursor.
  McapCursor(const McapReader& reader, McapSpan span);
  McapCursor(McapCursor&&) = default;
  McapCursor& operator=(McapCursor&&) = default;

  // Null at the end. Valid until the next call. An error ends it.
  Result<const MessageView*> next();

 private:
  // A chunk's messages of the span, being handed over.
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

  bool wants(std::uint16_t channel) const;
  bool wants(const mcap::ChunkIndex& chunk) const;
  Status open_next();
  Status let_go();
  const MessageView* show(const mcap::Message& message, std::uint64_t offset, bool checked);
  Result<const MessageView*> next_loose();

  const McapReader* reader_;
  McapSpan span_;
  mcap::Catalogue catalogue_;
  std::vector<const mcap::ChunkIndex*> chunks_;  // by their first log time
  std::size_t next_chunk_ = 0;
  std::size_t next_loose_ = 0;
  std::map<std::uint64_t, OpenChunk> open_;  // by offset
  std::priority_queue<OpenChunk*, std::vector<OpenChunk*>, Later> queue_;
  OpenChunk* shown_ = nullptr;  // whose message view_ shows
  std::uint64_t held_ = 0;
  MessageView view_;
};

}  // namespace convoy
