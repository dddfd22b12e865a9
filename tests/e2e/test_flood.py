#!/usr/bin/env python3
"""A server and two clients under fire: garbage, silence, forged and replayed datagrams, and a client that is killed.

    tests/e2e/test_flood.py CONVOY [MODE...] [--seconds S]      modes: free lockstep; default both, 3 s for each kind of fire

All of it on 127.0.0.1, from one process at a time that does nothing else; bench_flood, if it was built, fires three kinds
at a higher rate than Python does. The run must end in order with every tick of
the client that lives, the drops must be counted by their reasons, and the server's memory must stay within GROWTH. What
the fire cost is printed as a table and not checked. Standard library and libxxhash. Exits 1 if a check fails.
"""
import contextlib
import json
import os
import pathlib
import random
import select
import signal
import socket
import statistics
import struct
import subprocess
import sys
import time

from harness import last_line, new_bench

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "protocol"))
from wire import xxh3

PATIENCE = 120  # s, for the end of a run
SEED = 3
# MiB by which the server's memory may grow: 256 silent links may hold 4 KiB of a greeting and one read of 64 KiB each,
# which makes 17; the rest is what allocators keep.
GROWTH = 32
SILENT = 256      # links that may be silent at a time, docs/protocol.md section 2
SCENARIO = """\
convoy: 1
name: flood
seed: 5
time: {mode: lockstep, tick: 10ms, duration: 3600s}
world: {ground: {size: [20, 20], resolution: 0.1, walls: 0.1}}
liveness: 5s
leave: freeze
robots:
  - {name: walk, count: 20, model: turtlebot3_burger, driver: random_walk}
  - {name: polite, count: 20, model: turtlebot3_waffle, driver: right_of_way}
"""
# Types of datagrams, docs/protocol.md section 5.
STATES, REGISTER, ANSWER = 20, 23, 24
MOST_LINES = 500  # of log: at most some a second, whatever comes
EXPECTED = {
    "noise": {"bad_checksum", "malformed", "too_large"},
    "links": {"too_large", "declined"},
    "silence": {"full", "handshake_timeout"},
    "tokens": {"bad_token", "unknown_connection", "bad_nonce"},
    "replays": {"wrong_endpoint"},
    "bulk": {"bad_checksum", "too_large"},
    "fast_noise": {"bad_checksum", "malformed", "too_large"},
    "fast_tokens": {"bad_token", "unknown_connection"},
    "fast_links": set(),  # most are reset before the server has accepted them
}
# `replayed` where the sender's address can be forged; the rest may come of damaged greetings, or of what was on its way.
ALLOWED = set().union(*EXPECTED.values()) | {"replayed", "unknown_type", "stale_stamp", "unexpected", "receive_buffer"}


def datagram(kind, connection, payload, seq=1):
    body = struct.pack("<BBHIIII", kind, 0, 0, connection, seq, 0, 0) + payload
    return body + struct.pack("<I", xxh3(body) & 0xFFFFFFFF)


def noise_of(rng, sizes):
    return [rng.randbytes(rng.choice(sizes)) for _ in range(512)]


def fire_datagrams(where, packets, until):
    """At the highest rate that one process makes."""
    sent = 0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.connect(where)
        while time.monotonic() < until:
            for packet in packets:
                with contextlib.suppress(OSError):
                    out.send(packet)
            sent += len(packets)
    return sent


def noise(where, rng, until, _):
    """random bytes to the UDP port"""
    return fire_datagrams(where, noise_of(rng, (1, 20, 24, 100, 1400, 1500, 2000)), until)


def links(where, rng, until, _):
    """random bytes over TCP links, new ones all the time"""
    made, data = 0, rng.randbytes(1 << 16)
    starts = (b"", b"GET / HTTP/1.1\r\n\r\n", b"\x10\0\0\0\x08\0\0\0", b"\xff" * 24)
    while time.monotonic() < until:
        with contextlib.suppress(OSError), socket.create_connection(where, 5) as link:
            link.settimeout(1)
            made += 1
            link.sendall(starts[made % len(starts)] + data)
    return made


def silence(where, rng, until, _):
    """TCP links that send nothing, or half a greeting: first as many as may be silent until they are closed; then a
    storm of more"""
    held, made = [], 0
    length = until - time.monotonic()

    def hold(most):
        nonlocal made
        while len(held) < most:
            with contextlib.suppress(OSError):
                link = socket.create_connection(where, 5)
                held.append(link)
                made += 1
                if made % 2:
                    link.send(struct.pack("<IBBHIII", 4000, 8, 0, 0, 0, 0, 0) + rng.randbytes(3000))
        for link in select.select(held, [], [], 0.01)[0]:
            with contextlib.suppress(OSError):
                if link.recv(4096):
                    continue
            held.remove(link)
            link.close()

    try:
        hold(SILENT)
        quiet = time.monotonic() + 6  # the server waits 5 s for a greeting
        while time.monotonic() < quiet:
            hold(0)
        until = time.monotonic() + length
        while time.monotonic() < until:
            hold(SILENT + 64)
    finally:
        for link in held:
            link.close()
    return made


def tokens(where, rng, until, _):
    """sound register and answer datagrams with random tokens"""
    packets = [datagram(rng.choice((REGISTER, REGISTER, ANSWER)), rng.choice((1, 2, 3, 99)), b"") for _ in range(2)]
    packets += [datagram(REGISTER, rng.choice((1, 2, 9999)), rng.randbytes(16), rng.randrange(1 << 32)) for _ in range(400)]
    packets += [datagram(ANSWER, rng.choice((1, 2)), rng.randbytes(8), rng.randrange(1 << 32)) for _ in range(100)]
    return fire_datagrams(where, packets, until)


def replays(where, rng, until, captured):
    """datagrams of the clients once more, from another address and, where that is allowed, from their own"""
    # Registers stay out of it: with its own token a client would be moved, were it not for the nonce over TCP.
    packets = [p for _, p in captured if p[0] == STATES] or [datagram(STATES, n, bytes(16)) for n in (1, 2)]
    sent = fire_datagrams(where, packets[:512], (time.monotonic() + until) / 2)
    registers = [p for _, p in captured if p[0] == REGISTER]
    for _ in range(20):
        sent += fire_datagrams(where, registers, 0) if registers else 0
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            for packet in registers:
                out.sendto(packet, where)
                sent += 1
    with contextlib.suppress(PermissionError), socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as out:
        while time.monotonic() < until:
            for port, packet in captured[:512]:
                udp = struct.pack(">HHHH", port, where[1], 8 + len(packet), 0) + packet
                head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 0, 0, 0, 64, 17, 0, socket.inet_aton("127.0.0.1"),
                                   socket.inet_aton(where[0]))
                out.sendto(head + udp, where)
                sent += 1
    return sent


def bulk(where, rng, until, _):
    """10 MB to either port"""
    data, sent, refused = rng.randbytes(1 << 20), 0, 0
    while sent < 10 << 20 and refused < 2000:
        try:
            with socket.create_connection(where, 5) as link:
                link.settimeout(5)
                for at in range(0, 1 << 19, 65536):
                    link.sendall(data[at:at + 65536])
                    sent += 65536
        except OSError:  # the server has closed the link: on to the next
            refused += 1
            sent += 65536
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        for i in range((10 << 20) // 1400):
            at = (i * 1400) % (len(data) - 1400)
            with contextlib.suppress(OSError):
                out.sendto(data[at:at + 1400], where)
    return 2 * (10 << 20)


FIRE = [noise, links, silence, tokens, replays, bulk]


def faster(program, name, what):
    """The same from a program that does not spend its time in Python: bench/flood.cpp."""
    def kind(where, _rng, until, _captured):
        seconds = until - time.monotonic()
        done = subprocess.run([program, str(where[1]), what, f"{seconds:.2f}"], check=True, capture_output=True, text=True)
        return int(done.stdout)
    kind.__name__ = name
    return kind


class Ear:
    """Captures the clients' datagrams on the loopback device, where the user may."""

    def __init__(self, port):
        self.port, self.heard = port, []
        try:
            self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(0x0800))
            self.socket.bind(("lo", 0))
            self.socket.setblocking(False)
        except OSError:
            self.socket = None

    def listen(self):
        while self.socket and len(self.heard) < 4096:
            try:
                packet = self.socket.recv(4096)
            except BlockingIOError:
                return
            if len(packet) < 28 or packet[9] != 17:
                continue
            size = (packet[0] & 15) * 4
            source, target = struct.unpack_from(">HH", packet, size)
            one = (source, packet[size + 8:])
            # The kernel hands several that left together over as one here.
            sound = len(one[1]) >= 24 and one[1][-4:] == struct.pack("<I", xxh3(one[1][:-4]) & 0xFFFFFFFF)
            if target == self.port and sound and one not in self.heard:
                self.heard.append(one)

    def close(self):
        if self.socket:
            self.socket.close()


def memory(pid):
    """MiB that the process holds."""
    with open(f"/proc/{pid}/status") as status:
        return int(next(line for line in status if line.startswith("VmRSS")).split()[1]) / 1024


def cpu(pid):
    """s of processor time."""
    with open(f"/proc/{pid}/stat") as stat:
        words = stat.read().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


class Watch:
    """Asks a running server how it does while something else goes on."""

    def __init__(self, bench, at, pid):
        self.bench, self.at, self.pid, self.most = bench, at, pid, memory(pid)

    def status(self):
        begun = time.monotonic()
        r = self.bench.expect(0, r"\A\{", "", "ctl", "--connect", self.at, "--deadline", 60, "--wait", 30, "status", "--json")
        self.most = max(self.most, memory(self.pid))
        return json.loads(r.stdout)["data"], (time.monotonic() - begun) * 1e3

    def over(self, going_on, begin=lambda: None):
        """Rate of ticks, answer times (ms), share of a core and drops, from begin() on while going_on()."""
        first, _ = self.status()
        begin()  # after the drops are read: some fire is over before a call is answered
        begun, used, answers = time.monotonic(), cpu(self.pid), [self.status()[1]]
        while going_on():
            _, took = self.status()
            answers.append(took)
            time.sleep(0.1)
        last, _ = self.status()
        wall = time.monotonic() - begun
        drops = {k: v - first["drops"].get(k, 0) for k, v in last["drops"].items() if v > first["drops"].get(k, 0)}
        return {"rate": (last["tick"] - first["tick"]) / wall, "answer": statistics.median(answers), "slowest": max(answers),
                "core": (cpu(self.pid) - used) / wall, "drops": drops, "memory": memory(self.pid)}


def attack(kind, where, seconds, captured):
    """Starts the attacker as a process of its own; gives its pid and a pipe with how much it sent, by name."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        try:
            sent = kind(where, random.Random(f"{SEED}/{kind.__name__}"), time.monotonic() + seconds, captured)
            os.write(write, str(sent).encode())
        finally:
            os._exit(0)
    os.close(write)
    return {"pid": pid, "pipe": read}


def run(bench, mode, seconds):
    report, recording = bench.folder / f"{mode}.json", bench.folder / f"{mode}.mcap"
    extra = () if mode == "free" else ("--record", recording)
    rows = []
    with bench.start("server", bench.scenario, "--hosts", 2, "--mode", mode, "--speed", 1, "--listen", "127.0.0.1:0",
                     "--report", report, *extra) as server:
        where = ("127.0.0.1", server.port())
        at = f"127.0.0.1:{where[1]}"
        ear = Ear(where[1])
        with bench.start("client", "--connect", at, "--name", "host0") as one, \
                bench.start("client", "--connect", at, "--name", "host1") as two:
            server.wait_for("the run begins")
            watch = Watch(bench, at, server.popen.pid)
            end = time.monotonic() + seconds
            rows.append(("quiet", 0, watch.over(lambda: time.monotonic() < end)))
            ear.listen()
            ear.close()
            before = memory(server.popen.pid)
            for kind in FIRE:
                fire = {}
                facts = watch.over(lambda: os.waitpid(fire["pid"], os.WNOHANG) == (0, 0),
                                   lambda: fire.update(attack(kind, where, seconds, ear.heard)))
                with os.fdopen(fire["pipe"]) as said:
                    sent = int(said.read() or -1)
                bench.check(sent > 0, f"{mode}: {kind.__name__} did not fire")
                missing = EXPECTED[kind.__name__] - set(facts["drops"])
                if kind is replays and mode == "free" and ear.socket:
                    missing |= {"replayed"} - set(facts["drops"])
                bench.check(not missing, f"{mode}: {kind.__name__}: not counted: {missing}", facts["drops"])
                rows.append((kind.__name__, sent, facts))
            os.kill(two.popen.pid, signal.SIGKILL)
            server.wait_for(r"host1 is gone: silent for longer than the liveness limit")
            end = time.monotonic() + seconds
            rows.append(("after", 0, watch.over(lambda: time.monotonic() < end)))
            grown = watch.most - before
            bench.check(grown < GROWTH, f"{mode}: the server grew by {grown:.1f} MiB, more than {GROWTH}")
            bench.expect(0, "the run ends", None, "ctl", "--connect", at, "stop")
            bench.check(server.wait(PATIENCE) == 1, f"{mode}: the server does not fail for the host that was killed", server.text()[-4000:])
            bench.check(one.wait(PATIENCE) == 0, f"{mode}: the client failed", one.text())
        lines = server.text().count("\n")
    facts = json.loads(report.read_text())
    told = {p["name"]: (p["agents"], p["agent_ticks"]) for p in facts["processes"]}
    bench.check(facts["lost_hosts"] == ["host1"], f"{mode}: lost {facts['lost_hosts']}")
    bench.check(told == {"host0": (20, 20 * facts["ticks"])}, f"{mode}: agent ticks of {facts['ticks']} ticks", told)
    bench.check(set(facts["drops"]) <= ALLOWED, f"{mode}: drops", facts["drops"])
    bench.check(lines < MOST_LINES, f"{mode}: the server wrote {lines} lines")
    if mode == "lockstep":
        r = bench.expect(0, r"^digest ", r"equal: ", "replay", recording, "--verify")
        bench.check(last_line(r.stdout) == f"digest {facts['digest']}", f"{mode}: the replay has another digest", r.stdout)
    quiet = rows[0][2]["rate"]
    print(f"\n{mode}: {facts['ticks']} ticks, {facts['sim_s']:.0f} s simulated in {facts['wall_s']:.0f} s; memory of the server "
          f"{before:.1f} MiB before, at most {watch.most:.1f}; {lines} lines of log\n")
    print("| fire | sent | ticks/s | of quiet | a call, ms | slowest | server, cores | dropped |\n|---|---:|---:|---:|---:|---:|---:|---|")
    for name, sent, row in rows:
        dropped = ", ".join(f"{count} {reason}" for reason, count in row["drops"].items())
        print(f"| {name} | {sent} | {row['rate']:.1f} | {row['rate'] / quiet:.2f} | {row['answer']:.0f} | {row['slowest']:.0f} | {row['core']:.2f} | "
              f"{dropped} |")
    print(flush=True)


def main():
    arguments = sys.argv[1:]
    seconds = 3.0
    if "--seconds" in arguments:
        at = arguments.index("--seconds")
        seconds = float(arguments[at + 1])
        del arguments[at:at + 2]
    convoy, modes = os.path.abspath(arguments[0]), arguments[1:] or ["free", "lockstep"]
    program = os.path.join(os.path.dirname(convoy), "bench", "bench_flood")
    if os.path.exists(program):
        FIRE.extend(faster(program, f"fast_{what}", what) for what in ("noise", "tokens", "links"))
    else:
        print(f"{program} is missing: what it would fire is left out")
    with new_bench(convoy, SCENARIO) as b:
        b.run({mode: lambda b, mode=mode: run(b, mode, seconds) for mode in modes})
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
