#!/usr/bin/env python3
"""Scenarios by their names: shipped ones, and those of the user's folders.

    /usr/bin/python3 tests/e2e/test_scenarios.py build/convoy
"""
import json
import pathlib
import shutil
import subprocess
import sys

from harness import last_line, new_bench


def named(b):
    """Scenarios run by their name from any folder: those that are shipped, and those of the user's folders."""
    root = pathlib.Path(__file__).resolve().parents[2]
    shipped = sorted(path.stem for path in (root / "scenarios").glob("*.yaml") if "\nscenario:" not in path.read_text())  # plans of sweeps have that
    listed = b.expect(0, r"(?m)^hello +\w", "", "scenarios")
    b.check([line.split()[0] for line in listed.stdout.splitlines()] == shipped, "all are listed", listed.stdout)
    by_path = b.expect(0, "digest", "", "run", root / "scenarios" / "hello.yaml", "--duration", "1s")
    for name in ("hello", "hello.yaml"):
        run = subprocess.run([b.convoy, "run", name, "--duration", "1s"], cwd=b.folder, env=b.environment, capture_output=True, text=True)
        b.check(run.returncode == 0 and last_line(run.stdout) == last_line(by_path.stdout), f"{name} from another folder", run.stdout, run.stderr)
    mine = b.folder / "mine"
    mine.mkdir()
    (mine / "hello.yaml").write_text("# My own.\n# In two lines.\n" + (root / "scenarios" / "push.yaml").read_text().split("\n", 1)[1])
    own = {**b.environment, "CONVOY_SCENARIO_PATH": f"{b.folder}/nowhere:{mine}"}
    told = json.loads(b.expect(0, "", "", "scenarios", "--json", env=own).stdout)["scenarios"]
    b.check(told[0] == {"name": "hello", "path": str(mine / "hello.yaml"), "about": "My own. In two lines."}, "the user's come first", told[0])
    b.check([one["name"] for one in told].count("hello") == 1, "of two of one name the first counts", told)
    b.expect(2, "", r"no scenario 'hallo', neither a file nor one that convoy scenarios lists; did you mean 'hello'\?", "run", "hallo")
    b.expect(2, "", r"\Aconvoy: hallo.yaml: cannot open: No such file or directory\n\Z", "run", "hallo.yaml")


def unbuilt(b):
    """A scenario whose components are an example that is not built says what builds it."""
    build = pathlib.Path(b.convoy).parent
    there = b.folder / "build"  # the command without the examples beside it
    there.mkdir()
    shutil.copytree(build / "ament", there / "ament")
    for name in ("scenarios", "maps", "models"):
        (there / name).symlink_to(build / name)
    shutil.copy(b.convoy, there / "convoy")
    b.command = [there / "convoy"]
    r = b.expect(2, None, "courier_0: the components of 'convoy_fleet', an example, are not built: cmake --build "
                 f"{there} --target convoy_fleet does that$", "run", "fleet_nodes")
    b.check(r.stderr.count("\n") <= 2, "once for each class", r.stderr)


def main():
    with new_bench(sys.argv[1]) as b:
        b.run({"named": named, "unbuilt": unbuilt}, sys.argv[2:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
