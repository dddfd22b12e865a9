#!/usr/bin/env python3
"""Hostile documents of robots from a client of its own, sent to a real server: each is refused with a clear text, the
server's ticks and another caller's calls go on meanwhile, and none gets into the journal.

    tests/e2e/test_documents.py CONVOY

The client knows the protocol from its page alone (tests/protocol). Standard library and libxxhash. Prints one line per
check that fails and exits 1 if there is any.
"""
import json
import pathlib
import re
import select
import sys
import time

from harness import last_line, new_bench
from test_mujoco import ITSELF

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "protocol"))
from client import Control
from wire import FIELDS, proto, save, xxh3

SCENARIO = """\
convoy: 1
name: documents
time: {mode: lockstep, tick: 10ms, duration: 3600s}
world: {ground: {size: [12, 12], resolution: 0.1, walls: 0.1}}
robots:
  - {name: walk, count: 4, model: turtlebot3_burger, driver: random_walk}
"""
SANITIZED = "--sanitized"  # a build that answers to faults and to too much memory in its own way
PATIENCE = 300  # s: one of them takes a minute of a processor, which may be busy with other things
FALLING = '<mujoco>{}<worldbody><body><freejoint/><geom size="0.01"/>{}</body></worldbody></mujoco>'
MESH = '<geometry><mesh filename="itself.dae"/></geometry>'


class Caller:
    """Makes calls, and takes answers as they come."""

    def __init__(self, address):
        self.control, self.answers = Control(address), {}

    def start(self, **method):
        return self.control.start(**method)

    def answer(self, call):
        """(error, text), or None if it has not come."""
        while call not in self.answers and (reply := self.control.take()):
            self.answers[reply[0]] = reply[1:]
        return self.answers.get(call)

    def wait(self, call, patience=60):
        end = time.monotonic() + patience
        while self.answer(call) is None:
            if time.monotonic() > end:
                raise RuntimeError("no answer came")
            select.select([self.control.link.socket], [], [], 0.05)
        return self.answers[call]

    def call(self, **method):
        return self.wait(self.start(**method))


def add_file(data):
    return save("AddFile", dict(hash=xxh3(data), offset=0, total=len(data), bytes=data))


def model_of(name, files):
    """A Model whose sender says nothing but its name and its files; the first is the document."""
    empty = {"text": "", "f64": 0.0, "bool": False}
    model = {field: [] if kind.endswith("[]") else empty.get(kind, 0) for field, kind in FIELDS["Model"]}
    model.update(name=name, height=1.0, mass=1.0, command_timeout=10**9, footprint=[dict(x=x, y=y) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))],
                 files=[dict(name=file, hash=xxh3(data)) for file, data in files],
                 engine=dict(type="", library="", parameters=b""))
    return save("Model", model)


def documents(b):
    """by name: the files, and what the refusal must say"""
    outside = b.folder / "outside.xml"
    outside.write_text("<mujoco/>")
    return {
        "many": ([("many.xml", FALLING.format("", "").replace(
            "<body>", '<replicate count="20000" offset="0.1 0 0"><body>').replace("</body>", "</body></replicate>"))],
                 "it takes more than 60 s of a processor|more than 4 GiB of memory|allocate memory"),
        "huge": ([("huge.xml", FALLING.format('<size nuserdata="2000000000"/>', ""))],
                 "allocate memory|more than 4 GiB of memory"),
        # It is there, and nobody looks.
        "outside": ([("outside.xml", f'<mujoco><include file="{outside}"/></mujoco>')], "no file '[^']*outside.xml'"),
        "itself": ([("itself.urdf", f'<robot name="r"><link name="base"><visual>{MESH}</visual><collision>{MESH}</collision>'
                     "</link></robot>"), ("itself.dae", ITSELF)], "the process that read it was killed by SIGSEGV"),
        "broken": ([("broken.xml", "<mujoco><worldbody>")], "not well-formed XML"),
    }


def refused(b, address, hostile, quiet, name, files, says):
    """One document: brought, named by a model, and refused while the other caller's calls are answered."""
    files = [(file, text.encode()) for file, text in files]
    for _, data in files:
        b.check(hostile.call(_31=add_file(data)) == (0, ""), f"{name}: its file is not taken")
    call, meanwhile, first, begun = hostile.start(_25=model_of(name, files)), 0, tick(b, address), time.monotonic()
    while hostile.answer(call) is None or meanwhile < 3:
        b.check(quiet.call(_12=proto(_1="walk_0")) == (0, ""), f"{name}: another caller is not answered")
        meanwhile += 1
        time.sleep(0.1)
        if time.monotonic() - begun > PATIENCE:
            raise RuntimeError(f"{name}: no answer came")
    error, text = hostile.answer(call)
    print(f"  {name}: {text}, after {time.monotonic() - begun:.1f} s and {meanwhile} calls of another", flush=True)
    b.check(error != 0 and f"model '{name}': " in text and re.search(says, text), f"{name}: refused so", error, text)
    end = time.monotonic() + 60
    while tick(b, address) < first + 10 and time.monotonic() < end:
        time.sleep(0.05)
    b.check(tick(b, address) >= first + 10, f"{name}: the server's ticks do not go on")
    b.check(hostile.call(_12=proto(_1="walk_0")) == (0, ""), f"{name}: its sender is not answered any more")


def tick(b, at):
    return json.loads(b.expect(0, r"\A\{", "", "ctl", "--connect", f"{at[0]}:{at[1]}", "status", "--json").stdout)["tick"]


def raw(b):
    b.scenario.write_text(SCENARIO)
    recording = b.folder / "documents.mcap"
    with b.start("launch", b.scenario, "--hosts", 1, "--speed", 1, "--record", recording) as run:
        address = ("127.0.0.1", run.port())
        at = f"127.0.0.1:{address[1]}"
        run.wait_for("the run begins")
        hostile, quiet = Caller(address), Caller(address)
        for name, (files, says) in documents(b).items():
            if SANITIZED in sys.argv and name in ("huge", "itself"):
                continue
            refused(b, address, hostile, quiet, name, files, says)
        spawnables = b.expect(0, r"^turtlebot3_burger$", "", "ctl", "--connect", at, "spawnables").stdout.split()
        b.check(not set(documents(b)) & set(spawnables), "a document that was refused is a model", spawnables)
        b.expect(0, "the run ends", None, "ctl", "--connect", at, "stop")
        b.check(run.wait() == 0, "the run did not end in order", run.text())
        b.check("lost" not in run.text(), "a host was lost", run.text())
        digest = last_line(run.out.read_text())
    b.expect(0, digest, "equal", "replay", recording, "--verify")


def main():
    with new_bench(sys.argv[1]) as b:
        b.run({"raw": raw}, [word for word in sys.argv[2:] if word != SANITIZED])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
