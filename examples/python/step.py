#!/usr/bin/env python3
"""Steps a simulator of its own: two robots, exact states, and the same steps once more.

python3 examples/python/step.py                  # pip install ./python
"""

import pathlib

import convoy

SCENARIO = pathlib.Path(__file__).resolve().parents[2] / "scenarios" / "zmq.yaml"


def drive(world):
    """Half a second: the burger drives a curve, the arm turns. Gives where they are then."""
    for i in range(50):
        here = world.step(5, controls={"Burger": [5.0, 6.0], "MyRobot": {"joint_1": 0.01 * i}})
    return {name: robot.qpos for name, robot in here.robots.items()}


def main():
    with convoy.Simulator(SCENARIO) as simulator, simulator.connect() as world:
        world.lease()
        world.set_mode("stepped")
        world.reset()  # to tick 0, so that each run prints the same
        kept = {name: world.get_state(name).state for name in world.robots}
        first = drive(world)
        for name, state in kept.items():
            world.set_state(name, state)
        again = drive(world)
        for name, qpos in first.items():
            print(f"{name}: {qpos.round(3).tolist()}; again to the bit: {(qpos == again[name]).all()}")


if __name__ == "__main__":
    main()
