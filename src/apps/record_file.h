// --record F.mcap: the file, and the recorder that fills it.
#pragma once

#include <memory>
#include <string>

#include "os/file.h"
#include "roles/recorder.h"
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

struct RecordFile {
  RecordFile(os::AppendFile file, const Setup& setup, RecordingHead head, const std::string& scenario_text)
      : sink(std::move(file)), recorder(sink, setup, std::move(head), scenario_text) {}
  FileSink sink;
  Recorder recorder;
};

// Nothing if `path` is empty. Has the hosts send checkpoints.
Result<std::unique_ptr<RecordFile>> record_to(const std::string& path, const scenario::Scenario& scenario,
                                              ServerOptions& options);

// A recording that was opened for reading, with the file behind it.
struct OpenedRecording {
  os::MappedFile file;
  Recording recording;
};
Result<std::unique_ptr<OpenedRecording>> open_recording(const std::string& path);

}  // namespace convoy::apps
