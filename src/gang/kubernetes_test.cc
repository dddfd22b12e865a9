#include "gang/kubernetes.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

namespace convoy::gang {

namespace kubernetes_test {

using nlohmann::json;

Gang three() {
  Gang out{.name = "convoy-hello-0001", .folder = "/home/me/jobs/hello-1", .exe = "/home/me/convoy", .threads = 4};
  out.ranks = {{"server", {"convoy", "server"}, {}}, {"host0", {"convoy"}, {}}, {"host1", {"convoy"}, {}}};
  out.files = {{"scenario.yaml", "convoy: 1\n"}};
  return out;
}
json parsed(const Result<std::string>& text) {
  REQUIRE_MESSAGE(text, (text ? "" : text.error().message()));
  return json::parse(*text);
}
json manifests(std::string_view settings) { return parsed(kubernetes_manifests(three(), settings)); }
json one(const json& list, std::string_view kind) {
  for (const json& item : list["items"])
    if (item["kind"] == kind) return item;
  return {};
}
std::string refused(std::string_view settings) {
  const auto out = kubernetes_manifests(three(), settings);
  REQUIRE(!out);
  return out.error().message();
}

TEST_CASE("a gang is an indexed Job of a pod for each rank, which find the server by the Service's name") {
  const json list = manifests(R"({"image": "fleet/convoy:1"})");
  const json job = one(list, "Job");
  const json &spec = job["spec"], &pod = spec["template"]["spec"];
  CHECK(spec["completionMode"] == "Indexed");
  CHECK(spec["completions"] == 3);
  CHECK(spec["parallelism"] == 3);
  CHECK(spec["backoffLimitPerIndex"] == 0);
  CHECK(pod["restartPolicy"] == "Never");
  CHECK(pod["subdomain"] == "convoy-hello-0001");
  const json& container = pod["containers"][0];
  CHECK(container["image"] == "fleet/convoy:1");
  CHECK(container["command"] == json({"convoy", "rank", "/convoy/job"}));
  CHECK(container["resources"]["requests"]["cpu"] == "4");
  std::string server;
  for (const json& variable : container["env"])
    if (variable["name"] == "CONVOY_SERVER") server = variable["value"];
  CHECK(server == "convoy-hello-0001-0.convoy-hello-0001:7447");
  const json service = one(list, "Service");
  CHECK(service["metadata"]["name"] == pod["subdomain"]);
  CHECK(service["spec"]["clusterIP"] == "None");
  CHECK(service["spec"]["publishNotReadyAddresses"] == true);
  CHECK(service["spec"]["selector"] == spec["template"]["metadata"]["labels"]);
}

TEST_CASE("what ranks read comes as a ConfigMap, without the folders of this machine and without the secret") {
  const json list = manifests(R"({"image": "x", "program": "/opt/convoy"})");
  const json data = one(list, "ConfigMap")["data"];
  const auto gang = parse_gang(data["gang.json"].get<std::string>());
  REQUIRE(gang);
  CHECK(gang->folder == "/convoy/job");
  CHECK(gang->exe == "/opt/convoy");
  CHECK(data["scenario.yaml"] == "convoy: 1\n");
  CHECK(list.dump().find("/home/me") == std::string::npos);
  CHECK(one(list, "Secret").is_null());
  Gang large = three();
  large.files["scenario.yaml"] = std::string(kMaxConfigMap, 'x');
  const auto out = kubernetes_manifests(large, R"({"image": "x"})");
  REQUIRE(!out);
  CHECK(out.error().message().find("a ConfigMap holds 1000000") != std::string::npos);
}

TEST_CASE("what the user says goes into the manifest as it is, and over what stands there unasked") {
  const json list = manifests(R"({"image": "x", "namespace": "fleet", "resources": {"limits": {"cpu": 2}},
    "volumeMounts": [{"name": "data", "mountPath": "/data"}], "container": {"imagePullPolicy": "Always",
    "env": [{"name": "A", "value": "b"}]}, "pod": {"volumes": [{"name": "data", "emptyDir": {}}], "nodeSelector":
    {"gpu": "yes"}, "terminationGracePeriodSeconds": 9}, "job": {"activeDeadlineSeconds": 600}})");
  const json job = one(list, "Job"), pod = job["spec"]["template"]["spec"], container = pod["containers"][0];
  for (const char* kind : {"Job", "Service", "ConfigMap"}) CHECK(one(list, kind)["metadata"]["namespace"] == "fleet");
  CHECK(container["resources"] == json({{"limits", {{"cpu", 2}}}}));
  CHECK(container["imagePullPolicy"] == "Always");
  CHECK(container["env"].back()["name"] == "A");
  CHECK(container["env"].size() == 6);
  CHECK(container["volumeMounts"].size() == 3);
  CHECK(pod["volumes"].size() == 3);
  CHECK(pod["nodeSelector"]["gpu"] == "yes");
  CHECK(pod["terminationGracePeriodSeconds"] == 9);
  CHECK(job["spec"]["activeDeadlineSeconds"] == 600);
}

TEST_CASE("what is unknown, missing or the job's own is refused by its name") {
  const std::string begin = "engine: kubernetes: ";
  CHECK(refused("") == begin + "image: is required: one that holds this build of convoy");
  CHECK(refused("[]") == begin + "must be a map");
  CHECK(refused(R"({"image": "x", "imge": 1})").starts_with(begin + "'imge' is unknown; there are image, namespace"));
  CHECK(refused(R"({"image": 7})") == begin + "image: must be a word");
  CHECK(refused(R"({"image": "x", "pod": []})") == begin + "pod: must be a map");
  CHECK(refused(R"({"image": "x", "pod": {"containers": []}})") == begin + "pod: containers: the job sets that itself");
  CHECK(refused(R"({"image": "x", "job": {"completions": 7}})") ==
        begin + "job: completions: the job sets that itself");
  CHECK(refused(R"({"image": "x", "container": {"resources": {}}})") ==
        begin + "container: resources: stands beside `container`");
  CHECK(refused(R"({"image": "x", "volumeMounts": [{}]})") ==
        begin + "volumeMounts: must be a list of maps with a mountPath each");
}

TEST_CASE("names are labels of DNS, and leave room for a rank's number") {
  CHECK(kubernetes_name("convoy-My--Hall", 0x1'0000'00ab) == "convoy-my--hall-000000ab");
  CHECK(kubernetes_name("7_hall", 1) == "convoy-7-hall-00000001");
  CHECK(kubernetes_name(std::string(100, 'a'), 1).size() + std::string("-4095").size() <= 63);
}

TEST_CASE("the Job is made first and owns the rest, with the secret in a Secret") {
  const std::string list = *kubernetes_manifests(three(), R"({"image": "x", "namespace": "fleet"})");
  const auto first = kubernetes_submission(list);
  REQUIRE(first);
  CHECK(first->job.text() == "fleet/convoy-hello-0001");
  CHECK(json::parse(first->manifest)["kind"] == "Job");
  const std::string made = R"({"kind": "Job", "metadata": {"name": "convoy-hello-0001", "uid": "17-4"}})";
  const json rest = parsed(kubernetes_belongings(list, made, "s3cret"));
  CHECK(rest["items"].size() == 3);
  for (const json& item : rest["items"]) {
    CHECK(item["metadata"]["ownerReferences"][0]["uid"] == "17-4");
    CHECK(item["metadata"]["namespace"] == "fleet");
  }
  CHECK(one(rest, "Secret")["stringData"]["credentials"] == "s3cret");
  CHECK(!kubernetes_belongings(list, "{}", "s3cret"));
  CHECK(!kubernetes_submission("{}"));
  const KubernetesJob here = parse_kubernetes_job("convoy-hello-0001");
  CHECK(here.space.empty());
  CHECK(here.text() == "convoy-hello-0001");
}

TEST_CASE("tasks are a Job alone, whose folder must lie on a volume") {
  const Tasks tasks{.name = "convoy-sweep-0001",
                    .folder = "/data/s/jobs/1",
                    .argv = {"/opt/convoy", "sweep", "a b"},
                    .count = 40,
                    .at_once = 8,
                    .cores = 2};
  const json list = parsed(
      kubernetes_tasks_manifests(tasks, R"({"image": "x", "volumeMounts": [{"name": "data", "mountPath": "/data"}]})"));
  REQUIRE(list["items"].size() == 1);
  const json spec = one(list, "Job")["spec"], container = spec["template"]["spec"]["containers"][0];
  CHECK(spec["completions"] == 40);
  CHECK(spec["parallelism"] == 8);
  CHECK(spec["backoffLimitPerIndex"] == 2);
  CHECK(container["command"] == json({"convoy", "sweep", "a b"}));
  CHECK(!kubernetes_tasks_manifests(tasks, R"({"image": "x"})"));
  CHECK(!kubernetes_tasks_manifests(tasks, R"({"image": "x", "volumeMounts": [{"mountPath": "/dat"}]})"));
  CHECK(*kubernetes_belongings(
            *kubernetes_tasks_manifests(tasks, R"({"image": "x", "volumeMounts": [{"mountPath": "/data/"}]})"),
            R"({"metadata": {"name": "a", "uid": "b"}})", "") == "");
}

json job_with(const char* type, const char* reason) {
  return {{"kind", "Job"}, {"status", {{"conditions", {{{"type", type}, {"status", "True"}, {"reason", reason}}}}}}};
}
json pod_of(const char* index, const char* phase, json status = json::object()) {
  status["phase"] = phase;
  return {
      {"kind", "Pod"},
      {"metadata",
       {{"name", std::string("p-") + index}, {"annotations", {{"batch.kubernetes.io/job-completion-index", index}}}}},
      {"status", std::move(status)}};
}
std::string state(std::initializer_list<json> items) {
  const auto out = parse_kubernetes_state(json{{"items", json(items)}}.dump());
  REQUIRE(out);
  return std::to_string(static_cast<int>(out->job.phase)) + " " + out->job.text();
}

TEST_CASE("a job's state is that of its conditions and of its pods") {
  const json job{{"kind", "Job"}, {"status", json::object()}};
  const json unplaced{{"conditions",
                       {{{"type", "PodScheduled"},
                         {"status", "False"},
                         {"reason", "Unschedulable"},
                         {"message", "0/3 nodes are available"}}}}};
  const json unpulled{{"containerStatuses", {{{"state", {{"waiting", {{"reason", "ErrImagePull"}}}}}}}}};
  const json failed{{"containerStatuses", {{{"state", {{"terminated", {{"message", "a\nconvoy: no such file\n"}}}}}}}}};
  CHECK(state({job}) == "0 Pending");
  CHECK(state({job, pod_of("0", "Pending", unplaced)}) == "0 Pending (Unschedulable: 0/3 nodes are available)");
  CHECK(state({job, pod_of("1", "Running"), pod_of("0", "Pending", unpulled)}) == "0 Pending (ErrImagePull)");
  CHECK(state({job, pod_of("1", "Running"), pod_of("0", "Running")}) == "1 Running");
  CHECK(state({job, pod_of("1", "Pending", unpulled), pod_of("0", "Running")}) ==
        "1 Running (1 of 2 pods wait, one for ErrImagePull)");
  CHECK(state({job_with("Complete", ""), pod_of("0", "Succeeded")}) == "2 Complete");
  CHECK(state({job_with("Failed", "DeadlineExceeded")}) == "2 Failed (DeadlineExceeded)");
  CHECK(state({job_with("Failed", "FailedIndexes"), pod_of("0", "Failed", failed)}) ==
        "2 Failed (convoy: no such file)");
  CHECK(state({}) == "2 Deleted");
  CHECK(!parse_kubernetes_state("Unable to connect"));
  CHECK(parse_kubernetes_state(R"({"items": [1, {"kind": "Pod", "status": []}, {"kind": "Job", "status": 3}]})"));
  CHECK(parse_kubernetes_state(
      R"({"items": [{"kind": "Pod", "status": {"phase": "Failed", "containerStatuses": [1]}}]})"));
  const auto pods =
      parse_kubernetes_state(json{{"items", {job, pod_of("10", "Running"), pod_of("9", "Pending")}}}.dump());
  REQUIRE(pods->pods.size() == 2);
  CHECK(pods->pods[0].rank == 9);
  CHECK(!pods->pods[0].begun);
  CHECK(pods->pods[1].name == "p-10");
  CHECK(!pods->pods[1].end);
}

TEST_CASE("a pod that has ended says how, also where its rank could not") {
  const auto end = [](const char* phase, json status) {
    const auto out = parse_kubernetes_state(json{{"items", {pod_of("1", phase, std::move(status)), json(1)}}}.dump());
    REQUIRE(out);
    REQUIRE(out->pods.size() == 1);
    REQUIRE(out->pods[0].end);
    return std::to_string(out->pods[0].end->status) + " " + out->pods[0].end->text;
  };
  const auto left = [](int code, const char* reason, const char* message = "") {
    const json terminated{{"exitCode", code}, {"reason", reason}, {"message", message}};
    return json{{"containerStatuses", json::array({{{"state", {{"terminated", terminated}}}}})}};
  };
  CHECK(end("Succeeded", left(0, "Completed")) == "0 has ended with status 0");
  CHECK(end("Failed", left(137, "OOMKilled")) == "137 has ended with status 137 (OOMKilled)");
  CHECK(end("Failed", left(128, "StartError", "exec: convoy: not found")) ==
        "128 has ended with status 128 (StartError: exec: convoy: not found)");
  CHECK(end("Failed", left(137, "Error", "convoy: a\n7 out progress")) == "137 has ended with status 137");
  CHECK(end("Failed", left(3, "Error")) == "3 has ended with status 3");
  CHECK(end("Failed", {{"reason", "Evicted"}}) == "1 has ended (Evicted)");
}

TEST_CASE("a cluster's version is read as it says it") {
  CHECK(*parse_kubernetes_version(R"({"major": "1", "minor": "29+", "gitVersion": "v1.29.3-gke"})") == 29);
  CHECK(!parse_kubernetes_version("{}"));
  CHECK(!parse_kubernetes_version("<html>"));
}

}  // namespace kubernetes_test

}  // namespace convoy::gang
