"""ROS messages as CDR bytes and back, from their definitions alone: plain dicts, and nothing of this project's code.

    types = Types()
    data = types.encode("geometry_msgs/msg/Twist", {"linear": {"x": 0.2}})
    types.decode("geometry_msgs/msg/Twist", data)["linear"]["x"]

It reads msgs/PACKAGE/{msg,srv,action}. Names are those of ROS: pkg/msg/Name, pkg/srv/Name_Request, pkg/action/Name_Goal.
CDR has its encapsulation header of 4 bytes, little-endian from here, of either order from elsewhere. What a dict leaves out
is its default or zero. `uint8[]` and the like are bytes. hash_of() is the RIHS01 that endpoints tell of their types.
Standard library only.
"""
import dataclasses
import hashlib
import json
import pathlib
import re
import struct

MSGS = pathlib.Path(__file__).resolve().parents[2] / "msgs"
# Of primitives: the code of struct (which is the size, too), the number in RIHS01.
NUMBERS = {"bool": ("?", 15), "byte": ("B", 16), "char": ("B", 3), "int8": ("b", 2), "uint8": ("B", 3), "int16": ("h", 4), "uint16": ("H", 5),
           "int32": ("i", 6), "uint32": ("I", 7), "int64": ("q", 8), "uint64": ("Q", 9), "float32": ("f", 10), "float64": ("d", 11)}
BYTES = ("byte", "char", "uint8")
NESTED, STRING, WSTRING, BOUNDED_STRING, BOUNDED_WSTRING = 1, 17, 18, 21, 22
ARRAY, BOUNDED, UNBOUNDED = 48, 96, 144  # added to the number of the element


class Malformed(Exception):
    """Bytes that are no CDR of this type."""


@dataclasses.dataclass
class Field:
    name: str
    base: str  # a primitive, "string", "wstring", or pkg/msg/Name
    string_bound: int | None = None
    kind: int = 0  # ARRAY, BOUNDED, UNBOUNDED, or 0 for one
    capacity: int = 0
    default: object = None

    def nested(self):
        return "/" in self.base


LINE = re.compile(r"^(?P<base>[\w/]+?)(<=(?P<string>\d+))?(?P<array>\[(<=)?\d*\])?\s+(?P<name>[A-Za-z]\w*)\s*(?P<rest>.*)$")


def without_comment(line):
    """Up to a # that is in no quotes."""
    quote = None
    for i, c in enumerate(line):
        if quote:
            quote = None if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c == "#":
            return line[:i]
    return line


def value_of(text, field):
    """A default or a constant as the definition writes it."""
    text = text.strip()
    if text.startswith("["):
        one = dataclasses.replace(field, kind=0)
        return [value_of(item, one) for item in text[1:-1].split(",") if item.strip()]
    if field.base in ("string", "wstring"):
        return text[1:-1] if text[:1] in ("'", '"') and text[-1:] == text[:1] else text
    if field.base == "bool":
        return text.lower() in ("true", "1")
    return float(text) if field.base.startswith("float") else int(text, 0)


def parsed(text, package):
    """The fields and the constants of a definition."""
    fields, constants = [], {}
    for raw in text.splitlines():
        line = without_comment(raw).strip()
        if not line or line.startswith("@"):
            continue
        found = LINE.match(line)
        if not found:
            raise ValueError(f"{package}: no definition: {raw}")
        base = found["base"]
        if base not in NUMBERS and base not in ("string", "wstring"):
            parts = base.split("/")
            base = "/".join([parts[0] if len(parts) > 1 else package, "msg", parts[-1]])
        field = Field(found["name"], base, int(found["string"]) if found["string"] else None)
        array = found["array"]
        if array:
            digits = array.strip("[]<=")
            field.capacity = int(digits or 0)
            field.kind = BOUNDED if "<=" in array else ARRAY if digits else UNBOUNDED
        if found["rest"].startswith("="):
            constants[field.name] = value_of(found["rest"][1:], field)
            continue
        if found["rest"]:
            field.default = value_of(found["rest"], field)
        fields.append(field)
    return fields, constants


class Types:
    def __init__(self, roots=(MSGS,)):
        self.roots = [pathlib.Path(root) for root in roots]
        self.known = {}  # by name: (fields, constants)

    def fields(self, name):
        return self._load(name)[0]

    def constants(self, name):
        return self._load(name)[1]

    def _load(self, name):
        if name not in self.known:
            package, kind, short = name.split("/")
            made = {"msg": self._message, "srv": self._service, "action": self._action}[kind](package, short)
            for suffix, part in made.items():
                self.known[f"{package}/{kind}/{short.split('_')[0] if kind != 'msg' else short}{suffix}"] = part
        if name not in self.known:
            raise KeyError(name)
        return self.known[name]

    def _text(self, package, kind, short):
        for root in self.roots:
            path = root / package / kind / f"{short}.{kind}"
            if path.exists():
                return path.read_text()
        raise KeyError(f"{package}/{kind}/{short}")

    def _message(self, package, short):
        return {"": parsed(self._text(package, "msg", short), package)}

    def _sections(self, package, kind, short):
        return [parsed(part, package) for part in re.split(r"^---.*$", self._text(package, kind, short), flags=re.M)]

    def _service(self, package, short):
        short = short.split("_")[0]
        request, response = self._sections(package, "srv", short)
        return self._with_event(f"{package}/srv/{short}", "", request, response)

    @staticmethod
    def _with_event(name, infix, request, response):
        name += infix
        event = [Field("info", "service_msgs/msg/ServiceEventInfo"), Field("request", f"{name}_Request", None, BOUNDED, 1),
                 Field("response", f"{name}_Response", None, BOUNDED, 1)]
        whole = [Field("request_message", f"{name}_Request"), Field("response_message", f"{name}_Response"), Field("event_message", f"{name}_Event")]
        return {f"{infix}_Request": request, f"{infix}_Response": response, f"{infix}_Event": (event, {}), infix: (whole, {})}

    def _action(self, package, short):
        short = short.split("_")[0]
        name = f"{package}/action/{short}"
        goal, result, feedback = self._sections(package, "action", short)
        uuid, stamp = Field("goal_id", "unique_identifier_msgs/msg/UUID"), Field("stamp", "builtin_interfaces/msg/Time")
        message = [uuid, Field("feedback", f"{name}_Feedback")]
        parts = {"_Goal": goal, "_Result": result, "_Feedback": feedback, "_FeedbackMessage": (message, {})}
        parts |= self._with_event(name, "_SendGoal", ([uuid, Field("goal", f"{name}_Goal")], {}), ([Field("accepted", "bool"), stamp], {}))
        parts |= self._with_event(name, "_GetResult", ([uuid], {}), ([Field("status", "int8"), Field("result", f"{name}_Result")], {}))
        whole = [Field("goal", f"{name}_Goal"), Field("result", f"{name}_Result"), Field("feedback", f"{name}_Feedback"),
                 Field("send_goal_service", f"{name}_SendGoal"), Field("get_result_service", f"{name}_GetResult"), Field("feedback_message", f"{name}_FeedbackMessage")]
        return parts | {"": (whole, {})}

    # ------------------------------------------------------------------------------------------------------- bytes
    def encode(self, name, values=None):
        out = bytearray()
        self._write(out, name, values or {})
        return b"\0\1\0\0" + bytes(out)

    def decode(self, name, data):
        """Up to 3 bytes may follow, as transports pad to 4."""
        if len(data) < 4 or data[0] != 0 or data[1] > 1:
            raise Malformed("no encapsulation header of plain CDR")
        reader = Reader(data[4:], "<" if data[1] == 1 else ">")
        value = self._read(reader, name)
        if len(reader.data) - reader.at > 3:
            raise Malformed(f"{len(reader.data) - reader.at} bytes too many")
        return value

    def _write(self, out, name, values):
        fields = self.fields(name)
        unknown = set(values) - {field.name for field in fields}
        if unknown:
            raise KeyError(f"{name} has no {', '.join(sorted(unknown))}")
        if not fields:
            out.append(0)  # structure_needs_at_least_one_member
        for field in fields:
            self._write_field(out, field, values.get(field.name, field.default))

    def _write_field(self, out, field, value):
        if field.kind == 0:
            self._write_one(out, field, value)
            return
        if value is None:
            value = [None] * field.capacity if field.kind == ARRAY else []
        if len(value) != field.capacity if field.kind == ARRAY else field.kind == BOUNDED and len(value) > field.capacity:
            raise ValueError(f"{field.name}: {len(value)} elements")
        if field.kind != ARRAY:
            write_number(out, "I", len(value))
        for one in value:
            self._write_one(out, field, one)

    def _write_one(self, out, field, value):
        if field.nested():
            self._write(out, field.base, value or {})
        elif field.base == "string":
            text = (value or "").encode()
            if field.string_bound is not None and len(text) > field.string_bound:
                raise ValueError(f"{field.name}: too long")
            write_number(out, "I", len(text) + 1)
            out.extend(text + b"\0")
        elif field.base == "wstring":
            raise ValueError("wide strings are not in use here")
        else:
            write_number(out, NUMBERS[field.base][0], value or 0)

    def _read(self, reader, name):
        fields = self.fields(name)
        if not fields:
            reader.number("B")
        return {field.name: self._read_field(reader, field) for field in fields}

    def _read_field(self, reader, field):
        if field.kind == 0:
            return self._read_one(reader, field)
        count = field.capacity if field.kind == ARRAY else reader.number("I")
        if field.kind == BOUNDED and count > field.capacity:
            raise Malformed(f"{field.name}: {count} elements")
        if field.base in NUMBERS:
            many = reader.numbers(NUMBERS[field.base][0], count)
            return bytes(many) if field.base in BYTES else many
        if count > len(reader.data):  # each element takes a byte at least
            raise Malformed(f"{field.name}: {count} elements")
        return [self._read_one(reader, field) for _ in range(count)]

    def _read_one(self, reader, field):
        if field.nested():
            return self._read(reader, field.base)
        if field.base == "string":
            return reader.string(field)
        if field.base == "wstring":
            raise ValueError("wide strings are not in use here")
        return reader.number(NUMBERS[field.base][0])

    # ------------------------------------------------------------------------------------------------------ RIHS01
    def hash_of(self, name):
        """Of REP-2016: the SHA-256 of a description of the type and all that it contains, as JSON in this very form."""
        referenced = set()
        self._collect(name, referenced)
        text = json.dumps({"type_description": self._description(name),
                           "referenced_type_descriptions": [self._description(one) for one in sorted(referenced - {name})]})
        return "RIHS01_" + hashlib.sha256(text.encode()).hexdigest()

    def _collect(self, name, found):
        for field in self.fields(name):
            if field.nested() and field.base not in found:
                found.add(field.base)
                self._collect(field.base, found)

    def _description(self, name):
        fields = [{"name": field.name, "type": type_description(field)} for field in self.fields(name)]
        if not fields:
            fields = [{"name": "structure_needs_at_least_one_member", "type": type_description(Field("", "uint8"))}]
        return {"type_name": name, "fields": fields}


def type_description(field):
    if field.nested():
        number = NESTED
    elif field.base in NUMBERS:
        number = NUMBERS[field.base][1]
    elif field.base == "string":
        number = STRING if field.string_bound is None else BOUNDED_STRING
    else:
        number = WSTRING if field.string_bound is None else BOUNDED_WSTRING
    return {"type_id": number + field.kind, "capacity": field.capacity, "string_capacity": field.string_bound or 0,
            "nested_type_name": field.base if field.nested() else ""}


def write_number(out, code, value):
    size = struct.calcsize("<" + code)
    out.extend(bytes(-len(out) % size))
    out.extend(struct.pack("<" + code, value))


class Reader:
    def __init__(self, data, order):
        self.data, self.order, self.at = data, order, 0

    def take(self, size):
        if size > len(self.data) - self.at:
            raise Malformed(f"{size} bytes at {self.at} of {len(self.data)}")
        self.at += size
        return self.data[self.at - size : self.at]

    def numbers(self, code, count):
        size = struct.calcsize("<" + code)
        if count:
            self.take(-self.at % size)
        data = self.take(count * size)
        if code == "?":
            if any(byte > 1 for byte in data):
                raise Malformed("a bool that is neither")
            return [byte == 1 for byte in data]
        return list(struct.unpack(f"{self.order}{count}{code}", data))

    def number(self, code):
        return self.numbers(code, 1)[0]

    def string(self, field):
        length = self.number("I")
        data = self.take(length)
        if not length or data[-1] != 0 or (field.string_bound is not None and length - 1 > field.string_bound):
            raise Malformed("a string without its end, or too long")
        try:
            return data[:-1].decode()
        except UnicodeDecodeError:
            raise Malformed("a string that is no UTF-8")
