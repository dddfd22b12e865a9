"""Calls about one part of a robot's physics, and what it touches."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .endpoint import Endpoint


def arrays(value: Any) -> Any:
    """Lists of numbers as arrays; what the wire has no number for ("inf", "-inf", null) is one again."""
    if isinstance(value, Mapping):
        return {key: arrays(v) for key, v in value.items()}
    if not isinstance(value, list):
        return value
    if all(v is None or isinstance(v, (int, float)) or v in ("inf", "-inf") for v in value):
        return np.array([np.nan if v is None else float(v) for v in value])
    return [arrays(v) for v in value]


IMAGES: dict[str, tuple[Any, int]] = {
    "color": (np.dtype(np.uint8), 3),
    "depth": (np.dtype("<f4"), 1),
    "numbers": (np.dtype("<u4"), 1),
    "classes": (np.dtype("<u4"), 1),
}


def picture(told: Mapping[str, Any]) -> dict[str, Any]:
    """What a camera shows: lens (width, height, fx, fy, cx, cy, ...) and, of those that it takes, color [height, width,
    3] uint8, depth [height, width] float32 (m, infinite where nothing is), numbers and classes [height, width] uint32."""
    out = {key: arrays(value) for key, value in told.items() if key not in IMAGES}
    height, width = int(told["lens"]["height"]), int(told["lens"]["width"])
    for name, (kind, channels) in IMAGES.items():
        if name in told:
            flat = np.frombuffer(told[name], kind)
            out[name] = flat.reshape(height, width, channels) if channels > 1 else flat.reshape(height, width)
    return out


def plain(value: Any) -> Any:
    """The same without numpy, as msgpack wants it."""
    if isinstance(value, Mapping):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


class Parts(abc.ABC):
    """What a connection asks of single robots of MuJoCo."""

    @abc.abstractmethod
    def _at(self, name: str) -> Endpoint:
        """The client that has the robot."""

    def apply_force(
        self,
        name: str,
        force: Sequence[float] = (0.0, 0.0, 0.0),
        torque: Sequence[float] = (0.0, 0.0, 0.0),
        duration: float = 0.1,
        body: str = "",
    ) -> int:
        """Pushes one body of a MuJoCo robot (none: its base) for `duration` s of simulated time. The tick.

        force: N, torque: N m, both in the world, at the body's centre of mass. They take the place of what pushes that
        body already; a duration of 0 ends it.
        """
        fields = plain({"force": force, "torque": torque, "duration": float(duration), "body": body})
        return int(self._at(name).request("apply_force", articulation=name, **fields).get("tick", 0))

    def set_option(self, name: str, option: str, value: float) -> int:
        """Sets an option of a MuJoCo robot's engine, named as in MJCF; `solver` is 0 PGS, 1 CG, 2 Newton. The tick."""
        reply = self._at(name).request("set_option", articulation=name, option=option, value=float(value))
        return int(reply.get("tick", 0))

    def keyframes(self, name: str) -> list[dict[str, Any]]:
        """The model's keyframes: name, time, qpos, qvel, ctrl."""
        frames: list[dict[str, Any]] = self._at(name).request("list_keyframes", articulation=name)["keyframes"]
        return frames

    def contacts(self, name: str) -> list[dict[str, Any]]:
        """What a robot touches: body, other (an entity; "": none), other_body (of its own file), position and normal
        (m, in the world; the normal points to the robot's body), force (N, on the robot's body), depth (m).

        A robot of the built-in physics knows no forces.
        """
        found: list[dict[str, Any]] = self._at(name).request("get_contacts", articulation=name)["contacts"]
        return found

    def sensors(self, name: str) -> list[dict[str, Any]]:
        """The sensors of a robot: sensor (its name), type, message (of ROS) and period (s)."""
        found: list[dict[str, Any]] = self._at(name).request("get_sensor", articulation=name)["sensors"]
        return found

    def sensor(self, name: str, sensor: str) -> dict[str, Any]:
        """What a sensor of a robot shows now: type, message, index, stamp_ns and data, whose lists of numbers are arrays;
        of a camera lens, color [height, width, 3] and the like, as `Boundary.cameras` has them.

        It is the newest sample if the sensor takes one at this boundary, else that which it would take.
        """
        reply: dict[str, Any] = self._at(name).request("get_sensor", articulation=name, sensor=sensor)
        reply["data"] = picture(reply["data"]) if reply.get("type") == "camera" else arrays(reply["data"])
        return reply

    def set_sensor(self, name: str, sensor: str, **fields: Any) -> None:
        """Changes a sensor of a robot from the next tick on: rate (Hz) or period, on, and the parameters of its type.

        Parameters that are not named are as the scenario has them; a call with none leaves them alone.
        """
        self._at(name).request("set_sensor", articulation=name, sensor=sensor, fields=plain(fields))
