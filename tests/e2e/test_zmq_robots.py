#!/usr/bin/env python3
"""ZeroMQ streams and robots, from the outside: gains by name, the info of many robots, physics steps in free mode.

    .env/python/bin/python tests/e2e/test_zmq_robots.py CONVOY [PART...]

Prints one line per check that fails and exits 1 if there is any.
"""
import json
import struct
import sys
import time

from harness import free_block, new_bench
from test_zmq import Peer, joint, scenario


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


def main():
    with new_bench(sys.argv[1]) as b:
        b.run({"gains": gains, "crowd": crowd, "steps": steps}, sys.argv[2:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
