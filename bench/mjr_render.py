"""How fast MuJoCo's own renderer draws the robots of bench_render: the same models at the same places, from the same view.

    python3 -m venv mjr && mjr/bin/pip install mujoco pyopengl
    MUJOCO_GL=egl mjr/bin/python bench/mjr_render.py [--robots 20] [--frames 100]

Colour of 640 x 480, read back to memory, in turn with an empty world. Prints JSON: pictures a second of both, and ms of
CPU a picture, with shadows and samples as MuJoCo has them by default, and without.
"""

import argparse
import json
import math
import pathlib
import random
import sys
import time

sys.path.pop(0)  # this folder, in which another script is called mujoco
import mujoco

ROOT = pathlib.Path(__file__).resolve().parents[1]
KINDS = ("turtlebot3_burger", "turtlebot3_waffle", "rover", "quadruped", "arm", "humanoid")
HALL = """<mujoco><option cone="elliptic"/><size memory="1M"/><visual><global offwidth="640" offheight="480" fovy="64.01"/>{quality}</visual>
<asset><texture name="sky" type="skybox" builtin="gradient" rgb1="0.6 0.75 0.95" rgb2="0.3 0.4 0.6" width="256" height="256"/></asset>
<worldbody><light directional="true" pos="0 0 10" dir="0.3 0.4 -1"/>
<camera name="view" pos="1.5 -6.5 2.6" xyaxes="{axes}"/>
<geom type="plane" size="0 0 1" rgba="0.59 0.6 0.58 1"/>{scenery}</worldbody></mujoco>"""
SCENERY = """<geom type="box" size="6 0.1 0.6" pos="0 6 0.6"/><geom type="box" size="0.1 6 0.6" pos="-6 0 0.6"/>
<geom type="box" size="0.5 0.35 0.3" pos="-3 3 0.3"/><geom type="box" size="0.35 0.35 0.25" pos="-2.9 3.05 0.85"/>
<geom type="cylinder" size="0.25 0.5" pos="-4.5 1.5 0.5"/><geom type="cylinder" size="0.15 1.5" pos="4.8 5 1.5"/>
<geom type="sphere" size="0.4" pos="0.2 4.2 0.4"/><geom type="ellipsoid" size="0.5 0.3 0.25" pos="1.6 5 0.25"/>
<geom type="capsule" size="0.2 0.5" pos="-1.2 5 0.2"/><geom type="box" size="0.02 0.8 0.6" pos="4 2 0.6" rgba="0.5 0.7 0.9 0.35"/>"""
PLAIN = '<quality offsamples="0" shadowsize="0"/>'


def axes():
    """x and y of a camera at the view's place that looks at its target."""
    way = [a - b for a, b in zip((-0.2, 1.5, 0.3), (1.5, -6.5, 2.6))]
    length = math.hypot(*way)
    z = [v / length for v in way]
    side = math.hypot(z[1], z[0])
    x = [z[1] / side, -z[0] / side, 0.0]
    y = [x[1] * z[2] - x[2] * z[1], x[2] * z[0] - x[0] * z[2], x[0] * z[1] - x[1] * z[0]]
    return " ".join(f"{v:.9g}" for v in (*x, *y))


def world(robots, quality):
    spec = mujoco.MjSpec.from_string(HALL.format(quality=quality, axes=axes(), scenery=SCENERY if robots else ""))
    turn = random.Random(7)
    for i in range(robots):
        kind = KINDS[i % 6] if i < 12 else KINDS[i % 2]
        row, yaw = i // 5, turn.uniform(-3, 3)
        frame = spec.worldbody.add_frame(
            pos=[-3.0 + 1.4 * (i % 5) + 0.4 * (row % 2), -2.5 + 1.3 * row, 0], quat=[math.cos(yaw / 2), 0, 0, math.sin(yaw / 2)]
        )
        spec.attach(mujoco.MjSpec.from_file(str(ROOT / f"models/{kind}.xml")), prefix=f"r{i}_", frame=frame)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def measure(name, robots, frames, quality, shadows):
    worlds = []
    for count in (robots, 0):
        model, data = world(count, quality)
        renderer = mujoco.Renderer(model, 480, 640)
        renderer.scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = shadows
        renderer.scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = shadows
        worlds.append((renderer, data))
    wall, cpu = [0.0, 0.0], [0.0, 0.0]
    for i in range(-3, frames):
        for which, (renderer, data) in enumerate(worlds):
            begin, cpu_begin = time.perf_counter(), time.process_time()
            renderer.update_scene(data, "view")
            renderer.render()
            if i >= 0:
                wall[which] += time.perf_counter() - begin
                cpu[which] += time.process_time() - cpu_begin
    return {
        "name": name,
        "fps": round(frames / wall[0], 1),
        "empty_fps": round(frames / wall[1], 1),
        "cpu_ms": round(1e3 * cpu[0] / frames, 3),
        "empty_cpu_ms": round(1e3 * cpu[1] / frames, 3),
    }


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--robots", type=int, default=20)
    options.add_argument("--frames", type=int, default=100)
    options.add_argument("--out", help="a PNG of what is drawn (needs Pillow)")
    given = options.parse_args()
    rows = [
        measure("mjr_render without shadows and samples", given.robots, given.frames, PLAIN, False),
        measure("mjr_render", given.robots, max(given.frames // 10, 1), "", True),
    ]
    print(json.dumps({"robots": given.robots, "mujoco": mujoco.__version__, "rows": rows}, indent=1))
    if given.out:
        from PIL import Image  # type: ignore[import-not-found]

        model, data = world(given.robots, "")
        renderer = mujoco.Renderer(model, 480, 640)
        renderer.update_scene(data, "view")
        Image.fromarray(renderer.render()).save(given.out)


if __name__ == "__main__":
    main()
