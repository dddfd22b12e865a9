#!/usr/bin/env python3
"""Sensors of a user's library through the door to ROS 2, from outside: real rclpy hears what examples/sensor measures.

    tests/e2e/test_ros2_users_sensors.py CONVOY CYCLONE_PEER LIBUWB.so

Prints what the peers said, one line per check that fails, and exits 1 if there is any. Nothing is timed.
"""
import math
import pathlib
import shutil
import sys

from harness import new_bench
from ros2 import result_of, with_key
from test_ros2 import Room

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "sensor" / "uwb.yaml"


def measured(room):
    """Ranges to the anchors that are in sight, in the frame that tf_static places."""
    scenario = EXAMPLE.read_text().replace("driver: random_walk", "driver: none").replace("noise: 0.03", "noise: 0").replace("duration: 10s", "duration: 3600s")
    with room.run_of(scenario=scenario):
        for ranges in room.rclpy("echo", "/tag_0/uwb", "std_msgs/msg/Float64MultiArray", "--count", 2):
            true = [math.dist((-4, -2, 0.3), anchor) for anchor in ((-5.5, -3.5, 1.5), (5.5, -3.5, 1.5), (-5.5, 3.5, 1.5))]
            got = ranges["data"]
            room.check(len(got) == 4 and not math.isfinite(got[2]) and all(abs(got[i] - r) < 1e-9 for i, r in zip((0, 1, 3), true, strict=True)), "ranges", ranges, true)
        found = with_key(room.rclpy("tf", "base_footprint", "uwb_link", "--tf", "/tag_0/tf"), "translation")
        room.check(found and abs(found[0]["translation"][2] - 0.3) < 1e-9, "where it is", found)


def main():
    with new_bench(sys.argv[1]) as b:
        (b.folder / "build").mkdir()
        shutil.copy(sys.argv[3], b.folder / "build" / "libuwb.so")
        return result_of(b, lambda: Room(b, sys.argv[2]), {"measured": measured}, [])


if __name__ == "__main__":
    sys.exit(main())
