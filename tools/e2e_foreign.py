#!/usr/bin/env python3
"""Two foreign clients in a run, in both modes: real processes on 127.0.0.1, one of them killed.

    tools/e2e_foreign.py CONVOY FOREIGN_CLIENT

Standard library only. Prints one line per check that fails and exits 1 if there is any.
"""
import contextlib
import copy
import json
import os
import pathlib
import re
import signal
import sys
import tempfile
import time

from e2e_cli import PATIENCE, Bench, Process

SCENARIO = """\
convoy: 1
name: foreign
seed: 3
time: {mode: lockstep, tick: 10ms, duration: 600s}
world: {ground: {size: [12, 12], resolution: 0.1, walls: 0.1}}
liveness: 2s
robots:
  - {name: walk, count: 4, model: turtlebot3_burger, driver: random_walk}
"""
LINE = re.compile(r"^([\d.]+) s: at (-?[\d.]+) (-?[\d.]+), (\d+) changes$", re.M)


def lines(process):
    return [tuple(map(float, found)) for found in LINE.findall(process.text())]


def wait_until(bench, true, what, process):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if true():
            return True
        if process.popen.poll() is not None:
            break
        time.sleep(0.02)
    bench.check(False, what, process.text())
    return False


def threads_of(parent, command):
    """Threads of the child of `parent` that runs this subcommand."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            status = dict(line.split(":\t", 1) for line in (folder / "status").read_text().splitlines() if ":\t" in line)
            argv = (folder / "cmdline").read_bytes().split(b"\0")
            if int(status["PPid"]) == parent and argv[1] == command.encode():
                return int(status["Threads"])
    return 0


def one_mode(bench, foreign, mode, handlers):
    with contextlib.ExitStack() as stack:
        launch = stack.enter_context(
            bench.start("launch", bench.scenario, "--mode", mode, "--speed", "1", "--hosts", "2", "--handlers", handlers))
        address = f"127.0.0.1:{launch.port()}"
        guests = []
        for name, y in (("alice", 2), ("bob", -2)):
            guests.append(Process(foreign, [address, name, y]))
            stack.callback(guests[-1].end)
        alice, bob = guests
        for guest, other in ((alice, "bob"), (bob, "alice")):
            guest.wait_for(r"^tcp phase: hello from outside$")
            guest.wait_for(rf"^joined as \w+, {'free mode' if mode == 'free' else 'lockstep'}$")
            guest.wait_for(r"^entity appeared walk_3 \(turtlebot3_burger\)$")
            guest.wait_for(rf"^entity appeared {other}_bot ")
            guest.wait_for(r"^element appeared convoy\.Vehicle \d+/1$")
            wait_until(bench, lambda g=guest: len({l[1:3] for l in lines(g)}) >= 3,
                       f"{mode}: the spawned robot moves", guest)
            wait_until(bench, lambda g=guest: any(l[3] > 0 for l in lines(g)),
                       f"{mode}: the other's element changes", guest)
        status = json.loads(bench.call("ctl", "--connect", address, "status", "--json").stdout)["data"]
        connections = {c["name"]: c for c in status["connections"]}
        bench.check(connections["bob"]["role"] == "foreign simulator", f"{mode}: bob is no foreign simulator", status)
        if handlers == 2:  # the server and its two, but a library may have threads of its own
            bench.check(threads_of(launch.popen.pid, "server") >= 3, f"{mode}: the server has no handlers")
        for reason in ("malformed", "unknown_element_type", "foreign_element", "not_finite", "unexpected", "queue_full"):
            bench.check(reason not in status["drops"], f"{mode}: the server dropped something: {reason}", status["drops"])

        bob.popen.send_signal(signal.SIGKILL)
        alice.wait_for(rf"^element gone convoy\.Vehicle {connections['bob']['number']}/1$")
        seen = lines(alice)[-1][0]
        wait_until(bench, lambda: lines(alice)[-1][0] > seen + 1, f"{mode}: the world goes on", alice)
        bench.check("entity gone" not in alice.text(), f"{mode}: a robot is the world's, not its spawner's", alice.text())

        bench.expect(0, "the run ends", None, "ctl", "--connect", address, "stop")
        bench.check(alice.wait() == 0, f"{mode}: alice ends in order", alice.text())
        bench.check(re.search("^over: the run is over$", alice.text(), re.M), f"{mode}: alice knows why", alice.text())
        bench.check(launch.wait() == 0, f"{mode}: launch ends in order", launch.text())


def main():
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(os.path.abspath(sys.argv[1]), folder)
        bench.scenario.write_text(SCENARIO)
        foreign = copy.copy(bench)
        foreign.command = [os.path.abspath(sys.argv[2])]
        for mode, handlers in (("lockstep", 0), ("free", 0), ("lockstep", 2), ("free", 2)):
            try:
                one_mode(bench, foreign, mode, handlers)
            except RuntimeError as error:
                bench.check(False, f"{mode}, {handlers} handlers: {error}")
        print(f"{bench.checks} checks, {bench.failed} failed")
        return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
