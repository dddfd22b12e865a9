#!/usr/bin/env python3
"""The page server from the outside: links, sessions, the stream of states, calls, who is refused, and who cannot slow a run.

    .env/python/bin/python tests/e2e/test_web.py CONVOY [PART...]

Prints one line per check that fails and exits 1 if there is any.
"""
import http.client
import itertools
import json
import math
import os
import resource
import signal
import socket
import ssl
import sys
import time

import websockets.exceptions
from harness import last_line, new_bench, resident
from web_peer import Page, links, request, session_of

PAGE = "<!doctype html><title>a page</title>"
STALL_S = float(os.environ.get("CONVOY_E2E_STALL_S", "10"))  # how long browsers stand still; scripts/deep.sh: ten minutes
SCENARIO = """
convoy: 1
name: web
seed: 7
time: {{duration: {duration}, speed: {speed}}}
world: {{ground: {{size: [10, 8]}}}}
robots:
  - {{name: walk, model: turtlebot3_burger, count: 4, driver: random_walk}}
  - {{name: crate, model: box, placement: {{poses: [[2, 0, 0]]}}}}
"""

CROWD = """
convoy: 1
name: crowd
time: {duration: 600s, speed: 1, tick: 20ms}
world: {ground: {size: [140, 140]}}
robots:
  - {name: walk, model: turtlebot3_burger, count: 3000, driver: random_walk}
  - {name: stands, model: box, placement: {poses: [[0, 0, 0]]}}
"""


def scenario(b, duration="300s", speed=1):
    b.scenario.write_text(SCENARIO.format(duration=duration, speed=speed))
    page = b.folder / "page"
    (page / "assets").mkdir(parents=True, exist_ok=True)
    (page / "index.html").write_text(PAGE)
    (page / "assets/a.js").write_text("1")
    return b.scenario, page


def launched(b, *arguments, duration="300s", speed=1, command="launch"):
    file, page = scenario(b, duration, speed)
    return b.start(command, file, "--hosts", 2, "--web", "--web-listen", "127.0.0.1:0", "--page", page, *arguments)


def looking(b):
    """A page sees the world of launch and run, in both modes: models, entities by host, states that move, what comes and goes."""
    for command, mode in itertools.product(("launch", "run"), ("lockstep", "free")):
        with launched(b, "--mode", mode, command=command) as run:
            link = links(run)
            b.check(request(link["edit"], "/") == (200, PAGE.encode()), "the page is there")
            page = Page(link["edit"])
            page.until(lambda page=page: page.frame and page.status and "host1" in page.hosts)
            b.check((page.welcome["role"], page.welcome["mode"], page.welcome["name"]) == ("edit", mode, "web"), "welcome", page.welcome)
            b.check(page.names() == ["walk_0", "walk_1", "walk_2", "walk_3", "crate"], "entities", page.names())
            owners = [page.hosts[row[4]] for _, row in sorted(page.entities.items())]
            b.check(sorted(set(owners)) == ["host0", "host1"], "owners", owners)
            model = page.scene["models"][page.entities[1][2]]
            b.check(model["name"] == "turtlebot3_burger" and len(model["joints"]) == 2 and model["glb"], "its model", model)
            status, glb = request(link["edit"], model["glb"], **{"X-Convoy-Session": page.session})
            b.check(status == 200 and glb[:4] == b"glTF", "its file")
            b.check(request(link["edit"], model["glb"])[0] == 403, "no file without a session")
            begun, at = page.frame.time, page.place("walk_0")
            page.until(lambda page=page, begun=begun: page.frame.time > begun + 2)
            b.check(page.place("walk_0") != at, "it moves")
            b.check(page.ask(get={"name": "walk_0"})["error"] == 0, "a call")
            b.check(page.ask(spawn={"entities": [{"name": "late", "model": "box", "pose": {"p": {"x": 3, "y": 1}}}]})["outcomes"][0]
                    ["error"] == 0, "a spawn")
            page.until(lambda page=page: "late" in page.names() and page.frame.structure == page.structure)
            b.check(("event", "late appeared") in [(kind, value.get("text")) for kind, value in page.texts], "an event")
            x, y, _ = page.place("late")
            b.check((round(x, 3), round(y, 3)) == (3, 1), "where it was put", (x, y))
            page.ask(delete_={"names": ["late"]})
            page.until(lambda page=page: "late" not in page.names())
            page.ask(pause={})
            page.until(lambda page=page: page.status["paused"] and page.frame.paused)
            second = Page(link["view"])
            second.until(lambda second=second: second.frame is not None)
            b.check(second.frame.paused and second.names() == page.names(), "who comes while it is paused sees it")
            refused = second.ask(resume={})
            b.check(refused["error"] == 4 and refused["text"] == "this needs the role edit; the page's link gives view", "a look", refused)
            page.ask(resume={})
            page.until(lambda page=page: not page.status["paused"])
            page.ask(reset={})
            page.until(lambda page=page, begun=page.frame.run: page.frame.run > begun and page.frame.structure == page.structure)
            b.check(page.names() == ["walk_0", "walk_1", "walk_2", "walk_3", "crate"], "a reset", page.names())


def refused(b):
    """Wrong tokens, another origin, other names, malformed and oversized messages: refused with a reason, and it stays up."""
    with launched(b) as run:
        link = links(run)
        root = link["edit"].split("#")[0]
        b.check(request(link["edit"], "/session", {"token": "x"})[0] == 403, "a wrong token")
        b.check(request(link["edit"], "/session", b"{" * 100)[0] == 400, "no JSON")
        b.check(request(link["edit"], "/session", b"x" * 20_000)[0] == 413, "an oversized body")
        b.check(request(link["edit"], "/session", {"token": "x"}, Origin="http://elsewhere.example")[0] == 403, "another origin")
        b.check(request(link["edit"], "/", Host="elsewhere.example")[0] == 421, "another name")
        b.check(request(link["edit"], "/nothing")[0] == 404, "no such page")
        b.check(request(link["edit"], "/assets/../../e2e.yaml")[0] == 404, "nothing beside the page")
        for what, options in (("another origin", {"origin": "http://elsewhere.example"}), ("no subprotocol", {"subprotocols": None})):
            try:
                with websockets.sync.client.connect(root.replace("http", "ws", 1) + "stream", proxy=None,
                                                    **{"subprotocols": ["convoy.web.v1"], "origin": root.rstrip("/"), **options}):
                    b.check(False, what)
            except websockets.exceptions.InvalidStatus as error:
                b.check(error.response.status_code in (400, 403), what, error.response.status_code)
        for first in ({"hello": {"session": "x"}}, {"ack": 1}):
            b.check(code_of(Page(link["edit"], first=first)) == 4403, f"{first}")
        page = Page(link["edit"])
        page.until(lambda: page.frame is not None)
        for text in ("{", "[]", '{"fly": 1}', '{"call": {"id": 999, "request": {"fly": {}}}}', '{"ack": "x"}', "\u0000"):
            page.say(text)
        page.until(lambda: sum(kind in ("event", "reply") and bool(value.get("text")) for kind, value in page.texts) >= 6)
        big = Page(link["edit"])
        big.say("x" * 300_000)
        b.check(code_of(big) == 1009, "an oversized message")
        page.until(lambda: page.status and page.status["refused"].get("malformed message", 0) >= 4)
        b.check(page.status["refused"]["wrong token"] == 1, "they are counted", page.status["refused"])
        b.check(page.ask(get={"name": "walk_0"})["error"] == 0, "it is still there")


def code_of(page):
    try:
        while True:
            page.take(10)
    except websockets.exceptions.ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else None


def crowd(b):
    """A thousand connections that say nothing, and hundreds of pages: those over the limit are refused, the others served."""
    with launched(b) as run:
        link = links(run)
        port = int(link["edit"].split(":")[2].split("/")[0])
        page = Page(link["edit"])
        page.until(lambda: page.frame is not None)
        silent = []
        for _ in range(1100):
            one = socket.create_connection(("127.0.0.1", port), 5)
            silent.append(one)
        page.until(lambda: page.status and page.status["refused"].get("too many connections", 0) >= 50)
        before = page.frames
        page.until(lambda: page.frames > before + 20)
        for one in silent:
            one.close()
        end = time.monotonic() + 20
        while request(link["edit"], "/")[0] != 200:
            b.check(time.monotonic() < end, "it serves again")


def many(b):
    """Of a crowd a page gets first all and then parts: what it looks at in each, the rest by turns; after a pause it has all as it is."""
    file, folder = scenario(b)
    file.write_text(CROWD)
    with b.start("launch", file, "--hosts", 1, "--web", "--web-listen", "127.0.0.1:0", "--page", folder) as run:
        link = links(run)
        look = {"eye": [-71, -71, 2], "ahead": [1, 1, 0], "angle": 1.5}  # from a corner over all
        page, plain = Page(link["edit"]), Page(link["view"])
        page.until(lambda: page.welcome is not None)
        page.say({"look": look})
        page.until(lambda: page.frame is not None)
        b.check(len(page.states) == 3001, "the first frame has all", len(page.states))
        page.until(lambda: not page.frame.whole and page.frames > 30)
        number = {row[1]: row[0] for row in page.entities.values()}
        b.check(not missed(page, nearest(page, -71, -71), 20), "what is near is in each part")
        b.check(page.heard[number["stands"]] == min(page.heard.values()), "what stands is told once")
        begun = page.frame.time
        page.until(lambda: all(page.heard[n] > begun for n in page.entities if moves(page, n)))
        b.check(True, "all others come by turns")
        far = nearest(page, 71, 71)
        look_at(page, {**look, "always": [*far[:60], 4_000_000_000]})
        page.until(lambda: told(page, far[:60]))
        b.check(not missed(page, far[:60], 20), "what it must have is in each part")
        look_at(page, {**look, "eye": [71, 71, 2], "ahead": [-1, -1, 0]})
        page.until(lambda: told(page, nearest(page, 71, 71)))
        b.check(not missed(page, nearest(page, 71, 71), 20), "what it looks at later is in each part")

        name = page.entities[nearest(page, -71, -71)[0]][1]
        b.check(page.ask(delete_={"names": [name]})["error"] == 0, "one far away is deleted")
        page.until(lambda: name not in page.names())
        b.check(len(page.entities) == 3000, "and is gone")

        page.ask(pause={})
        page.until(lambda: page.status["paused"] and page.frame.paused)
        second = Page(link["view"])  # is sent all at once
        second.until(lambda: second.frame is not None and second.frame.paused)
        page.until(lambda: page.states == second.states)
        b.check(page.frame.time == second.frame.time, "after a pause it has all where it is")
        plain.until(lambda: plain.frame is not None and plain.frame.paused)
        b.check(plain.frame.whole and plain.states == second.states, "who does not say where it looks has whole frames")
        for text in ('{"look": {}}', '{"look": {"eye": [0, 0, NaN], "ahead": [1, 0, 0], "angle": 1}}', '{"look": 1e999}'):
            page.say(text)
        for _ in range(1000):
            page.say({"look": look})
        page.until(lambda: page.status["refused"].get("malformed message", 0) == 3)
        page.ask(resume={})
        page.until(lambda: not page.frame.paused)
        b.check(not page.frame.whole, "a thousand looks are one")


def look_at(page, look):
    """What comes from here on is for this look: who answers has read it."""
    page.say({"look": look})
    page.ask(get={"name": "stands"})


def told(page, numbers):
    """Those of them that move are in this part."""
    return {n for n in numbers if moves(page, n)} <= {page.numbers[slot] for slot in page.frame.slots}


def grew(b, memory, pid, most):
    """A process has no more bytes than these and so many."""
    if b.address_sanitized():
        return print("    memory is not looked at: the address sanitizer keeps what was freed")
    return b.check(resident(pid) < memory + most, "memory", memory, resident(pid))


def missed(page, numbers, count):
    """Which of these entities moved and are not as they are after one of the next parts. A part that comes right after
    another, when the machine was busy for a moment, may be too small for all of them: half of it is for what is near."""
    out = set()
    while count > 0:
        before, due = page.frame, {n for n in numbers if moves(page, n)}
        while page.frame is before:
            page.take()
        if len(page.frame.slots) < 3 * len(due):
            continue
        out |= {n for n in due if page.heard[n] < page.frame.time}
        count -= 1
    return out


def moves(page, number):
    """It had a speed when it was told last."""
    return any(page.states[number][7:])


def nearest(page, x, y):
    """Numbers of the hundred entities nearest to a place."""
    return sorted(page.states, key=lambda n: math.hypot(page.states[n][0] - x, page.states[n][1] - y))[:100]


def leases(b):
    """What a page has leased is its own against all, and free when it is closed."""
    with launched(b) as run:
        link = links(run)
        at = f"127.0.0.1:{run.port()}"
        left, right = Page(link["edit"]), Page(link["edit"])
        for page in (left, right):
            page.until(lambda page=page: page.frame is not None)
        b.check(left.ask(lease={"names": ["walk_0"]})["error"] == 0, "a lease")
        drive = {"name": "walk_0", "forward": 0.1, "timeout": 0.3}
        b.check(left.ask(drive=drive)["error"] == 0, "its own")
        refused_ = right.ask(drive=drive)
        b.check(refused_["error"] == 9, "another's", refused_)
        b.expect(1, "", "has leased 'walk_0'", "ctl", "--connect", at, "drive", "walk_0", "--forward", 0.1)
        left.close()
        right.until(lambda: right.ask(lease={"names": ["walk_0"]})["error"] == 0)


def slow(b):
    """A page that draws nothing, and one that takes nothing, cost the server no memory, in both modes; the run goes on."""
    for mode in ("lockstep", "free"):
        with launched(b, "--mode", mode, "--set", "robots[0].count=500", "--set", "world.ground.size=[60, 60]", duration="3600s") as run:
            link = links(run)
            still, page = Page(link["edit"], draws=False), Page(link["edit"])
            for one in (still, page):
                one.until(lambda one=one: one.frame is not None)
            stuck = Page(link["edit"], ping_interval=None)  # reads nothing from here on, until the server drops it
            served = pages_process(run)
            memory = resident(served)
            end = page.frame.time + STALL_S
            while page.frame.time < end:
                page.take()
                still.take(0)
            b.check(still.frames == 2, "two frames, and no more until one is drawn", still.frames)
            # A frame is 20 kB, thirty a second: half of what ten seconds of them would take.
            grew(b, memory, served, 3e6)
            print(f"    {mode}: {STALL_S:.0f} s, memory {memory / 1e6:.1f} MB, then {resident(served) / 1e6:.1f} MB")
            still.say({"ack": still.frame.number})
            still.until(lambda still=still, end=end: still.frame.time > end - 1)
            stuck.socket.socket.close()


def gone(b):
    """The page server is killed in the middle: the digest is the undisturbed run's. The simulation goes and comes back."""
    file, page = scenario(b, "20s", 4)
    plain = b.call("run", file, "--hosts", 2, "--speed", "max").stdout
    plain = last_line(plain)
    with launched(b, duration="20s", speed=4) as run:
        link = links(run)
        one = Page(link["edit"])
        one.until(lambda: one.frame and one.frame.time > 2)
        os.kill(pages_process(run), signal.SIGKILL)
        b.check(run.wait() == 0 and last_line(run.out.read_text()) == plain, "the digest, without it", plain, run.text())
    with launched(b, duration="20s", speed=4) as run:
        links(run)
        os.kill(pages_process(run), signal.SIGSTOP)
        b.check(run.wait() == 0 and last_line(run.out.read_text()) == plain, "the digest, with it stopped", run.text())

    with b.start("launch", file, "--listen", "127.0.0.1:0", "--duration", "300s") as first:
        port = first.port()
        with b.start("web", "--connect", f"127.0.0.1:{port}", "--web-listen", "127.0.0.1:0", "--page", page) as web:
            one = Page(links(web)["edit"])
            one.until(lambda: one.frame is not None)
            first.end()
            one.until(lambda: one.lost == 1)
            b.check(one.ask(status={})["error"] == 6, "a call while nobody is there")
            with b.start("launch", file, "--listen", f"127.0.0.1:{port}", "--duration", "300s"):
                one.until(lambda: one.frame is not None, 60)
                b.check(one.ask(get={"name": "walk_0"})["error"] == 0, "it is back")
                one.close()


def own(b):
    """Pages in the run's own process, of which one reads nothing and one draws nothing, change neither its digest nor its memory."""
    file, _ = scenario(b, "400s", "max")
    plain = last_line(b.call("run", file, "--hosts", 2).stdout)
    with launched(b, "--paused", duration="400s", speed=50, command="run") as run:
        link = links(run)
        stuck, still, page = Page(link["edit"], ping_interval=None), Page(link["view"], draws=False), Page(link["edit"])
        for one in (still, page):
            one.until(lambda one=one: one.frame is not None)
        memory = resident(run.popen.pid)
        b.check(page.ask(resume={})["error"] == 0, "go on")
        page.until(lambda: page.frame.time > 300, 60)
        grew(b, memory, run.popen.pid, 40e6)
        b.check(page.frame.number < 1000, "not every tick is sent", page.frame.number)
        stuck.close()
        page.draws = False  # it would be told of the end while it answers
        page.until(lambda: page.lost == 1, 60)
        b.check(page.texts[-1] == ("lost", {"text": "the run is over"}), "the end is told", page.texts[-1])
        b.check(run.wait() == 0 and last_line(run.out.read_text()) == plain, "the digest", plain, run.text())
    with launched(b, duration="2s", speed="max", command="run") as run:
        b.check(run.wait() == 0, "a run that nobody looked at", run.text())


def encrypted(b):
    """With a certificate all is encrypted, also beyond this machine; who speaks plainly is not heard."""
    file, page_folder = scenario(b)
    options = b.certificate()
    certificate, key = options[1], options[3]
    for command in ("run", "launch"):
        with launched(b, *options, "--foxglove", command=command) as run:
            link = links(run)
            b.check(link["edit"].startswith("https://") and "wss://" in run.text(), "links", run.text())
            trust = ssl.create_default_context(cafile=certificate)
            b.check(request(link["edit"], "/", ssl=trust) == (200, PAGE.encode()), "the page")
            page = Page(link["edit"], ssl=trust)
            page.until(lambda page=page: page.frame and page.status)
            b.check(page.ask(get={"name": "walk_0"})["error"] == 0, "a call")
            plain = link["edit"].replace("https", "http")
            try:
                b.check(False, "plain HTTP", request(plain, "/"))
            except (OSError, http.client.HTTPException):
                pass
            page.until(lambda page=page: page.status["refused"].get("no encryption", 0) >= 1)
            origin = link["edit"].split("/#")[0].replace("https", "http")
            b.check(request(link["edit"], "/", ssl=trust, Origin=origin)[0] == 403, "an origin without encryption")
            b.check(request(link["edit"], "/", ssl=trust, Origin=origin.replace("http", "https"))[0] == 200, "its own origin")
            page.close()
    b.expect(2, "", r"scenario.*is no certificate as PEM|e2e.yaml is no certificate as PEM", "run", file, "--web", "--page", page_folder,
             "--web-certificate", file, "--web-key", key)
    b.expect(2, "", r"page.pem is no key of that certificate", "run", file, "--web", "--page", page_folder, "--web-certificate", certificate, "--web-key", certificate)
    b.expect(2, "", r"--web-certificate requires --web-key", "run", file, "--web", "--web-certificate", certificate)
    b.expect(0, "", r"page for edit: https://", "run", file, "--web", "--page", page_folder, "--web-certificate", certificate, "--web-key", key,
             "--web-listen", "0.0.0.0:0", "--duration", "1s", "--speed", "max")


def recorded(b):
    """A recording: states as they were at any time, in any order, of all kinds of files; nothing in it changes."""
    file, page_folder = scenario(b, "40s", "max")
    for detail, every in ("full", 0.01), ("poses@10Hz", 0.1):
        film = b.folder / f"{detail[:4]}.mcap"
        b.call("run", file, "--record", film, *(() if detail == "full" else ("--record-detail", detail)))
        b.call("plot", film, "--out", b.folder / "p.svg", "--csv", b.folder / "p.csv")
        rows = [row.split(",") for row in (b.folder / "p.csv").read_text().splitlines()[1:]]
        known = {(round(float(time), 3), name): (float(x), float(y)) for time, name, x, y, _ in rows}
        with b.start("replay", film, "--web", "--web-listen", "127.0.0.1:0", "--page", page_folder) as web:
            link = links(web)
            page = Page(link["edit"])
            page.until(lambda page=page: page.frame and page.status)
            told = page.status["recording"]
            b.check((page.welcome["mode"], told["end_s"], told["detail"]) == ("recording", 40, detail), "what it is", page.welcome, told)
            b.check(page.names() == ["walk_0", "walk_1", "walk_2", "walk_3", "crate"], "entities", page.names())
            page.until(lambda page=page: page.frame.time > 0.5)
            page.ask(pause={})
            for time_s in (35, 3.2, 0, 39.9, 12.5, 12.6, 40):
                page.say({"seek": {"time_s": time_s}})
                page.until(lambda page=page, time_s=time_s: abs(page.frame.time - time_s) < 1e-6)
                x, y, _ = page.place("walk_2")
                wanted = known[(round(time_s, 3), "walk_2")]
                b.check(abs(x - wanted[0]) < 1e-3 and abs(y - wanted[1]) < 1e-3, f"where it was at {time_s} s", (x, y), wanted)
            page.say({"seek": {"time_s": 20}})
            page.ask(step={"ticks": 3})
            page.until(lambda page=page, every=every: abs(page.frame.time - 20 - 3 * every) < 1e-6)
            page.ask(speed={"factor": 20})
            page.ask(resume={})
            page.until(lambda page=page: page.frame.time == 40 and page.status["paused"])
            page.ask(resume={})
            page.until(lambda page=page: page.frame.time < 20)
            b.check(page.ask(speed={"factor": 101})["error"] == 1, "too fast")
            for call in ({"spawn": {"entities": [{"name": "x", "model": "box"}]}}, {"delete_": {"names": ["crate"]}}, {"lease": {"kind": 0, "names": ["walk_0"]}}):
                refused_ = page.ask(**call)
                b.check(refused_["error"] == 7 and "this is a recording" in refused_["text"], "nothing changes", refused_)
            look = Page(link["view"])
            look.until(lambda look=look: look.frame is not None)
            look.say({"seek": {"time_s": 1}})
            look.until(lambda look=look: any(kind == "event" and "needs the role edit" in value["text"] for kind, value in look.texts))
            for wrong in (-1, "x", None, 1e30):
                page.say({"seek": {"time_s": wrong}})
            page.until(lambda page=page: page.status["refused"].get("malformed message") == 4)
            page.say({"seek": {"time_s": 1e6}})
            page.until(lambda page=page: page.frame.time == 40)
    whole = (b.folder / "full.mcap").read_bytes()
    film.write_bytes(whole[: len(whole) * 2 // 3])
    with b.start("replay", film, "--web", "--web-listen", "127.0.0.1:0", "--page", page_folder, "--from", "5") as web:
        page = Page(links(web)["view"])
        page.until(lambda: page.frame and page.status)
        told = page.status["recording"]
        b.check(page.frame.time >= 5 and 20 < told["end_s"] < 30 and "cut" in told["damage"], "a cut file", told)
    film.write_bytes(whole[:100])
    b.expect(2, "", "not a recording of convoy|ends before its setup|has no head", "replay", film, "--web", "--page", page_folder)


def beside(b):
    """Two recordings beside each other, and where they begin to differ; equal ones, and one that has no digests."""
    file, page_folder = scenario(b, "20s", "max")
    one, two, poses = (b.folder / f"{name}.mcap" for name in ("one", "two", "poses"))
    b.call("run", file, "--record", one)
    b.call("run", file, "--record", poses, "--record-detail", "poses@10Hz", "--duration", "30s")
    with b.start("launch", file, "--paused", "--listen", "127.0.0.1:0", "--record", two) as run:
        at = ["--connect", f"127.0.0.1:{run.port()}"]
        run.wait_for("the run begins")
        b.expect(0, "at tick 750", None, "ctl", *at, "step", 750)
        b.expect(0, "at tick 750", None, "ctl", *at, "drive", "walk_2", "--forward", 0.1, "--turn", 0.3)
        b.expect(0, "at tick 750", None, "ctl", *at, "resume")
        b.check(run.wait() == 0, "the second", run.text())
    for second, end, difference in (two, 20, (7.51, "walk_2")), (one, 20, None), (poses, 30, None):
        with b.start("replay", one, "--web", "--web-listen", "127.0.0.1:0", "--page", page_folder, "--beside", second) as web:
            page = Page(links(web)["edit"])
            page.until(lambda page=page: page.frame and page.status)
            told = page.status["recording"]
            found = told["difference"] and (round(told["difference"]["time_s"], 6), told["difference"]["entity"])
            b.check((round(told["end_s"], 6), found) == (end, difference), "where they differ", told)
            b.check(len(page.names()) == 10 and "walk_2 (2)" in page.names() and page.scene["beside"]["shift"] == 12, "entities of both", page.names())
            page.ask(pause={})
            for time_s, same in (7.5, True), (12, difference is None and second is not poses), (3, True):
                page.say({"seek": {"time_s": time_s}})
                page.until(lambda page=page, time_s=time_s: abs(page.frame.time - time_s) < 1e-6)
                far = max(abs(x - y) for x, y in zip(page.place("walk_2"), page.place("walk_2 (2)"), strict=True))
                if second is not poses:
                    b.check((far == 0) == same, f"walk_2 in both at {time_s} s", far)
            page.say({"seek": {"time_s": end}})
            page.until(lambda page=page, end=end: abs(page.frame.time - end) < 1e-6)
    b.expect(2, "", "not a recording of convoy", "replay", one, "--web", "--page", page_folder, "--beside", file)
    b.expect(2, "", "--beside requires --web", "replay", one, "--beside", two)


def pages_process(run):
    """The process that serves the pages."""
    (pid,) = [pid for pid, argv in run.family().items() if len(argv) > 1 and argv[1] == "web"]
    return pid


def words(b):
    """What the command refuses, in words."""
    file, page = scenario(b)
    b.expect(2, "", r"--web-listen is ADDR:PORT, not 'here'", "web", "--web-listen", "here", "--page", page)
    b.expect(2, "", r"has no index.html", "web", "--page", b.folder)
    b.expect(2, "", r"not encrypted.*--insecure allows it", "web", "--web-listen", "0.0.0.0:0", "--page", page)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        b.expect(2, "", rf"port {port} on 127.0.0.1 is taken", "web", "--web-listen", f"127.0.0.1:{port}", "--page", page)
        b.expect(2, "", rf"port {port} on 127.0.0.1 is taken", "run", file, "--web", "--web-listen", f"127.0.0.1:{port}", "--page", page)
    b.expect(2, "", r"not encrypted.*--insecure allows it", "run", file, "--web", "--web-listen", "0.0.0.0:0", "--page", page)
    with b.start("web", "--connect", "127.0.0.1:9", "--web-listen", "127.0.0.1:0", "--page", page, "--json") as web:
        told = json.loads(web.wait_for(r"(\{.*\})").group(1))
        b.check(sorted(told) == ["edit", "view"], "links as JSON", told)
        b.check(session_of(told["view"])["role"] == "view", "its role")


PARTS = {"looking": looking, "refused": refused, "crowd": crowd, "many": many, "leases": leases, "slow": slow, "gone": gone, "own": own, "encrypted": encrypted, "recorded": recorded, "beside": beside, "words": words}


def main():
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, most), most))
    with new_bench(sys.argv[1]) as bench:
        bench.run(PARTS, sys.argv[2:])
        return bench.result()


if __name__ == "__main__":
    sys.exit(main())
