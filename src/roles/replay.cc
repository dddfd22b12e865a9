#include "roles/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/overloads.h"

namespace convoy {

std::vector<std::string> hosts_of(const Recording& recording, int number) {
  const std::vector<std::string>& recorded = recording.head().hosts;
  const bool usable = !recorded.empty() && std::all_of(recorded.begin(), recorded.end(), valid_client_name);
  if (usable && (number == 0 || static_cast<std::size_t>(number) == recorded.size())) return recorded;
  const std::size_t wanted = number > 0 ? static_cast<std::size_t>(number) : std::max<std::size_t>(1, recorded.size());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < wanted; ++i) names.push_back("host" + std::to_string(i));
  return names;
}

namespace {

// All changes of elements in the run that is taken up, up to where it is.
std::vector<ElementChanged> elements_before(const Recording& recording, const Place& place) {
  std::vector<ElementChanged> out;
  for (const JournalEntry& entry : recording.journal())
    if (const auto* change = std::get_if<ElementChanged>(&entry.what); change && entry.run == place.run)
      if (entry.tick < place.tick) out.push_back(*change);
  return out;
}

}  // namespace

Result<std::unique_ptr<Replay>> Replay::make(const Recording& recording, ReplayOptions options, Executor& executor,
                                             const AgentParts& parts, Log& log) {
  if (!recording.head().repeatable())
    return fail(ErrorCode::kUnsupported, "a recording of " + recording.head().detail + " in " + recording.head().mode +
                                             " mode cannot be run again");
  std::unique_ptr<Replay> replay(new Replay(recording));
  const Recording::Mark* mark = nullptr;
  std::optional<ResumePoint> found_point;
  const auto& entities = recording.setup().entities;
  if (std::any_of(entities.begin(), entities.end(), [](const EntitySpec& e) { return !e.components.empty(); }) &&
      std::exchange(options.from_ns, 0) > 0)
    log.line(LogLevel::kWarn, "what nodes hold stands in no checkpoint: the recording is run again from its start");
  const auto& models = recording.setup().models;
  if (std::any_of(models.begin(), models.end(), [&](const Model& m) { return !parts.physics->saves(m); }) &&
      std::exchange(options.from_ns, 0) > 0)
    log.line(LogLevel::kWarn,
             "what an engine of a robot holds stands in no checkpoint: the recording is run again from "
             "its start");
  for (auto it = recording.marks().rbegin(); it != recording.marks().rend() && options.from_ns > 0; ++it) {
    if (it->time_ns > options.from_ns || it->time_ns == 0) continue;
    auto found = resume_point(recording, *it);
    if (!found) {
      log.line(LogLevel::kWarn, found.error().message());
      continue;
    }
    mark = &*it;
    found_point = std::move(*found);
    break;
  }
  replay->began_ = mark ? mark->place : Place{};
  replay->began_ns_ = mark ? mark->time_ns : 0;
  if (options.verify) replay->comparison_.emplace(recording, replay->began_, mark ? mark->chunk : 0, parts);

  const std::vector<std::string> hosts = hosts_of(recording, options.hosts);
  ServerOptions server;
  server.membership.build = "replay";
  server.membership.liveness = Duration{0};
  server.membership.checkpoints = options.verify || !options.watchers.empty();
  server.membership.max_members = hosts.size();
  server.membership.new_token = options.new_token ? std::move(options.new_token) : [] { return Token{}; };
  server.hosts = hosts;
  std::vector<RunWatcher*> watchers = options.watchers;
  if (replay->comparison_) watchers.push_back(&*replay->comparison_);
  auto made = ServerRole::make(recording.setup(), server, replay->embedded_.server_network(), log, watchers);
  if (!made) return tl::unexpected(made.error());
  replay->server_ = std::move(*made);
  Conductor& conductor = replay->server_->conductor();
  conductor.playback().replay_from(replay.get());
  if (found_point) {
    Resumption from{mark->place.run,
                    mark->place.tick,
                    found_point->checkpoint.digest,
                    std::move(found_point->world),
                    found_point->boundary.hashes,
                    std::move(found_point->checkpoint.messages),
                    {},
                    std::move(found_point->checkpoint.ownerless)};
    for (auto& agent : found_point->checkpoint.inner) from.inner[agent.number] = std::move(agent.bytes);
    conductor.playback().resume_at(std::move(from));
    conductor.elements().resume(elements_before(recording, mark->place));
  }
  replay->embedded_.set_server(*replay->server_);
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    ClientOptions client;
    client.session.name = hosts[i];
    client.session.build = server.membership.build;
    replay->clients_.push_back(
        std::make_unique<ClientRole>(client, replay->embedded_.add_client(), executor, parts, log));
    replay->embedded_.set_client(i, *replay->clients_.back());
  }
  return replay;
}

void Replay::run(const std::function<Moment()>& now, const std::function<void(Moment)>& wait,
                 const std::function<bool()>& until) {
  embedded_.run(now, wait, [&] { return failure().has_value() || (until && until()); });
}

JournalFeed::Boundary Replay::at(std::uint32_t run, Tick tick) {
  const bool astray = tick > recording_.last_tick(run);  // an altered journal: its reset is gone
  Boundary out{recording_.journal_at({run, tick}), {}, Place{run, tick} >= recording_.end() || astray};
  if (out.last) return out;
  for (const JournalEntry& entry : recording_.journal_at({run, tick + 1}))
    std::visit(
        Overloads{[](const Edit&) {}, [](const Input&) {},
                  [&](const Lost& lost) { out.lost.insert(out.lost.end(), lost.agents.begin(), lost.agents.end()); },
                  [](const ElementChanged&) {}, [](const Absent&) {}, [](const AskedEdit&) {}},
        entry.what);
  return out;
}

void Replay::refused(const JournalEntry& entry, const Error& error) {
  if (comparison_) comparison_->refused(entry, error);
  if (!refusal_)
    refusal_ = Error{error.code,
                     fmt::format("the journal's entry of tick {} is not carried out: {}", entry.tick, error.message()),
                     {}};
}

bool Replay::reached_end() const {
  return conductor().over() && Place{conductor().run(), conductor().tick()} == recording_.end();
}

std::optional<Error> Replay::failure() const {
  for (const auto& client : clients_)
    if (auto failed = client->failure()) return failed;
  if (comparison_ && comparison_->trouble()) return comparison_->trouble();
  if (refusal_ && !comparison_) return refusal_;
  return std::nullopt;
}

}  // namespace convoy
