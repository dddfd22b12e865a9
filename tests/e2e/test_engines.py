"""Robots that an engine of a user's library moves, from the command line: examples/robot's car among MuJoCo robots, with one
digest on any hosts and threads, replayed, pushed and pushing; what is wrong with an engine is said.

    /usr/bin/python3 tests/e2e/test_engines.py build/convoy build/examples/libbicycle.so build/examples/libwagon.so build/examples/cars SAMPLE.so OTHER_VERSION.so
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from command import CONVOY, check, convoy, digest, finish

BICYCLE, WAGON, CARS, SAMPLE, OTHER = sys.argv[2:7]
ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/robot"


def one_digest(scenario):
    seen = {digest(command, scenario, "--hosts", hosts, "--threads", threads)
            for command in ("run", "launch") for hosts in (1, 2) for threads in (1, 2)}
    seen.add(digest("launch", scenario, "--hosts", 4))
    check(f"digests differ: {seen}", len(seen) == 1)
    other = digest("run", scenario, "--set", "models[0].engine.parameters.grip=0.5")
    check("parameters of an engine are not in the digest", other not in seen)
    return seen.pop()


def replayed(scenario, folder, made):
    recording = folder / "car.mcap"
    check("a recorded run has another digest", digest("run", scenario, "--record", recording) == made)
    convoy("replay", recording, "--verify", code=2, says="would load .*libbicycle.so; --trust lets it")
    for more in (("--hosts", "2"), ("--hosts", "3", "--from", "4")):
        done = convoy("replay", recording, "--verify", "--trust", *more)
        check(f"a replay {more} comes to another digest", done.stdout.strip().splitlines()[-1] == made)
    library = folder / "build/libbicycle.so"
    sound = library.read_bytes()
    library.write_bytes(sound + b"another")
    convoy("replay", recording, "--trust", says="libbicycle.so.*the digest may be another")
    library.write_bytes(sound)
    return recording


def refused(scenario, folder):
    model = "models[0].engine"
    for override, says in ((f"{model}.parameters.grib=3", "the engine of model 'car': parameters.grib: .* did you mean 'grip'"),
                           (f"{model}.parameters.grip=-1", "parameters.grip: is from 0.05 to 3"),
                           (f"{model}.parameters=fast", "parameters: is a map of the engine's parameters"),
                           (f"{model}.type=bycicle", "no type of robots' engines 'bycicle'; did you mean 'bicycle'"),
                           (f"{model}.speed=3", "speed: unknown field"),
                           (f"{model}.library=build/absent.so", "absent.so.*No such file")):
        convoy("run", scenario, "--duration", "10ms", "--set", override, code=2, says=says)
    shutil.copy(OTHER, folder / "build/other.so")
    convoy("run", scenario, "--duration", "10ms", "--set", f"{model}.library=build/other.so", code=2,
           says="other.so: it is built for 'convoy robot 0', and this is 'convoy robot 1'")
    convoy("check", scenario, says="was left out of the check; --trust loads what a run loads")
    convoy("check", scenario, "--trust")


def failing(scenario, folder):
    """What an engine does wrong ends its robot's motion, and no other's; the run says why, and exits with 1."""
    shutil.copy(SAMPLE, folder / "build/sample.so")
    for kind, says in (("nan", "its engine gave a pose that is none"), ("throws", "out of fuel"),
                       ("lazy", "its engine moved its plane by 0.0050* s in a tick of 0.010* s")):
        report = folder / "report.json"
        convoy("run", scenario, "--duration", "1s", "--report", report, "--set", "models[0].engine.library=build/sample.so",
               "--set", f"models[0].engine.type={kind}", "--set", "models[0].engine.parameters={}", says=says)
        faults = json.loads(report.read_text())["physics_faults"]
        check(f"{kind}: {faults}", len(faults) == 1 and "'car'" in str(faults[0]) and re.search(says, str(faults[0])))


def late(scenario, folder):
    """An engine that does not come back keeps the tick open; its host is named, and is lost at the deadline."""
    convoy("launch", scenario, "--duration", "1s", "--speed", "max", "--set", "models[0].engine.library=build/sample.so",
           "--set", "models[0].engine.type=hangs", "--set", "models[0].engine.parameters={}", "--set", "tick_deadline=1s",
           code=1, says="host0 is gone: did not finish its tick in time")


def warehouse(folder):
    """The car in the warehouse, among 200 kinematic robots, in a program of its own beside one other host and two: one digest,
    that of the library; and in free mode. It has no bumper: what it touches stops it, and it stops what touches it."""
    text = (ROOT / "scenarios/warehouse.yaml").read_text()
    car = folder / "bicycle.yaml"
    engine = re.search(r"models:\n.*?(?=robots:)", car.read_text(), re.S)[0]
    cars = "  - {name: car, count: 3, model: car, host: cars, driver: random_walk, placement: {random: {margin: 0.2, seed: 3}}}\n"
    library, program = folder / "hall.yaml", folder / "hall_program.yaml"
    for file, models in ((library, engine), (program, re.sub(r" *library: .*\n", "", engine))):
        file.write_text(text.replace("\nrobots:\n", f"\n{models}robots:\n").rstrip() + "\n" + cars)
    wanted = {digest("launch", library, "--duration", "4s", "--hosts", hosts) for hosts in (1, 3)}
    check(f"the warehouse's digests differ: {wanted}", len(wanted) == 1)
    report = folder / "hall.json"
    for names in (["host0"], ["host0", "host1"]):
        came = joined(program, names, "--duration", "4s", "--report", report)
        check(f"in the warehouse with {names} and a program: {came}, and with the library {wanted}", {came} == wanted)
        hosts = {host["name"]: host for host in json.loads(report.read_text())["processes"]}
        check(f"who runs what: {hosts}", hosts["cars"]["agents"] > 0)
    free = folder / "hall_free.json"
    joined(program, ["host0"], "--duration", "3s", "--mode", "free", "--speed", "1", "--report", free)
    check("faults in free mode", json.loads(free.read_text())["physics_faults"] == [])


def joined(scenario, names, *more):
    """The digest of a server with clients of these names and the program `cars`."""
    server = subprocess.Popen([CONVOY, "server", scenario, *([] if "--speed" in more else ["--speed", "max"]), "--listen", "127.0.0.1:0", "--log-level", "warn",
                               "--set", f"hosts=[{', '.join([*names, 'cars'])}]", *map(str, more)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    address = "127.0.0.1:" + server.stdout.readline().split()[-1]
    others = [subprocess.Popen([CONVOY, "client", "--connect", address, "--name", name, "--log-level", "warn"]) for name in names]
    done = subprocess.run([CARS, address], capture_output=True, text=True, timeout=120)
    out, err = server.communicate(timeout=120)
    check(f"cars: exit {done.returncode}: {done.stderr}", done.returncode == 0)
    check(f"server: exit {server.returncode}: {err}", server.returncode == 0)
    check("a client failed", all(other.wait(timeout=60) == 0 for other in others))
    return out.strip().splitlines()[-1]


def wagon(folder):
    """Chassis and wheels apart: one digest, and it drives, nods on its springs, and pushes the rover out of its way."""
    shutil.copy(WAGON, folder / "build/libwagon.so")
    for name in ("wagon.xml", "wagon.yaml"):
        shutil.copy(EXAMPLE / name, folder)
    report = folder / "wagon.json"
    seen = {digest("launch", folder / "wagon.yaml", "--hosts", hosts, "--report", report) for hosts in (1, 2, 4)}
    check(f"the wagon's digests differ: {seen}", len(seen) == 1)
    check("a fault", json.loads(report.read_text())["physics_faults"] == [])


def free(scenario, folder):
    """In free mode its owner moves it first, as every robot."""
    report = folder / "free.json"
    convoy("launch", scenario, "--mode", "free", "--speed", "1", "--duration", "3s", "--hosts", "2", "--report", report)
    told = json.loads(report.read_text())
    check(f"faults in free mode: {told['physics_faults']}", told["physics_faults"] == [])


def program(folder, made):
    """The same car in a program of its own, a host among others: the digest is that of the library's."""
    shutil.copy(EXAMPLE / "cars.yaml", folder)
    scenario = folder / "cars.yaml"
    convoy("run", scenario, code=2, says="the engine of model 'car': no engine 'bicycle': the model names no library")
    # The name of the run and where its robots are do not make another run of it, but the name counts.
    wanted = digest("run", folder / "bicycle.yaml", "--set", "name=cars")
    check("the run's name counts in the digest", wanted != made)
    for names in (["host0"], ["host0", "host1"]):
        came = joined(scenario, names)
        check(f"with {names} and a program: {came}, and with the library {wanted}", came == wanted)
    done = subprocess.run([CARS, "127.0.0.1:1"], capture_output=True, text=True, timeout=60)
    check(f"nobody listens: exit {done.returncode}: {done.stderr}", done.returncode == 1 and "cars: " in done.stderr)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "build").mkdir()
        shutil.copy(BICYCLE, folder / "build/libbicycle.so")
        shutil.copy(EXAMPLE / "car.xml", folder)
        scenario = folder / "bicycle.yaml"
        shutil.copy(EXAMPLE / "bicycle.yaml", scenario)
        made = one_digest(scenario)
        replayed(scenario, folder, made)
        refused(scenario, folder)
        failing(scenario, folder)
        late(scenario, folder)
        wagon(folder)
        free(scenario, folder)
        warehouse(folder)
        program(folder, made)
    finish()


main()
