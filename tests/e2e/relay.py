"""A relay between Convoy's clients and a server: forwards TCP and UDP, and makes trouble at given bytes.

Faults are set at a count of forwarded bytes, or in a frame of a given type, never at a time: so a plan makes the same
trouble on a slow machine. What a fault does is written down, and also whether the connection got over it. One thread;
what it knows of the protocol is in docs/protocol.md: frames (1), Hello and Welcome (2), datagrams (5).
"""
import contextlib
import errno
import random
import selectors
import socket
import struct
import threading
import time
from dataclasses import dataclass

HEADER = 20                    # bytes of a frame's header
KNOWN = 5                      # of them, that hold its size and type
HELLO, WELCOME, UDP_CONFIRMED = 8, 9, 12
REGISTER, ANSWER = 23, 24      # datagrams
MAX_HELLO = HEADER + 4096
MAX_QUEUED = 1 << 20           # bytes that wait in one direction; then it no longer reads, and TCP holds the sender
MAX_PIECES = 64                # of one direction in one turn of the loop
READ = 1 << 16
RESET = struct.pack("ii", 1, 0)  # SO_LINGER with 0 s: close() sends RST


@dataclass
class Fault:
    """Trouble for one host. `at`: bytes forwarded on this channel and direction; or `frame`: (type, which from 1, bytes
    behind the first KNOWN of it, up to its end)."""
    kind: str                  # rst, fin: cut | stall: one direction stops | half: both stop, the link stays open
    #                          # mute: cut, and the next link is held open unheard
    #                          # refuse: cut, and the next `count` links too; 0: all of them, for good
    #                          # lose: the first `count` datagrams | move: datagrams come from another port from now on
    host: str
    channel: str = "control"   # control | bulk | udp; nothing is done to the links for signs of life but what is done to all of a host
    direction: str = "up"      # up: towards the server | down
    at: int = None
    frame: tuple = None
    seconds: float = 0         # stall
    until: "Fault" = None      # stall: not by time, but until that one is got over
    count: int = 1             # refuse, lose
    early: bool = False        # before the client has its Welcome: it cannot resume, it comes as a new one
    again: bool = False        # while the client comes back from another cut: both are over with one more resume
    final: bool = False        # nothing comes after it
    fired: bool = False
    got_over: bool = False

    def __str__(self):
        where = f"byte {self.at}" if self.frame is None else f"frame {self.frame}"
        return f"{self.kind} of {self.host} {self.channel} {self.direction} at {where}"

    def resumed_from(self):
        """A cut of a control link after which the client comes back with its token."""
        cut = self.kind in ("rst", "fin", "half", "mute") or (self.kind == "refuse" and self.count > 0)
        return self.channel == "control" and cut and not (self.early or self.final)

    def needs_resume(self):
        """Such a cut that adds a resume of its own to the count."""
        return self.resumed_from() and not self.again


@dataclass
class Rhythm:
    """How bytes are cut up and delayed: stretches of a stream, each with a delay and a size of pieces, from a seed."""
    delays: tuple = (0,)       # ms, drawn for each stretch
    sizes: tuple = (READ,)     # bytes of a piece, drawn for each stretch
    stretch: tuple = (200, 3000)  # bytes, shortest and longest


class Course:
    """One direction of all links of one kind of one host: where its bytes are, and what comes next."""

    def __init__(self, rhythm, faults, rng):
        self.rhythm, self.rng = rhythm, rng
        self.faults = [f for f in faults if not f.fired]
        self.done = self.end = 0
        self.delay, self.size = 0, READ
        self.seen = {}         # frame type -> how many have begun

    def stretch(self):
        if self.rhythm and self.done >= self.end:
            self.end = self.done + self.rng.randint(*self.rhythm.stretch)
            self.delay = self.rng.choice(self.rhythm.delays) / 1000
            self.size = self.rng.choice(self.rhythm.sizes)
        return self.delay

    def piece(self, frames):
        """How many bytes may go at once."""
        n = min(self.size, self.end - self.done) if self.rhythm else READ
        for fault in self.faults:
            if fault.at is not None:
                n = min(n, fault.at - self.done)
            else:
                n = min(n, frames.left())  # not over the type, which may be the one
        return max(n, 1)  # never 0: a fault whose byte has come was fired

    def frame_begins(self, kind, size):
        self.seen[kind] = self.seen.get(kind, 0) + 1
        for fault in self.faults:
            if fault.at is None and fault.frame[:2] == (kind, self.seen[kind]):
                fault.at = self.done + min(fault.frame[2], HEADER - KNOWN + size)

    def due(self):
        """The fault whose byte has come, taken off the list."""
        for fault in self.faults:
            if fault.at is not None and fault.at <= self.done:
                self.faults.remove(fault)
                return fault
        return None


class Frames:
    """Follows the frames of a stream that is forwarded."""

    def __init__(self):
        self.header, self.payload, self.first = b"", 0, b""

    def left(self):
        return self.payload or (KNOWN if len(self.header) < KNOWN else HEADER) - len(self.header)

    def feed(self, data, begins):
        """Calls begins(type, size) when they are known."""
        while data:
            n = min(len(data), self.left())
            if len(self.first) < MAX_HELLO:
                self.first += bytes(data[:n])
            if self.payload:
                self.payload -= n
            else:
                self.header += bytes(data[:n])
                if len(self.header) == KNOWN:
                    begins(self.header[4], struct.unpack_from("<I", self.header)[0])
                elif len(self.header) == HEADER:
                    self.payload = struct.unpack_from("<I", self.header)[0]
                    self.header = b""
            data = data[n:]


class Pipe:
    """One direction of one link."""

    def __init__(self, link, direction, source, sink):
        self.link, self.direction, self.source, self.sink = link, direction, source, sink
        self.queue, self.queued = [], 0  # [arrival, bytes]
        self.frames = Frames()
        self.course = None
        self.stalled, self.until = None, 0
        self.ended = self.shut = self.blocked = False


class Link:
    def __init__(self, client):
        self.client, self.server, self.up, self.down = client, None, None, None
        self.hello = b""
        self.host = self.channel = None
        self.resume = self.welcomed = False
        self.mode = "greeting"  # -> live -> held | closing: both only read and forget
        self.fault = None       # that holds it

    def ends(self):
        return [s for s in (self.client, self.server) if s]


def parse(data):
    """Fields of a protobuf message: number -> last value."""
    found, i = {}, 0

    def varint():
        nonlocal i
        value = shift = 0
        while True:
            byte = data[i]
            i, value, shift = i + 1, value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value

    while i < len(data):
        key = varint()
        kind, n = key & 7, {1: 8, 5: 4}.get(key & 7, 0)
        if kind == 0:
            found[key >> 3] = varint()
            continue
        if kind == 2:
            n = varint()
        found[key >> 3], i = data[i:i + n], i + n
    return found


class Relay:
    """with Relay(...) as relay: relay.port is where clients dial; relay.aim(port) sets where the server is."""

    def __init__(self, seed, faults=(), rhythms=None):
        self.seed, self.faults, self.rhythms = seed, list(faults), rhythms or {}
        self.courses = {}           # (host, channel, direction) -> Course
        self.hosts = {}             # connection number -> host
        self.links, self.mute = [], {}
        self.refused = {}           # host -> how many links still; 0: all
        self.resumes = self.one_byte = 0
        self.delayed = {"up": 0, "down": 0}
        self.trouble = []           # what went wrong in the relay itself
        self.udp_out, self.udp_seen = {}, {}
        self.target = None
        self.listener, self.udp = self.bind()
        self.port = self.listener.getsockname()[1]
        self.selector = selectors.DefaultSelector()
        self.masks = {}
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    @staticmethod
    def bind():
        for _ in range(20):
            tcp = socket.create_server(("127.0.0.1", 0), backlog=64)
            udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            try:
                udp.bind(tcp.getsockname())
                tcp.setblocking(False)
                udp.setblocking(False)
                return tcp, udp
            except OSError:  # the number is free for TCP only
                tcp.close()
                udp.close()
        raise RuntimeError("no port is free for both TCP and UDP")

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join(10)
        for link in self.links:
            for end in link.ends():
                end.close()
        for s in (self.listener, self.udp, *self.udp_out.values()):
            s.close()
        self.selector.close()

    def aim(self, port):
        self.target = ("127.0.0.1", port)  # until then nothing is accepted: the kernel holds who dials

    def forwarded(self):
        return {key: course.done for key, course in self.courses.items()}

    # ------------------------------------------------------------------------------------------------- the loop

    def run(self):
        try:
            while not self.stop.is_set():
                self.turn()
        except Exception as error:  # the test must get it, in its own thread
            self.trouble.append(repr(error))
            raise

    def turn(self):
        if self.target and self.listener not in self.masks:
            self.watch(self.listener, selectors.EVENT_READ, "listener")
            self.watch(self.udp, selectors.EVENT_READ, "udp")
        now = time.monotonic()
        wait = 0.05
        for link in list(self.links):
            for pipe in (link.up, link.down):
                if pipe:
                    wait = min(wait, max(self.pump(pipe, now) - now, 0))
        self.links = [link for link in self.links if link.ends()]
        for link in self.links:
            self.set_interest(link)
        if not self.masks:
            time.sleep(0.01)
            return
        for key, events in self.selector.select(wait):
            if key.data == "listener":
                self.accept()
            elif key.data == "udp":
                self.datagram()
            elif key.fileobj in key.data.ends():  # else closed by an earlier event of this turn
                self.ready(key.data, key.fileobj, events)

    def watch(self, s, mask, data):
        old = self.masks.get(s, 0)
        if mask == old:
            return
        if not mask:
            self.selector.unregister(s)
            del self.masks[s]
            return
        (self.selector.modify if old else self.selector.register)(s, mask, data)
        self.masks[s] = mask

    def set_interest(self, link):
        for end in link.ends():
            mask = selectors.EVENT_READ
            for pipe in (link.up, link.down):
                if pipe and link.mode == "live":
                    if pipe.source is end and (pipe.ended or pipe.queued >= MAX_QUEUED):
                        mask &= ~selectors.EVENT_READ
                    if pipe.sink is end and pipe.blocked:
                        mask |= selectors.EVENT_WRITE
            self.watch(end, mask, link)

    def ready(self, link, end, events):
        if events & selectors.EVENT_WRITE:
            for pipe in (link.up, link.down):
                pipe.blocked = pipe.blocked and pipe.sink is not end
        if not events & selectors.EVENT_READ:
            return
        try:
            data = end.recv(READ)
        except BlockingIOError:
            return
        except OSError:
            data = None  # reset
        pipe = link.up if end is link.client else link.down
        if link.mode != "live" and not data:
            self.drop(link, end)
        elif link.mode == "greeting":
            self.greet(link, data)
        elif link.mode != "live":
            pass
        elif data is None:
            self.cut(link)  # the other side notices it in the same way
        elif data:
            pipe.queue.append([time.monotonic(), memoryview(data)])
            pipe.queued += len(data)
        else:
            pipe.ended = True

    # ------------------------------------------------------------------------------------------------ links

    def accept(self):
        with contextlib.suppress(BlockingIOError):
            client, _ = self.listener.accept()
            client.setblocking(False)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.links.append(Link(client))

    def greet(self, link, data):
        """Who is it? The Hello names it; it is forwarded like everything else."""
        link.hello += data
        if len(link.hello) < HEADER:
            return
        size, kind = struct.unpack_from("<IB", link.hello)
        if kind != HELLO or size > MAX_HELLO - HEADER:
            raise RuntimeError(f"a client began with frame {kind} of {size} bytes")
        if len(link.hello) < HEADER + size:
            return
        hello = parse(link.hello[HEADER:HEADER + size])
        link.resume = 8 in hello
        of = hello.get(9) or hello.get(10)
        link.channel = "bulk" if 9 in hello else "life" if 10 in hello else "control"
        link.host = self.hosts[parse(of)[1]] if of else hello[5].decode()
        if link.host in self.refused:
            if link.channel == "life":  # comes again and again by itself: not one of those that are counted
                self.cut(link)
            else:
                self.refuse(link)
            return
        if link.channel == "control" and self.mute.get(link.host):
            link.mode, link.fault = "held", self.mute[link.host].pop()
            return
        try:
            link.server = socket.create_connection(self.target, 5)
        except OSError:  # the run is over
            self.cut(link)
            return
        link.server.setblocking(False)
        link.server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link.up = Pipe(link, "up", link.client, link.server)
        link.down = Pipe(link, "down", link.server, link.client)
        for pipe in (link.up, link.down):
            pipe.course = self.course(link.host, link.channel, pipe.direction)
        link.up.queue.append([time.monotonic(), memoryview(link.hello)])
        link.up.queued = len(link.hello)
        link.mode = "live"

    def refuse(self, link):
        left = self.refused[link.host]
        if left == 1:
            del self.refused[link.host]
        elif left > 1:
            self.refused[link.host] = left - 1
        for fault in self.faults:  # for good: there is nothing to get over
            fault.got_over |= fault.fired and fault.kind == "refuse" and fault.count == 0 and fault.host == link.host
        self.cut(link)

    def course(self, host, channel, direction):
        key = (host, channel, direction)
        if key not in self.courses:
            faults = [f for f in self.faults if (f.host, f.channel, f.direction) == key]
            self.courses[key] = Course(self.rhythms.get(direction), faults, random.Random(f"{self.seed}/{key}"))
        return self.courses[key]

    def drop(self, link, end):
        self.watch(end, 0, link)
        end.close()
        if end is link.client:
            link.client = None
        else:
            link.server = None

    def cut(self, link):
        """Both ends are reset, and what is on its way is lost."""
        for end in link.ends():
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            self.drop(link, end)

    def hold(self, link, mode):
        for pipe in (link.up, link.down):
            pipe.queue, pipe.queued = [], 0
        link.mode = mode

    # ------------------------------------------------------------------------------------------------ bytes

    def pump(self, pipe, now):
        """Forwards what is due; gives the moment at which more will be."""
        link, course = pipe.link, pipe.course
        for _ in range(MAX_PIECES):
            if link.mode != "live" or pipe.shut or pipe.blocked or not link.client or not link.server:
                return now + 1
            if pipe.stalled and pipe.stalled.until and not pipe.stalled.until.got_over:
                return now + 1
            if now < pipe.until:
                return pipe.until
            if not pipe.queue:
                if pipe.ended:
                    self.finish(pipe)
                return now + 1
            arrived, data = pipe.queue[0]
            delay = course.stretch()
            if now < arrived + delay:
                return arrived + delay
            try:
                sent = pipe.sink.send(data[:course.piece(pipe.frames)])
            except BlockingIOError:
                pipe.blocked = True
                return now + 1
            except OSError as error:
                if error.errno not in (errno.EPIPE, errno.ECONNRESET):
                    raise
                self.cut(link)
                return now + 1
            self.account(pipe, data[:sent], delay)
            if sent == len(data):
                pipe.queue.pop(0)
            else:
                pipe.queue[0][1] = data[sent:]
            pipe.queued -= sent
            fault = course.due()
            while fault:
                self.fire(fault, pipe, now)
                fault = course.due()
        return now  # more at once, after the others

    def finish(self, pipe):
        pipe.shut = True
        with contextlib.suppress(OSError):
            pipe.sink.shutdown(socket.SHUT_WR)
        link = pipe.link
        if link.up.shut and link.down.shut:
            for end in link.ends():
                self.drop(link, end)

    def account(self, pipe, data, delay):
        course, link = pipe.course, pipe.link
        course.done += len(data)
        self.one_byte += len(data) == 1
        self.delayed[pipe.direction] += delay > 0
        if pipe.stalled:  # it goes on
            pipe.stalled.got_over, pipe.stalled = True, None
        at = course.done

        def begins(kind, size):
            course.frame_begins(kind, size)  # if a fault waits for it, this piece ends here (Course.piece)
            if kind == UDP_CONFIRMED and pipe.direction == "down":
                for fault in self.faults:
                    fault.got_over |= fault.fired and fault.kind == "lose" and fault.host == link.host

        pipe.frames.feed(data, begins)
        if link.channel == "bulk":
            for fault in self.faults:
                same = (fault.host, fault.channel, fault.direction) == (link.host, "bulk", pipe.direction)
                fault.got_over |= same and fault.fired and fault.at < at
        elif pipe.direction == "down" and not link.welcomed and len(pipe.frames.first) > HEADER:
            self.look_for_welcome(link, pipe.frames.first)

    def look_for_welcome(self, link, first):
        size, kind = struct.unpack_from("<IB", first)
        if kind != WELCOME or len(first) < HEADER + size:
            return
        link.welcomed = True
        self.hosts[parse(first[HEADER:HEADER + size])[1]] = link.host
        self.resumes += link.resume
        for fault in self.faults:
            if fault.fired and fault.host == link.host and fault.channel == "control" and not self.mute.get(link.host):
                fault.got_over |= fault.resumed_from() if link.resume else fault.early

    # ------------------------------------------------------------------------------------------------ trouble

    def fire(self, fault, pipe, now):
        link = pipe.link
        fault.fired = True
        fault.got_over |= fault.final
        for each in (link.up, link.down):
            if each.stalled and fault.kind != "stall":  # its link is cut, and the stall with it
                each.stalled.got_over = True
        if fault.kind == "stall":
            pipe.stalled, pipe.until = fault, now + fault.seconds
        elif fault.kind == "half":
            self.hold(link, "held")
        elif fault.kind == "fin":
            self.hold(link, "closing")
            for end in link.ends():
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_WR)
        else:
            self.cut(link)
            if fault.kind == "mute":
                self.mute.setdefault(link.host, []).append(fault)
            if fault.kind == "refuse":
                self.refused[link.host] = fault.count
                for other in self.links:
                    if other.host == link.host:
                        self.cut(other)

    def datagram(self):
        with contextlib.suppress(BlockingIOError):
            data, sender = self.udp.recvfrom(2048)
            kind, number = data[0], struct.unpack_from("<I", data, 4)[0]
            host = self.hosts.get(number)
            if host in self.refused:  # a datagram would be a sign of life
                return
            seen = self.udp_seen[host] = self.udp_seen.get(host, 0) + 1
            out = self.udp_out.get(sender) or self.udp_out.setdefault(sender, self.towards_server())
            for fault in (f for f in self.faults if f.channel == "udp" and f.host == host):
                if fault.kind == "lose" and seen <= fault.count:
                    fault.fired = True
                    return
                if fault.kind == "move" and kind == REGISTER and not fault.fired:
                    # Once from each port: the server must ask over TCP which one it is.
                    fault.fired = True
                    out.send(data)
                    out.close()
                    out = self.udp_out[sender] = self.towards_server()
                fault.got_over |= fault.kind == "move" and kind == ANSWER
            with contextlib.suppress(ConnectionRefusedError):
                out.send(data)

    def towards_server(self):
        out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        out.connect(self.target)
        return out
