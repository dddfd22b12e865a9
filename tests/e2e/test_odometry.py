#!/usr/bin/env python3
"""The lidar odometry of examples/ros over a recorded drive, beside a recorder: how far it is from the truth, and that
every run of it is the same.

    tests/e2e/test_odometry.py CONVOY LIBRARY [--duration 19] [--runs 2] [--copies N] [--at-once N]

LIBRARY is liblidar_odometry.so. Run by .env/python/bin/python (scripts/python-env.sh). With --copies, jobs of so many
copies side by side follow, on several numbers of threads and hosts. Prints one line per check that fails and exits 1 if
there is any.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

import numpy as np
from harness import last_line, new_bench
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

PATIENCE = 600  # s; a whole drive, on a machine that may be busy
TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
PRINTED = re.compile(r"APE RMSE ([\d.]+) m, ([\d.]+) % of the way; best constant velocity ([\d.]+) m")


def job(drive, library, nodes=("Odometry", "Evaluation")):
    """The evaluation, which comes last, sends the monitor the exit code."""
    components = [word for node in nodes for word in ("--component", library, f"lidar_odometry::{node}")]
    return ["job", "--play", drive, "--component", "convoy", "convoy::Monitor", *components,
            "--component-ros-args", "-r", "exit_code:=/convoy/exit_code", "--"]


def trajectories(path):
    """{stamp: (x, y, z)} of /odometry and of /ground_truth, and how many clouds and transforms there are; read by rosbags
    with the types of the file."""
    out, counts = {"/odometry": {}, "/ground_truth": {}}, {"/lidar/points": 0, "/tf": 0}
    with Reader(path) as reader:
        typestore = get_typestore(Stores.EMPTY)
        for c in reader.connections:
            typestore.register(get_types_from_msg(c.msgdef.data, c.msgtype))
        for connection, _, raw in reader.messages():
            topic = connection.topic
            if topic in counts:
                counts[topic] += 1
            if topic in out:
                m = typestore.deserialize_cdr(raw, connection.msgtype)
                p, q = m.pose.pose.position, m.pose.pose.orientation
                out[topic][m.header.stamp.sec * 10**9 + m.header.stamp.nanosec] = ((p.x, p.y, p.z), (q.x, q.y, q.z, q.w))
    return out["/odometry"], out["/ground_truth"], counts


def rotation(q):
    x, y, z, w = np.array(q) / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def ape(odometry, truth):
    """Way and RMSE, computed here a second time: the first pose of the odometry laid on the truth."""
    stamps = sorted(odometry)
    is_, was = (np.array([each[s][0] for s in stamps]) for each in (odometry, truth))
    turn = rotation(truth[stamps[0]][1]) @ rotation(odometry[stamps[0]][1]).T
    off = (is_ - is_[0]) @ turn.T + was[0] - was
    return np.sum(np.linalg.norm(np.diff(was, axis=0), axis=1)), np.sqrt(np.mean(np.sum(off * off, axis=1)))


def accuracy(b, drive, library, sweeps):
    """Below 1 % and better than the guesses, by the node's own word and by the recorder's file."""
    recording, report = b.folder / "out.mcap", b.folder / "job.json"
    r = b.expect(0, "^digest", "passed: below 1 %", *job(drive, library), "--record", recording, "--report", report)
    for line in r.stderr.splitlines():
        if "evaluation" in line:
            print(line)
    b.check(json.loads(report.read_text())["exit_code"] == 0, "the report has another exit code", report.read_text())
    odometry, truth, counts = trajectories(recording)
    b.check(len(odometry) == sweeps and counts == {"/lidar/points": sweeps, "/tf": sweeps}, "messages in the recording",
            len(odometry), counts, sweeps)
    way, rmse = ape(odometry, truth)
    printed = PRINTED.search(r.stderr)
    b.check(way >= 100, f"the way is {way:.1f} m only")
    b.check(rmse < 0.01 * way, f"RMSE {rmse:.3f} m on {way:.1f} m")
    b.check(printed and abs(float(printed[1]) - rmse) < 0.0006, "the node prints another RMSE", rmse, r.stderr)
    return last_line(r.stdout), json.loads(report.read_text())


def failing(b, drive, library):
    """An evaluation that does not pass makes it exit code 1: there is no odometry."""
    r = b.expect(1, "^digest", "failed: not below 1 %", *job(drive, library, ("Evaluation",)))
    b.check("passed" not in r.stderr, "passed without odometry", r.stderr)


def runs(b, drive, library, digest, count, at_once):
    """The drive again and again, in processes of their own."""
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        for number, r in enumerate(pool.map(lambda _: b.call(*job(drive, library)), range(count))):
            b.check(r.returncode == 0 and last_line(r.stdout) == digest, f"run {number + 2} differs", r.stdout, r.stderr, digest)


def copies(b, drive, library, count):
    """Copies of the job in one command: each passes and comes to the same, whoever runs it."""
    seen = {}
    for threads, hosts in ((1, 1), (4, 1), (1, 3), (2, 4)):
        report = b.folder / f"copies_{threads}_{hosts}.json"
        r = b.expect(0, "^digest", "", *job(drive, library), "--copies", count, "--threads", threads, "--hosts", hosts,
                     "--report", report)
        facts = json.loads(report.read_text())
        b.check(len(facts["agents"]) == count and len({a["digest"] for a in facts["agents"]}) == 1, "copies differ", facts)
        seen[threads, hosts] = (last_line(r.stdout), facts["agents"][0]["digest"])
        print(f"{count} copies, {threads} threads, {hosts} hosts: {facts['sim_s']:g} s in {facts['wall_s']:.1f} s, "
              f"{seen[threads, hosts][0]}")
    b.check(len(set(seen.values())) == 1, "threads or hosts change the result", seen)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("convoy")
    parser.add_argument("library")
    parser.add_argument("--duration", type=float, default=19)
    for option, default in (("runs", 2), ("copies", 0), ("at-once", 1)):
        parser.add_argument(f"--{option}", type=int, default=default)
    a = parser.parse_args()
    library = str(pathlib.Path(a.library).resolve())
    with new_bench(a.convoy, patience=PATIENCE) as b:
        drive = b.folder / "drive.mcap"
        subprocess.run([sys.executable, TOOLS / "make_drive.py", drive, "--duration", str(a.duration)], check=True)
        digest, facts = accuracy(b, drive, library, round(a.duration * 10))
        print(f"{facts['sim_s']:g} s in {facts['wall_s']:.1f} s, {digest}")
        runs(b, drive, library, digest, a.runs - 1, a.at_once)
        failing(b, drive, library)
        if a.copies:
            copies(b, drive, library, a.copies)
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
