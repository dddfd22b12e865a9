"""Video of a run in a real browser: it plays, moves, follows the mouse, survives what breaks, and changes no digest.

    .env/browser/bin/python tests/e2e/test_stream.py CONVOY [PART...]
"""
import contextlib
import itertools
import json
import os
import pathlib
import random
import re
import select
import shutil
import signal
import socket
import sys
import threading
import time

from browser import FLAGS as BROWSER
from browser import PAGE
from harness import Process, free_block, new_bench, resident
from playwright.sync_api import sync_playwright
from stream_screen import Screen, changed
from test_film import FAST, Film, recording
from test_film import SCENARIO as FILMED

FLAGS = [*BROWSER, "--allow-loopback-in-peer-connection"]  # a relay on this machine is one as any other
SCENARIO = """
convoy: 1
name: stream
seed: 5
time: {mode: lockstep, tick: 10ms, duration: 600s, speed: 1}
world: {ground: {size: [8, 6], walls: {thickness: 0.1, height: 0.4}}}
robots:
  - {name: walk, model: turtlebot3_burger, count: 4, driver: random_walk}
"""
STALL_S = float(os.environ.get("CONVOY_E2E_STALL_S", "10"))  # how long browsers stand still; scripts/deep.sh: ten minutes
VIDEO = ("--viewer", "--viewer-listen", "127.0.0.1:0", "--size", "640x480", "--stamp")


def becomes(b, true, what, patience=20):
    end = time.monotonic() + patience
    while not (now := true()) and time.monotonic() < end:
        time.sleep(0.1)
    b.check(now, what)


@contextlib.contextmanager
def started(b, command):
    """A program that is not ours."""
    process = Process(b, (), command=list(map(str, command)))
    try:
        yield process
    finally:
        process.end()


@contextlib.contextmanager
def browsing(b):
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        try:
            yield lambda link, query="", **options: Screen(b, browser, link, query, **options)
        finally:
            browser.close()


@contextlib.contextmanager
def streamed(b, *arguments, scenario=SCENARIO):
    """A run with its video, the link to it, and a way to open pages."""
    b.scenario.write_text(scenario)
    with b.start("launch", b.scenario, "--hosts", 2, *VIDEO, *PAGE, *arguments) as run, browsing(b) as open_page:
        yield run, run.wait_for(r"video: (\S+)").group(1), open_page


def plays(b):
    """A stream plays: pictures follow each other, their stamps are the time, robots move in them."""
    with streamed(b) as (_, link, open_page):
        screen = open_page(link).playing()
        looks = [screen.look() for _ in range(10)]
        b.check(all((look["width"], look["height"]) == (640, 480) for look in looks), "the video has the size asked for")
        times = [look["time"] for look in looks if look["time"]]
        b.check(len(times) >= 8, "the time can be read in nearly all pictures", len(times))
        b.check(all(p <= q for p, q in itertools.pairwise(times)) and times[-1] > times[0], "time goes on from picture to picture", times)
        b.check(all(0 <= look["now"] - look["time"] < 20_000 for look in looks if look["time"]), "no picture is from the future, or old", looks[-1]["now"], times)
        time.sleep(2)
        b.check(0 < changed(looks[0], screen.look()) < 0.2, "robots move, and all else stands")
        screen.picture("video")
        numbers = screen.page.evaluate("window.convoy_video.numbers()")
        b.check(numbers["codec"] == "VP8", "the codec is VP8", numbers)
        screen.close()


def turns_by_mouse(b, screen, what):
    """Dragging turns the view of `screen`, by whatever way its pictures come; how it looks then."""
    first = screen.look()
    screen.page.mouse.move(400, 350)
    screen.page.mouse.down()
    screen.page.mouse.move(250, 350, steps=8)
    screen.page.mouse.up()
    time.sleep(0.7)
    turned = screen.look()
    b.check(changed(first, turned) > 0.02, f"dragging turns the view, {what}", changed(first, turned))
    return turned


def mouse(b):
    """The mouse turns the view, the wheel goes nearer, keys move; another view is chosen from the list."""
    with streamed(b, "--view", "free", "--view", "above") as (_, link, open_page):
        screen = open_page(link, "?stream=free").playing()
        screen.until("window.convoy_video.open")
        turned = turns_by_mouse(b, screen, "by WebRTC")
        screen.page.mouse.wheel(0, -600)
        time.sleep(0.5)
        near = screen.look()
        b.check(changed(turned, near) > 0.02, "the wheel goes nearer", changed(turned, near))
        screen.page.locator("video").press("a")
        screen.page.keyboard.down("w")
        time.sleep(0.7)
        screen.page.keyboard.up("w")
        time.sleep(0.5)
        moved = screen.look()
        b.check(changed(near, moved) > 0.02, "keys move the view", changed(near, moved))
        screen.picture("video_near")
        touch = screen.context.new_cdp_session(screen.page)
        for step in range(9):
            at = [{"x": 400 + 15 * step, "y": 350}]
            touch.send("Input.dispatchTouchEvent", {"type": "touchMove" if step else "touchStart", "touchPoints": at})
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        time.sleep(0.5)
        touched = screen.look()
        b.check(changed(moved, touched) > 0.02, "a finger turns the view", changed(moved, touched))
        moved = touched
        screen.page.locator("[data-testid=video-choice]").select_option("above")
        screen.until("window.convoy_video.chosen === 'above' && window.convoy_video.open")
        screen.playing()
        b.check(changed(moved, screen.look()) > 0.02, "another stream shows another view")
        screen.picture("video_above")
        screen.close()


def drives(b):
    """A player drives with its own credentials; without any, or with those of who may look, it cannot; one robot has one driver."""
    b.scenario.write_text(SCENARIO.replace("driver: random_walk", "driver: none").replace(", driver: none", ""))
    secrets = b.folder / "secrets"
    secrets.write_text("view watcher1\ndrive driver1\nadmin 5uper\n")
    secrets.chmod(0o600)
    with b.start("launch", b.scenario, "--hosts", 1, "--credentials-file", secrets, "--credentials", "5uper", *VIDEO, *PAGE) as run, browsing(b) as open_page:
        link, at = run.wait_for(r"video: (\S+)").group(1), f"127.0.0.1:{run.port()}"

        def ctl(*words):
            return json.loads(b.call("ctl", "--connect", at, "--credentials", "5uper", "--json", *words).stdout)

        screen = open_page(link).playing()
        screen.until("window.convoy_video.open")
        screen.page.evaluate("window.convoy_video.interact({drive: 'walk_0'})")
        screen.says("without, a player may only look")
        screen.act("wrong")
        screen.says("declined")
        screen.act("watcher1")
        screen.page.locator("[data-testid=video-robot]").select_option("walk_1")
        screen.page.locator("[data-testid=video-drive]").click()
        screen.says("this call needs the role drive")
        other = open_page(link).playing()
        other.until("window.convoy_video.open")
        other.act("driver1")
        other.page.locator("[data-testid=video-robot]").select_option("walk_1")
        before = ctl("get", "walk_1")["pose"]["p"]
        other.page.locator("[data-testid=video-drive]").click()
        other.says("arrow keys drive walk_1")
        other.page.locator("video").focus()
        other.page.keyboard.down("ArrowUp")
        becomes(b, lambda: abs(ctl("get", "walk_1")["twist"]["v"][0]) + abs(ctl("get", "walk_1")["twist"]["v"][1]) > 0.1, "the robot drives")
        other.picture("video_drive")
        other.page.keyboard.up("ArrowUp")
        becomes(b, lambda: max(map(abs, ctl("get", "walk_1")["twist"]["v"])) < 0.01, "and stops when the key is let go")
        b.check(ctl("get", "walk_1")["pose"]["p"] != before, "it has moved")
        other.page.evaluate("window.pad = [0, -1, 0, 0], navigator.getGamepads = () => [{index: 0, buttons: [], axes: window.pad}], null")
        becomes(b, lambda: abs(ctl("get", "walk_1")["twist"]["v"][0]) + abs(ctl("get", "walk_1")["twist"]["v"][1]) > 0.1, "the stick of a gamepad drives it, too")
        other.page.evaluate("window.pad = [0, 0, 0, 0], null")
        becomes(b, lambda: max(map(abs, ctl("get", "walk_1")["twist"]["v"])) < 0.01, "until it is let go")
        holder = ctl("get", "walk_1")["data"]["holder"]
        b.check(str(holder).startswith("video/player"), "it is leased by the player", holder)
        third = open_page(link).playing()
        third.until("window.convoy_video.open")
        third.act("driver1")
        third.page.locator("[data-testid=video-robot]").select_option("walk_1")
        third.page.locator("[data-testid=video-drive]").click()
        third.says("walk_1")
        b.check(ctl("get", "walk_1")["data"]["holder"] == holder, "nobody else may drive it meanwhile")
        other.close()
        becomes(b, lambda: ctl("get", "walk_1")["data"]["holder"] is None, "who goes gives it back")


def absent(b):
    """Who chooses a view of a robot that is not there is told so, and sees it once it is."""
    with streamed(b, "--view", "follow:late") as (run, link, open_page):
        screen = open_page(link)
        screen.until("document.querySelector('[data-testid=video-words]').textContent.includes('late is not there')")
        spawned = b.call("ctl", "--connect", f"127.0.0.1:{run.port()}", "spawn", "late", "--model", "turtlebot3_burger", "--pose", "1,1")
        b.check(spawned.returncode == 0, "a robot of that name is spawned", spawned.stderr)
        screen.playing()


def several(b):
    """Two pages see the same; one that is closed takes nothing from the other."""
    with streamed(b, "--view", "above") as (_, link, open_page):
        first, second = open_page(link).playing(), open_page(link).playing()
        b.check(changed(first.look(), second.look()) < 0.1, "both see the same")
        first.close()
        times = [second.look()["time"] for _ in range(5)]
        b.check(times[-1] > times[0], "the second plays on", times)
        third = open_page(link).playing()
        b.check(third.look()["width"] == 640, "and a third may come")


def returns(b):
    """A viewer that is killed, and a signaling server: pages wait and play again; the run's digest is that of one without."""
    short = SCENARIO.replace("duration: 600s", "duration: 40s")
    b.scenario.write_text(short)
    alone = b.call("run", b.scenario, "--speed", "max").stdout.split()[-1]
    with b.start("server", b.scenario, "--listen", "127.0.0.1:0", "--hosts", 1) as server:
        at = f"127.0.0.1:{server.port()}"
        signaling = ["signaling", "--player-token", "p1", "--streamer-token", "5ecret"]
        # Not one of those that the system gives to who connects: a viewer that tries again and again may be given the very port that it tries.
        port = free_block(1)
        with b.start(*signaling, "--listen", f"127.0.0.1:{port}", *PAGE) as first, browsing(b) as open_page:
            link = first.wait_for(r"video: (\S+)").group(1)
            viewer = ["viewer", "--connect", at, "--signaling", f"ws://127.0.0.1:{port}/streamer", "--streamer-token", "5ecret", "--size", "320x240"]
            with b.start("client", "--connect", at, "--name", "host0"), b.start(*viewer) as one:
                screen = open_page(link).playing()
                os.kill(one.popen.pid, signal.SIGKILL)
                screen.until("document.querySelector('[data-testid=video-words]').hidden === false")
                b.check("Waiting" in screen.words() or "Opening" in screen.words(), "the page says that it waits", screen.words())
                with b.start(*viewer) as two:
                    screen.playing()
                    os.kill(first.popen.pid, signal.SIGKILL)
                    with b.start(*signaling, "--listen", f"127.0.0.1:{port}", *PAGE) as second:
                        second.wait_for(r"video: ")
                        two.wait_for(r"trying again")
                        second.wait_for(r"streamer 'free' is here")
                        newcomer = open_page(link).playing()
                        screen.playing()
                        first_look = screen.page.evaluate("document.querySelector('video').currentTime")
                        screen.until(f"document.querySelector('video').currentTime > {first_look}")
                        newcomer.close()
                        screen.playing()
                        end = server.wait_for(r"^digest \S+").group(0).split()[-1]
                        b.check(end == alone, "the digest is that of a run that nobody saw", end, alone)


def relayed(b):
    """Where there is no direct way, a TURN server hands the video on: Debian's coturn, with credentials that expire."""
    if shutil.which("turnserver") is None:
        raise RuntimeError("coturn is missing: scripts/setup.sh --tests installs it")
    b.scenario.write_text(SCENARIO)
    port = free_block(60)
    turn = ["turnserver", "-n", "--listening-ip", "127.0.0.1", "--relay-ip", "127.0.0.1", "--listening-port", port, "--min-port", port + 10,
            "--max-port", port + 59, "--use-auth-secret", "--static-auth-secret", "north", "--realm", "convoy", "--allow-loopback-peers",
            "--no-tls", "--no-dtls", "--no-cli", "--log-file", "stdout", "--pidfile", b.folder / "turn.pid", "--userdb", b.folder / "turn.db", "-v"]
    with b.start("launch", b.scenario, "--hosts", 1) as run, started(b, turn) as relay, b.start(
            "signaling", "--listen", "127.0.0.1:0", "--player-token", "p1", "--streamer-token", "5ecret",
            "--turn", f"127.0.0.1:{port}?transport=udp", "--turn-secret", "north", *PAGE) as signaling:
        link = signaling.wait_for(r"video: (\S+)").group(1)
        at = re.search(r":(\d+)/", link).group(1)
        with b.start("viewer", "--connect", f"127.0.0.1:{run.port()}", "--signaling", f"ws://127.0.0.1:{at}/streamer?token=5ecret", "--size", "320x240",
                     "--stamp"), browsing(b) as open_page:
            screen = open_page(link, "?ice=relay").playing()
            screen.until("window.convoy_video.way().then((way) => way !== null)")  # which pair was taken is known a little later
            way = screen.page.evaluate("window.convoy_video.way()")
            b.check(way["local"] == "relay", "the browser is reached by the relay alone", way)
            times = [screen.look()["time"] for _ in range(6)]
            b.check(times[-1] > times[0] > 0, "and the video goes on", times)
            b.check(re.search(r"user <\d+:convoy>", relay.text()), "with the credentials of the signaling server", relay.text()[-800:])


def encrypted(b):
    """Page, introductions and the viewer's line by TLS; a viewer that does not trust the certificate says so."""
    b.scenario.write_text(SCENARIO)
    chain = b.certificate()
    with b.start("launch", b.scenario, "--hosts", 1) as run, b.start(
            "signaling", "--listen", "127.0.0.1:0", "--player-token", "p1", "--streamer-token", "5ecret", *chain, *PAGE) as signaling:
        link = signaling.wait_for(r"video: (https\S+)").group(1)
        at = re.search(r":(\d+)/", link).group(1)
        viewer = ["viewer", "--connect", f"127.0.0.1:{run.port()}", "--signaling", f"wss://127.0.0.1:{at}/streamer?token=5ecret", "--size", "320x240"]
        with b.start(*viewer) as stranger:
            stranger.wait_for(r"the signaling server: certificate verify failed")
        with b.start(*viewer, "--signaling-ca", chain[1]), browsing(b) as open_page:
            screen = open_page(link, ignore_https_errors=True).playing()
            b.check(screen.page.evaluate("window.isSecureContext"), "the page is a secure one")


def filmed(b):
    """A run is filmed while it goes on, which changes nothing in it; one of a recording by the same command."""
    slow = b.folder / "slow.yaml"
    slow.write_text(FILMED.replace("duration: 3s", "duration: 20s, speed: 1"))
    out = b.folder / "live.webm"
    with b.start("launch", slow, "--hosts", 1) as run:
        at = f"127.0.0.1:{run.port()}"
        run.wait_for("server listens")
        time.sleep(2)
        r = b.expect(0, "", None, "viewer", "--connect", at, "--movie", out, "--view", "above", "--duration", "2s", "--log-level", "warn", *FAST)
        b.check(r.stdout.strip() == str(out), "the name of the film", r.stdout)
        film = Film(out, (0.02, 1.8))
        b.check((film.width, film.height) == (320, 180) and 1.5 < film.duration < 2.2, f"{film.width} x {film.height}, {film.duration} s")
        b.check(len(film.changed(0, 1)) > 5, "the robot moves in it")
        b.expect(1, None, "nothing was filmed: nobody is not there", "viewer", "--connect", at, "--movie", out, "--view", "follow:nobody", *FAST)
        digest = run.wait_for(r"^digest (\S+)").group(1)
    alone = b.call("run", slow, "--speed", "max").stdout.split()[-1]
    b.check(digest == alone, "the digest is that of a run that nobody filmed", digest, alone)
    b.scenario.write_text(FILMED)
    b.expect(0, "", "", "viewer", "--movie", out, "--recording", recording(b), "--view", "above", *FAST)
    b.check(abs(Film(out).duration - 3) < 0.05, "the whole recording")
    b.expect(0, "", "", "viewer", "--movie", b.folder / "run.mp4", "--recording", recording(b), "--view", "above", *FAST)
    film = Film(b.folder / "run.mp4", (0.02, 2.9))
    b.check(abs(film.duration - 3) < 0.1 and (film.width, film.height) == (320, 180), "an .mp4 has all of it, too", film.duration)
    b.check(len(film.changed(0, 1)) > 5, "and the robot moves in it")
    b.expect(2, None, "multiple of 4 in a row", "viewer", "--movie", b.folder / "a.mp4", "--recording", recording(b), "--size", "321x180")
    b.expect(2, None, "written as .webm, or as .mp4", "viewer", "--movie", b.folder / "a.avi")
    b.expect(2, None, "--view free is for players", "viewer", "--movie", out, "--view", "free")


def direct(b):
    """Where WebRTC does not get through, pictures come by a WebSocket: as the encoder makes them, or as JPEG; and words, too."""
    with streamed(b) as (run, link, open_page):
        for query, by in (("?ice=relay", "websocket"), ("?transport=websocket", "websocket"), ("?transport=jpeg", "jpeg")):
            screen = open_page(link, query).playing()  # a relay that is not there: WebRTC cannot get through
            b.check(screen.page.evaluate("window.convoy_video.by") == by, f"{query}: it comes by {by}", screen.page.evaluate("window.convoy_video.by"))
            looks = [screen.look() for _ in range(6)]
            times = [look["time"] for look in looks if look["time"]]
            b.check(len(times) >= 4 and times[-1] > times[0] and (looks[0]["width"], looks[0]["height"]) == (640, 480), f"{query}: pictures follow each other", times)
            turns_by_mouse(b, screen, query)
            screen.picture("video_" + by)
            if query != "?ice=relay":
                screen.close()
        screen = open_page(link, "?transport=jpeg").playing()
        other = open_page(link).playing()
        b.check(other.page.evaluate("window.convoy_video.by") == "webrtc", "WebRTC is chosen where it gets through")
        b.check(changed(screen.look(), other.look()) < 0.2, "all see the same")
        (viewer,) = processes(run, "viewer")
        os.kill(viewer, signal.SIGKILL)
        screen.until("document.querySelector('[data-testid=video-words]').hidden === false")
        b.check("Waiting" in screen.words() or "Opening" in screen.words() or "Connecting" in screen.words(), "who loses the viewer waits for it", screen.words())


def invited(b):
    """The viewer's own door opens to who was invited, once."""
    with streamed(b) as (_, link, open_page):
        screen = open_page(link, "?transport=jpeg")
        screen.page.evaluate("(() => { const make = window.WebSocket; window.urls = []; window.WebSocket = function (...all) { window.urls.push(all[0]); return new make(...all); }; Object.assign(window.WebSocket, {OPEN: 1, CONNECTING: 0}); })()")
        screen.page.evaluate("window.convoy_video.choose('')")
        screen.until("window.urls.some((url) => url.includes('/jpeg?'))")
        screen.playing()
        url = screen.page.evaluate("window.urls.filter((url) => url.includes('/jpeg?')).at(-1)")
        refused = "(url) => new Promise((done) => { const socket = new WebSocket(url); socket.onopen = () => done('open'); socket.onclose = () => done('closed'); })"
        b.check(screen.page.evaluate(refused, url) == "closed", "an invitation is good once")
        b.check(screen.page.evaluate(refused, url[:-4] + "0000") == "closed", "and what is none is refused")
        b.check(screen.page.evaluate(refused, url.split("?")[0]) == "closed", "as is nothing at all")
        screen.playing()


def reloaded(b):
    """A page that is loaded anew plays again, and so does H.264."""
    with streamed(b, "--codec", "h264") as (run, link, open_page):
        screen = open_page(link).playing()
        b.check(screen.page.evaluate("window.convoy_video.numbers()")["codec"] == "H264", "the codec is H.264")
        screen.page.reload()
        screen.playing()
        b.check(screen.look()["width"] == 640, "a page that is loaded anew plays again")
        screen.close()
        screen = open_page(link, "?transport=websocket").playing()
        b.check(screen.page.evaluate("window.convoy_video.by") == "websocket", "and by a WebSocket, decoded there")
        screen.close()
        run.wait_for(r"pictures a second at most, by \w*264")


# One after the other, who leave so many ms after they have answered the offer; how many got one.
HASTY = """
async (waits) => {
  const one = (wait) => new Promise((done) => {
    const socket = new WebSocket(window.convoy_video.address), tell = (what) => socket.send(JSON.stringify(what));
    let peer = null;
    setTimeout(() => done(false), 5000);
    socket.onmessage = async (event) => {
      const told = JSON.parse(event.data);
      if (told.type === "config") tell({type: "listStreamers"});
      else if (told.type === "streamerList") tell({type: "subscribe", streamerId: told.ids[0]});
      else if (told.type === "iceCandidate") void peer?.addIceCandidate(told.candidate).catch(() => {});
      else if (told.type === "offer") {
        peer = new RTCPeerConnection();
        await peer.setRemoteDescription({type: "offer", sdp: told.sdp});
        await peer.setLocalDescription(await peer.createAnswer());
        tell({type: "answer", sdp: peer.localDescription.sdp});
        setTimeout(() => { peer.close(), socket.close(), done(true); }, wait);
      }
    };
  });
  let count = 0;
  while (count < waits.length && (await one(waits[count]))) ++count;
  return count;
}
"""


def hasty(b):
    """Who leaves as soon as he has come takes nothing from the others."""
    with streamed(b) as (_, link, open_page):
        screen = open_page(link).playing()
        b.check(screen.page.evaluate(HASTY, [i * 7 for i in range(60)]) == 60, "all of them have come and gone")
        screen.page.reload()
        screen.playing()
        b.check(screen.look()["width"] == 640, "and the stream is there")


class Lossy:
    """Hands packets on between one browser and the viewer, and loses a part of the viewer's."""

    PAGE = """
    const add = RTCPeerConnection.prototype.addIceCandidate, send = WebSocket.prototype.send;
    RTCPeerConnection.prototype.addIceCandidate = async function (one) {
      const words = one.candidate.split(" ");
      if (words[2].toLowerCase() !== "udp") return;
      words[5] = String(await window.by_relay(Number(words[5])));
      return add.call(this, {...one, candidate: words.join(" ")});
    };
    WebSocket.prototype.send = function (data) {  // the browser's own: they would be a way beside the relay
      if (typeof data !== "string" || !data.includes('"iceCandidate"')) send.call(this, data);
    };
    """

    def __init__(self):
        self.front, self.back = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
        for one in (self.front, self.back):
            one.bind(("127.0.0.1", 0))
        self.lost, self.browser, self.viewer, self.random = 0.0, None, None, random.Random(1)
        threading.Thread(target=self.run, daemon=True).start()

    def before(self, page):
        page.expose_function("by_relay", self.by_relay)
        page.add_init_script(self.PAGE)

    def by_relay(self, viewer):
        self.viewer = ("127.0.0.1", viewer)
        return self.front.getsockname()[1]

    def run(self):
        while True:
            for one in select.select([self.front, self.back], [], [])[0]:
                data, at = one.recvfrom(65536)
                if one is self.front:
                    self.browser = at
                    if self.viewer:
                        self.back.sendto(data, self.viewer)
                elif self.random.random() >= self.lost:
                    self.front.sendto(data, self.browser)


def lossy(b):
    """Who loses packets gets fewer bits, and plays on; and all of them again when none are lost any more."""
    with streamed(b, "--bitrate", "2000") as (run, link, open_page):
        relay = Lossy()
        screen = open_page(link, "?transport=webrtc", before=relay.before).playing()
        b.check(relay.browser is not None, "it comes by the relay")
        relay.lost = 0.25
        less = run.wait_for(r"free: players lose packets: (\d+) kbit/s from now on")
        b.check(int(less.group(1)) <= 1000, "half of the bits at most", less.group(0))
        b.check(screen.page.evaluate("window.convoy_video.playing"), "it plays on meanwhile")
        relay.lost = 0
        run.wait_for(r"free: 2000 kbit/s again")
        times = [screen.look()["time"] for _ in range(5)]
        b.check(max(times) > 0, "and can be read again", times)


def processes(run, command):
    return [pid for pid, argv in run.family().items() if len(argv) > 1 and argv[1] == command]


def browsers():
    """All processes of the browsers that this one has started."""
    parents = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
    mine, found = {os.getpid()}, set()
    while mine:
        mine = {pid for pid, parent in parents.items() if parent in mine}
        found |= mine
    return [pid for pid in found if "chromium" in (pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode(errors="replace"))]


def stalled(b):
    """Browsers that stand still cost the viewer no memory and the run no time, in both modes and both ways; then they play on."""
    for mode in ("lockstep", "free"):
        with streamed(b, "--mode", mode) as (run, link, open_page):
            at = f"127.0.0.1:{run.port()}"

            def simulated(at=at):
                return json.loads(b.call("ctl", "--connect", at, "--json", "status").stdout)["data"]["sim_s"]

            screens = [open_page(link, query).playing() for query in ("?transport=webrtc", "?transport=jpeg", "?transport=websocket")]
            (viewer,) = processes(run, "viewer")
            time.sleep(1)
            memory, begun, simulated_at = resident(viewer), time.monotonic(), simulated()
            still = browsers()
            for pid in still:
                os.kill(pid, signal.SIGSTOP)
            try:
                time.sleep(STALL_S)
                passed, went = time.monotonic() - begun, simulated() - simulated_at
                b.check(went > 0.8 * passed, f"{mode}: the run goes on", went, passed)
                b.check(resident(viewer) < memory + 20e6, f"{mode}: memory", memory, resident(viewer))
                print(f"    {mode}: {STALL_S:.0f} s, memory {memory / 1e6:.1f} MB, then {resident(viewer) / 1e6:.1f} MB; {went:.1f} s simulated in {passed:.1f}")
            finally:
                for pid in still:
                    os.kill(pid, signal.SIGCONT)
            for screen in screens:
                screen.playing()
                times = [screen.look()["time"] for _ in range(4)]
                b.check(max(times) > 0, "and they play on", times)


def undrawn(b):
    """A browser that draws nothing itself is sent from the page of the run to that of its video."""
    blind = """const get = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (kind, ...all) { return kind === "webgl2" ? null : get.call(this, kind, ...all); };"""
    with streamed(b, "--web", "--web-listen", "127.0.0.1:0") as (run, video, open_page):
        screen = open_page(run.wait_for(r"page for edit: (\S+)").group(1), before=lambda page: page.add_init_script(blind))
        screen.page.wait_for_url(lambda url: url.startswith(video.split("#")[0]))
        b.check(screen.playing().look()["width"] == 640, "it shows the video")


def adapts(b):
    """Nice pictures that this machine does not draw in time become plain ones, which the viewer says."""
    with streamed(b, "--quality", "auto") as (run, link, open_page):
        said = run.wait_for(r"an empty nice picture takes ([\d.]+) ms of the 33 that there are: (\w+) ones are drawn")
        b.check((said.group(2) == "nice") == (4 * float(said.group(1)) < 1000 / 30), "which it begins with is by what they take", said.group(0))
        open_page(link).playing()


def words(b):
    """What cannot be streamed is said at once."""
    b.expect(2, None, "--size is WIDTHxHEIGHT", "viewer", "--size", "wide")
    b.expect(2, None, "16 to 4096 pixels", "viewer", "--size", "5000x16")
    b.expect(2, None, "a view is free, orbit, above", "viewer", "--view", "sideways")
    b.expect(2, None, "is no ws://", "viewer", "--signaling", "http://127.0.0.1:1/", "--connect", "127.0.0.1:1")
    b.expect(2, None, "--turn.*requires.*--turn-secret|--turn-secret", "signaling", "--turn", "example.org:3478")
    for stop in (signal.SIGINT, signal.SIGTERM):  # which the threads of encoder and renderer must not take
        with b.start("viewer", "--connect", "127.0.0.1:1", "--signaling", "ws://127.0.0.1:1/streamer", "--size", "64x64") as lonely:
            lonely.wait_for("trying again")
            os.kill(lonely.popen.pid, stop)
            b.check(lonely.wait(10) == 130, "a viewer that is interrupted ends", lonely.popen.returncode)
    b.expect(2, None, "not encrypted", "signaling", "--listen", "0.0.0.0:0")


PARTS = {f.__name__: f for f in (plays, mouse, direct, invited, reloaded, hasty, lossy, drives, absent, several, returns, relayed, encrypted, filmed, stalled, undrawn,
                                   adapts, words)}

if __name__ == "__main__":
    with new_bench(sys.argv[1]) as bench:
        bench.run(PARTS, sys.argv[2:])
    sys.exit(bench.result())
