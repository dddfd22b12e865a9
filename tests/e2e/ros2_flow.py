"""Parts of test_ros2.py: what Rapyuta's own tests of its simulator try, without ROS and with it, and the walk-through of docs/ros2.md."""
import contextlib
import json
import math
import re
import shlex
import signal
import time

from harness import free_block
from ros2 import ROOT

LIMITS = ("-p", "x_lim:=[-2.0, -0.5]", "-p", "y_lim:=[0.4, 1.4]", "-p", "linear_vel_lim:=[0.1, 0.2]", "-p", "angular_vel_lim:=[0.2, 0.6]")
PLACE = re.compile(r"^(amr\d) (is at|came to) (-?[\d.]+), (-?[\d.]+)$", re.M)
SERVICES = ("SpawnEntity", "SpawnEntities", "DeleteEntity", "GetEntityState", "SetEntityState", "Attach")


def without_ros(room):
    """`convoy ros2 random-spawn` spawns two robots through the second of two clients, drives them, and says what is in its way."""
    spawn = ("ros2", "random-spawn")
    room.bench.expect(1, None, r"nobody serves /SpawnEntity in domain \d+, on this machine, within 0.5 s; nobody else is there$", *spawn, "--timeout", 0.5)
    room.bench.expect(2, None, r"no parameter 'x_lmi'; did you mean 'x_lim'\?$", *spawn, "-p", "x_lmi:=[0, 1]")
    room.bench.expect(2, None, r"the parameter x_lim is '3', which is none of its values$", *spawn, "-p", "x_lim:=3")
    room.bench.expect(2, None, r"-p is 'x_lim'; it is written NAME:=VALUE$", *spawn, "-p", "x_lim")
    with room.run_of(hosts=2):
        with room.bench.start(*spawn, "--namespace", "NetworkPC2", "--count", 2, "--seed", 5, *LIMITS) as program:
            program.wait_for("^amr2 is at")
            room.cyclone("nodes", "--until", "/random_spawn")
            starts = {name: [float(x), float(y)] for name, _, x, y in PLACE.findall(program.text())}
            for name, start in starts.items():
                room.check(-2.0 <= start[0] <= -0.5 and 0.4 <= start[1] <= 1.4, f"where {name} appears", start)
                room.check(moved(room, name, start, "--connect", room.at), f"{name} never moves", start)
            program.popen.send_signal(signal.SIGINT)
            room.check(program.wait() == 130, "what it exits with when it is interrupted", program.text())
            room.check([f"{name} {what}" for name, what, _, _ in PLACE.findall(program.text())] ==
                       ["amr1 is at", "amr2 is at", "amr1 came to", "amr2 came to"], "what it prints", program.text())
        placed = room.ctl("placement", out="host1")
        room.check(all(re.search(rf"amr{n}\s.*host1|host1\s.*amr{n}", placed.stdout) for n in (1, 2)), "who runs them", placed.stdout)
        parameters = ("-p", "robot_name:=amr1", "-p", "service_namespace:=/NetworkPC1", "-p", "duration:=0.3")
        r = room.bench.expect(0, r"\Aamr1 is at .*\namr1 came to .*\n\Z", None, *spawn, *parameters)
        room.check(math.dist(*(map(float, place) for place in re.findall(r"(-?[\d.]+), (-?[\d.]+)", r.stdout))) < 1, "what is there stays", r.stdout)
        room.bench.expect(1, None, r"no place for crate in 20 tries: .*no_such_model", *spawn, "--name", "crate", "--namespace", "NetworkPC1",
                          "-p", "models:=[no_such_model]", "--log-level", "error")
        room.bench.expect(1, None, r"nobody serves /NetworkPC9/SpawnEntity in domain \d+, on this machine, within 5 s; "
                          "there is /NetworkPC1/SpawnEntity, /NetworkPC2/SpawnEntity$", *spawn, "--namespace", "NetworkPC9", "--timeout", 5)
    room.bench.expect(0, "^  random-spawn ", None, "ros2", "--help")


def moved(room, name, start, *at):
    """Does it come away from there, as long as the bench waits?"""
    end = time.monotonic() + room.bench.patience
    while time.monotonic() < end:
        place = json.loads(room.bench.expect(0, "", None, "ctl", *at, "get", name, "--json").stdout)["pose"]["p"]
        if math.dist(start, place[:2]) > 0.05:
            return True
    return False


def state(name, x=0.0, y=0.0, yaw=0.0, frame=""):
    pose = {"position": {"x": x, "y": y}, "orientation": {"z": math.sin(yaw / 2), "w": math.cos(yaw / 2)}}
    return {"name": name, "reference_frame": frame, "pose": pose}


def near(told, x, y, yaw):
    """Is it there, in m and rad? `told` is a reply of GetEntityState."""
    p, q = told["state"]["pose"]["position"], told["state"]["pose"]["orientation"]
    return math.dist((p["x"], p["y"]), (x, y)) < 0.01 and abs(math.remainder(2 * math.atan2(q["z"], q["w"]) - yaw, math.tau)) < 0.01


class Simulator:
    """The services of one client, as rclpy calls them."""

    def __init__(self, room, namespace, call):
        self.room, self.ns, self.call = room, namespace, call

    def __call__(self, service, **request):
        reply = self.call(f"/{self.ns}/{service}", f"ue_msgs/srv/{service}", request)
        self.room.check(reply, f"{self.ns}: {service} is answered")
        return reply or {"success": False, "status_message": "", "state": state("")}

    def spawn(self, x, y, name, model="box", **more):
        return self("SpawnEntity", xml=model, state=state(name, x, y), **more)

    def at(self, name, frame=""):
        return self("GetEntityState", name=name, reference_frame=frame)


def entities(room):
    """What Rapyuta's tests ask of the services, of each of two clients by rclpy: they are there, and spawn, tell, set, join, delete."""
    with room.run_of(hosts=2), room.rclpy_calls() as call:
        for i, host in enumerate(("host0", "host1")):
            one, y = Simulator(room, f"NetworkPC{i + 1}", call), 1.6 - 0.5 * i
            lines = room.rclpy("topics", *(word for service in SERVICES for word in ("--until", f"/{one.ns}/{service}")))
            types = {line["service"]: line["type"] for line in lines if isinstance(line, dict) and line["kind"] == "service"}
            room.check(all(types.get(f"/{one.ns}/{name}") == f"ue_msgs/srv/{name}" for name in SERVICES), f"services of {one.ns}", types)
            spawned(room, one, host, y)
            told_and_set(room, one, host, y)
            joined(room, one, host)
            for name in (f"a_{host}", f"b_{host}", f"c_{host}", f"d_{host}"):
                room.check(one("DeleteEntity", name=name)["success"], f"{one.ns} deletes {name}")
                room.check(not one.at(name)["success"], f"{name} is gone")
            reply = one("DeleteEntity", name=f"a_{host}")
            room.check(not reply["success"] and f"a_{host}" in reply["status_message"], "what is gone cannot be deleted", reply)


def spawned(room, one, host, y):
    """One and several, with turn, frame, tags and namespace; what is wrong is told."""
    a = f"a_{host}"
    reply = one("SpawnEntity", xml="box", state=state(a, -2.4, y, 0.7), tags=["red", host], json_parameters='{"unused": 1}')
    room.check(reply["success"] and a in reply["status_message"], f"{one.ns} spawns one", reply)
    room.check(near(one.at(a), -2.4, y, 0.7), "where it was wanted", one.at(a))
    room.ctl("get", a, out=rf"^tags +red {host}$")
    reply = one("SpawnEntities", type=["box", "box"], state=[state(f"b_{host}", 1.0, 0.0, 0.0, a), state(f"c_{host}", -0.8, y)], tags=["many"])
    room.check(reply["success"], f"{one.ns} spawns several", reply)
    room.check(near(one.at(f"b_{host}"), -2.4 + math.cos(0.7), y + math.sin(0.7), 0.7), "in the frame of another", one.at(f"b_{host}"))
    room.check(near(one.at(f"b_{host}", a), 1.0, 0.0, 0.0), "told in that frame", one.at(f"b_{host}", a))
    room.ctl("get", f"c_{host}", out="^tags +many$")
    reply = one("SpawnEntities", type=["box", "box"], state=[state(a, 2, y), state(f"d_{host}", 0.2, y)])
    room.check(not reply["success"] and f"{a}:" in reply["status_message"] and f"d_{host}:spawned" in reply["status_message"],
               "of several each is told for itself", reply)
    for what, request in (("a name that another client has", dict(xml="box", state=state("scout", 2, y))), ("no name", dict(xml="box", state=state("", 2, y))),
                          ("no such model", dict(xml="no_such_model", state=state("e", 2, y))), ("no such frame", dict(xml="box", state=state("e", 2, y, 0, "nowhere")))):
        reply = one("SpawnEntity", **request)
        room.check(not reply["success"] and reply["status_message"], what, reply)
    ns = f"team_{host}"
    reply = one.spawn(2.0, y, f"rob_{host}", "turtlebot3_burger", robot_namespace=ns)
    room.check(reply["success"], "a robot with a namespace", reply)
    lines = room.rclpy("topics", "--until", f"/{ns}/odom", "--until", f"/{ns}/cmd_vel", "--until", f"/{ns}/scan")
    nodes = {line["node"] for line in lines if isinstance(line, dict) and line.get("topic") == f"/{ns}/odom"}
    room.check(nodes == {f"/{ns}/robot"}, "its node is in its namespace", nodes)


def told_and_set(room, one, host, y):
    """States are those of any client's entities, and setting moves them."""
    room.check(one.at("scout")["success"] and not one.at("nobody")["success"] and not one.at("scout", "nowhere")["success"], "who is known")
    a, c = f"a_{host}", f"c_{host}"
    room.check(one("SetEntityState", state=state(a, -2.3, y, -0.4))["success"] and near(one.at(a), -2.3, y, -0.4), f"{one.ns} sets", one.at(a))
    room.check(one("SetEntityState", state=state(c, 0.9, 0.0, 0.1, a))["success"] and near(one.at(c, a), 0.9, 0.0, 0.1), "in a frame", one.at(c, a))
    room.check(not one("SetEntityState", state=state("nobody"))["success"], "nobody cannot be set")


def joined(room, one, host):
    """What is attached goes with the other one, until it is attached again."""
    a, c = f"a_{host}", f"c_{host}"
    before = one.at(c)["state"]["pose"]["position"]["x"]
    room.check(one("Attach", name1=a, name2=c)["success"], f"{one.ns} attaches")
    one("SetEntityState", state=state(a, -2.2, 0.0, -0.4))
    room.check(near(one.at(c, a), 0.9, 0.0, 0.1) and abs(one.at(c)["state"]["pose"]["position"]["x"] - before) > 0.05, "it goes with it", one.at(c, a))
    room.check(one("Attach", name1=a, name2=c)["success"], f"{one.ns} detaches")
    there = one.at(c)["state"]["pose"]["position"]
    one("SetEntityState", state=state(a, -2.4, 0.1))
    now = one.at(c)["state"]["pose"]["position"]
    room.check(math.dist((there["x"], there["y"]), (now["x"], now["y"])) < 0.01, "it stays then", there, now)
    room.check(not one("Attach", name1=a, name2="nobody")["success"], "nobody cannot be attached")


# ------------------------------------------------------------------------------------------------ the page's walk-through


def walk(room):
    """Each command of docs/ros2.md's walk-through does what the page says, as it stands there."""
    port = free_block(1)
    room.bench.environment.update(CONVOY_LISTEN=f"127.0.0.1:{port}", CONVOY_CONNECT=f"127.0.0.1:{port}")
    try:
        with contextlib.chdir(ROOT), contextlib.ExitStack() as running:
            done = [step(room, running, line) for line in commands_of("Robots through one of two clients")]
    finally:
        for name in ("CONVOY_LISTEN", "CONVOY_CONNECT"):
            del room.bench.environment[name]
    room.check(done == ["server", "client", "client", "spawn", "placement", "doctor", "call", "echo", "call", "pub", "program"], "the steps of the page", done)


def commands_of(section):
    """The words of each line that begins with $ in that section of the page."""
    text = (ROOT / "docs" / "ros2.md").read_text(encoding="utf-8")
    text = re.search(rf"^## {section}\n(.*?)^## ", text, re.M | re.S)[1]
    return [shlex.split(line, comments=True) for line in re.findall(r"^    \$ (.*)$", text, re.M)]


def step(room, running, words):
    """Does as a line of the page says; gives what kind it is."""
    ours = words[0] == "build/convoy"
    if ours and words[1] in ("server", "client"):
        process = running.enter_context(room.bench.start(*words[1:]))
        process.wait_for("listening on" if words[1] == "server" else "services in /NetworkPC")
        return words[1]
    if ours and words[1:3] == ["ros2", "random-spawn"]:
        running.enter_context(room.bench.start(*words[1:])).wait_for("^amr3 is at")
        return "spawn"
    if ours and words[1:] == ["ctl", "placement"]:
        placed = room.bench.expect(0, "host1", None, *words[1:]).stdout
        room.check(all(re.search(rf"amr{n}\s.*host1|host1\s.*amr{n}", placed) for n in (1, 2, 3)), "who runs them", placed)
        return "placement"
    if ours and words[1:] == ["doctor", "ros"]:
        room.bench.expect(0, r"^service  /NetworkPC2/SpawnEntity  1 serve, 1 may call$", None, *words[1:], "--wait", 10)
        return "doctor"
    if words[0] == "python3":
        lines = room.run("random_spawn", *words[2:])
        room.check([line.split(",")[0].rsplit(" ", 1)[0] for line in lines] == ["other is at", "other came to"], "what the program says", lines)
        return "program"
    return ros2_step(room, running, words)


def ros2_step(room, running, words):
    """What the command line of ROS 2 would do, which is no wheel, is done by rclpy."""
    if words[:3] == ["ros2", "service", "call"]:
        reply = room.rclpy_call(words[3], words[4], json.loads(words[5]))
        room.check(reply and reply["success"], " ".join(words), reply)
        return "call"
    if words[:4] == ["ros2", "topic", "echo", "--once"]:
        heard = room.rclpy("echo", *words[4:], "--count", 1)
        room.check(heard and len(heard[0]["ranges"]) > 100, " ".join(words), heard)
        return "echo"
    if words[:5] == ["ros2", "topic", "pub", "-r", "10"]:
        running.enter_context(room.start("rclpy", "pub", *words[5:], "--count", 100_000, "--rate", 10))
        room.check(moved(room, "mine", (0.0, -2.0)), " ".join(words))
        return "pub"
    room.check(False, "the page has a line that this test does not know: " + " ".join(words))
    return words[0]
