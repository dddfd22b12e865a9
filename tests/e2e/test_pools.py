#!/usr/bin/env python3
"""Pools of computing libraries: who uses one is told; with one thread each, by --strict-threads or by the node itself, a
job gives one digest on any threads.

    /usr/bin/python3 tests/e2e/test_pools.py build/convoy LIBRARY [TEST...]
"""

import pathlib
import sys

from harness import new_bench

THREADS = ((1,), (2,), (1, "--hosts", 2), (2, "--copies", 6))


def digest(b, library, parameters, threads, *options):
    words = [word for parameter in parameters for word in ("-p", parameter)]
    count, *more = threads
    done = b.call("job", "--component", library, "pools::Sums", "--ros-args", *words, "--", "--duration", "300ms", "--threads", count,
                  *(more or ("--copies", 6)), *options)
    b.check(done.returncode == 0, "the job fails", done.stderr)
    return done.stdout.splitlines()[-1], done.stderr


def strict(b, library):
    """--strict-threads: one digest over threads, and nobody to warn of, whatever the nodes set themselves."""
    for parameters in ((), ("set_threads:=4",), ("tbb:=true",)):
        b.environment["OMP_NUM_THREADS"] = "4"
        seen = [digest(b, library, parameters, threads, "--strict-threads") for threads in THREADS]
        b.check(all("pool" not in told for _, told in seen), f"a pool is there: {parameters}", *(told for _, told in seen))
        b.check(len({one for (one, _), threads in zip(seen, THREADS) if "--hosts" not in threads}) == 1, f"not one digest: {parameters}", seen)
        del b.environment["OMP_NUM_THREADS"]


def by_the_node(b, library):
    """What a constructor tells OpenMP holds for the callbacks of that node, on whichever thread, and for no other node."""
    b.environment["OMP_NUM_THREADS"] = "4"
    seen = [digest(b, library, ("set_threads:=1",), threads) for threads in ((1,), (2,), (2,))]
    b.check(len({one for one, _ in seen}) == 1 and all("pool" not in told for _, told in seen), "not one digest", seen)
    del b.environment["OMP_NUM_THREADS"]


def told(b, library):
    """Without either, the node that uses a pool is named, with the library."""
    b.environment["OMP_NUM_THREADS"] = "4"
    _, text = digest(b, library, (), (1,))
    b.check("/sums: callback of a timer uses a pool of threads (libgomp.so.1): " in text, "the pool is not named", text)
    del b.environment["OMP_NUM_THREADS"]


def main():
    library = str(pathlib.Path(sys.argv[2]).resolve())
    with new_bench(sys.argv[1]) as b:
        b.run({name: (lambda b, test=test: test(b, library)) for name, test in (("strict", strict), ("by_the_node", by_the_node), ("told", told))}, sys.argv[3:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
