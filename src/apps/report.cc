#include "apps/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/arguments.h"
#include "core/hash.h"
#include "engines/identity.h"
#include "os/machine.h"
#include "os/standard_streams.h"
#include "os/terminal.h"
#include "world/digest.h"

namespace convoy::apps {

void TickTimer::chained(std::uint32_t, Tick tick, std::uint64_t, const World&, std::span<const AgentHash>) {
  const Moment now = os::now();
  if (last_ != Moment{}) ms_.push_back(static_cast<float>(seconds(now - last_) * 1e3));
  last_ = now;
  tick_ = tick;
}

double TickTimer::percentile(double share) const {
  if (ms_.empty()) return 0;
  std::vector<float> ordered = ms_;
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(ordered.size() - 1) + 0.5);
  std::nth_element(ordered.begin(), ordered.begin() + at, ordered.end());
  return static_cast<double>(ordered[static_cast<std::size_t>(at)]);
}

RunSource source_of(const scenario::Scenario& scenario) {
  return {scenario.setup.name.empty() ? scenario.file : scenario.setup.name, scenario.overrides, scenario.setup.seed,
          hex16(digest_seed(scenario.setup)), engines::build_text()};
}

RunReport gather(const scenario::Scenario& scenario, RunSource source, const ServerRole& server, const TickTimer& timer,
                 int threads) {
  const Run& c = server.run();
  RunReport r;
  r.source = std::move(source);
  r.mode = scenario.run.mode == scenario::TimeMode::kFree ? "free" : "lockstep";
  r.hosts = static_cast<int>(scenario.run.hosts.names.size());
  r.threads = threads;
  for (Slot slot : SlotRange(c.world().entities().size())) r.robots += has_body(c.world().model_of(slot));
  r.ticks = c.ticks_done();
  r.sim_s = seconds(Duration(static_cast<std::int64_t>(c.ticks_done()) * nanos(scenario.setup.tick)));
  const Moment end = server.run_ended() == kNever ? os::now() : server.run_ended();
  r.wall_s = server.run_begun() == kNever ? 0 : seconds(end - server.run_begun());
  r.rtf = r.wall_s > 0 ? r.sim_s / r.wall_s : 0;
  r.digest = c.digest_text();
  const RunCounts& counts = c.books().counts;
  r.spawned = counts.spawned, r.deleted = counts.deleted;
  r.updates_in = counts.updates_in, r.updates_out = counts.updates_out;
  r.bytes_in = server.membership().bytes_in(), r.bytes_out = server.membership().bytes_out();
  r.drops = server.membership().drops().named();
  r.tick_p50 = timer.percentile(0.5), r.tick_p99 = timer.percentile(0.99), r.tick_max = timer.percentile(1);
  r.resumes = server.resumes(), r.faults = server.faults_done();
  r.contacts_between_hosts = c.books().roll.contacts_between_hosts();
  r.losses = server.losses();
  r.code = c.books().code;
  r.endings = c.books().endings.software();
  r.physics_faults = c.books().endings.faults();
  if (scenario.run.mode == scenario::TimeMode::kLockstep) {
    r.elements = server.conductor().elements().counts();
    r.missed_deadlines = server.conductor().pace().controllers().missed();
  }
  const SensorPlaces& places = c.places();
  r.sensor_hosts = {places.names().size() + places.lost(), places.lost(), places.counts()};
  for (const auto& [owner, host] : c.hosts()) {
    if (!host.reported) continue;
    r.processes.push_back({host.name,
                           host.report.pid,
                           host.report.robots.size(),
                           host.report.agent_ticks,
                           static_cast<double>(host.report.cpu_ns) * 1e-9,
                           host.divergence,
                           host.mean_divergence,
                           {}});
    for (const HostReport::Count& c : host.report.gateway) {
      r.processes.back().gateway[c.name] += c.count;
      if (c.dropped && c.count > 0) r.drops[c.name] += c.count;
    }
    for (const RobotReport& robot : host.report.robots) {
      const Slot slot = c.world().slot_of(robot.number);
      if (slot == kNoSlot) continue;
      r.robot_lines.push_back({c.world().entity(slot).name, robot.distance, seconds(robot.stuck), robot.map_contacts,
                               robot.robot_contacts, robot.one_sided});
    }
  }
  std::sort(r.processes.begin(), r.processes.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  std::sort(r.robot_lines.begin(), r.robot_lines.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  r.server_cpu_s = seconds(os::process_cpu_time());
  return r;
}

std::string RunReport::json() const {
  nlohmann::ordered_json j;
  j["scenario"] = source.scenario, j["mode"] = mode, j["seed"] = source.seed, j["hosts"] = hosts,
  j["threads"] = threads;
  j["robots"] = robots, j["ticks"] = ticks, j["sim_s"] = sim_s, j["wall_s"] = wall_s, j["rtf"] = rtf;
  j["setup"] = source.setup, j["build"] = source.build, j["overrides"] = source.overrides;
  const Totals all = totals();
  j["totals"] = {{"distance_m", all.distance},
                 {"stuck_robots", all.stuck_robots},
                 {"stuck_s", all.stuck_s},
                 {"map_contact_ticks", all.map_contacts},
                 {"robot_contact_ticks", all.robot_contacts}};
  j["digest"] = digest ? nlohmann::ordered_json(*digest) : nlohmann::ordered_json(nullptr);
  j["spawned"] = spawned, j["deleted"] = deleted, j["updates_in"] = updates_in, j["updates_out"] = updates_out;
  j["bytes_in"] = bytes_in, j["bytes_out"] = bytes_out;
  j["drops"] = nlohmann::ordered_json::object();
  for (const auto& [reason, count] : drops) j["drops"][reason] = count;
  j["recoveries"] = recoveries;
  j["tick_ms"] = {{"p50", tick_p50}, {"p99", tick_p99}, {"max", tick_max}};
  j["reconnects"] = resumes, j["faults"] = faults, j["contacts_between_hosts"] = contacts_between_hosts;
  j["server_cpu_s"] = server_cpu_s, j["lost_hosts"] = losses.all, j["interrupted"] = interrupted;
  j["sensor_hosts"] = sensor_hosts.all, j["lost_sensor_hosts"] = sensor_hosts.lost;
  j["remote_samples"] = sensor_hosts.counts.samples;
  j["late_samples"] = sensor_hosts.counts.late, j["skipped_samples"] = sensor_hosts.counts.skipped;
  j["code"] = nlohmann::ordered_json::object();
  for (const CodeFile& file : code.files()) j["code"][file.name] = hex16(file.hash);
  j["other_code"] = code.tolerated();
  j["elements"] = {{"appeared", elements.appeared}, {"changed", elements.changed}, {"gone", elements.gone}};
  j["missed_deadlines"] = nlohmann::ordered_json::object();
  for (const auto& [name, ticks] : missed_deadlines) j["missed_deadlines"][name] = ticks;
  j["ended"] = nlohmann::ordered_json::array();
  for (const Ending& e : endings)
    j["ended"].push_back({{"name", e.name}, {"exit_code", e.exit_code}, {"error", e.why}});
  j["physics_faults"] = nlohmann::ordered_json::array();
  j["advice"] = nlohmann::ordered_json::array();
  j["sensor_faults"] = nlohmann::ordered_json::array();
  for (const AgentFault& f : physics_faults) {
    static constexpr const char* kLists[] = {"physics_faults", "advice", "sensor_faults"};
    j[kLists[static_cast<std::size_t>(f.what)]].push_back({{"name", f.name}, {"tick", f.tick}, {"why", f.why}});
  }
  j["one_sided_ticks"] = all.one_sided;
  j["exit_code"] = exit_code();
  j["processes"] = nlohmann::ordered_json::array();
  for (const auto& p : processes)
    j["processes"].push_back({{"name", p.name},
                              {"gateway", p.gateway},
                              {"pid", p.pid},
                              {"agents", p.agents},
                              {"agent_ticks", p.agent_ticks},
                              {"cpu_s", p.cpu_s},
                              {"divergence_m", p.divergence},
                              {"mean_divergence_m", p.mean_divergence}});
  // An ordered object searches all its members at each insertion: 100,000 robots would take half a minute.
  nlohmann::json by_robot = nlohmann::json::object();
  for (const auto& l : robot_lines)
    by_robot[l.name] = {{"distance_m", l.distance},
                        {"map_contact_ticks", l.map_contacts},
                        {"robot_contact_ticks", l.robot_contacts},
                        {"stuck_s", l.stuck_s}};
  for (const auto& l : robot_lines)
    if (l.one_sided > 0) by_robot[l.name]["one_sided_ticks"] = l.one_sided;
  std::string text = j.dump(1);
  text.resize(text.rfind("\n}"));
  return text + ",\n \"by_robot\": " + by_robot.dump() + "\n}";
}

std::string RunReport::SensorHosts::text() const {
  std::string out = fmt::format("{}, {} samples", all, counts.samples);
  if (counts.late + counts.skipped > 0) out += fmt::format(", {} late, {} skipped", counts.late, counts.skipped);
  if (lost > 0) out += fmt::format("; {} lost", lost);
  return out;
}

Totals RunReport::totals() const {
  Totals all;
  for (const RobotLine& l : robot_lines) {
    all.distance += l.distance, all.stuck_s += l.stuck_s, all.stuck_robots += l.stuck_s >= kStuckLong;
    all.map_contacts += l.map_contacts, all.robot_contacts += l.robot_contacts, all.one_sided += l.one_sided;
  }
  return all;
}

int RunReport::exit_code() const {
  if (interrupted) return kInterrupted;
  int code = !accept_losses && !losses.unexpected.empty() ? kFailed : kOk;
  for (const Ending& e : endings)
    code = std::max(code, !e.why.empty() ? std::max(e.exit_code, kFailed + 0) : e.exit_code);
  return code;
}

std::string RunReport::table() const {
  std::string out;
  const auto row = [&](const char* what, const std::string& value) {
    out += fmt::format("  {:<26} {}\n", what, value);
  };
  out += "\n";
  row("scenario", fmt::format("{} ({} robots, seed {})", source.scenario, robots, source.seed));
  if (!source.overrides.empty()) row("overrides", fmt::format("{}", fmt::join(source.overrides, ", ")));
  row("mode", fmt::format("{}, {} hosts x {} threads", mode, hosts, threads));
  row("simulated", fmt::format("{:.2f} s in {} ticks", sim_s, ticks));
  row("wall", fmt::format("{:.2f} s, {:.1f} x real time", wall_s, rtf));
  if (mode != "free")
    row("tick", fmt::format("p50 {:.3f} ms, p99 {:.3f} ms, max {:.3f} ms", tick_p50, tick_p99, tick_max));
  row("states", fmt::format("{} in, {} out", updates_in, updates_out));
  row("bytes at the server", fmt::format("{:.1f} MB in, {:.1f} MB out", static_cast<double>(bytes_in) / 1e6,
                                         static_cast<double>(bytes_out) / 1e6));
  const Totals all = totals();
  row("robots drove", fmt::format("{:.1f} m; stuck {:.1f} s in all, {} robots for {:g} s or more", all.distance,
                                  all.stuck_s, all.stuck_robots, kStuckLong));
  row("contacts", fmt::format("{} ticks with the map, {} with robots, {} across hosts", all.map_contacts,
                              all.robot_contacts, contacts_between_hosts));
  if (all.one_sided > 0) row("one-sided", fmt::format("{} ticks with what no push moves", all.one_sided));
  if (resumes + faults > 0) row("faults", fmt::format("{} made, {} reconnects", faults, resumes));
  if (sensor_hosts.all > 0) row("sensor hosts", sensor_hosts.text());
  for (const std::string& host : losses.all) row("lost", host);
  for (const std::string& line : code.tolerated()) row("other code", line);
  static constexpr const char* kWhat[] = {"stands still", "not exact", "no sensor"};
  for (const AgentFault& f : physics_faults)
    row(kWhat[static_cast<std::size_t>(f.what)], fmt::format("{}, since tick {}: {}", f.name, f.tick, f.why));
  if (elements.appeared > 0)
    row("elements",
        fmt::format("{} appeared, {} updates, {} gone", elements.appeared, elements.changed, elements.gone));
  for (const auto& [name, ticks] : missed_deadlines) row("missed", fmt::format("{} deadlines, by {}", ticks, name));
  for (const auto& [reason, count] : drops) row("dropped", fmt::format("{} {}", count, reason));
  for (const auto& p : processes)
    row(p.name.c_str(), fmt::format("pid {}, {} agents, {} agent ticks{}", p.pid, p.agents, p.agent_ticks,
                                    p.cpu_s > 0 ? fmt::format(", {:.2f} s CPU", p.cpu_s) : ""));
  if (mode == "free")
    for (const auto& p : processes)
      row("divergence", fmt::format("{}: {:.1f} mm at most, {:.2f} mm in the mean", p.name, p.divergence * 1e3,
                                    p.mean_divergence * 1e3));
  return out;
}

Result<ReportFile> report_to(const std::string& path) {
  if (path.empty()) return ReportFile();
  auto file = os::OutputFile::open(path);
  if (!file) return tl::unexpected(file.error());
  return ReportFile(std::move(*file));
}

int deliver(const RunReport& report, ReportFile& file, bool json) {
  if (file)
    if (auto ok = file->write(as_bytes(report.json() + "\n")); !ok) return complain(ok.error().message(), kFailed);
  if (json) os::print("{}\n", report.json());
  else os::print_error("{}\n", report.table());
  os::print("digest {}\n", report.digest.value_or("none"));
  os::flush_stdout();
  for (const std::string& host : report.losses.unexpected)
    if (!report.accept_losses)
      complain("lost " + host + ": the run is not what it would have been; --accept-losses lets it pass", kFailed);
  for (const Ending& e : report.endings)
    if (!e.why.empty()) complain(os::escape_line(e.name + ": " + e.why), kFailed);
  return report.exit_code();
}

}  // namespace convoy::apps
