#include "roles/placement_facts.h"

#include <fmt/format.h>

#include "run/sensor_places.h"

namespace convoy {

namespace {

double of_one(std::uint64_t load) { return static_cast<double>(load) / kWholeLoad; }

double in_ms(std::uint64_t us) { return static_cast<double>(us) / 1000; }

// Why it is there, by the loads when it was placed.
std::string reason(const SensorBalancer::Placed& placed, const std::string& machine) {
  if (!placed.counted) return "there was no sensor host";
  if (placed.moved)
    return fmt::format("moved: of a second of the run {} had {:.3f} ms of work, and where it was {:.3f} ms", machine,
                       in_ms(placed.here), in_ms(placed.other));
  if (placed.wish.distribution == Distribution::kClientOnly)
    return fmt::format("{} had the least load of the sensor hosts, {:.2f}", machine, of_one(placed.here));
  if (placed.host == kNobody)
    return fmt::format("its robot's host had {:.2f}, the least of the sensor hosts {:.2f}", of_one(placed.here),
                       of_one(placed.other));
  return fmt::format("{} had {:.2f}, the least of the sensor hosts, and its robot's host {:.2f}", machine,
                     of_one(placed.here), of_one(placed.other));
}

}  // namespace

nlohmann::ordered_json robots_by_host(const Run& run) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const auto& [owner, host] : run.hosts()) {
    if (!host.present) continue;
    auto& names = out[host.name] = nlohmann::ordered_json::array();
    for (const Entity& e : run.world().entities())
      if (e.owner == owner) names.push_back(e.name);
  }
  return out;
}

nlohmann::ordered_json placement_facts(const Run& run) {
  nlohmann::ordered_json out{{"hosts", robots_by_host(run)},
                             {"loads", nlohmann::ordered_json::object()},
                             {"sensors", nlohmann::ordered_json::array()}};
  const SensorPlaces& places = run.places();
  const SensorBalancer& balancer = places.balancer();
  if (!balancer.hosts().empty())
    for (const auto& [owner, host] : run.hosts())
      if (host.present) out["loads"][host.name] = of_one(balancer.load_of_main(owner));
  for (const SensorBalancer::Host& host : balancer.hosts())
    out["loads"][places.name_of(host.owner)] = of_one(host.load);
  const bool measured = run.setup().sensors.policy == PlacementPolicy::kMeasured;
  if (measured)
    for (const auto& [machine, ns] : places.costs().loads(balancer)) {
      const auto host = run.hosts().find(machine);
      out["work_ms"][host == run.hosts().end() ? places.name_of(machine) : host->second.name] = ns / 1e6;
    }
  for (const auto& [number, robot] : balancer.robots()) {
    const Slot slot = run.world().slot_of(number);
    if (slot == kNoSlot) continue;
    const Entity& entity = run.world().entity(slot);
    const auto main = run.hosts().find(robot.main);
    for (const SensorBalancer::Placed& placed : robot.sensors) {
      const SensorSpec& spec = entity.kind->sensors[placed.wish.sensor];
      const std::string machine = placed.host != kNobody      ? places.name_of(placed.host)
                                  : main == run.hosts().end() ? std::string()
                                                              : main->second.name;
      const bool either = placed.wish.distribution == Distribution::kMainOrClient;
      out["sensors"].push_back({{"robot", entity.name},
                                {"sensor", spec.name},
                                {"type", spec.type},
                                {"runs_on", machine},
                                {"distribution", either ? "main_or_client" : "client_only"},
                                {"load", of_one(placed.wish.load)},
                                {"why", reason(placed, machine)}});
      if (const auto ns = places.costs().of(number, placed.wish.sensor); measured && ns)
        out["sensors"].back()["work_ms"] = *ns / 1e6;
    }
  }
  return out;
}

}  // namespace convoy
