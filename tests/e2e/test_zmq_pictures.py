#!/usr/bin/env python3
"""Pictures of cameras over ZeroMQ, read with pyzmq alone: streams, headers, steps, switches, a world that waits.

    .env/python/bin/python tests/e2e/test_zmq_pictures.py CONVOY

Prints one line per check that fails and exits 1 if there is any.
"""
import base64
import struct
import sys
import time

from harness import free_block, new_bench
from test_zmq import Peer

PICTURES = """convoy: 1
time: {{tick: 20ms, duration: 600s}}
zmq: {{port: {port}, pictures: {pictures}}}
world:
  ground: {{size: [12, 10], walls: 0.1}}
  boxes: [{{x: 2, y: 0, length: 0.5, width: 2, height: 3}}]
robots:
  - name: scout
    model: turtlebot3_burger
    placement: {{poses: [[0, 0, 0]]}}
    sensors:
      - {{type: camera, name: eye, at: [0, 0, 0.3], width: 64, height: 48, rate: 10}}
      - {{type: camera, name: far, at: [0, 0, 0.3], width: 64, height: 48, rate: 10, images: [depth, instances]}}
      - {{type: camera, name: who, at: [0, 0, 0.3], width: 64, height: 48, rate: 10, images: [instances]}}
  - {{name: other, model: turtlebot3_burger, placement: {{poses: [[-2, 0, 0]]}}, sensors: [{{type: camera, name: eye, width: 32, height: 24}}]}}
"""


def pictures(b):
    """Colour, depth in centimetres and numbers as an independent program reads them; headers; steps with pictures; switches."""
    port = free_block(100)
    file = b.folder / "pictures.yaml"
    file.write_text(PICTURES.format(port=port, pictures="ucm2"))
    pixels, head = 64 * 48, struct.Struct("<IIQdIId")
    with b.start("run", file):
        peer = Peer(port)
        eye, far, who = (peer.listen(place) for place in (3, 5, 6))
        began = time.time()
        topic, payload = far.recv_multipart()
        magic, version, index, at, width, height, captured = head.unpack_from(payload)
        b.check((topic, magic, version, width, height) == (b"scout/camera/far ", 0x314D4355, 2, 64, 48) and len(payload) == 40 + 4 * pixels,
                "the header of a picture", topic, payload[:40])
        b.check(abs(at - index * 0.1) < 1e-9 and began - 5 < captured < time.time() + 1, "its times", index, at, captured)
        depth = struct.unpack_from(f"<{pixels}f", payload, 40)
        middle = 24 * 64 + 32
        b.check(abs(depth[middle] - 175) < 0.5, "the box is 1.75 m ahead", depth[middle])
        numbers = struct.unpack_from(f"<{pixels}i", who.recv_multipart()[1], 40)
        b.check(numbers[middle] == -1, "the box is the scene", numbers[middle])
        far.close(), who.close()

        # A program that steps has the same picture with the answer as another by the stream.
        me = peer.call(op="hello", timeout=100)["session_id"]
        peer.call(op="set_mode", session_id=me, mode="stepped")
        for _ in range(10):  # what was on its way
            if not eye.poll(200):
                break
            eye.recv_multipart()
        told = peer.call(op="step", session_id=me, ticks=1, include_cameras=["scout/eye"], observations="none")
        while told["tick"] % 5:  # up to a boundary at which the camera takes one
            told = peer.call(op="step", session_id=me, ticks=1, include_cameras=["scout/eye"], observations="none")
        b.check(list(told["cameras"]) == ["scout"] and list(told["cameras"]["scout"]) == ["eye"], "cameras of a step", told.keys())
        seen = told["cameras"]["scout"]["eye"]
        color = base64.b64decode(seen["color"])
        b.check(seen["stamp_ns"] == told["tick"] * 20_000_000 and len(color) == 3 * pixels and seen["lens"]["width"] == 64, "a picture of now",
                seen["stamp_ns"], told["tick"], len(color))
        peer.call(op="step", session_id=me, ticks=1, observations="none")  # it is delivered
        payload = eye.recv_multipart()[1]
        while head.unpack_from(payload)[2] < seen["index"] and eye.poll(5000):
            payload = eye.recv_multipart()[1]
        b.check(head.unpack_from(payload)[2] == seen["index"], "the same picture in the stream", head.unpack_from(payload), seen["index"])
        bgra = payload[40:]
        b.check(all(bgra[4 * i:4 * i + 4] == bytes((*color[3 * i:3 * i + 3][::-1], 255)) for i in range(pixels)), "its pixels")
        every = peer.call(op="step", session_id=me, ticks=1, include_cameras=True)["cameras"]
        b.check({robot: sorted(some) for robot, some in every.items()} == {"scout": ["eye", "far", "who"], "other": ["eye"]},
                "all cameras", every.keys())
        b.check(sorted(every["scout"]["far"]) == ["depth", "index", "lens", "numbers", "stamp_ns"], "images of a camera", every["scout"]["far"].keys())
        reset = peer.call(op="reset", session_id=me, include_cameras=["other/eye"])
        b.check(list(reset["cameras"]) == ["other"], "cameras of a reset", reset.get("cameras", reset))
        wrong = peer.call(op="step", session_id=me, ticks=1, include_cameras=["scout/eyes"])
        b.check(wrong["code"] == "bad_value" and "did you mean 'scout/eye'?" in wrong["message"], "a camera that is not there", wrong)
        wrong = peer.call(op="step", session_id=me, ticks=1, include_cameras=["eye"] * 100_000)
        b.check(wrong["code"] == "bad_value" and "named twice" in wrong["message"], "a camera a hundred thousand times", wrong)
        wrong = peer.call(op="step", session_id=me, ticks=1, include_cameras=5)
        b.check(wrong["code"] == "bad_value", "cameras that are no names", wrong)
        peer.call(op="bye", session_id=me)

        switched = peer.call(op="set_camera_streaming", cameras={"scout/eye": False, "far": {"zmq": True}})["cameras"]
        b.check(switched["scout/eye"] == {"endpoint": f"tcp://127.0.0.1:{port + 3}", "topic": "scout/camera/eye ", "zmq": False, "width": 64,
                                          "height": 48, "shows": "bgra8"} and switched["scout/far"]["zmq"], "switches of streams", switched)
        while eye.poll(500):
            eye.recv_multipart()
        b.check(not eye.poll(1000), "a stream that is off is silent")
        peer.call(op="set_camera_streaming", cameras={"scout/eye": True})
        b.check(eye.poll(5000), "and on again it goes on")
        # A paused world shows how it is now, and what is put elsewhere meanwhile.
        peer.call(op="set_paused", paused=True)
        time.sleep(0.5)
        peer.call(op="set_entity", entity="scout", position=[-4, 0, 0])
        far = peer.listen(5)
        b.check(peer.until(lambda: abs(struct.unpack_from(f"<{pixels}f", far.recv_multipart()[1], 40)[middle] - 575) < 0.5),
                "the picture of a paused world")
        # The empty prefix on the state's port has no pictures in it.
        states, _ = peer.newest(peer.listen(0), 1)
        b.check(not any(b"/sample/" in topic for topic in states), "pictures stay on their own ports", list(states))
        r = b.call("zmq-echo", "--main_endpoint", f"tcp://127.0.0.1:{port}", "--camera_endpoint", f"tcp://127.0.0.1:{port + 3}", "--count", 60)
        b.check("scout/camera/eye frame 1, 64 x 48" in r.stdout, "zmq-echo reads the size", r.stdout[-300:], r.stderr)
        peer.close()


if __name__ == "__main__":
    with new_bench(sys.argv[1]) as b:
        b.run({"pictures": pictures}, sys.argv[2:])
    sys.exit(b.result())
