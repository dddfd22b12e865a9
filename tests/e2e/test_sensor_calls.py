#!/usr/bin/env python3
"""Sensors of a run that is going: listed, looked through, changed and spawned by call, the same on any hosts, and replayed.

    tests/e2e/test_sensor_calls.py CONVOY [PART...]

Standard library only. Prints one line per check that fails and exits 1 if there is any.
"""
import json
import sys

from harness import last_line, new_bench

SCENARIO = """
convoy: 1
name: sensors
time: {tick: 10ms, duration: 60s}
world: {ground: {size: [6, 4], walls: {thickness: 0.2, height: 1}}}
sensors: {}
digest: [state, sensors]
robots:
  - name: burger
    model: turtlebot3_burger
    placement: {poses: [[2.4, 0]]}
    sensors: [lds_01, {type: contact, rate: 100}, {type: battery, capacity: 0.01}, {type: overlap, size: [2, 2, 2]}, keyboard, joy]
  - name: crate
    model: crate.xml
    placement: {poses: [[-2, 1, 0.5]]}
    sensors: [{type: contact, min_force: 1}, {type: mujoco, element: felt}, {type: mujoco, element: felled}]
"""
CRATE = """<mujoco><option timestep="0.002"/><worldbody><body name="crate" pos="0 0 0.1"><freejoint/>
  <geom type="box" size="0.1 0.1 0.1" mass="2"/><site name="top" pos="0 0 0.1"/></body></worldbody>
  <sensor><accelerometer name="felt" site="top"/></sensor></mujoco>"""


def calls(b):
    (b.folder / "sensors.yaml").write_text(SCENARIO)
    (b.folder / "crate.xml").write_text(CRATE)
    seen = []
    for hosts in (1, 2):
        recording = b.folder / f"sensors_{hosts}.mcap"
        with b.start("launch", b.folder / "sensors.yaml", "--hosts", hosts, "--paused", "--speed", "max", "--record", recording) as run:
            at = f"127.0.0.1:{run.port()}"
            run.wait_for("the run begins")

            def say(code, out, err, *arguments, at=at):
                return b.expect(code, out, err, "ctl", "--connect", at, *arguments)

            def shown(*arguments, say=say):
                return json.loads(say(0, r"\A\{", None, "sensor", *arguments, "--json").stdout)["data"]

            say(0, "6 sensors$", None, "sensor", "burger")
            listed = {one["sensor"]: one for one in shown("burger")["sensors"]}
            b.check(listed["scan"]["message"] == "sensor_msgs/msg/LaserScan" and listed["scan"]["period"] == 0.2, "list", listed)
            say(0, "waits at tick 100$", None, "step", 100)
            run.wait_for("'crate' lacks a sensor from tick 1 on: 'felled': its robot's file has no sensor 'felled'; "
                         "did you mean 'felt'?")

            scan = shown("burger", "scan")
            b.check(abs(scan["data"]["ranges"][0] - (3 - 2.4 + 0.032)) < 0.05, "the wall ahead", scan["data"]["ranges"][0])
            b.check(scan["data"]["ranges"][180] == "inf" and scan["index"] == 5, "nothing behind, sample 5", scan["index"])
            felt = shown("crate", "felt")["data"]["values"]
            b.check(abs(felt[2] - 9.81) < 0.05 and abs(felt[0]) < 0.05, "the crate's accelerometer", felt)
            borne = sum(one["force"]["z"] for one in shown("crate", "contact")["data"]["touches"])
            b.check(abs(borne - 19.62) < 0.1, "the ground does not bear the crate", borne)
            b.check(shown("burger", "contact")["data"]["touches"] == [], "it touches nothing yet")

            say(0, "commanded", None, "drive", "burger", "--forward", 0.2, "--timeout", 30)
            say(0, "commanded", None, "actions", "burger", 5)
            say(0, "changed from tick 100 on$", None, "sensor", "burger", "scan", "--set", "rate=50", "--set", "beams=4")
            say(0, "waits at tick 600$", None, "step", 500)
            touches = shown("burger", "contact")["data"]["touches"]
            b.check(len(touches) == 1 and abs(touches[0]["normal"]["x"] + 1) < 1e-6 and touches[0]["other"] == "",
                    "the wall is not felt", touches)
            say(0, "itself on the static world: at", None, "contacts", "burger")
            scan = shown("burger", "scan")
            # 0 to 5 by then, one each 20 ms from tick 101 on.
            b.check(len(scan["data"]["ranges"]) == 4 and scan["index"] == 6 + 249, "the changed scanner", scan["index"])
            b.check(shown("burger", "keyboard")["data"] == {"held": 5}, "keys")
            b.check(abs(shown("burger", "joy")["data"]["axes"][0] - 0.2) < 1e-6, "the stick")
            used = 1 - shown("burger", "battery")["data"]["share"]
            b.check(0.8 < used <= 1, "5 s of 5 W and the way from 36 J", used)

            say(0, "spawned", None, "spawn", "visitor", "--model", "turtlebot3_burger", "--pose", "2.3,0.5")
            say(0, "spawned", None, "spawn", "plain", "--model", "turtlebot3_burger", "--pose=-1.7,-1", "--sensors", "none")
            say(0, "waits at tick 610$", None, "step", 10)
            b.check(shown("burger", "overlap")["data"]["inside"] == ["visitor"], "who has come")
            b.check([one["sensor"] for one in shown("visitor")["sensors"]] == ["scan", "imu", "odom"], "what it carries")
            b.check(shown("plain")["sensors"] == [], "what was asked to carry nothing")
            say(0, "changed", None, "sensor", "burger", "scan", "--set", "on=false")
            say(0, "waits at tick 620$", None, "step", 10)

            say(1, "", "'burger' has no sensor 'skan'; did you mean 'scan'?", "sensor", "burger", "skan")
            say(1, "", "'crate': it samples nothing", "sensor", "crate", "felled")
            say(1, "", "unknown entity 'burgr'; did you mean 'burger'", "sensor", "burgr")
            say(1, "", "beems: unknown field", "sensor", "burger", "scan", "--set", "beems=4")
            say(1, "", "a scan has a beam at least", "sensor", "burger", "scan", "--set", "beams=0")
            say(1, "", "faster than a tick", "sensor", "burger", "scan", "--set", "rate=1000")
            say(2, None, "--set is FIELD=VALUE", "sensor", "burger", "scan", "--set", "rate")
            say(2, None, "--set needs a sensor", "sensor", "burger", "--set", "rate=4")
            say(0, "the run ends", None, "stop")
            b.check(run.wait() == 0, "the run did not end in order", run.text())
            seen.append(last_line(run.out.read_text()))
        b.expect(0, seen[-1], "", "replay", recording, "--verify", "--hosts", 3)
    b.check(len(set(seen)) == 1, "the digests differ by hosts", seen)


def main():
    with new_bench(sys.argv[1]) as b:
        b.run({"calls": calls}, sys.argv[2:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
