#!/usr/bin/env python3
"""Records the warehouse with the built command, then replays, verifies, cuts, alters and draws the file.

    tools/e2e_record.py PATH/TO/convoy SOURCE_DIR

Run by the test e2e/record in the environment that scripts/python-env.sh makes; the file is read with the PyPI package
`mcap`, which shares no code with ours.
"""
import pathlib
import subprocess
import sys
import tempfile
import xml.dom.minidom

from mcap.reader import make_reader
from mcap.writer import Writer
from mcap_protobuf.decoder import DecoderFactory


def check(condition, text):
    if not condition:
        sys.exit(f"e2e_record: {text}")


def convoy(*arguments, code=0):
    done = subprocess.run([CONVOY, *map(str, arguments)], capture_output=True, text=True)
    check(done.returncode == code,
          f"convoy {' '.join(map(str, arguments))}: exit {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def digest_of(output):
    last = output[0].splitlines()[-1]
    check(last.startswith("digest ") and len(last) == 23, f"no digest in the last line: {last!r}")
    return last


def check_file(path):
    """Another implementation of MCAP opens it, and finds poses that a viewer can show."""
    with path.open("rb") as file:
        reader = make_reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
        summary = reader.get_summary()
        topics = {c.topic: summary.statistics.channel_message_counts.get(i, 0) for i, c in summary.channels.items()}
        check(topics["/convoy/reached"] == 301 and topics["/convoy/digest"] == 301, f"topics: {topics}")
        check(topics["/convoy/checkpoint"] >= 4, f"topics: {topics}")
        names = sorted(a.name for a in reader.iter_attachments())
        check(names == ["convoy/head", "convoy/scenario", "convoy/setup"], f"attachments: {names}")
        metadata = {m.name: m.metadata for m in reader.iter_metadata()}["convoy"]
        check(metadata["scenario"] == "warehouse" and metadata["seed"] == "1", f"metadata: {metadata}")
        frames = [(m.log_time, t) for _, _, m, t in reader.iter_decoded_messages(topics=["/tf"])]
        check([t for t, _ in frames] == [k * 100_000_000 for k in range(31)], "poses do not come at 10 Hz")
        for _, each in frames:
            check(len(each.transforms) == 200, f"{len(each.transforms)} poses")
            check({t.parent_frame_id for t in each.transforms} == {"world"}, "parent frames")
    return topics


def without_digests(path, out):
    """The same file, less /convoy/digest."""
    with path.open("rb") as file, out.open("wb") as target:
        reader = make_reader(file)
        writer = Writer(target)
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


def main(folder):
    recording = folder / "run.mcap"
    warehouse = SOURCE / "scenarios" / "warehouse.yaml"
    plain = digest_of(convoy("run", warehouse, "--duration", "3s"))
    recorded = digest_of(convoy("run", warehouse, "--duration", "3s", "--record", recording))
    check(recorded == plain, f"recording changed the {plain} to {recorded}")
    topics = check_file(recording)

    for hosts in (1, 3):
        output = convoy("replay", recording, "--verify", "--hosts", hosts)
        check(digest_of(output) == plain, f"{hosts} hosts: {output}")
        check("equal: 301 boundaries and 301 digests" in output[1], output[1])
    output = convoy("replay", recording, "--verify", "--from", 2)
    check(digest_of(output) == plain and "from tick 200 (2 s) to tick 300 (3 s)" in output[1], output)
    check(digest_of(convoy("replay", recording)) == plain, "replay without --verify")

    stripped = folder / "stripped.mcap"
    without_digests(recording, stripped)
    check(digest_of(convoy("replay", stripped, "--hosts", 4)) == plain, "the digest comes from the file")

    data = recording.read_bytes()
    cut = folder / "cut.mcap"
    ends = set()
    for share in (0.5, 0.7, 0.9, 0.999):
        cut.write_bytes(data[:int(len(data) * share)])
        output = convoy("replay", cut, "--verify")
        check("cut" in output[1] and "its complete part ends at tick" in output[1], output[1])
        check("convoy: equal:" in output[1], output[1])
        ends.add(output[1].split("ends at tick ")[1].split()[0])
    check(len(ends) > 1, f"cut files end at {ends}")
    cut.write_bytes(data[:300])
    check("ends before its setup" in convoy("replay", cut, code=2)[1], "a file without a head")
    nothing = folder / "nothing.mcap"
    nothing.write_text("scenario: no\n")
    check("not a recording of convoy" in convoy("replay", nothing, code=2)[1], "a text file")
    check("no such file" in convoy("replay", folder / "absent.mcap", code=2)[1].lower(), "an absent file")

    table = folder / "run.csv"
    output = convoy("plot", recording, "--csv", table)
    picture = folder / "run.svg"
    check(output[0].split() == [str(picture), str(table)], output[0])
    xml.dom.minidom.parse(str(picture))
    lines = table.read_text().splitlines()
    check(lines[0] == "time_s,name,x,y,yaw" and len(lines) == 1 + 200 * 31, f"{len(lines)} lines of CSV")
    print(f"{len(data)} bytes for 3 s of 200 robots; {plain}; topics {topics}; cut files end at ticks {sorted(ends)}")


if len(sys.argv) != 3:
    sys.exit(__doc__)
CONVOY = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(sys.argv[2])
with tempfile.TemporaryDirectory() as temporary:
    main(pathlib.Path(temporary))
