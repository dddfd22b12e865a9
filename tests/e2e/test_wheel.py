#!/usr/bin/env python3
"""The wheel convoy-sim: what `pip install` of it gives, in environments that have nothing else.

    /usr/bin/python3 tests/e2e/test_wheel.py build/wheel/wheels/convoy_sim-*.whl [PART]     a part of scripts/deep.sh
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from harness import new_bench
from test_packages import DIGEST, WITHIN, inside, new_system

ROOT = pathlib.Path(__file__).resolve().parents[2]


def called(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)


def environment(folder, *wanted):
    """A new one, with those packages of the registry."""
    called("/usr/bin/python3", "-m", "venv", folder)
    return called(folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted)


def venv(b, wheel):
    """In a new environment: the command, Python, Gymnasium; nothing of it from the checkout."""
    there = b.folder / "venv"
    r = environment(there, f"{wheel}[gym]")
    b.check(r.returncode == 0, "pip install", r.stderr[-1500:])
    b.command = [str(there / "bin" / "convoy")]
    os.chdir(b.folder)
    b.expect(0, "mujoco", None, "version")
    b.expect(0, "digest", "", "run", "hello")
    b.expect(0, DIGEST, "", "run", "warehouse", "--duration", "5s")
    b.expect(0, DIGEST, "", "launch", "warehouse", "--duration", "5s", "--speed", "max")
    b.expect(0, "digest", "", "run", "burgers", "--duration", "1s")
    b.expect(0, r"video +this build streams no video", "", "doctor")
    b.expect(0, "digest", "", "run", "fleet_nodes", "--duration", "1s")
    code = ("import convoy, convoy.gym, gymnasium\n"
            "print(convoy.sweep({'scenario': 'hello', 'axes': {'seed': [1, 2]}}, 's').done)\n"
            "env = gymnasium.make('convoy/BurgerGoal-v0')\nprint(env.reset(seed=1)[0].shape)\nenv.close()\n")
    bare = {k: v for k, v in b.environment.items() if k != "PYTHONPATH"} | {"PATH": "/usr/bin:/bin"}  # the command is found by the package
    r = called(there / "bin" / "python", "-c", code, env=bare)
    b.check(r.returncode == 0 and r.stdout.startswith("2\n("), "Python", r.stdout, r.stderr[-1500:])
    files = called(there / "bin" / "python", "-m", "pip", "show", "-f", "convoy-sim").stdout
    b.check("libmujoco" not in files and "licenses/libprotobuf32.copyright" in files, "MuJoCo is not in it, and copyrights are")
    libraries = called("ldd", there / "lib/python3.11/site-packages/convoy_sim/bin/convoy").stdout
    outside = {line.split()[0] for line in libraries.splitlines() if "/usr/lib" in line or "=> /lib" in line}
    b.check("not found" not in libraries and all(re.match(r"lib(c|m|dl|rt|pthread|resolv|stdc\+\+|gcc_s|z|X\w+|xcb|expat|GL\w*|EGL)\.|ld-linux", name) for name in outside),
            "of the system it needs what every Linux has", outside)
    said = re.search(r"^\| `convoy-sim` \| ([\d.]+) MB \| ([\d.]+) MB \|", (ROOT / "docs" / "install.md").read_text(), re.M)
    installed = sum(path.stat().st_size for name in ("convoy", "convoy_sim", "convoy_sim.libs") for path in (there / "lib/python3.11/site-packages" / name).rglob("*") if path.is_file())
    for what, now, stated in (("packed", wheel.stat().st_size / 1e6, float(said[1])), ("installed", installed / 1e6, float(said[2]))):
        b.check(abs(now - stated) <= WITHIN * stated, f"{now:.1f} MB {what}; docs/install.md says {stated}")


def apart(b, wheel):
    """MuJoCo in another folder of packages, and none at all."""
    mujoco, there = b.folder / "mujoco", b.folder / "apart"
    environment(mujoco, "mujoco-core==4.0.0")
    r = environment(there, "--no-deps", wheel)
    b.check(r.returncode == 0, "pip install", r.stderr[-1500:])
    b.command = [str(there / "bin" / "convoy")]
    b.expect(1, None, r"\Aconvoy: MuJoCo 4\.0\.0 is not there: pip install mujoco-core==4\.0\.0\n\Z", "version")
    b.expect(0, "mujoco", None, "version", env={"PYTHONPATH": str(mujoco / "lib/python3.11/site-packages")})


def by_pip(folder, *words, **more):
    """Of the system's Python, which need not have a pip of its own."""
    environment(folder)
    return called(folder / "bin" / "python", "-m", "pip", "--python", "/usr/bin/python3", "install", "--quiet", "--disable-pip-version-check",
                  "--break-system-packages", *words, **more)


def user(b, wheel):
    """As a user installs it for the system's Python."""
    there = {"PYTHONUSERBASE": str(b.folder / "user")}
    r = by_pip(b.folder / "pip", "--user", wheel, env={**os.environ, **there})
    b.check(r.returncode == 0, "pip install --user", r.stderr[-1500:])
    b.command = [str(b.folder / "user" / "bin" / "convoy")]
    os.chdir(b.folder)
    b.expect(0, DIGEST, "", "run", "warehouse", "--duration", "5s", env=there)
    b.expect(0, "digest", "", "launch", "burgers", "--duration", "1s", "--speed", "max", env=there)
    r = called("/usr/bin/python3", "-c", "import convoy; print(convoy.sweep({'scenario': 'hello', 'axes': {'seed': [1, 2]}}, 's').done)", env={**os.environ, **there})
    b.check(r.stdout == "2\n", "Python", r.stdout, r.stderr[-1500:])


def fresh(b, wheel):
    """In a Debian that has Python and nothing of what the simulator was built with: an environment, and the whole system's."""
    # The path is the same inside, where /tmp is another.
    with tempfile.TemporaryDirectory(prefix="convoy-wheel-", dir="/var/tmp") as folder, new_system(b.folder) as root:
        there = pathlib.Path(folder) / "opt"
        environment(there, wheel)
        shutil.copytree(there, root / there.relative_to("/"), symlinks=True)
        r = by_pip(b.folder / "pip", "--root", b.folder / "prefix", wheel)
        b.check(r.returncode == 0, "pip install of a whole system", r.stderr[-1500:])
        shutil.copytree(b.folder / "prefix", root, symlinks=True, dirs_exist_ok=True)
        r = inside(root, f"apt-get update -qq; apt-get install -y -qq --no-install-recommends python3 >/dev/null; cd /root; {there}/bin/convoy run warehouse --duration 5s --log-level error; {there}/bin/convoy run burgers --duration 1s --log-level error")
        b.check(r.returncode == 0 and DIGEST in r.stdout, "the command", r.stdout, r.stderr[-1500:])
        r = inside(root, f"cd /root; {there}/bin/python -c \"import convoy; print(convoy.sweep({{'scenario': 'hello', 'axes': {{'seed': [1, 2]}}}}, 's').done)\"")
        b.check(r.stdout == "2\n", "Python", r.stdout, r.stderr[-1500:])
        r = inside(root, f"cd /root; rm -r {there}; PATH=/usr/local/bin:$PATH; convoy run warehouse --duration 5s --log-level error; convoy run burgers --duration 1s --log-level error; python3 -c 'import convoy'")
        b.check(r.returncode == 0 and DIGEST in r.stdout and r.stdout.count("digest") == 2, "of the whole system", r.stdout, r.stderr[-1500:])


def main():
    wheel = pathlib.Path(sys.argv[1]).resolve()
    parts = {"venv": venv, "apart": apart, "user": user, "fresh": fresh}
    with new_bench(sys.argv[1]) as b:
        b.run({name: lambda bench, part=part: part(bench, wheel) for name, part in parts.items()}, sys.argv[2:])
        os.chdir(ROOT)
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
