"""Robots of one model as arrays: a row each, one packed request per client and step, no loop over robots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .errors import ConvoyError
from .parts import picture

if TYPE_CHECKING:
    from .connection import Connection
    from .robot import Robot

LEVELS = {
    "minimal": ("nq", "nv"),
    "standard": ("nq", "nv", "na", "nsensordata"),
    "full": ("nq", "nv", "na", "nsensordata", "nu"),
}
COLUMNS = {"nq": "qpos", "nv": "qvel", "na": "act", "nsensordata": "sensordata", "nu": "ctrl"}


class Fleet:
    """N leased robots whose models have the same sizes; `Connection.fleet` makes one.

    columns: what is where in an observation: `qpos`, `qvel`, and by the level `act`, `sensordata`, `ctrl`. pictures: what
    each camera shows at the boundary, a row each, as `Connection.sensor` has it in `data`.
    """

    def __init__(self, connection: Connection, robots: Sequence[Robot], observations: str, cameras: Sequence[str] = ()):
        if observations not in LEVELS:
            raise ConvoyError("bad_value", f"observations is {observations!r}; allowed: {', '.join(LEVELS)}")
        if not robots:
            raise ConvoyError("bad_value", "a fleet needs robots")
        first = robots[0]
        for robot in robots:
            if any(getattr(robot, size) != getattr(first, size) for size in ("timestep_ns", *COLUMNS)):
                raise ConvoyError(
                    "bad_value",
                    f"'{robot.name}' differs from '{first.name}' in its sizes or timestep: "
                    "a fleet has robots of one model",
                )
        for robot in robots:
            for camera in cameras:
                if camera not in robot.cameras:
                    there = ", ".join(robot.cameras) or "none"
                    raise ConvoyError("bad_value", f"'{robot.name}' has no camera '{camera}'; it has {there}")
        self.cameras = list(cameras)
        self.pictures: dict[str, list[dict[str, Any]]] = {camera: [{}] * len(robots) for camera in cameras}
        self.connection = connection
        self.robots = list(robots)
        self.observations = observations
        self.columns: dict[str, slice] = {}
        width = 0
        for size in LEVELS[observations]:
            self.columns[COLUMNS[size]] = slice(width, width + getattr(first, size))
            width += getattr(first, size)
        self.nu = first.nu
        self.tick = 0
        rows: dict[int, list[int]] = {}
        for row, robot in enumerate(robots):
            rows.setdefault(robot.endpoint, []).append(row)
        self._rows = {i: np.array(mine) for i, mine in rows.items()}
        self._seen = np.zeros((len(robots), width))

    def __len__(self) -> int:
        return len(self.robots)

    def step(
        self,
        ctrl: npt.NDArray[np.float64],
        n_steps: int | None = None,
        *,
        ticks: int | None = None,
        reset_after: tuple[npt.NDArray[np.integer], npt.NDArray[np.float64], npt.NDArray[np.float64]] | None = None,
    ) -> npt.NDArray[np.float64]:
        """Sets controls [N, nu] (NaN leaves one as it is), steps, and gives the observation [N, width] there.

        reset_after: rows [k] with qpos [k, nq] and qvel [k, nv] that are put back at the boundary which the step
        reaches: they are seen as they then begin.
        """
        ctrl = np.asarray(ctrl, "<f8")
        if ctrl.shape != (len(self.robots), self.nu):
            raise ConvoyError("dim_mismatch", f"ctrl is {list(ctrl.shape)}; allowed: [{len(self.robots)}, {self.nu}]")
        length = self.connection.step_length(n_steps, ticks)
        requests: dict[int, tuple[str, dict[str, Any]]] = {}
        for i in range(len(self.connection.endpoints)):
            fields: dict[str, Any] = {**length, "observations": "none"}  # a client with none of them steps along
            if i in self._rows:
                fields.update(ctrl=ctrl[self._rows[i]].tobytes(), packed=True, observations=self.observations)
                self._show(fields, self._rows[i])
            requests[i] = ("step", fields)
        if reset_after is not None:
            for row, qpos, qvel in zip(*reset_after, strict=True):
                robot = self.robots[row]
                requests[robot.endpoint][1].setdefault("reset_after", {})[robot.name] = {
                    "qpos": qpos.tolist(),
                    "qvel": qvel.tolist(),
                }
        return self._see(self.connection.ask(requests))

    def reset(
        self,
        rows: npt.NDArray[np.integer] | None = None,
        qpos: npt.NDArray[np.float64] | None = None,
        qvel: npt.NDArray[np.float64] | None = None,
    ) -> npt.NDArray[np.float64]:
        """Puts rows (default: all) back to their start, or to qpos [k, nq], qvel [k, nv]; others stay. [N, width]."""
        rows = np.arange(len(self.robots)) if rows is None else np.asarray(rows)
        requests: dict[int, tuple[str, dict[str, Any]]] = {}
        for k, row in enumerate(rows):
            robot = self.robots[row]
            _, fields = requests.setdefault(
                robot.endpoint,
                (
                    "reset",
                    {
                        "packed": True,
                        "observations": self.observations,
                        "articulations": [],
                        "per_articulation_qpos": {},
                        "per_articulation_qvel": {},
                    },
                ),
            )
            fields["articulations"].append(robot.name)
            if qpos is not None:
                fields["per_articulation_qpos"][robot.name] = qpos[k].tolist()
            if qvel is not None:
                fields["per_articulation_qvel"][robot.name] = qvel[k].tolist()
        for i, (_, fields) in requests.items():
            self._show(fields, np.array([row for row in rows if self.robots[row].endpoint == i]))
        return self._see(self.connection.ask(requests))

    def _show(self, fields: dict[str, Any], rows: npt.NDArray[np.integer]) -> None:
        """Asks for what the cameras of these rows see."""
        if self.cameras:
            fields["include_cameras"] = [f"{self.robots[row].name}/{camera}" for row in rows for camera in self.cameras]

    def _see(self, replies: Mapping[int, Mapping[str, Any]]) -> npt.NDArray[np.float64]:
        self.connection.same_boundary(replies.values())
        for i, reply in replies.items():
            self.tick = reply.get("tick", 0)
            if i not in self._rows:
                continue
            packed = np.frombuffer(reply["obs"], "<f8")
            mine = self._rows[i]
            if packed.size != mine.size * self._seen.shape[1]:
                raise ConvoyError("bad_reply", f"{packed.size} numbers for {mine.size} robots of {self._seen.shape[1]}")
            self._seen[mine] = packed.reshape(mine.size, -1)
            for row in mine if self.cameras else ():
                for camera, told in reply.get("cameras", {}).get(self.robots[row].name, {}).items():
                    self.pictures[camera][row] = picture(told)
        return self._seen.copy()
