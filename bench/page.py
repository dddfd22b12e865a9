"""The page server beside the run that it shows: tick times with ten pages open and with none, its CPU a page, and how soon a
page can be used.

    .env/python/bin/python bench/page.py --convoy build/convoy [--rounds 5]     tick times and CPU
    .env/browser/bin/python bench/page.py --convoy build/convoy --browser      time until a page can be used

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
PAGE_CLIENT = """
import asyncio, json, struct, sys
import websockets.asyncio.client

async def page(root, session):
    async with websockets.asyncio.client.connect(root.replace("http", "ws", 1) + "/stream", subprotocols=["convoy.web.v1"],
                                                 origin=root, max_size=None, proxy=None, compression=None) as socket:
        await socket.send(json.dumps({"hello": {"session": session}}))
        async for data in socket:
            if isinstance(data, bytes):
                await socket.send('{"ack": %d}' % struct.unpack_from("<I", data, 4))

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
            assert self.seen.wait(30), "no link"

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
            yield
            return
        sessions = [session_of(self.link) for _ in range(count)]
        clients = subprocess.Popen([sys.executable, "-c", PAGE_CLIENT, sessions[0][0], *(s for _, s in sessions)],
                                   stderr=subprocess.DEVNULL)
        try:
            time.sleep(2)
            yield
        finally:
            clients.terminate()
            clients.wait()

    def end(self):
        self.process.terminate()
        self.process.wait()


def tick_times(convoy, rounds, folder):
    """Simulated as fast as it goes: without a page server, with one and no page, and with ten pages."""
    report = pathlib.Path(folder) / "report.json"
    took = {"no page server": [], "no page": [], f"{PAGES} pages": []}
    for _ in range(rounds):
        for name, times in took.items():
            run = Run(convoy, "scenarios/warehouse.yaml", "--hosts", 1, "--speed", "max", "--duration", "150s", "--report", report,
                      web=name != "no page server")
            with run.pages(PAGES if "pages" in name else 0):
                run.process.wait()
            times.append(json.loads(report.read_text())["tick_ms"]["p50"])
    base = statistics.median(took["no page server"])
    for name, times in took.items():
        print(f"tick, p50, {name}: {statistics.median(times):.4f} ms ({min(times):.4f} to {max(times):.4f}), "
              f"{statistics.median(times) / base:.3f} x no page server")


def page_cpu(convoy):
    """In real time: what the page server takes of a processor, and what a page adds."""
    run = Run(convoy, "scenarios/warehouse.yaml", "--hosts", 1, "--speed", "1", "--duration", "600s")
    try:
        pid = run.page_server()
        base = 0.0
        for count in (0, 1, PAGES):
            with run.pages(count):
                before, begun = cpu_of(pid), time.monotonic()
                time.sleep(SECONDS)
                share = (cpu_of(pid) - before) / (time.monotonic() - begun)
            base = share if count == 0 else base
            print(f"CPU of convoy web, 200 robots, {count} pages: {100 * share:.2f} % of a processor"
                  + (f", {100 * (share - base) / count:.2f} % a page" if count else ""))
    finally:
        run.end()


def until_usable(convoy, rounds):
    """From the address to the first picture with everything in it, in a browser that is new each time."""
    import playwright.sync_api
    flags = ["--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist", "--no-sandbox"]
    run = Run(convoy, "scenarios/warehouse.yaml", "--hosts", 1, "--speed", "1", "--duration", "600s")
    took, bare = [], []
    try:
        with playwright.sync_api.sync_playwright() as p:
            for _ in range(rounds):
                for link, times in ("data:text/html,<title>x</title>", bare), (run.link, took):
                    browser = p.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
                    page = browser.new_page(viewport={"width": 1280, "height": 800})
                    begun = time.monotonic()
                    page.goto(link)
                    while link == run.link and not page.evaluate("!!window.convoy && window.convoy.stats().drawn > 0"):
                        time.sleep(0.01)
                    times.append(time.monotonic() - begun)
                    browser.close()
    finally:
        run.end()
    print(f"from the address to the first picture of 200 robots: {statistics.median(took):.2f} s ({min(took):.2f} to "
          f"{max(took):.2f}); an empty page: {statistics.median(bare):.2f} s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--convoy", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--browser", action="store_true")
    arguments = parser.parse_args()
    if arguments.browser:
        until_usable(arguments.convoy, arguments.rounds)
    else:
        with tempfile.TemporaryDirectory() as folder:
            tick_times(arguments.convoy, arguments.rounds, folder)
        page_cpu(arguments.convoy)


if __name__ == "__main__":
    main()
