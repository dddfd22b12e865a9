"""Nodes that change the world, from the command line: scenarios/builders.yaml makes the same world on any hosts and in its
replay, and what a node asks for that its robot may not is refused.

    /usr/bin/python3 tests/e2e/test_edits.py build/convoy
"""
import json
import pathlib
import tempfile

from command import check, convoy, finish

BUILDERS = pathlib.Path(__file__).resolve().parents[2] / "scenarios/builders.yaml"


def digest(done):
    return done.stdout.strip().splitlines()[-1]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        report, recording = folder / "report.json", folder / "builders.mcap"
        seen = set()
        for command in ("run", "launch"):
            for hosts in (1, 2, 3):
                seen.add(digest(convoy(command, BUILDERS, "--hosts", hosts, "--speed", "max", "--log-level", "debug",
                                       "--report", report, says="put down a stack of 6")))
                check("ten crates", json.loads(report.read_text())["spawned"] == 10)
        check(f"digests differ: {seen}", len(seen) == 1)
        made = seen.pop()
        check("recorded", digest(convoy("run", BUILDERS, "--record", recording)) == made)
        for hosts in (1, 2, 3):
            check(f"replayed on {hosts}", digest(convoy("replay", recording, "--verify", "--hosts", hosts)) == made)
        check("from its middle", digest(convoy("replay", recording, "--verify", "--from", 3, says="run again from its start"))
              == made)
        convoy("run", BUILDERS, "--set", "robots[0].edits=[spawn]", says="refused: 'left' may not ask for this: .*attach")
        convoy("run", BUILDERS, "--set", "robots[0].edits=[spwan]", code=2, says="did you mean 'spawn'")
        convoy("launch", BUILDERS, "--mode", "free", "--speed", "1", "--duration", "7s", "--hosts", "2", "--log-level", "debug",
               "--report", report, says="put down a stack of 6")
        check("ten crates in free mode", json.loads(report.read_text())["spawned"] == 10)
    finish()


main()
