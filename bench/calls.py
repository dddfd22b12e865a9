"""A quiet caller's calls alone and beside a member that floods the same server, in turn within one run."""
import json
import os
import subprocess
import sys
import tempfile
import threading

from children import Child

SCENARIO = """
convoy: 1
name: bench_calls
time: {mode: lockstep, tick: 10ms, duration: 3600s}
world: {ground: {size: [20, 20], resolution: 0.1, walls: 0.1}}
liveness: 60s
robots:
  - {name: walk, count: 40, model: turtlebot3_burger, driver: random_walk}
"""
SECONDS = 2  # of each turn
FLOOD_SECONDS = SECONDS + 1.5
FLOODS = {"status": "1,000 status at once", "files": "7 x 512 KiB at once"}


def percentile(sorted_values, part):
    return sorted_values[int(part * (len(sorted_values) - 1))]


def ran_and_waited(pid):
    """s that a process of one busy thread has run, and has waited for a processor."""
    with open(f"/proc/{pid}/schedstat", encoding="utf-8") as told:
        return [int(word) / 1e9 for word in told.read().split()[:2]]


class CallRows:
    def __init__(self, bench):
        self.bench = bench
        self.quiet = dict(stderr=subprocess.DEVNULL, env=bench.env)

    def run(self):
        with tempfile.TemporaryDirectory() as folder:
            scenario = os.path.join(folder, "calls.yaml")
            with open(scenario, "w", encoding="utf-8") as out:
                out.write(SCENARIO)
            for paused in (True, False):
                self.beside_floods(scenario, paused)

    def beside_floods(self, scenario, paused):
        """Both against a server that waits at a boundary, and one that runs at the speed of the clock."""
        run = ["--paused"] if paused else ["--speed", "1"]
        server = Child([self.bench.convoy, "server", scenario, "--hosts", 1, "--listen", "127.0.0.1:0", *run, "--log-level",
                        "error"], stdout=subprocess.PIPE, **self.quiet)
        address = "127.0.0.1:" + server.process.stdout.readline().split()[-1]
        threading.Thread(target=server.process.stdout.read, daemon=True).start()
        host = Child([self.bench.convoy, "client", "--connect", address, "--name", "host0", "--log-level", "error"],
                     stdout=subprocess.DEVNULL, **self.quiet)
        try:
            self.turns(address, server.process.pid, "paused" if paused else "at speed 1")
        finally:
            subprocess.run([self.bench.convoy, "ctl", "--connect", address, "stop"], stdout=subprocess.DEVNULL, **self.quiet)
            server.wait(), host.wait()

    def turns(self, address, server, where):
        subprocess.run([self.bench.convoy, "ctl", "--connect", address, "--wait", "30", "get", "walk_00"], check=True,
                       stdout=subprocess.DEVNULL, **self.quiet)
        for what, says in FLOODS.items():
            alone, beside, flooded, ran, waited = [], [], [], 0.0, 0.0
            for _ in range(self.bench.repeat):
                alone += self.timed(address)
                flood = self.caller(address, what, FLOOD_SECONDS)
                before = ran_and_waited(server)
                beside += self.timed(address)
                after = ran_and_waited(server)
                ran, waited = ran + after[0] - before[0], waited + after[1] - before[1]
                if flood.poll() is not None:
                    sys.exit("the flood was over too soon")
                flooded.append(json.loads(flood.communicate()[0])["calls"] / FLOOD_SECONDS)
            self.rows(f"calls, {where}, {says}", sorted(alone), sorted(beside), min(flooded), ran / (ran + waited))

    def rows(self, name, alone, beside, flooded, share):
        for says, part in (("median", 0.5), ("p99", 0.99)):
            one, two = percentile(alone, part), percentile(beside, part)
            self.bench.row(f"{name}: {says}", two, "us, a quiet call", one, "alone", two / one, "",
                           calls_alone=len(alone), calls_beside=len(beside), flood_a_second=flooded, server_share=share)
        print(f"    {len(alone)} and {len(beside)} calls; slowest {alone[-1] / 1e3:.1f} and {beside[-1] / 1e3:.1f} ms; "
              f"the flood {flooded:,.0f} calls a second, "
              f"the server had a processor for {share:.0%} of the time that it wanted one", flush=True)

    def caller(self, address, what, seconds):
        process = subprocess.Popen([str(self.bench.tools / "bench_caller"), "--connect", address, "--what", what, "--name",
                                    "walk_00", "--seconds", str(seconds)], text=True, stdout=subprocess.PIPE)
        if process.stdout.readline() != "ready\n":
            sys.exit("the caller was not let in")
        return process

    def timed(self, address):
        process = self.caller(address, "quiet", SECONDS)
        return json.loads(process.communicate()[0])["took_us"]
