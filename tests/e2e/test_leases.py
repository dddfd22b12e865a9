#!/usr/bin/env python3
"""Leases from the outside: over ZeroMQ, by ctl, and in a recording.

    .env/python/bin/python tests/e2e/test_leases.py CONVOY [PART...]

Prints one line per check that fails and exits 1 if there is any.
"""
import json
import struct
import sys

from harness import free_block, new_bench
from test_zmq import Peer, scenario


def doors(b):
    """Who has leased a robot by one door has it against all doors, until it says so, is silent, or it is broken; replayed."""
    port, recording, report = free_block(100), b.folder / "leases.mcap", b.folder / "leases.json"
    with b.start("launch", scenario(b, port, hosts=2), "--paused", "--record", recording, "--report", report) as run:
        at = f"127.0.0.1:{run.port()}"
        run.wait_for("the run begins")

        def ctl(code, out, err, *arguments):
            return b.expect(code, out, err, "ctl", "--connect", at, *arguments)

        left, right = Peer(port), Peer(port + 20)  # arm and walker; burger and eye
        twist = {name: peer.listen(0, name.encode() + b"/twist") for peer, name in ((right, "burger"), (left, "walker"))}
        for one in twist.values():
            left.until(lambda one=one: one.poll(100))

        def shown(name):
            (payload,) = right.newest(twist[name], 0.3)[0].values()
            return round(struct.unpack("<fff", payload)[0], 3)

        drive = dict(op="set_twist", articulation="burger", linear=[0.05, 0, 0], angular=[0, 0, 0])
        planner = right.call(op="hello", name="planner", timeout=600)
        b.check(planner["holder"] == "planner", "a session holds by its name", planner)
        taken = right.call(op="lease", session_id=planner["session_id"], articulations=["burger"])
        b.check(taken["articulations"] == ["burger"], "the lease is taken", taken)
        leased = "'planner' has leased 'burger'"
        ctl(1, "", leased, "drive", "burger", "--forward", "0.1")
        ctl(1, "", leased, "set", "burger", "--pose", "1,1")
        ctl(0, r"^lease +planner$", None, "get", "burger")
        b.check(right.call(**drive)["code"] == "leased", "a call without a session")
        other = right.call(op="hello", timeout=600)
        b.check(right.call(**drive, session_id=other["session_id"])["code"] == "leased", "another session's call")
        b.check(right.call(op="lease", session_id=other["session_id"], articulations=["burger"])["code"] == "leased", "another's lease")
        right.send(b"burger/twist ", (0, 0.2))  # a stream carries nobody's name
        ctl(0, "commanded", None, "drive", "burger", "--forward", "0.1", "--as", "planner")
        ctl(0, "waits at tick", None, "step", "2")
        b.check(shown("burger") == 0.1, "the holder's command by another door", shown("burger"))
        b.check(right.call(**drive, session_id=planner["session_id"])["op"] == "set_twist_ok", "the holder's own command")
        ctl(0, "waits at tick", None, "step", "2")
        b.check(shown("burger") == 0.05, "is obeyed", shown("burger"))

        ctl(0, "leased", None, "lease", "walker", "--as", "operator")
        walk = dict(drive, articulation="walker")
        b.check(left.call(**walk)["code"] == "leased", "what ctl has leased binds the other client's calls")
        status = left.call(op="status")
        b.check(status["holders"] == {"burger": "planner", "walker": "operator"}, "who holds what", status)
        ctl(0, "released", None, "release", "walker", "--force")
        b.check(left.call(**walk)["op"] == "set_twist_ok", "a broken lease binds nobody")

        brief = right.call(op="hello", name="brief", timeout=1)
        right.call(op="bye", session_id=planner["session_id"])
        b.check(right.until(lambda: "lease" not in ctl(0, "", None, "get", "burger").stdout), "a lease outlives its session")
        b.check(right.call(op="lease", session_id=brief["session_id"])["articulations"] == ["burger", "eye"], "all of a client's")
        b.check(right.until(lambda: "leases" not in json.loads(ctl(0, "", None, "status", "--json").stdout)["data"]),
                "a silent session keeps its lease")
        ctl(0, "the run ends", None, "stop")
        b.check(run.wait() == 0, "the run did not end in order", run.text())
        left.close(), right.close()
    digest = json.loads(report.read_text())["digest"]
    for hosts in 1, 2:
        b.expect(0, rf"^digest {digest}$", "", "replay", recording, "--hosts", hosts, "--verify")


def main():
    with new_bench(sys.argv[1]) as b:
        b.run({"doors": doors}, sys.argv[2:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
