#!/usr/bin/env python3
"""Parts of MuJoCo robots that are set from outside, and what robots touch: by convoy ctl, the same on any hosts, and by the
client library.

    tests/e2e/test_parts.py CONVOY HANDS [PART...]

Standard library only. Prints one line per check that fails and exits 1 if there is any.
"""
import json
import subprocess
import sys

from harness import last_line, new_bench

PARTS = """
convoy: 1
name: parts
time: {tick: 10ms, duration: 60s}
robots:
  - {name: crate, model: crate.xml, placement: {poses: [[0, 0]]}}
  - {name: arm, model: reach.xml, placement: {poses: [[20, 3, 1.1]]}, keyframe: up}
  - {name: burger, model: turtlebot3_burger, placement: {poses: [[-3, 0]]}, sensors: [pose]}
"""
CRATE = """<mujoco><option timestep="0.002"/><worldbody><body name="crate" pos="0 0 0.1"><freejoint/>
  <geom type="box" size="0.1 0.1 0.1" mass="2"/></body></worldbody></mujoco>"""
REACH = """<mujoco><option timestep="0.002" gravity="0 0 0"/><worldbody><body name="goal" mocap="true" pos="0 0 2"/>
  <body name="link" pos="0 0 0.5"><joint name="turn" axis="0 0 1" damping="1"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/></body>
  </worldbody><keyframe><key name="home" qpos="0"/><key name="up" qpos="0.7"/></keyframe></mujoco>"""


def write(b):
    (b.folder / "parts.yaml").write_text(PARTS)
    (b.folder / "crate.xml").write_text(CRATE)
    (b.folder / "reach.xml").write_text(REACH)


def parts(b):
    """Forces, joints, mocap bodies, options and keyframes from outside, and contacts: the same on any hosts, replayed."""
    seen = []
    for hosts, free in ((1, False), (2, False), (2, True)):
        recording = b.folder / f"parts_{hosts}.mcap"
        more = ("--mode", "free") if free else ("--paused", "--speed", "max", "--record", recording)
        with b.start("launch", b.folder / "parts.yaml", "--hosts", hosts, *more) as run:
            at = f"127.0.0.1:{run.port()}"
            run.wait_for("the run begins")

            def say(code, out, err, *arguments, at=at):
                return b.expect(code, out, err, "ctl", "--connect", at, *arguments)

            def answer(*arguments, say=say):
                return json.loads(say(0, r"\A\{", None, *arguments, "--json").stdout)

            if free:
                part_of_free(b, say, answer)
                continue
            say(0, "waits at tick 100$", None, "step", 100)
            say(0, "crate on own world: at .* normal 0 0 1, force .* N, depth", None, "contacts", "crate")
            found = answer("contacts", "crate")["contacts"]
            b.check(abs(sum(c["force"][2] for c in found) - 19.62) < 0.2, "the ground does not bear the crate", found)
            b.check("0 contacts" in say(0, "", None, "contacts", "burger").stdout, "a burger that touches nothing")
            b.check(answer("contacts", "burger")["contacts"] == [], "no contacts are a list")
            say(0, "pushed at tick 100$", None, "push", "crate", "--force", "30,0,0", "--for", 0.5)
            say(0, "set at", None, "joint", "arm", "turn=-0.5,0.25")
            say(0, "set at", None, "mocap", "arm", "goal=20,3,1")
            say(0, "set at", None, "option", "crate", "solver=CG")
            say(0, "set at", None, "option", "crate", "iterations=20")
            say(0, "waits at tick 200$", None, "step", 100)
            x = answer("get", "crate")["pose"]["p"][0]
            b.check(0.3 < x < 2, "the crate was not pushed", x)
            say(0, "spawned", None, "spawn", "next", "--model", "crate_xml", "--pose", f"{x + 0.25},0")
            say(0, "pushed", None, "push", "crate", "--body", "crate", "--force", "30,0,0", "--torque", "0,0,0.1", "--for", 30)
            say(0, "waits at tick 260$", None, "step", 60)
            touching = [c for c in answer("contacts", "crate")["contacts"] if c["entity"] == "next"]
            b.check(touching and sum(c["force"][0] for c in touching) < -1, "what is pushed is not felt", touching)
            say(0, "spawned", None, "spawn", "other", "--model", "reach_xml", "--pose", "5,5", "--keyframe", "up")
            say(1, "", "has no keyframe 'upp'; did you mean 'up'", "spawn", "third", "--model", "reach_xml", "--pose", "6,5", "--keyframe", "upp")
            say(1, "", "no MuJoCo robot", "push", "burger", "--force", "1,0,0")
            say(1, "", "has no body 'crat'; did you mean 'crate'", "push", "crate", "--body", "crat", "--force", "1,0,0")
            say(1, "", "has no joint 'trun'; did you mean 'turn'", "joint", "arm", "trun=1")
            say(1, "", "has no mocap body 'link'", "mocap", "arm", "link=0,0,1")
            say(1, "", "is no option that may change: solver, iterations", "option", "crate", "timestep=0.1")
            say(1, "", "iterations is a whole number from 1 to 10000", "option", "crate", "iterations=0.5")
            say(2, None, "JOINT=POSITION", "joint", "arm", "turn")
            say(2, None, "needs --force", "push", "crate")
            say(1, "", "unknown entity 'crat'; did you mean 'crate'", "contacts", "crat")
            say(0, "waits at tick 270$", None, "step", 10)
            say(0, "the run ends", None, "stop")
            b.check(run.wait() == 0, "the run did not end in order", run.text())
            seen.append(last_line(run.out.read_text()))
        for again in (1, 3):
            b.expect(0, seen[-1], "", "replay", recording, "--verify", "--hosts", again)
        b.expect(0, seen[-1], "", "replay", recording, "--verify", "--from", "2.1")
    b.check(len(set(seen)) == 1, "the digests differ by hosts", seen)


def part_of_free(b, say, answer):
    """In free mode the same calls act, each at its boundary."""
    say(0, "pushed", None, "push", "crate", "--force", "30,0,0", "--for", 0.5)
    for _ in range(100):
        if answer("get", "crate")["pose"]["p"][0] > 0.3:
            break
    b.check(answer("get", "crate")["pose"]["p"][0] > 0.3, "a push in free mode moves nothing")
    for _ in range(100):  # it hops
        found = answer("contacts", "crate")["contacts"]
        if found:
            break
    b.check(found and found[0]["own_body"] == "world", "contacts in free mode", found)
    say(0, "the run ends", None, "stop")


def library(b, hands):
    """The same by the C++ client, in both modes."""
    for mode in ("lockstep", "free"):
        with b.start("launch", b.folder / "parts.yaml", "--mode", mode, "--speed", 1, "--hosts", 2) as run:
            at = f"127.0.0.1:{run.port()}"
            run.wait_for("the run begins")
            done = subprocess.run([hands, at], capture_output=True, text=True, timeout=b.patience, check=False)
            text = done.stdout
            for line in ("spawn: done", "up: 0.700", "crate: 19.6 N on world", "push: done",
                         "push: 'crate' has no body 'crat'; did you mean 'crate'?", "joint: done", "mocap: done", "option: done",
                         "option: iterations is a whole number from 1 to 10000", "burger: 0", "place: seen", "moved"):
                b.check(line in text.splitlines(), f"{mode}: '{line}' is missing", text, done.stderr)
            b.check(done.returncode == 0, f"{mode}: the program failed", done.returncode)
            b.expect(0, "the run ends", "", "ctl", "--connect", at, "stop")


def main():
    with new_bench(sys.argv[1]) as b:
        write(b)
        b.run({"parts": parts, "library": lambda bench: library(bench, sys.argv[2])}, sys.argv[3:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
