#!/usr/bin/env python3
"""A server and two robot clients on machines of their own, one of them behind a wire that loses, doubles and reorders.

    tests/e2e/test_cluster.py CONVOY [CASE...]      cases: clean lockstep5 lockstep20 free5 free20 late outage gone; default all

The machines are network namespaces (tests/e2e/machines.py); standard library and iproute2 only. Nothing timed is checked,
and no wait is longer than PATIENCE. Prints one line per check that fails and exits 1 if there is any; exits 77, which
CTest takes for skipped, where the kernel or the user may not make such machines.
"""
import contextlib
import json
import math
import re
import signal
import sys
import time

from harness import SKIPPED, Bench, last_line, new_bench
from machines import MTU, SERVER, TCP, UDP, Cluster, Refused, Rules

PATIENCE = 240  # s, for a whole run; at 20 % loss TCP waits a lot
SEED = 7
TOKEN = "a secret of the cluster"
AT = f"{SERVER}:7447"
TOP_SPEED = 0.26  # m/s, of the fastest model below
SCENARIO = """\
convoy: 1
name: cluster
seed: 11
time: {mode: lockstep, tick: 10ms, duration: 3s}
world: {ground: {size: [16, 16], resolution: 0.1, walls: 0.1}}
liveness: off
leave: freeze
robots:
  - {name: walk, count: 10, model: turtlebot3_burger, driver: random_walk}
  - {name: polite, count: 10, model: turtlebot3_waffle, driver: right_of_way}
"""
# So many that their states fill datagrams to the brim.
CROWD = ("--set", "robots[0].count=60", "--set", "robots[1].count=60")
EXPECTED_DROPS = {
    "replayed",        # came twice
    "stale_stamp",     # was overtaken by something newer
    "wrong_endpoint",  # was sent before the register datagram had got through
    "future_stamp",    # of a host that is ahead: TCP is still bringing it the word that the run is paused
}
BAD = {"lockstep": Rules(twice=0.02, held_back=0.1), "free": Rules(twice=0.05, held_back=0.1)}


def bad(mode, loss):
    rules = BAD[mode]
    return Rules(loss=loss, twice=rules.twice, held_back=rules.held_back)


class Machine(Bench):
    """Runs convoy on one machine of the cluster; counts checks at the bench."""

    def __init__(self, bench, cluster, name):
        self.convoy, self.folder, self.scenario = bench.convoy, bench.folder, bench.scenario
        self.environment = {**bench.environment, "CONVOY_CREDENTIALS": TOKEN, "CONVOY_CONNECT": AT}
        self.command = [*cluster.inside(name), bench.convoy]
        self.patience, self.check = bench.patience, bench.check


class Bed:
    def __init__(self, bench, cluster):
        self.b, self.cluster = bench, cluster
        self.server, self.near, self.far = (Machine(bench, cluster, name) for name in ("server", "near", "far"))
        self.want = last_line(bench.expect(0, r"^digest ", "", "run", bench.scenario).stdout)

    @contextlib.contextmanager
    def run(self, case, rules, *arguments):
        """A server and two clients; gives them when the run has begun. host0 is near, host1 far."""
        self.report = self.b.folder / f"{case}.json"
        self.cluster.wire.start_counting(rules)
        self.resent = self.retransmissions()
        with self.server.start("server", self.b.scenario, "--hosts", 2, "--listen", AT, "--report", self.report,
                               *arguments) as server:
            server.wait_for(r"listening on port 7447")
            with self.near.start("client", "--name", "host0") as near, self.far.start("client", "--name", "host1") as far:
                server.wait_for("the run begins")
                yield server, near, far

    def retransmissions(self):
        return sum(self.cluster.resent(machine) for machine in ("server", "far"))

    def ended(self, case, *processes, codes=(0, 0, 0)):
        """Waits for the end of all; gives the report."""
        for who, process, code in zip(("server", "near client", "far client"), processes, codes):
            got = process.wait()
            self.b.check(got == code, f"{case}: the {who} ended with {got}, not {code}", process.text())
        facts = json.loads(self.report.read_text())
        if self.cluster.wire.trouble:
            raise RuntimeError(f"the wire broke: {self.cluster.wire.trouble}")
        self.resent = self.retransmissions() - self.resent
        return facts

    def check_wire(self, case, rules, kinds):
        """The wire has really done what the case is about; and nothing of ours was ever in fragments."""
        for name, way in (("up", self.cluster.wire.up), ("down", self.cluster.wire.down)):
            self.b.check(way.overflowed == way.unsent == 0, f"{case}: the wire itself lost packets {name}", way)
            self.b.check(way.fragments == 0 and way.longest[UDP] <= 1428 and way.longest[TCP] <= MTU,
                         f"{case}: fragments or long packets {name}", way.fragments, way.longest)
            for kind in kinds:
                self.b.check((way.lost[kind] > 0) == (rules.loss > 0), f"{case}: lost {way.lost} of {way.seen} {name}")
            self.b.check((way.overtaken > 0) == (rules.held_back > 0), f"{case}: {way.overtaken} overtaken {name}")
            self.b.check((way.twice > 0) == (rules.twice > 0), f"{case}: {way.twice} doubled {name}")
        if rules.loss > 0:
            self.b.check(self.resent > 0, f"{case}: TCP sent nothing again")
        wire = [f"{name} {sum(w.seen.values())} packets, {sum(w.lost.values())} lost, {w.twice} twice, {w.overtaken} "
                f"overtaken" for name, w in (("up", self.cluster.wire.up), ("down", self.cluster.wire.down))]
        print(f"    {case}: {'; '.join(wire)}; {self.resent} TCP segments sent again", flush=True)

    def lockstep(self, case, rules, *arguments, during=lambda: None):
        with self.run(case, rules, *(arguments or ("--speed", "max"))) as processes:
            during()
            facts = self.ended(case, *processes)
            last = last_line(processes[0].out.read_text())
        self.b.check(last == self.want, f"{case}: another digest", last, self.want, facts)
        # A Hello that TCP sends again and again comes after its client has given that link up.
        usual = {"declined", "handshake_timeout"}
        self.b.check(set(facts["drops"]) <= usual and facts["lost_hosts"] == [], f"{case}: drops or losses", facts)
        ticks = {p["name"]: p["agent_ticks"] for p in facts["processes"]}
        self.b.check(ticks == {"host0": 3000, "host1": 3000}, f"{case}: agent ticks", ticks)
        print(f"    {case}: {last}, {facts['wall_s']:.1f} s for {facts['sim_s']:.0f} s, tick p50 "
              f"{facts['tick_ms']['p50']:.1f} ms, p99 {facts['tick_ms']['p99']:.0f} ms, {facts['reconnects']} reconnects")

    # The state of a robot, by a call from the near machine.
    def pose(self, name):
        got = json.loads(self.near.expect(0, r"\A\{", None, "ctl", "get", name, "--json").stdout)
        return got["pose"]["p"][:2]

    def until(self, what, true):
        """Asks until it is so. How long that takes is not the test's business."""
        end = time.monotonic() + 60
        while not true():
            if time.monotonic() > end:
                raise RuntimeError(f"never came true: {what}")
            time.sleep(0.05)

    def free(self, case, loss):
        """Calls from the near machine to a robot that the far one runs, over a run that ends in order."""
        rules, b = bad("free", loss), self.b
        with self.run(case, rules, "--mode", "free", "--duration", "12s", "--paused", *CROWD) as processes:
            def say(code, out, *arguments, machine=self.near):
                return machine.expect(code, out, None if code == 0 else r"^convoy: ", "ctl", *arguments)

            # It is there before the first tick, so its host must do them all.
            say(0, r"spawned 1 of 1", "spawn", "courier", "--model", "turtlebot3_burger", "--host", "host1", "--pose", "0,0")
            say(0, r"^host1 courier$", "placement")
            say(0, r"resumed", "resume")
            begin = self.pose("courier")
            say(0, r"commanded", "drive", "courier", "--forward", 0.2, "--turn", 0.5, "--timeout", 2)
            self.until("the courier drives", lambda: math.dist(self.pose("courier"), begin) > 0.05)
            say(0, r"", "pause")
            say(0, r"^phase +paused$", "status")
            before = []
            self.until("time stands", lambda: before.append(self.pose("courier")) or before[-1] in before[-4:-1])
            # A call over the bad wire sees the same.
            seen = json.loads(say(0, r"\A\{", "get", "courier", "--json", machine=self.far).stdout)["pose"]["p"][:2]
            b.check(math.dist(seen, self.pose("courier")) < 0.05, f"{case}: near and far see other poses", seen)
            say(0, r"resumed", "resume")
            say(1, r"", "get", "nobody")
            facts = self.ended(case, *processes)
        self.check_wire(case, rules, (TCP, UDP))
        b.check(facts["ticks"] == 1200 and facts["digest"] == "none", f"{case}: {facts['ticks']} ticks", facts)
        told = {p["name"]: p for p in facts["processes"]}
        ticks = {name: (p["agents"], p["agent_ticks"]) for name, p in told.items()}
        b.check(ticks == {"host0": (60, 60 * 1200), "host1": (61, 61 * 1200)}, f"{case}: agent ticks", ticks)
        b.check(facts["lost_hosts"] == [] and facts["spawned"] == 1, f"{case}: lost or spawned", facts)
        b.check(set(facts["drops"]) <= EXPECTED_DROPS, f"{case}: drops", facts["drops"])
        b.check(facts["drops"].get("replayed", 0) > 0, f"{case}: nothing came twice at the server", facts["drops"])
        for p in told.values():
            # The server's guess drives on at the last speed it got; the robot itself may turn round. So it is wrong by
            # at most 2 x 0.26 m/s x the time without news of this robot: 1 m takes two seconds, or 58 rounds in a row.
            worst = p["divergence_m"]
            b.check(math.isfinite(worst) and 0 <= p["mean_divergence_m"] <= worst < 2 * TOP_SPEED * 2, f"{case}: divergence", p)
        print(f"    {case}: divergence far {told['host1']['divergence_m'] * 1e3:.1f} mm at most, "
              f"{told['host1']['mean_divergence_m'] * 1e3:.2f} mm in the mean; near "
              f"{told['host0']['divergence_m'] * 1e3:.1f} and {told['host0']['mean_divergence_m'] * 1e3:.2f} mm; "
              f"{facts['updates_in']} states in; drops {facts['drops']}; {facts['wall_s']:.1f} s", flush=True)


def clean(bed):
    """Lockstep over a wire that only delays."""
    bed.lockstep("clean", Rules())
    bed.check_wire("clean", Rules(), (TCP,))


def lockstep5(bed):
    """Lockstep with 5 % loss each way."""
    bed.lockstep("lockstep5", bad("lockstep", 0.05))
    bed.check_wire("lockstep5", bad("lockstep", 0.05), (TCP,))


def lockstep20(bed):
    """Lockstep with 20 % loss each way."""
    bed.lockstep("lockstep20", bad("lockstep", 0.2))
    bed.check_wire("lockstep20", bad("lockstep", 0.2), (TCP,))


def free5(bed):
    """Free mode with 5 % loss each way, and calls."""
    bed.free("free5", 0.05)


def free20(bed):
    """Free mode with 20 % loss each way, and calls."""
    bed.free("free20", 0.2)


def late(bed):
    """A host that gets a pause late: the server still comes to know where its robots stopped."""
    b, case = bed.b, "late"
    with bed.run(case, Rules(), "--mode", "free", "--duration", "60s") as processes:
        def say(out, *arguments):
            return bed.near.expect(0, out, None, "ctl", *arguments).stdout

        say(r"spawned 1 of 1", "spawn", "courier", "--model", "turtlebot3_burger", "--host", "host1", "--pose", "0,0")
        say(r"commanded", "drive", "courier", "--forward", 0.2, "--timeout", 2)
        begin = bed.pose("courier")
        bed.until("the courier drives", lambda: math.dist(bed.pose("courier"), begin) > 0.02)
        bed.cluster.wire.rules = Rules(loss=1.0, only=TCP)
        say(r"", "pause")
        # Its states still come: they are of a time that the world has not reached. In 200 datagrams' time it has stopped.
        way, so_far = bed.cluster.wire.up, bed.cluster.wire.up.seen[UDP]
        bed.until("states that are ahead", lambda: way.seen[UDP] > so_far + 200)
        b.check(bed.cluster.wire.down.lost[TCP] > 0, f"{case}: the word of the pause came through")
        bed.cluster.wire.rules = Rules()
        say(r"resumed", "resume")

        def twist():
            return json.loads(say(r"\A\{", "get", "courier", "--json"))["twist"]["v"]

        bed.until("the server knows where the courier stands",
                  lambda: twist() == [0, 0, 0] and abs(bed.pose("courier")[0] - 0.4) < 0.02)  # 2 s at 0.2 m/s
        say(r"the run ends", "stop")
        facts = bed.ended(case, *processes)
    b.check(set(facts["drops"]) <= {"future_stamp"}, f"{case}: drops", facts["drops"])
    told = {p["name"]: p["agent_ticks"] for p in facts["processes"]}
    print(f"    {case}: {facts['ticks']} ticks, agent ticks {told}, drops {facts['drops']}", flush=True)


def outage(bed):
    """Nothing comes through for two seconds, in lockstep: the run waits, links come back, the digest stays."""
    def cut():
        wire = bed.cluster.wire
        wire.rules = Rules(loss=1.0)
        time.sleep(2)
        wire.rules = Rules()

    # Real time, so that the run is not over before the cut.
    bed.lockstep("outage", Rules(), "--speed", "1", during=cut)
    bed.b.check(min(sum(w.lost.values()) for w in (bed.cluster.wire.up, bed.cluster.wire.down)) > 0, "outage: nothing was lost")


def gone(bed):
    """The far machine is cut off for good: its robots are frozen, the run ends in order and names it."""
    for mode in ("lockstep", "free"):
        case = f"gone-{mode}"
        with bed.run(case, Rules(), "--mode", mode, "--speed", "1", "--duration", "12s", "--set", "liveness=3s") as processes:
            bed.cluster.wire.rules = Rules(loss=1.0)
            facts = bed.ended(case, *processes, codes=(1, 0, 1))
            b, text = bed.b, processes[2].err.read_text()
        b.check(re.search(r"lost the server: silent for longer than the liveness limit", text), f"{case}: the far client", text)
        b.check(facts["lost_hosts"] == ["host1"] and facts["ticks"] == 1200 and facts["robots"] == 20, f"{case}: report", facts)
        told = {p["name"]: (p["agents"], p["agent_ticks"]) for p in facts["processes"]}
        b.check(told == {"host0": (10, 12000)}, f"{case}: agent ticks", told)
        b.check(facts["drops"] == {}, f"{case}: drops", facts["drops"])


CASES = {f.__name__: f for f in (clean, lockstep5, lockstep20, free5, free20, late, outage, gone)}


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the way out that cleans up
    with new_bench(sys.argv[1], SCENARIO, PATIENCE) as b:
        try:
            cluster = Cluster(SEED).__enter__()
        except Refused as why:
            print(f"SKIPPED, NOTHING WAS TESTED: no network namespaces or TUN devices here: {why}", flush=True)
            return SKIPPED
        try:
            b.run(CASES, sys.argv[2:], Bed(b, cluster))
        finally:
            cluster.end()
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
