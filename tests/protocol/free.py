#!/usr/bin/env python3
"""Two foreign simulators written from docs/protocol.md alone, in a live run of free mode: the test docs/protocol_free.

    tests/protocol/free.py CONVOY

They register for datagrams, keep the server's clock, decode and acknowledge everything that comes, make calls, exchange
elements, and compare their mirror of the world with what the server answers. Prints one line for each failed check, and
then exits 1. Needs what client.py needs.
"""
import collections
import math
import os
import re
import select
import socket
import struct
import subprocess
import sys
import tempfile
import time

import client as lockstep
from wire import load, proto, unproto, xxh3
from world import World

FOREIGN = 5
ELEMENTS_FRAME, PACE, INTEREST = 45, 43, 51
# Datagrams (section 5).
ELEMENT, ELEMENTS, STATES, CLOCK, REGISTER = 2, 7, 20, 22, 23
FULL, DELTA = 1, 2
FRAME_NAMES = {lockstep.GOODBYE: "goodbye", lockstep.HEARTBEAT: "heartbeat", lockstep.UDP_CONFIRMED: "udp_confirmed",
               lockstep.IMAGE: "image", lockstep.FINISH: "finish", lockstep.EDITS: "edits", PACE: "pace",
               ELEMENTS_FRAME: "elements frame", lockstep.REPLY: "reply"}
DATAGRAM_NAMES = {ELEMENT: "element", ELEMENTS: "elements", STATES: "states", CLOCK: "clock"}
NOTE = xxh3(b"convoy.Note") & 0xFFFFFFFF
SECOND = 1_000_000_000

SCENARIO = """
convoy: 1
name: protocol_free
world: {ground: {size: [12, 12], walls: 0.1}}
robots:
  - {name: walker, count: 6, model: turtlebot3_burger, driver: random_walk}
  - {name: polite, count: 5, model: turtlebot3_waffle, driver: right_of_way}
  - {name: crate, model: box, placement: {poses: [[0, 0]]}}
"""

failed = []


def check(good, what):
    if not good and what not in failed:
        failed.append(what)
    return good


# ------------------------------------------------------------------------------------------- datagrams (sections 5, 11)
def pack_datagram(kind, flags, run, connection, seq, ack, bits, payload):
    data = struct.pack("<BBHIIII", kind, flags, run & 0xFFFF, connection, seq, ack, bits) + payload
    return data + struct.pack("<I", xxh3(data) & 0xFFFFFFFF)


def unpack_datagram(data):
    """(type, flags, run, connection, seq, ack, ack bits, payload), or None if the checksum is wrong."""
    if not 24 <= len(data) <= 1400 or struct.unpack("<I", data[-4:])[0] != xxh3(data[:-4]) & 0xFFFFFFFF:
        return None
    return (*struct.unpack("<BBHIIII", data[:20]), data[20:-4])


def field(word, first, last, signed=True):
    size = last - first + 1
    n = word >> first & (1 << size) - 1
    return n - (1 << size) if signed and n >> size - 1 else n


def triple(word, first, size):
    return [field(word, first + i * size, first + (i + 1) * size - 1) for i in range(3)]


State = collections.namedtuple("State", "number discontinuity p q v w")


def unpack_state(record, origin):
    word = int.from_bytes(record, "little")
    if field(word, 198, 199, False):
        raise ValueError("bits 198 and 199 are not zero")
    p = (origin[0] + field(word, 24, 45) / 1000, origin[1] + field(word, 46, 67) / 1000, field(word, 68, 87) / 1000)
    q = [n / 1023 / math.sqrt(2) for n in triple(word, 90, 11)]
    q.insert(field(word, 88, 89, False), math.sqrt(max(0.0, 1 - sum(x * x for x in q))))
    return State(field(word, 0, 19, False), field(word, 20, 23, False), p, tuple(q),
                 tuple(n / 100 for n in triple(word, 123, 13)), tuple(n / 100 for n in triple(word, 162, 12)))


def unpack_states(payload):
    """[(stamp, [(state, [(position, velocity) of each joint])])]: the batches."""
    batches, at = [], 0
    while at < len(payload):
        stamp, x, y, states, joints = struct.unpack("<qiiHB", payload[at:at + 19])
        at, size = at + 19, 25 + 6 * joints
        if at + states * size > len(payload):
            raise ValueError("the counts of a batch of states do not add up")
        batches.append((stamp, []))
        for _ in range(states):
            turned = [(position, velocity / 100) for position, velocity in struct.iter_unpack("<fh", payload[at + 25:at + size])]
            batches[-1][1].append((unpack_state(payload[at:at + 25], (x, y)), turned))
            at += size
    if not batches:
        raise ValueError("a datagram of states without a batch")
    return batches


def unpack_list(payload):
    """(list, part, parts, [(type, bytes)]) of a datagram `elements`."""
    head, at, records = struct.unpack("<IHH", payload[:8]), 8, []
    while at < len(payload):
        kind, size = struct.unpack("<II", payload[at:at + 8])
        if at + 8 + size > len(payload):
            raise ValueError("the lengths of a list do not add up")
        records.append((kind, payload[at + 8:at + 8 + size]))
        at += 8 + size
    return (*head, records)


def record(kind, data):
    return struct.pack("<II", kind, len(data)) + data


# --------------------------------------------------------------------------------------------- clock and pace (section 11)
class Clock:
    def __init__(self):
        self.asked, self.exchanges, self.numbers = {}, collections.deque(maxlen=16), 0

    def probe(self):
        self.numbers += 1
        self.asked[self.numbers] = now = time.monotonic_ns()
        return struct.pack("<Iq", self.numbers, now)

    def answer(self, payload):
        number, server = struct.unpack("<Iq", payload)
        sent, received = self.asked.pop(number), time.monotonic_ns()
        self.exchanges.append((received - sent, server - (sent + received) // 2))

    def now(self):
        """The server's clock, by the exchange with the shortest round trip."""
        return time.monotonic_ns() + min(self.exchanges)[1]


Pace = collections.namedtuple("Pace", "run tick at speed limit")


class Paces:
    def __init__(self):
        self.list = []

    def add(self, pace):
        if self.list and self.list[-1].run != pace.run:
            self.list = []
        self.list = [p for p in self.list if p.tick < pace.tick] + [pace]

    def tick_at(self, moment, tick_ns):
        """The boundary, with its fraction, at a moment of the server's clock."""
        tick = self.list[0].tick
        for i, pace in enumerate(self.list):
            if moment >= pace.at or i == 0:
                end = min([pace.limit] + [p.tick for p in self.list[i + 1:]])
                tick = min(pace.tick + max(0, moment - pace.at) * pace.speed / tick_ns, end)
        return tick


# ----------------------------------------------------------------------------------------------------------- the client
class Guest:
    load_setup = lockstep.Host.load_setup

    def __init__(self, address, name):
        self.name, self.seen = name, collections.Counter()
        self.link, welcome = lockstep.greet(address, FOREIGN, name, datagrams=True)
        assert self.link, welcome
        self.number, self.token = welcome[1][0], welcome[2][0]
        check(welcome.get(4) == [1], f"{name}: Welcome does not say free_mode")
        check(welcome[6][0].decode() == name, f"{name}: Welcome has another name")
        self.beat_ns = welcome.get(8, [8 * SECOND])[0] // 8
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.connect((address[0], welcome[3][0]))
        self.seq = self.run = 0
        self.highest, self.received, self.taken = 0, set(), set()  # of the datagrams that came
        self.registered = self.finished = self.over = False
        self.image, self.loaded, self.clock, self.paces = b"", False, Clock(), Paces()
        self.replies, self.calls, self.edits = {}, 0, collections.Counter()
        self.elements, self.texts, self.lists, self.parts, self.full = {}, set(), 0, {}, (0, 0)
        self.next_register = self.next_probe = self.next_ack = self.next_beat = 0
        self.last_record, self.records, self.captured, self.early = 0, 0, b"", {}
        self.refused, self.told, self.turned = collections.Counter(), collections.Counter(), {}
        self.world = World(self.load_setup(address, struct.unpack("<Q", welcome[5][0])[0]))
        self.link.send(lockstep.READY, counted=True)

    # What goes out.
    def send(self, kind, payload, flags=0):
        self.seq += 1
        ack = max(self.taken, default=0)
        bits = sum(1 << i for i in range(32) if ack - 1 - i in self.taken)
        self.udp.send(pack_datagram(kind, flags, self.run, self.number, self.seq, ack, bits, payload))

    def send_list(self, flags, records=b""):
        self.lists += 1
        self.send(ELEMENTS, struct.pack("<IHH", self.lists, 0, 1) + records, flags)

    def call(self, **method):
        self.calls += 1
        self.link.send(lockstep.REQUEST, proto(_1=self.calls, **method), counted=True)
        return self.calls

    def note(self, number, text):
        return proto(_1=self.number, _2=number, _3=self.now(), _4=text, _5=proto(_1=1.0, _2=2.0))

    def now(self):
        """Simulated time, ns."""
        return int(self.paces.tick_at(self.clock.now(), self.world.tick_ns) * self.world.tick_ns)

    @property
    def ready(self):
        return self.registered and self.loaded and self.paces.list and len(self.clock.exchanges) >= 8

    def tend(self):
        """Sends what is due."""
        now = time.monotonic_ns()
        if now >= self.next_beat:
            self.link.send(lockstep.HEARTBEAT)
            self.next_beat = now + self.beat_ns
        if not self.registered:
            if now >= self.next_register:
                self.send(REGISTER, self.token)
                self.next_register = now + SECOND // 5
            return
        if self.loaded and now >= self.next_probe:
            self.send(CLOCK, self.clock.probe())
            self.next_probe = now + (20_000_000 if self.clock.numbers < 8 else 150_000_000)
        if self.loaded and now >= self.next_ack:
            self.send_list(DELTA)
            self.next_ack = now + SECOND // 30

    # What comes in.
    def take_frames(self):
        if self.over:
            return
        self.link.buffer += self.link.socket.recv(1 << 16) or self.link.closed()
        while len(self.link.buffer) >= 20:
            if len(self.link.buffer) < 20 + struct.unpack("<I", self.link.buffer[:4])[0]:
                return
            kind, payload = self.link.next()
            check(kind in FRAME_NAMES, f"{self.name}: a frame of type {kind} came")
            self.seen[FRAME_NAMES.get(kind, kind)] += 1
            self.take_frame(kind, payload)

    def take_frame(self, kind, payload):
        if kind == lockstep.UDP_CONFIRMED:
            self.registered = True
        elif kind == lockstep.IMAGE:
            piece = load("ImagePiece", payload)
            assert piece["offset"] == len(self.image)
            self.image += piece["bytes"]
            if len(self.image) == piece["total"]:
                self.world.load_image(self.image)
                self.run, self.loaded = piece["run"], True
        elif kind == PACE:
            check(len(payload) == 36, f"{self.name}: a pace of {len(payload)} bytes")
            pace = Pace(*struct.unpack("<Iqqdq", payload))
            check(pace.run == self.run, f"{self.name}: a pace of run {pace.run}")
            self.paces.add(pace)
        elif kind == lockstep.EDITS:
            edits = load("Edits", payload)
            check(self.loaded and edits["run"] == self.run, f"{self.name}: edits of another run, or before the image")
            check(not edits["states"] and not edits["held"], f"{self.name}: edits with a manifest")
            for which, edit in edits["edits"]:
                self.edits[which] += 1
                self.world.apply(which, edit, edits["tick"] * self.world.tick_ns)
        elif kind == ELEMENTS_FRAME:
            self.take_element(struct.unpack("<I", payload[:4])[0], payload[4:], self.highest)
        elif kind == lockstep.REPLY:
            reply = unproto(payload)
            self.replies[reply[1][0]] = reply
        elif kind == lockstep.FINISH:
            self.finished = True
        elif kind == lockstep.GOODBYE:
            check(not payload, f"{self.name}: goodbye says: {payload.decode()}")
            self.over = True

    def take_datagram(self):
        try:
            data = self.udp.recv(2048)
        except ConnectionRefusedError:
            check(self.finished, f"{self.name}: the server's UDP port is closed")
            return
        got = unpack_datagram(data)
        if not check(got, f"{self.name}: a datagram with a wrong checksum"):
            return
        kind, flags, run, connection, seq, ack, _, payload = got
        if seq in self.received or seq <= self.highest - 64 or (kind != CLOCK and run != self.run & 0xFFFF):
            self.refused["replayed, or of another run"] += 1
            return
        self.received.add(seq)
        self.highest = max(self.highest, seq)
        check(connection == self.number, f"{self.name}: a datagram for connection {connection}")
        check(ack <= self.seq, f"{self.name}: datagram {ack} is acknowledged, {self.seq} were sent")
        check(kind in DATAGRAM_NAMES, f"{self.name}: a datagram of type {kind} came")
        check(flags in (FULL, DELTA) if kind == ELEMENTS else flags == 0, f"{self.name}: type {kind} with flags {flags}")
        self.seen[DATAGRAM_NAMES.get(kind, kind)] += 1
        if kind == STATES and not self.take_states(payload, data):
            return
        if kind == CLOCK:
            self.clock.answer(payload)
        elif kind == ELEMENT:
            self.take_element(struct.unpack("<I", payload[:4])[0], payload[4:], seq)
        elif kind == ELEMENTS:
            self.take_list(flags, seq, *unpack_list(payload))
        self.taken.add(seq)

    def take_states(self, payload, data):
        """True if all of it could be used."""
        if not self.loaded:
            return False
        if len(data) > len(self.captured):
            self.captured = data
        batches = unpack_states(payload)
        return all([self.take_batch(*batch) for batch in batches])

    def take_batch(self, stamp, states):
        if self.ready:
            ahead = (stamp - self.now()) / SECOND
            check(-3 < ahead <= 0.5, f"{self.name}: a state of {ahead:.2f} s ahead of simulated time")
        usable = True
        for state, joints in states:
            self.records += 1
            self.last_record = time.monotonic()
            self.told[state.number] += 1
            entity = self.world.entities.get(state.number)
            if entity is None or entity.words[14] % 16 != state.discontinuity:
                self.refused["unknown entity" if entity is None else "another discontinuity count"] += 1
                usable = False
                continue
            check(entity.owner != self.number, f"{self.name}: a state of an entity of its own")
            wanted = len(self.world.models[entity.model]["joints"])
            check(len(joints) == wanted, f"{self.name}: {len(joints)} joints of {wanted} of entity {state.number}")
            if stamp <= entity.words[0]:
                self.refused["stale stamp"] += 1
                continue
            self.early.setdefault(state.number, (stamp, state.p))
            entity.put(stamp, (state.p, state.q), state.v, state.w)
            self.turned[state.number] = joints
        return usable

    def take_element(self, kind, data, seq):
        if not check(kind == NOTE, f"{self.name}: an element of type {kind:08x}"):
            return
        note = unproto(data)
        connection, number, stamp = note[1][0], note[2][0], note.get(3, [0])[0]
        check(connection != self.number, f"{self.name}: an element of its own came back")
        named, before, _ = self.elements.get((connection, number), (0, -1, ""))
        text = note[4][0].decode()
        check((unproto(note[5][0])[1][0], unproto(note[5][0])[2][0]) == (struct.pack("<d", 1.0), struct.pack("<d", 2.0)),
              f"{self.name}: a note stands elsewhere")
        if before < 0 and seq < self.full[1]:
            return  # gone meanwhile
        self.texts.add(text)
        if stamp > before:
            self.elements[connection, number] = (max(named, seq), stamp, text)
        else:
            self.name_element((connection, number), seq)

    def name_element(self, key, seq):
        if key in self.elements:
            named, *rest = self.elements[key]
            self.elements[key] = (max(named, seq), *rest)

    def take_list(self, flags, seq, number, part, parts, records):
        check(number >= 1 and part < parts, f"{self.name}: part {part} of {parts} of list {number}")
        if number < self.full[0]:
            return
        for kind, data in records:
            if kind:
                self.take_element(kind, data, seq)
            else:
                check(flags == FULL and len(data) % 8 == 0, f"{self.name}: names stand in a delta")
                for key in struct.iter_unpack("<II", data):
                    self.name_element(key, seq)
        if flags == FULL:
            self.seen["full list"] += 1
            self.parts.setdefault(number, {})[part] = seq
            if len(self.parts[number]) == parts:
                first = min(self.parts[number].values())
                self.full = (number, first)
                self.elements = {key: e for key, e in self.elements.items() if e[0] >= first}


# -------------------------------------------------------------------------------------------------------------- the run
class Session:
    def __init__(self, guests):
        self.guests = guests

    def turn(self):
        sockets = {}
        for guest in self.guests:
            if not guest.over:
                guest.tend()
                sockets[guest.link.socket], sockets[guest.udp] = guest.take_frames, guest.take_datagram
        # Datagrams last: what defines their meaning may have come on TCP.
        for s in sorted(select.select(list(sockets), [], [], 0.005)[0], key=lambda s: s.type == socket.SOCK_DGRAM):
            sockets[s]()

    def until(self, what, patience, why):
        end = time.monotonic() + patience
        while not what() and time.monotonic() < end:
            self.turn()
        return why is None or check(what(), why)

    def call(self, guest, error=0, **method):
        call = guest.call(**method)
        assert self.until(lambda: call in guest.replies, 20, f"no reply to call {call}"), "no reply"
        reply = guest.replies[call]
        check(reply.get(2, [0])[0] == error, f"call {call}: error {reply.get(2)}, {reply.get(3)}, not {error}")
        return reply


def doubles(message, count, first=1):
    return tuple(struct.unpack("<d", message[i][0])[0] if i in message else 0.0 for i in range(first, first + count))


def vectors(reply, number, sizes):
    """The parts of Reply's pose or twist."""
    outer = unproto(reply[number][0])
    return [doubles(unproto(outer.get(i + 1, [b""])[0]), n) for i, n in enumerate(sizes)]


def exchange_elements(session, alice, bob):
    """Every way on which an element travels."""
    # What changes has a later stamp than before, which takes a time that goes on.
    session.until(lambda: alice.now() > 0, 20, "simulated time does not begin")
    alice.send(ELEMENT, struct.pack("<I", NOTE) + alice.note(1, "alone"))
    session.until(lambda: "alone" in bob.texts, 5, "bob has not got the element of its own datagram")
    alice.send_list(DELTA, record(NOTE, alice.note(2, "in a delta")) + record(NOTE, alice.note(3, "beside it")))
    session.until(lambda: {"in a delta", "beside it"} <= bob.texts, 5, "bob has not got the elements of a delta")
    large = "large " * 500
    alice.link.send(ELEMENTS_FRAME, struct.pack("<I", NOTE) + alice.note(4, large), counted=True)
    session.until(lambda: large in bob.texts, 5, "bob has not got the large element")
    check(bob.seen["elements frame"] > 0, "the large element came in no frame of its own")
    noted = alice.now()
    session.until(lambda: alice.now() > noted, 5, "simulated time does not go on")
    alice.send_list(FULL, record(NOTE, alice.note(2, "in a full list")) + record(0, struct.pack("<4I", alice.number, 1,
                                                                                             alice.number, 4)))
    left = {(alice.number, i) for i in (1, 2, 4)}
    session.until(lambda: set(bob.elements) == left and "in a full list" in bob.texts, 5,
                  "bob does not hold what alice's full list leaves")
    check(not alice.elements, "alice got elements, and nobody else has any")


def compare(session, guest, names):
    """The mirror of a paused world, against what `get` answers."""
    guest.world.carry()
    worst = 0.0
    by_name = {e.spec["name"]: e for e in guest.world.entities.values()}
    check(sorted(by_name) == sorted(names), f"{guest.name}: other entities than the server has")
    for name, entity in by_name.items():
        reply = session.call(guest, _12=proto(_1=name))
        p, q = vectors(reply, 6, (3, 4))
        far = math.dist(entity.pose[0], p)
        worst = max(worst, far)
        check(far <= 0.001, f"{guest.name}: {name} is {far * 1000:.2f} mm away from where the server has it")
        turn = 1 - abs(sum(a * b for a, b in zip(entity.pose[1], q)))
        check(turn < 1e-5, f"{guest.name}: {name} is turned by {2 * math.acos(max(-1, min(1, 1 - turn))):.4f} rad")
        for mine, said, what in zip(entity.twist, vectors(reply, 7, (3, 3)), ("velocity", "turn rate")):
            check(math.dist(mine, said) < 0.02, f"{guest.name}: the {what} of {name} is {mine}, not {said}")
    return worst


def truncated(guest):
    data = guest.captured
    check(len(data) > 24 + 16 + 25, "no states datagram was captured")
    check(unpack_datagram(data) is not None, "the captured datagram is refused")
    for size in range(len(data)):
        check(unpack_datagram(data[:size]) is None, f"a states datagram cut short to {size} bytes is not refused")
    for bit in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        check(unpack_datagram(bytes(flipped)) is None, f"a states datagram with bit {bit} flipped is not refused")


def drive_and_watch(session, alice, bob):
    session.until(lambda: alice.ready and bob.ready, 20, "the guests are not ready in time")
    start = (5.0, 5.0)
    reply = session.call(alice, _10=proto(_1=proto(_1="alien", _2="turtlebot3_burger", _3=lockstep.pose(*start, -0.9),
                                                   _8="host0")))
    number = unproto(reply[9][0])[3][0]
    session.until(lambda: all(number in g.world.entities for g in (alice, bob)), 5, "the spawned robot came in no edit")
    session.call(alice, _14=proto(_1="alien", _2=0.2, _3=0.1, _4=10.0))
    session.call(bob, _15=proto(_1="walker_0", _2="crate"))
    session.call(bob, _13=proto(_1="walker_1", _2=lockstep.pose(-4.0, 4.0, 0.6)))
    session.call(bob, error=4, _28=b"")  # stop is not for foreign simulators
    exchange_elements(session, alice, bob)
    session.until(lambda: alice.now() > 4 * SECOND, 20, "simulated time does not go on")

    session.call(alice, _19=b"")
    session.until(lambda: all(g.paces.list[-1].limit == g.paces.list[-1].tick for g in (alice, bob)), 5,
                  "no pace says where the run waits")
    session.until(lambda: alice.clock.now() > alice.paces.list[-1].at, 5, "the moment of the pause never comes")
    session.until(lambda: time.monotonic() - max(alice.last_record, bob.last_record) > 0.5, 10,
                  "states of a paused world come again and again, although they were acknowledged")
    paused = alice.now()
    check(paused == alice.paces.list[-1].limit * alice.world.tick_ns, "simulated time went past the limit")
    names = [n.decode() for n in session.call(alice, _17=b"")[5]]
    worst = max(compare(session, guest, names) for guest in (alice, bob))
    way = math.dist(alice.world.entities[number].pose[0][:2], start)
    check(way > 0.1, f"the spawned robot has moved by {way:.3f} m only")
    moved = sum(math.dist(alice.world.entities[n].pose[0], p) > 0.02 for n, (_, p) in alice.early.items())
    check(moved >= 6, f"only {moved} robots have moved")
    check(alice.now() == paused, "simulated time goes on in a pause")

    session.call(alice, _20=b"")
    session.until(lambda: alice.now() > paused, 5, "simulated time does not go on after resume")
    look(session, bob, number)
    turn_wheels(bob, number)
    session.until(lambda: alice.over and bob.over, 30, "the run does not end")
    return worst, way


def look(session, guest, number):
    """From here on only what is near the entity is sent, wherever it goes."""
    near = 3.0
    guest.link.send(INTEREST, struct.pack("<dIdd", near, number, 0.0, 0.0), counted=True)
    session.until(lambda: False, 0.5, None)
    guest.told.clear()
    session.until(lambda: False, 0.5, None)
    place = guest.world.entities[number].pose[0][:2]
    check(guest.told[number] > 0, f"{guest.name}: nothing is told of the entity in the middle")
    for other in guest.told:
        far = math.dist(guest.world.entities[other].pose[0][:2], place)
        check(far < near + 1.5, f"{guest.name}: entity {other} is told of, {far:.1f} m away from where it looks")
    check(len(guest.told) < len(guest.world.entities), f"{guest.name}: everything is told in spite of the region")


def turn_wheels(guest, number):
    """A differential drive: the wheels' speeds are the robot's, by radius and distance."""
    entity, (left, right) = guest.world.entities[number], guest.turned[number]
    model = guest.world.models[entity.model]
    v, w = math.hypot(*entity.twist[0][:2]), entity.twist[1][2]
    for wheel, side in ((left, -1), (right, 1)):
        expected = (v + side * w * model["half_separation"]) / model["wheel_radius"]
        check(abs(wheel[1] - expected) < 0.3, f"{guest.name}: a wheel turns by {wheel[1]:.2f} rad/s, not {expected:.2f}")
    check(abs(right[0]) > 1, f"{guest.name}: a wheel has turned by {right[0]:.2f} rad only")


def finish(launch, alice, bob, report):
    for guest in (alice, bob):
        for kind in ("image", "pace", "edits", "finish", "goodbye", "heartbeat", "udp_confirmed", "reply", "states", "clock"):
            check(guest.seen[kind] > 0, f"{guest.name}: no {kind} came")
        for which in ("Spawn", "SetState", "Attach", "Mount"):
            check(guest.edits[which] > 0, f"{guest.name}: no edit {which} came")
    check(bob.seen["element"] + bob.seen["elements"] > 0, "bob: no datagram with elements came")
    truncated(alice)
    check(launch.wait(20) == 0, f"launch ended with {launch.returncode}")
    worst, way = report
    for guest in (alice, bob):
        print(f"{guest.name}: " + ", ".join(f"{n} {k}" for k, n in sorted(guest.seen.items())) +
              f"; {guest.records} states; not used: {dict(guest.refused) or 'none'}")
    print(f"the mirrors are {worst * 1000:.2f} mm off at most; the spawned robot drove {way:.2f} m")


def main():
    with tempfile.TemporaryDirectory() as folder:
        scenario, log = os.path.join(folder, "free.yaml"), os.path.join(folder, "log")
        with open(scenario, "w") as f:
            f.write(SCENARIO)
        with open(log, "w") as out:
            launch = subprocess.Popen([sys.argv[1], "launch", scenario, "--mode", "free", "--hosts", "2", "--speed", "1",
                                       "--duration", "8s", "--listen", "127.0.0.1:0"], stdout=out, stderr=out)
        try:
            port, end = None, time.monotonic() + 20
            while not port and time.monotonic() < end:
                time.sleep(0.01)
                with open(log) as f:
                    port = re.search(r"listens on 127\.0\.0\.1:(\d+)", f.read())
            assert port, "launch does not say where it listens"
            address = ("127.0.0.1", int(port[1]))
            alice, bob = Guest(address, "alice"), Guest(address, "bob")
            finish(launch, alice, bob, drive_and_watch(Session([alice, bob]), alice, bob))
        except (AssertionError, ConnectionError, ValueError, KeyError, struct.error) as trouble:
            failed.append(f"{type(trouble).__name__}: {trouble}")
        finally:
            if launch.poll() is None:
                launch.terminate()
                launch.wait(20)
        if failed:
            with open(log) as f:
                print(f.read())
    for line in failed:
        print(f"FAILED {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
