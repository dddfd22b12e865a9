// Replays a recorded run: server and hosts in one process, with the journal instead of calls, compared with the
// recording.
//
//   auto recording = Recording::open(bytes);
//   auto replay = Replay::make(*recording, {.hosts = 2, .verify = true}, executor, factory, log);
//   (*replay)->run(now, wait);
//   (*replay)->digest(); (*replay)->difference();
//
// A recording with resets is run again whole: run 0, its reset, run 1 and so on, in order.
#pragma once

#include "roles/client.h"
#include "roles/comparison.h"
#include "roles/embedded.h"
#include "roles/server.h"

namespace convoy {

// Of a replay: those of the recording, so that its robots are where they were, unless another number is asked for.
std::vector<std::string> hosts_of(const Recording& recording, int number);

struct ReplayOptions {
  int hosts = 0;  // 0: as many as were recorded
  bool verify = false;
  std::uint64_t from_ns = 0;            // log time: begin at the last usable checkpoint at or before it
  std::function<Token()> new_token;     // of the members
  std::vector<RunWatcher*> watchers{};  // of the new run; with checkpoints
};

class Replay final : private JournalFeed {
 public:
  static Result<std::unique_ptr<Replay>> make(const Recording& recording, ReplayOptions options, Executor& executor,
                                              const AgentParts& parts, Log& log);

  // Until the recorded end. See Embedded::run.
  void run(const std::function<Moment()>& now, const std::function<void(Moment)>& wait,
           const std::function<bool()>& until = {});

  const std::vector<std::unique_ptr<ClientRole>>& clients() const { return clients_; }
  const Conductor& conductor() const { return server_->conductor(); }
  Place began() const { return began_; }
  std::uint64_t began_ns() const { return began_ns_; }  // its log time
  bool reached_end() const;
  std::uint64_t digest() const { return conductor().digest(); }
  const Comparison* comparison() const { return comparison_ ? &*comparison_ : nullptr; }
  // Why the run could not be carried through: a host's trouble, the recording's.
  std::optional<Error> failure() const;

 private:
  Replay(const Recording& recording) : recording_(recording) {}
  Boundary at(std::uint32_t run, Tick tick) override;
  void refused(const JournalEntry& entry, const Error& error) override;

  const Recording& recording_;
  Place began_{};
  std::uint64_t began_ns_ = 0;
  std::optional<Comparison> comparison_;
  std::optional<Error> refusal_;
  Embedded embedded_;
  std::unique_ptr<ServerRole> server_;
  std::vector<std::unique_ptr<ClientRole>> clients_;
};

}  // namespace convoy
