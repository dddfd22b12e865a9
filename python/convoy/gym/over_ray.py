"""Environments on the nodes of a Ray cluster behind one VectorEnv. Needs Ray. See docs/ray.md.

import ray
from convoy.gym.over_ray import RayVectorEnv
ray.init("auto")
env = RayVectorEnv(1000, "BurgerGoal", workers=4)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import ray
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from .environments import ConvoyVectorEnv, seeds_of
from .tasks import TASKS, Task


class _Part:
    """Some rows, with a simulator of their own, on whatever node Ray has placed them."""

    def __init__(self, arguments: dict[str, Any]):
        self.env = ConvoyVectorEnv(**arguments)

    def reset(self, seeds: list[int | None], options: dict[str, Any] | None) -> Any:
        if options is not None and not options["reset_mask"].any():
            return None
        return self.env.reset(seed=seeds, options=options)

    def step(self, actions: npt.NDArray[Any]) -> Any:
        return self.env.step(actions)

    def render(self) -> Any:
        return self.env.render()

    def close(self) -> None:
        self.env.close()


def _size(one: Any) -> Any:
    return one if isinstance(one, Mapping) else np.asarray(one)


def merged(parts: Sequence[Mapping[str, Any]], counts: Sequence[int]) -> dict[str, Any]:
    """The infos of all rows, from those of consecutive parts of them. What one part lacks because it happened in none of its
    rows is 0, None or False there, as Gymnasium has it for such rows."""
    names = list(dict.fromkeys(name for part in parts for name in part))
    out: dict[str, Any] = {}
    for name in names:
        known = next(_size(part[name]) for part in parts if name in part)
        if isinstance(known, Mapping):
            out[name] = merged([part.get(name, {}) for part in parts], counts)
            continue
        blank = [
            np.full((count, *known.shape[1:]), None, object)
            if known.dtype == object
            else np.zeros((count, *known.shape[1:]), known.dtype)
            for count in counts
        ]
        out[name] = np.concatenate([part.get(name, empty) for part, empty in zip(parts, blank, strict=True)])
    return out


class RayVectorEnv(gymnasium.vector.VectorEnv[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]):
    """N robots that do one task, dealt out to `workers` simulators on the nodes of a Ray cluster to which this process is
    connected (ray.init). Does, number by number, what ConvoyVectorEnv does with all of them in one simulator.

    resources: of each worker, {"CPU": 2}; a core for each host by default. The other arguments are those of ConvoyVectorEnv but
    `address` and `robots`; `convoy` is a path on the nodes, each of which needs this package, and a Task its own modules.
    A worker that is lost with its node ends the environment: step() raises ray.exceptions.RayActorError.
    """

    metadata: dict[str, Any] = ConvoyVectorEnv.metadata

    def __init__(
        self,
        num_envs: int,
        task: str | Task = "ArmReach",
        *,
        workers: int = 2,
        resources: Mapping[str, float] | None = None,
        hosts: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **rest: Any,
    ):
        if not 1 <= workers <= num_envs:
            raise ValueError(f"{workers} workers for {num_envs} environments")
        if isinstance(task, str) and task not in TASKS:
            raise ValueError(f"no task is named {task!r}; there are {', '.join(TASKS)}")
        if "address" in rest or "robots" in rest:
            raise TypeError("each worker has a simulator of its own: no address, no robots")
        self.task: Task = TASKS[task]() if isinstance(task, str) else task
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        fps = round(1 / self.task.period)
        self.metadata = {**self.metadata, "render_fps": fps, "autoreset_mode": self.autoreset_mode}
        needs = dict(resources) if resources is not None else {"CPU": float(hosts)}
        part = ray.remote(_Part).options(
            num_cpus=needs.pop("CPU", 0.0),
            num_gpus=needs.pop("GPU", 0.0),
            resources=needs,
            scheduling_strategy="SPREAD",
        )
        self._counts = [num_envs // workers + (i < num_envs % workers) for i in range(workers)]
        self._ends = np.cumsum(self._counts)
        shared = {
            "task": task,
            "hosts": hosts,
            "autoreset_mode": self.autoreset_mode,
            "render_mode": render_mode,
            **rest,
        }
        self._parts = [part.remote({"num_envs": count, **shared}) for count in self._counts]
        replaced = self.task.replace(**{name: value for name, value in rest.items() if name.endswith("_space")})
        self.single_observation_space = replaced.observation_space
        self.single_action_space = replaced.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._last: list[npt.NDArray[Any] | None] = [None] * workers

    def _rows(self) -> list[slice]:
        return [slice(end - count, end) for end, count in zip(self._ends.tolist(), self._counts, strict=True)]

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[Any], dict[str, Any]]:
        seeds = seeds_of(seed, self.num_envs)
        mask = None if not options or "reset_mask" not in options else options["reset_mask"]
        if mask is not None and (not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or not mask.any()):
            raise ValueError(f"options['reset_mask'] must be a bool array ({self.num_envs},) that is true somewhere")
        said = ray.get(
            [
                part.reset.remote(seeds[rows], None if mask is None else {"reset_mask": mask[rows]})
                for part, rows in zip(self._parts, self._rows(), strict=True)
            ]
        )
        infos: list[Mapping[str, Any]] = []
        for i, one in enumerate(said):  # None: none of its rows begins anew
            infos.append({} if one is None else one[1])
            if one is not None:
                self._last[i] = one[0]
        return np.concatenate([one for one in self._last if one is not None]), merged(infos, self._counts)

    def step(
        self, actions: npt.NDArray[Any]
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        said = ray.get(
            [part.step.remote(np.asarray(actions)[rows]) for part, rows in zip(self._parts, self._rows(), strict=True)]
        )
        self._last = [one[0] for one in said]
        observation, reward, terminated, truncated = (np.concatenate([one[i] for one in said]) for i in range(4))
        return observation, reward, terminated, truncated, merged([one[4] for one in said], self._counts)

    def render(self) -> Any:
        """A picture of each row, as ConvoyVectorEnv has them."""
        if self.render_mode is None:
            return None
        return tuple(picture for one in ray.get([part.render.remote() for part in self._parts]) for picture in one)

    def close_extras(self, **_: Any) -> None:
        for part in self._parts:
            try:
                ray.get(part.close.remote(), timeout=10)
            except ray.exceptions.RayError:
                pass  # it is gone already
            ray.kill(part)
