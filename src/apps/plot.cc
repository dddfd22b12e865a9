// convoy plot: where the robots of a recording went, over the map, as a picture and as a table; a film: movie.cc.
#include <fmt/format.h>

#include "apps/arguments.h"
#include "apps/movie.h"
#include "apps/record_file.h"
#include "apps/recording_facts.h"
#include "os/output_file.h"
#include "os/standard_streams.h"
#include "os/terminal.h"
#include "record/svg.h"

namespace convoy::apps {

namespace {

constexpr std::uint64_t kSampleEvery_ns = 100'000'000;  // of simulated time
constexpr std::size_t kMaxPoints = 20'000'000;          // in all; a longer recording is sampled more coarsely

Result<std::vector<Trajectory>> trajectories_of(const Recording& recording) {
  const auto names = names_of(recording);
  const std::uint64_t per_sample = recording.setup().entities.size() + 1;
  const std::uint64_t every =
      std::max(kSampleEvery_ns, recording.end_ns() / std::max<std::uint64_t>(1, kMaxPoints / per_sample));
  std::map<std::pair<std::uint32_t, WorldNumber>, Trajectory> lines;
  Recording::Cursor cursor = recording.from_start();
  BoundaryCoder coder;
  Boundary b;
  std::uint64_t due = 0;
  while (const Recording::Item* item = cursor.peek()) {
    if (item->kind == RecordKind::kReached || item->kind == RecordKind::kEdited || item->kind == RecordKind::kSample) {
      if (auto ok = coder.decode(item->bytes, b); !ok) return tl::unexpected(ok.error());
      const bool end = item->place == recording.end();
      if (item->kind != RecordKind::kEdited && (item->time_ns >= due || b.tick == 0 || end)) {
        due = item->time_ns - item->time_ns % every + every;
        for (std::size_t i = 0; i < b.size(); ++i) {
          const State s = b.state(i);
          Trajectory& line = lines[{b.run, b.numbers[i]}];
          line.points.push_back({static_cast<double>(item->time_ns) * 1e-9, s.pose.p.x, s.pose.p.y, yaw_of(s.pose.q)});
        }
      }
    }
    cursor.next();
  }
  if (cursor.trouble()) return tl::unexpected(*cursor.trouble());
  std::vector<Trajectory> out;
  for (auto& [key, line] : lines) {
    const auto name = names.find(key);
    line.name = name != names.end() ? name->second : fmt::format("number {}", key.second.value());
    if (key.first > 0) line.name += fmt::format(" (run {})", key.first);
    out.push_back(std::move(line));
  }
  return out;
}

std::string beside(const std::string& file, const char* extension) {
  const std::size_t dot = file.rfind('.'), slash = file.rfind('/');
  const bool has = dot != std::string::npos && (slash == std::string::npos || dot > slash + 1) && dot > 0;
  return (has ? file.substr(0, dot) : file) + extension;
}

bool is_png(const std::string& file) { return file.ends_with(".png") || file.ends_with(".PNG"); }
// Also what has no extension, as /dev/stdout.
bool is_svg(const std::string& file) {
  const std::string name = file.substr(file.rfind('/') + 1);
  return name.ends_with(".svg") || name.ends_with(".SVG") || name.find('.') == name.npos;
}

Status draw(os::OutputFile& out, std::span<const Trajectory> lines, const MapImage* map, const std::string& title) {
  if (!is_png(out.path())) return out.write(as_bytes(draw_trajectories(lines, map, title)));
  const Bytes png = draw_trajectories_png(lines, map, title);
  if (png.empty()) return fail(ErrorCode::kUnavailable, "no memory for a picture", out.path());
  return out.write(png);
}

}  // namespace

int plot(const Arguments& arguments) {
  if (!arguments.movie.file.empty()) return movie(arguments);
  os::StderrLog log(arguments.log_level);
  const std::string out = !arguments.draw.out.empty() ? arguments.draw.out : beside(arguments.file, ".svg");
  if (!is_png(out) && !is_svg(out))
    return complain("'" + out + "': a picture is written as .svg or .png, and a table by --csv", kUsage);
  auto opened = open_recording(arguments.file);
  if (!opened) return complain(opened.error().message(), kUsage);
  const Recording& recording = (*opened)->recording;
  if (!recording.intact())
    log.line(LogLevel::kWarn, fmt::format("{}: {}; drawn up to {:.9g} s", arguments.file, recording.damage(),
                                          static_cast<double>(recording.end_ns()) * 1e-9));
  auto picture = os::OutputFile::open(out);
  if (!picture) return complain(picture.error().message(), kUsage);
  std::optional<os::OutputFile> table;
  if (!arguments.draw.csv.empty()) {
    auto file = os::OutputFile::open(arguments.draw.csv);
    if (!file) return complain(file.error().message(), kUsage);
    table = std::move(*file);
  }
  auto lines = trajectories_of(recording);
  if (!lines) return complain(lines.error().message(), kFailed);

  const MapData& data = recording.setup().map;
  std::vector<MapCell> cells;
  cells.reserve(data.cells.size());
  for (std::uint8_t cell : data.cells) cells.push_back(cell < 3 ? static_cast<MapCell>(cell) : MapCell::kUnknown);
  const MapImage map{static_cast<int>(data.width),
                     static_cast<int>(data.height),
                     data.resolution,
                     data.origin.x,
                     data.origin.y,
                     data.origin.yaw,
                     cells};
  const std::string title = fmt::format("{}: {} robots, {:.9g} s", recording.head().scenario, lines->size(),
                                        static_cast<double>(recording.end_ns()) * 1e-9);
  if (auto ok = draw(*picture, *lines, cells.empty() ? nullptr : &map, title); !ok)
    return complain(ok.error().message(), kFailed);
  if (table) {
    const std::string text = trajectories_csv(*lines);
    if (auto ok = table->write(as_bytes(text)); !ok) return complain(ok.error().message(), kFailed);
  }
  if (arguments.json) {
    nlohmann::ordered_json json = json_of(arguments.file, recording, facts_of(recording));
    std::size_t points = 0;
    for (const Trajectory& line : *lines) points += line.points.size();
    json["trajectories"] = lines->size();
    json["points"] = points;
    json["picture"] = out;
    json["table"] = arguments.draw.csv.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(arguments.draw.csv);
    os::print("{}\n", json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else {
    os::print("{}\n", out);
    if (table) os::print("{}\n", arguments.draw.csv);
  }
  return kOk;
}

}  // namespace convoy::apps
