"""Sweeps: one scenario run many times along axes of its fields, by `convoy sweep` as a child process."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from .errors import ConvoyError
from .simulator import _start, _text, find_convoy

USAGE, INTERRUPTED = 2, 130  # exit codes of the command


@dataclasses.dataclass(frozen=True)
class Sweep:
    """What a sweep has come to.

    folder: its tables. rows: of results.jsonl, a dict for each run that was made, in plan order: `run`, the fields of the
    axes, `state` (done, failed), `digest`, `exit_code`, the metrics, `error`, `log`. planned, done, failed: numbers of runs.
    differ: runs that were made twice and came to something else.
    """

    folder: pathlib.Path
    rows: list[dict[str, Any]]
    planned: int
    done: int
    failed: int
    differ: list[int]

    def frame(self) -> Any:
        """The rows as a pandas.DataFrame. ImportError: there is no pandas."""
        import pandas

        return pandas.DataFrame(self.rows)


def _absolute(plan: Mapping[str, Any]) -> dict[str, Any]:
    """A plan's paths begin at its file; those of a dict here. What is no file stays the name of a scenario."""
    out = dict(plan)
    scenario = out.get("scenario")
    if isinstance(scenario, (str, os.PathLike)) and os.path.exists(scenario):
        out["scenario"] = os.path.abspath(scenario)
    metrics = out.get("metrics")
    if isinstance(metrics, Mapping):
        out["metrics"] = {
            name: {**metric, "script": os.path.abspath(metric["script"])}
            if isinstance(metric, Mapping) and isinstance(metric.get("script"), (str, os.PathLike))
            else metric
            for name, metric in metrics.items()
        }
    return out


def sweep(
    plan: Mapping[str, Any] | str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    at_once: int | None = None,
    check_repeat: float = 0,
    options: Sequence[str] = (),
    progress: bool = False,
    convoy: str | os.PathLike[str] | None = None,
) -> Sweep:
    """Runs what is missing of a plan, and returns all that is there.

    plan: as in docs/sweeps.md, a dict or the path of a file; an axis is a list, a range, or a text as "1..100". folder:
    where the results are and stay; given again, only what is missing or failed runs. at_once: runs at a time (default: as
    the cores allow). check_repeat: percent of the runs that are made twice. options: more words for `convoy sweep`.
    progress: show it on stderr. convoy: the program (default: find_convoy).

    Runs that fail are rows; ConvoyError `sweep_refused`: the plan cannot be run; `sweep_failed`: it broke off.
    KeyboardInterrupt leaves what is done.
    """
    program = find_convoy(convoy)
    folder = pathlib.Path(folder)
    with tempfile.TemporaryDirectory(prefix="convoy-sweep-") as beside:
        if isinstance(plan, Mapping):
            path = pathlib.Path(beside) / "plan.yaml"
            path.write_text(json.dumps(_absolute(plan), default=_listed))  # JSON is YAML
        else:
            path = pathlib.Path(plan)
        command = [program, "sweep", "run", os.fspath(path), "--out", os.fspath(folder), "--json", *options]
        if at_once is not None:
            command += ["--at-once", str(at_once)]
        if check_repeat:
            command += ["--check-repeat", str(check_repeat)]
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = _start(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=None if progress else err, start_new_session=True
            )
            try:
                code = process.wait()
            except BaseException:
                process.send_signal(signal.SIGINT)
                process.wait()
                raise
            said, wrong = _text(out), _text(err)
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    try:
        told = json.loads(said)
    except ValueError:
        lines = [line.removeprefix("convoy: ") for line in wrong.splitlines() if line.strip()]
        if code == USAGE:
            raise ConvoyError("sweep_refused", "\n".join(lines) or "see stderr") from None
        raise ConvoyError("sweep_failed", lines[-1] if lines else f"exit code {code}") from None
    with open(folder / "results.jsonl", encoding="utf-8") as table:
        rows = [json.loads(line) for line in table]
    return Sweep(folder, rows, told["runs"], told["done"], told["failed"], told["differ"])


def _listed(value: Any) -> Any:
    if isinstance(value, range):
        return list(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):  # numpy
        return value.tolist()
    raise ConvoyError("sweep_refused", f"a plan has texts, numbers, lists and maps, not {type(value).__name__}")
