"""Machines of a small cluster as network namespaces of this one, and a bad wire between two of them.

    with Cluster() as cluster:                      # or Refused: this kernel or user may not
        cluster.wire.rules = Rules(loss=0.2)
        subprocess.run([*cluster.inside("far"), "ping", SERVER])

    server 10.88.0.1 --- veth --- 10.88.0.254 hub 10.88.1.254 --- veth --- 10.88.1.1 near
                                              hub 10.88.2.254 --- TUN == Wire == TUN --- 10.88.2.1 far

All links have an MTU of 1500. The hub forwards. Standard library and iproute2 only; needs root or CAP_NET_ADMIN and
CAP_SYS_ADMIN.
"""
import contextlib
import ctypes
import fcntl
import heapq
import os
import pathlib
import random
import select
import shutil
import struct
import subprocess
import threading
import time
from dataclasses import dataclass, field

SERVER, NEAR, FAR = "10.88.0.1", "10.88.1.1", "10.88.2.1"
NAMES = ("server", "near", "hub", "far")
NETNS = pathlib.Path("/run/netns")
MTU = 1500
MOST_HELD = 20000  # packets of one direction; more are dropped, and counted as such
CLONE_NEWNET, TUNSETIFF, IFF_TUN_NO_PI = 0x40000000, 0x400454CA, 0x1001
TCP, UDP = 6, 17


class Refused(Exception):
    """Network namespaces or TUN devices are not to be had here."""


@dataclass(frozen=True)
class Rules:
    """What the wire does to each packet, in either direction alike."""
    loss: float = 0.0       # share that never arrives
    only: int = 0           # TCP or UDP: the other never gets lost; 0: both do
    twice: float = 0.0      # share that arrives twice
    held_back: float = 0.0  # share that is overtaken by later ones
    delay: tuple = (0.001, 0.003)   # s, of all; in order
    longer: tuple = (0.004, 0.020)  # s more, of those held back


@dataclass
class Way:
    """One direction."""
    source: int
    target: int
    random: random.Random
    seen: dict = field(default_factory=lambda: {TCP: 0, UDP: 0})
    lost: dict = field(default_factory=lambda: {TCP: 0, UDP: 0})
    twice: int = 0
    overtaken: int = 0  # left after a packet that had come later
    overflowed: int = 0
    unsent: int = 0     # the kernel did not take it
    fragments: int = 0
    longest: dict = field(default_factory=lambda: {TCP: 0, UDP: 0})  # bytes, with the IP header
    number: int = 0
    newest: int = 0
    due: float = 0.0
    held: list = field(default_factory=list)

    def take(self, packet, rules, now):
        if len(packet) < 20 or packet[0] >> 4 != 4 or packet[9] not in (TCP, UDP):
            return
        kind = packet[9]
        self.number += 1
        self.seen[kind] += 1
        self.longest[kind] = max(self.longest[kind], len(packet))
        self.fragments += struct.unpack_from(">H", packet, 6)[0] & 0x3FFF != 0  # more to come, or an offset
        if self.random.random() < rules.loss and rules.only in (0, kind):
            self.lost[kind] += 1
            return
        self.due = max(self.due, now + self.random.uniform(*rules.delay))
        self.hold(self.due + (self.random.uniform(*rules.longer) if self.random.random() < rules.held_back else 0), packet)
        if self.random.random() < rules.twice:
            self.twice += 1
            self.hold(self.due + self.random.uniform(*rules.longer), packet)

    def hold(self, due, packet):
        if len(self.held) >= MOST_HELD:
            self.overflowed += 1
            return
        heapq.heappush(self.held, (due, self.number, packet))

    def give(self, now):
        while self.held and self.held[0][0] <= now:
            _, number, packet = heapq.heappop(self.held)
            self.overtaken += number < self.newest
            self.newest = max(self.newest, number)
            try:
                os.write(self.target, packet)
            except OSError:
                self.unsent += 1

    def empty(self):
        for counts in (self.seen, self.lost, self.longest):
            counts.update({TCP: 0, UDP: 0})
        self.twice = self.overtaken = self.overflowed = self.unsent = self.fragments = 0


class Wire(threading.Thread):
    """Carries IP packets between two TUN devices by the rules. The same seed draws the same for the same packets."""

    def __init__(self, a, b, seed):
        super().__init__(daemon=True)
        self.rules = Rules()
        self.up, self.down = (Way(a, b, random.Random(f"{seed}/up")), Way(b, a, random.Random(f"{seed}/down")))
        self.trouble = None
        self.stop_read, self.stop_write = os.pipe()

    def run(self):
        try:
            self.carry()
        except Exception as error:  # the test asks for it: a wire that broke must not pass for a lossy one
            self.trouble = repr(error)

    def carry(self):
        poll, ways = select.poll(), {way.source: way for way in (self.up, self.down)}
        for fd in (*ways, self.stop_read):
            poll.register(fd, select.POLLIN)
        while True:
            next_due = min((way.held[0][0] for way in ways.values() if way.held), default=None)
            wait = None if next_due is None else max(0, (next_due - time.monotonic()) * 1000)
            ready = [fd for fd, _ in poll.poll(wait)]
            if self.stop_read in ready:
                return
            for fd in ready:
                with contextlib.suppress(BlockingIOError):
                    for _ in range(32):
                        ways[fd].take(os.read(fd, 65536), self.rules, time.monotonic())
            for way in ways.values():
                way.give(time.monotonic())

    def stop(self):
        os.close(self.stop_write)
        self.join(10)

    def start_counting(self, rules):
        self.rules = rules
        for way in (self.up, self.down):
            way.empty()


def quietly(*command):
    """Runs a command of the cluster's own making; reports its output if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    if done.returncode != 0:
        raise OSError(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def in_namespace(name, work):
    """What `work` gives in a thread of its own within the namespace: only that thread goes there."""
    out = []

    def go():
        try:
            with open(NETNS / name) as there:
                libc = ctypes.CDLL(None, use_errno=True)
                if libc.setns(there.fileno(), CLONE_NEWNET) != 0:
                    raise OSError(ctypes.get_errno(), f"cannot enter the namespace {name}")
            out.append((work(), None))
        except OSError as error:
            out.append((None, error))

    thread = threading.Thread(target=go)
    thread.start()
    thread.join(30)
    if not out:
        raise OSError(f"nothing came from the namespace {name}")
    if out[0][1]:
        raise out[0][1]
    return out[0][0]


def open_tun():
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", b"tun0", IFF_TUN_NO_PI))
    except OSError:
        os.close(fd)
        raise
    return fd


def sweep():
    """Removes what a run that was killed has left: namespaces of processes that are gone."""
    for there in NETNS.glob("convoy-*-*") if NETNS.exists() else ():
        owner = there.name.split("-")[1]
        if owner.isdigit() and not pathlib.Path(f"/proc/{owner}").exists():
            subprocess.run(["ip", "netns", "delete", there.name], capture_output=True, timeout=30)


class Cluster:
    def __init__(self, seed=1):
        self.seed, self.made, self.tuns, self.wire = seed, [], [], None

    def name(self, machine):
        return f"convoy-{os.getpid()}-{machine}"

    def inside(self, machine):
        """The beginning of a command line that runs on that machine."""
        return ["ip", "netns", "exec", self.name(machine)]

    def __enter__(self):
        try:
            self.refusals()
            self.build()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()

    # Only what comes before the first packet counts as a refusal; later trouble is a failure.
    def refusals(self):
        if not shutil.which("ip"):
            raise Refused("there is no command ip (package iproute2)")
        sweep()
        try:
            for machine in NAMES:
                quietly("ip", "netns", "add", self.name(machine))
                self.made.append(self.name(machine))
            self.tuns = [in_namespace(self.name(machine), open_tun) for machine in ("far", "hub")]
            quietly("ip", "link", "add", "eth0", "netns", self.name("server"), "mtu", str(MTU), "type", "veth",
                    "peer", "name", "eth0", "netns", self.name("hub"), "mtu", str(MTU))
            quietly("ip", "link", "add", "eth0", "netns", self.name("near"), "mtu", str(MTU), "type", "veth",
                    "peer", "name", "eth1", "netns", self.name("hub"), "mtu", str(MTU))
            quietly(*self.inside("hub"), "sh", "-c", "echo 1 >/proc/sys/net/ipv4/ip_forward")
        except OSError as error:
            raise Refused(str(error)) from error

    def build(self):
        for machine, device, address in (("server", "eth0", SERVER), ("near", "eth0", NEAR), ("far", "tun0", FAR)):
            here = ("ip", "-n", self.name(machine))
            there = ("ip", "-n", self.name("hub"))
            gate = address.rpartition(".")[0] + ".254"
            other = {"server": "eth0", "near": "eth1", "far": "tun0"}[machine]
            quietly(*here, "link", "set", "lo", "up")
            quietly(*here, "address", "add", address + "/24", "dev", device)
            quietly(*there, "address", "add", gate + "/24", "dev", other)
            quietly(*here, "link", "set", device, "mtu", str(MTU), "up")
            quietly(*there, "link", "set", other, "mtu", str(MTU), "up")
            quietly(*here, "route", "add", "default", "via", gate)
        up, down = self.tuns
        self.wire = Wire(up, down, self.seed)
        self.wire.start()

    def resent(self, machine):
        """TCP segments that the machine has sent again, since it is there."""
        names, values = (line.split() for line in quietly(*self.inside(machine), "cat", "/proc/net/snmp").splitlines()
                         if line.startswith("Tcp:"))
        return int(values[names.index("RetransSegs")])

    def end(self):
        if self.wire and self.wire.is_alive():
            self.wire.stop()
        for fd in self.tuns:
            os.close(fd)
        for name in self.made:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, timeout=30)
        self.made, self.tuns, self.wire = [], [], None


def end_with_parent():
    """For Popen's preexec_fn: the child is killed when this process is, however that comes about."""
    ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
