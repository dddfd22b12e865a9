// Writes the parts that every recording has: what the run is made of, lines of records, chunks.
//
//   RecordingWriter file(sink, setup, head, scenario_text);
//   auto journal = file.line(topic::kJournal, "edits and inputs");
//   file.write(journal, time_ns, bytes);
//   file.on_time(now);        // now and then
//   Status ok = file.close();
//
// A chunk ends with each second of simulated time, so that a file that is cut somewhere lacks no more than the last one
// however fast the run goes; and with each second of the host's clock, so that a crash loses no more however slow it is.
// After a failure of the sink it is silent; failure() has the reason, the run goes on.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "record/foxglove/schema.h"
#include "record/mcap_writer.h"
#include "record/recording.h"

namespace convoy {

inline constexpr Duration kChunkEvery = std::chrono::seconds(1);  // of the host's clock, and of simulated time

class RecordingWriter {
 public:
  // One channel of the file.
  struct Line {
    std::uint16_t channel = 0;
    std::uint32_t sequence = 0;  // of its next record
  };

  // The sink outlives it. `head.setup_hash` is filled in.
  RecordingWriter(ByteSink& sink, const Setup& setup, RecordingHead head, std::string_view scenario_text);

  Line line(const char* name, const char* help);
  // A channel that others know how to read.
  Line line(const std::string& name, const ChannelSchema& schema, const char* help);
  // Times are nanoseconds since the recording began, and do not fall.
  void write(Line& to, std::uint64_t time_ns, ByteView bytes);
  // As many Pieces as it takes.
  void write_pieces(Line& to, Place place, std::uint64_t time_ns, const Bytes& whole);
  // Times go on through a reset: a run begins at that one.
  void begin_run(std::uint64_t time_ns) { run_began_ns_ = time_ns; }
  // Of an instant of that run; as the stamp of a message, too.
  std::uint64_t log_time(Instant at) const { return run_began_ns_ + static_cast<std::uint64_t>(nanos(at)); }
  Instant stamp(Instant at) const { return instant(static_cast<std::int64_t>(log_time(at))); }
  // All of users' code that is known to take part; again when there is more.
  void code(std::span<const CodeFile> files);

  void on_time(Moment now);
  Status close();
  const std::optional<Error>& failure() const { return failure_; }

 private:
  void begin(const Setup& setup, RecordingHead head, std::string_view scenario_text);
  void keep(const Status& status);
  Line add_line(const std::string& name, std::uint16_t schema, const std::string& encoding, const char* help);

  McapWriter file_;
  std::optional<Error> failure_;
  bool closed_ = false;
  std::map<std::string, std::uint16_t> schemas_;  // by name
  std::uint64_t run_began_ns_ = 0;
  std::uint64_t chunk_ends_ns_ = 0;  // of simulated time
  Moment chunk_due_{};
};

}  // namespace convoy
