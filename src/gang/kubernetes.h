// What Kubernetes is told of a gang, and what it says of a job. Source: the reference of its API, 1.29 to 1.37.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "convoy/result.h"
#include "gang/gang.h"

namespace convoy::gang {

inline constexpr std::uint16_t kKubernetesPort = 7447;  // of the server: a pod has all ports to itself
inline constexpr int kLeastKubernetes = 29;             // 1.29: an index may fail alone (backoffLimitPerIndex)
inline constexpr const char* kPodJobFolder =
    "/convoy/job";  // in each pod: what ranks read; nothing can be written there
inline constexpr const char* kPodRunFolder = "/convoy/run";  // where they write; gone with the pod
inline constexpr const char* kRankContainer = "convoy";
inline constexpr std::size_t kMaxConfigMap = 1'000'000;  // bytes; Kubernetes takes 1 MiB

// What stands in the section `engine: {kubernetes: ...}` and is needed before there are manifests.
struct KubernetesPlaces {
  std::string program = "convoy";           // in the image
  std::string scenario;                     // in the image: a name that is shipped, or a path; empty: it comes along
  std::vector<std::string> mounts;          // folders of volumes of the user's
  bool holds(std::string_view path) const;  // does it lie in one of those?
};
Result<KubernetesPlaces> kubernetes_places(std::string_view settings);

// A name for a job and all that belongs to it, which no other has if `chance` is drawn.
std::string kubernetes_name(std::string_view name, std::uint64_t chance);

// A list of objects, as JSON: a headless Service, by which ranks find the server; a ConfigMap of what they read; an indexed
// Job of a pod for each rank. The Secret that they name is made by kubernetes_belongings(). `gang.name` is of
// kubernetes_name(); its files lie beside gang.json in each pod. `settings`: a JSON object. An error: a field that is unknown
// or that the job sets itself, or more than a ConfigMap holds.
//
// A pod that is lost is not started again.
Result<std::string> kubernetes_manifests(const Gang& gang, std::string_view settings);

// The same of tasks: a Job alone. Its folder must lie on a volume that all pods see; a task that fails is begun again, twice
// at most.
Result<std::string> kubernetes_tasks_manifests(const Tasks& tasks, std::string_view settings);

// A job by which the engine knows it: "NAMESPACE/NAME", or "NAME" in kubectl's own namespace.
struct KubernetesJob {
  std::string space, name;
  std::string text() const { return space.empty() ? name : space + "/" + name; }
  std::string selector() const;  // of all objects that belong to it
};
KubernetesJob parse_kubernetes_job(std::string_view text);

// Of such a list: the Job, which is made first, and whose uid (from the object that was made) its belongings name as their
// owner: what deletes the Job, be it its time to live, deletes them.
struct KubernetesSubmission {
  KubernetesJob job;
  std::string manifest;  // of the Job
};
Result<KubernetesSubmission> kubernetes_submission(std::string_view list);
// All else of the list and the Secret; empty: nothing belongs to the Job. `made`: the Job as Kubernetes gives it back.
Result<std::string> kubernetes_belongings(std::string_view list, std::string_view made, const std::string& secret);

// Of `kubectl get job,pods --selector ... --output json`.
struct KubernetesPod {
  std::size_t rank = 0;
  std::string name;
  bool begun = false;          // it runs or has run: there is a log
  std::optional<RankEnd> end;  // as Kubernetes has it: of one that could not say anything, as when memory ran out
};
struct KubernetesState {
  JobState job;
  std::vector<KubernetesPod> pods;  // by rank
};
Result<KubernetesState> parse_kubernetes_state(std::string_view text);

// Of `kubectl get --raw /version`: the 29 of 1.29.
Result<int> parse_kubernetes_version(std::string_view text);

}  // namespace convoy::gang
