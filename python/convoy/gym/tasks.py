"""What robots are to learn: spaces, starts, controls, rewards, ends. A task works on N robots at a time, a row each."""

from __future__ import annotations

import copy
import dataclasses
import math
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

Array = npt.NDArray[np.float64]
REPLACEABLE = (
    "observation_space",
    "action_space",
    "initial_state",
    "controls",
    "observation",
    "reward",
    "terminated",
    "info",
    "sensors",
    "view",
)


@dataclasses.dataclass
class Batch:
    """N robots at a boundary, a row each.

    qpos [N, nq], qvel [N, nv]: as in MuJoCo; m, rad, m/s, rad/s; in the world's frame, in which each robot was made
    at the origin. sensordata [N, nsensordata], act [N, na]: where the task asks for them. action [N, ...]: that led
    here; 0 at the start. sensors: of each of the task's sensors N readings, as `Connection.sensor` has them in `data`;
    `images` gives those of a camera as one array.
    memory: arrays [N, ...] that the task keeps, made by `initial_state`, changed by `controls`.
    known: what was worked out at this boundary (`once`).
    """

    qpos: Array
    qvel: Array
    action: npt.NDArray[Any]
    memory: dict[str, Array]
    sensordata: Array | None = None
    act: Array | None = None
    sensors: dict[str, list[dict[str, Any]]] = dataclasses.field(default_factory=dict)
    known: dict[str, Any] = dataclasses.field(default_factory=dict)

    def once(self, name: str, work: Callable[[], Any]) -> Any:
        """What `work` gives, which several parts of a task ask for."""
        if name not in self.known:
            self.known[name] = work()
        return self.known[name]

    def images(self, camera: str, image: str = "color") -> npt.NDArray[Any]:
        """What that camera of each robot shows: color [N, height, width, 3] uint8, depth [N, height, width] float32 (m),
        numbers or classes [N, height, width] uint32, as the task's sensor takes them."""
        stacked: npt.NDArray[Any] = self.once(
            f"{camera}/{image}", lambda: np.stack([one[image] for one in self.sensors[camera]])
        )
        return stacked


class Task:
    """A task; derive from it, or replace functions of one with `replace` (or with arguments of `gymnasium.make`).

    model: file of the robot. period: seconds between two actions, whole steps of its physics. observations: what is
    asked of the simulator: minimal (qpos, qvel), standard (act, sensordata). sensors: names of sensors that are read at
    each boundary, to what a scenario says of each (`type` and the like), for robots of a simulator of our own. A camera of these sees
    its own robot and the scene, and not the other robots, which may stand where it stands, unless it says `others: True`.
    view: a camera that `render` shows, likewise; without `type`. home: qpos, set by the environment
    before the first start. Each row of a result depends on the same row of the arguments alone, so that a robot does
    the same among others.
    """

    model: str
    period: float
    observations: str = "minimal"
    sensors: Mapping[str, Mapping[str, Any]] = types.MappingProxyType({})
    view: Mapping[str, Any] = types.MappingProxyType({"at": [-1.2, 0.0, 0.8], "rpy": [0.0, 0.5, 0.0]})
    home: Array
    observation_space: spaces.Space[Any]
    action_space: spaces.Space[Any]

    def initial_state(self, random: Sequence[np.random.Generator]) -> tuple[Array, Array, dict[str, Array]]:
        """Starts of k episodes, drawn from k generators: qpos [k, nq], qvel [k, nv], memory (arrays [k, ...])."""
        raise NotImplementedError

    def controls(self, batch: Batch) -> Array:
        """Controls [N, nu] for `batch.action` where the robots are; may change `batch.memory`."""
        raise NotImplementedError

    def observation(self, batch: Batch) -> npt.NDArray[Any]:
        """[N, ...]"""
        raise NotImplementedError

    def reward(self, batch: Batch) -> Array:
        """[N], for being there after `batch.action`."""
        raise NotImplementedError

    def terminated(self, batch: Batch) -> npt.NDArray[np.bool_]:
        """[N]"""
        raise NotImplementedError

    def info(self, batch: Batch) -> dict[str, npt.NDArray[Any]]:
        """More to know, arrays [N]."""
        return {}

    def scripted(self, observation: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """Actions [N, ...] of a policy without learning, from observations [N, ...]."""
        raise NotImplementedError

    def replace(self, **parts: Any) -> Task:
        """The same with other parts: spaces, or functions as the methods above, without self."""
        for name in parts:
            if name not in REPLACEABLE:
                raise TypeError(f"a task has no part '{name}'; replaceable: {', '.join(REPLACEABLE)}")
        other = copy.deepcopy(self)
        for name, part in parts.items():
            setattr(other, name, part)
        return other


def _length(v: Array) -> Array:
    # Not np.linalg.norm: sums in an order that does not depend on the number of rows.
    squares = v * v
    length: Array = np.sqrt(sum(squares[..., i] for i in range(1, v.shape[-1])) + squares[..., 0])
    return length


def _within(rows: Array, space: Any) -> Array:
    inside: Array = np.clip(rows, space.low, space.high)
    return inside


def _actions(rows: Any) -> npt.NDArray[np.float32]:
    return np.asarray(np.clip(rows, -1, 1), np.float32)


class ArmReach(Task):
    """models/arm.xml brings its tool to a point.

    Observation (24): joints (6, rad), their speeds (6, rad/s), commanded joints (6, rad), tool (3, m), goal (3, m);
    in the frame of the foot. Action (6), -1 to 1: joint speeds, in MAX_SPEED; with control="position" joints, in
    REACH. Reward: minus the distance of tool and goal in m. The episode ends at NEAR.
    """

    model = "arm.xml"
    period = 0.02
    view = {"at": [1.5, -1.2, 1.0], "rpy": [0.0, 0.35, 2.47]}  # from the right, before it
    NEAR = 0.03  # m
    MAX_SPEED = 2.0  # rad/s
    REACH = np.array([3.1, 2.0, 2.6, 3.1, 2.0, 3.1])  # rad, each side: the range of the joints

    def __init__(self, control: str = "velocity"):
        if control not in ("velocity", "position"):
            raise ValueError(f"control is {control!r}; allowed: velocity, position")
        self.control = control
        high = np.concatenate([np.full(6, 4.0), np.full(6, 100.0), np.full(6, 4.0), np.full(6, 2.0)])
        self.observation_space = spaces.Box(-high, high, dtype=np.float64)
        self.action_space = spaces.Box(-1.0, 1.0, (6,), np.float32)

    @staticmethod
    def tool(q: Array) -> Array:
        """Where the tool is, [N, 3] m in the frame of the foot, for joints [N, 6]: the chain of models/arm.xml."""
        s, c = np.sin(np.ascontiguousarray(q)), np.cos(np.ascontiguousarray(q))
        s1, s2, s4, s5 = s[:, 0], s[:, 1], s[:, 3], s[:, 4]
        c1, c2, c4, c5 = c[:, 0], c[:, 1], c[:, 3], c[:, 4]
        s23, c23 = s2 * c[:, 2] + c2 * s[:, 2], c2 * c[:, 2] - s2 * s[:, 2]
        hand_x, hand_y, hand_z = 0.11 * c4 * s5, 0.11 * s4 * s5, 0.40 + 0.11 * c5  # from the elbow, along the forearm
        x = 0.42 * s2 + c23 * hand_x + s23 * hand_z
        z = 0.16 + 0.42 * c2 - s23 * hand_x + c23 * hand_z
        return np.stack([c1 * x - s1 * hand_y, s1 * x + c1 * hand_y, z], axis=1)

    def initial_state(self, random: Sequence[np.random.Generator]) -> tuple[Array, Array, dict[str, Array]]:
        qpos = np.empty((len(random), 6))
        goal = np.empty((len(random), 3))
        for k, r in enumerate(random):
            qpos[k] = self.home[k, :6] + r.uniform(-0.1, 0.1, 6)
            goal[k] = self._goal(r)
        return qpos, np.zeros((len(random), 6)), {"goal": goal, "commanded": qpos.copy()}

    def _goal(self, random: np.random.Generator) -> Array:
        """A point that some pose reaches, in front of the arm and above the floor."""
        for _ in range(1000):
            q = random.uniform([-1.5, 0.0, 0.3, -1, -1, 0], [1.5, 1.2, 1.8, 1, 1, 0])
            goal: Array = self.tool(q[None])[0]
            if goal[2] > 0.15 and math.hypot(goal[0], goal[1]) > 0.25:
                break
        return goal

    def controls(self, batch: Batch) -> Array:
        action = np.clip(batch.action.astype(np.float64), -1, 1)
        if self.control == "velocity":
            commanded = batch.memory["commanded"] + action * (self.MAX_SPEED * self.period)
        else:
            commanded = action * self.REACH
        batch.memory["commanded"] = np.clip(commanded, -self.REACH, self.REACH)
        return batch.memory["commanded"]

    def observation(self, batch: Batch) -> npt.NDArray[Any]:
        rows = np.concatenate(
            [batch.qpos, batch.qvel, batch.memory["commanded"], self._tool(batch), batch.memory["goal"]], axis=1
        )
        return _within(rows, self.observation_space)

    def _tool(self, batch: Batch) -> Array:
        tool: Array = batch.once("tool", lambda: self.tool(batch.qpos))
        return tool

    def _distance(self, batch: Batch) -> Array:
        distance: Array = batch.once("distance", lambda: _length(self._tool(batch) - batch.memory["goal"]))
        return distance

    def reward(self, batch: Batch) -> Array:
        return -self._distance(batch)

    def terminated(self, batch: Batch) -> npt.NDArray[np.bool_]:
        return self._distance(batch) < self.NEAR

    def info(self, batch: Batch) -> dict[str, npt.NDArray[Any]]:
        return {"distance": self._distance(batch)}

    def scripted(self, observation: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """Damped least squares: the joint speeds that bring the tool towards the goal."""
        q, commanded, tool, goal = (
            observation[:, :6],
            observation[:, 12:18],
            observation[:, 18:21],
            observation[:, 21:24],
        )
        jacobian = np.empty((len(q), 3, 6))
        for joint in range(6):
            moved = q.copy()
            moved[:, joint] += 1e-6
            jacobian[:, :, joint] = (self.tool(moved) - tool) / 1e-6
        transposed = jacobian.transpose(0, 2, 1)
        damped = jacobian @ transposed + 0.01 * np.eye(3)
        turn = (transposed @ np.linalg.solve(damped, (goal - tool)[:, :, None]))[:, :, 0]
        if self.control == "velocity":
            return _actions(5.0 * turn / self.MAX_SPEED)
        return _actions((commanded + 0.2 * turn) / self.REACH)


class BurgerGoal(Task):
    """models/turtlebot3_burger.xml drives to a point on the ground.

    Observation (6): goal in the frame of the robot (x forward, y left, m), its speed forward (m/s), yaw rate (rad/s),
    speeds of the wheels left and right (rad/s). Action (2), -1 to 1: speeds of the wheels left and right, in
    MAX_WHEEL. Reward: minus the distance in m. The episode ends at NEAR, and beyond FAR.
    """

    model = "turtlebot3_burger.xml"
    period = 0.1
    NEAR = 0.1  # m
    FAR = 4.0  # m
    MAX_WHEEL = 6.6  # rad/s: 0.22 m/s

    def __init__(self) -> None:
        high = np.array([10.0, 10.0, 10.0, 100.0, 1000.0, 1000.0])
        self.observation_space = spaces.Box(-high, high, dtype=np.float64)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def initial_state(self, random: Sequence[np.random.Generator]) -> tuple[Array, Array, dict[str, Array]]:
        qpos = self.home.copy()
        goal = np.empty((len(random), 2))
        for k, r in enumerate(random):
            yaw, bearing, distance = r.uniform([-math.pi, -math.pi, 0.5], [math.pi, math.pi, 1.5])
            qpos[k, 3:7] = [math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)]
            goal[k] = [distance * math.cos(bearing), distance * math.sin(bearing)]
        return qpos, np.zeros((len(random), 8)), {"goal": goal}

    def controls(self, batch: Batch) -> Array:
        return np.clip(batch.action.astype(np.float64), -1, 1) * self.MAX_WHEEL

    @staticmethod
    def _forward(batch: Batch) -> tuple[Array, Array]:
        """Its x axis on the ground, of length 1: the cosine and sine of its yaw."""
        w, x, y, z = (batch.qpos[:, i] for i in range(3, 7))
        cos, sin = 1 - 2 * (y * y + z * z), 2 * (w * z + x * y)
        size = np.maximum(np.sqrt(cos * cos + sin * sin), 1e-9)
        return cos / size, sin / size

    def _to_goal(self, batch: Batch) -> Array:
        way: Array = batch.once("to_goal", lambda: batch.memory["goal"] - batch.qpos[:, :2])
        return way

    def _distance(self, batch: Batch) -> Array:
        distance: Array = batch.once("distance", lambda: _length(self._to_goal(batch)))
        return distance

    def observation(self, batch: Batch) -> npt.NDArray[Any]:
        cos, sin = self._forward(batch)
        to = self._to_goal(batch)
        rows = np.stack(
            [
                cos * to[:, 0] + sin * to[:, 1],
                cos * to[:, 1] - sin * to[:, 0],
                cos * batch.qvel[:, 0] + sin * batch.qvel[:, 1],
                batch.qvel[:, 5],
                batch.qvel[:, 6],
                batch.qvel[:, 7],
            ],
            axis=1,
        )
        return _within(rows, self.observation_space)

    def reward(self, batch: Batch) -> Array:
        return -self._distance(batch)

    def terminated(self, batch: Batch) -> npt.NDArray[np.bool_]:
        distance = self._distance(batch)
        return (distance < self.NEAR) | (distance > self.FAR)

    def info(self, batch: Batch) -> dict[str, npt.NDArray[Any]]:
        return {"distance": self._distance(batch)}

    def scripted(self, observation: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """Turns towards the goal, and drives the faster the better it is aimed."""
        ahead, aside = observation[:, 0], observation[:, 1]
        aim = np.arctan2(aside, ahead)
        drive = np.maximum(np.cos(aim), 0.0)
        turn = np.clip(1.0 * aim, -0.5, 0.5)
        return _actions(np.stack([drive - turn, drive + turn], axis=1))


TASKS: dict[str, Callable[[], Task]] = {"ArmReach": ArmReach, "BurgerGoal": BurgerGoal}
