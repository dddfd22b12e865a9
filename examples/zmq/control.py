#!/usr/bin/env python3
"""Moves three joints of a robot over ZeroMQ and prints what they do: URLab's protocol, with pyzmq alone.

    convoy run scenarios/zmq.yaml                    # in one terminal
    python3 examples/zmq/control.py                  # in another: pip install pyzmq

States come as two frames: the topic "MyRobot/joint/NAME", and an id with position, velocity and acceleration. Controls
go the other way: "MyRobot/control " (the space belongs to it in URLab; Convoy takes it without, too) and a count with
as many pairs of an actuator's number and its value.
"""
import argparse
import math
import struct
import time

import zmq


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--robot", default="MyRobot")
    options.add_argument("--host", default="127.0.0.1")
    options.add_argument("--port", type=int, default=5555, help="of the state; control is the next one")
    options.add_argument("--seconds", type=float, default=5)
    o = options.parse_args()

    context = zmq.Context()
    states = context.socket(zmq.SUB)
    states.connect(f"tcp://{o.host}:{o.port}")
    states.setsockopt_string(zmq.SUBSCRIBE, f"{o.robot}/")
    states.setsockopt(zmq.RCVTIMEO, 5000)
    controls = context.socket(zmq.PUB)
    controls.connect(f"tcp://{o.host}:{o.port + 1}")

    begun, count, next_line = time.monotonic(), 0, 0.0
    while (now := time.monotonic() - begun) < o.seconds:
        topic, payload = states.recv_multipart()
        if b"/joint/" not in topic:
            continue
        number, position, velocity, _acceleration = struct.unpack("<Ifff", payload)
        count += 1
        if now >= next_line:
            next_line += 0.25
            print(f"{topic.decode()} (joint {number}): {position:+.3f} rad, {velocity:+.3f} rad/s", flush=True)
        wave = 0.4 * math.sin(2 * math.pi * 0.5 * now)
        message = struct.pack("<I", 3) + b"".join(struct.pack("<If", actuator, wave) for actuator in range(3))
        controls.send_multipart([f"{o.robot}/control ".encode(), message])
    print(f"{count} joint messages in {o.seconds:g} s")


if __name__ == "__main__":
    main()
