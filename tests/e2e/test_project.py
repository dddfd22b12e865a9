#!/usr/bin/env python3
"""`convoy init` from an installation: every command of the project's own README runs.

    /usr/bin/python3 tests/e2e/test_project.py . build
"""
import os
import pathlib
import re
import subprocess
import sys

from harness import new_bench


def project(b, source, build):
    """What it writes is whole, and runs as its README says."""
    prefix = b.folder / "prefix"
    r = subprocess.run(["cmake", "--install", build, "--prefix", prefix, "--strip"], capture_output=True, text=True)
    b.check(r.returncode == 0, "it is installed", r.stderr)
    stated = float(re.search(r"The prefix can be anywhere, and moved: (\d+) MB", (source / "docs" / "install.md").read_text())[1])
    size = sum(path.stat().st_size for path in prefix.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6
    b.check(abs(size - stated) <= 0.2 * stated, f"an installation of {size:.1f} MB; docs/install.md says {stated}")
    b.command = [str(prefix / "bin" / "convoy")]
    folder = b.folder / "work" / "hallo"
    b.expect(0, r"hallo: a project; its README.md says how to run it:\n  cd .*/work/hallo\n  convoy run hallo.yaml\n\Z", None, "init", folder)
    written = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    b.check(written == ["README.md", "hall.pgm", "hall.yaml", "hallo.py", "hallo.yaml", "hallo_nodes.yaml", "nodes/CMakeLists.txt", "nodes/package.xml",
                        "nodes/src/explorer.cpp", "sweep.yaml"], "its files", written)
    b.check(not any("my_project" in (folder / name).read_text(errors="replace") for name in written), "its name is everywhere")
    environment = {**b.environment, "PATH": f"{prefix}/bin:{source}/.env/python/bin:{os.environ['PATH']}", "CMAKE_PREFIX_PATH": str(prefix), "PYTHONPATH": str(source / "python")}
    blocks = re.findall(r"^```sh\n(.*?)^```", (folder / "README.md").read_text(), re.M | re.S)
    b.check(len(blocks) == 3, "three blocks of commands", blocks)
    said = []
    for block in blocks:
        r = subprocess.run(["bash", "-e"], input=block, cwd=folder, env=environment, capture_output=True, text=True, timeout=4 * b.patience)
        b.check(r.returncode == 0, block, r.stdout[-1500:], r.stderr[-1500:])
        said.append(r.stdout)
    b.check("30 runs: 30 done" in said[0] and (folder / "run.svg").exists(), "the first block", said[0])
    b.check(re.search(r"^digest [0-9a-f]{16}$", said[1], re.M), "with its own node", said[1])
    b.check(re.search(r"^courier is at \d\.\d{3} \d\.\d{3} m after 2\.0 s$", said[2], re.M), "from Python", said[2])


def refused(b, source, build):
    """A name that is none, a folder with something in it, a place where nothing can be written."""
    for name in ("9lives", "Hallo", "a-b", "x" * 41, "."):
        b.expect(2, None, "a project's name is one of at most 40 small letters", "init", b.folder / "p" / name if name != "." else "/")
    full = b.folder / "full"
    full.mkdir()
    (full / "mine").write_text("")
    b.expect(2, None, r"\Aconvoy: .*/full: there is something already\n\Z", "init", full)
    b.check([path.name for path in full.iterdir()] == ["mine"], "and stays as it was")
    b.expect(2, None, "Not a directory", "init", b.scenario / "hallo")


def main():
    source, build = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    parts = {"project": project, "refused": refused}
    with new_bench(build / "convoy") as b:
        b.run({name: lambda bench, part=part: part(bench, source, build) for name, part in parts.items()}, sys.argv[3:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
