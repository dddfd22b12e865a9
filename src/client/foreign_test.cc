// Foreign clients, a server and a host on a network that loses, doubles, reorders and cuts, in virtual time.
#include "client/foreign.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>

#include "core/hash.h"
#include "core/random.h"
#include "os/handler_pool.h"
#include "roles/client.h"
#include "roles/server.h"
#include "testing/script.h"
#include "testing/sim_net.h"
#include "wire/element_samples.h"

namespace foreign_test {

using namespace convoy;
using namespace convoy::testing;

namespace {

class NoLog final : public Log {
 public:
  void line(LogLevel, const std::string&) override {}
};

// One server, one host, `n` foreign clients; each calls itself ready as soon as its scene is loaded.
struct Party {
  Party(std::uint64_t seed, bool free_mode, std::size_t n, const PathProfile& path, Handlers* handlers = nullptr,
        IntakeBounds waiting = {})
      : net(seed), random{seed, 0} {
    Setup setup = empty_arena(10, seed);
    setup.entities = {robot("a", "turtlebot3_burger", 0, 0, 0, DriverKind::kRandomWalk),
                      robot("b", "turtlebot3_burger", 2, 0, 0, DriverKind::kRandomWalk)};
    ServerOptions options;
    options.membership.build = "test";
    options.membership.free_mode = free_mode;
    options.membership.liveness = std::chrono::seconds(3);
    options.membership.new_token = [this] {
      Token token{};
      token[0] = ++tokens;
      return token;
    };
    options.conductor.speed = 1;
    options.hosts = {"host0"};
    options.elements.types = samples::serialised(samples::beacon_set());
    options.elements.handlers = handlers;
    options.elements.waiting = waiting;
    auto made = ServerRole::make(setup, options, net.server_network(), log);
    REQUIRE(made);
    server = std::move(*made);
    net.set_server(*server);
    ClientOptions host_options;
    host_options.session.name = "host0";
    host_options.session.build = "test";
    host_options.session.datagrams = true;
    host_options.session.server = SimNet::server_endpoint();
    host = std::make_unique<ClientRole>(host_options, net.add_client({}), executor, factory, log);
    net.set_client(0, *host);
    for (std::size_t i = 0; i < n; ++i) {
      ForeignOptions foreign;
      foreign.session.name = "f" + std::to_string(i);
      foreign.session.server = SimNet::server_endpoint();
      clients.push_back(std::make_unique<ForeignRole>(foreign, *ElementTypes::make(), net.add_client(path)));
      net.set_client(i + 1, *clients.back());
    }
    run([&] { return all([](ForeignRole& c) { return c.loaded() && c.session().registered(); }); });
    for (auto& client : clients) client->ready();
    run([&] { return all([](ForeignRole& c) { return c.running(); }); });
  }

  template <class P>
  bool all(const P& p) {
    return std::all_of(clients.begin(), clients.end(), [&](auto& c) { return c->finished() || p(*c); });
  }
  bool run(const std::function<bool()>& until, double limit_s = 60) {
    net.run(net.now() + Duration(static_cast<std::int64_t>(limit_s * 1e9)), until);
    return until();
  }
  // The same where threads work beside it: they get time of the wall's, which the simulated may outrun.
  bool run_beside_threads(const std::function<bool()>& until) {
    for (int i = 0; i < 2000; ++i) {
      if (run(until, 0.5)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }
  void pass(double s) {
    net.run(net.now() + Duration(static_cast<std::int64_t>(s * 1e9)), [] { return false; });
  }

  // Somebody sets some of its elements, or takes one back.
  void step() {
    ForeignRole& client = *clients[random.below(clients.size())];
    if (client.finished() || !client.running()) return;
    const std::uint32_t me = client.session().number().value();
    const std::int64_t stamp = nanos(client.sim_now(net.now())) + static_cast<std::int64_t>(random.below(1000));
    for (std::uint64_t i = random.below(20); i > 0; --i) {
      const auto id = static_cast<std::uint32_t>(random.below(40));
      const std::size_t length = random.below(10) == 0 ? 1300 + random.below(3000) : random.below(300);
      if (id % 2 == 0) REQUIRE(client.push(samples::vehicle(me, id, stamp, static_cast<int>(random.below(6)))));
      else REQUIRE(client.push(samples::note(me, id, stamp, std::string(length, 'x'))));
    }
    if (random.below(3) == 0) client.retract(ElementId(static_cast<std::uint32_t>(random.below(40))));
  }

  // In lockstep the common fields are at other offsets than where their owner wrote them.
  static Element bare(const ElementTypes& types, Element element) {
    element.bytes = types.without_connection(element.type, element.bytes);
    return element;
  }

  // Does each client see what the server has of all the others?
  bool same() {
    return all([&](ForeignRole& c) {
      std::vector<Element> wanted, seen;
      c.reckon(net.now());
      for (const auto& [key, stored] : server->elements().elements())
        if (key.connection != c.session().number()) wanted.push_back(bare(c.types(), stored.element));
      for (const auto& [key, stored] : c.others().elements()) seen.push_back(bare(c.types(), stored.element));
      return wanted == seen;
    });
  }

  SimNet net;
  Random random;
  NoLog log;
  SerialExecutor executor;
  KinematicFactory factory;
  std::uint8_t tokens = 0;
  std::unique_ptr<ServerRole> server;
  std::unique_ptr<ClientRole> host;
  std::vector<std::unique_ptr<ForeignRole>> clients;
};

PathProfile bad(Random& random) {
  PathProfile path;
  path.latency = std::chrono::milliseconds(1 + random.below(10));
  path.jitter = std::chrono::milliseconds(random.below(20));
  path.datagram_loss = random.uniform(0, 0.4), path.datagram_twice = random.uniform(0, 0.3);
  path.datagram_late = random.uniform(0, 0.4), path.datagram_damage = random.uniform(0, 0.1);
  return path;
}

proto::Request call(const std::string& name) {
  proto::Request r;
  if (name == "pause") r.mutable_pause();
  else if (name == "reset") r.mutable_reset();
  else {
    auto* one = r.mutable_spawn()->add_entities();
    one->set_name(name), one->set_model("turtlebot3_burger");
    one->mutable_pose()->mutable_p()->set_y(2);
  }
  return r;
}

}  // namespace

TEST_CASE("elements come to everybody whatever the network does, and go with their owner") {
  std::uint64_t lost = 0, late = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    CAPTURE(seed);
    Random random{seed, 1};
    Party w(seed, seed % 2 == 0, 3, bad(random));
    for (int i = 0; i < 60; ++i) {
      w.step();
      w.pass(0.02);
      if (i == 20 && seed % 3 == 0) w.net.cut(2);
      if (i == 50 && seed % 4 < 2) {  // one receives it late, and early what is new since
        w.net.stall(2, std::chrono::milliseconds(600));
        (void)w.clients[0]->ask(call("reset"));
      }
      if (i == 45 && seed % 5 == 0) w.net.kill(3);
    }
    if (seed % 5 == 0) w.clients.pop_back();

    CHECK(w.run([&] { return w.same() && !w.server->elements().elements().empty(); }));
    for (const auto& client : w.clients) CHECK_FALSE(client->end());
    if (seed % 5 == 0) {
      w.pass(4);  // longer than the liveness limit
      CHECK(w.server->membership().members().size() == w.clients.size() + 1);
      for (const auto& [key, stored] : w.server->elements().elements())
        CHECK(w.server->membership().members().count(key.connection));
      CHECK(w.run([&] { return w.same(); }));
    }
    lost += w.net.troubles()[static_cast<std::size_t>(Trouble::kDatagramLost)];
    late += w.net.troubles()[static_cast<std::size_t>(Trouble::kDatagramReordered)];
  }
  CHECK(lost > 1000);
  CHECK(late > 1000);
}

TEST_CASE("a guest in lockstep sees the server's world word for word, spawned robots and a reset included") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    Random random{seed, 1};
    Party w(seed, false, 2, bad(random));
    w.pass(0.5);
    const std::uint64_t spawn = w.clients[0]->ask(call("more"));
    std::optional<proto::Reply> reply;
    CHECK(w.run([&] { return reply || (reply = w.clients[0]->take_reply(spawn)); }));
    CHECK(reply->error() == 0);
    if (seed % 2 == 0) (void)w.clients[1]->ask(call("reset"));
    w.pass(0.7);
    (void)w.clients[1]->ask(call("pause"));

    CHECK(w.run([&] {
      return w.server->run().time().paused() && w.all([&](ForeignRole& c) {
        return c.run() == w.server->run().run() && c.sim_now(w.net.now()) == w.server->run().now();
      });
    }));
    const World& world = w.server->run().world();
    CHECK(world.entities().size() == (seed % 2 == 0 ? 2 : 3));
    for (const auto& client : w.clients) {
      CHECK(client->world().entities() == world.entities());
      for (Slot slot : SlotRange(world.entities().size()))
        CHECK(client->world().snapshot().state(slot) == world.snapshot().state(slot));
    }
  }
}

TEST_CASE("a guest with an interest receives the states there, and of the rest only that it comes and goes") {
  Party dut(12, true, 2, {});
  const auto seen = [&](std::size_t client, const std::string& name) {
    dut.clients[client]->reckon(dut.net.now());
    const World& world = dut.clients[client]->world();
    return world.snapshot().state(world.find(name));
  };
  const auto off = [&](std::size_t client, const std::string& name) {  // m from where the server has it
    const World& world = dut.server->run().world();
    const Vec3 d = seen(client, name).pose.p - world.snapshot().state(world.find(name)).pose.p;
    return std::sqrt(dot(d, d));
  };
  const auto told = [&] { return dut.server->run().books().counts.updates_out; };
  dut.clients[0]->set_interest({0.05, dut.server->run().world().entity(Slot(0)).number, 0, 0});
  dut.pass(5);
  CHECK(off(0, "a") < 0.05);
  CHECK(off(1, "a") < 0.05);
  CHECK(off(1, "b") < 0.05);
  CHECK(off(0, "b") > 0.2);

  const std::uint64_t id = dut.clients[1]->ask(call("c"));
  dut.pass(0.5);
  REQUIRE(dut.clients[1]->take_reply(id).has_value());
  CHECK(dut.clients[0]->world().find("c") != kNoSlot);

  dut.clients[0]->set_interest({2, kNoEntity, 500, 500});  // no robot is there
  dut.clients[1]->set_interest({2, kNoEntity, 500, 500});
  dut.pass(0.2);
  const std::uint64_t before = told();
  dut.pass(2);
  CHECK(told() == before);

  dut.clients[0]->set_interest({});
  dut.pass(1);
  for (const char* name : {"a", "b", "c"}) CHECK(off(0, name) < 0.05);
  CHECK(off(1, "a") + off(1, "b") > 0.2);

  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), -1.0})
    dut.clients[0]->set_interest({bad, kNoEntity, 0, 0});
  dut.clients[0]->set_interest({1, kNoEntity, std::nan(""), 0});
  dut.pass(0.5);
  CHECK(dut.server->membership().drops().of(Drop::kUnexpected) == 4);
  CHECK(!dut.clients[0]->finished());
  CHECK(off(0, "b") < 0.05);  // still everywhere
}

TEST_CASE("who lacks a type does without its elements, and misses nothing else") {
  Party w(1, true, 2, {});
  ForeignOptions foreign;
  foreign.session.server = SimNet::server_endpoint();
  ForeignRole farmer(foreign, *ElementTypes::make(samples::serialised(samples::beacon_set())), w.net.add_client({}));
  w.net.set_client(3, farmer, w.net.now());
  CHECK(w.run([&] { return farmer.loaded() && farmer.session().registered(); }));
  farmer.ready();
  CHECK(w.run([&] { return farmer.running(); }));
  const std::uint32_t me = farmer.session().number().value();
  const auto beacon = farmer.types().address(element_type_id("survey.Beacon"), {Owner(me), ElementId(1)}, 5, {});
  REQUIRE(beacon);
  CHECK(beacon->id == ElementId(1));
  CHECK(beacon->stamp == 5);
  CHECK(farmer.push(*beacon));
  CHECK(farmer.push(samples::note(me, 2, 5)));

  ForeignRole& other = *w.clients[0];
  CHECK(w.run([&] { return other.others().find({Owner(me), ElementId(2)}) != nullptr; }));
  w.pass(1);
  CHECK(w.server->elements().elements().size() == 2);
  CHECK(other.others().elements().size() == 1);
  farmer.retract(ElementId(2));
  CHECK(w.run([&] { return other.others().elements().empty(); }));
  CHECK(w.server->elements().elements().size() == 1);
}

TEST_CASE("an element in another's name, of another time or not finite is dropped by its reason") {
  Party w(1, true, 2, {});
  const std::uint32_t me = w.clients[0]->session().number().value();
  const std::uint32_t other = w.clients[1]->session().number().value();
  CHECK(w.clients[0]->push(samples::note(other, 1, 5)));
  CHECK(w.clients[0]->push(samples::note(me, 1, nanos(std::chrono::hours(1)))));
  CHECK(w.clients[0]->push(samples::vehicle(me, 2, 5, 4, std::nan(""))));
  w.pass(0.5);
  CHECK(w.clients[0]->push(samples::note(me, 3, 5)));
  w.pass(0.5);
  CHECK(w.clients[0]->push(samples::note(me, 3, 4)));
  w.pass(0.5);
  CHECK(w.clients[0]->push(samples::vehicle(me, 3, 6)));
  w.pass(0.5);

  const Drops& drops = w.server->membership().drops();
  for (const Drop reason :
       {Drop::kForeignElement, Drop::kFutureStamp, Drop::kNotFinite, Drop::kStaleStamp, Drop::kWrongElementType}) {
    CAPTURE(name_of(reason));
    CHECK(drops.of(reason) == 1);
  }
  CHECK(w.server->elements().elements().size() == 1);
}

namespace {

// The elements that the server has, and what became of those that came.
std::string elements_of(const ServerRole& server) {
  const ElementStore& store = server.elements();
  std::string text;
  for (const Element* e : store.all())
    text += std::to_string(e->connection.value()) + "/" + std::to_string(e->id.value()) + " " +
            std::to_string(e->type) + " " + std::to_string(e->stamp) + " " + std::to_string(hash64(e->bytes)) + "\n";
  for (int reason = 0; reason < static_cast<int>(ElementDrop::kCount); ++reason)
    text += std::to_string(store.count(static_cast<ElementDrop>(reason))) + " ";
  return text;
}

// Three guests push as much as they can; what the server holds after each step.
std::vector<std::string> story(Party& w) {
  std::vector<std::string> all;
  for (int i = 0; i < 60; ++i) {
    for (int j = 0; j < 20; ++j) w.step();
    w.pass(0.02);
    all.push_back(elements_of(*w.server));
  }
  return all;
}

}  // namespace

TEST_CASE("in lockstep any number of handler threads gives what none gives, at every step") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    Random random{seed, 1};
    const PathProfile path = bad(random);
    Party none(seed, false, 3, path);
    const std::vector<std::string> expected = story(none);
    CHECK(none.server->elements().count(ElementDrop::kUpdated) > 300);
    for (const int width : {1, 2, 8}) {
      CAPTURE(width);
      os::HandlerPool pool(width, [] {});
      Party dut(seed, false, 3, path, &pool);

      CHECK(story(dut) == expected);
    }
  }
}

TEST_CASE("in free mode all that was pushed is there in the end, whoever parses, and whatever a full queue dropped") {
  std::uint64_t dropped = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    for (const int width : {0, 1, 2, 8}) {
      CAPTURE(seed);
      CAPTURE(width);
      Random random{seed, 1};
      os::HandlerPool pool(width, [] {});  // wakes nothing: the server checks at its next input or deadline
      Party w(seed, true, 3, bad(random), width > 0 ? &pool : nullptr, {.count = 2, .in_hand = 1});
      (void)story(w);
      w.net.kill(3);
      w.clients.pop_back();
      w.pass(4);  // longer than the liveness limit

      std::vector<Element> pushed;
      for (const auto& client : w.clients) {
        for (std::uint32_t id = 0; id < 40; ++id) client->retract(ElementId(id));
        for (std::uint32_t id = 0; id < 20; ++id) {
          pushed.push_back(samples::note(client->session().number().value(), 2 * id + 1,
                                         nanos(client->sim_now(w.net.now())), "last"));
          REQUIRE(client->push(pushed.back()));
        }
      }
      std::sort(pushed.begin(), pushed.end(), [](const Element& a, const Element& b) { return a.key() < b.key(); });

      CHECK(w.run_beside_threads([&] {
        std::vector<Element> there;
        for (const Element* e : w.server->elements().all()) there.push_back(*e);
        return pushed == there && w.same();
      }));
      dropped += w.server->membership().drops().of(Drop::kQueueFull);
    }
  CHECK(dropped > 0);
}

TEST_CASE("what one sends before it is ready comes back") {
  Party w(1, false, 0, {});
  ForeignOptions foreign;
  foreign.session.server = SimNet::server_endpoint();
  ForeignRole client(foreign, *ElementTypes::make(), w.net.add_client({}));
  w.net.set_client(1, client, w.net.now());
  CHECK(w.run([&] { return client.loaded(); }));
  client.send(FrameType::kUserData, as_bytes("hello"));
  CHECK(w.run([&] { return !client.user_data().empty(); }));
  CHECK(as_text(client.user_data().front()) == "hello");
}

}  // namespace foreign_test
