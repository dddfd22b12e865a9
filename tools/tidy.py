#!/usr/bin/env python3
"""Checks the shape of the sources: includes point downwards, files and classes stay small, files open with a sentence.

tools/tidy.py [ROOT]            run by the tests: one line per finding, file and line first; exits 1 if there is any
tools/tidy.py --sizes [ROOT]    the ten largest classes: members and functions
"""

import ast
import pathlib
import re
import sys

import class_sizes

# The folders of docs/architecture.md, lowest first. A folder may include itself and folders on earlier lines, not its neighbours.
LAYERS = [
    ["core"],
    ["world"],
    ["wire"],
    ["shapes"],
    ["shapes/gltf"],
    ["physics", "sensing", "nodes"],
    ["physics/mujoco", "sensing/embree"],
    ["agent", "record/foxglove", "messages"],
    ["session"],
    ["run"],
    ["lockstep", "replication", "record"],
    ["scenario", "guest"],
    ["roles"],
    ["os", "testing", "render", "film"],
    ["pictures", "bag", "sweep", "gang"],
    ["engines", "plugins"],
    ["client", "host", "seeds"],
    ["control"],
    ["adapters/zmq", "adapters/ros2", "adapters/web", "stream"],
    ["adapters/ros2/fastdds"],
    ["apps"],
]
LEVEL = {folder: level for level, line in enumerate(LAYERS) for folder in line}
NO_CLOCK = re.compile(
    r"std::chrono::(steady|system|high_resolution)_clock|\bclock_gettime\b|\bgettimeofday\b|\bstd::random_device\b|"
    r"\bstd::(thread|jthread|async)\b|\bsleep_for\b|\busleep\b|\bgetenv\b|std::(normal|uniform_\w+)_distribution|"
    r"std::unordered_(map|set)"
)
# The same for rclcpp, whose API has the names of clocks and sleeps in it.
ROS_NO_CLOCK = re.compile(
    r"_clock::now|\bclock_gettime\b|\bgettimeofday\b|\bstd::random_device\b|\bstd::(thread|jthread|async)\b|"
    r"\bthis_thread::sleep|\busleep\b|\bgetenv\b|std::(normal|uniform_\w+)_distribution|std::unordered_(map|set)"
)
LIBM = re.compile(r"\bstd::(sin|cos|tan|atan2?|hypot|exp|log|pow|asin|acos|sinh|cosh|tanh)\(")
MAX_LINES = 600
MAX_CLASS = 40  # members and functions together
LARGE_CLASSES = "tools/large_classes.txt"
LONG_FILES: dict[str, int] = {}  # files that are longer, with their lines, which may only become fewer
HEADERS, SOURCES = (".h", ".hpp"), (".cc", ".cpp", ".c")
CXX = ("src", "fuzz", "include", "rclcpp", "msgs/runtime", "bench", "examples", "tests")
PYTHON = ("python", "tests", "tools", "bench", "examples", "msgs/generator", "src")
# What folders of rclcpp/ may include of src; of those that are not listed here, the headers of their own package alone.
KERNEL = {
    "msgs/runtime": {"core"},
    "rclcpp/include": {"nodes"},
    "rclcpp/src": {"nodes", "os"},
    "rclcpp/test": {"nodes", "os"},
    "rclcpp/convoy_components": {"bag", "os", "record"},
    "rclcpp/robot": {"agent", "core", "messages", "os", "plugins", "sensing", "world"},
    "rclcpp/join": {"engines", "os", "plugins", "roles"},
    "rclcpp/tf2": {"core"},
}
# What of src may include the runtime over the types of ROS interface packages (msgs/runtime).
ROS_TYPES = {"messages", "adapters/ros2"}
# Where rclcpp meets the world outside of a run; all else runs in its time alone.
OUTSIDE = {
    "rclcpp/join/join.cpp",  # a program of its own joins a run: a thread for the network, variables of who starts it
    "rclcpp/src/alone.cpp",  # how fast a program alone goes, and how far
    "rclcpp/src/interpose.cpp",  # stands before the C library's clocks, sleeps and locks
    "rclcpp/src/late.cpp",  # the names of functions that make threads
    "rclcpp/benchmark/determinism.cpp",  # sleeps at random where it is asked to, which must move nothing
    "rclcpp/src/pools.cpp",  # what computing libraries may have is said by the environment
    "rclcpp/src/executors.cpp",  # asks whether it is to join
    "rclcpp/src/types.cpp",  # where installed packages are
    "rclcpp/src/watchdog.cpp",  # a thread that reports callbacks which never end
}
# What the package may import beside the standard library; Gymnasium in its own folder only.
PACKAGES = {"convoy", "msgpack", "numpy", "zmq"}
# What it uses where it is there, and asks for where it is used.
OPTIONAL = {
    ("python", "convoy", "sweeps.py"): {"pandas"},
    ("python", "convoy", "simulator.py"): {"convoy_sim"},
    ("python", "convoy", "gym", "over_ray.py"): {"ray"},
}
# Programs beside the package, which need what they bridge to.
PROGRAMS = {("python", "convoy", "bridge_ros2.py")}


def folder_of(path):
    parts = path.parts[:-1]
    two = "/".join(parts[:2])
    return two if two in LEVEL else (parts[0] if parts else "")


def includes(lines):
    """(number, name) of each include in quotes."""
    for number, line in enumerate(lines, 1):
        found = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
        if found:
            yield number, found[1]


def check_src(root):
    """Layers; and below src/os neither clocks nor chance."""
    src = root / "src"
    for path in sorted(src.rglob("*")):
        if path.suffix not in (".h", ".cc"):
            continue
        mine = folder_of(path.relative_to(src))
        if mine not in LEVEL:
            yield path, 1, f"folder '{mine}' has no place in the layers (tools/tidy.py)"
            continue
        lines = path.read_text().splitlines()
        # An include by angle brackets of our own code would pass unseen.
        for number, name in includes(lines):
            if name.startswith("convoy/") or name.endswith(".pb.h"):
                continue
            if name.startswith("convoy_ros_types/") and mine in ROS_TYPES:
                continue
            other = folder_of(pathlib.Path(name))
            if other not in LEVEL:
                yield path, number, f'include "{name}" names no folder of src'
            elif other != mine and LEVEL[other] >= LEVEL[mine]:
                yield path, number, f"{mine} may not include {other}: not below it"
        for number, line in enumerate(lines, 1):
            code = line.split("//")[0]
            if re.match(r'\s*#\s*include\s*[<"]mujoco/', line) and mine != "physics/mujoco":
                yield path, number, "only physics/mujoco knows MuJoCo"
            if re.match(r'\s*#\s*include\s*[<"]embree', line) and mine != "sensing/embree":
                yield path, number, "only sensing/embree knows Embree"
            if re.match(r'\s*#\s*include\s*[<"](EGL|GL)/', line) and mine != "render":
                yield path, number, "only render knows OpenGL"
            if re.match(r'\s*#\s*include\s*[<"](vpx|webm)/', line) and mine != "film":
                yield path, number, "only film knows libvpx and WebM"
            if re.match(r'\s*#\s*include\s*[<"]gst/', line) and mine != "stream":
                yield path, number, "only stream knows GStreamer"
            if LEVEL[mine] < LEVEL["os"] and not path.name.endswith("_test.cc"):
                if NO_CLOCK.search(code):
                    yield path, number, f"below src/os time, chance, threads and order are arguments: {code.strip()}"
                if LEVEL[mine] < LEVEL["roles"] and LIBM.search(code):
                    yield path, number, f"libm differs by machine; use core/math.h: {code.strip()}"


def check_names(root):
    """No two types of one name in one namespace: templates over both would be one for the linker, whichever it takes."""
    known = {}
    for path in sorted([*(root / "src").rglob("*.h"), *(root / "include").rglob("*.h")]):
        inside = []
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if opens := re.match(r"(?:inline )?namespace ([\w:]*) ?\{", line):
                inside.append(opens[1])
            elif line.startswith("}  // namespace") and inside:
                inside.pop()
            elif found := re.match(r"(?:enum class|enum|struct|class) (\w+)(?: final)?(?: :[^;]*)?\s*\{", line):
                name = "::".join([*inside, found[1]])
                if first := known.setdefault(name, path) != path and known[name]:
                    yield path, number, f"{name} is in {first.relative_to(root)} too"


def check_ros(root):
    """msgs/runtime and rclcpp: what they may know of src, and no clock but the run's."""
    for folder in ("msgs/runtime", "rclcpp"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in HEADERS + SOURCES:
                continue
            rel, lines = path.relative_to(root), path.read_text().splitlines()
            allowed = KERNEL.get("/".join(rel.parts[:2]), set())
            for number, name in includes(lines):
                other = folder_of(pathlib.Path(name))
                of_their_own = (root / folder / name).exists()
                if other in LEVEL and other not in allowed and not of_their_own:
                    yield path, number, f"{'/'.join(rel.parts[:2])} may not include {other} (tools/tidy.py)"
            if str(rel) in OUTSIDE or "test" in rel.parts:
                continue
            for number, line in enumerate(lines, 1):
                if ROS_NO_CLOCK.search(line.split("//")[0]):
                    yield path, number, f"time, chance, threads and order are the run's: {line.strip()}"


def cxx_files(root):
    for folder in CXX:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in HEADERS + SOURCES:
                yield path


def python_files(root):
    for folder in PYTHON:
        yield from sorted((root / folder).rglob("*.py"))


def check_files(root):
    """Length, and the sentence at the beginning of a header."""
    for path in cxx_files(root):
        lines = path.read_text().splitlines()
        listed = LONG_FILES.get(str(path.relative_to(root)), MAX_LINES)
        if len(lines) > listed:
            yield path, len(lines), f"{len(lines)} lines; split before {MAX_LINES}"
        elif MAX_LINES < listed != len(lines):
            yield path, len(lines), f"{len(lines)} lines, no longer {listed}: lower it in LONG_FILES of tools/tidy.py"
        if path.suffix in HEADERS and not (lines and lines[0].startswith("// ")):
            yield path, 1, "a header opens with a sentence that says what it is"


def imported(tree):
    """(line, first part of the name) of each module that is imported by its full name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.split(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.lineno, node.module.split(".")[0]


def check_python(root):
    for path in python_files(root):
        text = path.read_text()
        tree, lines = ast.parse(text), text.count("\n")
        if lines > MAX_LINES:
            yield path, lines, f"{lines} lines; split before {MAX_LINES}"
        if not ast.get_docstring(tree):
            yield path, 1, "a module opens with a sentence that says what it is"
        rel = path.relative_to(root).parts
        for number, module in imported(tree):
            known = module in sys.stdlib_module_names or module in PACKAGES or module in OPTIONAL.get(rel, ())
            mine = rel[:2] == ("python", "convoy") and rel not in PROGRAMS
            if mine and not known and not (module == "gymnasium" and rel[2] == "gym"):
                yield path, number, f"the package needs {', '.join(sorted(PACKAGES - {'convoy'}))} alone, not {module}"
            if rel[:2] == ("tests", "protocol") and module == "convoy":
                yield path, number, "the decoders know the protocol from its page alone"


def classes(root):
    """(path, size) of every class."""
    for path in cxx_files(root):
        yield from ((path, size) for size in class_sizes.of_cxx(path.read_text()))
    for path in python_files(root):
        yield from ((path, size) for size in class_sizes.of_python(path.read_text()))


def check_classes(root):
    """None above the limit but those on the list, whose numbers only fall."""
    listed = {}
    for number, line in enumerate((root / LARGE_CLASSES).read_text().splitlines(), 1):
        words = line.split("#")[0].split()
        if words:
            listed[words[1], words[2]] = (number, int(words[0]))
    for path, size in classes(root):
        known = listed.pop((size.name, str(path.relative_to(root))), None)
        is_now = f"{size.name} has {size.members} members and {size.functions} functions"
        if known is None and size.total > MAX_CLASS:
            yield path, size.line, f"{is_now}; at most {MAX_CLASS} together"
        elif known and size.total <= MAX_CLASS:
            yield root / LARGE_CLASSES, known[0], f"{is_now}: it leaves the list"
        elif known and size.total > known[1]:
            yield path, size.line, f"{is_now}; it had {known[1]} together, and may only shrink"
        elif known and size.total < known[1]:
            yield root / LARGE_CLASSES, known[0], f"{is_now}: its number is {size.total} now, no longer {known[1]}"
    for (name, file), (number, _) in listed.items():
        yield root / LARGE_CLASSES, number, f"there is no class {name} in {file}"


def show_sizes(root):
    print("members functions  class")
    for path, size in sorted(classes(root), key=lambda found: -found[1].total)[:10]:
        print(f"{size.members:7} {size.functions:9}  {size.name}, {path.relative_to(root)}:{size.line}")
    return 0


def main():
    words = [word for word in sys.argv[1:] if word != "--sizes"]
    root = pathlib.Path(words[0] if words else ".").resolve()
    if len(words) < len(sys.argv) - 1:
        return show_sizes(root)
    checks = (check_src, check_names, check_ros, check_files, check_python, check_classes)
    findings = [finding for check in checks for finding in check(root)]
    for path, line, text in findings:
        print(f"{path.relative_to(root)}:{line}: {text}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
