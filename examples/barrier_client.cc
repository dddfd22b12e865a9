// A simulator of your own that the ticks of a run in lockstep wait for: what it does is a function of the tick alone,
// so the run has one digest, whatever the clock and the network do.
//
//   convoy launch scenarios/hello.yaml --set wait_for=[alice,bob] --speed max       prints where it listens
//   barrier_client HOST:PORT alice & barrier_client HOST:PORT bob
#include <convoy/element.pb.h>
#include <convoy/elements.h>

#include <cmath>
#include <cstdio>

using namespace std::chrono_literals;

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "barrier_client HOST:PORT NAME\n"), 2;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  auto client = convoy::Client::connect({.address = argv[1], .name = argv[2]});
  if (!client) return std::fprintf(stderr, "%s\n", client.error().message().c_str()), 1;
  convoy::Status ok;
  unsigned long changes = 0;
  convoy::Instant before{};
  while (ok && (ok = client->advance(60s))) {  // waits for the others, and for the hosts
    const convoy::Instant now = *client->now();
    convoy::Vehicle vehicle;
    vehicle.set_speed(1);
    vehicle.mutable_chassis()->mutable_p()->set_x(2 * std::cos(convoy::seconds(now)));
    vehicle.mutable_chassis()->mutable_p()->set_y(2 * std::sin(convoy::seconds(now)));
    ok = convoy::push(*client, convoy::ElementId(1), now, vehicle);
    for (const convoy::ElementEvent& event : client->drain()) {
      changes += event.kind == convoy::ElementEvent::Kind::kChanged;
      // Exact: what the other pushed in the tick before this one.
      if (event.kind == convoy::ElementEvent::Kind::kGone)
        std::printf("%.2f s: %u/%u is gone\n", convoy::seconds(now), event.connection.value(), event.id.value());
      else if (event.stamp != before)
        std::printf("%.2f s: an element of %.2f s\n", convoy::seconds(now), convoy::seconds(event.stamp));
    }
    before = now;
    if (now.time_since_epoch() % 1s == 0s) std::printf("%.0f s\n", convoy::seconds(now));
  }
  std::printf("%lu changes; over: %s\n", changes, ok.error().message().c_str());
}
