#!/usr/bin/env python3
"""N robots through the vector environment, and the same through packed steps alone: robot steps of physics a second.

    .env/python/bin/python bench/vector_env.py --convoy build/convoy [--envs 100] [--hosts 1] [--actions 500]

A robot step is one physics step of one robot, so that the numbers compare with a loop over mj_step. Prints the best of
--repeat, and with --json one object.
"""

import argparse
import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
import gymnasium

import convoy.gym  # noqa: F401 (it registers the environments)


def seconds_for(o, act):
    best = float("inf")
    for _ in range(o.repeat):
        begun = time.perf_counter()
        for _ in range(o.actions):
            act()
        best = min(best, time.perf_counter() - begun)
    return best


def measure(o):
    env = gymnasium.make_vec(o.id, num_envs=o.envs, hosts=o.hosts, max_episode_steps=o.episode)
    env.reset(seed=0)
    env.action_space.seed(0)
    actions = env.action_space.sample()
    env.step(actions)
    robots = env.unwrapped._robots  # who now have these actions, so that both loops ask the same of the physics
    ctrl = robots.task.controls(robots.batch)
    steps = round(robots.task.period / robots.fleet.robots[0].timestep)
    each = o.envs * steps
    through_env = seconds_for(o, lambda: env.step(actions))
    through_fleet = seconds_for(o, lambda: robots.fleet.step(ctrl, ticks=robots.ticks))
    world = robots._connection
    answers = seconds_for(o, lambda: world.endpoints[0].request("meta"))
    env.close()
    return {
        "id": o.id,
        "envs": o.envs,
        "hosts": o.hosts,
        "physics_steps_per_action": steps,
        "robot_steps_per_s": each * o.actions / through_env,
        "packed_robot_steps_per_s": each * o.actions / through_fleet,
        "ms_per_action": 1e3 * through_env / o.actions,
        "ms_per_packed_step": 1e3 * through_fleet / o.actions,
        "ms_per_empty_request": 1e3 * answers / o.actions,
    }


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--convoy", default=os.environ.get("CONVOY_BIN"))
    options.add_argument("--id", default="convoy/BurgerGoal-v0")
    options.add_argument("--envs", type=int, default=100)
    options.add_argument("--hosts", type=int, default=1)
    options.add_argument("--actions", type=int, default=500)
    options.add_argument("--episode", type=int, default=150, help="actions until an episode is cut short")
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("--json", action="store_true")
    o = options.parse_args()
    if o.convoy:
        os.environ["CONVOY_BIN"] = o.convoy
    found = measure(o)
    if o.json:
        print(json.dumps(found))
        return
    print(f"{o.id}, {o.envs} robots, {o.hosts} hosts, {found['physics_steps_per_action']} physics steps an action")
    rows = (("environment", "robot_steps_per_s", "ms_per_action"),
            ("packed steps", "packed_robot_steps_per_s", "ms_per_packed_step"))
    for what, rate, time_of in rows:
        print(f"  {what:12}  {found[rate]:12,.0f} robot steps/s   {found[time_of]:7.3f} ms an action")
    print(f"  a request for nothing                          {found['ms_per_empty_request']:7.3f} ms")


if __name__ == "__main__":
    main()
