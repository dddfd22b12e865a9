#!/usr/bin/env python3
"""Two foreign clients in a run, in both modes: real processes on 127.0.0.1, one of them killed. Then two that the ticks
wait for: one digest on one host and two, again in the replay; one of them late, one of them killed.

    tests/e2e/test_foreign.py CONVOY FOREIGN_CLIENT BARRIER_CLIENT CLIENT_CALLS

Standard library only. Prints one line per check that fails and exits 1 if there is any.
"""
import contextlib
import json
import os
import pathlib
import re
import signal
import sys
import time

from harness import Process, new_bench

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
    end = time.monotonic() + bench.patience
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
    """Two clients exchange elements and see the world; one is killed, and the other goes on."""
    with contextlib.ExitStack() as stack:
        launch = stack.enter_context(
            bench.start("launch", bench.scenario, "--mode", mode, "--speed", "1", "--hosts", "2", "--handlers", handlers))
        address = f"127.0.0.1:{launch.port()}"
        guests = []
        for name, y in (("alice", 2), ("bob", -2)):
            guests.append(Process(bench, [address, name, y], [foreign]))
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


def waited(bench, barrier, hosts, speed="max", deadline="20s", meddle=None, order=("alice", "bob")):
    """A recorded run whose ticks wait for alice and bob: (digest, report, recording)."""
    recording, report = bench.folder / f"wait{time.monotonic_ns()}.mcap", bench.folder / "report.json"
    with contextlib.ExitStack() as stack:
        launch = stack.enter_context(
            bench.start("launch", bench.scenario, "--speed", speed, "--hosts", hosts, "--duration", "3s", "--record",
                        recording, "--report", report, "--set", "wait_for.names=[alice, bob]", "--set",
                        f"wait_for.deadline={deadline}"))
        address = f"127.0.0.1:{launch.port()}"
        guests = {}
        for name in order:
            guests[name] = Process(bench, [address, name], [barrier])
            stack.callback(guests[name].end)
        if meddle:
            meddle(guests, launch)
        bench.check(launch.wait() == 0, "waited: launch ends in order", launch.text())
        for name, guest in guests.items():
            if name != "bob" or not meddle:
                bench.check(guest.wait() == 0, f"waited: {name} ends in order", guest.text())
                # From tick 2 on the other's element changes at each boundary, and is one tick old.
                found = re.search(r"^(\d+) changes; over: the run is over$", guest.text(), re.M)
                bench.check(found and (meddle or int(found[1]) >= 297), f"waited: {name} saw each tick", guest.text())
                bench.check(meddle or "an element of" not in guest.text(), f"waited: {name} saw exact ticks", guest.text())
    digest = re.search(r"^digest ([0-9a-f]{16})$", launch.out.read_text(), re.M)
    return digest and digest[1], json.loads(report.read_text()), recording


def verified(bench, digest, recording, hosts):
    again = bench.call("replay", recording, "--verify", "--hosts", hosts)
    bench.check(again.returncode == 0 and f"digest {digest}" in again.stdout, "waited: the replay is equal", again.stdout,
                again.stderr)
    return again.stderr


def in_the_barrier(bench, barrier):
    plain = bench.call("run", bench.scenario, "--duration", "3s")
    digests = {}
    for hosts, order in ((1, ("alice", "bob")), (2, ("bob", "alice")), (2, ("alice", "bob"))):
        digest, report, recording = waited(bench, barrier, hosts, order=order)
        digests[hosts, order] = digest
        bench.check(report["missed_deadlines"] == {}, "waited: nobody is late", report["missed_deadlines"])
        bench.check(report["elements"] == {"appeared": 2, "changed": 596, "gone": 0}, "waited: elements are counted",
                    report["elements"])
    bench.check(len(set(digests.values())) == 1 and None not in digests.values(), "waited: one digest", digests)
    bench.check(digest not in plain.stdout, "waited: elements are in the digest", plain.stdout)
    said = verified(bench, digest, recording, 1)
    bench.check("elements: 2 appeared, 596 updates, 0 gone" in said and "convoy.Vehicle of bob: 299 entries" in said,
                "waited: the replay counts elements", said)

    def late(guests, launch):
        guests["alice"].wait_for("^1 s$")
        guests["bob"].popen.send_signal(signal.SIGSTOP)
        launch.wait_for("did not wait any longer for bob")
        guests["bob"].popen.send_signal(signal.SIGCONT)

    digest, report, recording = waited(bench, barrier, 2, "1", "20ms", late)
    bench.check(report["missed_deadlines"].get("bob", 0) > 0, "waited: misses are counted", report["missed_deadlines"])
    bench.check(re.search(r"missed deadlines: \d+ by bob", verified(bench, digest, recording, 1)), "waited: misses are recorded")

    def killed(guests, launch):
        guests["alice"].wait_for("^1 s$")
        guests["bob"].popen.send_signal(signal.SIGKILL)

    digest, report, recording = waited(bench, barrier, 2, "1", "20s", killed)
    bench.check(report["ticks"] == 300 and report["elements"]["gone"] == 1, "waited: a killed one's element goes", report)
    verified(bench, digest, recording, 3)


def all_calls(bench, calls):
    """A program makes each call of the C++ door; what it did is replayed on other hosts."""
    recording, report = bench.folder / "calls.mcap", bench.folder / "calls.json"
    with bench.start("launch", bench.scenario, "--hosts", 2, "--paused", "--record", recording, "--report", report) as run:
        program = Process(bench, [f"127.0.0.1:{run.port()}"], [calls])
        bench.check(program.wait() == 0, "a call of the C++ door", program.text())
        bench.expect(0, "the run ends", None, "ctl", "--connect", f"127.0.0.1:{run.port()}", "stop")
        bench.check(run.wait() == 0, "the run did not end in order", run.text())
    verified(bench, json.loads(report.read_text())["digest"], recording, 3)


def welcomed(bench, asker, hall):
    """A program talks with a function of the user's own at the server before it is ready."""
    spec = f"welcome={{type: hall, library: {hall}, parameters: {{greeting: good morning}}}}"
    allow = ("--set", spec, "--allow-library", os.path.dirname(hall))
    with bench.start("launch", bench.scenario, "--speed", "1", *allow) as launch:
        program = Process(bench, [f"127.0.0.1:{launch.port()}", "hello", "world", "places", "weather", "nonsense", "models"],
                          [asker])
        bench.check(program.wait() == 0, "the asker joins", program.text())
        said = program.text()
        for line in ("hello: good morning, asker", r"world: \w+, seed \d+, [0-9.]+ x [0-9.]+ m", "places: .*turtlebot3",
                     "weather: fog 0, rain 0, 12 h", "nonsense: no answer: ", "models: ", "^joined$"):
            bench.check(re.search(line, said, re.M), f"it hears {line}", said)
        launch.wait_for("the welcome of asker: it does not know 'nonsense'")
        bench.expect(0, "the run ends", None, "ctl", "--connect", f"127.0.0.1:{launch.port()}", "stop")
        launch.wait()
    for spec, why in ((f"{{type: hal, library: {hall}}}", "did you mean 'hall'"),
                      (f"{{type: hall, library: {hall}, parameters: {{greetin: x}}}}", "greetin"),
                      (f"{{type: hall, library: {hall}.so}}", "No such file"), ("{type: hall}", "library")):
        done = bench.call("check", bench.scenario, "--trust", "--allow-library", os.path.dirname(hall), "--set",
                          f"welcome={spec}")
        bench.check(done.returncode == 2 and re.search(why, done.stderr), f"{spec} is refused", done.stderr)


def main():
    foreign, barrier, calls, asker, hall = map(os.path.abspath, sys.argv[2:7])
    parts = {f"{mode}_{handlers}": lambda b, mode=mode, handlers=handlers: one_mode(b, foreign, mode, handlers)
             for mode, handlers in (("lockstep", 0), ("free", 0), ("lockstep", 2), ("free", 2))}
    parts["waited"] = lambda b: in_the_barrier(b, barrier)
    parts["welcomed"] = lambda b: welcomed(b, asker, hall)
    parts["calls"] = lambda b: all_calls(b, calls)
    with new_bench(sys.argv[1], SCENARIO) as b:
        b.run(parts, sys.argv[7:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
