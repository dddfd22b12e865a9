"""What a page says and is told, written from docs/web.md alone; for tests."""
import json
import struct
import time
import urllib.error
import urllib.request

import websockets.sync.client
from websockets.typing import Subprotocol

HEAD = struct.Struct("<BBHIIIddII")
ENTITY = struct.Struct("<3f4h3h3h")


def links(process):
    """The page's links by role, as the page server prints them."""
    found = {}
    for role in ("edit", "view"):
        found[role] = process.wait_for(rf"page for {role}: (\S+)").group(1)
    return found


def request(link, path, body=None, ssl=None, **headers):
    """(status, body) of a request to the server of the link; `ssl`: whom to trust, where it is encrypted."""
    root = link.split("#")[0].rstrip("/")
    data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(root + path, data, headers), timeout=20, context=ssl) as r:
            return r.status, r.read()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read()


def session_of(link, ssl=None):
    status, body = request(link, "/session", {"token": link.split("#token=")[1]}, ssl)
    assert status == 200, (status, body)
    return json.loads(body)


class Frame:
    """A frame of states: of all entities, or a part with some of them, whose slots are then in `slots`."""

    def __init__(self, data):
        kind, flags, _, self.number, self.run, self.structure, self.time, self.tick, count, joints = HEAD.unpack_from(data)
        self.whole, at = kind == 1, HEAD.size
        if self.whole:
            self.slots = range(count)
        else:
            self.slots = struct.unpack_from(f"<{count}I", data, at)
            at += 4 * count
        assert kind in (1, 2) and len(data) == at + ENTITY.size * count + 4 * joints, (kind, len(data), count, joints)
        assert list(self.slots) == sorted(set(self.slots)), "slots ascend"
        self.paused = bool(flags & 1)
        self.places = [ENTITY.unpack_from(data, at + ENTITY.size * i) for i in range(count)]
        self.joints = struct.unpack_from(f"<{joints}f", data, at + ENTITY.size * count)


class Page:
    """A page without a picture: keeps models and entities, draws (acknowledges) frames at once unless told not to."""

    def __init__(self, link, draws=True, first=None, **options):
        root = link.split("#")[0].rstrip("/")
        self.session = session_of(link, options.get("ssl"))["session"]
        self.draws, self.calls, self.replies, self.texts = draws, 0, {}, []
        self.scene = self.welcome = self.status = self.frame = None
        self.entities, self.structure, self.frames, self.lost = {}, None, 0, 0
        self.numbers, self.states, self.heard, self.bytes = [], {}, {}, 0  # states by number, and the time of each
        self.socket = websockets.sync.client.connect(root.replace("http", "ws", 1) + "/stream", subprotocols=[Subprotocol("convoy.web.v1")],
                                                     origin=root, max_size=None, proxy=None, **options)
        self.say(first or {"hello": {"session": self.session}})

    def say(self, message):
        self.socket.send(message if isinstance(message, str) else json.dumps(message))

    def take(self, timeout=20.0):
        """One message; False: none came."""
        try:
            data = self.socket.recv(timeout)
        except TimeoutError:
            return False
        if isinstance(data, bytes):
            frame = Frame(data)
            if frame.structure == self.structure:
                self.keep(frame)
            self.frames += 1
            self.bytes += len(data)
            if self.draws:
                self.say({"ack": frame.number})
            return True
        ((kind, value),) = json.loads(data).items()
        self.texts.append((kind, value))
        if kind == "entities":
            if value["all"]:
                self.entities = {}
            for number in value["gone"]:
                del self.entities[number]
            for row in value["set"]:
                self.entities[row[0]] = row
            self.structure, self.hosts = value["structure"], value["hosts"]
            self.numbers = sorted(self.entities)
            self.states = {number: self.states[number] for number in self.numbers if number in self.states}
        elif kind == "reply":
            self.replies[value["id"]] = value
        elif kind in ("scene", "welcome", "status"):
            setattr(self, kind, value)
        elif kind == "lost":
            self.lost += 1
            self.frame = None
        return True

    def keep(self, frame):
        """The states of a frame of the entities that there are."""
        if frame.whole:
            assert len(frame.places) == len(self.entities), "a frame of the entities that there are"
        else:
            assert self.frame and self.frame.run == frame.run, "a part comes after a whole frame of its run"
        joints_of = {model["index"]: len(model["joints"]) for model in self.scene["models"]}
        joints = sum(joints_of[self.entities[self.numbers[slot]][2]] for slot in frame.slots)
        assert joints == len(frame.joints), "the joints of its entities"
        for slot, state in zip(frame.slots, frame.places, strict=True):
            self.states[self.numbers[slot]] = state
            self.heard[self.numbers[slot]] = frame.time
        self.frame = frame

    def until(self, true, patience=30.0):
        end = time.monotonic() + patience
        while not true():
            assert time.monotonic() < end, "what was waited for did not come"
            self.take(0.2)
        return True

    def ask(self, **request_):
        """The server's reply."""
        self.calls += 1
        self.say({"call": {"id": self.calls, "request": request_}})
        self.until(lambda: self.calls in self.replies)
        return self.replies[self.calls]

    def names(self):
        return [row[1] for _, row in sorted(self.entities.items())]

    def place(self, name):
        """Position of an entity, m, as it was told last."""
        return next(self.states[number][:3] for number, row in self.entities.items() if row[1] == name)

    def close(self):
        self.socket.close()
