#include "convoy_ros/benchmark.hpp"

#include "../benchmark/determinism.hpp"
#include "convoy_ros/job.hpp"
#include "library.hpp"
#include "nodes/benchmark.h"

namespace convoy::ros {

namespace {

class Loaded final : public DeterminismNodes {
 public:
  Loaded(std::string path, decltype(&convoy_determinism_report_to) report_to, std::size_t copies)
      : path_(std::move(path)), report_to_(report_to), ended_(copies) {}
  ~Loaded() override { report_to_(nullptr); }

  std::vector<Component> components(std::uint32_t group) const override {
    std::vector<Component> all;
    for (const auto& [name, of] : {std::pair{"A", 1u}, {"B", 2u}, {"C", 1u}, {"D", 2u}})
      if (group == 0 || group == of) all.push_back({path_, "determinism::" + std::string(name), {}, of});
    if (group == 0) all.push_back({path_, "determinism::Monitor", {"-p", "timeout_s:=100"}});
    return all;
  }
  void begin(std::size_t copy) override { report_to_(&ended_[copy]); }
  DeterminismOutcome outcome(std::size_t copy) const override {
    DeterminismOutcome out;
    out.combined = 505510631;
    std::size_t i = 0;
    for (const char* name : {"a", "b", "c", "d"}) {
      const auto found = ended_[copy].find(name);
      const determinism::Ended one = found == ended_[copy].end() ? determinism::Ended{} : found->second;
      out.states[i++] = one.state, out.callbacks += one.callbacks;
      out.combined = nodes::benchmark::combine(out.combined, one.state);
    }
    return out;
  }

 private:
  std::string path_;
  decltype(&convoy_determinism_report_to) report_to_;
  std::vector<determinism::Outcome> ended_;
};

Result<DeterminismOutcome> run_alone(JobSpec spec, DeterminismNodes& nodes, const std::function<bool()>& stop) {
  spec.start = instant(10'000'000'000);
  std::uint64_t digest = 0;
  {
    spec.before_node = [&nodes] { nodes.begin(0); };
    auto job = Job::make(std::move(spec));
    if (!job) return tl::unexpected(job.error());
    if (auto ok = (*job)->run(stop); !ok) return tl::unexpected(ok.error());
    digest = (*job)->digest();
  }
  DeterminismOutcome out = nodes.outcome(0);
  out.digest = digest;
  return out;
}

}  // namespace

Result<std::unique_ptr<DeterminismNodes>> DeterminismNodes::load(std::size_t copies) {
  const std::string path = own_folder() + "/libdeterminism_components.so";
  auto library = Library::open(path);
  if (!library) return tl::unexpected(library.error());
  auto* report_to =
      reinterpret_cast<decltype(&convoy_determinism_report_to)>(library->symbol("convoy_determinism_report_to"));
  if (!report_to) return fail(ErrorCode::kInvalid, "holds no benchmark", path);
  return std::make_unique<Loaded>(path, report_to, copies);
}

Result<DeterminismOutcome> run_determinism(TimerOrder order, bool overdue, const std::function<bool()>& stop) {
  auto nodes = DeterminismNodes::load(1);
  if (!nodes) return tl::unexpected(nodes.error());
  JobSpec spec;
  if (overdue) spec.built = instant(0);
  spec.order = order;
  spec.components = (*nodes)->components(0);
  return run_alone(std::move(spec), **nodes, stop);
}

std::vector<DelayRule> determinism_delays() {
  using std::chrono::microseconds;
  std::vector<DelayRule> rules;
  const auto rule = [&](DelayRule::Of of, const char* name, Delay delay) {
    rules.push_back({of, name, "", "", std::move(delay), "the benchmark's delays"});
  };
  using Of = DelayRule::Of;
  using Kind = Delay::Kind;
  rule(Of::kTopic, "/t1", {Kind::kConstant, microseconds(4000)});
  rule(Of::kTopic, "/t2", {Kind::kUniform, microseconds(2000), microseconds(60'000)});
  rule(Of::kTopic, "/t3", {Kind::kConstant, microseconds(10'000)});
  rule(Of::kTopic, "/t4", {Kind::kTrace, {}, {}, {microseconds(2500), microseconds(30'000), microseconds(2001)}});
  rule(Of::kTopic, "/t5", {Kind::kUniform, microseconds(3000), microseconds(3500)});
  rule(Of::kRequest, "/s1", {Kind::kConstant, microseconds(2200)});
  rule(Of::kResponse, "/s1", {Kind::kUniform, microseconds(2000), microseconds(9000)});
  return rules;
}

Result<DeterminismOutcome> run_determinism_delayed(const std::function<bool()>& stop) {
  auto nodes = DeterminismNodes::load(1);
  if (!nodes) return tl::unexpected(nodes.error());
  JobSpec spec;
  spec.duration = std::chrono::seconds(100);
  spec.delays = determinism_delays();
  for (std::uint32_t group : {1u, 2u})
    for (Component& c : (*nodes)->components(group)) spec.components.push_back(std::move(c));
  return run_alone(std::move(spec), **nodes, stop);
}

Result<DeterminismOutcome> run_extended(bool delayed, const std::function<bool()>& stop) {
  const std::string path = own_folder() + "/libextended_components.so";
  auto library = Library::open(path);
  if (!library) return tl::unexpected(library.error());
  auto* report_to =
      reinterpret_cast<decltype(&convoy_determinism_report_to)>(library->symbol("convoy_extended_report_to"));
  if (!report_to) return fail(ErrorCode::kInvalid, "holds no benchmark", path);
  JobSpec spec;
  spec.start = instant(10'000'000'000);
  spec.duration = std::chrono::seconds(60);
  spec.log_level = 40;  // that a managed node is silent is no news here
  const auto add = [&](const char* name, std::vector<std::string> arguments = {}) {
    spec.components.push_back({path, std::string("extended::") + name, std::move(arguments)});
  };
  const auto sponge = [&](const std::string& name, const std::string& kind, const std::string& depth) {
    add("Sponge", {"-r", "__node:=" + name, "-p", "kind:=" + kind, "-p", "depth:=" + depth});
  };
  add("Burst");
  sponge("sponge_owner", "owner", "2"), sponge("sponge_shared", "shared", "3"), sponge("sponge_plain", "plain", "1");
  add("Gather"), add("Worker"), add("Managed"), add("Leader");
  if (delayed) {
    using Of = DelayRule::Of;
    using Kind = Delay::Kind;
    using std::chrono::microseconds;
    const char* where = "the benchmark's delays";
    spec.delays = {{Of::kTopic, "/burst", "", "/sponge_shared", {Kind::kConstant, microseconds(1500)}, where},
                   {Of::kTopic, "/burst", "/burst", "", {Kind::kUniform, microseconds(1), microseconds(4000)}, where},
                   {Of::kTopic, "/soaked", "", "", {Kind::kNormal, microseconds(800), microseconds(500)}, where},
                   {Of::kRequest,
                    "/managed/change_state",
                    "",
                    "",
                    {Kind::kTrace, {}, {}, {microseconds(3), microseconds(7000)}},
                    where}};
  }
  determinism::Outcome ended;
  DeterminismOutcome out;
  {
    spec.before_node = [&ended, report_to] { report_to(&ended); };
    auto job = Job::make(std::move(spec));
    report_to(nullptr);
    if (!job) return tl::unexpected(job.error());
    if (auto ok = (*job)->run(stop); !ok) return tl::unexpected(ok.error());
    out.digest = (*job)->digest();
  }
  for (const auto& [name, one] : ended) {
    out.callbacks += one.callbacks;
    out.combined = nodes::benchmark::combine(out.combined, one.state);
  }
  return out;
}

}  // namespace convoy::ros
