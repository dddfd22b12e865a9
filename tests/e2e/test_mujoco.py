#!/usr/bin/env python3
"""MuJoCo robots from the outside: one digest on any hosts and threads, files that travel, faults that stop one robot.

    tests/e2e/test_mujoco.py CONVOY [PART...]

Standard library only. Prints one line per check that fails and exits 1 if there is any.
"""
import json
import os
import pathlib
import re
import struct
import sys

from harness import last_line, new_bench

SCENARIO = """
convoy: 1
name: mixed
time: {tick: 10ms, duration: 3s}
view_radius: 3
world:
  ground: {size: [6, 5], walls: 0.1}
  boxes: [{x: 1, y: 1, length: 0.6, width: 0.4}]
robots:
  - {name: burger, count: 3, model: turtlebot3_burger.xml, driver: random_walk}
  - {name: arm, model: arm.xml, placement: {poses: [[-2, -2, 1]]}}
  - {name: walker, count: 2, model: turtlebot3_burger, driver: random_walk}
"""

URDF = """<robot name="r"><link name="world"/><joint name="f" type="fixed"><parent link="world"/><child link="base"/></joint>
<link name="base"/><joint name="j" type="revolute"><parent link="base"/><child link="l"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="5" velocity="1"/></joint><link name="l"><inertial><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link></robot>"""

FALLING = """<mujoco><option timestep="0.002"/><size memory="20K"/><worldbody>{}</worldbody></mujoco>"""


def tetrahedron():
    corners = [(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)]
    out = b" " * 80 + struct.pack("<I", 4)
    for face in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)):
        out += struct.pack("<3f", 0, 0, 0) + b"".join(struct.pack("<3f", *corners[i]) for i in face) + b"\0\0"
    return out


def digests(b):
    scenario = b.folder / "mixed.yaml"
    scenario.write_text(SCENARIO)
    first = b.expect(0, r"\Adigest [0-9a-f]{16}\n\Z", "", "run", scenario, "--hosts", 1, "--report", b.folder / "r.json")
    digest = last_line(first.stdout)
    report = json.loads((b.folder / "r.json").read_text())
    b.check(report["physics_faults"] == [], "a robot of ours has a fault", report["physics_faults"])
    b.check(all(report["by_robot"][f"burger_{i}"]["distance_m"] > 0.1 for i in range(3)), "a burger does not drive",
            report["by_robot"])
    b.check(report["by_robot"]["arm"]["distance_m"] == 0, "the arm's base moves")
    for hosts, threads in ((2, 1), (4, 2)):
        again = b.expect(0, digest, "", "run", scenario, "--hosts", hosts, "--threads", threads)
        b.check(last_line(again.stdout) == digest, f"another digest on {hosts} hosts x {threads} threads")
    b.expect(0, digest, "", "launch", scenario, "--hosts", 2, "--speed", "max")
    recording = b.folder / "mixed.mcap"
    b.expect(0, digest, "", "run", scenario, "--record", recording)
    b.expect(0, digest, "equal: 301 boundaries", "replay", recording, "--verify", "--hosts", 2)
    b.expect(0, digest, "", "replay", recording, "--verify", "--from", "2")
    b.expect(0, r"\Adigest none", "", "run", scenario, "--mode", "free", "--duration", "1s", "--hosts", 2)


CRATE = """<mujoco><option timestep="0.002"/><worldbody><body pos="0 0 0.15"><freejoint/>
<geom type="box" size="0.15 0.15 0.15" mass="4" priority="1" friction="0.5 0.005 0.0001"/></body></worldbody></mujoco>"""

MEETING = """
convoy: 1
time: {tick: 10ms, duration: 4s}
view_radius: 3
world: {ground: {size: [8, 6], walls: 0.1}}
robots:
  - {name: rover, model: rover.xml, placement: {poses: [[0, 0, 0]]}, driver: {kind: waypoints, waypoints: [[3, 0]]}}
  - {name: crate, model: crate.xml, placement: {poses: [[0.5, 0, 0]]}}
  - {name: other, model: rover.xml, placement: {poses: [[2, 0, 3.14159]]}, driver: {kind: waypoints, waypoints: [[-3, 0]]}}
  - {name: walker, model: turtlebot3_burger, placement: {poses: [[1.2, 1, -1.5708]]}, driver: {kind: waypoints, waypoints: [[1.2, -1]]}}
"""


def meetings(b):
    """Robots push each other over the borders of hosts, and it is the same push on any number of them."""
    scenario = b.folder / "meeting.yaml"
    scenario.write_text(MEETING)
    found = set()
    for hosts, threads in ((1, 1), (2, 2), (4, 1)):
        run = b.expect(0, r"\Adigest [0-9a-f]{16}\n\Z", "", "run", scenario, "--hosts", hosts, "--threads", threads,
                       "--report", b.folder / "m.json")
        found.add(last_line(run.stdout))
        report = json.loads((b.folder / "m.json").read_text())
        b.check(report["physics_faults"] == [], "a robot that meets another has a fault", report["physics_faults"])
        b.check(report["by_robot"]["crate"]["distance_m"] > 0.2, "nobody pushes the crate", report["by_robot"])
    b.check(len(found) == 1, "the digests of robots that meet differ", found)
    digest = found.pop()
    recording = b.folder / "meeting.mcap"
    b.expect(0, digest, "", "run", scenario, "--record", recording)
    b.expect(0, digest, "", "replay", recording, "--verify", "--from", "2", "--hosts", 3)


WORLD = """<mujoco><worldbody><geom type="plane" size="5 5 1"/><geom type="box" pos="1 0 0.2" size="0.1 1 0.2"/>
<body name="crate" pos="0 1 0.3"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>"""

IN_A_WORLD = """
convoy: 1
time: {tick: 10ms, duration: 3s}
world: {mjcf: world.xml, boxes: [{x: 1, y: -1.7, length: 0.2, width: 1, height: 0.4}]}
robots:
  - {name: burger, model: turtlebot3_burger.xml, placement: {poses: [[0.5, 0, 0]]}, driver: {kind: waypoints, waypoints: [[3, 0]]}}
  - {name: kinematic, model: turtlebot3_burger, placement: {poses: [[0.5, 0.5, 0]]}, driver: {kind: waypoints, waypoints: [[3, 0.5]]}}
  - {name: at_box, model: turtlebot3_burger.xml, placement: {poses: [[0.5, -1.7, 0]]}, driver: {kind: waypoints, waypoints: [[3, -1.7]]}}
"""


AGAINST_AN_ARM = """
convoy: 1
time: {tick: 10ms, duration: 4s}
view_radius: 3
world: {ground: {size: [8, 6], walls: 0.1}}
robots:
  - {name: rover, model: rover.xml, placement: {poses: [[0, 0, 0]]}, driver: {kind: waypoints, waypoints: [[3, 0]]}}
  - {name: arm, model: arm.xml, placement: {poses: [[0.8, 0, 0]]}}
  - {name: far, model: rover.xml, placement: {poses: [[-2, 2, 0]]}}
"""


def one_sided(b):
    """Ticks in touch with what is fixed to the world are in the report and in get, whoever runs either."""
    scenario, told = b.folder / "post.yaml", []
    scenario.write_text(AGAINST_AN_ARM)
    for hosts in (1, 2):
        b.expect(0, r"\Adigest", "", "run", scenario, "--hosts", hosts, "--report", b.folder / "p.json")
        report = json.loads((b.folder / "p.json").read_text())
        counts = {name: line["one_sided_ticks"] for name, line in report["by_robot"].items() if "one_sided_ticks" in line}
        b.check(counts.keys() == {"rover"} and 10 < counts["rover"] == report["one_sided_ticks"], "one-sided contacts", report)
        told.append(counts)
    b.check(told[0] == told[1], "one-sided contacts differ by hosts", told)
    b.check("ticks with what no push moves" in b.call("run", scenario).stderr, "the report's table does not say it")
    with b.start("launch", scenario, "--hosts", 2, "--paused") as run:
        run.wait_for("the run begins")
        ctl = ("ctl", "--connect", f"127.0.0.1:{run.port()}")
        b.expect(0, "waits at tick 395", "", *ctl, "step", 395)
        b.expect(0, r"^source any\ntouch  \d+ ticks with what no push of its moves$", "", *ctl, "get", "rover")
        b.check(json.loads(b.expect(0, "", "", *ctl, "get", "rover", "--json").stdout)["data"]["one_sided_ticks"] > 10, "get --json")
        b.check("touch" not in b.expect(0, "^source any$", "", *ctl, "get", "far").stdout, "one that touches nobody")
        b.expect(0, "the run ends", "", *ctl, "stop")


def worlds(b):
    """An MJCF world stops both kinds of robots, and what moves in it is one entity on some host."""
    (b.folder / "world.xml").write_text(WORLD)
    scenario = b.folder / "in_a_world.yaml"
    scenario.write_text(IN_A_WORLD)
    found = set()
    for hosts in (1, 3):
        run = b.expect(0, r"\Adigest [0-9a-f]{16}\n\Z", "", "run", scenario, "--hosts", hosts, "--report", b.folder / "w.json")
        found.add(last_line(run.stdout))
    b.check(len(found) == 1, "the digests of an MJCF world differ", found)
    by_robot = json.loads((b.folder / "w.json").read_text())["by_robot"]
    for name in ("burger", "kinematic", "at_box"):
        b.check(0.3 < by_robot[name]["distance_m"] < 0.5 and by_robot[name]["map_contact_ticks"] > 0, f"the wall does not stop {name}",
                by_robot[name])
    b.check("world_objects" in by_robot, "nobody runs what moves in the world", by_robot)
    scenario.write_text(IN_A_WORLD.replace("world.xml", "gone.xml"))
    b.expect(2, "", r"in_a_world\.yaml:4: world\.mjcf: no file 'gone\.xml'; looked for", "check", scenario)


OBJECTS = """
convoy: 1
time: {tick: 10ms, duration: 4s}
world: {ground: {size: [8, 8]}}
robots:
  - {name: rover, model: rover.xml, placement: {poses: [[0, 0, 0]]}, driver: {kind: waypoints, waypoints: [[3, 0]]}}
  - {name: burger, count: 2, model: turtlebot3_burger.xml, placement: {poses: [[-3, -3, 0], [-3, -3, 0]]}, driver: random_walk}
objects:
  - {name: crate, count: 4, box: [0.3, 0.3, 0.3], mass: 2, stack: 2, placement: {poses: [[1, 0, 0], [1, 2, 0.5]]}}
  - {name: ball, sphere: 0.1, mass: 0.2}
  - {name: dog, file: quadruped.xml, group: animals, placement: {poses: [[-2, 2, 1]]}}
"""


IN_THE_WAY = """
convoy: 1
time: {tick: 10ms, duration: 16s}
world: {ground: {size: [8, 6], walls: 0.1}}
objects:
  - {name: crate, box: [0.3, 0.3, 0.3], mass: 2, placement: {poses: [[0, 0, 0.3]]}}
robots:
  - {name: kinematic, model: turtlebot3_burger, placement: {poses: [[-2, 0, 0]]}, driver: {kind: waypoints, waypoints: [[3, 0]]}}
"""


def objects(b):
    """Loose objects live in agents of their own, are pushed, and are found where they are."""
    scenario = b.folder / "objects.yaml"
    scenario.write_text(OBJECTS)
    b.expect(0, "3 robots of", r"animals: .*keyframe of an object is left out", "check", scenario)
    found = set()
    for hosts, threads in ((1, 1), (2, 2), (4, 1)):
        run = b.expect(0, r"\Adigest [0-9a-f]{16}\n\Z", "", "run", scenario, "--hosts", hosts, "--threads", threads,
                       "--report", b.folder / "o.json")
        found.add(last_line(run.stdout))
    b.check(len(found) == 1, "the digests of loose objects differ", found)
    report = json.loads((b.folder / "o.json").read_text())
    b.check(report["by_robot"]["objects"]["robot_contact_ticks"] > 20, "nobody pushes the objects", report["by_robot"])
    b.check(report["robots"] == 3, "objects count as robots", report["robots"])
    with b.start("server", scenario, "--listen", "127.0.0.1:0", "--duration", "100s", "--speed", "max") as server:
        port = server.port()
        with b.start("client", "--connect", f"127.0.0.1:{port}", "--name", "host0") as client:
            ctl = ("ctl", "--connect", f"127.0.0.1:{port}", "--wait", "20")
            b.expect(0, "", "", *ctl, "pause")
            b.expect(0, "", "", *ctl, "step", 300)
            where = json.loads(b.expect(0, "", None, *ctl, "get", "objects/crate_1", "--json").stdout)
            b.check(where["pose"]["p"][0] > 1.3 or where["pose"]["p"][2] < 0.3, "the stack stands", where)
            b.expect(1, "", "unknown", *ctl, "get", "objects/crate_9")
            b.expect(0, "", "", *ctl, "stop")
            client.wait()
        server.wait()
    # Robots that touch the static world alone overlap, and move as each does alone.
    scenario.write_text(OBJECTS.replace("world: {", "world: {contact: static, "))
    b.expect(0, "", "", "run", scenario, "--report", b.folder / "o.json")
    report = json.loads((b.folder / "o.json").read_text())
    b.check(all(r["robot_contact_ticks"] == 0 for r in report["by_robot"].values()), "somebody is touched all the same",
            report["by_robot"])
    # A kinematic robot stops in front of a crate.
    scenario.write_text(IN_THE_WAY)
    told = []
    for hosts in (1, 2):
        told.append(last_line(b.expect(0, r"\Adigest", "", "run", scenario, "--hosts", hosts, "--report", b.folder / "o.json").stdout))
        report = json.loads((b.folder / "o.json").read_text())["by_robot"]
        b.check(1.6 < report["kinematic"]["distance_m"] < 1.85, "the kinematic robot is not stopped by the crate", report)
        b.check(report["kinematic"]["robot_contact_ticks"] > 100, "it touches nobody", report)
    b.check(told[0] == told[1], "digests of a robot before a crate differ", told)
    # A map of more boxes than MuJoCo robots take is refused before a run.
    side = 400
    rows = bytes(0 if (x + y) % 2 else 254 for y in range(side) for x in range(side))
    (b.folder / "dots.pgm").write_bytes(b"P5\n%d %d\n255\n" % (side, side) + rows)
    (b.folder / "dots.yaml").write_text("image: dots.pgm\nresolution: 0.05\norigin: [-10, -10, 0]\nnegate: 0\n"
                                        "occupied_thresh: 0.65\nfree_thresh: 0.196\n")
    scenario.write_text("convoy: 1\nworld: {map: dots.yaml}\nrobots:\n- {name: b, model: turtlebot3_burger.xml, "
                        "placement: {poses: [[0, 0, 0]]}}\n")
    b.expect(2, "", "more than 20000 boxes", "check", scenario)


SWING = """
convoy: 1
time: {tick: 10ms, duration: 4s}
view_radius: 3
world: {ground: {size: [8, 6]}}
robots:
  - name: arm
    model: arm.xml
    placement: {poses: [[0, 0, 0]]}
    host: host0
    controller: {kind: keyframes, loop: false, poses: [{targets: [joint_1=1], blend: 2s}]}
  - {name: post, model: post.xml, placement: {poses: [[0.6, 0.3, 0]]}, host: host1}
"""
POST = """<mujoco><option timestep="0.002" integrator="implicitfast"/><worldbody><body pos="0 0 0.3"><freejoint/>
<geom type="box" size="0.15 0.15 0.3" mass="5" priority="1" friction="0.2 0.005 0.0001"/></body></worldbody></mujoco>"""


def swings(b):
    """In free mode too, an arm on one host pushes with its links what another host runs."""
    (b.folder / "post.xml").write_text(POST)
    scenario = b.folder / "swing.yaml"
    scenario.write_text(SWING)
    for mode in ("lockstep", "free"):
        b.expect(0, r"\Adigest", "", "run", scenario, "--hosts", 2, "--mode", mode, "--report", b.folder / "s.json")
        post = json.loads((b.folder / "s.json").read_text())["by_robot"]["post"]
        b.check(post["distance_m"] > 0.1, f"the arm does not push the post in {mode} mode", post)


LOADS = """
convoy: 1
time: {tick: 10ms, duration: 60s}
view_radius: 3
world: {ground: {size: [8, 6], walls: 0.1}}
robots:
  - {name: rover, model: rover.xml, placement: {poses: [[0, 0, 0]]}, driver: {kind: waypoints, waypoints: [[3, 0]]}}
  - {name: pole, model: box, placement: {poses: [[1.5, 0, 0]]}}
  - {name: crate, model: crate.xml, placement: {poses: [[2, 0, 0]]}}
"""


def loads(b):
    """What a rover carries far before it pushes a crate on whatever host, until they part."""
    scenario = b.folder / "loads.yaml"
    scenario.write_text(LOADS)
    recording = b.folder / "loads.mcap"
    with b.start("launch", scenario, "--hosts", 2, "--paused", "--speed", "max", "--record", recording) as run:
        at = f"127.0.0.1:{run.port()}"
        run.wait_for("the run begins")

        def say(out, *arguments):
            return b.expect(0, out, None, "ctl", "--connect", at, *arguments).stdout

        def x_of(name):
            return json.loads(say(r"\A\{", "get", name, "--json"))["pose"]["p"][0]

        say("attached", "attach", "rover", "pole")
        say("waits at tick 250$", "step", 250)
        rover, crate = x_of("rover"), x_of("crate")
        b.check(crate > 2.3 and abs(crate - rover - 1.8) < 0.02, "what a rover carries does not push", rover, crate)
        say("detached", "detach", "pole")
        say("waits at tick 500$", "step", 250)
        b.check(x_of("crate") - crate < 0.15, "what was carried pushes on", crate, x_of("crate"))
        b.check(x_of("rover") - rover > 0.3, "the rover stands", rover, x_of("rover"))
        say("the run ends", "stop")
        b.check(run.wait() == 0, "the run did not end in order", run.text())
        digest = last_line(run.out.read_text())
    for hosts in (1, 3):
        b.expect(0, digest, "", "replay", recording, "--verify", "--hosts", hosts)
    b.expect(0, digest, "", "replay", recording, "--verify", "--from", "2")


def calls(b):
    """Robots from the caller's files, at run time: included parts and meshes travel, errors name files, a fault stops one."""
    parts = b.folder / "robot" / "parts"
    parts.mkdir(parents=True)
    (parts / "t.stl").write_bytes(tetrahedron())
    robot = b.folder / "robot" / "scene.xml"
    robot.write_text("<mujoco><compiler meshdir='parts'/><include file='parts/body.xml'/></mujoco>")
    (parts / "body.xml").write_text(
        "<mujoco><asset><mesh file='t.stl'/></asset>\n<worldbody><geom type='plane' size='1 1 1'/>"
        "<body pos='0 0 0.5'><freejoint/><geom type='mesh' mesh='t'/></body></worldbody></mujoco>")
    small = b.folder / "small.xml"
    small.write_text(FALLING.format("".join(
        f"<body pos='0 0 {0.11 + 0.21 * i}'><freejoint/><geom type='box' size='.1 .1 .1'/></body>" for i in range(4))))
    scenario = b.folder / "mixed.yaml"
    report = b.folder / "calls.json"
    with b.start("launch", scenario, "--hosts", 2, "--paused", "--duration", "600s", "--speed", "max", "--report", report,
                 "--record", b.folder / "calls.mcap") as run:
        at = f"127.0.0.1:{run.port()}"
        run.wait_for("the run begins")

        def say(code, out, err, *arguments):
            return b.expect(code, out, err, "ctl", "--connect", at, *arguments)

        say(0, "spawned 1 of 1", None, "spawn", "thing", "--model", robot, "--pose", "0,-1")
        say(0, "spawned 1 of 1", None, "spawn", "again", "--model", robot, "--pose", "0,-2")
        say(0, "^scene_xml$", None, "spawnables")
        say(0, "spawned 1 of 1", None, "spawn", "tower", "--model", small, "--pose", "2,-2")
        say(2, None, r"body\.xml:2: .*sphre", "spawn", "bad", "--model", wrong(b, "sphre"))
        say(2, None, "no file 'gone.stl' for <mesh>; tried", "spawn", "bad", "--model", missing(b))
        say(2, None, "expand it first: xacro", "spawn", "bad", "--model", xacro(b))
        say(1, "", "no multiple of its physics step of 3 ms", "spawn", "bad", "--model", odd_step(b))
        say(0, "waits at tick 150$", None, "step", 150)
        pose = json.loads(say(0, r"\A\{", None, "get", "thing", "--json").stdout)["pose"]["p"]
        b.check(-0.6 < pose[2] < -0.3 and abs(pose[1] + 1) < 0.2, "the mesh has not fallen onto the ground", pose)
        run.wait_for("'tower' stands still from tick")
        say(0, "commanded", None, "control", "arm", "joint_1=1.2", "joint_3=0.3")
        say(1, "", "no actuator 'joint_9'; did you mean", "control", "arm", "joint_9=1")
        say(2, None, "ACTUATOR=VALUE", "control", "arm", "joint_1=nan")
        say(0, "commanded", None, "drive", "burger_0", "--forward", 0.2)
        say(1, "", "has no drive", "drive", "arm", "--forward", 0.2)
        say(0, "waits at tick 200$", None, "step", 50)
        # A robot rests while it is attached, and comes to life again when it parts.
        say(0, "attached", None, "attach", "burger_1", "again")
        say(0, "attached", None, "attach", "burger_1", "burger_2")
        say(0, "waits at tick 220$", None, "step", 20)
        say(0, "detached", None, "detach", "burger_2")
        before = json.loads(say(0, r"\A\{", None, "get", "burger_2", "--json").stdout)["pose"]["p"]
        say(0, "commanded", None, "drive", "burger_2", "--forward", 0.2, "--timeout", 2)
        say(0, "waits at tick 320$", None, "step", 100)
        after = json.loads(say(0, r"\A\{", None, "get", "burger_2", "--json").stdout)["pose"]["p"]
        way = sum((x - y) ** 2 for x, y in zip(before, after)) ** 0.5
        b.check(0.1 < way < 0.22, "a robot that was attached does not drive again", before, after)
        say(0, "deleted", None, "delete", "again", "tower")
        say(0, "set at", None, "set", "thing", "--pose", "-1,1.5")
        say(0, "reset", None, "reset", "burger_0")
        say(0, "waits at tick 330$", None, "step", 10)
        say(0, "reset", None, "reset")
        say(0, "waits at tick 5$", None, "step", 5)
        say(0, "the run ends", None, "stop")
        b.check(run.wait() == 0, "the run did not end in order", run.text())
        digest = last_line(run.out.read_text())
    faults = json.loads(report.read_text())["physics_faults"]
    b.check(faults == [], "faults of before the reset", faults)
    # The recording has the files: the caller's may be gone.
    robot.unlink()
    (parts / "body.xml").unlink()
    b.expect(0, digest, "", "replay", b.folder / "calls.mcap", "--verify", "--hosts", 3)
    robot.write_text("<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>")
    b.check(not pathlib.Path("MUJOCO_LOG.TXT").exists(), "MuJoCo has written a log")
    b.expect(0, "floating base: 0 joints", "", "check", "--model", robot)
    urdf = b.folder / "robot.urdf"
    urdf.write_text(URDF)
    b.expect(0, "1 actuators made", "", "check", "--model", urdf)
    b.expect(0, '"actuators": \\[', "", "check", "--json", "--model", "humanoid.xml")
    b.expect(2, None, "needs a SCENARIO", "check")


ITSELF = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="1"/></asset><library_nodes><node id="n"><instance_node url="#n"/></node></library_nodes>
<library_visual_scenes><visual_scene id="s"><node id="m"><instance_node url="#n"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def hostile(b):
    """What a file does to its reader is an error of the command that was to read it, and nothing else."""
    folder = b.folder / "hostile"
    folder.mkdir()
    (folder / "itself.dae").write_text(ITSELF)
    mesh = '<geometry><mesh filename="itself.dae"/></geometry>'
    (folder / "itself.urdf").write_text(
        f'<robot name="r"><link name="base"><visual>{mesh}</visual><collision>{mesh}</collision></link></robot>')
    (folder / "huge.xml").write_text('<mujoco><size nuserdata="2000000000"/><worldbody><body><freejoint/>'
                                     '<geom size="0.01"/></body></worldbody></mujoco>')
    (folder / "fleet.yaml").write_text("convoy: 1\nworld: {ground: {size: [9, 9]}}\nrobots: [{model: itself.urdf}]\n")
    sanitized = b.address_sanitized()
    died = r"itself.urdf: the process that read it " + ("ended with status 1" if sanitized else "was killed by SIGSEGV")
    b.expect(2, "", died, "check", "--model", folder / "itself.urdf")
    if not sanitized:
        b.expect(2, "", r"allocate memory|more than 4 GiB of memory", "check", "--model", folder / "huge.xml")
    b.expect(2, "", died, "run", folder / "fleet.yaml")
    with b.start("launch", b.scenario, "--hosts", 1, "--paused", "--duration", "600s") as run:
        at = f"127.0.0.1:{run.port()}"
        run.wait_for("the run begins")
        b.expect(2, "", died, "ctl", "--connect", at, "spawn", "bad", "--model", folder / "itself.urdf")
        b.expect(0, "", "", "ctl", "--connect", at, "status")
        b.expect(0, "", "", "ctl", "--connect", at, "stop")


PENDULUM = """<mujoco><option timestep="0.002"/><worldbody><body><joint name="swing" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 1 0 0" size="0.05"/></body></worldbody></mujoco>"""

ASKED = """
convoy: 1
time: {{tick: 10ms, duration: 500ms}}
models: [{{name: swing, file: pendulum.xml, ground: {ground}}}]
robots: [{{name: dut, model: swing, placement: {{poses: [[0, 0, 0]]}}}}]
"""


def grounds(b):
    """What is the ground is said each time, and is what a scenario asks for."""
    (b.folder / "pendulum.xml").write_text(PENDULUM)
    b.expect(0, "^  ground: none; nothing in the file is free to fall on one$", "", "check", "--model", "pendulum.xml")
    b.expect(0, "^  ground: a plane at height 0 is added: the file has free bodies", "", "check", "--model", "crate.xml",
             "--write", "written.xml")
    b.check('name="convoy:ground" type="plane"' in (b.folder / "written.xml").read_text(), "the document lacks its ground")
    b.expect(0, "^  ground: the plane at height 0 that an import has added$", "", "check", "--model", "written.xml")
    scenario, digests = b.folder / "asked.yaml", {}
    for ground in ("auto", "none", "plane"):
        scenario.write_text(ASKED.format(ground=ground))
        digests[ground] = last_line(b.expect(0, "digest", "", "run", scenario).stdout)
    b.check(digests["plane"] != digests["auto"], "a ground that was asked for stops nothing", digests)
    scenario.write_text(ASKED.format(ground="sand"))
    b.expect(2, None, "models\\[0\\].ground", "run", scenario)


CART = """<robot name="cart"><link name="base"><collision><origin xyz="0 0 0.02"/><geometry><box size="0.3 0.16 0.06"/></geometry>
</collision><collision><origin xyz="0.12 0 -0.03"/><geometry><sphere radius="0.02"/></geometry></collision>{inertial}</link>
{wheels}</robot>"""
WHEEL = """<link name="{side}_wheel"><collision><geometry><cylinder length="0.02" radius="0.05"/></geometry></collision>
<inertial><mass value="0.2"/><inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="2e-4"/></inertial></link>
<joint name="{side}" type="continuous"><parent link="base"/><child link="{side}_wheel"/><axis xyz="0 0 1"/>
<origin xyz="-0.05 {y} 0" rpy="-1.5707963267948966 0 0"/><limit effort="2" velocity="10"/></joint>"""
INERTIAL = '<inertial><mass value="3"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'
# What a program called xacro does, as far as this robot asks for it.
XACRO = '#!/bin/sh\nsed -e "s/<xacro:thing\\/>//" "$1"\n'


def first(b):
    """A URDF of nobody here: what is mended is said, and its first scenario drives. xacro runs for whom it is trusted."""
    text = CART.format(inertial=INERTIAL, wheels="".join(WHEEL.format(side=s, y=y) for s, y in (("left", 0.1), ("right", -0.1))))
    (b.folder / "cart.urdf").write_text(text)
    said = b.expect(0, "the base is raised by 0.051 m", "", "check", "--model", "cart.urdf").stdout
    b.check("wheels: left 'left', right 'right'; recognised by their shapes" in said, "no wheels are recognised", said)
    b.check(re.search(r"^  read in \d+\.\d\d s of a processor, with at most [1-9]\d* MB of memory$", said, re.M),
            "what reading it took is not said", said)
    b.check("lost: inertia of 'base'" in said, "the inertia was mended without a word", said)
    scenario = b.folder / "first.yaml"
    scenario.write_text(b.expect(0, "^convoy: 1", "", "check", "--model", "cart.urdf", "--scenario").stdout)
    b.expect(0, "digest", "inertia of 'base'", "run", scenario, "--speed", "max", "--report", "first.json")
    report = json.loads((b.folder / "first.json").read_text())
    b.check(report["by_robot"]["robot"]["distance_m"] > 2, "it does not drive", report["by_robot"])
    scenario.write_text("convoy: 1\ntime: {duration: 1s}\nmodels: [{name: c, file: cart.urdf, inertia: refuse}]\n"
                        "robots: [{name: c, model: c}]\n")
    b.expect(2, None, "models\\[0\\].file: .*cart.urdf:1: inertia of 'base'", "run", scenario)

    (b.folder / "cart.urdf.xacro").write_text(text.replace("<link", "<xacro:thing/><link", 1))
    tools = b.folder / "tools"
    tools.mkdir()
    (tools / "xacro").write_text(XACRO)
    (tools / "xacro").chmod(0o755)
    env = {"PATH": f"{tools}:{os.environ['PATH']}"}
    b.expect(2, None, "expand it first", "check", "--model", "cart.urdf.xacro", env=env)
    b.expect(0, "the base is raised by 0.051 m", "", "check", "--model", "cart.urdf.xacro", "--trust", env=env)
    scenario.write_text("convoy: 1\ntime: {duration: 1s}\nrobots: [{name: c, model: cart.urdf.xacro, placement: {poses: [[0, 0]]}}]\n")
    b.expect(2, None, "expand it first", "run", scenario, env=env)
    b.expect(0, "digest", "", "run", scenario, "--trust", env=env)
    (tools / "xacro").write_text("#!/bin/sh\necho no such macro >&2\nexit 3\n")
    b.expect(2, None, "xacro ended with status 3: no such macro", "run", scenario, "--trust", env=env)


def wrong(b, kind):
    folder = b.folder / "bad" / "parts"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "body.xml").write_text(f"<mujoco>\n<worldbody><body><geom type='{kind}' size='1'/></body></worldbody></mujoco>")
    path = b.folder / "bad" / "scene.xml"
    path.write_text("<mujoco><include file='parts/body.xml'/></mujoco>")
    return path


def missing(b):
    path = b.folder / "missing.xml"
    path.write_text("<mujoco><asset><mesh file='gone.stl'/></asset></mujoco>")
    return path


def xacro(b):
    path = b.folder / "robot.urdf.xacro"
    path.write_text("<robot/>")
    return path


def odd_step(b):
    path = b.folder / "odd.xml"
    path.write_text("<mujoco><option timestep='0.003'/><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>")
    return path


def main():
    here = pathlib.Path.cwd()
    with new_bench(sys.argv[1]) as b:
        os.chdir(b.folder)  # where MuJoCo would write its log
        (b.folder / "crate.xml").write_text(CRATE)
        b.run({f.__name__: f for f in (digests, meetings, one_sided, worlds, objects, loads, swings, grounds, first, calls, hostile)}, sys.argv[2:])
        os.chdir(here)
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
