#!/usr/bin/python3
"""Plants bugs in a scratch copy of the tree, one at a time, and wants the test that each one names to fail.

    tests/mutants/run.py               the tests without a bug, then with each; a table, and 1 if a bug goes unnoticed
    tests/mutants/run.py 'reset_*'     only the mutants of these names
    tests/mutants/run.py --list        what there is
    tests/mutants/run.py --check       only whether every patch still applies and its filter names a test: no building

A mutant is tests/mutants/NAME.patch: a sentence on which bug it is, `Noticed-by:` with the name of a CTest test,
perhaps `Filter:` with the test cases of it (doctest's -tc), and a unified diff. The diff is applied by its lines alone,
wherever in the file they are, as long as they are there once.

The copy, and the one build folder that all mutants share, are in build/mutants.
"""
from __future__ import annotations

import argparse
import dataclasses
import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "tests" / "mutants"
TIMEOUT_S = 300  # of one test; a test that hangs has noticed
# No unity builds: one bug is then one small file to compile.
CONFIGURE = ["-G", "Ninja", "-DCMAKE_UNITY_BUILD=OFF", "-DCONVOY_APPS=OFF", "-DCONVOY_BENCH=OFF", "-DBUILD_TESTING=ON"]


class Trouble(Exception):
    """What ends one mutant, or all of it, with one line."""


@dataclasses.dataclass
class Hunk:
    path: str
    old: list[str]
    new: list[str]


@dataclasses.dataclass
class Mutant:
    name: str
    says: str
    test: str
    filter: str
    hunks: list[Hunk]

    def key(self) -> tuple[str, str]:
        return self.test, self.filter

    def mutated(self, root: pathlib.Path) -> dict[str, str]:
        """The files that it changes, as they are with the bug."""
        texts: dict[str, str] = {}
        for hunk in self.hunks:
            path = root / hunk.path
            if hunk.path not in texts:
                if not path.exists():
                    raise Trouble(f"does not apply: there is no {hunk.path}")
                texts[hunk.path] = path.read_text()
            lines = texts[hunk.path].splitlines()
            size = len(hunk.old)
            places = [i for i in range(len(lines) - size + 1) if lines[i:i + size] == hunk.old]
            if len(places) != 1:
                raise Trouble(f"does not apply: its lines stand {len(places)} times in {hunk.path}")
            lines[places[0]:places[0] + size] = hunk.new
            texts[hunk.path] = "\n".join(lines) + "\n"
        return texts


def read(path: pathlib.Path) -> Mutant:
    head: list[str] = []
    hunks: list[Hunk] = []
    file = ""
    for line in path.read_text().splitlines():
        if line.startswith("--- "):
            file = "?"
        elif line.startswith("+++ b/"):
            file = line[6:]
        elif line.startswith("@@"):
            hunks.append(Hunk(file, [], []))
        elif not file:
            head.append(line)
        elif line[:1] in ("-", " ", "+", ""):
            if line[:1] != "+":
                hunks[-1].old.append(line[1:])
            if line[:1] != "-":
                hunks[-1].new.append(line[1:])
    fields = dict(re.findall(r"^(Noticed-by|Filter): *(.*?) *$", "\n".join(head), re.M))
    says = " ".join(line for line in head if line and not re.match(r"(Noticed-by|Filter):", line))
    if not says or "Noticed-by" not in fields or not hunks:
        raise Trouble(f"{path.name}: a mutant has a sentence, Noticed-by: and a diff")
    return Mutant(path.stem, says, fields["Noticed-by"], fields.get("Filter", ""), hunks)


def titles(root: pathlib.Path) -> list[str]:
    """The names of all test cases."""
    out = []
    text = r'"(?:[^"\\]|\\.)*"'
    case = re.compile(rf"TEST_CASE(?:_FIXTURE)?\(\s*(?:\w+,\s*)?({text}(?:\s*{text})*)")
    for folder in ("src", "rclcpp"):
        for path in (root / folder).rglob("*_test.c*"):
            for found in case.findall(path.read_text()):
                out.append("".join(part[1:-1] for part in re.findall(text, found)))
    return out


def check(mutants: list[Mutant]) -> int:
    known = [title.lower() for title in titles(ROOT)]
    bad = 0
    for mutant in mutants:
        try:
            mutant.mutated(ROOT)
            if "," in mutant.filter:
                raise Trouble("doctest takes a comma in a filter for the end of a name")
            if mutant.filter and not fnmatch.filter(known, mutant.filter.lower()):
                raise Trouble(f"no test case is named like {mutant.filter}")
        except Trouble as trouble:
            print(f"tests/mutants/{mutant.name}.patch: {trouble}")
            bad += 1
    print(f"{len(mutants)} mutants, {len(mutants) - bad} apply")
    return 1 if bad else 0


class Scratch:
    """A copy of the tree as git sees it, with what is not committed yet, and its build folder."""

    def __init__(self, folder: pathlib.Path, jobs: int) -> None:
        self.tree, self.build, self.jobs = folder / "tree", folder / "build", jobs
        self.programs: dict[str, pathlib.Path] = {}

    def copy(self) -> None:
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                                check=True, stdout=subprocess.PIPE).stdout.decode().split("\0")
        wanted = {name for name in listed if name and (ROOT / name).is_file() and not (ROOT / name).is_symlink()}
        for name in wanted:  # what is the same keeps its time, so that little is built again
            source, target = ROOT / name, self.tree / name
            if target.exists() and target.read_bytes() == source.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            shutil.copymode(source, target)
        env = self.tree / ".env"  # where MuJoCo is
        for path in self.tree.rglob("*"):
            if path.is_file() and not path.is_symlink() and env not in path.parents:
                if str(path.relative_to(self.tree)) not in wanted:
                    path.unlink()
        if (ROOT / ".env").exists() and not env.exists():
            env.symlink_to((ROOT / ".env").resolve())

    def configure(self) -> None:
        command = ["cmake", "-S", str(self.tree), "-B", str(self.build), *CONFIGURE]
        if shutil.which("ccache"):
            command += ["-DCMAKE_C_COMPILER_LAUNCHER=ccache", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise Trouble("the copy cannot be configured:\n" + done.stdout.decode())
        for path in self.build.rglob("CTestTestfile.cmake"):
            for name, program in re.findall(r'^add_test\((?:\[=*\[)?(.+?)(?:\]=*\])? "([^"]+)"', path.read_text(), re.M):
                self.programs[name] = pathlib.Path(program)

    def program(self, test: str) -> pathlib.Path:
        if test not in self.programs:
            raise Trouble(f"there is no test '{test}'")
        return self.programs[test]

    def make(self, tests: set[str]) -> str | None:
        """What went wrong; None: it is built."""
        targets = sorted(str(self.program(test).relative_to(self.build)) for test in tests)
        done = subprocess.run(["ninja", "-C", str(self.build), "-j", str(self.jobs), *targets], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return None if done.returncode == 0 else done.stdout.decode(errors="replace")

    def run(self, test: str, cases: str) -> tuple[bool, str]:
        """Has it passed, and the last of what it printed."""
        program = self.program(test)
        command = [str(program), "--no-version", "--no-path-filenames=1", *([f"-tc={cases}"] if cases else [])]
        try:
            done = subprocess.run(command, cwd=program.parent, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return False, f"no end in {TIMEOUT_S} s"
        return done.returncode == 0, done.stdout.decode(errors="replace")

    def write(self, texts: dict[str, str]) -> None:
        for name, text in texts.items():
            (self.tree / name).write_text(text)


def try_one(scratch: Scratch, mutant: Mutant) -> str:
    texts = mutant.mutated(scratch.tree)
    before = {name: (scratch.tree / name).read_text() for name in texts}
    scratch.write(texts)
    try:
        if (wrong := scratch.make({mutant.test})) is not None:
            errors = [line for line in wrong.splitlines() if "error:" in line or "FAILED" in line]
            raise Trouble("does not build: " + (errors[-1] if errors else wrong[-200:]))
        passed, _ = scratch.run(*mutant.key())
        if passed:
            raise Trouble("NOT NOTICED")
        return "noticed"
    finally:
        scratch.write(before)


def passes_without(scratch: Scratch, mutants: list[Mutant]) -> dict[tuple[str, str], str]:
    """Of each test and filter what is wrong with it without any bug; nothing is, if it is not named."""
    wrong: dict[tuple[str, str], str] = {}
    for key in sorted({mutant.key() for mutant in mutants}):
        passed, said = scratch.run(*key)
        cases = re.search(r"test cases: +(\d+)", said)
        if not passed:
            wrong[key] = "fails without it, too"
            print(said[-2000:])
        elif not cases or int(cases[1]) == 0:
            wrong[key] = "the filter names no test case"
    return wrong


def run(mutants: list[Mutant], folder: pathlib.Path, jobs: int) -> int:
    scratch = Scratch(folder, jobs)
    scratch.copy()
    scratch.configure()
    print(f"building {len({m.test for m in mutants})} test programs in {scratch.build}", flush=True)
    if (wrong := scratch.make({m.test for m in mutants})) is not None:
        raise Trouble("the copy does not build without any bug:\n" + wrong[-3000:])
    broken = passes_without(scratch, mutants)
    wide = max(len(m.name) for m in mutants)
    bad = 0
    # By library, so that little is built again between two of them.
    for mutant in sorted(mutants, key=lambda m: (m.test, m.hunks[0].path, m.name)):
        begun = time.monotonic()
        try:
            if mutant.key() in broken:
                raise Trouble(broken[mutant.key()])
            outcome = try_one(scratch, mutant)
        except Trouble as trouble:
            outcome = str(trouble)
            bad += 1
        print(f"{mutant.name:{wide}}  {mutant.test:14}  {outcome}  ({time.monotonic() - begun:.0f} s)", flush=True)
    print(f"{len(mutants)} mutants, {len(mutants) - bad} noticed")
    return 1 if bad else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="of mutants, * and ? as in a shell")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / "build" / "mutants")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    try:
        mutants = [read(path) for path in sorted(HERE.glob("*.patch"))]
        for name in options.names:
            if not fnmatch.filter([m.name for m in mutants], name):
                raise Trouble(f"no mutant is named {name}")
        if options.names:
            mutants = [m for m in mutants if any(fnmatch.fnmatch(m.name, name) for name in options.names)]
        if options.list:
            for mutant in mutants:
                print(f"{mutant.name}: {mutant.says} [{mutant.test}]")
            return 0
        if options.check:
            return check(mutants)
        return run(mutants, options.scratch.resolve(), options.jobs)
    except Trouble as trouble:
        print(f"mutants: {trouble}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
