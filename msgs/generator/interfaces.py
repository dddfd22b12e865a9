"""ROS interface definitions as facts: the types of each file, their RIHS01 hashes and their ros2msg schemas.

A .msg file makes one type. A .srv file also makes the request, the response, the event and the service itself, and an
.action file the eleven types that carry goals, results and feedback: the same as in ROS 2 Jazzy. The hash is that of
REP-2011 (type description as JSON, SHA-256); names, types and bounds count, constants, defaults and comments do not.
"""
import contextlib
import dataclasses
import hashlib
import io
import json
import pathlib

from rosidl_adapter import parser

KINDS = ("msg", "srv", "action")
# type_description_interfaces/msg/FieldType; a .msg file's char is a uint8.
TYPE_IDS = {"int8": 2, "uint8": 3, "char": 3, "int16": 4, "uint16": 5, "int32": 6, "uint32": 7, "int64": 8, "uint64": 9,
            "float32": 10, "float64": 11, "bool": 15, "byte": 16, "string": 17, "wstring": 18}
NESTED = 1
BOUNDED_STRINGS = {"string": 21, "wstring": 22}
ARRAY, BOUNDED_SEQUENCE, SEQUENCE = 48, 96, 144  # added to the type id
RULE = "=" * 80


class InterfaceError(Exception):
    """A definition that cannot be used; the text names it."""


@dataclasses.dataclass(frozen=True)
class Field:
    name: str
    type_id: int
    capacity: int = 0
    string_capacity: int = 0
    nested: str = ""  # "geometry_msgs/msg/Point"


@dataclasses.dataclass(frozen=True)
class Type:
    name: str  # "geometry_msgs/msg/Twist", "std_srvs/srv/Trigger_Request"
    fields: tuple
    text: str = ""  # as in a .msg file


def nested(name, type_name, array=0, capacity=0):
    return Field(name, NESTED + array, capacity, 0, type_name)


def field_of(field):
    kind, capacity, string_capacity, type_name = field.type, 0, 0, ""
    if kind.is_primitive_type():
        bound = kind.string_upper_bound
        type_id = BOUNDED_STRINGS[kind.type] if bound else TYPE_IDS[kind.type]
        string_capacity = bound or 0
    else:
        type_id, type_name = NESTED, f"{kind.pkg_name}/msg/{kind.type}"
    if kind.is_array:
        capacity = kind.array_size or 0
        type_id += ARRAY if kind.is_fixed_size_array() else BOUNDED_SEQUENCE if kind.is_upper_bound else SEQUENCE
    return Field(field.name, type_id, capacity, string_capacity, type_name)


def type_of(name, specification, text):
    # C++ and IDL know no empty structures; rosidl puts this member in, on the wire too.
    fields = tuple(field_of(f) for f in specification.fields) or (Field("structure_needs_at_least_one_member", 3),)
    return Type(name, fields, text)


def parts_of(text):
    parts = [[]]
    for line in text.splitlines():
        if line == "---":
            parts.append([])
        else:
            parts[-1].append(line)
    return ["\n".join(part) for part in parts]


def derived(name, *members):
    """A type that rosidl makes of others: its fields, each with its line in a .msg file."""
    return Type(name, tuple(field for field, _ in members), "\n".join(line for _, line in members))


def part(field, type_name):
    package, _, short = type_name.split("/")
    return nested(field, type_name), f"{package}/{short} {field}"


def at_most_one(field, type_name):
    package, _, short = type_name.split("/")
    return nested(field, type_name, BOUNDED_SEQUENCE, 1), f"{package}/{short}[<=1] {field}"


def service_types(name, request, response):
    event = derived(f"{name}_Event", part("info", "service_msgs/msg/ServiceEventInfo"), at_most_one("request", request.name),
                    at_most_one("response", response.name))
    whole = Type(name, (nested("request_message", request.name), nested("response_message", response.name),
                        nested("event_message", event.name)))
    return [request, response, event, whole]


def action_types(name, goal, result, feedback):
    goal_id = part("goal_id", "unique_identifier_msgs/msg/UUID")
    send_goal = service_types(
        f"{name}_SendGoal", derived(f"{name}_SendGoal_Request", goal_id, part("goal", goal.name)),
        derived(f"{name}_SendGoal_Response", (Field("accepted", TYPE_IDS["bool"]), "bool accepted"),
                part("stamp", "builtin_interfaces/msg/Time")))
    get_result = service_types(
        f"{name}_GetResult", derived(f"{name}_GetResult_Request", goal_id),
        derived(f"{name}_GetResult_Response", (Field("status", TYPE_IDS["int8"]), "int8 status"),
                part("result", result.name)))
    feedback_message = derived(f"{name}_FeedbackMessage", goal_id, part("feedback", feedback.name))
    whole = Type(name, (nested("goal", goal.name), nested("result", result.name), nested("feedback", feedback.name),
                        nested("send_goal_service", f"{name}_SendGoal"),
                        nested("get_result_service", f"{name}_GetResult"),
                        nested("feedback_message", feedback_message.name)))
    return [goal, result, feedback, *send_goal, *get_result, feedback_message, whole]


class Interfaces:
    """The definitions found below some folders; each of them holds packages as <package>/{msg,srv,action}/."""

    def __init__(self, folders):
        self.folders = [pathlib.Path(folder) for folder in folders]
        self.types = {}     # type name -> Type
        self.loaded = set()  # (package, kind, name)

    def files(self, package):
        """The (kind, name, path) of a package's definitions, in an order that never changes."""
        for folder in self.folders:
            if (folder / package).is_dir():
                return [(kind, path.stem, path) for kind in KINDS
                        for path in sorted((folder / package / kind).glob(f"*.{kind}"))]
        raise InterfaceError(f"no package {package} in {', '.join(map(str, self.folders))}")

    def load(self, package, kind, name):
        """The types that one definition makes, the named one last."""
        key = f"{package}/{kind}/{name}"
        path = next((p for k, n, p in self.files(package) if (k, n) == (kind, name)), None)
        if path is None:
            raise InterfaceError(f"no definition {key}")
        text = path.read_text(encoding="utf-8")
        try:
            with contextlib.redirect_stderr(io.StringIO()):  # rosidl complains there, too
                types = self.parse(key, package, kind, name, text)
        except Exception as error:  # whatever rosidl's parser throws: NameError, ValueError, its own
            raise InterfaceError(f"{path}: {error}") from error
        self.types.update((t.name, t) for t in types)
        return types

    @staticmethod
    def parse(key, package, kind, name, text):
        if kind == "msg":
            return [type_of(key, parser.parse_message_string(package, name, text), text)]
        parts = parts_of(text)
        if kind == "srv":
            service = parser.parse_service_string(package, name, text)
            return service_types(key, type_of(f"{key}_Request", service.request, parts[0]),
                                 type_of(f"{key}_Response", service.response, parts[1]))
        action = parser.parse_action_string(package, name, text)
        return action_types(key, *(type_of(f"{key}_{part}", getattr(action, part.lower()), text)
                                   for part, text in zip(("Goal", "Result", "Feedback"), parts)))

    def type(self, name):
        if name not in self.types:
            package, kind, short = name.split("/")
            self.load(package, kind, short.split("_")[0])
        return self.types[name]

    def nested_types(self, name, seen=None):
        """All types that one holds, itself left out, each once, in the order of first use."""
        seen = {} if seen is None else seen
        for field in self.type(name).fields:
            if field.nested and field.nested not in seen:
                seen[field.nested] = True
                self.nested_types(field.nested, seen)
        return list(seen)

    def description(self, name):
        return {"type_name": name, "fields": [
            {"name": f.name, "type": {"type_id": f.type_id, "capacity": f.capacity,
                                      "string_capacity": f.string_capacity, "nested_type_name": f.nested}}
            for f in self.type(name).fields]}

    def hash(self, name):
        whole = {"type_description": self.description(name),
                 "referenced_type_descriptions": [self.description(n) for n in sorted(self.nested_types(name))]}
        return "RIHS01_" + hashlib.sha256(json.dumps(whole).encode()).hexdigest()

    def schema(self, name):
        """The ros2msg text: the definition, then those of all nested types."""
        text = self.type(name).text.rstrip("\n") + "\n"
        for other in self.nested_types(name):
            package, _, short = other.split("/")
            text += f"{RULE}\nMSG: {package}/{short}\n{self.type(other).text.rstrip()}\n"
        return text
