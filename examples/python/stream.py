#!/usr/bin/env python3
"""Prints what an arm does while three of its joints follow a wave.

convoy run scenarios/zmq.yaml                    # in one terminal
python3 examples/python/stream.py                # in another: pip install ./python
"""

import argparse
import math

import convoy


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--address", default="127.0.0.1:5555", help="the first port of a client's block")
    options.add_argument("--robot", default="MyRobot")
    options.add_argument("--messages", type=int, default=2000)
    o = options.parse_args()

    told = next(told for told in convoy.info(o.address) if told["robot"] == o.robot)
    print(f"{o.robot} has the actuators {', '.join(told['names'])}")
    with convoy.control(o.address) as control, convoy.stream(o.address, f"{o.robot}/joint/joint_1") as states:
        for count, joint in zip(range(o.messages), states):
            wave = 0.4 * math.sin(2 * math.pi * 0.5 * 0.002 * count)  # half a hertz: a message a tick of 2 ms
            control.send(o.robot, {0: wave, 1: wave, 2: wave})
            if count % 100 == 0:
                print(f"{joint.name}: {joint.position:+.3f} rad, {joint.velocity:+.3f} rad/s", flush=True)


if __name__ == "__main__":
    main()
