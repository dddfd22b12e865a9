#!/usr/bin/env python3
"""Makes a recorded drive: a car with a spinning lidar goes through a street scene, and all that it sees becomes an MCAP.

    tools/make_drive.py OUT.mcap [--duration 40] [--seed 1] [--rings 16] [--columns 720]

/lidar/points   sensor_msgs/PointCloud2, 10 Hz: x y z intensity ring time, in frame lidar. Stamped at the begin of the
                sweep, logged at its end; `time` is a point's offset from the stamp in s. Each column is cast from where
                the car is at that moment, so the clouds are distorted as those of a real lidar.
/ground_truth   nav_msgs/Odometry, 50 Hz: base_link in odom
/tf_static      tf2_msgs/TFMessage, once: lidar in base_link

The same arguments give the same bytes, on the same kind of processor. Run it in the environment that
scripts/python-env.sh makes.
"""
import argparse
import math
import pathlib
import struct

import numpy as np
from mcap.writer import CompressionType, Writer

MSGS = pathlib.Path(__file__).resolve().parent.parent / "msgs"
T0 = 1_700_000_000_000_000_000  # ns: when the drive begins
SWEEP = 0.1  # s
TRUTH_PERIOD = 0.02  # s
STEP = 0.001  # s, of the integration of the drive
NEAR, FAR = 1.0, 80.0  # m
NOISE = 0.02  # m, standard deviation of a range
LOST = 0.02  # share of the returns
MOUNT = ((0.4, 0.0, 1.75), (0.0, math.radians(2.0), math.radians(1.0)))  # lidar in base_link: m; roll, pitch, yaw

# The drive: (seconds, m/s, rad/s) at the end of each part; speed and yaw rate go there smoothly.
PARTS = [(0.5, 0, 0), (3.5, 8, 0), (1.5, 8, 0), (1.5, 5.5, 0.1), (1.5, 5.5, 0.55), (1.5, 5.5, 0.55), (1.5, 6, 0), (2, 9, 0),
         (2, 8, -0.25), (2, 8, 0.25), (1.5, 7, 0), (1.5, 5, -0.6), (1.8, 5, -0.6), (1.5, 7, 0), (2.5, 10, 0), (2.5, 7, 0),
         (1.5, 5.5, -0.5), (1.7, 5.5, -0.5), (1.5, 6, 0), (2, 8, 0.1), (2, 8, -0.1), (1.5, 6, 0), (1.5, 4, 0), (2, 4, 0)]


def rotations(roll, pitch, yaw):
    """Rz(yaw) Ry(pitch) Rx(roll), one for each element."""
    cr, sr, cp, sp, cy, sy = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch), np.cos(yaw), np.sin(yaw)
    return np.stack([np.stack([cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr], -1),
                     np.stack([sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr], -1),
                     np.stack([-sp, cp * sr, cp * cr], -1)], -2)


def quaternion(roll, pitch, yaw):
    """x, y, z, w of rotations()."""
    cr, sr, cp, sp = math.cos(roll / 2), math.sin(roll / 2), math.cos(pitch / 2), math.sin(pitch / 2)
    cy, sy = math.cos(yaw / 2), math.sin(yaw / 2)
    return (sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy,
            cr * cp * cy + sr * sp * sy)


class Drive:
    """Where base_link is at each moment, in odom: at the origin in the beginning."""

    def __init__(self, duration, longest=1e9):
        times, speeds, rates = [0.0], [0.0], [0.0]
        while times[-1] < min(duration, longest):
            for seconds, speed, rate in PARTS:
                times.append(times[-1] + seconds), speeds.append(speed), rates.append(rate)
        self.t = np.arange(round(duration / STEP) + 2) * STEP
        self.speed, self.rate = smooth(self.t, times, speeds), smooth(self.t, times, rates)
        self.yaw = integrated(self.rate)
        self.x, self.y = integrated(self.speed * np.cos(self.yaw)), integrated(self.speed * np.sin(self.yaw))
        # The body on its springs: more where the car is faster; nothing at rest.
        shake = np.minimum(self.speed / 8, 1)
        self.z = shake * 0.015 * np.sin(9.1 * self.t)
        self.roll = 0.03 * self.rate * self.speed / 5 + shake * 0.004 * np.sin(7.3 * self.t)
        self.pitch = -0.006 * np.gradient(self.speed, STEP) + shake * 0.005 * np.sin(8.3 * self.t + 1)

    def at(self, t):
        """(n, 3) places and (n, 3) roll, pitch, yaw."""
        column = [np.interp(t, self.t, each) for each in (self.x, self.y, self.z, self.roll, self.pitch, self.yaw)]
        return np.stack(column[:3], -1), np.stack(column[3:], -1)

    def length(self):
        return float(np.sum(np.hypot(np.diff(self.x), np.diff(self.y))))


def smooth(t, knots, values):
    """From value to value with no jump in the derivative."""
    i = np.clip(np.searchsorted(knots, t, side="right") - 1, 0, len(knots) - 2)
    knots, values = np.array(knots), np.array(values, float)
    s = np.clip((t - knots[i]) / (knots[i + 1] - knots[i]), 0, 1)
    return values[i] + (values[i + 1] - values[i]) * s * s * (3 - 2 * s)


def integrated(f):
    return np.concatenate([[0.0], np.cumsum((f[1:] + f[:-1]) * (STEP / 2))])


class Scene:
    """Boxes and upright cylinders beside the way, on the plane z = 0."""

    def __init__(self, drive, rng):
        self.boxes = []  # x, y, yaw, half length, half width, height, reflectivity
        self.poles = []  # x, y, radius, height, reflectivity
        self.way = np.stack([drive.x, drive.y], -1)[::50]
        gone = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(self.way, axis=0).T))])
        yaw = drive.yaw[::50]

        def beside(distance, lateral):
            i = min(int(np.searchsorted(gone, distance)), len(gone) - 1)
            beyond = distance - gone[i]  # before the start and behind the end the street goes straight on
            c, s = math.cos(yaw[i]), math.sin(yaw[i])
            x, y = self.way[i]
            return x + c * beyond - s * lateral, y + s * beyond + c * lateral, float(yaw[i])

        for side in (-1, 1):
            at = -60.0
            while at < gone[-1] + 60:
                long, deep, high = rng.uniform(7, 15), rng.uniform(5, 10), rng.uniform(3, 12)
                lateral = rng.uniform(8, 11) + deep / 2
                if rng.uniform() < 0.8:
                    x, y, along = beside(at + long / 2, side * lateral)
                    self.box(x, y, along, long / 2, deep / 2, high, 0.5, clear=4.5)
                at += long + rng.uniform(1, 6)
            at = -40.0
            while at < gone[-1] + 40:
                kind = rng.uniform()
                lateral = side * rng.uniform(4.2, 6)
                x, y, along = beside(at, lateral)
                if kind < 0.35:
                    self.box(x, y, along + rng.uniform(-0.05, 0.05), 2.2, 0.9, rng.uniform(1.4, 2), 0.9, clear=2.2)
                elif kind < 0.55:
                    x, y, along = beside(at, side * 7)
                    self.box(x, y, along, rng.uniform(2, 6), 0.15, rng.uniform(0.8, 2.2), 0.6, clear=3)
                elif kind < 0.85:
                    self.pole(x, y, rng.uniform(0.08, 0.25), rng.uniform(3, 8), 0.8, clear=2.5)
                at += rng.uniform(4, 9)

    def box(self, x, y, yaw, half_length, half_width, height, reflectivity, clear):
        c, s = math.cos(yaw), math.sin(yaw)
        d = self.way - (x, y)
        dx = np.maximum(np.abs(d @ (c, s)) - half_length, 0)
        dy = np.maximum(np.abs(d @ (-s, c)) - half_width, 0)
        if np.min(dx * dx + dy * dy) > clear * clear:
            self.boxes.append((x, y, yaw, half_length, half_width, height, reflectivity))

    def pole(self, x, y, radius, height, reflectivity, clear):
        if np.min(np.sum((self.way - (x, y)) ** 2, axis=1)) > clear * clear:
            self.poles.append((x, y, radius, height, reflectivity))

    def cast(self, origin, direction):
        """Ranges (n, rings), inf where nothing is, and reflectivities; origin (n, 3), direction (n, rings, 3) of unit
        length. The rays of a column share a vertical plane, nearly."""
        with np.errstate(divide="ignore", invalid="ignore"):
            down = -origin[:, None, 2] / direction[..., 2]
        best = np.where((down > 0) & (down < FAR), down, np.inf)
        shine = np.full(best.shape, 0.3)
        azimuth = np.arctan2(direction[:, 0, 1], direction[:, 0, 0])
        for box in self.boxes:
            columns = seen(origin, azimuth, box[0], box[1], math.hypot(box[3], box[4]))
            if len(columns):
                keep_nearest(best, shine, columns, cast_box(origin[columns], direction[columns], *box[:6]), box[6])
        for pole in self.poles:
            columns = seen(origin, azimuth, pole[0], pole[1], pole[2])
            if len(columns):
                keep_nearest(best, shine, columns, cast_pole(origin[columns], direction[columns], *pole[:4]), pole[4])
        return best, shine


def seen(origin, azimuth, x, y, radius):
    """The columns that may hit an upright thing within radius of x, y."""
    dx, dy = x - origin[:, 0], y - origin[:, 1]
    distance = np.hypot(dx, dy)
    if distance.min() > FAR + radius:
        return ()
    half = np.arcsin(np.minimum(radius / np.maximum(distance, 1e-9), 1)) + 0.02  # rays of a column differ by a tilt
    off = np.abs(np.remainder(azimuth - np.arctan2(dy, dx) + math.pi, 2 * math.pi) - math.pi)
    return np.nonzero((off < half) | (distance < radius))[0]


def keep_nearest(best, shine, columns, ranges, reflectivity):
    nearer = ranges < best[columns]
    best[columns] = np.where(nearer, ranges, best[columns])
    shine[columns] = np.where(nearer, reflectivity, shine[columns])


def cast_box(origin, direction, x, y, yaw, half_length, half_width, height):
    c, s = math.cos(yaw), math.sin(yaw)
    ox, oy = origin[:, 0] - x, origin[:, 1] - y
    origins = (ox * c + oy * s, oy * c - ox * s, origin[:, 2])
    dx, dy = direction[..., 0], direction[..., 1]
    directions = (dx * c + dy * s, dy * c - dx * s, direction[..., 2])
    near, far = -np.inf, np.inf
    for o, d, low, high in zip(origins, directions, (-half_length, -half_width, 0), (half_length, half_width, height)):
        with np.errstate(divide="ignore"):
            inverse = 1 / d
        a, b = (low - o)[:, None] * inverse, (high - o)[:, None] * inverse
        near, far = np.maximum(near, np.minimum(a, b)), np.minimum(far, np.maximum(a, b))
    return np.where((near <= far) & (near > 0), near, np.inf)


def cast_pole(origin, direction, x, y, radius, height):
    ox, oy = (origin[:, 0] - x)[:, None], (origin[:, 1] - y)[:, None]
    dx, dy = direction[..., 0], direction[..., 1]
    a, b = dx * dx + dy * dy, ox * dx + oy * dy
    under = b * b - a * (ox * ox + oy * oy - radius * radius)
    t = (-b - np.sqrt(np.maximum(under, 0))) / a
    z = origin[:, None, 2] + t * direction[..., 2]
    return np.where((under >= 0) & (t > 0) & (z >= 0) & (z <= height), t, np.inf)


POINT = np.dtype([("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("intensity", "<f4"), ("ring", "<u2"), ("time", "<f4")])


class Lidar:
    """Rings from -15 to +15 deg that turn clockwise once in a sweep, from behind."""

    def __init__(self, rings, columns):
        self.elevation = np.radians(np.linspace(-15, 15, rings))
        self.turn = np.arange(columns) / columns
        azimuth = math.pi - 2 * math.pi * self.turn
        ce, se = np.cos(self.elevation), np.sin(self.elevation)
        self.rays = np.stack([np.cos(azimuth)[:, None] * ce, np.sin(azimuth)[:, None] * ce,
                              np.broadcast_to(se, (columns, rings))], -1)
        self.place, self.tilt = np.array(MOUNT[0]), rotations(*map(np.float64, MOUNT[1]))

    def sweep(self, begin, drive, scene, rng):
        """The points of the sweep that begins then, in the order of their time."""
        offset = self.turn * SWEEP
        p_WB, angles = drive.at(begin + offset)
        R_WB = rotations(*angles.T)
        origin = p_WB + R_WB @ self.place
        direction = np.einsum("nij,nrj->nri", R_WB @ self.tilt, self.rays)
        ranges, shine = scene.cast(origin, direction)
        measured = ranges + rng.normal(0, NOISE, ranges.shape)
        there = np.isfinite(ranges) & (measured > NEAR) & (measured < FAR) & (rng.uniform(size=ranges.shape) > LOST)
        column, ring = np.nonzero(there)
        r = measured[column, ring]
        points = np.empty(len(r), POINT)
        for i, axis in enumerate("xyz"):
            points[axis] = r * self.rays[column, ring, i]
        points["intensity"] = 100 * shine[column, ring] / (1 + r / 20)
        points["ring"] = ring
        points["time"] = offset[column]
        return points


class Cdr:
    """A message in little-endian CDR (XCDR1)."""

    def __init__(self):
        self.out = bytearray(b"\0\1\0\0")

    def put(self, kind, *values):
        size = struct.calcsize("<" + kind)
        for value in values:
            self.out += bytes(-(len(self.out) - 4) % size) + struct.pack("<" + kind, value)
        return self

    def text(self, text):
        data = text.encode() + b"\0"
        self.put("I", len(data)).out += data
        return self

    def header(self, nanoseconds, frame):
        return self.put("i", nanoseconds // 10**9).put("I", nanoseconds % 10**9).text(frame)


def cloud_message(stamp, points):
    cdr = Cdr().header(stamp, "lidar").put("I", 1, len(points), len(POINT))
    for name in POINT.names:
        kind, offset = POINT.fields[name]
        cdr.text(name).put("I", offset).put("B", {"f4": 7, "u2": 4}[kind.str[1:]]).put("I", 1)
    cdr.put("B", 0).put("I", POINT.itemsize, POINT.itemsize * len(points), POINT.itemsize * len(points))
    cdr.out += points.tobytes()
    return bytes(cdr.put("B", 1).out)


def odometry_message(stamp, place, angles, speed, rate):
    cdr = Cdr().header(stamp, "odom").text("base_link").put("d", *place, *quaternion(*angles), *[0] * 36)
    return bytes(cdr.put("d", speed, 0, 0, 0, 0, rate, *[0] * 36).out)


def mount_message(stamp):
    cdr = Cdr().put("I", 1).header(stamp, "base_link").text("lidar")
    return bytes(cdr.put("d", *MOUNT[0], *quaternion(*MOUNT[1])).out)


def definition(name):
    package, _, kind = name.split("/")
    return (MSGS / package / "msg" / f"{kind}.msg").read_text()


def schema(name):
    """The definition of a type and of all that it holds, as ros2msg wants them."""
    out, todo, done = definition(name), [name], {name}
    while todo:
        package = todo[0].split("/")[0]
        for line in definition(todo.pop(0)).splitlines():
            kind = line.split("#")[0].split(" ")[0].split("[")[0].split("<")[0]
            if kind and kind[0].isalpha() and ("/" in kind or kind[0].isupper()):
                whole = f"{kind.split('/')[0]}/msg/{kind.split('/')[1]}" if "/" in kind else f"{package}/msg/{kind}"
                if whole not in done:
                    out += "=" * 80 + f"\nMSG: {whole.replace('/msg/', '/')}\n" + definition(whole)
                    todo.append(whole), done.add(whole)
    return out


def qos(depth, durability):
    forever = "\n    sec: 9223372036\n    nsec: 854775807\n"
    return (f"- history: keep_last\n  depth: {depth}\n  reliability: reliable\n  durability: {durability}\n"
            f"  deadline:{forever}  lifespan:{forever}  liveliness: automatic\n  liveliness_lease_duration:{forever}"
            "  avoid_ros_namespace_conventions: false\n")


class Bag:
    """An MCAP file as ros2 bag has them."""

    def __init__(self, file):
        self.writer = Writer(file, compression=CompressionType.ZSTD)
        self.writer.start(profile="ros2", library="make_drive")
        self.channels = {}

    def channel(self, topic, kind, depth, durability="volatile"):
        at = self.writer.register_schema(kind, "ros2msg", schema(kind).encode())
        self.channels[topic] = self.writer.register_channel(topic, "cdr", at, {"offered_qos_profiles": qos(depth, durability)})

    def write(self, topic, nanoseconds, data):
        self.writer.add_message(self.channels[topic], nanoseconds, data, nanoseconds)


def write_drive(file, drive, scene, lidar, sweeps, rng):
    bag = Bag(file)
    bag.channel("/tf_static", "tf2_msgs/msg/TFMessage", 1, "transient_local")
    bag.channel("/ground_truth", "nav_msgs/msg/Odometry", 10)
    bag.channel("/lidar/points", "sensor_msgs/msg/PointCloud2", 10)
    bag.write("/tf_static", T0, mount_message(T0))
    times = np.arange(round(sweeps * SWEEP / TRUTH_PERIOD) + 1) * TRUTH_PERIOD
    places, angles = drive.at(times)
    speeds, rates = np.interp(times, drive.t, drive.speed), np.interp(times, drive.t, drive.rate)
    done = points = 0
    for i, t in enumerate(times):
        now = T0 + round(t * 1e9)
        bag.write("/ground_truth", now, odometry_message(now, places[i], angles[i], speeds[i], rates[i]))
        while done < sweeps and (done + 1) * SWEEP <= t + 1e-9:
            cloud = lidar.sweep(done * SWEEP, drive, scene, rng)
            bag.write("/lidar/points", T0 + round((done + 1) * SWEEP * 1e9),
                      cloud_message(T0 + round(done * SWEEP * 1e9), cloud))
            done, points = done + 1, points + len(cloud)
    bag.writer.finish()
    return points


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--duration", type=float, default=40, help="seconds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rings", type=int, default=16)
    parser.add_argument("--columns", type=int, default=720)
    a = parser.parse_args()
    sweeps = round(a.duration / SWEEP)
    drive = Drive(sweeps * SWEEP)
    rng = np.random.default_rng(a.seed)
    scene = Scene(drive, rng)
    with open(a.out, "wb") as file:
        points = write_drive(file, drive, scene, Lidar(a.rings, a.columns), sweeps, rng)
    print(f"{a.out}: {sweeps} sweeps of {points // max(sweeps, 1)} points, {drive.length():.1f} m in {sweeps * SWEEP:g} s, "
          f"{len(scene.boxes)} boxes, {len(scene.poles)} poles, {pathlib.Path(a.out).stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
