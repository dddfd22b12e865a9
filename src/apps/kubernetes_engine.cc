// Kubernetes, by kubectl. Pods share no folder with this machine: what ranks write comes as lines of their logs.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "apps/cluster_engine.h"
#include "apps/file_tail.h"
#include "apps/tool_run.h"
#include "core/hash.h"
#include "gang/kubernetes.h"
#include "gang/said.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/file_lock.h"
#include "os/port_secret.h"

namespace convoy::apps {

namespace {

constexpr Duration kLookAtPods = std::chrono::seconds(2);
constexpr Duration kLastLines = std::chrono::seconds(30);  // of pods that have ended, to be read
constexpr const char* kPodLogs = "pods";                   // of a job's folder: what kubectl says of each
constexpr const char* kBringer = "bringer";                // there: held by who brings

std::vector<std::string> kubectl(const gang::KubernetesJob& job, std::vector<std::string> words) {
  std::vector<std::string> out{"kubectl"};
  if (!job.space.empty()) out.insert(out.end(), {"--namespace", job.space});
  out.insert(out.end(), words.begin(), words.end());
  return out;
}

Result<gang::KubernetesState> state_of(const gang::KubernetesJob& job) {
  const auto said = run_tool(kubectl(job, {"get", "job,pods", "--selector", job.selector(), "--output", "json"}));
  if (!said) return tl::unexpected(said.error());
  if (!said->exit.ok()) return fail(ErrorCode::kUnavailable, "kubectl: " + said->trouble());
  return gang::parse_kubernetes_state(said->out);
}

// The files of one attempt, as ranks write them where they see the folder.
class BroughtRank {
 public:
  BroughtRank(std::string attempt, std::string name, std::string log)
      : attempt_(std::move(attempt)), name_(std::move(name)), log_(std::move(log)), lines_(log_) {}

  const std::string& log() const { return log_; }
  bool ended() const { return ended_; }
  // The log is written anew, from its beginning.
  void begin_again() { lines_ = FileTail(log_), read_ = 0; }
  // It could not say how.
  Status end_as(const gang::RankEnd& end) {
    ended_ = true;
    return os::write_file(gang::end_file(attempt_, name_), gang::text_of(end));
  }
  // What is new in the log. `other`: gets lines that are no rank's.
  Status read(const std::function<void(std::string_view)>& other) {
    Status ok;
    lines_.read([&](std::string_view line) {
      const bool fresh = ++read_ > known_;
      known_ = std::max(known_, read_);
      const auto said = gang::parse_said(line);
      if (!said && fresh) other(line);
      if (!ok || !said || said->number < next_) return;
      next_ = said->number + 1;
      ok = take(*said);
    });
    return ok ? flush() : ok;
  }

 private:
  Status take(const gang::Said& said) {
    switch (said.kind) {
      case gang::SaidKind::kOut: return add(out_, gang::output_file(attempt_, name_), said.text);
      case gang::SaidKind::kLog: return add(err_, gang::log_file(attempt_, name_), said.text);
      case gang::SaidKind::kReport: return add(report_, attempt_ + "/" + gang::kReport, said.text);
      case gang::SaidKind::kAt: return os::write_file(attempt_ + "/" + gang::kServerAt, said.text + "\n");
      case gang::SaidKind::kEnd: break;
    }
    if (auto ok = flush(); !ok) return ok;  // whoever sees the end reads the rest
    ended_ = true;
    return os::write_file(gang::end_file(attempt_, name_), said.text + "\n");
  }
  static Status add(std::optional<os::AppendFile>& file, const std::string& path, const std::string& line) {
    if (!file) {
      auto made = os::AppendFile::open(path, os::AppendFile::Mode::kNew);
      if (!made) return tl::unexpected(made.error());
      file = std::move(*made);
    }
    return file->write(as_bytes(line + "\n"));
  }
  Status flush() {
    for (auto* file : {&out_, &err_, &report_})
      if (*file)
        if (auto ok = (*file)->flush(); !ok) return ok;
    return {};
  }

  std::string attempt_, name_, log_;
  FileTail lines_;
  std::uint64_t read_ = 0, known_ = 0;  // lines of the log: since it began again, and at all
  std::uint64_t next_ = 0;              // number of the next line that the rank says
  bool ended_ = false;
  std::optional<os::AppendFile> out_, err_, report_;
};

// Brings what the ranks of a job say, by one `kubectl logs` for each pod that has begun.
class PodLogs {
 public:
  PodLogs(const gang::Gang& gang, const std::string& job, std::string folder)
      : job_(gang::parse_kubernetes_job(job)), folder_(std::move(folder)) {
    const std::string logs = folder_ + "/" + kPodLogs;
    if (auto ok = os::make_directories(logs); !ok) return;
    auto lock = os::FileLock::take(logs + "/" + kBringer);
    if (!lock) return;  // another does it just now
    lock_.emplace(std::move(*lock));
    const std::string attempt = gang::attempt_folder(folder_, 0);
    for (const gang::Rank& rank : gang.ranks)
      ranks_.emplace_back(attempt, rank.name, fmt::format("{}/{}.log", logs, rank.name));
    readings_.resize(ranks_.size());
  }

  void bring(Bringing how) {
    if (!lock_) return;
    if (how == Bringing::kToTheEnd) return bring_the_rest();
    const Moment now = os::now();
    if (looked_at_ == kNever || now - looked_at_ >= kLookAtPods) look(true), looked_at_ = os::now();
    take();
  }

 private:
  struct Reading {
    bool on = false;     // kubectl is at it
    bool whole = false;  // begun when the pod had ended
  };
  // Those that have just begun are followed, also those whose log has been cut off.
  void look(bool follow) {
    const auto state = state_of(job_);
    if (!state) return;  // who asks for the job's state says so
    for (const gang::KubernetesPod& pod : state->pods) {
      if (!pod.begun || pod.rank >= ranks_.size() || readings_[pod.rank].on || ranks_[pod.rank].ended()) continue;
      if (pod.end && readings_[pod.rank].whole) {
        (void)ranks_[pod.rank].end_as(*pod.end);
        continue;
      }
      if (!begun_ && !os::make_directories(gang::attempt_folder(folder_, 0))) return;
      begun_ = true;
      os::ChildOptions child;
      child.name = std::to_string(pod.rank);
      child.argv = kubectl(job_, {"logs", pod.name, "--container", gang::kRankContainer});
      if (follow) child.argv.emplace_back("--follow");
      child.out = os::Output::kFile, child.out_file = ranks_[pod.rank].log();
      child.err = os::Output::kDiscard;
      ranks_[pod.rank].begin_again();
      readings_[pod.rank] = {static_cast<bool>(tools_.start(std::move(child))), pod.end.has_value()};
    }
  }
  void take() {
    reap({});
    for (BroughtRank& rank : ranks_)
      (void)rank.read([this](std::string_view line) {
        if (!batch_) batch_ = opened(folder_ + "/" + gang::kBatchLog);
        if (batch_) (void)batch_->write(as_bytes(std::string(line) + "\n"));
      });
    if (batch_) (void)batch_->flush();
  }
  static std::optional<os::AppendFile> opened(const std::string& path) {
    auto file = os::AppendFile::open(path, os::AppendFile::Mode::kNew);
    return file ? std::optional(std::move(*file)) : std::nullopt;
  }
  void reap(Duration wait) {
    for (const os::Death& death : tools_.poll(wait)) readings_[std::stoul(death.name)].on = false;
  }
  // Logs of pods that have ended are whole: those that are followed end by themselves.
  void bring_the_rest() {
    look(false);
    for (const Moment end = os::now() + kLastLines; tools_.running() > 0 && os::now() < end;) {
      reap(std::chrono::milliseconds(100));
      if (std::all_of(ranks_.begin(), ranks_.end(), [](const BroughtRank& rank) { return rank.ended(); })) break;
      take();
    }
    take();
    look(false);  // for those that said nothing of their end
  }

  gang::KubernetesJob job_;
  std::string folder_;
  std::optional<os::FileLock> lock_;
  std::vector<BroughtRank> ranks_;
  std::vector<Reading> readings_;
  std::optional<os::AppendFile> batch_;
  os::Supervisor tools_;
  Moment looked_at_ = kNever;
  bool begun_ = false;
};

class Kubernetes final : public ClusterEngine {
 public:
  Result<RankPlaces> places(const Arguments& a, const std::string& settings) const override {
    const auto told = gang::kubernetes_places(settings);
    if (!told) return tl::unexpected(told.error());
    RankPlaces out{told->program, told->scenario, fmt::format("{{own_host}}:{}", gang::kKubernetesPort), false, {}};
    if (!a.credentials.file.empty())
      return fail(ErrorCode::kInvalid, "--credentials-file is a file of this machine, and pods do not see it");
    if (!a.record.file.empty() && !told->holds(a.record.file))
      return fail(ErrorCode::kInvalid,
                  "--record: a pod's files are gone with it: name a file on one of the volumes, below the mountPath of "
                  "`engine: {kubernetes: {volumeMounts: ...}}`");
    out.recording_stays = !a.record.file.empty();
    if (!out.scenario.empty()) return out;
    const auto text = os::read_text(a.run.scenario);
    if (!text) return tl::unexpected(text.error());
    out.files["scenario.yaml"] = *text;
    out.scenario = std::string(gang::kPodJobFolder) + "/scenario.yaml";
    return out;
  }

  Result<std::string> script(const gang::Gang& gang, const std::string& settings) const override {
    gang::Gang named = gang;
    named.name = new_name(gang.name);
    return gang::kubernetes_manifests(named, settings);
  }
  Result<std::string> script(const gang::Tasks& tasks, const std::string& settings) const override {
    gang::Tasks named = tasks;
    named.name = new_name(tasks.name);
    return gang::kubernetes_tasks_manifests(named, settings);
  }
  std::string script_name() const override { return "job.json"; }

  Status check() const override {
    const auto said = run_tool({"kubectl", "get", "--raw", "/version", "--request-timeout=20s"});
    if (!said && said.error().code == ErrorCode::kNotFound)
      return fail(ErrorCode::kNotFound,
                  "kubectl is not here: it comes with kubernetes-client (Debian), or from whoever runs the cluster");
    if (!said) return tl::unexpected(said.error());
    if (!said->exit.ok())
      return fail(ErrorCode::kUnavailable, "no Kubernetes cluster is to be reached: " + said->trouble());
    const auto version = gang::parse_kubernetes_version(said->out);
    if (!version) return tl::unexpected(version.error());
    if (*version < gang::kLeastKubernetes)
      return fail(ErrorCode::kUnavailable,
                  fmt::format("the cluster has Kubernetes 1.{}; a rank may fail alone from 1.{} on", *version,
                              gang::kLeastKubernetes));
    return {};
  }

  bool shares_folder() const override { return false; }
  void take_secret(const std::string& secret) override { secret_ = secret; }

  // The Job is made first: it owns the rest, which goes with it. Its pods wait for their ConfigMap and their Secret.
  Result<std::string> submit(const std::string& folder) override {
    const auto list = os::read_text(folder + "/" + script_name());
    if (!list) return tl::unexpected(list.error());
    const auto what = gang::kubernetes_submission(*list);
    if (!what) return tl::unexpected(what.error());
    const auto made = create(what->job, what->manifest);
    if (!made) return tl::unexpected(made.error());
    const auto rest = gang::kubernetes_belongings(*list, *made, secret_);
    const auto done = !rest || rest->empty() ? rest : create(what->job, *rest);
    if (done) return what->job.text();
    (void)cancel(what->job.text());
    return tl::unexpected(done.error());
  }

  Result<gang::JobState> state(const std::string& job) override {
    const auto found = state_of(gang::parse_kubernetes_job(job));
    if (!found) return tl::unexpected(found.error());
    return found->job;
  }

  Status cancel(const std::string& text) override {
    const gang::KubernetesJob job = gang::parse_kubernetes_job(text);
    const auto said = run_tool(kubectl(job, {"delete", "job,service,configmap,secret", "--selector", job.selector(),
                                             "--ignore-not-found", "--wait=false"}));
    if (!said) return tl::unexpected(said.error());
    if (!said->exit.ok()) return fail(ErrorCode::kUnavailable, "kubectl: " + said->trouble());
    return {};
  }
  Status clear(const std::string& job) override {
    logs_.reset();
    return cancel(job);
  }

  void bring(const gang::Gang& gang, const std::string& job, const std::string& folder, Bringing how) override {
    if (!logs_) logs_ = std::make_unique<PodLogs>(gang, job, folder);
    logs_->bring(how);
  }

  // SIGTERM to the server's pod, which `convoy rank` passes on; it has a minute for its report.
  Status interrupt(const std::string& text) override {
    const gang::KubernetesJob job = gang::parse_kubernetes_job(text);
    const auto state = state_of(job);
    if (!state) return tl::unexpected(state.error());
    if (state->pods.empty() || state->pods[0].rank != 0)
      return fail(ErrorCode::kNotFound, "the server's pod is not there");
    const auto said = run_tool(kubectl(job, {"delete", "pod", state->pods[0].name, "--wait=false"}));
    if (!said) return tl::unexpected(said.error());
    if (!said->exit.ok()) return fail(ErrorCode::kUnavailable, "kubectl: " + said->trouble());
    return {};
  }

 private:
  static std::string new_name(const std::string& name) {
    return gang::kubernetes_name(name, hash64(as_bytes(os::new_secret())));
  }
  // What is made is told on stdin: no command line and no file has it. Gives what kubectl says of it.
  static Result<std::string> create(const gang::KubernetesJob& job, const std::string& manifest) {
    const auto said =
        run_tool(kubectl(job, {"create", "--filename", "-", "--output", "json"}), std::chrono::seconds(60), manifest);
    if (!said) return tl::unexpected(said.error());
    if (!said->exit.ok()) return fail(ErrorCode::kUnavailable, "Kubernetes takes no such job: " + said->trouble());
    return said->out;
  }

  std::string secret_;
  std::unique_ptr<PodLogs> logs_;
};

}  // namespace

std::unique_ptr<ClusterEngine> kubernetes_engine() { return std::make_unique<Kubernetes>(); }

}  // namespace convoy::apps
