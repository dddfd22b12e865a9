#!/usr/bin/env python3
"""Generates the C++ of one ROS interface package with rosidl, and what Convoy's runtime wants to know beside it.

    generate.py PACKAGE OUT --search FOLDER... [--depends PACKAGE...]

OUT/include/PACKAGE/{msg,srv,action}/*.hpp   rosidl's headers
OUT/include/PACKAGE/convoy_types.h           the door to its table of types
OUT/PACKAGE__types.cc                        one translation unit: rosidl's introspection, and the facts of
                                             convoy_ros_types/facts.h (names, hashes, definitions)
Files whose text stays the same are not written again. Needs Debian's rosidl (scripts/setup.sh).
"""
import argparse
import os
import pathlib
import sys
import tempfile

import events
import interfaces
import rosidl_pycommon
import types_cc
from ament_index_python import get_package_share_directory
from rosidl_adapter import convert_to_idl
from rosidl_cli.command.helpers import legacy_generator_arguments_file
from rosidl_generator_cpp import generate_cpp as generate_headers
from rosidl_pycommon import convert_camel_case_to_lower_case_underscore as snake
from rosidl_typesupport_introspection_cpp import generate_cpp as generate_introspection


def parse_once():
    """Both generators parse each .idl file; the second one gets the first one's. Events of services have no file."""
    parsed = {}
    parse = rosidl_pycommon.parse_idl_file

    def remembered(locator):
        path = locator.get_absolute_path()
        if path not in parsed:
            parsed[path] = events.of(locator, remembered) or parse(locator)
        return parsed[path]

    rosidl_pycommon.parse_idl_file = remembered


def run_rosidl(package, files, services, out):
    """Into `out`, which is empty: rosidl's files are changed afterwards."""
    idl = out / "idl"
    for _, _, path in files:
        convert_to_idl(path.parent.parent, package, path.relative_to(path.parent.parent), idl)
    parse_once()
    parts = [(kind, name) for kind, name, _ in files] + [(kind, f"{name}_Event") for kind, name in services]
    for generate, share, folder in (
            (generate_headers, "rosidl_generator_cpp", out / "include" / package),
            (generate_introspection, "rosidl_typesupport_introspection_cpp", out / "introspection")):
        with legacy_generator_arguments_file(
                package_name=package, interface_files=[f"{idl}:{kind}/{name}.idl" for kind, name in parts],
                include_paths=[], templates_path=pathlib.Path(get_package_share_directory(share)) / "resource",
                output_path=folder) as arguments:
            generate(arguments)
    events.join(out / "include" / package, package, services)
    events.join(out / "introspection", package, services)


def check_dependencies(package, depends, types):
    known = {package, *depends}
    for t in types:
        for other in {f.nested.split("/")[0] for f in t.fields if f.nested} - known:
            raise interfaces.InterfaceError(f"{t.name} uses {other}, which {package} does not depend on")


def remove_stale(out, package, files):
    """Headers of definitions that are gone must not be found any more."""
    stems = {(kind, snake(name)) for kind, name, _ in files}
    for path in (out / "include" / package).rglob("*.hpp"):
        kind, name = path.relative_to(out / "include" / package).parts[0], path.stem.split("__")[0]
        if (kind, name) not in stems:
            path.unlink()


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("package")
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--search", nargs="+", type=pathlib.Path, required=True, metavar="FOLDER")
    arguments.add_argument("--depends", nargs="*", default=[], metavar="PACKAGE")
    args = arguments.parse_args()
    out = args.out.resolve()
    # rosidl prints each file; and EmPy keeps what it finds here, so that it cannot be put back.
    sys.stdout = open(os.devnull, "w")
    try:
        known = interfaces.Interfaces([folder.resolve() for folder in args.search])
        files = known.files(args.package)
        definitions = [(kind, name, known.load(args.package, kind, name)) for kind, name, _ in files]
        check_dependencies(args.package, args.depends, [t for _, _, types in definitions for t in types])
        services = [tuple(t.name.split("/")[1:]) for _, _, types in definitions for t in types
                    if t.name.endswith("_Event") and t.name[:-len("_Event")] in known.types]
        services = [(kind, name[:-len("_Event")]) for kind, name in services]
        with tempfile.TemporaryDirectory() as fresh:
            run_rosidl(args.package, files, services, pathlib.Path(fresh))
            types_cc.bring(pathlib.Path(fresh), out)
        remove_stale(out, args.package, files)
        types_cc.write(out, args.package, definitions, known)
    except interfaces.InterfaceError as error:
        print(f"generate: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
