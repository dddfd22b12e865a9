"""Sensors of a user's library, from the command line: what examples/sensor measures is so, with one digest on any hosts and
threads; a library is loaded where the host allows it, and what is wrong with one is said.

    .env/python/bin/python tests/e2e/test_users_sensors.py build/convoy build/examples/libuwb.so OTHER_VERSION.so
"""
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

from command import CONVOY, check, convoy, digest, finish
from mcap.reader import make_reader

UWB, OTHER = sys.argv[2:4]
EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/sensor"


def samples(recording, topic):
    with recording.open("rb") as file:
        return [json.loads(m.data) for _, _, m in make_reader(file, validate_crcs=True).iter_messages(topics=[topic])]


def measured(scenario, folder):
    """Ranges to the anchors that are in sight, and none to those behind the box."""
    still = folder / "still.yaml"
    still.write_text(scenario.read_text().replace("driver: random_walk", "driver: none").replace("noise: 0.03", "noise: 0"))
    recording = folder / "still.mcap"
    digest("run", still, "--duration", "1s", "--record", recording, "--record-sensors", "*/uwb")
    anchors = [(-5.5, -3.5, 1.5), (5.5, -3.5, 1.5), (5.5, 3.5, 1.5), (-5.5, 3.5, 1.5)]
    got = samples(recording, "/tag_0/uwb")
    check(f"{len(got)} samples of 10 Hz in 1 s, the last of which would come at its end", len(got) == 10)
    for sample in got:
        check(f"frame {sample['frame']}", sample["frame"] == "tag_0/uwb_link")
        for range_m, anchor in zip(sample["values"], anchors, strict=True):
            true = math.dist((-4, -2, 0.3), anchor)
            # From (-4, -2) the box of 1 m by 3 m in the middle, 2 m high, hides the anchor at (5.5, 3.5) alone.
            hidden = anchor[:2] == (5.5, 3.5)
            check(f"{range_m} to {anchor}", range_m == "inf" if hidden else abs(range_m - true) < 1e-9)


def one_digest(scenario):
    seen = {digest(command, scenario, "--duration", "2s", "--hosts", hosts, "--threads", threads)
            for command in ("run", "launch") for hosts in (1, 2) for threads in (1, 2)}
    check(f"digests differ: {seen}", len(seen) == 1)
    other = digest("run", scenario, "--duration", "2s", "--set", "robots[0].sensors[0].parameters.noise=0.04")
    check("parameters of a user's sensor are not in the digest", other not in seen)


def elsewhere(scenario, folder):
    """Sensor hosts compute it, where they may load its library: the same digest; one that may not says so and leaves."""
    lets_go = ("--duration", "1s", "--set", "robots[0].sensors[0].distribution=client_only")
    report = folder / "report.json"
    expected = digest("run", scenario, *lets_go)
    for command in ("run", "launch"):
        seen = digest(command, scenario, *lets_go, "--sensor-hosts", 2, "--report", report)
        said = json.loads(report.read_text())
        check(f"{command}: another digest on sensor hosts: {seen}, {expected}", seen == expected)
        check(f"{command}: sensor hosts computed {said['remote_samples']} samples", 15 <= said["remote_samples"] <= 20)
    server = subprocess.Popen([CONVOY, "server", scenario, *lets_go, "--listen", "127.0.0.1:0", "--hosts", "1", "--launched"],
                              stdout=subprocess.PIPE, text=True)
    try:
        port = next(line for line in server.stdout if line.startswith("listening on port ")).split()[-1]
        convoy("sensor-host", "--connect", f"127.0.0.1:{port}", code=1, says="libuwb.so.*it is not loaded: libraries come from")
    finally:
        server.kill()
        server.wait()


def replayed(scenario, folder):
    """The run's identity knows the library; a replay loads it where it is told to."""
    recording = folder / "uwb.mcap"
    made = digest("run", scenario, "--duration", "2s", "--record", recording)
    convoy("replay", recording, "--verify", code=2, says="would load .*libuwb.so; --trust lets it")
    done = convoy("replay", recording, "--verify", "--trust", "--hosts", "2")
    check("a replay computes other samples", done.stdout.strip().splitlines()[-1] == made)
    library = folder / "build/libuwb.so"
    sound = library.read_bytes()
    library.write_bytes(sound + b"another")
    done = convoy("replay", recording, "--trust", says="libuwb.so.*the digest may be another")
    library.write_bytes(sound)


def refused(scenario, folder):
    library = folder / "build/libuwb.so"
    elsewhere = folder / "elsewhere/scenario.yaml"
    elsewhere.parent.mkdir()
    elsewhere.write_text(scenario.read_text().replace("build/libuwb.so", str(library)))
    convoy("run", elsewhere, "--duration", "10ms", code=2, says="libuwb.so.*it is not loaded: libraries come from")
    digest("run", elsewhere, "--duration", "10ms", "--allow-library", folder / "build")
    convoy("check", elsewhere, says="was left out of the check; --trust loads what a run loads")
    convoy("check", scenario, "--trust")
    sensor = "robots[0].sensors[0]"
    for override, says in ((f"{sensor}.parameters.anchor=3", "parameters.anchor: its type has no such .* did you mean 'anchors'"),
                           (f"{sensor}.parameters.range_max=-1", "tag_0: sensor 'uwb': parameters.range_max: is from 0.1 to 1000"),
                           (f"{sensor}.parameters.anchors=[1, 2]", "parameters.anchors: x, y and z of each"),
                           (f"{sensor}.parameters=fast", "parameters: is a map"),
                           (f"{sensor}.type=uwa", "no type of sensors 'uwa'; did you mean 'uwb'"),
                           (f"{sensor}.beams=3", "beams: unknown field"),
                           (f"{sensor}.library=build/absent.so", "absent.so.*No such file")):
        convoy("run", scenario, "--duration", "10ms", "--set", override, code=2, says=says)
    shutil.copy(OTHER, folder / "build/other.so")
    convoy("run", scenario, "--duration", "10ms", "--set", f"{sensor}.library=build/other.so", code=2,
           says="other.so: it is built for 'convoy sensor 0', and this is 'convoy sensor 1'")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "build").mkdir()
        shutil.copy(UWB, folder / "build/libuwb.so")
        scenario = folder / "uwb.yaml"
        shutil.copy(EXAMPLE / "uwb.yaml", scenario)
        measured(scenario, folder)
        one_digest(scenario)
        elsewhere(scenario, folder)
        replayed(scenario, folder)
        refused(scenario, folder)
    finish()


main()
