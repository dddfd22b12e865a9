#!/usr/bin/env python3
"""A client written from docs/protocol.md alone: follows a live run as a host without robots, and checks every digest.

Beside it a program that each tick waits for puts an element of its own into the world, and checks what it gets of it.

    tests/protocol/client.py CONVOY             a small run with every kind of edit: the test docs/protocol
    tests/protocol/client.py CONVOY --scenario FILE [--seconds S] [--svg OUT]      and draws the paths of the robots

Needs Python's standard library, and libxxhash for the hash; wire.py reads the layouts from the page. What it
computes, it computes from the wire: the states, the world edits and the chain of digests.
"""
import argparse
import os
import re
import select
import socket
import struct
import subprocess
import sys
import tempfile

from wire import VERSION, Fixed, chain, load, proto, save, secret_of, unproto, xxh3
from world import World

# ------------------------------------------------------------------------------------------------ frames (section 1)
GOODBYE, HEARTBEAT, HELLO, WELCOME, DECLINE, UDP_CONFIRMED = 1, 5, 8, 9, 10, 12
READY, ASSET_REQUEST, ASSET_CHUNK, IMAGE, OPEN, STATES, MESSAGES, DONE = 16, 17, 18, 32, 33, 34, 35, 36
FINISH, REPORT, EDITS, PUSH, TAKEN, REQUEST, REPLY, TICK_DONE = 40, 41, 42, 46, 47, 48, 49, 50


class Link:
    def __init__(self, address):
        self.socket = socket.create_connection(address, 5)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""
        self.sent = self.received = 0

    def send(self, kind, payload=b"", counted=False):
        self.sent += counted
        head = struct.pack("<IBBHII", len(payload), kind, 0, 0, self.sent if counted else 0, self.received)
        self.socket.sendall(head + struct.pack("<I", xxh3(head + struct.pack("<Q", xxh3(payload))) & 0xFFFFFFFF) + payload)

    def next(self):
        """(type, payload) of the next frame."""
        while True:
            if len(self.buffer) >= 20:
                size, kind, flags, zero, seq, _, checksum = struct.unpack("<IBBHIII", self.buffer[:20])
                assert flags == zero == 0 and size <= 1 << 20, "a bad frame header"
                if len(self.buffer) >= 20 + size:
                    head, payload = self.buffer[:16], self.buffer[20:20 + size]
                    self.buffer = self.buffer[20 + size:]
                    assert checksum == xxh3(head + struct.pack("<Q", xxh3(payload))) & 0xFFFFFFFF, "a wrong checksum"
                    if seq:
                        assert seq == self.received + 1, "a gap"
                        self.received = seq
                    return kind, payload
            self.buffer += self.socket.recv(1 << 16) or self.closed()

    @staticmethod
    def closed():
        raise ConnectionError("the server closed the link")


def greet(address, role, name="", build="", fingerprint=0, datagrams=False):
    """A link and its Welcome, or a Decline's code and text."""
    link = Link(address)
    link.send(HELLO, proto(_1=VERSION, _2=build, _3=Fixed(fingerprint), _4=role, _5=name, _6=secret_of(address[1]),
                           _7=int(datagrams)))
    kind, payload = link.next()
    fields = unproto(payload)
    if kind == DECLINE:
        return None, (fields[1][0], fields[2][0].decode())
    assert kind == WELCOME
    return link, fields


class Control:
    """Calls, one after the other (section 10)."""

    def __init__(self, address):
        self.link, self.welcome = greet(address, 4)
        self.build = self.welcome[9][0].decode()
        self.calls, self.over = 0, False

    def start(self, **method):
        self.calls += 1
        self.link.send(REQUEST, proto(_1=self.calls, **method), counted=True)
        return self.calls

    def take(self):
        """The next reply, if there is one: (id, error, text)."""
        while not self.over and (self.link.buffer or select.select([self.link.socket], [], [], 0)[0]):
            kind, payload = self.link.next()
            self.over = kind == GOODBYE
            if kind == HEARTBEAT:
                self.link.send(HEARTBEAT)
            if kind == REPLY:
                reply = unproto(payload)
                return reply[1][0], reply.get(2, [0])[0], reply.get(3, [b""])[0].decode()
        return None


class Host:
    """A robot client that owns nothing, and follows."""

    def __init__(self, address, build, fingerprint, seen=None):
        self.link, welcome = greet(address, 1, "observer", build, fingerprint)
        assert self.link, welcome
        self.number, self.token, scenario = welcome[1][0], welcome[2][0], struct.unpack("<Q", welcome[5][0])[0]
        self.begin(self.load_setup(address, scenario), seen)
        self.link.send(READY, counted=True)

    def begin(self, setup, seen=None):
        self.world = World(setup)
        self.image, self.run, self.tick, self.frames = b"", 0, 0, {}
        self.advanced = self.first = False
        self.mail, self.checked, self.edits, self.messages, self.seen = 0, 0, set(), 0, seen
        self.elements, self.over = 0, False

    def load_setup(self, address, scenario):
        bulk, data = Link(address), b""
        bulk.send(HELLO, proto(_1=VERSION, _9=proto(_1=self.number, _2=self.token)))
        bulk.send(ASSET_REQUEST, struct.pack("<QQ", scenario, 0))
        while True:
            kind, payload = bulk.next()
            assert kind == ASSET_CHUNK
            got, offset, total = struct.unpack("<QQQ", payload[:24])
            assert got == scenario and offset == len(data)
            data += payload[24:]
            if len(data) == total:
                assert xxh3(data) == scenario, "the setup has another hash than was promised"
                return data

    def step(self):
        self.take(*self.link.next())

    def take(self, kind, payload):
        if kind == HEARTBEAT:
            self.link.send(HEARTBEAT)
        elif kind == IMAGE:
            piece = load("ImagePiece", payload)
            assert piece["offset"] == len(self.image)
            self.image += piece["bytes"]
            if len(self.image) == piece["total"]:
                self.world.load_image(self.image)
                self.run, self.tick = piece["run"], piece["tick"]
                if (self.run, self.tick) == (0, 0):
                    self.world.digest = self.world.seed
        elif kind == STATES:
            owner = struct.unpack("<I", payload[12:16])[0]
            self.frames.setdefault(owner, []).append(payload)
        elif kind == MESSAGES:
            batch = load("Messages", payload)
            self.mail += len(batch["messages"])
        elif kind == EDITS:
            self.take_edits(load("Edits", payload))
        elif kind == OPEN:
            self.open(load("Open", payload))
        elif kind == FINISH:
            if self.world.digest is not None:
                self.world.chain_digest(self.tick)
            self.link.send(REPORT, save("HostReport", dict(pid=os.getpid(), agent_ticks=0, cpu_ns=0, peak_memory=0, foreign_contacts=0, gateway=[],
                                                           robots=[], last=True)), counted=True)
        elif kind == GOODBYE:
            assert not payload, payload.decode()
            self.over = True

    def take_edits(self, edits):
        assert edits["run"] == self.run
        if edits["tick"] == self.tick + 1 and self.advanced:
            self.complete(edits["states"], edits["held"])
        assert edits["tick"] == self.tick and not self.advanced
        for which, edit in edits["edits"]:
            self.edits.add(which)
            if self.world.apply(which, edit, self.tick * self.world.tick_ns):
                self.run, self.tick, self.mail = self.run + 1, 0, 0

    def complete(self, manifest, held):
        self.tick += 1
        stood = [(e, list(e.words), list(e.tail), e.inside) for e in map(self.world.entities.get, held) if e]
        for said in manifest:
            frames, h = self.frames.pop(said["owner"], []), 0
            for frame in frames:
                h = chain(h, xxh3(frame))
            assert (len(frames), h) == (said["frames"], said["hash"]), "other states than the server has"
            self.read_states(frames, self.world.owned_by(said["owner"]))
        for entity, words, tail, inside in stood:
            entity.words, entity.tail, entity.inside = words, tail, inside
        self.frames, self.advanced = {}, False
        self.world.carry()
        if self.seen:
            self.seen(self.world, self.tick)

    def read_states(self, frames, entities):
        done = 0
        for frame in frames:
            run, tick, _, first, count = struct.unpack("<IqIII", frame[:24])
            assert (run, tick, first) == (self.run, self.tick, done)
            at = 24
            for entity in entities[first:first + count]:
                size = len(entity.tail)
                mask, tail_bytes = struct.unpack_from("<H", frame, at)[0], (size + 7) // 8
                tail_mask = int.from_bytes(frame[at + 2:at + 2 + tail_bytes], "little")
                at += 2 + tail_bytes
                entity.words[0] = self.tick * self.world.tick_ns
                for which, target, n in ((mask & 0x7FFF, entity.words, 15), (tail_mask, entity.tail, size)):
                    for i in range(n):
                        if which >> i & 1:
                            target[i] = struct.unpack_from("<Q", frame, at)[0]
                            at += 8
                inner, at = struct.unpack_from("<Q", frame, at)[0], at + 8
                sent = 0
                if mask >> 15:
                    sent, at = struct.unpack_from("<Q", frame, at)[0], at + 8
                entity.inside = (inner, sent)
            assert at == len(frame)
            done += count
        assert done == len(entities), "not every entity of the owner has its record"

    def open(self, said):
        self.take_edits(said["edits"])
        assert self.mail == said["messages"]
        self.messages += self.mail
        self.mail = 0
        if self.world.digest is None:
            self.world.digest = said["digest"]  # came in late: the chain goes on from here
        else:
            self.world.chain_digest(self.tick)
            if said["elements"]:
                self.world.digest = chain(self.world.digest, said["elements"])
                self.elements += 1
            assert self.world.digest == said["digest"], (
                f"digest of boundary {self.tick}: {self.world.digest:016x}, the server says {said['digest']:016x}")
            self.checked += 1
        self.advanced = True
        self.link.send(DONE, save("Done", dict(run=self.run, tick=self.tick + 1, frames=0, hash=0, messages=0,
                                               foreign_contacts=0, busy_ns=0, remote_samples=0)), counted=True)


class Outside:
    """A foreign simulator in the barrier: one note that changes with each tick, and goes now and then (section 6)."""

    def __init__(self, address):
        self.link, welcome = greet(address, 5, "outside")
        self.number = welcome[1][0]
        self.link.send(READY, counted=True)
        self.coming, self.opened, self.checked, self.over = [], False, 0, False
        self.kinds = set()

    def step(self):
        kind, payload = self.link.next()
        if kind == HEARTBEAT:
            self.link.send(HEARTBEAT)
        elif kind == TAKEN:
            self.coming += load("Taken", payload)["changes"]
        elif kind == OPEN:
            self.open(load("Open", payload))
        elif kind == GOODBYE:
            self.over = True

    def open(self, said):
        h, coming, self.coming = 0, self.coming, []
        for change in coming:
            assert (change["owner"], change["connection"], change["id"], change["type"]) == (
                "outside", self.number, 1, "convoy.Note")
            self.kinds.add(change["kind"])
            h = chain(h, xxh3(save("ElementChanged", {**change, "connection": 0}, hashed=True)))
        run, tick = said["edits"]["run"], said["edits"]["tick"]
        if self.opened:
            assert h == said["elements"], "other elements than the server has"
            expected = [] if tick < 2 else [self.note(tick - 1, 0)] if tick % 10 else [b""]
            assert [c["bytes"] for c in coming] == expected, f"tick {tick}: {coming}"
            self.checked += 1
        self.opened = True
        if tick >= 1:
            gone = tick % 10 == 9
            element = dict(type=xxh3(b"convoy.Note") & 0xFFFFFFFF, bytes=self.note(tick, self.number))
            self.link.send(PUSH, save("Push", dict(run=run, gone=[1] * gone, set=[element] * (not gone))), counted=True)
        self.link.send(TICK_DONE, save("TickDone", dict(run=run, tick=tick)), counted=True)

    @staticmethod
    def note(tick, connection):
        fields = dict(_1=connection) if connection else {}
        return proto(**fields, _2=1, _3=tick, _4=f"tick {tick}")


# -------------------------------------------------------------------------------------------------------------- runs
SMALL = """
convoy: 1
name: protocol
world: {ground: {size: [12, 12], walls: 0.1}}
network: {range: 6, jitter: 20ms}
wait_for: {names: [outside], deadline: 30s}
robots:
  - {name: walker, count: 4, model: turtlebot3_burger, driver: random_walk}
  - {name: polite, count: 4, model: turtlebot3_waffle, driver: right_of_way}
  - {name: crate, model: box, placement: {poses: [[0, 0]]}}
"""


def pose(x, y, turn=0.0):
    return proto(_1=proto(_1=x, _2=y, _3=0.0), _2=proto(_1=(1 - turn * turn) ** 0.5, _4=turn))


CALLS = [  # (method of Request, error that must come)
    (dict(_10=proto(_1=proto(_1="late", _2="truck", _3=pose(5.0, 5.0), _8="host0"))), 0),
    (dict(_10=proto(_1=proto(_1="late", _2="truck", _3=pose(5.0, 5.0)))), 3),
    (dict(_12=proto(_1="lat")), 2),
    (dict(_13=proto(_1="crate", _2=pose(-4.0, 4.5, 0.6), _3=proto(_1=proto(_1=0.1, _2=0.0, _3=0.0)))), 0),
    (dict(_15=proto(_1="walker_0", _2="walker_1")), 0),
    (dict(_15=proto(_1="walker_1", _2="crate")), 0),
    (dict(_15=proto(_1="crate", _2="walker_0")), 1),
    (dict(_14=proto(_1="walker_0", _2=0.2, _3=1.0, _4=0.5)), 0),
    (dict(_13=proto(_1="walker_0", _2=pose(4.0, -4.0, 0.3))), 0),
    (dict(_26=proto(_1=0.25, _6=18.0)), 0),
    (dict(_22=proto(_1=["polite_0", "crate"])), 0),
    (dict(_16=proto(_1="walker_1")), 0),
    (dict(_11=proto(_1="late")), 0),
    (dict(_21=proto(_1=1)), 5),  # step: not paused
    (dict(_22=b""), 0),  # the whole world: another run
    (dict(_10=proto(_1=proto(_1="again", _2="cart", _3=pose(5.0, 5.0), _8="host0"))), 0),
]
EXPECTED = {"Spawn", "SetState", "Attach", "Detach", "SetEnvironment", "Reset", "Delete"}


def follow(convoy, scenario, duration, calls, seen=None):
    """Serves the scenario with one real host, this one, and a program outside if there are calls. Returns the finished
    Host, the program, and the last digest of the server."""
    processes = []
    try:
        server = subprocess.Popen([convoy, "server", scenario, "--hosts", "1", "--listen", "127.0.0.1:0", "--paused",
                                   "--speed", "max", "--duration", duration, "--log-level", "error"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        processes.append(server)
        line = server.stdout.readline()
        address = ("127.0.0.1", int(line.split()[-1]))
        processes.append(subprocess.Popen([convoy, "client", "--connect", "%s:%d" % address, "--name", "host0",
                                           "--log-level", "error"]))
        control = Control(address)
        # A fingerprint is asked of the server by showing a wrong one.
        _, (code, text) = greet(address, 1, "", control.build, 1)
        assert code == 4, text
        fingerprint = int(re.search(r"the server's ([0-9a-f]{16})", text)[1], 16)
        assert greet(address, 1, "", "another build", fingerprint)[1][0] == 3
        assert greet(address, 9, "")[1][0] == 8
        outside = Outside(address) if calls else None
        # This host owns nothing only if it comes after the run has begun.
        waiting, host = [(control.start(_24=b""), 0)], None
        script = [({"_19": b""}, 0)] + [({"_20": b""}, 0)] + list(calls)
        while host is None or not host.over:
            reply = control.take()
            if reply:
                call, error = waiting.pop(0)
                if host is None and reply[1] == 5:
                    waiting.append((control.start(_19=b""), 0))  # pause is refused until the run has begun
                    continue
                if host is None and call > 1:
                    host = Host(address, control.build, fingerprint, seen)
                    script.pop(0)
                assert reply[:2] == (call, error), f"call {call}: error {reply[1]} {reply[2]}, not {error}"
                if host is None:
                    waiting.append((control.start(_19=b""), 0))
                elif script:
                    waiting.append((control.start(**script[0][0]), script.pop(0)[1]))
            peers = [p for p in (host, outside) if p is not None and not p.over]
            ready = select.select([p.link.socket for p in peers], [], [], 0 if any(p.link.buffer for p in peers) else 0.01)[0]
            for peer in peers:
                if peer.link.buffer or peer.link.socket in ready:
                    peer.step()
        last = server.stdout.read().split()[-1]
        assert server.wait(10) == 0
        return host, outside, last
    finally:
        for process in processes:
            if process.poll() is None:
                process.terminate()


def draw(host, paths, out):
    """The map and the ways of the robots, at 1 cm a unit."""
    m = host.world.setup["map"]
    res, width, height = m["resolution"], m["width"], m["height"]
    scale, top = 20, height * res + m["y"]
    at = lambda x, y: f"{(x - m['x']) * scale:.1f} {(top - y) * scale:.1f}"
    runs = {1: [], 2: []}
    for row in range(height):
        col = 0
        while col < width:
            kind, start = m["cells"][row * width + col], col
            while col < width and m["cells"][row * width + col] == kind:
                col += 1
            if kind:
                runs[kind].append((start, col, row))
    # Equal runs of rows that follow one another are one rectangle.
    boxes = {1: [], 2: []}
    for kind, list_of in runs.items():
        open_boxes = {}
        for start, end, row in list_of:
            box = open_boxes.get((start, end))
            if box and box[1] == row:
                box[1] = row + 1
            else:
                open_boxes[start, end] = box = [row, row + 1]
                boxes[kind].append((start, end, box))
    path_of = lambda kind: "".join(
        f"M{a * res * scale:g} {(height - rows[1]) * res * scale:g}h{(b - a) * res * scale:g}"
        f"v{(rows[1] - rows[0]) * res * scale:g}h{-(b - a) * res * scale:g}z" for a, b, rows in boxes[kind])
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width * res * scale:g} {height * res * scale:g}" '
             f'font-family="sans-serif">',
             '<rect width="100%" height="100%" fill="#fbfbf8"/>',
             f'<path d="{path_of(2)}" fill="#d8d8d4"/><path d="{path_of(1)}" fill="#45484f"/>']
    for owner_colour, name in (("#1668b8", "burger"), ("#d1611b", "waffle")):
        d = ""
        for number, points in paths.items():
            if not host.world.entities[number].spec["name"].startswith(name):
                continue
            d += "M" + "L".join(at(x, y) for x, y in points) if len(points) > 1 else ""
        dots = "".join(f'<circle cx="{at(*p[-1]).split()[0]}" cy="{at(*p[-1]).split()[1]}" r="3.2"/>'
                       for n, p in paths.items() if host.world.entities[n].spec["name"].startswith(name))
        lines.append(f'<path d="{d}" fill="none" stroke="{owner_colour}" stroke-opacity=".45" stroke-width="1.3"/>'
                     f'<g fill="{owner_colour}">{dots}</g>')
    with open(out, "w") as f:
        f.write("\n".join(lines) + "\n</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("convoy")
    parser.add_argument("--scenario")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--svg")
    a = parser.parse_args()
    paths = {}

    def seen(world, tick):
        if tick % 50 == 0:
            for e in world.entities.values():
                x, y = e.pose[0][:2]
                points = paths.setdefault(e.number, [])
                if not points or abs(points[-1][0] - x) + abs(points[-1][1] - y) > 0.05:
                    points.append((x, y))

    with tempfile.TemporaryDirectory() as folder:
        scenario = a.scenario
        if not scenario:
            scenario = os.path.join(folder, "protocol.yaml")
            with open(scenario, "w") as f:
                f.write(SMALL)
        host, outside, last = follow(a.convoy, scenario, f"{a.seconds}s", [] if a.scenario else CALLS, seen if a.svg else None)
    assert f"{host.world.digest:016x}" == last, "the last digest is another one"
    if not a.scenario:
        assert host.edits >= EXPECTED, f"no {', '.join(EXPECTED - host.edits)} came"
        assert host.messages > 0
        assert outside.checked > 50 and outside.kinds == {0, 1, 2} and host.elements > 20, "too few elements"
    print(f"{host.checked} boundaries, {host.messages} messages, edits: {', '.join(sorted(host.edits)) or 'none'}; "
          f"every digest as the server says it, {last} the last")
    if a.svg:
        draw(host, paths, a.svg)
    return 0


if __name__ == "__main__":
    sys.exit(main())
