#!/usr/bin/env python3
"""Calls about entities, from the outside, through any client: over ZeroMQ and by the Python package.

    .env/python/bin/python tests/e2e/test_entities.py CONVOY [PART...]

Prints one line per check that fails and exits 1 if there is any.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python"))
from harness import new_bench
from test_calls import Simulator, together

import convoy


def refusal(ask):
    """The code with which it is refused; None: it is not."""
    try:
        ask()
    except convoy.ConvoyError as error:
        return error.code
    return None


def built(b, hosts, recording):
    """A stack of crates and a robot, spawned through the first client and the last; the digest, and who runs what."""
    with Simulator(b, hosts, "--record", recording) as simulator:
        programs = simulator.programs(name="builder")
        first, last = programs[0], programs[-1]
        first("reset", observations="none")  # at tick 0, wherever the programs found it
        said = first("spawn", entities=[{"name": "low", "model": "box", "position": [3, 0], "tags": ["stack"]},
                                        {"name": "burger_0", "model": "box"}])
        b.check([one.get("code") for one in said["entities"]] == [None, "exists"], "a batch tells of each entity", said)
        first("spawn", entities=[{"name": "high", "model": "box", "position": [0, 0, 0.5], "frame": "low", "tags": ["stack"]}])
        said = last("spawn", entities=[{"name": "scout", "model": "turtlebot3_burger", "position": [3, 2], "yaw": 1.57}])
        robot = said["entities"][0].get("articulation", {})
        b.check(robot.get("name") == "scout" and len(robot["joints"]) == 3, "a robot that is spawned is described", said)
        b.check(first("attach", parent="low", child="high")["op"] == "attach_ok", "attach")
        b.check(last("lease", articulations=["scout"])["op"] == "lease_ok", "the robot is the last client's")
        b.check(first("delete", entities=["scout"])["op"] == "delete_ok", "and its holder's, by any client")
        last("spawn", entities=[{"name": "scout", "model": "turtlebot3_burger", "position": [3, 2], "yaw": 1.57}])
        b.check(last("set_twist", articulation="scout", linear=[0.2, 0, 0], angular=[0, 0, 0])["op"] == "set_twist_ok", "it obeys")
        first("set_environment", rain=0.5)
        first("set_entity", entity="low", velocity=[0, 0.5, 0])
        together(programs, "step", ticks=100, observations="none")
        there = last("get_entity", entity="high", frame="low")
        b.check([round(x, 6) for x in there["position"]] == [0, 0, 0.5] and there["details"]["parent"] == "low", "it rides", there)
        b.check(first("list_entities", tags=["stack"])["entities"] == ["low", "high"], "a list by tag")
        whose = {one["name"]: one["owner"] for one in last("list_entities", name="low|scout", details=True)["entities"]}
        b.check(whose == {"low": first.hello["host"], "scout": last.hello["host"]}, "what is spawned is its client's", whose)
        b.check(first("spawn", entities=[{"name": "x", "model": "box", "colour": "red", "position": [0, 0], "tags": 5}])["code"] ==
                "bad_value", "a tag that is none")
        b.check(first("detach", child="nobody")["code"] == "unknown_entity", "who is not there")
        b.check("box" in last("list_models")["models"], "models")
        together(programs, "step", ticks=5, observations="none")
    b.check(len(simulator.digest) == 1, "no digest", simulator.log)
    return simulator.digest


def clients(b):
    """The same calls make the same bytes, whichever clients they come through, and a recording replays them."""
    recording = b.folder / "entities.mcap"
    alone = built(b, 1, recording)
    b.check(built(b, 2, recording) == alone, "one digest on one host and on two")
    for hosts in 1, 2, 3:
        b.expect(0, f"^digest {alone[0]}$", "", "replay", recording, "--verify", "--hosts", hosts)


def package(b):
    """The Python package: what it spawns is in `robots`, at the client that it names, and errors have codes."""
    with Simulator(b, 2) as simulator, convoy.connect(f"127.0.0.1:{simulator.port}", name="builder") as world:
        ours = [one["host"] for one in world.hello["endpoints"]]
        for i, host in enumerate(ours):
            world.spawn(f"scout_{i}", "turtlebot3_burger", (3, i), yaw=0.5, host=host)
            b.check(world.robots[f"scout_{i}"].host == host, "a robot at the client that was named", world.robots)
        told = world.world()
        places = {one["name"] for one in told["places"]}
        b.check({"name", "seed", "tick", "now", "run", "mode", "map", "environment", "models", "places", "cut"} <= told.keys() and
                told["mode"] == "lockstep" and not told["cut"] and places and "scout_0" not in places and
                any(one["name"] == "box" and one["category"] == "object" for one in told["models"]), "what runs here", told)
        b.check(world.elements() == [], "no elements")
        world.lease(["scout_0", "scout_1"])
        b.check(world.entity("scout_1")["details"]["holder"] == "builder", "the holder")
        b.check(world.entity("scout_1")["position"].tolist()[:2] == [3, 1], "where it is", world.entity("scout_1"))
        for code, ask in (("exists", lambda: world.spawn("scout_0", "box")), ("unknown_entity", lambda: world.delete("nobody")),
                          ("bad_value", lambda: world.set_entity("scout_0", position=[1])),
                          ("unknown_entity", lambda: world.spawn("x", "no_such_model"))):
            try:
                ask()
                b.check(False, f"nobody refused with {code}")
            except convoy.ConvoyError as error:
                b.check(error.code == code or (code, error.code) == ("bad_value", "dim_mismatch"), f"{code}", error.code, error.message)
        changes = world.changes(weather=True, name="scout_.*")

        def told():
            return [(one.kind, one.name) for one in changes.poll()]

        b.check(told() == [("appeared", "scout_0"), ("appeared", "scout_1"), ("weather", "")], "the first look")
        b.check(told() == [], "nothing happens")
        world.set_entity("scout_1", position=[5, 5])
        world.attach("scout_1", "scout_0")
        world.set_environment(rain=0.25)
        world.spawn("scout_2", "box", (7, 7))
        b.check(told() == [("attached", "scout_0"), ("moved", "scout_1"), ("appeared", "scout_2"), ("weather", "")], "a look")
        world.draw("way", [[0, 0], [1, 2, 0.5]], "strip", frame="scout_0", color="#00ff00", lasts=100)
        world.draw("sign", [[1, 1, 1]], "text", text="here")
        drawn = {one["name"]: one for one in world.drawings()}
        b.check(drawn["way"]["points"] == [[0, 0, 0], [1, 2, 0.5]] and drawn["way"]["frame"] == "scout_0" and drawn["sign"]["until"] is None, "drawings", drawn)
        refused = [refusal(lambda: world.draw("x", [[0, 0]])), refusal(lambda: world.draw("x", [[0, 0, 0, 0]])), refusal(lambda: world.draw("x", [[0, 0]], "cube")),
                   refusal(lambda: world.erase("nothing"))]
        b.check(refused == ["bad_value", "dim_mismatch", "bad_value", "unknown_entity"], "what cannot be drawn", refused)
        world.erase("way")
        b.check([one["name"] for one in world.drawings()] == ["sign"], "erased")
        world.erase()
        b.check(world.drawings() == [] and told() == [], "and nothing of it is in the world")
        world.set_tags("scout_0", "red", "loud")
        b.check(told() == [("tagged", "scout_0")] and world.entities(tags=["loud"]) == ["scout_0"], "other tags")
        world.detach("scout_0")
        world.delete("scout_2")
        seen = changes.poll()
        b.check([(one.kind, one.name) for one in seen] == [("gone", "scout_2"), ("attached", "scout_0")] and
                seen[1].now["parent"] is None, "another", seen)
        world.set_mode("stepped")
        world.step(ticks=2, controls={})
        b.check(world.entities(name="scout_.*") == ["scout_0", "scout_1"] and "box" in world.models(), "lists")
        world.delete("scout_0", "scout_1")
        b.check("scout_0" not in world.robots and world.entities(prefix="scout") == [], "they are gone")


def main():
    with new_bench(sys.argv[1]) as b:
        b.run({"clients": clients, "package": package}, sys.argv[2:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
