#!/usr/bin/python3
"""Measures what docs/performance.md promises, each number beside its baseline, and prints one table.

    bench/run.py [--build build] [--json F.json] [--repeat N] [--only lockstep,star,fleet,hosts,memory,live,nodes,micro,mujoco,rays,render,sensors,sensor_hosts,calls,ros2]

Machines are shared and noisy, so: CPU time (of each process, from the kernel) rather than wall time where the claim is
about work; baseline and subject in turn within one run; the least of N repetitions, since neighbours only ever add.
Start-up is taken off by running two durations and dividing the difference by the ticks between them.
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

from calls import CallRows
from children import Child, cpu_of
from mujoco import MujocoRows
from ros2 import Ros2Rows
from sensor_hosts import SensorHostRows

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCENARIOS = ROOT / "bench" / "scenarios"
TICK = 0.01  # s, of every scenario here
BURGER_SIDE_MARGIN = 1.0  # m of ground beyond what the density asks for


class Bench:
    def __init__(self, build, repeat):
        self.convoy = build / "convoy"
        self.tools = build / "bench"
        self.repeat = repeat
        self.rows = []
        self.env = dict(os.environ, CONVOY_MAP_PATH=str(build / "maps"))

    def row(self, name, value, unit, baseline=None, baseline_name="", ratio=None, goal="", **more):
        r = {"name": name, "value": value, "unit": unit, "baseline": baseline, "baseline_name": baseline_name,
             "ratio": ratio, "goal": goal, "load": os.getloadavg()[0], **more}
        self.rows.append(r)
        number = lambda v: "" if v is None else f"{v:,.3f}" if abs(v) < 100 else f"{v:,.0f}"
        print(f"{name:<46} {number(value):>12} {unit:<22} {number(baseline):>12} {baseline_name:<28} "
              f"{number(ratio):>8}  {goal:<10} load {r['load']:.0f}", flush=True)

    def tool(self, name, first=None, **options):
        argv = [str(self.tools / name)] + ([str(first)] if first else [])
        for key, value in options.items():
            argv += ["--" + key, str(value)]
        return json.loads(subprocess.run(argv, check=True, capture_output=True, text=True).stdout)

    def ns_of(self, name):
        """Nanoseconds for one item of a micro-benchmark, the least of the repetitions."""
        out = subprocess.run([str(self.tools / "bench_micro"), "--benchmark_format=json", "--benchmark_min_time=0.05",
                              f"--benchmark_filter=^{name}$", f"--benchmark_repetitions={self.repeat}"],
                             check=True, capture_output=True, text=True).stdout
        return min(1e9 / b["items_per_second"] for b in json.loads(out)["benchmarks"] if b["run_type"] == "iteration")

    # -- runs of the product

    def embedded(self, scenario, ticks, sets=(), hosts=None):
        """convoy run, pinned to one core: CPU seconds of the process."""
        with tempfile.NamedTemporaryFile(suffix=".json") as report:
            argv = [self.convoy, "run", SCENARIOS / scenario, "--duration", f"{ticks * TICK:.3f}s", "--report",
                    report.name, "--log-level", "error"]
            argv += ["--hosts", hosts] if hosts else []
            for s in sets:
                argv += ["--set", s]
            quiet = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.env)
            child = Child(argv, cores={max(os.sched_getaffinity(0))}, **quiet)
            if child.wait() != 0:
                sys.exit("failed: " + " ".join(map(str, argv)))
            return child.cpu_s, json.load(open(report.name))

    def split(self, scenario, ticks, hosts, sets=(), cores=None, memory=False):
        """A server and its clients as processes: (server, clients, report)."""
        with tempfile.NamedTemporaryFile(suffix=".json") as report:
            argv = [self.convoy, "server", SCENARIOS / scenario, "--listen", "127.0.0.1:0", "--hosts", hosts, "--speed",
                    "max", "--duration", f"{ticks * TICK:.3f}s", "--report", report.name, "--log-level", "error",
                    "--launched"]
            for s in sets:
                argv += ["--set", s]
            quiet: dict = dict(stderr=subprocess.DEVNULL, env=self.env)
            server = Child(argv, cores, stdout=subprocess.PIPE, **quiet)
            port = None
            for line in server.process.stdout:
                if line.startswith("listening on port "):
                    port = int(line.split()[-1])
                    break
            if port is None:
                sys.exit("the server did not start: " + " ".join(map(str, argv)))
            drain = threading.Thread(target=server.process.stdout.read)
            drain.start()
            clients = [Child([self.convoy, "client", "--connect", f"127.0.0.1:{port}", "--name", f"host{i}",
                              "--log-level", "error"], cores, stdout=subprocess.DEVNULL, **quiet) for i in range(hosts)]
            watchers = []
            if memory:
                watchers = [threading.Thread(target=c.watch_memory) for c in [server, *clients]]
                for w in watchers:
                    w.start()
            if server.wait() != 0:
                for c in clients:
                    c.process.send_signal(signal.SIGTERM)
                sys.exit("failed: " + " ".join(map(str, argv)))
            for c in clients:
                c.wait()
            for t in [drain, *watchers]:
                t.join()
            return server, clients, json.load(open(report.name))

    # -- 1: the barrier

    def lockstep(self):
        ticks = (2000, 12000)
        cpu = dict.fromkeys(ticks, 1e9)
        medians, base_cpu, base_median, wire = [], 1e9, [], {}
        for _ in range(self.repeat):
            for t in ticks:
                server, clients, report = self.split("empty.yaml", t, 1)
                cpu[t] = min(cpu[t], server.cpu_s + clients[0].cpu_s)
                wire[t] = (report["bytes_out"], report["bytes_in"])
            medians.append(report["tick_ms"]["p50"] * 1e3)
            down, up = ((wire[ticks[1]][i] - wire[ticks[0]][i]) / (ticks[1] - ticks[0]) for i in (0, 1))
            base = self.tool("bench_round_trip", rounds=10000, down=round(down), up=round(up))
            base_cpu = min(base_cpu, base["cpu_us"])
            base_median.append(base["median_us"])
        us = (cpu[ticks[1]] - cpu[ticks[0]]) / (ticks[1] - ticks[0]) * 1e6
        note = f"bare TCP, {down:.0f}+{up:.0f} B"
        self.row("lockstep tick, 2 processes, no work: CPU", us, "us of both processes", base_cpu, note, us / base_cpu,
                 "<= 1.5")
        wall, base_wall = min(medians), min(base_median)
        self.row("lockstep tick, 2 processes, no work: wall", wall, "us, median", base_wall, note, wall / base_wall,
                 "<= 1.5")

    # -- 2: the star

    def star(self):
        robots, ticks = 10000, (20, 120)
        side = (robots / 0.1) ** 0.5 + BURGER_SIDE_MARGIN
        sets = [f"robots[0].count={robots}", f"world.ground.size=[{side:.1f},{side:.1f}]"]
        for hosts in (2, 4, 8):
            cpu = dict.fromkeys(ticks, 1e9)
            base = 1e9
            for _ in range(max(2, self.repeat // 2)):
                inward = {}
                for t in ticks:
                    server, _, report = self.split("fleet.yaml", t, hosts, sets)
                    cpu[t] = min(cpu[t], server.cpu_s)
                    inward[t] = report["bytes_in"]
                per_tick = (inward[ticks[1]] - inward[ticks[0]]) / (ticks[1] - ticks[0])
                result = self.tool("bench_star", hosts=hosts, bytes=int(per_tick / hosts), rounds=100)
                base = min(base, result["server_cpu_us"])
            us = (cpu[ticks[1]] - cpu[ticks[0]]) / (ticks[1] - ticks[0]) * 1e6
            states = self.ns_of("states_decode/10000") + self.ns_of("digest_chain/10000")
            whole = base + states * robots / 1e3
            self.row(f"server CPU a tick, 10,000 agents, {hosts} hosts", us, "us", whole, "bytes; states read, digest",
                     us / whole, "<= 1.5", bytes_in=per_tick, ns_per_state=us * 1e3 / robots)
            self.row("    beside the bytes alone", us, "us", base, "bytes read, hashed, sent on", us / base)

    # -- 3: the fleet

    def fleet(self):
        for robots, ticks in ((1000, (50, 450)), (10000, (5, 45)), (100000, (2, 10))):
            for density in (0.1, 0.44):
                side = min(1000.0, (robots / density) ** 0.5 + BURGER_SIDE_MARGIN)
                resolution = 0.1 if side < 700 else 0.2
                sets = [f"robots[0].count={robots}", f"world.ground.size=[{side:.1f},{side:.1f}]",
                        f"world.ground.resolution={resolution}"]
                cpu = dict.fromkeys(ticks, 1e9)
                base = 0
                for _ in range(self.repeat if robots < 100000 else 2):
                    for t in ticks:
                        cpu[t] = min(cpu[t], self.embedded("fleet.yaml", t, sets)[0])
                    loop = self.tool("bench_kinematic_loop", robots=robots, density=density, ticks=max(10, 10**6 // robots))
                    base = max(base, loop["robot_ticks_per_cpu_s"])
                rate = robots * (ticks[1] - ticks[0]) / (cpu[ticks[1]] - cpu[ticks[0]])
                self.row(f"kinematic fleet, {robots:,} robots, {density}/m2", rate / 1e6, "M robot ticks/CPU s", base / 1e6,
                         "plain loop", base / rate, ">= 2 M" if robots == 10000 else "", ns=1e9 / rate)

    # -- 4: hosts

    def hosts(self):
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) < 2:
            print("hosts: one core only, not measured")
            return
        for name, sets, ticks in (
                ("random_walk, 100 ms, 3 m", ["robots[0].driver.period=100ms", "robots[0].driver.range=3"], (20, 420)),
                ("random_walk, 10 ms, 30 m", [], (20, 320)),
                ("right_of_way, 50 ms, 30 m", ["robots[0].driver.kind=right_of_way", "robots[0].driver.period=50ms"], (10, 110)),
                ("right_of_way, 10 ms, 30 m", ["robots[0].driver.kind=right_of_way"], (5, 45))):
            robots = 200
            wall = {(h, t): 1e9 for h in (1, 2) for t in ticks}
            server_cpu, client_cpu = dict(wall), dict(wall)
            for _ in range(max(2, self.repeat // 2)):
                for h in (1, 2):
                    for t in ticks:
                        server, clients, report = self.split("looker.yaml", t, h, sets, {cores[0]} if h == 1 else set(cores[:2]))
                        key = (h, t)
                        wall[key] = min(wall[key], report["wall_s"])
                        server_cpu[key] = min(server_cpu[key], server.cpu_s)
                        client_cpu[key] = min(client_cpu[key], max(c.cpu_s for c in clients))
            n = ticks[1] - ticks[0]
            per = lambda what, h: (what[(h, ticks[1])] - what[(h, ticks[0])]) / n * 1e6
            agent = per(client_cpu, 1) / robots
            model = (per(server_cpu, 2) + per(client_cpu, 2)) / (per(server_cpu, 1) + per(client_cpu, 1))
            self.row(f"2 hosts, 2 cores, {name}: wall a tick", per(wall, 2), f"us ({agent:.1f} us an agent)", per(wall, 1),
                     "1 host, 1 core", per(wall, 2) / per(wall, 1), "<= 0.6" if agent >= 20 else "",
                     agent_us=agent, model_ratio=model)
            self.row("    the same by CPU time: server + slowest host", per(server_cpu, 2) + per(client_cpu, 2), "us",
                     per(server_cpu, 1) + per(client_cpu, 1), "1 host", model, "")

    # -- 5: memory

    def memory(self):
        seen = {}
        for robots in (10000, 110000):
            # The map must cost the same in both, so that it is not counted as robots.
            sets = [f"robots[0].count={robots}", "world.ground.size=[502,502]", "world.ground.resolution=0.5"]
            server, clients, _ = self.split("fleet.yaml", max(200, 4_000_000 // robots), 1, sets, memory=True)
            seen[robots] = (server.running_kb(), clients[0].running_kb(), server.peak_kb, clients[0].peak_kb)
        per = [(b - a) / 100_000 for a, b in zip(seen[10000], seen[110000])]  # KB
        self.row("server memory a kinematic robot, running", per[0], "KB", None, "", None, "<= 1 KB")
        self.row("server memory a kinematic robot, peak", per[2], "KB")
        self.row("client memory a kinematic robot, running", per[1], "KB")
        self.row("client memory a kinematic robot, peak", per[3], "KB")

    # -- 6: free mode

    def live(self):
        best = {}
        for _ in range(self.repeat):
            for path in ("convoy", "bare", "protobuf"):
                rate = self.tool("bench_live", path=path)["states_per_cpu_s"] / 1e6
                best[path] = max(best.get(path, 0), rate)
        self.row("free mode: states into the server", best["convoy"], "M states/CPU s", best["protobuf"],
                 "one protobuf a packet", best["convoy"] / best["protobuf"], ">= 25 M, 30x")
        self.row("free mode: states into the server", best["convoy"], "M states/CPU s", best["bare"],
                 "bare receive and parse", best["bare"] / best["convoy"], "<= 1.3")
        self.egress()
        self.crowd()
        self.handlers()

    def egress(self):
        """Rounds of 100,000 moving entities: what all clients share, and what each costs."""
        best = {}
        for _ in range(self.repeat):
            for clients in (1, 2000):
                one = self.tool("bench_egress", clients=clients, entities=100000, seen=57)  # and the rest pass by: 63 go out
                if clients not in best or one["round_ms"] < best[clients]["round_ms"]:
                    best[clients] = one
        shared, full = best[1]["round_ms"], best[2000]["round_ms"]
        each_us = (full - shared) / 1999 * 1e3
        self.row("free mode: a round for 64 of 100,000, a client", each_us, "CPU us", shared * 1e3,
                 "once for all: moving 100,000", None, "", states=best[2000]["states_a_client"],
                 answer_us=best[2000]["answers_ms"] / 2)
        self.row("    clients a core at 60 Hz, without the moving", 1e6 / 60 / each_us, "clients", None, "", None, ">= 2,000")
        self.row("    clients a core at 60 Hz, with the moving", max(0, (1e3 / 60 - shared) * 1e3 / each_us), "clients")

    def crowd(self):
        """The shipped server with 100 robots, and guests that are sent all of them 30 times a second."""
        nobody = None
        for clients in (1, 100, 1000):
            one = min((self.served(clients=clients) for _ in range(max(2, self.repeat // 2))), key=lambda r: r["cpu_s"])
            nobody = nobody or one
            self.row(f"free mode: server with {clients:,} guests of 100 robots", one["cpu_s"] / one["seconds"] * 1e3,
                     "CPU ms a second", None, "", None, "", bytes_a_second=one["bytes_in"] / one["seconds"], **one)
            print(f"    {one['bytes_in'] / one['seconds'] / 1e6:.2f} MB/s out, rounds {one['round_ms_p50']:.1f} ms apart, "
                  f"99 %: {one['round_ms_p99']:.1f}, a call {one['call_ms']:.1f} ms")

    def handlers(self):
        """Elements of one guest: what the server takes for each number of handlers, and what becomes of more."""
        takes = {}
        for handlers in (0, 1, 2):
            for _ in range(max(2, self.repeat // 2)):
                one = self.served(handlers=handlers, rate=2_000_000)
                rate = one["acked"] / one["seconds"]
                if handlers not in takes or rate > takes[handlers][0]:
                    takes[handlers] = rate, one
            rate, one = takes[handlers]
            self.row(f"elements into the server, {handlers} handlers", rate / 1e3, "thousand/s", takes[0][0] / 1e3,
                     "0 handlers", rate / takes[0][0], "", cpu_s=one["cpu_s"], per_cpu_s=one["acked"] / one["cpu_s"])
        for handlers in (0, 2):
            for times in (0.5, 1, 1.5, 2, 4):
                one = self.served(handlers=handlers, rate=times * takes[handlers][0])
                self.row(f"    offered {times} x that, {handlers} handlers: taken", one["acked"] / one["seconds"] / 1e3,
                         "thousand/s", one["sent"] / one["seconds"] / 1e3, "offered", None, "", **one)
                print(f"      rounds {one['round_ms_p50']:.1f} ms apart, 99 %: {one['round_ms_p99']:.1f}, largest: "
                      f"{one['round_ms_max']:.1f}; a call {one['call_ms']:.1f} ms, slowest {one['slowest_call_ms']:.1f}; "
                      f"dropped {one['drops']}")

    def served(self, handlers=0, clients=1, rate=0, seconds=3):
        """A server process, a client process with 100 robots, and bench_crowd: what the server did in `seconds`."""
        with tempfile.NamedTemporaryFile(suffix=".json") as report:
            quiet: dict = dict(stderr=subprocess.DEVNULL, env=self.env)
            server = Child([self.convoy, "server", SCENARIOS / "free.yaml", "--listen", "127.0.0.1:0", "--handlers",
                            handlers, "--report", report.name, "--log-level", "error"], stdout=subprocess.PIPE, **quiet)
            address = "127.0.0.1:" + server.process.stdout.readline().split()[-1]
            threading.Thread(target=server.process.stdout.read, daemon=True).start()
            host = Child([self.convoy, "client", "--connect", address, "--name", "host0", "--log-level", "error"],
                         stdout=subprocess.DEVNULL, **quiet)
            crowd = subprocess.Popen([str(self.tools / "bench_crowd"), "--connect", address, "--clients", str(clients),
                                      "--rate", str(rate), "--seconds", str(seconds)], text=True, stdout=subprocess.PIPE)
            if crowd.stdout.readline() != "ready\n":
                sys.exit("the guests did not join")
            begin, calls = cpu_of(server.process.pid), []
            while crowd.poll() is None:
                asked = time.monotonic()
                subprocess.run([self.convoy, "ctl", "--connect", address, "status"], stdout=subprocess.DEVNULL, **quiet)
                calls.append((time.monotonic() - asked) * 1e3)
                time.sleep(0.2)
            one = json.loads(crowd.stdout.read())
            one.update(cpu_s=cpu_of(server.process.pid) - begin, seconds=seconds, slowest_call_ms=max(calls),
                       call_ms=sorted(calls)[len(calls) // 2])
            subprocess.run([self.convoy, "ctl", "--connect", address, "stop"], stdout=subprocess.DEVNULL, **quiet)
            server.wait(), host.wait()
            one["drops"] = json.load(open(report.name))["drops"]
            return one

    # -- 7: pieces

    def nodes(self):
        """Callbacks of a node graph beside the least that any loop of std::function costs."""
        runs = [self.tool("bench_nodes") for _ in range(self.repeat)]
        ns = {key: min(r[key] for r in runs) for key in runs[0] if key != "sink"}
        rows = [("timer callbacks", "timer", "plain_timer"), ("timer callbacks, able to block", "timer_fibres", "plain_timer"),
                ("messages, shared", "message", "plain_message"), ("messages, owned", "message_owned", "plain_message"),
                ("messages to 10 subscribers", "fan_out", "plain_message"), ("delayed messages", "delayed", "plain_message"),
                ("service round trips", "service", "plain_message"), ("callbacks that sleep", "sleep", "plain_timer"),
                ("callbacks of RSLCPP's benchmark", "benchmark", "plain_message")]
        for name, key, plain in rows:
            goal = ">= 5 M/s" if key in ("timer", "message", "message_owned", "fan_out") else ""
            self.row(f"nodes: {name}", 1e3 / ns[key], "M/s on one core", 1e3 / ns[plain], "bare std::function queue",
                     ns[plain] / ns[key], goal)
        trips = [self.tool("bench_rclcpp") for _ in range(self.repeat)]
        for kind in ("unique", "shared"):
            self.row(f"rclcpp: round trips, {kind}", min(t[kind] for t in trips), "ns", 2 * ns["plain_message"],
                     "bare std::function queue", min(t[kind] for t in trips) / 2 / ns["plain_message"], "< 800 ns")
        turn, plain = (min(t[f"{kind}_hand_over"] for t in trips) for kind in ("ordered", "plain"))
        self.row("rclcpp: a hand-over between two threads of a node", turn, "ns", plain, "two threads that wait for each other", turn / plain, "")
        walls = {threads: min(self.copies(threads) for _ in range(self.repeat)) for threads in (1, 2)}
        self.row("nodes: 256 copies of RSLCPP's benchmark, 2 threads", 256 * 19.011e-3 / walls[2], "M callbacks/s",
                 256 * 19.011e-3 / walls[1], "1 thread", walls[1] / walls[2] / 2, ">= 0.9 of linear")
        for sizes in zip(*[self.tool("bench_bags") for _ in range(self.repeat)]):
            ns = {key: min(s[key] for s in sizes) for key in sizes[0]}
            alone = ns["read"] + ns["graph"]
            self.row(f"bags: played messages of {ns['bytes']:,} bytes", 1e3 / ns["play"], "M/s on one core", 1e3 / alone,
                     "reading + graph, each alone", ns["play"] / alone, "", mb_s=ns["bytes"] * 1e3 / ns["play"], **ns)

    def copies(self, threads):
        """Seconds that 256 agents take, each with the benchmark's nodes, digests of all messages on."""
        with tempfile.NamedTemporaryFile(suffix=".json") as report:
            argv = [self.convoy, "job", "--benchmark", "determinism", "--order", "stable", "--overdue-start", "--copies", "256",
                    "--threads", str(threads), "--report", report.name]
            subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, env=self.env)
            return json.load(open(report.name))["wall_s"]

    def mujoco(self):
        MujocoRows(self).run()

    def rays(self):
        """Rays through 2,000 boxes, beside MuJoCo's own; and boxes that move, placed anew."""
        if not (self.tools / "bench_rays").exists():
            print("rays: built without Embree or MuJoCo, not measured")
            return
        runs = [self.tool("bench_rays") for _ in range(self.repeat)]
        best = {key: (min if key.endswith("_ms") else max)(r[key] for r in runs) for key in runs[0]}
        for name, key in (("360 beams, flat", "flat"), ("16 rings of 1800", "solid")):
            ours = {isa: best[f"{key}_{isa}"] for isa in ("sse4.2", "avx2", "avx512") if f"{key}_{isa}" in best}
            isa = max(ours, key=ours.get)
            self.row(f"rays: {name}, 2,000 boxes, {isa}", ours[isa], "M/s on one core", best[f"{key}_plain"],
                     "mj_multiRay, the same rays", ours[isa] / best[f"{key}_plain"], ">= 20 M/s", **ours)
        for count in (1000, 10000):
            self.row(f"rays: {count:,} boxes placed anew", best[f"place_{count}_ms"], "ms", None, "", None, "")

    def render(self):
        """Pictures of 20 robots in a hall, beside pictures of an empty world."""
        if not (self.tools / "bench_render").exists():
            print("render: built without OpenGL or MuJoCo, not measured")
            return
        best = {}
        for _ in range(self.repeat):
            for row in self.tool("bench_render", models=ROOT / "models")["rows"]:
                if row["fps"] > best.get(row["name"], row)["fps"] or row["name"] not in best:
                    best[row["name"]] = row
        for name, row in best.items():
            goal = ">= 200" if name == "plain" else ""
            self.row(f"render: {name}, 20 robots", row["fps"], "pictures/s", row["empty_fps"], "the same of an empty world",
                     row["fps"] / row["empty_fps"], goal, cpu_ms=row["cpu_ms"], empty_cpu_ms=row["empty_cpu_ms"])

    def sensors(self):
        """2,000 burgers with their scanner (360 beams, 5 Hz), CPU per simulated second on one core, beside the same without."""
        robots, density, ticks = 2000, 0.44, (20, 120)
        side = (robots / density) ** 0.5 + BURGER_SIDE_MARGIN
        sets = [f"robots[0].count={robots}", f"world.ground.size=[{side:.1f},{side:.1f}]"]
        kinds = {"none": ["robots[0].sensors=none"],
                 "all at one instant": ["robots[0].sensors=[lds_01]", "digest=[state, sensors]"],
                 "staggered": ["robots[0].sensors=[lds_01]", "digest=[state, sensors]", "sensors.stagger=true"],
                 "an IMU, 100 Hz": ["robots[0].sensors=[imu]", "digest=[state, sensors]"]}
        cpu = {kind: dict.fromkeys(ticks, 1e9) for kind in kinds}
        for _ in range(self.repeat):
            for kind, more in kinds.items():
                for t in ticks:
                    cpu[kind][t] = min(cpu[kind][t], self.embedded("fleet.yaml", t, sets + more)[0])
        cost = {kind: (c[ticks[1]] - c[ticks[0]]) / ((ticks[1] - ticks[0]) * TICK) for kind, c in cpu.items()}
        for kind in list(kinds)[1:]:
            self.row(f"2,000 burgers, {kind if 'IMU' in kind else 'scans ' + kind}", cost[kind], "CPU s per simulated s",
                     cost["none"], "without sensors", cost[kind] / cost["none"], "<= 1" if "all" in kind else "")

    def sensor_hosts(self):
        SensorHostRows(self).run()

    def calls(self):
        CallRows(self).run()

    def ros2(self):
        Ros2Rows(self).run()

    def micro(self):
        out = subprocess.run([str(self.tools / "bench_micro"), "--benchmark_format=json", "--benchmark_min_time=0.05",
                              f"--benchmark_repetitions={self.repeat}"], check=True, capture_output=True, text=True).stdout
        best, extra = {}, {}
        for b in json.loads(out)["benchmarks"]:
            if b["run_type"] != "iteration":
                continue
            ns = 1e9 / b["items_per_second"]
            best[b["run_name"]] = min(best.get(b["run_name"], 1e9), ns)
            extra[b["run_name"]] = {k: b[k] for k in ("bytes_per_state", "found") if k in b}
        def baseline_of(name):
            part = name.split("/")
            if part[0] == "digest_chain":
                return "digest_baseline_hash/" + part[1]
            if part[0] in ("states_encode", "states_decode"):
                return "states_baseline_copy/" + part[1]
            return name.replace("_ours", "_libm") if name.endswith("_ours") else None
        for name, ns in best.items():
            if "baseline" in name or name.endswith("_libm"):
                continue
            base = baseline_of(name)
            value = best.get(base)
            self.row(name, ns, "ns each", value, (base or "").split("/")[-1 if name.endswith("_ours") else 0],
                     ns / value if value else None, "", **extra[name])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--only", default="lockstep,star,fleet,hosts,memory,live,nodes,micro,mujoco,rays,render,sensors,sensor_hosts,calls,ros2")
    args = parser.parse_args()
    bench = Bench(args.build.resolve(), args.repeat)
    cpu = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "unknown")
    commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    print(f"{cpu}, {len(os.sched_getaffinity(0))} cores, commit {commit}, least of {args.repeat}\n")
    print(f"{'what':<46} {'measured':>12} {'':<22} {'baseline':>12} {'':<28} {'ratio':>8}  goal")
    for part in args.only.split(","):
        getattr(bench, part)()
        if args.json:
            args.json.write_text(json.dumps({"cpu": cpu, "commit": commit, "repeat": args.repeat, "rows": bench.rows}, indent=1))


if __name__ == "__main__":
    main()
