"""The command as tests of whole runs call it: its path is a test's first argument. What is not so ends the test."""
import pathlib
import re
import subprocess
import sys

CONVOY = sys.argv[1]
checks = 0


def check(what, ok):
    global checks
    checks += 1
    if not ok:
        raise SystemExit(f"{pathlib.Path(sys.argv[0]).stem}: {what}")


def convoy(*args, code=0, says=""):
    """Runs it to its end, which is that exit code with that said on stderr (a regular expression)."""
    done = subprocess.run([CONVOY, *map(str, args)], capture_output=True, text=True)
    check(f"{args}: exit {done.returncode}: {done.stdout}{done.stderr}", done.returncode == code)
    check(f"{args} does not say '{says}': {done.stderr}", re.search(says, done.stderr))
    return done


def digest(*args):
    """The last line of a run as fast as it can."""
    return convoy(*args, "--speed", "max", "--log-level", "warn").stdout.strip().splitlines()[-1]


def finish():
    print(f"{checks} checks")
