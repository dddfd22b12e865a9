#!/usr/bin/env python3
"""The hardware interface of examples/ros2_control under a host that does what a controller manager does, over declarations of
our own (tests/ros2_control): reads, writes, mode switches, loss of the link.

    /usr/bin/python3 tests/e2e/test_ros2_control.py build/convoy HOST [PART...]
"""
import json
import pathlib
import re
import subprocess
import sys

from harness import new_bench

MODEL = """\
<mujoco model="two">
  <option timestep="0.002"/>
  <worldbody>
    <body name="arm" pos="0 0 0.5">
      <joint name="turn" type="hinge" axis="0 0 1" damping="0.5"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03" mass="1"/>
      <body name="hand" pos="0.4 0 0">
        <joint name="wrist" type="hinge" axis="0 0 1" damping="0.1"/>
        <geom type="capsule" fromto="0 0 0 0.2 0 0" size="0.02" mass="0.2"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <velocity name="spin" joint="turn" kv="2"/>
    <motor name="push" joint="turn" ctrlrange="-2 2"/>
    <position name="hold" joint="wrist" kp="5" kv="0.5"/>
  </actuator>
</mujoco>
"""
SCENARIO = """\
convoy: 1
name: controlled
time: {tick: 10ms, duration: 3600s}
world: {ground: {size: [6, 6]}}
robots:
  - {name: two, model: two.xml, placement: {poses: [[0, 0, 0]]}}
"""


class Host:
    """A controller manager's part, line by line; the transcript is printed."""

    def __init__(self, b, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=b.environment)
        self.begun = self.process.stdout.readline().strip()
        print("  " + self.begun)

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = []
        while (said := self.process.stdout.readline().strip()) and said != "done":
            answer.append(said)
        print(f"  {line} -> {', '.join(answer)}", flush=True)
        return answer

    def states(self):
        return {key: float(value) for key, value in (line.split() for line in self.say("states"))}

    def end(self):
        """What it said beside its answers."""
        self.process.stdin.close()
        text = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        self.process.wait()
        return text


def controls(b, host):
    """Joints by position, velocity and effort; modes that exclude each other; a lease; the link is lost."""
    (b.folder / "two.xml").write_text(MODEL)
    scenario = b.folder / "controlled.yaml"
    scenario.write_text(SCENARIO)
    with b.start("launch", scenario, "--speed", 1) as run:
        at = f"127.0.0.1:{run.port()}"
        run.wait_for("the run begins")
        one = Host(b, [host, at, "two", "turn:velocity=spin,effort=push", "wrist:position"])
        b.check(one.begun == "init success", "it begins", one.begun)
        b.check(one.say("configure") == ["configure success"], "it joins")
        b.check(one.say("activate") == ["activate success"], "it takes the robot")
        b.expect(1, "", r"has leased 'two'", "ctl", "--connect", at, "control", "two", "hold=1")
        b.check(one.say("switch +wrist/position +turn/velocity") == ["switch ok"], "modes")
        before = one.states()
        one.say("set wrist/position 0.6")
        one.say("set turn/velocity 1.0")
        b.check(one.say("cycle 100") == ["cycle ok"], "it reads and writes")
        after = one.states()
        b.check(abs(after["wrist/position"] - 0.6) < 0.15, "a position is reached", before, after)
        b.check(0.5 < after["turn/velocity"] < 1.5 and after["turn/position"] > before["turn/position"] + 0.3, "a velocity is kept", before, after)
        b.check(one.say("switch +turn/effort") == ["switch error"], "one mode at a time")
        b.check(one.say("switch +turn/effort -turn/velocity") == ["switch ok"], "another mode")
        one.say("set turn/effort -1.5")
        b.check(one.say("cycle 100") == ["cycle ok"], "with an effort")
        pushed = one.states()
        b.check(pushed["turn/velocity"] < after["turn/velocity"] - 0.5, "an effort acts", after, pushed)
        actuators = json.loads(b.expect(0, "", "", "ctl", "--connect", at, "--json", "actuators", "two").stdout)["data"]["actuators"]
        told = {each["name"]: each["control"] for each in actuators}
        b.check(abs(told["hold"] - 0.6) < 1e-6 and told["spin"] == 0 and abs(told["push"] + 1.5) < 1e-6, "what the actuators are told", told)
        b.check(one.say("deactivate") == ["deactivate success"], "it gives the robot back")
        b.expect(0, "", "", "ctl", "--connect", at, "control", "two", "push=0")
        b.check(one.say("activate") == ["activate success"], "and takes it again")
        b.expect(0, "", "", "ctl", "--connect", at, "stop")
        b.check(one.say("cycle 500") == ["cycle error"], "the link is lost")
        b.check(one.say("cleanup") == ["cleanup success"], "it leaves")
        text = one.end()
        b.check(re.search(r"turn already takes velocity", text), "what is refused is said", text)


def refused(b, host):
    """A server that is not there, a robot and joints that the run does not have, commands without an actuator."""
    absent = Host(b, [host, "127.0.0.1:1", "two", "turn:velocity"])
    b.check(absent.say("configure") == ["configure error"], "nobody is there")
    b.check("127.0.0.1:1" in absent.end(), "who is not there is said")
    wrong = Host(b, [host, "127.0.0.1:1", "two", "turn:torque"])
    b.check(wrong.begun == "init error", "an interface that there is not", wrong.begun)
    b.check("turn has no command interface torque" in wrong.end(), "it is said")
    (b.folder / "two.xml").write_text(MODEL)
    scenario = b.folder / "controlled.yaml"
    scenario.write_text(SCENARIO)
    with b.start("launch", scenario, "--speed", 1) as run:
        at = f"127.0.0.1:{run.port()}"
        run.wait_for("the run begins")
        for words, said in ((("nobody", "turn:velocity"), "nobody"), (("two", "knee:position"), "it has no joint knee"),
                            (("two", "turn:velocity"), "turn: 2 actuators drive it; its parameters name one"),
                            (("two", "turn:velocity=hold2"), "turn: 0 actuators drive it")):
            one = Host(b, [host, at, *words])
            b.check(one.say("configure") == ["configure error"], f"{words} is refused")
            text = one.end()
            b.check(said in text, f"{words}: it is said", text)


def main():
    host = str(pathlib.Path(sys.argv[2]).resolve())
    with new_bench(sys.argv[1]) as b:
        b.run({"controls": lambda b: controls(b, host), "refused": lambda b: refused(b, host)}, sys.argv[3:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
