"""The bench of the end-to-end tests: it runs the convoy command from the outside and counts what is not as it must be.

    with new_bench(sys.argv[1]) as b:
        b.run({"words": words, "ctl": ctl}, sys.argv[2:])
    sys.exit(b.result())

Standard library only. A check that fails prints a line and lets the test go on. No wait is longer than the bench's
patience.
"""
import contextlib
import fcntl
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import time
import traceback

PATIENCE = 60  # s; generous, since the machine may be busy with other things
SKIPPED = 77  # the exit code that CTest takes for skipped
SCENARIO = """\
convoy: 1
name: e2e
seed: 3
time: {mode: lockstep, tick: 10ms, duration: 2s}
world: {ground: {size: [12, 12], resolution: 0.1, walls: 0.1}}
liveness: 2s
robots:
  - {name: walk, count: 6, model: turtlebot3_burger, driver: random_walk}
  - {name: polite, count: 6, model: turtlebot3_waffle, driver: right_of_way}
"""


BLOCK = 100
locks = []  # open for as long as this process lives: one file a block of ports


def lock_of(first):
    """An open file if no other test that runs beside this one has the block: it may not listen there yet."""
    folder = pathlib.Path(tempfile.gettempdir(), f"convoy-ports-{os.getuid()}")
    folder.mkdir(exist_ok=True)
    lock = open(folder / str(first), "w", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        return None
    return lock


def free_block(ports):
    """The first of so many free ports in a row, which no other call gets, in this process or in another."""
    for first in range(20000, 30000, BLOCK):
        mine = [lock_of(block) for block in range(first, first + ports, BLOCK)]
        if None in mine:  # what was kept of it would be in the way of the next try
            for lock in filter(None, mine):
                lock.close()
            continue
        locks.extend(mine)
        held = []
        try:
            for port in range(first, first + ports):
                held.append(socket.socket())
                held[-1].bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
        finally:
            for one in held:
                one.close()
    raise RuntimeError("no free ports")


def last_line(text):
    return text.strip().splitlines()[-1] if text.strip() else ""


def resident(pid):
    """Bytes of memory that a process has."""
    return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096


@contextlib.contextmanager
def new_bench(convoy, scenario=SCENARIO, patience=PATIENCE):
    """A bench in a folder of its own, which is gone at the end."""
    with tempfile.TemporaryDirectory(prefix="convoy-e2e-") as folder:
        yield Bench(convoy, folder, scenario, patience)


class Bench:
    """Runs the command `convoy` in `folder`, where a scenario is written, and counts checks."""

    def __init__(self, convoy, folder, scenario=SCENARIO, patience=PATIENCE):
        self.convoy, self.folder, self.patience = os.path.abspath(convoy), pathlib.Path(folder), patience
        self.command = [self.convoy]
        self.scenario = self.folder / "e2e.yaml"
        self.scenario.write_text(scenario)
        self.failed = 0
        self.checks = 0
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("CONVOY_")}
        # The servers' secrets lie where this test alone looks, itself too.
        os.environ["XDG_RUNTIME_DIR"] = self.environment["XDG_RUNTIME_DIR"] = str(self.folder)

    def address_sanitized(self):
        """Is the command built with the address sanitizer? It catches signals itself, and its memory cannot be limited."""
        return b"__asan_init" in pathlib.Path(self.convoy).read_bytes()

    def check(self, true, what, *details):
        self.checks += 1
        if true:
            return
        self.failed += 1
        print(f"FAILED: {what}")
        for detail in details:
            print("    " + str(detail).rstrip().replace("\n", "\n    "))

    def run(self, parts, wanted=(), given=None):
        """Runs the parts of these names, all by default, with the bench or what is given instead. One that raises fails,
        and the next begins."""
        for name in wanted or parts:
            begun = time.monotonic()
            try:
                parts[name](given or self)
            except Exception as error:
                self.check(False, f"{name}: {error}", traceback.format_exc())
            says = f": {parts[name].__doc__}" if parts[name].__doc__ else ""
            print(f"{name}{says} ({time.monotonic() - begun:.1f} s)", flush=True)

    def result(self):
        """Prints how many checks failed; gives the exit code of the test."""
        print(f"{self.checks} checks, {self.failed} failed")
        return 1 if self.failed else 0

    def call(self, *arguments, env=None, cwd=None, stdout=subprocess.PIPE, stderr=subprocess.PIPE):
        """Runs convoy to its end; gives an object with returncode, stdout, stderr."""
        return subprocess.run([*self.command, *map(str, arguments)], env={**self.environment, **(env or {})}, cwd=cwd,
                              stdout=stdout, stderr=stderr, text=True, timeout=self.patience)

    def expect(self, code, out, err, *arguments, env=None, cwd=None):
        """The exit code, and patterns that stdout and stderr must contain (None: must be empty)."""
        r = self.call(*arguments, env=env, cwd=cwd)
        shown = " ".join(map(str, arguments))
        self.check(r.returncode == code, f"convoy {shown}: exit {r.returncode}, not {code}", r.stdout, r.stderr)
        for name, pattern, text in (("stdout", out, r.stdout), ("stderr", err, r.stderr)):
            if pattern is None:
                self.check(text == "", f"convoy {shown}: {name} is not empty", text)
            else:
                self.check(re.search(pattern, text, re.M), f"convoy {shown}: {name} lacks /{pattern}/", text)
        return r

    def certificate(self):
        """Options with a certificate for 127.0.0.1 that nobody has signed."""
        chain, key = self.folder / "page.pem", self.folder / "page.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", chain], check=True, capture_output=True)
        return "--web-certificate", chain, "--web-key", key

    @contextlib.contextmanager
    def start(self, *arguments, stderr=None):
        p = Process(self, arguments, stderr=stderr)
        try:
            yield p
        finally:
            p.end()


class Process:
    """The bench's command, or another, in a session of its own, with its output in files."""

    def __init__(self, bench, arguments, command=None, stderr=None):
        self.patience = bench.patience
        stem = bench.folder / f"p{time.monotonic_ns()}"
        self.out, self.err = stem.with_suffix(".out"), stem.with_suffix(".err")
        with open(self.out, "wb") as out, open(self.err, "wb") as err:
            self.popen = subprocess.Popen([*(command or bench.command), *map(str, arguments)], env=bench.environment,
                                          stdout=out, stderr=stderr or err, stdin=subprocess.DEVNULL, start_new_session=True)

    def text(self):
        return self.out.read_text() + self.err.read_text()

    def wait_for(self, pattern):
        end = time.monotonic() + self.patience
        while time.monotonic() < end:
            found = re.search(pattern, self.text(), re.M)
            if found:
                return found
            if self.popen.poll() is not None:
                break
            time.sleep(0.02)
        raise RuntimeError(f"never said /{pattern}/:\n{self.text()}")

    def port(self):
        return int(self.wait_for(r"listen\w* on (?:port |127\.0\.0\.1:)(\d+)")[1])

    def wait(self, patience=None):
        return self.popen.wait(self.patience if patience is None else patience)

    def family(self):
        """Process ids that live in its session, with their command lines."""
        found = {}
        for folder in pathlib.Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            try:
                stat = (folder / "stat").read_text().rpartition(")")[2].split()
                if int(stat[3]) == self.popen.pid and stat[0] != "Z":
                    found[int(folder.name)] = (folder / "cmdline").read_text().split("\0")
            except (OSError, ValueError):
                pass  # gone in the meantime
        return found

    def client(self, name):
        """The process id of the client of that name."""
        found = [pid for pid, argv in self.family().items() if "--name" in argv and argv[argv.index("--name") + 1] == name]
        if len(found) != 1:
            raise RuntimeError(f"{name} was not found among {self.family()}")
        return found[0]

    def server(self):
        """The process id of a launch's server."""
        found = [pid for pid, argv in self.family().items() if len(argv) > 1 and argv[1] == "server"]
        if len(found) != 1:
            raise RuntimeError(f"the server was not found among {self.family()}")
        return found[0]

    def end(self):
        for pid in self.family():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.popen.wait(5)
