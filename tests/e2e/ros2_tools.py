"""Parts of test_ros2.py: Convoy's own tools in a domain of ROS 2, beside real rclpy, without any run."""
import contextlib
import json

STRING, TF = "std_msgs/msg/String", "tf2_msgs/msg/TFMessage"
SAID = {"data": "hello"}


@contextlib.contextmanager
def said(room, topic="/speech", kind=STRING, message=None, node="speaker"):
    """A node of rclpy that goes on publishing, 20 times a second."""
    with room.start("rclpy", "pub", topic, kind, json.dumps(message or SAID), "--count", 1_000_000, "--rate", 20, "--node", node, "--timeout", 600):
        yield


def looks(room):
    """topic list, info, echo, hz, bw and node list, info of what rclpy publishes."""
    convoy = lambda code, out, err, *words, spin=10: room.bench.expect(code, out, err, *words, "--ros2", "--spin-time", spin)
    with said(room):
        convoy(0, r"\Adata: hello\n---\ndata: hello\n---\n\Z", "", "topic", "echo", "speech", "--count", 2)
        convoy(0, r'\A{"node":"(/speaker)?","yaml":"data: hello\\n"}\n\Z', "", "topic", "echo", "/speech", "--count", 1, "--json")
        convoy(0, r"(?m)^/speech +std_msgs/msg/String +1 publishers, 0 subscriptions$", "", "topic", "list", spin=8)
        convoy(0, r"\A/speech\npublishers +/speaker +std_msgs/msg/String +reliable, volatile, RIHS01_\w{64}\n\Z", "", "topic", "info", "/speech")
        paced = json.loads(convoy(0, "", "", "topic", "hz", "/speech", "--window", 2, "--count", 1, "--json").stdout)
        room.check(paced["messages"] > 5 and 2 < paced["hz"] < 30 and 0 < paced["least_s"] <= paced["most_s"], "how often it is said", paced)
        wide = json.loads(convoy(0, "", "", "topic", "bw", "/speech", "--window", 2, "--count", 1, "--json").stdout)
        room.check(wide["least_bytes"] == wide["most_bytes"] > 10 and wide["bytes"] == wide["messages"] * wide["least_bytes"], "how much it is", wide)
        convoy(0, r"(?m)^/speaker$", "", "node", "list", spin=8)
        convoy(0, r"\A/speaker\n(publishes +/.*\n)*publishes +/speech +std_msgs/msg/String\n", "", "node", "info", "/speaker", spin=8)
        convoy(1, r"\A\Z", r"\Aconvoy: no topic '/speach' in domain \d+, on this machine; did you mean '/speech'\?\n\Z", "topic", "echo", "/speach", spin=8)
        convoy(1, r"\A\Z", r"no node '/speeker' in domain .*; did you mean '/speaker'\?", "node", "info", "/speeker", spin=8)


def talks(room):
    """topic pub, latched and not, is heard by rclpy; mistakes are said."""
    convoy = lambda code, out, err, *words, spin=10: room.bench.expect(code, out, err, "topic", "pub", *words, "--ros2", "--spin-time", spin)
    with room.start("rclpy", "echo", "/heard", STRING, "--count", 3) as listener:
        convoy(0, r"\Apublished 1\npublished 2\npublished 3\n\Z", "", "/heard", "{data: good day}", "--times", 3, "--rate", 20)
        room.check(listener.wait() == 0, "rclpy hears all", listener.text())
    with room.bench.start("topic", "pub", "/kept", "{data: later}", "--type", STRING, "--latched", "--ros2") as latched:
        latched.wait_for("published 1")
        lines = room.rclpy("echo", "/kept", STRING, "--transient-local", "--count", 1)
        room.check(lines == [{"data": "later"}], "who comes later hears it", *lines)
    convoy(1, "", r"\Aconvoy: nobody subscribes to '/alone' as std_msgs/msg/String in domain \d+, on this machine, within 1 s\n\Z",
           "/alone", "{}", "--type", STRING, spin=1)
    convoy(2, "", r"\Aconvoy: unknown field 'dat' of std_msgs/msg/String; did you mean 'data'\?\n\Z", "/alone", "{dat: x}", "--type", STRING)
    convoy(1, "", r"\Aconvoy: no library libnowhere_msgs__types.so", "/alone", "{}", "--type", "nowhere_msgs/msg/Thing")


def asks(room):
    """service list and call, and parameters, of nodes of rclpy."""
    b = room.bench
    reach = ("--ros2", "--spin-time", 8)
    with room.start("rclpy", "serve", "/flip", "std_srvs/srv/SetBool", json.dumps({"success": True, "message": "flipped"}), "--timeout", 600) as server:
        server.wait_for("serving")
        b.expect(0, r"(?m)^/flip +std_srvs/srv/SetBool  1 servers, 0 clients$", "", "service", "list", *reach)
        b.expect(0, r"\Asuccess: true\nmessage: flipped\n\Z", "", "service", "call", "/flip", "{data: true}", *reach)
        server.wait_for(r'"data": true')
        b.expect(2, "", "unknown field 'date'", "service", "call", "/flip", "{date: true}", *reach)
        b.expect(1, "", r"no service '/flop' in domain .*; did you mean '/flip'\?", "service", "call", "/flop", *reach)
    with said(room):
        b.expect(0, r"(?m)^/speaker use_sim_time: false$", "", "param", "list", "/speaker", *reach)
        b.expect(0, r"(?m)^/speaker use_sim_time: false$", "", "param", "list", *reach)
        b.expect(0, r"\A\Z", "", "param", "set", "/speaker", "use_sim_time", "true", *reach)
        b.expect(0, r"\Atrue\n\Z", "", "param", "get", "/speaker", "use_sim_time", *reach)
        b.expect(2, "", "bool_value", "param", "set", "/speaker", "use_sim_time", "soon", *reach)
        b.expect(1, "", r"'/speaker' has no parameter 'speed'; it has: .*use_sim_time", "param", "get", "/speaker", "speed", *reach)
        b.expect(1, "", r"nobody serves '/nobody/list_parameters'", "param", "get", "/nobody", "speed", "--ros2", "--timeout", 1)


def placed(x):
    return {"transforms": [{"header": {"frame_id": "odom"}, "child_frame_id": "base", "transform": {"translation": {"x": x}, "rotation": {"w": 1.0}}}]}


def frames(room):
    """tf tree and echo of frames that rclpy tells of."""
    b = room.bench
    with said(room, "/tf", TF, placed(1.5)):
        b.expect(0, r"\Aodom\n  base  \d+\.\d Hz, newest 0\.000(, by /speaker)?\n\Z", "", "tf", "tree", "--ros2", "--spin-time", 8)
        at = json.loads(b.expect(0, "", "", "tf", "echo", "odom", "base", "--count", 1, "--ros2", "--json", "--spin-time", 10).stdout)
        b.check(at == {"at": 0.0, "translation": [1.5, 0.0, 0.0], "rotation": [0.0, 0.0, 0.0, 1.0]}, "where it is", at)
        back = json.loads(b.expect(0, "", "", "tf", "echo", "base", "odom", "--count", 1, "--ros2", "--json", "--spin-time", 10).stdout)
        b.check(back["translation"][0] == -1.5, "and the other way round", back)
        b.expect(1, r"\A\Z", r"\Aconvoy: 'nowhere' is not known in 'odom': ", "tf", "echo", "odom", "nowhere", "--ros2", "--spin-time", 8)
        b.expect(1, "", r"nothing was told on '/nothing' and '/nothing_static' within 1 s", "tf", "tree", "--tf", "/nothing", "--ros2", "--spin-time", 1)


def records(room):
    """ros2 record writes what rclpy says into a bag, which Convoy's job plays again."""
    b = room.bench
    bag = b.folder / "said"
    with said(room), said(room, "/left/out", node="other"):
        told = b.expect(0, r"\A\d+ messages of 1 topics in .*said_0.mcap\n\Z", r"recording /speech \(std_msgs/msg/String\)", "ros2", "record", "/speech", "-o", bag,
                        "--duration", 9)
        b.check(int(told.stdout.split()[0]) > 5, "all of it is recorded", told.stdout)
        b.expect(1, "", "is there already, and is not to be overwritten", "ros2", "record", "-o", bag, "--duration", 1)
    text = (bag / "metadata.yaml").read_text()
    b.check('name: "/speech"' in text and "left" not in text and f"message_count: {told.stdout.split()[0]}" in text, "what the bag says of itself", text)
    played = b.folder / "played.mcap"
    b.expect(0, r"digest \w{16}", "", "job", "--play", bag, "--record", played)
    b.check(played.stat().st_size > 500, "it plays", played.stat())
