"""A simulator of one's own: `convoy run` as a child process that ends with this one."""

from __future__ import annotations

import atexit
import os
import pathlib
import queue
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Sequence
from typing import IO, Any

from .connection import Connection
from .endpoint import Endpoint, block_address
from .errors import ConvoyError

BLOCK = 20  # ports of one client (docs/zmq.md)
ATTEMPTS = 5  # at other ports, when another process was faster
END_S = 5.0  # from the request to end until it is killed


def find_convoy(given: str | os.PathLike[str] | None = None) -> str:
    """The program: as given, or CONVOY_BIN, or of the wheel that this package is in, or on PATH, or build/convoy above
    this package."""
    given = given or os.environ.get("CONVOY_BIN")
    if given:
        if os.access(given, os.X_OK) and os.path.isfile(given):
            return os.fspath(given)
        raise ConvoyError("simulator_missing", f"{os.fspath(given)} is no program")
    if (pathlib.Path(__file__).resolve().parents[1] / "convoy_sim" / "bin" / "convoy").exists():
        import convoy_sim

        try:
            return convoy_sim.prepare()
        except ImportError as error:
            raise ConvoyError("simulator_missing", str(error)) from None
    built = pathlib.Path(__file__).resolve().parents[2] / "build" / "convoy"
    found = shutil.which("convoy") or (str(built) if os.access(built, os.X_OK) else None)
    if not found:
        raise ConvoyError(
            "simulator_missing", f"no program 'convoy': not named by CONVOY_BIN, not on PATH, not {built}"
        )
    return found


def free_block(ports: int) -> int:
    """The first of so many ports in a row that are free now; below those that the system deals out by itself."""
    for _ in range(200):
        first = 20000 + BLOCK * (int.from_bytes(os.urandom(2), "little") % 600)
        held: list[socket.socket] = []
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
    raise ConvoyError("simulator_ended", f"no {ports} free ports in a row between 20000 and 32000")


class _Starter:
    """A thread that starts children. A child gets its signal when the *thread* that made it ends: so it must not be the
    caller's, which may end long before this process does."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._jobs: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._run, name="convoy-starter", daemon=True).start()

    def _run(self) -> None:
        while True:
            command, options, answer = self._jobs.get()
            try:
                answer.put(subprocess.Popen(command, **options))
            except OSError as error:
                answer.put(error)
            del command, options, answer  # the next job may be long in coming

    def start(self, command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
        answer: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._jobs.put((command, options, answer))
        got = answer.get()
        if isinstance(got, OSError):
            raise ConvoyError("simulator_missing", f"{command[0]} does not start: {got.strerror}")
        process: subprocess.Popen[bytes] = got
        return process


_starter: _Starter | None = None


def _start(command: list[str], **options: Any) -> subprocess.Popen[bytes]:
    global _starter
    if _starter is None or _starter.pid != os.getpid():  # a forked child has the object, but not its thread
        _starter = _Starter()
    if sys.platform == "linux" and (setpriv := shutil.which("setpriv")):
        command = [setpriv, "--pdeathsig", "INT", *command]  # becomes the simulator: the same process
    return _starter.start(command, **options)


class Simulator:
    """A running simulator for one scenario file; ended by `close`, by `with`, and with this process, however that ends.

    hosts: robot clients in it. options: more words for `convoy run`. convoy: the program (default: find_convoy).
    port: the first of 20 x hosts (default: free ones). patience: seconds to start. address: of the first client, for
    `connect`.
    """

    def __init__(
        self,
        scenario: str | os.PathLike[str],
        *,
        hosts: int = 1,
        options: Sequence[str] = (),
        convoy: str | os.PathLike[str] | None = None,
        port: int | None = None,
        patience: float = 30.0,
    ):
        self._program = find_convoy(convoy)
        self._out, self._err = (
            tempfile.TemporaryFile(),
            tempfile.TemporaryFile(),
        )  # without names: nothing is left behind
        self._said = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()
        self.hosts = hosts
        _running.add(self)
        try:
            for attempt in range(ATTEMPTS):
                self.port = port or free_block(BLOCK * hosts)
                self.address = f"127.0.0.1:{self.port}"
                try:
                    self._launch(scenario, options, patience)
                    return
                except ConvoyError as error:
                    if port or "is taken" not in error.message or attempt + 1 == ATTEMPTS:
                        raise
        except BaseException:
            self.close()
            raise

    def _launch(self, scenario: str | os.PathLike[str], options: Sequence[str], patience: float) -> None:
        command = [
            self._program,
            "run",
            os.fspath(scenario),
            "--hosts",
            str(self.hosts),
            "--set",
            f"zmq.port={self.port}",
            *options,
        ]
        for said in (self._out, self._err):
            said.truncate(0)
            said.seek(0)
        self._process = _start(
            command, stdin=subprocess.DEVNULL, stdout=self._out, stderr=self._err, start_new_session=True
        )
        endpoint = Endpoint(block_address(self.address, 4), patience=patience, alive=self.check)
        try:
            endpoint.request("meta")
        finally:
            endpoint.close()
        # Two programs that look for ports at the same time may find the same ones: the answer may be the other's.
        if not _listens(self._process.pid, self.port + 4):
            process, self._process = self._process, None
            process.kill()
            process.wait()
            raise ConvoyError("simulator_ended", f"port {self.port} is taken")

    @property
    def pid(self) -> int:
        if self._process is None:
            raise ConvoyError("simulator_ended", "the simulator was closed")
        return self._process.pid

    @property
    def output(self) -> str:
        """What it has printed so far."""
        return self._said if self._out.closed else _text(self._out) + _text(self._err)

    def check(self) -> None:
        """Raises ConvoyError `simulator_ended`, with what it printed last, if it is no longer there."""
        if self._process is None:
            raise ConvoyError("simulator_ended", "the simulator was closed")
        code = self._process.poll()
        if code is None:
            return
        said = [line for line in _text(self._err).splitlines() if line.strip()]
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        raise ConvoyError("simulator_ended", f"the simulator ended {how}: {said[-1] if said else 'it said nothing'}")

    def connect(self, **options: Any) -> Connection:
        """A connection that also ends, with an error, when the simulator does. See `convoy.connect`."""
        return Connection(self.address, alive=self.check, **options)

    def close(self) -> None:
        """Ends it: asked first (SIGINT), killed when that takes 5 s."""
        process, self._process = self._process, None
        _running.discard(self)
        if process is not None and self._owner == os.getpid():
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                try:
                    process.wait(END_S)
                except subprocess.TimeoutExpired:
                    process.kill()
            process.wait()
        if not self._out.closed:
            self._said = self.output
            self._out.close()
            self._err.close()

    def __enter__(self) -> Simulator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_process", None) is not None:
            self.close()


def _listens(pid: int, port: int) -> bool:
    """Whether that process takes connections at the port; True where the system does not tell (outside Linux)."""
    try:
        with open("/proc/net/tcp", encoding="ascii") as table:
            lines = [line.split() for line in table.readlines()[1:]]
        sockets = {f"socket:[{line[9]}]" for line in lines if line[3] == "0A" and int(line[1][-4:], 16) == port}
        own = f"/proc/{pid}/fd"
        links = [os.path.join(own, name) for name in os.listdir(own)]
    except OSError:
        return True
    return any(_link(link) in sockets for link in links)


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""  # closed in the meantime


def _text(said: IO[bytes]) -> str:
    # The place in the file is shared with the child, who writes there: read without moving it.
    return os.pread(said.fileno(), os.fstat(said.fileno()).st_size, 0).decode(errors="replace")


_running: weakref.WeakSet[Simulator] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    for simulator in list(_running):
        simulator.close()
