#!/usr/bin/env python3
"""Compares msgs/ with ROS 2 Jazzy: what the definitions contain, type hashes, CDR bytes and printing.

    tools/check_msgs.py facts PATH/TO/types_helper            against the facts in msgs/jazzy.txt; a few seconds
    tools/check_msgs.py jazzy PATH/TO/types_helper [--write]  against Jazzy itself; --write makes msgs/jazzy.txt of it

`facts` is a test of every run. `jazzy` runs in the environment that scripts/python-env.sh ros makes, in scripts/deep.sh,
with the packages that tools/ros_types.py adds, if PYTHONPATH has them.
msgs/jazzy.txt holds, one a line, "NAME RIHS01_..." for every type, and "cdr PACKAGE SHA256" of the CDR of the helper's
filled messages, which Jazzy, or where no wheel has the package rosbags, has read and written again as the same bytes.
"""
import argparse
import contextlib
import graphlib
import hashlib
import importlib
import importlib.util
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "msgs" / "jazzy.txt"
sys.path.insert(0, str(ROOT / "msgs" / "generator"))
import interfaces

SEED, SEEDS = 1, 8
# Packages that no wheel has: their hashes come from Jazzy's own algorithm, over our definitions.
OWN = {"convoy_msgs"}  # this project's, which Jazzy does not have
NO_WHEEL = {"bond", "control_msgs", "convoy_test_msgs", "example_interfaces", "geographic_msgs", "map_msgs", "moveit_msgs",
            "nav2_msgs", "object_recognition_msgs", "octomap_msgs", "simulation_interfaces", "statistics_msgs", "tf2_msgs",
            "ue_msgs", "vision_msgs"}
FOLDERS = [ROOT / "msgs", ROOT / "msgs" / "runtime" / "testing"]


def check(condition, text):
    if not condition:
        sys.exit(f"check_msgs: {text}")


def ours():
    """Every package's definitions: {(package, kind, name): [types]}."""
    known = interfaces.Interfaces(FOLDERS)
    found = {}
    packages = {path.parent.name for root in FOLDERS for kind in interfaces.KINDS for path in root.glob(f"*/{kind}")}
    for package in sorted(packages - OWN):
        for kind, name, _ in known.files(package):
            found[package, kind, name] = known.load(package, kind, name)
    return known, found


def file_of(package, kind, name):
    return next(path for path in (root / package / kind / f"{name}.{kind}" for root in FOLDERS) if path.exists())


def helper_lines(helper, *arguments, text=None):
    done = subprocess.run([helper, *map(str, arguments)], input=text, capture_output=True, text=True)
    check(done.returncode == 0, f"{' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return done.stdout.splitlines()


def filled(helper):
    """[(type name, hex of its CDR)], the same ones every time."""
    return [tuple(line.split()) for line in helper_lines(helper, "fill", SEED, SEEDS)]


def digests(messages):
    sums = {}
    for name, data in messages:
        sums.setdefault(name.split("/")[0], hashlib.sha256()).update(f"{name} {data}\n".encode())
    return {package: digest.hexdigest() for package, digest in sums.items()}


def compare(what, got, want):
    for name in sorted(set(got) | set(want)):
        check(got.get(name) == want.get(name), f"{what} of {name} is {got.get(name)}; Jazzy's is {want.get(name)}")


def check_facts(helper):
    lines = [line.split() for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    hashes = {line[0]: line[1] for line in lines if len(line) == 2}
    sums = {line[1]: line[2] for line in lines if line[0] == "cdr"}
    known, found = ours()
    compare("the hash", {t.name: known.hash(t.name) for types in found.values() for t in types}, hashes)
    compare("the compiled hash", dict(line.split() for line in helper_lines(helper, "types")), hashes)
    compare("the CDR", digests(filled(helper)), sums)
    print(f"check_msgs: {len(hashes)} hashes and the CDR of {len(sums)} packages agree with {TABLE.name}")


# ---- with Jazzy

def content(specification):
    """What a definition contains: constants and fields with their types, values and defaults."""
    return ([(c.type, c.name, c.value) for c in specification.constants],
            [(str(f.type), f.name, f.default_value) for f in specification.fields])


def contents(package, kind, name, text):
    from rosidl_adapter import parser
    if kind == "msg":
        return [content(parser.parse_message_string(package, name, text))]
    if kind == "srv":
        service = parser.parse_service_string(package, name, text)
        return [content(service.request), content(service.response)]
    action = parser.parse_action_string(package, name, text)
    return [content(action.goal), content(action.result), content(action.feedback)]


def compare_definitions(share, found):
    """Both ways: every definition of Jazzy's packages is here, and contains the same."""
    count = 0
    for package in sorted({p for p, _, _ in found} - NO_WHEEL):
        for kind in interfaces.KINDS:
            theirs = {path.stem: path for path in (share / package / kind).glob(f"*.{kind}")}
            mine = {name for p, k, name in found if (p, k) == (package, kind)}
            check(set(theirs) == mine, f"{package}/{kind}: {sorted(set(theirs) ^ mine)} are here or there only")
            for name, path in theirs.items():
                text = (ROOT / "msgs" / package / kind / path.name).read_text()
                check(contents(package, kind, name, text) == contents(package, kind, name, path.read_text()),
                      f"{package}/{kind}/{name} differs from Jazzy's")
                count += 1
    print(f"check_msgs: {count} definitions say what Jazzy's say")


def compare_with_rosbags(known):
    """The second opinion on packages without a wheel."""
    from rosbags.typesys import Stores, get_typestore
    from rosbags.typesys.msg import get_types_from_msg
    store = get_typestore(Stores.ROS2_JAZZY)
    for name in [n for n in store.fielddefs if n.split("/")[0] in NO_WHEEL]:
        package, kind, short = name.split("/")
        constants, fields = get_types_from_msg(file_of(package, kind, short).read_text(), name)[name]
        theirs = [one for one in store.fielddefs[name][1] if one[0] != "structure_needs_at_least_one_member"]  # of .idl
        check((constants, fields) == (store.fielddefs[name][0], theirs), f"{name} differs from rosbags' Jazzy store")
        print(f"check_msgs: {name} says what rosbags' Jazzy store says")


def jazzy_hashes(share, found):
    hashes = {}
    for package, kind, name in found:
        if package not in NO_WHEEL:
            known = json.loads((share / package / kind / f"{name}.json").read_text())["type_hashes"]
            hashes.update({entry["type_name"]: entry["hash_string"] for entry in known
                           if entry["type_name"].startswith(f"{package}/{kind}/")})
    with tempfile.TemporaryDirectory() as folder:
        generated = pathlib.Path(folder)
        for package in used_first(found):
            hashes.update(generated_hashes(share, generated, package, [(k, n) for p, k, n in found if p == package]))
    return hashes


def used_first(found):
    """The packages without a wheel, each after those of them whose types it uses."""
    uses = {package: set() for package in sorted(NO_WHEEL)}
    for (package, _, _), types in found.items():
        if package in NO_WHEEL:
            uses[package] |= {f.nested.split("/")[0] for t in types for f in t.fields if f.nested} & NO_WHEEL - {package}
    return graphlib.TopologicalSorter(uses).static_order()


def generated_hashes(share, generated, package, definitions):
    """Jazzy's generator writes what it knows of a package to generated/PACKAGE, and reads there of those before it."""
    from rosidl_adapter import convert_to_idl
    from rosidl_generator_type_description import generate_type_hash
    others = [path for folder in (share, generated) for path in folder.iterdir() if path.is_dir()]
    out = generated / package
    out.mkdir()
    with contextlib.redirect_stdout(io.StringIO()):
        for kind, name in definitions:
            folder_of_package = file_of(package, kind, name).parent.parent
            convert_to_idl(folder_of_package, package, pathlib.Path(kind) / f"{name}.{kind}", out)
    arguments = out / "arguments.json"
    arguments.write_text(json.dumps({
        "package_name": package, "output_dir": str(out),
        "idl_tuples": [f"{out}:{kind}/{name}.idl" for kind, name in definitions],
        "include_paths": [f"{path.name}:{path}" for path in others]}))
    generate_type_hash(str(arguments))
    entries = [entry for kind, name in definitions
               for entry in json.loads((out / kind / f"{name}.json").read_text())["type_hashes"]]
    return {e["type_name"]: e["hash_string"] for e in entries if e["type_name"].startswith(f"{package}/")}


def message_class(name):
    """The Python class of "pkg/msg/Name" or "pkg/srv/Name_Request"; None: neither a wheel nor tools/ros_types.py has it."""
    from rosidl_pycommon import convert_camel_case_to_lower_case_underscore as snake
    package, kind, short = name.split("/")
    if importlib.util.find_spec(package) is None:
        return None
    return getattr(importlib.import_module(f"{package}.{kind}._{snake(short.split('_')[0])}"), short)


def random_value(kind, rng):
    from rosidl_parser.definition import AbstractGenericString, AbstractNestedType, Array, BasicType, BoundedSequence
    if isinstance(kind, AbstractNestedType):
        count = rng.randrange(4)
        if isinstance(kind, Array):
            count = kind.size
        elif isinstance(kind, BoundedSequence):
            count = min(count, kind.maximum_size)
        return [random_value(kind.value_type, rng) for _ in range(count)]
    if isinstance(kind, AbstractGenericString):
        return "".join(rng.choice("abZ09 _/.:é世\n'\"") for _ in range(rng.randrange(8)))
    if isinstance(kind, BasicType):
        return random_basic(kind.typename, rng)
    return random_message(message_class("/".join(kind.namespaced_name())), rng)


def random_basic(name, rng):
    if name == "boolean":
        return rng.random() < 0.5
    if name == "octet":
        return bytes([rng.randrange(256)])
    if name in ("float", "double"):
        return float(rng.randrange(-2**20, 2**20)) / 16
    bits = int(name.strip("uint"))
    return rng.randrange(2**bits) if name.startswith("u") else rng.randrange(-2**(bits - 1), 2**(bits - 1))


def random_message(cls, rng):
    message = cls()
    for (name, _), kind in zip(cls.get_fields_and_field_types().items(), cls.SLOT_TYPES):
        value = random_value(kind, rng)
        current = getattr(message, name)
        if type(current).__name__ == "ndarray":
            import numpy
            value = numpy.array(value, dtype=current.dtype)
        setattr(message, name, value)
    return message


def plain(value):
    """A Jazzy message as what YAML can express."""
    if hasattr(value, "get_fields_and_field_types"):
        return {name: plain(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if isinstance(value, bytes):
        return value[0]
    if isinstance(value, (str, bool, int, float)):
        return value
    return [plain(v.item() if hasattr(v, "item") else v) for v in value]


def same_but_padding(ours, jazzys):
    """rmw_fastrtps leaves whatever was there in padding, and now and then behind the message; ours has zeros."""
    ours, jazzys = bytes.fromhex(ours), bytes.fromhex(jazzys)
    return len(ours) <= len(jazzys) and all(a in (0, b) for a, b in zip(ours, jazzys))


def read_by_ours(helper, messages):
    """[(hex as written again, YAML)] of [(type name, hex)]."""
    lines = helper_lines(helper, "read", text="".join(f"{name} {data}\n" for name, data in messages))
    for line in lines:
        check(" error " not in line, line)
    return [(line.split(" ")[1], bytes.fromhex(line.split(" ")[2]).decode()) for line in lines]


def ours_through_jazzy(helper, messages):
    from rclpy.serialization import deserialize_message, serialize_message
    messages = [(name, data) for name, data in messages if message_class(name) is not None]
    again = [(name, serialize_message(deserialize_message(bytes.fromhex(data), message_class(name))).hex())
             for name, data in messages]
    for (name, data), (_, jazzys), (back, _) in zip(messages, again, read_by_ours(helper, again)):
        check(same_but_padding(data, jazzys) and back == data, f"{name}: Jazzy makes {jazzys} of {data}")
    return len(messages)


def jazzys_through_ours(helper, names):
    """The same bytes come back, the same message for Jazzy; and what is printed is what it holds."""
    import yaml
    from rclpy.serialization import deserialize_message, serialize_message
    rng = random.Random(SEED)
    theirs = [(name, random_message(message_class(name), rng)) for name in names for _ in range(SEEDS)]
    sent = [(name, serialize_message(message).hex()) for name, message in theirs]
    for (name, message), (_, data), (back, text) in zip(theirs, sent, read_by_ours(helper, sent)):
        check(same_but_padding(back, data), f"{name}: Jazzy sent {data}, ours answers {back}")
        check(deserialize_message(bytes.fromhex(back), message_class(name)) == message,
              f"{name}: {back} is another one")
        check(yaml.safe_load(text) == plain(message), f"{name}: Jazzy holds {plain(message)}; ours prints\n{text}")
        written = yaml.dump(plain(message), allow_unicode=True, width=sys.maxsize, sort_keys=False)
        check(written == text or "'" in text or '"' in text, f"{name}: PyYAML prints\n{written}\nours\n{text}")
    return len(sent)


def compare_cdr(helper):
    messages = filled(helper)
    names = sorted({name for name, _ in messages})
    known = [name for name in names if message_class(name) is not None]
    there, back = ours_through_jazzy(helper, messages), jazzys_through_ours(helper, known)
    print(f"check_msgs: the CDR of {len(known)} message types goes both ways, {there} and {back} messages; "
          f"{len(names) - len(known)} types have no wheel")
    return messages


def compare_schemas(helper, messages):
    """rosbags, which knows nothing but our ros2msg texts, reads the CDR of each type and writes the same bytes."""
    from rosbags.typesys import Stores, get_typestore
    from rosbags.typesys.msg import get_types_from_msg
    stores = {}
    for name, data in messages:
        if name in ("example_interfaces/msg/WString", "convoy_test_msgs/msg/Everything"):
            continue  # rosbags knows no wstring
        short = name.replace("/srv/", "/msg/").replace("/action/", "/msg/")
        if name not in stores:
            stores[name] = get_typestore(Stores.EMPTY)
            stores[name].register(get_types_from_msg("\n".join([*helper_lines(helper, "schema", name), ""]), short))
        again = bytes(stores[name].serialize_cdr(stores[name].deserialize_cdr(bytes.fromhex(data), short), short)).hex()
        check(again == data, f"{name}: rosbags makes {again} of {data}")
    print(f"check_msgs: rosbags reads {len(stores)} message types by their schemas")


def check_jazzy(helper, write):
    share = pathlib.Path(sys.prefix) / "share"
    check((share / "std_msgs").is_dir(), "no ROS 2 here: scripts/python-env.sh ros makes .env/ros")
    known, found = ours()
    compare_definitions(share, found)
    compare_with_rosbags(known)
    hashes = jazzy_hashes(share, found)
    compare("the hash", {t.name: known.hash(t.name) for types in found.values() for t in types}, hashes)
    compare("the compiled hash", dict(line.split() for line in helper_lines(helper, "types")), hashes)
    print(f"check_msgs: {len(hashes)} hashes are Jazzy's")
    messages = compare_cdr(helper)
    compare_schemas(helper, messages)
    if write:
        lines = ["# Facts of ROS 2 Jazzy, made by tools/check_msgs.py jazzy --write."]
        lines += [f"cdr {package} {digest}" for package, digest in sorted(digests(messages).items())]
        lines += [f"{name} {value}" for name, value in sorted(hashes.items())]
        TABLE.write_text("\n".join(lines) + "\n")
    check_facts(helper)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("what", choices=["facts", "jazzy"])
    arguments.add_argument("helper")
    arguments.add_argument("--write", action="store_true")
    args = arguments.parse_args()
    if args.what == "facts":
        check_facts(args.helper)
    else:
        check_jazzy(args.helper, args.write)


if __name__ == "__main__":
    main()
