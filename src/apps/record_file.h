// --record F.mcap: the file, and the recorder that fills it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/arguments.h"
#include "os/file.h"
#include "roles/recorder.h"
#include "roles/sample_recorder.h"
#include "roles/sensor_recorder.h"
#include "roles/server.h"
#include "scenario/scenario.h"

namespace convoy::apps {

class FileSink final : public ByteSink {
 public:
  explicit FileSink(os::AppendFile file) : file_(std::move(file)) {}
  Status write(ByteView bytes) override { return file_.write(bytes); }
  Status flush() override { return file_.flush(); }

 private:
  os::AppendFile file_;
};

// What is recorded: a run of a scenario, or that of a recording once more.
struct Recorded {
  const Setup& setup;
  RecordingHead head;
  std::string scenario_text;
  bool free = false;
};
Recorded recorded_of(const scenario::Scenario& scenario);
Recorded recorded_of(const Recording& recording, const std::vector<std::string>& hosts);

// The file of a run that is recorded, or nothing if it is not.
class RecordFile {
 public:
  // Has the server show free mode to the recorder, and the hosts send checkpoints where it needs them, and logs what an
  // hour of it takes. An error: an argument is none, or the file cannot be made.
  static Result<std::unique_ptr<RecordFile>> open(const RecordArguments& arguments, const scenario::Scenario& scenario,
                                                  ServerOptions& options, Log& log);
  // Of a run in lockstep whose hosts send checkpoints already, if it records all of it.
  static Result<std::unique_ptr<RecordFile>> open(const RecordArguments& arguments, Recorded what, Duration round,
                                                  Log& log);

  void add_to(std::vector<RunWatcher*>& watchers) const {
    if (watcher_) watchers.push_back(watcher_);
  }
  // Of samples, by hosts in this process; null: it records none.
  SampleTaker* taker() const { return sensors_.get(); }
  // Of samples, by hosts elsewhere: the server gets them.
  void want_from_hosts(ServerOptions& options) const;
  void on_time(Moment now) {
    if (file_) file_->on_time(now);
  }
  // False: the recording is not complete, which is logged. `lacking`: samples that hosts could not send.
  bool close(Log& log, std::uint64_t lacking = 0);

 private:
  std::unique_ptr<FileSink> sink_;
  std::unique_ptr<Recorder> whole_;
  std::unique_ptr<SampleRecorder> samples_;
  std::unique_ptr<SensorRecorder> sensors_;
  RunWatcher* watcher_ = nullptr;    // of these two the one that is there
  RecordingWriter* file_ = nullptr;  // its file
  SceneWriter* scene_ = nullptr;     // and what it shows
};

// A recording that was opened for reading, with the file behind it.
struct OpenedRecording {
  os::MappedFile file;
  Recording recording;
};
Result<std::unique_ptr<OpenedRecording>> open_recording(const std::string& path);

}  // namespace convoy::apps
