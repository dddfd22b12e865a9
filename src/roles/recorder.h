// The recorder: watches a run and writes all of it into one file (format: record/recording.h).
//
//   Recorder recorder(sink, setup, head, scenario_text);
//   ServerRole::make(setup, options, network, log, {&recorder});   // options.membership.checkpoints = true
//   recorder.on_time(now);        // now and then: a crash loses no more than a second
//   Status ok = recorder.close();
//
// Only watches: a recorded run has the digest of an unrecorded one. After a failure of the sink it is silent;
// failure() has the reason, the run goes on.
#pragma once

#include "lockstep/conductor.h"
#include "record/mcap_writer.h"
#include "record/recording.h"

namespace convoy {

inline constexpr Duration kChunkEvery = std::chrono::seconds(1);              // of the host's clock
inline constexpr Duration kTransformsEvery = std::chrono::milliseconds(100);  // of simulated time

class Recorder final : public RunWatcher {
 public:
  // The sink outlives it. `head.setup_hash` is filled in.
  Recorder(ByteSink& sink, const Setup& setup, RecordingHead head, std::string_view scenario_text);

  void completed(std::uint32_t run, Tick tick, const World& world, std::span<const AgentHash> inside,
                 std::span<const Message> sent) override;
  void entered(const JournalEntry& entry) override;
  void chained(std::uint32_t run, Tick tick, std::uint64_t digest, const World& world,
               std::span<const AgentHash> inside) override;
  void checkpointed(std::uint32_t run, Tick tick, const InnerBytes& inner) override;
  void code(std::span<const CodeFile> files) override;

  void on_time(Moment now);
  Status close();
  const std::optional<Error>& failure() const { return failure_; }

 private:
  enum class Edited : std::uint8_t { kNot, kStates, kShape };
  struct Line {
    std::uint16_t channel = 0;
    std::uint32_t sequence = 0;
  };
  void begin(const Setup& setup, RecordingHead head, std::string_view scenario_text);
  void keep(const Status& status);
  Line line(const char* name, std::uint16_t schema, const char* encoding, const char* help);
  void write(Line& to, Tick tick, ByteView bytes);
  void write_pieces(Line& to, Tick tick, const Bytes& whole);
  void write_element_hashes(Tick tick);
  void write_world(const World& world, Tick tick);
  void write_checkpoint(const World& world, std::span<const AgentHash> inside, std::span<const Message> sent);
  void write_transforms(const World& world);
  std::uint64_t log_time(Tick tick) const;

  McapWriter file_;
  std::optional<Error> failure_;
  bool closed_ = false;
  Duration tick_length_;
  Tick checkpoint_;
  std::uint64_t digest_seed_;
  Line reached_, checkpoint_line_, journal_, edited_, world_, elements_, digest_line_, transforms_;

  std::uint32_t run_ = 0;
  Tick tick_ = 0;
  std::uint64_t run_began_ns_ = 0;             // log time of boundary 0 of this run
  std::uint64_t digest_;                       // of the boundary before
  std::uint64_t written_structure_ = 0;        // of the last world in the file; 0: the setup's
  Edited edited_now_ = Edited::kNot;           // what the edits that were journalled at this boundary changed
  std::vector<std::uint64_t> element_hashes_;  // journalled at this boundary
  std::vector<WorldNumber> lost_;              // in the tick that is completing
  Tick inner_tick_ = -1;
  std::map<WorldNumber, Bytes> inner_;
  BoundaryCoder coder_;
  Boundary boundary_;
  Bytes scratch_;
  Moment chunk_due_{};
};

}  // namespace convoy
