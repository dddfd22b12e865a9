#!/usr/bin/env python3
"""Drives a robot to a place as Nav2 does, with the qualities of service of its servers. Run by .env/ros/bin/python.

    navigator.py ROBOT X,Y            in the map's frame; --start X,Y,YAW is where its odometry began

Of one node with use_sim_time: /map (transient local), ROBOT/scan (sensor data), ROBOT/odom (the system's default), ROBOT/tf and
tf_static as tf2's listeners have them; it plans on the map around what is occupied, follows by tf, stops where the scan is too
near, and commands ROBOT/cmd_vel (TwistStamped, depth 1). Prints what it has heard and where it came, and exits with 0 once it
is there, else with 1.
"""
import argparse
import heapq
import json
import math
import sys
import time

import rclpy
from frames import Frames, composed
from geometry_msgs.msg import TwistStamped
from nav_msgs.msg import OccupancyGrid, Odometry
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy, qos_profile_sensor_data
from ros_values import type_of
from sensor_msgs.msg import LaserScan

TFMessage = type_of("tf2_msgs/msg/TFMessage")  # of which mypy has no types
INFLATED = 0.25  # m around what is occupied
NEAR = 0.13      # m: the robot stops
RATE = 20.0      # Hz, of simulated time
LATCHED = DurabilityPolicy.TRANSIENT_LOCAL


def yaw_of(q):
    return math.atan2(2 * (q[3] * q[2] + q[0] * q[1]), 1 - 2 * (q[1] ** 2 + q[2] ** 2))


class Costs:
    """Which cells of an occupancy grid the robot's middle may be in."""

    def __init__(self, grid):
        self.grid, self.cell = grid.info, grid.info.resolution
        near = math.ceil(INFLATED / self.cell)
        disc = [(dx, dy) for dx in range(-near, near + 1) for dy in range(-near, near + 1) if math.hypot(dx, dy) * self.cell <= INFLATED]
        occupied = [divmod(i, self.grid.width) for i, value in enumerate(grid.data) if value >= 50]
        self.closed = {(x + dx, y + dy) for y, x in occupied for dx, dy in disc}

    def cell_of(self, place):
        origin = self.grid.origin.position
        return int((place[0] - origin.x) / self.cell), int((place[1] - origin.y) / self.cell)

    def place_of(self, cell):
        origin = self.grid.origin.position
        return origin.x + (cell[0] + 0.5) * self.cell, origin.y + (cell[1] + 0.5) * self.cell

    def free(self, cell):
        return 0 <= cell[0] < self.grid.width and 0 <= cell[1] < self.grid.height and cell not in self.closed

    def path(self, start, goal):
        """Places from one to the other, by A*; None: there is no way."""
        first, last = self.cell_of(start), self.cell_of(goal)
        came, cost, front = {first: None}, {first: 0.0}, [(0.0, first)]
        while front:
            _, at = heapq.heappop(front)
            if at == last:
                cells = []
                while at is not None:
                    cells.append(at)
                    at = came[at]
                return [self.place_of(cell) for cell in reversed(cells)]
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)):
                to = at[0] + dx, at[1] + dy
                total = cost[at] + math.hypot(dx, dy)
                if self.free(to) and total < cost.get(to, math.inf):
                    came[to], cost[to] = at, total
                    heapq.heappush(front, (total + math.dist(to, last), to))
        return None


class Navigator:
    def __init__(self, o):
        self.start = o.start
        self.node = rclpy.create_node("navigator", parameter_overrides=[Parameter("use_sim_time", value=True)])
        self.frames, self.heard = Frames(), {"map": 0, "scan": 0, "odom": 0, "tf": 0, "tf_static": 0}
        self.grid, self.nearest = None, math.inf
        system = QoSProfile(depth=10, reliability=ReliabilityPolicy.SYSTEM_DEFAULT, durability=DurabilityPolicy.SYSTEM_DEFAULT)
        for kind, topic, qos, hears in (
                (OccupancyGrid, "/map", QoSProfile(depth=1, durability=LATCHED), self.of_map), (LaserScan, f"/{o.robot}/scan", qos_profile_sensor_data, self.of_scan),
                (Odometry, f"/{o.robot}/odom", system, lambda _: None), (TFMessage, f"/{o.robot}/tf", QoSProfile(depth=100), self.frames.hear),
                (TFMessage, f"/{o.robot}/tf_static", QoSProfile(depth=100, durability=LATCHED), lambda m: self.frames.hear(m, holds_always=True))):
            self.node.create_subscription(kind, topic, self.counted(topic.rsplit("/", 1)[1], hears), qos)
        self.commands = self.node.create_publisher(TwistStamped, f"/{o.robot}/cmd_vel", 1)
        self.end = time.monotonic() + o.timeout

    def counted(self, name, hears):
        def received(message):
            self.heard[name] += 1
            hears(message)
        return received

    def of_map(self, grid):
        self.grid = grid

    def of_scan(self, scan):
        self.nearest = min((r for r in scan.ranges if scan.range_min <= r <= scan.range_max), default=math.inf)

    def place(self):
        """x, y and yaw on the map; None: tf does not say yet."""
        found = self.frames.lookup("odom", "base_footprint")
        if not found:
            return None
        half = self.start[2] / 2
        began = ((self.start[0], self.start[1], 0.0), (0.0, 0.0, math.sin(half), math.cos(half)), None)
        where = composed(began, found)
        return where[0][0], where[0][1], yaw_of(where[1])

    def spin_until(self, condition):
        while not condition():
            if time.monotonic() > self.end:
                return False
            rclpy.spin_once(self.node, timeout_sec=0.05)
        return True

    def command(self, speed, turn):
        message = TwistStamped()
        message.header.stamp = self.node.get_clock().now().to_msg()
        message.header.frame_id = "base_footprint"
        message.twist.linear.x, message.twist.angular.z = speed, turn
        self.commands.publish(message)

    def go(self, goal):
        """Whether it came there; what stopped it."""
        if not self.spin_until(lambda: self.grid and self.place() and self.heard["scan"] and self.heard["odom"] and self.commands.get_subscription_count() > 0):
            return "something of its topics is missing"
        path = Costs(self.grid).path(self.place()[:2], goal)
        if not path:
            return "there is no way"
        while math.dist(self.place()[:2], goal) > 0.1:
            x, y, yaw = self.place()
            path = path[min(range(len(path)), key=lambda i: math.dist(path[i], (x, y))):]
            ahead = next((p for p in path if math.dist(p, (x, y)) > 0.2), path[-1])
            off = math.remainder(math.atan2(ahead[1] - y, ahead[0] - x) - yaw, math.tau)
            if self.nearest < NEAR:
                return f"something is at {self.nearest:.2f} m"
            self.command(0.22 * max(0.0, math.cos(off)) ** 3, max(-1.5, min(1.5, 2.5 * off)))
            next_at = self.node.get_clock().now().nanoseconds + 1e9 / RATE
            if not self.spin_until(lambda at=next_at: self.node.get_clock().now().nanoseconds >= at):
                return f"it is at {x:.2f}, {y:.2f} only"
        self.command(0.0, 0.0)
        return None


def numbers(text):
    return [float(word) for word in text.split(",")]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("robot")
    p.add_argument("goal", type=numbers, metavar="X,Y")
    p.add_argument("--start", type=numbers, default=[0.0, 0.0, 0.0], metavar="X,Y,YAW")
    p.add_argument("--timeout", type=float, default=60.0, help="s of the wall")
    o = p.parse_args()
    rclpy.init()
    navigator = Navigator(o)
    failed = navigator.go(tuple(o.goal))
    print(json.dumps({"at": navigator.place(), "heard": navigator.heard, "failed": failed}), flush=True)
    navigator.node.destroy_node()
    rclpy.shutdown()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
