#!/usr/bin/env python3
"""Records what viewers show of a run, and reads it as they do: the map, shapes, frames and samples are those of the run.

    tests/e2e/test_record_view.py CONVOY

Run by the test e2e/record_view in the environment that scripts/python-env.sh makes. The files are read with the PyPI
packages `mcap`, `mcap-protobuf-support` and `rosbags`; what they show is compared with what `convoy map`, `export` and `plot` write.
"""
import math
import pathlib
import sys

import numpy
import trimesh
from harness import last_line, new_bench
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

SCENARIOS = pathlib.Path(__file__).resolve().parents[2] / "scenarios"
SENSORS = SCENARIOS / "sensors.yaml"
FLEET = SCENARIOS / "mujoco_fleet.yaml"
SIDES = 24  # of a cylinder in what `convoy export` writes


def messages(path, topic):
    with path.open("rb") as file:
        reader = make_reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
        return [(m.log_time, d) for _, _, m, d in reader.iter_decoded_messages(topics=[topic])]


def raw_messages(path, topic):
    with path.open("rb") as file:
        return [(m.log_time, m.data) for _, _, m in make_reader(file, validate_crcs=True).iter_messages(topics=[topic])]


def topics_of(path):
    with path.open("rb") as file:
        summary = make_reader(file).get_summary()
        return {c.topic: (summary.schemas[c.schema_id].name if c.schema_id else "",
                          summary.statistics.channel_message_counts.get(i, 0)) for i, c in summary.channels.items()}


def matrix(translation, rotation):
    x, y, z, w = rotation.x, rotation.y, rotation.z, rotation.w
    n = math.sqrt(x * x + y * y + z * z + w * w)
    out = trimesh.transformations.quaternion_matrix([w / n, x / n, y / n, z / n])
    out[:3, 3] = translation.x, translation.y, translation.z
    return out


class Frames:
    """The frames of one message, as a tree."""

    def __init__(self, message):
        self.of = {t.child_frame_id: t for t in message.transforms}

    def in_world(self, frame):
        if frame == "world":
            return numpy.eye(4)
        t = self.of[frame]
        return self.in_world(t.parent_frame_id) @ matrix(t.translation, t.rotation)


def unit_points(kind):
    turns = [2 * math.pi * i / SIDES for i in range(SIDES)]
    if kind == "cubes":
        return [(x, y, z) for x in (-.5, .5) for y in (-.5, .5) for z in (-.5, .5)]
    if kind == "cylinders":
        return [(math.cos(a) / 2, math.sin(a) / 2, z) for a in turns for z in (-.5, .5)]
    return [(math.cos(a) * math.cos(b) / 2, math.sin(a) * math.cos(b) / 2, math.sin(b) / 2) for a in turns for b in turns]


def points_of(entity):
    """Points of an entity's primitives, in its frame."""
    out = []
    for kind in ("cubes", "cylinders", "spheres"):
        for each in getattr(entity, kind):
            size = numpy.array([each.size.x, each.size.y, each.size.z])
            placed = matrix(each.pose.position, each.pose.orientation)
            out += [placed[:3, :3] @ (size * p) + placed[:3, 3] for p in unit_points(kind)]
    for each in entity.triangles:
        placed = matrix(each.pose.position, each.pose.orientation)
        out += [placed[:3, :3] @ (p.x, p.y, p.z) + placed[:3, 3] for p in each.points]
    return numpy.array(out)


def bounds_shown(recording):
    """Of each entity by name, at the start: the box around all that is shown of it, in the world."""
    frames = Frames(messages(recording, "/tf")[0][1])
    points = {}
    for entity in messages(recording, "/scene")[0][1].entities:
        if entity.id == "world":
            continue
        placed = frames.in_world(entity.frame_id)
        points.setdefault(entity.id.split("/")[0], []).append(points_of(entity) @ placed[:3, :3].T + placed[:3, 3])
    return {name: (numpy.concatenate(p).min(0), numpy.concatenate(p).max(0)) for name, p in points.items()}


def bounds_exported(path):
    """The same of what `convoy export` wrote, which has y up."""
    scene = trimesh.load(path)
    parents = dict(scene.graph.transforms.parents)
    points = {}
    for node in scene.graph.nodes_geometry:
        up = [node]
        while up[-1] in parents:
            up.append(parents[up[-1]])
        placed, geometry = scene.graph[node]
        corners = trimesh.transform_points(scene.geometry[geometry].vertices, placed)
        for name in up:
            points.setdefault(name, []).append(numpy.stack([corners[:, 0], -corners[:, 2], corners[:, 1]], 1))
    return {name: (numpy.concatenate(p).min(0), numpy.concatenate(p).max(0)) for name, p in points.items()}


def picture(path):
    _, size, _, pixels = path.read_bytes().split(b"\n", 3)
    width, height = map(int, size.split())
    return numpy.frombuffer(pixels, numpy.uint8).reshape(height, width)[::-1]


def grid_of(message):
    cells = numpy.frombuffer(message.data, numpy.int8)
    return cells.reshape(-1, message.row_stride)[:, :message.column_count]


def mapped(b):
    """/map has the cells of the map that `convoy map` draws."""
    recording, drawn = b.folder / "sensors.mcap", b.folder / "drawn.yaml"
    b.expect(0, "^digest", "", "run", SENSORS, "--duration", "2s", "--record", recording)
    b.expect(0, "", "", "map", SENSORS, "--height", 0.1, "-o", drawn)
    grids = messages(recording, "/map")
    b.check(len(grids) == 1 and grids[0][1].frame_id == "world", f"{len(grids)} maps")
    grid = grid_of(grids[0][1])
    want = picture(drawn.with_suffix(".pgm"))
    b.check(grid.shape == want.shape, f"{grid.shape} cells, not {want.shape}")
    b.check(((grid == 100) == (want == 0)).all() and ((grid == 0) == (want == 254)).all(), "cells of /map")
    b.check((grid == 100).sum() > 500, f"{(grid == 100).sum()} cells are occupied")
    pose, size = grids[0][1].pose.position, grids[0][1].cell_size
    b.check((round(pose.x, 9), round(pose.y, 9), size.x, size.y) == (-8.2, -6.2, 0.05, 0.05), f"{pose} {size}")


def shaped(b):
    """What is shown of each robot at the start is where `convoy export` has it, wheels, arms and loose boxes included."""
    seen = 0
    for scenario in (SENSORS, FLEET):
        recording, exported = b.folder / "start.mcap", b.folder / "start.glb"
        b.expect(0, "^digest", "", "run", scenario, "--duration", "10ms", "--record", recording)
        b.expect(0, "", "", "export", scenario, "-o", exported)
        shown, want = bounds_shown(recording), bounds_exported(exported)
        for name, (low, high) in shown.items():
            off = max(abs(low - want[name][0]).max(), abs(high - want[name][1]).max())
            b.check(off < 2e-3, f"{scenario.stem}: {name} is {off} m off: {low} to {high}, not {want[name]}")
            seen += 1
        b.check(all(e.frame_locked for e in messages(recording, "/scene")[0][1].entities), "locked to their frames")
    b.check(seen > 110, f"{seen} entities")


def moved(b):
    """Frames of robots are where `convoy plot` has them, and wheels turn."""
    recording, table = b.folder / "sensors.mcap", b.folder / "sensors.csv"
    b.expect(0, "", "", "plot", recording, "--csv", table)
    rows = {}
    for line in table.read_text().splitlines()[1:]:
        time_s, name, x, y, yaw = line.split(",")
        rows[round(float(time_s) * 1e9), name] = float(x), float(y), float(yaw)
    compared = 0
    frames = messages(recording, "/tf")
    b.check([t for t, _ in frames] == [k * 100_000_000 for k in range(21)], "frames do not come at 10 Hz")
    for time_ns, message in frames:
        for t in message.transforms:
            b.check(t.timestamp.seconds * 10**9 + t.timestamp.nanos == time_ns, "its stamp")
            if t.parent_frame_id != "world" or (time_ns, t.child_frame_id) not in rows:
                continue
            placed = matrix(t.translation, t.rotation)
            x, y, yaw = rows[time_ns, t.child_frame_id]
            turn = math.remainder(math.atan2(placed[1, 0], placed[0, 0]) - yaw, 2 * math.pi)
            off = max(abs(placed[0, 3] - x), abs(placed[1, 3] - y), abs(turn))
            b.check(off < 1e-5, f"{t.child_frame_id} at {time_ns}: {off} off")
            compared += 1
    b.check(compared >= 8 * 21, f"{compared} poses compared")
    wheels = [Frames(m).of["burger_0/wheel_left_link"].rotation.w for _, m in frames]
    b.check(len({round(w, 4) for w in wheels}) > 10, f"wheels do not turn: {wheels}")


def switched(b):
    """The scene can be left out, the rate of the frames chosen; the digest is that of a run that is not recorded."""
    recording = b.folder / "switched.mcap"
    run = "run", SENSORS, "--duration", "1s"
    plain = last_line(b.call(*run).stdout)
    for more, want in (((), {"/map": ("foxglove.Grid", 1), "/scene": ("foxglove.SceneUpdate", 1),
                             "/tf": ("foxglove.FrameTransforms", 11)}),
                       (("--record-scene", "off", "--record-tf", "5Hz"), {"/tf": ("foxglove.FrameTransforms", 6)}),
                       (("--record-detail", "poses@4Hz"), {"/map": ("foxglove.Grid", 1), "/scene": ("foxglove.SceneUpdate", 1),
                                                           "/tf": ("foxglove.FrameTransforms", 5)})):
        b.expect(0, rf"^{plain}\n\Z", "", *run, "--record", recording, *more)
        seen = {t: v for t, v in topics_of(recording).items() if not t.startswith("/convoy/")}
        b.check(seen == want, f"{more}: {seen}")
        if "--record-detail" not in more:
            b.expect(0, rf"^{plain}\n\Z", "equal:.*all of the file", "replay", recording, "--verify", "--strict")
    b.expect(2, None, "--record-tf.*'fast' is no rate", *run, "--record", recording, "--record-tf", "fast")
    b.expect(2, None, "--record-scene", *run, "--record", recording, "--record-scene", "maybe")
    b.expect(2, None, "--record", *run, "--record-scene", "off")
    b.expect(0, r"^digest none\n\Z", "", *run, "--mode", "free", "--record", recording)
    b.check(topics_of(recording)["/scene"][1] == 1, "the scene of free mode")


def ros_messages(path, topic):
    """Of a channel in CDR, by the definition in the file alone."""
    with path.open("rb") as file:
        for schema, _, message in make_reader(file, validate_crcs=True).iter_messages(topics=[topic]):
            store = get_typestore(Stores.EMPTY)
            store.register(get_types_from_msg(schema.data.decode().split("=" * 80)[0], schema.name))
            for part in schema.data.decode().split("=" * 80 + "\n")[1:]:
                name, text = part.removeprefix("MSG: ").split("\n", 1)
                store.register(get_types_from_msg(text, name.replace("/", "/msg/")))
            yield message.log_time, store.deserialize_cdr(message.data, schema.name)


def sensed(b):
    """What sensors see is recorded on request: scans end at the map's walls, every reader finds the samples."""
    recording = b.folder / "sensed.mcap"
    run = "run", SENSORS, "--duration", "2s"
    plain = last_line(b.call(*run).stdout)
    b.expect(0, rf"^{plain}\n\Z", "no robot has a sensor 'survey/scam' at the start; did you mean 'survey/scan'", *run, "--record",
             recording, "--record-tf", "100Hz", "--record-sensors", "survey/*", "--record-sensors", "burger_?/scan@2Hz", "--record-sensors", "survey/scam")
    b.expect(0, rf"^{plain}\n\Z", "equal:.*all of the file", "replay", recording, "--verify", "--strict")
    kinds = {t: v for t, v in topics_of(recording).items() if t.count("/") == 2 and not t.startswith("/convoy/")}
    want = {"scan": "foxglove.LaserScan", "points": "foxglove.PointCloud", "radar": "foxglove.PointCloud",
            "fix": "foxglove.LocationFix", "pose": "foxglove.PoseInFrame", "imu": "sensor_msgs/msg/Imu",
            "mag": "sensor_msgs/msg/MagneticField", "range": "sensor_msgs/msg/Range", "odom": "convoy.Odometry",
            "joint_states": "convoy.Joints", "contact": "convoy.Contacts", "overlap": "convoy.Overlaps",
            "battery": "convoy.Battery", "joy": "convoy.Stick", "keyboard": "convoy.Keys"}
    b.check({t.split("/")[2]: k for t, (k, _) in kinds.items() if t.startswith("/survey/")} == want, f"{kinds}")
    b.check([n for t, (_, n) in kinds.items() if t.startswith("/burger_")] == [4] * 6, f"{kinds}")
    b.check(100 >= kinds["/survey/pose"][1] >= 99 and 200 >= kinds["/survey/imu"][1] >= 199, f"{kinds}")

    # A beam ends at an occupied cell, or at a robot, and is nowhere in one before.
    grid_message = messages(recording, "/map")[0][1]
    grid = grid_of(grid_message) == 100
    wide = numpy.pad(grid, 1)
    near = sum(wide[1 + i:wide.shape[0] - 1 + i, 1 + j:wide.shape[1] - 1 + j] for i in (-1, 0, 1) for j in (-1, 0, 1)) > 0
    corner, cell = grid_message.pose.position, grid_message.cell_size.x

    def at(points, cells):
        column, row = (int((points[0] - corner.x) / cell), int((points[1] - corner.y) / cell))
        return cells[row, column]

    frames = {t: Frames(m) for t, m in messages(recording, "/tf")}
    met, seen, crossed = 0, 0, 0
    for _, scan in messages(recording, "/survey/scan"):
        stamp = scan.timestamp.seconds * 10**9 + scan.timestamp.nanos
        if stamp not in frames:
            continue
        b.check(scan.frame_id == "survey/scan_link", scan.frame_id)
        placed = frames[stamp].in_world(scan.frame_id)
        robots = [t.translation for t in frames[stamp].of.values() if t.parent_frame_id == "world" and t.child_frame_id != "survey"]
        step = (scan.end_angle - scan.start_angle) / (len(scan.ranges) - 1)
        for i, r in enumerate(scan.ranges):
            if not math.isfinite(r):
                continue
            a = scan.start_angle + i * step
            end = (placed @ (r * math.cos(a), r * math.sin(a), 0, 1))[:2]
            if any(math.hypot(end[0] - p.x, end[1] - p.y) < 0.6 for p in robots):
                continue
            seen, met = seen + 1, met + bool(at(end, near))
            half = (placed @ (r / 2 * math.cos(a), r / 2 * math.sin(a), 0, 1))[:2]
            crossed += bool(at(half, grid))
    b.check(seen > 2000 and met > 0.99 * seen, f"{met} of {seen} beams end at walls")
    b.check(crossed < 0.02 * seen, f"{crossed} of {seen} beams pass through walls")  # over those of 0.4 m they may

    # The truth is where /tf has the sensor's frame, gravity is felt, the fix is at the origin of the scenario.
    compared = 0
    for _, pose in messages(recording, "/survey/pose"):
        stamp = pose.timestamp.seconds * 10**9 + pose.timestamp.nanos
        if stamp in frames:
            p, t = pose.pose.position, frames[stamp].in_world("survey/pose_link")
            b.check(pose.frame_id == "world" and max(abs(p.x - t[0, 3]), abs(p.y - t[1, 3])) < 1e-9, f"{p}, not {t}")
            compared += 1
    b.check(compared >= 19, f"{compared} poses compared")
    up = [m.linear_acceleration.z for _, m in ros_messages(recording, "/survey/imu")]
    b.check(len(up) >= 199 and abs(numpy.mean(up) - 9.81) < 0.05, f"{numpy.mean(up)} m/s^2")
    ranges = [m.range for _, m in ros_messages(recording, "/survey/range")]
    b.check(len(ranges) == 20 and all(m.header.frame_id == "survey/mag_link" for _, m in ros_messages(recording, "/survey/mag")),
            f"{ranges}")
    fixes = [m for _, m in messages(recording, "/survey/fix")]
    b.check(all(abs(m.latitude - 47.3769) < 1e-3 and abs(m.longitude - 8.5417) < 1e-3 for m in fixes), "fixes")
    stride, size = {(len(m.data) % m.point_stride, m.point_stride) for _, m in messages(recording, "/survey/points")}.pop()
    b.check((stride, size) == (0, 22), "points")


def elsewhere(b):
    """What sensors see on hosts that are other processes is recorded while they run, or when the recording is run again."""
    recording, again, alone = b.folder / "hosts.mcap", b.folder / "again.mcap", b.folder / "alone.mcap"
    wanted = "--record-sensors", "survey/*", "--record-sensors", "burger_?/scan@2Hz"
    short = SENSORS, "--duration", "1s"
    digest = last_line(b.expect(0, "digest", "", "run", *short, "--record", alone, *wanted).stdout)
    launch = "launch", *short, "--speed", "max", "--hosts", 3, "--record", recording, *wanted
    b.expect(0, rf"^{digest}\n\Z", "", *launch)
    seen = {t: raw_messages(alone, t) for t in topics_of(alone) if t.count("/") >= 2 and not t.startswith("/convoy/")}
    b.check(len(seen) > 15 and sum(map(len, seen.values())) > 300, f"{topics_of(alone)}")
    for topic, of_one in seen.items():
        b.check(raw_messages(recording, topic) == of_one, f"{topic} of three processes is another one than of one", len(of_one))
    b.expect(0, rf"^{digest}\n\Z", "equal:.*all of the file", "replay", recording, "--verify", "--strict")
    free = b.folder / "free.mcap"
    b.expect(0, "", "", "launch", *short, "--mode", "free", "--hosts", 2, "--record", free, *wanted)
    counts = {t: n for t, (_, n) in topics_of(free).items()}
    b.check(50 <= counts["/survey/imu"] <= 100 and counts["/survey/scan"] >= 20, f"{counts}")
    recording.unlink()
    digest = last_line(b.expect(0, "digest", "", *launch[:-4]).stdout)
    view = "replay", recording, "--record", again, "--record-sensors", "survey/scan@10Hz", "--record-tf", "20Hz"
    b.expect(0, rf"^{digest}\n\Z", "", *view)
    topics = topics_of(again)
    b.check(topics["/survey/scan"] == ("foxglove.LaserScan", 10) and topics["/tf"][1] == 21, f"{topics}")
    b.expect(0, rf"^{digest}\n\Z", "equal:.*all of the file", "replay", again, "--verify", "--strict")
    b.expect(2, None, "that is the recording itself", "replay", recording, "--record", recording)
    b.expect(2, None, "--record", "replay", recording, "--record", again, "--from", 1)
    b.expect(2, None, "'@5Hz' names no sensor", *view, "--record-sensors", "@5Hz")


def main():
    with new_bench(sys.argv[1]) as b:
        b.run({"mapped": mapped, "shaped": shaped, "moved": moved, "switched": switched, "sensed": sensed,
               "elsewhere": elsewhere}, sys.argv[2:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
