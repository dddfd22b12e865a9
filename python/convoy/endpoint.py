"""One socket to the calls of one robot client (docs/calls.md): msgpack maps, one answer per request."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Any

import msgpack
import zmq

from .errors import ConvoyError

WATCH_S = 0.05  # how often a wait checks whether the simulator still runs


def block_address(address: str, place: int) -> str:
    """The ZeroMQ address of one socket of a client's block of ports, as `127.0.0.1:5555` and 4 (calls)."""
    host, _, port = address.removeprefix("tcp://").rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) + place < 65536:
        raise ConvoyError(
            "bad_value", f"{address!r} is no address; allowed: HOST:PORT, the first port of a client's block"
        )
    return f"tcp://{host}:{int(port) + place}"


def secure(socket: zmq.Socket[bytes], server_key: str | None) -> None:
    """Encrypts what a socket sends, for a simulator that listens with a key: its public key, 40 characters of Z85."""
    if server_key:
        socket.curve_publickey, socket.curve_secretkey = zmq.curve_keypair()
        socket.curve_serverkey = server_key.encode()


def wait_for_listener(address: str, wait: float) -> None:
    """Returns once somebody listens at `tcp://HOST:PORT`; after `wait` seconds without: ConvoyError `nobody_there`."""
    host, _, port = address.removeprefix("tcp://").rpartition(":")
    end = time.monotonic() + wait
    while True:
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
            return
        except (OSError, ValueError) as error:
            if time.monotonic() >= end:
                raise ConvoyError(
                    "nobody_there",
                    f"nobody listens at {address} ({error}): it takes a run whose scenario has a section `zmq`, "
                    "as `convoy run scenarios/zmq.yaml`",
                ) from None
        time.sleep(0.05)


class Endpoint:
    """Requests to one client and their answers, in order. Not for several threads at once.

    patience: seconds that an answer may take. alive: called while waiting; raises when no answer can come any more.
    """

    def __init__(
        self,
        address: str,
        *,
        patience: float = 30.0,
        alive: Callable[[], None] | None = None,
        server_key: str | None = None,
    ):
        self.address = address
        self.patience = patience
        self.session: str | None = None
        self._alive = alive
        self._server_key = server_key
        self._socket: zmq.Socket[bytes] | None = None
        self._waiting_for: str | None = None
        self._open()

    def _open(self) -> None:
        socket: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.DEALER)
        socket.setsockopt(zmq.LINGER, 0)
        socket.setsockopt(zmq.RECONNECT_IVL, 10)  # ms; a simulator that is just starting is met soon
        socket.setsockopt(zmq.RECONNECT_IVL_MAX, 200)
        secure(socket, self._server_key)
        socket.connect(self.address)
        self._socket = socket

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    @property
    def closed(self) -> bool:
        return self._socket is None

    def send(self, op: str, fields: dict[str, Any]) -> None:
        """Sends a request; `receive` must follow before the next one."""
        if self._socket is None:
            raise ConvoyError("closed", f"the connection to {self.address} is closed")
        if self._waiting_for:  # an answer that was given up may still come: not on this socket
            self._socket.close()
            self._open()
        request = {"op": op, **fields}
        if self.session is not None:
            request["session_id"] = self.session
        self._waiting_for = op
        self._socket.send_multipart((b"", msgpack.packb(request)))  # the empty frame is what a REQ socket would send

    def receive(self) -> dict[str, Any]:
        """The answer to what was sent; raises ConvoyError if it is an error, or when it does not come."""
        op = self._waiting_for
        if op is None or self._socket is None:
            raise ConvoyError("closed", f"nothing was asked of {self.address}")
        self._wait(self._socket, op)
        frames = self._socket.recv_multipart()
        self._waiting_for = None
        try:
            reply: dict[str, Any] = msgpack.unpackb(frames[-1], strict_map_key=False)
            kind = reply["op"]
        except (ValueError, KeyError, TypeError, msgpack.UnpackException):
            raise ConvoyError(
                "bad_reply", f"{self.address} answered '{op}' with {len(frames[-1])} bytes that are no map with an op"
            ) from None
        if kind == "error":
            raise ConvoyError(str(reply.get("code", "bad_reply")), str(reply.get("message", "")))
        if kind != f"{op}_ok":
            raise ConvoyError("bad_reply", f"{self.address} answered '{op}' with '{kind}'")
        return reply

    def _wait(self, socket: zmq.Socket[bytes], op: str) -> None:
        end = time.monotonic() + self.patience
        while True:
            left = end - time.monotonic()
            wait = min(left, WATCH_S) if self._alive else left
            if socket.poll(int(max(0, wait) * 1000) + 1):
                return
            if self._alive:
                self._alive()
            if time.monotonic() >= end:
                raise ConvoyError("timeout", f"{self.address} did not answer '{op}' within {self.patience:g} s")

    def request(self, op: str, **fields: Any) -> dict[str, Any]:
        self.send(op, fields)
        return self.receive()

    def say_bye(self) -> None:
        """Ends the session without waiting, so that a simulator that is gone costs no time."""
        if self._socket is None or self.session is None:
            return
        try:
            self.send("bye", {})
            if self._socket.poll(500):
                self._socket.recv_multipart()
        except (ConvoyError, zmq.ZMQError):
            pass
        self.session = None
        self._waiting_for = None
