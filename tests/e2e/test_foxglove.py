#!/usr/bin/env python3
"""The page server as Foxglove's clients see it: other people's client of the protocol, and bytes that no client would send.

    .env/python/bin/python tests/e2e/test_foxglove.py CONVOY [PART...]

The npm client is fetched by `npm ci` into a folder beside CONVOY, once.
"""
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import time

import npm
import websockets.exceptions
import websockets.sync.client
from harness import new_bench
from web_peer import Page

HERE = pathlib.Path(__file__).resolve().parent.parent / "foxglove"
V1, SDK = "foxglove.websocket.v1", "foxglove.sdk.v1"
SCENARIO = """
convoy: 1
name: foxglove
seed: 7
time: {duration: 300s, speed: 1}
sensors: {}
world: {ground: {size: [10, 8]}}
robots:
  - {name: walk, model: turtlebot3_burger, count: 2, driver: random_walk}
  - {name: still, model: turtlebot3_burger, placement: {poses: [[2, 2, 0]]}}
"""

CAMERAS = """
convoy: 1
name: pictures
time: {duration: 300s, speed: 1}
world: {ground: {size: [10, 8], walls: {thickness: 0.1, height: 1}}}
robots:
  - name: scout
    model: turtlebot3_waffle
    driver: random_walk
    sensors: [{type: camera, name: front, at: [0.1, 0, 0.2], rate: 5, width: 160, height: 120, images: [color, depth]}]
"""


def installed(convoy):
    """A folder with the npm client."""
    folder = pathlib.Path(convoy).resolve().parent / "foxglove"
    folder.mkdir(exist_ok=True)
    lock = (HERE / "package-lock.json").read_text()
    for file in ("package.json", "package-lock.json", "live.mjs"):
        shutil.copy(HERE / file, folder)
    done = folder / "installed"
    if not done.exists() or done.read_text() != lock:
        npm.install(folder)
        done.write_text(lock)
    return folder


def launched(b, *arguments, foxglove=True):
    b.scenario.write_text(SCENARIO)
    page = b.folder / "page"
    page.mkdir(exist_ok=True)
    (page / "index.html").write_text("<!doctype html>")
    return b.start("launch", b.scenario, "--hosts", 2, "--web", *["--foxglove"] * foxglove, "--web-listen", "127.0.0.1:0", "--page", page, *arguments)


def links(run):
    return {role: run.wait_for(rf"foxglove \({role}\): (\S+)").group(1) for role in ("edit", "view")}


def client(b):
    """The npm client sees the world move, and changes it; messages are decoded by the schemas of their channels."""
    folder = installed(sys.argv[1])
    with launched(b) as run:
        got = subprocess.run([npm.node(), "live.mjs", links(run)["edit"], "walk_0", "scan", "still"], cwd=folder, capture_output=True,
                             text=True, timeout=150)
        b.check(got.returncode == 0, "the npm client", got.stderr)
        if got.returncode != 0:
            return
        found = json.loads(got.stdout)
        info = found["info"]
        b.check(info["capabilities"] == ["time", "parameters", "parametersSubscribe", "connectionGraph", "clientPublish", "services"]
                and info["metadata"]["role"] == "edit" and info["sessionId"], "serverInfo", info)
        expected = {"/scene": "foxglove.SceneUpdate", "/tf": "foxglove.FrameTransforms", "/map": "foxglove.Grid", "/log": "foxglove.Log",
                    "/walk_0/pose": "foxglove.PoseInFrame", "/walk_0/scan": "foxglove.LaserScan", "/walk_0/imu": "sensor_msgs/msg/Imu"}
        b.check(expected.items() <= found["schemas"].items(), "channels", found["schemas"])
        b.check({"world", "walk_0/base_link", "still/wheel_left_link"} <= set(found["scene"]), "the scene", found["scene"])
        b.check(found["map"] > 0, "the map", found["map"])
        b.check({"walk_0", "walk_0/base_link", "walk_0/scan_link"} <= set(found["frames"]), "frames", found["frames"])
        b.check(found["sensor"] == {"frame": "walk_0/scan_link", "ranges": 360}, "a scan", found["sensor"])
        for name in ("spawn", "pause", "step", "resume", "delete"):
            b.check(found[name].get("success") is True, name, found[name])
        b.check("late" in found["twice"].get("failure", ""), "a name that is taken", found["twice"])
        b.check("failure" in found["nothing"], "a request that is none", found["nothing"])
        b.check({"/convoy/paused", "/convoy/speed"} <= set(found["parameters"]), "parameters", found["parameters"])
        b.check(found["driven"] >= 0.1, "driven", found["driven"])
        b.check("/still/cmd_vel" in found["graph"], "the graph", found["graph"])
        b.check(found["after"] == 0, "nothing comes after the end of a subscription", found["after"])
        b.check(found["statuses"] == [], "and no word of trouble", found["statuses"])


class Raw:
    """A client by bytes: what is said, and all that came."""

    def __init__(self, link, *subprotocols, path=None, **options):
        if path:
            link = link.replace("/?", path + "?")
        self.socket = websockets.sync.client.connect(link, subprotocols=[*(subprotocols or [V1])], max_size=None, proxy=None, **options)
        self.texts, self.binaries = [], []

    def say(self, message):
        self.socket.send(message if isinstance(message, (str, bytes)) else json.dumps(message))

    def take(self, timeout=20.0):
        data = self.socket.recv(timeout)
        if isinstance(data, bytes):
            self.binaries.append(data)
        else:
            self.texts.append(json.loads(data))

    def until(self, op, patience=20.0, **fields):
        """The first text of that op with these fields, which is then forgotten."""
        end = time.monotonic() + patience
        while True:
            for one in self.texts:
                if one["op"] == op and all(one.get(name) == value for name, value in fields.items()):
                    self.texts.remove(one)
                    return one
            assert time.monotonic() < end, f"{op} did not come: {self.texts}"
            self.take()

    def until_binary(self, code, patience=20.0):
        end = time.monotonic() + patience
        while True:
            for one in self.binaries:
                if one[0] == code:
                    self.binaries.remove(one)
                    return one
            assert time.monotonic() < end, f"binary {code} did not come"
            self.take()

    def channel(self, topic):
        """Its number."""
        while True:
            for one in self.until("advertise")["channels"]:
                if one["topic"] == topic:
                    return one["id"]

    def code(self):
        try:
            while True:
                self.take(10)
        except websockets.exceptions.ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else None


def refused_with(link, *subprotocols, **options):
    """The HTTP status with which a client is refused; 101: it is not."""
    try:
        Raw(link, *subprotocols, **options).socket.close()
        return 101
    except websockets.exceptions.InvalidStatus as error:
        return error.response.status_code


def pictures(b):
    """A camera's pictures come as it takes them, with its calibration; images behind its topic for who wants those."""
    scenario = b.folder / "cameras.yaml"
    scenario.write_text(CAMERAS)
    page = b.folder / "page"
    page.mkdir(exist_ok=True)
    (page / "index.html").write_text("<!doctype html>")
    with b.start("launch", scenario, "--web", "--foxglove", "--web-listen", "127.0.0.1:0", "--page", page) as run:
        one = Raw(links(run)["view"])
        topics = "/scout/front", "/scout/front/calibration", "/scout/front/depth"
        numbers = {}
        while not set(topics) <= numbers.keys():
            numbers.update({each["topic"]: each["id"] for each in one.until("advertise")["channels"]})
        one.say({"op": "subscribe", "subscriptions": [{"id": 1 + i, "channelId": numbers[topic]} for i, topic in enumerate(topics)]})

        def data():
            return {i: [m[13:] for m in one.binaries if m[0] == 1 and m[1] == i] for i in (1, 2, 3)}

        end = time.monotonic() + 20
        while min(map(len, data().values())) < 5 and time.monotonic() < end:
            one.take()
        got = data()
        b.check(all(len(of) >= 5 for of in got.values()), "pictures, calibrations and depths come", {i: len(of) for i, of in got.items()})
        b.check(all(b"\x89PNG" in m for i in (1, 3) for m in got[i]), "as PNG", got[1][:1])
        b.check(got[1][0] != got[1][-1] and b"scout/front_optical_frame" in got[2][0], "each anew, in the frame of the camera", got[2][:1])
        one.socket.close()


def doors(b):
    """Both subprotocols at both paths; only with a token, from here or from an app that is known."""
    with launched(b, "--foxglove-origin", "http://apps.example") as run:
        link = links(run)["view"]
        for subprotocol in (V1, SDK):
            for path in (None, "/foxglove"):
                one = Raw(link, subprotocol, path=path)
                b.check(one.socket.subprotocol == subprotocol and one.until("serverInfo")["name"].startswith("Convoy"), subprotocol, path)
        both = Raw(link, V1, SDK).socket.subprotocol
        b.check(both == SDK, "the newer one is spoken", both)
        b.check(refused_with(link, "foxglove.websocket.v0") == 400, "another subprotocol")
        b.check(refused_with(link[:-1]) == 403, "a token that is cut")
        b.check(refused_with(link.split("?")[0]) == 403, "no token")
        b.check(refused_with(link.replace("/?", "/elsewhere?")) == 404, "another path")
        for origin in ("https://app.foxglove.dev", "http://apps.example", link.split("/?")[0].replace("ws", "http", 1)):
            b.check(refused_with(link, origin=origin) == 101, origin)
        b.check(refused_with(link, origin="http://elsewhere.example") == 403, "another origin")
        b.check(refused_with(link.replace("/?", "/stream?"), "convoy.web.v1", origin="https://app.foxglove.dev") == 403,
                "the page's own socket is for the page alone")
    with launched(b, foxglove=False) as run:
        link = run.wait_for(r"page for view: (\S+)").group(1).replace("#", "?").replace("http", "ws", 1)
        b.check(refused_with(link) == 404, "without --foxglove there is none")


def asked(one, names):
    """Parameters as they are."""
    one.say({"op": "getParameters", "parameterNames": names, "id": "asked"})
    return one.until("parameterValues", id="asked")["parameters"]


def roles(b):
    """Who may look may subscribe, and nothing else."""
    with launched(b) as run:
        one = Raw(links(run)["view"])
        info = one.until("serverInfo")
        b.check(info["capabilities"] == ["time", "parameters", "parametersSubscribe", "connectionGraph"], "capabilities", info)
        one.say({"op": "subscribe", "subscriptions": [{"id": 3, "channelId": one.channel("/walk_0/pose")}]})
        data = one.until_binary(1)
        b.check(struct.unpack_from("<BI", data) == (1, 3), "data of the subscription", data[:13])
        one.say({"op": "advertise", "channels": [{"id": 1, "topic": "/still/cmd_vel", "encoding": "json", "schemaName": "x"}]})
        b.check("needs the role drive" in one.until("status", level=2)["message"], "no publishing")
        one.say(struct.pack("<BIII", 2, 1, 7, 4) + b"json{}")
        b.check("needs the role edit" in one.until("serviceCallFailure", serviceId=1, callId=7)["message"], "no service")
        while not asked(one, ["/convoy/paused"]):  # the run is asked for it once a second
            time.sleep(0.1)
        one.say({"op": "setParameters", "id": "x", "parameters": [{"name": "/convoy/paused", "value": True}]})
        b.check("needs the role edit" in one.until("status", level=2)["message"], "no parameter")
        b.check({"name": "/convoy/paused", "value": False} in one.until("parameterValues", id="x")["parameters"], "it is as it was")


def bad_input(b):
    """What is no message is answered with a word, and it stays up."""
    with launched(b) as run:
        link = links(run)["edit"]
        one = Raw(link)
        one.channel("/tf")
        bad = ["", "{", "[]", "7", "{}", '{"op": 7}', '{"op": "fly"}', "\u0000", '{"op": "subscribe"}', '{"op": "subscribe", "subscriptions": [7]}',
               '{"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 99999}]}',
               '{"op": "subscribe", "subscriptions": [{"id": -1, "channelId": 1}]}', '{"op": "unsubscribe", "subscriptionIds": [5]}',
               '{"op": "unsubscribe", "subscriptionIds": {}}', '{"op": "advertise"}', '{"op": "advertise", "channels": [{}]}',
               '{"op": "advertise", "channels": [{"id": 1, "topic": "/x", "encoding": "json"}]}',
               '{"op": "advertise", "channels": [{"id": 1, "topic": "/still/cmd_vel", "encoding": "cdr"}]}',
               '{"op": "unadvertise", "channelIds": 3}', '{"op": "getParameters"}', '{"op": "setParameters", "parameters": [7]}',
               '{"op": "setParameters", "parameters": [{"name": "/convoy/speed", "value": "fast"}]}',
               '{"op": "setParameters", "parameters": [{"name": "nothing", "value": 1}]}', '{"op": "subscribeParameterUpdates"}',
               '{"op": "fetchAsset", "uri": "x", "requestId": 1}', "[" * 100_000, b"", b"\x00", b"\x09abc", b"\x01\x01", b"\x01\x09\x00\x00\x00{}",
               b"\x02\x01\x00", b"\x02\x01\x00\x00\x00\x01\x00\x00\x00\xff\xff\xff\xff", b"\x03\x01", b"\x03\x02" + bytes(17)]
        for message in bad:
            one.say(message)
            b.check(one.until("status", level=2)["message"], repr(message)[:60])
        one.say({"op": "advertise", "channels": [{"id": 1, "topic": "/still/cmd_vel", "encoding": "json"}]})
        for text in (b"{", b"{}", b'{"linear": 1, "angular": 2}', b'{"linear": {"x": "1"}, "angular": {"z": 0}}'):
            one.say(b"\x01\x01\x00\x00\x00" + text)
            b.check("geometry_msgs/Twist" in one.until("status", level=2)["message"], text)
        one.say({"op": "advertise", "channels": [{"id": 2, "topic": "/nobody/cmd_vel", "encoding": "json"}]})
        one.say(b"\x01\x02\x00\x00\x00" + b'{"linear": {"x": 0.1}, "angular": {"z": 0}}')
        b.check("nobody" in one.until("status", level=1)["message"], "a robot that is not there")
        for service, text in ((99, b"json{}"), (1, b"cdr {}"), (3, b"json{"), (3, b'json{"ticks": "x"}')):
            one.say(struct.pack("<BIII", 2, service, 8, 4) + text)
            b.check(one.until("serviceCallFailure", callId=8)["message"], service, text)
        big = Raw(link)
        big.say("x" * 300_000)
        b.check(big.code() == 1009, "an oversized message")
        page = Page(run.wait_for(r"page for view: (\S+)").group(1))
        page.until(lambda: page.status and page.status["refused"].get("foxglove: malformed message", 0) > 10)
        b.check(page.status["refused"]["foxglove: unknown channel"] == 2, "they are counted", page.status["refused"])
        b.check(asked(one, ["/convoy/speed"])[0]["value"] == 1, "it is still there")


def playback(b):
    """foxglove.sdk.v1: play, pause and speed; going back is answered with how things stand."""
    with launched(b) as run:
        link = links(run)["edit"]
        one = Raw(link, SDK)
        info = one.until("serverInfo")
        b.check("playbackControl" in info["capabilities"] and info["dataStartTime"] == {"sec": 0, "nsec": 0}, "serverInfo", info)
        one.channel("/tf")

        def play(name, pauses, speed, seek=None):
            one.say(struct.pack("<BBfBQI", 3, pauses, speed, seek is not None, seek or 0, len(name)) + name.encode())
            while True:
                state = one.until_binary(5)
                _, status, at, its, sought, length = struct.unpack_from("<BBQfBI", state)
                if state[19:] == name.encode():
                    b.check(length == len(name) and not sought and at >= 0, "a state", state)
                    return status, its

        b.check(play("a", 1, 1.0) == (1, 1.0), "paused")
        b.check(play("b", 1, 2.0, seek=5) == (1, 2.0), "a speed, and no way back")
        b.check(play("c", 0, 1.0) == (0, 1.0), "it goes on")
        older = Raw(link)
        older.channel("/tf")
        older.say(struct.pack("<BBfBQI", 3, 1, 1.0, 0, 0, 1) + b"x")
        b.check("foxglove.sdk.v1" in older.until("status", level=2)["message"], "not in the older protocol")


def slow(b):
    """A client that takes nothing is closed when too much waits for it, and costs the others no time."""
    with launched(b) as run:
        link = links(run)["edit"]
        one, page = Raw(link), Page(run.wait_for(r"page for view: (\S+)").group(1))
        scene = one.channel("/scene")
        one.say({"op": "subscribe", "subscriptions": [{"id": 1, "channelId": scene}, {"id": 2, "channelId": scene + 1}]})
        whole = len(one.until_binary(1))
        stuck = Raw(link)
        try:
            for _ in range(40_000_000 // whole):  # reads nothing
                stuck.say({"op": "subscribe", "subscriptions": [{"id": 1, "channelId": scene}]})
                stuck.say({"op": "unsubscribe", "subscriptionIds": [1]})
        except websockets.exceptions.ConnectionClosed:
            pass
        page.until(lambda: page.status and page.status["refused"].get("slow page") == 1)
        before = time.monotonic()
        for _ in range(60):
            one.until_binary(1)
        b.check(time.monotonic() - before < 6, "the others go on")


PARTS = {"client": client, "pictures": pictures, "doors": doors, "roles": roles, "bad_input": bad_input, "playback": playback, "slow": slow}


def main():
    with new_bench(sys.argv[1]) as bench:
        bench.run(PARTS, sys.argv[2:])
        return bench.result()


if __name__ == "__main__":
    sys.exit(main())
