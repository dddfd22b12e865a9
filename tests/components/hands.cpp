// Sets parts of MuJoCo robots and asks what they touch, by the client library; e2e/parts reads its lines.
//
//   hands HOST:PORT
#include <convoy/client.h>

#include <cstdio>

using namespace std::chrono_literals;

namespace {

void say(const char* what, const convoy::Status& status) {
  std::printf("%s: %s\n", what, status ? "done" : status.error().message().c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto client = convoy::Client::connect({.address = argv[1]});
  if (!client) return std::fprintf(stderr, "%s\n", client.error().message().c_str()), 1;
  while (!client->running())
    if (auto ok = client->poll(20ms); !ok) return std::fprintf(stderr, "%s\n", ok.error().message().c_str()), 1;

  const auto spawned = client->spawn({.name = "up", .model = "reach_xml", .pose = {{5, 5, 0}, {}}, .keyframe = "up"});
  say("spawn", spawned ? convoy::Status{} : tl::unexpected(spawned.error()));
  if (auto ok = client->poll(500ms); !ok) return 1;
  if (const auto* up = client->find("up"); up && !up->joints.empty()) std::printf("up: %.3f\n", up->joints[0]);
  const auto found = client->contacts("crate");
  double weight = 0;
  if (found)
    for (const convoy::Contact& one : *found) weight += one.force.z;
  std::printf("crate: %.1f N on %s\n", weight,
              found && !found->empty() ? found->front().other_body.c_str() : "nothing");
  say("push", client->push_body("crate", "crate", {40, 0, 0}, {}, 300ms));
  say("push", client->push_body("crate", "crat", {40, 0, 0}, {}, 300ms));
  say("joint", client->put_joint("arm", "turn", -0.5));
  say("mocap", client->put_mocap("arm", "goal", {{20, 3, 1}, {}}));
  say("option", client->set_option("crate", "iterations", 20));
  say("option", client->set_option("crate", "iterations", 0));
  const auto touched = client->contacts("burger");
  std::printf("burger: %zu\n", touched ? touched->size() : 99);
  const auto place = client->sensor("burger", "pose"), all = client->sensor("burger");
  std::printf("place: %s\n", place && place->find(R"("X_OS":{"p":{"x":-3)") != std::string::npos ? "seen" : "not seen");
  std::printf("sensors: %s\n", all ? all->c_str() : all.error().text.c_str());
  for (int i = 0; i < 100; ++i) {
    if (auto ok = client->poll(50ms); !ok) return 1;
    if (const auto* crate = client->find("crate"); crate && crate->pose.p.x > 0.05) return std::puts("moved"), 0;
  }
  return std::puts("the crate stands"), 1;
}
