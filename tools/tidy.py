#!/usr/bin/env python3
"""Checks the shape of the source tree: includes point only downwards, files stay short, headers open with a sentence.

    tools/tidy.py [ROOT]

Run by the tests. Prints one line per finding, file and line first, and exits 1 if there is any.
"""
import pathlib
import re
import sys

# DESIGN section 9, lowest first. A folder may include itself and folders on earlier lines, not its neighbours.
LAYERS = [
    ["core"],
    ["world"],
    ["wire"],
    ["physics", "sensing", "nodes"],
    ["physics/mujoco"],
    ["agent"],
    ["session"],
    ["run"],
    ["lockstep", "replication", "record"],
    ["scenario"],
    ["roles"],
    ["os", "testing"],
    ["engines"],
    ["client"],
    ["control"],
    ["adapters/zmq", "adapters/ros2", "adapters/web", "render", "stream"],
    ["apps"],
]
LEVEL = {folder: level for level, line in enumerate(LAYERS) for folder in line}
NO_CLOCK = re.compile(
    r"std::chrono::(steady|system|high_resolution)_clock|\bclock_gettime\b|\bgettimeofday\b|\bstd::random_device\b|"
    r"\bstd::(thread|jthread|async)\b|\bsleep_for\b|\busleep\b|\bgetenv\b|std::(normal|uniform_\w+)_distribution|"
    r"std::unordered_(map|set)")
LIBM = re.compile(r"\bstd::(sin|cos|tan|atan2?|hypot|exp|log|pow|asin|acos|sinh|cosh|tanh)\(")
MAX_LINES = 600


def folder_of(path):
    parts = path.parts[:-1]
    two = "/".join(parts[:2])
    return two if two in LEVEL else (parts[0] if parts else "")


def check(root):
    src = root / "src"
    for path in sorted(src.rglob("*")):
        if path.suffix not in (".h", ".cc"):
            continue
        rel = path.relative_to(src)
        mine = folder_of(rel)
        test = path.name.endswith("_test.cc")
        if mine not in LEVEL:
            yield path, 1, f"folder '{mine}' has no place in the layers (tools/tidy.py)"
            continue
        lines = path.read_text().splitlines()
        if len(lines) > MAX_LINES:
            yield path, len(lines), f"{len(lines)} lines; split before {MAX_LINES}"
        if path.suffix == ".h" and not (lines and lines[0].startswith("// ")):
            yield path, 1, "a header opens with a sentence that says what it is"
        for number, line in enumerate(lines, 1):
            code = line.split("//")[0]
            found = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if found and not found[1].startswith("convoy/") and not found[1].endswith(".pb.h"):
                other = folder_of(pathlib.Path(found[1]))
                if other not in LEVEL:
                    yield path, number, f'include "{found[1]}" names no folder of src'
                elif other != mine and LEVEL[other] >= LEVEL[mine]:
                    yield path, number, f"{mine} may not include {other}: not below it"
            if re.match(r'\s*#\s*include\s*[<"]mujoco/', line) and mine != "physics/mujoco":
                yield path, number, "only physics/mujoco knows MuJoCo"
            if LEVEL[mine] < LEVEL["os"] and not test:
                if NO_CLOCK.search(code):
                    yield path, number, f"below src/os time, chance, threads and order are arguments: {code.strip()}"
                if LEVEL[mine] < LEVEL["roles"] and LIBM.search(code):
                    yield path, number, f"libm differs by machine; use core/math.h: {code.strip()}"
        # An include by angle brackets of our own code would pass unseen.
    for path in sorted((root / "include").rglob("*.h")):
        lines = path.read_text().splitlines()
        if not lines[0].startswith("// "):
            yield path, 1, "a header opens with a sentence that says what it is"


def check_runtime(root):
    """msgs/runtime: no layer, the same shape."""
    for path in sorted((root / "msgs" / "runtime").rglob("*.[hc]*")):
        lines = path.read_text().splitlines()
        if len(lines) > MAX_LINES:
            yield path, len(lines), f"{len(lines)} lines; split before {MAX_LINES}"
        if path.suffix == ".h" and not lines[0].startswith("// "):
            yield path, 1, "a header opens with a sentence that says what it is"
        for number, line in enumerate(lines, 1):
            if NO_CLOCK.search(line.split("//")[0]):
                yield path, number, f"below src/os time, chance, threads and order are arguments: {line.strip()}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    findings = [*check(root), *check_runtime(root)]
    for path, line, text in findings:
        print(f"{path.relative_to(root)}:{line}: {text}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
