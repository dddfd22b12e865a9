"""Parts of test_page.py: what the page does with actuators, sensors, weather and the nodes inside robots."""
import pathlib
import re
import subprocess
import time

from browser import shown

ROBOTS = """
convoy: 1
name: robots
seed: 3
time: {duration: 600s, speed: 1}
world: {ground: {size: [10, 8], walls: {thickness: 0.1, height: 0.4}}}
robots:
  - {name: arm, model: arm.xml, placement: {poses: [[-2, 1, 0]]}}
  - {name: swing, model: swing.xml, placement: {poses: [[-2, -2, 0]]}}
  - {name: scout, model: turtlebot3_burger, placement: {poses: [[1, -1, 0]]}, sensors: [lds_01, imu, {type: range, at: [0.1, 0, 0.1]}, {type: points, rings: 8, columns: 90, at: [0, 0, 0.3]}, {type: camera, at: [0, 0, 0.2], width: 640, height: 480}]}
"""
# A bar that a motor without limits turns about an upright axis.
SWING = """
<mujoco model="swing">
  <worldbody>
    <body name="bar" pos="0 0 0.3">
      <joint name="hinge" axis="0 0 1" damping="0.5"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.04"/>
    </body>
  </worldbody>
  <actuator><motor name="motor" joint="hinge"/></actuator>
</mujoco>
"""
INSIDE = """
convoy: 1
name: inside
seed: 1
time: {duration: 600s, speed: 1}
world: {ground: {size: [8, 6], walls: {thickness: 0.1, height: 0.5}}}
robots:
  - name: courier
    count: 2
    model: turtlebot3_burger
    placement: {poses: [[-2, -1, 0], [1, 0, 0]]}
    sensors: [lds_01, odom]
    components: [{package: convoy_fleet, class: "convoy_fleet::Patrol", ros_args: [-p, "speed:=0.2"]}]
  - {name: arm, model: arm.xml, placement: {poses: [[3, 2, 3.14]]}}
"""


def robots(b):
    """What the inspector changes of a robot: its actuators, whom it obeys, tags, sensors; and how one begins."""
    (b.folder / "swing.xml").write_text(SWING)
    with shown(b, ROBOTS) as (world, _, open_tab):
        tab = open_tab().ready()
        tab.select("arm")
        slider = tab.page.locator("[data-testid=actuator-slider][data-actuator=joint_1]")
        tab.until("document.querySelector('[data-testid=actuator-slider]').max === '3.1'", "a slider has its actuator's range")
        b.check(tab["actuator-factor"].is_hidden(), "which needs no factor")
        slider.focus()
        slider.press("End")
        world.until(lambda: world.joint("arm", "joint_1") > 2.9, "the end of the slider turns the joint to the end of its range")
        number = tab.page.locator("[data-testid=actuator-value][data-actuator=joint_1]")
        number.fill("0.25")
        number.press("Enter")
        world.until(lambda: abs(world.joint("arm", "joint_1") - 0.25) < 0.1, "a number turns it there")
        tab.picture("actuators")
        tab["control-source"].select_option("zmq")
        world.until(lambda: world.ctl("source", "arm")["data"][0]["source"] == "zmq", "it obeys ZeroMQ")
        number.fill("-1")
        number.press("Enter")
        tab.until("document.querySelector('[data-testid=control-ignored]').textContent.includes('dashboard')", "what it ignores is told")
        b.check(world.joint("arm", "joint_1") > 0.1, "and no page", world.joint("arm", "joint_1"))
        tab["control-source"].select_option("any")
        world.until(lambda: world.ctl("source", "arm")["data"][0]["source"] == "any", "it obeys anybody again")
        tab["inspector-tags"].fill("fragile, north hall")
        tab["inspector-tags"].press("Enter")
        tab["toast"].first.wait_for()
        b.check("a tag of 'arm' is no name" in tab["toast"].first.inner_text(), "trouble with a call is told", tab["toast"].first.inner_text())
        tab["inspector-tags"].fill("fragile, north")
        tab["inspector-tags"].press("Enter")
        world.until(lambda: world.details("arm")["tags"] == ["fragile", "north"], "tags")

        tab.select("swing")
        slider = tab.page.locator("[data-testid=actuator-slider][data-actuator=motor]")
        slider.focus()
        slider.press("End")
        world.until(lambda: world.actuator("swing", "motor")["control"] == 1, "a motor without limits gets 1")
        tab["actuator-factor"].select_option("3")
        slider.press("Home")
        world.until(lambda: world.actuator("swing", "motor")["control"] == -3, "and more where it reaches further")
        tab["actuator-mode"].select_option("pd")
        world.until(lambda: world.actuator("swing", "motor").get("kp") == 100, "its controller turns targets into torques")
        for which, value in (("gain-kp", 60), ("gain-kv", 8), ("gain-torque_limit", 40)):
            tab[which].fill(str(value))
            tab[which].press("Enter")
            world.until(lambda w=which, v=value: world.actuator("swing", "motor")[w.removeprefix("gain-")] == v, f"{which} is set")
        number = tab.page.locator("[data-testid=actuator-value][data-actuator=motor]")
        number.fill("0.5")
        number.press("Enter")
        world.until(lambda: abs(world.joint("swing", "hinge") - 0.5) < 0.05, "a target is reached")
        tab.picture("gains")
        tab["actuator-mode"].select_option("raw")
        world.until(lambda: "kp" not in world.actuator("swing", "motor"), "values go as they are again")

        tab["mode-spawn"].click()
        tab["spawn-model"].select_option("arm_xml")
        tab["spawn-keyframe"].select_option("side")
        x, y = tab.spot("scout")
        tab.page.mouse.click(x - 50, y + 150)
        world.until(lambda: "arm_xml_0" in world.names(), "a second arm")
        tab["tool-end"].click()
        b.check(abs(world.joint("arm_xml_0", "joint_1") - 1.5) < 0.1, "begins in its keyframe", world.joint("arm_xml_0", "joint_1"))

        tab.select("scout")
        tab["inspector-drive"].click()
        tab.until_driving()
        b.check(float(tab["drive-speed"].input_value()) == 0.22, "its speed is the model's", tab["drive-speed"].input_value())
        tab["drive-speed"].press("Home")
        tab["drive-turn"].press("Home")
        tab["view"].focus()
        tab.page.keyboard.down("ArrowUp")
        tab.page.keyboard.down("ArrowLeft")
        world.until(lambda: abs(world.twist("scout")["v"][0] - 0.011) < 1e-3, "slower by the slider")
        world.until(lambda: abs(world.twist("scout")["w"][2] - 0.142) < 1e-3, "and turns slower")
        tab.page.keyboard.up("ArrowUp")
        tab.page.keyboard.up("ArrowLeft")
        tab["inspector-drive"].click()
        for sensor, shows in (("scan", "ranges"), ("range", "range_max"), ("points", "values"), ("imu", "angular_velocity")):
            tab["inspector-sensor"].select_option(sensor)
            tab.until(f"document.querySelector('[data-testid=inspector-sensor-data]').textContent.includes('{shows}')", "what a sensor shows")
        tab["inspector-sensor"].select_option("points")
        tab.until("document.querySelector('[data-testid=inspector-sensor-data]').textContent.includes('points')")
        tab.picture("sensor")
        tab["inspector-sensor"].select_option("camera")
        tab.until("document.querySelector('[data-testid=inspector-sensor-data]').textContent.includes('lens')", "a camera's picture")
        colors = tab.js("(() => { const c = document.querySelector('[data-testid=inspector-picture]'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; return new Set(Array.from({length: d.length / 4}, (_, i) => d[4 * i] * 65536 + d[4 * i + 1] * 256 + d[4 * i + 2])).size; })()")
        b.check(colors > 20, "shows something", colors)
        tab.picture("camera")
        tab["inspector-sensor"].select_option("imu")
        tab["sensor-rate"].fill("2")
        tab["sensor-rate"].press("Enter")
        tab["toast"].last.wait_for()
        world.until(lambda: world.sampled("scout", "imu") < 4, "the sensor takes two samples a second")
        tab.close()


def weather(b):
    """Weather, light, gravity and wind; who takes part."""
    with shown(b) as (world, _, open_tab):
        tab = open_tab().ready()
        tab["tab-weather"].click()
        noon = tab.brightness()
        tab["weather-rain"].press("End")
        world.until(lambda: world.environment()["rain"] == 1, "rain")
        tab["weather-rain"].press("Home")
        for name in ("weather-wetness", "weather-cloudiness", "weather-road_damage"):
            tab[name].press("End")
            world.until(lambda n=name: world.environment()[n.split("-")[1]] == 1, name)
            tab[name].press("Home")
        tab["weather-time_of_day"].press("Home")
        world.until(lambda: world.environment()["time_of_day"] == 0, "midnight")
        time.sleep(0.5)
        night = tab.brightness()
        tab.picture("night")
        b.check(night < 0.6 * noon, "midnight is darker than noon", noon, night)
        box = tab["weather-time_of_day"].bounding_box()
        tab.page.mouse.click(box["x"] + 0.75 * box["width"], box["y"] + box["height"] / 2)
        world.until(lambda: 17 < world.environment()["time_of_day"] < 19, "evening by a click")
        tab["weather-fog"].press("End")
        world.until(lambda: world.environment()["fog"] == 1, "fog")
        b.check(17 < world.environment()["time_of_day"] < 19 and world.environment()["rain"] == 0, "the rest stays", world.environment())
        time.sleep(0.5)
        tab.picture("fog")
        tab["weather-gravity"].check()
        tab["weather-gravity-x"].fill("0.5")
        tab["weather-gravity-y"].fill("0")
        tab["weather-gravity-z"].fill("-1.62")
        tab["weather-gravity-z"].press("Enter")
        world.until(lambda: world.environment().get("gravity") == [0.5, 0, -1.62], "the gravity")
        tab["weather-wind"].check()
        for axis, value in (("weather-wind-x", "3"), ("weather-wind-y", "1"), ("weather-wind-z", "0.5")):
            tab[axis].fill(value)
        tab["weather-wind-z"].press("Enter")
        world.until(lambda: world.environment().get("wind") == [3, 1, 0.5], "the wind")
        time.sleep(0.5)  # a call sets all fields, and the page sends its last one within 0.2 s
        world.ctl("environment", "--time-of-day", "12", "--fog", "0")
        tab.until("document.querySelector('[data-testid=weather-fog]').value === '0'")
        b.check(tab["weather-wind"].is_checked() and tab["weather-wind-x"].input_value() == "3", "what others set is shown, the rest stays")

        tab["tab-hosts"].click()
        tab.until("/[0-9.]+ ms/.test(document.querySelector('[data-testid=hosts-table]').textContent)", "how long a tick takes")
        tab.select("idle")
        tab["inspector-drive"].click()
        tab["toolbar-pause"].click()
        digest = world.until(lambda: world.ctl("status")["data"]["phase"] == "paused", "paused") or world.ctl("status")["data"]["digest"]
        tab.until(f"document.querySelector('[data-testid=hosts-digest]').textContent === '{digest}'", "the digest")
        tables = [tab[f"{name}-table"].inner_text() for name in ("hosts", "connections", "leases")]
        b.check("host0" in tables[0] and "host1" in tables[0], "hosts", tables[0])
        b.check("robot client" in tables[1] and "viewer" in tables[1], "connections", tables[1])
        b.check("idle\tweb/page" in tables[2], "leases", tables[2])
        b.check(tab["hosts-refused"].inner_text() == tab["hosts-drops"].inner_text() == "none", "nothing is refused", tab["hosts-refused"].inner_text())
        b.check(re.match(r"[1-9]\d* /s", tab["hosts-frames"].inner_text()), "frames", tab["hosts-frames"].inner_text())
        tab.picture("hosts")
        tab.close()


def inside(b):
    """The nodes inside robots: messages, publishing, calls, parameters; a sensor off and on; elements of programs."""
    with shown(b, INSIDE) as (world, _, open_tab):
        tab = open_tab().ready()
        foreign = subprocess.Popen([pathlib.Path(b.convoy).parent / "examples/foreign_client", world.at, "alice", "1"], stdout=subprocess.DEVNULL)
        tab["tab-nodes"].click()
        tab["topic-filter"].fill("courier_0/cmd_vel")
        tab["topic-row"].get_by_text("/courier_0/cmd_vel").click()
        tab.until("document.querySelector('[data-testid=topic-message]').textContent.includes('linear')", "messages of a topic")
        tab["toolbar-pause"].click()
        before = world.heard("/courier_0/cmd_vel")
        tab["publish-yaml"].fill("linear: {x: 0.1}")
        tab["publish-send"].click()
        tab["toast"].get_by_text("published on").wait_for()
        tab["toolbar-step"].click()
        world.until(lambda: world.heard("/courier_0/cmd_vel") > before, "a message is published")
        tab.picture("topic")
        tab["publish-yaml"].fill("linear: nonsense")
        tab["publish-send"].click()
        tab["toast"].get_by_text("linear").wait_for()
        tab["toolbar-pause"].click()

        tab["nodes-kind"].select_option("services")
        tab["topic-filter"].fill("courier_0/work")
        tab["topic-row"].get_by_text("/courier_0/work").click()
        tab["service-yaml"].fill("data: false")
        tab["service-call"].click()
        tab.until("document.querySelector('[data-testid=service-response]').textContent.includes('success: true')", "the service responds")

        tab["nodes-kind"].select_option("nodes")
        tab["topic-filter"].fill("courier_1/patrol")
        tab["topic-row"].get_by_text("/courier_1/patrol").click()
        speed = tab.page.locator("[data-testid=parameter-value][data-parameter=speed]")
        speed.fill("0.05")
        speed.press("Enter")
        speeds = lambda: [p["value"] for p in world.outside("param", "list", "/courier_1/patrol")["parameters"] if p["name"] == "speed"]
        world.until(lambda: speeds() == ["0.05"], "a parameter is set")

        tab.select("courier_1")
        tab["inspector-sensor"].select_option("odom")
        tab["sensor-off"].click()
        tab["toast"].get_by_text("is off").wait_for()
        time.sleep(0.5)
        before = world.heard("/courier_1/odom")
        time.sleep(0.5)
        b.check(world.heard("/courier_1/odom") == before, "a sensor that is off is silent", before, world.heard("/courier_1/odom"))
        tab["sensor-on"].click()
        world.until(lambda: world.heard("/courier_1/odom") > before, "and goes on")

        tab["toolbar-overlays"].click()
        tab["overlay-elements"].check()
        tab.until("!!document.querySelector('[data-testid=element-label]')", "an element is marked")
        world.ctl("draw", "way", "--kind", "strip", "--at", "0,0,0.2", "--at", "2,1,0.2", "--text", "this way", "--color", "#ff00ff", "--size", "0.05")
        world.ctl("draw", "nose", "--kind", "arrows", "--at", "0,0,0.3", "--at", "1,0,0.3", "--frame", "courier_1", "--text", "ahead")
        world.ctl("draw", "marks", "--kind", "points", "--at", "1,1", "--at", "1,2")
        tab.until("document.querySelectorAll('[data-testid=drawing-label]').length === 2", "drawings are shown")
        tab.picture("drawings")
        tab["overlay-drawings"].uncheck()
        tab.until("!document.querySelector('[data-testid=drawing-label]')", "and hidden")
        tab["overlay-drawings"].check()
        tab.until("document.querySelectorAll('[data-testid=drawing-label]').length === 2")
        world.ctl("erase", "--all")
        tab.until("!document.querySelector('[data-testid=drawing-label]')", "until they are erased")
        b.check(re.fullmatch(r"convoy.Vehicle alice/1", tab["element-label"].first.inner_text()), "what it is", tab["element-label"].first.inner_text())
        tab.picture("elements")
        foreign.terminate()
        foreign.wait()
        tab["element-label"].first.wait_for(state="detached")
        tab.close()
