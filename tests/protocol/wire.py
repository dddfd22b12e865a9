"""What is written on the wire: hashes, canonical bytes and protobuf, as docs/protocol.md and its .proto files specify.

The layouts are not written down here again: the tables of the page are parsed, so a row that is wrong or missing there
is an error here. Whatever does not fit is Malformed, and nothing else is raised for bytes from the wire.
"""
import ctypes
import ctypes.util
import os
import pathlib
import re
import struct

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/protocol.md").read_text()


class Malformed(ValueError):
    def __init__(self, what, at=None):
        super().__init__(what if at is None else f"{what} at byte {at}")


def secret_of(port):
    """What a server of this user keeps by its port (section 2)."""
    for folder in (os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.geteuid()}", os.path.expanduser("~/.cache")):
        kept = pathlib.Path(folder, "convoy", str(port))
        if kept.is_file():
            return kept.read_text().strip()
    return ""


# ------------------------------------------------------------------------------------------------------------- hashes
_xxh = ctypes.CDLL(ctypes.util.find_library("xxhash") or "libxxhash.so.0")
_xxh.XXH3_64bits_withSeed.restype = ctypes.c_uint64
_xxh.XXH3_64bits_withSeed.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]


def xxh3(data, seed=0):
    return _xxh.XXH3_64bits_withSeed(data, len(data), seed)


def chain(a, b):
    return xxh3(struct.pack("<QQ", a, b))


# ------------------------------------------------------------------------------------------------- tables of the page
VERSION = int(re.search(r"Version of the protocol: \*\*(\d+)\*\*", PAGE)[1])


def table(*header):
    """The rows, as lists of cells, of the one table with this header."""
    found = re.search(r"^\| " + re.escape(" | ".join(header)) + r" \|\n\|[-:|]+\|\n((?:\|.*\|\n)+)", PAGE, re.M)
    if not found:
        raise SystemExit(f"docs/protocol.md has no table with the header {header}")
    return [[cell.strip() for cell in line.strip().strip("|").split(" | ")] for line in found[1].splitlines()]


FIELDS, ONE_OF = {}, {}  # of each struct: [(field, type)]; of each choice: its structs by index
IF_SET = set()  # (struct, field): hashed only if they are not what they are by default
NOTHING = {"f64": 0.0, "u8": 0, "SensorSpec[]": [], "SensorRules": dict(isa=0, digest=False, stagger=False, latitude=0.0, longitude=0.0, altitude=0.0,
                                                  magnetic_field=dict(x=0.0, y=2.1e-5, z=-4.3e-5),
                                                  by_default=False, sets=[], pictures=0, types=[], policy=0),
           "u8[]": [], "ElementShape[]": [], "SensorTypeRule[]": [], "enum2?": None, "u16?": None, "enum1": 0, "ElementReach": dict(pose=None, parent="", radius=0.0, to=[], region=None),
           "ModelEngine": dict(type="", library="", parameters=b"")}


def enumeration(found):
    return f"enum{max(map(int, re.findall('(?:^|, )([0-9]+) ', found[3])))}{found[1]} {found[2]}"


def define(name, text):
    if text.startswith("one of: "):
        ONE_OF[name] = [part.split()[-1] for part in text[8:].split(",")]
        return
    IF_SET.update((name, field) for field in re.findall(r"(\w+) \([^)]*in hashes only if[^)]*\)", text))
    # `enum kind (0 none, 1 random walk)` becomes a type that knows its largest value; other remarks go.
    text = re.sub(r"enum(\??) (\w+) \(([^)]*)\)", enumeration, text)
    text = re.sub(r" \([^)]*\)", "", text)
    fields, of = [], None
    for part in re.findall(r"(?:\{[^}]*\}|[^,{])+", text):
        inner = re.fullmatch(r"\s*\{([^}]*)\}(\S*) (\w+)", part)
        if inner:
            define(f"{name}.{inner[3]}", inner[1])
            fields.append((inner[3], f"{name}.{inner[3]}{inner[2]}"))
            continue
        words = part.split()
        of = words[0] if len(words) > 1 else of
        fields.append((words[-1], re.sub("^(instant|duration)", "i64", of)))
    FIELDS[name] = fields


for _name, _text in table("struct", "fields"):
    define(_name.strip("`"), _text)
for _index, _name, _text, _ in table("index", "edit", "fields", "effect"):
    ONE_OF.setdefault("Edit", []).append(_name)
    define(_name, _text)
    assert ONE_OF["Edit"][int(_index)] == _name
for _name, _text in re.findall(r"(?:\*\*|`)([A-Z]\w+)(?:\*\*|`) is `([^`]+)`", PAGE):
    define(_name, _text)


# ------------------------------------------------------------------------------------------ canonical bytes (section 8)
PLAIN = {"u8": "<B", "u16": "<H", "u32": "<I", "u64": "<Q", "i64": "<q", "f64": "<d"}


for _name, _fields in FIELDS.items():
    for _field, _of in _fields:
        _plain = re.sub(r"(\[\]|\?)+$", "", _of)
        if _plain not in {*PLAIN, "bool", "bytes", "text", *ONE_OF, *FIELDS} and not re.fullmatch("enum[0-9]+", _plain):
            raise SystemExit(f"docs/protocol.md: {_name}.{_field} is of no type: {_of}")


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        if self.at + n > len(self.data):
            raise Malformed(f"cut short: {n} bytes are wanted", self.at)
        self.at += n
        return self.data[self.at - n:self.at]

    def below(self, limit, what):
        value = self.take(1)[0]
        if value >= limit:
            raise Malformed(f"{value} is no {what}", self.at - 1)
        return value

    def get(self, kind):
        if kind in PLAIN:
            return struct.unpack(PLAIN[kind], self.take(struct.calcsize(PLAIN[kind])))[0]
        if kind == "bool":
            return bool(self.below(2, "bool"))
        if kind == "bytes":
            return self.take(self.get("u32"))
        if kind == "text":
            try:
                return self.get("bytes").decode()
            except UnicodeDecodeError:
                raise Malformed("text that is no UTF-8 ends", self.at)
        if kind.endswith("[]"):
            count = self.get("u32")
            if count > len(self.data) - self.at:  # each takes a byte at least
                raise Malformed(f"{count} elements are more than there can be", self.at - 4)
            return [self.get(kind[:-2]) for _ in range(count)]
        if kind.endswith("?"):
            return self.get(kind[:-1]) if self.below(2, "flag of an optional value") else None
        if kind.startswith("enum"):
            return self.below(int(kind[4:]) + 1, "value of the enumeration")
        if kind in ONE_OF:
            which = ONE_OF[kind][self.below(len(ONE_OF[kind]), kind)]
            return which, self.get(which)
        return {name: self.get(of) for name, of in FIELDS[kind]}


def load(kind, data):
    reader = Bytes(data)
    value = reader.get(kind)
    if reader.at != len(data):
        raise Malformed(f"{kind}: {len(data) - reader.at} bytes left over", reader.at)
    return value


def save(kind, value, hashed=False):
    if kind == "f64":
        return struct.pack("<d", value + 0.0)
    if kind in PLAIN:
        return struct.pack(PLAIN[kind], value)
    if kind == "bool" or re.fullmatch("enum[0-9]+", kind):
        return bytes([value])
    if kind == "bytes":
        return save("u32", len(value)) + value
    if kind == "text":
        return save("bytes", value.encode())
    if kind.endswith("[]"):
        return save("u32", len(value)) + b"".join(save(kind[:-2], v, hashed) for v in value)
    if kind.endswith("?"):
        return b"\0" if value is None else b"\1" + save(kind[:-1], value, hashed)
    if kind in ONE_OF:
        return save("u8", ONE_OF[kind].index(value[0])) + save(value[0], value[1], hashed)
    out = b""
    for name, of in FIELDS[kind]:
        if hashed and (kind, name) in IF_SET:
            if value[name] == NOTHING[of]:
                continue
            out += save("text", name)
        out += save(of, value[name], hashed)
    return out


def same(what, data, again):
    """Bytes that were decoded must be those that their meaning is encoded to."""
    if again != data:
        at = next((i for i, (a, b) in enumerate(zip(data, again)) if a != b), min(len(data), len(again)))
        raise Malformed(f"{what}: encoded again, the bytes differ", at)


# ---------------------------------------------------------------------------------------------------- writing protobuf
def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def proto(**fields):
    """proto(_1=5, _2=b"text", _3=1.5, _4=Fixed(7)): numbers are varints, floats doubles, bytes and str delimited."""
    out = b""
    for name, value in fields.items():
        number = int(name[1:])
        for v in value if isinstance(value, list) else [value]:
            if isinstance(v, Fixed):
                out += varint(number << 3 | 1) + struct.pack("<Q", v)
            elif isinstance(v, float):
                out += varint(number << 3 | 1) + struct.pack("<d", v)
            elif isinstance(v, int):
                out += varint(number << 3) + varint(v)
            else:
                v = v.encode() if isinstance(v, str) else v
                out += varint(number << 3 | 2) + varint(len(v)) + v
    return out


class Fixed(int):
    """A fixed64."""


# ---------------------------------------------------------------------------------------------------- reading protobuf
def read_varint(data, at):
    n = shift = 0
    while True:
        if at == len(data):
            raise Malformed("a varint is cut short", at)
        byte, at = data[at], at + 1
        n |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            break
        if shift > 63:
            raise Malformed("a varint is too long", at)
    if n >> 64:
        raise Malformed("a varint is too large", at)
    return n, at


def read_fields(data):
    """[(number, wire type, value)], in order."""
    fields, at = [], 0
    while at < len(data):
        key, at = read_varint(data, at)
        size = {0: 0, 1: 8, 5: 4}.get(key & 7)
        if key & 7 == 0:
            value, at = read_varint(data, at)
        else:
            if key & 7 == 2:
                size, at = read_varint(data, at)
            if size is None or key >> 3 == 0 or at + size > len(data):
                raise Malformed(f"a field with the key {key} is wrong or cut short", at)
            value, at = data[at:at + size], at + size
        fields.append((key >> 3, key & 7, value))
    return fields


def unproto(data):
    """The values of each field number."""
    fields = {}
    for number, _, value in read_fields(data):
        fields.setdefault(number, []).append(value)
    return fields


def schema(text):
    """(messages: {full name: {number: (field, type, repeated, choice or None)}}, enums: {full name: numbers})."""
    words = re.findall(r'"[^"]*"|[\w.]+|[{};=]', re.sub(r"//.*|/\*.*?\*/", "", text))
    messages, enums, package, at = {}, {}, "", 0
    block = choice = None
    while at < len(words):
        word = words[at]
        if word in ("syntax", "import", "package"):
            package = words[at + 1] if word == "package" else package
            at = words.index(";", at) + 1
        elif word in ("message", "enum") and block is None:
            block = (messages if word == "message" else enums).setdefault(f"{package}.{words[at + 1]}", {})
            at += 3
        elif word == "oneof":
            choice, at = words[at + 1], at + 3
        elif word == "}":
            block, choice, at = (block, None, at + 1) if choice else (None, None, at + 1)
        else:
            end = words.index(";", at)
            *kind, name, _, number = words[at:end]
            block[int(number)] = (name, kind[-1] if kind else "", kind[:1] == ["repeated"], choice)
            at = end + 1
    return messages, enums


MESSAGES, ENUMS = {}, {}
for _path in re.findall(r"\]\(\.\./(proto/convoy/\w+\.proto)\)", PAGE):
    for _all, _new in zip((MESSAGES, ENUMS), schema((ROOT / _path).read_text())):
        _all.update(_new)
SCALARS = {"uint32": 0, "uint64": 0, "int64": 0, "bool": 0, "fixed64": 1, "double": 1, "string": 2, "bytes": 2}
MAX_DEPTH = 32


def full_name(kind, inside):
    scope = inside.split(".")[:-1]
    while scope:
        if ".".join(scope + [kind]) in MESSAGES or ".".join(scope + [kind]) in ENUMS:
            return ".".join(scope + [kind])
        scope.pop()
    raise SystemExit(f"{inside}: the .proto files know no type {kind}")


def load_proto(message, data, depth=1):
    """[(field name, value)] in the order of the wire; each field is one that the .proto file has, of its type."""
    if depth > MAX_DEPTH:
        raise Malformed(f"{message}: too deep")
    values, once = [], set()
    for number, wire, value in read_fields(data):
        if number not in MESSAGES[message]:
            raise Malformed(f"{message} has no field {number}")
        name, kind, repeated, choice = MESSAGES[message][number]
        if not repeated and (choice or name) in once:
            raise Malformed(f"{message}.{name} stands there twice")
        once.add(choice or name)
        values.append((name, load_value(message, name, kind, wire, value, depth)))
    same(message, data, save_proto(message, values))
    return values


def load_value(message, name, kind, wire, value, depth):
    full = None if kind in SCALARS else full_name(kind, message)
    if wire != (SCALARS[kind] if full is None else 0 if full in ENUMS else 2):
        raise Malformed(f"{message}.{name} has the wire type {wire}")
    if full in MESSAGES:
        return load_proto(full, value, depth + 1)
    if (full in ENUMS and value not in ENUMS[full]) or (kind == "bool" and value > 1) or (kind == "uint32" and value >> 32):
        raise Malformed(f"{message}.{name} is {value}")
    if kind == "double":
        value = struct.unpack("<d", value)[0]
        if value - value != 0:
            raise Malformed(f"{message}.{name} is not finite")
    elif kind == "fixed64":
        value = Fixed(struct.unpack("<Q", value)[0])
    elif kind == "string":
        try:
            value = value.decode()
        except UnicodeDecodeError:
            raise Malformed(f"{message}.{name} is no UTF-8")
    return value


def save_proto(message, values):
    numbers = {field[0]: (number, field[1]) for number, field in MESSAGES[message].items()}
    out = b""
    for name, value in values:
        number, kind = numbers[name]
        if isinstance(value, list):
            value = save_proto(full_name(kind, message), value)
        out += proto(**{f"_{number}": value})
    return out
