"""Real ROS 2 programs beside a test, in a ROS domain of their own: rclpy on rmw_fastrtps, and tests/peers' program on Cyclone DDS.

    with Peers(bench, cyclone_peer) as peers:          # what bench starts from here on is in the domain, too
        with bench.start("run", scenario, "--ros2"):
            peers.rclpy("nodes", "--until", "/robot")   # the lines that it prints

A peer that is absent raises: a test without one would pass by not looking. All that peers say is printed, so that the log
of a test shows which ran. Nothing leaves the machine: the range of discovery is LOCALHOST.
"""
import collections
import contextlib
import fcntl
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

from harness import Process

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEERS = ROOT / "tests" / "peers"
DISTRIBUTION = os.environ.get("CONVOY_ROS", "ros")  # kilted: that one instead of Jazzy
PYTHON = ROOT / ".env" / DISTRIBUTION / "bin" / "python"
OWN_TYPES = ROOT / ".env" / f"{DISTRIBUTION}-types" / "python"  # of packages that no wheel has
DOMAINS = range(1, 49)  # whose ports lie below those that harness.py gives away and those of outgoing connections
SHOWN = 160  # characters of a line of a peer in the log
LINES = 6  # of one peer's output in the log

sys.path.insert(0, str(PEERS))
from cdr import Types  # noqa: F401  (for tests)


class Absent(Exception):
    """A peer that cannot run here."""


def locked_domain():
    """A domain that no other test on this machine has, and the open file that keeps it."""
    folder = pathlib.Path(tempfile.gettempdir(), f"convoy-ros-domains-{os.getuid()}")
    folder.mkdir(exist_ok=True)
    for domain in DOMAINS:
        lock = open(folder / str(domain), "w", encoding="utf-8")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            continue
        return domain, lock
    raise RuntimeError("no free ROS domain")


class Peers:
    def __init__(self, bench, cyclone_peer):
        self.bench, self.cyclone_peer = bench, pathlib.Path(cyclone_peer).resolve()
        self.ran = collections.Counter()
        if not os.access(self.cyclone_peer, os.X_OK):
            raise Absent(f"no {self.cyclone_peer}: Cyclone DDS was not there when the build was configured; scripts/setup.sh --tests installs it")
        if not PYTHON.exists():
            raise Absent(f"no .env/{DISTRIBUTION}: scripts/python-env.sh {DISTRIBUTION} makes it")

    def __enter__(self):
        self.domain, self.lock = locked_domain()
        self.before = dict(self.bench.environment)
        for name in list(self.bench.environment):
            if name.startswith(("ROS_", "RMW_", "CYCLONEDDS_", "FASTRTPS_", "FASTDDS_")):
                del self.bench.environment[name]
        self.bench.environment.update(ROS_DOMAIN_ID=str(self.domain), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST", RMW_IMPLEMENTATION="rmw_fastrtps_cpp",
                                      ROS_LOG_DIR=str(self.bench.folder / "ros_log"), PYTHONPATH=str(OWN_TYPES))
        return self

    def __exit__(self, *_):
        self.bench.environment = self.before
        self.lock.close()
        print(f"peers in domain {self.domain}: " + ", ".join(f"{name} {count} times" for name, count in sorted(self.ran.items())), flush=True)

    def command(self, peer, words):
        self.ran[peer] += 1
        program = {"cyclone": [self.cyclone_peer], "rclpy": [PYTHON, PEERS / "rclpy_peer.py"], "toy": [PYTHON, PEERS / "toy_robot.py"],
                   "navigator": [PYTHON, PEERS / "navigator.py"], "streams": [PYTHON, PEERS / "urlab_streams.py"],
                   "bridge": [PYTHON, ROOT / "python" / "convoy" / "bridge_ros2.py"],
                   "random_spawn": [PYTHON, ROOT / "examples" / "ros" / "random_spawn.py"]}[peer]
        return [*map(str, program), *map(str, words)]

    def run(self, peer, *words, given="", expect=0):
        """Runs a peer to its end; gives its lines, those of JSON as values. What it exits with is checked, unless None."""
        r = subprocess.run(self.command(peer, words), env=self.bench.environment, input=given, capture_output=True, text=True,
                           timeout=3 * self.bench.patience)
        told(peer, words, r.stdout.splitlines(), r.returncode)
        if expect is not None:
            self.bench.check(r.returncode == expect, f"{peer} {' '.join(map(str, words))}: exit {r.returncode}, not {expect}", r.stdout[-2000:], r.stderr[-2000:])
        return [value_of(line) for line in r.stdout.splitlines()]

    def rclpy(self, *words, **more):
        return self.run("rclpy", *self.patient(words), **more)

    def cyclone(self, *words, **more):
        return self.run("cyclone", *self.patient(words), **more)

    def patient(self, words):
        """As long as the bench waits, where the words do not say how long."""
        return words if "--timeout" in words else (*words, "--timeout", self.bench.patience)

    @contextlib.contextmanager
    def rclpy_calls(self):
        """A client that lives as long as the block: a function of service, type and request, which gives the reply; None: there was none."""
        command = self.command("rclpy", self.patient(("calls",)))
        process = subprocess.Popen(command, env=self.bench.environment, text=True, bufsize=1, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

        def call(service, kind, request):
            try:
                process.stdin.write(json.dumps({"service": service, "type": kind, "request": request}) + "\n")
            except OSError:
                return None  # it has ended
            line = process.stdout.readline().rstrip("\n")
            told("rclpy", ("calls", service), [line], process.poll())
            found = with_key([value_of(line)], "reply")
            return found[0]["reply"] if found else None

        try:
            yield call
        finally:
            process.stdin.close()
            process.wait(3 * self.bench.patience)
            process.stdout.close()

    @contextlib.contextmanager
    def start(self, peer, *words):
        """A peer that goes on beside others; at the end it is asked to end."""
        process = Process(self.bench, [], command=self.command(peer, words))
        try:
            yield process
        finally:
            if process.popen.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    process.popen.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.popen.wait(5)
            process.end()
            told(peer, words, process.out.read_text().splitlines(), process.popen.poll())


def result_of(bench, make, parts, wanted):
    """Runs the parts that are wanted with the peers that `make` opens; gives the exit code of the test. An absent peer fails it."""
    try:
        with make() as peers:
            bench.run(parts, wanted, peers)
    except Absent as absent:
        bench.check(False, str(absent))
    return bench.result()


def told(peer, words, lines, code):
    print(f"  {peer} {' '.join(map(str, words))[:SHOWN]} -> exit {code}, {len(lines)} lines")
    for line in lines if len(lines) <= LINES else [*lines[: LINES - 1], lines[-1]]:
        print("    " + line[:SHOWN] + ("..." if len(line) > SHOWN else ""))
    sys.stdout.flush()


def value_of(line):
    try:
        return json.loads(line) if line[:1] in ("{", "[") else line
    except ValueError:
        return line


def with_key(lines, key):
    """The lines of JSON that have it."""
    return [line for line in lines if isinstance(line, dict) and key in line]
