#!/usr/bin/env python3
"""Runs over the nodes of a real Slurm: convoy launch --engine slurm.

    tests/e2e/test_slurm.py CONVOY [PART...]

Three nodes of one machine, each with an address of its own (slurm.py). Skipped, with the reason, where none can run, except
under CI=1, where that fails.
"""
import contextlib
import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from harness import SKIPPED, free_block, last_line, new_bench
from jobs import SLOW, Jobs, by_the_guide, interrupted, made, out_of, tables
from slurm import Refused, Slurm


class Place(Jobs):
    """A bench whose jobs lie in a folder that all nodes share, and its Slurm."""

    def __init__(self, bench, slurm):
        super().__init__(bench, slurm.environment)
        self.slurm = slurm

    def launch(self, folder, *more):
        """What a launch on two hosts is started with; `hosts` etc. as in a local one."""
        return ("launch", self.bench.scenario, "--engine", "slurm", "--hosts", "2", "--job-folder", folder, *more)

    def begun(self, folder):
        self.slurm.until(lambda: "progress" in out_of(folder), "the run has begun")

    def ended(self, what):
        self.slurm.until(lambda: self.slurm.jobs() == [], f"no job is left behind: {what}")

    def renew(self, node, *before):
        """The node as a new one; `before`: a command that runs its daemon."""
        self.slurm.stop(node)
        self.slurm.start(node, *before)
        self.slurm.until(lambda: self.slurm.idle() == 3, "the node is back", 120)

    def ranks(self):
        """Process ids of the one job's processes with their command lines, by name of the rank."""
        found = {}
        for place in pathlib.Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                argv = (place / "cmdline").read_text().split("\0")
                if place.name.isdigit() and len(argv) > 2 and argv[0] == self.bench.convoy and argv[1] in ("server", "client"):
                    if "SLURM_JOB_ID=" in (place / "environ").read_text():
                        found[argv[argv.index("--name") + 1] if "--name" in argv else "server"] = (int(place.name), argv)
        return found


def sockets_of(pid):
    """Local and remote addresses of a process's sockets of TCP and UDP over IPv4, as numbers."""
    inodes = set()
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            found = re.match(r"socket:\[(\d+)\]", os.readlink(link))
            if found:
                inodes.add(found[1])
    out = []
    for kind in ("tcp", "udp"):
        for line in pathlib.Path(f"/proc/net/{kind}").read_text().splitlines()[1:]:
            words = line.split()
            if words[9] in inodes:
                out += [".".join(str(b) for b in reversed(bytes.fromhex(end.partition(":")[0]))) for end in words[1:3]]
    return out


def gang(p):
    """A run over three nodes comes to the digest of one in one process, by the nodes' addresses alone."""
    folder, report = p.folder(), p.bench.folder / "report.json"
    addresses, secret, shown = set(), None, ""
    with p.bench.start(*p.launch(folder, *SLOW, "--report", report)) as launch:
        launch.wait_for("server listens on 127.0.0.1[123]:")
        p.slurm.until(lambda: len(p.ranks()) == 3, "three processes run")
        while launch.popen.poll() is None:
            for pid, argv in p.ranks().values():
                shown += "\0".join(argv)
                with contextlib.suppress(OSError):
                    addresses.update(sockets_of(pid))
            time.sleep(0.2)
        p.check(launch.wait() == 0, "the launch ends well", launch.text())
        p.check(last_line(launch.out.read_text()) == p.digest_of_run("--duration", "6s"), "the digest is that of convoy run", launch.text())
        shown += launch.text()
    p.ended("after a run")
    p.check(addresses and addresses <= {"127.0.0.11", "127.0.0.12", "127.0.0.13", "0.0.0.0"}, "sockets are at the nodes' addresses", addresses)
    p.check(json.loads(report.read_text())["hosts"] == 2, "the report is where it was asked for")
    names = {f.name for f in (folder / "attempt-0").iterdir()}
    p.check({"server.log", "host0.log", "host1.log"} <= names, "each rank has a log", names)
    secret = (folder / "secret").read_text().strip()
    p.check((folder / "secret").stat().st_mode & 0o777 == 0o600 and folder.stat().st_mode & 0o777 == 0o700, "the secret is the user's alone")
    for file in folder.rglob("*"):
        if file.is_file() and file.name != "secret":
            shown += file.read_text(errors="replace")
    p.check(len(secret) == 32 and secret not in shown, "the secret stands in no command, log or script")


def asked(p):
    """What the scenario and a file of the user's tell Slurm is in the script, and --dry-run submits nothing."""
    told = p.bench.folder / "engine.yaml"
    told.write_text("slurm: {partition: main, nodes: 3, time: '00:05:00'}\n")
    folder = p.folder()
    said = p.expect(0, "^#SBATCH --partition=main$", None, *p.launch(folder, "--dry-run", "--engine-file", told)).stdout
    p.check("#SBATCH --nodes=3\n" in said and "#SBATCH --time=00:05:00\n" in said and "#SBATCH --ntasks=3\n" in said, "all of it", said)
    p.expect(0, "^#SBATCH --account=fleet$", None, *p.launch(folder, "--dry-run", "--set", "engine={slurm: {account: fleet}}"))
    p.check(not folder.exists() and p.slurm.jobs() == [], "nothing is submitted")


def bad(p):
    """What is wrong is one clear line, and leaves no job."""
    folder = p.folder()
    scenario = p.bench.scenario
    p.expect(2, None, "there is no engine 'slrum'; there", "launch", scenario, "--engine", "slrum")
    p.expect(2, None, "engine.slrm: unknown field", *p.launch(folder, "--set", "engine={slrm: {}}"))
    p.expect(2, None, "'Partition' is no long option", *p.launch(folder, "--set", "engine={slurm: {Partition: x}}"))
    p.expect(2, None, "--web is of this machine", *p.launch(folder, "--web"))
    p.expect(1, None, "^convoy: Slurm takes no such job: .*[Ii]nvalid partition", *p.launch(folder, "--set", "engine={slurm: {partition: nowhere}}"))
    p.expect(1, None, "sbatch is not here: it comes with slurm-client", *p.launch(folder), env={"PATH": "/nowhere"})
    p.expect(1, None, "controller is not to be reached", *p.launch(folder), env={"SLURM_CONF": str(p.wrong_conf())})
    p.check(not folder.exists(), "nothing half submitted is left")
    folder.mkdir()
    p.expect(2, None, "File exists", *p.launch(folder))
    p.expect(2, None, "is no folder of a job", "launch", "status", folder)
    p.expect(2, None, "SCENARIO is required", "launch", "--engine", "slurm")
    p.check(p.slurm.jobs() == [], "no job was made", p.slurm.jobs())


def killed(p):
    """A rank that is killed is a lost host: the run goes on, and the job ends with it."""
    folder = p.folder()
    with p.bench.start(*p.launch(folder, *SLOW)) as launch:
        p.begun(folder)
        pid, _ = p.ranks()["host1"]
        os.kill(pid, signal.SIGKILL)
        p.check(launch.wait() == 1, "a lost host is a failure", launch.text())
        p.check(re.search("host1 was killed by SIGKILL", launch.text()), "who it was is said", launch.text())
        p.check(re.match("digest [0-9a-f]{16}", last_line(launch.out.read_text())), "the run has ended", launch.text())
    p.ended("a rank was killed")


def requeued(p):
    """A job that Slurm begins again runs from tick 0 as its next attempt, and comes to the same digest."""
    folder, report = p.folder(), p.bench.folder / "again.json"
    with p.bench.start(*p.launch(folder, *SLOW, "--report", report)) as launch:
        p.begun(folder)
        p.slurm.call("scontrol", "requeue", p.slurm.jobs()[0])
        p.check(launch.wait() == 0, "the launch ends well", launch.text())
        p.check("attempt 1" in launch.text(), "it says that it begins again", launch.text())
        p.check(last_line(launch.out.read_text()) == p.digest_of_run("--duration", "6s"), "the digest is the same", launch.text())
    p.check((folder / "attempt-1" / "report.json").exists() and report.exists(), "files are named by attempt")
    p.ended("a requeue")


def detached(p):
    """A job lives without its launch; its state is asked for, and it is cancelled."""
    folder = p.folder()
    p.expect(0, f"^{folder}$", "job", *p.launch(folder, "--detach", "--speed", "1", "--duration", "60s"))
    p.begun(folder)
    state = json.loads(p.expect(0, "", None, "launch", "status", folder, "--json").stdout)
    p.check(state["state"] == "RUNNING" and "of 60 s simulated" in state["run"] and state["digest"] is None, "it says how far it is", state)
    p.expect(0, None, None, "launch", "cancel", folder)
    p.ended("a cancel")
    p.expect(0, None, "had ended already", "launch", "cancel", folder)
    p.expect(0, "CANCELLED", None, "launch", "status", folder)


def waiting(p):
    """A job that waits says for what, and Ctrl-C takes it back."""
    folder = p.folder()
    with p.bench.start(*p.launch(folder, "--set", "engine={slurm: {partition: closed}}")) as launch:
        launch.wait_for(r"the job waits: PENDING \(\w*Partition\w*\)")
        launch.popen.send_signal(signal.SIGINT)
        p.check(launch.wait() == 130, "it ends as interrupted", launch.text())
    p.ended("a job that waited")


def node_down(p):
    """A node that is gone takes its host along; the run ends, its job too, and the node comes back."""
    folder = p.folder()
    spread = "engine={slurm: {nodes: 3, ntasks-per-node: 1}}"
    with p.bench.start(*p.launch(folder, *SLOW, "--set", spread)) as launch:
        p.begun(folder)
        node = next(n for n in p.slurm.names if n != node_of(p, "server"))
        p.slurm.stop(node)
        p.check(launch.wait() == 1, "a lost host is a failure", launch.text())
        p.check(re.match("digest [0-9a-f]{16}", last_line(launch.out.read_text())), "the run has ended", launch.text())
    p.ended("a node was lost")
    p.renew(node)


def unshared(p):
    """A folder that a node does not see: it says so, and no job is left behind."""
    place = p.bench.folder / "unshared"
    place.mkdir()
    p.renew("n3", "unshare", "--mount", "sh", "-c", f"mount -t tmpfs none {place} && exec \"$@\"", "sh")
    spread = "engine={slurm: {nodes: 3, ntasks-per-node: 1}}"
    with p.bench.start(*p.launch(place / "job", *SLOW, "--set", spread, "--patience", "10")) as launch:
        p.check(launch.wait() == 1, "it fails", launch.text())
        p.check(re.search("all machines must share|do all machines share it", launch.text()), "it says why", launch.text())
    p.ended("a folder that is not shared")
    p.renew("n3")


def builds(p):
    """A node with another build: it is declined, both builds are named, and no job is left behind."""
    other = p.bench.folder / "other-convoy"
    data = bytearray(pathlib.Path(p.bench.convoy).read_bytes())
    at = data.index(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0") + 16  # the note of its build id
    data[at:at + 20] = bytes(255 - byte for byte in data[at:at + 20])
    other.write_bytes(data)
    other.chmod(0o755)
    p.renew("n3", "unshare", "--mount", "sh", "-c", f"mount --bind {other} {p.bench.convoy} && exec \"$@\"", "sh")
    spread = "engine={slurm: {nodes: 3, ntasks-per-node: 1}}"
    with p.bench.start(*p.launch(p.folder(), *SLOW, "--set", spread)) as launch:
        p.check(launch.wait() == 1, "it fails", launch.text())
        p.check(re.search("declined: build (\\S+), but lockstep needs the server's own, (?!\\1)\\S+", launch.text()), "both builds are named", launch.text())
    p.ended("another build")
    p.renew("n3")


PLAN = """\
scenario: e2e.yaml
axes:
  seed: 1..10
  robots[0].count: [2, 4]
  robots[1].count: [1, 2]
metrics: {distance_m: totals.distance_m}
"""


def sweep(p):
    """Forty runs as an array, interrupted, requeued and taken up: the tables of a sweep on one machine."""
    plan, local, out = p.bench.folder / "plan.yaml", p.bench.folder / "local", p.bench.folder / "spread"
    plan.write_text(PLAN)
    p.expect(0, "40 done", "", "sweep", plan, "--out", local)
    command = ("sweep", plan, "--out", out, "--engine", "slurm")
    script = p.expect(0, "^#SBATCH --array=0-9%3$", None, *command, "--dry-run", "--runs-per-task", "4", "--at-once", "3").stdout
    p.check("#SBATCH --cpus-per-task=1\n" in script and p.slurm.jobs() == [] and not out.exists(), "nothing is submitted", script)
    with p.bench.start(*command, "--runs-per-task", "4", "--at-once", "2", "--set", "time.duration=4s", "--set", "time.speed=5") as first:
        p.slurm.until(lambda: made(out) >= 3, "some runs are made")
        first.popen.send_signal(signal.SIGINT)
        p.check(first.wait() == 130, "it ends as interrupted", first.text())
    p.ended("Ctrl-C")
    some = made(out)
    p.check(3 <= some < 40 and "missing" in first.text(), "what was made is kept", first.text())
    with p.bench.start(*command, "--runs-per-task", "4", "--set", "time.duration=4s", "--set", "time.speed=5") as second:
        p.slurm.until(lambda: made(out) > some, "it goes on")
        p.slurm.call("scontrol", "requeue", p.slurm.call("squeue", "-h", "-t", "R", "-o", "%A").split()[0])
        p.check(second.wait() == 0 and "are there" in second.text(), "the rest is made", second.text())
    p.check(made(out) == 40, "each run is made once", made(out))
    p.expect(0, "40 done", "", "sweep", plan, "--out", p.bench.folder / "slow", "--set", "time.duration=4s")
    p.check([row["digest"] for row in rows(out)] == [row["digest"] for row in rows(p.bench.folder / "slow")], "digests are those of one machine")
    p.expect(0, "40 done", "slurm job", "sweep", plan, "--out", p.bench.folder / "whole", "--engine", "slurm", "--check-repeat", "10%")
    p.check(tables(p.bench.folder / "whole") == tables(local), "equal to the byte")
    nodes = {row["node"] for row in csv.DictReader(open(p.bench.folder / "whole" / "timing.csv", newline="", encoding="utf-8"))}
    p.check(nodes <= set(p.slurm.names) and len(nodes) > 1, "the nodes are named", nodes)
    p.expect(1, None, "takes no such job: .*[Ii]nvalid partition", "sweep", plan, "--out", p.bench.folder / "none", "--engine", "slurm",
             "--set", "engine={slurm: {partition: nowhere}}")
    p.ended("sweeps")


def guide(p):
    """The commands of docs/slurm.md."""
    by_the_guide(p, "slurm.md")


def rows(folder):
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def node_of(p, rank):
    pid, _ = p.ranks()[rank]
    return re.search(r"SLURMD_NODENAME=(\w+)", pathlib.Path(f"/proc/{pid}/environ").read_text())[1]


def can_mount():
    """Whether a node can have files of its own: in a mount namespace."""
    return subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True).returncode == 0


PARTS = {part.__name__: part for part in (gang, asked, bad, killed, requeued, detached, interrupted, waiting, node_down, unshared, builds, sweep, guide)}


def main():
    with new_bench(sys.argv[1], patience=180) as bench:
        bench.folder.chmod(0o755)
        try:
            with Slurm(bench.folder / "slurm", 3, first_port=free_block(10)) as slurm:
                place = Place(bench, slurm)
                place.wrong_conf = lambda: wrong(bench, slurm)
                parts = dict(PARTS)
                if not can_mount():
                    print("left out, since no mount namespace can be made here: unshared, builds")
                    del parts["unshared"], parts["builds"]
                bench.run(parts, sys.argv[2:], place)
        except Refused as why:
            print(f"skipped: {why}")
            return 1 if os.environ.get("CI") else SKIPPED
        return bench.result()


def wrong(bench, slurm):
    """A configuration whose controller is nowhere."""
    file = bench.folder / "wrong.conf"
    file.write_text(re.sub(r"(?m)^SlurmctldPort=.*$", "SlurmctldPort=1", slurm.conf.read_text()) + "SlurmctldTimeout=5\nMessageTimeout=5\n")
    return file


if __name__ == "__main__":
    sys.exit(main())
