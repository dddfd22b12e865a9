#!/usr/bin/env python3
"""The Debian packages: made by CPack, and run from where they land.

    /usr/bin/python3 tests/e2e/test_packages.py . build            unpacked into a folder: nothing is installed
    /usr/bin/python3 tests/e2e/test_packages.py . build fresh      installed, run and removed in a new Debian (root, debootstrap)

The first is a test of CTest; the second is a part of scripts/deep.sh, and exits with 77 where no system can be made.
"""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from harness import new_bench

DIGEST = "digest 6be68fdcae4e46fc"  # of 5 s of the warehouse
SKIPPED = 77
WITHIN = 0.2  # of the sizes that docs/install.md states


def called(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)


def made(b, build, out):
    """Packages of this build, by name. They are stripped of nothing that a build of the tests has and a release has not."""
    r = called("cpack", "-G", "DEB", "-B", out, cwd=build)
    b.check(r.returncode == 0, "cpack", r.stdout[-2000:], r.stderr[-2000:])
    return {path.name.split("_")[0]: path for path in out.glob("*.deb")}


def stated(source):
    """Megabytes of each package, packed and installed, as the page says."""
    rows = re.findall(r"^\| `([\w-]+)` \| ([\d.]+) MB \| ([\d.]+) MB \|", (source / "docs" / "install.md").read_text(), re.M)
    return {name: (float(packed), float(installed)) for name, packed, installed in rows}


def sizes(b, source, packages):
    says = stated(source)
    b.check(set(packages) <= set(says), "docs/install.md has each package", says, list(packages))
    for name, path in packages.items():
        field = called("dpkg-deb", "-f", path, "Installed-Size").stdout
        for what, is_now, said in (("packed", path.stat().st_size / 1e6, says[name][0]), ("installed", int(field) * 1024 / 1e6, says[name][1])):
            b.check(abs(is_now - said) <= WITHIN * said + 0.05, f"{name} is {is_now:.2f} MB {what}; docs/install.md says {said}")


def unpacked(b, source, build):
    """Each file is in one package; the command runs from there, its Python package finds it, and programs build against it."""
    packages = made(b, build, b.folder / "debs")
    b.check(sorted(packages) == ["convoy", "convoy-dev", "python3-convoy"], "three packages", packages)
    sizes(b, source, packages)
    depends = called("dpkg-deb", "-f", packages["convoy"], "Depends").stdout
    b.check("libprotobuf32" in depends and "libc6" in depends and "gtest" not in depends, "what its libraries need", depends)
    root = b.folder / "root"
    seen = {}
    for name, path in packages.items():
        for line in called("dpkg-deb", "-c", path).stdout.splitlines():
            if not line.startswith("d"):
                b.check(seen.setdefault(line.split()[5], name) == name, f"{line} is in {name} and in {seen[line.split()[5]]}")
        b.check(called("dpkg-deb", "-x", path, root).returncode == 0, f"{name} is unpacked")
    command = root / "usr" / "bin" / "convoy"
    b.command = [str(command)]
    libraries = called("ldd", command, *root.glob("usr/lib/convoy/*.so")).stdout
    b.check(str(build) not in libraries and "not found" not in libraries, "its libraries are its own, or the system's", libraries)
    b.expect(0, "convoy 0", None, "version")
    b.expect(0, DIGEST, "", "run", "warehouse", "--duration", "5s", "--log-level", "error", "--report", b.folder / "r.json")
    b.expect(0, "", "", "job", "--benchmark", "determinism")
    b.check((root / "usr/share/doc/convoy/mujoco/LICENSE").exists() or "mujoco" not in libraries, "MuJoCo's licence")
    python = root / "usr/lib/python3/dist-packages"
    code = ("import convoy, importlib.metadata as m; print(m.version('convoy'), convoy.__file__); "
            "print(convoy.sweep({'scenario': 'hello', 'axes': {'seed': [1, 2]}}, 'hello.sweep').done)")
    environment = {**os.environ, "PYTHONPATH": str(python), "PATH": f"{command.parent}:{os.environ['PATH']}"}
    r = called(source / ".env" / "python" / "bin" / "python", "-c", code, cwd=b.folder, env=environment)
    b.check(r.stdout == f"0.1.0 {python}/convoy/__init__.py\n2\n", "the Python package", r.stdout, r.stderr)
    example = b.folder / "example"
    for step in (("cmake", "-G", "Ninja", "-S", source / "examples" / "find_package", "-B", example, f"-DCMAKE_PREFIX_PATH={root}/usr"),
                 ("cmake", "--build", example, "--target", "lap"), (example / "lap",)):
        r = called(*step)
        b.check(r.returncode == 0, " ".join(map(str, step)), r.stdout[-1000:], r.stderr[-1000:])


@contextlib.contextmanager
def new_system(folder):
    """A Debian 12 with nothing but what every Debian has, and the sources and certificates of this one."""
    sources = pathlib.Path("/etc/apt/sources.list.d/debian.sources")
    listed = re.search(r"^URIs: *(\S+)", sources.read_text(), re.M) if sources.exists() else None
    if os.getuid() != 0 or not shutil.which("debootstrap") or not listed:
        print("fresh: needs root, debootstrap and Debian's sources: not tried")
        sys.exit(SKIPPED)
    root = pathlib.Path(folder) / "system"
    r = called("debootstrap", "--variant=minbase", "bookworm", root, listed[1])
    if r.returncode != 0:
        print("fresh: debootstrap failed:", r.stdout[-500:], r.stderr[-500:])
        sys.exit(SKIPPED)
    (root / "etc/apt/sources.list").unlink(missing_ok=True)
    shutil.copy(sources, root / "etc/apt/sources.list.d/")
    for path in ("/etc/resolv.conf", "/etc/hosts", *map(str, pathlib.Path("/etc/apt/apt.conf.d").glob("99*"))):
        shutil.copy(path, root / path.lstrip("/"))
    shutil.copytree("/usr/local/share/ca-certificates", root / "usr/local/share/ca-certificates", dirs_exist_ok=True)
    yield root


def inside(root, command):
    script = ('mount --make-rprivate /; mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"; mount -t tmpfs tmpfs "$1/tmp"; '
              'exec chroot "$1" /usr/bin/env -i HOME=/root PATH=/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive bash -ec "$2"')
    return called("unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", script, "_", root, command)


def fresh(b, source, build):
    """Each package is installed in a new Debian, used as its page says, and removed without a trace."""
    packages = made(b, build, b.folder / "debs")
    with tempfile.TemporaryDirectory(prefix="convoy-debian-") as folder, new_system(folder) as root:
        (root / "debs").mkdir()
        for path in packages.values():
            shutil.copy(path, root / "debs")
        shutil.copytree(source / "examples", root / "root" / "examples")

        def says(what, command, wanted):
            r = inside(root, command)
            b.check(r.returncode == 0 and re.search(wanted, r.stdout, re.M), f"{what}: exit {r.returncode}, wanted /{wanted}/", r.stdout[-1500:], r.stderr[-1500:])

        install = "apt-get install -y --no-install-recommends"
        says("convoy is installed", f"apt-get update -qq; {install} /debs/convoy_*.deb 2>&1", "Setting up convoy")
        says("the command", "cd /; convoy version; convoy run warehouse --duration 5s --log-level error", DIGEST)
        says("a MuJoCo robot", "cd /; convoy run burgers --duration 1s --log-level error", "^digest")
        says("several processes", "cd /; convoy launch warehouse --duration 5s --speed max --log-level error", DIGEST)
        says("completion", "test -s /usr/share/bash-completion/completions/convoy; echo there", "there")
        says("the Python package is installed", f"{install} /debs/python3-convoy_*.deb 2>&1", "Setting up python3-convoy")
        says("Python", "cd /root; python3 -c \"import convoy; print(convoy.sweep({'scenario': 'hello', 'axes': {'seed': [1, 2]}}, 's').done)\"", "^2$")
        says("convoy-dev is installed", f"{install} ninja-build /debs/convoy-dev_*.deb 2>&1", "Setting up convoy-dev")
        says("a program outside", "cd /root; cmake -G Ninja -S examples/find_package -B lap; cmake --build lap; lap/lap; echo ran", "^ran$")
        says("a ROS package outside", "cd /root/examples/ros/convoy_fleet; cmake -G Ninja -B build; cmake --build build; echo built", "^built$")
        says("a project of one's own", "cd /root; convoy init hallo; cd hallo; sed -n '/^```sh/,/^```/{/^```/d;p}' README.md | bash -e; echo all", "^all$")
        says("all are removed", "apt-get purge -y convoy convoy-dev python3-convoy 2>&1; find / -xdev -iname '*convoy*' -not -path '/proc/*' -not -path '/root/*' -not -path '/debs/*' | sed 's/^/left: /'; echo end",
             r"\A(?!(.|\n)*^left: )(.|\n)*^end$")


def main():
    source, build = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    parts = {"unpacked": unpacked, "fresh": fresh}
    with new_bench(build / "convoy") as b:
        b.run({name: lambda bench, part=part: part(bench, source, build) for name, part in parts.items()}, sys.argv[3:] or ["unpacked"])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
