#include "convoy_ros/benchmark.hpp"

#include "../benchmark/determinism.hpp"
#include "convoy_ros/job.hpp"
#include "library.hpp"
#include "nodes/benchmark.h"

namespace convoy::ros {

Result<DeterminismOutcome> run_determinism(nodes::TimerOrder order, bool overdue, const std::function<bool()>& stop) {
  const std::string path = own_folder() + "/libdeterminism_components.so";
  auto library = Library::open(path);
  if (!library) return tl::unexpected(library.error());
  auto* report_to = reinterpret_cast<decltype(&convoy_determinism_report_to)>(library->symbol("convoy_determinism_report_to"));
  if (!report_to) return fail(ErrorCode::kInvalid, "holds no benchmark", path);

  JobSpec spec;
  spec.start = instant(10'000'000'000);
  if (overdue) spec.built = instant(0);
  spec.order = order;
  for (const char* name : {"A", "B", "C", "D"}) spec.components.push_back({path, "determinism::" + std::string(name), {}});
  spec.components.push_back({path, "determinism::Monitor", {"-p", "timeout_s:=100"}});
  determinism::Outcome ended;
  DeterminismOutcome out;
  {
    report_to(&ended);
    auto job = Job::make(std::move(spec));
    report_to(nullptr);
    if (!job) return tl::unexpected(job.error());
    if (auto ok = (*job)->run(stop); !ok) return tl::unexpected(ok.error());
    out.digest = (*job)->digest();
  }
  out.combined = 505510631;
  std::size_t i = 0;
  for (const char* name : {"a", "b", "c", "d"}) {
    const auto& [state, callbacks] = ended[name];
    out.states[i++] = state, out.callbacks += callbacks;
    out.combined = nodes::benchmark::combine(out.combined, state);
  }
  return out;
}

}  // namespace convoy::ros
