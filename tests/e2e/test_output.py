#!/usr/bin/env python3
"""What a command writes, and where: files, devices and links, pipes without a reader, a full disk.

    tests/e2e/test_output.py CONVOY [PART...]      parts: files pipes early; default all

Standard library only. Prints one line per check that fails and exits 1 if there is any.
"""
import json
import os
import re
import signal
import stat
import subprocess
import sys
import threading
import time

from harness import new_bench


def files(b):
    """Targets are tried before the run; links and devices stay what they are."""
    run = ("run", b.scenario, "--record", b.folder / "run.mcap")
    b.expect(0, r"^digest ", "", *run)
    # A path where nothing can be written: no run, one line.
    nowhere = b.folder / "nowhere" / "file"
    # A build without ROS has no jobs.
    jobs = [] if "CONVOY_ROS" in b.call("job", "--benchmark", "extended").stderr else [("job", "--benchmark", "extended")]
    for command in (("run", b.scenario), ("launch", b.scenario), ("server", b.scenario, "--listen", "127.0.0.1:0"), *jobs):
        r = b.expect(2, None, rf"cannot create {nowhere}: No such file or directory", *command, "--report", nowhere)
        b.check("begins" not in r.stderr and "combined" not in r.stdout, f"{command[0]} ran before it failed", r.stderr)
    for command in (("run", b.scenario), ("launch", b.scenario), ("server", b.scenario, "--listen", "127.0.0.1:0")):
        r = b.expect(2, None, rf"cannot create {nowhere}: No such file or directory", *command, "--record", nowhere)
        b.check("begins" not in r.stderr, f"{command[0]} ran before it failed", r.stderr)
    for option in ("--out", "--csv"):
        b.expect(2, None, rf"cannot create {nowhere}: No such file or directory", "plot", b.folder / "run.mcap", option, nowhere)
    b.expect(2, None, r"cannot write .*: Is a directory", "run", b.scenario, "--report", b.folder)

    # Links stay, and what they lead to is written.
    link, target = b.folder / "link", b.folder / "folder" / "target"
    target.parent.mkdir()
    link.symlink_to("folder/target")
    for there in (False, True):
        target.unlink(missing_ok=True)
        for command in (("run", b.scenario, "--report"), ("launch", b.scenario, "--speed", "max", "--report"), ("run", b.scenario, "--record"),
                        ("plot", b.folder / "run.mcap", "--out"), ("plot", b.folder / "run.mcap", "--csv")):
            if there:
                target.write_text("old")
            b.check(b.call(*command, link).returncode == 0, f"{command[0]} {command[-1]} did not write to a link")
            b.check(link.is_symlink() and target.stat().st_size > 100, f"{command[0]} {command[-1]} replaced a link", os.listdir(b.folder))
    b.check(os.listdir(target.parent) == ["target"], "something is left over", os.listdir(target.parent))

    # A named pipe is written to, a full device is an error; both stay what they are.
    fifo = b.folder / "fifo"
    os.mkfifo(fifo)
    got = []
    reader = threading.Thread(target=lambda: got.append(fifo.read_text()), daemon=True)
    reader.start()
    b.expect(0, r"^digest ", "", "run", b.scenario, "--report", fifo)
    reader.join(b.patience)
    b.check(got and json.loads(got[0])["ticks"] == 200, "no report in the pipe", got)
    full = b.folder / "full"
    full.symlink_to("/dev/full")
    for command in (("run", b.scenario, "--report"), ("launch", b.scenario, "--speed", "max", "--report"), ("run", b.scenario, "--record"),
                    ("plot", b.folder / "run.mcap", "--out"), *((*job, "--report") for job in jobs)):
        b.expect(1, "", "No space left on device", *command, full)
    b.check(stat.S_ISFIFO(fifo.stat().st_mode) and full.is_symlink() and stat.S_ISCHR(os.stat("/dev/full").st_mode), "something was replaced")

    # Our own stdout, whatever it is: what comes later does not overwrite the report.
    out = b.folder / "out"
    with open(out, "wb") as file:
        b.check(b.call("run", b.scenario, "--report", "/dev/stdout", stdout=file).returncode == 0, "no report on stdout")
    said = out.read_text()
    b.check(said.startswith("{") and json.loads(said[:said.rindex("}") + 1])["ticks"] == 200 and "\ndigest " in said, "stdout has not all", said)


def pipes(b):
    """stdout whose reader is gone ends a command quietly, as by SIGPIPE; any other that fails is an error; stderr is not
    waited for."""
    read, gone = os.pipe()
    os.close(read)
    commands = [("version",), ("--help",), ("check", b.scenario), ("run", b.scenario, "--json"), ("doctor",), ("completion", "bash"),
                ("launch", b.scenario, "--speed", "max", "--json")]
    for command in commands:
        shown = " ".join(map(str, command))
        r = b.call(*command, stdout=gone)
        loud = [line for line in r.stderr.splitlines() if "terminate" in line or "write" in line or (line.startswith("convoy: ") and command[0] == "version")]
        b.check(r.returncode == -signal.SIGPIPE and not loud, f"{shown} | true: not quietly by SIGPIPE", r.returncode, r.stderr)
        with open("/dev/full", "wb") as full:
            r = b.call(*command, stdout=full)
        b.check(r.returncode == 1 and r.stderr.endswith("convoy: cannot write to stdout: No space left on device\n"),
                f"{shown} >/dev/full", r.returncode, r.stderr)
        r = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *b.command, *map(str, command)], env=b.environment, stderr=subprocess.PIPE,
                           text=True, timeout=b.patience)
        b.check(r.returncode == 1 and r.stderr.endswith("convoy: cannot write to stdout: Bad file descriptor\n"), f"{shown} >&-",
                r.returncode, r.stderr)
        r = b.call(*command, stderr=gone)
        b.check(r.returncode == 0 and r.stdout, f"{shown} 2>&1 to nobody", r.returncode)
        r = subprocess.run(["sh", "-c", 'exec "$@" 2>&- <&-', "sh", *b.command, *map(str, command)], env=b.environment,
                           stdout=subprocess.PIPE, text=True, timeout=b.patience)
        b.check(r.returncode == 0 and r.stdout, f"{shown} 2>&- <&-", r.returncode)
    os.close(gone)

    # A server whose log's reader is gone goes on; so does its run, and what is printed for long ends with its reader.
    with b.start("launch", b.scenario, "--hosts", 2, "--paused", "--duration", "600s", stderr=subprocess.PIPE) as run:
        line = run.popen.stderr.readline
        port = next(int(found[1]) for found in iter(lambda: re.search(rb"listens on .*:(\d+)", line()), 0) if found)
        run.popen.stderr.close()
        at = ("--connect", f"127.0.0.1:{port}")
        b.expect(0, "steps|waits", None, "ctl", *at, "--wait", b.patience, "step", 100)
        read, write = os.pipe()
        look = subprocess.Popen([*b.command, "ctl", *at, "status", "--json"], stdout=write, stderr=subprocess.PIPE, env=b.environment)
        os.close(read), os.close(write)
        said = look.communicate(timeout=b.patience)[1]
        b.check(look.returncode == -signal.SIGPIPE and said == b"", "ctl | true", look.returncode, said)
        b.expect(0, "the run ends", None, "ctl", *at, "stop")
        b.check(run.wait() == 0, "a launch whose stderr nobody reads does not end well", run.popen.returncode)


def early(b):
    """SIGINT and SIGTERM end a command with 130, however early they come."""
    began = []
    for _ in range(5):
        begun = time.monotonic()
        b.call("version")
        began.append(time.monotonic() - begun)
    for number in (signal.SIGINT, signal.SIGTERM):
        for command in (("run", b.scenario, "--speed", "1"), ("launch", b.scenario), ("server", b.scenario, "--listen", "127.0.0.1:0")):
            for after in (0.02, 0.05, 0.1, 0.2, 0.4, 0.8):
                with b.start(*command) as process:
                    time.sleep(after)
                    os.killpg(process.popen.pid, number)
                    code = process.wait()
                    # Before its first line of code the system's own end is the only one there is. Beside other work that is
                    # later than alone.
                    b.check(code in (130, -number) if after < 2 * max(began) else code == 130, f"{command[0]}, {signal.Signals(number).name} after {after} s: {code}",
                            process.text())
                    b.check("terminate called" not in process.text(), f"{command[0]}: aborted", process.text())


PARTS = {"files": files, "pipes": pipes, "early": early}


def main():
    with new_bench(sys.argv[1]) as b:
        b.run(PARTS, sys.argv[2:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
