#!/usr/bin/env python3
"""A toy of a robot, so that peers can be tried without a simulator: it drives in a square room by /toy/cmd_vel, and tells
/clock, /toy/odom and /toy/scan ten times a second, at twice the speed of the wall. Run by .env/ros/bin/python.

    toy_robot.py [HALF_A_SIDE_OF_THE_ROOM]
"""
import math
import sys

import rclpy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.executors import ExternalShutdownException
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import LaserScan

BEAMS, STEP_NS = 180, 100_000_000


class Toy:
    def __init__(self, node, half):
        self.half, self.ns, self.x, self.y, self.yaw, self.command = half, 0, 0.0, 0.0, 0.0, Twist()
        self.clock = node.create_publisher(Clock, "/clock", 10)
        self.odom = node.create_publisher(Odometry, "odom", 10)
        self.scan = node.create_publisher(LaserScan, "scan", 10)
        node.create_subscription(Twist, "cmd_vel", self.take, 10)
        node.create_timer(STEP_NS / 2e9, self.step)

    def take(self, command):
        self.command = command

    def step(self):
        dt = STEP_NS / 1e9
        self.ns += STEP_NS
        self.x += dt * self.command.linear.x * math.cos(self.yaw)
        self.y += dt * self.command.linear.x * math.sin(self.yaw)
        self.yaw += dt * self.command.angular.z
        clock = Clock()
        clock.clock.sec, clock.clock.nanosec = divmod(self.ns, 10**9)
        self.clock.publish(clock)
        odom = Odometry()
        odom.header.stamp, odom.header.frame_id, odom.child_frame_id = clock.clock, "odom", "base_link"
        odom.pose.pose.position.x, odom.pose.pose.position.y = self.x, self.y
        odom.pose.pose.orientation.z, odom.pose.pose.orientation.w = math.sin(self.yaw / 2), math.cos(self.yaw / 2)
        self.odom.publish(odom)
        scan = LaserScan(angle_increment=math.tau / BEAMS, angle_max=math.tau, range_min=0.1, range_max=20.0)
        scan.header.stamp, scan.header.frame_id = clock.clock, "base_link"
        scan.ranges = [self.distance(self.yaw + i * math.tau / BEAMS) for i in range(BEAMS)]
        self.scan.publish(scan)

    def distance(self, angle):
        """To the walls of the room."""
        c, s = math.cos(angle), math.sin(angle)
        ways = [(math.copysign(self.half, d) - p) / d for p, d in ((self.x, c), (self.y, s)) if abs(d) > 1e-9]
        return min(way for way in ways if way > 0)


def main():
    rclpy.init()
    node = rclpy.create_node("toy_robot", namespace="/toy")
    toy = Toy(node, float(sys.argv[1]) if len(sys.argv) > 1 else 2.0)
    print("ready", flush=True)
    try:
        rclpy.spin(node)
    except (ExternalShutdownException, KeyboardInterrupt):
        print(f"it was at {toy.x:.2f} {toy.y:.2f}")


if __name__ == "__main__":
    main()
