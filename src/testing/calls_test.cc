// What callers get: the true outcome, or one clear text.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "core/approx.h"
#include "roles/calls.h"
#include "testing/requests.h"
#include "testing/rig.h"
#include "world/spec_check.h"

namespace calls_test {

using namespace convoy;
using namespace convoy::testing;

namespace {
using proto::Request;

Setup room() {
  Setup setup = empty_arena(10, 1);
  setup.entities = {robot("alpha", "turtlebot3_burger", 0, 0, 1.5707963267948966, DriverKind::kNone),
                    robot("beta", "turtlebot3_waffle", 2, 0, 0, DriverKind::kNone),
                    robot("crate", "box", -2, 0, 0, DriverKind::kNone)};
  return setup;
}

}  // namespace

TEST_CASE("every refusal states what is wrong") {
  Rig rig(room(), {.paused = true});

  CHECK(rig.error_of(spawn("", "box")) == "the entity name is empty");
  CHECK(rig.error_of(spawn("no good", "box")) ==
        "'no good' is no valid name: letters, digits and '_', a letter first, at most 128");
  CHECK(rig.error_of(spawn("alpha", "box")) == "an entity named 'alpha' exists already");
  CHECK(rig.error_of(spawn("gamma", "turtlebot3_burgr")) ==
        "unknown model 'turtlebot3_burgr'; did you mean 'turtlebot3_burger'?");
  CHECK(rig.error_of(spawn("gamma", "box", "nowhere")) == "unknown frame 'nowhere'");
  CHECK(rig.error_of(spawn("gamma", "box", "", "host9")) == "no host named 'host9' takes part");
  CHECK(rig.error_of(just([](Request& r) { r.mutable_spawn(); })) == "nothing to spawn");
  CHECK(rig.error_of(erase("")) == "the entity name is empty");
  CHECK(rig.error_of(erase("bet")) == "unknown entity 'bet'; did you mean 'beta'?");
  CHECK(rig.error_of(just([](Request& r) { r.mutable_delete_(); })) == "the entity name is empty");
  CHECK(rig.error_of(get("")) == "the entity name is empty");
  CHECK(rig.error_of(get("zzzzzzzz")) == "unknown entity 'zzzzzzzz'");
  CHECK(rig.error_of(get("alpha", "zzzzzzzz")) == "unknown frame 'zzzzzzzz'");
  CHECK(rig.error_of(set_pose("zzzzzzzz", 1)) == "unknown entity 'zzzzzzzz'");
  CHECK(rig.error_of(set_pose("alpha", NAN)) == "the pose holds NaN or infinity");
  CHECK(rig.error_of(set_pose("alpha", 1, 0.5)) == "the orientation is not a unit quaternion");
  CHECK(rig.error_of(set_pose("alpha", 1e9)) == "the pose is more than 10,000 km from the origin");
  CHECK(rig.error_of(drive("alpha", NAN, 0, 1)) == "the twist holds NaN or infinity");
  CHECK(rig.error_of(drive("alpha", 1, 0, -1)) == "the timeout lies between 0 and 3600 s");
  CHECK(rig.error_of(drive("crate", 1, 0, 1)) == "'crate' has no drive");
  CHECK(rig.error_of(detach("crate")) == "'crate' is not attached");
  CHECK(rig.error_of(step(0)) == "a step has at least one tick");
  for (const double factor : {-1.0, 1e-300, 0.00099, 1001.0, 1e300, double{INFINITY}, double{NAN}}) {
    Request speed;
    speed.mutable_speed()->set_factor(factor);
    CHECK(rig.error_of(speed) == "the speed is a factor of real time from 0.001 to 1000, or 0 for as fast as possible");
  }
  CHECK(rig.error_of(just([](Request& r) { r.mutable_environment()->set_fog(2); })) ==
        "weather values lie between 0 and 1");
  CHECK(rig.error_of(just([](Request& r) { r.set_add_model("junk"); })) == "the model is malformed");
  CHECK(rig.error_of(just([](Request& r) { r.mutable_reset()->add_names("zzzzzzzz"); })) ==
        "unknown entity 'zzzzzzzz'");
  CHECK(rig.error_of(Request{}) == "this server does not know that call");
  CHECK(rig.memory.journal().empty());
}

TEST_CASE("attaching keeps a tree: no cycle, one parent, no moving by hand") {
  Rig rig(room(), {.paused = true});
  CHECK(rig.error_of(attach("alpha", "crate")) == "");

  CHECK(rig.error_of(attach("beta", "crate")) == "'crate' is attached already");
  CHECK(rig.error_of(attach("crate", "alpha")) == "attaching 'alpha' to 'crate' would make a cycle");
  CHECK(rig.error_of(attach("beta", "beta")) == "attaching 'beta' to 'beta' would make a cycle");
  CHECK(rig.error_of(attach("zzzzzzzz", "beta")) == "unknown entity 'zzzzzzzz'");
  CHECK(rig.error_of(set_pose("crate", 1)) == "'crate' is attached to 'alpha'; detach it first");
  CHECK(rig.error_of(detach("crate")) == "");
  CHECK(rig.error_of(set_pose("crate", 1)) == "");
}

TEST_CASE("what has lost its agent carries and is carried as before") {
  Rig rig(room(), {.paused = true});
  rig.conductor().submit(Freeze{WorldNumber(2)}, nullptr);

  CHECK(rig.error_of(attach("beta", "crate")) == "");
  CHECK(rig.error_of(attach("alpha", "beta")) == "");
}

namespace {

// Every call, with what it needs; of control_source, one that asks and one that sets.
std::map<std::string, Access> calls_and_roles() {
  using D = google::protobuf::Descriptor;
  std::map<std::string, Access> out;
  const D* d = Request::descriptor();
  for (int i = 0; i < d->oneof_decl(0)->field_count(); ++i) {
    const auto* field = d->oneof_decl(0)->field(i);
    Request request;
    if (field->message_type()) request.GetReflection()->MutableMessage(&request, field);
    else request.GetReflection()->SetString(&request, field, "x");
    out[field->name()] = needed(request);
  }
  Request source;
  source.mutable_control_source()->set_source("any");
  out["control_source, set"] = needed(source);
  return out;
}

}  // namespace

TEST_CASE("every call needs a role, and a member may make it by its secret and by what it is") {
  std::map<Access, std::string> listed;
  for (const auto& [call, role] : calls_and_roles()) listed[role] += call + " ";
  CHECK(listed == std::map<Access, std::string>{
                      {Access::kView,
                       "actuators contacts control_source drawings elements get hosts list nodes placement sensor "
                       "spawnables status "
                       "world "},
                      {Access::kDrive, "control_source, set draw drive lease set_actions set_controls set_gains "},
                      {Access::kEdit,
                       "add_file add_model attach call_service change_sensor delete_ detach environment look own_edit "
                       "pause publish "
                       "reset resume set set_parameter set_part set_tags spawn speed step "},
                      {Access::kAdmin, "kick stop "}});

  struct Case {
    PeerRole peer;
    Access secret, may;  // what both together allow
  };
  for (const Access secret : {Access::kView, Access::kDrive, Access::kEdit, Access::kAdmin})
    for (const Case& c :
         {Case{PeerRole::kRobotClient, secret, secret}, Case{PeerRole::kSensorHost, secret, Access::kView},
          Case{PeerRole::kViewer, secret, secret}, Case{PeerRole::kControl, secret, secret},
          Case{PeerRole::kForeign, secret, std::min(secret, Access::kEdit)}}) {
      Member member;
      member.role = c.peer, member.grant.access = c.secret;
      Request ask = get("alpha"), command = drive("alpha", 1, 0, 1), edit = erase("alpha"), end, kick, own;
      end.mutable_stop(), kick.mutable_kick(), own.set_own_edit("x");
      CHECK((allowed(member, ask) && allowed(member, command) == (c.may >= Access::kDrive)));
      CHECK(allowed(member, edit) == (c.may >= Access::kEdit));
      CHECK(allowed(member, end) == (c.may >= Access::kAdmin));
      CHECK(allowed(member, kick) == (c.peer != PeerRole::kRobotClient && c.may >= Access::kAdmin));
      CHECK(allowed(member, own) == (c.peer == PeerRole::kRobotClient && c.may >= Access::kEdit));
      for (int type = 0; type < 256; ++type) {
        const auto frame = static_cast<FrameType>(type);
        const bool edits = frame == FrameType::kElements || frame == FrameType::kPush || frame == FrameType::kTickDone;
        CHECK(allowed(member, frame) == (!edits || c.secret >= Access::kEdit));
      }
    }
}

TEST_CASE("a call that the secret does not allow says which role it needs") {
  Rig rig(room(), {.paused = true});
  for (const auto& [number, member] : rig.server->membership().members())
    const_cast<Member&>(*member).grant.access = Access::kDrive;

  CHECK(rig.error_of(erase("alpha")) == "this call needs the role edit, and these credentials have drive");
  CHECK(rig.call(erase("alpha")).error() == static_cast<std::uint32_t>(ErrorCode::kDenied));
  CHECK(rig.error_of(drive("alpha", 1, 0, 1)) == "");
}

TEST_CASE("a role may only do what it is for") {
  Rig rig(room(), {.paused = true});
  const std::size_t sensors = rig.add_caller("eye", PeerRole::kSensorHost),
                    pages = rig.add_caller("pages", PeerRole::kViewer),
                    foreign = rig.add_caller("guest", PeerRole::kForeign);

  CHECK(rig.error_of(erase("alpha"), sensors) == "a sensor host may not make this call");
  CHECK(rig.call(erase("alpha"), sensors).error() == static_cast<std::uint32_t>(ErrorCode::kDenied));
  CHECK(rig.error_of(just([](Request& r) { r.mutable_stop(); }), foreign) ==
        "a foreign simulator may not make this call");
  CHECK(rig.error_of(get("alpha"), sensors) == "");
  CHECK(rig.error_of(spawn("delta", "box"), pages) == "");
  CHECK(rig.error_of(spawn("gamma", "box"), foreign) == "");
}

TEST_CASE("between two calls of a quiet member at most 64 of a flooding one are carried out") {
  Rig rig(room(), {.paused = true});
  const std::size_t quiet = rig.add_caller("quiet", PeerRole::kControl);
  for (int i = 0; i < 1000; ++i) rig.callers[0]->send(spawn("flood" + std::to_string(i), "box"));
  std::vector<std::uint64_t> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(rig.callers[quiet]->send(spawn("quiet" + std::to_string(i), "box")));
  REQUIRE(rig.run_until([&] { return rig.callers[0]->replies() == 1000 && rig.callers[quiet]->reply(ids[2]); }));

  // Numbers are given in the order in which calls are carried out.
  std::vector<std::uint32_t> of_flood, of_quiet;
  for (int i = 0; i < 1000; ++i) of_flood.push_back(rig.run().world().find("flood" + std::to_string(i)).value());
  for (int i = 0; i < 3; ++i) of_quiet.push_back(rig.run().world().find("quiet" + std::to_string(i)).value());
  CHECK(std::is_sorted(of_flood.begin(), of_flood.end()));
  std::uint32_t before = 0;
  for (const std::uint32_t number : of_quiet) {
    const auto between =
        std::count_if(of_flood.begin(), of_flood.end(), [&](auto n) { return n > before && n < number; });
    CHECK(between <= 64);
    before = number;
  }
}

TEST_CASE("of a member's calls so many may wait; what is beyond is refused, and the member is named") {
  Rig rig(room(), {.paused = true});
  Request ask;
  ask.mutable_status();
  for (int i = 0; i < 5000; ++i) rig.callers[0]->send(ask);
  REQUIRE(rig.run_until([&] { return rig.callers[0]->replies() == 5000; }));
  std::size_t refused = 0;
  for (std::size_t i = 0; i < 5000; ++i)
    if (rig.callers[0]->reply_at(i).text() == "too many of your calls wait for their answers already") ++refused;
  CHECK(refused > 0);
  CHECK(refused <= 5000 - kOpenCalls);
  CHECK(rig.logged("ctl makes more calls than are carried out"));
  CHECK(rig.error_of(ask) == "");
}

TEST_CASE("step and resume need a paused run") {
  Rig rig(room(), {.end = 2000});
  rig.run_to(5);

  CHECK(rig.error_of(step(1)) == "not paused: step needs a paused run");
  CHECK(rig.error_of(just([](Request& r) { r.mutable_resume(); })) == "not paused");
}

TEST_CASE("a resume in the middle of a step ends the step, and its caller gets an answer") {
  Rig rig(room(), {.paused = true});
  rig.call(just([](Request& r) { r.mutable_speed()->set_factor(1); }));
  const std::uint64_t id = rig.callers[0]->send(step(1000));
  rig.run_to(10);
  CHECK(!rig.callers[0]->reply(id));

  rig.call(just([](Request& r) { r.mutable_resume(); }));

  CHECK(rig.run_until([&] { return rig.callers[0]->reply(id) != nullptr; }, 1));
  CHECK(rig.callers[0]->reply(id)->tick() < 100);
}

TEST_CASE("a drive during a tick names the boundary at which it takes effect") {
  Rig rig(room(), {.end = 500});
  rig.run_to(10);

  const Tick answered = rig.call(drive("alpha", 0.1, 0, 0)).tick();

  REQUIRE(rig.finish());
  REQUIRE(rig.memory.journal().size() == 1);
  CHECK(rig.memory.journal()[0].tick == answered);
}

TEST_CASE("before the run begins, and after it is over, calls are answered so") {
  Rig early(room(), {.hosts = {"host0"}, .absent = {"host1"}}), late(room(), {.end = 20, .stay = true});
  late.run_until([&] { return late.conductor().over(); });

  CHECK(early.error_of(get("alpha")) == "the run has not begun: hosts are still loading");
  CHECK(early.error_of(just([](Request& r) { r.mutable_status(); })) == "");
  CHECK(early.run_until([&] { return early.logged("waiting for host1 to load the scene"); }));
  CHECK(late.error_of(get("alpha")) == "the run is over");
}

TEST_CASE("a call that is sent again is answered again, not done again") {
  Rig rig(room(), {.paused = true});
  Request request = spawn("gamma", "box");
  request.set_id(77);

  CHECK(rig.call(request).text() == "");
  const std::size_t answers = rig.callers[0]->replies();
  rig.callers[0]->send(request);
  rig.run_until([&] { return rig.callers[0]->replies() > answers; });

  CHECK(rig.callers[0]->replies() == answers + 1);
  CHECK(rig.callers[0]->reply(77)->error() == 0);
  CHECK(rig.conductor().books().counts.spawned == 1);
}

TEST_CASE("a batch of spawns has an outcome each, and spreads over the hosts") {
  Rig rig(room(), {.paused = true});
  Request request;
  for (int i = 0; i < 8; ++i) {
    auto* one = request.mutable_spawn()->add_entities();
    one->set_name(i == 3 ? "alpha" : "new" + std::to_string(i));
    one->set_model("box");
  }

  const proto::Reply reply = rig.call(request);

  REQUIRE(reply.outcomes_size() == 8);
  for (int i = 0; i < 8; ++i) CHECK((reply.outcomes(i).error() == 0) == (i != 3));
  CHECK(reply.outcomes(3).text() == "an entity named 'alpha' exists already");
  CHECK(reply.outcomes(0).number() == 4);
  CHECK(reply.outcomes(7).number() == 10);
  const std::size_t on_first = rig.conductor().world().slots_of(Owner(1)).size(),
                    on_second = rig.conductor().world().slots_of(Owner(2)).size();
  CHECK(on_first == 5);
  CHECK(on_second == 5);
}

TEST_CASE("a namespace, frame or tag that is more than names is refused, whatever would be made of it") {
  Rig rig(room(), {.paused = true});
  const auto said = [&](const std::function<void(proto::SpawnOne&)>& change) {
    Request request = spawn("gamma", "box");
    change(*request.mutable_spawn()->mutable_entities(0));
    return rig.error_of(request);
  };
  for (const std::string& odd : {std::string("../../etc"), std::string("a/../b"), std::string("/a"), std::string("a/"),
                                 std::string("a//b"), std::string("a\nb"), std::string("\x1b[2J"),
                                 std::string("a\0b", 3), std::string("1a"), std::string(1025, 'a')}) {
    CHECK(said([&](proto::SpawnOne& one) { one.set_ns(odd); }).starts_with("the namespace of 'gamma' is not names"));
    CHECK(said([&](proto::SpawnOne& one) { one.set_frame(odd); }).starts_with("the frame of 'gamma' is not names"));
    CHECK(said([&](proto::SpawnOne& one) { one.add_tags(odd); }).starts_with("a tag of 'gamma' is no name"));
  }
  CHECK(said([](proto::SpawnOne& one) {
          for (std::size_t i = 0; i <= kMaxTags; ++i) one.add_tags("t");
        }) == "'gamma' has more than 1000 tags");
  CHECK(said([](proto::SpawnOne& one) { one.set_ns("fleet/one"), one.set_frame("base_link"), one.add_tags("red"); }) ==
        "");
}

TEST_CASE("what is spawned in a wall or outside the map is there, and its outcome says so") {
  Rig rig(room(), {.paused = true});
  Request request;
  for (double x : {1.0, 4.97, 300.0}) {
    auto* one = request.mutable_spawn()->add_entities();
    one->set_name("new" + std::to_string(static_cast<int>(x)));
    one->set_model("turtlebot3_burger");
    one->mutable_pose()->mutable_p()->set_x(x);
    one->mutable_pose()->mutable_p()->set_y(-2);
    one->mutable_pose()->mutable_q()->set_w(1);
  }

  const proto::Reply reply = rig.call(request);

  REQUIRE(reply.outcomes_size() == 3);
  CHECK(reply.error() == 0);
  for (const proto::Outcome& o : reply.outcomes()) CHECK(o.number() > 0);
  CHECK(reply.outcomes(0).text() == "");
  CHECK(reply.outcomes(1).text() == "it stands in a wall or outside the map");
  CHECK(reply.outcomes(2).text() == "it stands in a wall or outside the map");
  CHECK(rig.conductor().world().find("new300") != kNoSlot);
}

TEST_CASE("get in a frame gives pose and twist as seen from there") {
  Rig rig(room(), {.paused = true});
  Request move = set_pose("beta", 2);
  move.mutable_set()->mutable_twist()->mutable_v()->set_x(1);
  rig.call(move);
  Request turn = just([](Request& r) { r.mutable_set()->set_name("alpha"); });  // faces +y
  turn.mutable_set()->mutable_twist()->mutable_w()->set_z(0.5);
  rig.call(turn);

  const proto::Reply seen = rig.call(get("beta", "alpha"));

  // beta is 2 m to the right; it moves right, and alpha's turning moves it ahead of the right side: v - w x r.
  CHECK(seen.pose().p().x() == about(0, 1e-9));
  CHECK(seen.pose().p().y() == approx(-2));
  CHECK(seen.twist().v().x() == approx(-1));
  CHECK(seen.twist().v().y() == approx(-1));
  CHECK(seen.twist().w().z() == approx(-0.5));
  CHECK(rig.call(get("beta")).pose().p().x() == 2);
}

TEST_CASE("set in a frame puts the entity there") {
  Rig rig(room(), {.paused = true});

  rig.call(set_pose("crate", 1, 1, "alpha"));  // 1 m ahead of alpha, which faces +y

  CHECK(rig.state("crate").pose.p.y == approx(1));
  CHECK(rig.state("crate").pose.p.x == about(0, 1e-9));
}

TEST_CASE("a driven robot stops when the timeout is over") {
  Rig rig(room(), {.paused = true});

  rig.call(drive("alpha", 0.2, 0, 1.0));
  rig.call(step(45));
  CHECK(rig.state("alpha").twist.v.y == approx(0.2));
  rig.call(step(30));
  CHECK(rig.state("alpha").twist.v.y == 0);
  const double reached = rig.state("alpha").pose.p.y;
  rig.call(step(20));

  CHECK(rig.state("alpha").pose.p.y == reached);
  CHECK(reached > 0.15);
}

TEST_CASE("a source that rules is set for robots or for all, and shown with what was ignored") {
  Rig rig(room(), {.paused = true});
  const auto source = [](const std::string& who, const std::string& name = "") {
    Request r;
    r.mutable_control_source()->set_source(who);
    if (!name.empty()) r.mutable_control_source()->add_names(name);
    return r;
  };

  CHECK(rig.error_of(source("zmk")) == "unknown source 'zmk'; did you mean 'zmq'?");
  CHECK(rig.error_of(source("zmq", "alpa")) == "unknown entity 'alpa'; did you mean 'alpha'?");
  rig.call(source("nodes"));
  rig.call(source("dashboard", "beta"));
  rig.call(step(1));
  for (const char* name : {"alpha", "beta"}) rig.call(drive(name, 0.1, 0, 1.0));
  rig.call(step(40));

  CHECK(rig.state("alpha").twist.v.y == 0);
  CHECK(rig.state("beta").twist.v.x == approx(0.1));
  CHECK(rig.call(source("", "alpha")).json() == R"([{"robot":"alpha","source":"nodes","ignored":{"dashboard":1}}])");
  CHECK(rig.call(source("")).json() == R"([{"robot":"alpha","source":"nodes","ignored":{"dashboard":1}},)"
                                       R"({"robot":"beta","source":"dashboard","ignored":{}},)"
                                       R"({"robot":"crate","source":"nodes","ignored":{}}])");

  Request set;
  set.mutable_set_parameter()->set_node("/alpha/controller");
  set.mutable_set_parameter()->set_name("source"), set.mutable_set_parameter()->set_value("me");
  CHECK(rig.error_of(set) == "unknown source 'me'");
  set.mutable_set_parameter()->set_value("any");
  CHECK(rig.error_of(set) == "");
  set.mutable_set_parameter()->set_name("ignored.dashboard");
  CHECK(rig.error_of(set) == "'ignored.dashboard' is only shown");
  rig.call(step(1));
  CHECK(rig.call(source("", "alpha")).json() == R"([{"robot":"alpha","source":"any","ignored":{"dashboard":1}}])");
}

TEST_CASE("a list is of those for which all holds that is asked, and says what each is") {
  Setup setup = room();
  setup.entities[0].tags = {"red", "fast"}, setup.entities[2].tags = {"red"};
  setup.entities[1].ns = "fleet/b";
  Rig rig(setup, {.paused = true});
  const auto listed = [&](const std::function<void(proto::List&)>& wanted) {
    Request asked;
    wanted(*asked.mutable_list());
    const auto reply = rig.call(asked);
    std::string text;
    for (const std::string& name : reply.names()) text += name + " ";
    return text;
  };
  CHECK(listed([](auto& l) { l.set_name("a.*|cr[a-z]te"); }) == "alpha crate ");
  CHECK(listed([](auto& l) { l.set_name("lph"); }) == "");  // a part of a name is not the name
  CHECK(listed([](auto& l) { l.set_name("a.*"), l.set_prefix("b"); }) == "");
  CHECK(listed([](auto& l) { l.add_tags("red"); }) == "alpha crate ");
  CHECK(listed([](auto& l) { l.add_tags("red"), l.add_tags("fast"); }) == "alpha ");
  CHECK(listed([](auto& l) { l.set_model("turtlebot3_waffle"); }) == "beta ");
  const auto region = [](proto::List& l, double x0, double y0, double x1, double y1) {
    l.mutable_region()->set_x_min(x0), l.mutable_region()->set_y_min(y0);
    l.mutable_region()->set_x_max(x1), l.mutable_region()->set_y_max(y1);
  };
  CHECK(listed([&](auto& l) { region(l, -2, -1, 0, 1); }) == "alpha crate ");
  CHECK(listed([&](auto& l) { region(l, 0.5, -1, 9, 1); }) == "beta ");
  CHECK(listed([](auto& l) { l.set_category("robot"); }) == "alpha beta ");
  CHECK(listed([](auto& l) { l.set_category("object"); }) == "crate ");
  CHECK(listed([](auto& l) { l.set_category("tree"); }) == "");

  const auto refused = [&](const std::function<void(proto::List&)>& wanted) {
    Request asked;
    wanted(*asked.mutable_list());
    return rig.error_of(asked);
  };
  CHECK(refused([](auto& l) { l.set_name("a("); }) == "'a(' is no regular expression: missing ): a(");
  CHECK(refused([](auto& l) { l.set_name(std::string(1001, 'a')); }) == "a regular expression has at most 1000 bytes");
  CHECK(refused([](auto& l) { l.set_name("((a{100}){100}){100}"); }) != "");  // more than it may take
  CHECK(refused([&](auto& l) { region(l, 1, 0, 0, 1); }) ==
        "a region is x and y of its lower corner, then of its upper one");
  CHECK(refused([&](auto& l) { region(l, 0, std::nan(""), 1, 1); }) != "");

  rig.call(just([](Request& r) { r.mutable_attach()->set_parent("beta"), r.mutable_attach()->set_child("crate"); }));
  const auto details =
      nlohmann::json::parse(rig.call(just([](Request& r) { r.mutable_list()->set_details(true); })).json());
  REQUIRE(details.size() == 3);
  CHECK(details[0]["tags"] == nlohmann::json{"red", "fast"});
  CHECK(details[0]["parent"].is_null());
  CHECK(details[1]["model"] == "turtlebot3_waffle");
  CHECK(details[1]["category"] == "robot");
  CHECK(details[2]["category"] == "object");
  CHECK(details[1]["engine"].is_null());
  CHECK(details[1]["mass"] == 1.8);
  CHECK(details[1]["bounds"]["low"][2] == 0.0);
  CHECK(details[1]["bounds"]["high"][0].get<double>() > 0.05);
  CHECK(details[1]["namespace"] == "fleet/b");
  CHECK(details[1]["children"] == nlohmann::json{"crate"});
  CHECK(details[1]["owner"] == "host1");
  CHECK(details[1]["position"] == nlohmann::json{2.0, 0.0, 0.0});
  CHECK(details[2]["parent"] == "beta");
  CHECK(details[2]["number"] == 3);
  CHECK(details[2]["radius"].get<double>() > 0.1);
  while (setup.entities.size() <= 5000)
    setup.entities.push_back(robot("b" + std::to_string(setup.entities.size()), "box", -4, 4, 0, DriverKind::kNone));
  Rig crowd(setup, {.paused = true});
  CHECK(crowd.error_of(just([](Request& r) { r.mutable_list()->set_details(true); })) ==
        "details are told of 5000 entities at most; ask for less, as by a prefix");
  CHECK(crowd.call(just([](Request& r) { r.mutable_list(); })).names_size() == 5001);
  Request one;
  one.mutable_get()->set_name("alpha"), one.mutable_get()->set_details(true), one.mutable_get()->set_rule(true);
  const auto alpha = nlohmann::json::parse(rig.call(one).json());
  CHECK(alpha["source"] == "any");
  CHECK(alpha["joints"].contains("wheel_left_joint"));
  CHECK(alpha["joints"]["wheel_left_joint"]["velocity"] == 0.0);
}

TEST_CASE("who rules is shown where a robot, the list and the status are asked for, and only if it is asked") {
  Rig rig(room(), {.paused = true});
  const auto get = [](const std::string& name, bool rule) {
    Request r;
    r.mutable_get()->set_name(name), r.mutable_get()->set_rule(rule);
    return r;
  };
  const auto list = just([](Request& r) { r.mutable_list()->set_rule(true); });
  const auto control = [&] {
    const std::string json = rig.call(just([](Request& r) { r.mutable_status()->set_rule(true); })).json();
    return json.substr(json.find("\"control\":"));
  };
  const auto sources = [&] {
    const auto reply = rig.call(list);
    std::string text;
    for (int i = 0; i < reply.names_size(); ++i)
      text += reply.names(i) + " " + std::to_string(reply.sources()[static_cast<std::size_t>(i)]) + " ";
    return text;
  };

  CHECK(sources() == "alpha 0 beta 0 crate 0 ");
  CHECK(control() == R"("control":{"default":"any","robots":{"any":3},"ignored":{}}})");
  rig.call(just([](Request& r) {
    r.mutable_control_source()->set_source("nodes"), r.mutable_control_source()->add_names("alpha");
  }));
  rig.call(step(1));
  for (const char* name : {"alpha", "beta"}) rig.call(drive(name, 0.1, 0, 1.0));
  rig.call(step(1));

  CHECK(rig.call(get("alpha", true)).json() == R"({"source":"nodes","ignored":{"dashboard":1}})");
  CHECK(rig.call(get("beta", true)).json() == R"({"source":"any","ignored":{}})");
  CHECK(rig.call(get("alpha", false)).json() == "");
  CHECK(sources() == "alpha 4 beta 0 crate 0 ");
  CHECK(control() == R"("control":{"default":"any","robots":{"any":2,"nodes":1},"ignored":{"dashboard":1}}})");
  CHECK(rig.call(just([](Request& r) { r.mutable_list(); })).sources().empty());
  CHECK(rig.call(just([](Request& r) { r.mutable_status(); })).json().find("\"control\":") == std::string::npos);
}

TEST_CASE("a host that is silent keeps no caller from an answer: who rules its robots is unknown") {
  Rig rig(room(), {.paused = true});
  rig.call(step(1));
  rig.net.stall(rig.seats[1], std::chrono::seconds(30));
  Request status, one;
  status.mutable_status()->set_rule(true);
  one.mutable_get()->set_name("beta"), one.mutable_get()->set_rule(true);

  const std::string json = rig.call(status).json();
  CHECK(json.find(R"("control":{"default":"any","robots":{"any":2,"unknown":1},"ignored":{}})") != std::string::npos);
  CHECK(rig.call(one).json() == R"({"source":"unknown","ignored":{}})");
  CHECK(rig.call(just([](Request& r) { r.mutable_list()->set_rule(true); })).sources()[1] == kUnknownRuler);
}

TEST_CASE("a host that never finishes its tick is sent away by its deadline, by a kick, and when the run shall end") {
  const auto gone = [](Rig& rig) { return rig.server->losses().all == std::vector<std::string>{"host1"}; };
  const auto kick = [](const char* name) {
    Request request;
    request.mutable_kick()->set_name(name);
    return request;
  };
  SUBCASE("by its deadline, however long the server itself stood still") {
    Rig rig(room(), {.liveness = std::chrono::hours(1), .evictions = {.tick_deadline = std::chrono::seconds(30)}});
    rig.run_to(10);
    rig.net.stall(rig.seats[1], std::chrono::hours(1));
    const Moment since = rig.net.now();
    REQUIRE(rig.run_until([&] { return gone(rig); }));
    CHECK(rig.net.now() - since >= std::chrono::seconds(30));
    CHECK(rig.net.now() - since <= std::chrono::seconds(32));
    CHECK(rig.logged("host1 is gone: did not finish its tick in time"));
    CHECK(rig.run_to(100));
  }
  SUBCASE("without liveness there is no deadline") {
    Rig rig(room(), {.evictions = {.tick_deadline = std::chrono::seconds(30)}});
    rig.run_to(10);
    rig.net.stall(rig.seats[1], std::chrono::hours(1));
    CHECK_FALSE(rig.run_until([&] { return gone(rig); }, 600));
    CHECK(rig.error_of(kick("nobody")) == "no connection is named 'nobody'");
    CHECK(rig.error_of(kick("host1")) == "");
    CHECK(rig.run_until([&] { return gone(rig); }, 1));
    CHECK(rig.logged("host1 is gone: sent away"));
    CHECK(rig.run_to(100));
  }
  SUBCASE("when the run shall end") {
    Rig rig(room());
    rig.run_to(10);
    rig.net.stall(rig.seats[1], std::chrono::hours(1));
    rig.call(just([](Request& r) { r.mutable_stop(); }));
    CHECK(rig.run_until([&] { return rig.run().over(); }, 7));
    CHECK(gone(rig));
  }
}

TEST_CASE("a caller whose link breaks gets its answer on the next one") {
  Rig rig(room(), {.paused = true});
  const std::uint64_t id = rig.callers[0]->send(spawn("gamma", "box"));

  rig.net.cut(2);  // the caller's seat
  rig.run_until([&] { return rig.callers[0]->reply(id) != nullptr; });

  // With the liveness off the server forgets callers with their link: then no answer comes, and nothing hangs.
  CHECK((rig.callers[0]->reply(id) || rig.callers[0]->finished()));
}

}  // namespace calls_test
