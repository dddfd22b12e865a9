"""Starts a job's processes on a Ray cluster: what `convoy launch --engine ray` and `convoy sweep --engine ray` run.

    python on_ray.py FOLDER

FOLDER holds `job.ray.json`, written by them, and the rest of the job (docs/ray.md). Needs nothing of Python but Ray.

It says how the job stands in `ray.state`, one JSON object: `phase` waiting, running or ended, and in words `state` and `reason`.
SIGTERM ends the job. Where this process dies, Ray ends its actors and tasks, and what those have started ends with them.
"""
import contextlib
import ctypes
import fcntl
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import ray
from ray.util.placement_group import placement_group, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

LOOK_EVERY = 0.3  # s
LEAVE = 10  # s for processes to end by themselves after the server
SLICE = 4 << 20  # bytes of a file that are fetched at a time
RETRIES = 3  # of a sweep's task whose node is lost
PR_SET_PDEATHSIG = 1


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def environment_of(**more):
    """A process's variables on a node: without those by which another engine, in which Ray may run, tells its ranks."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SLURM")}
    return {**kept, **more}


def own_folder():
    """A new folder, and what holds it as long as this process lives. Where a driver dies, Ray ends actors without a last word: what
    they leave goes when the next one begins."""
    for old in pathlib.Path(tempfile.gettempdir()).glob("convoy-rank-*"):
        with contextlib.suppress(OSError):  # another user's, or held
            remove_free(old)
    folder = tempfile.mkdtemp(prefix="convoy-rank-")
    held = os.open(folder, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    return folder, held


def remove_free(folder):
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if time.time() - os.fstat(held).st_mtime > 1:  # its maker has had time to hold it
            shutil.rmtree(folder)
    finally:
        os.close(held)


class Rank:
    """One process of a run, on whatever node Ray has placed it. The server's files are in the job's folder, of which its node is
    the machine; others write into a folder of their own, and the driver fetches what is new."""

    def __init__(self, number, name, exe, described, secret, folder):
        self.number, self.name, self.exe, self.process, self.held = number, name, exe, None, None
        if folder is None:
            folder, self.held = own_folder()
            pathlib.Path(folder, "gang.json").write_text(described, encoding="utf-8")
        self.folder, self.secret = pathlib.Path(folder), secret
        self.attempt = self.folder / "attempt-0"

    def where(self):
        """The node's address and name."""
        return ray.util.get_node_ip_address(), socket.gethostname()

    def start(self, server):
        if not os.access(self.exe, os.X_OK):
            raise FileNotFoundError(f"there is no program {self.exe} on {socket.gethostname()}")
        more = {"CONVOY_RANK": str(self.number), "CONVOY_ATTEMPT": "0", "CONVOY_CREDENTIALS": self.secret}
        if server:
            more["CONVOY_SERVER"] = server
        described = json.loads((self.folder / "gang.json").read_text(encoding="utf-8"))
        if not described["interface"]:
            more["CONVOY_RANK_ADDRESS"] = ray.util.get_node_ip_address()
        self.process = subprocess.Popen([self.exe, "rank", str(self.folder)], env=environment_of(**more), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=die_with_parent)

    def server_at(self):
        """Where the server listens; None: nowhere yet."""
        text = self.read("server.at", 0)
        return text.decode().strip() if text.endswith(b"\n") else None

    def read(self, name, begin):
        """What a file holds from there on, at most SLICE bytes; empty where there is none."""
        with contextlib.suppress(OSError), open(self.attempt / name, "rb") as file:
            file.seek(begin)
            return file.read(SLICE)
        return b""

    def look(self, log_at, out_at):
        """New bytes of its log and its output, and how it ended; None: it runs."""
        ended = self.process is None or self.process.poll() is not None
        end = self.read(f"{self.name}.end", 0) if ended else b""
        if ended and not end:
            end = end_of(1, f"has ended with {self.process.returncode if self.process else 'nothing started'}")
        return self.read(f"{self.name}.log", log_at), self.read(f"{self.name}.out", out_at), end if ended else None

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(3)
            self.process.kill()

    def leave(self):
        """Its process is gone, and its own folder, of which the driver has fetched what it wants."""
        self.kill()
        if self.held is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


def end_of(status, text):
    return (json.dumps({"status": status, "signal": 0, "text": text}) + "\n").encode()


def replace(path, data):
    """The old file or the new one, never a part."""
    new = path.with_name(path.name + ".new")
    new.write_bytes(data)
    new.replace(path)


class Job:
    """The driver's side of what both kinds have in common."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.told = json.loads((self.folder / "job.ray.json").read_text(encoding="utf-8"))
        self.cancelled = False
        signal.signal(signal.SIGTERM, self.cancel)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever follows the job is asked, not we

    def cancel(self, *_):
        self.cancelled = True

    def say(self, phase, state, reason=""):
        replace(self.folder / "ray.state", json.dumps({"phase": phase, "state": state, "reason": reason}).encode())

    def connect(self):
        address = self.told["address"]
        self.say("waiting", "CONNECTING", address)
        host, colon, port = address.rpartition(":")
        if colon and port.isdigit() and "/" not in host:  # Ray itself tries for minutes
            try:
                socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
            except OSError as error:
                raise ConnectionError(f"no Ray cluster at {address}: {error}") from error
        ours = signal.signal(signal.SIGTERM, signal.SIG_DFL)  # which would wait for that
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        signal.signal(signal.SIGTERM, ours)


class GangJob(Job):
    """The processes of one run: an actor each, placed together or not at all."""

    def run(self):
        described = (self.folder / "gang.json").read_text(encoding="utf-8")
        secret = (self.folder / "secret").read_text(encoding="utf-8").strip()
        gang = json.loads(described)
        self.names = [rank["name"] for rank in gang["ranks"]]
        group = self.place(gang)
        if group is None:
            return "STOPPED"
        made = ray.remote(Rank)
        self.ranks = [
            made.options(num_cpus=0, max_restarts=0,
                         scheduling_strategy=PlacementGroupSchedulingStrategy(placement_group=group, placement_group_bundle_index=number))
            .remote(number, name, gang["exe"], described, secret, None if number else str(self.folder))
            for number, name in enumerate(self.names)]
        self.attempt = self.folder / "attempt-0"
        self.attempt.mkdir(exist_ok=True)
        self.read = {name: [0, 0] for name in self.names}
        self.ended = set()
        self.say("running", "RUNNING")
        try:
            self.begin(gang["patience_s"])
            self.follow()
        finally:
            for rank in self.ranks:
                with contextlib.suppress(Exception):
                    ray.get(rank.leave.remote(), timeout=8)
                ray.kill(rank)
            remove_placement_group(group)
        return "STOPPED" if self.cancelled else "ENDED"

    def place(self, gang):
        """All ranks at once, the server on this machine; None: cancelled while it waited."""
        bundles = [dict(self.told["resources"]) for _ in gang["ranks"]]
        here = [{"ray.io/node-id": ray.get_runtime_context().get_node_id()}, *({} for _ in bundles[1:])]
        group = placement_group(bundles, strategy=self.told["strategy"], bundle_label_selector=here)
        self.say("waiting", "PENDING", f"{len(bundles)} x {self.told['resources']}, {self.told['strategy']}")
        while not group.wait(timeout_seconds=LOOK_EVERY):
            if self.cancelled:
                remove_placement_group(group)
                return None
        return group

    def begin(self, patience):
        """The server first, the others when it listens."""
        if not self.ask(0, "start", None):
            return
        until = time.monotonic() + patience
        server = None
        while server is None and 0 not in self.ended and not self.cancelled and time.monotonic() < until:
            time.sleep(LOOK_EVERY)
            server = self.ask(0, "server_at")
            self.look(0)
        if server:
            for number in range(1, len(self.ranks)):
                self.ask(number, "start", server)

    def ask(self, number, method, *arguments):
        """What the actor says; a rank whose actor is gone, or cannot, has ended. Those that say nothing count as True."""
        try:
            said = ray.get(getattr(self.ranks[number], method).remote(*arguments))
            return True if method == "start" else said
        except ray.exceptions.RayTaskError as error:
            self.end(number, end_of(1, f"has not begun: {error.cause}"))
        except ray.exceptions.RayError:
            self.end(number, end_of(1, "was lost with its node"))
        return None

    def end(self, number, what):
        if number in self.ended:
            return
        self.ended.add(number)
        file = self.attempt / f"{self.names[number]}.end"
        if not file.exists():
            replace(file, what)

    def look(self, number):
        """Fetches what is new of a rank's files; the server's are here already."""
        name = self.names[number]
        for _ in range(64):
            said = self.ask(number, "look", *self.read[name])
            if said is None:
                return
            log, out, end = said
            if number:
                for suffix, data in ((".log", log), (".out", out)):
                    if data:
                        with open(self.attempt / (name + suffix), "ab") as file:
                            file.write(data)
            self.read[name][0] += len(log)
            self.read[name][1] += len(out)
            if len(log) == SLICE or len(out) == SLICE:
                continue
            if end is not None:
                self.end(number, end)
            return

    def follow(self):
        until = None
        while not self.cancelled and len(self.ended) < len(self.ranks):
            for number in range(len(self.ranks)):
                if number not in self.ended:
                    self.look(number)
            if 0 in self.ended:
                until = until or time.monotonic() + LEAVE
                if time.monotonic() > until:
                    return
            time.sleep(LOOK_EVERY)


def make_runs(argv, number):
    """One task of a sweep, on some node: its exit code and the last line that it said."""
    done = subprocess.run(argv, env=environment_of(CONVOY_TASK=str(number), CONVOY_NODE=node_name()), stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, preexec_fn=die_with_parent, check=False)
    return done.returncode, (done.stderr.strip().splitlines() or [""])[-1]


def node_name():
    return f"{socket.gethostname()}-{ray.get_runtime_context().get_node_id()[:8]}"


class TasksJob(Job):
    """The tasks of a sweep, as many at a time as there is room, or as are allowed."""

    def run(self):
        made = ray.remote(make_runs).options(resources={name: n for name, n in self.told["resources"].items() if name not in ("CPU", "GPU")},
                                             num_cpus=self.told["resources"].get("CPU", 1), num_gpus=self.told["resources"].get("GPU", 0),
                                             max_retries=RETRIES, scheduling_strategy="SPREAD")
        coming, running, failed = iter(range(self.told["count"])), {}, 0
        most = self.told["at_once"] or self.told["count"]
        self.say("running", "RUNNING")
        with open(self.folder / "batch.log", "a", encoding="utf-8") as log:
            while not self.cancelled:
                for number in coming:
                    running[made.remote(self.told["argv"], number)] = number
                    if len(running) >= most:
                        break
                if not running:
                    break
                done, _ = ray.wait(list(running), timeout=LOOK_EVERY)
                for one in done:
                    number = running.pop(one)
                    try:
                        code, said = ray.get(one)
                    except ray.exceptions.RayError as error:
                        code, said = 1, str(error).splitlines()[0]
                    if code:
                        failed += 1
                        print(f"task {number}: {said or f'exit {code}'}", file=log, flush=True)
            for one in running:
                ray.cancel(one, force=True)
        return "STOPPED" if self.cancelled else "FAILED" if failed else "SUCCEEDED"


def main():
    folder = sys.argv[1]
    told = json.loads(pathlib.Path(folder, "job.ray.json").read_text(encoding="utf-8"))
    job = (GangJob if told["kind"] == "gang" else TasksJob)(folder)
    try:
        job.connect()
        job.say("ended", job.run())
    except Exception as error:  # whatever it is: it stands where the job is looked at
        job.say("ended", "FAILED", " ".join(str(error).split())[:500])
        raise


if __name__ == "__main__":
    main()
