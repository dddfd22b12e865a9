// Ray, by a driver in Python that lives beside the job (src/gang/on_ray.py).
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>

#include "apps/cluster_engine.h"
#include "apps/prepare.h"
#include "apps/tool_run.h"
#include "gang/ray.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/process.h"

namespace convoy::apps {

namespace {

constexpr Duration kToEnd = std::chrono::seconds(20);  // for the driver to end its job

std::string python() {
  const char* given = std::getenv("CONVOY_PYTHON");
  return given != nullptr && *given != '\0' ? given : "python3";
}

Result<std::string> driver() {
  for (const std::string& path : beside_program({"on_ray.py", "../share/convoy/on_ray.py"}))
    if (os::exists(path)) return path;
  return fail(ErrorCode::kNotFound, "on_ray.py is not beside the program, nor in its share/convoy");
}

class Ray final : public ClusterEngine {
 public:
  Result<std::string> script(const gang::Gang& gang, const std::string& settings) const override {
    return gang::ray_job(gang, settings);
  }
  Result<std::string> script(const gang::Tasks& tasks, const std::string& settings) const override {
    return gang::ray_job(tasks, settings);
  }
  std::string script_name() const override { return "job.ray.json"; }

  Status check() const override {
    if (const auto there = driver(); !there) return tl::unexpected(there.error());
    const auto imported = run_tool({python(), "-c", "import ray"});
    if (imported && imported->exit.ok()) return {};
    return fail(ErrorCode::kNotFound,
                "Ray is not here: `" + python() + " -m pip install ray` brings it; CONVOY_PYTHON names another Python");
  }

  // The driver has a session of its own: the job outlives whoever submits it.
  Result<std::string> submit(const std::string& folder) override {
    const auto script = driver();
    if (!script) return script;
    const auto pid = os::start_detached({python(), *script, folder}, folder + "/driver.log");
    if (!pid) return tl::unexpected(pid.error());
    if (auto ok = os::write_file(pid_file(folder), std::to_string(*pid) + "\n"); !ok) return tl::unexpected(ok.error());
    return folder;  // a job has no other name
  }

  Result<gang::JobState> state(const std::string& folder) override {
    const bool alive = driver_of(folder) > 0;  // before its word is read: it may end meanwhile
    const auto text = os::read_text(folder + "/ray.state");
    auto said = text ? gang::parse_ray_state(*text) : gang::JobState{gang::JobPhase::kWaiting, "BEGINNING", ""};
    if (!said || alive || said->phase == gang::JobPhase::kEnded) return said;
    return gang::JobState{gang::JobPhase::kEnded, "DIED", "its driver is gone"};
  }

  Status cancel(const std::string& folder) override {
    int signal = SIGTERM;
    os::Supervisor sleep;
    for (const Moment end = os::now() + kToEnd; driver_of(folder) > 0;
         (void)sleep.poll(std::chrono::milliseconds(200))) {
      if (signal != 0) ::kill(driver_of(folder), std::exchange(signal, 0));
      if (os::now() >= end) return ::kill(driver_of(folder), SIGKILL), Status{};
    }
    return {};
  }

 private:
  static std::string pid_file(const std::string& folder) { return folder + "/ray.pid"; }

  // Its process; 0: it has ended. Numbers of processes come again: it is the one that has the folder as its last word.
  static int driver_of(const std::string& folder) {
    const auto text = os::read_text(pid_file(folder));
    const int pid = text ? std::atoi(text->c_str()) : 0;
    if (pid <= 0) return 0;
    const auto words = os::read_text(fmt::format("/proc/{}/cmdline", pid));
    return words && words->ends_with(std::string(1, '\0') + folder + std::string(1, '\0')) ? pid : 0;
  }
};

}  // namespace

std::unique_ptr<ClusterEngine> ray_engine() { return std::make_unique<Ray>(); }

}  // namespace convoy::apps
