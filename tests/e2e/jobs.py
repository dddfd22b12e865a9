"""What the tests of clusters share: jobs in folders of the bench, and what is to be read there."""
import json
import pathlib
import re
import shlex
import signal

from harness import last_line

# As long as it takes to meddle with a run.
SLOW = ("--speed", "1", "--duration", "6s")


ROOT = pathlib.Path(__file__).resolve().parents[2]


class Jobs:
    """A bench whose jobs an engine runs. Engines add launch(), begun() and ended()."""

    def __init__(self, bench, environment):
        self.bench = bench
        bench.environment.update(environment)
        self.expect, self.check = bench.expect, bench.check
        self.number = 0

    def folder(self):
        self.number += 1
        return self.bench.folder / f"job-{self.number}"

    def digest_of_run(self, *more):
        return last_line(self.bench.call("run", self.bench.scenario, "--log-level", "error", *more).stdout)


def out_of(folder):
    """What the server of a job's first attempt has said."""
    file = pathlib.Path(folder) / "attempt-0" / "server.out"
    return file.read_text() if file.exists() else ""


def made(folder):
    """Runs in a sweep's journal, and in the files of tasks that are at work."""
    files = [folder / "runs.jsonl", *folder.glob("jobs/*/done-*.jsonl")]
    return len({json.loads(line)["key"] for file in files if file.exists() for line in file.read_text().splitlines()})


def tables(folder):
    return [(folder / name).read_bytes() for name in ("results.csv", "results.jsonl")]


def commands_of(page):
    """The lines with which a guide's shell blocks start convoy, as words."""
    text = (ROOT / "docs" / page).read_text()
    return [shlex.split(line)[1:] for block in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S) for line in block.splitlines() if line.startswith("convoy ")]


def by_the_guide(p, page, *told, instead=()):
    """A guide's commands as they stand there come to what one machine makes. Runs are shortened, the engine is told what only this
    cluster has, and files that are elsewhere here are said `instead`."""
    place = p.bench.folder / "guide"
    place.mkdir()
    (place / "scenarios").symlink_to(ROOT / "scenarios")
    (place / "e2e.yaml").write_text(p.bench.scenario.read_text())
    (place / "plan.yaml").write_text("scenario: e2e.yaml\naxes: {seed: 1..6}\nmetrics: {distance_m: totals.distance_m}\n")
    short = ("--duration", "2s", "--speed", "max")
    one = last_line(p.expect(0, "digest", "", "run", "scenarios/warehouse.yaml", *short, cwd=place).stdout)
    p.expect(0, "6 done", "", "sweep", "plan.yaml", "--out", "local", cwd=place)
    commands = commands_of(page)
    p.check([words[0] for words in commands] == ["launch", "sweep"], "the guide has a run and a sweep", commands)
    for words in commands:
        for old, new in instead:
            words = [word.replace(old, new) for word in words]
        if words[0] == "launch":
            said = p.expect(0, "digest", "", *words, *short, *told, cwd=place)
            p.check(last_line(said.stdout) == one, "the digest is that of convoy run", said.stdout)
        else:
            p.expect(0, "6 done", "", *words, *told, cwd=place)
            p.check(tables(place / words[words.index("--out") + 1]) == tables(place / "local"), "equal to the byte")
    p.ended(page)


def interrupted(p):
    """Ctrl-C ends the run in order, with its report, and its job."""
    folder, report = p.folder(), p.bench.folder / "interrupted.json"
    with p.bench.start(*p.launch(folder, "--speed", "1", "--duration", "60s", "--report", report)) as launch:
        p.begun(folder)
        launch.popen.send_signal(signal.SIGINT)
        p.check(launch.wait() == 130, "it ends as interrupted", launch.text())
        p.check(json.loads(report.read_text())["interrupted"] is True, "the report says so", launch.text())
    p.ended("Ctrl-C")
