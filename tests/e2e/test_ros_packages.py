#!/usr/bin/env python3
"""ROS packages outside the tree: built with plain cmake against an installation, run by convoy job and alone.

    tests/e2e/test_ros_packages.py SOURCE BUILD

Installs BUILD into a new prefix, builds examples/ros into prefixes of their own, checks what their components print.
Prints one line per check that fails and exits 1 if there is any. $CXX is the compiler.
"""
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from harness import Bench, last_line

PATIENCE = 400  # s; compiling, on a machine that may be busy with other things
FIRST = ["Talker", "Listener", "Calibrator", "Operator", "Approacher", "Commander", "Heartbeat", "Orbit", "Follower"]
SAID = """\
[INFO] [0.200000000] [operator]: calibrated: offset 0.75
[INFO] [0.200000000] [heartbeat]: activated
[INFO] [0.500000000] [listener]: heard 5 of sine, mean 0.196688
[INFO] [0.500000000] [follower]: its front is 3.000 from the middle
[INFO] [0.600000000] [pairs]: 5 pairs, the last 50 ms apart
[INFO] [0.600000000] [commander]: arrived after 10 steps, 9 feedbacks
[INFO] [1.000000000] [listener]: heard 10 of sine, mean 0.417241
[INFO] [1.000000000] [heartbeat]: deactivated after 8 beats
[INFO] [1.000000000] [follower]: its front is 3.000 from the middle
[INFO] [1.100000000] [pairs]: 10 pairs, the last 0 ms apart
"""


def must(*command, folder="/"):
    """A step without which nothing else makes sense."""
    r = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    if r.returncode != 0:
        sys.exit(f"FAILED: {' '.join(map(str, command))}\n{r.stdout}\n{r.stderr}")
    return r.stdout


def build(source, folder, name, prefixes):
    """The steps of docs/ros_packages.md for a user."""
    tree, prefix = folder / "build" / name, folder / name
    must("cmake", "-G", "Ninja", "-S", source / "examples/ros" / name, "-B", tree, f"-DCMAKE_INSTALL_PREFIX={prefix}",
         f"-DCMAKE_PREFIX_PATH={';'.join(map(str, prefixes))}", "-DPython3_EXECUTABLE=/usr/bin/python3", "-DCMAKE_UNITY_BUILD=ON")  # half the time: it is mostly headers
    must("cmake", "--build", tree, "-j", "2", "--target", "install")
    return prefix


def component(package, name, *ros_args):
    return ["--component", package, f"{package}::{name}", *(["--component-ros-args", *ros_args] if ros_args else [])]


def found(folder, convoy):
    """Every installed package is found, with the targets that it names."""
    names = sorted(path.name for path in (convoy / "share/ament_index/resource_index/packages").iterdir())
    lines = ["cmake_minimum_required(VERSION 3.22)", "project(found LANGUAGES CXX)"]
    for name in names:
        lines += [f"find_package({name} REQUIRED)", f"foreach(target ${{{name}_TARGETS}})", "  if(NOT TARGET ${target})",
                  f'    message(FATAL_ERROR "{name}: no target ${{target}}")', "  endif()", "endforeach()",
                  f'message("FOUND {name} ${{{name}_VERSION}} ${{{name}_TARGETS}}")']
    (folder / "found").mkdir()
    (folder / "found/CMakeLists.txt").write_text("\n".join(lines))
    r = subprocess.run(["cmake", "-G", "Ninja", "-S", folder / "found", "-B", folder / "build/found",
                        f"-DCMAKE_PREFIX_PATH={convoy}", "-DPython3_EXECUTABLE=/usr/bin/python3"], capture_output=True, text=True, timeout=PATIENCE)
    return names, r


def packages(b, folder, convoy):
    names, r = found(folder, convoy)
    b.check(r.returncode == 0, "a package is not found", r.stderr)
    for name in ("rclcpp", "rclcpp_action", "rclcpp_components", "rclcpp_lifecycle", "tf2", "tf2_ros", "tf2_geometry_msgs",
                 "tf2_eigen", "tf2_sensor_msgs", "message_filters", "angles", "laser_geometry", "diagnostic_updater",
                 "std_msgs", "sensor_msgs", "nav_msgs", "map_msgs", "bond", "rosidl_default_generators", "rosidl_typesupport_cpp",
                 "yaml_cpp_vendor", "tinyxml2_vendor", "ament_cmake_ros", "orocos_kdl_vendor", "rcl", "rmw", "urdf", "kdl_parser"):
        b.check(f"FOUND {name} " in r.stderr, f"{name} is not installed", names)
    b.check("FOUND yaml_cpp_vendor 9.0.1 yaml-cpp\n" in r.stderr, "Debian's library under the name of ROS 2's copy", r.stderr)
    warned = " ".join(r.stderr.split())  # CMake breaks lines
    kdl = "orocos_kdl_vendor: this machine has no orocos_kdl (Debian: apt install liborocos-kdl-dev)"
    b.check(kdl in warned or "FOUND orocos_kdl_vendor 0.5.2 orocos-kdl\n" in r.stderr, "neither found nor named", r.stderr)
    b.check("kdl_parser: Convoy has no kdl_parser; what includes it does not compile" in warned, "what is missing is not said", r.stderr)
    b.check("FOUND rclcpp 28.1.6 rclcpp::rclcpp\n" in r.stderr, "rclcpp's version and target", r.stderr)


def components(b, demo):
    """Each kind of component of one package; the same words and the same digest twice."""
    path = {"AMENT_PREFIX_PATH": str(demo)}
    words = ["job", "--duration", "1100ms", *(w for name in FIRST for w in component("convoy_demo", name)),
             *component("convoy_demo", "Talker", "-r", "__node:=left_talker", "-r", "readings:=left", "-p", "sensor:=left"),
             *component("convoy_demo", "Talker", "-r", "__node:=right_talker", "-r", "readings:=right", "-p", "period_ms:=110"),
             *component("convoy_demo", "Pairs")]
    runs = [b.expect(0, r"\Adigest [0-9a-f]{16}\n\Z", "12 components", *words, env=path) for _ in range(2)]
    said = "".join(line for line in runs[0].stderr.splitlines(True) if line.startswith("["))
    b.check(said == SAID, "the components say something else", said)
    b.check(last_line(runs[0].stdout) == last_line(runs[1].stdout), "the digest differs between runs", *(r.stdout for r in runs))
    b.expect(2, None, "it has: convoy_demo::Talker, convoy_demo::Listener, convoy_demo::Calibrator", "job",
             *component("convoy_demo", "Nobody"), env=path)


SKY = """
convoy: 1
name: sky
time: {{tick: 10ms, duration: 10min}}
world: {{ground: {{size: [4, 4]}}}}
robots:
  - {{name: walker, model: turtlebot3_burger, placement: {{poses: [[0, 0, 0]]}}}}
programs:
  - {{name: sky, components: [{{library: {library}, class: "convoy_demo::Orbit"}}]}}
"""


def frames(b, demo):
    """What nodes inside a run tell of frames, from outside."""
    scenario = b.folder / "sky.yaml"
    scenario.write_text(SKY.format(library=next(demo.glob("lib/**/libothers.so"))))
    with b.start("launch", scenario, "--speed", "1") as run:
        tf = ("--connect", f"127.0.0.1:{run.port()}", "--wait", 20)
        b.expect(0, r"\Aworld\n  moon  \d+\.\d Hz, newest \d+\.\d+, by sky\n\Z", "", "tf", "tree", *tf)
        told = b.expect(0, "", "", "tf", "echo", "world", "moon", "--count", 1, "--json", *tf).stdout
        at = json.loads(told)["translation"]
        b.check(abs(math.hypot(*at) - 2) < 1e-9, "the moon is on its circle", told)
        b.expect(1, None, "'nowhere' is not known in 'world': ", "tf", "echo", "world", "nowhere", "--count", 1, *tf)
        run.popen.send_signal(signal.SIGINT)
        b.check(run.wait() == 130, "it ends as interrupted", run.text())


def alone(b, demo):
    """An executable with a main() of its own, without any variable that locates libraries."""
    r = subprocess.run([demo / "lib/convoy_demo/talker", "--ros-args", "-p", "count:=7", "-p", "sensor:=alone"],
                       env={}, capture_output=True, text=True, timeout=PATIENCE)
    b.check((r.returncode, r.stderr) == (0, "[INFO] [0.700000000] [talker]: alone sent 7 readings\n"), "talker alone", r)
    r = subprocess.run([demo / "lib/convoy_demo/talker", "--ros-args", "-p", "count:=many"], env={}, capture_output=True,
                       text=True, timeout=PATIENCE)
    b.check(r.returncode == 1 and r.stderr.startswith("convoy_demo::Talker: ") and "count" in r.stderr, "a bad parameter", r)


def programs(b, prefixes):
    """convoy node begins a package's program; one that loads components by class_loader has them, and ends when it is told to."""
    path = {"AMENT_PREFIX_PATH": ":".join(map(str, prefixes))}
    demo = next(prefix for prefix in prefixes if prefix.name == "convoy_demo")
    library = next(demo.glob("lib/lib*talker*.so"), None) or next(demo.glob("lib/*.so"))
    done = b.expect(0, None, r"Load library .*\.so\n(?s:.*)Instantiate class rclcpp_components::NodeFactoryTemplate<convoy_demo::Talker>\n", "node", "--duration", "2s",
                    "convoy_demo_plugins", "composed", library, "--ros-args", "-p", "count:=7", env=path)
    b.check("[0.700000000] [talker]: sine sent 7 readings" in done.stderr, "its components do not run", done.stderr)
    done = b.expect(0, None, "sent 5 readings", "node", "convoy_demo", "talker", "--ros-args", "-p", "count:=5", env=path)
    begun = time.monotonic()
    done = b.expect(0, None, "", "node", "run", "--duration", "1500ms", "--speed", "3", "convoy_demo", "talker", "--ros-args", "-p", "count:=500", env=path)
    b.check(time.monotonic() - begun > 0.4 and "sent" not in done.stderr, "neither its duration nor its speed", done.stderr)
    b.expect(2, None, "package 'convoy_demo' has no executable 'talkr'; it has .*talker", "node", "convoy_demo", "talkr", env=path)
    b.expect(2, None, "no package 'convoy_dem' with executables in AMENT_PREFIX_PATH; did you mean 'convoy_demo'", "node", "convoy_dem", "talker", env=path)
    b.expect(2, None, "CONVOY_DURATION: 'soon' is no time, as 60s", "node", "--duration", "soon", "convoy_demo", "talker", env=path)


def plugins(b, prefixes):
    """A second package over the first one's messages, and pluginlib, which finds its plugins."""
    path = {"AMENT_PREFIX_PATH": ":".join(map(str, prefixes))}
    for name, last in (("Negated", "-0.783327"), ("Accumulated", "4.172410")):
        b.expect(0, "digest", rf"10 readings filtered, the last to {re.escape(last)}$", "job", "--duration", "1s",
                 *component("convoy_demo", "Talker"),
                 *component("convoy_demo_plugins", "Filtering", "-p", f"filter:=convoy_demo_plugins::{name}"), env=path)
    chain = ["--duration", "1s", "--copies", 4, *component("convoy_demo", "Talker"),
             *component("convoy_demo_plugins", "Filtering", "-r", "__node:=first", "-p", "filter:=convoy_demo_plugins::Negated"),
             *component("convoy_demo_plugins", "Filtering", "-r", "__node:=second", "-p", "filter:=convoy_demo_plugins::Accumulated")]
    digests = {last_line(b.expect(0, "digest", "", "job", "--hosts", hosts, "--threads", threads, *chain, env=path).stdout) for hosts in (1, 2, 4) for threads in (1, 2)}
    b.check(len(digests) == 1, "a chain of plugins has not one digest", digests)
    b.expect(2, None, "Nothing", "job", *component("convoy_demo_plugins", "Filtering", "-p", "filter:=Nothing"), env=path)


def main():
    source, built = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    for name in ("CMAKE_PREFIX_PATH", "AMENT_PREFIX_PATH", "LD_LIBRARY_PATH"):  # of a ROS that has been sourced
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        convoy = folder / "convoy"
        must("cmake", "--install", built, "--prefix", convoy)
        demo = build(source, folder, "convoy_demo", [convoy])
        more = build(source, folder, "convoy_demo_plugins", [convoy, demo])
        b = Bench(str(convoy / "bin/convoy"), folder)
        packages(b, folder, convoy)
        components(b, demo)
        frames(b, demo)
        alone(b, demo)
        plugins(b, [more, demo])
        programs(b, [more, demo])
        for library in [*(convoy / "lib/convoy").glob("*.so"), *demo.rglob("*.so"), *more.rglob("*.so")]:
            b.check(str(built) not in must("ldd", library) and "not found" not in must("ldd", library), f"{library} stands alone")
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
