"""Cameras from the command line: one digest over all pictures on any hosts, pictures that show what is there, recordings,
nodes, and machines that cannot draw.

    .env/python/bin/python tests/e2e/test_cameras.py build/convoy
"""
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from command import check, convoy, digest, finish
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory
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
    wanted = {"/eye/front": "foxglove.CompressedImage", "/eye/front/calibration": "foxglove.CameraCalibration",
              **{f"/eye/front/{image}": "foxglove.CompressedImage" for image in ("depth", "instances", "classes")}}
    with recording.open("rb") as file:
        more = {}
        for schema, channel, _, message in make_reader(file, decoder_factories=[DecoderFactory()]).iter_decoded_messages(topics=sorted(wanted)):
            more.setdefault(channel.topic, []).append((schema.name, message))
    check(f"all images and the calibration: {[(topic, len(some)) for topic, some in more.items()]}",
          {topic: some[0][0] for topic, some in more.items()} == wanted and all(len(some) == 10 for some in more.values()))
    lens = more["/eye/front/calibration"][0][1]
    focal = 60 / math.tan(0.4)
    check(f"the calibration: {lens}", (lens.width, lens.height, lens.frame_id, lens.distortion_model) == (160, 120, "eye/front_optical_frame", "plumb_bob") and
          max(abs(a - b) for a, b in zip(lens.K, (focal, 0, 79.5, 0, focal, 59.5, 0, 0, 1))) < 1e-9 and len(lens.P) == 12)
    check("pictures are in the optical frame", more["/eye/front/depth"][0][1].frame_id == "eye/front_optical_frame")


def refused(folder):
    scenario = folder / "wrong.yaml"
    for field, value, says in (("images", "[colour]", "did you mean 'color'?"), ("images", "[]", "it takes no picture"),
                               ("width", "0", "width"), ("field", "4", "field lies between 0.001 and 3.1 rad"), ("near", "2000", "near and far")):
        scenario.write_text(BOX.replace("rate: 10}", f"rate: 10, {field}: {value}}}").replace(
            {"images": "images: [color, depth, instances, classes], ", "width": "width: 160, ", "field": "field: 0.8, "}.get(field, "\0"), ""))
        said = subprocess.run([sys.argv[1], "check", scenario], capture_output=True, text=True, check=False)
        check(f"{field}: {value}: {said.stderr}", said.returncode != 0 and says in said.stderr)


def blind(folder):
    """A machine that cannot draw runs everything but what somebody inside would see."""
    nowhere = dict(os.environ, __EGL_VENDOR_LIBRARY_DIRS=str(folder), __EGL_VENDOR_LIBRARY_FILENAMES=str(folder / "none.json"))
    on = lambda *words: subprocess.run([sys.argv[1], *map(str, words)], capture_output=True, text=True, check=False, env=nowhere)
    scenario, counts, recording, counted = (folder / name for name in ("box.yaml", "counts.yaml", "blind.mcap", "counted.mcap"))
    scenario.write_text(BOX)
    counts.write_text(BOX.replace("digest: [state]", "digest: [state, sensors]"))
    said = on("run", counts, "--duration", "100ms")
    check(f"no renderer: {said.stderr}", said.returncode != 0 and "takes pictures" in said.stderr and "libegl1" in said.stderr)
    said = on("run", ROOT / "scenarios/hello.yaml", "--duration", "100ms")
    check(f"a run without cameras: {said.stderr}", said.returncode == 0 and "pictures" not in said.stderr)
    said = on("run", scenario, "--duration", "1s")
    seeing = digest("run", scenario, "--duration", "1s", "--record", recording, "--record-sensors", "eye/*")
    check(f"a run whose pictures nobody inside sees: {said.stderr}", said.stdout.strip().endswith(seeing) and
          "cameras take no pictures here, as 'front' of 'eye'" in said.stderr and "libegl1" in said.stderr)
    said = on("replay", recording, "--verify")
    check(f"its replay: {said.stderr}", said.returncode == 0)
    convoy("run", counts, "--duration", "200ms", "--record", counted)
    said = on("replay", counted, "--verify")
    check(f"a replay that counts pictures: {said.stderr}", said.returncode == 2 and
          "cannot be verified here: what the camera 'front' of 'eye' saw counts, and here nobody draws it" in said.stderr)
    check("where they are drawn it is verified", "equal:" in convoy("replay", counted, "--verify").stderr)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "red.xml").write_text(RED)
        one_digest()
        replayed(folder)
        shown(folder)
        recorded(folder)
        refused(folder)
        blind(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
