#!/usr/bin/env python3
"""One robot stepped over port 5559, one physics step a request, beside a bare request and reply of the same sizes.

    .env/python/bin/python bench/stepping.py --convoy build/convoy [--model humanoid.xml] [--steps 5000]

Prints one JSON object: steps and round trips a second, and their median and 99th percentile in ms.
"""
import argparse
import json
import multiprocessing
import pathlib
import subprocess
import sys
import tempfile
import time

import msgpack
import numpy as np
import zmq

SCENARIO = """convoy: 1
time: {{tick: {tick}ms, duration: 100000s, speed: max}}
zmq: {{port: {port}}}
robots:
  - {{name: dut, model: {model}, placement: {{poses: [[0, 0, 0]]}}}}
"""


def echo(port, size, ready):
    """What any server written like this could answer: takes a request, answers `size` bytes."""
    socket = zmq.Context().socket(zmq.REP)
    socket.bind(f"tcp://127.0.0.1:{port}")
    answer = bytes(size)
    ready.set()
    while socket.recv():
        socket.send(answer)


def times_of(steps, act):
    """Of each of so many calls, s."""
    out = np.empty(steps)
    for i in range(steps):
        begin = time.perf_counter()
        act()
        out[i] = time.perf_counter() - begin
    return out


def figures(times, name):
    return {f"{name}_per_s": len(times) / times.sum(), f"{name}_p50_ms": 1e3 * float(np.percentile(times, 50)),
            f"{name}_p99_ms": 1e3 * float(np.percentile(times, 99))}


def connect(context, port):
    socket = context.socket(zmq.REQ)
    socket.setsockopt(zmq.LINGER, 0)
    socket.setsockopt(zmq.RCVTIMEO, 20_000)
    socket.connect(f"tcp://127.0.0.1:{port}")
    return socket


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--convoy", required=True)
    options.add_argument("--model", default="humanoid.xml")
    options.add_argument("--tick", type=float, default=2, help="ms: the model's timestep")
    options.add_argument("--steps", type=int, default=5000)
    options.add_argument("--port", type=int, default=16555)
    o = options.parse_args()
    context = zmq.Context()
    with tempfile.TemporaryDirectory() as folder:
        scenario = pathlib.Path(folder) / "one.yaml"
        scenario.write_text(SCENARIO.format(tick=o.tick, port=o.port, model=o.model))
        run = subprocess.Popen([o.convoy, "run", scenario, "--log-level", "error"], stdout=subprocess.DEVNULL)
        bare = None
        try:
            socket = connect(context, o.port + 4)
            sizes = {}

            def call(**request):
                packed = msgpack.packb(request)
                socket.send(packed)
                answer = socket.recv()
                sizes["request"], sizes["reply"] = len(packed), len(answer)
                return msgpack.unpackb(answer)

            said = call(op="hello")
            while said["op"] == "error":  # the run has not begun
                time.sleep(0.1)
                said = call(op="hello")
            session, nu = said["session_id"], said["articulations"][0]["nu"]
            call(op="lease", session_id=session)
            if call(op="set_mode", session_id=session, mode="stepped").get("current_mode") != "stepped":
                sys.exit("no stepping")
            ctrl = np.full(nu, np.nan).tobytes()
            step = dict(op="step", session_id=session, n_steps=1, ctrl=ctrl, packed=True, observations="minimal")
            if (answer := call(**step))["op"] != "step_ok":
                sys.exit(f"no step: {answer}")
            times_of(200, lambda: call(**step))
            request = b"x" * sizes["request"]
            ready = multiprocessing.Event()
            bare = multiprocessing.Process(target=echo, args=(o.port + 15, sizes["reply"], ready), daemon=True)
            bare.start(), ready.wait()
            plain = connect(context, o.port + 15)

            def trip():
                plain.send(request)
                plain.recv()

            times_of(200, trip)
            found, blocks = {}, []
            for _ in range(5):  # in turn: a busy machine disturbs both
                blocks.append((times_of(o.steps // 5, lambda: call(**step)), times_of(o.steps // 5, trip)))
            found.update(figures(np.concatenate([b[0] for b in blocks]), "steps"))
            found.update(figures(np.concatenate([b[1] for b in blocks]), "trips"))
            best = max(range(5), key=lambda i: 1 / blocks[i][0].sum())
            found.update({f"best_{k}": v for k, v in figures(blocks[best][0], "steps").items()})
            print(json.dumps({"model": o.model, **sizes, **found}))
        finally:
            if bare:
                bare.terminate()
            run.terminate()
            run.wait()
            context.destroy(0)


if __name__ == "__main__":
    main()
