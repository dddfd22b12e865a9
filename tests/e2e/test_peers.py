#!/usr/bin/env python3
"""The peers of the ROS 2 tests among themselves, without a simulator: what they cannot do with one another, no test can ask.

    tests/e2e/test_peers.py CYCLONE_PEER [PART...]

Prints one line per check that fails and exits 1 if there is any.
"""
import sys

from harness import new_bench
from ros2 import Peers, Types, result_of, with_key

STRING = "std_msgs/msg/String"


def topics(peers):
    """A message of either passes to the other, and to its like."""
    types = Types()
    hello = types.encode(STRING, {"data": "hello"}).hex()
    with peers.start("cyclone", "pub", "/from_cyclone", STRING, hello, "--count", 100000, "--timeout", 60):
        heard = peers.rclpy("echo", "/from_cyclone", STRING, "--count", 2)
        peers.bench.check(heard == [{"data": "hello"}] * 2, "rclpy hears of Cyclone", heard)
        heard = peers.cyclone("echo", "/from_cyclone", STRING, "--count", 2)
        peers.bench.check([types.decode(STRING, bytes.fromhex(line)) for line in heard] == [{"data": "hello"}] * 2, "Cyclone hears of Cyclone", heard)
    with peers.start("rclpy", "pub", "/from_rclpy", STRING, '{"data": "hello"}', "--count", 100000, "--timeout", 60):
        heard = peers.cyclone("echo", "/from_rclpy", STRING, "--count", 2)
        peers.bench.check([types.decode(STRING, bytes.fromhex(line)) for line in heard] == [{"data": "hello"}] * 2, "Cyclone hears of rclpy", heard)


def services(peers):
    """Each calls its like: services of one are not understood by the other."""
    types = Types()
    reply = types.encode("std_srvs/srv/Trigger_Response", {"success": True, "message": "done"})
    request = types.encode("std_srvs/srv/Trigger_Request").hex()
    with peers.start("cyclone", "serve", "/cyclone/trigger", "std_srvs/srv/Trigger", reply.hex()) as server:
        server.wait_for("serving")
        lines = peers.cyclone("call", "/cyclone/trigger", "std_srvs/srv/Trigger", request, "--count", 5)
        answers = [types.decode("std_srvs/srv/Trigger_Response", bytes.fromhex(line.split()[0])) for line in lines]
        peers.bench.check(answers == [{"success": True, "message": "done"}] * 5, "Cyclone calls Cyclone", lines)
    with peers.start("rclpy", "serve", "/rclpy/trigger", "std_srvs/srv/Trigger", '{"success": true, "message": "done"}', "--timeout", 60) as server:
        server.wait_for("serving")
        lines = peers.rclpy("call", "/rclpy/trigger", "std_srvs/srv/Trigger", "{}", "--count", 5)
        peers.bench.check([line["reply"] for line in lines] == [{"success": True, "message": "done"}] * 5, "rclpy calls rclpy", lines)


def graph(peers):
    """Both see one another's nodes, endpoints, type hashes and quality of service."""
    types = Types()
    hello, own = types.encode(STRING, {"data": "hello"}).hex(), types.hash_of(STRING)
    words = ("--typehash", own, "--node", "speaker", "--namespace", "/a/b", "--transient-local", "--no-wait", "--count", 100000)
    with peers.start("cyclone", "pub", "/speech", STRING, hello, *words):
        nodes = peers.rclpy("nodes", "--until", "/a/b/speaker")
        peers.bench.check({"node": "/a/b/speaker", "listed": 1} in nodes, "rclpy sees the node", nodes)
        ends = [one for one in with_key(peers.rclpy("topics", "--until", "/speech"), "topic") if one["topic"] == "/speech"]
        want = {"kind": "writer", "node": "/a/b/speaker", "type": STRING, "hash": own, "reliability": "reliable", "durability": "transient_local"}
        peers.bench.check(len(ends) == 1 and want.items() <= ends[0].items(), "rclpy sees the endpoint", ends)
    with peers.start("rclpy", "echo", "/speech", STRING, "--node", "listener", "--namespace", "/a", "--best-effort", "--timeout", 60):
        nodes = peers.cyclone("nodes", "--until", "/a/listener rt/speech")
        readers = [one for node in nodes if node["node"] == "/a/listener" for one in node["readers"] if one.get("topic") == "rt/speech"]
        peers.bench.check(len(readers) == 1 and readers[0]["type"] == "std_msgs::msg::dds_::String_", "Cyclone sees node and endpoint", nodes)
        ends = [one for one in with_key(peers.cyclone("topics", "--until", "rt/speech"), "topic") if one["topic"] == "rt/speech"]
        want = {"kind": "reader", "user_data": f"typehash={own};", "reliability": "best_effort", "durability": "volatile", "representations": [0]}
        peers.bench.check(len(ends) == 1 and want.items() <= ends[0].items(), "Cyclone sees the endpoint", ends)
    peers.rclpy("nodes", "--gone", "/a/listener")


def robot(peers):
    """A toy is driven, keeps its own time and is mapped."""
    with peers.start("toy", 2.0) as toy:
        toy.wait_for("ready")
        came = peers.rclpy("drive", "/toy/cmd_vel", "/toy/odom", "--linear", 0.5, "--metres", 0.4)[-1]
        peers.bench.check(came["end"][0] - came["start"][0] >= 0.4 and came["frame"] == "odom", "it is driven", came)
        came = peers.rclpy("drive", "/toy/cmd_vel", "/toy/odom", "--angular", 1.0, "--radians", 1.5)[-1]
        peers.bench.check(came["turned"] >= 1.5, "it is turned", came)
        instants = [int(line) for line in peers.rclpy("clock", "--count", 5)]
        peers.bench.check(instants == sorted(set(instants)) and all(ns % 100_000_000 == 0 for ns in instants), "simulated time", instants)
        room = peers.bench.folder / "room"
        room.with_suffix(".yaml").write_text("image: room.pgm\nresolution: 0.1\norigin: [-2.2, -2.2, 0.0]\noccupied_thresh: 0.65\n")
        edge = b"\0" * 44
        room.with_suffix(".pgm").write_bytes(b"P5\n44 44\n255\n" + 2 * edge + 40 * (b"\0\0" + 40 * b"\xfe" + b"\0\0") + 2 * edge)
        drawn = peers.rclpy("map", "/toy/scan", "/toy/odom", "--count", 5, "--resolution", 0.1, "--reference", room.with_suffix(".yaml"))
        peers.bench.check(any(isinstance(line, str) and line.count("#") > 20 for line in drawn), "a wall is drawn", *drawn)
        found = drawn[-1]
        peers.bench.check(found["compared"] > 1000 and found["agree"] > 0.97 * found["compared"], "the map agrees with the room", found)


def crowd(peers):
    """A hundred participants, and a thousand endpoints of one, are seen by both."""
    for participants, endpoints in ((100, 2), (1, 1000)):
        with peers.start("cyclone", "crowd", "--participants", participants, "--endpoints", endpoints):
            nodes = [word for i in range(participants) for word in ("--until", f"/cyclone_peer_{i}")]
            last = f"crowd/p{participants - 1}/t{endpoints // 2 - 1}"
            peers.rclpy("nodes", *nodes)
            peers.cyclone("nodes", *nodes)
            peers.rclpy("topics", "--until", f"/{last}")
            peers.cyclone("topics", "--until", f"rt/{last}")


def main():
    parts = {"topics": topics, "services": services, "graph": graph, "robot": robot, "crowd": crowd}
    with new_bench("convoy") as b:
        return result_of(b, lambda: Peers(b, sys.argv[1]), parts, sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
