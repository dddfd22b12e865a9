#!/usr/bin/env python3
"""ZeroMQ streams and robots, from the outside: the info of many robots.

    .env/python/bin/python tests/e2e/test_zmq_robots.py CONVOY [PART...]

Prints one line per check that fails and exits 1 if there is any.
"""
import json
import sys

from harness import free_block, new_bench
from test_zmq import Peer, scenario


def crowd(b):
    """Programs that read 20 messages of info, each by a connection of its own, see all robots of many in turn."""
    port = free_block(100)
    file = scenario(b, port)
    file.write_text(file.read_text().split("robots:")[0].replace("size: [6, 5]", "size: [40, 40]") +
                    "robots:\n  - {name: r, count: 65, model: turtlebot3_waffle}\n")
    with b.start("run", file):
        peer, told, readings = Peer(port), set(), 0
        while len(told) < 65 and readings < 12:
            info = peer.listen(2)
            told |= {json.loads(info.recv())["robot"] for _ in range(20)}
            info.close()
            readings += 1
        b.check(len(told) == 65, f"{readings} readings of 20 messages show {len(told)} of 65 robots")
        peer.close()


def main():
    with new_bench(sys.argv[1]) as b:
        b.run({"crowd": crowd}, sys.argv[2:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
