#!/usr/bin/env python3
"""convoy topic pub and convoy service call: what people give to the nodes inside is an input of the run.

    tests/e2e/test_pub.py CONVOY FLEET [PART...]

FLEET: libconvoy_fleet.so, the components of examples/ros/convoy_fleet.

Standard library only. Prints one line per check that fails and exits 1 if there is any.
"""
import json
import pathlib
import subprocess
import sys
import time

from harness import last_line, new_bench
from test_nodes import write


def call_of(b, run):
    """Makes calls to that run: the exit code, what stdout and stderr have, the words."""
    at = f"127.0.0.1:{run.port()}"
    return lambda code, out, err, *words: b.expect(code, out, err, words[0], "--connect", at, "--wait", 20, *words[1:])


def inputs(b, scenario):
    """Messages and requests change the digest, to the same one on any hosts, and stand in the recording."""
    digests = {}
    for hosts in (1, 3):
        recording = b.folder / f"given{hosts}.mcap"
        with b.start("launch", scenario, "--hosts", hosts, "--paused", "--speed", "max", "--duration", "3s", "--record", recording) as run:
            call = call_of(b, run)
            call(0, "", None, "ctl", "step", "50")
            call(0, r"\Apublished at tick \d+\n\Z", None, "topic", "pub", "/courier_1/cmd_vel", "{linear: {x: 0.1}, angular: {z: 1}}")
            call(1, "", r"no response within 0 s; the call is of tick \d+, and the run is at tick 50",
                 "service", "call", "/courier_2/work", "{data: false}", "--timeout", "0")
            call(0, "", None, "ctl", "step", "50")
            # By its own nodes, and by those of another agent.
            call(0, "", None, "topic", "pub", "/courier_1/odom", "{pose: {pose: {position: {x: 3}}}}")
            call(0, "", None, "topic", "pub", "/courier_1/odom", "pose: {pose: {position: {y: 2}}}", "--agent", "manager")
            call(0, "", None, "topic", "pub", "/fleet/report", "{data: 'from outside'}", "--type", "std_msgs/String")
            call(0, "", None, "ctl", "resume")
            b.check(run.wait() == 0, "the run fails", run.text())
            digests[hosts] = last_line(run.out.read_text())
        for again in ((), ("--hosts", 1), ("--hosts", 2)):
            b.expect(0, digests[hosts], "equal: 301 boundaries", "replay", recording, "--verify", *again)
    plain = last_line(b.expect(0, "digest", "", "run", scenario, "--duration", "3s").stdout)
    b.check(len({*digests.values(), plain}) == 2 and digests[1] == digests[3], "digests", digests, plain)


def responses(b, scenario, *mode):
    """What is published is heard, and what a service responds is printed; also in free mode."""
    with b.start("launch", scenario, "--hosts", 2, "--duration", "60s", *mode) as run:
        call = call_of(b, run)
        call(0, r"\Asuccess: true\nmessage: standing\n\Z", None, "service", "call", "/courier_1/work", "{data: false}")
        # What a message does not name is as by default.
        call(0, r"\Asuccess: true\nmessage: standing\n\Z", None, "service", "call", "/courier_0/work")
        told = json.loads(call(0, "", None, "service", "call", "/courier_1/work", "data: yes", "--type", "std_srvs/srv/SetBool",
                               "--json").stdout)
        b.check(told["agent"] == "courier_1" and told["yaml"] == "success: true\nmessage: driving\n" and told["at_ns"] >= 10**10,
                "a response as JSON", told)
        echo = subprocess.Popen([b.convoy, "topic", "--connect", f"127.0.0.1:{run.port()}", "echo", "/fleet/report", "--count", "10"],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=b.environment)
        time.sleep(1)
        said = call(0, r"\A(published at tick \d+\n){3}\Z", None, "topic", "pub", "/fleet/report", "{data: three times}",
                    "--times", "3", "--rate", "20")
        heard = echo.communicate(timeout=b.patience)[0]
        b.check(heard.count("data: three times\n") == 3, "an echo of what was published", said.stdout, heard)
        call(0, r'\A\{"tick":\d+\}\n\Z', None, "topic", "pub", "/courier_1/cmd_vel", "--json")
        call(0, "", None, "ctl", "stop")
        b.check(run.wait() == 0, "the run fails", run.text())


def bad(b, scenario):
    """What cannot be given is refused with a line that says why, and leaves nothing in the journal."""
    recording = b.folder / "bad.mcap"
    with b.start("launch", scenario, "--hosts", 2, "--paused", "--duration", "1s", "--speed", "max", "--record", recording) as run:
        call = call_of(b, run)
        call(0, "", None, "ctl", "step", "20")

        def pub(why, *words):
            r = call(1, None, why, "topic", "pub", *words)
            b.check(r.stderr.count("\n") == 1, "more than a line", r.stderr)

        pub("no node has the topic '/courier_1/cmd_ve'; did you mean '/courier_1/cmd_vel'", "/courier_1/cmd_ve")
        pub("no node has the topic '/zzzzzzzzzzzzzzzz'$", "/zzzzzzzzzzzzzzzz")
        pub("'cmd_vel' is not named in full", "cmd_vel")
        pub("'/courier_1/cmd_vel' is of type geometry_msgs/msg/Twist, not std_msgs/msg/String", "/courier_1/cmd_vel", "{}",
            "--type", "std_msgs/msg/String")
        pub("geometry_msgs/msg/Twist: unknown field 'lineer' of geometry_msgs/msg/Twist; did you mean 'linear'", "/courier_1/cmd_vel",
            "{lineer: {x: 1}}")
        pub("linear.x: is a number, found 'fast'", "/courier_1/cmd_vel", "{linear: {x: fast}}")
        pub("not YAML: ", "/courier_1/cmd_vel", "{linear: [}")
        pub("found 'hello'", "/courier_1/cmd_vel", "hello")
        pub("the text is longer than 65536 bytes", "/fleet/report", "{data: " + 100_000 * "x" + "}")
        pub("unknown agent 'courier_11'; did you mean 'courier_1'", "/courier_1/cmd_vel", "{}", "--agent", "courier_11")
        pub("no node of 'manager' has the topic '/courier_1/cmd_vel'", "/courier_1/cmd_vel", "{}", "--agent", "manager")
        call(1, None, "no node serves '/courier_1/wrok'; did you mean '/courier_1/work'", "service", "call", "/courier_1/wrok")
        call(1, None, "no node serves '/courier_1/cmd_vel'", "service", "call", "/courier_1/cmd_vel")
        call(1, None, r"std_srvs/srv/SetBool: data: is a bool, found '5'", "service", "call", "/courier_1/work", "{data: 5}")
        call(1, None, r"is of type std_srvs/srv/SetBool, not std_srvs/srv/Trigger", "service", "call", "/courier_1/work", "{}",
             "--type", "std_srvs/srv/Trigger")
        # A lease binds all but its holder.
        call(0, "", None, "ctl", "lease", "courier_1", "--as", "ann")
        pub("'ann' has leased 'courier_1'", "/courier_1/cmd_vel", "{linear: {x: 0.1}}")
        call(1, None, "'ann' has leased 'courier_1'", "service", "call", "/courier_1/work", "{data: false}", "--as", "bob")
        call(0, "published", None, "topic", "pub", "/courier_1/cmd_vel", "{linear: {x: 0.1}}", "--as", "ann")
        call(0, "", None, "ctl", "resume")
        b.check(run.wait() == 0, "the run fails", run.text())
    b.expect(0, "digest", "equal: 101 boundaries", "replay", recording, "--verify")


def roles(b, scenario):
    """Both need what param set needs: edit."""
    secrets = b.folder / "secrets"
    secrets.write_text("".join(f"{role} {role}-of-the-lab\n" for role in ("view", "drive", "edit")))
    with b.start("launch", scenario, "--hosts", 1, "--credentials-file", secrets, "--duration", "60s") as run:
        call = call_of(b, run)
        for what in (["topic", "pub", "/courier_1/cmd_vel"], ["service", "call", "/courier_1/work"]):
            for role in ("view", "drive"):
                call(1, None, f"this call needs the role edit, and these credentials have {role}", *what, "--credentials",
                     f"{role}-of-the-lab")
            call(0, "", None, *what, "--credentials", "edit-of-the-lab")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    library = str(pathlib.Path(sys.argv[2]).resolve())
    with new_bench(sys.argv[1]) as b:
        b.environment["CONVOY_ALLOW_LIBRARY"] = str(pathlib.Path(library).parent)
        scenario = write(b, library)
        b.run({"inputs": lambda b: inputs(b, scenario), "responses": lambda b: responses(b, scenario),
               "free": lambda b: responses(b, scenario, "--mode", "free"), "bad": lambda b: bad(b, scenario),
               "roles": lambda b: roles(b, scenario)}, sys.argv[3:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
