#!/usr/bin/env python3
"""The package against a stand-in for the simulator that goes wrong on purpose (fake_convoy.py): no build is needed.

    .env/python/bin/python python/tests/test_client.py

Prints one line per check that fails and exits 1 if there is any.
"""

import os
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "tests" / "e2e")]
import msgpack
import numpy as np
import test_python as real
from harness import new_bench

import convoy
import convoy.gym

SCENARIO = "time: {tick: 4000000ns}\nrobots: [{name: robot, count: 4, model: arm.xml}]\n"


def answers(b, file):
    """Each way in which a step goes wrong is one error of its own, and none is waited for long."""
    wanted = {
        "silent": "timeout",
        "junk": "bad_reply",
        "short": "bad_reply",
        "tick": "out_of_step",
        "refuse": "bad_value",
        "dies": "simulator_ended",
    }
    for trouble, code in wanted.items():
        os.environ["FAKE_TROUBLE"] = trouble
        with convoy.Simulator(file, hosts=2) as simulator, simulator.connect(patience=0.5) as world:
            fleet = world.fleet()
            world.set_mode("stepped")
            real.refused(b, code, lambda: fleet.step(np.zeros((4, 6)), 2), trouble)
            if trouble == "silent":  # the answer that was given up is not taken for another's
                b.check(world.meta()["op"] == "meta_ok", "the next answer")
    os.environ["FAKE_TROUBLE"] = "taken"
    real.refused(b, "simulator_ended", lambda: convoy.Simulator(file), "taken")
    os.environ["FAKE_TROUBLE"] = "broken"
    error = real.refused(b, "simulator_ended", lambda: convoy.Simulator(file), "broken")
    b.check(f"{file}:1: robots: missing" in error.message, "why it did not start", error)
    del os.environ["FAKE_TROUBLE"]


def arguments(b, file):
    """What makes no sense is refused before anything is sent, with what would be allowed."""
    for address in ("nowhere", "127.0.0.1", "127.0.0.1:none", "127.0.0.1:65535"):
        real.refused(b, "bad_value", lambda: convoy.connect(address), address)
    real.refused(b, "nobody_there", lambda: convoy.connect(f"127.0.0.1:{convoy.simulator.free_block(20)}"))
    with convoy.Simulator(file, hosts=3) as simulator, simulator.connect() as world:
        world.lease(["robot_3", "robot_1"])  # an order that the fleet does not take over
        fleet = world.fleet(["robot_2", "robot_0", "robot_3", "robot_1"])
        seen = fleet.step(np.arange(24.0).reshape(4, 6), 2)
        b.check(np.array_equal(np.argsort(seen[:, 0]), np.arange(4)), "the order of the rows", seen)
        kept = seen.copy()
        put = fleet.reset(np.array([1, 2]), np.full((2, 6), 0.5))
        b.check(
            np.array_equal(put[[1, 2], :6], np.full((2, 6), 0.5)) and np.array_equal(put[[0, 3]], seen[[0, 3]]),
            "rows put back",
            put,
        )
        b.check(np.array_equal(seen, kept), "an observation that changes later", seen, kept)
        real.refused(b, "dim_mismatch", lambda: fleet.step(np.zeros((4, 5)), 2))
        real.refused(b, "bad_value", lambda: fleet.step(np.zeros((4, 6)), 1), "part of a tick")
        real.refused(b, "bad_value", lambda: fleet.step(np.zeros((4, 6)), 2, ticks=1), "two lengths")
        real.refused(b, "bad_value", lambda: world.fleet(observations="all"))
        for name in world.robots:  # each at its own client, and numbers of any kind as floats
            world.set_gains(name, {"joint_1": {"kp": np.int64(2)}})
        real.refused(b, "bad_value", lambda: world.set_gains("robot_0", {"joint_1": {"kp": 3}}), "gains")
        real.refused(b, "unknown_articulation", lambda: world.lease(["robot_1", "nobody"]))
        real.refused(b, "bad_mode", lambda: world.set_mode("fast"))
        world.close()
        real.refused(b, "closed", lambda: fleet.step(np.zeros((4, 6)), 2), "after close")


def messages(b):
    """Each row of both profiles; what is too short is refused."""
    pose = [1.0, 2.0, 3.0, 0.5, 0.5, 0.5, -0.5]
    found = convoy.decode(b"a/base_state/base", struct.pack("<7d", *pose))
    b.check([*found.position, *found.orientation] == pose and found.linear is None, "a base of seed", found)
    row = [1, 2, 3, 0.1, 0.2, 0.3, 0.9, 4, 5, 6, 7, 8, 9]
    found = convoy.decode(b"a/base_state/base", struct.pack("<13f", *row), "urlab01")
    b.check(
        np.allclose(found.orientation, [0.9, 0.1, 0.2, 0.3]) and np.array_equal(found.angular, [7, 8, 9]),
        "a base of urlab01",
        found,
    )
    for profile, head in (("seed", struct.pack("<i", 3)), ("urlab01", struct.pack("<ii", 3, 2))):
        found = convoy.decode(b"a/sensor/gyro", head + struct.pack("<ff", 1, 2), profile)
        b.check(found.id == 3 and np.array_equal(found.values, [1, 2]), f"a sensor of {profile}", found)
    b.check(
        convoy.decode(b"a/joint/j/1", struct.pack("<ifff", 1, 2, 3, 4)) == convoy.Joint("a", "j/1", 1, 2, 3, 4),
        "a joint",
    )
    b.check(convoy.decode(b"a/actions", struct.pack("<i", 5)) == convoy.Actions("a", 5), "actions")
    b.check(convoy.decode(b"a/twist", struct.pack("<fff", 1, 0, 2)) == convoy.Twist("a", 1, 0, 2), "a twist")
    told = {"index": 7, "stamp_ns": 50, "type": "scan", "data": {"ranges": [1.5, np.inf], "range_min": 0.5}}
    found = convoy.decode(b"a/sample/scan", msgpack.packb(told))
    b.check(
        (found.robot, found.sensor, found.index, found.stamp_ns, found.type) == ("a", "scan", 7, 50, "scan")
        and np.array_equal(found.data["ranges"], [1.5, np.inf])
        and found.data["range_min"] == 0.5,
        "a sample",
        found,
    )
    del told["data"]
    for junk in (b"", b"\xc1", b"\x91", msgpack.packb(7), msgpack.packb([1]), msgpack.packb(told)):
        real.refused(b, "bad_reply", lambda: convoy.decode(b"a/sample/s", junk), junk)
    b.check(convoy.decode(b"a/dance/x", b"123") is None, "a kind that nobody knows")
    for topic, size in (
        (b"a/joint/j", 15),
        (b"a/base_state/b", 52),
        (b"a/sensor/s", 3),
        (b"a/sensor/s", 7),
        (b"a/twist", 0),
    ):
        real.refused(b, "bad_reply", lambda: convoy.decode(topic, bytes(size)), topic)


def main():
    with new_bench("convoy") as b:
        program = b.folder / "convoy"
        program.write_text(f'#!/bin/sh\nexec {sys.executable} {HERE / "fake_convoy.py"} "$@"\n')
        program.chmod(0o755)
        os.environ["CONVOY_BIN"] = str(program)
        file = b.folder / "fake.yaml"
        file.write_text(SCENARIO)
        b.run(
            {
                "answers": lambda b: answers(b, file),
                "arguments": lambda b: arguments(b, file),
                "messages": messages,
                "checker": real.checker,
                "equal": lambda b: real.equal(b, real.IDS[:1]),
            },
            sys.argv[1:],
        )
        b.check(real.gone(b), "something is left running", real.left(b))
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
