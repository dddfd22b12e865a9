// convoy doctor: inspects this machine and reports what would be in the way of a run.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/arguments.h"
#include "apps/default_ports.h"
#include "apps/dependencies.h"
#include "apps/findings.h"
#include "core/hash.h"
#include "engines/engines.h"
#include "engines/identity.h"
#include "os/loopback.h"
#include "os/machine.h"
#include "os/standard_streams.h"

namespace convoy::apps {

namespace {

constexpr std::uint64_t kFewDescriptors = 4096;

constexpr const char* kVerdicts[] = {"ok", "warn", "bad"};

std::vector<Finding> inspect_machine() {
  std::vector<Finding> out;
  const auto say = [&](Verdict verdict, std::string what, std::string text) {
    out.push_back({verdict, std::move(what), std::move(text)});
  };
  say(Verdict::kOk, "build", engines::build_text());
  std::string libraries;
  for (const auto& [name, version] : dependencies())
    libraries += (libraries.empty() ? "" : ", ") + name + " " + version;
  say(Verdict::kOk, "libraries", libraries);
  const auto started = engines::start();
  say(started ? Verdict::kOk : Verdict::kBad, "physics",
      !started                            ? started.error().message()
      : engines::mujoco_version().empty() ? "kinematic alone (CONVOY_MUJOCO=OFF)"
                                          : "kinematic, MuJoCo " + engines::mujoco_version());
  say(Verdict::kOk, "numeric fingerprint", hex16(engines::numeric_fingerprint()) + " (" + os::hwcaps() + ")");
  say(Verdict::kOk, "machine", fmt::format("{}, {} cores", os::kernel(), os::cores()));

  const os::Memory memory = os::memory();
  const double free_gb = static_cast<double>(memory.available_bytes) / 1e9;
  say(free_gb < 0.5 ? Verdict::kWarn : Verdict::kOk, "memory",
      fmt::format("{:.1f} of {:.1f} GB free", free_gb, static_cast<double>(memory.total_bytes) / 1e9));

  const os::DescriptorLimit limit = os::raise_descriptor_limit();
  if (limit.soft < kFewDescriptors)
    say(Verdict::kWarn, "descriptors",
        fmt::format("at most {}; a server needs one for each client and more: ulimit -n {} before it starts",
                    limit.soft, kFewDescriptors));
  else say(Verdict::kOk, "descriptors", fmt::format("{} (hard limit {})", limit.soft, limit.hard));

  for (const DefaultPort& port : kDefaultPorts) {
    const auto status = os::try_port(port.port);
    say(status ? Verdict::kOk : Verdict::kWarn, fmt::format("port {}", port.port),
        status ? fmt::format("free for {} (TCP and UDP)", port.what) : status.error().message());
  }
  const auto loopback = os::try_loopback();
  say(loopback ? Verdict::kOk : Verdict::kBad, "loopback",
      loopback ? "TCP and UDP over 127.0.0.1 work" : loopback.error().message());

  for (Finding& f : inspect_installation()) out.push_back(std::move(f));
  return out;
}

}  // namespace

int doctor(const Arguments& arguments) {
  const std::vector<Finding> findings = inspect_machine();
  bool bad = false;
  for (const Finding& f : findings) bad |= f.verdict == Verdict::kBad;
  if (arguments.json) {
    nlohmann::ordered_json j;
    j["ok"] = !bad;
    j["fingerprint"] = hex16(engines::numeric_fingerprint());
    for (const Finding& f : findings)
      j["findings"].push_back(
          {{"what", f.what}, {"verdict", kVerdicts[static_cast<int>(f.verdict)]}, {"text", f.text}});
    os::print("{}\n", j.dump(1));
  } else {
    for (const Finding& f : findings)
      os::print("{:<5} {:<20} {}\n", kVerdicts[static_cast<int>(f.verdict)], f.what, f.text);
  }
  return bad ? kFailed : kOk;
}

}  // namespace convoy::apps
