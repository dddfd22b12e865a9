// A simulator of your own in a Convoy run: one robot driven in a circle, one vehicle that the others see.
//
//   foreign_client [HOST:PORT [NAME [Y]]]      works in both modes; Ctrl-C or the run's end stops it
#include <convoy/element.pb.h>
#include <convoy/elements.h>

#include <cstdio>
#include <cstdlib>

using namespace std::chrono_literals;

namespace {

int complain(const convoy::Error& error) { return std::fprintf(stderr, "%s\n", error.message().c_str()), 1; }

// The exchange before this program counts as ready. convoy server sends back what it gets.
convoy::Status greet(convoy::TcpPhase& phase) {
  const std::string hello = "hello from outside";
  if (auto ok = phase.send(std::vector<std::uint8_t>(hello.begin(), hello.end())); !ok) return ok;
  const auto answer = phase.receive(5s);
  if (!answer) return tl::unexpected(answer.error());
  std::printf("tcp phase: %s\n", std::string(answer->begin(), answer->end()).c_str());
  return {};
}

// The robot as a vehicle; connection, id and stamp are filled in by push().
convoy::Vehicle vehicle_at(const convoy::EntityState& robot) {
  convoy::Vehicle vehicle;
  vehicle.set_speed(robot.twist.v.x);
  vehicle.mutable_chassis()->mutable_p()->set_x(robot.pose.p.x);
  vehicle.mutable_chassis()->mutable_p()->set_y(robot.pose.p.y);
  return vehicle;
}

void print(const convoy::ElementEvent& e) {
  const char* what = e.kind == convoy::ElementEvent::Kind::kGone ? "gone" : "appeared";
  std::printf("element %s %s %u/%u\n", what, e.type.c_str(), e.connection.value(), e.id.value());
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  auto client = convoy::Client::connect(
      {.address = argc > 1 ? argv[1] : "127.0.0.1:7447", .name = argc > 2 ? argv[2] : "", .tcp_phase = greet});
  if (!client) return complain(client.error());
  std::printf("joined as %s, %s\n", client->name().c_str(), client->free_mode() ? "free mode" : "lockstep");
  client->watch({[](const auto& e) { std::printf("entity appeared %s (%s)\n", e.name.c_str(), e.model.c_str()); },
                 nullptr, [](const auto& e) { std::printf("entity gone %s\n", e.name.c_str()); }});

  convoy::SpawnOptions spawn{.name = client->name() + "_bot", .model = "turtlebot3_burger"};
  spawn.pose.p.y = argc > 3 ? std::atof(argv[3]) : 0;
  convoy::Instant driven = convoy::Instant::min(), pushed{};
  unsigned long changes = 0;
  convoy::Status ok;
  while (ok && (ok = client->poll(20ms))) {
    if (!client->running()) continue;  // hosts are still loading
    const convoy::Instant now = *client->now();
    const convoy::EntityState* robot = client->find(spawn.name);
    if (!robot && driven == convoy::Instant::min()) ok = client->spawn(spawn).map([](auto) {});
    if (ok && (driven == convoy::Instant::min() || now >= driven + 1s || now < driven)) {  // a reset sets time back
      if (robot)
        std::printf("%.2f s: at %.3f %.3f, %lu changes\n", convoy::seconds(now), robot->pose.p.x, robot->pose.p.y,
                    changes);
      ok = client->drive(spawn.name, {.forward = 0.15, .turn = 0.6, .hold = 2s});
      driven = now;
    }
    robot = client->find(spawn.name);
    if (ok && robot && now != pushed)
      ok = convoy::push(*client, convoy::ElementId(1), pushed = now, vehicle_at(*robot));
    for (const convoy::ElementEvent& e : client->drain())
      if (e.kind == convoy::ElementEvent::Kind::kChanged) ++changes;
      else print(e);
    if (ok) ok = client->done();  // in lockstep: the pushes above belong to the next boundary, which may wait for this
  }
  std::printf("over: %s\n", ok.error().message().c_str());
}
