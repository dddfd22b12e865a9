#!/usr/bin/env python3
"""Records the warehouse with the built command, then replays, verifies, cuts, alters and draws the file.

    tests/e2e/test_record.py CONVOY

Run by the test e2e/record in the environment that scripts/python-env.sh makes; the file is read with the PyPI package
`mcap`, which shares no code with ours.
"""
import json
import pathlib
import sys
import xml.dom.minidom

from harness import last_line, new_bench
from mcap.reader import make_reader
from mcap.writer import Writer
from mcap_protobuf.decoder import DecoderFactory
from png import pixels

WAREHOUSE = pathlib.Path(__file__).resolve().parents[2] / "scenarios" / "warehouse.yaml"
DIGEST = r"^digest [0-9a-f]{16}\n\Z"


def check_file(b, path):
    """Another implementation of MCAP opens it, and finds poses that a viewer can show."""
    with path.open("rb") as file:
        reader = make_reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
        summary = reader.get_summary()
        topics = {c.topic: summary.statistics.channel_message_counts.get(i, 0) for i, c in summary.channels.items()}
        b.check(topics["/convoy/reached"] == 301 and topics["/convoy/digest"] == 301, f"topics: {topics}")
        b.check(topics["/convoy/checkpoint"] >= 4, f"topics: {topics}")
        names = sorted(a.name for a in reader.iter_attachments())
        b.check(names == ["convoy/head", "convoy/scenario", "convoy/setup"], f"attachments: {names}")
        metadata = {m.name: m.metadata for m in reader.iter_metadata()}["convoy"]
        b.check(metadata["scenario"] == "warehouse" and metadata["seed"] == "1", f"metadata: {metadata}")
        frames = [(m.log_time, t) for _, _, m, t in reader.iter_decoded_messages(topics=["/tf"])]
        b.check([t for t, _ in frames] == [k * 100_000_000 for k in range(31)], "poses do not come at 10 Hz")
        for _, each in frames:
            robots = [t for t in each.transforms if t.parent_frame_id == "world"]
            b.check(len(robots) == 200, f"{len(robots)} poses")
            b.check(all(t.child_frame_id.startswith(t.parent_frame_id + "/") for t in each.transforms if t not in robots),
                    "parent frames")
    return topics


def without_digests(path, out):
    """The same file, less /convoy/digest."""
    with path.open("rb") as file, out.open("wb") as target:
        reader = make_reader(file)
        writer = Writer(target, chunk_size=1 << 30)  # one chunk: each of ours names its channels again
        writer.start(library="e2e")
        for a in reader.iter_attachments():
            writer.add_attachment(create_time=a.create_time, log_time=a.log_time, name=a.name, media_type=a.media_type,
                                  data=a.data)
        channels = {}
        for _, channel, message in reader.iter_messages(log_time_order=False):
            if channel.topic == "/convoy/digest":
                continue
            if channel.topic not in channels:
                channels[channel.topic] = writer.register_channel(channel.topic, channel.message_encoding, 0)
            writer.add_message(channels[channel.topic], log_time=message.log_time, data=message.data,
                               publish_time=message.publish_time, sequence=message.sequence)
        writer.finish()


def recorded(b):
    """A recorded run has the digest of one that is not, and so has every replay of it."""
    recording = b.folder / "run.mcap"
    plain = last_line(b.expect(0, DIGEST, "", "run", WAREHOUSE, "--duration", "3s").stdout)
    again = rf"^{plain}\n\Z"
    b.expect(0, again, "", "run", WAREHOUSE, "--duration", "3s", "--record", recording)
    topics = check_file(b, recording)
    for hosts in (1, 3):
        b.expect(0, again, "equal: 301 boundaries and 301 digests", "replay", recording, "--verify", "--hosts", hosts)
    b.expect(0, again, r"from tick 200 \(2 s\) to tick 300 \(3 s\)", "replay", recording, "--verify", "--from", 2)
    b.expect(0, again, "", "replay", recording)

    stripped = b.folder / "stripped.mcap"
    without_digests(recording, stripped)
    b.expect(0, again, "", "replay", stripped, "--hosts", 4)
    print(f"{recording.stat().st_size} bytes for 3 s of 200 robots; {plain}; topics {topics}")


def damaged(b):
    """A file that was cut is replayed as far as it goes; what is no recording is refused."""
    data = (b.folder / "run.mcap").read_bytes()
    cut = b.folder / "cut.mcap"
    ends = set()
    for share in (0.5, 0.7, 0.9, 0.999):
        cut.write_bytes(data[:int(len(data) * share)])
        said = b.expect(0, DIGEST, "convoy: equal:", "replay", cut, "--verify").stderr
        b.check("cut" in said and "its complete part ends at tick" in said, "a file that was cut", said)
        ends.add(said.split("ends at tick ")[1].split()[0])
    b.check(len(ends) > 1, "all cut files end at one tick", ends)
    cut.write_bytes(data[:300])
    b.expect(2, None, "ends before its setup", "replay", cut)
    nothing = b.folder / "nothing.mcap"
    nothing.write_text("scenario: no\n")
    b.expect(2, None, "not a recording of convoy", "replay", nothing)
    b.expect(2, None, "(?i)no such file", "replay", b.folder / "absent.mcap")
    print(f"cut files end at ticks {sorted(ends)}")


def strict(b):
    """With --strict only a whole file with its digests is verified: a cut, a flipped bit, no digests are exit 3."""
    whole = b.folder / "run.mcap"
    data = whole.read_bytes()
    b.expect(0, DIGEST, "equal: 301 boundaries and 301 digests.*: all of the file", "replay", whole, "--verify", "--strict")
    b.expect(0, DIGEST, "equal: .*: 33.3 % of the file", "replay", whole, "--verify", "--from", 2)
    bad = b.folder / "bad.mcap"
    bad.write_bytes(data[:len(data) * 7 // 10])
    b.expect(0, DIGEST, r"equal: .*: [789]\d\.\d % of the file", "replay", bad, "--verify")
    b.expect(3, DIGEST, "bad.mcap is not complete: cut: whole up to byte", "replay", bad, "--verify", "--strict")
    for share in (0.6, 0.8, 0.99):
        at = int(len(data) * share)
        bad.write_bytes(data[:at] + bytes([data[at] ^ 16]) + data[at + 1:])
        b.expect(3, DIGEST, "bad.mcap is not complete: byte", "replay", bad, "--verify", "--strict")
    b.expect(3, DIGEST, "it holds no digests", "replay", b.folder / "stripped.mcap", "--verify", "--strict", "--force")
    bad.write_bytes(data[:300])
    b.expect(3, None, "ends before its setup", "replay", bad, "--verify", "--strict")
    b.expect(2, None, "--strict", "replay", whole, "--strict")
    b.expect(2, None, "--strict", "replay", whole, "--verify", "--strict", "--from", 1)


def drawn(b):
    """A picture and a table of the recording."""
    picture, table = b.folder / "run.svg", b.folder / "run.csv"
    r = b.expect(0, "", "", "plot", b.folder / "run.mcap", "--csv", table)
    b.check(r.stdout.split() == [str(picture), str(table)], "the names of what was drawn", r.stdout)
    xml.dom.minidom.parse(str(picture))
    lines = table.read_text().splitlines()
    b.check(lines[0] == "time_s,name,x,y,yaw" and len(lines) == 1 + 200 * 31, f"{len(lines)} lines of CSV")


def as_png(b):
    """A picture as PNG; another kind of file is refused by name."""
    picture = b.folder / "run.png"
    r = b.expect(0, "", "", "plot", b.folder / "run.mcap", "--out", picture)
    b.check(r.stdout.split() == [str(picture)], "the name of what was drawn", r.stdout)
    width, height, rows = pixels(picture)
    b.check(1000 < width < 1400 and 100 < height < 1400, f"{width} x {height}")
    seen = {row[3 * x:3 * x + 3] for row in rows for x in range(width)}
    b.check(len(seen) > 200, f"{len(seen)} colours of 200 robots")
    for name in ("run.gif", "run.png.txt"):
        b.expect(2, None, r"a picture is written as \.svg or \.png", "plot", b.folder / "run.mcap", "--out", b.folder / name)
        b.check(not (b.folder / name).exists(), name)
    b.expect(2, None, "no/where", "plot", b.folder / "run.mcap", "--out", b.folder / "no/where.png")


def as_json(b):
    """replay and plot print one JSON object, and replay its digest behind it."""
    def told(r):
        return json.loads(r.stdout.rsplit("digest ", 1)[0])

    whole, cut = b.folder / "run.mcap", b.folder / "cut.mcap"
    is_ = told(b.expect(0, r"\ndigest [0-9a-f]{16}\n\Z", "", "replay", whole, "--verify", "--json"))
    b.check(is_["equal"] is True and is_["difference"] is None and is_["boundaries"] == is_["digests"] == 301, is_)
    b.check(is_["sim_s"] == 3 and is_["to"] == {"run": 0, "tick": 300, "s": 3} and is_["share"] == 1, is_)
    b.check((is_["mode"], is_["detail"], is_["exit_code"], is_["intact"]) == ("lockstep", "full", 0, True), is_)
    is_ = told(b.expect(0, "", "", "replay", whole, "--from", 2, "--json"))
    b.check(is_["from"]["tick"] == 200 and is_["verified"] is False and "equal" not in is_, is_)
    cut.write_bytes(whole.read_bytes()[:1_500_000])
    is_ = told(b.expect(3, "", "", "replay", cut, "--verify", "--strict", "--json"))
    b.check(is_["exit_code"] == 3 and not is_["intact"] and "cut" in is_["damage"] and is_["equal"], is_)
    is_ = told(b.expect(0, "", "", "plot", whole, "--out", b.folder / "json.svg", "--json"))
    b.check(is_["picture"] == str(b.folder / "json.svg") and is_["table"] is None, is_)
    b.check(is_["trajectories"] == 200 and is_["points"] == 200 * 31, is_)


def poses(b):
    """A recording of poses is small, is drawn, and is not run again; what is no detail is refused."""
    recording, table = b.folder / "poses.mcap", b.folder / "poses.csv"
    plain = last_line(b.call("run", WAREHOUSE, "--duration", "3s").stdout)
    b.expect(0, rf"^{plain}\n\Z", r"recording poses@10Hz: about \d+ MB for an hour", "run", WAREHOUSE, "--duration", "3s",
             "--record", recording, "--record-detail", "poses@10Hz")
    b.check(recording.stat().st_size * 4 < (b.folder / "run.mcap").stat().st_size, "its size")
    b.expect(2, None, "holds poses@10Hz only: it cannot be run again", "replay", recording)
    b.expect(2, None, "cannot be run again", "replay", recording, "--verify")
    b.expect(0, "", "", "plot", recording, "--csv", table)
    b.check(len(table.read_text().splitlines()) == 1 + 200 * 31, "lines of CSV")
    with recording.open("rb") as file:
        reader = make_reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
        frames = [sum(t.parent_frame_id == "world" for t in m.transforms) for _, _, _, m in reader.iter_decoded_messages(topics=["/tf"])]
        b.check(frames == [200] * 31, f"{frames} poses")
    b.expect(2, None, "--record-detail.*neither full nor poses at a rate", "run", WAREHOUSE, "--record", recording,
             "--record-detail", "poses")
    b.expect(2, None, "--record", "run", WAREHOUSE, "--record-detail", "full")


def free_mode(b):
    """A run in free mode is recorded and shown, also what is left of a cut file, and has no digest."""
    recording, table = b.folder / "free.mcap", b.folder / "free.csv"
    for command in ("run", "launch"):
        b.expect(0, r"^digest none\n\Z", "recording full: about", command, WAREHOUSE, "--mode", "free", "--duration", "2s",
                 "--record", recording)
        r = b.expect(0, r"^digest none\n\Z", r"2 s of free mode, full: [56]\d samples of up to 200 entities; 0 edits", "replay",
                     recording)
        b.check("has no digest" in r.stderr, "the line about the digest", r.stderr)
    is_ = json.loads(b.expect(0, "", "", "replay", recording, "--json").stdout.rsplit("digest ", 1)[0])
    b.check((is_["mode"], is_["digest"], is_["most_entities"]) == ("free", None, 200) and is_["samples"] > 50, is_)
    b.expect(2, None, "no digest to verify", "replay", recording, "--verify")
    b.expect(0, "", "", "plot", recording, "--csv", table)
    ways = {}
    for row in table.read_text().splitlines()[1:]:
        time_s, name, x, y, _ = row.split(",")
        ways.setdefault(name, []).append((float(time_s), float(x), float(y)))
    b.check(len(ways) == 200 and all(way[-1][0] == 2 for way in ways.values()), f"{len(ways)} ways")
    b.check(sum(way[0][1:] != way[-1][1:] for way in ways.values()) > 100, "robots stand")
    cut = b.folder / "cut.mcap"
    cut.write_bytes(recording.read_bytes()[:recording.stat().st_size * 19 // 20])
    b.expect(0, r"^digest none\n\Z", "cut: whole up to byte", "replay", cut)


def main():
    with new_bench(sys.argv[1]) as b:
        b.run({"recorded": recorded, "damaged": damaged, "strict": strict, "drawn": drawn, "as_png": as_png, "as_json": as_json, "poses": poses, "free_mode": free_mode})
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
