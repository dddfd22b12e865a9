// The recorder: watches a run and writes all of it into one file (format: record/recording.h).
//
//   Recorder recorder(sink, setup, head, scenario_text);
//   ServerRole::make(setup, options, network, log, {&recorder});   // options.membership.checkpoints = true
//   recorder.file().on_time(now);        // now and then: a crash loses no more than a second
//   Status ok = recorder.file().close();
//
// Only watches: a recorded run has the digest of an unrecorded one.
#pragma once

#include "lockstep/conductor.h"
#include "record/recording_writer.h"
#include "record/scene_writer.h"

namespace convoy {

class Recorder final : public RunWatcher {
 public:
  // The sink outlives it. `head.setup_hash` is filled in.
  Recorder(ByteSink& sink, const Setup& setup, RecordingHead head, std::string_view scenario_text,
           const ViewDetail& view = {});

  void completed(std::uint32_t run, Tick tick, const World& world, std::span<const AgentHash> inside,
                 std::span<const Message> sent) override;
  void entered(const JournalEntry& entry) override;
  void chained(std::uint32_t run, Tick tick, std::uint64_t digest, const World& world,
               std::span<const AgentHash> inside) override;
  void checkpointed(std::uint32_t run, Tick tick, const InnerBytes& inner) override;
  void code(std::span<const CodeFile> files) override;

  RecordingWriter& file() { return file_; }
  SceneWriter& scene() { return scene_; }

 private:
  enum class Edited : std::uint8_t { kNot, kStates, kShape };
  using Line = RecordingWriter::Line;
  void write(Line& to, Tick tick, ByteView bytes);
  void write_element_hashes(Tick tick);
  void write_world(const World& world, Tick tick);
  void write_checkpoint(const World& world, std::span<const AgentHash> inside, std::span<const Message> sent);
  std::uint64_t log_time(Tick tick) const;

  RecordingWriter file_;
  SceneWriter scene_;
  Duration tick_length_;
  Tick checkpoint_;
  std::uint64_t digest_seed_;
  Line reached_, checkpoint_line_, journal_, edited_, world_, elements_, digest_line_;

  std::uint32_t run_ = 0;
  Tick tick_ = 0;
  std::uint64_t digest_;                       // of the boundary before
  std::uint64_t written_structure_ = 0;        // of the last world in the file; 0: the setup's
  Edited edited_now_ = Edited::kNot;           // what the edits that were journalled at this boundary changed
  std::vector<std::uint64_t> element_hashes_;  // journalled at this boundary
  std::vector<WorldNumber> lost_;              // in the tick that is completing
  Tick inner_tick_ = -1;
  std::map<WorldNumber, Bytes> inner_, under_way_;
  BoundaryCoder coder_;
  Boundary boundary_;
  Bytes scratch_;
};

}  // namespace convoy
