"""Sensors on other machines: scenarios/cluster_sensors.yaml with sensor hosts as real processes, slow, killed, stopped and
late. One digest over all samples, however many there are and whatever becomes of them.

    /usr/bin/python3 tests/e2e/test_sensor_hosts.py build/convoy [PART...]
"""
import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import struct
import sys
import threading
import time

from harness import last_line, new_bench

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "protocol"))
import client as lockstep
from wire import proto

SCENARIO = pathlib.Path(__file__).resolve().parents[2] / "scenarios" / "cluster_sensors.yaml"
MAPPING = SCENARIO.with_name("mapping.yaml")
SHORT = ("--duration", "2s")


def digest_of(run):
    return last_line(run.stdout)


def alone(b, *more):
    """The digest without any sensor host."""
    return digest_of(b.expect(0, r"^digest [0-9a-f]{16}$", "", "run", SCENARIO, *SHORT, *more))


def launched(b, *more):
    report = b.folder / "report.json"
    run = b.expect(0, r"^digest [0-9a-f]{16}$", "", "launch", SCENARIO, *SHORT, "--speed", "max", "--report", report, *more)
    return digest_of(run), json.loads(report.read_text())


def digests(b):
    """One digest for 0 to 3 sensor hosts, in one process and in several, for three seeds; slow ones too."""
    for seed in (1, 2, 3):
        expected = alone(b, "--seed", seed)
        for hosts in (1, 2, 3):
            report = b.folder / "run.json"
            run = b.expect(0, "", "", "run", SCENARIO, *SHORT, "--seed", seed, "--sensor-hosts", hosts, "--report", report)
            b.check(digest_of(run) == expected, f"seed {seed}: {hosts} sensor hosts in one process change the digest", digest_of(run), expected)
            said = json.loads(report.read_text())
            b.check(said["remote_samples"] >= 120 and said["sensor_hosts"] == hosts, "sensor hosts compute samples", said["remote_samples"])
        # 25 robots' samples a tick wait 20 ms each time.
        digest, said = launched(b, "--seed", seed, "--sensor-hosts", seed, "--slow-ms", 20, "--threads", 2)
        b.check(digest == expected, f"seed {seed}: slow sensor hosts as processes change the digest", digest, expected)
        b.check(said["remote_samples"] >= 120 and said["lost_sensor_hosts"] == 0, "sensor hosts compute samples", said["remote_samples"])
        b.check(said["tick_ms"]["p99"] >= 20, "the run waits for samples where they are due", said["tick_ms"])


def sensor_processes(run):
    return [pid for pid, line in run.family().items() if "sensor-host" in line]


def lost(b):
    """Sensor hosts that are killed, or stand still, in the middle: nothing else stops, and the run ends in order."""
    expected = alone(b)
    report = b.folder / "lost.json"
    for what, send in (("killed", signal.SIGKILL), ("stopped", signal.SIGSTOP)):
        # In real time, so that there is a middle; the liveness limit bounds how long a host that stands still is waited for.
        with b.start("launch", SCENARIO, *SHORT, "--speed", 1, "--sensor-hosts", 2, "--report", report, "--set", "liveness=2s", "--log-level",
                     "debug") as run:
            run.wait_for("all hosts are ready: the run begins")
            time.sleep(0.7)
            pids = sensor_processes(run)
            b.check(len(pids) == 2, "two sensor hosts run", run.family())
            os.kill(min(pids), send)
            code = run.wait()
            for pid in pids if send == signal.SIGSTOP else []:
                try:
                    os.kill(pid, signal.SIGCONT)
                except ProcessLookupError:
                    pass
            text = run.text()
        said = json.loads(report.read_text())
        b.check(code == 0, f"a sensor host is {what}: the run ends with {code}", text)
        b.check(re.search(rf"^{expected}$", text, re.M), f"a sensor host is {what}: another digest", text)
        b.check(said["lost_sensor_hosts"] == 1 and said["lost_hosts"] == [], "it is counted, and is no lost host", said)
        b.check(re.search(r"the sensor host sensor\d is gone: its \d+ sensors sample elsewhere from now on", text), "it is said", text)


def placed(b):
    """ctl placement tells where each samples, and why; a host that comes late gets what is new."""
    with b.start("server", SCENARIO, "--listen", "127.0.0.1:0", "--hosts", 1, "--sensor-hosts", 1, "--paused") as server:
        at = f"127.0.0.1:{server.port()}"
        ctl = ("ctl", "--connect", at, "--wait", 20)

        def places():
            b.expect(0, "", "", *ctl, "step", 3)
            told = json.loads(b.expect(0, "", "", *ctl, "--json", "placement").stdout)["data"]
            return told["loads"], {(one["robot"], one["sensor"]): one for one in told["sensors"]}

        with b.start("client", "--connect", at, "--name", "host0"), b.start("sensor-host", "--connect", at, "--name", "sensor0") as first:
            server.wait_for("all hosts are ready")
            loads, sensors = places()
            lidar, fix = sensors["car_0", "points"], sensors["car_0", "fix"]
            b.check(lidar["runs_on"] == "sensor0" and lidar["load"] == 1, "a lidar is on the sensor host", lidar)
            b.check(lidar["why"] == "sensor0 had the least load of the sensor hosts, 0.00", "why", lidar)
            b.check(fix["runs_on"] == "host0" and fix["why"] == "its robot's host had 0.35, the least of the sensor hosts 1.00", "a GPS stays", fix)
            b.check(("car_0", "keyboard") not in sensors, "a keyboard may not leave", sensors)
            b.check(loads == {"host0": 1.65, "sensor0": 6.0}, "loads add up", loads)
            b.expect(0, r"^sensor0 car_0/points \(load 1\.00, client_only\): sensor0 had the least load of the sensor hosts, 0\.00$", "", *ctl, "placement")
            with b.start("sensor-host", "--connect", at, "--name", "late") as late:
                late.wait_for("joined as late")
                loads, after = places()
                b.check(after == sensors and loads["late"] == 0, "what is there stays where it is", loads)
                first.popen.terminate()
                b.check(first.wait() == 130, "a sensor host that is interrupted leaves in order", first.text())
                server.wait_for(r"the sensor host sensor0 is gone: its 6 sensors sample elsewhere from now on")
                loads, after = places()
                b.check(after["car_5", "points"]["runs_on"] == "late" and loads == {"host0": 1.65, "late": 6.0}, "the other gets what it had", after)
                b.expect(0, "", "", *ctl, "stop")
                b.check(late.wait() == 0, "a sensor host ends with the run", late.text())


def replayed(b):
    """A recording needs no sensor host to be played again."""
    recording = b.folder / "cluster.mcap"
    digest, _ = launched(b, "--sensor-hosts", 2, "--record", recording)
    again = b.expect(0, "", "", "replay", recording, "--verify")
    b.check(digest_of(again) == digest, "the replay has another digest", again.stdout)
    # From a checkpoint at which samples are under way.
    late = ("--set", "checkpoint=97", "--set", "robots[0].sensors[0].latency=60ms", "--set", "robots[0].sensors[1].latency=60ms")
    digest, _ = launched(b, "--sensor-hosts", 2, "--record", recording, *late)
    again = b.expect(0, "", r"from tick 97 \(0.97 s\)", "replay", recording, "--verify", "--from", "1.5")
    b.check(digest_of(again) == digest, "the replay from a checkpoint has another digest", again.stdout)


def straight(b):
    """Samples go straight to the robots' hosts; some of the first may go by the server."""
    expected = alone(b)
    with b.start("launch", SCENARIO, *SHORT, "--hosts", 2, "--sensor-hosts", 2, "--speed", 1, "--log-level", "debug") as run:
        b.check(run.wait() == 0 and re.search(rf"^{expected}$", run.text(), re.M), "the run is another one", run.text())
        told = re.findall(r"sensor\d: (\d+) samples computed, (\d+) of them sent straight to their robots' hosts", run.text())
    b.check(len(told) == 2 and all(int(straight) > int(all_) * 0.7 > 0 for all_, straight in told), "samples go straight", told)


def by_server(b):
    """Where no direct links are opened, all samples go by the server, on links of their own."""
    expected = alone(b)
    with b.start("launch", SCENARIO, *SHORT, "--hosts", 2, "--sensor-hosts", 2, "--speed", 1, "--no-direct-links", "--log-level", "debug") as run:
        b.check(run.wait() == 0 and re.search(rf"^{expected}$", run.text(), re.M), "the run is another one", run.text())
        told = re.findall(r"sensor\d: (\d+) samples computed, (\d+) of them sent straight to their robots' hosts", run.text())
    b.check(len(told) == 2 and all(int(all_) > 20 and int(straight) == 0 for all_, straight in told), "none goes straight", told)


CHECKPOINT, INPUTS, ALLOW, LOOK, ORDERS, SAMPLES, INTRODUCE = 39, 44, 54, 56, 58, 59, 60


class Rogue:
    """A sensor host that tries all that it may not."""

    def __init__(self, b, port, name):
        address = ("127.0.0.1", port)
        build = lockstep.Control(address).build
        _, (_, text) = lockstep.greet(address, 2, name, build, 1)  # a wrong fingerprint: the right one is told
        fingerprint = int(re.search(r"the server's ([0-9a-f]{16})", text)[1], 16)
        self.link, self.welcome = lockstep.greet(address, 2, name, build, fingerprint)
        b.check(self.link, "a sensor host of equal numbers is let in", self.welcome)
        self.number = self.welcome[1][0]
        self.port, self.relay = port, None
        self.link.send(lockstep.READY, counted=True)

    def until(self, wanted):
        while True:
            kind, payload = self.link.next()
            if kind == lockstep.HEARTBEAT:
                self.link.send(lockstep.HEARTBEAT)
            if kind == wanted:
                return payload

    def send_samples(self, payload):
        """On a link for samples, by the server."""
        if not self.relay:
            self.relay = lockstep.Link(("127.0.0.1", self.port))
            self.relay.send(lockstep.HELLO, proto(_1=lockstep.VERSION, _13=proto(_1=self.number, _2=self.welcome[2][0])))
        self.relay.send(SAMPLES, payload)


def rogue(b):
    """A sensor host can affect nothing but its samples: what else it sends changes nothing, or ends its own link."""
    expected = alone(b)
    with b.start("server", SCENARIO, *SHORT, "--listen", "127.0.0.1:0", "--hosts", 2, "--sensor-hosts", 2, "--speed", "max") as server:
        port = server.port()
        at = f"127.0.0.1:{port}"
        one, two = Rogue(b, port, "sensor0"), Rogue(b, port, "sensor1")
        with b.start("client", "--connect", at, "--name", "host0") as first, b.start("client", "--connect", at, "--name", "host1") as second:
            orders = one.until(ORDERS)
            for kind in (lockstep.STATES, lockstep.MESSAGES, lockstep.DONE, lockstep.EDITS, lockstep.PUSH, lockstep.OPEN, lockstep.FINISH, lockstep.REPORT,
                         lockstep.TICK_DONE, CHECKPOINT, INPUTS, ALLOW, LOOK):
                one.link.send(kind, orders[8:20] + bytes(60), counted=True)
            refused = []
            for i, call in enumerate(({"_11": proto(_1=b"car_0")}, {"_19": b""}, {"_23": proto(_1=b"0.1")}, {"_28": b""}, {"_22": b""})):
                one.link.send(lockstep.REQUEST, proto(_1=1 + i, **call), counted=True)
                refused.append(lockstep.unproto(one.until(lockstep.REPLY)).get(2, [0])[0])
            b.check(all(refused), "delete, pause, speed, stop and reset are refused", refused)
            # In another's name: its link for samples ends, and what was ordered from it is computed by who waits.
            two.until(ORDERS)
            two.send_samples(struct.pack("<IIIqIQ", one.number, 3, 0, 0, 0, 0))
            try:
                b.check(False, "its link for samples goes on", two.relay.next())
            except OSError:
                pass
            # On the control link they have no business: that link ends.
            two.link.send(SAMPLES, struct.pack("<IIIqIQ", two.number, 3, 0, 0, 0, 0), counted=True)
            server.wait_for(r"samples for a host on the control link")
            one.link.send(lockstep.GOODBYE)
            code = server.wait()
            b.check(code == 0 and first.wait() == 0 and second.wait() == 0, "the run ends in order", server.text())
        b.check(re.search(rf"^{expected}$", server.out.read_text(), re.M), "the run is another one", server.text(), expected)


class Answering(Rogue):
    """One whose answers a function makes; in a thread of its own until its link ends."""

    def __init__(self, b, port, name, answer):
        super().__init__(b, port, name)
        self.answer, self.orders = answer, 0
        self.thread = threading.Thread(target=self.go_on, daemon=True)
        self.thread.start()

    def go_on(self):
        with contextlib.suppress(OSError, AssertionError):
            while True:
                orders = self.until(ORDERS)
                self.orders += 1
                self.answer(self, orders)

    def nonsense(self, orders):
        """A piece of a sample that cannot be the first one."""
        return self.piece(orders, 5)

    def begun(self, orders):
        """The first three bytes of a sample."""
        return self.piece(orders, 0)

    def piece(self, orders, offset):
        host, _, run, tick, _, robot, sensor, index = struct.unpack_from("<IIIqIIIQ", orders)
        piece = struct.pack("<IIQqqIII", robot, sensor, index, 0, 0, offset, 9, 3) + b"abc" + struct.pack("<IQ", 0, 0)
        return struct.pack("<IIIqI", self.number, host, run, tick, 1) + piece


class Door:
    """Takes the links that it has offered, reads who comes, and answers with frames."""

    def __init__(self, b, frames):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.b, self.frames, self.came = b, frames, []

    def offer(self, host, orders):
        if self.came:
            return
        to, = struct.unpack_from("<I", orders)
        secret = bytes(range(16))
        host.link.send(INTRODUCE, struct.pack("<IIQQHI", host.number, to, 0, 0, self.socket.getsockname()[1], 16) + secret, counted=True)
        link = object.__new__(lockstep.Link)
        link.socket, link.buffer, link.sent, link.received = self.socket.accept()[0], b"", 0, 0
        link.socket.settimeout(20)
        kind, hello = link.next()
        self.b.check(kind == lockstep.HELLO, "the robots' host greets", kind)
        self.came.append(lockstep.unproto(lockstep.unproto(hello)[12][0]))
        self.b.check(self.came[0] == {1: [to], 2: [secret]}, "the robots' host says who it is and shows the secret", self.came)
        for kind, payload in self.frames(host, orders):
            link.send(kind, payload)
        # It closes the link, which carries what may not come there; then the loss is told.
        try:
            self.b.check(False, "the robots' host does not end the link", link.next())
        except OSError:
            pass
        host.link.send(INTRODUCE, struct.pack("<IIQQHI", host.number, to, 0, 0, 0, 0), counted=True)


def given_up(b):
    """A sensor host that lives and never answers, or answers with nonsense, is given up: the run is the same."""
    expected = alone(b)
    for what, answer in (("nothing", lambda host, orders: None), ("nonsense", lambda host, orders: host.send_samples(host.nonsense(orders))),
                         ("halves", lambda host, orders: host.send_samples(host.nonsense(orders)[:30]))):
        report = b.folder / "given_up.json"
        with b.start("server", SCENARIO, *SHORT, "--listen", "127.0.0.1:0", "--hosts", 1, "--sensor-hosts", 1, "--speed", "max", "--report", report, "--set",
                     "liveness=2s") as server:
            host = Answering(b, server.port(), "sensor0", answer)
            with b.start("client", "--connect", f"127.0.0.1:{server.port()}", "--name", "host0") as client:
                code = server.wait()
                b.check(code == 0 and client.wait() == 0, f"{what}: the run ends in order", server.text())
            b.check("sensor0 is given up by host0, which got no samples from it" in server.text(), f"{what}: it is said", server.text())
        said = json.loads(report.read_text())
        b.check(said["lost_sensor_hosts"] == 1 and host.orders > 0, f"{what}: it is counted", said)
        b.check(re.search(rf"^{expected}$", server.out.read_text(), re.M), f"{what}: the run is another one", server.text())


def doors(b):
    """A direct link that breaks, or carries what may not come there, loses what is under way: the run is the same."""
    expected = alone(b)
    for what, frames in (("other frames", lambda host, orders: [(lockstep.STATES, b"12345678")]),
                         ("nonsense", lambda host, orders: [(SAMPLES, host.nonsense(orders)), (lockstep.STATES, b"")]),
                         ("another's name", lambda host, orders: [(SAMPLES, struct.pack("<I", 1) + host.nonsense(orders)[4:])])):
        with b.start("server", SCENARIO, *SHORT, "--listen", "127.0.0.1:0", "--hosts", 1, "--sensor-hosts", 1, "--speed", "max", "--set", "liveness=2s") as server:
            door = Door(b, frames)
            host = Answering(b, server.port(), "sensor0", door.offer)
            with b.start("client", "--connect", f"127.0.0.1:{server.port()}", "--name", "host0") as client:
                code = server.wait()
                b.check(code == 0 and client.wait() == 0, f"{what}: the run ends in order", server.text())
            b.check(len(door.came) == 1 and host.orders > 0, f"{what}: a link is opened", door.came)
        b.check(re.search(rf"^{expected}$", server.out.read_text(), re.M), f"{what}: the run is another one", server.text())


def broken(b):
    """A link for samples that breaks each time in the middle of a frame: who waits computes what is lost at once."""
    expected = alone(b)

    def half(host, orders):
        host.send_samples(host.begun(orders))
        host.relay.socket.sendall(b"12345678")
        host.relay.socket.close()
        host.relay = None

    with b.start("server", SCENARIO, *SHORT, "--listen", "127.0.0.1:0", "--hosts", 1, "--sensor-hosts", 1, "--speed", "max") as server:
        host = Answering(b, server.port(), "sensor0", half)
        with b.start("client", "--connect", f"127.0.0.1:{server.port()}", "--name", "host0") as client:
            b.check(server.wait() == 0 and client.wait() == 0, "the run ends in order", server.text())
    b.check(host.orders > 10, "it stays a sensor host", host.orders)
    b.check("given up" not in server.text(), "nobody is given up", server.text())
    b.check(re.search(rf"^{expected}$", server.out.read_text(), re.M), "the run is another one", server.text())


def words(b):
    """What cannot be is said in one line."""
    b.expect(2, None, "--sensor-hosts", "run", SCENARIO, "--sensor-hosts", -1)
    run = b.expect(0, "", "", "run", SCENARIO, "--duration", "0.1s")
    b.check("6 sensors are client_only, and there is no sensor host: they sample where their robots run" in run.stderr, "what runs on main is said", run.stderr)


def free(b):
    """In free mode nothing waits: nodes get what comes, late if it is late; a lost host's sensors go elsewhere."""
    scenario, report = b.folder / "mapping.yaml", b.folder / "free.json"
    scenario.write_text(MAPPING.read_text().replace("sensors: {} ", "sensors: {types: [{type: scan, distribution: client_only}]} "))
    command = ("launch", scenario, "--mode", "free", "--duration", "6s", "--report", report)

    def said(*more):
        run = b.expect(0, "", "", *command, *more)
        return json.loads(report.read_text()), run

    far, _ = said()
    b.check(far["remote_samples"] == 0 and far["totals"]["distance_m"] > 0.3, "it follows the walls by its own scans", far)
    there, run = said("--sensor-hosts", 2)
    b.check(10 <= there["remote_samples"] <= 31, "a sensor host takes its scans", there)
    b.check(there["totals"]["distance_m"] > 0.3, "it follows the walls by those", there["totals"], run.stderr)
    slow, run = said("--sensor-hosts", 1, "--slow-ms", 450)
    b.check(slow["late_samples"] >= 3 and slow["skipped_samples"] >= 5 and 2 <= slow["remote_samples"] <= 13, "late scans are counted", slow)
    b.check(re.search(r"sensor hosts +1, \d+ samples, \d+ late, \d+ skipped", run.stdout + run.stderr), "the report says so", run.stdout, run.stderr)

    with b.start(*command, "--sensor-hosts", 2, "--log-level", "debug") as run:
        run.wait_for("all hosts are ready: the run begins")
        time.sleep(1.5)
        os.kill(min(sensor_processes(run)), signal.SIGKILL)
        code = run.wait()
        b.check(code == 0, "a sensor host is killed in free mode: the run ends in order", run.text())
        b.check(re.search(r"the sensor host sensor\d is gone: its \d sensors sample elsewhere from now on", run.text()), "it is said", run.text())
    lost_one = json.loads(report.read_text())
    b.check(lost_one["lost_sensor_hosts"] == 1 and lost_one["lost_hosts"] == [] and lost_one["remote_samples"] >= 5, "it is counted", lost_one)


SEEING = """\
convoy: 1
name: seeing
time: {tick: 10ms, duration: 2s}
digest: [state, sensors]
world: {ground: {size: [10, 8], walls: {thickness: 0.2, height: 1}}}
sensors: {types: [{type: points, distribution: client_only}, {type: camera, distribution: client_only}]}
robots:
  - {name: scan, model: turtlebot3_waffle, driver: random_walk, placement: {poses: [[-2, 0, 0]]}, sensors: [{type: points, rings: 4, rate: 10}]}
  - {name: look, model: turtlebot3_waffle, driver: random_walk, placement: {poses: [[2, 0, 3]]},
     sensors: [{type: camera, name: front, at: [0.1, 0, 0.2], rate: 5, width: 80, height: 60}]}
"""


def camera(b):
    """A camera on one of two sensor hosts: its robot's host draws nothing, its pictures are the same, and it is told there."""
    scenario = b.folder / "seeing.yaml"
    scenario.write_text(SEEING)
    expected = digest_of(b.expect(0, "digest", "", "run", scenario))
    report = b.folder / "seeing.json"
    seen = digest_of(b.expect(0, "digest", "", "launch", scenario, "--speed", "max", "--sensor-hosts", 2, "--report", report))
    b.check(seen == expected, "a camera on a sensor host sees something else", seen, expected)
    said = json.loads(report.read_text())
    # 20 clouds and 10 pictures are due; those of the last ticks are still under way, or delivered.
    b.check(27 <= said["remote_samples"] <= 30 and said["lost_sensor_hosts"] == 0, "all are computed elsewhere", said["remote_samples"])
    with b.start("server", scenario, "--listen", "127.0.0.1:0", "--hosts", 1, "--sensor-hosts", 2, "--paused") as server:
        at = f"127.0.0.1:{server.port()}"
        ctl = ("ctl", "--connect", at, "--wait", 20, "--json")
        with contextlib.ExitStack() as stack:
            for name in ("host0", "sensor0", "sensor1"):
                process = stack.enter_context(b.start("client" if name == "host0" else "sensor-host", "--connect", at, "--name", name))
                process.wait_for(f"joined as {name}")
            server.wait_for("all hosts are ready")
            b.expect(0, "", "", *ctl, "step", 2)
            told = json.loads(b.expect(0, "", "", *ctl, "placement").stdout)["data"]
            places = {one["sensor"]: one["runs_on"] for one in told["sensors"]}
            # The one that has its world first is the first of equals.
            b.check(set(places) == {"points", "front"} and sorted(places.values()) == ["sensor0", "sensor1"], "where they are", places)
            changed = json.loads(b.expect(0, "", "", *ctl, "sensor", "look", "front", "--set", "rate=2").stdout)
            b.check(changed["data"] == {"runs_on": places["front"]}, "who answers", changed)
            b.expect(0, "", "", *ctl, "stop")


UNEVEN = """\
convoy: 1
name: uneven
time: {tick: 10ms}
digest: [state, sensors]
world: {ground: {size: [20, 20], walls: {thickness: 0.2, height: 2}}}
sensors: {policy: measured, types: [{type: points, distribution: client_only, load: 0.5}]}
robots:
"""


def measured(b):
    """Sensors that are declared alike and are not move until the machines have alike to do; the bytes stay."""
    scenario = b.folder / "uneven.yaml"
    robot = "  - {{name: r{0}, model: turtlebot3_waffle, placement: {{poses: [[{0}, 0, 0]]}}, sensors: [{{type: points, rate: 20, rings: {1}, columns: 900}}]}}\n"
    scenario.write_text(UNEVEN + "".join(robot.format(i, 32 if i % 2 == 0 else 1) for i in range(4)))
    expected = digest_of(b.expect(0, "digest", "", "run", scenario, "--duration", "10s", "--sensor-hosts", 2))
    b.check(digest_of(b.expect(0, "digest", "", "run", scenario, "--duration", "10s")) == expected, "sensor hosts change the digest")
    with b.start("server", scenario, "--duration", "10s", "--listen", "127.0.0.1:0", "--hosts", 1, "--sensor-hosts", 2, "--speed", 1, "--paused") as server:
        at = f"127.0.0.1:{server.port()}"
        with contextlib.ExitStack() as stack:
            stack.enter_context(b.start("client", "--connect", at, "--name", "host0"))
            for i in range(2):
                stack.enter_context(b.start("sensor-host", "--connect", at, "--name", f"sensor{i}"))
            server.wait_for("all hosts are ready")

            def told():
                return json.loads(b.expect(0, "", "", "ctl", "--connect", at, "--wait", 20, "--json", "placement").stdout)["data"]

            ctl = ("ctl", "--connect", at, "--wait", 20)
            b.expect(0, "", "", *ctl, "step", 2)
            begun = {one["robot"]: one["runs_on"] for one in told()["sensors"]}
            b.expect(0, "", "", *ctl, "resume")
            b.check(begun in ({"r0": "sensor0", "r1": "sensor1", "r2": "sensor0", "r3": "sensor1"},
                              {"r0": "sensor1", "r1": "sensor0", "r2": "sensor1", "r3": "sensor0"}), "it begins by the loads", begun)
            moved = None
            while not moved:
                now = told()
                runs_on = {one["robot"]: one["runs_on"] for one in now["sensors"]}
                moved = runs_on["r0"] != runs_on["r2"] and now
                time.sleep(0.2)
            why = [one["why"] for one in moved["sensors"] if one["why"].startswith("moved: ")]
            b.check(len(why) >= 1 and re.match(r"moved: of a second of the run sensor\d had [\d.]+ ms of work, and where it was [\d.]+ ms", why[0]), "why", moved)
            b.check(set(moved["work_ms"]) == {"host0", "sensor0", "sensor1"} and all(one["work_ms"] > 0 for one in moved["sensors"]), "what was measured", moved)
            code = server.wait()
        b.check(code == 0 and re.search(rf"^{expected}$", server.out.read_text(), re.M), "the run is another one", server.text())


def told(b):
    """Who changes a sensor is answered by the machine where it samples."""
    with b.start("server", SCENARIO, "--listen", "127.0.0.1:0", "--hosts", 1, "--sensor-hosts", 1, "--paused") as server:
        at = f"127.0.0.1:{server.port()}"
        ctl = ("ctl", "--connect", at, "--wait", 20, "--json")

        def change(sensor, field):
            b.expect(0, "", "", *ctl, "step", 2)
            r = b.call(*ctl, "sensor", "car_0", sensor, "--set", field)
            return json.loads(r.stdout)

        with b.start("client", "--connect", at, "--name", "host0"), b.start("sensor-host", "--connect", at, "--name", "sensor0") as there:
            server.wait_for("all hosts are ready")
            b.expect(0, "", "", *ctl, "step", 2)
            answer = change("points", "rate=5")
            b.check(answer["data"] == {"runs_on": "sensor0"}, "a lidar on the sensor host", answer)
            answer = change("fix", "horizontal=2")
            b.check(answer["data"] == {"runs_on": "host0"}, "a GPS on its robot's host", answer)
            os.kill(there.popen.pid, signal.SIGSTOP)
            asked = threading.Thread(target=change, args=("points", "rate=4"))  # waits for who does not answer, and goes on without
            asked.start()
            time.sleep(0.5)
            os.kill(there.popen.pid, signal.SIGKILL)
            there.wait()
            asked.join(30)
            b.check(not asked.is_alive(), "a sensor host that is gone keeps nobody waiting", server.text())
            answer = change("points", "rate=3")
            b.check(answer["data"] == {"runs_on": "host0"}, "its sensors are its robots' hosts'", answer)
            b.expect(0, "", "", *ctl, "stop")


PARTS = {"digests": digests, "lost": lost, "placed": placed, "replayed": replayed, "straight": straight, "by_server": by_server, "rogue": rogue, "given_up": given_up,
         "doors": doors, "broken": broken, "words": words, "free": free, "told": told, "measured": measured, "camera": camera}


def main():
    with new_bench(sys.argv[1], patience=180) as b:
        b.run(PARTS, sys.argv[2:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
