"""Another's reader opens what `convoy export` writes: names, hierarchy, places and colours are the scenario's. What
`convoy map` draws is read back as the same map.

    .env/python/bin/python tests/e2e/test_export.py build/convoy
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy
import trimesh

CONVOY = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parents[2]
checks = 0

SCENARIO = """
convoy: 1
world:
  ground: {size: [10, 8], walls: {thickness: 0.1, height: 0.4}}
  boxes: [{x: 2, y: 1, length: 1, width: 0.5, height: 0.8}]
  cylinders: [{x: -2, y: 1, radius: 0.15, height: 1.2}]
robots:
  - {name: burger, model: turtlebot3_burger, placement: {poses: [[1, -2, 1.5707963267948966]]}}
  - {name: car, model: cart, placement: {poses: [[-1, -2, 0]]}}
  - {name: arm, model: arm.xml, placement: {poses: [[3, 2, 0]]}}
objects:
  - {name: crate, box: [0.3, 0.3, 0.3], mass: 1, placement: {poses: [[0, 3, 0]]}}
"""


def check(what, ok):
    global checks
    checks += 1
    if not ok:
        raise SystemExit(f"test_export: {what}")


def convoy(*args, code=0):
    done = subprocess.run([CONVOY, *args], capture_output=True, text=True)
    check(f"{args}: exit {done.returncode}: {done.stderr}", done.returncode == code)
    return done


def raw_json(path):
    data = path.read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + size])


def in_world(scene, node):
    """The node's geometry as its corners, with z up again."""
    matrix, geometry = scene.graph[node]
    corners = scene.geometry[geometry].vertices
    at = corners @ matrix[:3, :3].T + matrix[:3, 3]
    return numpy.stack([at[:, 0], -at[:, 2], at[:, 1]], axis=1)


def node_under(document, *names):
    """The index of the node at the end of a path of names, from the root on."""
    nodes, at = document["nodes"], 0
    for name in names:
        at = next((i for i in nodes[at].get("children", []) if nodes[i]["name"] == name), None)
        check(f"no node {name} of {names}", at is not None)
    return at


def cells(path):
    """Width, height and the bytes of a PGM, from the top."""
    _, size, _, pixels = path.read_bytes().split(b"\n", 3)
    return *map(int, size.split()), pixels


def maps(folder):
    """A ground with things on it, and an MJCF world, as maps; each read back and drawn again."""
    convoy("map", str(folder / "s.yaml"), "-o", str(folder / "low.yaml"))
    convoy("map", str(folder / "s.yaml"), "-o", str(folder / "high.yaml"), "--height", "1")
    width, height, low = cells(folder / "low.pgm")
    high = cells(folder / "high.pgm")[2]
    check(f"the map covers ground and walls: {width} x {height}", (width, height) == (204, 164))
    at = lambda pixels, x, y: pixels[(height - 1 - int((y + 4.1) / 0.05)) * width + int((x + 5.1) / 0.05)]
    check("the box is there", at(low, 2, 1) == 0 and at(high, 2, 1) == 254)
    check("the post is as high as that", at(low, -2, 1) == 0 and at(high, -2, 1) == 0)
    check("robots are not in it", at(low, 1, -2) == 254)
    (folder / "again.yaml").write_text("convoy: 1\nworld: {map: low.yaml}\n")
    convoy("map", str(folder / "again.yaml"), "-o", str(folder / "low2.yaml"))
    check("it is read back as it was", (folder / "low.pgm").read_bytes() == (folder / "low2.pgm").read_bytes())

    (folder / "hall.xml").write_text("""<mujoco><worldbody><geom type="plane" size="5 5 1"/>
        <geom type="sphere" size="1" pos="2 1 0"/><geom type="capsule" fromto="-2 -2 0.2 0 -2 0.2" size="0.2"/></worldbody></mujoco>""")
    (folder / "hall.yaml").write_text("convoy: 1\nworld: {ground: {size: [8, 6]}, mjcf: hall.xml}\n")
    convoy("map", str(folder / "hall.yaml"), "-o", str(folder / "hall_map.yaml"), "--height", "0.6", "--resolution", "0.02")
    width, height, pixels = cells(folder / "hall_map.pgm")
    disc = pixels.count(b"\0") * 0.02**2
    check(f"a ball of 1 m is a disc of 0.8 m at 0.6 m: {disc}", abs(disc - 3.1416 * 0.64) < 0.1)
    done = convoy("map", str(folder / "hall.yaml"), "-o", str(folder / "hall.png"), code=2)
    check(done.stderr, "a map is a .yaml, with its picture beside it" in done.stderr)
    done = convoy("map", str(folder / "hall.yaml"), "--resolution", "0.0001", code=2)
    check(done.stderr, "--resolution" in done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "s.yaml").write_text(SCENARIO)
        out = folder / "s.glb"
        convoy("export", str(folder / "s.yaml"), "-o", str(out))
        document = raw_json(out)
        scene = trimesh.load(out)

        entities = [document["nodes"][i]["name"] for i in document["nodes"][0]["children"]]
        check(f"entities are {entities}", entities == ["scene", "burger", "car", "arm", "objects"])
        node_under(document, "arm", "world", "foot")
        node_under(document, "car", "front_left_link")

        boxes = [in_world(scene, node) for node in scene.graph.nodes_geometry]
        low, high = [b.min(axis=0) for b in boxes], [b.max(axis=0) for b in boxes]
        find = lambda a, b: any(numpy.allclose(x, a, atol=1e-5) and numpy.allclose(y, b, atol=1e-5) for x, y in zip(low, high))
        check("the box is where the scenario has it", find((1.5, 0.75, 0), (2.5, 1.25, 0.8)))
        check("the post has its height", find((-2.15, 0.85, 0), (-1.85, 1.15, 1.2)))
        check("a wall has its height", find((-5.1, -4.1, 0), (5.1, -4.0, 0.4)))
        check("the crate lies on the ground", find((-0.15, 2.85, 0), (0.15, 3.15, 0.3)))
        check("the burger looks along y", find((0.895, -2.105, 0.0165), (1.105, -1.959, 0.192)))

        body = node_under(document, "burger", "base_link", "shape_0")
        primitive = document["meshes"][document["nodes"][body]["mesh"]]["primitives"][0]
        color = document["materials"][primitive["material"]]["pbrMetallicRoughness"]["baseColorFactor"]
        check(f"the burger's colour is {color}", numpy.allclose(color, (0.107, 0.125, 0.162, 1), atol=0.002))

        convoy("export", str(folder / "s.yaml"), "-o", str(folder / "again.glb"))
        check("the same scenario is the same file", out.read_bytes() == (folder / "again.glb").read_bytes())

        robot = folder / "robot.glb"
        convoy("export", "--model", str(ROOT / "models/humanoid.xml"), "--out", str(robot))
        scene = trimesh.load(robot)
        corners = numpy.concatenate([in_world(scene, n) for n in scene.graph.nodes_geometry])
        check(f"the humanoid stands on the ground: {corners[:, 2].min()}", abs(corners[:, 2].min()) < 0.02)
        check(f"and is as tall as a person: {corners[:, 2].max()}", 1.2 < corners[:, 2].max() < 2)

        done = convoy("export", code=2)
        check(done.stderr, "export needs a SCENARIO, or --model FILE" in done.stderr)
        done = convoy("export", str(folder / "s.yaml"), "-o", str(folder / "s.obj"), code=2)
        check(done.stderr, "a scene is written as binary glTF: name a .glb" in done.stderr)
        done = convoy("export", str(folder / "s.yaml"), "-o", str(folder / "none/s.glb"), code=2)
        check(done.stderr, "none/s.glb" in done.stderr)
        (folder / "bad.yaml").write_text("convoy: 1\nrobots: [{name: a, model: nobody}]\n")
        done = convoy("export", str(folder / "bad.yaml"), "-o", str(folder / "bad.glb"), code=2)
        check(done.stderr, "bad.yaml:2" in done.stderr)
        check("nothing is left of a scene that could not be written", not (folder / "bad.glb").exists())
        maps(folder)
    print(f"{checks} passed, 0 failed")


main()
