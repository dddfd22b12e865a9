#!/usr/bin/env python3
"""One more kind of edit, input or journal entry does not compile until every place handles it.

    tests/compile_fail/one_more_kind.py BUILD_DIR

Adds an alternative to a copy of the header that lists the kinds, puts the copy first among the include paths, and wants
the compiler to name each visitor below. BUILD_DIR holds compile_commands.json.
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
KIND = "struct OneMoreKind { WorldNumber entity = kNoEntity; };\n" \
       "template <class V, MaybeConst<OneMoreKind> T> void fields(V& v, T& k) { v(\"entity\", k.entity); }\n"

# The header, what in it is replaced by what, and which visitors in which sources have to be named.
CASES = {
    "edit": ("src/world/edit.h", [("using Edit =", KIND + "using Edit ="), ("SetPart, Lease, SetTags>", "SetPart, Lease, SetTags, OneMoreKind>")], {
        "src/world/world.cc": ["edits::Check", "edits::Apply", "edits::StructureHash", "edits::EntitiesOf",
                               "edits::ResetsInside", "edits::RestartsRun", "edits::ChangesImage"],
        "src/agent/fleet.cc": ["RereadBy", "FollowEdit"],
        "src/run/spawn_owner.cc": ["ForgetOwner", "GiveOwner"],
        "src/lockstep/barrier.cc": ["ErasedSlot"],
        "src/replication/live_edits.cc": ["NamePlaces", "Before", "After", "Freed"],
        "src/record/recording.cc": ["edits::SpawnedName"],
        "src/roles/own_calls.cc": ["HostMayAsk"],
    }),
    "input": ("src/world/traffic.h", [("using Input =", KIND + "using Input ="), ("CallService, OutsideTraffic>", "CallService, OutsideTraffic, OneMoreKind>")], {
        "src/agent/agent_commands.cc": ["Recipient", "TakeInput"],
    }),
    "journal entry": ("src/wire/journal.h", [("struct JournalEntry", KIND + "struct JournalEntry"), ("Absent, AskedEdit>", "Absent, AskedEdit, OneMoreKind>")], {
        "src/lockstep/playback.cc": ["Overloads"],
        "src/record/recording.cc": ["Overloads"],
        "src/roles/recorder.cc": ["Overloads"],
        "src/roles/comparison.cc": ["Overloads"],
        "src/roles/replay.cc": ["Overloads"],
        "src/apps/recording_facts.cc": ["Overloads"],
    }),
}


def command_of(build, source):
    """The compiler and the flags with which the source, alone or within a unity file, is compiled."""
    folder = str(pathlib.Path(source).parent)
    for entry in json.loads((build / "compile_commands.json").read_text()):
        output = entry.get("output", entry["command"])
        if f"{folder}/CMakeFiles/" in output and "_test.dir" not in output and entry["file"].endswith((".cc", ".cxx")):
            words = shlex.split(entry["command"])
            if pathlib.Path(words[0]).name == "ccache":
                words = words[1:]
            return [word for word in words[:words.index("-o")] if word != "-c"], entry["directory"]
    sys.exit(f"no command compiles {source}")


def errors_of(build, source, includes):
    words, folder = command_of(build, source)
    every = ["-ferror-limit=0"] if "clang" in pathlib.Path(words[0]).name else []
    command = [words[0], *includes, *words[1:], "-w", *every, "-fsyntax-only", str(ROOT / source)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def altered(case, scratch):
    header, replacements, _ = CASES[case]
    text = (ROOT / header).read_text()
    for old, new in replacements:
        if text.count(old) != 1:
            sys.exit(f"{header}: '{old}' is not there once: this test has to know how the kinds are listed")
        text = text.replace(old, new)
    copy = pathlib.Path(scratch, case.replace(" ", "_"), *pathlib.Path(header).parts[1:])
    copy.parent.mkdir(parents=True)
    copy.write_text(text)
    return f"-I{copy.parents[1]}"


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    failed = 0
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = []
        for source in sorted({source for case in CASES.values() for source in case[2]}):
            if source.startswith("src/apps") and not any("/apps/" in str(p) for p in build.glob("src/apps/CMakeFiles")):
                continue  # a build without the command
            jobs.append((None, source, [], pool.submit(errors_of, build, source, [])))
        for case, (_, _, sources) in CASES.items():
            include = altered(case, scratch)
            for source, visitors in sources.items():
                jobs.append((case, source, visitors, pool.submit(errors_of, build, source, [include])))
        for case, source, visitors, job in jobs:
            result = job.result()
            if case is None:
                if result.returncode != 0:
                    print(f"FAIL {source} does not compile as it is:\n{result.stderr[:2000]}")
                    failed += 1
                continue
            lines = [line for line in result.stderr.splitlines() if "OneMoreKind" in line or "invoke" in line]
            missing = [v for v in visitors if not any(v in line for line in lines)]
            ok = result.returncode != 0 and not missing
            failed += not ok
            print(f"{'ok  ' if ok else 'FAIL'} one more {case}: {source}: {', '.join(visitors)}"
                  + (f": not named: {', '.join(missing)}" if missing else ""))
            if not ok:
                print(result.stderr[:1500])
    print(f"{failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
