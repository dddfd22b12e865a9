#!/usr/bin/env python3
"""The table of docs/doors.md: each call is there, at each door, for the role that it says, and no door has others.

    .env/python/bin/python tests/e2e/test_doors.py CONVOY

Prints one line per check that fails and exits 1 if there is any.
"""
import inspect
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from harness import new_bench
from test_calls import Simulator

import convoy

ROLES = ("view", "drive", "edit", "admin")
SECRETS = {role: f"{role}-of-the-lab" for role in ROLES}
# What a call of ctl is given, so that nothing but the role can be in its way.
WORDS = {"get": ["walk_0"], "contacts": ["walk_0"], "sensor": ["walk_0"], "spawn": ["crate_1", "--model", "box"], "delete": ["crate_1"],
         "set": ["walk_0", "--pose", "1,1"], "attach": ["walk_0", "walk_1"], "detach": ["walk_1"], "tags": ["walk_0", "red"], "environment": ["--rain", "0.5"],
         "model": ["model.yaml"], "reset": ["walk_0"], "drive": ["walk_0", "--forward", "0.1"],
         "control": ["walk_0", "left=1"], "actions": ["walk_0", "1"], "source": ["walk_0", "any"], "lease": ["walk_0"],
         "release": ["walk_0"], "push": ["walk_0", "--force", "1,0,0"], "joint": ["walk_0", "wheel_left_joint=0.1"],
         "mocap": ["walk_0", "body=0,0,0"], "option": ["walk_0", "solver=CG"], "actuators": ["walk_0"],
         "gains": ["walk_0", "left=1,1"], "draw": ["d", "--at", "0,0", "--at", "1,1"], "erase": ["--all"], "step": ["1"], "speed": ["1"], "kick": ["nobody"]}


def table():
    rows = []
    for line in (ROOT / "docs/doors.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 6 and cells[1] in ROLES:
            rows.append((cells[0], cells[1], *(re.findall("`([a-z_]+)`", cell) for cell in cells[2:])))
    return rows


def names(b):
    """No door has a call that the table lacks, and none lacks one that the table has."""
    rows = table()
    b.check(len(rows) > 30, "the table", rows)
    column = [{name for row in rows for name in row[i]} for i in range(2, 6)]
    words = b.call("ctl", "--help").stdout.split("Subcommands:")[1]
    subcommands = set(re.findall(r"^  ([a-z]+) ", words, re.M))
    b.check(column[0] == subcommands, "the calls of ctl", column[0] ^ subcommands)

    methods = {name for name, _ in inspect.getmembers(convoy.Connection, inspect.isfunction) if not name.startswith("_")}
    helpers = {"ask", "changes", "close", "fleet", "robot", "same_boundary", "sensors", "spawn_all", "step_length"}
    b.check(column[2] == methods - helpers, "the calls of Python", column[2] ^ (methods - helpers))

    header = (ROOT / "include/convoy/client.h").read_text()
    calls = set(re.findall(r"^  (?:Status|Result<.*>) (\w+)\(", header[header.index("class ClientCalls"):header.index("class Client :")], re.M))
    b.check(column[3] - {"entities"} == calls, "the calls of C++", (column[3] - {"entities"}) ^ calls)

    with Simulator(b, 1) as simulator:
        ops = {op["name"]: op["role"] for op in simulator.programs()[0]("meta")["ops"]}
        b.check(column[1] == ops.keys(), "the operations of ZeroMQ", column[1] ^ ops.keys())
        for what, role, _, zmq, *_ in rows:
            for op in zmq:
                b.check(ops.get(op) == role, f"{what}: {op} needs {ops.get(op)}, not {role}")


def roles(b):
    """Each call of ctl with the secret of each role: denied below its own, and never from there on."""
    secrets = b.folder / "secrets"
    (b.folder / "model.yaml").write_text("{name: barrel, like: box}\n")
    secrets.write_text("".join(f"{role} {secret}\n" for role, secret in SECRETS.items()))
    with b.start("launch", b.scenario, "--hosts", 2, "--paused", "--duration", "1h", "--credentials-file", secrets) as run:
        run.wait_for("the run begins")
        for what, role, subcommands, *_ in table():
            for subcommand in subcommands:
                for mine in ROLES:
                    if subcommand == "stop" and mine == "admin":
                        continue  # it comes last
                    r = b.call("ctl", "--connect", f"127.0.0.1:{run.port()}", "--credentials", SECRETS[mine], subcommand,
                               *(str(b.folder / word) if word == "model.yaml" else word for word in WORDS.get(subcommand, [])))
                    denied = "needs the role" in r.stderr
                    b.check(denied == (ROLES.index(mine) < ROLES.index(role)) and r.returncode in (0, 1),
                            f"{what}: ctl {subcommand} as {mine}", r.returncode, r.stdout, r.stderr)
        r = b.call("ctl", "--connect", f"127.0.0.1:{run.port()}", "--credentials", SECRETS["admin"], "stop")
        b.check(r.returncode == 0, "an admin ends the run", r.stderr)


def main():
    with new_bench(sys.argv[1]) as b:
        b.run({"names": names, "roles": roles}, sys.argv[2:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
