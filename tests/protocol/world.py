"""The world as lockstep changes it, written from sections 6 to 9 of docs/protocol.md: its entities, each edit, the digest."""
import math
import struct

from wire import chain, load, save, xxh3


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def rotate(q, v):
    u = q[1:]
    t = tuple(2.0 * c for c in cross(u, v))
    return tuple(v[i] + q[0] * t[i] + c for i, c in enumerate(cross(u, t)))


def times(a, b):
    """Poses as (position, quaternion)."""
    (p, q), (s, r) = a, b
    turned = rotate(q, s)
    return (tuple(p[i] + turned[i] for i in range(3)),
            (q[0] * r[0] - q[1] * r[1] - q[2] * r[2] - q[3] * r[3], q[0] * r[1] + q[1] * r[0] + q[2] * r[3] - q[3] * r[2],
             q[0] * r[2] - q[1] * r[3] + q[2] * r[0] + q[3] * r[1], q[0] * r[3] + q[1] * r[2] - q[2] * r[1] + q[3] * r[0]))


def inverse(x):
    q = (x[1][0], -x[1][1], -x[1][2], -x[1][3])
    return rotate(q, tuple(-c for c in x[0])), q


def tuple_of(struct_value):
    return tuple(struct_value.values())


def pose_of(p):
    return tuple_of(p["p"]), tuple_of(p["q"])


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x + 0.0))[0]


def numbers(words):
    return struct.unpack(f"<{len(words)}d", struct.pack(f"<{len(words)}Q", *words))


class Entity:
    def __init__(self, number, spec, model, owner):
        self.number, self.spec, self.model, self.owner = number, spec, model, owner
        self.parent, self.X_PC = 0, ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
        self.words, self.tail, self.inside = [0] * 15, [], (0, 0)

    def put(self, stamp, pose, v, w):
        self.words[:14] = [stamp] + [bits(x) for x in (*pose[0], *pose[1], *v, *w)]

    def moved(self):
        self.words[14] += 1

    @property
    def pose(self):
        n = numbers(self.words[1:8])
        return n[:3], n[3:]

    @property
    def twist(self):
        n = numbers(self.words[8:14])
        return n[:3], n[3:]


class World:
    def __init__(self, setup_bytes):
        self.setup_bytes = setup_bytes
        setup = load("Setup", setup_bytes)
        assert save("Setup", setup) == setup_bytes, "the setup does not encode to the bytes that came"
        self.tick_ns = setup["tick"]
        for spec in setup["entities"]:
            spec["host"] = ""
        of_sets = [sensor for one in setup["sensors"]["sets"] for sensor in one["sensors"]]
        for one in of_sets + [sensor for spec in setup["entities"] for sensor in spec["sensors"]] + setup["sensors"]["types"]:
            one["load"] = None
        setup["sensors"]["policy"] = 0
        shapes = {f["hash"] for m in setup["models"] for f in m["files"] if f["name"] == "convoy:shapes"}
        for model in setup["models"]:
            model["files"] = [f for f in model["files"] if f["name"] != "convoy:shapes"]
        setup["files"] = [f for f in setup["files"] if xxh3(f) not in shapes]
        self.setup, self.seed = setup, xxh3(save("Setup", setup, hashed=True))
        self.digest = None

    def load_image(self, data):
        image = load("WorldImage", data)
        self.models, self.structure, self.next_number = image["models"], image["structure"], image["next_number"]
        self.entities = {}
        for e, state, tail in zip(image["entities"], image["states"], image["tails"]):
            entity = Entity(e["number"], e["spec"], e["model"], e["owner"])
            entity.parent, entity.X_PC = e["parent"], pose_of(e["X_PC"])
            entity.words = list(struct.unpack("<15Q", save("State", state)))
            entity.tail = [bits(x) for x in tail]
            self.entities[entity.number] = entity

    def owned_by(self, owner):
        return [e for e in self.entities.values() if e.owner == owner]

    def children(self, number):
        return [e for e in self.entities.values() if e.parent == number]

    def tail_at_start(self, model):
        joints = len(model["joints"])
        return [bits(x) for x in model["start"] or [0.0] * joints] + [0] * (joints + (6 if model["files"] else 0))

    def begin(self, entity, stamp):
        model = self.models[entity.model]
        keyframe = next((k for k in model["keyframes"] if k["name"] == entity.spec["keyframe"] != ""), None)
        pose = pose_of(entity.spec["pose"])
        entity.tail = self.tail_at_start(model)
        if keyframe:
            pose = times(pose, pose_of(keyframe["X_SR"]))
            entity.tail[: len(keyframe["joints"])] = [bits(x) for x in keyframe["joints"]]
        at = 0
        while pose_of(entity.spec["pose"]) != ((0, 0, 0), (1, 0, 0, 0)) and at + 7 <= len(model["joints"]):
            if model["joints"][at].endswith(":x") and model["joints"][at + 3].endswith(":qw"):
                n = numbers(entity.tail[at : at + 7])
                p, q = times(pose_of(entity.spec["pose"]), (n[:3], n[3:]))
                entity.tail[at : at + 7] = [bits(x + 0.0) for x in (*p, *q)]
                at += 6
            at += 1
        entity.put(stamp, pose, (0.0,) * 3, (0.0,) * 3)

    def spawn(self, spec, owner, stamp):
        model = next(i for i, m in enumerate(self.models) if m["name"] == spec["model"])
        entity = Entity(self.next_number, spec, model, owner)
        self.begin(entity, stamp)
        self.entities[entity.number] = entity
        self.next_number += 1

    def follow(self, child, stamp):
        parent = self.entities[child.parent]
        pose, (v, w) = times(parent.pose, child.X_PC), parent.twist
        lever = cross(w, tuple(a - b for a, b in zip(pose[0], parent.pose[0])))
        child.put(stamp, pose, tuple(a + b for a, b in zip(v, lever)), w)

    def children_follow(self, number, stamp):
        for child in self.children(number):
            self.follow(child, stamp)
            child.moved()
            self.children_follow(child.number, stamp)

    def detach(self, entity):
        entity.parent = 0
        entity.moved()

    def carry(self, number=0):
        """Snapshot k is complete: what is attached goes where its parent has gone."""
        for parent in [e for e in self.entities.values() if e.parent == 0] if number == 0 else [self.entities[number]]:
            for child in self.children(parent.number):
                self.follow(child, max(child.words[0], parent.words[0]))
                self.carry(child.number)

    def apply(self, which, e, stamp):
        """True if it was a reset of the whole world."""
        if which != "Move":
            if which == "Spawn":
                said = {"spec": {**e["spec"], "host": ""}, "owner": 0}
            elif which == "Return":
                said = {**e, "owner": 0}
            else:
                said = e
            h = xxh3(save("Edit", (which, said), hashed=True))
            if which == "Lease":
                h = sum(xxh3(save("Edit", (which, {**e, "entities": [n]}), hashed=True)) for n in e["entities"])
            if which in ("SetState", "PutBody", "SetPart", "Lease") or (which == "Reset" and e["entities"]):
                self.structure = (self.structure + h) % (1 << 64)
            else:
                self.structure = chain(self.structure, h)
        if which == "Spawn":
            self.spawn(e["spec"], e["owner"], stamp)
        elif which == "Delete":
            for child in self.children(e["entity"]):
                self.detach(child)
            del self.entities[e["entity"]]
        elif which == "SetState":
            entity = self.entities[e["entity"]]
            twist = e["twist"] or {"v": dict(x=0.0, y=0.0, z=0.0), "w": dict(x=0.0, y=0.0, z=0.0)}
            entity.put(stamp, entity.pose if e["keep_pose"] else pose_of(e["pose"]), tuple_of(twist["v"]), tuple_of(twist["w"]))
            entity.moved()
            self.children_follow(entity.number, stamp)
        elif which == "PutBody":
            entity = self.entities[e["entity"]]
            entity.put(stamp, pose_of(e["pose"]), tuple_of(e["twist"]["v"]), tuple_of(e["twist"]["w"]))
            entity.tail, entity.inside = [bits(x) for x in e["tail"]], (0, 0)
            entity.moved()
            self.children_follow(entity.number, stamp)
        elif which == "Attach":
            child, parent = self.entities[e["child"]], self.entities[e["parent"]]
            child.parent, child.X_PC = parent.number, times(inverse(parent.pose), child.pose)
            child.moved()
        elif which == "Detach":
            self.detach(self.entities[e["child"]])
        elif which == "AddModel":
            self.models.append(e["model"])
        elif which == "AddFile":
            pass  # what models are made of is for who runs them
        elif which == "Freeze":
            entity = self.entities[e["entity"]]
            entity.owner, entity.words[8:14], entity.inside = 0, [0] * 6, (0, 0)
        elif which == "Return":
            entity = self.entities[e["entity"]]
            entity.owner, entity.words[0], entity.inside = e["owner"], stamp & (1 << 64) - 1, (0, 0)
            joints = len(self.models[entity.model]["joints"])
            entity.tail = entity.tail[:joints] + [0] * (len(entity.tail) - joints)
        elif which == "SetPart":
            entity = self.entities[e["entity"]]
            if e["kind"] == 1:
                joints = self.models[entity.model]["joints"]
                at = joints.index(e["name"])
                position, velocity = (*e["values"], 0.0)[:2]
                entity.tail[at], entity.tail[len(joints) + at] = bits(position), bits(velocity)
                entity.words[0] = stamp & (1 << 64) - 1
                entity.moved()
            elif e["kind"] == 2:
                at = self.models[entity.model]["joints"].index(e["name"] + ":x")
                length = math.sqrt(sum(x * x for x in e["values"][3:]))
                values = [*e["values"][:3], *(x / length for x in e["values"][3:])]
                entity.tail[at : at + len(values)] = [bits(x + 0.0) for x in values]
        elif which == "SetTags":
            self.entities[e["entity"]].spec["tags"] = e["tags"]
        elif which == "Mount":
            self.entities[e["child"]].X_PC = pose_of(e["X_PC"])
        elif which == "Move":
            self.entities[e["entity"]].owner = e["owner"]
        elif which == "Reset" and e["entities"]:
            for number in e["entities"]:
                entity = self.entities[number]
                if entity.parent:
                    self.detach(entity)
                self.begin(entity, stamp)
                entity.moved()
                entity.inside = (0, 0)
                self.children_follow(number, stamp)
        elif which == "Reset":
            owners = {x.spec["name"]: x.owner for x in self.entities.values()}
            self.models, self.entities = list(self.setup["models"]), {}
            self.structure, self.next_number, self.digest = 0, 1, self.seed
            for spec in self.setup["entities"]:
                self.spawn(spec, owners.get(spec["name"], 0), 0)
            return True
        return False

    def chain_digest(self, tick):
        words = [tick & (1 << 64) - 1, self.structure]
        for e in self.entities.values():
            assert len(e.tail) <= 64
            words += [e.number, xxh3(struct.pack(f"<{17 + len(e.tail)}Q", *e.words, *e.inside, *e.tail))]
        self.digest = chain(self.digest, xxh3(struct.pack(f"<{len(words)}Q", *words)))
