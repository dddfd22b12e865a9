#!/usr/bin/env python3
"""convoy job from the outside: the benchmark's known results, components by path and by package, bad input.

    tests/e2e/test_job.py CONVOY LIBRARY      LIBRARY: libdeterminism_components.so

Standard library only. Prints one line per check that fails and exits 1 if there is any.
"""
import json
import pathlib
import signal
import sys
import time

from harness import last_line, new_bench

RSLCPP, OVERDUE, DEFAULT = 7448837717382456148, 14807076229895937644, 13654575239530210506
DELAYS = "Topic Name, Delay Type, Fixed Delay_ms, Measured Delay Skew\n"


def benchmark(b):
    """The three results, alone and together; the digest is the last line, and the same again."""
    r = b.expect(0, r"\Aorder .*combined\n", "", "job", "--benchmark", "determinism")
    for order, start, callbacks, combined in (("rslcpp", "overdue", 19011, RSLCPP), ("stable", "overdue", 19011, OVERDUE),
                                              ("stable", "default", 19190, DEFAULT)):
        b.check(any(line.split()[:3] == [order, start, str(callbacks)] and line.split()[-1] == str(combined)
                    for line in r.stdout.splitlines()), f"{order}, {start} is not in the table", r.stdout)
    file, seen = b.folder / "bench.json", []
    for options, combined in ((("--order", "rslcpp"), RSLCPP), (("--order", "stable", "--overdue-start"), OVERDUE),
                              (("--order", "stable"), DEFAULT)):
        alone = b.expect(0, rf" {combined}\ndigest [0-9a-f]{{16}}\n\Z", "", "job", "--benchmark", "determinism", *options,
                         "--report", file)
        facts = json.loads(file.read_text())
        b.check(facts["exit_code"] == 0 and [run["combined"] for run in facts["runs"]] == [combined], "report", facts)
        b.check("digest " + facts["runs"][0]["digest"] == last_line(alone.stdout), "another digest in the report", facts)
        seen.append(last_line(alone.stdout))
    b.check(len(set(seen)) == 3, "orders have one digest", seen)
    b.check(last_line(r.stdout) == seen[-1], "the digest differs between runs", seen, r.stdout)


def extended(b):
    """Our own benchmark has known results too, and prints nothing else."""
    r = b.expect(0, r"\Ano delays +45543 callbacks +combined 15010101733327664143\ndelays +81997 callbacks +combined "
                    r"3943110897393561142\ndigest [0-9a-f]{16}\n\Z", None, "job", "--benchmark", "extended")
    again = b.expect(0, "", None, "job", "--benchmark", "extended", "--json")
    b.check(last_line(again.stdout) == last_line(r.stdout), "another digest", again.stdout)
    b.expect(2, "", "in one agent", "job", "--benchmark", "extended", "--copies", 2)


def component(library, letter, *ros_args):
    return ["--component", library, f"determinism::{letter}", *(["--component-ros-args", *ros_args] if ros_args else [])]


def runs(b, library):
    """Components by path and by package, arguments, ends, delays and the report."""
    four = [word for letter in "ABCD" for word in component(library, letter)]
    file = b.folder / "job.json"
    by_path = b.expect(0, r"\Adigest [0-9a-f]{16}\n\Z", "4 components", "job", *four, "--duration", "2s", "--report", file)
    facts = json.loads(file.read_text())
    b.check([c["node"] for c in facts["components"]] == ["/a", "/b", "/c", "/d"], "nodes", facts)
    # Timers at 100, 50 and 40 ms until 2 s, the end included, with what follows from each.
    b.check(facts["callbacks"] == 20 * 4 + 40 * 5 + 50 * 2 and facts["sim_s"] == 2 and facts["exit_code"] == 0, "report", facts)
    b.check(facts["messages"] == 20 + 40 * 4 + 50, "messages", facts)
    b.check("digest " + facts["digest"] == last_line(by_path.stdout), "another digest in the report", facts)

    index = b.folder / "prefix/share/ament_index/resource_index/rclcpp_components"
    index.mkdir(parents=True)
    (b.folder / "prefix/lib").mkdir()
    (b.folder / "prefix/lib/libstirred.so").symlink_to(library)
    (index / "stirred").write_text("".join(f"determinism::{x};lib/libstirred.so\n" for x in "ABCD"))
    packages = {"AMENT_PREFIX_PATH": f"/nowhere:{b.folder / 'prefix'}"}
    four_of_package = [word for letter in "ABCD" for word in component("stirred", letter)]
    by_package = b.expect(0, r"\Adigest ", "4 components", "job", *four_of_package, "--duration", "2s", env=packages)
    b.check(by_package.stdout == by_path.stdout, "by package it is another run", by_package.stdout, by_path.stdout)
    b.expect(2, None, r"package 'stirred' has no component 'determinism::E'; it has: determinism::A, .*determinism::D$",
             "job", *component("stirred", "E"), env=packages)
    b.expect(2, None, r"no package 'nosuch' with components in AMENT_PREFIX_PATH", "job", *component("nosuch", "A"), env=packages)

    # The monitor shuts down 1 s after its first tick: at 2 s of the run, which starts at 7 s.
    stopped = [*component(library, "A", "-r", "__node:=one"), *component(library, "Monitor", "-p", "timeout_s:=1")]
    b.expect(0, "^digest", "2 components", "job", *stopped, "--ros-args", "-r", "__ns:=/robot", "--", "--start-time", "7s",
             "--report", file)
    facts = json.loads(file.read_text())
    b.check(facts["sim_s"] == 2 and [c["node"] for c in facts["components"]] == ["/robot/one", "/robot/monitor"], "end", facts)
    # Nothing has a timer: it ends at once.
    b.expect(0, r"^digest", r"0 callbacks, 0 messages; 0 s", "job", *component(library, "D"))

    # A circle without delay stops at a bound: the run has failed, and reports where; the report still comes.
    circle = [*component(library, "A"), *component(library, "B"), *component(library, "C", "-r", "t4:=t3")]
    b.expect(1, r"^digest", r"^convoy: .*/t3 -> /t3", "job", "--report", file, *circle)
    b.check(json.loads(file.read_text())["exit_code"] == 1, "the report of a failed run", file.read_text())

    delays = b.folder / "delays.csv"
    delays.write_text(DELAYS + "/t5,FIXED,2.5,\n")
    late = b.expect(0, r"^digest", "", "job", *four, "--duration", "2s", "--delays", delays)
    b.check(late.stdout != by_path.stdout, "delays change nothing")


def interrupted(b, library):
    """Timers without an end: Ctrl-C ends it, with the report and the digest."""
    file = b.folder / "interrupted.json"
    with b.start("job", *component(library, "A"), "--report", file) as endless:
        # The library is loaded after the signals are taken.
        end = time.monotonic() + b.patience
        while library not in pathlib.Path(f"/proc/{endless.popen.pid}/maps").read_text() and time.monotonic() < end:
            time.sleep(0.01)
        endless.popen.send_signal(signal.SIGINT)
        b.check(endless.wait() == 130, "Ctrl-C does not end it with 130", endless.text())
    b.check(json.loads(file.read_text())["exit_code"] == 130, "the report has another exit code")
    b.check(last_line(endless.out.read_text()).startswith("digest "), "no digest", endless.text())


def bad_input(b, library):
    """One line, exit 2, and no report is left."""
    file, delays, nothing = b.folder / "bad.json", b.folder / "bad.csv", b.folder / "not_a_library.so"
    nothing.write_text("text")
    a = component(library, "A")

    def refuse(pattern, *arguments):
        r = b.expect(2, None, pattern, "job", "--report", file, *arguments)
        b.check(len(r.stderr.splitlines()) == 1, "more than one line", r.stderr)
        b.check(not file.exists(), f"a report was written: {arguments}")

    refuse(r"a job is --component")
    refuse(r"--component takes two words", "--component", library)
    refuse(r"stands after its --component", "--component-ros-args", "-p", "x:=1")
    refuse(r"no component 'determinism::Z'; the library has: determinism::A, .*determinism::Monitor$", *component(library, "Z"))
    refuse(r"nosuch\.so: cannot open shared object file", *component("/nosuch.so", "A"))
    refuse(r"not_a_library\.so: ", *component(nothing, "A"))
    refuse(r"determinism::Monitor: .*timeout_s.*", *component(library, "Monitor", "-p", "timeout_s:=soon"))
    refuse(r"determinism::A: .*unknown ROS argument 'nonsense'", *a, "--ros-args", "nonsense")
    refuse(r"--duration: .*ten", *a, "--duration", "ten")
    refuse(r"--start-time: '-1s' is no duration", *a, "--start-time=-1s")
    refuse(r"--order", *a, "--order", "other")
    refuse(r"unknown option '--duratoin'; did you mean '--duration'\?", *a, "--duratoin", "1s")
    refuse(r"absent\.csv: .*No such file", *a, "--delays", b.folder / "absent.csv")
    for row, why in (("/t1,FIXED,fast,", r"bad\.csv:2: "), ("/t1,MEASURED,,1.0", r"bad\.csv:2: .*trace"),
                     ("/nosuch,FIXED,1,", r"bad\.csv:2: no node sends on '/nosuch'")):
        delays.write_text(DELAYS + row + "\n")
        refuse(why, *a, "--delays", delays)


def main():
    library = str(pathlib.Path(sys.argv[2]).resolve())
    parts = {"benchmark": benchmark, "extended": extended, "runs": lambda b: runs(b, library),
             "interrupted": lambda b: interrupted(b, library), "bad_input": lambda b: bad_input(b, library)}
    with new_bench(sys.argv[1]) as b:
        b.run(parts, sys.argv[3:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
