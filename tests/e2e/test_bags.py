#!/usr/bin/env python3
"""Bags between convoy job and other people's readers and writers (mcap, rosbags): messages, stamps, schemas, QoS.

    tests/e2e/test_bags.py CONVOY LIBRARY      LIBRARY: libdeterminism_components.so

Run by .env/python/bin/python (scripts/python-env.sh). Prints one line per check that fails and exits 1 if there is any.
"""
import json
import random
import sys

from harness import last_line, new_bench
from mcap.reader import make_reader
from mcap.writer import CompressionType, IndexType
from mcap.writer import Writer as McapWriter
from rosbags.interfaces import Qos, QosDurability, QosHistory, QosLiveliness, QosReliability, QosTime
from rosbags.rosbag2 import Reader, StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

FOREVER = QosTime(9223372036, 854775807)
START = 1_700_000_000_123_456_789
# A type that no library here has.
THING = "geometry_msgs/Point where\nuint8[] data\n" + "=" * 80 + "\nMSG: geometry_msgs/Point\nfloat64 x\nfloat64 y\nfloat64 z\n"


def qos(depth=10, reliability=QosReliability.RELIABLE, durability=QosDurability.VOLATILE, history=QosHistory.KEEP_LAST):
    return Qos(history, depth, reliability, durability, FOREVER, FOREVER, QosLiveliness.AUTOMATIC, FOREVER, False)


def store():
    typestore = get_typestore(Stores.ROS2_JAZZY)
    typestore.register(get_types_from_msg(THING, "nowhere_msgs/msg/Thing"))
    return typestore


def messages_of(path):
    """(log time, publish time, topic, bytes) of an MCAP file, by log time and then place."""
    with open(path, "rb") as stream:
        return [(m.log_time, m.publish_time, c.topic, m.data) for _, c, m in make_reader(stream).iter_messages()]


def recorded(b, library):
    """What convoy records, others read: the file by mcap and rosbags, the folder by rosbags; the digest stays."""
    four = [word for x in "ABCD" for word in ("--component", library, f"determinism::{x}")]
    job = ["job", *four, "--duration", "1s", "--start-time", "3s"]
    plain = b.expect(0, "^digest", "4 components", *job, "--report", b.folder / "job.json")
    facts = json.loads((b.folder / "job.json").read_text())
    file, folder = b.folder / "four.mcap", b.folder / "four"
    for target in (file, folder):
        r = b.expect(0, "^digest", "4 components", *job, "--record", target)
        b.check(last_line(r.stdout) == last_line(plain.stdout), "recording changes the digest", r.stdout, plain.stdout)
    b.expect(2, None, r"four\.mcap: is there already", *job, "--record", file)

    with open(file, "rb") as stream:
        summary = make_reader(stream).get_summary()
        b.check(make_reader(stream).get_header().profile == "ros2", "not of the profile ros2")
    b.check(summary.statistics.message_count == facts["messages"], "messages", summary.statistics, facts)
    b.check({s.name for s in summary.schemas.values()} >= {"std_msgs/msg/UInt64"}, "schemas", summary.schemas)
    b.check(all(c.message_encoding == "cdr" and c.metadata["topic_type_hash"].startswith("RIHS01_")
                for c in summary.channels.values()), "channels", summary.channels)
    seen = {}
    for path in (file, folder):
        # Types come from the file's own schemas.
        with Reader(path) as reader:
            typestore = get_typestore(Stores.EMPTY)
            for c in reader.connections:
                typestore.register(get_types_from_msg(c.msgdef.data, c.msgtype))
                b.check(set(c.ext.offered_qos_profiles) == {qos(1)}, "QoS", c.topic, c.ext.offered_qos_profiles)
            seen[path] = [(c.topic, t, typestore.deserialize_cdr(raw, c.msgtype).data) for c, t, raw in reader.messages()]
            b.check(reader.message_count == facts["messages"], "message count", path, reader.message_count)
            b.check(reader.start_time >= 3_000_000_000 and reader.end_time <= 4_000_000_001, "times", reader.start_time)
    b.check(seen[file] == seen[folder] and len(seen[file]) == facts["messages"], "file and folder differ")
    # A at 100 ms: its first message is of the run's first tenth of a second.
    b.check(any(t == 3_100_000_000 for _, t, _ in seen[file]), "no message at 3.1 s", seen[file][:5])

    # Played and recorded again: the same messages at the same nanoseconds; and their subscriptions are called.
    again = b.folder / "again.mcap"
    b.expect(0, "^digest", r"1 components, \d+ callbacks", "job", "--play", folder, "--record", again)
    b.check(messages_of(again) == messages_of(file), "what is played differs from what was recorded")
    heard = b.folder / "heard.json"
    b.expect(0, "^digest", "2 components", "job", "--play", folder, "--component", library, "determinism::D", "--report", heard)
    alone = len({m[0] for m in messages_of(file)})
    b.check(json.loads(heard.read_text())["callbacks"] > alone, "nobody hears what is played", heard.read_text())


def written_by_rosbags(b, path, count=400):
    """A folder as ros2 bag makes it; gives the messages by stamp."""
    typestore = store()
    string, thing, point = (typestore.types[n] for n in ("std_msgs/msg/String", "nowhere_msgs/msg/Thing", "geometry_msgs/msg/Point"))
    import numpy
    draw, out = random.Random(5), []
    with Writer(path, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        def connect(topic, kind, *profiles):
            return writer.add_connection(topic, kind, typestore=typestore, offered_qos_profiles=profiles)
        text = connect("/text", "std_msgs/msg/String", qos(7, QosReliability.BEST_EFFORT))
        things = connect("/things", "nowhere_msgs/msg/Thing")
        latched = connect("/latched", "std_msgs/msg/String", qos(1, durability=QosDurability.TRANSIENT_LOCAL))
        for i in range(count):
            stamp = START + i * 1_000_003 // 4  # up to four in one microsecond, none at a round time
            connection = (text, things, latched)[draw.randrange(3)]
            value = (thing(point(i, 2.0, 3.0), numpy.zeros(draw.randrange(2000), numpy.uint8)) if connection is things
                     else string(f"message {i}"))
            raw = bytes(typestore.serialize_cdr(value, connection.msgtype))
            writer.write(connection, stamp, raw)
            out.append((stamp, stamp, connection.topic, raw))
    return out


def played(b):
    """What rosbags wrote is played at its nanoseconds; topics, the beginning and QoS as asked."""
    bag = b.folder / "theirs"
    written = written_by_rosbags(b, bag)

    def play(name, *arguments, messages):
        file, report = b.folder / f"{name}.mcap", b.folder / f"{name}.json"
        component = ["--component", "convoy", "convoy::Player", "--component-ros-args", "-p", f"file:={bag}", *arguments, "--"]
        b.expect(0, "^digest", "1 components", "job", *component, "--record", file, "--report", report)
        b.check(messages_of(file) == messages, f"{name}: other messages", len(messages))
        return file, json.loads(report.read_text())

    file, facts = play("all", messages=written)
    b.check(facts["exit_code"] == 0 and abs(facts["sim_s"] - (written[-1][0] - START) * 1e-9) < 1e-6, "length", facts)
    with Reader(file) as reader, Reader(bag) as theirs:
        ours = {c.topic: c for c in reader.connections}
        for c in theirs.connections:
            want = c.ext.offered_qos_profiles or [qos()]
            b.check(ours[c.topic].ext.offered_qos_profiles == want, "QoS of " + c.topic, ours[c.topic].ext, c.ext)
            b.check(ours[c.topic].msgtype == c.msgtype and ours[c.topic].msgdef.data == c.msgdef.data, "type of " + c.topic)
    play("text", "-p", "topics:=[/text]", messages=[m for m in written if m[2] == "/text"])
    play("no_text", "-p", "exclude:=['/te.t']", messages=[m for m in written if m[2] != "/text"])
    play("later", "-p", "start_offset:=0.05", messages=[m for m in written if m[0] >= START + 50_000_000])
    # `ros2 bag`'s older numbers, and an override by parameter.
    file, _ = play("sure", "-p", "qos_overrides./text.publisher.reliability:=reliable", messages=written)
    with Reader(file) as reader:
        b.check(next(c for c in reader.connections if c.topic == "/text").ext.offered_qos_profiles == [qos(7)], "no override")
    b.expect(2, None, "unknown policy", "job", "--component", "convoy", "convoy::Player", "--component-ros-args", "-p",
             f"file:={bag}", "-p", "qos_overrides./text.publisher.speed:=1")


def shapes(b):
    """Files of the mcap library, of each shape that it writes: chunks or none, indexes or none, a summary or none."""
    old = ("- history: 3\n  depth: 0\n  reliability: 1\n  durability: 2\n  deadline:\n    sec: 9223372036\n    nsec: 854775807\n"
           "  lifespan:\n    sec: 9223372036\n    nsec: 854775807\n  liveliness: 1\n  liveliness_lease_duration:\n"
           "    sec: 9223372036\n    nsec: 854775807\n  avoid_ros_namespace_conventions: false")
    draw = random.Random(6)
    shape = {"chunked": {}, "lz4": {"compression": CompressionType.LZ4}, "small": {"chunk_size": 500}, "loose": {"use_chunking": False},
             "unindexed": {"index_types": IndexType.NONE, "use_statistics": False},
             "bare": {"index_types": IndexType.NONE, "use_statistics": False, "repeat_channels": False, "repeat_schemas": False,
                      "use_summary_offsets": False},
             "bare_loose": {"use_chunking": False, "use_statistics": False, "repeat_channels": False, "repeat_schemas": False,
                            "use_summary_offsets": False}}
    for name, options in shape.items():
        file, again, out = b.folder / f"{name}.mcap", b.folder / f"{name}_again.mcap", []
        with open(file, "wb") as stream:
            writer = McapWriter(stream, **options)
            writer.start(profile="ros2", library="somebody")
            schema = writer.register_schema("std_msgs/msg/UInt64", "ros2msg", b"uint64 data\n")
            channels = [(t, writer.register_channel(t, "cdr", schema, {"offered_qos_profiles": old})) for t in ("/a", "/b")]
            for i in range(300):
                # Not in the order of time: they are played in it, and those of one time in the order of the file.
                stamp = 1_000_000_000 + draw.randrange(100)
                topic, channel = channels[draw.randrange(2)]
                data = b"\0\1\0\0" + i.to_bytes(8, "little")
                writer.add_message(channel, stamp, data, stamp + 5, i)
                out.append((stamp, stamp, topic, data))
            writer.finish()
        b.expect(0, "^digest", "300 messages", "job", "--play", file, "--record", again)
        b.check(messages_of(again) == sorted(out, key=lambda m: m[0]), f"{name}: other messages")


def refused(b, library):
    """One line and exit code 2; nothing is left of what did not begin."""
    def refuse(text, file, *more):
        r = b.expect(2, None, text, "job", "--play", file, *more)
        b.check(r.stderr.count("\n") == 1, "more than one line", r.stderr)

    def write(name, encoding="cdr", schema=("std_msgs/msg/UInt64", "ros2msg", b"uint64 data\n"), metadata=None):
        with open(b.folder / name, "wb") as stream:
            writer = McapWriter(stream)
            writer.start()
            schema_id = writer.register_schema(*schema) if schema else 0
            writer.add_message(writer.register_channel("/t", encoding, schema_id, metadata or {}), 5, b"\0\1\0\0" + bytes(8), 5)
            writer.finish()
        return b.folder / name

    whole = write("whole.mcap")
    bytes_of_it = whole.read_bytes()
    cut = b.folder / "cut.mcap"
    for length in (0, 7, 8, 50, len(bytes_of_it) // 2, len(bytes_of_it) - 1):
        cut.write_bytes(bytes_of_it[:length])
        refuse(r"cut\.mcap: ", cut, "--record", b.folder / "nothing.mcap")
    b.check(not list(b.folder.glob("nothing*")), "something is left of a job that did not begin")
    refuse("encoded as 'protobuf', not as cdr", write("proto.mcap", encoding="protobuf"))
    refuse("it has no schema", write("untyped.mcap", schema=None))
    refuse("is no name of a message type", write("named.mcap", schema=("Thing", "ros2msg", b"")))
    refuse("unknown value 'maybe'", write("qos.mcap", metadata={"offered_qos_profiles": "- reliability: maybe"}))
    # A type of the same name and another definition, where a node has the right one.
    other = write("other.mcap", metadata={"topic_type_hash": "RIHS01_" + "0" * 64})
    r = b.call("job", "--play", other, "--component", library, "determinism::A", "--component-ros-args", "-r", "t1:=/t")
    b.check(r.returncode == 2 and "of another definition" in r.stderr, "another definition is taken", r.returncode, r.stderr)
    # An unknown type with no definition passes; who records it gets a warning.
    blind = write("blind.mcap", schema=("nowhere_msgs/msg/Thing", "", b""))
    b.expect(0, "^digest", "the definition of nowhere_msgs/msg/Thing is not known", "job", "--play", blind, "--record",
             b.folder / "blind_again.mcap")
    # A damaged chunk ends the run where it is reached.
    damaged = bytearray(bytes_of_it)
    damaged[bytes_of_it.index(b"\x28\xb5\x2f\xfd") + 12] ^= 255
    cut.write_bytes(damaged)
    r = b.call("job", "--play", cut)
    b.check(r.returncode in (1, 2) and "chunk" in r.stderr, "a damaged chunk is played", r.returncode, r.stderr)


def ends(b):
    """Exit codes that a monitor gives, and a job with nothing left."""
    b.expect(1, "^digest", "the time is over", "job", "--play", b.folder / "whole.mcap", "--timeout", "2s", "--report",
             b.folder / "end.json")
    facts = json.loads((b.folder / "end.json").read_text())
    b.check(facts["exit_code"] == 1 and facts["sim_s"] == 2, "report", facts)
    code = b.folder / "code.mcap"
    with open(code, "wb") as stream:
        writer = McapWriter(stream)
        writer.start()
        schema = writer.register_schema("std_msgs/msg/UInt8", "ros2msg", b"uint8 data\n")
        writer.add_message(writer.register_channel("/rslcpp/error_code", "cdr", schema), 7, b"\0\1\0\0\x2a", 7)
        writer.finish()
    b.expect(42, "^digest", "2 components", "job", "--play", code, "--component", "convoy", "convoy::Monitor", "--component-ros-args",
             "-r", "/convoy/exit_code:=/rslcpp/error_code", "--", "--report", b.folder / "end.json")
    b.check(json.loads((b.folder / "end.json").read_text())["exit_code"] == 42, "no exit code in the report")


def large(b):
    """Many chunks: every message of 100 MB, in order."""
    file, again, data = b.folder / "large.mcap", b.folder / "large_again.mcap", b"\0\1\0\0" + bytes(range(256)) * 400
    with open(file, "wb") as stream:
        writer = McapWriter(stream, compression=CompressionType.NONE)
        writer.start(profile="ros2")
        schema = writer.register_schema("nowhere_msgs/msg/Blob", "ros2msg", b"uint8[] data\n")
        channel = writer.register_channel("/blob", "cdr", schema)
        for i in range(1000):
            writer.add_message(channel, 1000 + i, data + i.to_bytes(4, "little"), 1000 + i)
        writer.finish()
    b.expect(0, "^digest", "1000 messages", "job", "--play", file, "--record", again)
    b.check([(m[0], int.from_bytes(m[3][-4:], "little")) for m in messages_of(again)] == [(1000 + i, i) for i in range(1000)],
            "messages of a large file differ")


def main():
    library = sys.argv[2]
    parts = {"recorded": lambda b: recorded(b, library), "played": played, "shapes": shapes,
             "refused": lambda b: refused(b, library), "ends": ends, "large": large}
    with new_bench(sys.argv[1]) as b:
        b.run(parts, sys.argv[3:])
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
