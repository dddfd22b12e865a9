#!/usr/bin/env python3
"""convoy launch when its children die, stand still, or never come: it ends with a line, and leaves nobody behind.

    tests/e2e/test_launch.py CONVOY [PART...]      parts: dead still lonely; default all

Standard library only. Prints one line per check that fails and exits 1 if there is any.
"""
import os
import re
import signal
import socket
import sys
import time

from harness import new_bench

RUN = ("--hosts", 2, "--duration", "600s", "--speed", 1)


class Deaf:
    """An address that takes links and says nothing."""

    def __enter__(self):
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen(100)
        self.address = f"127.0.0.1:{self.socket.getsockname()[1]}"
        return self

    def __exit__(self, *_):
        self.socket.close()


def wait_for(found, patience):
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if found():
            return
        time.sleep(0.02)
    raise RuntimeError("it did not come")


def clients(run):
    return [pid for pid, argv in run.family().items() if len(argv) > 1 and argv[1] == "client"]


def over(b, run, code, line, what):
    b.check(run.wait() == code, f"{what}: exit {run.popen.returncode}, not {code}", run.text())
    b.check(re.search(line, run.err.read_text(), re.M), f"{what}: stderr lacks /{line}/", run.text())
    b.check(not run.family(), f"{what}: processes are left", run.family())


def dead(b):
    """A child that is gone before the start, or all of them after it."""
    with Deaf() as deaf, b.start("launch", b.scenario, *RUN, "--relay", deaf.address) as run:
        wait_for(lambda: len(clients(run)) == 2, b.patience)
        os.kill(run.client("host1"), signal.SIGKILL)
        over(b, run, 1, r"^convoy: host1 has ended before the run began, which cannot begin without it$", "a client that was killed")
        b.check("host1 (process" in run.text() and "was killed by SIGKILL" in run.text(), "nobody says how it ended", run.text())
    with Deaf() as deaf, b.start("launch", b.scenario, *RUN, "--relay", deaf.address) as run:
        wait_for(lambda: len(clients(run)) == 2, b.patience)
        os.kill(run.server(), signal.SIGKILL)
        over(b, run, 1, r"^convoy: the server \(process \d+\) was killed by SIGKILL", "a server that was killed before the start")
    for leave in ("freeze", "remove"):
        with b.start("launch", b.scenario, "--hosts", 2, "--duration", "3s", "--speed", 1, "--leave", leave) as run:
            run.wait_for("the run begins")
            for name in ("host0", "host1"):
                os.kill(run.client(name), signal.SIGKILL)
            over(b, run, 1, r"lost host0", f"all clients were killed, {leave}")
    with b.start("launch", b.scenario, *RUN) as run:
        run.wait_for("the run begins")
        os.kill(run.server(), signal.SIGKILL)
        over(b, run, 1, r"^convoy: the server \(process \d+\) was killed by SIGKILL", "a server that was killed")


def still(b):
    """A server that stands still keeps nobody waiting: neither Ctrl-C nor, for ever, the run."""
    with b.start("launch", b.scenario, *RUN) as run:
        run.wait_for("the run begins")
        os.kill(run.server(), signal.SIGSTOP)
        os.kill(run.popen.pid, signal.SIGINT)
        over(b, run, 130, r"^convoy: the server \(process \d+\) was asked to end and does not: it is killed$", "Ctrl-C")
    with b.start("launch", b.scenario, *RUN, "--patience", 3) as run:
        run.wait_for("the run begins")
        os.kill(run.server(), signal.SIGSTOP)
        over(b, run, 1, r"^convoy: the server \(process \d+\) has said and done nothing for \d+ s: the run is given up$", "a stopped server")
    # A run that is paused, or slow, says so again and again.
    with b.start("launch", b.scenario, "--hosts", 2, "--duration", "600s", "--paused", "--patience", 2) as run:
        run.wait_for("the run begins")
        time.sleep(5)
        b.check(run.popen.poll() is None, "a run that is paused was given up", run.text())


def lonely(b):
    """Clients that never come to the run: given up, with what is waited for; people may take their time."""
    with Deaf() as deaf, b.start("launch", b.scenario, *RUN, "--relay", deaf.address, "--patience", 3) as run:
        over(b, run, 1, r"^convoy: no progress, waiting for host0, host1 for \d+ s: the run is given up$", "a deaf server")
    outside = b.folder / "outside.yaml"
    outside.write_text(b.scenario.read_text() + "wait_for: {names: [friend], deadline: 600s}\n")
    with b.start("launch", outside, *RUN, "--patience", 2) as run:
        time.sleep(6)
        b.check(run.popen.poll() is None, "who is started by hand was not waited for", run.text())


PARTS = {"dead": dead, "still": still, "lonely": lonely}


def main():
    with new_bench(sys.argv[1]) as b:
        b.run(PARTS, sys.argv[2:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
