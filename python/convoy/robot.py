"""What is known of a robot, and how it is at a boundary."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt


def few(names: Collection[str]) -> str:
    """The first few, for people."""
    shown = ", ".join(list(names)[:4])
    return f"[{shown}{f' and {len(names) - 4} more' if len(names) > 4 else ''}]"


@dataclasses.dataclass(frozen=True, repr=False)
class Robot:
    """What does not change about a robot.

    nq, nv, nu, na, nsensordata: MuJoCo's sizes. joints: maps with name, id, type, qposadr, dofadr, limited, low, high.
    actuators: name, id, low, high, limited. sensors: name, id, dim, adr. timestep: of its physics, in seconds. cameras:
    their names.
    """

    name: str
    host: str
    endpoint: int
    model: str
    timestep_ns: int
    nq: int
    nv: int
    nu: int
    na: int
    nsensordata: int
    joints: tuple[dict[str, Any], ...]
    actuators: tuple[dict[str, Any], ...]
    sensors: tuple[dict[str, Any], ...]
    keyframes: tuple[str, ...]
    cameras: tuple[str, ...] = ()

    @property
    def timestep(self) -> float:
        return self.timestep_ns * 1e-9

    def __repr__(self) -> str:
        return f"Robot({self.name!r}, {self.model!r}, host={self.host!r}, nq={self.nq}, nv={self.nv}, nu={self.nu})"

    @staticmethod
    def read(host: str, endpoint: int, told: Mapping[str, Any]) -> Robot:
        sizes: dict[str, Any] = {
            key: int(told.get(key, 0)) for key in ("timestep_ns", "nq", "nv", "nu", "na", "nsensordata")
        }
        lists: dict[str, Any] = {
            key: tuple(told.get(key, ())) for key in ("joints", "actuators", "sensors", "keyframes")
        }
        cameras = tuple(topic.strip().rpartition("/")[2] for topic in told.get("camera_topics", ()))
        return Robot(told["name"], host, endpoint, told.get("model", ""), **sizes, **lists, cameras=cameras)


@dataclasses.dataclass(frozen=True)
class RobotState:
    """A robot at a boundary. What the level of observation leaves out is None.

    qpos [nq], qvel [nv], act [na], ctrl [nu]: as in MuJoCo; positions in the world's frame, quaternions w first, m,
    rad, m/s, rad/s. sensors: name to its values. twist: commanded, (m/s, m/s, rad/s). actions: mask of keys.
    """

    qpos: npt.NDArray[np.float64]
    qvel: npt.NDArray[np.float64]
    act: npt.NDArray[np.float64] | None = None
    ctrl: npt.NDArray[np.float64] | None = None
    sensors: dict[str, npt.NDArray[np.float64]] | None = None
    twist: npt.NDArray[np.float64] | None = None
    actions: int | None = None
    state: bytes | None = None

    @staticmethod
    def read(told: Mapping[str, Any]) -> RobotState:
        def row(key: str) -> Any:
            return np.asarray(told[key], np.float64) if told.get(key) is not None else None

        sensors = {k: np.asarray(v, np.float64) for k, v in told["sensors"].items()} if "sensors" in told else None
        return RobotState(
            row("qpos"),
            row("qvel"),
            row("act"),
            row("ctrl"),
            sensors,
            row("twist"),
            told.get("actions"),
            told.get("state"),
        )


@dataclasses.dataclass(frozen=True, repr=False)
class Boundary:
    """Where the world is: tick and step since the run began, simulated time in seconds, robots by name: those that
    this session has leased, or all where it has leased none."""

    tick: int
    step: int
    time: float
    run: int
    robots: dict[str, RobotState]
    cameras: dict[str, dict[str, dict[str, Any]]] = dataclasses.field(default_factory=dict)
    """Of those that were asked for, by robot and name: index, stamp_ns, lens, and color [height, width, 3] uint8, depth
    [height, width] float32 (m), numbers, classes [height, width] uint32, as each takes them."""

    def __repr__(self) -> str:
        return f"Boundary(tick={self.tick}, step={self.step}, time={self.time:g}, robots={few(self.robots)})"
