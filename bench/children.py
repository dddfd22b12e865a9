"""Processes that are measured: CPU time from the kernel, resident memory while they run."""
import os
import pathlib
import subprocess
import time


def rss_kb(pid):
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def cpu_of(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Child:
    """A process whose CPU time, peak and running resident memory are known when it has ended."""

    def __init__(self, argv, cores=None, **how):
        pin = (lambda: os.sched_setaffinity(0, cores)) if cores else None
        self.process = subprocess.Popen([str(a) for a in argv], preexec_fn=pin, text=True, **how)
        self.seen_kb = []

    def watch_memory(self):
        while self.process.returncode is None:
            self.seen_kb.append(rss_kb(self.process.pid))
            time.sleep(0.02)

    def running_kb(self):
        """Resident memory while it runs: the median, since loading and reporting are the shorter parts."""
        seen = sorted(kb for kb in self.seen_kb if kb > 0)
        return seen[len(seen) // 2]

    def wait(self):
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu_s = usage.ru_utime + usage.ru_stime
        self.peak_kb = usage.ru_maxrss
        return self.process.returncode
