// The conductor: the server's side of lockstep. It keeps the world, opens ticks, gathers what the hosts' agents made of
// them, edits the world between and chains the digest.
//
//   phase      what is true                                            leaves it
//   kGather    waiting for the expected hosts to be ready              start()
//   kBoundary  snapshot k is complete; edits change it                 proceed(): Open(k), when nothing holds it
//   kTick      hosts advance through tick k                            the last Done(k+1)
//   kOver      the last boundary is chained; hosts report
//
// No sockets, no clock: frames come in by on_frame(), go out through Send, and `now` is given.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lockstep/controllers.h"
#include "session/element_source.h"
#include "session/run.h"
#include "world/owners.h"

namespace convoy {

struct ConductorOptions {
  Tick end = 0;      // boundary at which the run is over; 0: never by itself
  double speed = 0;  // simulated seconds per second; 0: as fast as possible
  LeavePolicy leave = LeavePolicy::kFreeze;
  bool paused = false;                // start so
  std::vector<std::string> wait_for;  // outside programs: each tick waits until they are done with the one before
  bool end_with_software = false;     // the run is over when the software of all agents that have some has ended
  Duration deadline = std::chrono::seconds(1);  // for each of them, from the beginning of a tick
  std::uint32_t image_chunk = static_cast<std::uint32_t>(kMaxChunk);
  // Planted bug, for tests: merge messages in order of arrival instead of (sender, index).
  bool sort_messages = true;
  // Planted bug, for tests: what a lost host leaves behind does not reach the journal.
  bool journal_losses = true;
};

// Who watches the run: recorder, replay's comparison, tests. Called in this order at each boundary.
class RunWatcher {
 public:
  virtual ~RunWatcher() = default;
  // Snapshot k is complete, edits are not yet applied. `inside` by slot, `sent` in order.
  virtual void completed(std::uint32_t run, Tick tick, const World& world, std::span<const AgentHash> inside,
                         std::span<const Message> sent) = 0;
  virtual void entered(const JournalEntry& entry) = 0;
  virtual void chained(std::uint32_t run, Tick tick, std::uint64_t digest, const World& world,
                       std::span<const AgentHash> inside) = 0;
  virtual void checkpointed(std::uint32_t run, Tick tick, const InnerBytes& inner) = 0;
};

// Who takes a run again from its journal, instead of people's calls: asked once at each boundary, before its edits.
class JournalFeed {
 public:
  virtual ~JournalFeed() = default;
  struct Boundary {
    std::span<const JournalEntry> entries;  // what takes effect here, in order; losses and absences are skipped
    std::vector<WorldNumber> lost;          // agents lost in the tick that begins here
    bool last = false;                      // the run ends here
  };
  virtual Boundary at(std::uint32_t run, Tick tick) = 0;
  // The world does not allow what the journal says.
  virtual void refused(const JournalEntry& entry, const Error& error) = 0;
};

// Where a checkpoint left a run: the world before the boundary's edits.
struct Resumption {
  std::uint32_t run = 0;
  Tick tick = 0;
  std::uint64_t digest = 0;  // of the boundary before
  World world;
  std::vector<AgentHash> inside;       // by slot
  std::vector<Message> messages;       // handed over at this boundary
  std::map<WorldNumber, Bytes> inner;  // agents' inner bytes
  std::vector<WorldNumber> ownerless;  // entities without an agent; the others are placed anew
};

// What became of elements, since the run began.
struct ElementCounts {
  std::uint64_t appeared = 0, changed = 0, gone = 0;
  void count(const ElementChanged& change);
};

// Inputs of one tick; more are refused, so that Open stays a frame.
inline constexpr std::size_t kMaxInputs = 8192;

class Conductor final : public Run {
 public:
  using Send = std::function<void(Owner, FrameType, const Payload&)>;
  enum class Phase : std::uint8_t { kGather, kBoundary, kTick, kOver };

  Conductor(World world, const Setup& setup, ConductorOptions options, Send send);

  void watch(RunWatcher* watcher) { watchers_.push_back(watcher); }
  // Elements of outside programs take effect when a tick opens; the source outlives the run.
  void take_from(ElementSource* elements) { elements_ = elements; }

  // Before start() a host comes in at boundary 0, later at the next boundary; who leaves, leaves at the next one.
  void join(Owner owner, std::string name) override;
  // A guest gets the world at the next boundary and then what hosts get, but messages, and what became of elements.
  // Nobody waits for it, unless its name stands in wait_for.
  void attend(Owner owner, const std::string& name) override;
  void leave(Owner owner) override;
  void start(Moment now, std::vector<std::string>& warnings) override;
  bool on_frame(Owner from, FrameType type, const Payload& payload, Moment now) override;
  std::optional<std::pair<Owner, Error>> take_trouble() override;

  // At the next boundary; at once while the run waits.
  void submit(Edit edit, EditDone done) override;
  Status submit(Input input) override;  // refused when the tick has kMaxInputs
  Result<Owner> place(const std::string& host) const override;

  void ask(Bytes question, Moment until, Questions::Done done) override;
  Tick pause() override {
    paused_ = true;
    return next_tick();
  }
  bool paused() const override { return paused_; }
  void resume(Moment now) override;
  Status step(std::uint64_t ticks, std::function<void(Tick)> done) override;
  Status set_speed(double factor, Moment now) override;
  double speed() const override { return options_.speed; }
  void finish() override { stop_asked_ = true; }

  // deadline(): when pacing lets the next tick begin.
  void proceed(Moment now) override;
  Moment deadline() const override;
  // Hosts get what they have not been told of yet of the boundary at hand.
  void tell_edits() override;

  Phase phase() const { return phase_; }
  const char* phase_name() const override;
  bool gathering() const override { return phase_ == Phase::kGather; }
  bool over() const override { return phase_ == Phase::kOver; }
  bool all_reported() const override;
  Tick tick() const override { return tick_; }
  Tick next_tick() const override { return tick_ + (phase_ == Phase::kTick); }
  std::uint32_t run() const override { return run_; }
  std::uint64_t ticks_done() const override { return ticks_done_; }
  std::uint64_t digest() const { return digest_; }
  std::string digest_text() const override;
  const World& world() const override { return world_; }
  const Setup& setup() const override { return setup_; }
  const std::map<Owner, HostStatus>& hosts() const override { return hosts_; }
  std::uint64_t updates_in() const override { return updates_in_; }
  std::uint64_t updates_out() const override { return updates_out_; }
  std::uint64_t spawned() const override { return spawned_; }
  std::uint64_t deleted() const override { return deleted_; }
  const Controllers& controllers() const { return controllers_; }
  // The outside programs that the next tick waits for, now that nothing else holds it.
  std::vector<std::string> awaited() const override;
  Moment tick_begun() const { return tick_begun_; }
  const ElementCounts& element_counts() const { return element_counts_; }
  std::uint64_t transfers() const { return transfers_; }  // agents that moved to another host
  Instant now() const override { return instant(tick_ * nanos(setup_.tick)); }

  // Takes a run again: what the feed says happens at its boundaries. Before start().
  void play(JournalFeed* feed) { feed_ = feed; }
  // Agents lost in the tick that is running.
  void mark_lost(const Lost& lost);
  // Goes on from a checkpoint instead of the setup. Before start().
  void resume_at(Resumption from);

 private:
  struct Source {
    std::vector<Slot> slots;
    std::uint32_t frames = 0, records = 0, messages = 0;
    std::size_t inputs = 0;  // from its gateway
    std::uint64_t hash = 0;
    bool done = false;
  };
  struct Pending {
    Edit edit;
    EditDone done;
  };

  Status states(Owner from, const Payload& payload);
  Status messages(Owner from, ByteView payload);
  Status own_inputs(Owner from, ByteView payload);
  Status done(Owner from, ByteView payload, Moment now);
  Status allow(Owner from, ByteView payload, Moment now);
  void let_go(Owner owner);
  bool held_back() const;
  void begin_pace(Moment now);
  Status inner(Owner from, FrameType type, ByteView payload);
  void find_sources();
  void complete(Moment now);
  void hold(WorldNumber number);
  void note_endings();
  void apply_pending();
  bool needs_transfer(const Edit& edit, std::vector<WorldNumber>& moving, Owner& from, Owner& to) const;
  void carry_out(Edit edit, const EditDone& done);
  void reset_world();
  void say_edits();
  Edits take_edits();
  void tell_completed();
  void open(Moment now);
  Moment pace_due() const;
  std::uint64_t take_elements();
  void tell_elements();
  Status tick_done(Owner from, ByteView payload);
  void admit();
  void end_run();
  bool ask_feed();
  bool nobody_here() const;
  std::vector<HostName> host_names(bool joining_too) const;
  void place_unowned(std::vector<std::string>* warnings);
  void to_all(FrameType type, const Payload& payload);
  void journal(JournalEntry entry);

  World world_;
  Setup setup_;  // without the map's cells and the entities
  std::uint64_t digest_seed_;
  ConductorOptions options_;
  Send send_;
  std::vector<RunWatcher*> watchers_;
  Phase phase_ = Phase::kGather;
  std::map<Owner, HostStatus> hosts_;
  std::set<Owner> joining_, joining_guests_, guests_;
  std::set<Owner> fresh_guests_;  // of guests_: they have not been told of any elements
  Controllers controllers_;
  std::optional<std::pair<std::uint32_t, Tick>> opened_;  // run and tick that began last
  std::map<Owner, Source> sources_;

  std::uint32_t run_ = 0;
  Tick tick_ = 0;
  std::uint64_t ticks_done_ = 0;
  std::uint64_t digest_ = 0;
  std::vector<AgentHash> inside_, inside_next_;  // by slot
  std::vector<Message> mail_;                    // sent in the tick in progress, then handed over at the boundary
  std::vector<Manifest> manifest_;               // of the snapshot, until it was said
  std::vector<WorldNumber> held_;                // agents lost in the tick before the snapshot, until it was said
  std::vector<Edit> said_later_;                 // edits applied to the snapshot, not yet said
  std::deque<Pending> pending_;
  std::vector<Input> inputs_;
  ElementSource* elements_ = nullptr;
  std::vector<ElementChanged> fed_;    // from the journal, for the tick that opens next
  std::vector<ElementChanged> taken_;  // at this opening
  ElementCounts element_counts_;
  std::vector<WorldNumber> lost_;  // agents to hold when the tick in progress completes

  // A transfer of agents between owners, in front of the edit that needs it.
  struct Transfer {
    Owner from = kNobody, to = kNobody;
    std::vector<WorldNumber> agents;
    std::map<WorldNumber, Bytes> inner;
  };
  std::optional<Transfer> transfer_;

  JournalFeed* feed_ = nullptr;
  std::optional<std::pair<std::uint32_t, Tick>> asked_at_;  // the boundary that the feed was asked about
  std::set<WorldNumber> ownerless_;                         // of a resumed world: stay without an agent until a reset
  std::map<WorldNumber, Bytes> resumed_;                    // inner bytes that the hosts do not have yet

  bool paused_ = false;
  bool stop_asked_ = false;
  std::uint64_t steps_left_ = 0;
  std::function<void(Tick)> steps_done_;
  std::map<Owner, Tick> horizons_;  // of hosts that hold the world back; there is no pace then
  Moment pace_origin_{};
  Tick pace_tick_ = 0;
  Moment last_now_{}, tick_begun_{};
  bool sources_stale_ = true;
  bool telling_ = false;  // watchers are being told: what they submit waits until all know
  bool settle_ = false;   // next() must start as a copy of the snapshot

  std::optional<std::pair<Owner, Error>> trouble_;
  std::uint64_t updates_in_ = 0, updates_out_ = 0, spawned_ = 0, deleted_ = 0, transfers_ = 0;
};

}  // namespace convoy
