#!/usr/bin/env python3
"""Runs on Kubernetes: convoy launch --engine kubernetes, with a stand-in for a cluster (kubectl.py).

    tests/e2e/test_kubernetes.py CONVOY [PART...]

The manifests are held against the API's published schemas, strictly (scripts/python-env.sh kubernetes). No cluster has run them.
"""
import contextlib
import copy
import csv
import json
import os
import pathlib
import re
import signal
import sys
import time

from harness import last_line, new_bench
from jobs import SLOW, Jobs, by_the_guide, interrupted, out_of
from kubectl import Cluster, until

VERSIONS = ("1.29", "1.31", "1.34", "1.37")


class Place(Jobs):
    """A bench and its cluster, whose image is this build."""

    def __init__(self, bench, cluster):
        super().__init__(bench, cluster.environment)
        self.cluster = cluster
        self.told = self.engine_file("engine", image="fleet/convoy:1", program=bench.convoy)

    def engine_file(self, name, **settings):
        file = self.bench.folder / f"{name}.yaml"
        file.write_text(f"kubernetes: {json.dumps(settings)}\n")
        return file

    def launch(self, folder, *more, told=None):
        return ("launch", self.bench.scenario, "--engine", "kubernetes", "--engine-file", told or self.told, "--hosts", "2", "--job-folder", folder, *more)

    def begun(self, folder):
        until(lambda: "progress" in out_of(folder), "the run has begun", self.bench.patience)

    def ended(self, what):
        until(lambda: self.cluster.objects() == [] and self.cluster.pods() == {}, f"nothing is left behind: {what}", 30)


def command_lines():
    out = ""
    for place in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if place.name.isdigit():
                out += (place / "cmdline").read_text(errors="replace")
    return out


def wrong_with(items, version):
    """What the schemas of that version have against objects."""
    import kubernetes_validate  # of .env/kubernetes
    out = []
    for item in items:
        try:
            kubernetes_validate.validate(item, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            out.append(f"{item['kind']}: {error.message}")
    return out


def schemas(p):
    """What would be submitted is sound by the API's schemas, and what is not is found out."""
    rich = p.engine_file("rich", image="x", namespace="fleet", resources={"limits": {"cpu": "2", "nvidia.com/gpu": 1}},
                         volumeMounts=[{"name": "data", "mountPath": "/data"}], container={"imagePullPolicy": "Always", "env": [{"name": "A", "value": "b"}]},
                         pod={"volumes": [{"name": "data", "emptyDir": {}}], "nodeSelector": {"disk": "fast"}, "tolerations": [{"operator": "Exists"}],
                              "imagePullSecrets": [{"name": "registry"}], "serviceAccountName": "fleet"}, job={"activeDeadlineSeconds": 600})
    plan = p.bench.folder / "plan.yaml"
    plan.write_text(PLAN)
    lists = [p.expect(0, '"kind": "Job"', None, *p.launch(p.folder(), "--dry-run", told=told)).stdout for told in (p.told, rich)]
    lists.append(p.expect(0, '"kind": "Job"', None, "sweep", plan, "--out", p.bench.folder / "dry", "--engine", "kubernetes", "--engine-file", sweep_file(p), "--dry-run").stdout)
    for text in lists:
        for version in VERSIONS:
            wrong = wrong_with(json.loads(text)["items"], version)
            p.check(wrong == [], f"sound by {version}", wrong)
    p.check([len(json.loads(text)["items"]) for text in lists] == [3, 3, 1], "a Service, a ConfigMap and a Job; of a sweep a Job")
    p.check(p.cluster.objects() == [] and not (p.cluster.folder / "calls").exists(), "nothing is submitted")

    job = next(item for item in json.loads(lists[0])["items"] if item["kind"] == "Job")
    unknown, typed, lacking = (copy.deepcopy(job) for _ in range(3))
    unknown["spec"]["backoffLimitPerIndx"] = unknown["spec"].pop("backoffLimitPerIndex")
    typed["spec"]["completions"] = "3"
    del lacking["spec"]["template"]["spec"]["containers"][0]["name"]
    for fault, pattern in ((unknown, "backoffLimitPerIndx"), (typed, "'3' is not of type"), (lacking, "'name' is a required property")):
        for version in VERSIONS:
            wrong = wrong_with([fault], version)
            p.check(len(wrong) == 1 and pattern in wrong[0], f"a planted fault is found by {version}: {pattern}", wrong)


def gang(p):
    """A run over three pods comes to the digest of one in one process, with its report; the secret is nowhere in clear."""
    folder, report = p.folder(), p.bench.folder / "report.json"
    shown = ""
    with p.bench.start(*p.launch(folder, *SLOW, "--report", report)) as launch:
        launch.wait_for(rf"server listens on {p.cluster.net}\.10:7447")
        until(lambda: len(p.cluster.pods()) == 3, "three pods run")
        secret = p.cluster.one("Secret")["stringData"]["credentials"]
        made = [p.cluster.one(kind) for kind in ("Secret", "Service", "ConfigMap", "Job")]
        while launch.popen.poll() is None:
            shown += command_lines()
            time.sleep(0.2)
        p.check(launch.wait() == 0, "the launch ends well", launch.text())
        p.check(last_line(launch.out.read_text()) == p.digest_of_run("--duration", "6s"), "the digest is that of convoy run", launch.text())
        shown += launch.text()
    p.ended("after a run")
    p.check(all(one["metadata"]["ownerReferences"][0]["uid"] == made[3]["metadata"]["uid"] for one in made[:3]), "the Job owns the rest")
    for one in made:
        del one["metadata"]["uid"]  # the stand-in's
        p.check(wrong_with([one], VERSIONS[-1]) == [], "what was made is sound", wrong_with([one], VERSIONS[-1]))
    p.check(json.loads(report.read_text())["hosts"] == 2, "the report is where it was asked for")
    names = {f.name for f in (folder / "attempt-0").iterdir()}
    p.check({"server.log", "host0.log", "host1.log", "server.end", "host1.end"} <= names, "each rank has a log and an end", names)
    for file in folder.rglob("*"):
        if file.is_file():
            shown += file.read_text(errors="replace")
    shown += p.cluster.calls()
    p.check(len(secret) == 32 and secret not in shown and not (folder / "secret").exists(), "the secret stands in no command, file or log")


def bad(p):
    """What is wrong is one clear line, and nothing is left."""
    folder = p.folder()
    p.expect(2, None, "^convoy: engine: kubernetes: image: is required: one that holds this build of convoy$", *p.launch(folder, told=p.engine_file("none")))
    p.expect(2, None, "^convoy: engine: kubernetes: 'imgae' is unknown; there are image,", *p.launch(folder, told=p.engine_file("odd", imgae="x")))
    p.expect(2, None, "pod: containers: the job sets that itself", *p.launch(folder, told=p.engine_file("ours", image="x", pod={"containers": []})))
    p.expect(2, None, "^convoy: --record: a pod's files are gone with it", *p.launch(folder, "--record", p.bench.folder / "x.mcap"))
    p.expect(2, None, "no engine 'kube'; there are: .*kubernetes", "launch", p.bench.scenario, "--engine", "kube")
    p.expect(1, None, "^convoy: kubectl is not here: it comes with kubernetes-client", *p.launch(folder), env={"PATH": "/nowhere"})
    p.cluster.say("unreachable")
    p.expect(1, None, "^convoy: no Kubernetes cluster is to be reached: The connection to the server 10", *p.launch(folder))
    p.cluster.unsay("unreachable")
    p.cluster.say("minor", "28")
    p.expect(1, None, "^convoy: the cluster has Kubernetes 1.28; a rank may fail alone from 1.29 on$", *p.launch(folder))
    p.cluster.unsay("minor")
    p.check(not folder.exists() and p.cluster.objects() == [], "nothing half submitted is left")
    with p.bench.start(*p.launch(folder, told=p.engine_file("nowhere", image="x", program="/nowhere/convoy"))) as launch:
        p.check(launch.wait() == 1 and re.search(r"^convoy: (the server|job \S+) has ended .*No such file.*/nowhere/convoy", launch.text(), re.M), "an image without convoy", launch.text())
    p.ended("an image without convoy")


def killed(p):
    """A rank that is killed is a lost host: the run goes on, and the job ends with it."""
    folder = p.folder()
    with p.bench.start(*p.launch(folder, *SLOW)) as launch:
        p.begun(folder)
        os.killpg(p.cluster.pid(2), signal.SIGKILL)
        p.check(launch.wait() == 1, "a lost host is a failure", launch.text())
        p.check("host1 has ended with status 137" in launch.text(), "who it was is said", launch.text())
        p.check(re.match("digest [0-9a-f]{16}", last_line(launch.out.read_text())), "the run has ended", launch.text())
    p.ended("a rank was killed")


def cut(p):
    """A log whose stream is cut off is taken up again, and no line is shown twice."""
    folder = p.folder()
    with p.bench.start(*p.launch(folder, *SLOW)) as launch:
        p.begun(folder)
        for pid, argv in launch.family().items():
            if "logs" in argv:
                os.kill(pid, signal.SIGKILL)
        p.check(launch.wait() == 0, "the launch ends well", launch.text())
        p.check(last_line(launch.out.read_text()) == p.digest_of_run("--duration", "6s"), "the digest is the same", launch.text())
    said = [line for line in out_of(folder).splitlines() if line.startswith(("progress", "digest"))]
    p.check(len(said) == len(set(said)) and "kubernetes:" not in launch.text(), "each line once", said)
    p.ended("a stream was cut")


def detached(p):
    """A job lives without its launch; its state is asked for, and it is cancelled."""
    folder = p.folder()
    p.expect(0, f"^{folder}$", "job", *p.launch(folder, "--detach", "--speed", "1", "--duration", "60s"))

    def state():
        return json.loads(p.expect(0, "", None, "launch", "status", folder, "--json").stdout)

    until(lambda: "of 60 s simulated" in state()["run"], "it says how far it is")
    p.check(state()["state"] == "Running" and state()["digest"] is None, "it runs", state())
    p.expect(0, None, None, "launch", "cancel", folder)
    p.ended("a cancel")
    p.expect(0, None, "had ended already: Deleted", "launch", "cancel", folder)
    again = p.folder()
    p.expect(0, f"^{again}$", "job", *p.launch(again, "--detach", "--duration", "2s"))
    until(lambda: p.cluster.one("Job").get("status"), "the job has ended")
    p.expect(0, f"(?s)Complete.*{p.digest_of_run('--duration', '2s')}", None, "launch", "status", again)
    p.expect(0, None, "had ended already: Complete", "launch", "cancel", again)
    p.ended("a run without its launch")


def waiting(p):
    """A pod that finds no place says so, and Ctrl-C takes the job back; one that comes late is waited for."""
    folder = p.folder()
    p.cluster.say("hold", "0")
    with p.bench.start(*p.launch(folder)) as launch:
        launch.wait_for(r"the job waits: Pending \(Unschedulable: 0/3 nodes are available\)")
        launch.popen.send_signal(signal.SIGINT)
        p.check(launch.wait() == 130, "it ends as interrupted", launch.text())
    p.ended("a job that waited")
    with p.bench.start(*p.launch(p.folder(), "--duration", "2s")) as launch:
        launch.wait_for(r"the job waits: Pending")
        time.sleep(12)  # longer than a client dials
        p.cluster.unsay("hold")
        p.check(launch.wait() == 0 and last_line(launch.out.read_text()) == p.digest_of_run("--duration", "2s"), "the server came late", launch.text())
    p.ended("a late server")


def recorded(p):
    """A recording lies on a volume, where the server has written it."""
    volume = p.bench.folder / "volume"
    volume.mkdir()
    told = p.engine_file("volume", image="x", program=p.bench.convoy, volumeMounts=[{"name": "data", "mountPath": str(volume)}],
                         pod={"volumes": [{"name": "data", "hostPath": {"path": str(volume)}}]})
    with p.bench.start(*p.launch(p.folder(), "--duration", "2s", "--record", volume / "run.mcap", told=told)) as launch:
        p.check(launch.wait() == 0, "the launch ends well", launch.text())
    p.expect(0, p.digest_of_run("--duration", "2s"), None, "replay", volume / "run.mcap", "--log-level", "error")
    p.ended("a recording")


PLAN = """\
scenario: e2e.yaml
axes:
  seed: 1..6
  robots[0].count: [2, 4]
metrics: {distance_m: totals.distance_m}
"""


def sweep_file(p):
    folder = str(p.bench.folder)
    return p.engine_file("sweep", image="x", program=p.bench.convoy, volumeMounts=[{"name": "data", "mountPath": folder}],
                         pod={"volumes": [{"name": "data", "hostPath": {"path": folder}}]})


def sweep(p):
    """Twelve runs as an indexed Job, also interrupted and taken up: the tables of a sweep on one machine."""
    plan, local, out = p.bench.folder / "plan.yaml", p.bench.folder / "local", p.bench.folder / "spread"
    plan.write_text(PLAN)
    p.expect(0, "12 done", "", "sweep", plan, "--out", local)
    command = ("sweep", plan, "--out", out, "--engine", "kubernetes", "--engine-file", sweep_file(p), "--runs-per-task", "2", "--at-once", "2")
    with p.bench.start(*command) as first:
        until(lambda: list(out.glob("jobs/*/done-*.jsonl")), "some runs are made")
        first.popen.send_signal(signal.SIGINT)
        p.check(first.wait() == 130, "it ends as interrupted", first.text())
    p.ended("Ctrl-C of a sweep")
    p.expect(0, "12 done", "", *command)
    for name in ("results.csv", "results.jsonl"):
        p.check((out / name).read_bytes() == (local / name).read_bytes(), f"{name} is equal to the byte")
    with open(out / "timing.csv", newline="", encoding="utf-8") as file:
        p.check(len(list(csv.DictReader(file))) == 12, "each run is timed")
    p.ended("a sweep")
    p.expect(2, None, "volumeMounts: none holds", "sweep", plan, "--out", p.bench.folder / "none", "--engine", "kubernetes", "--engine-file", p.told)


def guide(p):
    """The commands of docs/kubernetes.md; /data is a volume of the pods."""
    sweep_file(p).rename(p.bench.folder / "fleet.yaml")
    by_the_guide(p, "kubernetes.md", instead=(("fleet.yaml", f"{p.bench.folder}/fleet.yaml"), ("/data/", f"{p.bench.folder}/guide/")))


PARTS = {part.__name__: part for part in (schemas, gang, bad, killed, cut, detached, interrupted, waiting, recorded, sweep, guide)}


def main():
    with new_bench(sys.argv[1], patience=180) as bench, Cluster(bench.folder / "cluster") as cluster:
        bench.run(PARTS, sys.argv[2:], Place(bench, cluster))
        return bench.result()


if __name__ == "__main__":
    sys.exit(main())
