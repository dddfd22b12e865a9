#!/usr/bin/env python3
"""Users' software that does what it should not: the run goes on and says so, or ends with one clear line.

    tests/e2e/test_odd.py CONVOY ODD ODD_MAIN LATE_MAIN LATE DETERMINISM [PART ...]

ODD: libodd.so, the components of tests/components/odd.cpp. ODD_MAIN: a program. LATE_MAIN: one that loads LATE, a library which runs
jobs. DETERMINISM: the library of the benchmark's components. Standard library only. Prints one line per check that fails
and exits 1 if there is any.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

from harness import last_line, new_bench

# Whose threads they are, as messages say it. The address sanitizer puts a function of its own in front of each thread's.
HERE = r"(?:libodd\.so|libasan\.so\.\d+)"
SCENARIO = """
convoy: 1
name: odd
time: {{tick: 10ms, duration: 1s}}
world: {{ground: {{size: [12, 12]}}}}
liveness: 2s
robots:
  - name: robot
    count: 2
    model: turtlebot3_burger
    placement: {{grid: {{origin: [-4, -4], spacing: [4, 4]}}}}
    components:
      - {{library: {library}, class: "odd::{component}"}}
"""


def write(b, library, component):
    path = b.folder / f"{component}.yaml"
    path.write_text(SCENARIO.format(library=library, component=component))
    return path


def slow(b, library):
    """A callback that takes three times the liveness limit loses no host: others wait, and are told for what."""
    scenario = write(b, library, "Slow")
    want = last_line(b.expect(0, r"\Adigest [0-9a-f]{16}\n\Z", "", "run", scenario).stdout)
    b.environment["ODD_SLEEP"] = "6"
    b.expect(0, want, "", "run", scenario, "--hosts", 2)
    told = b.expect(0, want, r"waits for host[01] \(busy with /robot_[01]/slow: callback of a timer\)", "launch", scenario, "--hosts", 2, "--speed", "max")
    b.check(not re.search("lost|gone|silent", told.stderr), "a busy host is lost", told.stderr)
    free = b.expect(0, r"\Adigest none", "", "launch", scenario, "--hosts", 2, "--mode", "free")
    b.check(not re.search("lost|gone|silent", free.stderr), "a busy host is lost in free mode", free.stderr)
    del b.environment["ODD_SLEEP"]


WALKERS = """
  - {name: walker, count: 12, model: turtlebot3_waffle, driver: random_walk, placement: {grid: {origin: [-4, 0], spacing: [1, 1], columns: 6}}}
"""


def rounding(b, library):
    """Who changes how its thread rounds changes no other robot, wherever they run, and is named."""
    scenario = write(b, library, "Rounding")
    scenario.write_text(scenario.read_text() + WALKERS.strip("\n") + "\n")
    digests = {}
    for command, hosts, threads in (("run", 1, 1), ("run", 1, 2), ("run", 3, 1), ("launch", 3, 1)):
        run = b.expect(0, r"\Adigest [0-9a-f]{16}\n\Z", r"Rounding: constructor changes how floating point rounds", command, scenario, "--hosts",
                       hosts, "--threads", threads, "--speed", "max")
        digests[command, hosts, threads] = last_line(run.stdout)
    b.check(len(set(digests.values())) == 1, "another digest by who runs beside whom", digests)


def package(b, library, name, tail=b""):
    """A prefix with the package `odd_pkg`; other bytes at its library's end make another build of it."""
    prefix = b.folder / name
    index = prefix / "share/ament_index/resource_index/rclcpp_components"
    index.mkdir(parents=True)
    (prefix / "lib").mkdir()
    (prefix / "lib/libodd.so").write_bytes(pathlib.Path(library).read_bytes() + tail)
    (index / "odd_pkg").write_text("odd::Slow;lib/libodd.so\nodd::Rounding;lib/libodd.so\n")
    return str(prefix)


def builds(b, library):
    """Hosts with different builds of a library: declined in lockstep, named in free mode; recordings know theirs."""
    ours, theirs = package(b, library, "ours"), package(b, library, "theirs", b"another build")
    scenario = write(b, "odd_pkg", "Slow")
    scenario.write_text(scenario.read_text().replace("library:", "package:"))
    differs = r"host1 has another build of odd_pkg/libodd\.so \(([0-9a-f]{16})\) than host0 \(([0-9a-f]{16})\)"
    wild = b.folder / "wild.yaml"
    wild.write_text(scenario.read_text().split("robots:")[0])
    late = b.folder / "late.yaml"
    late.write_text("- {name: late, model: turtlebot3_burger, pose: [3, 3], components: [{package: odd_pkg, class: 'odd::Slow'}]}")

    def run_with(first, second, mode, of=scenario, *options, then=None):
        """A server and two clients with these prefixes; the server's and the second client's output."""
        report = b.folder / "builds.json"
        with b.start("server", of, "--hosts", 2, "--mode", mode, "--listen", "127.0.0.1:0", "--report", report,
                     "--log-level", "debug", *options) as server:
            port = server.port()
            b.environment["AMENT_PREFIX_PATH"] = first
            with b.start("client", "--connect", f"127.0.0.1:{port}", "--name", "host0") as client0:
                client0.wait_for("joined as host0")
                server.wait_for("host0 is ready")
                b.environment["AMENT_PREFIX_PATH"] = second
                with b.start("client", "--connect", f"127.0.0.1:{port}", "--name", "host1") as client1:
                    if then:
                        then(server, port)
                    else:
                        client1.wait()
                        if client1.popen.returncode == 0:
                            server.wait()
                    return server.text(), client1.text(), client1.popen.poll(), json.loads(report.read_text()) if report.exists() else {}

    server, client, code, _ = run_with(ours, theirs, "lockstep")
    b.check(code == 1 and re.search("the server declined: " + differs, client), f"another build was let in: exit {code}", client, server)
    found = re.search("declined: " + differs, server)
    b.check(found and found[1] != found[2], "the server does not name both builds", server)

    recording = b.folder / "builds.mcap"
    server, client, code, facts = run_with(ours, ours, "lockstep", scenario, "--record", recording)
    b.check(code == 0 and next(iter(facts["code"])) == "odd_pkg/libodd.so" and facts["other_code"] == [], "the report has no code", facts, client)
    b.check(any(re.fullmatch(r"odd_pkg/libodd\.so: lib.*action.*\.so", name) for name in facts["code"]), "what the library needs is left out", facts["code"])
    same = facts["code"]["odd_pkg/libodd.so"]
    server, client, code, facts = run_with(ours, theirs, "free")
    b.check(code == 0 and re.search(differs, server) and len(facts["other_code"]) == 1, "free mode does not name the other build", server, facts)

    equal = b.expect(0, "digest", "equal", "replay", recording, "--verify", env={"AMENT_PREFIX_PATH": ours})
    b.check("build" not in equal.stderr, "a replay with the same build warns", equal.stderr)
    b.expect(0, "digest", rf"this machine has another build of odd_pkg/libodd\.so \([0-9a-f]+\) than the recorded run \({same}\)", "replay",
             recording, "--verify", env={"AMENT_PREFIX_PATH": theirs})

    def spawn(server, port):
        server.wait_for("the run begins")
        made = b.call("ctl", "spawn", "--file", late, "--connect", f"127.0.0.1:{port}")
        b.check(made.returncode == 1 and re.search(differs, made.stderr), "a spawn with two builds was carried out", made.stdout, made.stderr)
        b.call("ctl", "stop", "--connect", f"127.0.0.1:{port}")

    run_with(ours, theirs, "lockstep", wild, "--duration", "1000s", "--speed", "1", then=spawn)


def threads(b, library):
    """Threads that nodes make are part of the order: one digest on any hosts and threads. Who has a pool is told."""
    for component in ("Detached", "Action", "Worker", "Async", "Stuck"):
        scenario = write(b, library, component)
        want = b.expect(0, r"\Adigest [0-9a-f]{16}\n\Z", "", "run", scenario)
        for options in (("--hosts", 2), ("--hosts", 1, "--threads", 2), ("--hosts", 2, "--threads", 2)):
            b.expect(0, last_line(want.stdout), "", "run", scenario, *options)
        b.expect(0, last_line(want.stdout), "", "launch", scenario, "--hosts", 2, "--speed", "max")
    action = b.call("job", "--component", library, "odd::Action", "--duration", "1s")
    b.check(action.returncode == 0 and "the goal is reached at 0.400000000 s" in action.stderr, "the action does not end in its time", action.stderr)
    idle = b.call("job", "--component", library, "odd::Idle", "--duration", "1s")
    b.check(idle.returncode == 0 and re.search(rf"at the end there remain: thread 1 \({HERE}\) of /idle: callback of a timer waits for a condition variable", idle.stderr)
            and re.search(r"^digest [0-9a-f]{16}$", idle.stdout, re.M), "who does not end", idle.stderr, idle.stdout)
    locked = b.call("job", "--component", library, "odd::Locked", "--duration", "1s")
    b.check(locked.returncode == 1 and re.search(rf"deadlock: thread 2 \({HERE}\) of /locked: callback of a timer waits for a mutex that thread 1 .* has; thread 1 .* waits for a "
                                                 r"mutex that thread 2 ", locked.stderr), "a deadlock is not told", locked.stderr)
    for more in ((), ("--copies", 2, "--duration", "1s")):
        vain = b.call("job", "--component", library, "odd::Vain", *more)
        b.check(vain.returncode == 1 and "deadlock, since nothing else is to happen: /vain: callback of a timer waits for an atomic or a future" in vain.stderr,
                "a wait in vain is not told", vain.stderr, vain.returncode)
    b.environment["CONVOY_WATCHDOG"] = "1"
    spins = b.call("job", "--component", library, "odd::Spins", "--duration", "1s")
    b.check(spins.returncode == 1 and re.search(rf"thread 1 \({HERE}\) of /spins: callback of a timer spins: for 1\.0 s it has let nobody else go on", spins.stderr),
            "who spins is not told", spins.stderr)
    del b.environment["CONVOY_WATCHDOG"]
    late = b.call("job", "--component", library, "odd::Asks", "--component", library, "odd::Answers", "--duration", "1s")
    b.check(late.returncode == 0 and "it is 42" in late.stderr, "a constructor that waits for a service of another node", late.stderr)
    pool = write(b, library, "Pool")
    want = b.expect(0, r"\Adigest [0-9a-f]{16}\n\Z", "", "run", pool)
    for hosts in (1, 2):
        b.expect(0, last_line(want.stdout), "", "run", pool, "--hosts", hosts, "--threads", 2)


def placements(b, library):
    """check --placements: one digest wherever nodes run, or the first tick, entity and field that say otherwise."""
    good = b.expect(0, r"\Aall in one process +digest ([0-9a-f]{16})$", None, "check", "--placements", write(b, library, "Slow"))
    digests = re.findall(r"^(\S.*?) +digest ([0-9a-f]{16})$", good.stdout, re.M)
    names = [name for name, _ in digests]
    b.check(names == ["all in one process", "the same once more", "shuffled over threads", "one agent a process", "two processes",
                      "two, started in another order"] and len({digest for _, digest in digests}) == 1, "not one digest", good.stdout)
    b.expect(1, r"one agent a process +digest", r"convoy: different: all in one process / one agent a process: tick \d+ \([0-9.]+ s\), "
             r"entity robot_[01], [a-z._ ]+: \S+ / \S+", "check", "--placements", write(b, library, "Shared"))
    b.expect(2, "", "free mode has no digest to compare", "check", "--placements", write(b, library, "Slow"), "--mode", "free")
    free = write(b, library, "Shared")
    free.write_text(free.read_text().replace("tick: 10ms", "tick: 10ms, mode: free"))
    b.expect(1, r"all in one process +digest [0-9a-f]{16}$", "different: ", "check", "--placements", free, "--mode", "lockstep")
    waits = write(b, library, "Slow")
    waits.write_text(waits.read_text() + "programs: [{name: stranger, joins: true}]\n")
    b.expect(2, "", "program of 'stranger' has no command", "check", "--placements", waits)


def isolate(b, library):
    """isolate: what robots would share in one process they do not share, on any number of hosts; only launch can do it."""
    alone = write(b, library, "Shared")
    alone.write_text(alone.read_text() + "    isolate: true\n")
    digests = set()
    for hosts in (1, 2):
        report = b.folder / f"isolated{hosts}.json"
        digests.add(b.expect(0, "digest", "", "launch", alone, "--hosts", hosts, "--report", report, "--speed", "max").stdout)
        names = [host["name"] for host in json.loads(report.read_text())["processes"] if host["name"] != "server"]
        other = "host0" if hosts == 1 else "host1"
        b.check(sorted(names) == sorted([f"host{i}" for i in range(hosts)] + ["host0.robot_0", f"{other}.robot_1"]), "other clients", names)
    b.check(len(digests) == 1, "not one digest", digests)
    apart = b.folder / "apart.yaml"  # two processes, without a word on it
    apart.write_text(alone.read_text().replace("    isolate: true\n", ""))
    b.check(b.expect(0, "digest", "", "launch", apart, "--hosts", 2, "--speed", "max").stdout in digests, "alone is another than apart")
    b.check(b.expect(0, "digest", "", "launch", apart, "--hosts", 1, "--speed", "max").stdout not in digests, "they share nothing")
    b.expect(2, "", "'robot_0' is to run in a process of its own, and this is one process: use convoy launch", "run", alone)
    b.expect(0, r"\Aone host +digest [0-9a-f]{16}$", None, "check", "--placements", alone)
    with b.start("launch", alone, "--hosts", 1, "--duration", "60s") as run:
        port = run.port()
        run.wait_for("the run begins")
        for name, host, code, text in (("extra", "host0.robot_0", 1, "'host0.robot_0' is for one robot, and has one"),
                                       ("extra", "host0.extra", 1, "no host named 'host0.extra' takes part"), ("extra", "host0", 0, "")):
            b.expect(code, "", text, "ctl", "--connect", f"127.0.0.1:{port}", "spawn", name, "--model", "turtlebot3_burger",
                     "--host", host)


def libraries(b, library):
    """A library is loaded by its path from the scenario's folder or one that is allowed, and a spawn's from the latter alone."""
    env = b.environment.pop("CONVOY_ALLOW_LIBRARY")
    elsewhere = write(b, library, "Slow")
    folder = b.folder / "own"
    folder.mkdir()
    shutil.copy(library, folder / "libown.so")
    own = folder / "own.yaml"
    own.write_text(SCENARIO.format(library="libown.so", component="Slow"))
    link = b.folder / "link.yaml"  # what counts is where a library is, not by which name it is reached
    (b.folder / "liblink.so").symlink_to(library)
    link.write_text(SCENARIO.format(library="liblink.so", component="Slow"))

    denied = r"libodd\.so: it is not loaded: libraries come from packages, from --allow-library DIR, or from the scenario's folder$"
    for command in ("run", "launch"):
        b.expect(2, "", denied, command, elsewhere)
        b.expect(2, "", denied, command, link)
        b.expect(0, "^digest", "", command, own)
        b.expect(0, "^digest", "", command, elsewhere, "--allow-library", env)
    # A check loads nothing that only a run may.
    left_out = r"/own/libown\.so was left out of the check; --trust loads what a run loads"
    b.expect(0, "2 robots", left_out, "check", own)
    b.expect(0, "2 robots", None, "check", own, "--trust")
    b.expect(2, "", denied, "check", elsewhere, "--trust")
    b.expect(0, "2 robots", None, "check", elsewhere, "--allow-library", env)
    b.expect(2, "", denied, "check", "--placements", elsewhere, "--trust")
    b.expect(2, "", r"would load \S+libown\.so; --trust lets it", "check", "--placements", own)
    # A recording may come from anywhere.
    record = b.folder / "own.mcap"
    digest = last_line(b.expect(0, "^digest", "", "run", own, "--record", record).stdout)
    b.expect(2, "", r"own\.mcap would load \S+/own/libown\.so; --trust lets it, --allow-library DIR lets it load what is in DIR$",
             "replay", record)
    for right in (["--trust"], ["--allow-library", folder]):
        b.check(last_line(b.expect(0, "^digest", "", "replay", record, *right).stdout) == digest, "the replay has another digest")
    # From the wire: what the scenario names, or what is allowed.
    def spawned(path, *options):
        late = b.folder / "late.yaml"
        late.write_text(f"- {{name: late, model: turtlebot3_burger, components: [{{library: {path}, class: 'odd::Slow'}}]}}\n")
        with b.start("launch", own, "--speed", 1, "--duration", "60s", "--listen", "127.0.0.1:0", *options) as run:
            run.wait_for("the run begins")
            address = f"127.0.0.1:{run.port()}"
            r = b.call("ctl", "--connect", address, "spawn", "--file", late)
            b.call("ctl", "--connect", address, "stop")
            run.wait()
        return r.returncode, r.stdout + r.stderr
    unasked = folder / "libunasked.so"  # in the scenario's folder, and the scenario does not name it
    shutil.copy(library, unasked)
    for path in (library, unasked, b.folder / "liblink.so"):
        code, text = spawned(path)
        b.check(code == 1 and "it is not loaded: libraries come from packages, from --allow-library DIR" in text, f"a spawn of {path}", text)
    for path, options in ((folder / "libown.so", ()), (library, ("--allow-library", env))):
        code, text = spawned(path, *options)
        b.check(code == 0, f"a spawn of {path} with {options}", text)
    b.environment["CONVOY_ALLOW_LIBRARY"] = env


def own_main(b, program):
    """A program with a main() of its own whose node a thread spins: alone, and in a run, with one digest."""
    alone = subprocess.run([program], capture_output=True, text=True, timeout=b.patience)
    b.check(alone.returncode == 0 and "[0.750000000] [odd_main]: five, then 250 ms" in alone.stderr, f"a program alone: exit {alone.returncode}", alone.stderr)
    joins = b.folder / "joins.yaml"
    joins.write_text(SCENARIO.split("robots:")[0].format() + f"programs: [{{name: odd, joins: true, command: ['{program}']}}]\n")
    digests = {b.expect(0, "digest", "five, then 250 ms", "launch", joins, "--hosts", hosts, "--speed", "max").stdout for hosts in (1, 1, 2)}
    b.check(len(digests) == 1, "not one digest", digests)


def late(b, library, program, plug_in, determinism):
    """A program that has loaded Convoy when it ran has no threads in order: who would make some is refused, others run."""
    if b.address_sanitized():
        print("late: left out, since a sanitizer's functions stand before all others, whoever is loaded when")
        return

    def run(*words, **env):
        return subprocess.run([program, plug_in, *words], capture_output=True, text=True, timeout=b.patience, env={**b.environment, **env})
    refused = run(library, "odd::Detached")
    b.check(refused.returncode == 2 and re.search(r"libodd\.so: it makes threads \(std::thread\), and this program has loaded Convoy too late .* LD_PRELOAD=", refused.stderr),
            "who makes threads runs", refused.returncode, refused.stderr)
    good = run(determinism, "determinism::A")
    b.check(good.returncode == 0 and re.fullmatch(r"[0-9a-f]{16}\n", good.stdout), "who makes none does not run", good.returncode, good.stderr)
    first = refused.stderr.strip().rpartition("LD_PRELOAD=")[2]
    loaded = run(library, "odd::Detached", LD_PRELOAD=first)
    want = b.call("job", "--component", library, "odd::Detached", "--duration", "1s")
    b.check(loaded.returncode == 0 and f"digest {loaded.stdout}" in want.stdout, "preloaded it does not run", loaded.stderr, loaded.stdout, want.stdout)


def main():
    library = str(pathlib.Path(sys.argv[2]).resolve())
    with new_bench(sys.argv[1]) as b:
        b.environment["CONVOY_ALLOW_LIBRARY"] = str(pathlib.Path(library).parent)
        b.run({"slow": lambda b: slow(b, library), "rounding": lambda b: rounding(b, library), "builds": lambda b: builds(b, library),
               "threads": lambda b: threads(b, library), "placements": lambda b: placements(b, library),
               "isolate": lambda b: isolate(b, library), "libraries": lambda b: libraries(b, library),
               "own_main": lambda b: own_main(b, str(pathlib.Path(sys.argv[3]).resolve())),
               "late": lambda b: late(b, library, *(str(pathlib.Path(word).resolve()) for word in sys.argv[4:7]))}, sys.argv[7:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
