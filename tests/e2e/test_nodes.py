#!/usr/bin/env python3
"""Nodes inside the agents of a scenario, from outside: the same run on any hosts and threads, inspected and steered.

    tests/e2e/test_nodes.py CONVOY FLEET SQUARE

FLEET: libconvoy_fleet.so, the components of examples/ros/convoy_fleet; SQUARE: its program with a main() of its own.

Standard library only. Prints one line per check that fails and exits 1 if there is any.
"""
import json
import pathlib
import re
import socket
import subprocess
import sys
import threading
import time

from harness import last_line, new_bench

SCENARIO = """
convoy: 1
name: nodes
time: {{tick: 10ms, duration: 6s}}
world:
  ground: {{size: [12, 12], walls: 0.1}}
network: {{delay: 5ms}}
nodes:
  start: 10s
  delays:
    - {{topic: /courier_1/odom, delay: 123456789ns}}
robots:
  - name: courier
    count: 3
    model: turtlebot3_burger
    placement: {{grid: {{origin: [-4, -4], spacing: [4, 4]}}}}
    components:
      - {{library: {library}, class: "convoy_fleet::Patrol", ros_args: [-p, "speed:={speed}"]}}
programs:
  - name: manager
    components:
      - library: {library}
        class: convoy_fleet::Manager
        ros_args: [-p, "robots:=[courier_0, courier_1, courier_2]"]
"""


def write(b, library, speed="0.2", name="nodes.yaml"):
    path = b.folder / name
    path.write_text(SCENARIO.format(library=library, speed=speed))
    return path


def placements(b, scenario):
    """One digest on every number of hosts and threads, in one process and in several, recorded and run again."""
    first = b.expect(0, r"\Adigest [0-9a-f]{16}\n\Z", "", "run", scenario)
    digest = last_line(first.stdout)
    # The manager gets messages of robots at exactly the delays of the scenario.
    b.check("courier_1 is driving" in first.stderr and "at most 123456789 ns late" in first.stderr, "a delay of a rule", first.stderr)
    b.check("at most 15000000 ns late" in first.stderr, "a tick and the network's delay", first.stderr)
    b.check("courier_0 is standing" in first.stderr, "a call to a robot's service", first.stderr)
    for hosts, threads in ((2, 1), (4, 2)):
        again = b.expect(0, digest, "", "run", scenario, "--hosts", hosts, "--threads", threads)
        b.check(last_line(again.stdout) == digest, f"another digest on {hosts} hosts x {threads} threads", again.stdout)
    b.expect(0, digest, "", "launch", scenario, "--hosts", 2, "--speed", "max")
    seed = b.expect(0, r"\Adigest ", "", "run", scenario, "--set", "network.delay=6ms")
    b.check(last_line(seed.stdout) != digest, "another delay has the same digest")
    elsewhere = b.folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "copy.yaml").write_text(scenario.read_text())
    b.expect(0, digest, "", "run", elsewhere / "copy.yaml")
    recording = b.folder / "nodes.mcap"
    b.expect(0, digest, "", "run", scenario, "--record", recording)
    b.expect(0, digest, "equal: 601 boundaries", "replay", recording, "--verify")
    b.expect(0, digest, "run again from its start", "replay", recording, "--verify", "--from", "5")
    b.expect(0, r"\Adigest none", "is driving", "run", scenario, "--mode", "free", "--duration", "3s")


def attached(b, scenario):
    """A robot with nodes is carried by one of another process, drives on when it is put down, and the digest is that of
    one host; the recording replays on the hosts that it names, and on one."""
    digests = {}
    for hosts in (1, 3):
        recording = b.folder / f"attached{hosts}.mcap"
        with b.start("launch", scenario, "--hosts", hosts, "--paused", "--speed", "max", "--duration", "3s",
                     "--set", "hosts=[left, middle, right]" if hosts == 3 else "hosts=[alone]", "--record", recording) as run:
            at = f"127.0.0.1:{run.port()}"
            for call in (["step", "50"], ["attach", "courier_0", "courier_1"], ["attach", "courier_1", "courier_2"],
                         ["step", "100"], ["detach", "courier_1"], ["step", "50"], ["resume"]):
                b.expect(0, "", None, "ctl", "--connect", at, "--wait", 20, *call)
            b.check(run.wait() == 0, "the run fails", run.text())
            digests[hosts] = last_line(run.out.read_text())
        for again in ((), ("--hosts", 1), ("--hosts", 2)):
            b.expect(0, digests[hosts], "equal: 301 boundaries", "replay", recording, "--verify", *again)
    b.check(digests[1] == digests[3], "an attach across hosts has another digest", digests)


def looks(b, scenario):
    """convoy topic and param see and steer; seeing changes no digest."""
    plain = last_line(b.expect(0, "digest", "", "run", scenario).stdout)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        at = f"127.0.0.1:{probe.getsockname()[1]}"
    launched = subprocess.Popen([b.convoy, "launch", str(scenario), "--hosts", "2", "--listen", at, "--paused", "--speed", "1"],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=b.environment)

    def reach(code, out, err, *words):
        return b.expect(code, out, err, *words[:1], "--connect", at, "--wait", 20, *words[1:])

    try:
        end = time.monotonic() + b.patience
        while b.call("ctl", "--connect", at, "--wait", "20", "step", "100").returncode != 0 and time.monotonic() < end:
            time.sleep(0.2)
        listed = reach(0, r"/courier_1/odom +nav_msgs/msg/Odometry +1 publishers, 2 subscriptions, 19 so far", "", "topic", "list")
        b.check(re.search(r"/courier_0/work +std_srvs/srv/SetBool +1 servers, 1 clients", listed.stdout), "no service", listed.stdout)
        as_json = json.loads(reach(0, "", "", "topic", "list", "--json").stdout)
        b.check({"/courier_0/cmd_vel", "/fleet/report"} <= {t["name"] for t in as_json["topics"]}, "topics", as_json)
        reach(1, "", "did you mean '/courier_1/odom'", "topic", "echo", "/courier_1/odo")
        reach(0, r"\A/courier_1/odom\npublishers +/courier_1/\w+ +nav_msgs/msg/Odometry\nsubscriptions +/courier_1/patrol +nav_msgs/msg/Odometry\n",
              "", "topic", "info", "/courier_1/odom")
        reach(1, "", r"no topic '/tf'; ", "tf", "tree", "--spin-time", 0.1)
        reach(0, r"\A/courier_0/patrol\n(.*\n)*/courier_2/patrol\n", "", "node", "list")
        reach(0, r"\A/courier_1/patrol\nrobot +courier_1\npublishes +/courier_1/cmd_vel +geometry_msgs/msg/Twist\n(.*\n)*"
              r"subscribes +/courier_1/odom +nav_msgs/msg/Odometry\n", "", "node", "info", "/courier_1/patrol")
        told = json.loads(reach(0, "", "", "node", "info", "/courier_2/patrol", "--json").stdout)["nodes"]
        b.check(len(told) == 1 and told[0]["agent"] == "courier_2" and
                told[0]["serves"] == [{"name": "/courier_2/work", "type": "std_srvs/srv/SetBool"}], "node info --json", told)
        reach(1, "", "did you mean '/courier_1/patrol'", "node", "info", "/courier_1/patrl")
        reach(1, "", "convoy node list shows them", "node", "info", "/zzzzzzzzzzzzzzz")
        b.check(json.loads(reach(0, "", "", "service", "list", "--json").stdout) == {"services": as_json["services"]}, "services")
        reach(0, r"/courier_2/patrol speed: 0.2\n", "", "param", "list", "/courier_2/patrol")
        reach(0, r"\A0.2\n", "", "param", "get", "/courier_2/patrol", "speed")
        reach(1, "", "no node '/nobody'", "param", "get", "/nobody", "speed")
        reach(1, "", "it has: side, speed", "param", "get", "/courier_2/patrol", "colour")

        def begun(*words):
            return subprocess.Popen([b.convoy, "topic", "--connect", at, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=b.environment)
        echo = begun("echo", "/courier_1/odom", "--count", "3")
        time.sleep(1)
        reach(0, "", "", "ctl", "step", "30")
        said = echo.communicate(timeout=b.patience)[0]
        b.check(re.findall(r"^# (\S+) by courier_1$", said, re.M) == ["11.000000000", "11.050000000", "11.100000000"] and
                said.count("frame_id: odom") == 3, "echo", said)
        reach(0, "", "", "ctl", "resume")  # both at once: the run is over soon
        often, wide = (begun(kind, "/courier_2/odom", "--window", "1", "--count", "1", *more) for kind, *more in (("hz",), ("bw", "--json")))
        said = often.communicate(timeout=b.patience)
        b.check(said[0].startswith("20.000 Hz: ") and often.returncode == 0, "how often", said)
        wide = json.loads(wide.communicate(timeout=b.patience)[0])
        b.check(wide["mean_bytes"] > 700 and abs(wide["bytes_per_s"] / wide["mean_bytes"] - 20) < 0.1, "bytes of odom", wide)  # of 20 Hz
        out, _ = launched.communicate(timeout=b.patience)
        b.check(last_line(out) == plain, "who looked changed the digest", out, plain)
    finally:
        if launched.poll() is None:
            launched.kill()


def parameters(b, scenario):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        at = f"127.0.0.1:{probe.getsockname()[1]}"
    recording = b.folder / "steered.mcap"
    launched = subprocess.Popen([b.convoy, "launch", str(scenario), "--hosts", "2", "--listen", at, "--record", str(recording)],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=b.environment)
    try:
        b.expect(0, "", "", "param", "--connect", at, "--wait", 20, "set", "/courier_2/patrol", "speed", "0.05")
        b.expect(0, r"\A0.05\n", "", "param", "--connect", at, "get", "/courier_2/patrol", "speed")
        b.expect(1, "", "refused it: its value is still 0.05", "param", "--connect", at, "set", "/courier_2/patrol", "speed", "fast")
        out, err = launched.communicate(timeout=b.patience)
        b.check(launched.returncode == 0, "launch", out, err)
        b.expect(0, last_line(out), "equal: 601", "replay", recording, "--verify")  # it stands in the journal
    finally:
        if launched.poll() is None:
            launched.kill()


def bad(b, library):
    b.expect(2, "", r"courier_0: .*no component 'convoy_fleet::Patrole'", "check",
             write_with(b, library, "Patrol", "Patrole"))
    b.expect(2, "", "no component 'convoy_fleet::Patrole'; the library has: convoy_fleet::Manager, convoy_fleet::Patrol", "run",
             write_with(b, library, "Patrol", "Patrole"))
    b.expect(2, "", "nothing.so", "run", write(b, "/nowhere/nothing.so"))
    b.expect(2, "", r"courier_0: .*speed", "run", write(b, library, "fast"))
    b.expect(2, "", r"bad.yaml:\d+: nodes.delays\[0\].delay: '12 parsecs' has an unknown unit", "check",
             write_with(b, library, "123456789ns", "12 parsecs"))
    b.expect(2, "", r"bad.yaml:\d+: nodes.delays\[0\].*full name", "check", write_with(b, library, "topic: /courier_1/odom", "topic: odom"))


def write_with(b, library, old, new):
    path = b.folder / "bad.yaml"
    text = SCENARIO.format(library=library, speed="0.2")
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return path


def copies(b, library):
    """A job's copies and groups end alike, however they are spread."""
    job = ["job", "--component", library, "convoy_fleet::Patrol", "--duration", "2s"]
    file, digests = b.folder / "copies.json", set()
    for hosts, threads in ((1, 1), (2, 2), (4, 1)):
        r = b.expect(0, r"\Adigest [0-9a-f]{16}\n\Z", "8 agents", *job, "--copies", 8, "--hosts", hosts, "--threads", threads,
                     "--report", file)
        facts = json.loads(file.read_text())
        b.check(len({a["digest"] for a in facts["agents"]}) == 1 and len(facts["agents"]) == 8, "copies differ", facts)
        b.check(facts["agents"][0]["callbacks"] == 20 and facts["sim_s"] == 2, "a copy", facts)
        digests.add(last_line(r.stdout))
    b.check(len(digests) == 1, "hosts show in the digest of copies", digests)
    for arguments in (["--copies", 4, "--threads", 2, "--hosts", 2], ["--cut", 2], ["--cut", 2, "--hosts", 2, "--copies", 2]):
        b.expect(0, "combined", "", "job", "--benchmark", "determinism", *arguments)
    delays = b.folder / "delays.csv"
    delays.write_text("Topic Name, Delay Type, Fixed Delay_ms, Measured Delay Skew\n/cmd_vel,FIXED,20,\n")
    groups = ["job", "--group", "drivers", "--component", library, "convoy_fleet::Patrol", "--group", "managers", "--component",
              library, "convoy_fleet::Manager", "--delays", delays, "--duration", "3s"]
    seen = {last_line(b.expect(0, "digest", "2 agents", *groups, "--hosts", hosts).stdout) for hosts in (1, 2)}
    b.check(len(seen) == 1, "groups differ", seen)
    b.expect(2, "", "groups need an end", *groups[:-2])
    b.expect(2, "", "stands here twice", *groups[:6], "--group", "drivers")
    b.expect(2, "", "has no components", *groups[:6], "--group", "empty", "--duration", "1s")


def joining(b, library, square, *options, program=(), duration="20s", before=None, beside=None):
    """A run with one program that joins: (launch's exit code, stdout, stderr), (the program's). `before` and `beside` it."""
    path = b.folder / "joining.yaml"
    text = SCENARIO.format(library=library, speed="0.2").replace("duration: 6s", f"duration: {duration}")
    path.write_text(text.replace("programs:", "  - {name: guest, model: turtlebot3_burger, joins: true, "
                                              "placement: {poses: [[3, -2, 0]]}}\nprograms:"))
    with b.start("launch", path, *(options or ["--speed", "max"])) as run:
        where = run.wait_for(r"CONVOY_JOIN=(\S+)")[1]
        if before:
            before(where)
        if beside:
            threading.Thread(target=beside, args=[where.split("/")[0]]).start()
        guest = subprocess.run([square, "--ros-args", "-p", "side:=0.3", *program], capture_output=True, text=True, timeout=b.patience,
                               env={**b.environment, "CONVOY_JOIN": where})
        return (run.wait(), run.out.read_text(), run.err.read_text()), (guest.returncode, guest.stdout, guest.stderr)


def programs(b, library, square):
    """A program with a main() of its own is part of the world: its robot, others' services, one digest on any hosts."""
    digests, texts = set(), set()
    for options in ((), ("--hosts", 2), ("--hosts", 4, "--threads", 2)):
        (code, out, err), guest = joining(b, library, square, "--speed", "max", *options, program=("-p", "colleague:=courier_0"))
        b.check(code == 0 and guest[0] == 0, "a program that joins", err, guest)
        b.check(guest[2].count("corner") == 4 and "courier_0 is standing" in guest[2], "what it did", guest[2])
        digests.add(last_line(out)), texts.add(guest[2])
    b.check(len(digests) == 1 and len(texts) == 1, "hosts show in a run with a program", digests, *texts)
    # Others are not let in in its place, and it not in theirs.
    def wrong(where):
        address = where.split("/")[0]
        b.expect(1, "", "'guest' waits for a program of its own", "client", "--connect", address, "--name", "guest")
        for name, text in (("host0", "no robot 'host0' here waits for its program; these do: guest"), ("", "HOST:PORT/NAME")):
            r = subprocess.run([square], capture_output=True, text=True, timeout=b.patience,
                               env={**b.environment, "CONVOY_JOIN": address + "/" + name})
            b.check(r.returncode == 2 and text in r.stderr and r.stderr.count("\n") == 1, "a wrong CONVOY_JOIN", r.stderr)
    (code, out, err), guest = joining(b, library, square, program=("-p", "colleague:=courier_0"), before=wrong)
    b.check({last_line(out)} == digests, "who was not let in shows in the digest", out, err)
    # It cannot be put back to its start.
    def resetting(address):
        end = time.monotonic() + b.patience
        while "still loading" in (r := b.call("ctl", "--connect", address, "reset")).stderr and time.monotonic() < end:
            time.sleep(0.1)
        b.check(r.returncode == 1 and "the program of 'guest' has a main() of its own and cannot begin anew" in r.stderr,
                "a reset", r.stderr)
        b.expect(0, "", "", "ctl", "--connect", address, "resume")
    (code, out, err), guest = joining(b, library, square, "--speed", "max", "--paused", program=("-p", "colleague:=courier_0"),
                                      beside=resetting)
    b.check({last_line(out)} == digests, "a pause shows in the digest", out, err)
    # The run ends before the program: it learns so as from Ctrl-C.
    (code, out, err), guest = joining(b, library, square, duration="3s")
    b.check(code == 0 and guest[0] == 1, "a run that ends before its program", err, guest)
    (code, out, err), guest = joining(b, library, square, "--mode", "free", duration="2s")
    b.check(code == 0 and last_line(out) == "digest none" and guest[0] == 1, "a program in free mode", err, guest)
    # Or launch starts it.
    own = b.folder / "own.yaml"
    own.write_text((b.folder / "joining.yaml").read_text().replace("duration: 2s", "duration: 20s")
                   .replace("joins: true", f"joins: true, command: [{square}, --ros-args, -p, 'side:=0.3', -p, 'colleague:=courier_0']"))
    started = b.expect(0, "digest", r"guest: \[INFO\] \[\S+\] \[guest.square\]: corner 4", "launch", own, "--speed", "max")
    b.check({last_line(started.stdout)} == digests, "who starts the program shows in the digest", started.stdout, digests)
    own.write_text(own.read_text().replace(square, "/nowhere/program"))
    b.expect(2, "", "/nowhere/program", "launch", own)
    b.expect(2, "", "guest: its program joins, which nobody can in one process", "run", b.folder / "joining.yaml")
    b.expect(0, "5 robots|4 robots", "", "check", b.folder / "joining.yaml")
    b.expect(2, "", "'guest' joins under its name, and a host has it too", "check", b.folder / "joining.yaml", "--set",
             "hosts=[guest]")


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    library = str(pathlib.Path(sys.argv[2]).resolve())
    with new_bench(sys.argv[1]) as b:
        b.environment["CONVOY_ALLOW_LIBRARY"] = str(pathlib.Path(library).parent)
        scenario = write(b, library)
        b.run({"placements": lambda b: placements(b, scenario), "attached": lambda b: attached(b, scenario), "looks": lambda b: looks(b, scenario),
               "parameters": lambda b: parameters(b, scenario), "bad": lambda b: bad(b, library),
               "copies": lambda b: copies(b, library), "programs": lambda b: programs(b, library, sys.argv[3])}, sys.argv[4:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
