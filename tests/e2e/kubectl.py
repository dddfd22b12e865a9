#!/usr/bin/env python3
"""A stand-in for kubectl and a cluster behind it: objects are files of a folder, and each pod is a process of this machine.

    with Cluster(folder) as cluster:
        subprocess.run(["kubectl", "create", "-f", "-"], env=cluster.environment, input=...)

It knows what Convoy asks of kubectl, and no more: create, get, logs, delete. Of a pod's template it takes the first container:
its command and variables, ConfigMaps and empty folders as volumes (their paths are put in place of those in the template), the
names that its Service gives to pods. It checks nothing that a schema or a server would. Standard library only.
"""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

STEP = 0.05  # s, between two looks
GRACE = 20  # s, from SIGTERM to SIGKILL, in place of what the template says
INDEX = "batch.kubernetes.io/job-completion-index"


class Cluster:
    """A cluster's folder, with a kubectl in it that comes first in PATH. At the end all of its processes have ended."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        for name in ("bin", "objects", "pods", "volumes"):
            (self.folder / name).mkdir(parents=True)
        tool = self.folder / "bin" / "kubectl"
        tool.write_text(f"#!/bin/sh\nexec {sys.executable} {pathlib.Path(__file__).resolve()} \"$@\"\n")
        tool.chmod(0o755)
        number = os.getpid() % 60000 + 300
        self.net = f"127.{number // 250 + 1}.{number % 250 + 1}"
        self.environment = {"PATH": f"{tool.parent}:{os.environ['PATH']}", "KUBECTL_FOLDER": str(self.folder), "KUBECTL_NET": self.net}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for file in self.folder.glob("objects/*"):
            file.unlink()
        until(lambda: not list(self.folder.glob("pods/*.pid")), "no process is left", GRACE + 10)

    def objects(self):
        return sorted(file.stem for file in self.folder.glob("objects/*.json"))

    def one(self, kind):
        return json.loads(next(self.folder.glob(f"objects/{kind}.*.json")).read_text())

    def pods(self):
        return {int(pod["metadata"]["annotations"][INDEX]): pod for pod in read_all(self.folder / "pods")}

    def pid(self, rank):
        return int((self.folder / "pods" / f"{self.pods()[rank]['metadata']['name']}.pid").read_text())

    def calls(self):
        return (self.folder / "calls").read_text()

    def say(self, name, text=""):
        """`hold`: numbers of pods that find no place; `unreachable`; `minor`: of the version."""
        (self.folder / name).write_text(text)

    def unsay(self, name):
        (self.folder / name).unlink()


def until(true, what, patience=60):
    end = time.monotonic() + patience
    while not true():
        if time.monotonic() > end:
            raise RuntimeError(f"not within {patience} s: {what}")
        time.sleep(STEP)


def write(file, text):
    other = file.with_suffix(f".{os.getpid()}.new")
    other.write_text(text)
    other.replace(file)


def read(file):
    with contextlib.suppress(OSError, ValueError):
        return json.loads(file.read_text())
    return None


def read_all(folder):
    return [one for one in map(read, sorted(folder.glob("*.json"))) if one]


def text_of(folder, name):
    with contextlib.suppress(OSError):
        return (folder / name).read_text()
    return None


class Pod:
    """One of a job: made, placed when what it names is there, ended."""

    def __init__(self, cluster, job, index, number):
        self.cluster, self.job, self.index, self.process, self.asked_at = cluster, job, index, None, None
        template = job["spec"]["template"]
        self.spec, self.labels = template["spec"], template["metadata"]["labels"]
        self.ip = f"{os.environ['KUBECTL_NET']}.{index + 10}"
        self.name = f"{job['metadata']['name']}-{index}-x{number}"
        self.file = cluster / "pods" / f"{self.name}.json"
        self.status = {"phase": "Pending"}
        self.write()

    def write(self):
        write(self.file, json.dumps({"kind": "Pod", "metadata": {"name": self.name, "labels": self.labels, "annotations": {INDEX: str(self.index)}}, "status": self.status}))

    def become(self, **status):
        if self.status != status:
            self.status = status
            self.write()

    def object(self, kind, name):
        return read(self.cluster / "objects" / f"{kind}.{name}.json")

    def step(self):
        """Whether it goes on."""
        if self.status["phase"] == "Pending" and not self.asked_at:
            self.place()
        if self.process and self.process.poll() is not None:
            good = self.process.returncode == 0
            log = (self.cluster / "pods" / f"{self.name}.log").read_text(errors="replace")
            status = self.process.returncode
            left = {"exitCode": status if status >= 0 else 128 - status, "message": "" if good else log[-2000:]}
            self.become(phase="Succeeded" if good else "Failed", containerStatuses=[{"state": {"terminated": left}}])
            self.file.with_suffix(".pid").unlink(missing_ok=True)
            self.process = None
        if self.file.with_suffix(".delete").exists():
            self.end()
        return self.process is not None or (self.status["phase"] == "Pending" and not self.asked_at)

    def end(self):
        if self.asked_at is None:
            self.asked_at = time.monotonic()
            if self.process:
                self.process.terminate()
        elif self.process and time.monotonic() - self.asked_at > GRACE:
            os.killpg(self.process.pid, signal.SIGKILL)

    def forget(self):
        for suffix in (".json", ".delete", ".pid"):
            self.file.with_suffix(suffix).unlink(missing_ok=True)

    def place(self):
        if str(self.index) in (text_of(self.cluster, "hold") or "").split():
            self.become(phase="Pending", conditions=[{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes are available"}])
            return
        container = self.spec["containers"][0]
        paths = self.volumes(container)
        variables = self.variables(container)
        if paths is None or variables is None:
            self.become(phase="Pending", containerStatuses=[{"state": {"waiting": {"reason": "CreateContainerConfigError"}}}])
            return

        def inside(text):
            for path, place in paths.items():
                text = text.replace(path, str(place))
            return text

        for place in paths.values():
            for file in place.glob("*"):
                file.write_text(inside(file.read_text()))
        with open(self.cluster / "pods" / f"{self.name}.log", "wb") as log:
            try:
                self.process = subprocess.Popen([inside(word) for word in container["command"]], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                                                env={"PATH": os.environ["PATH"], **{name: inside(value) for name, value in variables.items()}})
            except OSError as error:
                self.become(phase="Failed", containerStatuses=[{"state": {"terminated": {"exitCode": 128, "message": str(error)}}}])
                return
        write(self.file.with_suffix(".pid"), str(self.process.pid))
        self.become(phase="Running", podIP=self.ip, containerStatuses=[{"state": {"running": {}}}])

    def volumes(self, container):
        """Folders by mountPath; nothing: one is not there yet. What is of the machine stays where it is."""
        kinds, out = {one["name"]: one for one in self.spec.get("volumes", [])}, {}
        for mount in container.get("volumeMounts", []):
            volume = kinds[mount["name"]]
            if "hostPath" in volume:
                continue
            place = self.cluster / "volumes" / self.name / mount["name"]
            place.mkdir(parents=True, exist_ok=True)
            if "configMap" in volume:
                there = self.object("ConfigMap", volume["configMap"]["name"])
                if not there:
                    return None
                for name, text in there["data"].items():
                    (place / name).write_text(text)
            out[mount["mountPath"]] = place
        return out

    def variables(self, container):
        out = {"JOB_COMPLETION_INDEX": str(self.index)}
        for one in container.get("env", []):
            source = one.get("valueFrom", {})
            if source.get("fieldRef", {}).get("fieldPath") == "status.podIP":
                out[one["name"]] = self.ip
            elif "secretKeyRef" in source:
                there = self.object("Secret", source["secretKeyRef"]["name"])
                if not there:
                    return None
                out[one["name"]] = there["stringData"][source["secretKeyRef"]["key"]]
            else:
                out[one["name"]] = self.resolved(one["value"])
        return out

    def resolved(self, text):
        """With addresses in place of the names that a headless Service gives to pods of its subdomain."""
        service = self.object("Service", self.spec.get("subdomain", ""))
        if service and service["spec"]["clusterIP"] == "None" and service["spec"]["selector"].items() <= self.labels.items():
            for index in range(self.job["spec"]["completions"]):
                host = f"{self.job['metadata']['name']}-{index}.{self.spec['subdomain']}:"
                text = text.replace(host, f"{os.environ['KUBECTL_NET']}.{index + 10}:")
        return text


def control(cluster, name):
    """A job's pods, until it is deleted: at most `parallelism` at a time, each index begun again as often as it may be."""
    file = cluster / "objects" / f"Job.{name}.json"
    job = read(file)
    spec, made, running, failed = job["spec"], 0, [], []
    waiting, tries = list(range(spec["completions"])), {}
    everyone = []
    while file.exists():
        while waiting and len(running) < spec["parallelism"]:
            running.append(Pod(cluster, job, waiting.pop(0), made))
            everyone.append(running[-1])
            made += 1
        for pod in [pod for pod in running if not pod.step()]:
            running.remove(pod)
            if pod.status["phase"] != "Succeeded":
                tries[pod.index] = tries.get(pod.index, 0) + 1
                (failed if tries[pod.index] > spec["backoffLimitPerIndex"] else waiting).append(pod.index)
            if pod.asked_at:
                pod.forget()
        if not waiting and not running and "status" not in job:
            ends = {"type": "Failed", "status": "True", "reason": "FailedIndexes"} if failed else {"type": "Complete", "status": "True"}
            job["status"] = {"conditions": [ends]}
            if file.exists():
                write(file, json.dumps(job))
        time.sleep(STEP)
    file.unlink(missing_ok=True)
    for other in (cluster / "objects").glob("*.json"):
        owned = read(other) or {}
        if any(owner["uid"] == job["metadata"]["uid"] for owner in owned.get("metadata", {}).get("ownerReferences", [])):
            other.unlink(missing_ok=True)
    while running:
        for pod in running:
            pod.end()
        running = [pod for pod in running if pod.step()]
        time.sleep(STEP)
    for pod in everyone:
        pod.forget()
        shutil.rmtree(cluster / "volumes" / pod.name, ignore_errors=True)


def create(cluster, _):
    given = json.load(sys.stdin)
    for one in given["items"] if given["kind"] == "List" else [given]:
        name = one["metadata"]["name"]
        one["metadata"]["uid"] = f"{time.time_ns()}"
        write(cluster / "objects" / f"{one['kind']}.{name}.json", json.dumps(one))
        if one["kind"] == "Job":
            subprocess.Popen([sys.executable, __file__, "control", name], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(cluster / "control.log", "ab"), start_new_session=True)
    print(json.dumps(given))


def selected(cluster, words):
    """Objects and pods that the selector finds, with their files."""
    wanted = dict(pair.split("=") for pair in words[words.index("--selector") + 1].split(","))
    for file in [*cluster.glob("objects/*.json"), *cluster.glob("pods/*.json")]:
        one = read(file)
        if one and wanted.items() <= one["metadata"]["labels"].items():
            yield file, one


def get(cluster, words):
    if words[0] == "--raw":
        print(json.dumps({"major": "1", "minor": text_of(cluster, "minor") or "29+"}))
        return
    kinds = {"job": "Job", "pods": "Pod"}
    print(json.dumps({"kind": "List", "items": [one for _, one in selected(cluster, words) if one["kind"] in [kinds[k] for k in words[0].split(",")]]}))


def logs(cluster, words):
    name, at = words[0], 0
    while True:
        over = not (cluster / "pods" / f"{name}.pid").exists()
        with open(cluster / "pods" / f"{name}.log", "rb") as file:
            file.seek(at)
            at += sys.stdout.buffer.write(file.read())
        sys.stdout.flush()
        if over or "--follow" not in words:
            return
        time.sleep(STEP)


def delete(cluster, words):
    if words[0] == "pod":
        (cluster / "pods" / f"{words[1]}.delete").touch()
        return
    for file, one in selected(cluster, words):
        if one["kind"].lower() in words[0].split(","):
            file.unlink(missing_ok=True)


def main():
    cluster, words = pathlib.Path(os.environ["KUBECTL_FOLDER"]), sys.argv[1:]
    if words[0] == "control":
        control(cluster, words[1])
        return
    with open(cluster / "calls", "a", encoding="utf-8") as calls:
        calls.write(" ".join(words) + "\n")
    if (cluster / "unreachable").exists():
        sys.exit("The connection to the server 10.0.0.1:6443 was refused - did you specify the right host or port?")
    if words[0] == "--namespace":
        words = words[2:]
    {"create": create, "get": get, "logs": logs, "delete": delete}[words[0]](cluster, words[1:])


if __name__ == "__main__":
    main()
