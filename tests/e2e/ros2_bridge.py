"""Parts of test_ros2.py: the bridge from ZeroMQ streams to ROS 2, beside real rclpy."""
import contextlib
import json
import math
import os
import re
import signal
import struct

from harness import free_block, last_line

JOINTS, NUMBERS, ODOM, IMAGE = "sensor_msgs/msg/JointState", "std_msgs/msg/Float64MultiArray", "nav_msgs/msg/Odometry", "sensor_msgs/msg/Image"
SCENARIO = """\
convoy: 1
name: bridged
time: {{tick: 10ms, duration: 3600s}}
world: {{ground: {{size: [6, 5], walls: 0.1}}}}
zmq: {{port: {port}, listen: 127.0.0.1}}
robots:
  - {{name: Arm, model: arm.xml, placement: {{poses: [[0, 1, 0]]}}}}
  - {{name: Burger, model: turtlebot3_burger.xml, placement: {{poses: [[0, -1, 0]]}}}}
"""


def echo(room, topic, kind, *more):
    found = room.rclpy("echo", topic, kind, "--count", 1, *more)
    return found[0] if found else None


@contextlib.contextmanager
def bridged(room, which, *words):
    """The bridge: of Python, or Convoy's own."""
    if which == "python":
        with room.start("bridge", *words) as process:
            yield process
    else:
        with room.bench.start("ros2-bridge", *words) as process:
            yield process


def bridge(room, which="own"):
    """Its topics on a running simulation; it comes, is killed and comes again, and the digest is that of a run without it."""
    b, port = room.bench, free_block(5)
    scenario = b.folder / "bridged.yaml"
    scenario.write_text(SCENARIO.format(port=port))
    at = ("--main_endpoint", f"tcp://127.0.0.1:{port}")
    short = ("run", scenario, "--duration", "20s")
    alone = last_line(b.expect(0, r"^digest \w{16}$", "", *short, "--speed", "max").stdout)
    with b.start(*short, "--speed", 1) as run:
        with bridged(room, which, *at) as first:
            arm = echo(room, "/Arm/joint_states", JOINTS)
            b.check(arm and arm["name"] == [f"joint_{i}" for i in range(1, 7)] and len(arm["effort"]) == 6, "an arm's joints are one message", arm)
            base = echo(room, "/Burger/odom", ODOM)
            place = base["pose"]["pose"]["position"] if base else None
            b.check(base and base["header"]["frame_id"] == "world" and math.dist((place["x"], place["y"]), (0, -1)) < 0.05, "where the burger is", base)
            os.kill(first.popen.pid, signal.SIGKILL)
        with bridged(room, which, *at, "--per-joint"):
            one = echo(room, "/Burger/joint_states", JOINTS)
            b.check(one and len(one["name"]) == 1, "--per-joint: one joint a message", one)
        b.check(run.wait() == 0 and last_line(run.out.read_text()) == alone, "the run with a bridge that comes and goes", run.text(), alone)


def commands(room, which="own"):
    """What rclpy commands by the bridge moves an arm."""
    b, port = room.bench, free_block(5)
    scenario = b.folder / "bridged.yaml"
    scenario.write_text(SCENARIO.format(port=port))
    with b.start("run", scenario, "--speed", 1), bridged(room, which, "--main_endpoint", f"tcp://127.0.0.1:{port}") as there:
        there.wait_for("robot Arm, in /Arm")
        before = echo(room, "/Arm/joint_states", JOINTS)["position"]
        named = {"name": ["joint_1", "nobody"], "position": [before[0] + 0.4, 1.0]}
        room.rclpy("pub", "/Arm/joint_command", JOINTS, json.dumps(named), "--count", 20, "--rate", 20)
        after = echo(room, "/Arm/joint_states", JOINTS)["position"]
        b.check(abs(after[0] - before[0]) > 0.05, "the joint that is named moves", before, after)
        there.wait_for("Arm has no actuator nobody")
        room.rclpy("pub", "/Arm/control", NUMBERS, json.dumps({"data": [before[0] - 0.4, 0, 0, 0, 0, 0]}), "--count", 40, "--rate", 20)
        last = echo(room, "/Arm/joint_states", JOINTS)["position"]
        b.check(last[0] < after[0] - 0.05, "and by the order of actuators", after, last)


def written_down(folder):
    """A step as URLab's published programs read it: with the number of values, floats, velocities; an image with a header."""
    half = math.sqrt(0.5)
    info = {"type": "actuator_list", "robot": "Go 2", "names": ["Go 2_hip", "Go 2_knee"], "ids": [7, 9], "mins": [-1, -1], "maxs": [1, 1],
            "camera_list": [{"name": "eye", "endpoint": "tcp://127.0.0.1:5558"}]}
    lines = {"Go~2/joint/hip": struct.pack("<ifff", 3, 0.5, -1.0, 2.0), "Go~2/joint/knee": struct.pack("<ifff", 4, 1.5, 0.25, 0.0),
             "Go~2/sensor/accel": struct.pack("<ii3f", 0, 3, 0.0, 0.5, 9.75),
             # A quarter turn to the left, at 2 m/s along y of the world: ahead.
             "Go~2/base_state/root": struct.pack("<13f", 1, 2, 3, 0, 0, half, half, 0, 2, 0, 0, 0, 0.5),
             "Go~2/camera/eye~": struct.pack("<IIQdIId", 0x314D4355, 2, 1, 0.5, 2, 1, 1000.25) + bytes(range(8)),
             "Go~2/joint/torn": b"123", "nonsense": b"", "Go~2/camera/torn~": b"1234567"}
    file = folder / "streams.txt"
    file.write_text("info " + json.dumps(info).encode().hex() + "\ninfo 7b\n" + "".join(f"{topic} {payload.hex() or '00'}\n" for topic, payload in lines.items()))
    return file


def recorded(room, which="own"):
    """The bytes of another simulator's streams, with some that are none among them."""
    b, port = room.bench, free_block(5)
    with room.start("streams", written_down(b.folder), port) as streams, \
            bridged(room, which, "--main_endpoint", f"tcp://127.0.0.1:{port}", "--camera_endpoint", f"tcp://127.0.0.1:{port}") as there:
        there.wait_for("robot Go 2, in /Go_2")
        states = echo(room, "/Go_2/joint_states", JOINTS)
        got = states and (sorted(states["name"]), sorted(states["position"]), sorted(states["velocity"]), sorted(states["effort"]))
        b.check(got == (["hip", "knee"], [0.5, 1.5], [-1.0, 0.25], [0.0, 2.0]), "joints", states)
        b.check(echo(room, "/Go_2/sensor/accel", NUMBERS)["data"] == [0.0, 0.5, 9.75], "a sensor")
        all_ = echo(room, "/Go_2/sensor_data", NUMBERS)
        b.check(all_["data"] == [0.0, 0.5, 9.75] and [one["label"] for one in all_["layout"]["dim"]] == ["accel"], "all sensors", all_)
        odom = echo(room, "/Go_2/odom", ODOM)
        v = odom["twist"]["twist"]
        b.check(odom["child_frame_id"] == "Go_2/root" and odom["pose"]["pose"]["position"] == {"x": 1.0, "y": 2.0, "z": 3.0}, "where it is", odom)
        b.check(abs(v["linear"]["x"] - 2) < 1e-6 and abs(v["linear"]["y"]) < 1e-6 and abs(v["angular"]["z"] - 0.5) < 1e-6, "how it moves, about its own axes", v)
        image = echo(room, "/Go_2/camera/eye/image_raw", IMAGE, "--best-effort")
        told = image and (image["width"], image["height"], image["encoding"], bytes(image["data"]), image["header"])
        b.check(told == (2, 1, "bgra8", bytes(range(8)), {"stamp": {"sec": 1000, "nanosec": 250000000}, "frame_id": "Go_2_eye_optical_frame"}), "a picture", image)
        frame = room.rclpy("tf", "world", "Go_2/root")
        b.check(any("translation" in line for line in frame if isinstance(line, dict)), "its frame", *frame)
        room.rclpy("pub", "/Go_2/control", NUMBERS, json.dumps({"data": [0.25, -0.5]}), "--count", 10, "--rate", 20)
        streams.wait_for(re.escape("Go 2/control  " + struct.pack("<iifif", 2, 7, 0.25, 9, -0.5).hex()))


def refused(room):
    """What is no address is said."""
    for words in (("--main_endpoint", "nowhere"), ("--camera_endpoint", "tcp://127.0.0.1:0"), ("--info_endpoint", "tcp://127.0.0.1:70000")):
        room.bench.expect(2, r"\A\Z", r"\Aconvoy: '\S+' is no address with a port, as tcp://127.0.0.1:5555\n\Z", "ros2-bridge", *words)


def in_python(room):
    """The bridge of Python does all the same."""
    for part in (bridge, commands, recorded):
        part(room, "python")
