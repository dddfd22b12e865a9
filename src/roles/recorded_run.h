// A run in one process, for tests: recorded, disturbed, replayed from its file, or from an altered copy of it.
//
//   const Trial run = testing::run(room(), {.meddle = steps});
//   check_equal(run, 3, 0.25);                       // on three hosts, from the last checkpoint before 0.25 s
//   replay(rewritten(run.file, ...), 1).difference   // "tick 25 (0.25 s), entity robot1, pose.p.x: ..."
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "record/mcap_writer.h"
#include "roles/recorder.h"
#include "roles/replay.h"
#include "roles/sample_recorder.h"

namespace convoy::testing {

class Silence final : public Log {
 public:
  void line(LogLevel, const std::string&) override {}
};

inline constexpr Tick kEnd = 130;

// A walled room of 12 x 12 m with robots that meet and exchange messages.
inline Setup room() {
  Setup s;
  s.name = "room";
  s.seed = 7;
  s.checkpoint = 25;
  s.models = built_in_models();
  s.map.width = s.map.height = 120;
  s.map.resolution = 0.1;
  s.map.origin = {-6, -6, 0};
  s.map.cells.assign(120 * 120, 0);
  for (int i = 0; i < 120; ++i)
    for (int j : {i, 119 * 120 + i, i * 120, i * 120 + 119}) s.map.cells[static_cast<std::size_t>(j)] = 1;
  for (int i = 0; i < 8; ++i) {
    EntitySpec e;
    e.name = "robot" + std::to_string(i);
    e.model = i % 2 ? "turtlebot3_waffle" : "turtlebot3_burger";
    e.pose.p = {-2 + 0.8 * (i % 4), -1 + 1.2 * (i / 4), 0};
    e.pose.q = from_yaw(0.7 * i);
    e.driver.kind = i < 3 ? DriverKind::kRandomWalk : i < 7 ? DriverKind::kRightOfWay : DriverKind::kNone;
    s.entities.push_back(e);
  }
  return s;
}

// Every host that saw the end shows the same world as the server, word for word.
inline bool mirrors_agree(const Conductor& conductor, const std::vector<std::unique_ptr<ClientRole>>& clients) {
  return std::all_of(clients.begin(), clients.end(), [&](const auto& client) {
    const LockstepHost* host = client->host();
    return !host->finished() || (host->fleet()->world().snapshot() == conductor.world().snapshot() &&
                                 host->fleet()->world().structure_hash() == conductor.world().structure_hash());
  });
}

struct Trial {
  Bytes file;  // empty if it was not recorded
  std::uint64_t digest = 0;
  bool failed = false;
};

struct RunOptions {
  int hosts = 2;
  bool record = true;
  LeavePolicy leave = LeavePolicy::kFreeze;
  std::vector<Fault> faults;
  RecordDetail detail{};
  Tick end = kEnd;
  bool clock = true;                    // the recorder is told the time
  std::vector<std::string> names{};     // of the hosts; or host0, host1, ...
  std::vector<Gateway*> gateways;       // by host; or none
  SoftwareFactory* software = nullptr;  // of robots with components
  std::function<void(ServerRole&, std::vector<std::unique_ptr<ClientRole>>&)> meddle = {};  // before each delivery
};

inline Trial run(const Setup& setup, RunOptions o) {
  Silence log;
  SerialExecutor executor;
  const KinematicFactory factory;
  MemorySink sink;
  RecordingHead head;
  head.version = "test", head.scenario = setup.name, head.hosts = o.names;
  for (int i = static_cast<int>(head.hosts.size()); i < o.hosts; ++i) head.hosts.push_back("host" + std::to_string(i));
  std::optional<Recorder> recorder;
  ServerOptions options;
  options.membership.liveness = Duration{0};
  options.membership.new_token = [] { return Token{}; };
  std::optional<SampleRecorder> samples;
  options.membership.checkpoints = o.record && !o.detail.poses();
  options.conductor.end = o.end;
  options.conductor.leave = o.leave;
  options.faults = o.faults;
  options.hosts = head.hosts;
  std::vector<RunWatcher*> watchers;
  if (o.record && o.detail.poses()) watchers.push_back(&samples.emplace(sink, setup, head, "text", o.detail));
  else if (o.record) watchers.push_back(&recorder.emplace(sink, setup, head, "text"));
  RecordingWriter* file = recorder ? &recorder->file() : samples ? &samples->file() : nullptr;
  Embedded embedded;
  auto server = ServerRole::make(setup, options, embedded.server_network(), log, watchers);
  REQUIRE(server.has_value());
  embedded.set_server(**server);
  std::vector<std::unique_ptr<ClientRole>> clients;
  for (int i = 0; i < o.hosts; ++i) {
    ClientOptions client;
    client.session.name = options.hosts[static_cast<std::size_t>(i)];
    if (!o.gateways.empty()) client.gateway = o.gateways[static_cast<std::size_t>(i)];
    clients.push_back(
        std::make_unique<ClientRole>(client, embedded.add_client(), executor, AgentParts{factory, o.software}, log));
    embedded.set_client(static_cast<std::size_t>(i), *clients.back());
  }
  Moment now{};
  embedded.run(
      [&] {
        if (o.meddle) o.meddle(**server, clients);
        if (file && o.clock && (*server)->conductor().tick() % 10 == 0) file->on_time(now);
        return now += std::chrono::milliseconds(10);
      },
      [&](Moment) { now += std::chrono::milliseconds(10); });
  Trial out;
  out.digest = (*server)->conductor().digest();
  for (const auto& client : clients) out.failed = out.failed || client->host()->trouble();
  CHECK(mirrors_agree((*server)->conductor(), clients));
  if (file) REQUIRE(file->close().has_value());
  out.file = std::move(sink.bytes);
  return out;
}

struct Again {
  std::optional<Error> refused;  // could not be opened, or not be carried through
  std::optional<std::string> difference;
  std::uint64_t digest = 0, digests = 0, boundaries = 0;
  Place began{}, end{};
  bool equal() const { return !refused && !difference; }
};

inline Again replay(const Bytes& file, int hosts, double from = 0, bool verify = true,
                    SoftwareFactory* software = nullptr) {
  Silence log;
  SerialExecutor executor;
  const KinematicFactory factory;
  Again out;
  auto recording = Recording::open(file);
  if (!recording) {
    out.refused = recording.error();
    return out;
  }
  auto made =
      Replay::make(*recording, {.hosts = hosts, .verify = verify, .from_ns = static_cast<std::uint64_t>(from * 1e9)},
                   executor, AgentParts{factory, software}, log);
  if (!made) {
    out.refused = made.error();
    return out;
  }
  Moment now{};
  (*made)->run([&] { return now += std::chrono::microseconds(200); },
               [&](Moment) { now += std::chrono::milliseconds(10); });
  out.refused = (*made)->failure();
  out.digest = (*made)->digest();
  out.began = (*made)->began();
  out.end = recording->end();
  if (const Comparison* c = (*made)->comparison()) {
    if (c->difference()) out.difference = c->difference()->text(recording->setup().tick);
    out.digests = c->digests(), out.boundaries = c->boundaries();
  }
  if (out.equal()) CHECK(mirrors_agree((*made)->conductor(), (*made)->clients()));
  if (out.equal() && !(*made)->reached_end()) out.refused = Error{ErrorCode::kInternal, "ended elsewhere", {}};
  return out;
}

inline void check_equal(const Trial& run, int hosts, double from = 0) {
  const Again again = replay(run.file, hosts, from);
  CAPTURE(hosts);
  CAPTURE(from);
  CHECK(again.refused.value_or(Error{}).text == "");
  CHECK(again.difference.value_or("") == "");
  CHECK(again.digest == run.digest);
  CHECK(again.digests > 0);
}

// The same file with some messages changed, or left out (`edit` returns false).
inline Bytes rewritten(const Bytes& file, const std::function<bool(const std::string& topic, Bytes& data)>& edit) {
  MemorySink sink;
  McapWriter writer(sink);
  std::map<std::string, std::uint16_t> channels;
  ScanVisits visits;
  visits.attachment = [&](const mcap::Attachment& a, bool) { return writer.attach(a); };
  visits.message = [&](const MessageView& m) -> Status {
    Bytes data(m.data.begin(), m.data.end());
    if (!edit(m.channel->topic, data)) return {};
    if (!channels.count(m.channel->topic))
      channels[m.channel->topic] = *writer.add_channel({.topic = m.channel->topic, .message_encoding = "x"});
    return writer.write({.channel_id = channels[m.channel->topic],
                         .sequence = m.sequence,
                         .log_time_ns = m.log_time_ns,
                         .publish_time_ns = m.publish_time_ns,
                         .data = data});
  };
  REQUIRE(scan_mcap(file, visits).has_value());
  REQUIRE(writer.close().has_value());
  return std::move(sink.bytes);
}

// Alters the first journal entry that holds a T.
template <class T>
Bytes with_altered(const Bytes& file, const std::function<void(T&)>& alter) {
  bool done = false;
  Bytes out = rewritten(file, [&](const std::string& name, Bytes& data) {
    if (name != topic::kJournal || done) return true;
    JournalEntry entry;
    REQUIRE(load(data, entry));
    T* found = nullptr;
    if (auto* edit = std::get_if<Edit>(&entry.what)) {
      if constexpr (!std::is_same_v<T, DriveCommand>) found = std::get_if<T>(edit);
    } else if (auto* input = std::get_if<Input>(&entry.what)) {
      if constexpr (std::is_same_v<T, DriveCommand>) found = std::get_if<T>(input);
    }
    if (!found) return true;
    alter(*found);
    data = save(entry);
    return done = true;
  });
  REQUIRE(done);
  return out;
}

// Does each step once, when its tick has come.
struct Steps {
  std::vector<std::pair<Tick, std::function<void(Conductor&)>>> steps;
  std::size_t next = 0;
  std::uint32_t run = 0;
  void operator()(ServerRole& server, std::vector<std::unique_ptr<ClientRole>>&) {
    Conductor& c = server.conductor();
    if (c.phase() == Conductor::Phase::kGather || c.over()) return;
    while (next < steps.size() && c.run() == run && c.tick() >= steps[next].first) steps[next++].second(c);
  }
};

inline void submit(Conductor& c, Edit edit) {
  c.submit(std::move(edit), [](const Result<EditOutcome>& r) { CHECK_MESSAGE(r.has_value(), r.error().text); });
}

inline EntitySpec extra(const std::string& name, double x, double y) {
  EntitySpec e;
  e.name = name, e.model = "turtlebot3_burger", e.pose.p = {x, y, 0};
  e.driver.kind = DriverKind::kRandomWalk;
  return e;
}

inline DriveCommand drive(WorldNumber entity, double speed) {
  DriveCommand command{entity, {}, std::chrono::milliseconds(300)};
  command.twist.v.x = speed;
  return command;
}

// Everything that people can do to a run.
inline Trial busy_run(bool reset_all, RecordDetail detail = {}) {
  Steps steps;
  steps.steps = {
      {3, [](Conductor& c) { c.submit(Input{drive(WorldNumber(8), 0.2)}); }},
      {10,
       [](Conductor& c) {
         submit(c, Spawn{extra("late", 3, 3), kNobody});
       }},
      {10,
       [](Conductor& c) {
         submit(c, AddModel{[] {
                  Model m = built_in_models()[0];
                  m.name = "other";
                  return m;
                }()});
       }},
      {20,
       [](Conductor& c) {
         submit(c, SetState{WorldNumber(2), {{2.5, -2.5, 0}, from_yaw(1)}, {}});
       }},
      {31,
       [](Conductor& c) {
         submit(c, Attach{WorldNumber(1), WorldNumber(6)});
       }},
      {40,
       [](Conductor& c) {
         Environment e;
         e.fog = 0.25;
         submit(c, SetEnvironment{e});
       }},
      {52, [](Conductor& c) { submit(c, Delete{WorldNumber(3)}); }},
      {60, [](Conductor& c) { submit(c, Detach{WorldNumber(6)}); }},
      {66,
       [](Conductor& c) {
         submit(c, Reset{{WorldNumber(2), WorldNumber(5)}});
       }},
      {70,
       [](Conductor& c) {
         submit(c, Attach{WorldNumber(1), WorldNumber(7)});
       }},
      {80, [](Conductor& c) { c.submit(Input{drive(WorldNumber(9), 0.1)}); }},
  };
  if (reset_all) {
    steps.steps.push_back({90, [](Conductor& c) { submit(c, Reset{}); }});
    const auto follow = std::make_shared<bool>(false);
    return run(room(), {.detail = detail, .meddle = [steps, follow](ServerRole& s, auto& clients) mutable {
                          steps(s, clients);
                          Conductor& c = s.conductor();
                          if (*follow || c.run() != 1 || c.tick() < 33) return;
                          *follow = true;
                          submit(c, Spawn{extra("second", 3, -3), kNobody});
                          c.submit(Input{drive(WorldNumber(8), -0.1)});
                        }});
  }
  return run(room(), {.detail = detail, .meddle = steps});
}

}  // namespace convoy::testing
