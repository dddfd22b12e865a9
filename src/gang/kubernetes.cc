#include "gang/kubernetes.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gang/said.h"

namespace convoy::gang {

namespace {

using Tree = nlohmann::ordered_json;  // fields in the order in which people expect them

constexpr std::size_t kMaxStem = 40;         // of a name, of which Kubernetes takes 63 characters with a rank's number
constexpr int kDayInSeconds = 24 * 60 * 60;  // for which an ended job is kept, for whoever does not wait for it
constexpr int kLeave = 60;                   // s, of a pod that is asked to end: the server writes its report
constexpr int kTriesOfTask = 2;              // beside the first one

constexpr const char* kFields[] = {"image",        "namespace", "program", "scenario", "resources",
                                   "volumeMounts", "container", "pod",     "job"};
// What the ranks, their names and their files rest on.
constexpr const char* kOursOfJob[] = {"completions",  "parallelism",          "completionMode",
                                      "backoffLimit", "backoffLimitPerIndex", "template",
                                      "selector",     "manualSelector",       "suspend"};
constexpr const char* kOursOfPod[] = {"containers", "restartPolicy", "subdomain", "hostname", "setHostnameAsFQDN"};
constexpr const char* kOursOfContainer[] = {"name", "image", "command", "args", "resources", "volumeMounts"};

std::string dumped(const Tree& json) { return json.dump(2, ' ', false, Tree::error_handler_t::replace) + "\n"; }

tl::unexpected<Error> no(const std::string& text) { return fail(ErrorCode::kInvalid, "engine: kubernetes: " + text); }

struct Settings {
  std::string image, space, program = "convoy", scenario;
  Tree resources, mounts = Tree::array();
  Tree container = Tree::object(), pod = Tree::object(), job = Tree::object();
};

Status take_text(const Tree& all, const char* name, std::string& to) {
  const auto at = all.find(name);
  if (at == all.end()) return {};
  if (!at->is_string() || at->get_ref<const std::string&>().empty()) return no(fmt::format("{}: must be a word", name));
  to = at->get<std::string>();
  return {};
}

template <std::size_t N>
Status take_fragment(const Tree& all, const char* name, const char* const (&ours)[N], Tree& to) {
  const auto at = all.find(name);
  if (at == all.end()) return {};
  if (!at->is_object()) return no(fmt::format("{}: must be a map", name));
  for (const auto& [field, value] : at->items())
    if (std::find(std::begin(ours), std::end(ours), field) != std::end(ours))
      return no(fmt::format(
          "{}: {}: {}", name, field,
          field == "resources" || field == "volumeMounts" ? "stands beside `container`" : "the job sets that itself"));
  to = *at;
  return {};
}

Status take_mounts(const Tree& all, Tree& to) {
  const auto at = all.find("volumeMounts");
  if (at == all.end()) return {};
  const auto is_mount = [](const Tree& one) {
    return one.is_object() && one.contains("mountPath") && one["mountPath"].is_string();
  };
  if (!at->is_array() || !std::all_of(at->begin(), at->end(), is_mount))
    return no("volumeMounts: must be a list of maps with a mountPath each");
  to = *at;
  return {};
}

Result<Settings> read_settings(std::string_view text) {
  const Tree all = text.empty() ? Tree::object() : Tree::parse(text, nullptr, false);
  if (!all.is_object()) return no("must be a map");
  for (const auto& [name, value] : all.items())
    if (std::find(std::begin(kFields), std::end(kFields), name) == std::end(kFields))
      return no(fmt::format("'{}' is unknown; there are {}", name, fmt::join(kFields, ", ")));
  Settings out;
  for (const auto& [name, to] : {std::pair{"image", &out.image},
                                 {"namespace", &out.space},
                                 {"program", &out.program},
                                 {"scenario", &out.scenario}})
    if (auto ok = take_text(all, name, *to); !ok) return tl::unexpected(ok.error());
  if (out.image.empty()) return no("image: is required: one that holds this build of convoy");
  if (const auto at = all.find("resources"); at != all.end()) {
    if (!at->is_object()) return no("resources: must be a map");
    out.resources = *at;
  }
  if (auto ok = take_mounts(all, out.mounts); !ok) return tl::unexpected(ok.error());
  if (auto ok = take_fragment(all, "container", kOursOfContainer, out.container); !ok)
    return tl::unexpected(ok.error());
  if (auto ok = take_fragment(all, "pod", kOursOfPod, out.pod); !ok) return tl::unexpected(ok.error());
  if (auto ok = take_fragment(all, "job", kOursOfJob, out.job); !ok) return tl::unexpected(ok.error());
  return out;
}

// What the user says over what stands there; to these lists it is added.
Tree merged(Tree base, const Tree& over) {
  for (const auto& [name, value] : over.items()) {
    const bool list = (name == "volumes" || name == "env") && base.contains(name) && value.is_array();
    if (!list) base[name] = value;
    else base[name].insert(base[name].end(), value.begin(), value.end());
  }
  return base;
}

Tree labels_of(const std::string& name) {
  return {{"app.kubernetes.io/name", "convoy"}, {"app.kubernetes.io/instance", name}};
}

Tree metadata_of(const std::string& name, const Settings& settings) {
  Tree out{{"name", name}};
  if (!settings.space.empty()) out["namespace"] = settings.space;
  out["labels"] = labels_of(name);
  return out;
}

Tree container_of(const Settings& settings, Tree command, int cores) {
  Tree out{{"name", kRankContainer}, {"image", settings.image}, {"command", std::move(command)}};
  // So that the reason of a failure stands in the pod's state.
  out["terminationMessagePolicy"] = "FallbackToLogsOnError";
  out["resources"] =
      settings.resources.is_null() ? Tree{{"requests", {{"cpu", std::to_string(cores)}}}} : settings.resources;
  return out;
}

struct Pods {
  std::size_t count = 0, at_once = 0;
  int tries = 0;  // beside the first one
};

Tree job_of(const std::string& name, const Settings& settings, const Pods& pods, const Tree& pod) {
  // A Service called convoy would otherwise set variables in each pod that are taken for Convoy's.
  Tree base{{"restartPolicy", "Never"},
            {"enableServiceLinks", false},
            {"automountServiceAccountToken", false},
            {"terminationGracePeriodSeconds", kLeave}};
  base.update(pod);
  Tree spec{{"completionMode", "Indexed"},
            {"completions", pods.count},
            {"parallelism", pods.at_once},
            {"backoffLimitPerIndex", pods.tries},
            {"ttlSecondsAfterFinished", kDayInSeconds}};
  spec = merged(std::move(spec), settings.job);
  spec["template"] = {{"metadata", {{"labels", labels_of(name)}}}, {"spec", merged(std::move(base), settings.pod)}};
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", metadata_of(name, settings)},
          {"spec", std::move(spec)}};
}

Tree variable(const char* name, const std::string& value) { return {{"name", name}, {"value", value}}; }

Tree rank_pod(const Gang& gang, const Settings& settings) {
  Tree container = container_of(settings, {settings.program, "rank", kPodJobFolder}, gang.threads);
  container["env"] = {{{"name", "CONVOY_RANK_ADDRESS"}, {"valueFrom", {{"fieldRef", {{"fieldPath", "status.podIP"}}}}}},
                      variable("CONVOY_RANK_FOLDER", kPodRunFolder),
                      variable("CONVOY_RANK_PRINT", "1"),
                      variable("CONVOY_SERVER", fmt::format("{0}-0.{0}:{1}", gang.name, kKubernetesPort)),
                      {{"name", "CONVOY_CREDENTIALS"},
                       {"valueFrom", {{"secretKeyRef", {{"name", gang.name}, {"key", "credentials"}}}}}}};
  container["volumeMounts"] = {{{"name", "convoy-job"}, {"mountPath", kPodJobFolder}, {"readOnly", true}},
                               {{"name", "convoy-run"}, {"mountPath", kPodRunFolder}}};
  for (const Tree& mount : settings.mounts) container["volumeMounts"].push_back(mount);
  return {{"subdomain", gang.name},
          {"containers", Tree::array({merged(std::move(container), settings.container)})},
          {"volumes",
           {{{"name", "convoy-job"}, {"configMap", {{"name", gang.name}}}},
            {{"name", "convoy-run"}, {"emptyDir", Tree::object()}}}}};
}

Tree service_of(const std::string& name, const Settings& settings) {
  Tree ports = Tree::array();
  for (const char* protocol : {"TCP", "UDP"})
    ports.push_back({{"name", protocol == std::string_view("TCP") ? "tcp" : "udp"},
                     {"port", kKubernetesPort},
                     {"protocol", protocol}});
  return {{"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata", metadata_of(name, settings)},
          {"spec",
           {{"clusterIP", "None"},
            {"publishNotReadyAddresses", true},
            {"selector", labels_of(name)},
            {"ports", std::move(ports)}}}};
}

Tree list_of(Tree items) { return {{"apiVersion", "v1"}, {"kind", "List"}, {"items", std::move(items)}}; }

// The items of a list, or nothing.
Tree items_of(std::string_view list) {
  const Tree json = Tree::parse(list, nullptr, false);
  const bool sound = json.is_object() && json.contains("items") && json["items"].is_array();
  return sound ? json["items"] : Tree::array();
}

// A field of fields, or an empty text.
std::string text_at(const Tree& json, std::initializer_list<const char*> path) {
  const Tree* at = &json;
  for (const char* name : path) {
    if (!at->is_object() || !at->contains(name)) return {};
    at = &(*at)[name];
  }
  return at->is_string() ? at->get<std::string>() : std::string();
}

// A field that is an object; an empty one: there is none.
Tree part_of(const Tree& json, const char* name) {
  return json.is_object() && json.contains(name) && json[name].is_object() ? json[name] : Tree::object();
}

std::string last_line_of(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

// Why a pod is not at work, or has failed; empty: nothing says.
std::string trouble_of(const Tree& pod) {
  const Tree status = part_of(pod, "status");
  for (const char* list : {"containerStatuses", "initContainerStatuses"})
    for (const Tree& one : status.value(list, Tree::array())) {
      const std::string waits = text_at(one, {"state", "waiting", "reason"});
      if (!waits.empty() && waits != "ContainerCreating" && waits != "PodInitializing") return waits;
      if (const std::string left = last_line_of(text_at(one, {"state", "terminated", "message"})); !left.empty())
        return left;
    }
  for (const Tree& one : status.value("conditions", Tree::array()))
    if (text_at(one, {"type"}) == "PodScheduled" && text_at(one, {"status"}) == "False")
      return text_at(one, {"reason"}) + ": " + text_at(one, {"message"});
  return text_at(status, {"reason"});
}

std::size_t rank_of(const Tree& pod) {
  for (const char* where : {"annotations", "labels"})
    if (const std::string text = text_at(pod, {"metadata", where, "batch.kubernetes.io/job-completion-index"});
        !text.empty())
      return static_cast<std::size_t>(std::strtoul(text.c_str(), nullptr, 10));
  return kMaxRanks;
}

// Of a pod that has.
RankEnd end_of_pod(const Tree& pod) {
  const bool good = text_at(pod, {"status", "phase"}) == "Succeeded";
  RankEnd out{good ? 0 : 1, 0, "has ended"};
  std::string reason = text_at(pod, {"status", "reason"});  // "Evicted"
  for (const Tree& one : part_of(pod, "status").value("containerStatuses", Tree::array())) {
    const Tree left = part_of(part_of(one, "state"), "terminated");
    if (!left.contains("exitCode") || !left["exitCode"].is_number_integer()) continue;
    out.status = left["exitCode"].get<int>();
    out.text = fmt::format("has ended with status {}", out.status);
    if (const std::string why = text_at(left, {"reason"}); reason.empty() && why != "Error") reason = why;
    const std::string last = last_line_of(text_at(left, {"message"}));
    if (!last.empty() && !parse_said(last)) reason += (reason.empty() ? "" : ": ") + last;
    break;
  }
  if (!good && !reason.empty()) out.text += " (" + reason + ")";
  return out;
}

// Whether Kubernetes says that the job has ended.
bool take_end(const Tree& job, JobState& out) {
  const Tree status = part_of(job, "status");
  for (const Tree& one : status.value("conditions", Tree::array())) {
    const std::string type = text_at(one, {"type"});
    if (text_at(one, {"status"}) != "True" || (type != "Complete" && type != "Failed")) continue;
    out = {JobPhase::kEnded, type, type == "Failed" ? text_at(one, {"reason"}) : std::string()};
    return true;
  }
  return false;
}

}  // namespace

bool KubernetesPlaces::holds(std::string_view path) const {
  return std::any_of(mounts.begin(), mounts.end(), [&](const std::string& mount) {
    return path.starts_with(mount.ends_with('/') ? mount : mount + "/");
  });
}

Result<KubernetesPlaces> kubernetes_places(std::string_view settings) {
  const auto read = read_settings(settings);
  if (!read) return tl::unexpected(read.error());
  KubernetesPlaces out{read->program, read->scenario, {}};
  for (const Tree& mount : read->mounts) out.mounts.push_back(mount["mountPath"].get<std::string>());
  return out;
}

std::string kubernetes_name(std::string_view name, std::uint64_t chance) {
  std::string out(name.substr(0, kMaxStem));
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))) c = '-';
  }
  if (out.empty() || out[0] < 'a' || out[0] > 'z') out.insert(0, "convoy-");
  return fmt::format("{}-{:08x}", out, chance & 0xffff'ffffU);
}

Result<std::string> kubernetes_manifests(const Gang& gang, std::string_view settings) {
  const auto read = read_settings(settings);
  if (!read) return tl::unexpected(read.error());
  Gang inside = gang;  // as pods see it
  inside.folder = kPodJobFolder, inside.exe = read->program;
  Tree data{{kGangFile, text_of(inside)}};
  std::size_t size = data[kGangFile].get_ref<const std::string&>().size();
  for (const auto& [name, text] : gang.files) data[name] = text, size += text.size();
  if (size > kMaxConfigMap)
    return no(
        fmt::format("the scenario and the commands of {} ranks are {} bytes, and a ConfigMap holds {}; with "
                    "`scenario: PATH` the file may be in the image",
                    gang.ranks.size(), size, kMaxConfigMap));
  const Tree map{{"apiVersion", "v1"},
                 {"kind", "ConfigMap"},
                 {"metadata", metadata_of(gang.name, *read)},
                 {"data", std::move(data)}};
  const std::size_t ranks = gang.ranks.size();
  return dumped(
      list_of({service_of(gang.name, *read), map, job_of(gang.name, *read, {ranks, ranks, 0}, rank_pod(gang, *read))}));
}

Result<std::string> kubernetes_tasks_manifests(const Tasks& tasks, std::string_view settings) {
  const auto read = read_settings(settings);
  if (!read) return tl::unexpected(read.error());
  const auto places = kubernetes_places(settings);
  if (!places->holds(tasks.folder))
    return no(
        fmt::format("volumeMounts: none holds {}: tasks share the sweep's folder with this machine, under the "
                    "same path",
                    tasks.folder));
  Tree command = Tree::array({read->program});
  for (std::size_t i = 1; i < tasks.argv.size(); ++i) command.push_back(tasks.argv[i]);
  Tree container = container_of(*read, std::move(command), tasks.cores);
  container["volumeMounts"] = read->mounts;
  const Tree pod{{"containers", Tree::array({merged(std::move(container), read->container)})}};
  const std::size_t at_once = tasks.at_once > 0 ? std::min(tasks.at_once, tasks.count) : tasks.count;
  return dumped(list_of(Tree::array({job_of(tasks.name, *read, {tasks.count, at_once, kTriesOfTask}, pod)})));
}

std::string KubernetesJob::selector() const {
  return "app.kubernetes.io/name=convoy,app.kubernetes.io/instance=" + name;
}

KubernetesJob parse_kubernetes_job(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return {"", std::string(text)};
  return {std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))};
}

Result<KubernetesSubmission> kubernetes_submission(std::string_view list) {
  for (const Tree& one : items_of(list))
    if (text_at(one, {"kind"}) == "Job")
      return KubernetesSubmission{{text_at(one, {"metadata", "namespace"}), text_at(one, {"metadata", "name"})},
                                  dumped(one)};
  return fail(ErrorCode::kInvalid, "there is no Job in the list");
}

Result<std::string> kubernetes_belongings(std::string_view list, std::string_view made, const std::string& secret) {
  const Tree job = Tree::parse(made, nullptr, false);
  const std::string name = text_at(job, {"metadata", "name"}), uid = text_at(job, {"metadata", "uid"});
  if (name.empty() || uid.empty()) return fail(ErrorCode::kInvalid, "Kubernetes says nothing of the job that it made");
  const Tree owner = Tree::array({{{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"name", name}, {"uid", uid}}});
  Tree out = Tree::array();
  for (Tree one : items_of(list)) {
    if (text_at(one, {"kind"}) == "Job") continue;
    one["metadata"]["ownerReferences"] = owner;
    out.push_back(std::move(one));
  }
  if (out.empty()) return std::string();
  out.push_back({{"apiVersion", "v1"},
                 {"kind", "Secret"},
                 {"metadata", out[0]["metadata"]},
                 {"type", "Opaque"},
                 {"immutable", true},
                 {"stringData", {{"credentials", secret}}}});
  return dumped(list_of(std::move(out)));
}

Result<KubernetesState> parse_kubernetes_state(std::string_view text) {
  const Tree json = Tree::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("items"))
    return fail(ErrorCode::kInvalid, "kubectl says nothing of the job's state");
  KubernetesState out;
  bool there = false, ended = false, first = false;
  std::size_t waiting = 0;
  std::string why_waiting, why_failed;
  for (const Tree& one : items_of(text)) {
    if (text_at(one, {"kind"}) == "Job") {
      there = true;
      ended = take_end(one, out.job);
    } else if (text_at(one, {"kind"}) == "Pod") {
      const std::string phase = text_at(one, {"status", "phase"});
      KubernetesPod pod{rank_of(one), text_at(one, {"metadata", "name"}), phase == "Running", {}};
      if (phase == "Succeeded" || phase == "Failed") pod.begun = true, pod.end = end_of_pod(one);
      if (!pod.begun) ++waiting;
      if (!pod.begun && why_waiting.empty()) why_waiting = trouble_of(one);
      if (phase == "Failed" && why_failed.empty()) why_failed = trouble_of(one);
      first = first || (pod.begun && pod.rank == 0);
      out.pods.push_back(std::move(pod));
    }
  }
  std::stable_sort(out.pods.begin(), out.pods.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  if (!there) out.job = {JobPhase::kEnded, "Deleted", ""};
  if (!there || ended) {
    if (out.job.state == "Failed" && !why_failed.empty()) out.job.reason = why_failed;
    return out;
  }
  out.job = {first ? JobPhase::kRunning : JobPhase::kWaiting, first ? "Running" : "Pending", why_waiting};
  if (waiting > 0 && first)
    out.job.reason = fmt::format("{} of {} pods wait{}", waiting, out.pods.size(),
                                 why_waiting.empty() ? "" : ", one for " + why_waiting);
  return out;
}

Result<int> parse_kubernetes_version(std::string_view text) {
  const Tree json = Tree::parse(text, nullptr, false);
  const std::string minor = text_at(json, {"minor"});  // "29", or "29+"
  if (text_at(json, {"major"}) != "1" || minor.empty() || minor[0] < '0' || minor[0] > '9')
    return fail(ErrorCode::kInvalid, "it does not say which version of Kubernetes it is");
  return std::atoi(minor.c_str());
}

}  // namespace convoy::gang
