#!/usr/bin/env python3
"""Sweeps from Python: the plan as a dict, results as dicts, what is refused, and an interrupt.

    .env/python/bin/python tests/e2e/test_python_sweep.py build/convoy [PART]
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import numpy as np
from harness import new_bench

import convoy

PLAN = {
    "scenario": "e2e.yaml",
    "axes": {"robots[0].count": np.array([1, 2]), "seed": range(1, 4)},
    "set": {"time.duration": "200ms"},
    "metrics": {"distance_m": "totals.distance_m", "rate": "rtf"},
}


def rows(b):
    """A dict as plan gives what the command gives of it as a file; the second time nothing runs."""
    os.chdir(b.folder)
    swept = convoy.sweep(PLAN, b.folder / "dict", at_once=1)
    b.check((swept.planned, swept.done, swept.failed, swept.differ) == (6, 6, 0, []), "numbers of runs", swept)
    b.check([(row["robots[0].count"], row["seed"]) for row in swept.rows] == [(c, s) for c in (1, 2) for s in (1, 2, 3)], "plan order", swept.rows)
    b.check(all(row["state"] == "done" and row["distance_m"] > 0 for row in swept.rows), "its values", swept.rows)
    path = b.folder / "plan.yaml"
    path.write_text(json.dumps({**PLAN, "axes": {"robots[0].count": [1, 2], "seed": "1..3"}}))
    same = convoy.sweep(path, b.folder / "file", check_repeat=50)
    b.check(same.rows == swept.rows, "a file gives the same rows", same.rows)
    before = (b.folder / "dict" / "runs.jsonl").read_text()
    again = convoy.sweep(PLAN, b.folder / "dict")
    b.check(again.rows == swept.rows and (b.folder / "dict" / "runs.jsonl").read_text() == before, "nothing runs twice")
    sys.modules["pandas"] = types.SimpleNamespace(DataFrame=lambda given: ("frame", given))
    b.check(swept.frame() == ("frame", swept.rows), "as a data frame", swept.frame())
    del sys.modules["pandas"]


def refused(b):
    """A plan that cannot be run, a folder that cannot be made, runs that fail."""
    os.chdir(b.folder)

    def no(code, says, plan, folder=b.folder / "no"):
        try:
            convoy.sweep(plan, folder)
            b.check(False, f"no {code}", plan)
        except convoy.ConvoyError as error:
            b.check(error.code == code and says in error.message, f"{code}: {says}", error)

    no("sweep_refused", "did you mean 'seed'", {**PLAN, "axes": {"sed": [1]}})
    no("sweep_refused", "no scenario 'hallo'", {"scenario": "hallo"})
    no("sweep_refused", "not set", {**PLAN, "axes": {"seed": {1, 2}}})
    no("sweep_refused", "Not a directory", PLAN, b.scenario / "out")
    swept = convoy.sweep({**PLAN, "axes": {"robots[0].count": [1, -1, 2]}}, b.folder / "failed")
    b.check([row["state"] for row in swept.rows] == ["done", "failed", "done"] and "count=-1" in swept.rows[1]["log"], "a run that fails is a row", swept.rows)


def interrupted(b):
    """KeyboardInterrupt in the program ends the runs and leaves what is done."""
    program = ("import convoy\ntry:\n  convoy.sweep({'scenario': 'e2e.yaml', 'axes': {'seed': '1..5000'}}, 'long')\n"
               "except KeyboardInterrupt:\n  print('interrupted')\n")
    environment = {**b.environment, "PYTHONPATH": str(ROOT / "python"), "CONVOY_BIN": b.convoy}
    p = subprocess.Popen([sys.executable, "-c", program], cwd=b.folder, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True)
    journal = b.folder / "long" / "runs.jsonl"
    end = time.monotonic() + b.patience
    while time.monotonic() < end and (not journal.exists() or journal.read_text().count("\n") < 3):
        time.sleep(0.02)
    p.send_signal(signal.SIGINT)
    said, _ = p.communicate(timeout=b.patience)
    b.check(said == "interrupted\n", "it is told", said)
    done = (b.folder / "long" / "results.csv").read_text().count("\n") - 1
    b.check(3 <= done < 5000, "what is done is there", done)


def example(b):
    """examples/python/sweep.py prints its table."""
    environment = {**b.environment, "PYTHONPATH": str(ROOT / "python"), "CONVOY_BIN": b.convoy}
    for _ in range(2):
        r = subprocess.run([sys.executable, ROOT / "examples" / "python" / "sweep.py"], cwd=b.folder, env=environment, capture_output=True, text=True, timeout=b.patience)
        b.check(r.returncode == 0 and r.stdout.startswith("0.2 m/s: 5.84 m, deviation 0.00 m, of 10 runs\n") and r.stdout.count("\n") == 4, "its table", r.stdout, r.stderr)


def main():
    os.environ["CONVOY_BIN"] = os.path.abspath(sys.argv[1])
    with new_bench(sys.argv[1]) as b:
        b.run({"rows": rows, "refused": refused, "interrupted": interrupted, "example": example}, sys.argv[2:])
        os.chdir(ROOT)
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
