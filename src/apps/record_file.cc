#include "apps/record_file.h"

#include "os/identity.h"

namespace convoy::apps {

Result<std::unique_ptr<RecordFile>> record_to(const std::string& path, const scenario::Scenario& scenario,
                                              ServerOptions& options) {
  if (path.empty()) return nullptr;
  auto file = os::AppendFile::open(path, os::AppendFile::Mode::kNew);
  if (!file) return tl::unexpected(file.error());
  RecordingHead head;
  head.protocol = kProtocolVersion;
  head.version = os::version_text();
  head.build = os::build_text();
  head.fingerprint = os::numeric_fingerprint();
  head.scenario = scenario.setup.name.empty() ? scenario.file : scenario.setup.name;
  head.hosts = scenario.run.hosts.names;
  options.membership.checkpoints = true;
  const auto text = os::read_text(scenario.file);
  return std::make_unique<RecordFile>(std::move(*file), scenario.setup, std::move(head), text ? *text : std::string());
}

Result<std::unique_ptr<OpenedRecording>> open_recording(const std::string& path) {
  auto file = os::MappedFile::open(path);
  if (!file) return tl::unexpected(file.error());
  auto recording = Recording::open(file->bytes());
  if (!recording) {
    Error error = recording.error();
    error.where = path;
    return tl::unexpected(error);
  }
  return std::make_unique<OpenedRecording>(OpenedRecording{std::move(*file), std::move(*recording)});
}

}  // namespace convoy::apps
