#!/usr/bin/env python3
"""Every type of frame and datagram of docs/protocol.md, captured from live runs and decoded.

    tests/protocol/capture.py CONVOY FOREIGN_CLIENT BARRIER_CLIENT

One run in lockstep and one in free mode, with real processes on 127.0.0.1, are captured from the network interface. The
decoders know the protocol from the page alone. A type of the page's two tables that does not occur fails, as does any
byte that cannot be decoded; then each type's decoder gets the message cut short and with flipped bits. Exits with 77
where the network may not be captured.
"""
import contextlib
import ctypes
import json
import os
import pathlib
import re
import socket
import struct
import sys
import threading
import time

import decode
import free
from conversation import Conversation
from decode import DATAGRAMS, FRAMES, Malformed

import client as lockstep
from wire import VERSION, proto, unproto

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from harness import SKIPPED, Process, free_block, new_bench

NONCE, GOODBYE_DATAGRAM, ANSWER = 13, 1, 24
LARGEST_ELEMENT = 1372  # in a datagram; no list holds it
LOCKSTEP = """
convoy: 1
name: capture
time: {mode: lockstep, tick: 10ms, duration: 600s}
world: {ground: {size: [12, 12], resolution: 0.2, walls: 0.1}}
network: {range: 6, jitter: 20ms}
checkpoint: 20
liveness: 10s
wait_for: {names: [outside], deadline: 20s}
robots:
  - {name: walker, count: 4, model: turtlebot3_burger, driver: random_walk}
  - {name: polite, count: 4, model: turtlebot3_waffle, driver: right_of_way}
  - {name: crate, model: box, placement: {poses: [[0, 0]]}}
"""
# Samples that another machine computes: their bytes count.
SENSORS = """  - name: seer
    model: turtlebot3_burger
    sensors: [{type: scan, distribution: client_only, load: 0.4, beams: 8000}]
digest: [state, sensors]
sensors: {policy: measured}
"""
FREE = LOCKSTEP.replace("lockstep", "free").replace("wait_for", "#").replace("count: 4", "count: 30")


# ---------------------------------------------------------------------------------------------------- from the network
SO_ATTACH_FILTER, SO_RCVBUFFORCE, SOL_PACKET, PACKET_STATISTICS = 26, 33, 263, 6
ETH_P_ALL, OUTGOING, BUFFER = 3, 4, 64 << 20


def port_filter(port):
    """Classic BPF: IPv4 packets that come from or go to this port."""
    code = [(0x28, 0, 0, 12), (0x15, 0, 6, 0x800),            # EtherType
            (0xB1, 0, 0, 14),                                 # X: length of the IP header
            (0x48, 0, 0, 14), (0x15, 2, 0, port),             # source port
            (0x48, 0, 0, 16), (0x15, 0, 1, port),             # target port
            (0x06, 0, 0, 0xFFFFFFFF), (0x06, 0, 0, 0)]
    return b"".join(struct.pack("HBBI", *line) for line in code), len(code)


class Tap:
    """All packets of one port on the loopback interface, from now until stop(), in order."""

    def __init__(self, port):
        # Protocol 0 takes nothing; the filter is in place before anything comes.
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        code, lines = port_filter(port)
        held = ctypes.create_string_buffer(code)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HP", lines, ctypes.addressof(held)))
        with contextlib.suppress(PermissionError):
            self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)
        self.socket.settimeout(0.1)
        self.socket.bind(("lo", ETH_P_ALL))
        self.packets, self.ended = [], False
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def listen(self):
        while True:
            try:
                data, address = self.socket.recvfrom(1 << 18)
            except TimeoutError:
                if self.ended:
                    return
                continue
            if address[2] == OUTGOING:  # each packet shows up as it leaves, and again as it arrives
                self.packets.append(data)

    def stop(self):
        """(protocol, source port, target port, payload, TCP seq, SYN) of each packet."""
        self.ended = True
        self.thread.join()
        _, lost = struct.unpack("II", self.socket.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
        self.socket.close()
        if lost:
            raise RuntimeError(f"the capture lost {lost} packets")
        return [p for p in map(self.opened, self.packets) if p]

    @staticmethod
    def opened(data):
        ip = data[14:]
        size, head, proto = struct.unpack("!H", ip[2:4])[0], 4 * (ip[0] & 15), ip[9]
        body = ip[head:size or len(ip)]  # the length is 0 in a packet of more than 64 KiB
        source, target = struct.unpack("!HH", body[:4])
        if proto == socket.IPPROTO_UDP:
            return "udp", source, target, body[8:], 0, False
        if proto != socket.IPPROTO_TCP:
            return None
        seq, offset, flags = struct.unpack("!I4xBB", body[4:14])
        return "tcp", source, target, body[4 * (offset >> 4):], seq, bool(flags & 2)


def may_capture():
    try:
        socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0).close()
        return True
    except (OSError, AttributeError) as error:
        print(f"skipped: the network cannot be captured here: {error}")
        return False


# ------------------------------------------------------------------------------------------------------------ the runs
class Run:
    """A server with two hosts, and the capture of its port."""

    def __init__(self, bench, stack, mode, scenario):
        self.bench, self.stack = bench, stack
        bench.scenario.write_text(scenario)
        sensors = 1 if mode == "lockstep" else 0
        self.server = self.process(bench, "server", bench.scenario, "--mode", mode, "--hosts", 2, "--speed", 1, "--sensor-hosts",
                                   2 * sensors, "--listen", "127.0.0.1:0", "--paused", *self.recorded(mode))
        self.port = self.server.port()
        self.address, self.at = ("127.0.0.1", self.port), f"127.0.0.1:{self.port}"
        self.tap = Tap(self.port)
        self.doors = free_block(20)  # of the first host, for programs that step time
        more = {0: ["--zmq-port", self.doors]}
        if sensors:  # the first that comes gets the scan, and the other one when it is given up
            threading.Thread(target=babble, args=(self.address, *sensor_host(self.address, "sensor1")), daemon=True).start()
        self.hosts = [self.process(bench, "client", "--connect", self.at, "--name", f"host{i}", *more.get(i, [])) for i in range(2)]
        self.hosts += [self.process(bench, "sensor-host", "--connect", self.at, "--name", f"sensor{i}") for i in range(sensors)]

    def recorded(self, mode):
        # Hosts send checkpoints if a recorder keeps them, and samples that it wants.
        return ["--record", self.bench.folder / "run.mcap", "--record-sensors", "seer/*"] if mode == "lockstep" else []

    def process(self, bench, *arguments, command=None):
        process = Process(bench, arguments, command)
        self.stack.callback(process.end)
        return process

    def program(self, path, *arguments):
        return self.process(self.bench, *arguments, command=[path])

    def ctl(self, *arguments):
        return self.bench.expect(0, "", "", "ctl", "--connect", self.at, "--wait", 20, *arguments).stdout

    def topics(self):
        return self.bench.expect(0, "", "", "topic", "--connect", self.at, "list").stdout

    def begun(self):
        """Calls that change the world are refused until all hosts are ready."""
        end = time.monotonic() + 30
        while self.bench.call("ctl", "--connect", self.at, "pause").returncode != 0:
            if time.monotonic() > end:
                raise RuntimeError(f"the run does not begin:\n{self.server.text()}")
            time.sleep(0.05)

    def over(self):
        self.bench.check(self.server.wait() == 0, "the server ends in order", self.server.text())
        for host in self.hosts:
            self.bench.check(host.wait() == 0, "a host ends in order", host.text())
        return self.tap.stop()


IMAGE, VIEW, LOOK, ORDERS, SAMPLES, WANTED = 32, 55, 56, 58, 59, 62


def sensor_host(address, name):
    """One that is ready: (link, its number and token)."""
    build = lockstep.Control(address).build
    _, (_, text) = lockstep.greet(address, 2, name, build, 1)  # a wrong fingerprint: the right one is told
    link, welcome = lockstep.greet(address, 2, name, build, int(re.search(r"the server's ([0-9a-f]{16})", text)[1], 16))
    link.send(lockstep.READY, counted=True)
    return link, welcome[1][0], welcome[2][0]


def babble(address, link, number, token):
    """Answers what is ordered with a piece of a sample that cannot be the first one."""
    with contextlib.suppress(OSError):
        beside = lockstep.Link(address)  # for samples
        beside.send(lockstep.HELLO, proto(_1=VERSION, _13=proto(_1=number, _2=token)))
        while True:
            kind, payload = link.next()
            if kind == lockstep.HEARTBEAT:
                link.send(lockstep.HEARTBEAT)
            elif kind == ORDERS:
                host, _, run, tick, _, robot, sensor, index = struct.unpack_from("<IIIqIIIQ", payload)
                piece = struct.pack("<IIQqqIII", robot, sensor, index, 0, 0, 5, 9, 3) + b"abc" + struct.pack("<IQ", 0, 0)
                beside.send(SAMPLES, struct.pack("<IIIqI", number, host, run, tick, 1) + piece)


def look_at(bench, address, boundaries):
    """A viewer, which is shown the world and then so many boundaries; then it leaves."""
    link, _ = lockstep.greet(address, 3, "eye")
    link.send(lockstep.READY, counted=True)
    sensor = b"seer/scan"
    link.send(WANTED, struct.pack("<III", 1, 1, len(sensor)) + sensor + struct.pack("<q", 0), counted=True)
    seen = []
    while len(seen) < boundaries:
        kind, payload = link.next()
        if kind == lockstep.HEARTBEAT:
            link.send(lockstep.HEARTBEAT)
        whole = (kind == VIEW and payload[-1] == 1) or (kind == IMAGE and sum(struct.unpack("<IqI", payload[:16])[2:]) + len(payload) - 24 ==
                                                        struct.unpack("<I", payload[16:20])[0])
        if kind == VIEW and payload[-1] == 1:
            seen.append(struct.unpack("<q", payload[4:12])[0])
        if whole:
            link.send(LOOK, counted=True)
    link.send(lockstep.GOODBYE)
    bench.check(seen == sorted(seen) and len(set(seen)) == boundaries, "a viewer is shown later boundaries", seen)


def in_lockstep(bench, foreign_client, barrier_client):
    with contextlib.ExitStack() as stack:
        run = Run(bench, stack, "lockstep", LOCKSTEP + SENSORS)
        strange = lockstep.Link(run.address)
        strange.send(lockstep.HELLO, proto(_1=99, _4=4))
        bench.check(strange.next()[0] == lockstep.DECLINE, "a strange version of the protocol is declined")
        barrier = run.program(barrier_client, run.at, "outside")
        run.begun()
        foreign = run.program(foreign_client, run.at, "alien", 2)
        foreign.wait_for(r"^joined as alien, lockstep$")
        run.ctl("spawn", "late", "--model", "truck", "--pose", "5,5", "--host", "host1", "--driver", "random_walk")
        run.ctl("attach", "walker_0", "walker_1")  # on different hosts: the child's agent moves
        run.ctl("set", "crate", "--pose", "-4,4.5,0.6")
        run.ctl("environment", "--rain", "0.25")
        run.ctl("step", 5)
        run.ctl("drive", "walker_0", "--forward", 0.2)
        run.ctl("resume")
        foreign.wait_for(r"^element appeared convoy\.Vehicle \d+/1$")
        barrier.wait_for(r"^1 s$")
        look_at(bench, run.address, 5)
        step_time(bench, run.doors + 4)
        run.ctl("detach", "walker_1")
        run.ctl("delete", "late")
        run.ctl("list")
        run.topics()
        run.ctl("get", "walker_0")
        run.ctl("status")
        run.ctl("stop")
        packets = run.over()
        digest = re.search(r"^digest ([0-9a-f]{16})$", run.server.out.read_text(), re.M)
        bench.check(digest, "the server says its digest", run.server.text())
        bench.check(barrier.wait() == 0 and foreign.wait() == 0, "the programs outside end in order", foreign.text())
    return run.port, packets, digest and digest[1]


class Calls:
    """A REQ socket of ZeroMQ (ZMTP 3.0 without security), with JSON in it."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), 20)
        self.socket.settimeout(20)
        self.socket.sendall(b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32))
        self.take(64)
        ready = b"\x05READY\x0bSocket-Type\x00\x00\x00\x03REQ"
        self.socket.sendall(struct.pack("BB", 4, len(ready)) + ready)
        self.frame()

    def take(self, n):
        data = b""
        while len(data) < n:
            more = self.socket.recv(n - len(data))
            if not more:
                raise ConnectionError("the port of calls is closed")
            data += more
        return data

    def frame(self):
        flags, = self.take(1)
        return flags, self.take(struct.unpack("!Q", self.take(8))[0] if flags & 2 else self.take(1)[0])

    def __call__(self, op, **fields):
        request = json.dumps({"op": op, **fields}).encode()
        self.socket.sendall(b"\x01\x00" + struct.pack("BB", 0, len(request)) + request)
        while True:
            flags, body = self.frame()
            if not flags & 1:
                return json.loads(body)


def step_time(bench, port):
    calls = Calls(port)
    me = calls("hello")["session_id"]
    stood = calls("set_mode", session_id=me, mode="stepped")["tick"]
    bench.check(calls("step", session_id=me, ticks=3)["tick"] == stood + 3, "a program steps time")
    robot = calls("hello")["articulations"][0]["name"]
    bench.check(calls("set_state", session_id=me, articulation=robot, qvel=[0.1, 0, 0, 0, 0, 0])["op"] == "set_state_ok", "and puts a robot")
    calls("bye", session_id=me)


class Mover(free.Guest):
    """A guest whose endpoint changes, whose link breaks, and that sends a goodbye."""
    moved = None  # the new socket, until the server has asked for it
    answered = False

    def take_frame(self, kind, payload):
        if kind != NONCE:
            return super().take_frame(kind, payload)
        self.udp, self.moved = self.moved, None
        self.send(ANSWER, payload)
        self.answered = True
        return None

    def move(self):
        """Registers from another address."""
        self.moved, old = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), self.udp
        self.moved.connect(old.getpeername())
        self.udp = self.moved
        self.send(free.REGISTER, self.token)
        self.udp = old

    def resume(self, address):
        """Goes on with another link. All that it has sent was answered, so nothing is to be sent again."""
        sent, received = self.link.sent, self.link.received
        self.link.socket.close()
        self.link = lockstep.Link(address)
        self.link.sent, self.link.received = sent, received
        self.link.send(lockstep.HELLO, proto(_1=VERSION, _8=proto(_1=self.number, _2=self.token, _3=received)))
        kind, payload = self.link.next()
        free.check(kind == lockstep.WELCOME and unproto(payload)[7] == [sent], "the server has not what was sent")

    def leave(self, by_datagram):
        if by_datagram:
            self.send(GOODBYE_DATAGRAM, self.token)
        else:
            self.link.send(lockstep.GOODBYE)
        self.over = True


def in_free_mode(bench):
    free.FRAME_NAMES[NONCE] = "nonce"
    with contextlib.ExitStack() as stack:
        run = Run(bench, stack, "free", FREE)
        alice, bob = Mover(run.address, "alice"), Mover(run.address, "bob")
        session = free.Session([alice, bob])
        threading.Thread(target=lambda: (run.begun(), run.ctl("resume")), daemon=True).start()
        session.until(lambda: alice.ready and bob.ready, 20, "the guests are not ready in time")
        session.call(alice, _10=proto(_1=proto(_1="alien", _2="turtlebot3_burger", _3=lockstep.pose(5.0, 5.0, -0.9))))
        session.call(alice, _15=proto(_1="walker_00", _2="crate"))
        session.call(alice, _14=proto(_1="walker_02", _2=0.2, _3=0.1, _4=10.0))
        below = proto(_1=proto(_1=5.0, _2=-5.0, _3=-0.5), _2=proto(_1=1.0))
        session.call(alice, _13=proto(_1="walker_03", _2=below))
        free.exchange_elements(session, alice, bob)
        tight = "tight " + "x" * (LARGEST_ELEMENT - len(alice.note(8, "x" * 200)) + 194)
        alice.send(free.ELEMENT, struct.pack("<I", free.NOTE) + alice.note(8, tight))
        session.until(lambda: tight in bob.texts, 5, "bob has not got the largest element of a datagram")
        alice.move()
        session.until(lambda: alice.answered, 5, "the server does not ask for the new endpoint")
        session.call(alice, _17=b"")
        alice.resume(run.address)
        bob.send_list(free.DELTA, free.record(free.NOTE, bob.note(7, "to the new endpoint")))
        session.until(lambda: "to the new endpoint" in alice.texts, 5, "nothing comes to the new endpoint")
        bob.link.send(free.INTEREST, struct.pack("<dIdd", 3.0, 1, 0.0, 0.0), counted=True)
        end = time.monotonic() + 2
        session.until(lambda: time.monotonic() > end, 3, None)
        alice.leave(by_datagram=True)
        run.ctl("status")
        run.topics()
        bob.leave(by_datagram=False)
        run.ctl("stop")
        packets = run.over()
    for line in free.failed:
        bench.check(False, line)
    return run.port, packets


# ------------------------------------------------------------------------------------------------- what was captured
def decoded(bench, port, packets, free_mode):
    conversation = Conversation(port, free_mode)
    try:
        for packet in packets:
            conversation.packet(*packet)
        conversation.end()
    except Malformed as error:
        bench.check(False, f"{'free mode' if free_mode else 'lockstep'}: {error}")
    return conversation


def tell(bench, conversations):
    print(f"{'':10} {'type':>4} {'name':14} {'server':>7} {'client':>7} {'bytes':>9}")
    for table, rows in (("frame", FRAMES), ("datagram", DATAGRAMS)):
        for kind, row in sorted(rows.items()):
            server, client, size = (sum(c.count[table, kind, of] for c in conversations)
                                    for of in (True, False, "bytes"))
            print(f"{table:10} {kind:4} {row.name:14} {server:7} {client:7} {size:9}")
            for side, count in (("server", server), ("client", client)):
                sends = row.sender == "both" or (side == "server") == row.sender.startswith("server")
                bench.check(count or not sends, f"the capture has no {table} of type {kind} ({row.name}) from a {side}")
    for conversation in conversations:
        for kind, counter in sorted(conversation.kinds.items()):
            print(f"{kind}: " + ", ".join(f"{n} {what}" for what, n in sorted(counter.items())))


def refused(decoder, data, value, what, bench):
    """True if the decoder reports that it cannot be; else it must be something else."""
    try:
        other = decoder(data)
        same = other == value and repr(other) == repr(value)  # 0.0 == -0.0, where the sign's bit was flipped
        bench.check(not same, f"{what}: is taken for the whole message")
        return False
    except Malformed:
        return True
    except Exception as error:  # anything else is a hole in the decoder
        bench.check(False, f"{what}: {type(error).__name__}: {error}")
        return True


def damaged(bench, table, kind, data, decoder):
    """The message cut short at every length, and with each bit flipped; of large ones, a share of them."""
    row = {"frame": FRAMES, "datagram": DATAGRAMS}.get(table, {}).get(kind)
    value, name = decoder(data), f"{table} {row.name if row else kind}"
    tries = min(8 * len(data), max(64, 819_200 // max(1, len(data))))
    counter = [0, 0]
    step = max(1, len(data) * 8 // max(1, tries))
    # A layout without an open end is refused wherever it is cut.
    closed = row is None or row.payload[0] == "`" or row.payload in ("empty", "u64", "token")
    for size in range(0, len(data), max(1, step // 8)):
        said = refused(decoder, data[:size], value, f"{name}, cut short to {size} bytes", bench)
        bench.check(said or not closed, f"{name}, cut short to {size} bytes: is not refused")
        counter[said] += 1
    for bit in range(0, 8 * len(data), step):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        counter[refused(decoder, bytes(flipped), value, f"{name}, bit {bit} flipped", bench)] += 1
    return counter


def damaged_wholes(bench):
    """The same with a header: no part of a frame is a frame, and no damage passes its checksum."""
    payload = bytes(range(50))
    head = struct.pack("<IBBHII", len(payload), 14, 0, 0, 5, 7)
    whole = head + struct.pack("<I", decode.xxh3(head + struct.pack("<Q", decode.xxh3(payload))) & 0xFFFFFFFF) + payload
    packed = free.pack_datagram(20, 0, 1, 2, 3, 4, 5, payload)
    bench.check(decode.cut_frame(whole, 0)[0].payload == payload and decode.apart(packed * 3) == [packed] * 3,
                "whole frames and datagrams are taken")
    for bit in range(8 * len(whole)):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        bench.check(decode.cut_frame(whole[:bit // 8], 0) is None, "a part of a frame is taken")
        with contextlib.suppress(Malformed):
            bench.check(decode.cut_frame(bytes(flipped), 0) is None, f"a frame with bit {bit} flipped is taken")
    for bit in range(8 * len(packed)):
        flipped = bytearray(packed)
        flipped[bit // 8] ^= 1 << bit % 8
        bench.check(not decode.sound(bytes(flipped)), f"a datagram with bit {bit} flipped is taken")
        bench.check(not decode.sound(packed[:bit // 8]), "a part of a datagram is taken")


def damage(bench, conversations):
    samples = {}
    for conversation in conversations:
        for key, sample in conversation.samples.items():
            if len(sample[0]) > len(samples.get(key, [b""])[0]) or key not in samples:
                samples[key] = sample
    total = [0, 0]
    for (table, kind), (data, decoder) in samples.items():
        total = [a + b for a, b in zip(total, damaged(bench, table, kind, data, decoder))]
    damaged_wholes(bench)
    print(f"damaged on purpose: {sum(total)} messages of {len(samples)} kinds, {total[1]} refused, {total[0]} decoded "
          "to something else")


def captured(b, foreign_client, barrier_client):
    port, packets, digest = in_lockstep(b, foreign_client, barrier_client)
    conversations = [decoded(b, port, packets, False)]
    followers = [p.follower for p in conversations[0].peers.values() if p.follower]
    for follower in followers:
        b.check(f"{follower.world.digest:016x}" == digest, "the last digest is another one")
        print(f"{len(packets)} packets of lockstep; {follower.checked} boundaries, the last digest {digest}")
    b.check(followers, "no host could be followed")
    port, packets = in_free_mode(b)
    print(f"{len(packets)} packets of free mode")
    conversations.append(decoded(b, port, packets, True))
    tell(b, conversations)
    damage(b, conversations)


def main():
    if not may_capture():
        return SKIPPED
    programs = [os.path.abspath(path) for path in sys.argv[2:4]]
    with new_bench(sys.argv[1]) as b:
        b.run({"captured": lambda b: captured(b, *programs)})
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
