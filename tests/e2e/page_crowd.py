"""The page of ten thousand robots: a part of test_page.py."""
import itertools
import math

from browser import shown

CROWD = """
convoy: 1
name: crowded
time: {duration: 600s, speed: 1, tick: 50ms}
world: {ground: {size: [250, 250]}}
robots:
  - {name: walk, model: turtlebot3_burger, count: 10000, driver: random_walk}
"""
# Over so many frames of other times, of the nearest robots in view, or of those that are named: how many frames, how often
# each was heard of, whether it had a speed all the time, and where the first of them was in each picture.
WATCH = """([names, count]) => new Promise((done) => {
    const { world, camera, heard, screenOf } = window.convoy, eye = camera.position;
    const far = (e) => Math.hypot(world.poses[7 * e.slot] - eye.x, world.poses[7 * e.slot + 1] - eye.y, eye.z);
    const watched = names.length ? names.map((n) => world.by_name.get(n)) : world.entities.filter((e) => screenOf(e.name)).sort((a, b) => far(a) - far(b)).slice(0, 50);
    let first = [], begun = world.instants + 5, went = watched.map(() => true), way = [];
    const look = () => {
        if (world.instants < begun) return requestAnimationFrame(look); // the server has heard of it by now
        if (first.length === 0) first = watched.map((e) => heard(e.name)), begun = world.instants;
        watched.forEach((e, i) => { went[i] &&= world.twists.subarray(6 * e.slot, 6 * e.slot + 6).some((v) => v !== 0); });
        way.push([world.time, ...world.poses.subarray(7 * watched[0].slot, 7 * watched[0].slot + 2)]);
        if (world.instants < begun + count) return requestAnimationFrame(look);
        done({ frames: world.instants - begun, names: watched.map((e) => e.name), heard: watched.map((e, i) => heard(e.name) - first[i]), went, way });
    };
    look();
})"""


def crowded(b):
    """Ten thousand robots: what is near moves smoothly and is told at the full rate, also elsewhere, and so is what is selected."""
    with shown(b, CROWD) as (world, _, open_tab):
        tab = open_tab(size=(1280, 720))
        tab.until("!!window.convoy && window.convoy.stats().drawn === 10000", "all of them appear", 120)
        b.check(tab["entity-count"].inner_text() == "10000" and tab["entity-row"].count() < 60, "the list has rows for what is seen of it")
        tab["entity-row"].first.click()
        tab.page.keyboard.press("End")
        tab.until("document.querySelector('[data-testid=inspector-name]').textContent === 'walk_9999'", "a key goes to the end of the list")
        tab["inspector-close"].click()
        tab.picture("crowded")

        full_rate(b, tab, "what is near")
        for name, what in (("walk_0017", "what is flown to"), ("walk_7000", "what is flown to later")):
            tab.select(name)
            tab["inspector-frame"].click()
            tab.until(f"""(() => {{ const {{ world, camera }} = window.convoy, p = 7 * world.by_name.get('{name}').slot;
                return Math.hypot(world.poses[p] - camera.position.x, world.poses[p + 1] - camera.position.y) < 10; }})()""")
            tab["inspector-close"].click()
            full_rate(b, tab, what)
        tab.picture("crowded near")

        last = tab.js("(() => { const { world, camera: { position: c } } = window.convoy, far = (e) => Math.hypot(world.poses[7 * e.slot] - c.x, world.poses[7 * e.slot + 1] - c.y);"
                      "return world.entities.reduce((a, e) => far(e) > far(a) ? e : a).name; })()")
        tab.select(last)
        full_rate(b, tab, "one far away that is selected", [last])
        world.ctl("delete", last)
        tab.until(f"!window.convoy.world.by_name.has('{last}') && window.convoy.stats().drawn === 9999", "one far away is gone")
        tab.until("document.querySelector('[data-testid=entity-count]').textContent === '9999'")
        b.check(not tab["inspector-name"].is_visible(), "nothing is selected any more")

        tab.page.keyboard.press(" ")
        world.until(lambda: world.ctl("status")["data"]["phase"] == "paused", "it is paused")
        tab.until("window.convoy.world.paused")
        there = {one["name"]: one["position"] for digit in range(10) for one in world.ctl("list", f"walk_{digit}", "--details")["data"]}
        b.check(len(there) == 9999, "all of them are there", len(there))
        tab.page.evaluate("(there) => { window.there = there; }", there)
        tab.until("""window.convoy.world.entities.every((e) => { const p = window.convoy.world.poses, at = window.there[e.name];
            return Math.hypot(p[7 * e.slot] - at[0], p[7 * e.slot + 1] - at[1]) < 0.002; })""", "after a pause each is shown where it is")
        b.check(tab.js("window.convoy.stats().refused") == 0, "no frame is refused")
        tab.close()


def full_rate(b, tab, what, names=()):
    """Those are told in each frame as long as they move, and the first moves without jumps."""
    seen = tab.js(WATCH, [list(names), 20])
    b.check(any(seen["went"]) or names, f"{what}: something moves")
    late = [name for name, heard, went in zip(seen["names"], seen["heard"], seen["went"], strict=True) if went and heard < seen["frames"] - 1]
    b.check(not late, f"{what} is told in each frame", *late, seen["frames"])
    for (t0, x0, y0), (t1, x1, y1) in itertools.pairwise(seen["way"]):
        # After a stall of the machine the shown time may jump; then what was carried on goes back by a robot's width.
        b.check(math.hypot(x1 - x0, y1 - y0) < 0.15 + 0.5 * abs(t1 - t0), f"{what} moves smoothly", t1 - t0, x1 - x0, y1 - y0)
