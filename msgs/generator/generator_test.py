#!/usr/bin/env python3
"""Tests of the generator's own rules: what it refuses, and that its output stays when nothing changes."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import interfaces

HERE = pathlib.Path(__file__).resolve().parent
MSGS = HERE.parent
OLD_HASHES = MSGS.parent / "src" / "adapters" / "ros2" / "old_hashes.h"


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def define(self, name, text):
        path = self.root / "defs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def generate(self, package, *depends):
        return subprocess.run(
            [sys.executable, HERE / "generate.py", package, self.root / "out", "--search", self.root / "defs", MSGS,
             "--depends", *depends], capture_output=True, text=True)

    def refused(self, text, *depends):
        done = self.generate("own_msgs", *depends)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(text, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_a_package_that_is_not_there_is_named(self):
        self.refused("no package own_msgs in")

    def test_a_type_of_a_package_that_is_not_depended_on_is_named(self):
        self.define("own_msgs/msg/A.msg", "geometry_msgs/Point p\n")
        self.refused("own_msgs/msg/A uses geometry_msgs, which own_msgs does not depend on")

    def test_a_type_that_does_not_exist_is_named(self):
        self.define("own_msgs/msg/A.msg", "geometry_msgs/Pint p\n")
        self.refused("no definition geometry_msgs/msg/Pint", "geometry_msgs")

    def test_a_definition_that_is_wrong_is_named(self):
        self.define("own_msgs/msg/A.msg", "int32 Bad Name\n")
        self.refused("A.msg")

    def test_a_second_run_writes_nothing_and_a_removed_definition_takes_its_headers_along(self):
        self.define("own_msgs/msg/One.msg", "int32 x 3\n")
        self.define("own_msgs/msg/Two.msg", "One[] ones\n")
        self.assertEqual(self.generate("own_msgs").returncode, 0)
        before = {path: path.stat().st_mtime_ns for path in (self.root / "out").rglob("*.[hc]*") if path.is_file()}
        self.assertTrue(any(path.name == "two.hpp" for path in before))

        self.assertEqual(self.generate("own_msgs").returncode, 0)
        self.assertEqual(before, {path: path.stat().st_mtime_ns for path in before})

        (self.root / "defs/own_msgs/msg/Two.msg").unlink()
        self.assertEqual(self.generate("own_msgs").returncode, 0)
        self.assertEqual([p.name for p in (self.root / "out").rglob("two*.hpp") if "include" in p.parts], [])

    def test_constants_defaults_and_comments_do_not_change_a_hash_and_names_do(self):
        def hash_of(text):
            self.define("own_msgs/msg/A.msg", text)
            return interfaces.Interfaces([self.root / "defs"]).hash("own_msgs/msg/A")

        plain = hash_of("int32 x\n")
        self.assertEqual(plain, hash_of("# why\nint32 K=1\nint32 x 5  # m\n"))
        self.assertNotEqual(plain, hash_of("int32 y\n"))
        self.assertNotEqual(plain, hash_of("int32[] x\n"))
        self.assertNotEqual(hash_of("int32[<=2] x\n"), hash_of("int32[<=3] x\n"))
        self.assertNotEqual(hash_of("string<=2 x\n"), hash_of("string x\n"))

    def test_the_hashes_of_simulation_interfaces_1_are_those_that_its_clients_are_known_by(self):
        def messages(root):
            known = interfaces.Interfaces([root, MSGS])
            types = [t.name for kind, name, _ in known.files("simulation_interfaces")
                     for t in known.load("simulation_interfaces", kind, name)]
            return {name: known.hash(name) for name in types if name.endswith(("_Request", "_Response"))}

        package = self.root / "simulation_interfaces"
        shutil.copytree(MSGS / "simulation_interfaces", package)
        shutil.copytree(MSGS / "older" / "simulation_interfaces", package, dirs_exist_ok=True)
        new = messages(MSGS)
        old = {name: value for name, value in messages(self.root).items() if new[name] != value}

        self.assertEqual(dict(re.findall(r'{"(simulation_interfaces/\S+)",\s+"(RIHS01_\w+)"}', OLD_HASHES.read_text())), old)


if __name__ == "__main__":
    unittest.main()
