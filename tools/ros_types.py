#!/usr/bin/env python3
"""Makes packages of msgs/ for real ROS 2's Python: `from simulation_interfaces.srv import SpawnEntity` under rclpy.

    .env/ros/bin/python tools/ros_types.py OUT [--over FOLDER] [PACKAGE...]
    PYTHONPATH=OUT/python .env/ros/bin/python PROGRAM

Runs in the environment that scripts/python-env.sh ros makes, with the generators that are there and the system's g++,
and needs nothing else of ROS. Without names, all packages that no wheel has; what the named ones use and no wheel has is
made, too. Takes half a minute of one core for simulation_interfaces, one and a half for all, and nothing when OUT is up
to date. FOLDER has definitions that are used instead of those of msgs/: `--over msgs/older simulation_interfaces` makes
its version 1.x. The type support is that which rmw_fastrtps_cpp asks for.
"""
import argparse
import concurrent.futures
import contextlib
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

ROOT = pathlib.Path(__file__).resolve().parent.parent
MSGS = ROOT / "msgs"
sys.path.insert(0, str(MSGS / "generator"))
import interfaces

PREFIX = pathlib.Path(sys.prefix)
SHARE = PREFIX / "share"
# What rmw_fastrtps_cpp asks a type for: CDR, and its structure.
SUPPORTS = ("rosidl_typesupport_fastrtps_c", "rosidl_typesupport_introspection_c")
# What services and actions are made of beside their definitions.
ALWAYS = ("action_msgs", "builtin_interfaces", "service_msgs", "unique_identifier_msgs")
LIBRARIES = (*SUPPORTS, "rosidl_typesupport_fastrtps_cpp", "rosidl_typesupport_c", "rosidl_runtime_c", "rcutils", "rmw", "fastcdr")
PARTS = ("rosidl_generator_c", "rosidl_generator_py", "rosidl_typesupport_c", *SUPPORTS)  # libraries of a package in a wheel


def used_by(known, package):
    types = [t for kind, name, _ in known.files(package) for t in known.load(package, kind, name)]
    return {f.nested.split("/")[0] for t in types for f in t.fields if f.nested} | set(ALWAYS)


def all_needed(known, packages):
    """{package: what it uses}, of the named packages and of those that no wheel has, each after those that it uses."""
    needed = {}

    def add(package):
        if package in needed:
            return
        used = used_by(known, package) - {package}
        for other in sorted(used):
            if not (SHARE / other).is_dir():
                add(other)
        needed[package] = used

    for package in packages:
        add(package)
    return needed


class Package:
    """One package on its way from definitions to a library and a Python module."""

    def __init__(self, out, source, name, used):
        self.out, self.source, self.name, self.used = out, source, name, used
        self.share, self.include = out / "share" / name, out / "include" / name / name
        self.introspection = out / "introspection" / name / name  # its sources have the names of others
        self.python = out / "python" / name
        self.files = sorted(path for kind in interfaces.KINDS for path in (source / kind).glob(f"*.{kind}"))

    def arguments(self, generator, folder):
        """The file by which rosidl's generators are told what to do."""
        idl = [f"{path.parent.name}/{path.stem}.idl" for path in self.files]
        shares = [path for place in (SHARE, self.out / "share") for path in place.iterdir() if path.is_dir()]
        file = self.share / "arguments.json"
        file.write_text(json.dumps({
            "package_name": self.name, "output_dir": str(folder), "template_dir": str(SHARE / generator / "resource"),
            "idl_tuples": [f"{self.share}:{path}" for path in idl], "ros_interface_dependencies": [],
            "target_dependencies": [], "ros_interface_files": [str(path) for path in self.files],
            "include_paths": [f"{path.name}:{path}" for path in shares],
            "type_description_tuples": [f"{path}:{(self.share / path).with_suffix('.json')}" for path in idl]}))
        return str(file)

    def generate(self):
        from rosidl_adapter import convert_to_idl
        from rosidl_cli.command.helpers import generate_visibility_control_file
        from rosidl_generator_c import generate_c
        from rosidl_generator_py import generate_py
        from rosidl_generator_type_description import generate_type_hash
        from rosidl_typesupport_c import generate_c as generate_support
        from rosidl_typesupport_fastrtps_c import generate_typesupport_fastrtps_c
        from rosidl_typesupport_introspection_c import generate_c as generate_introspection

        for path in self.files:
            convert_to_idl(self.source, self.name, path.relative_to(self.source), self.share)
        generate_type_hash(self.arguments("rosidl_generator_type_description", self.share))
        generate_c(self.arguments("rosidl_generator_c", self.include))
        generate_typesupport_fastrtps_c(self.arguments(SUPPORTS[0], self.include))
        generate_introspection(self.arguments(SUPPORTS[1], self.introspection))
        generate_support(self.arguments("rosidl_typesupport_c", self.include), SUPPORTS)
        generate_py(self.arguments("rosidl_generator_py", self.python), ["rosidl_typesupport_c"])
        for generator in ("rosidl_generator_c", *SUPPORTS):
            header = f"{generator}__visibility_control.h"
            generate_visibility_control_file(package_name=self.name, output_path=self.include / "msg" / header,
                                             template_path=SHARE / generator / "resource" / f"{header}.in")

    def build(self, pool):
        """The library of all that is C, and the module by which Python reaches it."""
        import numpy
        includes = [self.out / folder / name for name in (self.name, *self.used) for folder in ("include", "introspection")]
        includes += [PREFIX / "include", *(PREFIX / "include").iterdir(), sysconfig.get_paths()["include"], numpy.get_include()]
        options = ["-fPIC", "-O0", "-w", *(f"-I{path}" for path in includes)]
        units = [*self.include.glob("*/detail/*.c"), *self.introspection.glob("*/detail/*.c"), *self.together()]
        door = self.python / f"_{self.name}_s.ep.rosidl_typesupport_c.c"
        *objects, door_object = pool.map(lambda source: compiled(source, options), (*units, door))

        libraries = self.out / "lib"
        libraries.mkdir(exist_ok=True)
        others = [f"-l{other}__types" if (self.out / "share" / other).is_dir() else f"-l{other}__{part}"
                  for other in sorted(self.used) for part in PARTS]
        link(libraries / f"lib{self.name}__types.so", objects, libraries, [*others, *(f"-l{name}" for name in LIBRARIES)])
        # By these names the supports are looked for, among what is loaded already; they lead to the library above.
        for support in SUPPORTS:
            link(libraries / f"lib{self.name}__{support}.so", [], libraries, [f"-l{self.name}__types"])
        module = self.python / f"{self.name}_s__rosidl_typesupport_c{sysconfig.get_config_var('EXT_SUFFIX')}"
        link(module, [door_object], libraries, [f"-l{self.name}__{part}" for part in ("types", *SUPPORTS)])
        (self.python / "__init__.py").touch()

    def together(self):
        """Sources that are compiled as one, since what they include takes most of the time."""
        made = []
        for kind in interfaces.KINDS:
            for name, found in (("cdr.cc", self.include.glob(f"{kind}/detail/*__type_support_c.cpp")),
                                ("support.cc", self.include.glob(f"{kind}/*__type_support.cpp")),
                                ("python.c", self.python.glob(f"{kind}/*_s.c"))):
                paths = sorted(found)
                if paths:
                    made.append(self.include / f"{kind}_{name}")
                    made[-1].write_text("".join(f'#include "{path}"\n' for path in paths))
        return made


def system():
    """Without the libraries of the wheels, which are not the compiler's."""
    return {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}


def run(*command):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, env=system())
    if done.returncode:
        sys.exit(f"ros_types: {command[0]} ... {command[-1]}:\n{done.stderr}")


def compiled(source, options):
    result = source.with_name(source.name + ".o")
    run("gcc" if source.suffix == ".c" else "g++", *options, "-c", "-o", result, source)
    return result


def link(result, objects, libraries, options):
    run("g++", "-shared", "-o", result, f"-Wl,-soname,{result.name}", *objects, f"-L{libraries}", f"-L{PREFIX / 'lib'}",
        f"-Wl,--no-as-needed,-rpath,{libraries}:{PREFIX / 'lib'}", *options)


def sources(packages, over):
    """{package: {file below it: text}}, of msgs/ and of what is over it."""
    found = {}
    for package in packages:
        folders = [folder / package for folder in (MSGS, over) if folder is not None]
        found[package] = {path.relative_to(folder): path.read_text() for folder in folders for kind in interfaces.KINDS
                          for path in sorted(folder.glob(f"{kind}/*.{kind}"))}
    return found


def make(out, packages, over):
    known = interfaces.Interfaces([MSGS])
    needed = all_needed(known, packages)
    texts = sources(needed, over)
    stamp = hashlib.sha256(repr((sorted(packages), texts, pathlib.Path(__file__).read_text(), sys.prefix)).encode()).hexdigest()
    mark = out / "ros_types.stamp"
    if mark.exists() and mark.read_text() == stamp:
        return
    if out.exists() and not mark.exists() and any(out.iterdir()):
        sys.exit(f"ros_types: {out} holds something else")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    mark.touch()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for package, used in needed.items():
            for path, text in texts[package].items():
                file = out / "definitions" / package / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            (out / "share" / package).mkdir(parents=True)
            made = Package(out, out / "definitions" / package, package, used)
            with contextlib.redirect_stdout(io.StringIO()):  # rosidl names each file
                made.generate()
            made.build(pool)
    mark.write_text(stamp)
    print(f"ros_types: {', '.join(needed)} in {out}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("packages", nargs="*")
    arguments.add_argument("--over", type=pathlib.Path)
    args = arguments.parse_intermixed_args()
    if not (SHARE / "rosidl_generator_py").is_dir():
        sys.exit("ros_types: no ROS 2 here: scripts/python-env.sh ros makes .env/ros")
    packages = args.packages or sorted(path.parent.name for kind in ("msg", "srv") for path in MSGS.glob(f"*/{kind}")
                                       if not (SHARE / path.parent.name).is_dir())
    make(args.out.resolve(), packages, args.over)


if __name__ == "__main__":
    main()
