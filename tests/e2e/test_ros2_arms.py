#!/usr/bin/env python3
"""Arms, and a world from a file, through the door to ROS 2, from outside: real rclpy commands joints and hears of the world.

    tests/e2e/test_ros2_arms.py CONVOY CYCLONE_PEER [PART...]

Prints what the peers said, one line per check that fails, and exits 1 if there is any. Nothing is timed.
"""
import json
import math
import sys

from harness import new_bench
from ros2 import result_of, with_key
from test_ros2 import Room

SCENARIO = """\
convoy: 1
name: arms
seed: 4
time: {mode: lockstep, tick: 10ms, duration: 3600s}
world: {ground: {size: [4, 4]}}
robots:
  - {name: arm, model: arm.xml, placement: {poses: [[0, 0, 0]]}}
"""
STATE = "sensor_msgs/msg/JointState"


def joints(room, count=1):
    """Where the joints are, as the last of so many messages has it."""
    last = room.rclpy("echo", "/arm/joint_states", STATE, "--count", count)[-1]
    return dict(zip(last["name"], last["position"], strict=True))


def commands(room):
    """A JointState moves an arm by names; names that it lacks, other lengths and NaN are counted; a claim keeps others out."""
    report, file = room.bench.folder / "report.json", room.bench.folder / "arm.mcap"
    with room.run_of("--report", report, "--record", file, scenario=SCENARIO) as run:
        came = with_key(room.rclpy("reach", "/arm/joint_command", "/arm/joint_states", '{"joint_1": 0.6, "joint_3": -0.4, "elbow": 1}', "--within", 0.03), "joints")
        room.check(came and abs(came[0]["joints"]["joint_1"] - 0.6) < 0.03, "the arm comes where it is commanded", came)
        for bad in ({"name": ["joint_1", "joint_2"], "position": [1.0]}, {"name": ["joint_1"], "position": [float("nan")]}):
            room.rclpy("pub", "/arm/joint_command", STATE, json.dumps(bad), "--count", 2)
        with room.start("rclpy", "reach", "/arm/joint_command", "/arm/joint_states", '{"joint_1": 0.3}', "--within", 0, "--claim", "/arm/claim_control", "--timeout", 600) as holder:
            holder.wait_for('"claimed": true')
            room.rclpy("pub", "/arm/joint_command", STATE, '{"name": ["joint_1"], "position": [-1.5]}', "--count", 5)
            room.check(-0.1 < joints(room, 30)["joint_1"] < 0.7, "another does not move a claimed arm", joints(room))
        room.ctl("stop")
        room.check(run.wait() == 0, "the run does not end in order", run.text())
    drops = json.loads(report.read_text())["drops"]
    room.check(drops.get("ros2_unknown_joint", 0) >= 1 and drops.get("ros2_wrong_length", 0) == 2 and drops.get("ros2_not_finite", 0) == 2
               and drops.get("ros2_leased", 0) == 5, "what is counted", drops)
    room.replayed(run, file)


ACTION, CONTROLLER = "control_msgs/action/FollowJointTrajectory", "arm_controller"
TRAJECTORY = SCENARIO + f"ros2: {{trajectory_controller: {CONTROLLER}}}\n"


def goal_of(names, points, seconds=1, **more):
    """Through the points, so long apart, at rest in each."""
    return json.dumps({"trajectory": {"joint_names": names, "points": [
        {"positions": point, "velocities": [0.0] * len(names), "time_from_start": {"sec": seconds * (i + 1)}} for i, point in enumerate(points)]}, **more})


def trajectory(room):
    """rclpy's FollowJointTrajectory is followed, told of, canceled, and refused with a code; the recording has it all."""
    file = room.bench.folder / "trajectory.mcap"
    with room.run_of("--record", file, scenario=TRAJECTORY) as run:
        def send(goal, *words):
            lines = room.rclpy("goal", f"/arm/{CONTROLLER}/follow_joint_trajectory", ACTION, goal, *words)
            return with_key(lines, "feedback"), with_key(lines, "result"), lines

        slack = {"path_tolerance": [{"name": "joint_1", "position": 0.3}], "goal_tolerance": [{"name": "joint_1", "position": 0.03}], "goal_time_tolerance": {"sec": 5}}
        news, done, lines = send(goal_of(["joint_3", "joint_1"], [[0.9, 0.4], [0.9, -0.4]], **slack))
        room.check(done and done[0]["status"] == 4 and done[0]["result"]["error_code"] == 0, "a goal is reached", *lines[-1:])
        room.check(len(news) >= 10 and news[-1]["feedback"]["joint_names"] == ["joint_3", "joint_1"], "feedback", len(news))
        room.check(max(one["feedback"]["actual"]["positions"][1] for one in news) > 0.3, "it comes by its first point")
        room.check(abs(joints(room)["joint_1"] + 0.4) < 0.05, "the arm is there", joints(room))

        news, done, lines = send(goal_of(["joint_1"], [[1.5]], seconds=60), "--cancel", 3)
        room.check(with_key(lines, "canceling") == [{"canceling": 1}] and done and done[0]["status"] == 5, "a goal is canceled", *lines[-2:])
        for code, goal in ((-2, goal_of(["elbow"], [[1.0]])), (-1, goal_of(["joint_2"], [[9.0]])), (-1, goal_of(["joint_2"], []))):
            _, done, lines = send(goal)
            room.check(done and done[0]["status"] == 6 and done[0]["result"]["error_code"] == code and done[0]["result"]["error_string"], f"refused by {code}", *lines)
        room.ctl("stop")
        room.check(run.wait() == 0, "the run does not end in order", run.text())
    room.replayed(run, file)


def obstacles(room):
    """A planner hears of what is around an arm, in the frame of its base, as a difference; of a crate when it comes and goes."""
    kind = "moveit_msgs/msg/PlanningScene"
    scenario = SCENARIO.replace("size: [4, 4]", "size: [4, 4], walls: 0.1") + "ros2: {obstacles: [planning_scene, points]}\n"
    with room.run_of(scenario=scenario):
        scene = room.cyclone_heard("/arm/planning_scene", kind, "--count", 1)[0]
        found = {one["id"]: one for one in scene["world"]["collision_objects"]}
        room.check(scene["is_diff"] and "arm" not in found, "a planner does not hear of its own arm", list(found))
        reply = room.cyclone_call("/SpawnEntity", "ue_msgs/srv/SpawnEntity", {"xml": "box", "state": {"name": "crate", "pose": {"position": {"x": 1.0, "y": 0.5}}}})
        room.check(reply and reply["success"], "a crate comes", reply)
        scene = room.cyclone_heard("/arm/planning_scene", kind, "--count", 1)[0]
        crate = {one["id"]: one for one in scene["world"]["collision_objects"]}.get("crate")
        room.check(crate and crate["primitives"] and crate["header"]["frame_id"] == "base_footprint" and abs(crate["pose"]["position"]["y"] - 0.5) < 0.01,
                   "a planner hears of the crate", crate)
        cloud = room.rclpy("echo", "/arm/obstacle_points", "sensor_msgs/msg/PointCloud2", "--count", 1)[0]
        room.check(cloud["width"] > 100, "points", cloud.get("width"))


WORLD = """<mujoco><worldbody><geom type="plane" size="0 0 1"/><geom type="cylinder" size="0.5 0.4" pos="0 0 0.4"/>
<geom type="box" size="0.5 0.5 0.05" pos="1.5 0 1"/></worldbody></mujoco>"""
YARD = """\
convoy: 1
name: yard
time: {mode: lockstep, tick: 10ms, duration: 3600s}
world: {mjcf: round.xml, ground: {size: [6, 6]}}
robots:
  - {name: scout, model: turtlebot3_burger, placement: {poses: [[-2, -2, 0]]}}
"""


def yard(room):
    """The map of an MJCF world is what its shapes are at the height of a scanner: a disc, and nothing of what hangs above."""
    (room.bench.folder / "round.xml").write_text(WORLD)
    with room.run_of(scenario=YARD):
        grid = room.rclpy("echo", "/map", "nav_msgs/msg/OccupancyGrid", "--count", 1, "--transient-local")[0]
        cell = grid["info"]["resolution"]
        area = grid["data"].count(100) * cell * cell
        room.check(math.pi / 4 < area < 0.9, "the cells that a post of 1 m touches, in m^2", area, cell)


def main():
    parts = {"commands": commands, "trajectory": trajectory, "obstacles": obstacles, "yard": yard}
    with new_bench(sys.argv[1]) as b:
        return result_of(b, lambda: Room(b, sys.argv[2]), parts, sys.argv[3:])


if __name__ == "__main__":
    sys.exit(main())
