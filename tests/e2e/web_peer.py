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
    def __init__(self, data):
        kind, flags, _, self.number, self.run, self.structure, self.time, self.tick, count, joints = HEAD.unpack_from(data)
        assert kind == 1 and len(data) == HEAD.size + ENTITY.size * count + 4 * joints, (kind, len(data), count, joints)
        self.paused = bool(flags & 1)
        self.places = [ENTITY.unpack_from(data, HEAD.size + ENTITY.size * i) for i in range(count)]
        self.joints = struct.unpack_from(f"<{joints}f", data, HEAD.size + ENTITY.size * count)


class Page:
    """A page without a picture: keeps models and entities, draws (acknowledges) frames at once unless told not to."""

    def __init__(self, link, draws=True, first=None, **options):
        root = link.split("#")[0].rstrip("/")
        self.session = session_of(link, options.get("ssl"))["session"]
        self.draws, self.calls, self.replies, self.texts = draws, 0, {}, []
        self.scene = self.welcome = self.status = self.frame = None
        self.entities, self.structure, self.frames, self.lost = {}, None, 0, 0
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
                assert len(frame.places) == len(self.entities), "a frame of the entities that there are"
                self.frame = frame
            self.frames += 1
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
        elif kind == "reply":
            self.replies[value["id"]] = value
        elif kind in ("scene", "welcome", "status"):
            setattr(self, kind, value)
        elif kind == "lost":
            self.lost += 1
            self.frame = None
        return True

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
        """Position of an entity in the newest frame, m."""
        return self.frame.places[self.names().index(name)][:3]

    def close(self):
        self.socket.close()
