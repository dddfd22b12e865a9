"""A real Slurm on this machine: a controller and nodes n1, n2, ..., each at an address of its own, on free ports.

    with Slurm(folder, nodes=3) as slurm:      # raises Refused where there can be none
        slurm.call("sinfo")
        slurm.stop("n2")                       # its slurmd, and all that it runs

Node nI is 127.0.0.1I, and the controller 127.0.0.10: a program that names 127.0.0.1 by itself shows. Everything lies in the
folder, munge's key and socket too, so that a Slurm of this machine's own is not touched.
"""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import time

TOOLS = ("slurmctld", "slurmd", "sbatch", "munged")


class Refused(Exception):
    """Why no Slurm can run here."""


def address_of(number):
    return f"127.0.0.1{number}"


class Slurm:
    def __init__(self, folder, nodes=3, cpus=2, first_port=0):
        missing = [tool for tool in TOOLS if shutil.which(tool) is None]
        if missing:
            raise Refused(f"{', '.join(missing)} not found; scripts/setup.sh --tests installs them")
        if os.getuid() != 0:
            raise Refused("slurmd starts jobs as their users, for which it must be root")
        if not os.path.exists("/sys/devices/system/cpu"):
            raise Refused("slurmd reads the processors from /sys, which is not mounted")
        self.folder, self.names = pathlib.Path(folder), [f"n{i + 1}" for i in range(nodes)]
        self.conf, self.started = self.folder / "slurm.conf", {}
        for name in ("state", "log"):
            (self.folder / name).mkdir(parents=True)
        self.folder.chmod(0o755)
        host = os.uname().nodename.partition(".")[0]
        lines = [
            "ClusterName=test", f"SlurmctldHost={host}(127.0.0.10)", f"SlurmctldPort={first_port}", "SlurmUser=root",
            "AuthType=auth/munge", f"AuthInfo=socket={self.folder}/munge.sock,cred_expire=5", "CryptoType=crypto/munge",
            f"StateSaveLocation={self.folder}/state", f"SlurmdSpoolDir={self.folder}/spool-%n",
            f"SlurmctldPidFile={self.folder}/slurmctld.pid", f"SlurmdPidFile={self.folder}/slurmd-%n.pid",
            f"SlurmctldLogFile={self.folder}/log/slurmctld.log", f"SlurmdLogFile={self.folder}/log/slurmd-%n.log",
            "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "SelectType=select/cons_tres",
            "SelectTypeParameters=CR_CPU", "ReturnToService=2", "MpiDefault=none", "MailProg=/bin/true", "KillWait=5",
            "SlurmdTimeout=10", "CompleteWait=0", "SlurmdParameters=config_overrides",
            "SchedulerParameters=sched_min_interval=50000,batch_sched_delay=0,bf_interval=1",
            *(f"NodeName={name} NodeHostname={host} NodeAddr={address_of(i + 1)} Port={first_port + 1 + i} CPUs={cpus} State=UNKNOWN"
              for i, name in enumerate(self.names)),
            "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP",
            "PartitionName=closed Nodes=ALL MaxTime=INFINITE State=DOWN",
        ]
        self.conf.write_text("\n".join(lines) + "\n")
        self.environment = {"SLURM_CONF": str(self.conf)}

    def __enter__(self):
        try:
            key = self.folder / "munge.key"
            key.write_bytes(os.urandom(128))
            key.chmod(0o400)
            # Nodes come and go; munge and the controller stay in the foreground, so that they end with this object.
            self.daemon("munged", "munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.sock",
                        f"--pid-file={self.folder}/munged.pid", f"--log-file={self.folder}/log/munged.log",
                        f"--seed-file={self.folder}/munged.seed")
            self.until(lambda: (self.folder / "munge.sock").exists(), "munge listens")
            self.daemon("slurmctld", "slurmctld", "-D", "-f", self.conf)
            for name in self.names:
                self.start(name)
            self.until(lambda: self.idle() == len(self.names), "all nodes are idle")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in self.names:
            with contextlib.suppress(OSError, ValueError):
                self.stop(name)
        for process in self.started.values():
            process.terminate()
        for process in self.started.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()

    def daemon(self, name, *command):
        log = open(self.folder / "log" / f"{name}.out", "wb")
        self.started[name] = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                              env={**os.environ, **self.environment}, start_new_session=True)

    def start(self, name, *before):
        """A node's daemon; `before`: a command that runs it."""
        self.daemon(name, *before, "slurmd", "-D", "-f", self.conf, "-N", name)

    def stop(self, name):
        """A node that is gone from one moment to the next: its daemon and all that it has started."""
        process = self.started.get(name)
        if process is None:
            return
        family = self.children(process.pid)
        del self.started[name]
        for pid in [process.pid, *family]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()

    def children(self, parent):
        """All that a process has started, directly or not. Steps of a job live in daemons of their own, which know the node."""
        found, parents = [], {}
        for folder in pathlib.Path("/proc").iterdir():
            with contextlib.suppress(OSError, ValueError, IndexError):
                if folder.name.isdigit():
                    parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        name = next((n for n, p in self.started.items() if p.pid == parent), None)
        roots = {parent}
        for pid in parents:
            with contextlib.suppress(OSError):
                if f"SLURMD_NODENAME={name}\0" in pathlib.Path(f"/proc/{pid}/environ").read_text(errors="replace"):
                    roots.add(pid)
        grown = True
        while grown:
            more = {pid for pid, by in parents.items() if by in roots} - roots
            roots |= more
            grown = bool(more)
        found.extend(roots - {parent})
        return found

    def call(self, *command, check=True):
        said = subprocess.run([str(word) for word in command], env={**os.environ, **self.environment}, capture_output=True, text=True, timeout=60)
        if check and said.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, command))}: {said.stderr}")
        return said.stdout

    def idle(self):
        return sum(int(line) for line in self.call("sinfo", "-h", "-p", "main", "-t", "idle", "-o", "%D", check=False).split())

    def jobs(self):
        """Numbers of those that have not ended."""
        return self.call("squeue", "-h", "-o", "%i").split()

    def until(self, true, what, patience=60):
        end = time.monotonic() + patience
        while not true():
            if time.monotonic() > end:
                logs = "\n".join(f"{log.name}: {log.read_text(errors='replace')[-800:]}" for log in sorted((self.folder / "log").iterdir()))
                raise RuntimeError(f"not in {patience} s: {what}\n{logs}")
            time.sleep(0.1)
