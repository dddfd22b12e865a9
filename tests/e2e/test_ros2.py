#!/usr/bin/env python3
"""The door to ROS 2 from outside: real rclpy and a program on Cyclone DDS meet a run, as users' programs do.

    tests/e2e/test_ros2.py CONVOY CYCLONE_PEER [PART...]

Prints what the peers said, one line per check that fails, and exits 1 if there is any. Nothing is timed.
"""
import contextlib
import json
import math
import os
import re
import signal
import struct
import sys
import time

from harness import new_bench
from ros2 import Peers, Types, result_of, value_of, with_key
from ros2_bridge import bridge, commands, in_python, refused
from ros2_bridge import recorded as streams_recorded
from ros2_flow import entities, walk, without_ros
from ros2_programs import actions, navigation, pictures
from ros2_tools import asks, looks, records, talks
from ros2_tools import frames as frames_told

SCENARIO = """\
convoy: 1
name: ros2
seed: 4
time: {mode: lockstep, tick: 10ms, duration: 3600s}
world:
  ground: {size: [6, 4], walls: {thickness: 0.1, height: 0.5}}
  boxes:
    - {x: 0.5, y: 0.3, length: 1.2, width: 0.6, height: 0.6}
sensors: {}
robots:
  - {name: scout, model: turtlebot3_burger, placement: {poses: [[-2, -1, 0]]}}
  - {name: other, model: turtlebot3_burger, placement: {poses: [[2, -1, 1.5708]]}}
"""
START = "-2,-1,0"  # of scout
TICK_NS = 10_000_000
TYPES = Types()
TWIST, STAMPED, ODOM = "geometry_msgs/msg/Twist", "geometry_msgs/msg/TwistStamped", "nav_msgs/msg/Odometry"
# What robots publish without that anybody asks for it, by name in their namespace.
PUBLISHED = {"odom": ODOM, "joint_states": "sensor_msgs/msg/JointState", "scan": "sensor_msgs/msg/LaserScan", "imu": "sensor_msgs/msg/Imu",
             "tf": "tf2_msgs/msg/TFMessage", "tf_static": "tf2_msgs/msg/TFMessage"}


class Room(Peers):
    """Peers beside a run."""

    @contextlib.contextmanager
    def run_of(self, *options, scenario=SCENARIO, hosts=1):
        file = self.bench.folder / "ros2.yaml"
        file.write_text(scenario)
        with self.bench.start("launch", file, "--ros2", "--hosts", hosts, *options) as run:
            self.at = f"127.0.0.1:{run.port()}"
            run.wait_for("the run begins")
            yield run

    def ctl(self, *words, out=None):
        return self.bench.expect(0, out or "", None, "ctl", "--connect", self.at, *words)

    def check(self, *what):
        self.bench.check(*what)

    def replayed(self, run, file, *options):
        """The recording of a run that has ended has it all: without ROS 2 it ends in the same digest."""
        digest = re.search(r"^digest \w{16}$", run.text(), re.M)
        self.check(digest, "its digest", run.text())
        r = self.bench.expect(0, digest[0] if digest else "digest", "equal: ", "replay", file, "--verify", *options,
                              env={**self.bench.environment, "ROS_DOMAIN_ID": "none"})
        self.check("ROS 2" not in r.stderr, "a replay opens no domain", r.stderr)

    def cyclone_heard(self, topic, kind, *words):
        """Messages as Cyclone hears them, decoded."""
        return [TYPES.decode(kind, bytes.fromhex(line)) for line in self.cyclone("echo", topic, kind, *words)]

    def cyclone_call(self, service, kind, values=None):
        """The reply of a service in the manner of rmw_cyclonedds; None if there was none."""
        request = TYPES.encode(f"{kind}_Request", values)
        lines = self.cyclone("call", service, kind, request.hex())
        word = lines[0].split()[0] if lines else "nothing"
        if word in ("no", "timeout", "nothing"):
            return None
        return TYPES.decode(f"{kind}_Response", bytes.fromhex(word))

    def rclpy_call(self, service, kind, values=None):
        found = with_key(self.rclpy("call", service, kind, json.dumps(values or {})), "reply")
        return found[0]["reply"] if found else None


def topics(room):
    """Both peers see each robot's node, its topics with types, hashes and QoS, and plausible values on them."""
    with room.run_of():
        for name in ("scout", "other"):
            seen_by_rclpy(room, name)
            seen_by_cyclone(room, name)
        plausible(room, "rclpy", lambda topic, kind, *words: room.rclpy("echo", topic, kind, *words))
        plausible(room, "Cyclone", room.cyclone_heard)
        frames(room)


def seen_by_rclpy(room, name):
    lines = room.rclpy("topics", *(word for topic in PUBLISHED for word in ("--until", f"/{name}/{topic}")), "--until", f"/{name}/cmd_vel {TWIST}",
                       "--until", f"/{name}/cmd_vel {STAMPED}", "--until", "/clock")
    ends = {(one["topic"], one["kind"], one["type"]): one for one in with_key(lines, "topic")}
    for topic, kind in PUBLISHED.items():
        one = ends.get((f"/{name}/{topic}", "writer", kind))
        want = {"node": f"/{name}/robot", "hash": TYPES.hash_of(kind), "reliability": "reliable",
                "durability": "transient_local" if topic == "tf_static" else "volatile"}
        room.check(one and want.items() <= one.items(), f"rclpy sees {topic} of {name}", one, want)
    for kind in (TWIST, STAMPED):
        one = ends.get((f"/{name}/cmd_vel", "reader", kind))
        room.check(one and one["hash"] == TYPES.hash_of(kind) and one["node"] == f"/{name}/robot", f"rclpy sees that {name} takes {kind}", one)
    takers = {one["gid"][:24] for key, one in ends.items() if key[0] == f"/{name}/cmd_vel"}
    room.check(len(takers) == 1, f"one participant takes both kinds of command of {name}", takers)
    listed = [one["listed"] for one in with_key(room.rclpy("nodes", "--until", f"/{name}/robot"), "node") if one["node"] == f"/{name}/robot"]
    room.check(listed == [1], f"/{name}/robot is listed once", listed)
    room.check(not [one for one in lines if isinstance(one, dict) and one.get("kind") == "invalid"], "a topic has no name of ROS", lines)


def seen_by_cyclone(room, name):
    node = f"/{name}/robot"
    nodes = room.cyclone("nodes", *(word for topic in PUBLISHED for word in ("--until", f"{node} rt/{name}/{topic}")))
    mine = [one for one in with_key(nodes, "node") if one["node"] == node]
    room.check(len(mine) == 1, f"Cyclone hears of {node} once", mine)
    published = {end.get("topic"): end.get("type") for one in mine for end in one["writers"]}
    for topic, kind in PUBLISHED.items():
        package, _, short = kind.split("/")
        room.check(published.get(f"rt/{name}/{topic}") == f"{package}::msg::dds_::{short}_", f"Cyclone sees {topic} of {node}", published)
    lines = room.cyclone("topics", "--until", f"rt/{name}/odom")
    ends = [one for one in with_key(lines, "topic") if one["topic"].startswith(f"rt/{name}/")]
    for one in ends:
        package, _, _, short = one["type"].split("::")
        want = f"typehash={TYPES.hash_of(f'{package}/msg/{short[:-1]}')};"
        room.check(one["user_data"] == want and one["representations"] == [0], f"what {one['topic']} tells Cyclone", one, want)
    participants = [one for one in lines if isinstance(one, dict) and one["kind"] == "participant"]
    room.check(participants and all(one["user_data"].startswith("enclave=/;") for one in participants), "participants tell their enclave", participants)


def plausible(room, whom, echo):
    """What scout publishes while it stands."""
    for odom in echo("/scout/odom", ODOM, "--count", 2):
        place = odom["pose"]["pose"]["position"]
        room.check(math.hypot(place["x"], place["y"]) < 0.05 and odom["header"]["frame_id"] == "odom" and odom["child_frame_id"] == "base_footprint",
                   f"odometry as {whom} hears it", odom)
    for scan in echo("/scout/scan", "sensor_msgs/msg/LaserScan", "--count", 1, "--best-effort"):
        ranges = [r for r in scan["ranges"] if math.isfinite(r)]
        beams = round((scan["angle_max"] - scan["angle_min"]) / scan["angle_increment"]) + 1
        room.check(len(scan["ranges"]) == beams and ranges and all(scan["range_min"] <= r <= scan["range_max"] for r in ranges), f"scan as {whom} hears it", scan)
        room.check(0.8 < min(ranges) < 1.1, f"the nearest wall as {whom} hears it", min(ranges))
    for joints in echo("/scout/joint_states", "sensor_msgs/msg/JointState", "--count", 1):
        room.check({"wheel_left_joint", "wheel_right_joint"} <= set(joints["name"]) and len(joints["position"]) == len(joints["name"]),
                   f"joints as {whom} hears them", joints)
    stamps = [clock["clock"]["sec"] * 10**9 + clock["clock"]["nanosec"] for clock in echo("/clock", "rosgraph_msgs/msg/Clock", "--count", 3)]
    room.check(stamps == sorted(set(stamps)) and all(ns % TICK_NS == 0 for ns in stamps), f"the clock as {whom} hears it", stamps)


def frames(room):
    found = with_key(room.rclpy("tf", "odom", "base_footprint", "--tf", "/scout/tf"), "translation")
    room.check(found and math.hypot(*found[0]["translation"]) < 0.05, "where scout is in odom", found)
    found = with_key(room.rclpy("tf", "base_footprint", "scan_link", "--tf", "/scout/tf"), "translation")
    room.check(found and 0.1 < found[0]["translation"][2] < 0.3, "where the scanner is on scout", found)


def drive(room):
    """Twist and TwistStamped move a robot, from rclpy and from Cyclone; its odometry says so."""
    with room.run_of():
        for kind in ([], ["--stamped"]):
            came = with_key(room.rclpy("drive", "/scout/cmd_vel", "/scout/odom", "--linear", 0.2, "--metres", 0.3, *kind), "end")
            room.check(came and came[0]["end"][0] - came[0]["start"][0] > 0.25 and abs(came[0]["turned"]) < 0.2, f"it drives by {kind or 'Twist'}", came)
        came = with_key(room.rclpy("drive", "/scout/cmd_vel", "/scout/odom", "--angular", 0.8, "--radians", 1.0), "end")
        room.check(came and came[0]["turned"] >= 1.0, "it turns", came)
        for kind, values in ((TWIST, {"linear": {"x": -0.1}}), (STAMPED, {"twist": {"linear": {"x": -0.1}}})):
            with room.start("cyclone", "pub", "/other/cmd_vel", kind, TYPES.encode(kind, values).hex(), "--count", 100000, "--timeout", 600) as pub:
                pub.wait_for("matched")
                moving = [one["twist"]["twist"]["linear"]["x"] for one in room.cyclone_heard("/other/odom", ODOM, "--count", 60)]
            room.check(min(moving) < -0.08, f"Cyclone's {kind} drives it backwards", moving)


def map_(room):
    """What a robot's scans and odometry say together is the hall that it is in."""
    with room.run_of():
        reference = hall(room.bench.folder)
        drawn = room.rclpy("map", "/scout/scan", "/scout/odom", "--count", 15, "--cmd-vel", "/scout/cmd_vel", "--linear", 0.1, "--angular", 0.3,
                           f"--start={START}", "--sensor=-0.032,0,0", "--resolution", 0.05, "--reference", reference)
        found = with_key(drawn, "agree")
        room.check(found and found[0]["compared"] > 2000 and found[0]["agree"] > 0.98 * found[0]["compared"], "the map and the hall", *drawn)


def hall(folder):
    """The map of SCENARIO's world for map_server, 5 cm a cell, with 0.5 m around it. Walls stand around the ground."""
    cell, (width, height) = 0.05, (7.0, 5.0)

    def occupied(x, y):
        return abs(x) > 3 or abs(y) > 2 or (abs(x - 0.5) < 0.6 and abs(y - 0.3) < 0.3)

    columns, rows = round(width / cell), round(height / cell)
    pixels = bytes(0 if occupied((c + 0.5) * cell - width / 2, height / 2 - (r + 0.5) * cell) else 254 for r in range(rows) for c in range(columns))
    (folder / "hall.pgm").write_bytes(b"P5\n%d %d\n255\n" % (columns, rows) + pixels)
    (folder / "hall.yaml").write_text(f"image: hall.pgm\nresolution: {cell}\norigin: [{-width / 2}, {-height / 2}, 0.0]\noccupied_thresh: 0.65\n")
    return folder / "hall.yaml"


def services(room):
    """A lease by std_srvs, and entities by ue_msgs, of clients of both manners in turn."""
    with room.run_of():
        for whom, call in (("rclpy", room.rclpy_call), ("Cyclone", room.cyclone_call)):
            for _ in range(20):  # a claim ends once its participant is gone, of which one that crashed does not tell
                reply = call("/scout/claim_control", "std_srvs/srv/Trigger")
                if not reply or reply["success"]:
                    break
            room.check(reply and reply["success"], f"{whom} claims scout", reply)
            name = f"crate_{whom}"
            wanted = {"xml": "box", "state": {"name": name, "pose": {"position": {"x": 1.0, "y": -1.2}, "orientation": {"w": 1.0}}}, "tags": ["mine"]}
            reply = call("/SpawnEntity", "ue_msgs/srv/SpawnEntity", wanted)
            room.check(reply and reply["success"], f"{whom} spawns", reply)
            reply = call("/SpawnEntity", "ue_msgs/srv/SpawnEntity", wanted)
            room.check(reply and not reply["success"] and reply["status_message"], f"{whom} is refused the same again", reply)
            reply = call("/GetEntityState", "ue_msgs/srv/GetEntityState", {"name": name})
            room.check(reply and reply["success"] and abs(reply["state"]["pose"]["position"]["x"] - 1.0) < 0.01, f"{whom} asks where it is", reply)
            reply = call("/DeleteEntity", "ue_msgs/srv/DeleteEntity", {"name": name})
            room.check(reply and reply["success"], f"{whom} deletes", reply)
            reply = call("/GetEntityState", "ue_msgs/srv/GetEntityState", {"name": name})
            room.check(reply and not reply["success"], f"{whom} asks for what is gone", reply)


def clients(room):
    """Each of two clients has services of its own, and what is spawned through one is run, and published, by that one alone."""
    with room.run_of(hosts=2):
        for host, namespace in (("host0", "NetworkPC1"), ("host1", "NetworkPC2")):
            wanted = {"xml": "turtlebot3_burger", "state": {"name": f"of_{host}", "pose": {"position": {"x": -1.0, "y": 1.2}, "orientation": {"w": 1.0}}}}
            wanted["state"]["pose"]["position"]["y"] -= 0.4 * (host == "host1")
            reply = room.rclpy_call(f"/{namespace}/SpawnEntity", "ue_msgs/srv/SpawnEntity", wanted)
            room.check(reply and reply["success"], f"a spawn through {namespace}", reply)
            room.ctl("placement", out=rf"of_{host}\s.*{host}|{host}\s.*of_{host}")
            lines = room.rclpy("topics", "--until", f"/of_{host}/odom", "--until", "writer /clock")
            ends = with_key(lines, "topic")
            writers = [one for one in ends if one["topic"] == f"/of_{host}/odom" and one["kind"] == "writer"]
            room.check(len(writers) == 1, f"who publishes of_{host}/odom", writers)
            clocks = [one for one in ends if one["topic"] == "/clock" and one["kind"] == "writer"]
            room.check(len(clocks) == 1, "who publishes /clock", clocks)


FOREVER = ("--timeout", 3600)
CLOCK = "rosgraph_msgs/msg/Clock"


class Watch:
    """What a peer has seen of a topic since it was there: its writers, and stamps."""

    def __init__(self, room, process, topic):
        self.room, self.process, self.topic = room, process, topic

    def lines(self):
        return [value_of(line) for line in self.process.out.read_text().splitlines(keepends=True) if line.endswith("\n")]

    def writers(self):
        return [one["writers"] for one in with_key(self.lines(), "writers")]

    def stamps(self):
        return [one["ns"] for one in with_key(self.lines(), "ns")]

    def until(self, true, what):
        end = time.monotonic() + self.room.bench.patience
        while not true():
            if time.monotonic() > end or self.process.popen.poll() is not None:
                raise RuntimeError(f"{self.topic}: not {what}; writers {self.writers()}, the last stamps {self.stamps()[-5:]}")
            time.sleep(0.05)

    def until_written_by_another(self, writer):
        self.until(lambda: len(self.writers()[-1]) == 1 and self.writers()[-1] != [writer], f"one writer that is not {writer}")

    def until_heard(self, what):
        before = len(self.stamps())
        self.until(lambda: len(self.stamps()) > before + 5, what)


@contextlib.contextmanager
def watching(room, topic, kind):
    with room.start("rclpy", "watch", topic, kind, *FOREVER) as process:
        watch = Watch(room, process, topic)
        watch.until(lambda: watch.writers() and len(watch.writers()[-1]) == 1, "one writer")
        watch.until_heard("heard")
        yield watch


def takeover(room):
    """The client that speaks for the run is killed: another goes on with /clock, which does not go back, and with the services at the root.
    Who asks the dead one hears nothing, and others are answered. One that comes again under its number speaks once the other has let go."""
    state = ("simulation_interfaces/srv/GetSimulationState", "{}")
    with room.run_of("--accept-losses", hosts=3) as run, watching(room, "/clock", CLOCK) as clock:
        first = clock.writers()[-1][0]
        with room.start("rclpy", "call", "/NetworkPC1/get_simulation_state", *state, "--count", 10**9, "--timeout", 20) as asks_first, \
                room.start("rclpy", "call", "/NetworkPC2/get_simulation_state", *state, "--count", 10**9, *FOREVER) as asks_second:
            for asks in (asks_first, asks_second):
                asks.wait_for("reply")
            client = [word for word in run.family()[run.client("host0")] if word]
            os.kill(run.client("host0"), signal.SIGKILL)
            clock.until_written_by_another(first)
            clock.until_heard("goes on")
            room.check(asks_first.wait() == 1 and "timeout: no reply" in asks_first.text(), "who asks the dead one", asks_first.text()[-500:])
            replies = len(asks_second.out.read_text().splitlines())
            clock.until(lambda: len(asks_second.out.read_text().splitlines()) > replies, "asked by others")
            answers = with_key([value_of(line) for line in asks_first.out.read_text().splitlines()], "reply")
            room.check(all(one["reply"]["result"]["result"] == 1 for one in answers), "what the first one answered", answers[-3:])
        second = clock.writers()[-1][0]
        features = room.rclpy_call("/get_simulator_features", "simulation_interfaces/srv/GetSimulatorFeatures")
        room.check(features and features["features"]["features"], "features at the root", features)
        lines = room.rclpy("echo", "/map", "nav_msgs/msg/OccupancyGrid", "--transient-local", "--count", 1)
        room.check(lines, "the map is there again")
        with room.bench.start(*client[1:]) as again:
            clock.until_written_by_another(second)
            clock.until_heard("goes on after it has come again")
            third = clock.writers()[-1][0]
            again.popen.send_signal(signal.SIGTERM)
            clock.until_written_by_another(third)
            clock.until_heard("goes on after it has left")
            room.check(again.wait() == 130, "the client that was interrupted", again.text())
        room.check("host0 is gone: goodbye" in run.text(), "it leaves in order", run.text())
        lines, stamps = clock.lines(), clock.stamps()
        back = [i for i in range(1, len(stamps)) if stamps[i] < stamps[i - 1]]
        where = [lines.index({"ns": stamps[i - 1]}) for i in back]
        room.check(not back, "the clock never goes back", *(lines[max(0, i - 5) : i + 8] for i in where))


def transfer(room):
    """Robots change their client: by being made there anew, and by a reset after theirs was killed. Each has one writer of odom, and who
    has subscribed hears on."""
    with room.run_of("--accept-losses", hosts=2) as run, watching(room, "/scout/odom", ODOM) as odom:
        first = odom.writers()[-1][0]
        room.ctl("placement", out=r"scout\s.*host0|host0\s.*scout")
        room.ctl("delete", "scout")
        room.ctl("spawn", "scout", "--model", "turtlebot3_burger", "--host", "host1", "--pose=-2,-1")
        odom.until_written_by_another(first)
        odom.until_heard("heard from the second client")
        room.check(all(len(writers) <= 1 for writers in odom.writers()), "one writer at any time", odom.writers())
        second = odom.writers()[-1][0]
        os.kill(run.client("host1"), signal.SIGKILL)
        run.wait_for("host1 is gone")
        room.ctl("reset")
        odom.until_written_by_another(second)
        odom.until_heard("heard from the first client")
        room.ctl("placement", out=r"scout\s.*host0|host0\s.*scout")
        came = with_key(room.rclpy("drive", "/scout/cmd_vel", "/scout/odom", "--linear", 0.1, "--metres", 0.1), "end")
        room.check(came, "it drives")
        lines = room.rclpy("echo", "/scout/robot_description", "std_msgs/msg/String", "--transient-local", "--count", 1)
        room.check(lines, "its description is there again")
        reply = room.rclpy_call("/scout/claim_control", "std_srvs/srv/Trigger")
        room.check(reply and reply["success"], "it is claimed", reply)


def seed(room):
    """The program that spawns at random and drives about: two robots, through the second of two clients, which runs them."""
    limits = ("-p", "x_lim:=[-2.0, -0.5]", "-p", "y_lim:=[0.4, 1.4]", "-p", "seed:=5")
    with room.run_of(hosts=2):
        lines = room.run("random_spawn", "--ros-args", "-p", "service_namespace:=NetworkPC2", "-p", "robot_num:=2", "-p", "duration:=4.0", *limits)
        places = [re.fullmatch(r"(amr\d) (is at|came to) (-?[\d.]+), (-?[\d.]+)", line) for line in lines]
        room.check(len(places) == 4 and all(places), "what it prints", lines)
        for robot in range(2):
            moved = math.dist(*([float(places[i][3]), float(places[i][4])] for i in (robot, robot + 2)))
            room.check(moved > 0.02, f"amr{robot + 1} has moved", *lines)
        placed = room.ctl("placement", out="host1")
        room.check(all(re.search(rf"amr{n}\s.*host1|host1\s.*amr{n}", placed.stdout) for n in (1, 2)), "who runs them", placed.stdout)


def doctor(room):
    """`convoy doctor ros` lists who is there, and names two that do not meet."""
    with room.run_of():
        with room.start("cyclone", "echo", "/scout/odom", ODOM, "--transient-local", "--timeout", 600):
            wanted = (r"^  /scout/robot$", rf"^topic    /scout/cmd_vel  {TWIST}, {STAMPED}  0 publish, 2 subscribe$", r"^service  /SpawnEntity  1 serve, 0 may call$",
                      r"^PROBLEM  /scout/odom: /scout/robot does not reach /cyclone_peer: it is volatile")
            for wait in (5, 30):  # it lists what it has heard of by then
                r = room.bench.call("doctor", "ros", "--wait", wait)
                missing = [line for line in wanted if not re.search(line, r.stdout, re.M)]
                if not missing:
                    break
            room.check(r.returncode == 1 and not missing, "doctor says all", missing, r.stdout, r.stderr)
        room.bench.expect(2, None, "from 0 to 232", "doctor", "ros", env={**room.bench.environment, "ROS_DOMAIN_ID": "999"})


def recorded(room):
    """What came from ROS 2 is in the recording: it is replayed without ROS 2, with the same digest."""
    file = room.bench.folder / "driven.mcap"
    with room.run_of("--record", file) as run:
        room.rclpy("drive", "/scout/cmd_vel", "/scout/odom", "--linear", 0.2, "--metres", 0.2)
        reply = room.cyclone_call("/SpawnEntity", "ue_msgs/srv/SpawnEntity", {"xml": "box", "state": {"name": "crate", "pose": {"position": {"x": 1.0, "y": -1.2}}}})
        room.check(reply and reply["success"], "a crate comes", reply)
        room.ctl("stop")
        room.check(run.wait() == 0, "the run does not end in order", run.text())
    room.replayed(run, file)


def standard(room):
    """The same by simulation_interfaces, and time that is paused and stepped."""
    with room.run_of():
        for whom, call in (("rclpy", room.rclpy_call), ("Cyclone", room.cyclone_call)):
            package = "simulation_interfaces/srv/"
            features = call("/get_simulator_features", package + "GetSimulatorFeatures")
            room.check(features and {0, 1, 10, 24} <= set(features["features"]["features"]), f"features for {whom}", features)
            wanted = {"name": f"crate_{whom}", "entity_resource": {"uri": "box"}, "initial_pose": {"pose": {"position": {"x": 1.0, "y": -1.2}, "orientation": {"w": 1.0}}}}
            reply = call("/spawn_entity", package + "SpawnEntity", wanted)
            room.check(reply and reply["result"]["result"] == 1 and reply["entity_name"] == f"crate_{whom}", f"{whom} spawns", reply)
            reply = call("/get_entities", package + "GetEntities")
            room.check(reply and {"scout", "other", f"crate_{whom}"} <= set(reply["entities"]), f"{whom} asks who is there", reply)
            reply = call("/get_entity_state", package + "GetEntityState", {"entity": f"crate_{whom}"})
            room.check(reply and abs(reply["state"]["pose"]["position"]["x"] - 1.0) < 0.01, f"{whom} asks where it is", reply)
            reply = call("/delete_entity", package + "DeleteEntity", {"entity": f"crate_{whom}"})
            room.check(reply and reply["result"]["result"] == 1, f"{whom} deletes", reply)
            reply = call("/set_simulation_state", package + "SetSimulationState", {"state": {"state": 2}})
            room.check(reply and reply["result"]["result"] == 1, f"{whom} pauses", reply)
            reply = call("/step_simulation", package + "StepSimulation", {"steps": 7})
            room.check(reply and reply["result"]["result"] == 1, f"{whom} steps", reply)
            reply = call("/set_simulation_state", package + "SetSimulationState", {"state": {"state": 1}})
            room.check(reply and reply["result"]["result"] == 1, f"{whom} plays", reply)
        lines = room.rclpy("goal", "/simulate_steps", "simulation_interfaces/action/SimulateSteps", '{"steps": 3}')
        room.check(with_key(lines, "result"), "an action that is not for a run that plays is answered", *lines)


def parameters(room):
    """What the run is stands in parameters of the client's node; its speed can be set there."""
    with room.run_of():
        lines = room.rclpy("parameters", "/simulation", '{"speed": 2.0, "seed": 5}')
        told = {key: one[key] for one in lines if isinstance(one, dict) for key in one}
        before = {"scenario": "ros2", "seed": 4, "speed": 1.0, "tick": 0.01, "use_sim_time": True}
        room.check(told["values"] == before, "what the run is", told)
        read_only = {one["name"] for one in told["descriptors"] if one["read_only"]}
        room.check(read_only == set(before) - {"speed"}, "what cannot be set", told["descriptors"])
        room.check(told["set"]["speed"] == "done" and "read-only" in told["set"]["seed"], "what came of it", told["set"])
        room.check(told["events"] == {"speed": 2.0} and told["after"] == {**before, "speed": 2.0}, "what has changed", told)
        status = json.loads(room.ctl("status", "--json").stdout)
        room.check(status["data"]["speed"] == 2.0, "the run has that speed", status)
        reply = room.cyclone_call("/simulation/get_parameters", "rcl_interfaces/srv/GetParameters", {"names": ["speed", "nothing"]})
        room.check(reply and [one["type"] for one in reply["values"]] == [3, 0] and reply["values"][0]["double_value"] == 2.0, "the same for Cyclone", reply)


URDF = """<robot name="post"><link name="base"><inertial><mass value="2"/>
  <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="0.3 0.2 0.4"/></geometry></collision></link></robot>"""


def described(room):
    """Robots are spawned from their descriptions, as text and as a file of the client's machine."""
    package = "simulation_interfaces/srv/"
    with room.run_of():
        def spawn(name, y, resource):
            pose = {"pose": {"position": {"x": 2.0, "y": y}, "orientation": {"w": 1.0}}}
            return room.rclpy_call("/spawn_entity", package + "SpawnEntity", {"name": name, "entity_resource": resource, "initial_pose": pose})

        file = room.bench.folder / "post.urdf"
        file.write_text(URDF)
        features = room.rclpy_call("/get_simulator_features", package + "GetSimulatorFeatures")["features"]
        room.check(9 in features["features"] and "urdf" in features["spawn_formats"], "descriptions are read", features)
        for name, y, resource in (("", 1.0, {"resource_string": URDF}), ("second", 0.0, {"resource_string": URDF}), ("third", -1.0, {"uri": f"file://{file}"})):
            reply = spawn(name, y, resource)
            room.check(reply and reply["result"]["result"] == 1 and reply["entity_name"] == (name or "post"), f"{name} is spawned", reply)
        reply = room.rclpy_call("/get_entity_bounds", package + "GetEntityBounds", {"entity": "post"})
        room.check(reply and [round(p["x"], 2) for p in reply["bounds"]["points"]] == [0.15, -0.15], "it is as large as it was described", reply)
        for code, resource in ((103, {"resource_string": "no robot"}), (106, {"resource_string": "<robot name='a'><link/></robot>"}),
                               (107, {"resource_string": URDF.replace('<box size="0.3 0.2 0.4"/>', '<mesh filename="/lost.stl"/>')}),
                               (104, {"uri": "file:///lost.urdf"})):
            reply = spawn("no", 0.5, resource)
            room.check(reply and reply["result"]["result"] == code, f"refused by {code}", reply)


def clock(room):
    """A node that uses simulated time has the run's; it stands while the run is paused, and steps with it."""
    with room.run_of("--paused"):
        room.ctl("step", 50, out="tick 50")
        stamps = [int(line) for line in room.rclpy("clock", "--count", 1)]
        room.check(stamps == [50 * TICK_NS], "where the run stands", stamps)
        with room.start("rclpy", "clock", "--timeout", 600) as watch:
            watch.wait_for(str(50 * TICK_NS))
            room.ctl("step", 1, out="tick 51")
            watch.wait_for(str(51 * TICK_NS))
            room.ctl("resume")
            watch.wait_for(r"^([89]\d{8}|\d{10,})$")  # a subscription of one message skips instants where its process is slow
            shown = [int(line) for line in watch.out.read_text().split()]
        room.check(shown == sorted(set(shown)) and all(ns % TICK_NS == 0 for ns in shown), "instants", shown)


FLEET = """\
convoy: 1
name: outside
seed: 3
time: {mode: lockstep, tick: 10ms, duration: 3600s}
world: {ground: {size: [8, 8]}}
robots:
  - {name: courier, model: turtlebot3_burger, placement: {poses: [[-2, -1, 0]]},
     components: [{package: convoy_fleet, class: "convoy_fleet::Patrol"}]}
programs:
  - {name: manager, components: [{package: convoy_fleet, class: "convoy_fleet::Manager", ros_args: [-p, "robots:=[courier, stranger]"]}]}
"""


def nodes(room):
    """Nodes of the run are nodes outside: topics and services both ways, once each; a replay has them without ROS 2."""
    file, work = room.bench.folder / "met.mcap", "std_srvs/srv/SetBool"
    with room.run_of("--record", file, scenario=FLEET, hosts=2) as run:
        room.rclpy("nodes", "--until", "/courier/patrol", "--until", "/manager", "--until", "/courier/robot")
        heard = room.rclpy("echo", "/fleet/report", "std_msgs/msg/String", "--transient-local", "--count", 1)
        room.check(re.match("courier is (driving|standing)", heard[0]["data"]), "what a node says", heard)
        for whom, call in (("rclpy", room.rclpy_call), ("Cyclone", room.cyclone_call)):
            reply = call("/courier/work", work, {"data": False})
            room.check(reply == {"success": True, "message": "standing"}, f"{whom} calls a node", reply)
        with room.start("rclpy", "echo", "/fleet/report", "std_msgs/msg/String", "--timeout", 600) as report:
            serve = ("serve", "/stranger/work", work)
            with room.start("rclpy", *serve, json.dumps({"success": True, "message": "served by rclpy"}), "--timeout", 600):
                report.wait_for("stranger is served by rclpy")
                sent = room.rclpy("pub", "/stranger/odom", ODOM, json.dumps({"pose": {"pose": {"position": {"x": 7.5}}}}), "--count", 20)
                room.check(with_key(sent, "sent"), "an rclpy program publishes", sent)
                report.wait_for(r"stranger is served by rclpy at 7.500000 0.000000, heard 20 times")
            with room.start("cyclone", *serve, TYPES.encode(f"{work}_Response", {"success": True, "message": "served by Cyclone"}).hex()):
                report.wait_for("stranger is served by Cyclone")
        room.ctl("stop")
        room.check(run.wait() == 0, "the run does not end in order", run.text())
    room.replayed(run, file, "--hosts", 1)
    # Where nobody outside says anything, nothing changes.
    alone = room.bench.folder / "ros2.yaml"
    digests = {room.bench.expect(0, "digest", "", "run", alone, "--duration", "3s", "--speed", "max", *more).stdout
               for more in ((), ("--ros2", "--hosts", 2))}
    room.check(len(digests) == 1, "the digest with the door and without", digests)


def bad(room):
    """Bytes that are no messages: each cut and each flipped bit of a command and of a request. The run lives and answers."""
    report = room.bench.folder / "report.json"
    with room.run_of("--report", report) as run:
        twist = TYPES.encode(TWIST, {"linear": {"x": 0.1}, "angular": {"z": 0.1}})
        said = room.cyclone("pub", "/scout/cmd_vel", TWIST, "-", "--rate", 0, given=lines_of(spoilt(twist)))
        room.check(said[-1:] == [f"sent {len(spoilt(twist))}"], "all commands arrive", said)
        kind = "ue_msgs/srv/SpawnEntity"
        request = TYPES.encode(f"{kind}_Request", {"xml": "no_such_model", "state": {"name": "x"}, "tags": ["a", "b"], "json_parameters": "{}"})
        request = request[:4] + bytes(range(16)) + request[4:]
        said = room.cyclone("call", "/SpawnEntity", kind, "-", "--raw", "--no-wait", given=lines_of(spoilt(request)))
        room.check(said == ["sent"], "all requests arrive", said)
        for value in (math.nan, math.inf):
            room.cyclone("pub", "/scout/cmd_vel", TWIST, (twist[:4] + struct.pack("<d", value) + twist[12:]).hex())
        for whom, call in (("rclpy", room.rclpy_call), ("Cyclone", room.cyclone_call)):
            reply = call("/GetEntityState", "ue_msgs/srv/GetEntityState", {"name": "scout"})
            room.check(reply and reply["success"], f"afterwards {whom} is answered", reply)
        came = with_key(room.rclpy("drive", "/other/cmd_vel", "/other/odom", "--linear", 0.1, "--metres", 0.1), "end")
        room.check(came, "afterwards a robot drives", came)
        room.ctl("stop")
        room.check(run.wait() == 0, "the run does not end in order", run.text())
    drops = json.loads(report.read_text())["drops"]
    # Of a cut at a multiple of four all is missing that is not zero; others are padded as any message is.
    room.check(drops.get("ros2_malformed", 0) >= len(twist) // 4 and drops.get("ros2_not_finite", 0) >= 2, "what is counted", drops)


def spoilt(data):
    """Each cut, and each flipped bit. A peer cannot send less than the encapsulation header."""
    cuts = [data[:length] for length in range(4, len(data))]
    flips = [data[: bit // 8] + bytes([data[bit // 8] ^ 1 << bit % 8]) + data[bit // 8 + 1 :] for bit in range(8 * len(data))]
    return cuts + flips


def lines_of(messages):
    return "".join(message.hex() + "\n" for message in messages)


def crowd(room):
    """A hundred participants, and a thousand endpoints of one, come and go; the run answers all along."""
    with room.run_of():
        for participants, endpoints in ((100, 2), (1, 1000)):
            with room.start("cyclone", "crowd", "--participants", participants, "--endpoints", endpoints) as others:
                others.wait_for("ready")
                for whom, call in (("rclpy", room.rclpy_call), ("Cyclone", room.cyclone_call)):
                    reply = call("/GetEntityState", "ue_msgs/srv/GetEntityState", {"name": "scout"})
                    room.check(reply and reply["success"], f"{whom} is answered among {participants} participants", reply)
                room.cyclone("nodes", "--until", "/scout/robot", "--until", f"/cyclone_peer_{participants - 1}")
        reply = room.cyclone_call("/GetEntityState", "ue_msgs/srv/GetEntityState", {"name": "scout"})
        room.check(reply and reply["success"], "Cyclone is answered after all have gone", reply)


def main():
    parts = {"topics": topics, "drive": drive, "map": map_, "services": services, "clients": clients, "seed": seed, "doctor": doctor,
             "recorded": recorded, "standard": standard, "described": described, "parameters": parameters, "clock": clock, "nodes": nodes,
             "takeover": takeover, "transfer": transfer, "bad": bad, "crowd": crowd,
             "without_ros": without_ros, "entities": entities, "walk": walk, "navigation": navigation, "pictures": pictures, "actions": actions, "looks": looks, "talks": talks, "asks": asks, "frames_told": frames_told, "records": records, "bridge": bridge, "commands": commands, "streams_recorded": streams_recorded, "in_python": in_python, "refused": refused}
    with new_bench(sys.argv[1]) as b:
        return result_of(b, lambda: Room(b, sys.argv[2]), parts, sys.argv[3:])


if __name__ == "__main__":
    sys.exit(main())
