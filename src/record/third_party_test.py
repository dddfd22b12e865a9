#!/usr/bin/env python3
"""Opens files of our MCAP writer with the PyPI package `mcap`, and compares all that is in them with what was written.

    src/record/third_party_test.py PATH/TO/mcap_sample

Run by the test record/third_party in the environment that scripts/python-env.sh makes.
"""
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

from mcap.exceptions import McapError
from mcap.reader import NonSeekingReader, SeekingReader
from mcap.records import Chunk, DataEnd, MessageIndex
from mcap.stream_reader import CRCValidationError, StreamReader, breakup_chunk
from mcap_protobuf.decoder import DecoderFactory

STEPS = 3000
TRANSFORMS = 100


def check(condition, text):
    if not condition:
        sys.exit(f"third_party: {text}")


def same(what, got, want):
    check(got == want, f"{what}: {got!r}, not {want!r}")


def expected_messages():
    """(topic, sequence, log time, publish time, data or None) in the order of writing."""
    for k in range(STEPS):
        t = k * 10_000_000
        for i in range(3):
            body = '{"k":%d,"robot":%d,"pad":"%s"}' % (k, i, str(k * 7919).rjust(300, "0"))
            yield f"/robot{i}/state", k, t + i, t, body.encode()
        if k % 30 == 0:
            yield "/tf", k // 30, t, t, None


def check_transforms(message, k):
    same("transforms", len(message.transforms), 2)
    base, lidar = message.transforms
    for each in message.transforms:
        same("stamp", each.timestamp.seconds * 10**9 + each.timestamp.nanos, k * 10_000_000)
    same("frames", (base.parent_frame_id, base.child_frame_id), ("world", "robot0"))
    same("frames", (lidar.parent_frame_id, lidar.child_frame_id), ("robot0", "lidar"))
    s = k * 0.25
    place, turn = base.translation, base.rotation
    same("base", (place.x, place.y, place.z), (s, -s, 0.5))
    same("base rotation", (turn.w, turn.x, turn.y, turn.z), (1, 0, 0, 0))
    place, turn = lidar.translation, lidar.rotation
    same("lidar", (place.x, place.y, place.z), (0, 0, 1e-300))
    same("lidar rotation", (turn.w, turn.x, turn.y, turn.z), (0.5, -0.5, 0.5, -0.5))


def check_messages(messages, want, what):
    count = 0
    for (schema, channel, message), (topic, sequence, log_time, publish_time, data) in zip(messages, want, strict=True):
        same(f"{what} {count}", (channel.topic, message.sequence, message.log_time, message.publish_time),
             (topic, sequence, log_time, publish_time))
        same(f"{what}: schema", schema.name, "foxglove.FrameTransforms" if topic == "/tf" else "sample.Text")
        if data is not None:
            same(f"{what} {count}: data", message.data, data)
        count += 1
    return count


def check_summary(summary, chunks):
    stats = summary.statistics
    total = 3 * STEPS + TRANSFORMS
    same("messages", stats.message_count, total)
    same("schemas", stats.schema_count, 2)
    same("channels", stats.channel_count, 5)
    same("attachments", stats.attachment_count, 1)
    same("metadata", stats.metadata_count, 1)
    same("chunks", (stats.chunk_count, len(summary.chunk_indexes)), (chunks, chunks))
    same("start", stats.message_start_time, 0)
    same("end", stats.message_end_time, (STEPS - 1) * 10_000_000 + 2)
    topics = {c.topic: c for c in summary.channels.values()}
    same("topics", sorted(topics), ["/robot0/state", "/robot1/state", "/robot2/state", "/tf", "/unused"])
    same("channel metadata", topics["/robot1/state"].metadata, {"robot": "robot1", "unit": "m"})
    counts = stats.channel_message_counts
    same("counts", [counts.get(topics[t].id, 0) for t in sorted(topics)], [STEPS] * 3 + [TRANSFORMS, 0])
    same("attachment index", [a.name for a in summary.attachment_indexes], ["scenario.yaml"])
    same("metadata index", [m.name for m in summary.metadata_indexes], ["scenario"])


def check_unread_crcs(data, summary):
    """The package skips the CRCs of the summary and of attachments, so these are computed here."""
    summary_start, _, crc = struct.unpack_from("<QQI", data, len(data) - 8 - 20)
    check(crc != 0, "no CRC of the summary")
    same("summary CRC", crc, zlib.crc32(data[summary_start:len(data) - 8 - 4]))
    for index in summary.attachment_indexes:
        record = data[index.offset:index.offset + index.length]
        same("attachment CRC", struct.unpack("<I", record[-4:])[0], zlib.crc32(record[9:-4]))


def check_indexes(records, summary, data):
    """Each message index entry points at a message of that channel and time, and none is missing."""
    places = {}
    for record in records:
        if isinstance(record, Chunk):
            places = {}
            breakup_chunk(record, validate_crc=True)
            raw = plain_of(record)
            at = 0
            while at < len(raw):
                opcode, length = struct.unpack_from("<BQ", raw, at)
                if opcode == 5:
                    channel, _, log_time = struct.unpack_from("<HIQ", raw, at + 9)
                    places.setdefault(channel, []).append((log_time, at))
                at += 9 + length
        elif isinstance(record, MessageIndex):
            same("message index", [tuple(r) for r in record.records], places.pop(record.channel_id))
    for index in summary.chunk_indexes:
        for channel, offset in index.message_index_offsets.items():
            same("message index offset", struct.unpack_from("<BQH", data, offset)[::2], (7, channel))


def plain_of(chunk):
    if chunk.compression == "zstd":
        import zstandard
        return zstandard.decompress(chunk.data, chunk.uncompressed_size)
    if chunk.compression == "lz4":
        import lz4.frame
        return lz4.frame.decompress(chunk.data)
    return chunk.data


def check_damage_is_seen(path, data, summary):
    """The checks above can fail: one changed byte in a chunk, or in an index, is refused by the same reader."""
    for index in summary.chunk_indexes[2:3]:
        for at in (index.chunk_start_offset + index.chunk_length - 5, index.chunk_start_offset + index.chunk_length + 20):
            path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1:])
            try:
                with path.open("rb") as file:
                    for _ in StreamReader(file, validate_crcs=True).records:
                        pass
            except (CRCValidationError, McapError, RuntimeError, ValueError):
                continue
            except Exception as error:  # a decompressor's own error type
                check("lz4" in type(error).__module__ + str(error).lower() or "zst" in type(error).__module__, repr(error))
                continue
            check(False, f"a changed byte at {at} was not seen")


def check_file(path, compression):
    want = list(expected_messages())

    # Record by record: every CRC, also that of the data section.
    with path.open("rb") as file:
        records = list(StreamReader(file, validate_crcs=True, emit_chunks=True).records)
    chunks = [r for r in records if isinstance(r, Chunk)]
    check(len(chunks) >= 5, f"only {len(chunks)} chunks")
    check(all(c.compression == compression for c in chunks), "another compression")
    check(all(c.uncompressed_crc != 0 for c in chunks), "a chunk without a CRC")
    check(all(c.uncompressed_size <= 768 * 1024 for c in chunks), "a chunk is too large")
    check(next(r for r in records if isinstance(r, DataEnd)).data_section_crc != 0, "no CRC of the data section")

    # In the order of the file, without the index.
    with path.open("rb") as file:
        reader = NonSeekingReader(file, validate_crcs=True)
        check_messages(reader.iter_messages(log_time_order=False), want, "streamed")

    # By the index, in order of log time, decoded.
    with path.open("rb") as file:
        reader = SeekingReader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
        same("library", reader.get_header().library, "convoy mcap_sample")
        summary = reader.get_summary()
        check_summary(summary, len(chunks))
        data = path.read_bytes()
        check_unread_crcs(data, summary)
        check_indexes(records, summary, data)
        in_time = sorted(want, key=lambda m: m[2])
        count = check_messages(reader.iter_messages(), in_time, "indexed")
        window = [m for m in in_time if 5_000_000_000 <= m[2] < 5_200_000_000]
        check_messages(reader.iter_messages(starting_at=5_000_000_000, ending_before=5_200_000_000), window, "window")
        decoded = 0
        for _, _, message, transforms in reader.iter_decoded_messages(topics=["/tf"]):
            check_transforms(transforms, message.sequence * 30)
            decoded += 1
        same("decoded", decoded, TRANSFORMS)
        attachments = list(reader.iter_attachments())
        same("attachment", [(a.name, a.media_type, a.data, a.log_time) for a in attachments],
             [("scenario.yaml", "text/yaml", b"a: 1\n", 15_000_000_000)])
        same("metadata", [(m.name, m.metadata) for m in reader.iter_metadata()],
             [("scenario", {"seed": "42", "name": "näme"})])
    check_damage_is_seen(path.with_suffix(".damaged"), data, summary)
    print(f"{compression or 'none'}: {count} messages in {len(chunks)} chunks, {path.stat().st_size} bytes, "
          f"{decoded} transforms decoded")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        for name, compression in (("none", ""), ("zstd", "zstd"), ("lz4", "lz4")):
            path = pathlib.Path(folder) / f"{name}.mcap"
            subprocess.run([sys.argv[1], name, path], check=True)
            check_file(path, compression)


if __name__ == "__main__":
    main()
