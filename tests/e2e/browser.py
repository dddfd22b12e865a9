"""A browser with the page of a run, and the run from the other side; for tests of the page."""
import contextlib
import json
import math
import os
import pathlib
import shutil
import struct
import time
import zlib

from playwright.sync_api import sync_playwright

SCENARIO = """
convoy: 1
name: page
seed: 7
time: {duration: 600s, speed: 1}
world: {ground: {size: [10, 8], walls: {thickness: 0.1, height: 0.4}}, boxes: [{x: 0, y: 2, length: 1, width: 0.5, height: 0.5}]}
robots:
  - {name: walk, model: turtlebot3_burger, count: 3, driver: random_walk}
  - {name: idle, model: turtlebot3_waffle, placement: {poses: [[-3, -2, 0]]}}
objects:
  - {name: crate, box: [0.3, 0.3, 0.3], mass: 1, placement: {poses: [[2, -2, 0]]}}
"""
PAGE = ["--page", os.environ["CONVOY_E2E_PAGE"]] if "CONVOY_E2E_PAGE" in os.environ else []
FLAGS = ["--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist", "--no-sandbox"]


def mean_of_png(png):
    """Mean of all numbers of a picture of 8 bits a colour, which is not interlaced."""
    width, height = struct.unpack(">II", png[16:24])
    size, data, at = {2: 3, 6: 4}[png[25]], b"", 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        if kind == b"IDAT":
            data += png[at + 8:at + 8 + length]
        at += 12 + length
    rows, above, total = zlib.decompress(data), bytearray(width * size), 0
    for y in range(height):
        kind, row = rows[y * (width * size + 1)], bytearray(rows[y * (width * size + 1) + 1:(y + 1) * (width * size + 1)])
        for i, value in enumerate(row):
            left, up, corner = row[i - size] if i >= size else 0, above[i], above[i - size] if i >= size else 0
            p = left + up - corner
            paeth = min((left, up, corner), key=lambda one: abs(p - one))
            row[i] = (value + (0, left, up, (left + up) // 2, paeth)[kind]) & 255
        above, total = row, total + sum(row)
    return total / (width * size * height)


class Tab:
    """A page in a browser, by its test ids."""

    def __init__(self, bench, browser, link, size=(1280, 800), query="", **options):
        self.b, root = bench, link.split("#")[0]
        self.context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
        self.page = self.context.new_page()
        self.wrong = []
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", lambda m: self.wrong.append(m.text) if m.type == "error" and "WebSocket" not in m.text else None)
        self.page.goto(root + query + "#" + link.split("#")[1])

    def __getitem__(self, testid):
        return self.page.locator(f"[data-testid={testid}]")

    def js(self, text, *given):
        return self.page.evaluate(text, *given)

    def until(self, text, what="", patience=30):
        """Waits until JavaScript says so. With `what` it counts as a check."""
        end = time.monotonic() + patience
        while not self.js(text):
            if time.monotonic() > end:
                raise RuntimeError(f"never became true: {what} {text}")
            time.sleep(0.05)
        if what:
            self.b.check(True, what)

    def ready(self):
        self.until("!!window.convoy && window.convoy.stats().frames > 3 && window.convoy.stats().drawn > 0")
        return self

    def spot(self, name, link=None):
        """Where an entity, or a link of it, is in pixels."""
        at = self.js("([name, link]) => window.convoy.screenOf(name, link)", [name, link or ""])
        return at["x"], at["y"]

    def select(self, name):
        self["entity-filter"].fill(name)
        self["entity-row"].first.click()
        self.until(f"document.querySelector('[data-testid=inspector-name]').textContent === '{name}'")
        self["entity-filter"].fill("")
        self.page.locator("canvas").first.focus()

    def brightness(self):
        """Mean of the view between the panels, 0 to 255."""
        clip = {"x": 500, "y": 100, "width": 300, "height": 200}
        return mean_of_png(self.page.screenshot(clip=clip))

    def until_driving(self):
        """Until keys drive: the page knows that it has the lease."""
        self.until("document.querySelector('[data-testid=inspector-drive]').ariaPressed === 'true'")

    def pressed(self, testid):
        return self[testid].get_attribute("aria-pressed") == "true"

    def picture(self, name):
        folder = pathlib.Path(self.b.convoy).parent / "screenshots"
        folder.mkdir(exist_ok=True)
        self.page.screenshot(path=folder / f"{name}.png")

    def close(self):
        self.b.check(not self.wrong, "errors of the page", *self.wrong)
        self.context.close()


class World:
    """The run from the other side."""

    def __init__(self, bench, run):
        self.b, self.run, self.at = bench, run, f"127.0.0.1:{run.port()}"

    def ctl(self, *words):
        r = self.b.call("ctl", "--connect", self.at, "--json", *words)
        return json.loads(r.stdout)

    def place(self, name):
        return self.ctl("get", name)["pose"]["p"]

    def body(self, name, body):
        """Where a loose body of an entity is."""
        joints = self.ctl("list", name, "--details")["data"][0]["joints"]
        return [joints[f"{body}:{axis}"]["position"] for axis in "xyz"]

    def names(self):
        return self.ctl("list")["names"]

    def joint(self, name, joint):
        return self.ctl("list", name, "--details")["data"][0]["joints"][joint]["position"]

    def actuator(self, name, actuator):
        return next(one for one in self.ctl("actuators", name)["data"]["actuators"] if one["name"] == actuator)

    def details(self, name):
        return self.ctl("get", name)["data"]

    def twist(self, name):
        return self.ctl("get", name)["twist"]

    def stands(self, name):
        return math.hypot(*self.twist(name)["v"], *self.twist(name)["w"]) < 1e-6

    def sampled(self, robot, sensor):
        """Samples that a sensor takes in a second of simulated time, measured over some of it."""
        first = self.ctl("sensor", robot, sensor)
        time.sleep(1)
        second = self.ctl("sensor", robot, sensor)
        return (second["data"]["index"] - first["data"]["index"]) / (0.01 * (second["tick"] - first["tick"]))

    def outside(self, *words):
        """What convoy says with other words than ctl."""
        r = self.b.call(*words, "--connect", self.at, "--json")
        return json.loads(r.stdout) if r.stdout.strip() else {}

    def heard(self, topic):
        return next(t["count"] for t in self.outside("topic", "list")["topics"] if t["name"] == topic)

    def environment(self):
        return self.ctl("status")["data"]["environment"]

    def holder(self, name):
        return self.details(name).get("holder")

    def until(self, true, what, patience=20):
        end = time.monotonic() + patience
        while not true():
            if time.monotonic() > end:
                return self.b.check(False, what)
            time.sleep(0.1)
        return self.b.check(True, what)


@contextlib.contextmanager
def shown(b, scenario=SCENARIO, *arguments):
    """A run with its links, and a way to open tabs."""
    b.scenario.write_text(scenario)
    with b.start("launch", b.scenario, "--hosts", 2, "--web", "--web-listen", "127.0.0.1:0", *PAGE, *arguments) as run:
        link = {role: run.wait_for(rf"page for {role}: (\S+)").group(1) for role in ("edit", "view")}
        with sync_playwright() as p:
            browser = p.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            try:
                yield World(b, run), link, lambda role="edit", **options: Tab(b, browser, link[role], **options)
            finally:
                browser.close()


def far(p, q):
    return math.hypot(p[0] - q[0], p[1] - q[1])
