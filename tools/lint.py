#!/usr/bin/env python3
"""The formatter and the linters of this repository, in the versions of .env/lint (scripts/python-env.sh lint).

    tools/lint.py format [--fix]      clang-format over all C++, ruff's format over python/ and examples/python
    tools/lint.py python [--fix]      ruff over all Python
    tools/lint.py types               mypy: python/convoy strictly, scripts and tests for wrong calls
    tools/lint.py cxx BUILD [--all]   clang-tidy over the units that a build compiles (configured with Ninja)

`cxx` checks what the build makes of src, rclcpp, examples and bench, less the tests, and leaves out the static
analyzer, which takes ten times as long as all other checks; --all has both. A unit that was clean is not checked again
until it, a file of ours that it includes, its flags, the checks or the tool change: BUILD/lint remembers. A run prints
what it did. Exits 1 if anything was found, and 77, which CTest takes for skipped, if the tool is not there.
"""
import argparse
import concurrent.futures
import hashlib
import itertools
import json
import os
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ROOT / ".env" / "lint" / "bin"
SKIPPED = 77
CXX = ("src", "include", "rclcpp", "msgs", "examples", "bench", "tests")
CXX_ENDINGS = (".h", ".hpp", ".c", ".cc", ".cpp")
FORMATTED_PYTHON = ("python", "examples/python")
# Scripts have no types of their own, and of what libraries return mypy knows "one of these", "or None", or no more than
# "object". So what is asked of values is not checked there; calls with wrong arguments and names that do not exist are.
LENIENT = ("union-attr", "index", "attr-defined", "operator", "func-returns-value", "var-annotated", "assignment", "arg-type",
           "method-assign", "misc", "dict-item", "str-bytes-safe")
UNITS = ("src", "rclcpp", "msgs", "examples", "bench")
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.M)
FINDING = re.compile(r"^(/\S+?):\d+:\d+: (warning|error): ", re.M)


def tool(name):
    path = TOOLS / name
    if not path.exists():
        print(f"SKIPPED, NOTHING WAS CHECKED: no {path.relative_to(ROOT)}; scripts/python-env.sh lint installs it")
        sys.exit(SKIPPED)
    return path


def run(*command, **more):
    return subprocess.run([*map(str, command)], cwd=ROOT, **more).returncode


def check_format(fix):
    clang_format, ruff = tool("clang-format"), tool("ruff")
    files = [p for folder in CXX for p in sorted((ROOT / folder).rglob("*")) if p.suffix in CXX_ENDINGS]
    how = ["-i"] if fix else ["--dry-run", "--Werror"]
    failed = 0
    for first in range(0, len(files), 200):  # a command line has its limit
        failed |= run(clang_format, *how, *files[first : first + 200])
    failed |= run(ruff, "format", "--quiet", *([] if fix else ["--diff"]), *FORMATTED_PYTHON)
    print(f"{len(files)} files of C++ and the Python of {' and '.join(FORMATTED_PYTHON)}")
    return 1 if failed else 0


def check_python(fix):
    return run(tool("ruff"), "check", *(["--fix"] if fix else []), ".")


def check_types():
    """In groups whose modules have names of their own."""
    mypy, packages = tool("mypy"), ROOT / ".env" / "python" / "bin" / "python"
    if not packages.exists():
        print("SKIPPED, NOTHING WAS CHECKED: no .env/python; scripts/python-env.sh makes it")
        return SKIPPED
    failed = 0
    lenient = [f"--disable-error-code={code}" for code in LENIENT] + ["--follow-imports=silent"]
    for options, *paths in ((["--strict"], "python/convoy"), (lenient, "tools"), (lenient, "bench"),
                            (lenient, "msgs/generator"), (lenient, "tests/e2e", "tests/protocol", "tests/peers", "python/tests")):
        print(f"{', '.join(paths)}:", flush=True)
        failed |= run(mypy, "--python-executable", packages, *options, *paths)
    return failed


# ------------------------------------------------------------------------------------------------------------ clang-tidy
class Unit:
    """One compiler's command, over a source or over several at once (a unity file that CMake has made)."""

    def __init__(self, entry):
        self.file = pathlib.Path(entry["file"])
        self.command = entry.get("command") or shlex.join(entry["arguments"])
        self.sources = [self.file]
        if self.file.parent.name == "Unity":
            self.sources = [pathlib.Path(name) for name in INCLUDE.findall(self.file.read_text())]

    def ours(self):
        """Not what was generated."""
        return all(any(s.is_relative_to(ROOT / folder) for folder in UNITS) for s in self.sources)

    def is_test(self):
        return any(s.stem.endswith("_test") or "test" in s.relative_to(ROOT).parts[:-1] for s in self.sources)


class Included:
    """Which files of ours a file includes, directly or not, and a hash of all of them."""

    def __init__(self, build):
        self.build, self.direct, self.hashes = build, {}, {}

    def folders(self, command):
        words = shlex.split(command)
        found = [w[2:] for w in words if w.startswith("-I")]
        found += [after for word, after in itertools.pairwise(words) if word in ("-isystem", "-I")]
        return tuple(f for f in found if pathlib.Path(f).is_relative_to(ROOT) or pathlib.Path(f).is_relative_to(self.build))

    def of(self, path, folders):
        """The files that this one names, with the hash of its own text."""
        if (path, folders) not in self.direct:
            data = path.read_bytes()
            self.hashes[path] = hashlib.sha256(data).digest()
            found = []
            for name in INCLUDE.findall(data.decode(errors="replace")):
                for folder in (str(path.parent), *folders):
                    candidate = os.path.normpath(os.path.join(folder, name))
                    if os.path.isfile(candidate):
                        found.append(pathlib.Path(candidate))
                        break
            self.direct[path, folders] = found
        return self.direct[path, folders]

    def key(self, unit):
        folders, seen, waiting = self.folders(unit.command), set(), [unit.file]
        while waiting:
            path = waiting.pop()
            if path not in seen:
                seen.add(path)
                waiting += self.of(path, folders)
        total = hashlib.sha256()
        for path in sorted(seen):
            total.update(str(path).encode() + self.hashes[path])
        return total.digest()


def options_for(unit, checks):
    """Unity files lie in the build, where the .clang-tidy of rclcpp is not found; others leave its headers to it."""
    if all(any(s.is_relative_to(ROOT / folder) for folder in ("rclcpp", "examples/ros", "bench/rclcpp.cpp")) for s in unit.sources):
        more = re.findall(r"^  (-[\w-]+),?$", (ROOT / "rclcpp" / ".clang-tidy").read_text(), re.M)
        return [f"--checks={','.join([checks, *more])}"]
    return [f"--checks={checks}", r"--exclude-header-filter=/build[^/]*/|\.pb\.h$|/rclcpp/"]


def generate(build):
    """Makes the headers that ours include, if the build has not come to them yet."""
    listed = subprocess.run(["ninja", "-C", build, "-t", "targets", "rule", "CUSTOM_COMMAND"], capture_output=True, text=True,
                            check=True).stdout.split()
    wanted = [name for name in listed if re.search(r"\.pb\.h$|__types\.cc$|__c\.cc$", name) and "${" not in name]
    subprocess.run(["ninja", "-C", build, "--quiet", *wanted], check=True)


def check_cxx(build, everything):
    clang_tidy = tool("clang-tidy")
    database = build / "compile_commands.json"
    if not database.exists():
        sys.exit(f"lint: no {database}; configure a build there first")
    generate(build)
    checks = "-bugprone-suspicious-include"  # unity files include sources
    checks += "" if everything else ",-clang-analyzer-*"
    units = [u for u in map(Unit, json.loads(database.read_text())) if u.ours()]
    tests = sum(u.is_test() for u in units)
    if not everything:
        units = [u for u in units if not u.is_test()]
    version = subprocess.run([clang_tidy, "--version"], capture_output=True, text=True, check=True).stdout
    same = hashlib.sha256("\0".join([version, (ROOT / ".clang-tidy").read_text(), (ROOT / "msgs/runtime/.clang-tidy").read_text(), checks]).encode()).digest()
    known, included = build / "lint", Included(build)
    known.mkdir(exist_ok=True)

    def stamp(unit):
        key = [same, *(option.encode() for option in options_for(unit, checks)), unit.command.encode(), included.key(unit)]
        return known / hashlib.sha256(b"\0".join(key)).hexdigest()[:32]

    stamps = {unit: stamp(unit) for unit in units}
    due = [unit for unit in units if not stamps[unit].exists()]

    def look(unit):
        # Warnings of a compiler are the compiler's business, and so are its own options.
        r = subprocess.run([clang_tidy, "-p", build, "--quiet", *options_for(unit, checks), "--extra-arg=-Wno-unknown-warning-option",
                            "--extra-arg=-Wno-error", unit.file], capture_output=True, text=True)
        return unit, r.returncode, r.stdout, r.stderr

    begun, seen, bad = time.monotonic(), set(), 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", 0)) or len(os.sched_getaffinity(0))) as pool:
        for unit, code, out, err in pool.map(look, due):
            findings = re.split(r"(?m)^(?=/\S+?:\d+:\d+: (?:warning|error): )", out)
            findings = [f for f in findings if FINDING.match(f)]
            if code != 0 and not findings:
                findings = [f"{unit.file}:1:1: error: clang-tidy ended with {code}\n{err}"]
            if not findings:
                stamps[unit].touch()
                continue
            bad += 1
            for text in findings:
                if text not in seen:  # of a header that several units include
                    print(text.replace(f"{ROOT}/", "").rstrip(), flush=True)
                    seen.add(text)
    print(f"{len(units)} units of src, rclcpp, msgs, examples and bench: {len(due)} looked at in "
          f"{time.monotonic() - begun:.0f} s, of CPU {resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime:.0f} s; {len(units) - len(due)} not again, since they and what they include are as they "
          f"were when they were clean; findings in {bad}")
    if not everything:
        print(f"left to scripts/deep.sh tidy: the static analyzer, and {tests} units of tests")
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("format", "python", "types", "cxx"))
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("--all", action="store_true")
    a = parser.parse_args()
    if a.what == "format":
        return check_format(a.fix)
    if a.what == "python":
        return check_python(a.fix)
    if a.what == "types":
        return check_types()
    return check_cxx(a.build.resolve(), a.all)


if __name__ == "__main__":
    sys.exit(main())
