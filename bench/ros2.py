"""The rows of ROS 2, for bench/run.py: a run's door to DDS, met by bench_ros2 in a process of its own."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from children import Child

SECONDS = 10  # of each measurement
ROBOTS = 200
FLEET = """convoy: 1
name: bench_ros2
time: {tick: 10ms, duration: 3600s}
liveness: off
digest: [DIGEST]
world: {ground: {size: [40, 40], walls: {thickness: 0.2, height: 0.5}}}
robots:
  - {name: robot, count: 200, model: turtlebot3_burger, driver: random_walk, sensors: [{type: scan, name: scan, rate: 10}]}
"""
CLOUD = """convoy: 1
name: bench_clouds
time: {tick: 10ms, duration: 3600s}
world: {ground: {size: [10, 10], walls: {thickness: 0.2, height: 2}}}
robots:
  - {name: robot, model: turtlebot3_burger, placement: {poses: [[0, 0, 0]]},
     sensors: [{type: points, name: points, rings: 32, columns: 1440, rate: 10, range_max: 40, at: [0, 0, 0.3]}]}
"""
ONE = """convoy: 1
name: bench_service
time: {tick: 10ms, duration: 3600s}
world: {ground: {size: [10, 10], walls: {thickness: 0.2, height: 0.5}}}
robots:
  - {name: scout, model: turtlebot3_burger, driver: random_walk}
"""


class Ros2Rows:
    def __init__(self, bench):
        self.bench = bench
        self.tool = str(bench.tools / "bench_ros2")
        self.env = dict(bench.env, ROS_DOMAIN_ID=os.environ.get("ROS_DOMAIN_ID", "31"), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")

    def run(self):
        if not os.path.exists(self.tool):
            print("ros2: built without Fast DDS, not measured")
            return
        with tempfile.TemporaryDirectory() as self.folder:
            self.round_trips()
            self.nobody()
            self.fleet()
            self.clouds()

    # -- processes

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def told(self, *words):
        """What bench_ros2 prints."""
        done = subprocess.run([self.tool, *map(str, words)], env=self.env, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"failed: bench_ros2 {words}: {done.stderr}")
        return json.loads(done.stdout.splitlines()[-1])

    def child(self, scenario, *options, command="run"):
        argv = [self.bench.convoy, command, scenario, *options, "--log-level", "error"]
        return Child(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.env)

    def beside(self, scenario, measure, *options, command="run"):
        """What measure(pid) gives beside a run with ROS 2 in real time."""
        run = self.child(scenario, "--ros2", "--hosts", 1, *options, command=command)
        try:
            return measure(run.process.pid)
        finally:
            os.kill(run.process.pid, signal.SIGTERM)
            run.wait()

    def cpu(self, scenario, seconds, *options):
        """CPU s of a simulated second, without the start."""
        took = []
        for duration in (1, 1 + seconds):
            run = self.child(scenario, "--duration", f"{duration}s", *options)
            if run.wait() != 0:
                sys.exit(f"failed: convoy run {scenario} {options}")
            took.append(run.cpu_s)
        return (took[1] - took[0]) / seconds

    # -- rows

    def round_trips(self):
        """A call of a run's client, beside a server in DDS alone that answers at once."""
        scenario, bare = self.file("one.yaml", ONE), []
        kinds = {"one process": dict(command="run"), "client and server": dict(command="launch"), "paused": dict(command="launch", options=["--paused"])}
        taken = {kind: [] for kind in kinds}
        for _ in range(self.bench.repeat):
            for kind, how in kinds.items():
                ask = lambda pid: self.told("call", "--service", "/GetEntityState", "--name", "scout", "--count", 1000)
                taken[kind].append(self.beside(scenario, ask, *how.get("options", []), command=how["command"]))
            echo = subprocess.Popen([self.tool, "serve"], env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            echo.stdout.readline()
            bare.append(self.told("call", "--service", "/bench/echo", "--count", 2000))
            echo.stdin.close()
            echo.wait()
        base = min(b["median_us"] for b in bare)
        for kind, each in taken.items():
            one = min(t["median_us"] for t in each)
            self.bench.row(f"ROS 2: GetEntityState, {kind}: median", one, "us", base, "a server in DDS alone", one / base, "< 1,000", told=each, bare=bare)

    def tick_ms(self, *options):
        """Of a run as fast as it goes, long after all endpoints are made: what the report says of its ticks."""
        report = os.path.join(self.folder, "report.json")
        if self.child(self.file("fleet.yaml", FLEET.replace("DIGEST", "state")), "--duration", "600s", "--speed", "max", "--report", report, *options).wait() != 0:
            sys.exit("failed: convoy run of 200 robots")
        with open(report, encoding="utf-8") as told:
            return json.load(told)["tick_ms"]

    def nobody(self):
        """The same run with ROS 2 and without, as fast as it goes, nobody listening; and its longest tick, in which endpoints are made."""
        on, off = [], []
        for _ in range(self.bench.repeat):
            off.append(self.tick_ms()), on.append(self.tick_ms("--ros2"))
        for name, key, goal in (("p50", "p50", "<= 1.02"), ("longest", "max", "")):
            one, base = (min(t[key] for t in each) for each in (on, off))
            self.bench.row(f"200 robots, ROS 2 on, nobody there: tick {name}", one * 1e3, "us", base * 1e3, "ROS 2 off", one / base, goal,
                           on=[t[key] for t in on], off=[t[key] for t in off])

    def fleet(self):
        """200 robots' topics, each with a reader in another process; and how long a new peer takes to know them."""
        scenario = self.file("listened.yaml", FLEET.replace("DIGEST", "state"))
        computed = self.file("computed.yaml", FLEET.replace("DIGEST", "state, sensors"))
        nodes, endpoints, shares = [], [], []

        def measure(pid):
            time.sleep(5)  # of the run's own start
            for _ in range(3):
                found = self.told("discover", "--robots", ROBOTS)
                nodes.append(found["nodes_s"]), endpoints.append(found["endpoints_s"])
            return self.told("listen", "--robots", ROBOTS, "--pid", pid, "--seconds", SECONDS)

        for _ in range(max(1, self.bench.repeat // 2)):
            bare = self.cpu(computed, SECONDS, "--speed", "1")
            one = self.beside(scenario, measure)
            shares.append((one["cpu_s"] / one["sim_s"] - bare, one, bare))
        share, one, bare = min(shares, key=lambda s: s[0])
        self.bench.row("200 robots' topics, 800 readers: CPU", share, "of a core", bare, "the run, ROS 2 off", None, "<= 0.4",
                       shares=[s[0] for s in shares], **one)
        print(f"    {one['messages'] / one['sim_s']:,.0f} messages and {one['bytes'] / one['sim_s'] / 1e6:.1f} MB a simulated second, "
              f"{one['lost']} lost, the reader takes {one['own_cpu_s'] / one['wall_s']:.2f} of a core; "
              f"{one['sim_s'] / one['wall_s']:.2f} of real time", flush=True)
        self.bench.row("200 robots: a new peer knows all nodes", min(nodes), "s", None, "", None, "< 3", nodes_s=nodes, endpoints_s=endpoints)
        self.bench.row("200 robots: a new peer knows all endpoints", min(endpoints), "s")

    def clouds(self):
        """Clouds of 1 MB at 10 Hz to one reader."""
        scenario = self.file("cloud.yaml", CLOUD)
        for _ in range(max(1, self.bench.repeat // 2)):
            one = self.beside(scenario, lambda pid: self.told("listen", "--topic", "/robot/points", "--pid", pid, "--seconds", 2 * SECONDS))
            self.bench.row("clouds at 10 Hz: lost", one["lost"], f"of {one['messages'] + one['lost']}", None, "", None, "0", **one)
            print(f"    {one['bytes'] / max(1, one['messages']) / 1e6:.2f} MB each, {one['messages'] / one['sim_s']:.1f} a simulated second, "
                  f"the run takes {one['cpu_s'] / one['wall_s']:.2f} of a core", flush=True)
