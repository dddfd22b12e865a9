"""Gymnasium environments whose robots live in a Convoy simulator. See docs/python.md.

    import gymnasium
    import convoy.gym
    env = gymnasium.make("convoy/ArmReach-v0")
    many = gymnasium.make_vec("convoy/BurgerGoal-v0", num_envs=100, hosts=2)
"""
from ..registration import register
from .environments import ConvoyEnv, ConvoyVectorEnv
from .tasks import TASKS, ArmReach, Batch, BurgerGoal, Task

register()

__all__ = ["TASKS", "ArmReach", "Batch", "BurgerGoal", "ConvoyEnv", "ConvoyVectorEnv", "Task", "register"]
