#!/usr/bin/env python3
"""A bridge from ZeroMQ streams to ROS 2, to read and to change: pyzmq on the one side, rclpy on the other.

    python3 bridge_ros2.py --main_endpoint tcp://127.0.0.1:5555 --camera_endpoint tcp://127.0.0.1:5558

It listens to Convoy's streams (docs/zmq.md), or to those of any simulator that has URLab's layouts, and gives each robot N a
namespace:

    /N/joint_states          sensor_msgs/JointState, one a step with all joints; --per-joint: one a joint, as URLab's has them.
                             effort is the acceleration, as there
    /N/sensor/S              std_msgs/Float64MultiArray; /N/sensor_data: those of a step one after the other, each a dimension
    /N/odom, /tf             where its free joint is, in the frame `world`; velocities where the stream has them
    /N/camera/C/image_raw    sensor_msgs/Image; depth in metres
    /N/control               std_msgs/Float64MultiArray, a value for each actuator in the order of the info message
    /N/joint_command         sensor_msgs/JointState, values by the names of actuators

Stamps are those of the clock here, since the streams have none; a picture with a header has the time of its capture. A
simulation does not notice whether a bridge is there: it may come and go. Needs a ROS 2 with rclpy, and pyzmq.
"""

import argparse
import array
import json
import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import rclpy
import zmq
from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import Image, JointState
from std_msgs.msg import Float64MultiArray, MultiArrayDimension
from tf2_msgs.msg import TFMessage

MAGIC = 0x314D4355  # "UCM1", before a picture that has a header
ENCODINGS = {"bgra8": "bgra8", "depth_cm": "32FC1", "instances": "32SC1", "classes": "32SC1"}


# ------------------------------------------------------------------------------------------------------------ bytes


def word(text: str) -> str:
    """As a part of a name of ROS."""
    return re.sub(r"\W", "_", text, flags=re.ASCII)


@dataclass
class Base:
    """Where a free joint is: m and xyzw in the world; m/s in the world and rad/s about the body's axes, if they are told."""

    position: Sequence[float]
    orientation: Sequence[float]
    velocity: Sequence[float] | None = None
    spin: Sequence[float] | None = None


def read_joint(payload: bytes) -> tuple[float, float, float] | None:
    """Position, velocity, acceleration; None: these are no joint's bytes."""
    if len(payload) != 16:
        return None
    _, position, velocity, acceleration = struct.unpack("<ifff", payload)
    return position, velocity, acceleration


def read_sensor(payload: bytes) -> list[float] | None:
    """The values, of either layout: with their number before them, or without."""
    if len(payload) < 4 or len(payload) % 4:
        return None
    words = len(payload) // 4
    if words >= 2 and struct.unpack_from("<i", payload, 4)[0] == words - 2:
        return list(struct.unpack_from(f"<{words - 2}f", payload, 8))
    return list(struct.unpack_from(f"<{words - 1}f", payload, 4))


def read_base(payload: bytes) -> Base | None:
    """Of either layout."""
    if len(payload) == 56:
        x, y, z, qw, qx, qy, qz = struct.unpack("<7d", payload)
        return Base((x, y, z), (qx, qy, qz, qw))
    if len(payload) == 52:
        v = struct.unpack("<13f", payload)
        return Base(v[:3], v[3:7], v[7:10], v[10:])
    return None


@dataclass
class Picture:
    width: int
    height: int
    pixels: bytes
    captured: float = 0  # s since 1970; 0: not told


def read_picture(payload: bytes, width: int, height: int) -> Picture | None:
    """With a header of either version, or without one of the size that is given."""
    captured = 0.0
    if len(payload) >= 32 and struct.unpack_from("<I", payload)[0] == MAGIC:
        version = struct.unpack_from("<I", payload, 4)[0]
        if version not in (1, 2) or len(payload) < 40:
            return None
        width, height = struct.unpack_from("<II", payload, 24)
        captured = struct.unpack_from("<d", payload, 32)[0] if version == 2 else 0.0
        payload = payload[32 if version == 1 else 40 :]
    if not payload or len(payload) != 4 * width * height:
        return None
    return Picture(width, height, payload, captured)


def control_bytes(pairs: Sequence[tuple[int, float]]) -> bytes:
    return struct.pack("<i", len(pairs)) + b"".join(struct.pack("<if", number, value) for number, value in pairs)


def in_body(v: Sequence[float], q: Sequence[float]) -> tuple[float, float, float]:
    """A vector of the world about the axes of a body with that orientation (xyzw)."""
    x, y, z, w = -q[0], -q[1], -q[2], q[3]
    tx, ty, tz = 2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])
    return v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx


# ------------------------------------------------------------------------------------------------------------ robots


class Step:
    """What comes by parts and belongs together: handed over when a part comes again, or when all that are known have come."""

    def __init__(self, done: Callable[[dict[str, Any]], None]) -> None:
        self.done = done
        self.parts: dict[str, Any] = {}
        self.known: set[str] = set()

    def take(self, name: str, value: Any) -> None:
        if name in self.parts:
            self.end()
        self.parts[name] = value
        if self.known and self.parts.keys() >= self.known:
            self.end()

    def end(self) -> None:
        parts, self.parts = self.parts, {}
        self.known |= parts.keys()
        self.done(parts)


@dataclass
class Robot:
    """One namespace: its publishers come with the first message of their kind."""

    node: Node
    name: str
    publishers: dict[str, Any] = field(default_factory=dict)
    actuators: dict[str, int] = field(default_factory=dict)  # ids by name, in order
    shows: dict[str, str] = field(default_factory=dict)  # by camera

    def __post_init__(self) -> None:
        self.ns = "/" + word(self.name)
        self.joints = Step(lambda joints: self.publish("joint_states", self.states(joints)))
        self.sensors = Step(self.tell_sensors)

    def publish(self, topic: str, message: Any, *, pictures: bool = False) -> None:
        if topic not in self.publishers:
            qos = QoSProfile(depth=2, reliability=ReliabilityPolicy.BEST_EFFORT) if pictures else QoSProfile(depth=10)
            name = topic if topic.startswith("/") else f"{self.ns}/{topic}"
            self.publishers[topic] = self.node.create_publisher(type(message), name, qos)
        self.publishers[topic].publish(message)

    def take_joint(self, joint: str, values: tuple[float, float, float], one_each: bool) -> None:
        if one_each:
            self.publish("joint_states", self.states({joint: values}))
        else:
            self.joints.take(joint, values)

    def take_sensor(self, sensor: str, values: list[float]) -> None:
        self.publish(f"sensor/{word(sensor)}", Float64MultiArray(data=values))
        self.sensors.take(sensor, values)

    def tell_sensors(self, sensors: dict[str, list[float]]) -> None:
        message = Float64MultiArray(data=[value for values in sensors.values() for value in values])
        message.layout.dim = [
            MultiArrayDimension(label=name, size=len(values), stride=len(values)) for name, values in sensors.items()
        ]
        self.publish("sensor_data", message)

    def states(self, joints: dict[str, tuple[float, float, float]]) -> Any:
        message = JointState(name=list(joints))
        message.header.stamp = self.node.get_clock().now().to_msg()
        message.position, message.velocity, message.effort = (
            list(values) for values in zip(*joints.values(), strict=True)
        )
        return message

    def take_base(self, joint: str, base: Base) -> None:
        stamp = self.node.get_clock().now().to_msg()
        frame = f"{self.ns[1:]}/{joint}"
        odometry = Odometry(child_frame_id=frame)
        odometry.header.stamp, odometry.header.frame_id = stamp, "world"
        p, q = odometry.pose.pose.position, odometry.pose.pose.orientation
        p.x, p.y, p.z = base.position
        q.x, q.y, q.z, q.w = base.orientation
        if base.velocity is not None and base.spin is not None:
            v, w = odometry.twist.twist.linear, odometry.twist.twist.angular
            v.x, v.y, v.z = in_body(base.velocity, base.orientation)
            w.x, w.y, w.z = base.spin
        self.publish("odom", odometry)
        transform = TransformStamped(header=odometry.header, child_frame_id=frame)
        t, r = transform.transform.translation, transform.transform.rotation
        t.x, t.y, t.z, r.x, r.y, r.z, r.w = p.x, p.y, p.z, q.x, q.y, q.z, q.w
        self.publish("/tf", TFMessage(transforms=[transform]))

    def take_picture(self, camera: str, picture: Picture) -> None:
        shows = self.shows.get(camera, "bgra8")
        image = Image(
            width=picture.width, height=picture.height, step=4 * picture.width, encoding=ENCODINGS.get(shows, "bgra8")
        )
        image.header.frame_id = f"{self.ns[1:]}_{camera}_optical_frame"
        stamp = self.node.get_clock().now().to_msg()
        if picture.captured > 0:
            stamp.sec, stamp.nanosec = int(picture.captured), int(picture.captured % 1 * 1e9)
        image.header.stamp = stamp
        pixels = picture.pixels
        if shows == "depth_cm":
            pixels = (np.frombuffer(pixels, "<f4") / np.float32(100)).tobytes()
        image.data = array.array("B", pixels)  # anything else is checked byte by byte
        self.publish(f"camera/{word(camera)}/image_raw", image, pictures=True)


# ------------------------------------------------------------------------------------------------------------ bridge


def beside(endpoint: str, ports: int) -> str:
    """The endpoint that lies so many ports further."""
    place, _, port = endpoint.rpartition(":")
    return f"{place}:{int(port) + ports}"


class Bridge:
    def __init__(self, node: Node, options: argparse.Namespace) -> None:
        self.node, self.options = node, options
        self.context = zmq.Context()
        self.poller = zmq.Poller()
        self.streams = self.listen([options.main_endpoint], 1000)
        self.info = self.listen([options.info_endpoint or beside(options.main_endpoint, 2)], 1000)
        self.cameras = self.listen(options.camera_endpoint, 4)
        self.control: Any = self.context.socket(zmq.PUB)
        self.control.linger = 0
        self.control.connect(options.control_endpoint or beside(options.main_endpoint, 1))
        self.robots: dict[str, Robot] = {}

    def listen(self, endpoints: Sequence[str], waiting: int) -> Any:
        socket: Any = self.context.socket(zmq.SUB)
        socket.rcvhwm, socket.linger = waiting, 0
        socket.subscribe(b"")
        for endpoint in endpoints:
            socket.connect(endpoint)
        self.poller.register(socket, zmq.POLLIN)
        return socket

    def robot(self, name: str) -> Robot:
        if name not in self.robots:
            robot = self.robots[name] = Robot(self.node, name)
            self.node.create_subscription(
                Float64MultiArray, f"{robot.ns}/control", lambda message: self.command_all(robot, message), 10
            )
            self.node.create_subscription(
                JointState, f"{robot.ns}/joint_command", lambda message: self.command(robot, message), 10
            )
            self.node.get_logger().info(f"robot {name}, in {robot.ns}")
        return self.robots[name]

    def take(self, topic: str, payload: bytes) -> None:
        """A message of the main stream; what is none of these, and bytes of other lengths, are passed over."""
        name, _, rest = topic.rstrip(" \0").partition("/")
        kind, _, part = rest.partition("/")
        if kind == "joint" and (values := read_joint(payload)):
            self.robot(name).take_joint(part, values, self.options.per_joint)
        elif kind == "sensor" and (numbers := read_sensor(payload)) is not None:
            self.robot(name).take_sensor(part, numbers)
        elif kind == "base_state" and (base := read_base(payload)):
            self.robot(name).take_base(part, base)
        elif kind == "camera" and (picture := read_picture(payload, self.options.width, self.options.height)):
            self.robot(name).take_picture(part, picture)

    def take_info(self, text: bytes) -> None:
        try:
            info = json.loads(text)
            robot = self.robot(info["robot"])
            prefix = info["robot"] + "_"
            robot.actuators = {
                name.removeprefix(prefix): number for name, number in zip(info["names"], info["ids"], strict=True)
            }
            robot.shows = {camera["name"]: camera.get("shows", "bgra8") for camera in info.get("camera_list", [])}
        except (ValueError, KeyError, TypeError, AttributeError):
            self.node.get_logger().warning("an info message that is none", once=True)

    def command_all(self, robot: Robot, message: Any) -> None:
        numbers = list(robot.actuators.values()) or range(len(message.data))
        self.send(robot, list(zip(numbers, message.data, strict=False)))

    def command(self, robot: Robot, message: Any) -> None:
        values = message.position or message.velocity or message.effort
        pairs = []
        for name, value in zip(message.name, values, strict=False):
            number = robot.actuators.get(name, robot.actuators.get(name.removesuffix("_joint")))
            if number is None:
                self.node.get_logger().warning(f"{robot.name} has no actuator {name}", throttle_duration_sec=5.0)
            else:
                pairs.append((number, value))
        self.send(robot, pairs)

    def send(self, robot: Robot, pairs: list[tuple[int, float]]) -> None:
        if pairs:
            self.control.send_multipart([f"{robot.name}/control ".encode(), control_bytes(pairs)])

    def drain(self, socket: Any, at_most: int = 10_000) -> None:
        for _ in range(at_most):
            try:
                parts = socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                break
            if socket is self.info:
                self.take_info(parts[0])
            elif len(parts) == 2:
                self.take(parts[0].decode(errors="replace"), parts[1])

    def spin(self) -> None:
        while rclpy.ok():
            ready = dict(self.poller.poll(5))
            for socket in (self.info, self.streams, self.cameras):
                if socket in ready:
                    self.drain(socket)
            rclpy.spin_once(self.node, timeout_sec=0)


def main() -> None:
    p = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    p.add_argument("--main_endpoint", default="tcp://127.0.0.1:5555", help="states and sensors")
    p.add_argument("--camera_endpoint", action="append", default=[], help="pictures; may be repeated")
    p.add_argument("--control_endpoint", help="where controls go; default: the port behind the main one's")
    p.add_argument("--info_endpoint", help="names of actuators; default: the port behind that")
    p.add_argument("--width", type=int, default=640, help="px, of pictures without a header")
    p.add_argument("--height", type=int, default=480)
    p.add_argument("--per-joint", action="store_true", help="one message of joint_states a joint")
    options, arguments = p.parse_known_args()
    rclpy.init(args=arguments)
    node = rclpy.create_node("urlab_ros2_bridge")
    try:
        Bridge(node, options).spin()
    except KeyboardInterrupt:
        pass
    except Exception:
        if rclpy.ok():  # else it was asked to end in the middle of a wait
            raise


if __name__ == "__main__":
    main()
