// convoy replay: runs a recording again, and with --verify compares every boundary with it.
#include "roles/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>

#include "agent/scene.h"
#include "apps/arguments.h"
#include "apps/library_folders.h"
#include "apps/prepare.h"
#include "apps/record_file.h"
#include "apps/recording_facts.h"
#include "apps/software.h"
#include "apps/users_code.h"
#include "apps/web.h"
#include "core/hash.h"
#include "engines/engines.h"
#include "engines/identity.h"
#include "os/clock.h"
#include "os/signals.h"
#include "os/standard_streams.h"
#include "os/terminal.h"
#include "os/thread_pool.h"
#include "plugins/sensor_libraries.h"
#include "sensing/sensor.h"

namespace convoy::apps {

namespace {

// Why this build may come to other bits than the one that recorded; empty if it may not.
std::string foreign(const RecordingHead& head) {
  if (head.fingerprint != engines::numeric_fingerprint())
    return "it was recorded on a machine with other arithmetic (numeric fingerprint " + hex16(head.fingerprint) +
           ", here " + hex16(engines::numeric_fingerprint()) + ")";
  if (head.build != engines::build_text())
    return "it was recorded by another build (" + head.build + ", this is " + engines::build_text() + ")";
  return {};
}

// Those of the setup, and all that were spawned.
std::vector<EntitySpec> all_entities(const Recording& recording) {
  std::vector<EntitySpec> out = recording.setup().entities;
  for (const JournalEntry& entry : recording.journal())
    if (const Edit* edit = std::get_if<Edit>(&entry.what))
      if (const Spawn* spawn = std::get_if<Spawn>(edit)) out.push_back(spawn->spec);
  return out;
}

// Which camera's pictures count in the run and are others here; empty: none.
std::string other_pictures(const Recording& recording, std::span<const EntitySpec> entities, PictureMaker* pictures) {
  const std::vector<CodeFile>& code = recording.head().code;
  const auto recorded =
      std::find_if(code.begin(), code.end(), [](const CodeFile& file) { return file.name == kRendererCode; });
  const SensorOnRobot camera = first_that(entities, SensorBook(), &SensorTraits::pictures);
  if (!camera.sensor || recorded == code.end()) return {};
  const auto here = renderer_of(pictures);
  if (here && *here == recorded->hash) return {};
  const std::string which = "what the camera '" + camera.sensor->name + "' of '" + camera.robot->name + "' saw counts";
  if (!here) return which + ", and here nobody draws it: " + here.error().message();
  return which + ", and this machine draws other pictures (renderer " + hex16(recorded->hash) + ", here " +
         hex16(*here) + ")";
}

// What of the file was compared, for people: "all of the file", "61.3 % of the file". What a cut has taken away is not
// known, and not counted.
double verified_share(const Replay& replay, const Recording& recording) {
  const double end = static_cast<double>(recording.end_ns());
  const double skipped = end > 0 ? static_cast<double>(replay.began_ns()) / end : 0;
  return recording.whole_share() * (1 - skipped);
}
std::string verified_text(const Replay& replay, const Recording& recording) {
  const double share = verified_share(replay, recording);
  return share == 1 ? "all of the file" : fmt::format("{:.1f} % of the file", 100 * share);
}

// Why a strict verification fails although nothing differs; empty: it does not.
std::string incomplete(const Recording& recording, const Comparison& compared) {
  if (!recording.intact()) return damage_text(recording);
  if (compared.digests() == 0) return "it holds no digests";
  return {};
}

int judge(const Arguments& arguments, const Replay& replay, const Recording& recording,
          const std::vector<std::string>& other, bool interrupted) {
  const Duration tick = recording.setup().tick;
  if (replay.failure()) return complain(replay.failure()->message(), kFailed);
  if (interrupted) return kInterrupted;
  const Comparison* c = replay.comparison();
  if (c && c->difference()) {
    os::print_error("convoy: different: {}\n", c->difference()->text(tick));
    for (const std::string& line : other) os::print_error("convoy: {}\n", line);
    return kFailed;
  }
  if (!replay.reached_end())
    return complain("the run ended elsewhere than the recorded one, at " +
                        place_text({replay.conductor().run(), replay.conductor().tick()}, tick),
                    kFailed);
  if (c)
    os::print_error("convoy: equal: {} boundaries and {} digests from {} to {}: {}\n", c->boundaries(), c->digests(),
                    place_text(replay.began(), tick), place_text(recording.end(), tick),
                    verified_text(replay, recording));
  if (c && c->digests() == 0)
    os::print_error("convoy: the recording holds no digests; states and hashes were compared\n");
  if (c && arguments.replay.strict)
    if (const std::string why = incomplete(recording, *c); !why.empty())
      return complain(arguments.file + " is not complete: " + why, kIncomplete);
  return kOk;
}

// One object with all that the command found out.
void print_json(const Arguments& arguments, const Replay& replay, const Recording& recording, int code) {
  nlohmann::ordered_json json = json_of(arguments.file, recording, facts_of(recording));
  const Duration tick = recording.setup().tick;
  const Comparison* c = replay.comparison();
  const auto place = [&](Place at) -> nlohmann::ordered_json {
    return {{"run", at.run}, {"tick", at.tick}, {"s", seconds(Duration(at.tick * nanos(tick)))}};
  };
  json["from"] = place(replay.began());
  json["to"] = place({replay.conductor().run(), replay.conductor().tick()});
  json["verified"] = c != nullptr;
  if (c) {
    json["equal"] = !c->difference() && !replay.failure() && replay.reached_end();
    json["difference"] = c->difference() ? nlohmann::ordered_json(c->difference()->text(tick)) : nullptr;
    json["boundaries"] = c->boundaries();
    json["digests"] = c->digests();
    json["share"] = verified_share(replay, recording);
  }
  json["digest"] = hex16(replay.digest());
  json["exit_code"] = code;
  os::print("{}\n", json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

// A run in free mode is a matter of chance: it is told what was recorded of it.
int show_free(const Arguments& arguments, const Recording& recording) {
  if (arguments.replay.verify)
    return complain(arguments.file + " was recorded in free mode: it has no digest to verify", kUsage);
  const RecordingFacts facts = facts_of(recording);
  std::uint64_t samples = 0, entities = 0;
  Recording::Cursor cursor = recording.from_start();
  for (BoundaryCoder coder; const Recording::Item* item = cursor.peek(); cursor.next()) {
    if (item->kind != RecordKind::kSample) continue;
    Boundary boundary;
    if (auto ok = coder.decode(item->bytes, boundary); !ok) return complain(ok.error().message(), kFailed);
    ++samples;
    entities = std::max<std::uint64_t>(entities, boundary.size());
  }
  if (cursor.trouble()) return complain(cursor.trouble()->message(), kFailed);
  if (arguments.json) {
    nlohmann::ordered_json json = json_of(arguments.file, recording, facts);
    json["samples"] = samples;
    json["most_entities"] = entities;
    json["digest"] = nullptr;
    json["exit_code"] = kOk;
    os::print("{}\n", json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  }
  os::print_error("{}: {:.9g} s of free mode, {}: {} samples of up to {} entities; {} edits, {} inputs\n",
                  recording.head().scenario, static_cast<double>(recording.end_ns()) * 1e-9, recording.head().detail,
                  samples, entities, facts.edits, facts.inputs);
  os::print_error("{}convoy: a run in free mode has no digest, and is not run again; convoy plot draws it\n",
                  outside_text(facts));
  os::print("digest none\n");
  return kOk;
}

}  // namespace

int replay(const Arguments& arguments) {
  os::StderrLog log(arguments.log_level);
  auto opened = open_recording(arguments.file);
  if (!opened) {
    // A file of which too little is left to begin with is incomplete, too; one that is not there is bad usage.
    const bool damaged = arguments.replay.strict && opened.error().code == ErrorCode::kInvalid;
    return complain(opened.error().message(), damaged ? kIncomplete : kUsage);
  }
  const Recording& recording = (*opened)->recording;
  if (!(arguments.from >= 0 && arguments.from < 1e9)) return complain("--from is a time in seconds, 0 or more", kUsage);
  if (arguments.web.on) {
    if (!recording.intact()) log.line(LogLevel::kWarn, arguments.file + ": " + damage_text(recording));
    return show_recording(arguments, recording, log);
  }
  if (recording.head().mode == "lockstep" && !recording.head().repeatable())
    return complain(fmt::format("{} holds {} only: it cannot be run again, or be verified; convoy plot draws it",
                                arguments.file, recording.head().detail),
                    kUsage);
  if (!recording.intact()) log.line(LogLevel::kWarn, arguments.file + ": " + damage_text(recording));
  if (std::error_code none; std::filesystem::equivalent(arguments.file, arguments.record.file, none))
    return complain("--record " + arguments.record.file + ": that is the recording itself", kUsage);
  if (recording.head().mode != "lockstep" && !arguments.record.file.empty())
    return complain(arguments.file + " was recorded in free mode: it cannot be run again, to be recorded", kUsage);
  if (recording.head().mode != "lockstep") return show_free(arguments, recording);
  const std::string why = foreign(recording.head());
  if (!why.empty() && arguments.replay.verify && !arguments.replay.force)
    return complain(arguments.file + " cannot be verified here: " + why + "; --force compares all the same", kUsage);
  if (!why.empty()) log.line(LogLevel::kWarn, arguments.file + ": " + why + "; the digest may be another");

  ReplayOptions options;
  options.hosts = arguments.run.hosts.value_or(0);
  options.verify = arguments.replay.verify;
  options.from_ns = static_cast<std::uint64_t>(arguments.from * 1e9 + 0.5);
  options.new_token = new_token;
  const std::vector<EntitySpec> entities = all_entities(recording);
  LibraryFolders folders = library_folders(arguments);
  folders.all = arguments.run.trust;
  std::vector<std::string> left_out;
  if (const auto absent = check_users_code(recording.setup(), entities, folders, &left_out); !absent.empty())
    return complain(absent);
  if (!left_out.empty())
    return complain(fmt::format("{} would load {}; --trust lets it, --allow-library DIR lets it load what is in DIR",
                                arguments.file, fmt::join(left_out, ", ")),
                    kUsage);
  for (const EntitySpec& entity : recording.setup().entities)
    if (joins(entity.components))
      return complain(
          arguments.file + " cannot be run again: the nodes of '" + entity.name + "' were in a program that had joined",
          kUsage);
  const auto physics = make_physics(folders);
  const auto rays = engines::ray_casters();
  const auto pictures = engines::picture_maker();
  const auto software = software_factory(arguments.log_level, folders);
  os::ThreadPool pool(arguments.threads);
  std::atomic<bool> interrupted{false};
  os::Signals signals([&](int) { interrupted = true; });
  const std::string blind = other_pictures(recording, entities, pictures.get());
  if (!blind.empty() && arguments.replay.verify && !arguments.replay.force)
    return complain(arguments.file + " cannot be verified here: " + blind + "; --force compares all the same", kUsage);
  if (!blind.empty()) log.line(LogLevel::kWarn, blind + "; the digest may be another");
  SensorLibraries sensors(folders);
  const std::vector<std::string> other =
      other_code(recording.head().code, recording.setup(), entities, software.get(), sensors, *physics);
  for (const std::string& line : other) log.line(LogLevel::kWarn, line + "; the digest may be another");
  auto record = RecordFile::open(arguments.record, recorded_of(recording, hosts_of(recording, options.hosts)), {}, log);
  if (!record) return complain(record.error().message(), kUsage);
  (*record)->add_to(options.watchers);
  auto replay =
      Replay::make(recording, options, pool,
                   AgentParts{*physics, software.get(), rays.get(), (*record)->taker(), &sensors, pictures.get()}, log);
  if (!replay) return complain(replay.error().message(), kUsage);
  Moment next_status{};
  (*replay)->run(
      [&] {
        const Moment now = os::now();
        if (now >= next_status) {
          next_status = now + std::chrono::milliseconds(200);
          (*record)->on_time(now);
          log.status(fmt::format("{:.1f} s of the recording run again", seconds((*replay)->conductor().now())), now);
        }
        return now;
      },
      [](Moment) {}, [&] { return interrupted.load(); });
  log.status("", os::now());
  os::print_error("{}", outside_text(facts_of(recording)));
  const bool recorded = (*record)->close(log);
  const int judged = judge(arguments, **replay, recording, other, interrupted);
  const int code = judged == kOk && !recorded ? kFailed : judged;
  if (arguments.json) print_json(arguments, **replay, recording, code);
  os::print("digest {}\n", hex16((*replay)->digest()));
  os::flush_stdout();
  return code;
}

}  // namespace convoy::apps
