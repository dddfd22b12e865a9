// All calls of convoy/client.h, as a program outside makes them, against a paused run of tests/e2e/test_foreign.py.
//
//   client_calls HOST:PORT        says each thing that is not as it should be; exits 1 if there was any
#include <convoy/element.pb.h>
#include <convoy/elements.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

using namespace std::chrono_literals;

namespace {

int failed = 0;

void check(bool holds, const char* what) {
  if (!holds) std::printf("FAILED %s\n", what), ++failed;
}
void done(const convoy::Status& ok, const char* what) {
  if (!ok) std::printf("FAILED %s: %s\n", what, ok.error().message().c_str()), ++failed;
}
void refused(const convoy::Status& ok, convoy::ErrorCode code, const char* what) {
  check(!ok && ok.error().code == code, what);
}
// A number is no id, and one kind of id no other: swapped arguments do not compile.
template <class Id>
concept Pushes = requires(convoy::Client& c, Id id) {
  c.push("convoy.Note", id, convoy::Instant{}, {});
};
static_assert(Pushes<convoy::ElementId> && !Pushes<int> && !Pushes<std::uint32_t> && !Pushes<convoy::WorldNumber> &&
              !Pushes<convoy::Owner>);

bool near(const convoy::Vec3& a, const convoy::Vec3& b) {
  const convoy::Vec3 d = a - b;
  return convoy::dot(d, d) < 1e-18;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "client_calls HOST:PORT\n"), 2;
  auto joined = convoy::Client::connect({.address = argv[1], .name = "caller"});
  if (!joined) return std::fprintf(stderr, "%s\n", joined.error().message().c_str()), 1;
  convoy::Client client = std::move(*joined);
  while (!client.running())
    if (!client.poll(20ms)) return 1;

  // A crate on the nose of a robot: where it is follows from the robot's pose.
  const convoy::Pose X_WR{{1, 2, 0}, convoy::from_yaw(1.5)};
  convoy::Vec3 p_RC = convoy::Vec3{0.25, 0, 0.1} * 2;
  p_RC -= {0, 0, 0.1}, p_RC += {0, 0, 0.2};
  check(std::abs(convoy::yaw_of(X_WR.q) - 1.5) < 1e-12, "from_yaw and back");
  const auto number = client.spawn(
      {.name = "mule", .model = "turtlebot3_burger", .pose = X_WR, .ns = "team/mule", .tags = {"red", "led"}});
  check(number.has_value(), "spawn");
  done(client.spawn({.name = "crate", .model = "box", .pose = {p_RC, {}}, .frame = "mule"}).map([](auto) {}),
       "in a frame");
  const auto crate = client.get("crate");
  check(crate && near(crate->pose.p, X_WR * p_RC), "a point through a pose");
  std::vector<std::string> appeared, moved, attached, tagged;
  int weathers = 0;
  const auto note = [](std::vector<std::string>& names) {
    return [&names](const convoy::EntityState& entity) { names.push_back(entity.name); };
  };
  convoy::WatchFunctions watch;
  watch.appeared = note(appeared), watch.moved = note(moved), watch.attached = note(attached),
  watch.tagged = note(tagged);
  watch.weather = [&](const convoy::Weather& now) { weathers += now == client.weather(); };
  client.watch(watch);
  done(client.poll(50ms), "poll");  // what has come is known from here on
  check(number && client.get("mule")->number == *number, "its number");
  check(std::count(appeared.begin(), appeared.end(), "mule") == 1 && weathers == 1,
        "the watch begins with all there is");
  const convoy::EntityState* mule = client.find("mule");
  check(mule && mule->tags == std::vector<std::string>{"red", "led"} && mule->owner != convoy::kNobody &&
            mule->parent == convoy::kNoEntity && !mule->frozen,
        "what it is");

  const auto run = client.world();
  check(run && run->find("\"mode\":\"lockstep\"") != run->npos && run->find("\"places\":") != run->npos,
        "what runs here");

  done(client.attach("mule", "crate"), "attach");
  done(client.poll(50ms), "poll");
  check(attached == std::vector<std::string>{"crate"} && moved.empty() && client.find("crate")->parent == *number,
        "the watch tells who rides");
  done(client.lease(std::vector<std::string>{"mule"}), "lease");
  done(client.drive("mule", {.forward = 0.2, .hold = 10s}), "drive");
  done(client.step(100), "step");
  const auto there = client.get("mule"), carried = client.get("crate");
  check(there && carried && near(carried->pose.p, there->pose * p_RC), "the crate rides");
  check(there && convoy::dot(there->pose.p - X_WR.p, there->pose.p - X_WR.p) > 0.01,
        "the robot goes where it was told");
  done(client.set_tags("mule", {"blue"}), "other tags");
  done(client.poll(50ms), "poll");
  check(tagged == std::vector<std::string>{"mule"} && client.find("mule")->tags == std::vector<std::string>{"blue"},
        "the watch tells who has other tags");
  refused(client.set_tags("mule", {"two words"}), convoy::ErrorCode::kInvalid, "a tag that is no name");
  const convoy::Drawing way{.name = "way",
                            .kind = convoy::Drawing::Kind::kArrows,
                            .points = {{0, 0, 0}, {1, 0, 0}},
                            .frame = "mule",
                            .text = "ahead",
                            .lasts = 100s};
  done(client.draw({&way, 1}), "draw");
  const auto drawn = client.drawings();
  check(drawn && drawn->find("\"kind\":\"arrows\"") != drawn->npos && drawn->find("ahead") != drawn->npos,
        "it is drawn");
  convoy::Drawing half = way;
  half.points.pop_back();
  refused(client.draw({&half, 1}), convoy::ErrorCode::kInvalid, "an arrow with one end");
  refused(client.erase(std::vector<std::string>{"no_such"}), convoy::ErrorCode::kNotFound, "what is not drawn");
  done(client.erase(), "erase all");
  check(client.drawings()->find("ahead") == std::string::npos, "it is gone");
  const auto actuators = client.actuators("mule");
  check(actuators && actuators->find("\"robot\":\"mule\"") != actuators->npos, "its actuators");
  const convoy::ClientCalls::Gains stiff[] = {{.actuator = "no_such", .kp = 10}};
  refused(client.set_gains("mule", stiff), convoy::ErrorCode::kNotFound, "gains of no actuator");
  done(client.detach("crate"), "detach");
  refused(client.detach("crate"), convoy::ErrorCode::kState, "detach again");
  done(client.set("mule", {{0, 0, 0}, {}}, convoy::Twist{{0.1, 0, 0}, {}}), "set");
  done(client.poll(50ms), "poll");
  check(moved == std::vector<std::string>{"mule"} && attached == std::vector<std::string>{"crate", "crate"},
        "the watch tells who was put somewhere, and who rides no longer");
  check(near(client.get("mule")->pose.p, {0, 0, 0}) && near(client.get("mule")->twist.v, {0.1, 0, 0}),
        "it was put there");
  done(client.set("crate", {{1, 0, 0}, {}}, {}, "mule"), "set in a frame");
  check(near(client.get("crate")->pose.p, {1, 0, 0}), "relative to the robot");

  const convoy::Client::Control all[] = {{"left", 1.0}, {"no_such", 2.0}};
  refused(client.control("mule", all), convoy::ErrorCode::kNotFound, "an actuator that there is not");
  done(client.resume(), "resume");
  refused(client.resume(), convoy::ErrorCode::kState, "resume again");
  refused(client.step(1), convoy::ErrorCode::kState, "a step of a run that goes on");
  done(client.pause(), "pause");
  done(client.reset(std::vector<std::string>{"mule"}), "reset of one");
  check(near(client.get("mule")->pose.p, X_WR.p), "it is at its beginning");
  refused(client.set("nobody", {}), convoy::ErrorCode::kNotFound, "who is not there");

  // Typed elements: what another kind of element is not.
  convoy::Vehicle vehicle;
  vehicle.set_speed(3);
  done(convoy::push(client, convoy::ElementId(1), *client.now(), vehicle), "push");
  convoy::ElementEvent event;
  const std::string bytes = vehicle.SerializeAsString();
  event.type = "convoy.Vehicle", event.bytes.assign(bytes.begin(), bytes.end());
  check(convoy::as<convoy::Vehicle>(event) && convoy::as<convoy::Vehicle>(event)->speed() == 3,
        "an element as its type");
  event.bytes = {0xff};
  check(!convoy::as<convoy::Vehicle>(event), "bytes that are none");
  event.type = "convoy.Other";
  check(!convoy::as<convoy::Vehicle>(event), "another type");
  event = {}, event.kind = convoy::ElementEvent::Kind::kGone, event.type = "convoy.Vehicle";
  check(!convoy::as<convoy::Vehicle>(event), "one that is gone");

  done(client.remove("crate"), "remove");
  done(client.release(), "release");
  done(client.done(), "the last tick");
  std::printf("%d failed\n", failed);
  return failed > 0;
}
