"""Parts of test_ros2.py: what users' programs do with a robot, whole."""
import math
import pathlib

from ros2 import with_key

CAMERAS = """\
convoy: 1
name: ros2_pictures
seed: 4
time: {tick: 20ms, duration: 3600s}
world:
  ground: {size: [6, 4], walls: {thickness: 0.1, height: 0.5}}
  boxes: [{x: 1, y: 0.2, length: 0.5, width: 0.5, height: 0.8}]
robots:
  - {name: scout, model: turtlebot3_waffle, placement: {poses: [[-1, 0, 0]]},
     sensors: [{type: camera, name: front, at: [0.1, 0, 0.2], rate: 5, width: 64, height: 48, field: 0.9, images: [color, depth]}]}
"""


def navigation(room):
    """A program with the qualities of service of Nav2's servers plans on /map, follows by tf, and comes to the other side of the box."""
    with room.run_of():
        x, y = place_of_scout(room)
        found = with_key(room.run("navigator", "scout", "2,1.4", f"--start={x},{y},0", "--timeout", 3 * room.bench.patience), "at")
        room.check(found and found[0]["failed"] is None and math.dist(found[0]["at"][:2], (2, 1.4)) < 0.15, "where it is", found)
        room.check(found and all(found[0]["heard"].values()) and found[0]["heard"]["map"] == 1, "what it has heard", found)
        room.check(math.dist(place_of_scout(room), (2, 1.4)) < 0.3, "where it is in truth", place_of_scout(room))


def place_of_scout(room):
    reply = room.rclpy_call("/GetEntityState", "ue_msgs/srv/GetEntityState", {"name": "scout"})
    room.check(reply and reply["success"], "where scout is", reply)
    place = reply["state"]["pose"]["position"] if reply else {"x": 0, "y": 0}
    return place["x"], place["y"]


def pictures(room):
    """A camera's pictures, depths and calibration are one another's, for rclpy and for Cyclone."""
    image, info = "sensor_msgs/msg/Image", "sensor_msgs/msg/CameraInfo"
    with room.run_of(scenario=CAMERAS):
        for whom, echo in (("rclpy", lambda *words: room.rclpy("echo", *words, "--count", 1)), ("Cyclone", lambda *words: room.cyclone_heard(*words, "--count", 1))):
            color, depth, about = echo("/scout/front/image_raw", image)[0], echo("/scout/front/depth", image)[0], echo("/scout/front/camera_info", info)[0]
            room.check(color["encoding"] == "rgb8" and (color["width"], color["height"], color["step"]) == (64, 48, 192) and len(color["data"]) == 48 * 192,
                       f"the picture as {whom} has it", {**color, "data": "..."})
            pixels = {tuple(color["data"][i : i + 3]) for i in range(0, len(color["data"]), 3)}
            room.check(len(pixels) > 50, f"there is something on the picture that {whom} has", len(pixels))
            room.check(depth["encoding"] == "32FC1" and depth["step"] == 256, f"the depths as {whom} has them", {**depth, "data": "..."})
            middle = depth_at(depth, 32, 20)
            room.check(abs(middle - 1.65) < 0.05, f"how far the box is for {whom}", middle)  # from -1 + 0.1 to 1 - 0.25
            room.check(abs(about["k"][0] - 24 / math.tan(0.45)) < 0.01 and (about["width"], about["height"]) == (64, 48), f"the calibration as {whom} has it", about)
            frames = {one["header"]["frame_id"] for one in (color, depth, about)}
            room.check(frames == {"front_optical_frame"}, f"their frame for {whom}", frames)
        found = with_key(room.rclpy("tf", "base_footprint", "front_optical_frame", "--tf", "/scout/tf"), "translation")
        room.check(found and abs(found[0]["translation"][0] - 0.1) < 0.01, "where the camera is on scout", found)


ACTING = """\
convoy: 1
name: acting
seed: 3
time: {{tick: 10ms, duration: 3600s}}
world: {{ground: {{size: [8, 8]}}}}
robots:
  - {{name: scout, model: turtlebot3_burger, placement: {{poses: [[-1, 0, 0]]}}, components: [{{library: {library}, class: "crew::Server"}}]}}
"""


def actions(room):
    """The usual action server, with a thread a goal, as a node of the run: rclpy's client reaches goals and cancels one; a replay has them."""
    library = pathlib.Path(room.bench.convoy).resolve().parent / "tests" / "libcrew.so"
    room.bench.environment["CONVOY_ALLOW_LIBRARY"] = str(library.parent)
    file, action = room.bench.folder / "acting.mcap", ("goal", "/scout/fibonacci", "example_interfaces/action/Fibonacci")
    with room.run_of("--record", file, scenario=ACTING.format(library=library)) as run:
        lines = room.rclpy(*action, '{"order": 6}')
        room.check(lines[-1] == {"status": 4, "result": {"sequence": [0, 1, 1, 2, 3, 5, 8]}}, "a goal is reached", *lines)
        room.check([len(one["feedback"]["sequence"]) for one in lines[:-1]] == [3, 4, 5, 6, 7], "what is told on the way", *lines)
        lines = room.rclpy(*action, '{"order": 40}', "--cancel", 3)
        room.check(with_key(lines, "canceling")[0]["canceling"] == 1 and lines[-1]["status"] == 5, "a goal is canceled", *lines)
        room.check(4 < len(lines[-1]["result"]["sequence"]) < 40, "how far it came", *lines)
        room.ctl("stop")
        room.check(run.wait() == 0, "the run ends in order", run.text())
    room.replayed(run, file, "--trust")


def depth_at(image, x, y):
    at = y * image["step"] + 4 * x
    return memoryview(bytes(image["data"][at : at + 4])).cast("f")[0]
