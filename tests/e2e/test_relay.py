#!/usr/bin/env python3
"""Real processes behind a relay that delays, chops, stalls, cuts and refuses: the digest stays, and losses are named.

    tests/e2e/test_relay.py CONVOY [PLAN...]
        plans: none delays stalls cuts greeting frames goodbye everything gone; default all

Standard library only. Faults are set at counts of forwarded bytes (tests/e2e/relay.py); nothing timed is checked.
Prints one line per check that fails and exits 1 if there is any.
"""
import json
import random
import struct
import sys

from harness import last_line, new_bench
from relay import Fault, Relay, Rhythm

SEED = 20
# The scene is larger than one piece of an asset, so that a bulk link can be cut between two. A client gives up a silent
# link after half of the liveness limit; the other half is what a busy machine may take to come back.
SCENARIO = """\
convoy: 1
name: relay
seed: 5
time: {mode: lockstep, tick: 10ms, duration: 2s}
world: {ground: {size: [16, 16], resolution: 0.05, walls: 0.1}}
liveness: 6s
leave: freeze
checkpoint: 50
robots:
  - {name: walk, count: 6, model: turtlebot3_burger, driver: random_walk}
  - {name: polite, count: 6, model: turtlebot3_waffle, driver: right_of_way}
"""
HOSTS = ("host0", "host1")
# Types of frames, docs/protocol.md section 1.
GOODBYE, HELLO, WELCOME, READY, IMAGE, OPEN = 1, 8, 9, 16, 32, 33
STATES, DONE, CHECKPOINT, FINISH, REPORT = 34, 36, 39, 40, 41
ODD = (1, 1, 2, 3, 7, 19, 20, 21, 64, 333, 1500, 65536)


class Bed:
    """Runs launch through a relay."""

    def __init__(self, bench):
        self.b = bench
        self.want = last_line(bench.expect(0, r"^digest ", "", "run", bench.scenario, "--hosts", 1).stdout)
        self.sizes = None  # bytes of each course in a run without faults

    def launch(self, plan, faults=(), rhythms=None, arguments=(), lost=(), digest=True):
        """Runs to the end; checks what holds for every plan; gives the relay, the report and the last line."""
        b, report = self.b, self.b.folder / f"{plan}.json"
        with Relay(f"{SEED}/{plan}", faults, rhythms) as relay, \
                b.start("launch", b.scenario, "--hosts", 2, "--speed", "max", "--relay", f"127.0.0.1:{relay.port}",
                        "--report", report, *arguments) as run:
            relay.aim(int(run.wait_for(r"server listens on 127\.0\.0\.1:(\d+)")[1]))
            code = run.wait()
            left, text, last = run.family(), run.text(), last_line(run.out.read_text())
        b.check(not relay.trouble, f"{plan}: the relay broke: {relay.trouble}")
        b.check(code == (1 if lost else 0), f"{plan}: exit {code}", text)
        b.check(not left, f"{plan}: processes are left", left)
        for fault in faults:
            b.check(fault.fired, f"{plan}: never came: {fault}", relay.forwarded())
            b.check(fault.got_over, f"{plan}: not got over: {fault}", text)
        if digest:
            b.check(last == self.want, f"{plan}: another digest", last, self.want, text)
        facts = json.loads(report.read_text())
        planned = sum(f.needs_resume() for f in faults)
        for who, count in (("server", facts["reconnects"]), ("relay", relay.resumes)):
            b.check(count >= planned, f"{plan}: {planned} cuts, {count} reconnects, says the {who}", text)
        b.check(facts["lost_hosts"] == list(lost), f"{plan}: lost {facts['lost_hosts']}", text)
        b.check(facts["ticks"] == 200, f"{plan}: {facts['ticks']} ticks")
        print(f"    {plan}: {len(faults)} faults, {facts['reconnects']} reconnects, {relay.one_byte} pieces of one "
              f"byte, {relay.delayed} delayed, dropped {facts['drops']}", flush=True)
        return relay, facts, last

    def at(self, host, direction, share, channel="control"):
        """A place in the stream, as a share of what goes there without faults."""
        if self.sizes is None:
            self.sizes = self.launch("measure")[0].forwarded()
        return int(self.sizes[host, channel, direction] * share)

    def scatter(self, kinds, rng, **more):
        """One fault of each kind for both hosts, in either direction by turns, all over the run."""
        faults = []
        for number, host in enumerate(HOSTS):
            for i, kind in enumerate(kinds):
                share = 0.05 + 0.85 * (i + rng.random()) / len(kinds)
                direction = ("up", "down")[(i + number) % 2]
                faults.append(Fault(kind, host, direction=direction, at=self.at(host, direction, share), **more))
        return faults

    def replayed(self, plan, recording, last):
        r = self.b.expect(0, r"^digest ", r"equal: 201 boundaries and 201 digests", "replay", recording, "--verify")
        self.b.check(last_line(r.stdout) == last, f"{plan}: the replay has another digest", r.stdout, last)


def journal_entries(recording):
    """How many messages /convoy/journal has, from the summary of an MCAP file, which is not compressed."""
    data = recording.read_bytes()
    at, topics, counts = struct.unpack_from("<Q", data, len(data) - 8 - 20)[0], {}, {}
    while at < len(data) - 8:
        opcode, size = struct.unpack_from("<BQ", data, at)
        body, at = data[at + 9:at + 9 + size], at + 9 + size
        if opcode == 4:     # channel: u16 id, u16 schema, text topic, ...
            length = struct.unpack_from("<I", body, 4)[0]
            topics[body[8:8 + length].decode()] = struct.unpack_from("<H", body)[0]
        elif opcode == 11:  # statistics: 42 bytes, then the length in bytes of pairs of u16 and u64
            counts = dict(struct.iter_unpack("<HQ", body[46:46 + struct.unpack_from("<I", body, 42)[0]]))
    return counts.get(topics.get("/convoy/journal"), 0)


def rhythms(delays_up, delays_down):
    return {"up": Rhythm(delays=delays_up, sizes=ODD), "down": Rhythm(delays=delays_down, sizes=ODD)}


def none(bed):
    """A relay that only forwards."""
    bed.launch("none")


def delays(bed):
    """Pieces of odd sizes, each direction with delays of its own."""
    relay, _, _ = bed.launch("delays", rhythms=rhythms((0, 0, 1, 4), (0, 2, 9)))
    bed.b.check(relay.one_byte > 1000 and min(relay.delayed.values()) > 50, "delays: the relay was idle",
                relay.one_byte, relay.delayed)


def stalls(bed):
    """One direction stops, the other goes on."""
    bed.launch("stalls", bed.scatter(["stall"] * 4, random.Random(f"{SEED}/stalls"), seconds=0.3))


def cuts(bed):
    """Links reset, closed, dead but open; unheard or refused after a cut; a cut asset. All come back with the token."""
    faults = bed.scatter(["rst", "fin", "half", "rst", "mute", "fin", "refuse"], random.Random(f"{SEED}/cuts"), count=5)
    faults += [Fault("rst", "host0", "bulk", "down", at=bed.at("host0", "down", 0.8, "bulk")),
               Fault("fin", "host1", "bulk", "down", at=bed.at("host1", "down", 0.3, "bulk"))]
    bed.launch("cuts", faults)


def greeting(bed):
    """Cuts before the Welcome has come, and datagrams lost or from another port."""
    lose, move = Fault("lose", "host0", "udp", count=2), Fault("move", "host1", "udp")
    bed.launch("greeting", [
        Fault("rst", "host0", direction="up", at=10, early=True),
        Fault("fin", "host0", direction="down", at=30, early=True),
        Fault("rst", "host1", direction="down", at=60, early=True),
        # The run waits, or it would be over before anybody had missed a datagram.
        lose, Fault("stall", "host1", frame=(DONE, 5, 0), until=lose),
        move, Fault("stall", "host0", frame=(DONE, 9, 0), until=move)])


def frames(bed):
    """Cuts within the frames that change what a host is doing: on its way back, and at the end, too."""
    bed.launch("frames", [
        Fault("rst", "host0", direction="up", frame=(READY, 1, 0)),
        Fault("fin", "host0", direction="down", frame=(IMAGE, 1, 100)),
        Fault("rst", "host0", direction="up", frame=(STATES, 3, 1)),
        Fault("fin", "host0", direction="up", frame=(HELLO, 3, 14), again=True),
        Fault("rst", "host0", direction="down", frame=(WELCOME, 4, 1), again=True),
        Fault("fin", "host0", direction="down", frame=(OPEN, 70, 0)),
        Fault("rst", "host0", direction="down", frame=(FINISH, 1, 0)),
        Fault("rst", "host1", direction="up", frame=(DONE, 1, 5)),
        Fault("rst", "host1", direction="down", frame=(STATES, 50, 40)),
        Fault("fin", "host1", direction="down", frame=(WELCOME, 3, 40), again=True),
        Fault("fin", "host1", direction="up", frame=(DONE, 200, 1000)),
        Fault("fin", "host1", direction="up", frame=(REPORT, 1, 10))])


def goodbye(bed):
    """The last word of the server never comes: launch still ends in order."""
    bed.launch("goodbye", [Fault("rst", host, direction="down", frame=(GOODBYE, 1, 0), final=True) for host in HOSTS])


def everything(bed):
    """All of it at once, and the recording of it holds."""
    rng = random.Random(f"{SEED}/everything")
    recording = bed.b.folder / "everything.mcap"
    lose = Fault("lose", "host0", "udp")
    faults = bed.scatter(["stall", "rst", "fin", "stall", "rst", "half"], rng, seconds=0.2)
    faults += [Fault("rst", "host0", direction="up", frame=(CHECKPOINT, 2, 50)),
               Fault("rst", "host1", direction="down", at=40, early=True),
               lose, Fault("stall", "host1", frame=(DONE, 3, 0), until=lose)]
    _, _, last = bed.launch("everything", faults, rhythms((0, 0, 2), (0, 0, 3)), ("--record", recording))
    bed.b.check(journal_entries(recording) == 0, "everything: trouble came into the journal")
    bed.replayed("everything", recording, last)


def gone(bed):
    """A host cut off for longer than its liveness: its robots are frozen or removed, the run ends and replays."""
    for leave, at in (("freeze", dict(at=bed.at("host1", "up", 0.4))), ("remove", dict(frame=(STATES, 90, 30)))):
        plan, recording = f"gone-{leave}", bed.b.folder / f"{leave}.mcap"
        _, facts, last = bed.launch(plan, [Fault("refuse", "host1", count=0, **at)], lost=["host1"], digest=False,
                                    arguments=("--leave", leave, "--record", recording))
        bed.b.check(last != bed.want and last.startswith("digest "), f"{plan}: the loss is not in the digest", last)
        bed.b.check(facts["robots"] == (12 if leave == "freeze" else 6), f"{plan}: {facts['robots']} robots")
        bed.b.check(journal_entries(recording) > 0, f"{plan}: the loss is not in the journal")
        bed.replayed(plan, recording, last)


PLANS = {f.__name__: f for f in (none, delays, stalls, cuts, greeting, frames, goodbye, everything, gone)}


def main():
    with new_bench(sys.argv[1], SCENARIO) as b:
        bed = Bed(b)
        b.run(PLANS, sys.argv[2:], bed)
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
