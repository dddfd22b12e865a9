"""Video of a run: the viewer's CPU, the pictures a second that a browser shows, and how old they are when it does.

    .env/browser/bin/python bench/viewer.py --convoy build/convoy [--seconds 10] [--only small,crowd,four] [--quality plain]

small: 20 robots at 640x480, beside the viewer's CPU while nobody looks; crowd: 1,000 robots at 1280x720; four: four
viewers' CPU by one's. fps: pictures a second that the browser gets and decodes; presented: those that it shows and this
script sees, without a graphics card fewer. Latency is from when the picture's state was taken (a clock in its corner) to when the browser
presents it, both by this machine's clock. Browser, run and viewer share the machine's cores.
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from children import cpu_of
from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCENARIO = """
convoy: 1
name: bench_viewer
seed: 1
time: {{mode: lockstep, tick: 20ms, duration: 600s}}
world: {{ground: {{size: [{side}, {side}]}}}}
robots:
  - {{name: walk, model: turtlebot3_burger, count: {count}, driver: random_walk}}
"""
FLAGS = ["--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist", "--no-sandbox", "--autoplay-policy=no-user-gesture-required"]
# Ages (ms) of the pictures that are presented meanwhile.
AGES = """
(seconds) => new Promise((done) => {
  const video = document.querySelector("video"), canvas = document.createElement("canvas"), ages = [], end = performance.now() + 1000 * seconds;
  canvas.width = 640, canvas.height = 32;
  const context = canvas.getContext("2d", {willReadFrequently: true});
  const take = (_, frame) => {
    const now = performance.timeOrigin + frame.presentationTime;
    context.drawImage(video, 0, 0, 640, 32, 0, 0, 640, 32);
    const rgba = context.getImageData(0, 0, 640, 32).data;
    const bits = Array.from({length: 48}, (_, i) => rgba[4 * (640 * (16 * Math.floor(i / 40) + 8) + 16 * (i % 40) + 8)] > 128 ? 1 : 0);
    const byte = (k) => bits.slice(8 * k, 8 * k + 8).reduce((all, bit, i) => all + bit * 2 ** i, 0);
    const bytes = [0, 1, 2, 3, 4].map(byte);
    if ((bytes.reduce((a, b) => a + b, 0) & 255) === byte(5)) ages.push(now % 2 ** 40 - bytes.reduce((all, b, i) => all + b * 256 ** i, 0));
    if (performance.now() < end) video.requestVideoFrameCallback(take);
    else done(ages);
  };
  video.requestVideoFrameCallback(take);
})
"""


@contextlib.contextmanager
def streamed(convoy, folder, count, side, *options):
    """A run's viewer: its process id and the link to its video."""
    scenario = folder / "viewer.yaml"
    scenario.write_text(SCENARIO.format(count=count, side=side))
    out = open(folder / "launch.log", "w", encoding="utf-8")  # as long as the child
    run = subprocess.Popen([convoy, "launch", scenario, "--hosts", "1", "--viewer", "--viewer-listen", "127.0.0.1:0", "--stamp", *options],
                           stdout=out, stderr=out, start_new_session=True)
    try:
        for _ in range(600):
            found = re.search(r"video: (\S+)", (folder / "launch.log").read_text())
            if found:
                break
            time.sleep(0.1)
        else:
            sys.exit("failed: no video:\n" + (folder / "launch.log").read_text())
        pids = []
        while not pids:
            pids = [int(p.name) for p in pathlib.Path("/proc").iterdir() if p.name.isdigit() and is_viewer(p, run.pid)]
        yield pids[0], found.group(1)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.pid, 2)
        run.wait(30)


def is_viewer(process, session):
    try:
        words = (process / "cmdline").read_text().split("\0")
        return len(words) > 1 and words[1] == "viewer" and int((process / "stat").read_text().rpartition(")")[2].split()[3]) == session
    except (OSError, ValueError):
        return False


def playing(browser, link):
    page = browser.new_page(viewport={"width": 1300, "height": 800})
    page.goto(link)
    while not page.evaluate("window.convoy_video?.playing === true"):
        time.sleep(0.1)
    return page


def share(pid, seconds):
    """Of a core, over that time."""
    begun, used = time.monotonic(), cpu_of(pid)
    time.sleep(seconds)
    return (cpu_of(pid) - used) / (time.monotonic() - begun)


def measured(page, pid, seconds):
    begun, used = time.monotonic(), cpu_of(pid)
    page.evaluate("window.convoy_video.numbers()")  # since its last call
    ages = sorted(page.evaluate(AGES, seconds))
    decoded = page.evaluate("window.convoy_video.numbers()")["fps"]
    passed = time.monotonic() - begun
    return {"fps": round(decoded, 1), "presented": round(len(ages) / passed, 1), "p50_ms": round(ages[len(ages) // 2], 1), "p95_ms": round(ages[int(0.95 * len(ages))], 1),
            "core": round((cpu_of(pid) - used) / passed, 3)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--convoy", default=str(ROOT / "build/convoy"))
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--only", default="small,crowd,four")
    parser.add_argument("--quality", default="plain")
    arguments = parser.parse_args()
    wanted = arguments.only.split(",")
    rows = {}
    with tempfile.TemporaryDirectory() as name, sync_playwright() as p:
        folder, quality = pathlib.Path(name), ("--quality", arguments.quality)
        browser = p.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        if "small" in wanted or "four" in wanted:
            with streamed(arguments.convoy, folder, 20, 12, "--size", "640x480", *quality) as (pid, link):
                time.sleep(2)
                idle = share(pid, 3)
                page = playing(browser, link)
                time.sleep(2)
                rows["small"] = {**measured(page, pid, arguments.seconds), "core_unseen": round(idle, 3)}
                if "four" in wanted:
                    one = share(pid, arguments.seconds / 2)
                    others = [playing(browser, link) for _ in range(3)]
                    time.sleep(2)
                    four = share(pid, arguments.seconds / 2)
                    rows["four"] = {"core_of_one": round(one, 3), "core_of_four": round(four, 3), "ratio": round(four / one, 2)}
                    for other in others:
                        other.close()
                page.close()
        if "crowd" in wanted:
            with streamed(arguments.convoy, folder, 1000, 80, "--size", "1280x720", "--view", "orbit", *quality) as (pid, link):
                page = playing(browser, link)
                time.sleep(2)
                rows["crowd"] = measured(page, pid, arguments.seconds)
        browser.close()
    print(json.dumps({"load": os.getloadavg()[0], **rows}, indent=1))


if __name__ == "__main__":
    main()
