#!/usr/bin/env python3
"""A stand-in for `convoy run`: the calls of docs/calls.md over MuJoCo's own Python, for robots that never meet.

    fake_convoy.py run SCENARIO --hosts N --set zmq.port=P

Lets the package be tested where no simulator is built. FAKE_TROUBLE makes it answer wrongly: `silent`, `junk`, `short`,
`tick`, `refuse` (of steps), `taken`, `dies`.
"""
import os
import pathlib
import sys
import time

import mujoco
import msgpack
import numpy as np
import zmq
from ruamel.yaml import YAML

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
TROUBLE = os.environ.get("FAKE_TROUBLE", "")


class Refusal(Exception):
    pass


class Robot:
    def __init__(self, name, model_file):
        self.name, self.file = name, model_file
        spec = mujoco.MjSpec.from_file(str(MODELS / model_file))
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.reset({})

    def reset(self, start):
        m, d = self.model, self.data
        mujoco.mj_resetData(m, d)
        if m.nkey:
            mujoco.mj_resetDataKeyframe(m, d, 0)
        for key in ("qpos", "qvel"):
            if start.get(key):
                if len(start[key]) != getattr(d, key).size:
                    raise Refusal("dim_mismatch", f"{key} has {len(start[key])} numbers")
                getattr(d, key)[:] = start[key]
        d.time = 0

    def row(self, level):
        d = self.data
        parts = {"none": [], "minimal": [d.qpos, d.qvel], "standard": [d.qpos, d.qvel, d.act, d.sensordata],
                 "full": [d.qpos, d.qvel, d.act, d.sensordata, d.ctrl]}[level]
        return np.concatenate(parts) if parts else np.zeros(0)

    def seen(self, level):
        d = self.data
        told = {} if level == "none" else {"qpos": d.qpos.tolist(), "qvel": d.qvel.tolist()}
        if level in ("standard", "full"):
            told.update(act=d.act.tolist(), sensors={}, twist=[0.0, 0.0, 0.0], actions=0)
        if level == "full":
            told["ctrl"] = d.ctrl.tolist()
        return told

    def described(self):
        m = self.model
        names = lambda kind, n: [{"name": mujoco.mj_id2name(m, kind, i), "id": i} for i in range(n)]
        return {"name": self.name, "prefix": self.name, "actor_id": 0, "model": self.file,
                "timestep_ns": round(m.opt.timestep * 1e9), "nq": m.nq, "nv": m.nv, "nu": m.nu, "na": m.na,
                "nsensordata": m.nsensordata, "joints": names(mujoco.mjtObj.mjOBJ_JOINT, m.njnt),
                "actuators": names(mujoco.mjtObj.mjOBJ_ACTUATOR, m.nu), "sensors": [], "keyframes": [], "camera_topics": []}


class Host:
    """One client's robots and calls. The hosts do not wait for each other: nothing here could tell."""

    def __init__(self, name, port, robots, tick_ns, endpoints):
        self.name, self.robots, self.tick_ns, self.endpoints = name, {r.name: r for r in robots}, tick_ns, endpoints
        self.tick, self.sessions, self.socket = 0, {}, zmq.Context.instance().socket(zmq.ROUTER)
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
        session = f"s{self.name}{len(self.sessions)}"
        self.sessions[session] = []
        mine = next(e for e in self.endpoints if e["host"] == self.name)
        return {"session_id": session, "host": self.name, "tick_ns": self.tick_ns, "mode": "live",
                "endpoints": [mine] + [e for e in self.endpoints if e is not mine],
                "articulations": [r.described() for r in self.robots.values()]}

    def do_bye(self, request):
        del self.sessions[request["session_id"]]
        return {}

    def do_lease(self, request):
        others = {n for s, names in self.sessions.items() if s != request["session_id"] for n in names}
        names = request.get("articulations") or list(self.robots)
        if others & set(names):
            raise Refusal("leased", f"{sorted(others & set(names))} are another session's")
        self.sessions[request["session_id"]] = names
        return {"articulations": names}

    def do_release(self, request):
        self.sessions[request["session_id"]] = []
        return {}

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
            values = ctrl[at:at + robot.model.nu]
            at += robot.model.nu
            robot.data.ctrl[:] = np.where(np.isnan(values), robot.data.ctrl, values)
        for robot in self.robots.values():
            step_ns = round(robot.model.opt.timestep * 1e9)
            ns = request["ticks"] * self.tick_ns if "ticks" in request else request["n_steps"] * step_ns
            if ns % self.tick_ns:
                raise Refusal("bad_value", f"{ns} ns are no multiple of the tick of {self.tick_ns} ns")
            mujoco.mj_step(robot.model, robot.data, ns // step_ns)
        self.tick += ns // self.tick_ns
        for name, start in request.get("reset_after", {}).items():
            self.robots[name].reset(start)
        return self.boundary(request, mine)

    def command(self, robot, command):
        if "ctrl" in command:
            robot.data.ctrl[:] = command["ctrl"]
        for name, value in command.get("ctrl_map", {}).items():
            number = mujoco.mj_name2id(robot.model, mujoco.mjtObj.mjOBJ_ACTUATOR, name)
            if number < 0:
                raise Refusal("bad_value", f"no actuator '{name}'")
            robot.data.ctrl[number] = value

    def boundary(self, request, mine):
        level = request.get("observations", "standard")
        reply = {"tick": self.tick + (TROUBLE == "tick" and self.name != "host0"), "step": self.tick, "run": 0,
                 "time": self.tick * self.tick_ns * 1e-9}
        if "packed" in request:
            rows = np.concatenate([r.row(level) for r in mine] or [np.zeros(0)])
            return {**reply, "obs": rows.tobytes()[:-8 if TROUBLE == "short" else None]}
        return {**reply, "per_articulation": {r.name: r.seen(level) for r in self.robots.values()}}

    def do_reset(self, request):
        for name in request.get("articulations") or list(self.robots):
            self.robots[name].reset({"qpos": request.get("per_articulation_qpos", {}).get(name),
                                     "qvel": request.get("per_articulation_qvel", {}).get(name)})
        return self.boundary(request, [self.robots[n] for n in self.sessions[request["session_id"]]])

    def do_get_state(self, request):
        robot = self.robots[request["articulation"]]
        size = mujoco.mj_stateSize(robot.model, mujoco.mjtState.mjSTATE_INTEGRATION)
        state = np.empty(size)
        mujoco.mj_getState(robot.model, robot.data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
        return {"per_articulation": {robot.name: {**robot.seen(request["observations"]), "state": state.tobytes()}}}

    def do_set_state(self, request):
        robot = self.robots[request["articulation"]]
        if "state" in request:
            state = np.frombuffer(request["state"], "<f8")
            mujoco.mj_setState(robot.model, robot.data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
        else:
            robot.reset(request)
        return {"tick": self.tick}


def main():
    words = sys.argv[1:]
    hosts = int(words[words.index("--hosts") + 1])
    port = int(words[words.index("--set") + 1].partition("=")[2])
    if TROUBLE == "taken":
        sys.exit("zmq.port: 127.0.0.1:1 is taken")
    scenario = YAML(typ="safe").load(pathlib.Path(words[1]).read_text())
    if "robots" not in scenario:
        sys.exit(f"{words[1]}:1: robots: a scenario needs robots")
    robots = []
    for group in scenario["robots"]:
        count = group.get("count")
        names = [group["name"]] if count is None else [f"{group['name']}_{i:0{len(str(count - 1))}d}" for i in range(count)]
        robots += [Robot(name, group["model"]) for name in names]
    tick = scenario["time"]["tick"]
    tick_ns = int(tick[:-2]) * (1 if tick.endswith("ns") else 1000000)
    ends = [{"host": f"host{i}", "calls": f"tcp://*:{port + 20 * i + 4}", "state": "", "control": "", "info": ""}
            for i in range(hosts)]
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
        time.sleep(0)
