"""Calls to a run: its robots, stepping, resets, states, over the endpoints of all its robot clients."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .endpoint import Endpoint, block_address, wait_for_listener
from .entities import Entities
from .errors import ConvoyError
from .fleet import Fleet
from .parts import Parts, picture, plain
from .robot import Boundary, Robot, RobotState, few

Controls = Sequence[float] | npt.NDArray[np.floating] | Mapping[str, float]
"""Of one robot: a value for each actuator, in order (NaN leaves one as it is), or some by name. Units: the model's."""


class Connection(Parts, Entities):
    """A session at each robot client of a run; `convoy.connect` makes one. For one thread, and a context manager.

    robots: by name, in the order of the clients. tick_ns: length of a tick. After `session_timeout` seconds in which
    this side asks nothing, its leases and its hold on the world end (error `session_expired`).
    name: as whom it holds leases, at each client; without one, each session holds under a name of its own. wait: seconds
    that nobody needs to listen there yet; after them, ConvoyError `nobody_there`.
    """

    def __init__(
        self,
        address: str = "127.0.0.1:5555",
        *,
        session_timeout: float = 10.0,
        patience: float = 30.0,
        alive: Callable[[], None] | None = None,
        server_key: str | None = None,
        name: str | None = None,
        wait: float = 0.0,
    ):
        self._endpoints: list[Endpoint] = []
        self._options: dict[str, Any] = dict(patience=patience, alive=alive, server_key=server_key)
        self._leased: list[list[str]] = []
        self.robots: dict[str, Robot] = {}
        self.mode = "live"
        first = address if address.startswith("tcp://") else block_address(address, 4)
        if alive is None:  # else it is being started, and `alive` tells when it is not
            wait_for_listener(first, wait)
        try:
            greeting: dict[str, Any] = {"timeout": session_timeout} | ({"name": name} if name is not None else {})
            self.hello = self._greet(first, greeting)
            for other in self.hello.get("endpoints", [])[1:]:
                self._greet(_reachable(other["calls"], first), greeting)
        except BaseException:
            self.close()
            raise
        self.tick_ns = int(self.hello["tick_ns"])

    def _greet(self, address: str, greeting: dict[str, Any]) -> dict[str, Any]:
        endpoint = Endpoint(address, **self._options)
        self._endpoints.append(endpoint)
        self._leased.append([])
        hello = self._hello(endpoint, greeting)
        endpoint.session = hello["session_id"]
        for told in hello["articulations"]:
            robot = Robot.read(hello.get("host", ""), len(self._endpoints) - 1, told)
            self.robots[robot.name] = robot
        return hello

    @staticmethod
    def _hello(endpoint: Endpoint, greeting: dict[str, Any]) -> dict[str, Any]:
        """A client answers before its run has begun, but knows no robots then."""
        end = time.monotonic() + endpoint.patience
        while True:
            try:
                return endpoint.request("hello", client_version="convoy-python", **greeting)
            except ConvoyError as error:
                if error.code != "not_ready" or time.monotonic() > end:
                    raise
            time.sleep(0.005)

    def __repr__(self) -> str:
        where = self._endpoints[0].address if self._endpoints else "nowhere"
        return f"Connection({where}, {self.mode}, robots={few(self.robots)})"

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the sessions: leases are given up, and the world goes on if this side held it."""
        for endpoint in self._endpoints:
            endpoint.say_bye()
        for endpoint in self._endpoints:
            endpoint.close()

    @property
    def endpoints(self) -> list[Endpoint]:
        return self._endpoints

    # ---- requests to several clients: all are sent before the first answer is waited for ----

    def ask(self, requests: Mapping[int, tuple[str, dict[str, Any]]]) -> dict[int, dict[str, Any]]:
        """One request to each named endpoint at once; the first error of any is raised when all have answered."""
        replies, trouble, sent = {}, None, []
        for i, (op, fields) in requests.items():
            self._endpoints[i].send(op, fields)
            sent.append(i)
        for i in sent:
            try:
                replies[i] = self._endpoints[i].receive()
            except ConvoyError as error:
                trouble = trouble or error
                if error.code in ("simulator_ended", "timeout"):
                    break
        if trouble:
            raise trouble
        return replies

    def _ask_all(self, op: str, **fields: Any) -> list[dict[str, Any]]:
        replies = self.ask({i: (op, dict(fields)) for i in range(len(self._endpoints))})
        return [replies[i] for i in sorted(replies)]

    def _by_endpoint(self, names: Iterable[str]) -> dict[int, list[str]]:
        found: dict[int, list[str]] = {}
        for name in names:
            found.setdefault(self.robot(name).endpoint, []).append(name)
        return found

    def robot(self, name: str) -> Robot:
        if name not in self.robots:
            raise ConvoyError(
                "unknown_articulation", f"no robot is named '{name}'; there are {', '.join(self.robots) or 'none'}"
            )
        return self.robots[name]

    def _at(self, name: str) -> Endpoint:
        return self._endpoints[self.robot(name).endpoint]

    # ---- leases ----

    def lease(self, names: Iterable[str] | None = None) -> list[Robot]:
        """Takes robots (default: all) for this holder alone: nobody else commands them, through whatever door.

        ConvoyError `leased`: another has one of them, and none is taken. What the robots' own drivers and nodes command
        rests, too.
        """
        names = list(self.robots) if names is None else list(names)
        taken: dict[int, list[str]] = {}
        try:
            for i, wanted in self._by_endpoint(names).items():
                before = set(self._leased[i])
                self._leased[i] = list(self._endpoints[i].request("lease", articulations=wanted)["articulations"])
                taken[i] = [name for name in self._leased[i] if name not in before]
        except ConvoyError:
            for i, new in taken.items():
                self._give_up(i, new)
            raise
        return [self.robots[name] for name in names]

    def release(self) -> None:
        """Gives up all leases."""
        for i, names in enumerate(self._leased):
            self._give_up(i, list(names))

    def _give_up(self, i: int, names: list[str]) -> None:
        if names:
            self._endpoints[i].request("release", articulations=names)
            self._leased[i] = [name for name in self._leased[i] if name not in names]

    def fleet(
        self, names: Sequence[str] | None = None, observations: str = "minimal", cameras: Sequence[str] = ()
    ) -> Fleet:
        """Leases robots of one model and steps them as arrays, a row each in the order named (default: all robots).

        Other leases of this session are given up: what is packed goes in the order of the leases. cameras: names of such
        as each of them has; what they see is in `Fleet.pictures`.
        """
        names = list(self.robots) if names is None else list(names)
        self.release()
        self.lease(names)
        return Fleet(self, [self.robots[name] for name in names], observations, cameras)

    # ---- the world ----

    def set_mode(self, mode: str) -> None:
        """`stepped`: the world waits at each boundary for this session; `live`: it goes on by itself.

        When `stepped` returns, the world rests, and all clients are at one boundary.
        """
        if mode not in ("stepped", "direct", "live", "freerun"):
            raise ConvoyError("bad_mode", f"mode is {mode!r}; allowed: stepped, live")
        replies = [endpoint.request("set_mode", mode=mode) for endpoint in self._endpoints]
        self.mode = "stepped" if mode in ("stepped", "direct") else "live"
        if self.mode == "stepped":
            self.same_boundary(replies)

    def same_boundary(self, replies: Iterable[Mapping[str, Any]]) -> None:
        ticks = {(reply.get("run"), reply.get("tick")) for reply in replies}
        if len(ticks) > 1:
            raise ConvoyError("out_of_step", f"hosts stand at several boundaries: {sorted(map(str, ticks))}")

    def pause(self) -> None:
        self._endpoints[0].request("set_paused", paused=True)

    def resume(self) -> None:
        self._endpoints[0].request("set_paused", paused=False)

    def set_speed(self, speed: float) -> None:
        """Times real time; 0 is as fast as it goes. For worlds that no session steps."""
        self._endpoints[0].request("set_sim_speed", percent=100.0 * speed)

    def step_length(self, n_steps: int | None, ticks: int | None) -> dict[str, int]:
        """The field for how far: over several clients always ticks, since each must reach the same boundary."""
        if ticks is not None and n_steps is None:
            return {"ticks": int(ticks)}
        if n_steps is None or ticks is not None:
            raise ConvoyError("bad_value", "one of n_steps and ticks must be given")
        if len(self._endpoints) == 1:
            return {"n_steps": int(n_steps)}
        mine = {self.robots[name].timestep_ns for names in self._leased for name in names}
        steps = mine or {robot.timestep_ns for robot in self.robots.values()}
        if len(steps) != 1:
            raise ConvoyError("bad_value", "these robots differ in timestep: give ticks instead of n_steps")
        length = int(n_steps) * steps.pop()
        if length <= 0 or length % self.tick_ns:
            raise ConvoyError(
                "bad_value", f"{n_steps} physics steps are {length} ns, no multiple of a tick of {self.tick_ns} ns"
            )
        return {"ticks": length // self.tick_ns}

    def step(
        self,
        n_steps: int | None = None,
        *,
        ticks: int | None = None,
        controls: Mapping[str, Controls] | None = None,
        observations: str = "standard",
        reset_after: Mapping[str, Mapping[str, Any]] | None = None,
        cameras: bool | Sequence[str] = False,
    ) -> Boundary:
        """Steps the world on and returns where it then is. n_steps: physics steps; must be whole ticks.

        controls: by robot's name; they act from the first of these steps on, and hold. observations: none, minimal
        (qpos, qvel), standard (act, sensors, twist, actions), full (ctrl). reset_after: robots that are put back at
        the boundary which the step reaches: name to qpos, qvel or keyframe_name. cameras: True, or names ("eye",
        "MyRobot/eye"): what they see there, in `Boundary.cameras`. In live mode returns at once with the present state.
        """
        length = self.step_length(n_steps, ticks)
        requests: dict[int, tuple[str, dict[str, Any]]] = {}
        for i in range(len(self._endpoints)):
            requests[i] = ("step", {**length, "observations": observations, "per_articulation": {}})
        for i, wanted in _cameras_by_client(
            self.robots, {name for names in self._leased for name in names}, cameras
        ).items():
            requests[i][1]["include_cameras"] = wanted
        for name, values in (controls or {}).items():
            robot = self.robot(name)
            requests[robot.endpoint][1]["per_articulation"][name] = _command(robot, values)
        for name, start in (reset_after or {}).items():
            requests[self.robot(name).endpoint][1].setdefault("reset_after", {})[name] = plain(start)
        return self._boundary(self.ask(requests).values())

    def _boundary(self, replies: Iterable[Mapping[str, Any]]) -> Boundary:
        replies = list(replies)
        if self.mode == "stepped":
            self.same_boundary(replies)
        robots = {
            name: RobotState.read(told) for reply in replies for name, told in reply.get("per_articulation", {}).items()
        }
        cameras = {
            name: {camera: picture(one) for camera, one in told.items()}
            for reply in replies
            for name, told in reply.get("cameras", {}).items()
        }
        one = replies[0]
        return Boundary(
            one.get("tick", 0), one.get("step", 0), one.get("time", 0.0), one.get("run", 0), robots, cameras
        )

    def reset(
        self,
        names: Iterable[str] | None = None,
        *,
        qpos: Mapping[str, Sequence[float]] | None = None,
        qvel: Mapping[str, Sequence[float]] | None = None,
        keyframe: str | None = None,
        seed: int | None = None,
        observations: str = "standard",
    ) -> Boundary:
        """Puts robots back to their start, a keyframe or given positions; without names the whole world, to tick 0."""
        fields: dict[str, Any] = {"observations": observations}
        if keyframe is not None:
            fields["keyframe_name"] = keyframe
        if seed is not None:
            fields["seed"] = seed
        if names is None:
            fields.update(per_articulation_qpos=plain(qpos or {}), per_articulation_qvel=plain(qvel or {}))
            reply = self._endpoints[0].request("reset", **fields)
            self._await_run(reply.get("run", 0))
            return self._boundary([reply])
        requests = {}
        for i, mine in self._by_endpoint(names).items():
            part = {
                key: plain({name: given[name] for name in mine if name in given})
                for key, given in (("per_articulation_qpos", qpos or {}), ("per_articulation_qvel", qvel or {}))
            }
            requests[i] = ("reset", {**fields, **part, "articulations": mine})
        return self._boundary(self.ask(requests).values())

    def _await_run(self, run: int) -> None:
        """The other clients learn of a new run a moment later; a step asked before would count from the old one."""
        for endpoint in self._endpoints[1:]:
            end = time.monotonic() + endpoint.patience
            while endpoint.request("status").get("run") != run:
                if time.monotonic() > end:
                    raise ConvoyError(
                        "timeout", f"{endpoint.address} did not begin run {run} within {endpoint.patience:g} s"
                    )
                time.sleep(0.001)

    # ---- single robots ----

    def get_state(self, name: str, observations: str = "full") -> RobotState:
        """The robot now. `state` is all of it, opaque and exact: what `set_state` takes back."""
        return RobotState.read(
            _of(self._at(name).request("get_state", articulation=name, observations=observations), name)
        )

    def set_state(
        self,
        name: str,
        state: bytes | None = None,
        *,
        qpos: Sequence[float] | None = None,
        qvel: Sequence[float] | None = None,
        joints: Mapping[str, float | Sequence[float]] | None = None,
        mocap: Mapping[str, Sequence[float]] | None = None,
    ) -> int:
        """Puts a robot into a state: from `get_state`, or qpos (nq numbers; 7: the free base) and qvel. The tick.

        `joints` puts single ones: a position, or that and a velocity behind it. `mocap` puts bodies that stand where
        they are put: x, y, z, qw, qx, qy, qz in the world, m.
        """
        fields: dict[str, Any] = {"articulation": name}
        if state is not None:
            fields["state"] = state
        given = (("qpos", qpos), ("qvel", qvel), ("joints", joints), ("mocap", mocap))
        fields.update(plain({key: value for key, value in given if value is not None}))
        return int(self._at(name).request("set_state", **fields).get("tick", 0))

    def set_twist(self, name: str, forward: float = 0.0, left: float = 0.0, yaw_rate: float = 0.0) -> None:
        """Drives a robot, m/s and rad/s in its frame, for its model's `command_timeout`."""
        self._at(name).request(
            "set_twist",
            articulation=name,
            linear=[float(forward), float(left), 0.0],
            angular=[0.0, 0.0, float(yaw_rate)],
        )

    def set_actions(self, name: str, mask: int) -> None:
        """Bit i: key i is held."""
        self._at(name).request("set_actions", articulation=name, actions=int(mask))

    def set_gains(self, name: str, gains: Mapping[str, Mapping[str, float]]) -> None:
        """Has the robot's motors hold positions, with `kp`, `kv`, `torque_limit` by actuator or joint.

        What is not named stays as it is; `Control.set_gains` gives it the defaults.
        """
        wanted = {actuator: {of: float(value) for of, value in some.items()} for actuator, some in gains.items()}
        self._at(name).request("set_gains", articulation=name, gains=wanted)

    def meta(self) -> dict[str, Any]:
        """Operations with their fields, and the error codes."""
        return self._endpoints[0].request("meta")


def connect(address: str = "127.0.0.1:5555", **options: Any) -> Connection:
    """Connects to all robot clients of a run.

    address: `HOST:PORT`, the first port of any client's block (docs/zmq.md), or `tcp://HOST:PORT`, a client's calls.
    session_timeout: seconds of silence that the simulator bears, up to 3600 (10). patience: seconds that an answer
    may take (30), then ConvoyError `timeout`. server_key: the simulator's public key, if it listens with one. name: as
    whom it holds leases: connections of one name hold together, and `convoy ctl --as NAME` with them. wait: seconds that
    a run may still take to be there (0: who is not there is reported at once, as ConvoyError `nobody_there`).
    """
    return Connection(address, **options)


def _reachable(address: str, first: str) -> str:
    """A client that listens on all addresses names none: then that of the first client's machine."""
    host, _, port = address.removeprefix("tcp://").rpartition(":")
    if host in ("*", "0.0.0.0", "[::]"):
        host = first.removeprefix("tcp://").rpartition(":")[0]
    return f"tcp://{host}:{port}"


def _cameras_by_client(
    robots: Mapping[str, Robot], leased: set[str], cameras: bool | Sequence[str]
) -> dict[int, list[str]]:
    """Which cameras each client is to be asked for, as "robot/camera"."""
    if isinstance(cameras, bool) and not cameras:
        return {}
    every = {
        f"{name}/{camera}": (robot.endpoint, camera)
        for name, robot in robots.items()
        if name in leased or not leased
        for camera in robot.cameras
    }
    if not isinstance(cameras, bool):
        for wanted in cameras:
            if wanted not in every and all(wanted != camera for _, camera in every.values()):
                there = ", ".join(every) or "none"
                raise ConvoyError("bad_value", f"no robot of this session has a camera '{wanted}'; there are {there}")
        every = {full: one for full, one in every.items() if full in cameras or one[1] in cameras}
    found: dict[int, list[str]] = {}
    for full, (client, _) in every.items():
        found.setdefault(client, []).append(full)
    return found


def _command(robot: Robot, values: Controls) -> dict[str, Any]:
    if isinstance(values, Mapping):
        return {"ctrl_map": {name: float(value) for name, value in values.items()}}
    row = [float(value) for value in values]
    if len(row) == robot.nu and any(math.isnan(value) for value in row):
        return {"ctrl_map": {a["name"]: value for a, value in zip(robot.actuators, row) if not math.isnan(value)}}
    return {"ctrl": row}


def _of(reply: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    robot: Mapping[str, Any] = reply["per_articulation"][name]
    return robot
