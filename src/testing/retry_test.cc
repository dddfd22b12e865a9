// A call is carried out once, however often it is sent: while it is carried out, after its answer, over another link,
// in either mode. What it is known by is the connection and its id.
#include <doctest/doctest.h>

#include <algorithm>

#include "testing/requests.h"
#include "testing/rig.h"

namespace retry_test {

using namespace convoy;
using namespace convoy::testing;

namespace {

using Seconds = std::chrono::seconds;

Setup room() {
  Setup setup = empty_arena(10, 1);
  setup.entities = {robot("alpha", "turtlebot3_burger", 0, 0, 0, DriverKind::kNone),
                    robot("beta", "turtlebot3_waffle", 2, 0, 0, DriverKind::kNone)};
  return setup;
}

Request with_id(Request request, std::uint64_t id) {
  request.set_id(id);
  return request;
}

std::vector<proto::Reply> replies_to(const Rig& rig, std::uint64_t id, std::size_t caller = 0) {
  std::vector<proto::Reply> out;
  for (std::size_t i = 0; i < rig.callers[caller]->replies(); ++i)
    if (rig.callers[caller]->reply_at(i).id() == id) out.push_back(rig.callers[caller]->reply_at(i));
  return out;
}

// Sends it twice at once, and once more after the answer; the answers.
std::vector<proto::Reply> thrice(Rig& rig, const Request& request) {
  rig.callers[0]->send(request), rig.callers[0]->send(request);
  REQUIRE(rig.run_until([&] { return !replies_to(rig, request.id()).empty(); }));
  rig.run_until([] { return false; }, 0.2);
  const std::size_t before = replies_to(rig, request.id()).size();
  rig.callers[0]->send(request);
  REQUIRE(rig.run_until([&] { return replies_to(rig, request.id()).size() > before; }));
  rig.run_until([] { return false; }, 0.2);
  return replies_to(rig, request.id());
}

void check_same(const std::vector<proto::Reply>& replies) {
  for (const proto::Reply& reply : replies) {
    CHECK(reply.text() == "");
    CHECK(reply.SerializeAsString() == replies[0].SerializeAsString());
  }
}

std::size_t inputs(const Rig& rig) {
  const auto& journal = rig.memory.journal();
  return static_cast<std::size_t>(std::count_if(journal.begin(), journal.end(),
                                                [](const auto& e) { return std::holds_alternative<Input>(e.what); }));
}

}  // namespace

TEST_CASE("a call that is sent again while it is carried out is not begun again, and answered once") {
  Rig rig(room(), {.paused = true});
  rig.call(just([](Request& r) { r.mutable_speed()->set_factor(1); }));

  const Request request = with_id(step(20), 77);  // 0.4 s
  for (int i = 0; i < 3; ++i) {
    rig.callers[0]->send(request);
    rig.run_until([] { return false; }, 0.05);
  }
  REQUIRE(replies_to(rig, 77).empty());
  rig.run_until([] { return false; }, 2);

  REQUIRE(replies_to(rig, 77).size() == 1);
  CHECK(replies_to(rig, 77)[0].text() == "");
  CHECK(replies_to(rig, 77)[0].tick() == 20);
  CHECK(rig.conductor().tick() == 20);
  rig.callers[0]->send(request);
  rig.run_until([] { return false; }, 2);
  CHECK(replies_to(rig, 77).size() == 2);
  check_same(replies_to(rig, 77));
  CHECK(rig.conductor().tick() == 20);
}

TEST_CASE("edits and commands that are sent again are done once, and are in the journal once") {
  Rig rig(room(), {.paused = true});

  check_same(thrice(rig, with_id(spawn("gamma", "box"), 101)));
  check_same(thrice(rig, with_id(drive("alpha", 0.1, 0, 1), 102)));
  check_same(thrice(rig, with_id(attach("alpha", "gamma"), 103)));
  check_same(thrice(rig, with_id(detach("gamma"), 104)));
  check_same(thrice(rig, with_id(erase("gamma"), 105)));
  CHECK(rig.memory.journal().size() == 4);
  check_same(thrice(rig, with_id(step(3), 106)));
  CHECK(rig.conductor().tick() == 3);
  CHECK(inputs(rig) == 1);
  CHECK(rig.memory.journal().size() == 5);

  check_same(thrice(rig, with_id(just([](Request& r) { r.mutable_reset(); }), 107)));
  CHECK(rig.conductor().run() == 1);
}

TEST_CASE("in free mode too") {
  Rig rig(room(), {.paused = true, .free = true});

  check_same(thrice(rig, with_id(spawn("gamma", "box"), 101)));
  CHECK(rig.run().books().counts.spawned == 1);
  check_same(thrice(rig, with_id(step(3), 102)));
  CHECK(rig.run().tick() == 3);
  check_same(thrice(rig, with_id(just([](Request& r) { r.mutable_reset(); }), 103)));
  CHECK(rig.run().run() == 1);
}

TEST_CASE("a call whose link breaks before the answer is done once, and sent again it has the answer it had") {
  for (int cut_after_ms : {0, 1, 2, 3, 4, 6}) {
    CAPTURE(cut_after_ms);
    Rig rig(room(), {.paused = true, .liveness = Seconds(5)});
    const std::size_t seat = rig.seats.size();  // of the caller: it came after the hosts
    const Request request = with_id(spawn("gamma", "box"), 9);
    rig.callers[0]->send(request);
    rig.run_until([] { return false; }, cut_after_ms * 1e-3);
    rig.net.cut(seat);

    REQUIRE(rig.run_until([&] { return !replies_to(rig, 9).empty(); }, 20));
    rig.callers[0]->send(request);
    REQUIRE(rig.run_until([&] { return replies_to(rig, 9).size() == 2; }, 20));

    check_same(replies_to(rig, 9));
    CHECK(rig.conductor().books().counts.spawned == 1);
  }
}

TEST_CASE("two callers may use one id, and each call of one that has another is another call") {
  Rig rig(room(), {.paused = true});
  const std::size_t other = rig.add_caller("ctl2", PeerRole::kControl);

  CHECK(rig.error_of(with_id(spawn("gamma", "box"), 5)) == "");
  CHECK(rig.error_of(with_id(spawn("delta", "box"), 5), other) == "");
  CHECK(rig.error_of(with_id(spawn("gamma", "box"), 6)) == "an entity named 'gamma' exists already");
  CHECK(rig.conductor().books().counts.spawned == 2);
}

}  // namespace retry_test
