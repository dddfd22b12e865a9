#!/usr/bin/env python3
"""Nodes whose threads wait for each other, for services, actions and bonds: one digest over hosts, threads, copies and processes.

    /usr/bin/python3 tests/e2e/test_crew.py build/convoy LIBRARY [TEST...]
"""
import pathlib
import re
import sys

from harness import last_line, new_bench

NODES = ("Server", "Client", "Worker", "Managed", "Manager")
SCENARIO = """
convoy: 1
name: crew
time: {{tick: 10ms, duration: 2s}}
world: {{ground: {{size: [12, 12]}}}}
robots:
  - name: robot
    count: 4
    model: turtlebot3_burger
    placement: {{grid: {{origin: [-4, -4], spacing: [2, 2]}}}}
    components:
{components}
"""


def job(b, library):
    """Copies of a job with all of them, on 1, 2 and 4 hosts with 1 and 2 threads."""
    words = [word for node in NODES for word in ("--component", library, f"crew::{node}")]
    alone = b.expect(0, "digest", r"\[client\]: goal 1: code 4, 7 numbers\n", "job", *words, "--", "--duration", "2s")
    for said in (r"\[client\]: goal 3: code 5, 4 numbers", r"\[0\.\d+\] \[manager\]: formed", r"\[1\.\d+\] \[manager\]: broken"):
        b.check(re.search(said, alone.stderr), f"nobody says {said}", alone.stderr)
    b.check("remain" not in alone.stderr, "threads remain", alone.stderr)
    copies = {}
    for hosts in (1, 2, 4):
        for threads in (1, 2):
            done = b.expect(0, "digest", "", "job", *words, "--", "--duration", "2s", "--copies", 4, "--hosts", hosts, "--threads", threads)
            copies[hosts, threads] = last_line(done.stdout)
    b.check(len(set(copies.values())) == 1, "not one digest", copies)


def robots(b, library):
    """The same in robots of a scenario, in one process and in several; what it recorded is what it computes again."""
    scenario = b.folder / "crew.yaml"
    scenario.write_text(SCENARIO.format(components="\n".join(f'      - {{library: {library}, class: "crew::{node}"}}' for node in NODES)))
    recording = b.folder / "crew.mcap"
    want = last_line(b.expect(0, "digest", "", "run", scenario, "--hosts", 1, "--record", recording).stdout)
    for hosts in (1, 2, 4):
        for threads in (1, 2):
            b.expect(0, want, "", "run", scenario, "--hosts", hosts, "--threads", threads)
    b.expect(0, want, "", "launch", scenario, "--hosts", 2, "--speed", "max")
    b.expect(0, want, "equal", "replay", recording, "--verify", "--hosts", 2, "--trust")


def main():
    library = str(pathlib.Path(sys.argv[2]).resolve())
    with new_bench(sys.argv[1]) as b:
        b.environment["CONVOY_ALLOW_LIBRARY"] = str(pathlib.Path(library).parent)
        b.run({"job": lambda b: job(b, library), "robots": lambda b: robots(b, library)}, sys.argv[3:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
