#!/usr/bin/env python3
"""Sweeps: many runs of a plan, interrupted and taken up, and what goes wrong with them.

    /usr/bin/python3 tests/e2e/test_sweep.py build/convoy [PART]
"""
import contextlib
import csv
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

from harness import Process, last_line, new_bench

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLAN = """\
scenario: e2e.yaml
axes:
  robots[0].count: [2, 4]
  size: {zip: {'robots[1].count': [1, 3], time.duration: [200ms, 400ms]}}
  seed: 1..3
metrics:
  distance_m: totals.distance_m
  robots: robots
  rate: rtf
"""
RESULTS = ("results.csv", "results.jsonl")


def plan(b, text=PLAN, name="plan"):
    path = b.folder / f"{name}.yaml"
    path.write_text(text)
    return path


def tables(folder):
    return [(folder / name).read_bytes() for name in RESULTS]


def rows(folder):
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def made(folder):
    """Lines of the journal: each run that was made."""
    path = folder / "runs.jsonl"
    return path.read_text().count("\n") if path.exists() else 0


def small(b):
    """Axes are crossed and zipped, each row is what convoy run says of it, and the second time nothing runs."""
    out = b.folder / "small"
    b.expect(0, r"\A12 runs: 12 done, 0 failed, 0 missing; .*/small/results.csv\n\Z", "", "sweep", plan(b), "--out", out)
    told = rows(out)
    b.check([row["run"] for row in told] == list(range(12)), "a row each, in plan order", told)
    b.check([(row["robots[0].count"], row["robots[1].count"], row["time.duration"], row["seed"]) for row in told[:4]]
            == [(2, 1, "200ms", 1), (2, 1, "200ms", 2), (2, 1, "200ms", 3), (2, 3, "400ms", 1)], "the last axis is the fastest", told[:4])
    for row in (told[0], told[5], told[11]):
        sets = [word for field in ("robots[0].count", "robots[1].count", "time.duration", "seed") for word in ("--set", f"{field}={row[field]}")]
        report = b.folder / "one.json"
        run = b.expect(0, "digest", "", "run", b.scenario, *sets, "--report", report)
        alone = json.loads(report.read_text())
        b.check(last_line(run.stdout) == f"digest {row['digest']}", "the digest is that of convoy run", row, run.stdout)
        b.check(row["distance_m"] == alone["totals"]["distance_m"] and row["robots"] == alone["robots"], "and so are its numbers", row)
    b.check("rate" not in told[0], "what is another each time is in timing.csv alone", told[0])
    timing = list(csv.DictReader(open(out / "timing.csv", newline="")))
    b.check(len(timing) == 12 and all(float(line["rate"]) > 0 and line["attempts"] == "1" and line["node"] for line in timing), "timing.csv", timing[:2])
    written = list(csv.DictReader(open(out / "results.csv", newline="")))
    b.check([line["digest"] for line in written] == [row["digest"] for row in told], "both tables say the same", written[:2])
    before = tables(out)
    b.expect(0, "12 done", r"12 of 12 runs are there", "sweep", b.folder / "plan.yaml", "--out", out)
    b.check(made(out) == 12 and tables(out) == before, "the second time nothing runs", made(out))
    b.expect(0, "12 done", "", "sweep", b.folder / "plan.yaml", "--out", b.folder / "other", "--at-once", "1", env={"CONVOY_SEED": "9", "CONVOY_HOSTS": "3"})
    b.check(tables(b.folder / "other") == before, "one at a time, with other variables around: equal to the byte")
    b.check(not list(out.glob("making*")) and not list(out.glob("*.new")), "nothing is left lying about", list(out.iterdir()))


def known(b):
    """A run is known by scenario, settings and what is kept of it: what has changed is made anew, what has not is not."""
    out, path = b.folder / "known", plan(b)
    b.expect(0, "12 done", "", "sweep", path, "--out", out)
    plan(b, PLAN.replace("1..3", "1..4"))
    b.expect(0, "16 done", "12 of 16 runs are there", "sweep", path, "--out", out)
    b.check(made(out) == 16, "an axis that has grown: only what is new runs", made(out))
    plan(b, PLAN.replace("[2, 4]", "[4, 2]").replace("1..3", "1..4"))
    b.expect(0, "16 done", "16 of 16 runs are there", "sweep", path, "--out", out)
    b.check([row["robots[0].count"] for row in rows(out)][:8] == [4] * 8, "another order of values, another order of rows", rows(out)[:2])
    b.scenario.write_text(b.scenario.read_text().replace("seed: 3", "seed: 3  # for a start"))
    b.expect(0, "16 done", "", "sweep", path, "--out", out)
    b.check(made(out) == 32, "a scenario that has changed: all runs", made(out))
    plan(b, PLAN.replace("1..3", "1..4") + "keep: [report, log]\n")
    b.expect(0, "16 done", "", "sweep", path, "--out", out)
    kept = list(out.glob("runs/*/report.json"))
    b.check(len(kept) == 16 and len(list(out.glob("runs/*/log.txt"))) == 16, "what is to be kept is made", len(kept))
    key = {line["run"]: line["key"] for line in csv.DictReader(open(out / "timing.csv", newline=""))}["7"]
    report = json.loads((out / "runs" / key / "report.json").read_text())
    b.check(report["digest"] == rows(out)[7]["digest"], "and is found by the key in timing.csv")


def taken_up(b):
    """A sweep that is interrupted, or killed, leaves what is done; taken up, it is equal to one that was not."""
    whole, out = b.folder / "whole", b.folder / "part"
    b.expect(0, "60 runs: 60 done", "", "sweep", "sweep_speed", "--out", whole)
    for number, code in ((signal.SIGINT, 130), (signal.SIGKILL, -9)):
        before = made(out)
        with b.start("sweep", "sweep_speed", "--out", out) as p:
            end = time.monotonic() + b.patience
            while made(out) < before + 5 and time.monotonic() < end:
                time.sleep(0.01)
            p.popen.send_signal(number)
            b.check(p.wait() == code, f"exit {code}", p.popen.returncode, p.text())
        b.check(before + 5 <= made(out) < 60, "some are done", made(out))
    done = made(out)
    part = (out / "results.jsonl").read_text().splitlines()
    b.check(5 <= len(part) < 60 and set(part) <= set((whole / "results.jsonl").read_text().splitlines()), "the tables had what was done", len(part))
    b.expect(0, "60 runs: 60 done", f"{done} of 60 runs are there", "sweep", "sweep_speed", "--out", out)
    b.check(made(out) == 60, "nothing was made twice", made(out))
    b.check(tables(out) == tables(whole), "equal to the byte")


def failing(b):
    """Runs that fail: with the end of their log in the table, tried again as often as it is said, and first next time."""
    out = b.folder / "failing"
    path = plan(b, "scenario: e2e.yaml\naxes: {'robots[0].count': [2, -3, 4]}\nset: {time.duration: 100ms}\nretries: 2\n")
    b.expect(1, r"3 runs: 2 done, 1 failed, 0 missing", r"run 1 ended with status 2; convoy: .*--set robots\[0\]\.count=-3", "sweep", path, "--out", out)
    bad = rows(out)[1]
    b.check(bad["state"] == "failed" and bad["exit_code"] == 2 and bad["digest"] is None and "--set robots[0].count=-3" in bad["log"], "its row", bad)
    b.check([line["attempts"] for line in csv.DictReader(open(out / "timing.csv", newline=""))] == ["1", "1", "1"], "what is refused is not tried again")
    b.expect(1, "2 done, 1 failed", "2 of 3 runs are there", "sweep", path, "--out", out)
    b.check(made(out) == 4, "only what has failed ran again", made(out))
    slow = plan(b, "scenario: e2e.yaml\naxes: {seed: 1..2}\nset: {time.duration: 300s, time.speed: 1}\ntime_limit: 300ms\nretries: 1\n", "slow")
    b.expect(1, "2 runs: 0 done, 2 failed", r"run \d took longer than 0\.3 s", "sweep", slow, "--out", b.folder / "slow")
    timing = list(csv.DictReader(open(b.folder / "slow" / "timing.csv", newline="")))
    b.check([line["attempts"] for line in timing] == ["2", "2"], "tried once more", timing)
    left = subprocess.run(["pgrep", "-f", f"run {b.folder}/e2e.yaml"], capture_output=True, text=True)
    b.check(left.stdout == "", "no process is left", left.stdout)
    b.expect(0, r"failed: run 1 \(robots\[0\]\.count -3\): ended with status 2", None, "sweep", "show", out)


def scripts(b):
    """Metrics by a program of the user's over the recording."""
    script = b.folder / "ticks.py"
    script.write_text("#!/usr/bin/python3\nimport json, os, sys\nreport = json.load(open(sys.argv[2]))\n"
                      "print(json.dumps({'ticks': report['ticks'], 'deep': {'size': os.path.getsize(sys.argv[1]) > 1000}}))\n")
    text = ("scenario: e2e.yaml\naxes: {seed: 1..2}\nset: {time.duration: 100ms}\n"
            "metrics:\n  ticks: {script: ticks.py, field: ticks}\n  large: {script: ticks.py, field: deep.size}\n")
    path = plan(b, text)
    b.expect(2, None, r"\Aconvoy: .*plan.yaml: metrics.ticks.script: .*ticks.py is no program: chmod \+x makes it one\n\Z", "sweep", path)
    script.chmod(0o755)
    b.expect(0, "2 done", "", "sweep", path, "--out", b.folder / "scripted")
    b.check([(row["ticks"], row["large"]) for row in rows(b.folder / "scripted")] == [(10, True)] * 2, "its values", rows(b.folder / "scripted"))
    b.check(not (b.folder / "scripted" / "runs").exists(), "recordings that nobody keeps are gone")
    script.write_text("#!/bin/sh\necho no number >&2\nexit 3\n")
    b.expect(1, "0 done, 2 failed", "ticks.py ended with status 3; no number", "sweep", path, "--out", b.folder / "scripted")
    b.check(made(b.folder / "scripted") == 4, "another script: the runs are made anew", made(b.folder / "scripted"))
    script.write_text("#!/bin/sh\necho '{}'\n")
    b.expect(1, "0 done, 2 failed", "ticks.py printed no 'ticks'", "sweep", path, "--out", b.folder / "scripted")
    script.write_text("#!/bin/sh\necho none\n")
    b.expect(1, "0 done, 2 failed", "printed no number, and no JSON", "sweep", path, "--out", b.folder / "scripted")


def repeated(b):
    """A part is made twice, and digests that differ fail."""
    out, path = b.folder / "repeated", plan(b)
    b.expect(0, "12 done", r"3 runs were made once more, 0 came to something else", "sweep", path, "--out", out, "--check-repeat", "20%")
    journal = out / "runs.jsonl"
    digest = rows(out)[4]["digest"]
    journal.write_text(journal.read_text().replace(digest, "0" * 16))
    b.expect(1, "12 done", rf"run 4 came to {'0' * 16} before, and to {digest} once more", "sweep", path, "--out", out, "--check-repeat", "100")
    told = json.loads(b.expect(1, "", "", "sweep", path, "--out", out, "--check-repeat", "100%", "--json").stdout)
    b.check(told["differ"] == [4] and told["done"] == 12, "as JSON", told)

    kept = plan(b, PLAN + "keep: [report]\n", "kept")
    b.expect(0, "12 done", "", "sweep", kept, "--out", out)
    first = {file.parent.name: file.read_bytes() for file in (out / "runs").glob("*/report.json")}
    b.expect(0, "12 done", "12 runs were made once more, 0 came to something else", "sweep", kept, "--out", out, "--check-repeat", "100%")
    b.check({file.parent.name: file.read_bytes() for file in (out / "runs").glob("*/report.json")} == first, "the first is what is kept")
    journal.write_text(journal.read_text().replace(digest, "0" * 16))
    again = b.expect(1, "12 done", r"run 4 came to .* once more; what is kept of that: .*\.again$", "sweep", kept, "--out", out, "--check-repeat", "100%").stderr
    both = {file.parent.name: file.read_bytes() for file in (out / "runs").glob("*/report.json")}
    b.check(len(both) == 13 and first.items() <= both.items(), "and both where they differ", sorted(both))
    b.check(json.loads((out / "runs" / next(n for n in both if n.endswith(".again")) / "report.json").read_text())["digest"] == digest, "its report", again)
    name = next(iter(first))
    (out / "runs" / name).rename(out / "runs" / (name + ".first"))  # as a crash leaves it
    b.expect(0, "12 done", "", "sweep", kept, "--out", out)
    b.check((out / "runs" / name / "report.json").read_bytes() == first[name], "what stood aside is put back")


def shown(b):
    """What a sweep has come to, on the terminal and as a page."""
    out = b.folder / "shown"
    b.expect(0, "12 done", "", "sweep", plan(b), "--out", out)
    text = b.expect(0, r"12 runs, 12 done, 0 failed, 0 missing", None, "sweep", "show", out).stdout
    mean = sum(row["distance_m"] for row in rows(out) if row["robots[0].count"] == 4) / 6
    line = next(line for line in text.splitlines() if line.strip().startswith("robots[0].count 4"))
    b.check(abs(float(line.split()[2]) - mean) < 1e-4, "the mean over an axis", line, mean)
    page = b.folder / "page.html"
    b.expect(0, "page.html", None, "sweep", "show", out, "--html", page)
    html = page.read_text()
    b.check(html.count("<svg") == 9 and "http" not in html and "<script" not in html, "a figure for each metric and axis, and nothing from elsewhere", html.count("<svg"))
    b.expect(2, None, "no-such/plan.yaml: No such file", "sweep", "show", b.folder / "no-such")


def refused(b):
    """What cannot be run is one line, and leaves nothing."""
    def no(text, says, *more):
        path = plan(b, text, "wrong")
        r = b.expect(2, None, says, "sweep", path, "--out", b.folder / "wrong.sweep", *more)
        b.check(r.stderr.count("\n") == 1 and not (b.folder / "wrong.sweep").exists(), "one line, and no folder", r.stderr)

    no("scenario: e2e.yaml\naxes: {'robots[0].cuont': [1, 2]}\n", r"--set robots\[0\]\.cuont=1: .*unknown field; did you mean 'count'")
    no("scenario: e2e.yaml\naxes: {'robots[0].model': [turtlebot3_burger, turtlebot9]}\n", "turtlebot9")
    no("scenario: e2e.yaml\naxes: {seed: 1..3}\nmetrics: {way: totals.distance}\n", "metrics.way: no report has a field 'totals.distance'; did you mean 'distance_m'")
    no("scenario: e3e.yaml\n", r"wrong.yaml: scenario: no file 'e3e.yaml'")
    no("scenario: hallo\n", r"no scenario 'hallo'.*did you mean 'hello'")
    no("axes: {seed: 1..3}\n", "the field 'scenario' is missing")
    no("scenario: e2e.yaml\nmetrics: {way: {script: none.py}}\n", r"metrics.way.script: no file '.*none.py'")
    no("scenario: e2e.yaml\n", "--set seeds=4: .*did you mean 'seed'", "--set", "seeds=4")
    b.expect(2, None, r"nowhere.yaml: No such file|cannot open .*nowhere.yaml", "sweep", b.folder / "nowhere.yaml")
    good = plan(b)
    (b.folder / "file").write_text("")
    r = b.expect(2, None, "Not a directory", "sweep", good, "--out", b.folder / "file" / "out")
    b.check(r.stderr.count("\n") == 1, "one line", r.stderr)
    listed = b.expect(0, r"\A0 [0-9a-f]{16} robots\[0\]\.count=2 robots\[1\]\.count=1 time\.duration=200ms seed=1\n", None, "sweep", good, "--list")
    b.check(len({line.split()[1] for line in listed.stdout.splitlines()}) == 12 and not (b.folder / "plan.sweep").exists(), "keys of their own", listed.stdout)


def changed(b):
    """A scenario or a program that changes while a sweep runs ends it with one line; nothing is mixed."""
    path = plan(b, PLAN.replace("1..3", "1..200"))
    command = b.folder / "convoy"
    shutil.copy(b.convoy, command)
    other = b.folder / "other"
    other.write_text(f'#!/bin/sh\n{b.convoy} "$@"\nfor word; do [ "$before" = --report ] && sed -i "s/\\"build\\": \\"/&other/" "$word"; before=$word; done\n')
    other.chmod(0o755)
    changes = {"scenario": (lambda: b.scenario.write_text(b.scenario.read_text() + "# more\n"), r"^convoy: .*e2e.yaml: has changed while the sweep ran"),
               "program": (lambda: other.rename(command), r"^convoy: .*/convoy was replaced by another build while the sweep ran")}
    for name, (change, says) in changes.items():
        out = b.folder / name
        process = Process(b, ("sweep", path, "--out", out), command=[command])
        try:
            end = time.monotonic() + b.patience
            while made(out) < 3 and time.monotonic() < end:
                time.sleep(0.01)
            change()
            b.check(process.wait() == 1 and re.search(says, process.text(), re.M), f"the {name} changes", process.text())
        finally:
            process.end()
        b.check(3 <= len(rows(out)) < 800, "what was done is there", len(rows(out)))


def together(b):
    """Two sweeps on one folder: the second is refused, and the first goes on."""
    out, path = b.folder / "together", plan(b, PLAN.replace("200ms, 400ms", "20s, 40s"))
    with b.start("sweep", path, "--out", out) as p:
        end = time.monotonic() + b.patience
        while made(out) < 1 and time.monotonic() < end:
            time.sleep(0.01)
        b.expect(2, None, rf"\Aconvoy: {out}: process {p.popen.pid} is at work there\n\Z", "sweep", path, "--out", out)
        b.check(p.wait() == 0, "the first ends well", p.text())


@contextlib.contextmanager
def small_disk(b, size):
    """A folder on a file system of its own, or None where none may be mounted."""
    folder = b.folder / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder], capture_output=True).returncode != 0:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def full(b):
    """A disk that is full: one line, and the sweep goes on where there is room."""
    with small_disk(b, "32k") as disk:
        if not disk:
            print("full: no file system may be mounted here; not tried")
            return
        out, path = disk / "out", plan(b, PLAN.replace("1..3", "1..30"))
        r = b.call("sweep", path, "--out", out)
        b.check(r.returncode == 1 and "No space left on device" in r.stderr, "it ends", r.stdout, r.stderr)
        b.check(last_line(r.stderr).startswith("convoy: cannot write") and "No space left" in last_line(r.stderr), "with one line", r.stderr)
        b.check(not list(out.glob("*.new")), "and no half of a table", list(out.iterdir()))
        before = made(out)
        subprocess.run(["mount", "-o", "remount,size=4m", disk], check=True)
        b.expect(0, "120 runs: 120 done", "", "sweep", path, "--out", out)
        b.check(0 < before < 120, "some had been done", before)


def main():
    parts = {"small": small, "known": known, "taken_up": taken_up, "failing": failing, "scripts": scripts, "repeated": repeated,
             "shown": shown, "refused": refused, "changed": changed, "together": together, "full": full}
    wanted = sys.argv[2:] or list(parts)
    checks = failed = 0
    for name in wanted:
        with new_bench(sys.argv[1]) as b:
            b.run({name: parts[name]})
            checks, failed = checks + b.checks, failed + b.failed
    print(f"{checks} checks in all, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
