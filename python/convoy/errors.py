"""The one exception of this package."""

from __future__ import annotations


class ConvoyError(Exception):
    """Something that the simulator refused, or that kept it from answering.

    code: of the simulator (docs/calls.md), or of this package: `timeout` (no answer in time), `bad_reply` (an answer
    that is none), `nobody_there` (nobody listens there), `simulator_missing` (no program to start), `simulator_ended` (the program that was started is
    gone), `closed` (this side has closed), `sweep_refused` and `sweep_failed` (of a sweep), `out_of_step` (hosts that are not at one boundary). message: one line
    for people.
    """

    def __init__(self, code: str, message: str):
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message

    def __reduce__(self) -> tuple[type[ConvoyError], tuple[str, str]]:
        return ConvoyError, (self.code, self.message)
