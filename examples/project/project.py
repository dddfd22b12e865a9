#!/usr/bin/env python3
"""Drives both robots in a circle, step by step: each run prints the same."""

import pathlib

import convoy

SCENARIO = pathlib.Path(__file__).resolve().parent / "my_project.yaml"

with (
    convoy.Simulator(SCENARIO, options=["--set", "robots[0].driver=none", "--set", "robots[1].driver=none"]) as simulator,
    simulator.connect() as world,
):
    world.lease()  # nobody else commands these robots
    world.set_mode("stepped")  # the world waits for this program
    world.reset()  # to tick 0
    for _ in range(20):
        for name in world.robots:
            world.set_twist(name, 0.2, 0.5)  # m/s, rad/s
        here = world.step(ticks=10)
    for name in world.robots:
        x, y = world.entity(name)["position"][:2]
        print(f"{name} is at {x:.3f} {y:.3f} m after {here.time:.1f} s")
