"""Elements of an outside program inside the world: robots' nodes see them, and where the scenario gives their type a shape,
robots and rays meet them. One digest on any hosts, and replayed, from a checkpoint too.

    /usr/bin/python3 tests/e2e/test_elements.py build/convoy build/examples/barrier_client build/tests/liblookout.so
"""
import contextlib
import json
import os
import re
import sys

from harness import Process, new_bench

# alice's vehicle goes in a circle of 2 m about the origin, 1 rad/s.
SCENARIO = """convoy: 1
name: elements
time: {tick: 10ms, duration: 6s}
world:
  ground: {size: [12, 12]}
view_radius: 1.5
checkpoint: 100
elements:
  shapes: [{type: convoy.Vehicle, model: box}]
nodes:
  start: 10s
robots:
  - name: near
    model: turtlebot3_burger
    placement: {poses: [[-2, 0.5]]}
COMPONENTS  - name: far
    model: turtlebot3_burger
    placement: {poses: [[5, 5]]}
COMPONENTS  - name: idle
    model: turtlebot3_burger
    placement: {poses: [[2, 0.05]]}
"""
COMPONENTS = """    components:
      - library: LIBRARY
        class: lookout::Lookout
"""


def one(bench, barrier, hosts, *more):
    """A recorded run whose ticks wait for alice: (digest, log, report, recording)."""
    recording, report = bench.folder / f"elements{hosts}.mcap", bench.folder / "elements.json"
    with contextlib.ExitStack() as stack:
        launch = stack.enter_context(
            bench.start("launch", bench.scenario, "--speed", "max", "--log-level", "debug", "--hosts", hosts, "--record", recording, "--report",
                        report, "--set", "wait_for.names=[alice]", "--set", "wait_for.deadline=20s", *more))
        alice = Process(bench, [f"127.0.0.1:{launch.port()}", "alice"], [barrier])
        stack.callback(alice.end)
        bench.check(launch.wait() == 0, "launch ends in order", launch.text())
        bench.check(alice.wait() == 0, "alice ends in order", alice.text())
    digest = re.search(r"^digest ([0-9a-f]{16})$", launch.out.read_text(), re.M)
    return digest and digest[1], launch.text(), json.loads(report.read_text()), recording


def seen_and_met(bench, barrier):
    digests = {}
    for hosts in (1, 2, 3):
        digests[hosts], log, report, recording = one(bench, barrier, hosts)
        bench.check("sees convoy.Vehicle 1 of alice" in log and "sees nothing more" in log, "a node sees it come and go", log)
        bench.check(log.count("sees convoy") == 1, "who is far sees nothing", log)
        bench.check(report["spawned"] == 0, "bodies are not counted as spawned", report)
        for again in (1, 2):
            replay = bench.call("replay", recording, "--verify", "--hosts", again)
            bench.check(replay.returncode == 0 and f"digest {digests[hosts]}" in replay.stdout, "the replay is equal",
                        replay.stdout, replay.stderr)
    bench.check(len(set(digests.values())) == 1 and None not in digests.values(), "one digest", digests)
    shapeless, _, _, _ = one(bench, barrier, 1, "--set", "elements.shapes=[{type: convoy.Note, model: box}]")
    bench.check(shapeless not in digests.values(), "the body is met", digests)


def from_a_checkpoint(bench, barrier):
    digest, _, _, recording = one(bench, barrier, 2)
    for at in (2.5, 4):
        replay = bench.call("replay", recording, "--verify", "--hosts", 2, "--from", at)
        bench.check(replay.returncode == 0 and f"digest {digest}" in replay.stdout, f"the replay from {at} is equal",
                    replay.stdout, replay.stderr)


def refused(bench, barrier):
    for shapes, why in (("{type: convoy.Vehicel, model: box}", "did you mean 'convoy.Vehicle'"),
                        ("{type: convoy.Vehicle, model: boxx}", "did you mean 'box'"),
                        ("{type: convoy.Vehicle, model: box}, {type: convoy.Vehicle, model: box}", "has a shape already")):
        done = bench.call("check", bench.scenario, "--set", f"elements.shapes=[{shapes}]")
        bench.check(done.returncode == 2 and why in done.stderr, shapes, done.stderr)


def main():
    barrier, library = map(os.path.abspath, sys.argv[2:4])
    with new_bench(sys.argv[1], SCENARIO.replace("COMPONENTS", COMPONENTS.replace("LIBRARY", library))) as b:
        b.environment["CONVOY_ALLOW_LIBRARY"] = os.path.dirname(library)
        b.run({"seen_and_met": lambda x: seen_and_met(x, barrier), "refused": lambda x: refused(x, barrier)}, sys.argv[4:])
        first = b.result()
    with new_bench(sys.argv[1], SCENARIO.replace("COMPONENTS", "")) as b:
        b.run({"from_a_checkpoint": lambda x: from_a_checkpoint(x, barrier)}, sys.argv[4:])
        return first or b.result()


if __name__ == "__main__":
    sys.exit(main())
