#!/usr/bin/env python3
"""Checks that the docs are true: links lead somewhere, files, tests and what prose names in them exist, commands exist,
blocks marked `sh run` do run, and the page of the server's clocks lists all of them.

    tools/check_docs.py [--convoy build/convoy] [--fix] [ROOT]

Run by the tests. One line per finding, file and line first; exit 1 if there is any. Without --convoy, links and files
only. A line `digest ...` in the block after one that ran must be in its output; --fix writes there what came.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(.*)$")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
DIGEST = re.compile(r"^digest ([0-9a-f]{16})$")
FOLDERS = "src|include|proto|msgs|rclcpp|python|tests|tools|scripts|cmake|scenarios|models|examples|bench"
FILE = re.compile(rf"`((?:{FOLDERS})/[\w./-]+\.\w+)`")
INCLUDES = (".", "rclcpp/include")  # a file may be named as users include it
TEST = re.compile(r'`([a-z0-9_]+(?:/[a-z0-9_]+)*_test)`((?::|,)? "[^"]+"(?:, "[^"]+")*)?')
TEST_CASE = re.compile(r'TEST_CASE(?:_FIXTURE)?\(\s*(?:\w+,\s*)?((?:"(?:[^"\\]|\\.)*"\s*)+)')
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
DECLARED = re.compile(r"`([\w:]+)` in `([\w./-]+\.h)`")
PRIVATE = re.compile(r"(?<![\w.])/(?:work|root|home|tmp)/")
RUN_LIMIT_S = 60
# The moments that a server keeps, and the page that says what each decides.
CLOCKS = "docs/clocks.md"
CLOCK_FOLDERS = ("session", "run", "lockstep", "replication", "record", "roles")
OF_CLIENTS = {"session/session.h", "session/clock_sync.h", "replication/live_host.h", "roles/call.h", "roles/caller.h"}
OF_TESTS = ("fake_", "_rig.h", "recorded_run.h")
KEPT = re.compile(r"^\s+(?:std::map<[^;()]*\b)?(?:Moment|Listening)>? (\w+(?: ?= ?\w+|\{\})?(?:,\s*\w+(?: ?= ?\w+|\{\})?)*);", re.M)
LISTED = re.compile(r"^\| `src/([\w/]+\.h)`: `(\w+)` \|", re.M)


def pages(root):
    return sorted([*root.glob("*.md"), *root.glob("docs/**/*.md")])


def anchor(heading):
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def blocks(lines):
    """(first line's number, kind, lines) of each fenced block."""
    start = None
    for number, line in enumerate(lines, 1):
        found = FENCE.match(line)
        if found and start is None:
            start, kind = number, found[1].strip()
        elif found:
            yield start + 1, kind, lines[start:number - 1]
            start = None


def prose(lines):
    """Numbered lines outside fenced blocks."""
    inside = False
    for number, line in enumerate(lines, 1):
        if FENCE.match(line):
            inside = not inside
        elif not inside:
            yield number, line


def check_links(root, page, lines):
    for number, line in prose(lines):
        for target in LINK.findall(re.sub(r"`[^`]*`(?!\])", "", line)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, part = target.partition("#")
            there = (page.parent / path).resolve() if path else page
            if not there.is_relative_to(root) or not there.exists():
                yield number, f"no file for the link {target}"
            elif part and there.suffix == ".md":
                headings = [anchor(text.lstrip("#")) for _, text in prose(there.read_text().splitlines())
                            if text.startswith("#")]
                if part not in headings:
                    yield number, f"no heading for the link {target}"
    for number, line in enumerate(lines, 1):
        if PRIVATE.search(line):
            yield number, "a path of somebody's machine"


def check_files(root, lines):
    """Files that prose names, and what a header declares by words.md."""
    for number, line in prose(lines):
        for path in FILE.findall(line):
            if not any((root / base / path).is_file() for base in INCLUDES):
                yield number, f"no file {path}"
        for name, path in DECLARED.findall(line):
            header = root / path
            if header.is_file() and not re.search(rf"\b{name.split('::')[-1]}\b", header.read_text()):
                yield number, f"no {name} in {path}"


def test_cases(root):
    """The names of the test cases in each file of tests: {"src/world/world_test.cc": ["a world ...", ...]}."""
    sources = [path for folder in ("src", "rclcpp") for path in (root / folder).glob("**/*_test.c*")]
    return {path.relative_to(root).with_suffix("").as_posix():
                ["".join(QUOTED.findall(name)) for name in TEST_CASE.findall(path.read_text())] for path in sources}


def check_tests(cases, lines):
    """Tests that prose names, `folder/name_test`, and the beginnings of their cases, "in quotes" behind them."""
    for number, line in prose(lines):
        for name, quoted in TEST.findall(line):
            files = [path for path in cases if f"/{path}".endswith(f"/{name}")]
            if not files and not name.startswith("build/"):
                yield number, f"no test {name}"
            for case in QUOTED.findall(quoted) if files else []:
                if not any(case in known for path in files for known in cases[path]):
                    yield number, f'no case "{case}" in {name}'


def subcommands(convoy, *path):
    text = subprocess.run([convoy, *path, "--help"], capture_output=True, text=True, timeout=RUN_LIMIT_S).stdout
    return set(re.findall(r"^  ([a-z][a-z0-9_-]*)\b", text.partition("\nSubcommands:")[2], re.M))


def check_commands(lines, known, calls):
    for number, line in enumerate(lines, 1):
        for command in re.findall(r"(?:`|build/|^)convoy ([a-z][a-z0-9_-]*)", line):
            if command not in known:
                yield number, f"no command 'convoy {command}'"
        for call in re.findall(r"\bconvoy ctl ([a-z_]+)", line):
            if calls and call not in calls:
                yield number, f"no call 'convoy ctl {call}'"


def run_blocks(root, convoy, lines, fix):
    ran = None
    for number, kind, block in blocks(lines):
        if kind == "sh run":
            with tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / "build").mkdir()
                (pathlib.Path(folder) / "build" / "convoy").symlink_to(convoy)
                (pathlib.Path(folder) / "scenarios").symlink_to(root / "scenarios")
                try:
                    done = subprocess.run(["bash", "-e"], input="\n".join(block) + "\n", cwd=folder, text=True,
                                          capture_output=True, timeout=RUN_LIMIT_S)
                except subprocess.TimeoutExpired:
                    yield number, f"still runs after {RUN_LIMIT_S} s"
                    continue
            ran = re.findall(r"^digest ([0-9a-f]{16})$", done.stdout, re.M)
            if done.returncode != 0:
                yield number, f"exit {done.returncode}: {done.stderr.strip().splitlines()[-1:] or ''}"
        elif ran is not None:
            for i, line in enumerate(block):
                found = DIGEST.match(line)
                if not found or set(ran) == {found[1]}:
                    continue
                if fix and len(set(ran)) == 1:
                    lines[number - 1 + i] = f"digest {ran[0]}"
                else:
                    yield number + i, f"the digest came out as {', '.join(sorted(set(ran))) or 'none'} (--fix writes it)"
            ran = None


def clock_findings(root):
    """What the server's code keeps and the page does not list, and the other way round."""
    page = root / CLOCKS
    if not page.exists():
        return
    kept = set()
    for folder in CLOCK_FOLDERS:
        for header in sorted((root / "src" / folder).glob("*.h")):
            name = f"{folder}/{header.name}"
            if name in OF_CLIENTS or any(part in header.name for part in OF_TESTS):
                continue
            for found in KEPT.finditer(header.read_text()):
                kept |= {(name, re.split(r"\W", one.strip())[0]) for one in found[1].split(",")}
    listed = set(LISTED.findall(page.read_text()))
    for name, variable in sorted(kept - listed):
        yield f"src/{name}: {variable} is a moment that the server keeps, and {CLOCKS} does not say what it decides"
    for name, variable in sorted(listed - kept):
        yield f"{CLOCKS}: src/{name} keeps no moment {variable}"


def drop_findings(root):
    """The reasons for which input is dropped, and their table."""
    source, page = root / "src/session/drops.cc", root / "docs/protocol.md"
    if not source.exists():
        return
    known = set(re.findall(r'case Drop::\w+: return "(\w+)";', source.read_text()))
    table = re.search(r"^\| reason \| what \|\n(.*?)(?:\n\n|\Z)", page.read_text(), re.M | re.S)
    listed = set(re.findall(r"`(\w+)`", " ".join(row.split("|")[1] for row in table[1].splitlines()[1:]))) if table else set()
    for name in sorted(known ^ listed):
        yield f"docs/protocol.md: the reason {name} is {'not in the table' if name in known else 'none'}"


def parity_findings(root):
    """The numbers at the head of docs/parity.md are those of its tables, which follow in the same order."""
    page = root / "docs" / "parity.md"
    if not page.exists():
        return
    head, *tables = re.split(r"^\| # \|.*\n", page.read_text(), flags=re.M)
    verdicts = [[re.search(r"\| (yes|partly|not yet) \|", row)[1] for row in re.findall(r"^\| \S+ \| .*\|", table, re.M)] for table in tables]
    counted = [[len(rows), *(rows.count(verdict) for verdict in ("yes", "partly", "not yet"))] for rows in verdicts]
    said = [(row[0], [int(number) for number in row[1:]]) for row in re.findall(r"^\| (.*?) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|", head, re.M)]
    parents = counted[:-1]  # the last table is of users
    wanted = [*parents, [sum(column) for column in zip(*parents, strict=True)], counted[-1]]
    for (name, numbers), is_so in zip(said, wanted, strict=True):
        if numbers != is_so:
            yield f"docs/parity.md: {name}: {numbers} are said, {is_so} there"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).resolve().parent.parent, type=pathlib.Path)
    parser.add_argument("--convoy", type=pathlib.Path)
    parser.add_argument("--fix", action="store_true")
    a = parser.parse_args()
    root, convoy = a.root.resolve(), a.convoy and a.convoy.resolve()
    known, calls = (subcommands(convoy), set()) if convoy else (set(), set())
    if "ctl" in known:
        calls = subcommands(convoy, "ctl")
    findings = 0
    cases = test_cases(root)
    for page in pages(root):
        lines = page.read_text().splitlines()
        before = list(lines)
        found = [*check_links(root, page, lines), *check_files(root, lines), *check_tests(cases, lines)]
        if convoy:
            found += check_commands(lines, known, calls)
            found += run_blocks(root, convoy, lines, a.fix)
        for number, text in found:
            print(f"{page.relative_to(root)}:{number}: {text}")
        findings += len(found)
        if lines != before:
            page.write_text("\n".join(lines) + "\n")
    for text in [*clock_findings(root), *drop_findings(root), *parity_findings(root)]:
        print(text)
        findings += 1
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
