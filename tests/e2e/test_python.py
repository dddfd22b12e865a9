#!/usr/bin/env python3
"""The Python package against a real simulator: stepping, streams, Gymnasium environments, simulators that do not start.

    .env/python/bin/python tests/e2e/test_python.py CONVOY [PART...]

Parts: stepping hosts streams checker equal rollouts requests returns parts sensing seeing trouble; default all. Prints one line per
check that fails and exits 1 if there is any.
"""

import contextlib
import hashlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import gymnasium
from gymnasium.utils.env_checker import check_env
from harness import new_bench

import convoy
import convoy.gym

IDS = ("convoy/ArmReach-v0", "convoy/BurgerGoal-v0")
PATIENCE = 60  # s
SCENARIO = """
convoy: 1
name: python
time: {tick: TICK, duration: 10000s}
world: {ground: {size: [8, 8]}}
zmq: {}
robots:
  - {name: arm, model: arm.xml, placement: {poses: [[0, 1]]}}
  - {name: burger, model: turtlebot3_burger.xml, placement: {poses: [[0, -1]]}, sensors: [imu, {type: scan, beams: 8}]}
"""


def scenario(b, tick="2ms", more=""):
    file = b.folder / f"python_{time.monotonic_ns()}.yaml"
    file.write_text(SCENARIO.replace("TICK", tick).replace("zmq: {}", f"zmq: {{{more}}}"))
    return file


def refused(b, code, act, what=""):
    """The error of that code, and none other."""
    try:
        act()
    except convoy.ConvoyError as error:
        b.check(error.code == code, f"the error is not {code} {what}", error)
        return error
    b.check(False, f"no error {code} {what}")
    return convoy.ConvoyError("none", "")


def same(one, other):
    """Equal to the last bit and in kind, however deep."""
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if isinstance(one, np.ndarray):
        if not isinstance(other, np.ndarray) or one.dtype != other.dtype or one.shape != other.shape:
            return False
        if one.dtype == object:
            return all(same(a, c) for a, c in zip(one, other))
        return one.tobytes() == other.tobytes()
    return type(one) is type(other) and one == other


# ---- the package without Gymnasium ----


def stepping(b):
    with convoy.Simulator(scenario(b)) as simulator, simulator.connect() as world:
        arm = world.robots["arm"]
        b.check((arm.nq, arm.nv, arm.nu, arm.timestep) == (6, 6, 6, 0.002), "the sizes of the arm", arm)
        b.check(
            [a["name"] for a in arm.actuators] == [f"joint_{i}" for i in range(1, 7)], "its actuators", arm.actuators
        )
        world.lease(["arm"])
        with simulator.connect() as other:
            refused(b, "leased", lambda: other.lease(["burger", "arm"]), "for a robot of another's")
            b.check([r.name for r in other.lease(["burger"])] == ["burger"], "a refused lease took the burger")
        world.set_mode("stepped")
        here = world.step(5)
        b.check(here.robots.keys() == {"arm"}, "what is seen is not what is leased", here.robots.keys())
        world.lease(["burger"])  # the other session has given it up
        there = world.step(n_steps=5, controls={"arm": {"joint_1": 0.3}}, observations="full")
        b.check(there.tick == here.tick + 5 and abs(there.time - here.time - 0.01) < 1e-9, "five steps", here, there)
        b.check(there.robots["arm"].ctrl[0] == 0.3, "a control by name", there.robots["arm"].ctrl)
        there = world.step(ticks=1000, controls={"arm": [0.2, 0.4, 1.0, 0, 0.5, np.nan]})
        b.check(
            np.abs(there.robots["arm"].qpos - [0.2, 0.4, 1.0, 0, 0.5, 0]).max() < 0.02,
            "controls in order",
            there.robots["arm"].qpos,
        )
        b.check(
            there.robots["burger"].sensors.keys() == {"gyro", "accel"}, "the sensors", there.robots["burger"].sensors
        )
        exact(b, world)
        at_home = world.reset(["arm"])
        b.check(
            at_home.tick == there.tick + 42 and np.array_equal(at_home.robots["arm"].qpos, [0, 0.5, 1.2, 0, 0.6, 0]),
            "a reset of one robot",
            at_home,
        )
        put = world.step(1, reset_after={"arm": {"qpos": np.full(6, 0.1), "qvel": np.zeros(6)}})
        b.check(
            np.array_equal(put.robots["arm"].qpos, np.full(6, 0.1)), "a reset behind a step", put.robots["arm"].qpos
        )
        b.check(
            {k["name"] for k in world.keyframes("arm")} == {"home", "up", "side"}, "keyframes", world.keyframes("arm")
        )
        refused(b, "unknown_articulation", lambda: world.get_state("nobody"))
        refused(b, "unknown_keyframe", lambda: world.reset(["arm"], keyframe="nowhere"))
        refused(b, "dim_mismatch", lambda: world.step(1, controls={"arm": [1.0]}))
        refused(b, "bad_value", lambda: world.set_state("arm", qpos=np.full(6, np.nan)))
        fresh = world.reset()
        b.check(fresh.tick == 0 and fresh.run == there.run + 1, "a reset of the world", fresh)
        b.check(world.step(1).tick == 1, "a step of the new run")
        b.check("step" in [op["name"] for op in world.meta()["ops"]], "meta", world.meta())
        lively(b, world)
    b.check(gone(b), "the simulator lives on", left(b))


def exact(b, world):
    """A state taken, and put back later, gives the same steps again."""
    world.step(1, controls={"arm": np.full(6, 0.7), "burger": [3, -1]})
    kept = {name: world.get_state(name).state for name in world.robots}
    one = world.step(20)
    for name, state in kept.items():
        world.set_state(name, state)
    other = world.step(20)
    b.check(other.tick == one.tick + 20, "steps after a state was put back")
    for name in kept:
        b.check(
            np.array_equal(one.robots[name].qpos, other.robots[name].qpos)
            and np.array_equal(one.robots[name].qvel, other.robots[name].qvel),
            f"a state that is put back ({name})",
            one.robots[name],
            other.robots[name],
        )
    world.set_state("arm", qpos=np.zeros(6), qvel=np.zeros(6))
    b.check(not world.get_state("arm").qpos.any(), "a position that is set")
    world.step(1)


def lively(b, world):
    """In live mode the world goes on by itself, unless it is paused."""
    world.set_mode("live")
    first = world.step(1).tick
    end = time.monotonic() + PATIENCE
    while world.step(1).tick < first + 10 and time.monotonic() < end:
        pass
    b.check(world.step(1).tick >= first + 10, "a live world stands still")
    world.pause()
    first = world.step(1).tick
    time.sleep(0.1)
    b.check(world.step(1).tick == first, "a paused world goes on")
    world.resume()
    world.set_twist("burger", 0.1)
    world.set_gains("burger", {})
    world.apply_force("arm", torque=(0, 0, 0.1), duration=0.05)
    world.set_option("arm", "iterations", 50)
    b.check(isinstance(world.contacts("arm"), list), "contacts")
    b.check([one["sensor"] for one in world.sensors("burger")] == ["imu", "scan"], "sensors", world.sensors("burger"))
    felt = world.sensor("burger", "imu")["data"]["linear_acceleration"]
    b.check(abs(felt["z"] - 9.81) < 2, "what the IMU feels", felt)
    ranges = world.sensor("burger", "scan")["data"]["ranges"]
    b.check(isinstance(ranges, np.ndarray) and len(ranges) == 8 and ranges.max() == np.inf, "what the scanner sees", ranges)
    world.set_sensor("burger", "scan", beams=5, rate=20)
    end = time.monotonic() + PATIENCE
    while len(world.sensor("burger", "scan")["data"]["ranges"]) != 5 and time.monotonic() < end:
        pass
    b.check(len(world.sensor("burger", "scan")["data"]["ranges"]) == 5, "a changed scanner")
    refused(b, "bad_value", lambda: world.set_sensor("burger", "scan", beams=0))
    refused(b, "bad_value", lambda: world.set_sensor("burger", "scan", beems=4))
    refused(b, "bad_value", lambda: world.sensor("burger", "nothing"))
    refused(b, "bad_value", lambda: world.set_sensor("burger", "nothing", rate=5))
    refused(b, "bad_value", lambda: world.apply_force("arm", (1, 0, 0), body="nobody"))
    refused(b, "bad_value", lambda: world.set_gains("arm", {"joint_9": {"kp": 1}}))


def hosts(b):
    """One connection steps all clients of a run; what it sees does not depend on their number, nor on processes."""
    seen = []
    for count in (1, 2):
        with convoy.Simulator(scenario(b, "4ms"), hosts=count) as simulator, simulator.connect() as world:
            seen.append(rest_of_hosts(b, world, count))
    port = convoy.simulator.free_block(60)
    launch = b.start("launch", scenario(b, "4ms", f"port: {port}"), "--hosts", 3)
    with launch, convoy.connect(f"127.0.0.1:{port + 40}", wait=PATIENCE) as world:  # by the one that has no robots
        seen.append(rest_of_hosts(b, world, 3))
    for name in ("arm", "burger"):
        rows = [one.robots[name].qpos for one in seen]
        b.check(all(same(rows[0], row) for row in rows), f"{name} on one host, on two, on three processes", rows)


def rest_of_hosts(b, world, count):
    b.check(len(world.endpoints) == count and world.robots.keys() == {"arm", "burger"}, "the endpoints", world.robots)
    world.lease()
    world.set_mode("stepped")
    b.check(world.reset().tick == 0, "a reset over several clients")
    last = None
    for i in range(50):
        last = world.step(4, controls={"arm": np.full(6, 0.01 * i), "burger": [i / 10, 2]})
    b.check(last.tick == 100, "steps of two ticks", last.tick)
    refused(b, "bad_value", lambda: world.step(3), "for a part of a tick")
    b.check(world.step(4).tick == last.tick + 2, "a refused step took time")
    return last


def streams(b):
    """Both profiles of the states; a control that moves a joint; info."""
    port = convoy.simulator.free_block(200)
    file = scenario(b, more=f"wire_profile: both, urlab01_port: {port + 100}")
    with convoy.Simulator(file, port=port):
        for profile, first in (("seed", port), ("urlab01", port + 100)):
            with convoy.stream(f"127.0.0.1:{first}", "burger/", profile=profile) as states:
                found = {}
                for message in states:
                    found[type(message).__name__] = message
                    if len(found) == 4:
                        break
            base = found["BaseState"]
            b.check(
                abs(np.linalg.norm(base.orientation) - 1) < 1e-5
                and base.orientation[0] > 0.99
                and abs(base.position[1] + 1) < 0.05
                and (base.linear is None) == (profile == "seed"),
                f"the base ({profile})",
                base,
            )
            b.check(found["Sensor"].values.shape == (3,), f"a sensor ({profile})", found["Sensor"])
        address = f"127.0.0.1:{port}"
        with convoy.stream(address, "burger/sample/scan") as states:
            scans = [one for one, _ in zip(states, range(3), strict=False)]
        b.check(
            all(type(one) is convoy.Sample and one.type == "scan" for one in scans)
            and [one.index for one in scans] == [scans[0].index + i for i in range(3)]
            and scans[0].data["ranges"].shape == (8,)
            and scans[0].stamp_ns < scans[1].stamp_ns,
            "samples of a sensor",
            scans,
        )
        told = next(convoy.info(address))
        b.check(told["robot"] in ("arm", "burger"), "info", told)
        with convoy.control(address) as control, convoy.stream(address, "arm/joint/joint_1") as states:
            end = time.monotonic() + PATIENCE
            control.send("arm", {0: 0.5})
            moved = next((s for s in states if abs(s.position - 0.5) < 0.02 or time.monotonic() > end), None)
            b.check(abs(moved.position - 0.5) < 0.02, "a control over the stream", moved)
    refused(b, "timeout", lambda: next(iter(convoy.stream(f"127.0.0.1:{port}", patience=0.2))), "for silence")
    refused(b, "timeout", lambda: convoy.control(f"127.0.0.1:{port}", patience=0.2), "for nobody who listens")


# ---- environments ----


def checker(b):
    for name in IDS:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            env = gymnasium.make(name)
            try:
                check_env(env.unwrapped)
                b.check(True, "")
            except Exception as error:
                b.check(False, f"Gymnasium's checker finds fault with {name}", repr(error))
            env.close()


def early(name):
    """Ends that come at different times: a wide goal."""
    wide = {"convoy/ArmReach-v0": 0.3, "convoy/BurgerGoal-v0": 0.9}[name]
    kind = {"convoy/ArmReach-v0": convoy.gym.ArmReach, "convoy/BurgerGoal-v0": convoy.gym.BurgerGoal}[name]
    return type("Early", (kind,), {"NEAR": wide})()


def equal(b, ids=IDS):
    """The vector environment does what SyncVectorEnv does over as many single ones, in each mode, to the last bit."""
    count, limit = 3, 12
    for name in ids:
        task = early(name)
        for mode in gymnasium.vector.AutoresetMode:
            sync = gymnasium.vector.SyncVectorEnv(
                [lambda: gymnasium.make(name, task=task, max_episode_steps=limit) for _ in range(count)],
                autoreset_mode=mode,
            )
            mine = gymnasium.make_vec(name, count, task=task, max_episode_steps=limit, autoreset_mode=mode, hosts=2)
            try:
                ended = compare(b, f"{name} {mode.value}", sync, mine)
            finally:
                sync.close()
                mine.close()
            b.check(ended[0] > 1 and ended[1] > 1, "episodes did not end in both ways", name, mode, ended)


def compare(b, what, sync, mine, steps=36):
    disabled = mine.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.DISABLED
    random = np.random.default_rng(5)
    ended = [0, 0]
    seen, other = sync.reset(seed=11), mine.reset(seed=11)
    b.check(same(seen[0], other[0]) and same(seen[1], other[1]), f"{what}: the reset", seen, other)
    for i in range(steps):
        scripted = mine.unwrapped.task.scripted(other[0])
        actions = np.where(random.random((mine.num_envs, 1)) < 0.6, scripted, random.uniform(-1, 1, scripted.shape))
        actions = actions.astype(np.float32)
        seen, other = sync.step(actions), mine.step(actions)
        if not all(same(x, y) for x, y in zip(seen, other)):
            b.check(False, f"{what}: step {i}", seen, other)
            return ended
        ended[0] += int(seen[2].sum())
        ended[1] += int(seen[3].sum())
        done = seen[2] | seen[3]
        if disabled and done.any():
            seed = None if i % 2 else 100 + i
            seen = sync.reset(seed=seed, options={"reset_mask": done.copy()})
            other = mine.reset(seed=seed, options={"reset_mask": done.copy()})
            b.check(same(seen[0], other[0]) and same(seen[1], other[1]), f"{what}: a reset of some", seen, other)
    b.check(True, "")
    again = sync.reset(), mine.reset()
    b.check(same(again[0][0], again[1][0]), f"{what}: a reset without a seed goes on with the same generators", again)
    return ended


def rollout(name, count=5, steps=40, **options):
    env = gymnasium.make_vec(name, count, task=early(name), max_episode_steps=15, **options)
    env.action_space.seed(3)
    digest = hashlib.sha256(env.reset(seed=4)[0].tobytes())
    for _ in range(steps):
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        for part in (observation, reward, terminated, truncated):
            digest.update(part.tobytes())
    env.close()
    return digest.hexdigest()


def rollouts(b):
    for name in IDS:
        found = {f"{hosts} hosts": rollout(name, hosts=hosts) for hosts in (1, 2, 4)}
        found["again"] = rollout(name)
        b.check(len(set(found.values())) == 1, f"rollouts of {name} differ", found)
        b.check(rollout(name, steps=39) != found["again"], "a digest that sees nothing")


def requests(b):
    """One request per client and step, also while episodes end and begin; the rows go by the robots' names."""
    env = gymnasium.make_vec(IDS[0], 5, task=early(IDS[0]), max_episode_steps=4, hosts=2)
    env.reset(seed=0)
    sent, send = [], convoy.endpoint.Endpoint.send
    convoy.endpoint.Endpoint.send = lambda self, op, fields: (sent.append((self.address, op)), send(self, op, fields))
    ended = 0
    for _ in range(12):
        ended += int(np.logical_or(*env.step(env.action_space.sample())[2:4]).sum())
    convoy.endpoint.Endpoint.send = send
    b.check(ended > 5, "episodes did not end", ended)
    b.check(len(sent) == 24 and {op for _, op in sent} == {"step"} and len(set(sent)) == 2, "requests", sent)
    names = [robot.name for robot in env.unwrapped._robots.fleet.robots]
    b.check(names == [f"robot_{i}" for i in range(5)], "the order of the rows", names)
    env.close()


def episode_returns(name, policy, count=20):
    env = gymnasium.make_vec(name, count)
    env.action_space.seed(1)
    observation, _ = env.reset(seed=0)
    total, running = np.zeros(count), np.ones(count, bool)
    while running.any():
        actions = env.unwrapped.task.scripted(observation) if policy == "scripted" else env.action_space.sample()
        observation, reward, terminated, truncated, _ = env.step(actions)
        total += reward * running
        running &= ~(terminated | truncated)
    env.close()
    return total


def returns(b):
    """What docs/python.md states."""
    for name, random, scripted in ((IDS[0], -30, -15), (IDS[1], -100, -60)):
        found = {policy: episode_returns(name, policy).mean() for policy in ("random", "scripted")}
        print(f"{name}: mean return {found['random']:.1f} random, {found['scripted']:.1f} scripted")
        b.check(found["random"] < random and found["scripted"] > scripted, f"returns of {name}", found)


def parts(b):
    """Parts of a task are replaced; environments over robots of a run that is there."""
    env = gymnasium.make(
        IDS[0], reward=lambda batch: batch.qpos[:, 0] * 0 + 7.0, terminated=lambda batch: batch.qpos[:, 0] > 9
    )
    env.reset(seed=0)
    b.check(env.step(env.action_space.sample())[1] == 7.0, "a reward of one's own")
    env.close()
    try:
        gymnasium.make(IDS[0], rewards=None)
        b.check(False, "a part that a task does not have")
    except TypeError as error:
        b.check("replaceable: " in str(error), "a part that a task does not have", error)
    with convoy.Simulator(scenario(b, "20ms")) as simulator:
        env = gymnasium.make(IDS[0], address=simulator.address, robot="arm")
        first = env.reset(seed=1)[0]
        refused(
            b, "leased", lambda: gymnasium.make(IDS[0], address=simulator.address, robot="arm"), "for an environment"
        )
        env.close()
        env = gymnasium.make_vec(IDS[0], 1, address=simulator.address, robots=["arm"])
        b.check(same(env.reset(seed=1)[0][0], first), "the same robot again")
        env.close()


# ---- simulators that do not start, or end ----


def sensing(b):
    """Sensors that a task names are read at each boundary, of each robot, on any hosts."""
    sensors = {"felt": {"type": "imu", "rate": 10}, "pose": {"type": "pose"}}

    def observation(batch):
        return np.array(
            [
                [felt["linear_acceleration"]["z"], *(pose["X_OS"]["p"][axis] for axis in "xy"), *row[:2]]
                for felt, pose, row in zip(batch.sensors["felt"], batch.sensors["pose"], batch.qpos, strict=True)
            ]
        )

    space = gymnasium.spaces.Box(-100.0, 100.0, (5,), np.float64)
    parts = {"sensors": sensors, "observation": observation, "observation_space": space}
    with contextlib.closing(gymnasium.make_vec("convoy/BurgerGoal-v0", num_envs=3, hosts=2, **parts)) as env:
        env.reset(seed=1)
        for _ in range(5):
            seen, *_ = env.step(np.array([[1, 1], [0, 0], [1, 0.5]], np.float32))
        b.check(np.allclose(seen[:, 1:3], seen[:, 3:5], atol=1e-3), "where the robots are", seen)
        b.check(np.abs(seen[:, 0] - 9.81).max() < 0.5 and np.hypot(*seen[0, 1:3]) > 0.02, "what they feel", seen)
    with contextlib.closing(gymnasium.make("convoy/BurgerGoal-v0", **parts)) as env:
        env.reset(seed=1)
        for _ in range(5):
            one, *_ = env.step(np.array([1, 1], np.float32))
        b.check(np.array_equal(one, seen[0]), "one robot senses otherwise", one, seen[0])
    refused(b, "simulator_ended", lambda: gymnasium.make("convoy/BurgerGoal-v0", sensors={"felt": {"type": "imo"}}))


def seeing(b):
    """Pictures as observations, each robot in a world of its own, and what render() shows."""
    camera = {"type": "camera", "at": [-0.4, 0, 0.5], "rpy": [0, 0.9, 0], "width": 84, "height": 84, "images": ["color", "depth"]}
    parts = {
        "sensors": {"eye": camera},
        "observation": lambda batch: batch.images("eye"),
        "observation_space": gymnasium.spaces.Box(0, 255, (84, 84, 3), np.uint8),
    }
    actions = np.array([[1, 1], [0, 0], [1, 0.2]], np.float32)
    options = {"hosts": 2, "max_episode_steps": 4, "autoreset_mode": "SameStep", "render_mode": "rgb_array"}
    with contextlib.closing(gymnasium.make_vec(IDS[1], num_envs=3, **options, **parts)) as env:
        first, _ = env.reset(seed=1)
        b.check(first.shape == (3, 84, 84, 3) and first.dtype == np.uint8 and first.std() > 5, "pictures", first.shape)
        seen = [env.step(actions)[0] for _ in range(3)][-1]
        b.check(not np.array_equal(seen[0], first[0]), "who drives sees other things")
        depth = env.unwrapped._robots.batch.images("eye", "depth")
        b.check(depth.shape == (3, 84, 84) and 0.3 < np.min(depth) < 0.8, "how far the robot is", np.min(depth))
        shown = env.render()
        b.check(len(shown) == 3 and all(one.shape == (360, 480, 3) for one in shown), "pictures of render()")
        b.check(all(one.std() > 10 for one in shown), "of something")
        ended = env.step(actions)
        b.check(ended[3].all() and not np.array_equal(ended[0][0], ended[4]["final_obs"][0]), "a new episode is seen from its start")
    for i in range(2):
        with contextlib.closing(gymnasium.make(IDS[1], render_mode="rgb_array", **parts)) as env:
            one, _ = env.reset(seed=1 + i)
            b.check(np.array_equal(one, first[i]), "a robot alone sees the same at first", i)
            for _ in range(3):
                one, *_ = env.step(actions[i])
            b.check(np.array_equal(one, seen[i]), "and then", i)
            b.check(np.array_equal(env.render(), shown[i]), "and it is seen the same", i)
    try:
        gymnasium.make(IDS[0], render_mode="ansi")
        b.check(False, "a render_mode that there is not")
    except ValueError as error:
        b.check("rgb_array" in str(error), "a render_mode that there is not", error)
    port = convoy.simulator.free_block(60)
    file = b.folder / "seeing.yaml"
    file.write_text(SEEING.format(port=port))
    with convoy.Simulator(file) as simulator, simulator.connect() as world:
        world.set_mode("stepped")
        here = world.step(ticks=1, cameras=["MyRobot/hand"])
        hand = here.cameras["MyRobot"]["hand"]
        b.check(hand["color"].shape == (48, 64, 3) and hand["lens"]["width"] == 64, "a step with a picture", hand.keys())
        b.check(sorted(world.step(ticks=1, cameras=True).cameras["MyRobot"]) == ["hand", "side"], "all pictures")
        b.check(world.step(ticks=1).cameras == {}, "none are not asked for")
        refused(b, "bad_value", lambda: world.step(ticks=1, cameras=["foot"]), "a camera that is not there")
        b.check(world.sensor("MyRobot", "side")["data"]["depth"].shape == (48, 64), "a camera's depth")
        world.set_mode("live")
        for camera, kind in (("hand", np.uint8), ("side", np.float32)):
            frame = next(convoy.camera("MyRobot", camera, simulator.address))
            b.check(frame.pixels.shape[:2] == (48, 64) and frame.pixels.dtype == kind and frame.time is None, "a frame of the stream", frame)
        refused(b, "bad_value", lambda: next(convoy.camera("MyRobot", "foot", simulator.address)), "a stream that is not there")


SEEING = """convoy: 1
time: {{tick: 20ms, duration: 1h}}
zmq: {{port: {port}}}
world: {{ground: {{size: [6, 5], walls: 0.1}}}}
robots:
  - name: MyRobot
    model: arm.xml
    sensors:
      - {{type: camera, name: hand, link: wrist_3, rpy: [0, -1.5708, 0], width: 64, height: 48}}
      - {{type: camera, name: side, at: [1.5, 0, 0.6], rpy: [0, 0, 3.14159], see_self: true, width: 64, height: 48, images: [depth]}}
"""


def left(b):
    """Processes that still run what this test started: they name its folder, where the package's folders are, too."""
    found = []
    for one in pathlib.Path("/proc").iterdir():
        try:
            words = (one / "cmdline").read_bytes().split(b"\0") if one.name.isdigit() else []
            if b"run" in words and any(str(b.folder).encode() in w for w in words):
                found.append((int(one.name), words))
        except OSError:
            pass
    return found


def gone(b, patience=PATIENCE):
    end = time.monotonic() + patience
    while left(b) and time.monotonic() < end:
        time.sleep(0.05)
    return not left(b)


def trouble(b):
    refused(b, "simulator_missing", lambda: gymnasium.make(IDS[0], convoy="/nowhere/convoy"), "without a program")
    bad = b.folder / "bad.yaml"
    bad.write_text("convoy: 1\nrobot: []\n")
    error = refused(b, "simulator_ended", lambda: convoy.Simulator(bad), "for a broken scenario")
    b.check("bad.yaml:2" in error.message and "\n" not in error.message, "the message for a broken scenario", error)
    env = gymnasium.make(IDS[1])
    env.reset(seed=0)
    os.kill(env.unwrapped._robots._simulator.pid, signal.SIGKILL)
    refused(b, "simulator_ended", lambda: [env.step(env.action_space.sample()) for _ in range(3)], "when it was killed")
    env.close()
    world = convoy.Simulator(scenario(b)).connect()  # the connection keeps the simulator
    world.meta()
    del world
    b.check(gone(b), "a simulator that was let go lives on", left(b))
    with convoy.Simulator(scenario(b)) as first:  # two programs that look for ports at once find the same ones
        free, convoy.simulator.free_block = convoy.simulator.free_block, lambda ports, found=[first.port]: found.pop() if found else free(ports)
        with convoy.Simulator(scenario(b)) as second:
            b.check(second.port != first.port, "another's answer is taken for its own", second.output)
        convoy.simulator.free_block = free
    orphan(b, "os.kill(os.getpid(), signal.SIGKILL)")
    orphan(b, "sys.exit('an error')")
    orphan(b, "raise KeyboardInterrupt")
    b.check(gone(b), "something is left running", left(b))


def orphan(b, ending):
    """However Python ends, its simulator does; that the thread which started it ends before harms nothing."""
    code = f"""if True:
        import os, signal, sys, threading
        sys.path.insert(0, {str(ROOT / "python")!r})
        import convoy
        made = []
        t = threading.Thread(target=lambda: made.append(convoy.Simulator({str(scenario(b))!r})))
        t.start()
        t.join()
        with made[0].connect() as world:
            world.set_mode("stepped")
            world.step(3)
            print("steps", flush=True)
            {ending}
    """
    r = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    b.check(r.stdout == "steps\n", f"before {ending}", r.stdout, r.stderr)
    b.check(gone(b), f"the simulator outlives {ending}", left(b))


def main():
    os.environ["CONVOY_BIN"] = sys.argv[1]
    order = (stepping, hosts, streams, checker, equal, rollouts, requests, returns, parts, sensing, seeing, trouble)
    with new_bench(sys.argv[1]) as b:
        tempfile.tempdir = str(b.folder)  # other tests run environments at the same time
        b.run({part.__name__: part for part in order}, sys.argv[2:])
        b.check(gone(b), "something is left running", left(b))
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
