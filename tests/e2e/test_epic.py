"""Epic's own Pixel Streaming libraries with our streams: the published front end plays one in a browser and acts in it, and the
published common library is a streamer and a player of its own. Both are fetched by `npm ci` into a folder beside CONVOY, once.

    .env/browser/bin/python tests/e2e/test_epic.py CONVOY [PART...]
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time

import npm
from harness import new_bench
from stream_screen import LOOK, changed
from test_stream import SCENARIO, VIDEO, browsing

HERE = pathlib.Path(__file__).resolve().parent.parent / "epic"
FILES = ("package.json", "package-lock.json", "index.html", "main.js", "peer.mjs")


def installed(convoy):
    """A folder with Epic's packages and, in dist, a page with the front end."""
    folder = pathlib.Path(convoy).resolve().parent / "epic"
    folder.mkdir(exist_ok=True)
    text = "".join((HERE / file).read_text() for file in FILES)
    for file in FILES:
        shutil.copy(HERE / file, folder)
    done = folder / "installed"
    if not done.exists() or done.read_text() != text:
        npm.install(folder)
        subprocess.run([npm.node(), "node_modules/vite/bin/vite.js", "build", "--base", "./", "--logLevel", "warn"], cwd=folder, check=True, timeout=200, env=npm.environment())
        done.write_text(text)
    return folder


def frontend(b):
    """The front end finds our stream, plays it, gets its settings and latency, and what the person does reaches the view."""
    b.scenario.write_text(SCENARIO)
    page = installed(b.convoy) / "dist"
    with b.start("launch", b.scenario, "--hosts", 1, *VIDEO, "--page", page) as run, browsing(b) as open_page:
        link = run.wait_for(r"video: (\S+)").group(1)
        root, token = link.split("/#token=")
        screen = open_page(f"{root}/index.html?token={token}")
        screen.until("['webRtcConnected', 'dataChannelOpen', 'videoInitialized', 'initialSettings'].every((name) => name in window.heard)")
        screen.until("document.querySelector('video').videoWidth === 640")
        first = screen.page.evaluate(LOOK)
        time.sleep(1)
        times = [screen.page.evaluate(LOOK)["time"] for _ in range(6)]
        b.check(times[-1] > max(times[0], first["time"]) > 0, "it plays on", times)
        screen.page.evaluate("window.stream.requestLatencyTest()")
        screen.until("'latencyTestResult' in window.heard")
        screen.page.mouse.move(320, 300)
        screen.page.mouse.down()
        screen.page.mouse.move(170, 300, steps=8)
        screen.page.mouse.up()
        time.sleep(0.5)
        b.check(changed(first, screen.page.evaluate(LOOK)) > 0.02, "its mouse turns our view")
        screen.page.evaluate("window.stream.emitUIInteraction({drive: 'walk_0'})")
        screen.until("window.answers.some((one) => one.event?.text.includes('only look'))")
        screen.picture("epic")
        heard = screen.page.evaluate("window.heard")
        b.check("webRtcFailed" not in heard and "subscribeFailed" not in heard, "and nothing fails", heard)
        b.check("4000000" in json.dumps(heard["initialSettings"]), "it has our settings", heard["initialSettings"])


def third(b):
    """The common library takes each message of ours for one of the protocol, as a streamer and as a player."""
    folder = installed(b.convoy)
    with b.start("signaling", "--listen", "127.0.0.1:0", "--player-token", "p1", "--streamer-token", "5ecret", "--page", folder / "dist") as server:
        port = re.search(r":(\d+)/", server.wait_for(r"video: (\S+)").group(1)).group(1)
        got = subprocess.run([npm.node(), "peer.mjs", f"ws://127.0.0.1:{port}", "5ecret", "p1"], cwd=folder, capture_output=True, text=True,
                             timeout=b.patience, check=False)
        b.check(got.returncode == 0, "the peer", got.stderr)
        said = json.loads(got.stdout)
        b.check(said["wrong"] == [], "all messages are of the protocol", said["wrong"])
        for kind in ("config", "identify", "endpointIdConfirm", "playerConnected", "answer"):
            b.check(kind in said["streamer"], f"the streamer gets {kind}", said)
        for kind in ("config", "streamerList", "subscribeFailed", "offer"):
            b.check(kind in said["player"], f"the player gets {kind}", said)
        b.check(said.get("reason") == "enough", "and is sent away with the streamer's reason", said)


PARTS = {f.__name__: f for f in (frontend, third)}

if __name__ == "__main__":
    with new_bench(sys.argv[1]) as bench:
        bench.run(PARTS, sys.argv[2:])
    sys.exit(bench.result())
