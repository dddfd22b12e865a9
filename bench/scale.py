#!/usr/bin/env python3
"""How a tick's time falls with hosts, by the star's arithmetic: computed, not measured. docs/scale.md has what it prints.

    bench/scale.py                                  the tables
    bench/scale.py --agents 5000 --work-us 50 --gbit 10      one line for a fleet of your own
"""
import argparse

HOSTS = (1, 2, 4, 8, 16, 32, 64)
# Measured on one machine (docs/performance.md, "A star"): a server's tick of 10,000 agents takes 1.0, 2.0 and 3.4 ms with 2, 4
# and 8 hosts, which is 60 ns for each state and 40 ns more for each host that it goes to. A host reads others' states in
# about as long as the server writes them.
STATE_BYTES = 71
READ_S, SEND_S, TAKE_S = 60e-9, 40e-9, 40e-9
ROUND_TRIP_S = 100e-6  # of a switched network, through both kernels; loopback has 20
EFFICIENCY = 0.94  # of a link, beside the headers of Ethernet, IP and TCP


def tick(agents, work_us, gbit, hosts, cores):
    """Seconds: the slowest host's agents, their states to the server, its work, and all others' states to each host."""
    link = gbit * 1e9 / 8 * EFFICIENCY
    others = agents * (hosts - 1)  # states that leave the server
    compute = work_us * 1e-6 * agents / hosts / cores
    network = agents * STATE_BYTES / link + others * STATE_BYTES / link
    server = agents * READ_S + others * SEND_S
    host = others / hosts * TAKE_S
    return ROUND_TRIP_S + compute + max(network, server) + host


def best(agents, work_us, gbit, cores):
    return min(range(1, 257), key=lambda hosts: tick(agents, work_us, gbit, hosts, cores))


def row(agents, work_us, gbit, cores):
    one = tick(agents, work_us, gbit, 1, cores)
    cells = [f"{one / tick(agents, work_us, gbit, hosts, cores):.1f}" for hosts in HOSTS[1:]]
    most = best(agents, work_us, gbit, cores)
    return [f"{agents:,}", f"{work_us:g}", f"{gbit:g}", f"{one * 1e3:.1f}", *cells,
            f"{most} ({one / tick(agents, work_us, gbit, most, cores):.1f})"]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--agents", type=int)
    options.add_argument("--work-us", type=float, default=20, help="of a core, for one agent and tick")
    options.add_argument("--gbit", type=float, default=10, help="of the server's link")
    options.add_argument("--cores", type=int, default=8, help="of each host, for its agents")
    o = options.parse_args()
    print(f"| agents | work, us | link, Gbit/s | 1 host, ms | {' | '.join(f'{h} hosts' for h in HOSTS[1:])} | best |")
    print(f"|{'---:|' * (len(HOSTS) + 4)}")
    fleets = [(o.agents, o.work_us)] if o.agents else [(1_000, 20), (1_000, 500), (10_000, 20), (10_000, 500), (100_000, 20), (100_000, 500)]
    for agents, work in fleets:
        for gbit in (o.gbit,) if o.agents else (1, 10, 100):
            print(f"| {' | '.join(row(agents, work, gbit, o.cores))} |")


if __name__ == "__main__":
    main()
