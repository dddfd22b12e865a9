#!/usr/bin/env python3
"""The convoy command from the outside: real processes on 127.0.0.1, free ports, every exit code and text checked.

    tests/e2e/test_cli.py CONVOY [PART...]      parts: digests report words completion secret roles ctl signals lost garbage; default all

Standard library only. Prints one line per check that fails and exits 1 if there is any.
"""
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

from harness import SCENARIO, last_line, new_bench


def digests(b):
    """The digest is the same for any number of hosts and threads, in one process and over real sockets."""
    seen = {}
    for hosts in (1, 2, 4):
        for threads in (1, 2):
            r = b.expect(0, r"\Adigest [0-9a-f]{16}\n\Z", "", "run", b.scenario, "--hosts", hosts, "--threads", threads)
            seen[f"run --hosts {hosts} --threads {threads}"] = last_line(r.stdout)
    for hosts, threads in ((1, 1), (2, 2), (3, 1)):
        r = b.expect(0, r"^digest ", "", "launch", b.scenario, "--hosts", hosts, "--threads", threads, "--speed", "max")
        seen[f"launch --hosts {hosts}"] = last_line(r.stdout)
    b.check(len(set(seen.values())) == 1, "digests differ", "\n".join(f"{v}  {k}" for k, v in seen.items()))
    other = last_line(b.call("run", b.scenario, "--seed", 4).stdout)
    b.check(other not in seen.values() and other.startswith("digest "), "another seed has the same digest", other)
    r = b.expect(0, r"\A\{", "", "run", b.scenario, "--json", "--report", b.folder / "r.json")
    report = json.loads(r.stdout[:r.stdout.rindex("}") + 1])
    b.check(json.loads((b.folder / "r.json").read_text())["digest"] == report["digest"], "--report differs from --json")
    b.check("digest " + report["digest"] == last_line(r.stdout), "the report's digest is not the last line")
    # What the report says of the run and its robots is the same however they are placed.
    checked = json.loads(b.call("check", b.scenario, "--json").stdout)
    build = json.loads(b.call("version", "--json").stdout)["build"]
    overridden = ["--set", "view_radius=4", "--seed", 9, "--speed", "max"]
    told = []
    for command in (("run", "--hosts", 1), ("run", "--hosts", 3, "--threads", 2), ("launch", "--hosts", 2)):
        file = b.folder / "totals.json"
        b.expect(0, r"^digest ", r"overrides +view_radius=4, hosts=", command[0], b.scenario, *command[1:], *overridden,
                 "--report", file)
        told.append(json.loads(file.read_text()))
        b.check(told[-1]["overrides"] == ["view_radius=4", f"hosts={command[2]}", "seed=9", "time.speed=max"],
                "other overrides", told[-1]["overrides"])
    first = told[0]
    b.check(all((t["totals"], t["setup"], t["build"]) == (first["totals"], first["setup"], first["build"]) for t in told),
            "totals, setup or build differ", *(t["totals"] for t in told))
    robots = [first["by_robot"][name] for name in sorted(first["by_robot"])]
    sums = {key: sum(r[key] for r in robots) for key in ("distance_m", "stuck_s", "map_contact_ticks", "robot_contact_ticks")}
    sums["stuck_robots"] = sum(r["stuck_s"] >= 1 for r in robots)
    b.check(first["totals"] == sums and sums["distance_m"] > 1, "totals are no sums", first["totals"], sums)
    b.check(report["setup"] == checked["setup"] != first["setup"], "another setup", report["setup"], checked, first["setup"])
    b.check(report["overrides"] == [] and report["build"] == build, "another build", report["build"], build)


def report(b):
    """Each process is in the report with its pid, agents and agent-ticks, and each robot with what it went through."""
    file, crowd = b.folder / "processes.json", b.folder / "crowd.yaml"
    # All but the polite ones want to be in the middle.
    crowd.write_text(SCENARIO.replace("driver: random_walk", "driver: {kind: waypoints, waypoints: [[0, 0]], tolerance: 0.01}")
                     .replace("size: [12, 12]", "size: [5, 5]"))
    with b.start("launch", crowd, "--hosts", 3, "--speed", "max", "--duration", "20s", "--report", file, "--paused") as run:
        at = f"127.0.0.1:{run.port()}"
        run.wait_for("the run begins")
        living = {name: run.client(name) for name in ("host0", "host1", "host2")}
        b.expect(0, "resumed", None, "ctl", "--connect", at, "resume")
        b.check(run.wait() == 0, "the run failed", run.text())
    facts = json.loads(file.read_text())
    told = {p["name"]: p for p in facts["processes"]}
    b.check({name: p["pid"] for name, p in told.items() if name in living} == living, "other pids", living, told)
    b.check(sum(p["agents"] for p in told.values()) == facts["robots"] == 12, "agents do not add up", told)
    b.check(sum(p["agent_ticks"] for p in told.values()) == 12 * facts["ticks"] == 12 * 2000, "agent-ticks do not add up", told)
    b.check(all(p["agents"] == 4 for n, p in told.items() if n in living), "agents are not spread", told)
    b.check(facts["contacts_between_hosts"] > 0, "no contact between hosts", facts["contacts_between_hosts"])
    robots = facts["by_robot"]
    b.check(len(robots) == 12 and all(r["distance_m"] > 0.05 for r in robots.values()), "robots are missing, or stand", robots)
    b.check(all({"map_contact_ticks", "robot_contact_ticks", "stuck_s"} <= set(r) for r in robots.values()), "fields", robots)
    b.check(sum(r["robot_contact_ticks"] for r in robots.values()) >= facts["contacts_between_hosts"], "contacts by robot", robots)


def words(b):
    """Help, bad usage, bad input: exit codes and texts."""
    b.expect(2, None, r"^Usage: convoy")
    b.expect(0, r"^Usage: convoy", None, "--help")
    b.expect(0, r"CONVOY_THREADS", None, "run", "--help")
    b.expect(0, r"convoy ctl spawn", None, "ctl", "spawn", "--help")
    b.expect(2, None, r"^convoy: unknown command 'rnu'; did you mean 'convoy run'\?$", "rnu")
    b.expect(2, None, r"did you mean 'convoy ctl list'\?", "ctl", "--connect", "127.0.0.1:1", "lst")
    b.expect(2, None, r"unknown option '--hots'; did you mean '--hosts'\?", "run", "--hots", 2, b.scenario)
    for words in ((), ("ctl",), ("ctl", "get")):
        b.check(b.call("help", *words).stdout == b.call(*words, "--help").stdout != "", f"help {words} is not --help")
    b.expect(2, None, "unknown command 'nosuch'", "help", "nosuch")
    b.expect(2, None, r"SCENARIO is required", "run")
    b.expect(2, None, r"--hosts: .*0", "run", b.scenario, "--hosts", 0)
    b.expect(2, None, r"nosuch\.yaml: .*No such file", "run", "nosuch.yaml")
    b.expect(0, r"^digest none$", r"mode +free", "run", b.scenario, "--mode", "free")
    for command in ("launch", "server"):
        b.expect(2, None, r"wait_for .*free mode", command, b.scenario, "--mode", "free", "--set", "wait_for=[a]")
    b.expect(2, None, r"wait_for .*use convoy launch", "run", b.scenario, "--set", "wait_for=[a]")
    b.expect(2, None, r"max only|above 0|real time", "run", b.scenario, "--mode", "free", "--speed", "max")
    for command in ("run", "launch", "server", "check"):
        bad = b.folder / "bad.yaml"
        bad.write_text(SCENARIO.replace("random_walk}", "random_walk, modle: x}"))
        r = b.expect(2, None, r"bad\.yaml:8: robots\[0\]\.modle: unknown field", command, bad)
        b.check(len(r.stderr.splitlines()) == 1, f"{command}: a bad scenario takes more than one line", r.stderr)
    # All that is wrong, by line, with the nearest of the allowed words; and no line of it twice.
    bad.write_text(SCENARIO.replace("mode: lockstep", "mode: lokstep").replace("convoy: 1\n", "")
                   .replace("turtlebot3_burger", "burger").replace("right_of_way", "right_of_way, hots: x"))
    for command in ("run", "launch", "server", "check"):
        r = b.expect(2, None, "", command, bad, "--set", "robots[9].count=1", "--leave", "remove")
        said = [line.removeprefix(f"convoy: {bad}:") for line in r.stderr.splitlines()]
        b.check([re.sub(r"; allowed:.*|allowed:.*", "", line) for line in said] ==
                ["1: the field 'convoy' is missing; add a first line: convoy: 1",
                 "3: time.mode: found 'lokstep'; did you mean 'lockstep'? ",
                 "7: robots[0].model: unknown model 'burger'; did you mean 'turtlebot3_burger'? ",
                 "8: robots[1].hots: unknown field; did you mean 'host'? ",
                 "convoy: --set robots[9].count=1: robots has 2 elements"], f"{command}: other problems", r.stderr)
    # What robots will not do is warned of once, and changes nothing.
    odd = b.folder / "odd.yaml"
    odd.write_text(SCENARIO.replace("robots:\n", "robots:\n  - {name: crate, count: 2, model: box, driver: random_walk, "
                                    "placement: {poses: [[4, 4], [4.1, 4]]}}\n").replace("duration: 2s", "duration: 50ms"))
    for command in ("check", "run", "launch"):
        r = b.call(command, odd, *(["--speed", "max"] if command == "launch" else []))
        said = [line.split(": ", 4)[-1] for line in r.stderr.splitlines() if "odd.yaml:8:" in line]
        b.check(r.returncode == 0 and said ==
                ["the driver moves nothing, the model 'box' has no drive: 'crate_0', 'crate_1'",
                 "robots stand in each other, and do not get out: 'crate_1' in 'crate_0'"],
                f"{command}: other warnings", r.returncode, r.stderr)
    b.expect(2, None, r"--set .*robots\[0\]\.colour|robots\[0\]\.colour.*--set", "check", b.scenario, "--set", "robots[0].colour=1")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        b.expect(2, None, rf"{port}.* taken", "server", b.scenario, "--listen", f"127.0.0.1:{port}")
        b.expect(2, None, rf"{port}.* taken", "launch", b.scenario, "--listen", f"127.0.0.1:{port}")
    b.expect(2, None, r"--credentials TEXT, --credentials-file FILE or --insecure", "server", b.scenario, "--listen", "0.0.0.0:0")
    b.expect(1, None, r"nobody listens at 127\.0\.0\.1:1 ", "ctl", "--connect", "127.0.0.1:1", "status")
    b.expect(2, None, r"nonsense", "ctl", "--connect", "nonsense", "status")
    looked = b.call("doctor").stdout
    for what in ("maps", "scenarios", "page", "components", "rays", "cameras", "video"):
        b.check(re.search(rf"^(ok|warn) +{what} +\S", looked, re.M), f"doctor says nothing of {what}", looked)
    for command in ("version", "doctor"):
        b.expect(0, r"fingerprint", None, command)
        for order in ((command, "--json"), ("--json", command)):
            facts = json.loads(b.expect(0, r"\A\{", None, *order).stdout)
            b.check(re.fullmatch(r"[0-9a-f]{16}", facts["fingerprint"]), f"{command}: no fingerprint", facts)
    check = lambda *a, env=None: json.loads(b.call("check", b.scenario, "--json", *a, env=env).stdout)
    b.check(check(env={"CONVOY_HOSTS": "3"})["hosts"] == 3, "the environment does not rule over the file")
    b.check(check("--hosts", 2, env={"CONVOY_HOSTS": "3"})["hosts"] == 2, "a flag does not rule over the environment")
    b.expect(2, None, r"--log-level", "check", b.scenario, "--log-level", "loud")
    # A variable of another command does no harm.
    b.expect(0, r"12 robots", None, "check", b.scenario, env={"CONVOY_THREADS": "many", "CONVOY_LISTEN": "x"})


def manual(b):
    """The manual page has each command, and roff takes it without a word."""
    page = b.expect(0, r"\A\.TH CONVOY 1", None, "completion", "man").stdout
    commands = re.findall(r"^  ([a-z][\w-]+) ", b.call("--help").stdout.partition("Subcommands:")[2], re.M)
    sections = re.findall(r'^\.SS "(.+)"$', page, re.M)
    b.check(len(commands) > 20 and {name.replace("-", "\\-") for name in commands} <= set(sections), "each command has a section", sorted(set(commands)))
    r = subprocess.run(["groff", "-man", "-Tascii", "-P-cbou", "-ww"], input=page, capture_output=True, text=True)
    b.check(r.returncode == 0 and r.stderr == "" and "convoy - distributed robot simulator" in r.stdout, "groff", r.stderr, r.stdout[:500])


def completion(b):
    """Every command and option that the help shows is completed."""
    def complete(*line):
        script = (f"source <('{b.convoy}' completion bash); COMP_WORDS=({' '.join(line)}''); "
                  "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _convoy; printf '%s\\n' \"${COMPREPLY[@]}\"")
        return subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=b.patience).stdout.split()

    r = subprocess.run(["bash", "-c", f"source <('{b.convoy}' completion bash) && complete -p convoy"],
                       capture_output=True, text=True, timeout=b.patience)
    b.check("-F _convoy convoy" in r.stdout, "bash takes no completion", r.stdout, r.stderr)
    commands = re.findall(r"^  (\w+) ", b.call("--help").stdout.partition("Subcommands:")[2], re.M)
    b.check(set(commands) <= set(complete("convoy", "")), "commands are missing", commands, complete("convoy", ""))
    for command in commands:
        options = set(re.findall(r"^  (?:-\w,)?(--[a-z0-9-]+)", b.call(command, "--help").stdout, re.M))
        got = set(complete("convoy", command, ""))
        b.check(options <= got, f"{command}: options are missing", options - got)
    b.check(complete("convoy", "run", "--mode", "") == ["lockstep", "free"], "values of --mode are missing")
    b.check(complete("convoy", "ctl", "pl") == ["placement"], "a call of ctl is not completed", complete("convoy", "ctl", "pl"))
    for shell in ("zsh", "fish"):
        b.expect(0, r"right_of_way", None, "completion", shell)


def who_rules(b, say):
    """Whom robots of two hosts obey, before and after it is changed; from tick 3 to 5."""
    def seen(*call):
        return json.loads(say(0, r"\A\{", None, *call, "--json").stdout)

    def told():
        listed = seen("list")
        return dict(zip(listed["names"], listed["sources"])), seen("status")["data"]["control"], seen("get", "walk_1")["data"]

    names, control, one = told()
    robots = len(names)
    b.check(set(names.values()) == {"any"}, "all obey everybody", names)
    b.check(control == {"default": "any", "robots": {"any": robots}, "ignored": {}}, "status says it", control)
    b.check(one["source"] == "any" and one["ignored"] == {}, "and get", one)
    b.check("any" not in say(0, "", None, "list").stdout, "there is no column for that")
    say(0, rf"^control      any {robots}, default any$", None, "status")

    for name in ("walk_0", "walk_1"):  # one of each host
        say(0, "set at tick 3", None, "source", name, "nodes")
    say(0, "waits at tick 4", None, "step", 1)
    say(0, "commanded", None, "drive", "walk_1", "--forward", 0.1)
    say(0, "waits at tick 5", None, "step", 1)
    say(0, r"^walk_0 +nodes\nwalk_1 +nodes\nwalk_2 +any$", None, "list")
    say(0, r"^tick   5\nsource nodes, 1 of dashboard ignored$", None, "get", "walk_1")
    say(0, rf"^control      any {robots - 2} nodes 2, default any, 1 of dashboard ignored$", None, "status")
    names, control, one = told()
    b.check([n for n, source in names.items() if source == "nodes"] == ["walk_0", "walk_1"], "the list says who rules now", names)
    b.check(control["robots"] == {"any": robots - 2, "nodes": 2}, "and so does status", control)
    b.check(one["source"] == "nodes" and one["ignored"] == {"dashboard": 1}, "and get, with what was ignored", one)
    say(0, "reset", None, "reset", "walk_0", "walk_1")
    b.check(told()[0]["walk_1"] == "any", "a reset goes back to the scenario's")


def secret(b):
    """A server draws a secret, which its user's programs find by the port, and nobody else."""
    kept = b.folder / "convoy"
    elsewhere = {"XDG_RUNTIME_DIR": str(b.folder / "none"), "HOME": str(b.folder / "none")}
    with b.start("launch", b.scenario, "--hosts", 2, "--paused", "--duration", "600s") as run:
        port = str(run.port())
        run.wait_for("the run begins")
        to = ("ctl", "--connect", f"127.0.0.1:{port}", "status")
        text = (kept / port).read_text().strip()
        b.check(re.fullmatch("[0-9a-f]{32}", text), "the secret is not 128 bits", text)
        b.check([path.stat().st_mode & 0o777 for path in (kept, kept / port)] == [0o700, 0o600], "others can read it")
        b.check(not any(text in word for argv in run.family().values() for word in argv), "it stands in a command line")
        b.expect(0, r"^phase +paused$", None, *to)
        b.expect(1, "", r"declined: credentials are needed, or a program of the user who started the server$", *to, env=elsewhere)
        b.expect(1, "", r"declined: wrong credentials$", *to, "--credentials", "wrong")
        b.expect(0, r"^phase +paused$", None, *to, "--credentials", text, env=elsewhere)
        (kept / port).chmod(0o644)
        b.expect(1, "", "credentials are needed", *to)
        (kept / port).chmod(0o600)
        if os.geteuid() == 0:
            (kept / port).chmod(0o666), os.chown(kept / port, 65534, 65534), (kept / port).chmod(0o600)
            b.expect(1, "", "credentials are needed", *to)
            os.chown(kept / port, 0, 0)
        b.expect(0, "the run ends", None, *to[:-1], "stop")
        run.wait()
        b.check(os.listdir(kept) == [], "a secret is left over", os.listdir(kept))
    # What a killed server has left is replaced; a wait finds the secret of a server that starts later.
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        at = f"127.0.0.1:{free.getsockname()[1]}"
    (kept / at.rpartition(":")[2]).write_text("of a server that was killed")
    with b.start("ctl", "--connect", at, "status", "--wait", b.patience) as waits, \
            b.start("server", b.scenario, "--hosts", 1, "--listen", at) as server:
        server.port()
        b.check(waits.wait() == 0, "ctl --wait did not find the server's secret", waits.text())
    with b.start("server", b.scenario, "--hosts", 1, "--listen", at, "--insecure") as server:
        server.port()
        b.expect(0, "phase", None, "ctl", "--connect", at, "status", env=elsewhere)
    b.expect(2, None, r"cannot keep a secret: .*; --credentials TEXT gives one", "server", b.scenario, "--listen", at,
             env={"XDG_RUNTIME_DIR": "/dev/null", "HOME": "/dev/null"})
    b.expect(0, "^digest", "does not reach this run", "launch", b.scenario, "--speed", "max",
             env={"XDG_RUNTIME_DIR": "/dev/null", "HOME": "/dev/null"})


def roles(b):
    """Who may do what, by the secrets of a file."""
    file = b.folder / "secrets"
    file.write_text("# of the lab\n\nview  looks-and-no-more\ndrive drives-the-robots\nedit edits-the-world-too\nadmin ends-it-all-in-the-end\nhost  joins-with-robots\n")
    secrets = dict(line.split() for line in file.read_text().splitlines()[2:])
    with b.start("launch", b.scenario, "--hosts", 2, "--paused", "--duration", "600s", "--credentials-file", file,
                 "--audit", b.folder / "audit.jsonl") as run:
        at = ("--connect", f"127.0.0.1:{run.port()}")
        run.wait_for("the run begins")
        calls = {"view": ("get", "walk_0"), "drive": ("drive", "walk_0", "--forward", "0.1"), "edit": ("step", "1"), "admin": ("stop",)}
        levels = list(calls)
        for role, secret in secrets.items():
            may = levels.index("edit" if role == "host" else role)
            for needs, call in calls.items():
                if needs == role == "admin":
                    continue  # it comes last
                if levels.index(needs) <= may:
                    b.expect(0, "", None, "ctl", *at, "--credentials", secret, *call)
                else:
                    has = levels[may]
                    b.expect(1, "", f"this call needs the role {needs}, and these credentials have {has}$", "ctl", *at,
                             "--credentials", secret, *call)
            if role != "host":
                b.expect(1, None, "declined: these credentials let no host in", "client", *at, "--credentials", secret)
        b.expect(0, "phase", None, "ctl", *at, "status")  # by the secret that launch has drawn
        b.expect(0, "the run ends", None, "ctl", *at, "--credentials", secrets["admin"], "stop")
        b.check(run.wait() == 0, "the run failed", run.text())
    said = [json.loads(line) for line in (b.folder / "audit.jsonl").read_text().splitlines()]
    b.check(all(re.fullmatch(r"127\.0\.0\.1:\d+", line["address"]) and line["unix_time"] > 1e9 for line in said), "the audit log's addresses", said)
    b.check({line["what"] for line in said} == {"joined", "left", "declined", "call"}, "what the audit log has", said)
    stops = [(line["access"], line.get("text", "")) for line in said if line.get("call") == "stop"]
    b.check(sorted(stops) == [("admin", ""), ("drive", "this call needs the role admin, and these credentials have drive"),
                              ("edit", "this call needs the role admin, and these credentials have edit"),
                              ("edit", "this call needs the role admin, and these credentials have edit"),
                              ("view", "this call needs the role admin, and these credentials have view")], "who asked for the end", stops)
    b.check(max(line["tick"] for line in said) == 3 and not any(secret in str(said) for secret in secrets.values()), "the audit log's ticks", said)
    for text, line in (("veiw abc\n", r"secrets:1: found 'veiw'; did you mean 'view'\?; allowed: view, drive, edit, admin, host$"),
                       ("view\n", "secrets:1: a line is a role and a secret without spaces$"), ("view a b\n", "secrets:1: a line is"),
                       ("view a\nedit a\n", "secrets:2: this secret stands there already$"), ("#\n", "secrets: it has no secret$")):
        file.write_text(text)
        b.expect(2, None, line, "server", b.scenario, "--listen", "127.0.0.1:0", "--credentials-file", file)
    file.write_text("view short\n")
    short = "too short for a server that listens beyond this machine: 16 or more$"
    b.expect(2, None, short, "server", b.scenario, "--listen", "0.0.0.0:0", "--credentials-file", file)
    b.expect(2, None, short, "server", b.scenario, "--listen", "0.0.0.0:0", "--credentials", "a")


def ctl(b):
    """The calls, against a run that waits."""
    with b.start("launch", b.scenario, "--hosts", 2, "--paused", "--duration", "600s", "--report", b.folder / "ctl.json") as run:
        at = f"127.0.0.1:{run.port()}"
        run.wait_for("the run begins")

        def say(code, out, err, *arguments):
            return b.expect(code, out, err, "ctl", "--connect", at, *arguments)

        say(0, r"^phase +paused$", None, "status")
        status = json.loads(say(0, r"\A\{", None, "status", "--json").stdout)
        b.check(status["ok"] and status["data"]["entities"] == 12, "status --json is wrong", status)
        b.check(say(0, "", None, "list", "walk").stdout.split() == [f"walk_{i}" for i in range(6)], "list PREFIX is wrong")
        say(0, r"^box$", None, "spawnables")
        say(0, r"^host1 walk_1$", None, "placement")
        say(0, r"spawned 1 of 1", None, "spawn", "box1", "--model", "box", "--pose", "-1,0.5", "--tag", "red")
        say(1, "", r"^convoy: an entity named 'box1' exists already$", "spawn", "box1", "--model", "box")
        say(0, "spawned 1 of 1", r"^convoy: warning: box2: it stands in a wall or outside the map$", "spawn", "box2",
            "--model", "box", "--pose", "60,0")
        say(0, "", None, "delete", "box2")
        say(1, "", r"unknown model 'bxo'; did you mean 'box'\?", "spawn", "b", "--model", "bxo")
        say(1, "", r"unknown frame 'nowhere'", "spawn", "b", "--model", "box", "--frame-of-pose", "nowhere")
        say(1, "", r"nohost", "spawn", "b", "--model", "box", "--host", "nohost")
        say(2, None, r"--pose is '1'; it is written X,Y", "spawn", "b", "--model", "box", "--pose", "1")
        say(2, None, r"--model is missing", "spawn", "b")
        say(0, r"^pose +-1 0.5 0(.*\n)+model +box\nhost +host[01]\ntags +red$", None, "get", "box1")
        say(0, r"\Abox1 +box +host[01] +-1\.00 0\.50 0\.00 +red\n\Z", None, "list", "--name", "box[0-9]", "--tag", "red", "--region",
            "-2,0,0,1", "--details")
        say(0, r"\A\Z", None, "list", "--name", "box[0-9]", "--tag", "blue")
        say(1, "", r"'box\[' is no regular expression: missing \]: \[", "list", "--name", "box[")
        say(2, None, r"--region is '1,2'; it is written X0,Y0,X1,Y1", "list", "--region", "1,2")
        say(1, "", r"unknown entity 'box2'; did you mean 'box1'\?", "get", "box2")
        say(0, r"^set at tick 0$", None, "set", "box1", "--pose", "2,3,0.5")
        got = json.loads(say(0, r"\A\{", None, "get", "box1", "--json").stdout)
        b.check(got["pose"]["p"] == [2, 3, 0], "set did not reach the entity", got)
        say(2, None, r"set needs --pose, --twist", "set", "box1")
        say(0, r"attached", None, "attach", "walk_0", "box1")
        say(1, "", "cycle|itself|attach", "attach", "box1", "walk_0")
        say(0, r"detached", None, "detach", "box1")
        say(1, "", "no drive", "drive", "box1", "--forward", 1)
        say(0, "commanded", None, "drive", "walk_0", "--forward", 0.1, "--turn", -0.5, "--timeout", 1)
        say(0, r"waits at tick 3$", None, "step", 3)
        who_rules(b, say)
        leases(b, say)
        say(0, "environment set", None, "environment", "--fog", 0.5)
        say(0, "environment set", None, "environment", "--rain", 0.25)
        e = json.loads(say(0, "", None, "status", "--json").stdout)["data"]["environment"]
        b.check((e["fog"], e["rain"], e["time_of_day"]) == (0.5, 0.25, 12), "environment forgot something", e)
        say(2, None, "--fog", "environment", "--fog", 7)
        b.check("gravity" not in e, "a gravity that nobody set", e)
        say(0, "environment set", None, "environment", "--gravity", "0,0,-1.62", "--wind", "1,2,3")
        say(0, "environment set", None, "environment", "--fog", 0.25, "--wind", "file")
        e = json.loads(say(0, "", None, "status", "--json").stdout)["data"]["environment"]
        b.check(e["gravity"] == [0, 0, -1.62] and "wind" not in e, "gravity and wind are not as they were set", e)
        say(2, None, "--gravity is 'down'; it is written X,Y,Z, or file", "environment", "--gravity", "down")
        say(1, None, "gravity and wind lie within 1000", "environment", "--gravity", "0,0,-1e9")
        model = b.folder / "model.yaml"
        model.write_text("{name: crate, like: box, height: 1}\n")
        say(0, "model added", None, "model", model)
        say(1, "", "crate", "model", model)
        model.write_text("{name: crate, like: box, hieght: 1}\n")
        say(2, None, r"model\.yaml:1: .*hieght: unknown field", "model", model)
        batch = b.folder / "batch.yaml"
        batch.write_text("- {name: c1, model: crate, pose: [4, 4]}\n- {name: c2, model: crate, pose: [4, 5, 1]}\n")
        say(0, "spawned 2 of 2", None, "spawn", "--file", batch)
        batch.write_text('[{"name": "c3", "model": "crate"}, {"name": "c1", "model": "crate"}]')
        say(1, "spawned 1 of 2", "c1: .*exists", "spawn", "--file", batch)
        say(2, None, "--file says all", "spawn", "--file", batch, "--z", 1)
        say(0, "spawned 3 of 3", None, "spawn", "--count", 3, "--prefix", "n", "--model", "box", "--pose", "-4,4")
        say(0, "deleted", None, "delete", "c1", "c2", "c3")
        say(1, "", "unknown entity 'c1'", "delete", "c1")
        say(0, "speed set", None, "speed", "max")
        say(2, None, "speed", "speed", "-1")
        say(0, "reset", None, "reset", "walk_1")
        say(0, "reset", None, "reset")
        say(0, "resumed", None, "resume")
        say(0, "the run ends", None, "stop")
        b.check(run.wait() == 0, "the run did not end in order", run.text())
        b.check(last_line(run.out.read_text()).startswith("digest "), "no digest at the end", run.text())
    b.expect(1, None, "nobody listens", "ctl", "--connect", at, "status")


def leases(b, say):
    """Who has leased a robot has it against everybody who goes by another name, until it is given back or broken."""
    say(0, r"^leased at tick \d+$", None, "lease", "walk_2", "walk_3", "--as", "planner")
    leased = "'planner' has leased 'walk_2'"
    for words in (["drive", "walk_2", "--forward", 0.1], ["set", "walk_2", "--pose", "0,0"], ["delete", "walk_2"], ["reset"],
                  ["reset", "walk_1", "walk_2"], ["actions", "walk_2", 1], ["source", "walk_2", "nodes"],
                  ["source", "--all", "any"], ["attach", "walk_1", "walk_2"], ["lease", "walk_1", "walk_2"]):
        say(1, "", leased, *words)
    b.check(say(0, "", None, "list", "--details", "--json", "--name", "walk_[12]").stdout.count('"holder":null') == 1, "all or none")
    say(0, "commanded", None, "drive", "walk_2", "--forward", 0.1, "--as", "planner")
    say(0, "commanded", None, "drive", "walk_1", "--forward", 0.1)
    got = json.loads(say(0, "", None, "get", "walk_2", "--json").stdout)
    b.check(got["data"]["holder"] == "planner", "get says who holds it", got)
    status = json.loads(say(0, "", None, "status", "--json").stdout)["data"]["leases"]
    b.check(status == [{"robot": "walk_2", "holder": "planner"}, {"robot": "walk_3", "holder": "planner"}], "so does status", status)
    say(1, "", "'ctl' has no lease of 'walk_2'", "release", "walk_2")
    say(2, None, "--force needs the names", "release", "--force")
    say(0, "released", None, "release", "walk_2", "--force")
    say(0, "commanded", None, "drive", "walk_2", "--forward", 0.1)
    say(0, "released", None, "release", "--as", "planner")
    say(1, "", "a holder's name is", "lease", "walk_2", "--as", "two words")
    b.check("leases" not in json.loads(say(0, "", None, "status", "--json").stdout)["data"], "nothing is leased any more")


def signals(b):
    """Ctrl-C once ends in order with the report, twice at once; no process is left over."""
    long = ("--duration", "300s", "--speed", "1")
    for command in (("run", b.scenario, *long), ("launch", b.scenario, "--hosts", 2, *long)):
        with b.start(*command) as run:
            if command[0] == "launch":
                run.wait_for("the run begins")
            time.sleep(1)
            run.popen.send_signal(signal.SIGINT)
            code = run.wait()
            b.check(code == 130, f"{command[0]}: Ctrl-C gave {code}, not 130", run.text())
            b.check(last_line(run.out.read_text()).startswith("digest "), f"{command[0]}: no digest after Ctrl-C", run.text())
            b.check("simulated " in run.err.read_text(), f"{command[0]}: no report after Ctrl-C", run.text())
            b.check(not run.family(), f"{command[0]}: processes are left", run.family())
    # A client that is stopped keeps an ordered end from coming; the second Ctrl-C does not wait for it.
    with b.start("launch", b.scenario, "--hosts", 2, *long, "--set", "liveness=off") as run:
        run.wait_for("the run begins")
        still = run.client("host1")
        os.kill(still, signal.SIGSTOP)
        run.popen.send_signal(signal.SIGINT)
        time.sleep(0.5)
        b.check(run.popen.poll() is None, "launch did not wait for a client that stands still", run.text())
        run.popen.send_signal(signal.SIGINT)
        begun = time.monotonic()
        code = run.wait()
        b.check(code == 130, f"launch: Ctrl-C twice gave {code}, not 130", run.text())
        b.check(time.monotonic() - begun < 3, "launch: the second Ctrl-C took long", time.monotonic() - begun)
        end = time.monotonic() + 5
        while run.family() and time.monotonic() < end:
            time.sleep(0.05)
        b.check(not run.family(), "launch: processes are left after Ctrl-C twice", run.family())


def lost(b):
    """A client killed in the middle: the run goes on without it, names it, and fails unless losses are accepted."""
    for accept in ((), ("--accept-losses",)):
        lose_one(b, accept)


def lose_one(b, accept):
    report = b.folder / "lost.json"
    with b.start("launch", b.scenario, "--hosts", 2, "--leave", "freeze", "--duration", "6s", "--speed", "1", "--report", report, *accept) as run:
        run.wait_for("the run begins")
        time.sleep(0.5)
        os.kill(run.client("host1"), signal.SIGKILL)
        code = run.wait()
        b.check(code == (0 if accept else 1), f"the run ended with {code}", run.text())
        b.check(("convoy: lost host1: the run is not" in run.err.read_text()) == (not accept), "the line on the loss", run.text())
        b.check(re.search(r"host1.*killed by SIGKILL", run.err.read_text()), "nobody says how host1 ended", run.text())
        facts = json.loads(report.read_text())
        b.check(facts["lost_hosts"] == ["host1"], "the report does not name host1", facts["lost_hosts"])
        b.check(facts["ticks"] == 600, "the run did not go on to its end", facts["ticks"])
        b.check(not run.family(), "processes are left", run.family())


def returns(b):
    """A client killed, and started again under its name: its robots return to it, and drive on; a replay has the same digest."""
    for mode in ("lockstep", "free"):
        record = b.folder / f"{mode}.mcap"
        recorded = ("--record", record) if mode == "lockstep" else ()
        with b.start("launch", b.scenario, "--hosts", 2, "--mode", mode, "--duration", "60s", "--speed", "1", "--leave", "freeze",
                     "--set", "liveness=20s", "--accept-losses", *recorded) as run:
            run.wait_for("the run begins")
            address = f"127.0.0.1:{run.port()}"

            def ask(*what, key="data", address=address):
                return json.loads(b.call("ctl", "--connect", address, "--json", *what).stdout)[key]

            while "host1" not in (before := ask("placement")["hosts"]):  # until the first boundary
                time.sleep(0.05)
            before = before["host1"]
            os.kill(run.client("host1"), signal.SIGKILL)
            # Its links are closed, so the limit of 20 s is not waited for: the run goes on with whom it has got again.
            with b.start("client", "--connect", address, "--name", "host1") as again:
                run.wait_for(r"host1 has come again: what it left behind returns to it \(6\)")
                b.check(len(before) == 6 and ask("placement")["hosts"]["host1"] == before, f"{mode}: others are its robots now", before)
                walker = next(name for name in before if name.startswith("walk"))
                here = ask("get", walker, key="pose")
                time.sleep(3)
                b.check(ask("get", walker, key="pose") != here, f"{mode}: {walker} does not drive on", here)
                b.call("ctl", "--connect", address, "stop")
                b.check(again.wait() == 0, f"{mode}: who came again ended otherwise", again.text())
            code = run.wait()
            b.check(code == 0, f"{mode}: the run ended with {code}", run.text())
            digest = last_line(run.out.read_text())
        if recorded:
            replay = b.call("replay", record, "--verify", "--hosts", 1)
            b.check(replay.returncode == 0 and last_line(replay.stdout) == digest, "the replay is another run", replay.stdout, replay.stderr)


def stopped(b):
    """A server that was stopped for longer than the limit loses nobody; a host that was is lost, loudly."""
    away = float(os.environ.get("STOPPED_S", 5))  # longer ones: scripts/deep.sh
    liveness = f"liveness={max(2, away / 10):g}s"
    want = last_line(b.call("run", b.scenario, "--duration", "4s", "--hosts", 2).stdout)
    with b.start("run", b.scenario, "--duration", "4s", "--hosts", 2, "--speed", "1", "--set", liveness) as run:
        time.sleep(1.5)
        stop_for(run.popen.pid, away)
        b.check(run.wait() == 0, "a run that was stopped ended otherwise", run.text())
        b.check(last_line(run.out.read_text()) == want, "a run that was stopped has another digest", run.text())
    for mode in ("lockstep", "free"):
        report = b.folder / "stopped.json"
        for who in ("server", "host1"):
            with b.start("launch", b.scenario, "--hosts", 2, "--mode", mode, "--duration", "4s", "--speed", "1", "--set", liveness,
                         "--report", report) as run:
                run.wait_for("the run begins")
                time.sleep(0.5)
                stop_for(run.server() if who == "server" else run.client(who), away)
                code = run.wait()
                facts = json.loads(report.read_text())
                lost = [] if who == "server" else ["host1"]
                b.check(facts["lost_hosts"] == lost and code == len(lost), f"{mode}, {who} was stopped: exit {code}", facts, run.text())
                if mode == "lockstep" and not lost:
                    b.check(last_line(run.out.read_text()) == want, "a server that was stopped has another digest", run.text())


def stop_for(pid, seconds):
    os.kill(pid, signal.SIGSTOP)
    time.sleep(seconds)
    with contextlib.suppress(ProcessLookupError):  # the run ended without it
        os.kill(pid, signal.SIGCONT)


def garbage(b):
    """10 MB of noise on either port of a running server: counted, without any effect."""
    length = ("--duration", "4s", "--speed", "0.4")  # ten seconds for the noise, which takes one on an idle machine
    want = last_line(b.call("run", b.scenario, "--duration", "4s", "--hosts", 2).stdout)
    report = b.folder / "garbage.json"
    noise = os.urandom(1 << 20)
    with b.start("launch", b.scenario, "--hosts", 2, *length, "--report", report) as run:
        where = ("127.0.0.1", run.port())
        run.wait_for("the run begins")
        sent = refused = 0
        for start in (b"", b"GET / HTTP/1.1\r\n", b"\x10\0\0\0\x08", b"\xff" * 20):
            with contextlib.suppress(OSError), socket.create_connection(where, 5) as link:
                link.settimeout(5)
                link.sendall(start)
        while sent < 10 << 20 and refused < 2000:
            try:
                with socket.create_connection(where, 5) as link:
                    link.settimeout(5)
                    for _ in range(8):
                        link.sendall(noise[:65536])
                        sent += 65536
            except OSError:  # the server has closed the link: on to the next
                refused += 1
                sent += 65536
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
            for i in range((10 << 20) // 1400):
                at = (i * 1400) % (len(noise) - 1400)
                link.sendto(noise[at:at + 1400], where)
                if i % 50 == 0:
                    time.sleep(0.001)
        b.check(run.popen.poll() is None, "the run was over before the noise; make it longer")
        code = run.wait()
        b.check(code == 0, f"the run ended with {code}", run.text())
        b.check(last_line(run.out.read_text()) == want, "noise changed the digest", last_line(run.out.read_text()), want)
        facts = json.loads(report.read_text())
        b.check(sum(facts["drops"].values()) > 1000, "the report does not count the noise", facts["drops"])
        b.check(not facts["lost_hosts"], "a host was lost", facts["lost_hosts"])
        print(f"    dropped: {facts['drops']}")


PARTS = {f.__name__: f for f in (digests, report, words, manual, completion, secret, roles, ctl, signals, lost, returns, stopped, garbage)}


def main():
    with new_bench(sys.argv[1]) as b:
        b.run(PARTS, sys.argv[2:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
