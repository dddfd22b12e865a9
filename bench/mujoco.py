"""The rows of MuJoCo robots, for bench/run.py: the fleet beside a plain loop of mj_step, real time, memory, streams."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from children import Child, cpu_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTHON = ROOT / ".env" / "python" / "bin" / "python"

# Robots at rest, each with so many others 1 cm away: near enough to be there as ghosts, and none pushes.
GROUPS = """convoy: 1
time: {{tick: 10ms, duration: 60s}}
robots:
  - {{name: b, count: {count}, model: turtlebot3_burger.xml, placement: {{poses: {poses}}}}}
"""
PLANE = """convoy: 1
time: {{tick: {tick}, duration: 60s}}
robots:
  - {{name: b, count: {count}, model: turtlebot3_burger.xml, driver: {{kind: random_walk, range: 0.5}},
     placement: {{grid: {{origin: [0, 0], spacing: [3, 3]}}}}}}
{more}"""

# Two joints, two sensors and a base in empty space: to send it costs as much as a TurtleBot, and its physics so little
# that the rest shows (a TurtleBot's wanders within a run by as much as publishing takes).
SPEAKER = """<mujoco><option timestep="0.002" gravity="0 0 0"/><worldbody><body name="base"><freejoint/>
  <geom type="box" size=".1 .1 .1" mass="1" contype="0" conaffinity="0"/>
  <body><joint name="left" axis="0 1 0" damping="1"/><geom type="sphere" size=".05" mass=".1" contype="0" conaffinity="0"/></body>
  <body><joint name="right" axis="0 1 0" damping="1"/><geom type="sphere" size=".05" mass=".1" contype="0" conaffinity="0"/></body>
</body></worldbody>
<actuator><motor joint="left"/><motor joint="right"/></actuator>
<sensor><jointvel name="left_speed" joint="left"/><jointvel name="right_speed" joint="right"/></sensor></mujoco>
"""
SPEAKERS = """convoy: 1
time: {tick: 2ms, duration: 60s}
robots: [{name: b, count: 100, model: speaker.xml, placement: {grid: {origin: [0, 0], spacing: [3, 3]}}}]
zmq: {port: 15555}
"""


def poses(neighbours, robots=60):
    """About so many robots, each 1 cm from so many others; a TurtleBot3 burger takes 14 x 17.8 cm."""
    dx, dy = 0.15, 0.188
    if neighbours == 4:  # two rows of a wall of bricks, but for its ends
        return [[round(dx * row, 4), round(dy * (k + row / 2), 4), 0] for k in range(robots // 2) for row in (0, 1)]
    group = [(0, 0), (0, dy), (dx, dy / 2)][:neighbours + 1]
    return [[round(5.0 * (i % 5) + x, 4), round(5.0 * (i // 5) + y, 4), 0] for i in range(robots // len(group)) for x, y in group]


class MujocoRows:
    def __init__(self, bench):
        self.bench = bench

    def loop(self, scenario, **more):
        return self.bench.tool("bench_mujoco_loop", **more, models=ROOT / "models", maps=self.bench.convoy.parent / "maps",
                               first=scenario)

    def best(self, scenario, **more):
        return max((self.loop(scenario, **more) for _ in range(self.bench.repeat)), key=lambda r: r["ratio"])

    def run(self):
        with tempfile.TemporaryDirectory() as folder:
            self.folder = pathlib.Path(folder)
            self.fleet()
            self.real_time()
            self.memory()
            self.streams()
            self.stepping()
            self.vector_env()

    def fleet(self):
        row = self.bench.row
        for name, goal, file in (("MuJoCo fleet (scenarios/mujoco_fleet.yaml)", ">= 0.85", ROOT / "scenarios" / "mujoco_fleet.yaml"),
                                 *((f"    burgers with {n} neighbours in reach (1 cm)", "", n) for n in (0, 1, 2, 4))):
            if isinstance(file, int):
                place = self.folder / f"near{file}.yaml"
                spots = poses(file)
                place.write_text(GROUPS.format(count=len(spots), poses=spots))
                file = place
            one = self.best(file)
            row(name, one["fleet_ms"], "CPU ms a tick, digest on", one["bare_ms"], "the same mj_steps alone", one.pop("ratio"), goal, **one)

    def cpu_per_tick(self, scenario, tick, seconds=(1, 4)):
        cpu = []
        for s in seconds:
            child = Child([self.bench.convoy, "run", scenario, "--duration", f"{s}s", "--log-level", "error", "--speed", "max"],
                          cores={max(os.sched_getaffinity(0))}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if child.wait() != 0:
                sys.exit(f"failed: {scenario}")
            cpu.append((child.cpu_s, child.peak_kb))
        return (cpu[1][0] - cpu[0][0]) / (seconds[1] - seconds[0]), cpu[1][1]

    def real_time(self):
        scenario = self.folder / "plane.yaml"
        scenario.write_text(PLANE.format(tick="2ms", count=200, more=""))
        share = min(self.cpu_per_tick(scenario, 0.002)[0] for _ in range(self.bench.repeat))
        self.bench.row("200 TurtleBots at 500 Hz on a plane", share, "CPU s a simulated s", 1, "real time", share, "<= 1")

    def memory(self):
        peak = {}
        for count in (100, 500):
            scenario = self.folder / "memory.yaml"
            scenario.write_text(PLANE.format(tick="10ms", count=count, more=""))
            peak[count] = self.cpu_per_tick(scenario, 0.01, (0.1, 0.3))[1]
        self.bench.row("memory a TurtleBot, MuJoCo", (peak[500] - peak[100]) / 400 / 1024, "MB", None, "", None, "<= 0.3 MB")

    def streams(self):
        """100 robots x 5 topics at 500 Hz: what publishing costs is what a listener adds, median of turns."""
        scenario = self.folder / "streams.yaml"
        scenario.write_text(SPEAKERS)
        (self.folder / "speaker.xml").write_text(SPEAKER)
        topics = [f"b_{i:02d}/{t}" for i in range(100) for t in ("joint/", "sensor/", "base_state/")]
        child = Child([self.bench.convoy, "run", scenario, "--log-level", "error"], stdout=subprocess.DEVNULL,
                      stderr=subprocess.DEVNULL)

        def used(seconds):
            begin, at = cpu_of(child.process.pid), time.monotonic()
            time.sleep(seconds)
            return (cpu_of(child.process.pid) - begin) / (time.monotonic() - at)

        time.sleep(2)
        added, heard, seconds = [], [], 2
        for _ in range(4 * self.bench.repeat):
            without = used(seconds)
            listener = subprocess.Popen([self.bench.tools / "bench_zmq_listener", "15555", str(seconds + 1), *topics],
                                        text=True, stdout=subprocess.PIPE)
            time.sleep(0.5)
            added.append(used(seconds) - without)
            heard.append(int(listener.communicate()[0]) / (seconds + 1))
        child.process.terminate()
        child.wait()
        added.sort()
        self.bench.row("100 robots x 5 topics at 500 Hz: publishing", statistics.median(added), "of a core", None,
                       f"{min(heard) / 1e3:.0f} thousand messages/s heard", None, "< 0.25", heard=min(heard), added=added)

    def script(self, name, *more):
        out = subprocess.run([PYTHON, ROOT / "bench" / name, "--convoy", self.bench.convoy, *map(str, more)], check=True,
                             capture_output=True, text=True).stdout
        return json.loads(out)

    def stepping(self):
        """The least of the repetitions, each with bare round trips in between."""
        one = max((self.script("stepping.py") for _ in range(self.bench.repeat)), key=lambda r: r["best_steps_per_s"])
        self.bench.row("humanoid stepped over 5559", one["best_steps_per_s"], "steps/s", one["trips_per_s"],
                       "bare round trips, same sizes", one["best_steps_per_s"] / one["trips_per_s"], ">= 1,700", **one)
        self.bench.row("    the 99th percentile of a step", one["best_steps_p99_ms"], "ms", one["trips_p99_ms"], "bare", None,
                       "< 1 ms")

    def vector_env(self):
        scenario = self.folder / "vector.yaml"
        scenario.write_text(PLANE.format(tick="10ms", count=100, more=""))
        for hosts in (1, 2):
            best = (0, 0, 1)
            for _ in range(self.bench.repeat):
                bare = self.loop(scenario)["bare_steps_per_s"]
                found = self.script("vector_env.py", "--json", "--actions", 100, "--repeat", 1, "--hosts", hosts)
                best = max(best, (found["robot_steps_per_s"] / bare, found["robot_steps_per_s"], bare))
            self.bench.row(f"vector environment, 100 burgers, {hosts} hosts", best[1], "robot steps/s", best[2],
                           "bare mj_step", best[0], ">= 0.5")
