"""Each frame and datagram of docs/protocol.md, decoded whole: every payload that comes out encodes to its bytes again.

A decoder takes bytes and gives a value, or raises Malformed. Which decoder a type has, and who may send it, is read
from the two tables of types on the page.
"""
import collections
import json
import re
import struct

import wire
from wire import Malformed, load, load_proto, same, save, xxh3

Row = collections.namedtuple("Row", "name sender counted payload")


def rows(*header):
    found = {}
    for row in wire.table(*header):
        for kind, name in zip(row[0].split(", "), row[1].split(", ")):
            found[int(kind)] = Row(name, row[2], row[3] if len(row) > 4 else "", row[-1])
    return found


FRAMES = rows("type", "name", "from", "counted", "payload")
DATAGRAMS = rows("type", "name", "from", "payload")
MAX_FRAME, MAX_GREETING, MAX_CHUNK, MAX_ELEMENT, MAX_DATAGRAM = 1 << 20, 4096, 61440, 65536, 1400
FULL, DELTA = 1, 2
# Every message with these three fields is a type of element (section 5).
ELEMENT_TYPES = {xxh3(name.encode()) & 0xFFFFFFFF: name for name, fields in wire.MESSAGES.items()
                 if {"connection", "id", "stamp"} <= {field[0] for field in fields.values()}}


def need(true, what, at=None):
    if not true:
        raise Malformed(what, at)


def unpack(layout, data, at=0):
    size = struct.calcsize(layout)
    need(at + size <= len(data), f"cut short: {size} bytes are wanted", at)
    return struct.unpack_from(layout, data, at)


def whole(layout, data):
    need(len(data) == struct.calcsize(layout), f"{len(data)} bytes, not {struct.calcsize(layout)}")
    return struct.unpack(layout, data)


def canonical(kind, data):
    value = load(kind, data)
    same(kind, data, save(kind, value))
    return value


# --------------------------------------------------------------------------------------------------- frames (section 1)
Frame = collections.namedtuple("Frame", "kind seq ack payload")


def cut_frame(data, at, limit=MAX_FRAME):
    """(Frame, where the next begins), or None while the rest has not come."""
    if len(data) - at < 20:
        return None
    size, kind, flags, zero, seq, ack, checksum = struct.unpack_from("<IBBHIII", data, at)
    need(flags == zero == 0, "flags of a frame that are not 0", at + 5)
    need(size <= limit, f"a frame of {size} bytes", at)
    if len(data) - at < 20 + size:
        return None
    payload = bytes(data[at + 20:at + 20 + size])
    said = xxh3(bytes(data[at:at + 16]) + struct.pack("<Q", xxh3(payload))) & 0xFFFFFFFF
    need(said == checksum, "a frame with a wrong checksum", at + 16)
    return Frame(kind, seq, ack, payload), at + 20 + size


def element(data):
    """u32 type | a protobuf message of that type"""
    kind, = unpack("<I", data)
    need(kind in ELEMENT_TYPES, f"no element has the type {kind:08x}", 0)
    need(len(data) - 4 <= MAX_ELEMENT, "a too large element")
    return ELEMENT_TYPES[kind], load_proto(ELEMENT_TYPES[kind], data[4:])


def asset_chunk(data):
    hash_, offset, total = unpack("<QQQ", data)
    need(len(data) - 24 <= MAX_CHUNK and offset + len(data) - 24 <= total, "a chunk beyond its asset")
    return hash_, offset, total, data[24:]


def lockstep_states(data, tails):
    """(run, tick, owner, first, [(mask, tail mask, words, inner, sent or None)]).

    `tails` has for each owner the numbers of tail words of its entities, by world number: no record states how long it
    is.
    """
    run, tick, owner, first, count = unpack("<IqIII", data)
    need(owner in tails, f"states of {owner}, who owns nothing", 12)
    need(first + count <= len(tails[owner]), f"states {first} to {first + count} of {len(tails[owner])}", 16)
    at, records, again = 24, [], [data[:24]]
    for size in tails[owner][first:first + count]:
        mask, = unpack("<H", data, at)
        bits = (size + 7) // 8
        tail_mask = int.from_bytes(data[at + 2:at + 2 + bits], "little")
        need(tail_mask >> size == 0, "an unused bit of a tail mask", at + 2)
        at += 2 + bits
        changed = bin(mask & 0x7FFF).count("1") + bin(tail_mask).count("1")
        words = unpack(f"<{changed + 1 + (mask >> 15)}Q", data, at)
        doubles = words[mask & 1:len(words) - 1 - (mask >> 15)]
        if mask >> 14 & 1:  # the discontinuity count is no double
            place = bin(mask & 0x3FFE).count("1")
            doubles = doubles[:place] + doubles[place + 1:]
        for word in doubles:
            need(word >> 52 & 0x7FF != 0x7FF and word != 1 << 63, "a double that is NaN, infinite or -0", at)
        at += 8 * len(words)
        sent = words[-1] if mask >> 15 else None
        records.append((mask, tail_mask, words[:changed], words[changed], sent))
        masks = struct.pack("<H", mask) + tail_mask.to_bytes(bits, "little")
        again.append(masks + struct.pack(f"<{len(words)}Q", *words))
    need(at == len(data), f"{len(data) - at} bytes left over", at)
    same("states", data, b"".join(again))
    return run, tick, owner, first, records


def inside(name, value):
    """What is bytes in a decoded message, if the page states what it is."""
    if name == "push":
        for item in value["set"]:
            element(struct.pack("<I", item["type"]) + item["bytes"])
    elif name == "taken":
        for change in value["changes"]:
            need(change["type"] in ELEMENT_TYPES.values(), f"an element of type {change['type']}")
            fields = load_proto(change["type"], change["bytes"])
            need(not any(field == "connection" for field, _ in fields), "an element that says its connection")
            need(change["kind"] != 2 or (change["stamp"] == 0 and not fields), "a gone element with a stamp or bytes")
    elif name == "request":
        methods = {field for field, _ in value} - {"id", "deadline_ns", "holder"}
        need(len(methods) == 1, f"a request with {len(methods)} methods")
        for field, said in value:
            if field == "add_model":
                canonical("Model", said)
            for one in [dict(fields) for _, fields in said] if field == "spawn" else []:
                if "driver" in one:
                    canonical("DriverSpec", one["driver"])
    elif name == "reply" and "json" in dict(value):
        try:
            json.loads(dict(value)["json"])
        except (ValueError, RecursionError):
            raise Malformed("a reply whose json is none")
    return value


def frame_value(kind, data, from_server, tails):
    need(kind in FRAMES, f"a frame of type {kind}")
    row = FRAMES[kind]
    of = re.match(r"(protobuf )?`(\w+)`", row.payload)
    if of:
        return inside(row.name, load_proto(f"convoy.proto.{of[2]}", data) if of[1] else canonical(of[2], data))
    if row.name == "heartbeat" or (row.name == "goodbye" and from_server):
        try:
            return data.decode()
        except UnicodeDecodeError:
            raise Malformed(f"a {row.name} that is no UTF-8")
    if row.payload.startswith("empty"):
        need(not data, f"{len(data)} bytes, not 0")
        return None
    if row.payload == "u64":
        return whole("<Q", data)
    special = {"user_data": bytes, "asset_request": lambda d: whole("<QQ", d), "asset_chunk": asset_chunk,
               "elements": element, "states": lambda d: lockstep_states(d, tails)}
    need(row.name in special, f"nobody knows how a frame {row.name} is decoded: {row.payload}")
    return special[row.name](data)


# ---------------------------------------------------------------------------------------- datagrams (sections 5 and 11)
Datagram = collections.namedtuple("Datagram", "kind flags run connection seq ack bits payload")


def sound(data):
    return 24 <= len(data) <= MAX_DATAGRAM and struct.unpack("<I", data[-4:])[0] == xxh3(data[:-4]) & 0xFFFFFFFF


def cut_datagram(data):
    need(sound(data), f"a datagram of {len(data)} bytes that is too short, too long or has a wrong checksum")
    return Datagram(*[*struct.unpack("<BBHIIII", data[:20]), data[20:-4]])


def apart(data):
    """The datagrams of a packet: what one call sends as segments of one size shows up on this machine's own network as
    one packet. The checksums show where they end."""
    if sound(data):
        return [data]
    for size in range(24, min(MAX_DATAGRAM, len(data)) + 1):
        if sound(data[:size]):
            return [data[at:at + size] for at in range(0, len(data), size)]
    return [data]


def layout_of_bits():
    """The table of section 11: [(name, first bit, last bit, signed)]; groups of three are three fields."""
    ranges, names = re.search(r"^\| bits of the 25 bytes \|(.*)\|\n.*\n\| \|(.*)\|$", wire.PAGE, re.M).groups()
    fields = []
    for bits, name in zip(ranges.split("|"), names.split("|")):
        first, last = map(int, bits.split("-"))
        group = re.fullmatch(r" 3 x (\d+)(?:: (\w))? ", name)
        if group:
            size = int(group[1])
            need(last - first + 1 == 3 * size, f"the bits {bits}are not 3 x {size}")
            fields += [(f"{group[2] or 'q'}{i}", first + i * size, first + (i + 1) * size - 1, True) for i in range(3)]
        else:
            name = "number" if "number" in name else name.split()[0]
            fields.append((name, first, last, name in ("x", "y", "z")))
    need([f[1] for f in fields] + [200] == [0] + [f[2] + 1 for f in fields], "the bits of a state leave a gap")
    return fields


BITS = layout_of_bits()


def quantized(data):
    word, state = int.from_bytes(data, "little"), {}
    again = 0
    for name, first, last, signed in BITS:
        size = last - first + 1
        value = word >> first & (1 << size) - 1
        state[name] = value - (1 << size) if signed and value >> size - 1 else value
        again |= (state[name] & (1 << size) - 1) << first
    same("a state", data, again.to_bytes(25, "little"))
    need(state["zero"] == 0, "bits of a state that are not zero")
    others = [(state[f"q{i}"] / 1023) ** 2 / 2 for i in range(3)]
    need(state["big"] < 4 and 1 - sum(others) >= max(others) - 0.01, "an orientation without its largest part")
    return state


def state_batches(data):
    """[(stamp, origin, joints, [(state, ((position, velocity), ...))])]"""
    batches, at = [], 0
    need(data, "states without a batch")
    while at < len(data):
        stamp, x, y, count, joints = unpack("<qiiHB", data, at)
        at, size, states = at + 19, 25 + 6 * joints, []
        need(at + count * size <= len(data), f"{count} states with {joints} joints are cut short", at)
        for _ in range(count):
            turned = tuple(struct.iter_unpack("<fh", data[at + 25:at + size]))
            need(all(position - position == 0 for position, _ in turned), "a joint that is not finite", at + 25)
            states.append((quantized(data[at:at + 25]), turned))
            at += size
        batches.append((stamp, (x, y), joints, states))
    return batches


def element_list(data, full):
    """(list, part, parts, [(type name, fields) or keys])"""
    number, part, parts = unpack("<IHH", data)
    need(number >= 1 and part < parts, f"part {part} of {parts} of list {number}", 0)
    at, records = 8, []
    while at < len(data):
        kind, size = unpack("<II", data, at)
        need(at + 8 + size <= len(data), f"a record of {size} bytes is cut short", at)
        content = data[at + 8:at + 8 + size]
        if kind:
            records.append(element(struct.pack("<I", kind) + content))
        else:
            need(full and size % 8 == 0, "names in a delta, or half a name", at)
            records.append(list(struct.iter_unpack("<II", content)))
        at += 8 + size
    return number, part, parts, records


def datagram_value(kind, flags, data):
    need(kind in DATAGRAMS, f"a datagram of type {kind}")
    name = DATAGRAMS[kind].name
    need(flags in (FULL, DELTA) if name == "elements" else flags == 0, f"the flags {flags}")
    if DATAGRAMS[kind].payload.startswith("token"):
        return whole("<16s", data)
    special = {"answer": lambda d: whole("<Q", d), "clock": lambda d: whole("<Iq", d), "states": state_batches,
               "element": element, "elements": lambda d: element_list(d, flags == FULL)}
    need(name in special, f"nobody knows how a datagram {name} is decoded")
    return special[name](data)
