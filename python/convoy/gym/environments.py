"""Gymnasium's Env and VectorEnv over robots of a Convoy simulator. The single one is a batch of one."""

from __future__ import annotations

import json
import os
import pathlib
import tempfile
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from ..connection import Connection, connect
from ..errors import ConvoyError
from ..simulator import Simulator
from .tasks import TASKS, Batch, Task

# Robots touch the static world alone, so that any number of them may be at one place, and each does what it would do
# alone. None senses others (view_radius). The tick is the period of the task: one round of all hosts an action.
SCENARIO = """\
convoy: 1
name: gym
time: {{tick: {tick_ns}ns, duration: {duration}}}
world: {{contact: static}}
view_radius: 0
zmq: {{}}
robots:
  - {{name: robot, count: {count}, model: {model}, placement: {{poses: [{poses}]}}, sensors: {sensors}}}
"""
DURATION = "8760h"  # as long as a run may be: a year
VIEW = "view"  # the camera of render()
SILENCE_S = 3600.0  # an update of a policy between two steps may take long
PATIENCE_S = 300.0  # a step of thousands of robots, too; that a simulator of our own has ended is noticed at once


def _task(task: str | Task, parts: dict[str, Any]) -> Task:
    if isinstance(task, str):
        if task not in TASKS:
            raise ValueError(f"no task is named {task!r}; there are {', '.join(TASKS)}")
        task = TASKS[task]()
    return task.replace(**parts)


def seeds_of(seed: int | list[int | None] | None, count: int) -> list[int | None]:
    """One a row: of a number those that follow it, as Gymnasium has it."""
    if isinstance(seed, (int, np.integer)):
        return [int(seed) + i for i in range(count)]
    seeds: list[int | None] = [None] * count
    if seed is not None:
        seeds = list(seed)
    if len(seeds) != count:
        raise ValueError(f"{len(seeds)} seeds for {count} environments")
    return seeds


class Robots:
    """N robots that do one task: the part that both environments share.

    Without `address` it starts a simulator of its own. With one, `names` are robots of that run which it leases; they
    must have been made at the origin, and nothing else may touch them.
    """

    def __init__(
        self,
        task: Task,
        count: int,
        *,
        hosts: int,
        convoy: str | os.PathLike[str] | None,
        address: str | None,
        names: Sequence[str] | None,
        options: Sequence[str],
        render_mode: str | None,
    ):
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode is {render_mode!r}; allowed: None, 'rgb_array'")
        self.task = task
        self.sensors = {
            name: {"others": False, "see_self": True, **one} if one.get("type") == "camera" else dict(one)
            for name, one in task.sensors.items()
        }
        self._cameras = [name for name, one in self.sensors.items() if one.get("type") == "camera"]
        if render_mode is not None:
            view = {"type": "camera", "others": False, "see_self": True, "width": 480, "height": 360, "field": 0.9}
            self.sensors[VIEW] = {**view, **task.view}
        self._simulator: Simulator | None = None
        self._connection: Connection | None = None
        try:
            if address is None:
                self._connection = self._start(count, hosts, convoy, options)
            else:
                self._connection = connect(address, session_timeout=SILENCE_S, patience=PATIENCE_S)
            names = list(names) if names is not None else list(self._connection.robots)
            # Numbers of a group go round the hosts; the rows go by number.
            names = sorted(names) if address is None else names
            self.fleet = self._connection.fleet(names, task.observations, self._cameras)
            if len(self.fleet) != count:
                raise ConvoyError("bad_value", f"{len(self.fleet)} robots for {count} environments")
            self._connection.set_mode("stepped")
            self.ticks = self._ticks_of_period(self._connection)
            seen = self.fleet.reset()
        except BaseException:
            self.close()
            raise
        self.batch = self._batch(seen, np.zeros((count, *(task.action_space.shape or ())), task.action_space.dtype), {})
        self.home = self.batch.qpos

    def _start(
        self, count: int, hosts: int, convoy: str | os.PathLike[str] | None, options: Sequence[str]
    ) -> Connection:
        with tempfile.TemporaryDirectory(prefix="convoy-gym-") as folder:
            file = pathlib.Path(folder) / "gym.yaml"
            file.write_text(
                SCENARIO.format(
                    tick_ns=round(self.task.period * 1e9),
                    duration=DURATION,
                    count=count,
                    model=self.task.model,
                    poses=", ".join(["[0, 0, 0]"] * count),
                    sensors=json.dumps([{"name": name, **one} for name, one in self.sensors.items()]),
                )
            )
            self._simulator = Simulator(file, hosts=hosts, convoy=convoy, options=options)
        return self._simulator.connect(session_timeout=SILENCE_S, patience=PATIENCE_S)

    def _ticks_of_period(self, connection: Connection) -> int:
        period = round(self.task.period * 1e9)
        if period % connection.tick_ns:
            raise ConvoyError(
                "bad_value", f"a period of {period} ns is no multiple of a tick of {connection.tick_ns} ns"
            )
        return period // connection.tick_ns

    def _batch(
        self, seen: npt.NDArray[np.float64], action: npt.NDArray[Any], memory: dict[str, npt.NDArray[Any]]
    ) -> Batch:
        column = {name: seen[:, where] for name, where in self.fleet.columns.items()}
        return Batch(
            column["qpos"],
            column["qvel"],
            action,
            memory,
            column.get("sensordata"),
            column.get("act"),
            {name: self._readings(name) for name in self.task.sensors},
        )

    def _readings(self, sensor: str) -> list[dict[str, Any]]:
        """What that sensor of each robot shows at this boundary; cameras came with the step, others are a call each."""
        if sensor in self._cameras:
            return list(self.fleet.pictures[sensor])
        connection = self.fleet.connection
        return [connection.sensor(robot.name, sensor)["data"] for robot in self.fleet.robots]

    def _see(self, seen: npt.NDArray[np.float64]) -> None:
        self.batch = self._batch(seen, self.batch.action, self.batch.memory)

    def _begin(
        self, rows: npt.NDArray[np.integer], random: Sequence[np.random.Generator]
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any], dict[str, npt.NDArray[Any]]]:
        """Draws starts for these rows; their memory counts from when `_remember` is called, behind `_see`."""
        self.task.home = self.home[rows]
        return self.task.initial_state([random[row] for row in rows])

    def _remember(self, rows: npt.NDArray[np.integer], memory: dict[str, npt.NDArray[Any]]) -> None:
        kept = {}
        for name, values in memory.items():
            old = self.batch.memory.get(name)
            kept[name] = np.zeros((len(self.fleet), *values.shape[1:]), values.dtype) if old is None else old.copy()
            kept[name][rows] = values
        self.batch.memory.update(kept)
        self.batch.action = self.batch.action.copy()
        self.batch.action[rows] = 0

    def reset(self, rows: npt.NDArray[np.integer], random: Sequence[np.random.Generator]) -> None:
        """Begins new episodes in these rows; the other rows stay as they are."""
        qpos, qvel, memory = self._begin(rows, random)
        self._see(self.fleet.reset(rows, qpos, qvel))
        self._remember(rows, memory)

    def step(
        self, actions: npt.NDArray[Any], again: npt.NDArray[np.integer], random: Sequence[np.random.Generator]
    ) -> None:
        """One action each. Rows in `again` begin a new episode instead, at the boundary that the step reaches."""
        self.batch.action = np.array(actions)
        ctrl = self.task.controls(self.batch)
        if not again.size:
            self._see(self.fleet.step(ctrl, ticks=self.ticks))
            return
        qpos, qvel, memory = self._begin(again, random)
        self._see(self.fleet.step(ctrl, ticks=self.ticks, reset_after=(again, qpos, qvel)))
        self._remember(again, memory)

    def picture(self, row: int) -> npt.NDArray[np.uint8]:
        """[height, width, 3]: what is to be seen of that robot."""
        shown = self.fleet.connection.sensor(self.fleet.robots[row].name, VIEW)["data"]
        color: npt.NDArray[np.uint8] = shown["color"]
        return color

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        if self._simulator is not None:
            self._simulator.close()
        self._connection = self._simulator = None


class ConvoyEnv(gymnasium.Env[npt.NDArray[Any], npt.NDArray[Any]]):
    """One robot that does a task.

    task: a name in TASKS or a Task. hosts: robot clients of the simulator that it starts. convoy: the program (default:
    convoy.find_convoy). address, robot: instead, a robot of a run that is there. options: more words for `convoy run`.
    parts: other parts of the task: observation_space, action_space, initial_state, controls, observation, reward,
    terminated, info, sensors (see Task). Episodes are cut short by Gymnasium's TimeLimit.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 20}

    def __init__(
        self,
        task: str | Task = "ArmReach",
        *,
        hosts: int = 1,
        convoy: str | os.PathLike[str] | None = None,
        address: str | None = None,
        robot: str | None = None,
        options: Sequence[str] = (),
        render_mode: str | None = None,
        **parts: Any,
    ):
        self.render_mode = render_mode
        self.task = _task(task, parts)
        self.metadata = {**self.metadata, "render_fps": round(1 / self.task.period)}
        self.observation_space = self.task.observation_space
        self.action_space = self.task.action_space
        self._robots = Robots(
            self.task,
            1,
            hosts=hosts,
            convoy=convoy,
            address=address,
            names=None if robot is None else [robot],
            options=options,
            render_mode=render_mode,
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[Any], dict[str, Any]]:
        super().reset(seed=seed)
        self._robots.reset(np.zeros(1, np.intp), [self.np_random])
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[npt.NDArray[Any], float, bool, bool, dict[str, Any]]:
        self._robots.step(np.asarray(action)[None], np.zeros(0, np.intp), [])
        batch = self._robots.batch
        return (
            self._observation(),
            float(self.task.reward(batch)[0]),
            bool(self.task.terminated(batch)[0]),
            False,
            self._info(),
        )

    def render(self) -> Any:
        """[height, width, 3] uint8 by render_mode rgb_array; of a run that is there, what its camera "view" shows."""
        return None if self.render_mode is None else self._robots.picture(0)

    def _observation(self) -> npt.NDArray[Any]:
        return np.array(self.task.observation(self._robots.batch)[0], self.observation_space.dtype)

    def _info(self) -> dict[str, Any]:
        return {name: values[0] for name, values in self.task.info(self._robots.batch).items()}

    def close(self) -> None:
        self._robots.close()


class ConvoyVectorEnv(gymnasium.vector.VectorEnv[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]):
    """N robots that do one task, in one simulator on any number of hosts: one packed request per host and step.

    Does, number by number, what Gymnasium's SyncVectorEnv does over N ConvoyEnv. autoreset_mode: NextStep, SameStep
    or Disabled (then reset(options={"reset_mask": ...}) begins anew where it is true). max_episode_steps: as
    TimeLimit. The other arguments are those of ConvoyEnv; robots: names, in place of `robot`.
    """

    metadata: dict[str, Any] = {
        "render_modes": ["rgb_array"],
        "render_fps": 20,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int,
        task: str | Task = "ArmReach",
        *,
        hosts: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        convoy: str | os.PathLike[str] | None = None,
        address: str | None = None,
        robots: Sequence[str] | None = None,
        options: Sequence[str] = (),
        render_mode: str | None = None,
        **parts: Any,
    ):
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.task = _task(task, parts)
        fps = round(1 / self.task.period)
        self.metadata = {**self.metadata, "render_fps": fps, "autoreset_mode": self.autoreset_mode}
        self.single_observation_space = self.task.observation_space
        self.single_action_space = self.task.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._limit = max_episode_steps
        self._random: list[Any] = [None] * num_envs
        self._seeds: list[Any] = [None] * num_envs
        self._elapsed = np.zeros(num_envs, np.int64)
        self._done = np.zeros(num_envs, np.bool_)
        self._robots = Robots(
            self.task,
            num_envs,
            hosts=hosts,
            convoy=convoy,
            address=address,
            names=robots,
            options=options,
            render_mode=render_mode,
        )

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """Each row's generator, as SyncVectorEnv has them."""
        self._seed([None] * self.num_envs)
        return tuple(self._random)

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        self._seed([None] * self.num_envs)
        return tuple(self._seeds)

    def _seed(self, seeds: Sequence[int | None], mask: npt.NDArray[np.bool_] | None = None) -> None:
        for i, seed in enumerate(seeds):
            if (mask is None or mask[i]) and (seed is not None or self._random[i] is None):
                self._random[i], self._seeds[i] = seeding.np_random(seed)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[Any], dict[str, Any]]:
        seeds = seeds_of(seed, self.num_envs)
        mask = self._mask(options)
        self._seed(seeds, mask)
        rows = np.flatnonzero(mask)
        self._robots.reset(rows, self._random)
        self._done[rows] = False
        self._elapsed[rows] = 0
        return self._observations(), self._infos(mask)

    def _mask(self, options: dict[str, Any] | None) -> npt.NDArray[np.bool_]:
        if not options or "reset_mask" not in options:
            return np.ones(self.num_envs, np.bool_)
        mask = options["reset_mask"]
        if (
            not isinstance(mask, np.ndarray)
            or mask.dtype != np.bool_
            or mask.shape != (self.num_envs,)
            or not mask.any()
        ):
            raise ValueError(f"options['reset_mask'] must be a bool array ({self.num_envs},) that is true somewhere")
        return mask

    def step(
        self, actions: npt.NDArray[Any]
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        again = self._done if self.autoreset_mode is AutoresetMode.NEXT_STEP else np.zeros(self.num_envs, np.bool_)
        if self.autoreset_mode is AutoresetMode.DISABLED and self._done.any():
            raise RuntimeError(f"episodes {np.flatnonzero(self._done).tolist()} have ended: reset them first")
        self._robots.step(actions, np.flatnonzero(again), self._random)
        self._elapsed += 1
        self._elapsed[again] = 0
        batch = self._robots.batch
        rewards = np.where(again, 0.0, self.task.reward(batch)).astype(np.float64)
        terminations = self.task.terminated(batch) & ~again
        truncations = (
            np.zeros(self.num_envs, np.bool_) if self._limit is None else (self._elapsed >= self._limit) & ~again
        )
        self._done = terminations | truncations
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._done.any():
            infos = self._finish()
        else:
            infos = self._infos()
        return self._observations(), rewards, terminations, truncations, infos

    def _finish(self) -> dict[str, Any]:
        """SAME_STEP: keeps what the ended episodes showed last, and begins new ones."""
        ended = self._done
        final = self._observations()
        observations = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(ended):
            observations[i] = final[i].copy()
        infos = {
            "final_obs": observations,
            "_final_obs": ended.copy(),
            "final_info": self._infos(ended),
            "_final_info": ended.copy(),
        }
        rows = np.flatnonzero(ended)
        self._robots.reset(rows, self._random)
        self._elapsed[rows] = 0
        infos.update(self._infos())
        return infos

    def render(self) -> Any:
        """A picture of each row, as ConvoyEnv has them."""
        return None if self.render_mode is None else tuple(self._robots.picture(row) for row in range(self.num_envs))

    def _observations(self) -> npt.NDArray[Any]:
        return np.array(self.task.observation(self._robots.batch), self.single_observation_space.dtype)

    def _infos(self, mask: npt.NDArray[np.bool_] | None = None) -> dict[str, Any]:
        """With a mask only of those rows, as Gymnasium does: 0 in the others."""
        infos: dict[str, Any] = {}
        for name, values in self.task.info(self._robots.batch).items():
            infos[name] = values.copy()
            infos[f"_{name}"] = np.ones(self.num_envs, np.bool_) if mask is None else mask.copy()
            if mask is not None:
                infos[name][~mask] = 0
        return infos

    def close_extras(self, **_: Any) -> None:
        self._robots.close()
