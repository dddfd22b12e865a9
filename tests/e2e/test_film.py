"""Films of recordings, as a browser plays them: how long they are, what moves in them, and what cannot be one.

    .env/browser/bin/python tests/e2e/test_film.py CONVOY [PART...]
"""
import base64
import json
import os
import pathlib
import shutil
import signal
import sys
import time

from harness import new_bench
from playwright.sync_api import sync_playwright

# One robot drives to the right along y = 0, another stands and looks at it.
SCENARIO = """
convoy: 1
name: film
seed: 3
time: {mode: lockstep, tick: 10ms, duration: 3s}
world: {ground: {size: [8, 6], walls: {thickness: 0.1, height: 0.4}}}
models: [{name: fast, like: turtlebot3_burger, max_speed: 1}]
robots:
  - {name: mover, model: fast, placement: {poses: [[-2, 0, 0]]}, driver: {kind: waypoints, waypoints: [[3, 0]]}}
  - name: eye
    model: turtlebot3_waffle
    placement: {poses: [[0, -2, 1.5707963]]}
    sensors:
      - {type: camera, name: front, at: [0.1, 0, 0.2], width: 160, height: 120, field: 0.9}
      - {type: imu, name: gyro}
"""
SMALL = ("--size", "320x180")
FAST = (*SMALL, "--quality", "plain")

# A picture of the film at a time, as brightness of its pixels; and what the browser knows of the film.
PLAYER = """
async ([film, times, type]) => {
  const video = document.createElement("video"), canvas = document.createElement("canvas");
  video.muted = true;
  const until = (event) => new Promise((done, failed) => {
    video.addEventListener(event, done, {once: true});
    video.addEventListener("error", () => failed(new Error(video.error.message)), {once: true});
  });
  const loaded = until("loadeddata");
  video.src = URL.createObjectURL(new Blob([Uint8Array.from(atob(film), (c) => c.charCodeAt(0))], {type}));
  await loaded;
  canvas.width = video.videoWidth, canvas.height = video.videoHeight;
  const pictures = [];
  for (const time of times) {
    const there = until("seeked");
    video.currentTime = time;
    await there;
    const context = canvas.getContext("2d");
    context.drawImage(video, 0, 0);
    const rgba = context.getImageData(0, 0, canvas.width, canvas.height).data;
    pictures.push(Array.from({length: rgba.length / 4}, (_, i) => rgba[4 * i] + rgba[4 * i + 1] + rgba[4 * i + 2]));
  }
  return {duration: video.duration, width: video.videoWidth, height: video.videoHeight, pictures};
}
"""


class Film:
    """A film as a browser plays it."""

    def __init__(self, path, times=()):
        with sync_playwright() as p:
            browser = p.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            try:
                page = browser.new_page()
                found = page.evaluate(PLAYER, [base64.b64encode(path.read_bytes()).decode(), list(times), f"video/{path.suffix[1:]}"])
            finally:
                browser.close()
        self.duration, self.width, self.height, self.pictures = (found[key] for key in ("duration", "width", "height", "pictures"))

    def changed(self, a, b, by=60):
        """Places of pixels that differ between two of its pictures."""
        return [(i % self.width, i // self.width) for i, (p, q) in enumerate(zip(self.pictures[a], self.pictures[b])) if abs(p - q) > by]


def recording(b):
    path = b.folder / "run.mcap"
    if not path.exists():
        b.expect(0, "", "", "run", b.scenario, "--speed", "max", "--record", path)
    return path


def plays(b):
    """A browser plays it: as long as the run, and from above what moves is the robot, along its way."""
    out = b.folder / "above.webm"
    r = b.expect(0, "", "", "plot", recording(b), "--movie", out, "--view", "above", *SMALL)
    b.check(r.stdout.strip() == str(out), "the name of the film", r.stdout)
    film = Film(out, (0.02, 2.9))
    b.check((film.width, film.height) == (320, 180), f"{film.width} x {film.height}")
    b.check(abs(film.duration - 3) < 0.05, f"{film.duration} s")
    changed = film.changed(0, 1)
    b.check(len(changed) > 10, f"{len(changed)} pixels change")
    b.check(all(70 < y < 110 for _, y in changed), "something moves off the robot's way", changed[:20])
    b.check(min(x for x, _ in changed) < 130 and max(x for x, _ in changed) > 160, "the robot drives to the right", changed[:20])


def bytes_again(b):
    """The same recording and options make the same bytes."""
    films = [b.folder / f"{name}.webm" for name in ("one", "two")]
    for film in films:
        b.expect(0, "", "", "plot", recording(b), "--movie", film, "--to", 1, *FAST)
    b.check(films[0].read_bytes() == films[1].read_bytes(), "two films of one recording differ")


def views(b):
    """Behind the robot the ground goes by; through the other's camera it passes, in a picture of the camera's shape."""
    out = b.folder / "follow.webm"
    b.expect(0, "", "", "plot", recording(b), "--movie", out, "--view", "follow:mover", *FAST)
    b.check(len(Film(out, (0.02, 2)).changed(0, 1)) > 100, "what follows the robot stands still")
    b.expect(0, "", "", "plot", recording(b), "--movie", out, "--view", "eye/front", *FAST)
    film = Film(out, (0.02, 1.6))
    changed = film.changed(0, 1)
    b.check(len(changed) > 20, f"{len(changed)} pixels of the camera change")
    # 160 x 120 becomes 240 x 180, between two black stripes.
    b.check(all(40 <= x < 280 for x, _ in changed), "the camera's picture is wider than it", changed[:20])
    b.check(film.pictures[0][90 * 320 + 20] < 20 and film.pictures[0][90 * 320 + 60] > 60, "stripes beside the camera's picture")


def times(b):
    """A part of it, faster, with so many pictures a second."""
    out = b.folder / "part.webm"
    r = b.expect(0, "", "", "plot", recording(b), "--movie", out, "--from", 1, "--to", 2, "--speed", 2, "--fps", 20, "--json", *FAST)
    found = json.loads(r.stdout)["film"]
    b.check(found == {"file": str(out), "width": 320, "height": 180, "pictures": 10, "s": 0.5, "whole": True}, "what it says of the film", found)
    b.check(abs(Film(out).duration - 0.5) < 0.05, "half a second")


def poses(b):
    """A recording of poses alone, and one that was cut, are films as far as they go."""
    path, out = b.folder / "poses.mcap", b.folder / "poses.webm"
    b.expect(0, "", "", "run", b.scenario, "--speed", "max", "--record", path, "--record-detail", "poses@10Hz")
    b.expect(0, "", "", "plot", path, "--movie", out, *FAST)
    b.check(abs(Film(out).duration - 3) < 0.05, "all of it")
    # Long enough for its boundaries to be more than what stands in front of them.
    long, cut = b.folder / "whole.mcap", b.folder / "cut.mcap"
    b.expect(0, "", "", "run", b.scenario, "--speed", "max", "--duration", "30s", "--record", long)
    cut.write_bytes(long.read_bytes()[:long.stat().st_size // 2])
    b.expect(0, "", "cut: whole up to byte .*; its complete part ends at", "plot", cut, "--movie", out, "--fps", 5, *FAST)
    b.check(0.5 < Film(out).duration < 29, "a part of it")


def interrupted(b):
    """A film that is interrupted is a shorter film."""
    out = b.folder / "long.webm"
    with b.start("plot", recording(b), "--movie", out, "--speed", 0.01, "--size", "640x360") as p:
        end = time.monotonic() + b.patience
        while not (out.exists() and out.stat().st_size > 0) and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.5)
        os.kill(p.popen.pid, signal.SIGINT)
        b.check(p.wait() == 130, f"exit {p.popen.returncode}", p.text())
        said = p.wait_for(r"interrupted: .*long\.webm has (\d+) of 9000 pictures")
    b.check(abs(Film(out).duration - int(said[1]) / 30) < 0.05, "as long as its pictures", said[0])


def refused(b):
    """What cannot be a film is one line."""
    run, out = recording(b), b.folder / "no.webm"
    for says, *words in ((r"a film is written as \.webm, or as \.mp4", "--movie", b.folder / "no.avi"),
                         ("no/where.webm", "--movie", b.folder / "no/where.webm"),
                         ("is no regular file", "--movie", b.folder / "null.webm"),
                         ("has no robot 'movr'; did you mean 'mover'", "--movie", out, "--view", "follow:movr"),
                         ("no sensor 'fron'; did you mean 'front'", "--movie", out, "--view", "eye/fron"),
                         ("'gyro' of 'eye' is no camera: it is of type 'imu'", "--movie", out, "--view", "eye/gyro"),
                         ("--view is above, orbit, follow:ROBOT or ROBOT/CAMERA", "--movie", out, "--view", "abov"),
                         ("--size is WIDTHxHEIGHT", "--movie", out, "--size", "720p"),
                         ("sides are 16 to 8192 pixels", "--movie", out, "--size", "8x8"),
                         ("--speed is a number", "--movie", out, "--speed", "0"),
                         ("--fps", "--movie", out, "--fps", "0"),
                         ("--quality", "--movie", out, "--quality", "best"),
                         ("--from 5: the recording ends at 3 s", "--movie", out, "--from", "5"),
                         ("--from 2 --to 1 leaves nothing to show", "--movie", out, "--from", "2", "--to", "1"),
                         ("--movie", "--view", "above"),
                         ("--movie", "--movie", out, "--csv", b.folder / "no.csv")):
        if "null.webm" in str(words[1]) and not os.path.lexists(words[1]):
            os.symlink("/dev/null", words[1])
        r = b.expect(2, None, says, "plot", run, *words)
        b.check(len(r.stderr.strip().splitlines()) == 1, f"{words}: one line", r.stderr)
    b.check(not out.exists(), "a film that was refused")
    b.expect(2, None, "not a recording of convoy", "plot", b.scenario, "--movie", out)
    short = b.folder / "short.mcap"
    short.write_bytes(run.read_bytes()[:300])
    b.expect(2, None, "ends before its setup", "plot", short, "--movie", out)
    # A machine that cannot draw makes none, and leaves what was there.
    out.write_text("old")
    nowhere = {"__EGL_VENDOR_LIBRARY_DIRS": str(b.folder), "__EGL_VENDOR_LIBRARY_FILENAMES": str(b.folder / "none.json")}
    b.expect(1, None, "libegl1", "plot", run, "--movie", out, env=nowhere)
    b.check(out.read_text() == "old", "a film that could not be drawn took the place of another")


def main():
    parts = {"plays": plays, "bytes": bytes_again, "views": views, "times": times, "poses": poses, "interrupted": interrupted, "refused": refused}
    with new_bench(pathlib.Path(sys.argv[1]), SCENARIO) as b:
        b.run(parts, sys.argv[2:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
