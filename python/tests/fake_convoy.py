#!/usr/bin/env python3
"""A stand-in for `convoy run`: the calls of docs/calls.md for robots that never meet and hardly are robots.

    fake_convoy.py run SCENARIO --hosts N --set zmq.port=P

For the package's own tests: it reads no more of a scenario than the environments write. FAKE_TROUBLE makes it go wrong:
`broken`, `taken` (does not start), or with a step `silent`, `junk`, `short`, `tick`, `refuse`, `dies`.
"""

import math
import os
import pathlib
import re
import sys

import msgpack
import numpy as np
import zmq

TROUBLE = os.environ.get("FAKE_TROUBLE", "")


class Refusal(Exception):
    pass


class Robot:
    """Not MuJoCo, but it moves: joints run after their controls, wheels drive."""

    SIZES = {"arm.xml": (6, 6, 6), "turtlebot3_burger.xml": (9, 8, 2)}
    STEP_NS = 2_000_000

    def __init__(self, name, model):
        self.name, self.model = name, model
        self.nq, self.nv, self.nu = self.SIZES[model]
        self.reset({})

    def reset(self, start):
        self.qpos = np.array([0, 0.5, 1.2, 0, 0.6, 0] if self.nq == 6 else [0, 0, 0, 1.0, 0, 0, 0, 0, 0])
        self.qvel, self.ctrl = np.zeros(self.nv), np.zeros(self.nu)
        for key in ("qpos", "qvel"):
            if start.get(key):
                if len(start[key]) != getattr(self, key).size:
                    raise Refusal("dim_mismatch", f"{key} has {len(start[key])} numbers")
                getattr(self, key)[:] = start[key]

    def step(self):
        dt = self.STEP_NS * 1e-9
        if self.nq == 6:
            self.qvel = 20 * (self.ctrl - self.qpos)
            self.qpos = self.qpos + dt * self.qvel
            return
        forward, turn = 0.033 * self.ctrl.sum() / 2, 0.033 * (self.ctrl[1] - self.ctrl[0]) / 0.16
        half = math.atan2(self.qpos[6], self.qpos[3]) + dt * turn / 2
        self.qvel[:] = [forward * math.cos(2 * half), forward * math.sin(2 * half), 0, 0, 0, turn, *self.ctrl]
        self.qpos[:2] += dt * self.qvel[:2]
        self.qpos[3:7] = [math.cos(half), 0, 0, math.sin(half)]
        self.qpos[7:] += dt * self.ctrl

    def row(self, level):
        moved = [self.qpos, self.qvel]
        parts = {"none": [], "minimal": moved, "standard": moved, "full": [*moved, self.ctrl]}[level]
        return np.concatenate(parts) if parts else np.zeros(0)

    def seen(self, level):
        told = {} if level == "none" else {"qpos": self.qpos.tolist(), "qvel": self.qvel.tolist()}
        if level == "full":
            told["ctrl"] = self.ctrl.tolist()
        return told

    def described(self):
        return {
            "name": self.name,
            "prefix": self.name,
            "actor_id": 0,
            "model": self.model,
            "timestep_ns": self.STEP_NS,
            "nq": self.nq,
            "nv": self.nv,
            "nu": self.nu,
            "na": 0,
            "nsensordata": 0,
            "joints": [],
            "sensors": [],
            "actuators": [{"name": f"a{i}", "id": i} for i in range(self.nu)],
            "keyframes": [],
            "camera_topics": [],
        }


class Host:
    """One client's robots and calls. The hosts do not wait for each other: nothing here would show it."""

    def __init__(self, name, port, robots, tick_ns, endpoints):
        self.name, self.robots, self.tick_ns, self.endpoints = name, {r.name: r for r in robots}, tick_ns, endpoints
        self.tick, self.greeted, self.sessions, self.socket = 0, 0, {}, zmq.Context.instance().socket(zmq.ROUTER)
        self.socket.bind(f"tcp://127.0.0.1:{port + 4}")

    def answer(self):
        *address, request = self.socket.recv_multipart()
        request = msgpack.unpackb(request)
        op = request["op"]
        try:
            if op not in ("hello", "meta") and request.get("session_id") not in self.sessions:
                raise Refusal("session_expired", "say hello first")
            reply = {"op": f"{op}_ok", **getattr(self, f"do_{op}")(request)}
        except Refusal as refusal:
            reply = {"op": "error", "code": refusal.args[0], "message": refusal.args[1]}
        packed = msgpack.packb(reply)
        if op == "step" and TROUBLE == "dies":
            os._exit(3)
        if op == "step" and TROUBLE == "silent":
            return
        if op == "step" and TROUBLE == "junk":
            packed = b"\xc1 no msgpack"
        self.socket.send_multipart([*address, packed])

    def do_meta(self, _):
        return {"ops": [], "error_codes": []}

    def do_hello(self, _):
        self.greeted += 1
        if self.greeted == 1:
            raise Refusal("not_ready", "the run has not begun")
        session = f"s{self.name}{len(self.sessions)}"
        self.sessions[session] = []
        mine = next(e for e in self.endpoints if e["host"] == self.name)
        return {
            "session_id": session,
            "host": self.name,
            "tick_ns": self.tick_ns,
            "mode": "live",
            "endpoints": [mine] + [e for e in self.endpoints if e is not mine],
            "articulations": [r.described() for r in self.robots.values()],
        }

    def do_bye(self, request):
        del self.sessions[request["session_id"]]
        return {}

    def do_lease(self, request):
        others = {n for s, names in self.sessions.items() if s != request["session_id"] for n in names}
        mine, names = self.sessions[request["session_id"]], request["articulations"]
        if others & set(names):
            raise Refusal("leased", f"{sorted(others & set(names))} are another session's")
        mine += [name for name in names if name not in mine]
        return {"articulations": mine}

    def do_release(self, request):
        for name in request["articulations"]:
            self.sessions[request["session_id"]].remove(name)
        return {}

    def do_set_gains(self, request):
        if request["articulation"] not in self.robots:
            raise Refusal("unknown_articulation", request["articulation"])
        if request["gains"] != {"joint_1": {"kp": 2.0}} or not isinstance(request["gains"]["joint_1"]["kp"], float):
            raise Refusal("bad_value", f"{request['gains']}")
        return {}

    def do_get_sensor(self, request):
        """A camera of two pixels by one, red and green."""
        if request["articulation"] not in self.robots or request["sensor"] != "view":
            raise Refusal("bad_value", f"{request}")
        lens = {"width": 2, "height": 1, "distortion": [0.0] * 5}
        data = {"lens": lens, "color": bytes([255, 0, 0, 0, 255, 0])}
        return {"sensor": "view", "type": "camera", "index": 0, "stamp_ns": 0, "data": data}

    def do_set_mode(self, request):
        return {"current_mode": request["mode"], "previous_mode": "live", "tick": self.tick, "run": 0, "time": 0.0}

    def do_step(self, request):
        if TROUBLE == "refuse":
            raise Refusal("bad_value", "no steps today")
        mine = [self.robots[n] for n in self.sessions[request["session_id"]]]
        for name, command in request.get("per_articulation", {}).items():
            self.command(self.robots[name], command)
        ctrl, at = np.frombuffer(request.get("ctrl", b""), "<f8"), 0
        for robot in mine if ctrl.size else []:
            values = ctrl[at : at + robot.nu]
            at += robot.nu
            robot.ctrl = np.where(np.isnan(values), robot.ctrl, values)
        ns = request["ticks"] * self.tick_ns if "ticks" in request else request["n_steps"] * Robot.STEP_NS
        if ns % self.tick_ns:
            raise Refusal("bad_value", f"{ns} ns are no multiple of the tick of {self.tick_ns} ns")
        for robot in self.robots.values():
            for _ in range(ns // Robot.STEP_NS):
                robot.step()
        self.tick += ns // self.tick_ns
        for name, start in request.get("reset_after", {}).items():
            self.robots[name].reset(start)
        return self.boundary(request, mine)

    def command(self, robot, command):
        if len(command["ctrl"]) != robot.nu:
            raise Refusal("dim_mismatch", f"ctrl has {len(command['ctrl'])} numbers; allowed: {robot.nu}")
        robot.ctrl[:] = command["ctrl"]

    def boundary(self, request, mine):
        level = request.get("observations", "standard")
        reply = {
            "tick": self.tick + (TROUBLE == "tick" and self.name != "host0"),
            "step": self.tick,
            "run": 0,
            "time": self.tick * self.tick_ns * 1e-9,
        }
        if "packed" in request:
            rows = np.concatenate([r.row(level) for r in mine] or [np.zeros(0)])
            return {**reply, "obs": rows.tobytes()[: -8 if TROUBLE == "short" else None]}
        return {**reply, "per_articulation": {r.name: r.seen(level) for r in self.robots.values()}}

    def do_reset(self, request):
        for name in request.get("articulations") or list(self.robots):
            self.robots[name].reset(
                {
                    "qpos": request.get("per_articulation_qpos", {}).get(name),
                    "qvel": request.get("per_articulation_qvel", {}).get(name),
                }
            )
        return self.boundary(request, [self.robots[n] for n in self.sessions[request["session_id"]]])


def main():
    words = sys.argv[1:]
    hosts = int(words[words.index("--hosts") + 1])
    port = int(words[words.index("--set") + 1].partition("=")[2])
    if TROUBLE == "taken":
        sys.exit("zmq.port: 127.0.0.1:1 is taken")
    scenario = pathlib.Path(words[1]).read_text()
    if TROUBLE == "broken":
        sys.exit(f"{words[1]}:1: robots: missing")
    tick_ns = int(re.search(r"tick: (\d+)ns", scenario)[1])
    count, model = re.search(r"count: (\d+), model: ([\w.]+)", scenario).groups()
    robots = [Robot(f"robot_{i:0{len(str(int(count) - 1))}d}", model) for i in range(int(count))]
    ends = [
        {"host": f"host{i}", "calls": f"tcp://*:{port + 20 * i + 4}", "state": "", "control": "", "info": ""}
        for i in range(hosts)
    ]
    all_hosts = [Host(f"host{i}", port + 20 * i, robots[i::hosts], tick_ns, ends) for i in range(hosts)]
    poller = zmq.Poller()
    for host in all_hosts:
        poller.register(host.socket, zmq.POLLIN)
    while True:
        ready = dict(poller.poll())
        for host in all_hosts:
            if host.socket in ready:
                host.answer()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
