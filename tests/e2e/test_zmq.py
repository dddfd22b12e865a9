#!/usr/bin/env python3
"""ZeroMQ streams from the outside, with pyzmq: layouts, controls, info, cameras, ports, and a run that replays.

    .env/python/bin/python tests/e2e/test_zmq.py CONVOY [PART...]

Prints one line per check that fails and exits 1 if there is any.
"""
import contextlib
import json
import math
import os
import pathlib
import re
import shutil
import socket
import struct
import sys
import time

import zmq
from harness import Process, free_block, last_line, new_bench

SCENARIO = """
convoy: 1
name: streams
time: {{tick: 2ms, duration: {duration}}}
hosts: {hosts}
world: {{ground: {{size: [6, 5]}}}}
zmq: {{port: {port}, wire_profile: {profile}, {more}}}
robots:
  - {{name: arm, model: arm.xml, placement: {{poses: [[0, 1]]}}}}
  - {{name: burger, model: turtlebot3_burger.xml, placement: {{poses: [[0, -1]]}}}}
  - {{name: walker, model: turtlebot3_waffle, placement: {{poses: [[2, -1]]}}}}
  - {{name: eye, model: eye.xml, placement: {{poses: [[2, 1]]}}, sensors: default}}
"""

# A ball with a camera, a gyroscope and a motor.
EYE = """<mujoco><worldbody><body name="ball" pos="0 0 0.2"><freejoint name="float"/><geom size="0.1"/>
<site name="s"/><camera name="front" pos="0.1 0 0" xyaxes="0 -1 0 0 0 1"/><body pos="0 0 0.2"><joint name="neck" axis="0 0 1"/><geom size="0.05"/>
</body></body></worldbody><actuator><motor name="turn" joint="neck" ctrllimited="true" ctrlrange="-1 1"/></actuator>
<sensor><gyro name="gyro" site="s"/></sensor></mujoco>"""


class Peer:
    """A program of a user's: some sockets to one block of ports."""

    def __init__(self, port):
        self.port, self.context = port, zmq.Context()
        self.control = self.context.socket(zmq.PUB)
        self.control.connect(f"tcp://127.0.0.1:{port + 1}")

    def listen(self, place, prefix=b""):
        s = self.context.socket(zmq.SUB)
        s.connect(f"tcp://127.0.0.1:{self.port + place}")
        s.setsockopt(zmq.SUBSCRIBE, prefix)
        s.setsockopt(zmq.RCVTIMEO, 20000)
        return s

    def newest(self, listener, seconds):
        """The last payload of each topic that came in that time, and how many came."""
        seen, counts, end = {}, {}, time.monotonic() + seconds
        while time.monotonic() < end:
            if listener.poll(10):
                topic, payload = listener.recv_multipart()
                seen[topic], counts[topic] = payload, counts.get(topic, 0) + 1
        return seen, counts

    def send(self, topic, *pairs):
        self.control.send_multipart([topic, struct.pack("<i", len(pairs)) + b"".join(struct.pack("<if", *p) for p in pairs)])

    def call(self, **request):
        s = self.context.socket(zmq.REQ)
        s.setsockopt(zmq.RCVTIMEO, 20000)
        s.setsockopt(zmq.LINGER, 0)
        s.connect(f"tcp://127.0.0.1:{self.port + 4}")
        s.send_string(json.dumps(request))
        answer = json.loads(s.recv())
        s.close()
        return answer

    def until(self, what, act=None, patience=20):
        """True once `what` holds; `act` is done again and again until then."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            if act:
                act()
            if what():
                return True
        return False

    def close(self):
        self.context.destroy(linger=0)


def joint(listener):
    return struct.unpack("<ifff", listener.recv_multipart()[1])


def scenario(b, port, profile="seed", hosts=1, duration="60s", more="listen: 127.0.0.1"):
    (b.folder / "eye.xml").write_text(EYE)
    file = b.folder / f"streams_{port}.yaml"
    file.write_text(SCENARIO.format(port=port, profile=profile, hosts=hosts, duration=duration, more=more))
    return file


def layouts(b):
    """Each row of both profiles, on two blocks of one run."""
    port = free_block(200)
    file = scenario(b, port, "both", more=f"urlab01_port: {port + 100}")
    with b.start("run", file):
        seed, urlab = Peer(port), Peer(port + 100)
        for peer, base, sensor in ((seed, 56, 16), (urlab, 52, 20)):
            every = peer.listen(0)
            every.recv_multipart()
            seen, _ = peer.newest(every, 1)
            size = {topic.decode(): len(payload) for topic, payload in seen.items()}
            want = {f"arm/joint/joint_{i}": 16 for i in range(1, 7)}
            want |= {"burger/joint/wheel_left_joint": 16, "burger/twist": 12, "walker/base_state/base": base, "walker/twist": 12,
                     "eye/base_state/float": base, "eye/sensor/gyro": sensor, "eye/joint/neck": 16}
            b.check(want.items() <= size.items(), "rows of the state", want, size)
            b.check(not any(topic.endswith("actions") for topic in size), "actions when no key is held", size)
            every.close()
        height = struct.unpack("<7d", seed.listen(0, b"eye/base_state/").recv_multipart()[1])[2]
        b.check(0 < height < 0.25, "the ball's height", height)
        b.check(seed.call(op="set_actions", articulation="arm", actions=5) == {"op": "set_actions_ok"}, "set_actions")
        b.check(seed.listen(0, b"arm/actions").recv_multipart()[1] == struct.pack("<i", 5), "actions")
        b.check(seed.call(op="dance")["code"] == "unknown_op", "a call that nobody knows")
        b.check(seed.call(op="set_twist", articulation="nobody", linear=[0, 0, 0], angular=[0, 0, 0])["code"] ==
                "unknown_articulation", "a call for nobody")
        twist = seed.listen(0, b"burger/twist")
        b.check(seed.call(op="set_twist", articulation="burger", linear=[0.1, 0, 0], angular=[0, 0, 0.5])["op"] == "set_twist_ok", "set_twist")
        b.check(seed.until(lambda: struct.unpack("<fff", twist.recv_multipart()[1])[0] > 0.05), "the operator's twist is not published")
        seed.close(), urlab.close()


def info_and_cameras(b):
    port = free_block(100)
    with b.start("run", scenario(b, port), "--duration", "60s") as run:
        peer = Peer(port)
        info = peer.listen(2)
        told = {}
        b.check(peer.until(lambda: told.update({i["robot"]: i for i in [json.loads(info.recv())]}) or len(told) == 4),
                "info of all robots", told)
        eye = told["eye"]
        b.check(eye == {"type": "actuator_list", "robot": "eye", "names": ["eye_turn"], "ids": [0], "mins": [-1.0], "maxs": [1.0],
                        "camera_list": [{"name": "front", "endpoint": f"tcp://127.0.0.1:{port + 3}", "width": 640, "height": 480,
                                         "shows": "bgra8"}]}, "the info of a robot", eye)
        topic, pixels = peer.listen(3, b"eye/camera/front ").recv_multipart()
        b.check(topic == b"eye/camera/front " and len(pixels) == 640 * 480 * 4, "a camera's frame", topic, len(pixels))
        b.check(len({pixels[i:i + 4] for i in range(0, len(pixels), 4)}) > 50, "a picture of the world")
        r = b.call("zmq-echo", "--main_endpoint", f"tcp://127.0.0.1:{port}", "--camera_endpoint", f"tcp://127.0.0.1:{port + 3}",
                   "--count", 3000)
        b.check(r.returncode == 0 and "arm/joint/joint_1 id" in r.stdout and "frame 1, 640 x 480" in r.stdout, "zmq-echo",
                r.stdout[-500:], r.stderr)
        again = b.call("run", run_scenario(run))
        b.check(again.returncode == 2 and f"127.0.0.1:{port} is taken" in again.stderr, "a port that is taken (run)", again.stderr)
        again = b.call("launch", run_scenario(run))
        b.check(again.returncode == 2 and "is taken" in again.stderr, "a port that is taken (launch)", again.stderr)
        peer.close()


def run_scenario(run):
    return run.popen.args[2]


def cameras(b):
    """Each camera has a port of its own: the calls' is left out, and so is one that another program has."""
    port = free_block(100)
    file = scenario(b, port)
    more = '<camera name="back" pos="-0.1 0 0"/><camera name="top" pos="0 0 0.1"/>'
    (b.folder / "eye.xml").write_text(EYE.replace('<camera name="front"', more + '<camera name="front"'))
    with socket.create_server(("127.0.0.1", port + 5)), b.start("run", file):
        peer = Peer(port)
        info, told = peer.listen(2), {}
        peer.until(lambda: told.update({i["robot"]: i for i in [json.loads(info.recv())]}) or "eye" in told)
        listed = {c["name"]: c["endpoint"] for c in told["eye"]["camera_list"]}
        places = {"back": 3, "top": 6, "front": 7}  # 4 has the calls
        b.check(listed == {name: f"tcp://127.0.0.1:{port + place}" for name, place in places.items()}, "ports of cameras", listed)
        for name, place in places.items():
            topic, pixels = peer.listen(place).recv_multipart()
            b.check(topic.decode() == f"eye/camera/{name} " and len(pixels) == 640 * 480 * 4, f"what comes on port +{place}", topic)
        b.check(peer.call(op="meta")["op"] == "meta_ok", "calls are where they are")
        peer.close()
    (b.folder / "eye.xml").write_text(EYE)


def controls(b, mode):
    """A control with and without the space moves a joint; what makes no sense is counted, and the run goes on."""
    port = free_block(100)
    with b.start("run", scenario(b, port), "--mode", mode) as run:
        peer = Peer(port)
        first = peer.listen(0, b"arm/joint/joint_1")
        for topic, goal in ((b"arm/control ", 0.5), (b"arm/control", -0.5)):
            b.check(peer.until(lambda: abs(joint(first)[1] - goal) < 0.02, lambda: peer.send(topic, (0, goal))),
                    f"{topic} does not move the joint ({mode})")
        for topic, payload in ((b"arm/control ", b""), (b"arm/control ", b"\1\0"), (b"arm/control ", struct.pack("<i", 1 << 30)),
                               (b"arm/control ", struct.pack("<iif", 1, -1, 1)), (b"arm/control ", struct.pack("<iif", 1, 0, math.nan)),
                               (b"nobody/control ", struct.pack("<iif", 1, 0, 1)), (b"arm/dance", b"x"), (b"\xff/control", b"x")):
            peer.control.send_multipart([topic, payload])
        peer.control.send(b"arm/control ")
        run.wait_for("make no sense")
        b.check(abs(joint(first)[1] + 0.5) < 0.05, "nonsense moved the joint")
        neck = peer.listen(0, b"eye/joint/neck")
        gains = json.dumps({"eye_turn": {"kp": 0.5, "kv": 0.02}, "nothing": {}}).encode()
        peer.control.send_multipart([b"eye/set_gains ", gains])
        b.check(peer.until(lambda: abs(joint(neck)[1] - 0.5) < 0.02, lambda: peer.send(b"eye/control ", (0, 0.5))),
                "PD does not bring a motor's joint to its target")
        wheel = peer.listen(0, b"burger/joint/wheel_left_joint")
        b.check(peer.until(lambda: joint(wheel)[2] > 1, lambda: peer.send(b"burger/control ", (0, 2), (1, 2))),
                "a wheel's control does not turn it")
        peer.close()


def blocks(b):
    """Under launch each client has its block, and its own robots there."""
    port = free_block(100)
    with b.start("launch", scenario(b, port, hosts=2)):
        left, right = Peer(port), Peer(port + 20)
        robots = []
        for peer in (left, right):
            every = peer.listen(0)
            every.recv_multipart()
            robots.append({topic.split(b"/")[0] for topic in peer.newest(every, 1)[0]})
        b.check(robots == [{b"arm", b"walker"}, {b"burger", b"eye"}], "the robots of each block", robots)
        left.close(), right.close()


def sources(b):
    """While one source rules, the others are ignored and counted; the command line, calls and parameters agree on who rules."""
    port = free_block(100)
    file = scenario(b, port)
    file.write_text(file.read_text().replace("name: walker,", "name: walker, control_source: dashboard,") + "control_source: zmq\n")
    with b.start("launch", file, "--paused") as run:
        at = f"127.0.0.1:{run.port()}"
        run.wait_for("the run begins")

        def ctl(out, *arguments):
            return b.expect(0, out, None, "ctl", "--connect", at, *arguments)

        peer = Peer(port)
        twist = {name: peer.listen(0, name + b"/twist") for name in (b"burger", b"walker")}

        def told(name):
            (payload,) = peer.newest(twist[name], 0.3)[0].values()
            return round(struct.unpack("<fff", payload)[0], 3)

        def drive_both(name, by_zmq, by_ctl):
            peer.call(op="set_twist", articulation=name, linear=[by_zmq, 0, 0], angular=[0, 0, 0])
            ctl("commanded", "drive", name, "--forward", by_ctl)
            ctl("waits at tick", "step", 2)

        for robot in twist:
            peer.until(lambda: twist[robot].poll(100))
        drive_both("burger", 0.05, 0.1), drive_both("walker", 0.05, 0.1)
        b.check((told(b"burger"), told(b"walker")) == (0.05, 0.1), "not who rules is obeyed", told(b"burger"), told(b"walker"))
        ctl(r"\Aburger zmq, 1 of dashboard ignored\n\Z", "source", "burger")
        ctl(r"arm zmq\n.*\nwalker dashboard, 1 of zmq ignored\n", "source")
        ctl(r"^tick   4\nsource zmq, 1 of dashboard ignored\nmodel  ", "get", "burger")
        ctl(r"^burger +zmq\n(.*\n)*walker +dashboard\n", "list")
        ctl(r"^control      dashboard 1 zmq \d, default zmq, 1 of dashboard ignored, 1 of zmq ignored$", "status")
        b.expect(0, r"\Azmq\n\Z", "", "param", "--connect", at, "get", "/burger/controller", "source")

        ctl("set at tick", "source", "burger", "ros2")
        answer = peer.call(op="set_control_source", source="zmq", articulation="walker")
        b.check(answer == {"op": "set_control_source_ok", "source": "zmq", "articulation": "walker"}, "set_control_source", answer)
        b.check(peer.call(op="set_control_source", source="zmq", articulation="nobody")["code"] == "unknown_articulation", "a robot")
        ctl("waits at tick", "step", 300)  # beyond the commands' time
        drive_both("burger", 0.05, 0.1), drive_both("walker", 0.05, 0.1)
        b.check((told(b"burger"), told(b"walker")) == (0, 0.05), "not who rules now is obeyed", told(b"burger"), told(b"walker"))
        ctl("set at tick", "source", "--all", "any")
        ctl("waits at tick", "step", 1)
        ctl(r"\Aarm any\nburger any, .* of dashboard ignored, .* of zmq ignored\n", "source")
        b.expect(1, "", "did you mean 'zmq'", "ctl", "--connect", at, "source", "--all", "zmk")
        b.expect(2, "", "NAME and SOURCE", "ctl", "--connect", at, "source", "--all", "arm", "zmq")
        ctl("the run ends", "stop")
        peer.close()


CONTROLLED = """control_silence: 1h
robots:
  - name: arm
    model: arm.xml
    placement: {poses: [[0, 1]]}
    controller: {kind: keyframes, start_delay: 10ms, loop: false, poses: [{targets: [joint_1=0.5], blend: 200ms}]}
  - {name: eye, model: eye.xml, placement: {poses: [[2, 1]]}, controller: {kind: pd, kv: 0.02, gains: [{actuator: turn, kp: 0.5}]}}
"""


def controllers(b):
    """Controllers that the scenario names: there at once and after a reset, shown, set; what they did replays."""
    port, recording, report = free_block(100), b.folder / "controllers.mcap", b.folder / "controllers.json"
    file = scenario(b, port, profile="seed")
    file.write_text(file.read_text().split("robots:")[0] + CONTROLLED)
    with b.start("launch", file, "--paused", "--record", recording, "--report", report) as run:
        at = f"127.0.0.1:{run.port()}"
        run.wait_for("the run begins")
        peer = Peer(port)
        neck, elbow, keys = peer.listen(0, b"eye/joint/neck"), peer.listen(0, b"arm/joint/joint_1"), peer.listen(0, b"eye/actions")

        def ctl(out, *arguments):
            return b.expect(0, out, None, "ctl", "--connect", at, *arguments)

        def param(out, *arguments):
            return b.expect(0, out, None, "param", "--connect", at, *arguments)

        def shown(listener):
            (payload,) = peer.newest(listener, 0.3)[0].values()
            return struct.unpack("<ifff", payload)[1]

        param(r"/eye/controller mode: pd\n(.*\n)*/eye/controller turn.kp: 0.5\n/eye/controller turn.kv: 0.02\n", "list", "/eye/controller")
        param(r"/arm/controller playing: true\n", "list", "/arm/controller")
        param(r"\A3600\n", "get", "/arm/controller", "silence")
        ctl("commanded", "control", "eye", "turn=0.5")
        ctl("commanded", "actions", "eye", "0x5")
        ctl("waits at tick 1000", "step", 1000)
        b.check(abs(shown(neck) - 0.5) < 0.02, "PD of the scenario does not hold its target", shown(neck))
        b.check(abs(shown(elbow) - 0.5) < 0.02, "the pose is not played", shown(elbow))
        b.check(set(peer.newest(keys, 0.3)[0].values()) == {struct.pack("<i", 5)}, "keys that ctl holds")
        param(r"\Afalse\n", "get", "/arm/controller", "playing")
        ctl("reset", "reset", "eye")
        ctl("waits at tick 1010", "step", 10)
        param(r"\Apd\n", "get", "/eye/controller", "mode")
        peer.newest(keys, 0.3)  # of before
        b.check(not peer.newest(keys, 0.3)[0], "keys are held after a reset")
        ctl("resumed", "resume")
        b.expect(0, r"\A\Z", r"\A\Z", "param", "--connect", at, "set", "/eye/controller", "turn.kp", "0.25")
        param(r"\A0.25\n", "get", "/eye/controller", "turn.kp")
        b.expect(1, "", "refused it", "param", "--connect", at, "set", "/eye/controller", "turn.kp", "high")
        b.check(peer.call(op="set_gains", articulation="eye", gains={"turn": {"kv": 0.03}}) == {"op": "set_gains_ok"}, "set_gains, a call")
        ctl("paused at tick", "pause")
        ctl("waits at tick", "step", 1)
        param(r"\A0.25\n", "get", "/eye/controller", "turn.kp")  # not named: as it was
        param(r"\A0.03\n", "get", "/eye/controller", "turn.kv")
        peer.control.send_multipart([b"eye/set_gains ", b'{"turn": {"kp": 0.25}}'])
        time.sleep(0.3)
        ctl("waits at tick", "step", 1)
        param(r"\A0.02\n", "get", "/eye/controller", "turn.kv")  # not named: the robot's default again
        ctl("resumed", "resume")
        peer.control.send_multipart([b"nobody/control ", struct.pack("<iif", 1, 0, 1)])
        peer.send(b"eye/control ", (0, 0.1), (9, 0.1))
        b.check(peer.until(lambda: abs(shown(neck) - 0.1) < 0.05), "PD does not bring a joint to its target while the run goes on")
        ctl("the run ends", "stop")
        b.check(run.wait() == 0, "the run did not end in order", run.text())
        digest = last_line(run.out.read_text())
        peer.close()
    told = json.loads(report.read_text())
    b.check(told["drops"].get("zmq_unknown_robot") == 1 and told["drops"].get("zmq_unknown_actuator") == 1, "drops", told["drops"])
    gateway = told["processes"][0]["gateway"]
    b.check(gateway["zmq_received"] == 3 and gateway["zmq_published"] > 100, "what passed the streams", gateway)
    b.expect(0, digest, "", "replay", recording, "--verify")
    for wrong, why in (("actuator: turnip", "no actuator 'turnip'"), ("actuator: turn, kd: 1", "unknown field")):
        file.write_text(file.read_text().replace("actuator: turn,", wrong + ","))
        b.expect(2, "", why, "check", file)
        file.write_text(file.read_text().replace(wrong + ",", "actuator: turn,"))


def curve(b):
    """With a secret key who knows the public one gets in, and no other."""
    port, context = free_block(100), zmq.Context()
    (public, secret), (stranger, _), own = zmq.curve_keypair(), zmq.curve_keypair(), zmq.curve_keypair()

    def hears(key, patience):
        s = context.socket(zmq.SUB)
        if key:
            s.curve_serverkey, (s.curve_publickey, s.curve_secretkey) = key, own
        s.setsockopt(zmq.SUBSCRIBE, b"")
        s.connect(f"tcp://127.0.0.1:{port}")
        heard = s.poll(patience) != 0
        s.close(linger=0)
        return heard

    b.environment["CONVOY_ZMQ_SECRET_KEY"] = secret.decode()
    try:
        with b.start("run", scenario(b, port)):
            b.check(hears(public, 20000), "who has the key hears nothing")
            b.check(not hears(stranger, 1500), "who has another key hears something")
            b.check(not hears(None, 1500), "who has no key hears something")
            b.check(hears(public, 20000), "afterwards who has the key hears nothing")
    finally:
        del b.environment["CONVOY_ZMQ_SECRET_KEY"]
    context.destroy(linger=0)


NOBODY, SOMEBODY = 65534, 54321  # users that no program of a test is, and that need not be there


def as_user(user, function, *arguments):
    """What the function gives in a process of that user (as JSON has it)."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgid(user), os.setuid(user)
            os.write(write, json.dumps(function(*arguments)).encode())
        finally:
            os._exit(0)
    os.close(write)
    with open(read, encoding="utf-8") as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    return json.loads(told) if told else "the process died"


def visit(port, patience):
    """Whether a program as users write them gets an answer, a state and a robot's info."""
    context = zmq.Context()
    ask, state, info = (context.socket(kind) for kind in (zmq.REQ, zmq.SUB, zmq.SUB))
    for place, one in ((4, ask), (0, state), (2, info)):
        one.connect(f"tcp://127.0.0.1:{port + place}")
    state.setsockopt(zmq.SUBSCRIBE, b""), info.setsockopt(zmq.SUBSCRIBE, b"")
    ask.send_string(json.dumps({"op": "meta"}))
    end = time.monotonic() + patience
    came = [one.poll(max(0, 1000 * (end - time.monotonic()))) != 0 for one in (ask, state, info)]
    context.destroy(linger=0)
    return came


def push_in(port, waits):
    """Controls as bytes, after the handshake or at once with it; until the other side ends the connection, or 1 s."""
    greeting = (bytes([0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 3, 0]) + b"NULL").ljust(64, b"\0")
    ready = b"\5READY\x0bSocket-Type" + struct.pack(">I", 3) + b"PUB"
    control = struct.pack("<iif", 1, 0, 0.5)
    frames = bytes([1, 12]) + b"arm/control " + bytes([0, len(control)]) + control
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port + 1)) as one:
        one.settimeout(1)
        one.sendall(greeting + bytes([4, len(ready)]) + ready + (b"" if waits else frames))
        came = more = one.recv(1000)
        while waits and more and len(came) < 66:
            more = one.recv(1000)
            came += more
        one.sendall(frames)
        while one.recv(1000):
            pass


def users(b):
    """Other users of the machine are strangers: neither answered nor told nor heard. Root is none, nor is who runs it."""
    if os.geteuid() != 0:
        print("    left out: this needs root, to be several users")
        return
    port = free_block(100)
    with b.start("run", scenario(b, port)) as run:
        b.check(visit(port, 20) == [True] * 3, "our own program is not served")
        b.check(as_user(NOBODY, visit, port, 1.5) == [False] * 3, "another user's program is served")
        run.wait_for(r"warning: ZeroMQ, port \d+: a program of user 65534 was turned away: only those of root, who runs this, may .*insecure: true")
        peer = Peer(port)
        arm = peer.listen(0, b"arm/joint/joint_1")
        for i in range(50):
            as_user(NOBODY, push_in, port, i % 2 == 0)
        peer.newest(arm, 0.5)
        b.check(abs(joint(arm)[1]) < 0.05, "what a stranger sends ahead moves a robot", joint(arm))
        b.check(visit(port, 20) == [True] * 3, "afterwards our own program is not served")
        # One who has left again before he was looked up is a user of his own.
        users = re.findall(r"a program of (.*) was turned away", run.text())
        b.check(len(users) == len(set(users)) and set(users) <= {f"user {NOBODY}", "a user who cannot be found"}, "it is said more than once a user", run.text())
        push_in(port, True)
        b.check(peer.until(lambda: abs(joint(arm)[1] - 0.5) < 0.05), "the same from us does not", joint(arm))
        peer.close()
    port = free_block(100)
    b.folder.chmod(0o755)
    file = scenario(b, port)
    as_nobody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", b.convoy, "run", str(file)]
    if not as_user(NOBODY, os.access, b.convoy, os.X_OK):  # the build lies where root alone may look
        as_nobody[1:1] = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
        # Who reads models for it has no such right.
        shutil.copytree(pathlib.Path(b.convoy).parent / "models", b.folder, dirs_exist_ok=True)
    run = Process(b, [], command=as_nobody)
    try:
        b.check(as_user(NOBODY, visit, port, 20) == [True] * 3, "the user who runs it is not served", run.text())
        b.check(as_user(SOMEBODY, visit, port, 1.5) == [False] * 3, "another user is served")
        b.check(visit(port, 20) == [True] * 3, "root is not served")
        run.wait_for("a program of user 54321 was turned away: only those of user 65534, who runs this, and root may")
    finally:
        run.end()
    port = free_block(100)
    with b.start("run", scenario(b, port, more="insecure: true")):
        b.check(as_user(NOBODY, visit, port, 20) == [True] * 3, "insecure does not let everybody in")


def stuck(b):
    """A subscriber to pictures that never reads them stops nothing: the run comes to its end."""
    port = free_block(100)
    with b.start("run", scenario(b, port, duration="4s")) as run:
        context = zmq.Context()
        s = context.socket(zmq.SUB)
        s.setsockopt(zmq.RCVHWM, 1)
        s.setsockopt(zmq.SUBSCRIBE, b"")
        s.connect(f"tcp://127.0.0.1:{port + 3}")
        b.check(run.wait() == 0 and last_line(run.out.read_text()).startswith("digest "), "the run did not end", run.text())
        context.destroy(linger=0)


def early(b):
    """Who connects before the simulator is there meets the client that will answer it, and nobody before."""
    for _ in range(5):
        first_answer(b, free_block(100))


def first_answer(b, port):
    with b.start("launch", scenario(b, port, hosts=2), "--hosts", 2) as run:
        came, gone, end = b"", False, time.monotonic() + 60
        with socket_to(port + 24, end) as first:
            first.sendall(bytes([0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 1]) + b"NULL" + bytes(16 + 32))  # a greeting
            first.settimeout(1)
            try:
                while not gone and time.monotonic() < end:
                    more = first.recv(1000)
                    came, gone = came + more, not more
            except TimeoutError:
                pass
            except ConnectionError:
                gone = True
        b.check(len(came) >= 64 and not gone and run.popen.poll() is None, "who answered first went away", came, gone)


def socket_to(port, end):
    """Connects as soon as anybody listens."""
    while True:
        one = socket.socket()
        if one.connect_ex(("127.0.0.1", port)) == 0 or time.monotonic() > end:
            return one
        one.close()


def replays(b):
    """What came by ZeroMQ is in the recording: the same digest again."""
    port, file = free_block(100), b.folder / "streams.mcap"
    with b.start("run", scenario(b, port, duration="3s"), "--record", file) as run:
        peer, i = Peer(port), 0
        while run.popen.poll() is None:
            i += 1
            peer.send(b"arm/control ", (0, 0.3 * math.sin(i / 50)), (1, 0.2))
            time.sleep(0.003)
        peer.close()
        digest = last_line(run.out.read_text())
    quiet = last_line(b.call("run", scenario(b, free_block(100), duration="3s"), "--speed", "max").stdout)
    b.check(digest.startswith("digest ") and digest != quiet, "the controls leave no trace", digest, quiet)
    b.expect(0, digest, "", "replay", file, "--verify")


def main():
    parts = {"layouts": layouts, "info": info_and_cameras, "cameras": cameras, "lockstep": lambda b: controls(b, "lockstep"),
             "free": lambda b: controls(b, "free"), "blocks": blocks, "sources": sources, "controllers": controllers, "curve": curve,
             "users": users, "stuck": stuck, "early": early, "replays": replays}
    with new_bench(sys.argv[1]) as b:
        b.run(parts, sys.argv[2:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
