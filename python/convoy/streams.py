"""Streams of a robot client (docs/zmq.md): states and info that come, controls that go."""

from __future__ import annotations

import dataclasses
import json
import struct
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgpack
import numpy as np
import numpy.typing as npt
import zmq

from .endpoint import block_address, secure
from .errors import ConvoyError
from .parts import arrays


class Joint(NamedTuple):
    """A hinge or slide (of a ball the first number): rad or m, and their derivatives."""

    robot: str
    name: str
    id: int
    position: float
    velocity: float
    acceleration: float


class Sensor(NamedTuple):
    """values: float32 [dim], MuJoCo's; quaternions w first."""

    robot: str
    name: str
    id: int
    values: npt.NDArray[np.float32]


class BaseState(NamedTuple):
    """A free joint in the world's frame. orientation: w first, in both profiles. The velocities, linear in the world
    and angular about the body's axes, are in the profile `urlab01` alone, else None."""

    robot: str
    name: str
    position: npt.NDArray[np.floating]
    orientation: npt.NDArray[np.floating]
    linear: npt.NDArray[np.floating] | None
    angular: npt.NDArray[np.floating] | None


class Twist(NamedTuple):
    """What the operator commands: m/s forward and left, rad/s."""

    robot: str
    forward: float
    left: float
    yaw_rate: float


class Actions(NamedTuple):
    """Bit i: key i is held."""

    robot: str
    mask: int


@dataclasses.dataclass(frozen=True)
class Sample:
    """One sample of a sensor. index: its number, from 0 on; stamp_ns: when it was taken, of simulated time. data: by its
    type, as `Connection.sensor` gives it; lists of numbers are arrays."""

    robot: str
    sensor: str
    index: int
    stamp_ns: int
    type: str
    data: dict[str, Any]


Message = Joint | Sensor | BaseState | Twist | Actions | Sample


def decode(topic: bytes, payload: bytes, profile: str = "seed") -> Message | None:
    """One message of the state's port; None for a kind that this package does not know."""
    robot, _, rest = topic.decode().rstrip().partition("/")
    kind, _, name = rest.partition("/")
    try:
        if kind == "joint":
            return Joint(robot, name, *struct.unpack("<ifff", payload))
        if kind == "sensor":
            head = 4 if profile == "seed" else 8
            if len(payload) < head:
                raise struct.error
            return Sensor(robot, name, struct.unpack_from("<i", payload)[0], np.frombuffer(payload, "<f4", offset=head))
        if kind == "base_state":
            return _base_state(robot, name, payload, profile)
        if kind == "twist":
            return Twist(robot, *struct.unpack("<fff", payload))
        if kind == "actions":
            return Actions(robot, *struct.unpack("<i", payload))
        if kind == "sample":
            told = msgpack.unpackb(payload)
            data = arrays(told["data"])
            return Sample(robot, name, told["index"], told["stamp_ns"], told["type"], data)
    except (struct.error, ValueError, KeyError, TypeError, msgpack.UnpackException):
        raise ConvoyError(
            "bad_reply", f"{topic.decode()} has {len(payload)} bytes, which is no {kind} of profile {profile}"
        ) from None
    return None


def _base_state(robot: str, name: str, payload: bytes, profile: str) -> BaseState:
    if profile == "seed":
        row = np.array(struct.unpack("<7d", payload))
        return BaseState(robot, name, row[:3], row[3:], None, None)
    row = np.array(struct.unpack("<13f", payload), np.float32)
    return BaseState(robot, name, row[:3], row[[6, 3, 4, 5]], row[7:10], row[10:])  # x y z w on the wire


def _profile(profile: str) -> str:
    if profile not in ("seed", "urlab01"):
        raise ConvoyError("bad_value", f"profile is {profile!r}; allowed: seed, urlab01")
    return profile


class Stream:
    """The states of one client as they come; `convoy.stream` makes one. Iterating ends with ConvoyError `timeout`."""

    def __init__(self, address: str, prefix: str, profile: str, patience: float, server_key: str | None):
        self.profile = _profile(profile)
        self.patience = patience
        self.address = block_address(address, 0)
        self._socket = _subscriber(self.address, prefix.encode(), server_key)

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._socket.close()

    def __iter__(self) -> Iterator[Message]:
        while True:
            _await(self._socket, self.address, self.patience)
            frames = self._socket.recv_multipart()
            message = decode(frames[0], frames[1], self.profile) if len(frames) == 2 else None
            if message is not None:
                yield message


def stream(
    address: str = "127.0.0.1:5555",
    prefix: str = "",
    *,
    profile: str = "seed",
    patience: float = 10.0,
    server_key: str | None = None,
) -> Stream:
    """The states that a client publishes. address: the first port of its block. prefix: of the topics, as `MyRobot/`,
    `MyRobot/joint/` or `MyRobot/sample/scan`. profile: that of the block, `seed` or `urlab01`. patience: seconds without any message."""
    return Stream(address, prefix, profile, patience, server_key)


def info(
    address: str = "127.0.0.1:5555", *, patience: float = 10.0, server_key: str | None = None
) -> Iterator[dict[str, Any]]:
    """What a client sends of its robots, again and again: type, robot, names, ids, mins, maxs, camera_list."""
    where = block_address(address, 2)
    with _subscriber(where, b"", server_key) as socket:
        while True:
            _await(socket, where, patience)
            yield json.loads(socket.recv())


@dataclasses.dataclass(frozen=True)
class Frame:
    """A picture of a camera's stream. pixels: color [height, width, 3] uint8, depth [height, width] float32 (m, infinite
    where nothing is), or numbers or classes [height, width] uint32. index, time (s, simulated) and captured (s since
    1970): where the stream says them (`pictures: ucm2`), else None."""

    robot: str
    camera: str
    pixels: npt.NDArray[Any]
    index: int | None = None
    time: float | None = None
    captured: float | None = None


def camera(
    robot: str, name: str, address: str = "127.0.0.1:5555", *, patience: float = 10.0, server_key: str | None = None
) -> Iterator[Frame]:
    """The pictures of a robot's camera as they come. address: the first port of its client's block."""
    place = _place_of(robot, name, info(address, patience=patience, server_key=server_key), patience)
    with _subscriber(place["endpoint"], f"{robot}/camera/{name} ".encode(), server_key) as socket:
        while True:
            _await(socket, place["endpoint"], patience)
            frames = socket.recv_multipart()
            if len(frames) == 2:
                yield _frame(robot, name, place, frames[1])


def _place_of(robot: str, camera: str, told: Iterator[dict[str, Any]], patience: float) -> dict[str, Any]:
    """Where the camera's stream is, by what the client says of its robots."""
    begun = time.monotonic()
    for one in told:
        if one["robot"] == robot:
            cameras: dict[str, dict[str, Any]] = {place["name"]: place for place in one["camera_list"]}
            if camera not in cameras:
                there = ", ".join(cameras) or "none"
                raise ConvoyError("bad_value", f"'{robot}' has no camera '{camera}'; it has {there}")
            return cameras[camera]
        if time.monotonic() - begun > patience:
            break
    raise ConvoyError("unknown_articulation", f"no robot is named '{robot}' there")


def _frame(robot: str, name: str, place: Mapping[str, Any], payload: bytes) -> Frame:
    stamp: tuple[Any, ...] = (None, None, None)
    height, width = place["height"], place["width"]
    pixels = memoryview(payload)
    version = struct.unpack_from("<I", payload, 4)[0] if payload[:4] == b"UCM1" and len(payload) >= 8 else 0
    head = {1: 32, 2: 40}.get(version, 0)
    if head and len(payload) >= head:
        index, at, width, height = struct.unpack_from("<QdII", payload, 8)
        stamp = (index, at, struct.unpack_from("<d", payload, 32)[0] if version == 2 else None)
        pixels = pixels[head:]
    if len(pixels) != 4 * width * height:
        raise ConvoyError("bad_reply", f"{robot}/{name} sent {len(pixels)} bytes for {width} x {height} pixels")
    if place["shows"] == "bgra8":
        return Frame(robot, name, np.frombuffer(pixels, np.uint8).reshape(height, width, 4)[..., 2::-1], *stamp)
    if place["shows"] == "depth_cm":
        return Frame(robot, name, np.frombuffer(pixels, "<f4").reshape(height, width) / np.float32(100), *stamp)
    return Frame(robot, name, np.frombuffer(pixels, "<u4").reshape(height, width), *stamp)


class Control:
    """Commands to one client's robots, without answers; `convoy.control` makes one."""

    def __init__(self, address: str, patience: float, server_key: str | None):
        where = block_address(address, 1)
        # An XPUB is a PUB that learns who subscribes: what is sent before the first has would be lost.
        self._socket: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.XPUB)
        self._socket.setsockopt(zmq.LINGER, 1000)
        secure(self._socket, server_key)
        self._socket.connect(where)
        try:
            _await(self._socket, where, patience)
        except ConvoyError:
            self._socket.close(linger=0)
            raise

    def __enter__(self) -> Control:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._socket.close()

    def send(self, robot: str, values: Mapping[int, float]) -> None:
        """Sets actuators by their number (that of the info message); in the next tick or step, until others come."""
        pairs = b"".join(struct.pack("<if", number, value) for number, value in values.items())
        self._socket.send_multipart((f"{robot}/control ".encode(), struct.pack("<i", len(values)) + pairs))

    def set_gains(self, robot: str, gains: Mapping[str, Mapping[str, float]]) -> None:
        """Switches a robot to PD: name of an actuator or joint to kp, kv, torque_limit."""
        self._socket.send_multipart((f"{robot}/set_gains ".encode(), json.dumps(gains).encode()))


def control(address: str = "127.0.0.1:5555", *, patience: float = 10.0, server_key: str | None = None) -> Control:
    """Opens the way to a client's robots, and waits until it listens. address: the first port of its block."""
    return Control(address, patience, server_key)


def _subscriber(address: str, prefix: bytes, server_key: str | None) -> zmq.Socket[bytes]:
    socket: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.SUB)
    socket.setsockopt(zmq.LINGER, 0)
    secure(socket, server_key)
    socket.setsockopt(zmq.SUBSCRIBE, prefix)
    socket.connect(address)
    return socket


def _await(socket: zmq.Socket[bytes], address: str, patience: float) -> None:
    begun = time.monotonic()
    while not socket.poll(int(patience * 1000)):
        if time.monotonic() - begun >= patience:
            raise ConvoyError("timeout", f"nothing came from {address} within {patience:g} s")
