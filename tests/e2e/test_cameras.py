"""Cameras from the command line: one digest over all pictures on any hosts, pictures that show what is there, recordings,
nodes, and machines that cannot draw.

    .env/python/bin/python tests/e2e/test_cameras.py build/convoy
"""
import os
import pathlib
import subprocess
import sys
import tempfile

from command import check, convoy, digest, finish
from mcap.reader import make_reader
from png import pixels

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENARIO = ROOT / "scenarios/cameras.yaml"
# A red box of half a metre, 2 m ahead of a robot that stands still; behind it a wall.
BOX = """
convoy: 1
name: box
world: {ground: {size: [12, 10], walls: {thickness: 0.2, height: 1}}}
digest: [state]
robots:
  - name: eye
    model: turtlebot3_waffle
    placement: {poses: [[-2, 0, 0]]}
    sensors: [{type: camera, name: front, at: [0, 0, 0.25], width: 160, height: 120, field: 0.8, images: [color, depth, instances, classes], rate: 10}]
objects:
  - {name: crate, file: red.xml, placement: {poses: [[0, 0, 0]]}}
"""
RED = """
<mujoco model="red">
  <worldbody><body name="box" pos="0 0 0.25"><freejoint/><geom type="box" size="0.25 0.25 0.25" rgba="0.9 0.05 0.05 1"/></body></worldbody>
</mujoco>
"""


def one_digest():
    seen = {digest(command, SCENARIO, "--duration", "1s", "--hosts", hosts, "--threads", threads)
            for command, hosts, threads in (("run", 1, 1), ("run", 2, 2), ("run", 4, 1), ("launch", 1, 1), ("launch", 2, 1))}
    check(f"digests over pictures differ: {seen}", len(seen) == 1)
    noon = digest("run", SCENARIO, "--duration", "1s", "--set", "environment.time_of_day=20")
    check("another light is no other digest", noon not in seen)


def replayed(folder):
    recording = folder / "cameras.mcap"
    made = digest("run", SCENARIO, "--duration", "1s", "--record", recording)
    again = convoy("replay", recording, "--verify", "--hosts", "2").stdout.strip().splitlines()[-1]
    check(f"a replay takes other pictures: {made}, {again}", made == again)


def shown(folder):
    scenario, picture = folder / "box.yaml", folder / "box.png"
    scenario.write_text(BOX)
    convoy("sensor-shot", scenario, "--robot", "eye", "--sensor", "front", "--at", "0s", "-o", picture)
    width, height, rows = pixels(picture)
    check(f"four images beside one another: {width} x {height}", (width, height) == (4 * 160 + 3 * 8, 120))
    at = lambda image, x, y: tuple(rows[y][3 * (168 * image + x):3 * (168 * image + x) + 3])
    red, green, blue = at(0, 80, 60)
    check(f"the box is red: {red} {green} {blue}", red > 2 * green and red > 2 * blue)
    check(f"above it is the wall: {at(0, 80, 5)}", abs(at(0, 80, 5)[0] - at(0, 80, 5)[1]) < 60)
    check("the box is a thing of its own", at(2, 80, 60) not in (at(2, 80, 5), at(2, 80, 115)))
    check("and of a kind of its own", len({at(3, 80, 60), at(3, 5, 5), at(3, 80, 117)}) == 3)


def recorded(folder):
    scenario, recording = folder / "box.yaml", folder / "box.mcap"
    scenario.write_text(BOX)
    plain = digest("run", scenario, "--duration", "1s")
    made = digest("run", scenario, "--duration", "1s", "--record", recording, "--record-sensors", "eye/*")
    check(f"taking pictures changes a run: {plain}, {made}", plain == made)
    with recording.open("rb") as file:
        images = [(schema.name, message) for schema, channel, message in make_reader(file).iter_messages(topics=["/eye/front"])]
    check(f"{len(images)} pictures", len(images) == 10 and {name for name, _ in images} == {"foxglove.CompressedImage"})
    check("each is a PNG", all(b"\x89PNG\r\n\x1a\n" in message.data for _, message in images))


def refused(folder):
    scenario = folder / "wrong.yaml"
    for field, value, says in (("images", "[colour]", "did you mean 'color'?"), ("images", "[]", "it takes no picture"),
                               ("width", "0", "width"), ("field", "4", "field lies between 0.001 and 3.1 rad"), ("near", "2000", "near and far")):
        scenario.write_text(BOX.replace("rate: 10}", f"rate: 10, {field}: {value}}}").replace(
            {"images": "images: [color, depth, instances, classes], ", "width": "width: 160, ", "field": "field: 0.8, "}.get(field, "\0"), ""))
        said = subprocess.run([sys.argv[1], "check", scenario], capture_output=True, text=True, check=False)
        check(f"{field}: {value}: {said.stderr}", said.returncode != 0 and says in said.stderr)
    # A machine that cannot draw runs everything but cameras.
    scenario.write_text(BOX)
    nowhere = dict(os.environ, __EGL_VENDOR_LIBRARY_DIRS=str(folder), __EGL_VENDOR_LIBRARY_FILENAMES=str(folder / "none.json"))
    said = subprocess.run([sys.argv[1], "run", scenario, "--duration", "100ms"], capture_output=True, text=True, check=False, env=nowhere)
    check(f"no renderer: {said.stderr}", said.returncode != 0 and "takes pictures" in said.stderr and "libegl1" in said.stderr)
    said = subprocess.run([sys.argv[1], "run", ROOT / "scenarios/hello.yaml", "--duration", "100ms"], capture_output=True, text=True, check=False, env=nowhere)
    check(f"a run without cameras: {said.stderr}", said.returncode == 0)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "red.xml").write_text(RED)
        one_digest()
        replayed(folder)
        shown(folder)
        recorded(folder)
        refused(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
