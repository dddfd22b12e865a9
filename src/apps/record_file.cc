#include "apps/record_file.h"

#include <fmt/format.h>

#include "engines/identity.h"

namespace convoy::apps {

namespace {

RecordingHead head_of(const scenario::Scenario& scenario) {
  RecordingHead head;
  head.protocol = kProtocolVersion;
  head.version = engines::version_text();
  head.build = engines::build_text();
  head.fingerprint = engines::numeric_fingerprint();
  head.scenario = scenario.setup.name.empty() ? scenario.file : scenario.setup.name;
  head.hosts = scenario.run.hosts.names;
  if (scenario.run.mode == scenario::TimeMode::kFree) head.mode = "free";
  return head;
}

Result<ViewDetail> view_of(const RecordArguments& arguments, const RecordDetail& detail) {
  ViewDetail out;
  if (arguments.scene == "off") out.scene = ViewDetail::Scene::kNone;
  else if (arguments.scene == "rigid" || (arguments.scene.empty() && detail.poses()))
    out.scene = ViewDetail::Scene::kRigid;
  if (arguments.frames.empty()) return out;
  const auto every = parse_rate(arguments.frames);
  if (!every) return tl::unexpected(Error{every.error().code, every.error().text, "--record-tf"});
  out.frames = *every;
  return out;
}

// "3.4 GB"
std::string size_text(double bytes) {
  const char* unit = "bytes";
  for (const char* larger : {"kB", "MB", "GB", "TB"}) {
    if (bytes < 1000) break;
    bytes /= 1000, unit = larger;
  }
  return fmt::format("{:.{}f} {}", bytes, bytes < 10 ? 1 : 0, unit);
}

std::string estimate(const scenario::Scenario& scenario, const RecordDetail& detail, Duration round) {
  const auto hour = [&](const RecordDetail& d) {
    return size_text(expected_size(scenario.setup, d, std::chrono::hours(1), round));
  };
  const std::string now = fmt::format("{}: about {} for an hour of simulated time", to_text(detail), hour(detail));
  if (detail.poses()) return now;
  const RecordDetail less{std::chrono::milliseconds(100)};
  return fmt::format("{}; {} would take {}", now, to_text(less), hour(less));
}

}  // namespace

Result<std::unique_ptr<RecordFile>> RecordFile::open(const RecordArguments& arguments,
                                                     const scenario::Scenario& scenario, ServerOptions& options,
                                                     Log& log) {
  auto out = std::make_unique<RecordFile>();
  const auto detail = parse_record_detail(arguments.detail);
  if (!detail) return tl::unexpected(Error{detail.error().code, detail.error().text, "--record-detail"});
  const auto view = view_of(arguments, *detail);
  if (!view) return tl::unexpected(view.error());
  if (arguments.file.empty()) return out;
  auto file = os::AppendFile::open(arguments.file, os::AppendFile::Mode::kNew);
  if (!file) return tl::unexpected(file.error());
  out->sink_ = std::make_unique<FileSink>(std::move(*file));
  const auto text = os::read_text(scenario.file);
  const std::string scenario_text = text ? *text : std::string();
  const bool free = scenario.run.mode == scenario::TimeMode::kFree;
  if (free || detail->poses()) {
    out->samples_ =
        std::make_unique<SampleRecorder>(*out->sink_, scenario.setup, head_of(scenario), scenario_text, *detail, *view);
    if (free) options.live.watchers.push_back(out->samples_.get());
    out->watcher_ = out->samples_.get(), out->file_ = &out->samples_->file();
  } else {
    options.membership.checkpoints = true;
    out->whole_ = std::make_unique<Recorder>(*out->sink_, scenario.setup, head_of(scenario), scenario_text, *view);
    out->watcher_ = out->whole_.get(), out->file_ = &out->whole_->file();
  }
  log.line(LogLevel::kInfo, "recording " + estimate(scenario, *detail, free ? options.live.period : Duration{}));
  return out;
}

bool RecordFile::close(Log& log) {
  const Status ok = file_ ? file_->close() : Status{};
  if (!ok) log.line(LogLevel::kError, "the recording is not complete: " + ok.error().message());
  return ok.has_value();
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
