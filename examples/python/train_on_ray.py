#!/usr/bin/env python3
"""Trains a policy with robots on all nodes of a Ray cluster: the cross-entropy method, a linear policy, robots that drive to goals.

python3 examples/python/train_on_ray.py     # pip install ray; on a machine of the cluster, else it makes one of two nodes

Each of 64 robots tries a policy of its own for an episode; the best eighth makes the next generation. The same seed gives the
same policy on any number of workers and nodes.
"""

import argparse
import hashlib

import numpy as np
import ray

from convoy.gym.over_ray import RayVectorEnv


def episode(env, policies, steps, seed):
    """The return of each policy [N, actions, observations + 1], tried by one robot; all have the same start and goal."""
    observation, _ = env.reset(seed=[seed] * len(policies))
    total = np.zeros(len(policies))
    for _ in range(steps):
        seen = np.concatenate([observation, np.ones((len(policies), 1))], axis=1)
        action = np.tanh(np.einsum("nao,no->na", policies, seen))
        observation, reward, *_ = env.step(action.astype(np.float32))
        total += reward
    return total


def train(env, o):
    random = np.random.default_rng(o.seed)
    shape = (env.single_action_space.shape[0], env.single_observation_space.shape[0] + 1)
    mean, spread = np.zeros(shape), np.full(shape, 0.5)
    for generation in range(o.generations):
        policies = mean + spread * random.standard_normal((o.envs, *shape))
        total = sum(episode(env, policies, o.steps, i) for i in range(o.episodes)) / o.episodes
        best = policies[np.argsort(-total)[: max(2, o.envs // 8)]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.02
        print(f"generation {generation}: mean return {total.mean():.2f}, best {total.max():.2f}", flush=True)
    return mean


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--address", default="auto", help="of the cluster")
    options.add_argument("--envs", type=int, default=64)
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--generations", type=int, default=10)
    options.add_argument(
        "--episodes", type=int, default=4, help="of each robot in a generation, each with a goal of its own"
    )
    options.add_argument("--steps", type=int, default=50)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--convoy", help="the program, a path on all nodes")
    o = options.parse_args()
    cluster = None
    try:
        ray.init(o.address, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, RuntimeError):
        from ray.cluster_utils import Cluster

        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
        cluster.add_node(num_cpus=2)
        ray.init(cluster.address, log_to_driver=False, logging_level="ERROR")
    print(f"{len([n for n in ray.nodes() if n['Alive']])} nodes, {o.workers} workers, {o.envs} robots")
    env = RayVectorEnv(o.envs, "BurgerGoal", workers=o.workers, convoy=o.convoy)
    policy = train(env, o)
    env.close()
    print(f"policy {hashlib.sha256(policy.tobytes()).hexdigest()[:16]}")
    ray.shutdown()
    if cluster:
        cluster.shutdown()


if __name__ == "__main__":
    main()
