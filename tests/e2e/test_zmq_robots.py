#!/usr/bin/env python3
"""ZeroMQ streams and robots, from the outside: gains by name, the info of many robots, physics steps in free mode,
samples of sensors.

    .env/python/bin/python tests/e2e/test_zmq_robots.py CONVOY [PART...]

Prints one line per check that fails and exits 1 if there is any.
"""
import json
import math
import struct
import sys
import time

import msgpack
from harness import free_block, last_line, new_bench
from test_zmq import Peer, joint, scenario
from zmq import SUBSCRIBE


def gains(b):
    """Gains by actuator or joint: what names neither of the robot changes nothing, and is counted."""
    port, report = free_block(100), b.folder / "gains.json"
    with b.start("launch", scenario(b, port), "--paused", "--report", report) as run:
        at = f"127.0.0.1:{run.port()}"
        run.wait_for("the run begins")
        peer = Peer(port)
        seen = peer.listen(0, b"eye/actions")

        def shown():
            """The controller's parameters, once all that was sent before has acted."""
            keys = shown.keys = shown.keys + 1
            peer.call(op="set_actions", articulation="eye", actions=keys)
            b.expect(0, "waits at tick", None, "ctl", "--connect", at, "step", 1)
            peer.until(lambda: struct.unpack("<i", seen.recv_multipart()[1]) == (keys,))
            text = b.call("param", "--connect", at, "list", "/eye/controller").stdout
            return dict(line.split(" ", 1)[1].split(": ") for line in text.splitlines())

        shown.keys = 0
        peer.until(lambda: shown()["mode"] == "pd",
                   lambda: (peer.control.send_multipart([b"eye/set_gains ", b'{"turn": {}}']), time.sleep(0.05)))
        time.sleep(0.3), shown()
        b.expect(0, "reset", None, "ctl", "--connect", at, "reset", "eye")
        b.check(shown()["mode"] == "raw", "the mode after a reset")
        sent = 0
        for text in ('{"nothing": {"kp": 1}}', '{"arm": {}, "eye_nothing": {}}', "{}"):
            peer.control.send_multipart([b"eye/set_gains ", text.encode()])
            sent += text.count(": {")
        time.sleep(0.3)
        b.check(shown()["mode"] == "raw", "names that the robot does not have switch PD on", shown())
        peer.control.send_multipart([b"eye/set_gains ", b'{"eye_neck": {"kp": 3, "kv": 0.5}, "turn": {"kp": 7}, "toe": {"kp": 1}}'])
        time.sleep(0.3)
        found = {name: value for name, value in shown().items() if name.startswith("turn.") or name == "mode"}
        b.check(found == {"mode": "pd", "turn.kp": "7", "turn.kv": "0.5", "turn.torque_limit": "200"}, "gains by joint and actuator", found)
        reply = peer.call(op="set_gains", articulation="eye", gains={"neck": {"torque_limit": 9}})
        b.check(reply == {"op": "set_gains_ok"} and shown()["turn.torque_limit"] == "9", "gains by joint, as a call", reply)
        b.expect(0, "the run ends", None, "ctl", "--connect", at, "stop")
        b.check(run.wait() == 0, "the run did not end in order", run.text())
        peer.close()
    drops = json.loads(report.read_text())["drops"]
    b.check(drops.get("zmq_unknown_actuator") == sent + 1, "unknown names are counted", drops)


def crowd(b):
    """Programs that read 20 messages of info, each by a connection of its own, see all robots of many in turn."""
    port = free_block(100)
    file = scenario(b, port)
    file.write_text(file.read_text().split("robots:")[0].replace("size: [6, 5]", "size: [40, 40]") +
                    "robots:\n  - {name: r, count: 65, model: turtlebot3_waffle}\n")
    with b.start("run", file):
        peer, told, readings = Peer(port), set(), 0
        while len(told) < 65 and readings < 12:
            info = peer.listen(2)
            told |= {json.loads(info.recv())["robot"] for _ in range(20)}
            info.close()
            readings += 1
        b.check(len(told) == 65, f"{readings} readings of 20 messages show {len(told)} of 65 robots")
        peer.close()


def steps(b):
    """In free mode states come and controls act at each physics step, however long the tick is."""
    port = free_block(100)
    file = scenario(b, port)
    file.write_text(file.read_text().replace("tick: 2ms", "tick: 1s"))
    with b.start("run", file, "--mode", "free") as run:
        peer = Peer(port)
        elbow, way = peer.listen(0, b"arm/joint/joint_1"), []

        def moved():
            way.append(joint(elbow)[1])
            return abs(way[-1] - 0.5) < 0.02

        b.check(peer.until(moved, lambda: peer.send(b"arm/control ", (0, 0.5))), "a control does not move the joint", way[-5:])
        between = {value for value in way if 0.02 < value < 0.48}
        b.check(len(between) > 10, "the joint is not seen on its way within a tick", sorted(between))
        b.check("once a tick" not in run.text(), "a warning of ticks", run.text())
        peer.close()


SENSORS = """
convoy: 1
name: samples
time: {{tick: 10ms, duration: 1s, speed: {speed}}}
world: {{ground: {{size: [6, 4], walls: {{thickness: 0.2, height: 1}}}}}}
zmq: {{port: {port}}}
robots:
  - name: burger
    model: turtlebot3_burger
    placement: {{poses: [[2.4, 0]]}}
    sensors: [{{type: scan, beams: 36, rate: 20}}, {{type: imu, rate: 50}}, joint_states]
  - {{name: other, model: turtlebot3_burger, sensors: [scan]}}
"""


def heard(b, mode, prefix):
    """A run with that subscription: its samples, and the last line that it prints. `prefix` None: nobody subscribes."""
    port, report = free_block(20), b.folder / "samples.json"
    file = b.folder / f"samples_{port}.yaml"
    file.write_text(SENSORS.format(port=port, speed=1 if mode == "free" else "max"))
    found = []
    with b.start("launch", file, "--mode", mode, "--paused", "--report", report) as run:
        run.wait_for("the run begins")
        peer = Peer(port)
        states = None
        if prefix is not None:
            states = peer.listen(0, prefix)
            states.setsockopt(SUBSCRIBE, b"other/joint/")  # comes while the run waits: then the client knows of both
            peer.until(lambda: states.recv_multipart()[0].startswith(b"other/joint/"))
        peer.call(op="set_paused", paused=False)
        while run.popen.poll() is None or (states and states.poll(200)):
            if states and states.poll(50):
                topic, payload = states.recv_multipart()
                if b"/sample/" in topic:
                    found.append((topic.decode(), msgpack.unpackb(payload)))
        b.check(run.wait() == 0, "the run did not end in order", run.text())
        peer.close()
        return found, last_line(run.out.read_text()), json.loads(report.read_text())


def samples(b):
    """Who subscribes to a sensor gets its samples, each once, and nobody else's; the digest does not know it."""
    none, digest, report = heard(b, "lockstep", None)
    sent = [one["gateway"]["zmq_published"] for one in report["processes"] if one["gateway"]]
    b.check(none == [] and sent == [0], "what nobody subscribes to", sent)
    scans, same, _ = heard(b, "lockstep", b"burger/sample/scan")
    b.check(digest.startswith("digest ") and digest == same, "a subscription changes the digest", digest, same)
    b.check({topic for topic, _ in scans} == {"burger/sample/scan"}, "other samples come", {topic for topic, _ in scans})
    scans = [one for _, one in scans]
    b.check([one["index"] for one in scans] == list(range(20)), "numbers of scans", [one["index"] for one in scans])
    b.check([one["stamp_ns"] for one in scans] == [50_000_000 * i for i in range(20)], "their stamps")
    ranges = scans[-1]["data"]["ranges"]
    b.check(len(ranges) == 36 and abs(ranges[0] - (3 - 2.4 + 0.032)) < 0.05 and ranges[18] == math.inf, "a scan", ranges)
    b.check(all(one["type"] == "scan" for one in scans), "the type", scans[0]["type"])
    every, same, _ = heard(b, "lockstep", b"burger/sample/")
    counts = {kind: sum(topic == f"burger/sample/{kind}" for topic, _ in every) for kind in ("scan", "imu", "joint_states")}
    b.check(digest == same and counts["scan"] == 20 and counts["imu"] == 50 and counts["joint_states"] > 10, "all sensors", counts)
    scans = [one for _, one in heard(b, "free", b"burger/sample/scan")[0]]
    b.check(len(scans) >= 18 and [one["index"] for one in scans] == list(range(len(scans))), "scans in free mode", len(scans))


def main():
    with new_bench(sys.argv[1]) as b:
        b.run({"gains": gains, "crowd": crowd, "steps": steps, "samples": samples}, sys.argv[2:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
