#!/usr/bin/env python3
"""How fast time is stepped over port 5559, beside a bare REQ/REP loop of the same sizes.

    .env/python/bin/python tools/bench_calls.py CONVOY [REQUESTS]

The humanoid by one physics step a request, in one process and with server and client apart; 100 burgers by five physics
steps a request, packed. Timings, so never a test.
"""
import os
import sys
import tempfile
import time

import msgpack
import zmq

import e2e_calls

HUMANOID = """
convoy: 1
time: {{tick: 2ms, duration: 36000s}}
hosts: {hosts}
world: {{ground: {{size: [6, 5]}}}}
zmq: {{port: {port}}}
robots:
  - {{name: man, model: humanoid.xml, placement: {{poses: [[0, 0]]}}}}
"""
BURGERS = """
convoy: 1
time: {{tick: 10ms, duration: 36000s}}
hosts: {hosts}
world: {{ground: {{size: [60, 60]}}}}
zmq: {{port: {port}}}
robots:
  - {{name: burger, count: 100, model: turtlebot3_burger.xml, placement: {{grid: {{spacing: [4, 4], origin: [-20, -20]}}}}}}
"""


def timed(socket, request, n):
    for _ in range(min(n, 200)):
        socket.send(request)
        reply = socket.recv()
    took = []
    for _ in range(n):
        begin = time.perf_counter()
        socket.send(request)
        reply = socket.recv()
        took.append(time.perf_counter() - begin)
    return sorted(took), reply


def line(what, took):
    print(f"  {what:<28} {len(took) / sum(took):8.0f} a second   p50 {1e6 * took[len(took) // 2]:6.0f} us"
          f"   p99 {1e6 * took[int(0.99 * len(took))]:6.0f} us", flush=True)


def echo(reply, port):
    """A process that answers everything with `reply`."""
    child = os.fork()
    if child == 0:
        socket = zmq.Context().socket(zmq.REP)
        socket.bind(f"tcp://127.0.0.1:{port}")
        while socket.recv() != b"end":
            socket.send(reply)
        os._exit(0)
    return child


def measure(convoy, folder, what, scenario, command, n_steps, n):
    e2e_calls.SCENARIO = scenario
    with e2e_calls.Simulator(convoy, folder, 1, command=command) as simulator:
        program = simulator.programs()[0]
        layout = program("lease")["layout"]
        request = msgpack.packb({"op": "step", "session_id": program.session, "n_steps": n_steps, "observations": "minimal",
                                 "ctrl": bytes(8 * sum(robot["nu"] for robot in layout))})
        took, reply = timed(program.socket, request, n)
        assert msgpack.unpackb(reply)["op"] == "step_ok", reply
        port = simulator.port + 19
    print(f"{what}: {len(request)} bytes there, {len(reply)} back")
    line(f"{n_steps} physics steps", took)
    child = echo(reply, port)
    socket = zmq.Context().socket(zmq.REQ)
    socket.connect(f"tcp://127.0.0.1:{port}")
    line("bare REQ/REP", timed(socket, request, n)[0])
    socket.send(b"end")
    os.waitpid(child, 0)


def main():
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    with tempfile.TemporaryDirectory() as folder:
        measure(sys.argv[1], folder, "humanoid, one process", HUMANOID, "run", 1, n)
        measure(sys.argv[1], folder, "humanoid, server apart", HUMANOID, "launch", 1, n)
        measure(sys.argv[1], folder, "100 burgers, one process", BURGERS, "run", 5, max(n // 10, 100))


if __name__ == "__main__":
    main()
