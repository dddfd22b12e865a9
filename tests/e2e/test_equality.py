#!/usr/bin/env python3
"""Every MJCF file of two packages of other people, as a robot beside plain mj_step, and as a world on one and two hosts.

    tests/e2e/test_equality.py CONVOY MUJOCO_ALONE [robots] [worlds]

The packages lie in .env/models (scripts/python-env.sh models), or where CONVOY_TEST_MODELS says; equality.txt lists all of
their files, and a file that is missing, new or skipped is a failure. Standard library only. Prints one line per check
that fails and exits 1 if there is any; --table FILE writes what became of each file.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

from harness import last_line, new_bench

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MOST_THAT_DIFFER = 5
BOUND = 1e-6  # of qpos and qvel, where a file differs
IN_WORLD = 1e-12  # m

WORLD = """convoy: 1
time: {{tick: {tick}ns, duration: {duration}ns}}
world: {{mjcf: {file}}}
robots:
  - {{name: probe, model: probe.xml, placement: {{poses: [[0.31, 0.17, 0]]}}}}
"""
PROBE = """<mujoco><option timestep="{step!r}"/><worldbody><body pos="0 0 3"><freejoint/><geom size="0.05"/></body>
</worldbody></mujoco>"""


def folder_of_models():
    named = os.environ.get("CONVOY_TEST_MODELS")
    folders = [pathlib.Path(named)] if named else sorted((ROOT / ".env" / "models" / "lib").glob("python3*/site-packages"))
    return folders[0] if folders else None


def pinned():
    """The packages' versions, and what is expected of each of their files."""
    versions = dict(re.findall(r"^([a-z_]+)==(\S+)$", (ROOT / "tools" / "requirements-models.txt").read_text(), re.M))
    expected = {}
    for line in (HERE / "equality.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            kind, *more, file = line.split()
            expected[file] = (kind, more)
    return versions, expected


class Files:
    def __init__(self, bench, alone):
        self.b, self.alone = bench, alone
        self.folder = folder_of_models()
        self.versions, self.expected = pinned()
        self.table, self.seen = {}, {}

    def all_there(self):
        if not self.folder:
            self.b.check(False, "there is no .env/models: scripts/python-env.sh models makes it")
            return False
        for package, version in self.versions.items():
            found = (self.folder / f"{package}-{version}.dist-info").is_dir()
            self.b.check(found, f"{package} is not of version {version}", self.folder)
        files = {str(f.relative_to(self.folder)) for p in self.versions for f in (self.folder / p).rglob("*.xml")}
        self.b.check(files == self.expected.keys(), "equality.txt lists other files", files ^ self.expected.keys())
        differ = [f for f, (kind, _) in self.expected.items() if kind == "differs"]
        self.b.check(len(differ) <= MOST_THAT_DIFFER, "too many files differ", differ)
        return True

    def compared(self, file):
        if file not in self.seen:
            made = subprocess.run([self.alone, self.folder / file], capture_output=True, text=True, timeout=300)
            self.seen[file] = {"loads": True, "refused": f"exit {made.returncode}"} if made.returncode else json.loads(made.stdout)
        return self.seen[file]

    def robots(self):
        """As a robot each is mj_step to the bit, at the origin and elsewhere."""
        if not self.all_there():
            return
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for file, got in zip(self.expected, pool.map(self.compared, self.expected)):
                self.judge(file, got)

    def judge(self, file, got):
        kind, more = self.expected[file]
        if not got["loads"]:
            self.table[file] = "MuJoCo does not read it: " + got["why"]
            self.b.check(kind == "unread", f"{file} is not read", got["why"])
            return
        if "refused" in got:
            self.table[file] = "refused: " + got["refused"]
            self.b.check(False, f"{file} is refused", got["refused"])
            return
        self.table[file] = "; ".join(f"{p['numbers']} numbers differ by {p['apart']:g}" if p["numbers"] else "bit-equal"
                                     for p in got["places"])
        for place in got["places"]:
            self.b.check(not place["fault"], f"{file} has a fault", place)
            self.b.check(place["apart_in_world"] <= IN_WORLD, f"{file} is elsewhere in the world", place)
            if kind == "differs":
                self.b.check(place["apart"] <= min(BOUND, float(more[0])), f"{file} differs by more than its bound", place)
            else:
                self.b.check(kind == "equal" and place["numbers"] == 0, f"{file} is not equal to the bit", place)
                self.b.check(place["links_apart"] <= IN_WORLD, f"{file} has links elsewhere for those without an engine", place)

    def as_world(self, file):
        """What was wrong with it, or nothing."""
        timing = self.compared(file)
        name = re.sub(r"\W", "_", file)
        folder = self.b.folder / name
        folder.mkdir()
        (folder / "probe.xml").write_text(PROBE.format(step=timing["step_ns"] * 1e-9))
        scenario = folder / "world.yaml"
        scenario.write_text(WORLD.format(tick=timing["tick_ns"], duration=20 * timing["tick_ns"], file=self.folder / file))
        digests = []
        for hosts in (1, 2):
            run = self.b.call("run", scenario, "--hosts", hosts, "--report", folder / "r.json")
            if run.returncode != 0:
                return f"{hosts} hosts: {run.stderr.strip()[-300:]}"
            digests.append(last_line(run.stdout))
            faults = json.loads((folder / "r.json").read_text())["physics_faults"]
            if faults:
                return f"{hosts} hosts: {faults}"
        return "" if digests[0] == digests[1] else f"digests differ: {digests}"

    def worlds(self):
        """As a world each has one digest on any hosts, and none is refused for what became of it."""
        if not self.folder:
            return
        loaded = [file for file, (kind, _) in self.expected.items() if kind != "unread"]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for file, wrong in zip(loaded, pool.map(self.as_world, loaded)):
                self.table[file] = self.table.get(file, "") + ("; as a world: " + (wrong or "one digest on 1 and 2 hosts"))
                self.b.check(not wrong, f"{file} as a world", wrong)


def main():
    args = sys.argv[1:]
    table = args.pop(args.index("--table") + 1) if "--table" in args else None
    args = [a for a in args if a != "--table"]
    with new_bench(args[0], patience=300) as b:
        files = Files(b, args[1])
        b.run({"robots": Files.robots, "worlds": Files.worlds}, args[2:], files)
        if table:
            pathlib.Path(table).write_text("".join(f"{file}: {what}\n" for file, what in sorted(files.table.items())))
        sys.exit(b.result())


main()
