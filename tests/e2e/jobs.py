"""What the tests of clusters share: jobs in folders of the bench, and what is to be read there."""
import json
import pathlib
import signal

from harness import last_line

# As long as it takes to meddle with a run.
SLOW = ("--speed", "1", "--duration", "6s")


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


def interrupted(p):
    """Ctrl-C ends the run in order, with its report, and its job."""
    folder, report = p.folder(), p.bench.folder / "interrupted.json"
    with p.bench.start(*p.launch(folder, "--speed", "1", "--duration", "60s", "--report", report)) as launch:
        p.begun(folder)
        launch.popen.send_signal(signal.SIGINT)
        p.check(launch.wait() == 130, "it ends as interrupted", launch.text())
        p.check(json.loads(report.read_text())["interrupted"] is True, "the report says so", launch.text())
    p.ended("Ctrl-C")
