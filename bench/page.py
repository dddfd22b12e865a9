"""The page server beside the run that it shows: tick times with ten pages open and with none, its CPU a page, and how soon a
page can be used.

    .env/python/bin/python bench/page.py --convoy build/convoy [--rounds 5]     tick times and CPU
    .env/browser/bin/python bench/page.py --convoy build/convoy --browser      time until a page can be used
    .env/python/bin/python bench/page.py --convoy build/convoy --crowd         10,000 robots: the same, and bytes a page
    .env/browser/bin/python bench/page.py --convoy build/convoy --crowd --browser     and what a browser makes of them

Pages of the first are programs that take what comes and say that it is drawn; on two cores they, the page server and
the run share them.
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from children import cpu_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = 10
SECONDS = 20  # in which CPU is counted
CROWD = """
convoy: 1
name: crowd
time: {mode: lockstep, tick: 50ms, duration: 600s}
world: {ground: {size: [250, 250]}}
robots:
  - {name: walk, model: turtlebot3_burger, count: 10000, driver: random_walk}
"""
FLAGS = ["--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist", "--no-sandbox"]
PAGE_CLIENT = """
import asyncio, json, struct, sys, time
import websockets.asyncio.client

async def page(root, session):
    begun, took, told = time.monotonic(), 0, 0
    async with websockets.asyncio.client.connect(root.replace("http", "ws", 1) + "/stream", subprotocols=["convoy.web.v1"],
                                                 origin=root, max_size=None, proxy=None, compression=None) as socket:
        await socket.send(json.dumps({"hello": {"session": session}}))
        await socket.send(json.dumps({"look": {"eye": [0, 0, 10], "ahead": [1, 0, -0.3], "angle": 0.9}}))
        async for data in socket:
            if isinstance(data, bytes):
                await socket.send('{"ack": %d}' % struct.unpack_from("<I", data, 4))
                took, told = took + len(data), told + 1
                if time.monotonic() - begun > 5:  # the first ones are whole
                    print(took / (time.monotonic() - begun), told / (time.monotonic() - begun), flush=True)
                    begun, took, told = time.monotonic(), 0, 0

async def main(root, sessions):
    await asyncio.gather(*(page(root, session) for session in sessions), return_exceptions=True)

asyncio.run(main(sys.argv[1], sys.argv[2:]))
"""


def session_of(link):
    root, token = link.split("/#token=")
    body = json.dumps({"token": token}).encode()
    with urllib.request.urlopen(urllib.request.Request(root + "/session", body), timeout=20) as answer:
        return root, json.loads(answer.read())["session"]


class Run:
    """launch, with its page's link."""

    def __init__(self, convoy, *arguments, web=True):
        page = ["--web", "--web-listen", "127.0.0.1:0"] if web else []
        self.process = subprocess.Popen([convoy, "launch", *map(str, arguments), *page], cwd=ROOT, text=True,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.link, self.seen = None, threading.Event()
        threading.Thread(target=self.read, daemon=True).start()
        if web:
            assert self.seen.wait(120), "no link"

    def read(self):
        for line in self.process.stderr:
            found = re.search(r"page for edit: (\S+)", line)
            if found:
                self.link = found.group(1)
                self.seen.set()

    def page_server(self):
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            with contextlib.suppress(OSError):
                argv = pathlib.Path(f"/proc/{pid}/cmdline").read_text().split("\0")
                parent = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
                if parent == self.process.pid and argv[1] == "web":
                    return pid
        raise RuntimeError("no page server")

    @contextlib.contextmanager
    def pages(self, count):
        if count == 0:
            yield []
            return
        sessions = [session_of(self.link) for _ in range(count)]
        clients = subprocess.Popen([sys.executable, "-c", PAGE_CLIENT, sessions[0][0], *(s for _, s in sessions)], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        rates = []  # bytes and frames a second of a page, each 5 s
        threading.Thread(target=lambda: rates.extend(tuple(map(float, line.split())) for line in clients.stdout), daemon=True).start()
        try:
            time.sleep(2)
            yield rates
        finally:
            clients.terminate()
            clients.wait()

    def end(self):
        self.process.terminate()
        self.process.wait()


def tick_times(convoy, rounds, folder, scenario, duration, most):
    """Simulated as fast as it goes: without a page server, with one and no page, and with so many pages."""
    report = pathlib.Path(folder) / "report.json"
    took = {"no page server": [], "no page": [], f"{most} pages": []}
    for _ in range(rounds):
        for name, times in took.items():
            run = Run(convoy, scenario, "--hosts", 1, "--speed", "max", "--duration", duration, "--report", report,
                      web=name != "no page server")
            with run.pages(most if "pages" in name else 0):
                run.process.wait()
            times.append(json.loads(report.read_text())["tick_ms"]["p50"])
    base = statistics.median(took["no page server"])
    for name, times in took.items():
        print(f"tick, p50, {name}: {statistics.median(times):.4f} ms ({min(times):.4f} to {max(times):.4f}), "
              f"{statistics.median(times) / base:.3f} x no page server", flush=True)


def page_cpu(convoy, scenario, robots, counts, settle=0):
    """In real time: what the page server takes of a processor, what a page adds, and what it is sent."""
    run = Run(convoy, scenario, "--hosts", 1, "--speed", "1", "--duration", "600s")
    try:
        pid = run.page_server()
        time.sleep(settle)
        base = 0.0
        for count in counts:
            with run.pages(count) as rates:
                before, begun = cpu_of(pid), time.monotonic()
                time.sleep(SECONDS)
                share = (cpu_of(pid) - before) / (time.monotonic() - begun)
            base = share if count == 0 else base
            print(f"CPU of convoy web, {robots} robots, {count} pages: {100 * share:.2f} % of a processor"
                  + (f", {100 * (share - base) / count:.2f} % a page" if count else ""), flush=True)
            if settled := rates[count:]:
                print(f"    to a page {statistics.mean(r[0] for r in settled) / 1e6:.2f} MB and "
                      f"{statistics.mean(r[1] for r in settled):.1f} frames a second", flush=True)
    finally:
        run.end()


def until_usable(convoy, rounds):
    """From the address to the first picture with everything in it, in a browser that is new each time."""
    import playwright.sync_api
    run = Run(convoy, "scenarios/warehouse.yaml", "--hosts", 1, "--speed", "1", "--duration", "600s")
    took, bare = [], []
    try:
        with playwright.sync_api.sync_playwright() as p:
            for _ in range(rounds):
                for link, times in ("data:text/html,<title>x</title>", bare), (run.link, took):
                    browser, _, seconds = opened(p, link, link == run.link)
                    times.append(seconds)
                    browser.close()
    finally:
        run.end()
    print(f"from the address to the first picture of 200 robots: {statistics.median(took):.2f} s ({min(took):.2f} to "
          f"{max(took):.2f}); an empty page: {statistics.median(bare):.2f} s")


def opened(p, link, waits=True):
    """A new browser with that page, and how long it took."""
    browser = p.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    begun = time.monotonic()
    page.goto(link)
    while waits and not page.evaluate("!!window.convoy && window.convoy.stats().drawn > 0"):
        time.sleep(0.01)
    return browser, page, time.monotonic() - begun


VIEWS = {  # where the camera is, and what it looks at, m
    "all of them": None,
    "over a corner": ([-120, -120, 25], [-60, -60, 0]),
    "among them": ([-20, 0, 1.5], [0, 0, 0.3]),
}


def in_browser(convoy, rounds, scenario):
    """How soon the page is there, and pictures a second with three views."""
    import playwright.sync_api
    run = Run(convoy, scenario, "--hosts", 1, "--speed", "1", "--duration", "600s")
    took = []
    try:
        with playwright.sync_api.sync_playwright() as p:
            time.sleep(5)
            pid = run.page_server()
            for _ in range(rounds):
                browser, page, seconds = opened(p, run.link)
                took.append(seconds)
                if len(took) < rounds:
                    browser.close()
            print(f"from the address to the first picture: {statistics.median(took):.2f} s ({min(took):.2f} to {max(took):.2f})", flush=True)
            for name, where in VIEWS.items():
                if where:
                    page.evaluate("([eye, at]) => window.convoy.lookFrom(eye, at)", where)
                time.sleep(10)  # details and pixels are fitted to what the machine can do
                first, before, begun = page.evaluate("window.convoy.stats()"), cpu_of(pid), time.monotonic()
                time.sleep(SECONDS)
                last, passed = page.evaluate("window.convoy.stats()"), time.monotonic() - begun
                print(f"{name}: {(last['pictures'] - first['pictures']) / passed:.1f} pictures and "
                      f"{(last['frames'] - first['frames']) / passed:.1f} frames a second, {(last['bytes'] - first['bytes']) / passed / 1e6:.2f} MB/s, "
                      f"{last['triangles']} triangles, {last['points']} points; convoy web {100 * (cpu_of(pid) - before) / passed:.1f} %", flush=True)
            browser.close()
    finally:
        run.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--convoy", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--browser", action="store_true")
    parser.add_argument("--crowd", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        crowd = pathlib.Path(folder) / "crowd.yaml"
        crowd.write_text(CROWD)
        if arguments.crowd and arguments.browser:
            in_browser(arguments.convoy, arguments.rounds, crowd)
        elif arguments.browser:
            until_usable(arguments.convoy, arguments.rounds)
        elif arguments.crowd:
            tick_times(arguments.convoy, arguments.rounds, folder, crowd, "10s", 1)
            page_cpu(arguments.convoy, crowd, 10_000, (0, 1, 3), settle=10)
        else:
            tick_times(arguments.convoy, arguments.rounds, folder, "scenarios/warehouse.yaml", "150s", PAGES)
            page_cpu(arguments.convoy, "scenarios/warehouse.yaml", 200, (0, 1, PAGES))


if __name__ == "__main__":
    main()
