"""The simulator in a wheel: the command `convoy`, its libraries and data, beside the package `convoy`.

MuJoCo is not in it: it comes with the package mujoco-core, and the command finds it in the folder `mujoco` beside this one.
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
COMMAND = HERE / "bin" / "convoy"
MUJOCO = "4.0.0"


def prepare() -> str:
    """The command's path. Where MuJoCo is in another folder of packages than this one (as of `--user` and of the system),
    LD_LIBRARY_PATH of this process says so to what it starts. ImportError: there is none of this version."""
    library = f"libmujoco.so.{MUJOCO}"
    if not (HERE.parent / "mujoco" / library).exists():
        spec = importlib.util.find_spec("mujoco")
        folders = list(spec.submodule_search_locations or ()) if spec else []
        there = next((folder for folder in folders if os.path.exists(os.path.join(folder, library))), None)
        if there is None:
            raise ImportError(f"MuJoCo {MUJOCO} is not there: pip install mujoco-core=={MUJOCO}")
        paths = [there, *filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":"))]
        os.environ["LD_LIBRARY_PATH"] = ":".join(dict.fromkeys(paths))
    return str(COMMAND)


def main() -> None:
    """The script `convoy`: becomes the command."""
    try:
        command = prepare()
    except ImportError as error:
        sys.exit(f"convoy: {error}")
    os.execv(command, ["convoy", *sys.argv[1:]])
