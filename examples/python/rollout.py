#!/usr/bin/env python3
"""A Gymnasium rollout: many robots, a scripted policy, twice with the same result.

python3 examples/python/rollout.py --envs 20     # pip install './python[gym]'
"""

import argparse
import hashlib

import gymnasium
import numpy as np

import convoy.gym  # noqa: F401 (it registers the environments)


def rollout(o):
    env = gymnasium.make_vec(o.id, num_envs=o.envs, hosts=o.hosts)
    observation, _ = env.reset(seed=o.seed)
    digest, returns, finished = hashlib.sha256(), np.zeros(o.envs), []
    for _ in range(o.steps):
        observation, reward, terminated, truncated, _ = env.step(env.unwrapped.task.scripted(observation))
        digest.update(observation.tobytes() + reward.tobytes())
        returns += reward
        done = terminated | truncated
        finished += returns[done].tolist()
        returns[done] = 0
    env.close()
    return digest.hexdigest()[:16], len(finished), np.mean(finished) if finished else float("nan")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--id", default="convoy/ArmReach-v0", choices=("convoy/ArmReach-v0", "convoy/BurgerGoal-v0"))
    options.add_argument("--envs", type=int, default=10)
    options.add_argument("--hosts", type=int, default=1)
    options.add_argument("--steps", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    o = options.parse_args()
    for run in ("first", "second"):
        digest, episodes, mean = rollout(o)
        print(f"{run} run: {episodes} episodes, mean return {mean:.2f}, digest {digest}")


if __name__ == "__main__":
    main()
