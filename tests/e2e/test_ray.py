#!/usr/bin/env python3
"""Runs and sweeps over the nodes of a Ray cluster: convoy launch --engine ray, convoy sweep --engine ray.

    tests/e2e/test_ray.py CONVOY PYTHON [PART...]      PYTHON: one that has Ray (scripts/python-env.sh ray)

Two nodes on the loopback of a network namespace of the test's own (ray_cluster.py). Skipped, with the reason, where there is no
Ray, except under CI=1, where that fails.
"""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from harness import SKIPPED, last_line, new_bench
from jobs import SLOW, Jobs, by_the_guide, interrupted, made, out_of, tables

HERE = pathlib.Path(__file__).resolve().parent
INSIDE = "CONVOY_TEST_INSIDE"  # the network namespace
PLAN = """\
scenario: e2e.yaml
axes:
  seed: 1..6
  robots[0].count: [2, 4]
metrics: {distance_m: totals.distance_m}
"""


class Place(Jobs):
    """A bench whose jobs a Ray cluster runs."""

    def __init__(self, bench, python, address):
        super().__init__(bench, {"CONVOY_PYTHON": python})
        self.python, self.address = python, address

    def launch(self, folder, *more, told=""):
        return ("launch", self.bench.scenario, "--engine", "ray", "--hosts", "2", "--job-folder", folder,
                "--set", f"engine={{ray: {{address: '{self.address}'{told}}}}}", *more)

    def until(self, true, what):
        end = self.bench.patience * 10
        for _ in range(end):
            if true():
                return
            time.sleep(0.1)
        raise RuntimeError(f"never: {what}")

    def begun(self, folder):
        self.until(lambda: "progress" in out_of(folder), "the run has begun")

    def gone(self, what):
        """No process of a run or a job is there."""
        self.until(lambda: not processes(self.bench.convoy) and not processes("on_ray.py"), f"nothing is left behind: {what}")

    def ended(self, what):
        """Nor a folder of a rank."""
        self.gone(what)
        self.until(lambda: not self.folders_of_ranks(), f"no folder is left behind: {what}")

    def folders_of_ranks(self):
        found = []
        for described in pathlib.Path(tempfile.gettempdir()).glob("convoy-rank-*/gang.json"):
            with contextlib.suppress(OSError):
                found += [described.parent] if str(self.bench.folder) in described.read_text() else []
        return found


def processes(word):
    """Those that have this in their command line, but for this test's."""
    found = {}
    for place in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            argv = (place / "cmdline").read_text().split("\0")
            if place.name.isdigit() and any(word in one for one in argv[:2]) and str(HERE / "test_ray.py") not in argv:
                found[int(place.name)] = argv
    return found


def gang(p):
    """A run over two nodes comes to the digest of one in one process, and its files and logs are in the job's folder."""
    folder, report = p.folder(), p.bench.folder / "report.json"
    said = p.expect(0, "digest", "ray job of 3 processes", *p.launch(folder, "--report", report))
    p.check(last_line(said.stdout) == p.digest_of_run(), "the digest is that of convoy run", said.stdout)
    p.check(json.loads(report.read_text())["hosts"] == 2, "the report is where it was asked for")
    names = {f.name for f in (folder / "attempt-0").iterdir()}
    p.check({"server.log", "host0.log", "host1.log", "host0.end", "host1.end"} <= names, "each rank has a log, and an end", names)
    p.check("joined as host1" in (folder / "attempt-0" / "host1.log").read_text(), "the log is the rank's own")
    secret = (folder / "secret").read_text().strip()
    shown = said.stdout + said.stderr + "".join(f.read_text(errors="replace") for f in folder.rglob("*") if f.is_file() and f.name != "secret")
    p.check(len(secret) == 32 and secret not in shown, "the secret stands in no log and no description")
    p.ended("a run")


def by_ipv6(p):
    """Processes that meet at addresses of IPv6."""
    for words in ("add six type veth peer name six_too", "set six up", "set six_too up"):
        subprocess.run(["ip", "link", *words.split()], check=True)
    subprocess.run(["ip", "addr", "add", "fd00::7/64", "dev", "six", "nodad"], check=True)
    folder = p.folder()
    said = p.expect(0, "digest", "server listens on .fd00::7.:", *p.launch(folder, "--set", "engine.interface=six"))
    p.check(last_line(said.stdout) == p.digest_of_run(), "the digest is that of convoy run", said.stdout)
    p.ended("a run over IPv6")


def killed(p):
    """A rank that is killed is a lost host; the run goes on, and the job ends with it."""
    folder = p.folder()
    with p.bench.start(*p.launch(folder, *SLOW)) as launch:
        p.begun(folder)
        os.kill(next(pid for pid, argv in processes(p.bench.convoy).items() if "host1" in argv), signal.SIGKILL)
        p.check(launch.wait() == 1 and "host1 was killed by SIGKILL" in launch.text(), "a lost host is a failure, and named", launch.text())
        p.check(re.match("digest [0-9a-f]{16}", last_line(launch.out.read_text())), "the run has ended", launch.text())
    p.ended("a killed rank")


def detached(p):
    """A job lives without its launch; its state is asked for, and it is cancelled."""
    folder = p.folder()
    p.expect(0, f"^{folder}$", "job", *p.launch(folder, "--detach", "--speed", "1", "--duration", "60s"))
    p.begun(folder)
    state = json.loads(p.expect(0, "", None, "launch", "status", folder, "--json").stdout)
    p.check(state["state"] == "RUNNING" and "of 60 s simulated" in state["run"], "it says how far it is", state)
    p.expect(0, None, None, "launch", "cancel", folder)
    p.expect(0, "STOPPED", None, "launch", "status", folder)
    p.ended("a cancel")


def alone(p):
    """Where the job's own process is killed, Ray ends its ranks; what they leave on a node goes with the next job there."""
    folder = p.folder()
    p.expect(0, f"^{folder}$", "job", *p.launch(folder, "--detach", "--speed", "1", "--duration", "60s"))
    p.begun(folder)
    p.check(len(p.folders_of_ranks()) == 2, "a rank that is not the server has a folder of its own", p.folders_of_ranks())
    (driver,) = processes("on_ray.py")
    os.kill(driver, signal.SIGKILL)
    p.until(lambda: not processes(p.bench.convoy), "its ranks have ended")
    p.expect(0, "digest", "", *p.launch(p.folder()))
    p.ended("a job whose own process was killed, and one more")


def waiting(p):
    """A job for which there is no room says for what it waits, and Ctrl-C takes it back."""
    with p.bench.start(*p.launch(p.folder(), told=", resources: {CPU: 64}")) as launch:
        launch.wait_for(r"the job waits: PENDING \(3 x \{'CPU': 64\}, SPREAD\)")
        launch.popen.send_signal(signal.SIGINT)
        p.check(launch.wait() == 130, "it ends as interrupted", launch.text())
    p.ended("a job that waited")


def bad(p):
    """What is wrong is one clear line, and leaves nothing."""
    folder, scenario = p.folder(), p.bench.scenario
    p.expect(2, None, "there is no engine 'rey'; there are: ", "launch", scenario, "--engine", "rey")
    p.expect(2, None, "engine: ray: unknown field 'cpus'", "launch", scenario, "--engine", "ray", "--set", "engine={ray: {cpus: 2}}")
    p.expect(1, None, "Ray is not here: .* -m pip install ray", *p.launch(folder), env={"CONVOY_PYTHON": "/usr/bin/python3"})
    p.check(not folder.exists(), "nothing half submitted is left")
    p.expect(1, None, "ended before its run: FAILED .no Ray cluster at 127.0.0.1:1: ", "launch", scenario, "--engine", "ray", "--job-folder", folder,
             "--set", "engine={ray: {address: '127.0.0.1:1'}}")
    p.expect(0, '"address": "auto"', None, "launch", scenario, "--engine", "ray", "--dry-run")
    p.ended("bad input")


def sweep(p):
    """A sweep's runs as tasks, interrupted and taken up: the tables of one machine."""
    plan, local, out = p.bench.folder / "plan.yaml", p.bench.folder / "local", p.bench.folder / "spread"
    plan.write_text(PLAN)
    told = ("--set", f"engine={{ray: {{address: '{p.address}'}}}}")
    p.expect(0, "12 done", "", "sweep", plan, "--out", local, *told)
    command = ("sweep", plan, "--out", out, "--engine", "ray", *told)
    with p.bench.start(*command, "--runs-per-task", "2", "--at-once", "2", "--set", "time.speed=2") as first:
        p.until(lambda: made(out) >= 2, "some runs are made")
        first.popen.send_signal(signal.SIGINT)
        p.check(first.wait() == 130, "it ends as interrupted", first.text())
    p.ended("Ctrl-C")
    p.check(2 <= made(out) < 12, "what was made is kept", first.text())
    p.expect(0, "12 done", "are there", *command, "--set", "time.speed=2")
    p.expect(0, "12 done", "ray job", "sweep", plan, "--out", p.bench.folder / "whole", "--engine", "ray", *told)
    p.check(tables(p.bench.folder / "whole") == tables(local), "equal to the byte")
    p.ended("sweeps")


LEARNING = """
import sys
import numpy as np
import ray
from convoy.gym import ConvoyVectorEnv
from convoy.gym.over_ray import RayVectorEnv

def flat(infos):
    return {name: flat(one) if isinstance(one, dict) else np.asarray(one).tolist() for name, one in sorted(infos.items())}

def rollout(env):
    out = [env.reset(seed=3)]
    for i in range(25):
        action = env.task.scripted(out[-1][0])
        out.append(env.step(action))
        done = out[-1][2] | out[-1][3]
        if env.autoreset_mode.value == "Disabled" and done.any():
            out.append(env.reset(options={"reset_mask": done}))
    env.close()
    return [tuple(one.tolist() if isinstance(one, np.ndarray) else flat(one) for one in step) for step in out]

ray.init(sys.argv[1], log_to_driver=False, logging_level="ERROR")
for mode in ("NextStep", "SameStep", "Disabled"):
    said = dict(max_episode_steps=7, autoreset_mode=mode, convoy=sys.argv[2])
    alone, spread = rollout(ConvoyVectorEnv(5, "ArmReach", **said)), rollout(RayVectorEnv(5, "ArmReach", workers=2, **said))
    print(mode, "equal" if repr(alone) == repr(spread) else "differ", len({repr(step) for step in alone}) > 20)
"""


def guide(p):
    """The commands of docs/ray.md."""
    by_the_guide(p, "ray.md", "--set", f"engine={{ray: {{address: '{p.address}'}}}}")


def learning(p):
    """Environments on two nodes do, number by number, what they do in one simulator; a policy is trained on them, the same one on
    any number of workers."""
    environment = {**p.bench.environment, "PYTHONPATH": str(HERE.parents[1] / "python")}
    said = subprocess.run([p.python, "-c", LEARNING, p.address, p.bench.convoy], env=environment, capture_output=True, text=True, timeout=120, check=False)
    for mode in ("NextStep", "SameStep", "Disabled"):
        p.check(f"{mode} equal True\n" in said.stdout, f"{mode}: rollouts are equal", said.stdout, said.stderr)
    policies = set()
    for workers in ("1", "3"):
        train = [p.python, HERE.parents[1] / "examples" / "python" / "train_on_ray.py", "--address", p.address, "--convoy", p.bench.convoy,
                 "--envs", "12", "--generations", "2", "--episodes", "1", "--steps", "10", "--workers", workers]
        said = subprocess.run(train, env=environment, capture_output=True, text=True, timeout=120, check=False)
        p.check("2 nodes" in said.stdout and said.returncode == 0, f"{workers} workers train", said.stdout, said.stderr)
        policies.add(last_line(said.stdout))
    p.check(len(policies) == 1 and "policy" in policies.pop(), "the policy is one", policies)
    p.ended("environments")


def lost(p):
    """A node that is gone takes its host along; the run ends, and its job. The last part: the cluster has one node then."""
    folder = p.folder()
    with p.bench.start(*p.launch(folder, *SLOW)) as launch:
        p.begun(folder)
        p.tell.write(b"lose\n")
        p.tell.flush()
        p.check(launch.wait() == 1, "a lost host is a failure", launch.text())
        p.check("was lost with its node" in launch.text(), "it is said", launch.text())
        p.check(re.match("digest [0-9a-f]{16}", last_line(launch.out.read_text())), "the run has ended", launch.text())
    p.gone("a lost node")


PARTS = {part.__name__: part for part in (gang, by_ipv6, killed, interrupted, detached, alone, waiting, bad, sweep, guide, learning, lost)}


def skipped(why):
    print(f"skipped: {why}")
    return 1 if os.environ.get("CI") else SKIPPED


def main():
    convoy, python, *wanted = sys.argv[1:]
    python = os.path.abspath(python)  # guides' commands run in a folder of their own
    if not os.access(python, os.X_OK):
        return skipped(f"no {python}; scripts/python-env.sh ray makes it")
    if INSIDE not in os.environ:
        inside = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        if subprocess.run([*inside, "true"], check=False, capture_output=True).returncode == 0:
            os.execvpe(inside[0], [*inside, sys.executable, *sys.argv], {**os.environ, INSIDE: "1"})
        print("no network namespace can be made here: the cluster is at this machine's own address")
    else:
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with new_bench(convoy, patience=120) as bench:
        cluster = subprocess.Popen([python, str(HERE / "ray_cluster.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   env={**bench.environment, "PYTHONPATH": str(HERE.parents[1] / "python")})
        try:
            place = Place(bench, python, cluster.stdout.readline().decode().strip())
            place.tell = cluster.stdin
            parts = dict(PARTS)
            if INSIDE not in os.environ:
                print("left out, since no network namespace can be made here: by_ipv6")
                del parts["by_ipv6"]
            bench.run(parts, wanted, place)
        finally:
            cluster.stdin.close()
            cluster.wait(30)
        return bench.result()


if __name__ == "__main__":
    sys.exit(main())
