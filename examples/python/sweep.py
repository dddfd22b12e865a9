#!/usr/bin/env python3
"""How far does a courier come in 30 s, at which speed, and how much is chance? A sweep over speeds and seeds.

    python3 examples/python/sweep.py [FOLDER]

The second time only what is missing in the folder runs: nothing.
"""

import statistics
import sys

import convoy

SPEEDS = [0.2, 0.3, 0.4, 0.5]

results = convoy.sweep(
    {
        "scenario": "hello",
        "axes": {"models[0].max_speed": SPEEDS, "seed": range(1, 11)},
        "metrics": {"courier_m": "by_robot.courier.distance_m", "contact_ticks": "totals.map_contact_ticks"},
    },
    sys.argv[1] if len(sys.argv) > 1 else "hello.sweep",
)
for speed in SPEEDS:
    ways = [row["courier_m"] for row in results.rows if row["models[0].max_speed"] == speed and row["state"] == "done"]
    print(f"{speed} m/s: {statistics.mean(ways):.2f} m, deviation {statistics.stdev(ways):.2f} m, of {len(ways)} runs")
