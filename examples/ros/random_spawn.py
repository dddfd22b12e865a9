#!/usr/bin/env python3
"""Spawns robots at random places through one client of a run, and drives each about: a program of ROS 2.

    build/convoy launch scenarios/hello.yaml --hosts 2 --ros2
    python3 examples/ros/random_spawn.py --ros-args -p robot_name:=amr -p service_namespace:=NetworkPC2

Needs rclpy, geometry_msgs and ue_msgs. Parameters, all optional:

    robot_name         "amr"      of the robot; of several the beginning: amr1, amr2, ...
    robot_num          1          how many
    start_index        1          number of the first of several
    service_namespace  ""         of the client that is asked, which then runs them: NetworkPC1, ...
    models             burger and waffle
    x_lim, y_lim       [-2.5, 2.5]  m: where they appear, and
    linear_vel_lim     [-0.2, 0.2]  m/s
    angular_vel_lim    [-1.57, 1.57]  rad/s: how they are driven
    duration           0.0        s of real time that it drives; 0: until it is interrupted
    seed               0          0: another one each time
"""
import math
import random
import sys
import time

import rclpy
from geometry_msgs.msg import Twist
from rclpy.node import Node
from ue_msgs.srv import GetEntityState, SpawnEntity

TRIES = 20  # places for one robot: some stand in a wall, or on another


class RandomSpawn(Node):
    def __init__(self):
        super().__init__("random_spawn")
        self.name = self.given("robot_name", "amr")
        self.ns = self.given("service_namespace", "").strip("/")
        self.models = self.given("models", ["turtlebot3_burger", "turtlebot3_waffle"])
        self.x_lim, self.y_lim = self.given("x_lim", [-2.5, 2.5]), self.given("y_lim", [-2.5, 2.5])
        self.linear, self.angular = self.given("linear_vel_lim", [-0.2, 0.2]), self.given("angular_vel_lim", [-1.57, 1.57])
        self.random = random.Random(self.given("seed", 0) or None)
        self.spawner = self.create_client(SpawnEntity, self.service("SpawnEntity"))
        self.asker = self.create_client(GetEntityState, self.service("GetEntityState"))

    def given(self, name, otherwise):
        return self.declare_parameter(name, otherwise).value

    def service(self, name):
        return f"/{self.ns}/{name}" if self.ns else f"/{name}"

    def names(self):
        first, count = self.given("start_index", 1), self.given("robot_num", 1)
        return [self.name] if count == 1 else [f"{self.name}{first + i}" for i in range(count)]

    def ask(self, client, request):
        if not client.wait_for_service(timeout_sec=10.0):
            sys.exit(f"random_spawn: nobody serves {client.srv_name}")
        future = client.call_async(request)
        end = time.monotonic() + 10.0
        while not future.done() and time.monotonic() < end:
            rclpy.spin_once(self, timeout_sec=0.1)
        if not future.done():
            sys.exit(f"random_spawn: {client.srv_name} does not answer")
        return future.result()

    def there(self, name):
        request = GetEntityState.Request()
        request.name = name
        reply = self.ask(self.asker, request)
        return reply.state if reply.success else None

    def spawn(self, name):
        """Where it is; what is there already stays."""
        if found := self.there(name):
            return found
        for _ in range(TRIES):
            request = SpawnEntity.Request()
            request.xml = self.random.choice(list(self.models))
            request.state.name = name
            request.state.pose.position.x = self.random.uniform(*self.x_lim)
            request.state.pose.position.y = self.random.uniform(*self.y_lim)
            yaw = self.random.uniform(-math.pi, math.pi)
            request.state.pose.orientation.z, request.state.pose.orientation.w = math.sin(yaw / 2), math.cos(yaw / 2)
            reply = self.ask(self.spawner, request)
            if reply.success and (found := self.there(name)):
                return found
            self.get_logger().info(f"{name}: {reply.status_message}")
        sys.exit(f"random_spawn: no place for {name} in {TRIES} tries")

    def twist(self):
        out = Twist()
        out.linear.x, out.angular.z = self.random.uniform(*self.linear), self.random.uniform(*self.angular)
        return out

    def run(self):
        names = self.names()
        for name in names:
            place = self.spawn(name).pose.position
            print(f"{name} is at {place.x:.2f}, {place.y:.2f}", flush=True)
        drives = [self.create_publisher(Twist, f"/{name}/cmd_vel", 10) for name in names]
        duration = self.given("duration", 0.0)
        end = time.monotonic() + duration if duration > 0 else math.inf
        twists, changes = [], 0.0
        while time.monotonic() < end:
            if time.monotonic() >= changes:
                twists, changes = [self.twist() for _ in names], time.monotonic() + 2.0
            for drive, twist in zip(drives, twists):
                drive.publish(twist)
            rclpy.spin_once(self, timeout_sec=0.1)
        for name in names:
            place = self.there(name).pose.position
            print(f"{name} came to {place.x:.2f}, {place.y:.2f}", flush=True)


def main():
    rclpy.init()
    try:
        RandomSpawn().run()
    except (KeyboardInterrupt, rclpy.executors.ExternalShutdownException):
        pass


if __name__ == "__main__":
    main()
