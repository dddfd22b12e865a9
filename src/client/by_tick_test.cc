// Elements in lockstep: inputs at named ticks, programs that the barrier waits for, and the replay of both. Whole
// clusters with foreign clients, in virtual time, on a network that misbehaves.
#include <doctest/doctest.h>

#include <set>

#include "client/foreign.h"
#include "record/mcap_writer.h"
#include "roles/calls.h"
#include "roles/client.h"
#include "roles/recorder.h"
#include "roles/replay.h"
#include "testing/script.h"
#include "testing/shuffled_executor.h"
#include "testing/sim_net.h"
#include "wire/element_samples.h"

namespace by_tick_test {

using namespace convoy;
using namespace convoy::testing;

namespace {

constexpr Tick kEnd = 60;
constexpr std::int64_t kTickNs = 10'000'000;

struct Lines final : Log {
  void line(LogLevel, const std::string& text) override { lines.push_back(text); }
  bool have(const std::string& part) const {
    return std::any_of(lines.begin(), lines.end(), [&](const auto& l) { return l.find(part) != std::string::npos; });
  }
  std::vector<std::string> lines;
};

// An outside program: does the same in the same tick, whenever that comes, and reports that it is done.
class Puppet final : public Role {
 public:
  using Act = std::function<void(Puppet&, Tick)>;
  Puppet(const std::string& name, Network& network, Act act)
      : name_(name), act_(std::move(act)), role_(options(name), *ElementTypes::make(), network) {}

  void on_opened(LinkId link, Moment now) override { role_.on_opened(link, now); }
  void on_bytes(LinkId link, ByteView bytes, Moment now) override { role_.on_bytes(link, bytes, now); }
  void on_closed(LinkId link, Moment now) override { role_.on_closed(link, now); }
  void on_datagram(const Endpoint& from, ByteView bytes, Moment now) override { role_.on_datagram(from, bytes, now); }
  Moment deadline() const override { return role_.deadline(); }
  bool finished() const override { return role_.finished(); }
  void on_time(Moment now) override {
    role_.on_time(now);
    if (role_.finished()) return;
    if (!ready_ && role_.loaded() && role_.session().registered()) role_.ready(), ready_ = true;
    if (!role_.running()) return;
    role_.reckon(now);
    if (role_.begun() == seen_) return;
    seen_ = role_.begun();
    observe();
    act_(*this, seen_->second);
    if (!silent) role_.tick_done(*seen_);
    role_.on_time(now);
  }

  // The note `id` contains who and when.
  void say(std::uint32_t id, Tick tick, const std::string& more = "") {
    const Element note = samples::note(me(), id, tick * kTickNs, name_ + ":" + std::to_string(tick) + more);
    REQUIRE(role_.push(note));
  }
  std::uint32_t me() const { return role_.session().number().value(); }
  ForeignRole& role() { return role_; }
  const std::string& name() const { return name_; }

  bool silent = false;
  std::map<RunTick, std::set<std::string>> views;  // the others' notes, as each tick began

 private:
  static ForeignOptions options(const std::string& name) {
    ForeignOptions options;
    options.session.name = name;
    options.session.server = SimNet::server_endpoint();
    return options;
  }
  void observe() {
    std::set<std::string>& view = views[*seen_];
    for (const auto& [key, stored] : role_.others().elements()) {
      Note note;
      REQUIRE(note.ParseFromArray(stored.element.bytes.data(), static_cast<int>(stored.element.bytes.size())));
      CHECK(note.connection() == key.connection.value());
      view.insert(note.text().substr(0, 40));
    }
    // The world that goes with them.
    CHECK(role_.sim_now({}) == instant(seen_->second * kTickNs));
  }

  std::string name_;
  Act act_;
  ForeignRole role_;
  bool ready_ = false;
  std::optional<RunTick> seen_;
};

struct Cast {
  int hosts = 2;
  std::vector<std::pair<std::string, Puppet::Act>> puppets;  // in the order in which they come
  std::vector<std::string> wait_for;
  std::uint64_t seed = 1;
  PathProfile path{};
  Tick end = kEnd;
  Duration liveness = std::chrono::seconds(3);
  Duration deadline = std::chrono::seconds(1);
  bool checkpoints = true;
};

// A server with a recorder, hosts and puppets.
struct Stage {
  explicit Stage(const Cast& cast) : net(cast.seed) {
    setup = empty_arena(10, 3);
    for (int i = 0; i < 4; ++i)
      setup.entities.push_back(robot("r" + std::to_string(i), "turtlebot3_burger", i, 0, 0, DriverKind::kRandomWalk));
    setup.checkpoint = 20;
    setup.tick = Duration(kTickNs);
    RecordingHead head;
    head.version = "test", head.hosts.resize(static_cast<std::size_t>(cast.hosts));
    recorder.emplace(sink, setup, head, "");
    ServerOptions options;
    options.membership.liveness = cast.liveness;
    options.membership.checkpoints = cast.checkpoints;
    options.membership.new_token = [this] {
      Token token{};
      token[0] = ++tokens;
      return token;
    };
    options.conductor.end = cast.end;
    options.conductor.wait_for = cast.wait_for;
    options.conductor.deadline = cast.deadline;
    for (int i = 0; i < cast.hosts; ++i) options.hosts.push_back("host" + std::to_string(i));
    auto made = ServerRole::make(setup, options, net.server_network(), log, {&*recorder, &memory});
    REQUIRE(made);
    server = std::move(*made);
    net.set_server(*server);
    std::size_t seat = 0;
    for (const std::string& name : options.hosts) {
      ClientOptions host;
      host.session.name = name;
      hosts.push_back(std::make_unique<ClientRole>(host, net.add_client({}), executor, factory, log));
      net.set_client(seat++, *hosts.back());
    }
    for (const auto& [name, act] : cast.puppets) {
      puppets.push_back(std::make_unique<Puppet>(name, net.add_client(cast.path), act));
      net.set_client(seat++, *puppets.back());
    }
  }
  bool run_until(const std::function<bool()>& until) {
    net.run(net.now() + std::chrono::seconds(120), until);
    return until();
  }
  bool finish() {
    return run_until([&] { return server->finished(); });
  }
  std::uint64_t digest() const { return server->conductor().digest(); }
  // Once.
  Bytes file() {
    REQUIRE(recorder->file().close());
    return std::move(sink.bytes);
  }
  std::vector<std::pair<Tick, ElementChanged>> elements() const {
    std::vector<std::pair<Tick, ElementChanged>> out;
    for (const JournalEntry& entry : memory.journal())
      if (const auto* change = std::get_if<ElementChanged>(&entry.what)) out.emplace_back(entry.tick, *change);
    return out;
  }
  std::string absences() const {
    std::string text;
    for (const JournalEntry& entry : memory.journal())
      if (const auto* absent = std::get_if<Absent>(&entry.what))
        text += std::to_string(entry.tick) + (absent->gone ? " gone " : " late ") + absent->name + "; ";
    return text;
  }

  SimNet net;
  Lines log;
  const KinematicFactory factory;
  ShuffledExecutor executor{0};
  Setup setup;
  MemorySink sink;
  std::optional<Recorder> recorder;
  RunMemory memory;
  std::uint8_t tokens = 0;
  std::unique_ptr<ServerRole> server;
  std::vector<std::unique_ptr<ClientRole>> hosts;
  std::vector<std::unique_ptr<Puppet>> puppets;
};

struct Again {
  std::string difference;  // or why it could not be run again
  std::uint64_t digest = 0, digests = 0;
};

Again replay(const Bytes& file, int hosts, double from = 0) {
  Lines log;
  SerialExecutor executor;
  const KinematicFactory factory;
  const auto recording = Recording::open(file);
  if (!recording) return {recording.error().text};
  auto made =
      Replay::make(*recording, {.hosts = hosts, .verify = true, .from_ns = static_cast<std::uint64_t>(from * 1e9)},
                   executor, factory, log);
  REQUIRE(made);
  Moment now{};
  (*made)->run([&] { return now += std::chrono::microseconds(200); },
               [&](Moment) { now += std::chrono::milliseconds(10); });
  Again out;
  if ((*made)->failure()) out.difference = (*made)->failure()->text;
  const Comparison* c = (*made)->comparison();
  if (c->difference()) out.difference = c->difference()->text(recording->setup().tick);
  else if (!(*made)->reached_end()) out.difference = "ended elsewhere";
  out.digest = (*made)->digest(), out.digests = c->digests();
  return out;
}

// The same file with its journal changed; `edit` returns false to leave an entry out.
Bytes rewritten(const Bytes& file, const std::function<bool(std::size_t, JournalEntry&)>& edit) {
  MemorySink sink;
  McapWriter writer(sink);
  std::map<std::string, std::uint16_t> channels;
  std::size_t at = 0;
  ScanVisits visits;
  visits.attachment = [&](const mcap::Attachment& a, bool) { return writer.attach(a); };
  visits.message = [&](const MessageView& m) -> Status {
    Bytes data(m.data.begin(), m.data.end());
    if (m.channel->topic == topic::kJournal) {
      JournalEntry entry;
      REQUIRE(load(data, entry));
      if (!edit(at++, entry)) return {};
      data = save(entry);
    }
    if (!channels.count(m.channel->topic))
      channels[m.channel->topic] = *writer.add_channel({.topic = m.channel->topic, .message_encoding = "x"});
    return writer.write({.channel_id = channels[m.channel->topic],
                         .sequence = m.sequence,
                         .log_time_ns = m.log_time_ns,
                         .publish_time_ns = m.publish_time_ns,
                         .data = data});
  };
  REQUIRE(scan_mcap(file, visits));
  REQUIRE(writer.close());
  return std::move(sink.bytes);
}

PathProfile bad() {
  PathProfile path;
  path.latency = std::chrono::milliseconds(4), path.jitter = std::chrono::milliseconds(9);
  path.datagram_loss = 0.3, path.datagram_twice = 0.2, path.datagram_late = 0.3;
  return path;
}

// Three elements that come, change and go; another one that is taken back and comes again.
void busy(Puppet& puppet, Tick tick) {
  puppet.say(1, tick);
  if (tick % 3 == 0) puppet.say(2, tick, std::string(50, 'x'));
  if (tick % 10 == 4) puppet.say(3, tick);
  if (tick % 10 == 8) puppet.role().retract(ElementId(3));
  if (tick == 30) puppet.role().retract(ElementId(2)), puppet.say(2, tick, " again");
}
void idle(Puppet&, Tick) {}

Cast two(Puppet::Act act = busy) { return {.puppets = {{"alice", act}, {"bob", act}}, .wait_for = {"alice", "bob"}}; }

void check_equal(Stage& stage) {
  const std::uint64_t digest = stage.digest();
  const Bytes file = stage.file();
  for (int hosts : {1, 3}) {
    const Again again = replay(file, hosts);
    CHECK(again.difference == "");
    CHECK(again.digest == digest);
    CHECK(again.digests > 0);
  }
  const Again later = replay(file, 2, 0.45);
  CHECK(later.difference == "");
  CHECK(later.digest == digest);
}

}  // namespace

TEST_CASE("programs that are functions of the tick give one digest, whatever hosts, network and order of coming") {
  Stage first(two());
  REQUIRE(first.finish());
  CHECK(first.server->conductor().elements().counts().changed > 150);

  for (const int hosts : {1, 2, 3}) {
    for (std::uint64_t seed : {2, 3}) {
      CAPTURE(hosts);
      CAPTURE(seed);
      Cast cast = two();
      cast.hosts = hosts, cast.seed = seed, cast.path = bad();
      if (seed == 3) std::swap(cast.puppets[0], cast.puppets[1]);
      Stage dut(cast);
      dut.net.at(Moment{} + std::chrono::milliseconds(700), [&] { dut.net.cut(static_cast<std::size_t>(hosts)); });
      REQUIRE(dut.finish());
      CHECK(dut.memory.digests() == first.memory.digests());
      CHECK(dut.absences() == "");
    }
  }
}

TEST_CASE("without elements the digest is that of a run without outside programs, and with them another") {
  Stage alone({});
  REQUIRE(alone.finish());
  Stage waited(two(idle));
  REQUIRE(waited.finish());
  Stage with(two());
  REQUIRE(with.finish());

  CHECK(waited.memory.digests() == alone.memory.digests());
  CHECK(with.digest() != alone.digest());
  CHECK(with.memory.digest_at(0, 0) == alone.memory.digest_at(0, 0));
  CHECK(with.memory.digest_at(0, 1) != alone.memory.digest_at(0, 1));
}

TEST_CASE("what is pushed in one tick is there for all at the next boundary, no sooner and no later") {
  Cast cast = two([](Puppet& puppet, Tick tick) { puppet.say(1, tick); });
  cast.path = bad(), cast.seed = 5;
  Stage dut(cast);

  REQUIRE(dut.finish());

  for (std::size_t i : {0, 1}) {
    const std::string other = i == 0 ? "bob" : "alice";
    REQUIRE(dut.puppets[i]->views.size() >= kEnd - 1);  // the goodbye does not wait for the last one
    for (const auto& [place, view] : dut.puppets[i]->views) {
      const Tick k = place.second;
      CAPTURE(k);
      CHECK(view == (k == 0 ? std::set<std::string>{} : std::set<std::string>{other + ":" + std::to_string(k - 1)}));
    }
  }
  for (const auto& [tick, change] : dut.elements()) CHECK(change.stamp == (tick - 1) * kTickNs);
}

TEST_CASE("who comes late is sent all elements as of the tick that it sees first") {
  Cast cast = two([](Puppet& puppet, Tick tick) {
    if (tick == 2) puppet.say(7, tick);
    puppet.say(1, tick);
  });
  cast.end = 600;
  Stage dut(cast);
  REQUIRE(dut.run_until([&] { return dut.server->conductor().tick() >= 20; }));
  Puppet late("late", dut.net.add_client(bad()), idle);
  dut.net.set_client(4, late, dut.net.now());

  REQUIRE(dut.finish());

  REQUIRE(late.views.size() > 5);
  for (const auto& [place, view] : late.views) {
    const std::string k = std::to_string(place.second - 1);
    CHECK(view == std::set<std::string>{"alice:2", "bob:2", "alice:" + k, "bob:" + k});
  }
}

TEST_CASE("a recording with elements is verified on any number of hosts and from a checkpoint") {
  Stage dut(two());
  REQUIRE(dut.finish());
  check_equal(dut);
}

TEST_CASE("one altered bit of a journalled element is named with its tick and the element") {
  Stage dut(two());
  REQUIRE(dut.finish());
  const Bytes file = dut.file();
  std::vector<JournalEntry> journal;
  rewritten(file, [&](std::size_t, JournalEntry& entry) { return journal.push_back(entry), true; });
  std::size_t tried = 0;
  for (std::size_t i = 0; i < journal.size(); i += 1 + journal.size() / 25) {
    const auto& change = std::get<ElementChanged>(journal[i].what);
    const auto named = [&](const std::function<void(ElementChanged&)>& alter) {
      const auto altered = rewritten(file, [&](std::size_t at, JournalEntry& e) {
        if (at == i) alter(std::get<ElementChanged>(e.what));
        return true;
      });
      return replay(altered, 1).difference;
    };
    const std::string where = "tick " + std::to_string(journal[i].tick) + " (";
    const std::string who = "element convoy.Note " + change.owner + "/" + std::to_string(change.id.value()) + ": hash ";
    if (!change.bytes.empty()) {
      const std::string text = named(
          [&](ElementChanged& e) { e.bytes[(i * 7) % e.bytes.size()] ^= static_cast<std::uint8_t>(1u << (i % 8)); });
      CHECK_MESSAGE((text.rfind(where, 0) == 0 && text.find(who) != std::string::npos), text);
      ++tried;
    }
    CHECK(named([](ElementChanged& e) { e.stamp ^= 1; }).rfind(where, 0) == 0);
    CHECK(named([](ElementChanged& e) { e.owner += "x"; }).rfind(where, 0) == 0);
    CHECK(named([](ElementChanged& e) { e.connection = Owner(e.connection.value() ^ 1); }) == "");  // by name alone
  }
  CHECK(tried > 15);
}

TEST_CASE("a reset takes all elements away, and the run after it begins without them") {
  bool asked = false;
  Stage dut(two([&](Puppet& puppet, Tick tick) {
    busy(puppet, tick);
    if (tick != 25 || puppet.name() != "bob" || std::exchange(asked, true)) return;
    proto::Request reset;
    reset.mutable_reset();
    (void)puppet.role().ask(reset);
  }));
  Stage plain(two());

  REQUIRE(dut.finish());
  REQUIRE(plain.finish());

  CHECK(dut.server->conductor().run() == 1);
  CHECK(dut.puppets[0]->views.at({1, 0}).empty());
  CHECK(dut.puppets[0]->views.at({1, 5}) == plain.puppets[0]->views.at({0, 5}));
  for (Tick k = 0; k <= kEnd; ++k) CHECK(dut.memory.digest_at(1, k) == plain.memory.digest_at(0, k));
  check_equal(dut);
}

TEST_CASE("the elements of a program that is killed go at a named tick, and the run waits for it no more") {
  Stage dut(two());
  REQUIRE(dut.run_until([&] { return dut.server->conductor().tick() >= 20; }));
  dut.net.kill(3);

  REQUIRE(dut.finish());

  CHECK(dut.server->conductor().tick() == kEnd);
  std::set<Tick> gone;
  std::set<ElementId> ids;
  for (const auto& [tick, change] : dut.elements())
    if (change.owner == "bob" && change.kind == ElementChanged::Kind::kGone && tick > 20)
      gone.insert(tick), ids.insert(change.id);
  REQUIRE(gone.size() == 1);
  CHECK(ids.size() >= 2);
  CHECK(dut.absences().find(std::to_string(*gone.begin()) + " gone bob; ") != std::string::npos);
  const auto& after = dut.puppets[0]->views.at({0, *gone.begin()});
  CHECK(std::none_of(after.begin(), after.end(), [](const auto& text) { return text.rfind("bob", 0) == 0; }));
  check_equal(dut);
}

TEST_CASE("a missed deadline is journalled with its tick and counted, and what comes late takes effect later") {
  Stage dut(two([](Puppet& puppet, Tick tick) {
    puppet.silent = puppet.name() == "bob" && tick == 10;
    puppet.say(1, tick);
  }));

  REQUIRE(dut.run_until([&] { return dut.server->conductor().awaited() == std::vector<std::string>{"bob"}; }));
  CHECK(status_json(dut.server->run(), dut.server->membership()).find(R"("waits_for":["bob"])") != std::string::npos);
  REQUIRE(dut.finish());

  CHECK(dut.absences() == "11 late bob; ");
  CHECK(dut.server->conductor().pace().controllers().missed() == std::map<std::string, std::uint64_t>{{"bob", 1}});
  CHECK(dut.log.have("did not wait any longer for bob"));
  CHECK(dut.puppets[0]->views.at({0, 11}) == std::set<std::string>{"bob:9"});
  CHECK(dut.puppets[0]->views.at({0, 12}) == std::set<std::string>{"bob:11"});
  check_equal(dut);
}

TEST_CASE("the run begins when the programs that it waits for are ready, and reports whom it waits for") {
  Cast cast = two();
  cast.puppets.pop_back();
  Stage dut(cast);
  dut.net.run(dut.net.now() + std::chrono::seconds(10), [] { return false; });
  CHECK(dut.server->run().gathering());
  CHECK(dut.log.have("waiting for bob to load the scene"));

  Puppet bob("bob", dut.net.add_client({}), busy);
  dut.net.set_client(3, bob, dut.net.now());

  REQUIRE(dut.finish());
  CHECK(bob.views.begin()->first == RunTick{0, 0});
  Stage both(two());
  REQUIRE(both.finish());
  CHECK(dut.digest() == both.digest());
}

TEST_CASE("what one tick brings may be larger than a frame") {
  Cast cast = two([](Puppet& puppet, Tick tick) {
    if (tick == 5 || tick == 40)
      for (std::uint32_t id = 1; id <= 60; ++id)
        puppet.say(id, tick, " " + std::string(60'000, static_cast<char>('a' + id % 26)));
  });
  Stage dut(cast);

  REQUIRE(dut.finish());

  CHECK(dut.server->conductor().elements().counts().changed == 120);
  CHECK(dut.puppets[0]->views.at({0, 5}).empty());
  CHECK(dut.puppets[0]->views.at({0, 6}).size() == 26);  // as many letters
  CHECK(dut.server->elements().elements().size() == 120);
  for (const auto& [key, stored] : dut.puppets[0]->role().others().elements())
    CHECK(stored.element.stamp == 40 * kTickNs);
  check_equal(dut);
}

TEST_CASE("no tick waits for a program whose name is not in wait_for, and a pause is no missed deadline") {
  Cast cast = two();
  cast.wait_for = {"alice"};
  Stage dut(cast);
  dut.puppets[1]->silent = true;
  REQUIRE(dut.run_until([&] { return dut.server->conductor().tick() >= 20; }));
  dut.server->conductor().time().pause();
  dut.net.run(dut.net.now() + std::chrono::seconds(5), [] { return false; });
  const Tick paused_at = dut.server->conductor().tick();
  dut.server->conductor().time().resume(dut.net.now());

  REQUIRE(dut.finish());

  CHECK(paused_at < 30);
  CHECK(dut.absences() == "");
  check_equal(dut);
}

}  // namespace by_tick_test
