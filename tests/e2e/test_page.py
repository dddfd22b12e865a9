#!/usr/bin/env python3
"""The page in a real browser, used by mouse and key; what came of it is asked by convoy ctl.

    .env/browser/bin/python tests/e2e/test_page.py CONVOY [PART...]

Needs Debian's chromium, and the page (scripts/python-env.sh web); CONVOY_E2E_PAGE names the folder of another page. Pictures are left in screenshots/ beside the command.
Prints one line per check that fails and exits 1 if there is any.
"""
import inspect
import math
import os
import pathlib
import re
import shutil
import signal
import sys
import time

from browser import FLAGS, PAGE, SCENARIO, Tab, far, shown
from harness import new_bench
from page_crowd import crowded
from page_panels import INSIDE, inside, robots, weather
from playwright.sync_api import sync_playwright

MANY = """
convoy: 1
name: thousand
time: {duration: 600s, speed: 1}
world: {ground: {size: [60, 60]}}
robots:
  - {name: walk, model: turtlebot3_burger, count: 1000, driver: random_walk}
"""
def using(b):
    """Select, follow, pause, step, drive, push, move, spawn, attach, delete, reset: by mouse and key."""
    with shown(b) as (world, _, open_tab):
        tab = open_tab().ready()
        b.check("token" not in tab.page.url, "the token is out of the address", tab.page.url)

        x, y = tab.spot("idle")
        tab.page.mouse.click(x, y)
        tab.until("document.querySelector('[data-testid=inspector-name]').textContent === 'idle'")
        pose = tab["inspector-pose"].inner_text()
        b.check(pose.startswith("-3.000, -2.000, 0.000"), "where the inspector says it is", pose)
        tab.picture("selected")
        tab.page.keyboard.press("Escape")
        b.check(not tab["inspector-pose"].is_visible(), "nothing is selected")

        tab.select("walk_0")
        tab["camera-follow"].click()
        time.sleep(1.5)
        sx, sy = tab.spot("walk_0")
        b.check(200 < sx < 1080 and 100 < sy < 700, "the camera follows", sx, sy)
        tab["camera-orbit"].click()
        tab["camera-frame"].click()

        tab.page.keyboard.press(" ")
        world.until(lambda: world.ctl("status")["data"]["phase"] == "paused", "the space bar pauses")
        before = world.ctl("status")["data"]["tick"]
        tab["toolbar-step-ticks"].fill("7")
        tab["toolbar-step"].click()
        world.until(lambda: world.ctl("status")["data"]["tick"] == before + 7, "a step of 7 ticks")
        tab["view"].focus()
        tab.page.keyboard.press(".")
        world.until(lambda: world.ctl("status")["data"]["tick"] == before + 14, "the key steps as well")
        tab["toolbar-pause"].click()
        world.until(lambda: world.ctl("status")["data"]["phase"] != "paused", "the button goes on")
        tab["toolbar-speed"].fill("2")
        tab["toolbar-speed"].press("Enter")
        world.until(lambda: world.ctl("status")["data"]["speed"] == 2, "the speed")
        tab["toolbar-speed"].fill("1")
        tab["toolbar-speed"].press("Enter")

        tab.select("idle")
        tab["inspector-drive"].click()
        world.until(lambda: (world.holder("idle") or "").startswith("web/page"), "driving takes the lease")
        tab.until_driving()
        start = world.place("idle")
        tab.page.keyboard.down("ArrowUp")
        world.until(lambda: far(world.place("idle"), start) > 0.2, "the key drives")
        tab.picture("driving")
        tab.page.keyboard.up("ArrowUp")
        time.sleep(1)
        there = world.place("idle")
        time.sleep(0.5)
        b.check(far(world.place("idle"), there) < 0.002, "letting go stops", there, world.place("idle"))
        tab["inspector-drive"].click()
        world.until(lambda: world.holder("idle") is None, "the lease is given back")

        tab["camera-frame"].click()
        time.sleep(1.2)
        tab["mode-push"].click()
        crate = world.body("objects", "crate")
        x, y = tab.spot("objects", "crate")
        tab.page.mouse.move(x, y)
        tab.page.mouse.down()
        tab.page.mouse.move(x + 120, y, steps=5)
        tab.picture("pushing")
        world.until(lambda: far(world.body("objects", "crate"), crate) > 0.1, "the drag pushes the box")
        tab.page.mouse.up()
        tab["mode-select"].click()

        tab["mode-move"].click()
        there = world.place("idle")
        x, y = tab.spot("idle")
        tab.page.mouse.move(x, y)
        tab.page.mouse.down()
        tab.page.mouse.move(x + 100, y - 30, steps=5)
        tab.page.mouse.up()
        world.until(lambda: far(world.place("idle"), there) > 0.3, "the drag moves it")
        time.sleep(0.5)
        x, y = tab.spot("idle")
        tab.page.keyboard.down("Shift")
        tab.page.mouse.move(x, y)
        tab.page.mouse.down()
        tab.page.mouse.move(x + 80, y, steps=5)
        tab.page.mouse.up()
        tab.page.keyboard.up("Shift")
        world.until(lambda: abs(world.ctl("get", "idle")["pose"]["q"][3]) > 0.1, "with Shift it turns")

        tab["mode-spawn"].click()
        tab["spawn-model"].select_option("turtlebot3_burger")
        tab["spawn-name"].fill("newcomer")
        x, y = tab.spot("idle")
        tab.page.mouse.click(x + 60, y + 40)
        world.until(lambda: "newcomer" in world.names(), "a click on the ground spawns")
        tab["mode-select"].click()
        tab.until("window.convoy.select('newcomer')")
        tab["inspector-attach"].click()
        tab.until("!!window.convoy.screenOf('idle')")
        x, y = tab.spot("idle")
        tab.page.mouse.click(x, y)
        world.until(lambda: world.ctl("list", "--details")["data"][[*world.names()].index("newcomer")]["parent"] == "idle", "a click attaches")
        tab["inspector-detach"].click()
        tab.page.keyboard.press("Delete")
        tab["delete-confirm-yes"].click()
        world.until(lambda: "newcomer" not in world.names(), "the key deletes, after a question")

        tab["toolbar-reset"].click()
        tab["reset-confirm-yes"].click()
        world.until(lambda: far(world.place("idle"), (-3, -2)) < 1e-6, "the world begins anew")
        tab.close()


def views(b):
    """Cameras, overlays, plots, events, help: what is shown, by button and by key."""
    with shown(b) as (world, _, open_tab):
        tab = open_tab().ready()
        tab.select("walk_0")
        for key, testid in (("2", "camera-fly"), ("3", "camera-follow"), ("4", "camera-behind"), ("5", "camera-top"), ("1", "camera-orbit"),
                            ("m", "mode-move"), ("p", "mode-push"), ("t", "mode-attach"), ("n", "mode-spawn"), ("v", "mode-select")):
            tab.page.keyboard.press(key)
            tab.until(f"document.querySelector('[data-testid={testid}]').ariaPressed === 'true'", patience=5)
        b.check(tab.pressed("mode-select"), "keys choose tools and cameras")
        camera = lambda: tab.js("window.convoy.camera.position.toArray()")
        tab["camera-fly"].click()
        before = camera()
        tab.page.keyboard.down("w")
        time.sleep(0.7)
        tab.page.keyboard.up("w")
        b.check(math.dist(camera(), before) > 0.3, "a key flies", before, camera())
        tab["camera-behind"].click()
        time.sleep(0.8)
        b.check(far(camera(), world.place("walk_0")) < 4, "the camera rides behind", camera())
        tab["camera-top"].click()
        time.sleep(0.7)
        b.check(tab.js("window.convoy.camera.getWorldDirection(window.convoy.camera.position.clone()).z") < -0.95, "the camera looks down")
        tab["camera-orbit"].click()
        tab.select("idle")
        tab["inspector-frame"].click()
        time.sleep(0.7)
        near = far(camera(), world.place("idle"))
        tab.page.keyboard.press("f")
        time.sleep(0.7)
        b.check(far(camera(), world.place("idle")) > near, "a key shows everything", near, camera())
        tab.page.keyboard.press("Shift+F")
        time.sleep(0.7)
        b.check(far(camera(), world.place("idle")) < near + 0.5, "with Shift the selected", near, camera())
        before = camera()
        tab.page.mouse.move(600, 300)
        tab.page.mouse.wheel(0, 300)
        time.sleep(0.3)
        b.check(math.dist(camera(), before) > 0.1, "the wheel goes further", before, camera())
        for what, press in (("a drag turns the view", "left"), ("the right button shifts it", "right")):
            before = camera()
            tab.page.mouse.down(button=press)
            tab.page.mouse.move(680, 340, steps=4)
            tab.page.mouse.up(button=press)
            tab.page.mouse.move(600, 300)
            time.sleep(0.3)
            b.check(math.dist(camera(), before) > 0.1, what, before, camera())
        tab["entity-list"].focus()
        tab.page.keyboard.press("Home")
        tab.page.keyboard.press("ArrowDown")
        b.check(tab["inspector-name"].inner_text() == "objects", "arrows go through the list", tab["inspector-name"].inner_text())
        tab["tab-hosts"].focus()
        tab.page.keyboard.press("ArrowRight")
        b.check(tab.js("document.activeElement.dataset.testid") == "tab-nodes", "arrows go through the tabs")
        tab["view"].focus()

        tab["camera-frame"].click()
        tab["toolbar-overlays"].click()
        tab["overlay-names"].check()
        tab.until("[...document.querySelectorAll('.label')].some((e) => e.textContent === 'walk_1')", "names are written")
        for testid in ("overlay-frames", "overlay-paths", "overlay-boxes"):
            before = tab.js("window.convoy.stats().lines")
            tab[testid].check()
            tab.until(f"window.convoy.stats().lines > {before}", "the overlay draws lines")
        tab["overlay-shadows"].check()
        tab.until("window.convoy.stats().shadows", "shadows")
        tab.picture("overlays")
        tab["overlay-shadows"].uncheck()
        for testid in ("overlay-paths", "overlay-boxes", "overlay-frames"):
            tab[testid].uncheck()
        before = tab.js("window.convoy.stats().lines")
        tab.js("window.convoy.select('objects')")
        tab["overlay-contacts"].check()
        tab.until(f"window.convoy.stats().lines > {before} + 8", "contacts are drawn")
        tab.page.keyboard.press("o")
        b.check(not tab["overlay-contacts"].is_visible(), "a key closes the menu")

        theme = lambda: tab.js("document.documentElement.dataset.theme")
        before = theme()
        tab["toolbar-theme"].click()
        b.check(theme() != before, "dark")
        tab.picture("dark")
        tab.page.keyboard.press("l")
        b.check(theme() == before, "light again, by a key")
        tab["toolbar-help"].click()
        b.check(tab["help-overlay"].is_visible(), "help")
        tab["help-close"].click()
        tab.page.keyboard.press("?")
        b.check(tab["help-overlay"].is_visible(), "help by a key")
        tab.page.keyboard.press("Escape")
        tab.page.keyboard.press("/")
        b.check(tab.js("document.activeElement.dataset.testid") == "entity-filter", "a key goes to the filter")
        tab["view"].focus()

        tab["tab-plots"].click()
        tab.select("walk_0")
        tab["plot-quantity"].select_option("yaw")
        tab["plot-add"].click()
        tab.until("document.querySelector('[data-testid=plot-canvas]').textContent.includes('walk_0 yaw')", "a line is plotted")
        time.sleep(0.4)
        tab.picture("plots")
        tab["plot-clear"].click()
        tab.until("document.querySelector('[data-testid=plot-canvas]').textContent === ''", "the plot is empty again")
        tab["tab-events"].click()
        tab.page.keyboard.press("Escape")
        b.check(not tab["inspector-name"].is_visible(), "a key selects nothing")
        tab.select("idle")
        tab["delete-selected"].click()
        tab["delete-confirm-no"].click()
        tab["inspector-close"].click()
        b.check(not tab["inspector-name"].is_visible(), "the button selects nothing")
        tab["toolbar-reset"].click()
        tab["reset-confirm-no"].click()
        b.check("idle" in world.names() and world.ctl("status")["data"]["run"] == 0, "who says no to a question has changed nothing")
        world.ctl("spawn", "late", "--model", "turtlebot3_burger", "--pose", "3,-3")
        tab.until("document.querySelector('[data-testid=event-list]').textContent.includes('late')", "what happens is told")
        world.ctl("set", "idle", "--pose", "3,1")
        tab.select("idle")
        tab["inspector-reset"].click()
        world.until(lambda: far(world.place("idle"), (-3, -2)) < 1e-6, "it is put back")
        tab.close()


def hands(b):
    """Driving ends when nobody holds it: keys, pad and gamepad let go, the window left, the tab hidden."""
    with shown(b) as (world, _, open_tab):
        tab = open_tab().ready()
        tab.select("idle")
        tab.page.keyboard.press("r")
        world.until(lambda: world.holder("idle") is not None, "a key takes the lease")
        tab.until_driving()
        goes = lambda: world.twist("idle")["v"][0] > 0.05
        hide = "Object.defineProperty(document, 'hidden', {value: true, configurable: true}); document.dispatchEvent(new Event('visibilitychange'))"
        for what, ends in (("the window is left", "window.dispatchEvent(new Event('blur'))"), ("the tab is hidden", hide)):
            tab.page.keyboard.down("w")
            world.until(goes, f"it goes before {what}")
            tab.js(ends)
            world.until(lambda: world.stands("idle"), f"it stops when {what}", 3)
            tab.page.keyboard.up("w")
        tab.js("delete document.hidden")
        tab.js("navigator.getGamepads = () => [{axes: [0, -0.9]}]")
        world.until(goes, "a gamepad drives")
        tab.js("navigator.getGamepads = () => [{axes: [0.05, -0.1]}]")
        world.until(lambda: world.stands("idle"), "and stops when its stick is let go", 3)
        for testid, part, sign in (("drive-up", "v", 1), ("drive-down", "v", -1), ("drive-left", "w", 1), ("drive-right", "w", -1)):
            box = tab[testid].bounding_box()
            tab.page.mouse.move(box["x"] + 5, box["y"] + 5)
            tab.page.mouse.down()
            world.until(lambda: sign * world.twist("idle")[part][0 if part == "v" else 2] > 0.05, f"{testid} drives")
            tab.page.mouse.up()
        world.until(lambda: world.stands("idle"), "letting go of the pad stops", 3)
        tab.page.keyboard.press("r")
        world.until(lambda: world.holder("idle") is None, "a key gives the lease back")
        tab.close()


def two(b):
    """Two browsers at once: one drives, the other is told; who may only look has nothing to press. A reload stays in."""
    with shown(b) as (world, _, open_tab):
        left, right, look = (open_tab(role, size=(830, 440)).ready() for role in ("edit", "edit", "view"))
        for tab in (left, right):
            tab.select("idle")
        left["inspector-drive"].click()
        world.until(lambda: world.holder("idle") is not None, "one has it")
        right["inspector-drive"].click()
        right["toast"].first.wait_for()
        b.check("has leased 'idle'" in right["toast"].first.inner_text(), "the other is told", right["toast"].first.inner_text())
        look.select("idle")
        b.check(look["inspector-drive"].is_disabled() and look["toolbar-pause"].is_disabled(), "a look")
        left.page.reload()
        left.ready()
        world.until(lambda: world.holder("idle") is None, "a reload gives back what the page had")
        b.check(left["toolbar-role"].inner_text() == "edit", "and stays in")
        for tab in (left, right, look):
            tab.close()


def again(b):
    """The page server's simulation is gone: the page says so, and shows the next one when it comes. A wrong link."""
    b.scenario.write_text(SCENARIO)
    with b.start("launch", b.scenario, "--listen", "127.0.0.1:0") as first:
        port = first.port()
        with b.start("web", "--connect", f"127.0.0.1:{port}", "--web-listen", "127.0.0.1:0", *PAGE) as web, sync_playwright() as p:
            link = web.wait_for(r"page for edit: (\S+)").group(1)
            browser = p.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            tab = Tab(b, browser, link).ready()
            first.end()
            tab["banner"].wait_for()
            tab.picture("gone")
            with b.start("launch", b.scenario, "--listen", f"127.0.0.1:{port}"):
                tab["banner"].wait_for(state="hidden", timeout=60_000)
                tab.ready()
                tab.until("document.querySelector('[data-testid=toolbar-connection]').textContent === 'connected'", "it is back")
            tab.close()
            wrong = Tab(b, browser, re.sub("token=.*", "token=wrong", link))
            wrong["refusal"].wait_for()
            wrong.picture("refused")
            wrong.context.close()
            browser.close()
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        with b.start("run", b.scenario, "--web", "--web-listen", "127.0.0.1:0", *PAGE, *b.certificate()) as run:
            tab = Tab(b, browser, run.wait_for(r"page for edit: (https\S+)").group(1), ignore_https_errors=True).ready()
            b.check(tab["toolbar-connection"].inner_text() == "connected", "by TLS")
            tab.close()
        browser.close()


def film(b):
    """A recording: the time line by mouse and key, the states that were recorded; nothing else can be done with it."""
    b.scenario.write_text(SCENARIO)
    file, csv = b.folder / "film.mcap", b.folder / "film.csv"
    b.call("run", b.scenario, "--duration", "60s", "--speed", "max", "--record", file)
    b.call("plot", file, "--out", b.folder / "film.svg", "--csv", csv)
    known = {(round(float(row[0]), 1), row[1]): (float(row[2]), float(row[3])) for row in (line.split(",") for line in csv.read_text().splitlines()[1:])}
    with b.start("replay", file, "--web", "--web-listen", "127.0.0.1:0", *PAGE) as web, sync_playwright() as p:
        link = web.wait_for(r"page for edit: (\S+)").group(1)
        browser = p.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        tab = Tab(b, browser, link).ready()
        b.check(tab["toolbar-mode"].inner_text() == "recording", "what it is", tab["toolbar-mode"].inner_text())
        tab.until("window.convoy.world.time > 1", "it plays by itself")
        tab["view"].focus()
        tab.page.keyboard.press("Space")
        tab.until("window.convoy.world.paused", "a key stops it")
        tab.select("walk_1")
        box = tab["timeline-time"].bounding_box()
        tab.page.mouse.move(box["x"] + 20, box["y"] + box["height"] / 2)
        tab.page.mouse.down()
        for share in (0.2, 0.5, 0.7):
            tab.page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
        tab.page.mouse.up()
        tab.until("Math.abs(window.convoy.world.time - 42) < 1", "a drag along the time line shows another time")
        tab["timeline-time"].fill("33")
        tab.until("Math.abs(window.convoy.world.time - 33) < 1e-6")
        x, y = known[(33.0, "walk_1")]
        tab.until(f"document.querySelector('[data-testid=inspector-pose]').textContent.startsWith('{x:.3f}, {y:.3f}')", "where it was then")
        tab.picture("recording")
        b.check("33.00 of 60.00 s" in tab["timeline-text"].inner_text(), "the time is written", tab["timeline-text"].inner_text())
        tab["view"].focus()
        tab.page.keyboard.press("[")
        tab.until("Math.abs(window.convoy.world.time - 28) < 1e-6", "a key goes 5 s back")
        tab.page.keyboard.press("]")
        tab.until("Math.abs(window.convoy.world.time - 33) < 1e-6", "a key goes 5 s on")
        tab["toolbar-step-ticks"].fill("4")
        tab["toolbar-step"].click()
        tab.until("Math.abs(window.convoy.world.time - 33.04) < 1e-6", "a step of the recording")
        tab["toolbar-speed"].fill("10")
        tab["toolbar-speed"].press("Enter")
        tab["toolbar-pause"].click()
        before = tab.js("window.convoy.world.time")
        tab.until(f"window.convoy.world.time > {before} + 5", "ten times as fast")
        tab["toolbar-reset"].click()
        tab.until("window.convoy.world.time < 20", "reset goes to its beginning, without a question")
        for control in ("mode-spawn", "mode-push", "delete-selected", "inspector-drive"):
            b.check(tab[control].is_disabled() and "recording" in tab[control].get_attribute("title"), f"{control} is grey", tab[control].get_attribute("title"))
        tab.close()
        small = Tab(b, browser, link, size=(390, 844), has_touch=True, is_mobile=True).ready()
        small.until("!document.querySelector('[data-testid=timeline]').hidden")
        line, tabs = small["timeline"].bounding_box(), small["tab-entities"].bounding_box()
        b.check(line["y"] + line["height"] <= 844 and tabs["y"] + tabs["height"] <= line["y"] + 1, "on a phone the time line is below the tabs", line, tabs)
        small.picture("recording_phone")
        small.close()
        other = b.folder / "other.mcap"
        with b.start("launch", b.scenario, "--duration", "30s", "--speed", "max", "--paused", "--listen", "127.0.0.1:0", "--record", other) as run:
            at = ["--connect", f"127.0.0.1:{run.port()}"]
            run.wait_for("the run begins")
            b.expect(0, "at tick 1500", None, "ctl", *at, "step", 1500)
            b.expect(0, "at tick 1500", None, "ctl", *at, "drive", "idle", "--forward", 0.2)
            b.expect(0, "at tick 1500", None, "ctl", *at, "resume")
            run.wait()
        with b.start("replay", file, "--beside", other, "--web", "--web-listen", "127.0.0.1:0", *PAGE) as web:
            tab = Tab(b, browser, web.wait_for(r"page for edit: (\S+)").group(1)).ready()
            b.check(tab.js("window.convoy.stats().entities") == 2 * 5, "two beside each other", tab.js("window.convoy.stats()"))
            tab["view"].focus()
            tab.page.keyboard.press("Space")
            tab["timeline-difference"].click()
            tab.until("Math.abs(window.convoy.world.time - 15.01) < 1e-6", "the button goes to where they begin to differ")
            b.check("idle, pose.p.x" in tab["toast"].first.inner_text(), "and says what differs", tab["toast"].first.inner_text())
            b.check(tab["inspector-name"].inner_text() == "idle", "whose it is is selected")
            tab.picture("beside")
            tab.close()
        browser.close()


def phone(b):
    """On a phone: everything can be reached, nothing is cut off at the side, and a finger drives."""
    with shown(b) as (world, _, open_tab):
        tab = open_tab(size=(390, 844), has_touch=True, is_mobile=True).ready()
        tab.picture("phone")
        b.check(tab.js("document.documentElement.scrollWidth") <= 390, "its width")
        b.check(tab["toolbar-pause"].is_visible(), "pause")
        tab["tab-entities"].tap()
        tab["entity-row"].filter(has_text="idle").tap()
        tab["tab-inspector"].tap()
        tab["inspector-drive"].tap()
        world.until(lambda: world.holder("idle") is not None, "a tap takes the lease")
        tab.until_driving()
        start, box = world.place("idle"), tab["drive-up"].bounding_box()
        touch = tab.context.new_cdp_session(tab.page)
        finger = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [finger]})
        world.until(lambda: far(world.place("idle"), start) > 0.1, "a finger on the pad drives")
        tab.picture("phone_selected")
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        world.until(lambda: world.stands("idle"), "and stops when it is lifted")
        for panel in ("tab-hosts", "tab-nodes", "tab-weather", "tab-events", "tab-plots"):
            tab[panel].tap()
            b.check(tab.js("document.documentElement.scrollWidth") <= 390, f"the width with {panel}")
        tab["tab-weather"].tap()
        tab.picture("phone_weather")
        tab.close()


def thousand(b):
    """A thousand robots are shown."""
    with shown(b, MANY) as (_, _, open_tab):
        tab = open_tab().ready()
        time.sleep(5)
        stats = tab.js("window.convoy.stats()")
        tab.picture("thousand")
        b.check(stats["entities"] == stats["drawn"] == 1000 and stats["refused"] == 0, "all of them", stats)
        print(f"    {stats}")
        tab.close()


def video(b):
    """Live video of the run in place of the drawn world: by choice, when nothing can be drawn, and drawn again when the video is gone."""
    playing = "window.convoy.video()?.playing && window.convoy.video().width === 640 && document.querySelector('[data-testid=video-words]').hidden"
    gone = "document.querySelector('[data-testid=video-view]').hidden"
    with shown(b, SCENARIO, "--viewer", "--viewer-listen", "127.0.0.1:0", "--size", "640x480", "--view", "free", "--view", "above") as (world, _, open_tab):
        tab = open_tab().ready()
        tab.until("!document.querySelector('[data-testid=toolbar-video]').hidden", "there is video to choose")
        b.check(tab.js(gone), "the world is drawn here at first")
        tab["toolbar-video"].click()
        tab.until(playing, "the button shows live video")
        tab["video-choice"].select_option("above")
        tab.until(f"{playing} && window.convoy.video().chosen === 'above'", "another view of it is chosen")
        tab.picture("page_video")
        tab["toolbar-pause"].click()
        tab.until("document.querySelector('[data-testid=toolbar-pause]').getAttribute('aria-label') === 'Go on'", "the page's own controls work beside it")
        tab["toolbar-pause"].click()
        tab["toolbar-video"].click()
        tab.until(gone, "and takes it away again")
        tab.js("(() => { const gl = document.querySelector('canvas[data-testid=view]').getContext('webgl2'); window.lost = gl.getExtension('WEBGL_lose_context'); window.lost.loseContext(); })()")
        tab.until(playing, "where nothing can be drawn any more, video is shown")
        tab.js("window.lost.restoreContext()")
        (viewer,) = [pid for pid, argv in world.run.family().items() if len(argv) > 1 and argv[1] == "viewer"]
        os.kill(viewer, signal.SIGKILL)
        tab.until(gone, "and when the video does not come any more, the world is drawn", patience=60)
        frames = tab.js("window.convoy.stats().frames")
        tab.until(f"window.convoy.stats().frames > {frames}", "it goes on")
        tab.close()


CONTROLS = """[...document.querySelectorAll("button, input, select, textarea, [role=option]")]
    .map((e) => e.dataset.testid ?? `without a testid: ${e.outerHTML}`)"""


def table(b):
    """Each control of the page, and no other, has a row in docs/page.md, which names a check of this test."""
    seen = set()
    with shown(b, INSIDE) as (_, _, open_tab):
        tab = open_tab().ready()
        look = lambda: seen.update(tab.js(CONTROLS))
        tab["toolbar-overlays"].click()
        look()
        for panel in ("tab-hosts", "tab-weather", "tab-events", "tab-plots", "tab-nodes"):
            tab[panel].click()
            look()
        tab["nodes-kind"].select_option("nodes")
        tab["topic-row"].first.click()
        tab["parameter-value"].first.wait_for()
        for name in ("arm", "courier_0"):
            tab.select(name)
            tab["inspector-sensor" if name == "courier_0" else "actuator-slider"].first.wait_for()
            look()
        tab["delete-selected"].click()
        look()
        tab["delete-confirm-no"].click()
        tab["toolbar-reset"].click()
        look()
        tab["reset-confirm-no"].click()
        tab["toolbar-help"].click()
        look()
        tab.close()
    controls = (pathlib.Path(__file__).parents[2] / "docs/page.md").read_text().split("\n## Controls\n")[1].split("\n## ")[0]
    lines = controls.splitlines()
    rows = [cells for cells in ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines) if cells and ": " in cells[-1]]
    told = {testid for row in rows for testid in re.findall(r"`([\w-]+)`", row[1])}
    b.check(seen - told == set(), "controls without a row", *sorted(seen - told))
    b.check(told - seen == set(), "rows of no control", *sorted(told - seen))
    for what, testids, *_, test in rows:
        part, check = test.replace("`", "").split(": ", 1)
        source = inspect.getsource(PARTS[part]) if part in PARTS else ""
        lacks = [word for word in [check, *re.findall(r"`([\w-]+)`", testids)] if not re.search(rf'["=]{re.escape(word)}["\]]', source)]
        b.check(not lacks, f"the row of {what}: {part} has no", *lacks)


PARTS = {"using": using, "robots": robots, "views": views, "hands": hands, "weather": weather, "inside": inside, "two": two, "again": again, "film": film, "phone": phone, "thousand": thousand, "crowded": crowded, "video": video, "table": table}


def main():
    if not shutil.which("chromium"):
        print("chromium is not here: scripts/setup.sh --tests installs it")
        return 1
    with new_bench(sys.argv[1]) as bench:
        bench.run(PARTS, sys.argv[2:])
        return bench.result()


if __name__ == "__main__":
    sys.exit(main())
