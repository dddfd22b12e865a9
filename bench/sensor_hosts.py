"""The rows of sensor hosts, for bench/run.py: lidars on one core and on two, what a sample on another machine adds, a camera."""
import json
import os
import subprocess
import sys
import tempfile

from children import Child

ROBOTS = 2000
# Rays are more than 95 % of it: 1,440 of each robot ten times a second.
LIDARS = """convoy: 1
time: {{tick: 10ms, duration: 60s}}
liveness: off
digest: [state, sensors]
world: {{ground: {{size: [{side}, {side}], resolution: 0.1, walls: {{thickness: 0.2, height: 0.5}}}}}}
sensors:
  types: [{{type: points, distribution: {distribution}, load: {load}}}]
robots:
  - name: walker
    count: {robots}
    model: turtlebot3_burger
    driver: random_walk
    sensors: [{sensors}]
"""
POINTS = "{type: points, rings: 16, columns: 90, rate: 10, range_max: 40, noise: 0.01, at: [0, 0, 0.3], latency: 50ms}"
# One sample a tick, which the next one waits for.
SMALL = """convoy: 1
time: {tick: 10ms, duration: 600s}
liveness: off
digest: [state, sensors]
world: {ground: {size: [10, 10]}}
sensors: {types: [{type: fix, distribution: client_only}]}
robots:
  - {name: walker, model: turtlebot3_burger, driver: random_walk, sensors: [{type: fix, rate: 100}]}
"""
CAMERA = """convoy: 1
time: {tick: 10ms, duration: 600s, speed: 1}
digest: [state, sensors]
world: {ground: {size: [20, 20], walls: {thickness: 0.2, height: 2}}}
sensors: {types: [{type: camera, distribution: client_only}]}
robots:
  - name: walker
    model: turtlebot3_waffle
    driver: random_walk
    sensors: [{type: camera, width: 640, height: 480, rate: 30, latency: 40ms, at: [0.1, 0, 0.4]}]
"""


class SensorHostRows:
    def __init__(self, bench):
        self.bench = bench

    def launched(self, text, seconds, hosts, sensor_hosts, speed="max"):
        """The report of a run as processes."""
        return self.report(text, seconds, None, "launch", "--hosts", hosts, "--sensor-hosts", sensor_hosts, "--speed", speed)

    def one_core(self, text, seconds):
        """That of a run in one process, on one core."""
        return self.report(text, seconds, {max(os.sched_getaffinity(0))}, "run", "--hosts", 1, "--speed", "max")

    def report(self, text, seconds, cores, *command):
        with tempfile.TemporaryDirectory() as folder:
            scenario, report = f"{folder}/s.yaml", f"{folder}/report.json"
            with open(scenario, "w") as file:
                file.write(text)
            argv = [self.bench.convoy, command[0], scenario, *command[1:], "--duration", f"{seconds:.2f}s", "--report", report,
                    "--log-level", "error"]
            child = Child(argv, cores, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.bench.env)
            if child.wait() != 0:
                sys.exit("failed: " + " ".join(map(str, argv)))
            return json.load(open(report))

    @staticmethod
    def lidars(distribution="main_only", load=1.0, sensors=POINTS):
        side = (ROBOTS / 0.44) ** 0.5 + 1
        return LIDARS.format(side=f"{side:.1f}", robots=ROBOTS, distribution=distribution, load=load, sensors=sensors)

    def run(self):
        self.speeds()
        self.latency()
        self.camera()

    def speeds(self):
        """Wall time of a simulated second. Load 0.0015: with 0.15 for the robots themselves, half of 2,000 lidars each."""
        kinds = {"one core": lambda: self.one_core(self.lidars(), 1),
                 "without lidars": lambda: self.one_core(self.lidars(sensors=""), 1),
                 "2 robot clients": lambda: self.launched(self.lidars(), 1, 2, 0),
                 "1 client, 1 sensor host": lambda: self.launched(self.lidars("main_or_client", 0.0015), 1, 1, 1)}
        kinds |= {f"1 client, all on {n} sensor host{'s' * (n > 1)}": lambda n=n: self.launched(self.lidars("client_only"), 1, 1, n)
                  for n in (1, 2, 3, 4)}
        wall = dict.fromkeys(kinds, 1e9)
        for _ in range(self.bench.repeat):
            for kind, measure in kinds.items():
                report = measure()
                wall[kind] = min(wall[kind], report["wall_s"] / report["sim_s"])
        share = 1 - wall["without lidars"] / wall["one core"]
        self.bench.row("2,000 lidars: their share of one core", share, "", goal=">= 0.95")
        for kind, value in wall.items():
            if kind not in ("one core", "without lidars"):
                self.bench.row(f"2,000 lidars, {kind}", value, "wall s per simulated s", wall["one core"], "one core, one process",
                               wall["one core"] / value, ">= 1.7" if kind == "2 robot clients" else "")

    def latency(self):
        """Each tick waits for a sample of the boundary before: what that adds to a tick of the same run without."""
        best = {}
        for _ in range(self.bench.repeat):
            for hosts in (0, 1):
                told = self.launched(SMALL, 30, 1, hosts)["tick_ms"]
                for p in ("p50", "p99"):
                    best[hosts, p] = min(best.get((hosts, p), 1e9), told[p] * 1000)
        for p in ("p50", "p99"):
            self.bench.row(f"a tick that waits for a sensor host's sample, {p}", best[1, p], "us", best[0, p], "sampled at home",
                           best[1, p] / best[0, p])

    def camera(self):
        report = self.launched(CAMERA, 10, 1, 1, speed=1)
        self.bench.row("a camera of 640x480 at 30 Hz on a sensor host", report["remote_samples"] / report["sim_s"], "pictures a simulated s", 30,
                       "its rate", report["remote_samples"] / report["sim_s"] / 30, "1")
        self.bench.row("  simulated seconds a second meanwhile", report["sim_s"] / report["wall_s"], "", 1, "real time", None, ">= 0.99")
