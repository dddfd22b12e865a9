"""Gymnasium environments whose robots live in a Convoy simulator. See docs/python.md.

import gymnasium
import convoy.gym
env = gymnasium.make("convoy/ArmReach-v0")
many = gymnasium.make_vec("convoy/BurgerGoal-v0", num_envs=100, hosts=2)
"""

from gymnasium.envs.registration import register, registry

from .environments import ConvoyEnv, ConvoyVectorEnv
from .tasks import TASKS, ArmReach, Batch, BurgerGoal, Task

for _name, _steps in (("ArmReach", 100), ("BurgerGoal", 150)):
    if f"convoy/{_name}-v0" not in registry:
        register(
            f"convoy/{_name}-v0",
            entry_point="convoy.gym.environments:ConvoyEnv",
            vector_entry_point="convoy.gym.environments:ConvoyVectorEnv",
            max_episode_steps=_steps,
            kwargs={"task": _name},
        )

__all__ = ["TASKS", "ArmReach", "Batch", "BurgerGoal", "ConvoyEnv", "ConvoyVectorEnv", "Task"]
