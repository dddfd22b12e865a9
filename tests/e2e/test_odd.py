#!/usr/bin/env python3
"""Users' software that does what it should not: the run goes on and says so, or ends with one clear line.

    tests/e2e/test_odd.py CONVOY ODD

ODD: libodd.so, the components of tests/components/odd.cpp. Standard library only. Prints one line per check that fails
and exits 1 if there is any.
"""
import pathlib
import re
import sys

from harness import last_line, new_bench

SCENARIO = """
convoy: 1
name: odd
time: {{tick: 10ms, duration: 1s}}
world: {{ground: {{size: [12, 12]}}}}
liveness: 2s
robots:
  - name: robot
    count: 2
    model: turtlebot3_burger
    placement: {{grid: {{origin: [-4, -4], spacing: [4, 4]}}}}
    components:
      - {{library: {library}, class: "odd::{component}"}}
"""


def write(b, library, component):
    path = b.folder / f"{component}.yaml"
    path.write_text(SCENARIO.format(library=library, component=component))
    return path


def slow(b, library):
    """A callback that takes three times the liveness limit loses no host: others wait, and are told for what."""
    scenario = write(b, library, "Slow")
    want = last_line(b.expect(0, r"\Adigest [0-9a-f]{16}\n\Z", "", "run", scenario).stdout)
    b.environment["ODD_SLEEP"] = "6"
    b.expect(0, want, "", "run", scenario, "--hosts", 2)
    told = b.expect(0, want, r"waits for host[01] \(busy with /robot_[01]/slow: callback of a timer\)", "launch", scenario, "--hosts", 2, "--speed", "max")
    b.check(not re.search("lost|gone|silent", told.stderr), "a busy host is lost", told.stderr)
    free = b.expect(0, r"\Adigest none", "", "launch", scenario, "--hosts", 2, "--mode", "free")
    b.check(not re.search("lost|gone|silent", free.stderr), "a busy host is lost in free mode", free.stderr)
    del b.environment["ODD_SLEEP"]


WALKERS = """
  - {name: walker, count: 12, model: turtlebot3_waffle, driver: random_walk, placement: {grid: {origin: [-4, 0], spacing: [1, 1], columns: 6}}}
"""


def rounding(b, library):
    """Who changes how its thread rounds changes no other robot, wherever they run, and is named."""
    scenario = write(b, library, "Rounding")
    scenario.write_text(scenario.read_text() + WALKERS.strip("\n") + "\n")
    digests = {}
    for command, hosts, threads in (("run", 1, 1), ("run", 1, 2), ("run", 3, 1), ("launch", 3, 1)):
        run = b.expect(0, r"\Adigest [0-9a-f]{16}\n\Z", r"Rounding: constructor changes how floating point rounds", command, scenario, "--hosts",
                       hosts, "--threads", threads, "--speed", "max")
        digests[command, hosts, threads] = last_line(run.stdout)
    b.check(len(set(digests.values())) == 1, "another digest by who runs beside whom", digests)


def main():
    library = str(pathlib.Path(sys.argv[2]).resolve())
    with new_bench(sys.argv[1]) as b:
        b.run({"slow": lambda b: slow(b, library), "rounding": lambda b: rounding(b, library)}, sys.argv[3:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
