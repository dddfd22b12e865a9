"""Sensors from the command line: one digest over all samples on any hosts and threads; a node that maps a hall from its
scan alone; what is wrong is refused with its place.

    .env/python/bin/python tests/e2e/test_sensors.py build/convoy
"""
import pathlib
import re
import struct
import tempfile

import numpy
from command import check, convoy, digest, finish
from mcap.reader import make_reader
from png import pixels

ROOT = pathlib.Path(__file__).resolve().parents[2]


def one_digest():
    scenario = ROOT / "scenarios/sensors.yaml"
    seen = {digest(command, scenario, "--duration", "3s", "--hosts", hosts, "--threads", threads)
            for command in ("run", "launch") for hosts in (1, 2, 4) for threads in (1, 2)}
    check(f"digests over samples differ: {seen}", len(seen) == 1)
    plain = digest("run", scenario, "--duration", "3s", "--set", "digest=[state, messages]")
    other = digest("run", scenario, "--duration", "3s", "--set", "robots[1].sensors[4].gyro_noise=0.003",
                   "--set", "digest=[state, messages]")
    check("samples that do not count are in the digest", plain not in seen)
    check("parameters of sensors are not in the digest", other != plain)


def replayed(folder):
    recording = folder / "sensors.mcap"
    made = digest("run", ROOT / "scenarios/sensors.yaml", "--duration", "2s", "--record", recording)
    again = convoy("replay", recording, "--verify", "--hosts", "2").stdout.strip().splitlines()[-1]
    check(f"a replay computes other samples: {made}, {again}", made == again)


def between_ticks(folder):
    """At 500 Hz a robot of MuJoCo samples at its physics steps: the same bytes as in ticks of that length, and nothing else
    about the run is another for it."""
    scenario = folder / "between.yaml"
    scenario.write_text("""
convoy: 1
world: {ground: {size: [20, 20]}}
robots:
  - name: walker
    model: quadruped.xml
    placement: {poses: [[0, 0, 0.3]], z: 0.1}
    sensors:
      - {type: imu, rate: 500, link: trunk, at: [0.05, 0, 0.02], accelerometer_noise: 0.01}
      - {type: joint_states, rate: 250}
  - {name: burger, model: turtlebot3_burger, driver: random_walk, placement: {poses: [[5, 5, 0]]}, sensors: [pose]}
""")
    seen = {}
    for tick in ("10ms", "2ms"):
        recording = folder / f"between{tick}.mcap"
        digest("run", scenario, "--duration", "1s", "--set", f"time.tick={tick}", "--set", "robots[1].driver=none",
               "--record", recording, "--record-sensors", "walker/*")
        with recording.open("rb") as file:
            all_of = [(channel.topic, message.data) for _, channel, message in make_reader(file).iter_messages()]
        seen[tick] = {topic: [data for t, data in all_of if t == topic] for topic in ("/walker/imu", "/walker/joint_states")}
    stamps = [sec * 10**9 + nanosec for sec, nanosec in (struct.unpack("<iI", data[4:12]) for data in seen["10ms"]["/walker/imu"])]
    check(f"samples of 500 Hz at {stamps}", stamps == [2_000_000 * i for i in range(len(stamps))])
    for topic, least in (("/walker/imu", 495), ("/walker/joint_states", 245)):
        a, b = seen["10ms"][topic], seen["2ms"][topic]
        check(f"{topic}: other bytes in other ticks", a[:least] == b[:least] and len(a) >= least)
    # An accelerometer feels the gravity of its robot's own file.
    moon = folder / "moon.mcap"
    digest("run", scenario, "--duration", "50ms", "--set", "physics.gravity=[0, 0, -1.62]", "--record", moon, "--record-sensors",
           "walker/imu", "--set", "robots[0].sensors[0].accelerometer_noise=0")
    with moon.open("rb") as file:
        first = next(m.data for _, c, m in make_reader(file).iter_messages(topics=["/walker/imu"]))
    pull = numpy.frombuffer(first[-12 * 8:-9 * 8], "<f8")  # before its covariance
    check(f"on the moon it feels {pull}", abs(numpy.linalg.norm(pull) - 1.62) < 1e-9)
    plain = digest("run", scenario, "--duration", "1s")
    recorded = digest("run", scenario, "--duration", "1s", "--record", folder / "other.mcap", "--record-sensors", "walker/*")
    check(f"taking samples changes a run: {plain}, {recorded}", plain == recorded)
    with_samples = {digest(command, scenario, "--duration", "1s", "--hosts", hosts, "--set", "digest=[state, sensors]")
                    for command in ("run", "launch") for hosts in (1, 2)}
    check(f"digests over samples differ: {with_samples}", len(with_samples) == 1)
    refused = convoy("run", scenario, "--set", "robots[0].sensors[0].rate=2000", code=2)
    check(refused.stderr, "faster than a physics step (2ms)" in refused.stderr)
    refused = convoy("run", scenario, "--set", "robots[1].sensors=[{type: pose, rate: 500}]", code=2)
    check(refused.stderr, "faster than a tick (10ms)" in refused.stderr)


def picture(path):
    head, size, _, pixels = path.read_bytes().split(b"\n", 3)
    check("no PGM", head == b"P5")
    width, height = map(int, size.split())
    return numpy.frombuffer(pixels, numpy.uint8).reshape(height, width)[::-1]


def mapped(folder):
    """Of the hall's walls and boxes as `convoy map` has them, almost all that the scanner passed is where it drew it."""
    scenario = (ROOT / "scenarios/mapping.yaml").read_text()
    drawn = folder / "drawn.pgm"
    drive = folder / "mapping.yaml"
    drive.write_text(scenario.replace("seed: 1", "seed: 7").rstrip() + f'\n        ros_args: [-p, "file:={drawn}"]\n')
    convoy("run", drive, "--duration", "60s", "--speed", "max")
    cells = picture(drawn)
    met = numpy.argwhere(cells == 0)
    free = numpy.argwhere(cells == 254)
    check(f"{len(met)} cells are walls, and {len(free)} are free", len(met) > 300 and len(free) > 8000)
    # The map is in the frame of the odometry, whose origin is where the robot began: at (-2, -1.5) in the hall.
    where = (met + 0.5) * 0.05 - 6 + (-1.5, -2)  # y, x
    walls = numpy.minimum(abs(abs(where[:, 1]) - 3), abs(abs(where[:, 0]) - 2))
    boxes = numpy.hypot(where[:, 1] - 0.5, where[:, 0] - 0.3) < 0.9
    boxes |= numpy.hypot(where[:, 1] + 1.8, where[:, 0] - 0.9) < 0.6
    off = numpy.where(boxes, 0, walls)
    check(f"a tenth of the walls is {numpy.quantile(off, 0.9):.2f} m off", numpy.quantile(off, 0.9) < 0.2)
    check("a side of the hall is missing",
          all((side < 0.25).sum() > 30 for side in (abs(where[:, 1] - 3), abs(where[:, 1] + 3), abs(where[:, 0] - 2),
                                                    abs(where[:, 0] + 2))))


def red_dots(path):
    """How many pixels of a picture are of what was met."""
    width, height, rows = pixels(path)
    shown = numpy.frombuffer(b"".join(rows), numpy.uint8).reshape(height, width, 3).astype(int)
    return int((abs(shown - (0xd1, 0x3b, 0x3b)).sum(axis=2) < 60).sum())


def drawn(folder):
    scenario = ROOT / "scenarios/sensors.yaml"
    for sensor in ("scan", "points", "range", "radar", "imu", "mag", "fix", "pose", "odom", "joint_states", "contact",
                   "overlap", "battery", "joy", "keyboard"):
        out = folder / f"{sensor}.png"
        convoy("sensor-shot", scenario, "--robot", "survey", "--sensor", sensor, "--at", "1s", "-o", out)
        head = out.read_bytes()[:24]
        check(f"{sensor}: no picture", head[:8] == b"\x89PNG\r\n\x1a\n" and min(struct.unpack(">II", head[16:])) > 300)
    check("the scan has met nothing", red_dots(folder / "scan.png") > 1000)
    shot = ("sensor-shot", scenario, "--robot", "survey", "-o", folder / "x.png", "--sensor")
    check("no hint", "did you mean 'scan'?" in convoy(*shot, "skan", code=2).stderr)
    check("no such robot", "there is no robot 'nobody'" in
          convoy("sensor-shot", scenario, "--robot", "nobody", "--sensor", "scan", "-o", folder / "x.png", code=2).stderr)
    check("no instant", "an instant is" in convoy(*shot, "scan", "--at", "soon", code=2).stderr)


PRESETS = {"lds_01", "hokuyo_10lx", "hokuyo_20lx", "rplidar_a2m8", "os0_32", "vlp_16"}


def documented(folder):
    """A type without a row in docs/sensors.md does not exist, and scenarios/sensors.yaml or cameras.yaml has each."""
    rows = set(re.findall(r"^\| `(\w+)` \| `\w+/\w+`", (ROOT / "docs/sensors.md").read_text(), re.M))
    written = "".join((ROOT / f"scenarios/{name}.yaml").read_text() for name in ("sensors", "cameras"))
    lacks = [one for one in rows - {"scan", "points"} if not re.search(rf"(type: |- ){one}\b", written)]
    check(f"the scenario lacks {lacks}", not lacks and len(rows) == 17)
    path = folder / "none.yaml"
    path.write_text("convoy: 1\nrobots: [{name: r, model: turtlebot3_burger, placement: {poses: [[0, 0]]}, sensors: [nothing]}]\n")
    named = re.search(r"allowed: ([\w, ]+)", convoy("check", path, code=2).stderr)
    check("the types are not named", named)
    check(f"types without a row, or rows without a type: {set(named[1].split(', ')) ^ (rows | PRESETS)}",
          set(named[1].split(", ")) == rows | PRESETS)


BAD = [
    ("[{type: skan}]", "list[0].type", "did you mean 'scan'?"),
    ("[{type: scan, beams: 0}]", "list[0]", "a scan has a beam at least"),
    ("[{type: scan, range_min: 4, range_max: 3}]", "list[0]", "range_min is at least 0, and below range_max"),
    ("[{type: scan, rate: 1000}]", "list[0].rate", "faster than a tick"),
    ("[{type: scan, rings: 3}]", "list[0].rings", "unknown field"),
    ("[{type: imu, link: torso}]", "sensors", "its robot has no link 'torso'"),
    ("[{type: imu, name: a}, {type: mag, name: a}]", "list[1].name", "this robot has a sensor 'a' already"),
    ("[{type: overlap, size: [1, 0, 1]}]", "list[0]", "the edges of size are above 0"),
    ("[{type: contact, most: 0}]", "list[0]", "most is 1 to 1000 touches"),
    ("[{type: battery, at: [0, 0, 1]}]", "list[0].at", "a sensor of type 'battery' is nowhere on its robot"),
    ("[{type: mujoco}]", "list[0]", "element is the name of a sensor in the robot's file"),
    ("all", "set", "allowed: default, none"),
]


def refused(folder):
    for number, (sensors, field, text) in enumerate(BAD):
        path = folder / f"bad{number}.yaml"
        path.write_text("convoy: 1\nrobots:\n- name: r\n  model: turtlebot3_burger\n  placement: {poses: [[0, 0]]}\n"
                        f"  sensors: {sensors}\n")
        said = convoy("check", path, code=2).stderr
        check(f"{sensors}: {said}", f"{path}:6: robots[0].sensors" in said and field in said and text in said)


with tempfile.TemporaryDirectory() as name:
    one_digest()
    replayed(pathlib.Path(name))
    between_ticks(pathlib.Path(name))
    mapped(pathlib.Path(name))
    drawn(pathlib.Path(name))
    documented(pathlib.Path(name))
    refused(pathlib.Path(name))
finish()
