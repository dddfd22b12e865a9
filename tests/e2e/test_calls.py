#!/usr/bin/env python3
"""Calls over port 5559 from the outside, with pyzmq and msgpack: stepping, leases, resets, states, and replays.

    .env/python/bin/python tests/e2e/test_calls.py CONVOY [PART...]

Prints one line per check that fails and exits 1 if there is any.
"""
import json
import math
import os
import random
import signal
import struct
import subprocess
import sys
import time

import msgpack
import zmq
from harness import free_block, new_bench

SCENARIO = """
convoy: 1
name: calls
seed: 3
time: {{tick: 10ms, duration: 3600s}}
hosts: {hosts}
world: {{ground: {{size: [8, 8]}}}}
zmq: {{port: {port}, {more}}}
robots:
  - {{name: burger, count: 4, model: turtlebot3_burger.xml, placement: {{grid: {{spacing: [2, 2], origin: [-1, -1]}}}}}}
  - {{name: walker, model: turtlebot3_waffle, placement: {{poses: [[2, -3]]}}, driver: random_walk}}
"""


class Program:
    """A program of a user's with one socket to one client."""

    def __init__(self, port, as_json=False):
        self.socket = zmq.Context.instance().socket(zmq.REQ)
        self.socket.setsockopt(zmq.RCVTIMEO, 120000)  # long: three programs, a server and two clients share what processors there are
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.connect(f"tcp://127.0.0.1:{port}")
        self.session, self.as_json = None, as_json

    def send(self, op, **fields):
        fields["op"] = op
        if self.session:
            fields.setdefault("session_id", self.session)
        self.socket.send(json.dumps(fields).encode() if self.as_json else msgpack.packb(fields))

    def take(self):
        reply = self.socket.recv()
        return json.loads(reply) if self.as_json else msgpack.unpackb(reply)

    def __call__(self, op, **fields):
        self.send(op, **fields)
        return self.take()

    def begin(self, **fields):
        self.hello = self("hello", **fields)
        self.session = self.hello["session_id"]
        self.robots = [a["name"] for a in self.hello["articulations"]]
        return self


class Simulator:
    """convoy run or launch with a scenario, until the block ends; `digest` and `code` are there then."""

    def __init__(self, bench, hosts, *more, command="run", zmq_fields="", robots=""):
        self.port = free_block(20 * hosts + 20)
        scenario = bench.folder / "calls.yaml"
        text = SCENARIO.format(hosts=hosts, port=self.port, more=zmq_fields.format(second=self.port + 20))
        scenario.write_text(text + robots.lstrip("\n"))
        self.argv = [bench.convoy, command, str(scenario), *more]

    def __enter__(self):
        self.process = subprocess.Popen(self.argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        first = Program(self.port + 4)
        end = time.monotonic() + 60
        while first("hello").get("code") == "not_ready":
            assert time.monotonic() < end, "the run does not begin"
            time.sleep(0.05)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        out, self.log = self.process.communicate(timeout=60)
        self.digest = [line.split()[1] for line in out.splitlines() if line.startswith("digest")]

    def programs(self, **fields):
        """One for each client, in stepped mode."""
        first = Program(self.port + 4).begin(timeout=60, **fields)
        all_of = [first] + [Program(int(e["calls"].rsplit(":", 1)[1])).begin(timeout=60, **fields) for e in first.hello["endpoints"][1:]]
        for one in all_of:
            one("set_mode", mode="stepped")
        return all_of


def together(programs, op, **fields):
    """The same call to all, and their robots' observations."""
    for one in programs:
        one.send(op, **{k: v(one) if callable(v) else v for k, v in fields.items()})
    replies = [one.take() for one in programs]
    for reply in replies:
        assert reply["op"] == op + "_ok", reply
    return replies, {n: o for reply in replies for n, o in reply.get("per_articulation", {}).items()}


def controls(i):
    """The command of each burger in step i; of the robots that a program sees."""
    def one(program):
        return {n: {"ctrl": [3 * math.sin(i + k), 2 * math.cos(0.3 * i + k)]}
                for n in program.robots if n.startswith("burger") for k in [int(n[-1])]}
    return one


def drive(simulator):
    """One sequence of steps, resets and states, on as many clients as there are; all that was observed."""
    programs = simulator.programs()
    replies, _ = programs[0]("reset", observations="none"), None
    assert replies["op"] == "reset_ok" and replies["run"] == 1 and replies["tick"] == 0, replies
    for one in programs[1:]:  # a step that comes before its client has heard of the reset is of the run before
        while one("get_state", articulation=next(iter(one.robots)))["run"] != 1:
            time.sleep(0.01)
    seen = []
    for i in range(30):
        seen.append(together(programs, "step", ticks=2, per_articulation=controls(i), observations="full")[1])
    owner = next(p for p in programs if "burger_1" in p.robots)
    owner("reset", articulations=["burger_1"])
    owner("set_state", articulation="burger_1", qpos=[3, 3, 0.01, 1, 0, 0, 0])
    kept = owner("get_state", articulation="burger_1")["per_articulation"]["burger_1"]["state"]
    for i in range(10):
        seen.append(together(programs, "step", ticks=1, per_articulation=controls(i), observations="full")[1])
    owner("set_state", articulation="burger_1", state=kept)
    for i in range(10):
        seen.append(together(programs, "step", ticks=1, per_articulation=controls(i), observations="full")[1])
    last = together(programs, "step", ticks=1, reset_after=lambda p: {n: {} for n in p.robots if n == "burger_2"})[0]
    assert {r["tick"] for r in last} == {81}, last
    simulator.seen = seen
    return seen


def same_on_any_hosts(bench):
    runs, digests = {}, {}
    for name, hosts, command in (("1", 1, "run"), ("2", 2, "run"), ("4", 4, "run"), ("launch 2", 2, "launch")):
        recording = bench.folder / "calls.mcap"
        more = ["--record", str(recording)] if name == "2" else []
        with Simulator(bench, hosts, *more, command=command) as simulator:
            runs[name] = drive(simulator)
        digests[name] = simulator.digest
        if name == "2":
            verified = subprocess.run([bench.convoy, "replay", "--verify", str(recording)], capture_output=True, text=True, timeout=300)
            bench.check(verified.returncode == 0 and "equal" in verified.stderr,
                        f"a recorded run of steps replays to the same digests: {verified.stderr.strip().splitlines()[-1:]}")
    for name, seen in runs.items():
        bench.check(seen == runs["1"], f"on hosts {name} all is observed that is on one")
        bench.check(digests[name] == digests["1"] and len(digests[name]) == 1, f"on hosts {name} the digest is that of one", digests)
    first, again = runs["1"][30:40], runs["1"][40:50]
    bench.check([s["burger_1"] for s in first] == [s["burger_1"] for s in again], "a state that was put back goes on to the bit")
    bench.check(first[0]["burger_1"] != first[9]["burger_1"], "and it moves")


# What two programs do to two robots while the world rests, and each its reply.
EDITS = {
    "burger_0": [("reset", {"articulations": ["burger_0"], "observations": "none"}),
                 ("set_state", {"articulation": "burger_0", "qpos": [1, 1, 0.01, 1, 0, 0, 0]})],
    "burger_1": [("reset", {"articulations": ["burger_1"], "per_articulation_qpos": {"burger_1": [1.3, 1, 0.01, 1, 0, 0, 0]},
                            "observations": "none"}),
                 ("set_state", {"articulation": "burger_1", "qvel": [0.1, 0, 0, 0, 0, 0.2]})],
}


def edit_at_rest(simulator, first, in_turn):
    """Steps, edits of two programs at one boundary with `first` sent first, more steps; all that was observed."""
    programs = simulator.programs()
    editors = {name: next(p for p in programs if name in p.robots) for name in EDITS}
    if len(programs) == 1:
        editors["burger_1"] = Program(simulator.port + 4).begin(timeout=60)
    programs[0]("reset", observations="none")
    seen = [together(programs, "step", ticks=2, per_articulation=controls(i), observations="full")[1] for i in range(10)]
    order = sorted(EDITS, key=lambda name: name != first)
    ticks = set()
    for i in range(2):
        for name in order:
            op, fields = EDITS[name][i]
            editors[name].send(op, **fields)
            if in_turn:
                ticks.add(editors[name].take()["tick"])
        for name in order if not in_turn else []:
            ticks.add(editors[name].take()["tick"])
    assert ticks == {20}, ticks
    return seen + [together(programs, "step", ticks=2, per_articulation=controls(i), observations="full")[1] for i in range(40)]


def edits_in_any_order(bench):
    runs = {}
    for hosts in (1, 2):
        for first in EDITS:
            for in_turn in (True, False):
                with Simulator(bench, hosts) as simulator:
                    seen = edit_at_rest(simulator, first, in_turn)
                runs[f"hosts {hosts}, {first} first, {'in turn' if in_turn else 'at once'}"] = seen, simulator.digest
    (wanted_name, wanted), *others = runs.items()
    for name, got in others:
        bench.check(got[0] == wanted[0], f"edits of two robots do not depend on their order: {name} as {wanted_name}")
        bench.check(got[1] == wanted[1], f"and neither does the digest: {name} as {wanted_name}", got[1], wanted[1])
    bench.check(wanted[0][9]["burger_0"]["qpos"] != wanted[0][10]["burger_0"]["qpos"], "the edits were made")


GAINED = """
  - {name: eye, model: eye.xml, placement: {poses: [[-3, 3]]}, controller: {kind: pd, kv: 0.02, gains: [{actuator: turn, kp: 0.5}]}}
"""

# A ball with a joint and a motor.
EYE = """<mujoco><worldbody><body name="ball" pos="0 0 0.2"><freejoint name="float"/><geom size="0.1"/>
<body pos="0 0 0.2"><joint name="neck" axis="0 0 1"/><geom size="0.05"/></body></body></worldbody>
<actuator><motor name="turn" joint="neck" ctrllimited="true" ctrlrange="-1 1"/></actuator></mujoco>"""


def gains(bench):
    """Of a robot's gains those that are named change, from the next tick on; and a lease keeps them."""
    (bench.folder / "eye.xml").write_text(EYE)
    with Simulator(bench, 1, robots=GAINED) as simulator:
        one, two = simulator.programs()[0], Program(simulator.port + 4).begin(timeout=60)
        neck = next(j["qposadr"] for a in one.hello["articulations"] if a["name"] == "eye" for j in a["joints"] if j["name"] == "neck")

        def settled(**wanted):
            reply = one("set_gains", articulation="eye", gains={"turn": wanted}) if wanted else {"op": "set_gains_ok"}
            bench.check(reply == {"op": "set_gains_ok"}, "set_gains", reply)
            _, seen = together([one], "step", ticks=300, per_articulation={"eye": {"ctrl": [0.5]}})
            return seen["eye"]["qpos"][neck]

        bench.check(abs(settled() - 0.5) < 0.02, "the scenario's gains bring the joint to its target")
        bench.check(abs(settled(kv=0.03) - 0.5) < 0.02, "kp is still what it was, with another kv")
        one("reset", articulations=["eye"])
        still = settled(torque_limit=0)
        bench.check(abs(still) < 0.05, "without torque it does not move, whatever kp", still)
        for wrong, code in (({"turnip": {"kp": 1}}, "bad_value"), ({"turn": {"kp": -1}}, "bad_value"), ({"turn": {"ki": 1}}, "bad_value")):
            bench.check(one("set_gains", articulation="eye", gains=wrong).get("code") == code, f"gains {wrong}")
        bench.check(one("set_gains", articulation="nobody", gains={}).get("code") == "unknown_articulation", "gains of nobody")
        two("lease", articulations=["eye"])
        bench.check(one("set_gains", articulation="eye", gains={"turn": {"kp": 1}}).get("code") == "leased", "gains of a leased robot")


def leases_and_losses(bench):
    with Simulator(bench, 1) as simulator:
        one, two = simulator.programs()[0], Program(simulator.port + 4).begin(timeout=60)
        one("lease", articulations=["burger_0"])
        bench.check(two("lease", articulations=["burger_0"]).get("code") == "leased", "a lease is refused to the second")
        bench.check(two("step", per_articulation={"burger_0": {"ctrl": [1, 1]}}).get("code") == "leased", "and so are its commands")
        tick = one("status")["tick"]
        time.sleep(0.3)
        bench.check(one("status")["tick"] == tick, "the world stands while nobody steps")

        dying = Program(simulator.port + 4).begin(timeout=1)
        dying("set_mode", mode="stepped")
        one.send("step", ticks=5)
        bench.check(one.socket.poll(300) == 0, "a session that does not step holds the world")
        bench.check(one.take()["tick"] == tick + 5, "until it is over")
        bench.check(dying("step").get("code") == "session_expired", "and its name with it")

        one("set_paused", paused=True)
        bench.check(one("step", ticks=5).get("code") == "paused", "a paused run is not stepped")
        one("set_paused", paused=False)
        bench.check(one("step", ticks=5)["tick"] == tick + 10, "and goes on from where it stood")

        nan = one("set_state", articulation="burger_0", qpos=[float("nan")] * 9)
        bench.check(nan.get("code") == "bad_value", "a position that is no number is refused")
        bench.check(one("step", n_steps=3).get("code") == "bad_value", "a part of a tick is refused")
        text = Program(simulator.port + 4, as_json=True)
        bench.check(text("get_state", articulation="burger_0")["per_articulation"]["burger_0"]["qpos"] ==
                    one("get_state", articulation="burger_0")["per_articulation"]["burger_0"]["qpos"], "JSON shows what msgpack does")
        junk(bench, simulator.port + 4)
        one("bye")
        bench.check(two("status")["mode"] == "live", "after bye the world goes on by itself")


def junk(bench, port):
    stranger = Program(port)
    chance = random.Random(1)
    for _ in range(300):
        stranger.socket.send(bytes(chance.randrange(256) for _ in range(chance.randrange(1, 60))))
        bench.check(stranger.take().get("op") == "error", "bytes that are no request are answered")
    stranger.socket.send(b"\x91" * 900_000)
    bench.check(stranger.take().get("code") == "bad_encoding", "lists in lists in lists are no request")


def bounds(bench):
    """What is too large gets an answer, or ends its own connection; one connection does not take all sessions."""
    with Simulator(bench, 1) as simulator:
        one, greedy = simulator.programs()[0], Program(simulator.port + 4)
        for size in ((1 << 20) + 1, 3 << 20):
            greedy.socket.send(bytes(size))
            bench.check(greedy.take().get("code") == "too_large", "a request above the bound is answered", size)
        replies = [greedy("hello", timeout=3600) for _ in range(101)]
        bench.check([r.get("code") for r in replies] == [None] * 100 + ["too_many_sessions"], "a connection has 100 sessions", replies[-1])
        bench.check("session_id" in Program(simulator.port + 4)("hello"), "others have theirs")
        bench.check(greedy("hello", timeout=3601).get("code") == "bad_value", "a session ends within the hour")
        huge = Program(simulator.port + 4)
        huge.socket.setsockopt(zmq.RCVTIMEO, 500)
        huge.socket.send(bytes(5 << 20))
        try:
            bench.check(huge.take() is None, "what is far above it is not answered")
        except zmq.Again:
            pass
        listener = zmq.Context.instance().socket(zmq.SUB)
        monitor = listener.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        listener.connect(f"tcp://127.0.0.1:{simulator.port}")
        for _ in range(200):
            listener.setsockopt(zmq.SUBSCRIBE, os.urandom(60_000))
        bench.check(monitor.poll(20000), "who subscribes to 60 kB is cut off")
        listener.disable_monitor()
        listener.close(linger=0)
        bench.check(one("step", ticks=3)["tick"] > 0, "the world goes on")
        one("bye")


def packed(bench):
    with Simulator(bench, 1) as simulator:
        one = simulator.programs()[0]
        layout = one("lease", articulations=["burger_3", "burger_0"])["layout"]
        nu = sum(robot["nu"] for robot in layout)
        reply = one("step", n_steps=5, ctrl=struct.pack(f"<{nu}d", *[1.0] * nu), observations="minimal")
        row = struct.unpack(f"<{len(reply['obs']) // 8}d", reply["obs"])
        names = one("get_state", observations="minimal")["per_articulation"]
        bench.check(list(row) == [x for r in layout for x in names[r["name"]]["qpos"] + names[r["name"]]["qvel"]],
                    "packed observations are the robots' in the order of the leases")


def two_blocks(bench):
    with Simulator(bench, 1, zmq_fields="wire_profile: both, urlab01_port: {second}") as simulator:
        one, two = simulator.programs()[0], Program(simulator.port + 24).begin(timeout=60)
        tick = one("step", ticks=1)["tick"]
        bench.check(two("set_mode", mode="stepped")["tick"] == tick, "who steps at a client's second block rests with the first")
        one.send("step", ticks=4)
        bench.check(one.socket.poll(300) == 0, "each holds the world")
        bench.check(two("step", ticks=4)["tick"] == one.take()["tick"] == tick + 4, "and both let it go")


def main():
    parts = {"same": same_on_any_hosts, "order": edits_in_any_order, "gains": gains, "leases": leases_and_losses, "packed": packed, "bounds": bounds, "blocks": two_blocks}
    with new_bench(sys.argv[1]) as b:
        b.run(parts, sys.argv[2:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
