// Records what can be shown, but not be run again: where the entities are, at a rate (format: record/recording.h).
//
//   SampleRecorder recorder(sink, setup, head, scenario_text, {.every = 100ms});
//   ServerRole::make(setup, options, network, log, {&recorder});   // in free mode: options.live.watchers
//   recorder.file().on_time(now);
//   Status ok = recorder.file().close();
//
// Of a run in lockstep these are poses of the boundaries whose time has come, and the edits. Of a run in free mode they
// are the newest states that owners have told, in each round of the server, with edits, inputs and elements; or poses
// and edits.
#pragma once

#include "lockstep/watchers.h"
#include "record/record_detail.h"
#include "record/recording_writer.h"
#include "record/scene_writer.h"
#include "replication/live_watcher.h"

namespace convoy {

// Simulated, from one sample to the next at which a reader may begin.
inline constexpr Duration kKeyEvery = std::chrono::seconds(10);

class SampleRecorder final : public RunWatcher, public LiveWatcher {
 public:
  // The sink outlives it. Layout and detail of the head are filled in.
  SampleRecorder(ByteSink& sink, const Setup& setup, RecordingHead head, std::string_view scenario_text,
                 RecordDetail detail, const ViewDetail& view = {});

  void completed(std::uint32_t run, Tick tick, const World& world, std::span<const AgentHash> inside,
                 std::span<const Message> sent) override;
  void shown(std::uint32_t run, Tick tick, Instant now, const World& world, const Mirror& told) override;
  void entered(const JournalEntry& entry) override;
  void chained(std::uint32_t, Tick, std::uint64_t, const World&, std::span<const AgentHash>) override {}
  void checkpointed(std::uint32_t, Tick, const InnerBytes&) override {}
  void code(std::span<const CodeFile> files) override { file_.code(files); }

  RecordingWriter& file() { return file_; }
  SceneWriter& scene() { return scene_; }

 private:
  bool follow(std::uint32_t run, Tick tick, Instant now);
  void write(const World& world, const Mirror* told);
  std::uint64_t log_time() const;

  RecordingWriter file_;
  SceneWriter scene_;
  RecordDetail detail_;
  Duration tick_length_;
  RecordingWriter::Line samples_, journal_;
  std::optional<Place> last_;  // that was written
  Instant now_{};              // in this run
  std::uint32_t run_ = 0;
  std::uint64_t due_ns_ = 0;  // log time of the next sample
  std::uint64_t next_key_ns_ = 0;
  BoundaryCoder coder_;
  Boundary boundary_;
  std::vector<AgentHash> no_hashes_;
  std::vector<Pose> poses_;
  Bytes scratch_;
};

}  // namespace convoy
