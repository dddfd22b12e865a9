#include "apps/record_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/nearest.h"
#include "engines/identity.h"

namespace convoy::apps {

namespace {

RecordingHead this_build() {
  RecordingHead head;
  head.protocol = kProtocolVersion;
  head.version = engines::version_text();
  head.build = engines::build_text();
  head.fingerprint = engines::numeric_fingerprint();
  return head;
}

RecordingHead head_of(const scenario::Scenario& scenario) {
  RecordingHead head = this_build();
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

Result<std::vector<SensorChoice>> choices_of(const RecordArguments& arguments) {
  std::vector<SensorChoice> out;
  for (const std::string& text : arguments.sensors) {
    auto choice = parse_sensor_choice(text);
    if (!choice) return tl::unexpected(Error{choice.error().code, choice.error().text, "--record-sensors"});
    out.push_back(std::move(*choice));
  }
  return out;
}

// Robots may come later, so it is no error.
void warn_of_strangers(const std::vector<SensorChoice>& choices, const Setup& setup, Log& log) {
  std::vector<std::string> names;
  for (const EntitySpec& entity : setup.entities)
    for (const SensorSpec& sensor : entity.sensors) names.push_back(entity.name + "/" + sensor.name);
  for (const SensorChoice& choice : choices) {
    const auto fits = [&](const std::string& name) { return matches(choice.pattern, name); };
    if (std::any_of(names.begin(), names.end(), fits)) continue;
    const std::string near = nearest_name(choice.pattern, names);
    log.line(LogLevel::kWarn, "--record-sensors: no robot has a sensor '" + choice.pattern + "' at the start" +
                                  (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
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

std::string estimate(const Setup& setup, const RecordDetail& detail, Duration round) {
  const auto hour = [&](const RecordDetail& d) {
    return size_text(expected_size(setup, d, std::chrono::hours(1), round));
  };
  const std::string now = fmt::format("{}: about {} for an hour of simulated time", to_text(detail), hour(detail));
  if (detail.poses()) return now;
  const RecordDetail less{std::chrono::milliseconds(100)};
  return fmt::format("{}; {} would take {}", now, to_text(less), hour(less));
}

}  // namespace

Recorded recorded_of(const scenario::Scenario& scenario) {
  const auto text = os::read_text(scenario.file);
  return {scenario.setup, head_of(scenario), text ? *text : std::string(),
          scenario.run.mode == scenario::TimeMode::kFree};
}

Recorded recorded_of(const Recording& recording, const std::vector<std::string>& hosts) {
  RecordingHead head = this_build();
  head.scenario = recording.head().scenario;
  head.hosts = hosts;
  return {recording.setup(), std::move(head), recording.scenario_text(), false};
}

Result<std::unique_ptr<RecordFile>> RecordFile::open(const RecordArguments& arguments,
                                                     const scenario::Scenario& scenario, ServerOptions& options,
                                                     Log& log) {
  Recorded what = recorded_of(scenario);
  const bool free = what.free;
  auto out = open(arguments, std::move(what), free ? options.live.period : Duration{}, log);
  if (!out) return out;
  if ((*out)->whole_) options.membership.checkpoints = true;
  if (free && (*out)->samples_) options.live.watchers.push_back((*out)->samples_.get());
  return out;
}

Result<std::unique_ptr<RecordFile>> RecordFile::open(const RecordArguments& arguments, Recorded what, Duration round,
                                                     Log& log) {
  auto out = std::make_unique<RecordFile>();
  const auto detail = parse_record_detail(arguments.detail);
  if (!detail) return tl::unexpected(Error{detail.error().code, detail.error().text, "--record-detail"});
  const auto view = view_of(arguments, *detail);
  if (!view) return tl::unexpected(view.error());
  auto sensors = choices_of(arguments);
  if (!sensors) return tl::unexpected(sensors.error());
  if (arguments.file.empty()) return out;
  auto file = os::AppendFile::open(arguments.file, os::AppendFile::Mode::kNew);
  if (!file) return tl::unexpected(file.error());
  out->sink_ = std::make_unique<FileSink>(std::move(*file));
  if (what.free || detail->poses()) {
    out->samples_ = std::make_unique<SampleRecorder>(*out->sink_, what.setup, std::move(what.head), what.scenario_text,
                                                     *detail, *view);
    out->watcher_ = out->samples_.get(), out->file_ = &out->samples_->file(), out->scene_ = &out->samples_->scene();
  } else {
    out->whole_ = std::make_unique<Recorder>(*out->sink_, what.setup, std::move(what.head), what.scenario_text, *view);
    out->watcher_ = out->whole_.get(), out->file_ = &out->whole_->file(), out->scene_ = &out->whole_->scene();
  }
  if (!sensors->empty()) {
    warn_of_strangers(*sensors, what.setup, log);
    out->sensors_ = std::make_unique<SensorRecorder>(*out->file_, std::move(*sensors));
    out->scene_->set_sensors([recorder = out->sensors_.get()](const std::string& robot, const SensorSpec& sensor) {
      return recorder->picker().every_of(robot, sensor).has_value();
    });
  }
  log.line(LogLevel::kInfo, "recording " + estimate(what.setup, *detail, round));
  return out;
}

void RecordFile::want_from_hosts(ServerOptions& options) const {
  if (sensors_) options.wanted = sensors_->picker().choices(), options.seen = sensors_.get();
}

bool RecordFile::close(Log& log, std::uint64_t lacking) {
  if (lacking > 0)
    log.line(LogLevel::kWarn,
             fmt::format("{} samples are not in the recording: hosts could not send them fast enough", lacking));
  if (sensors_ && sensors_->left_out() > 0)
    log.line(LogLevel::kWarn, fmt::format("{} samples are not in the recording: it has channels for {} sensors",
                                          sensors_->left_out(), kMostSensorChannels));
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
