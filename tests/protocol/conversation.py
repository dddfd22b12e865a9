"""A capture of one server's port as a conversation: TCP streams put together, frames and datagrams decoded and counted.

What the page states of more than one message is checked here, too: who may send what, counted frames without a gap,
acknowledgements, tokens and nonces, assets and images, every record of every state and, in lockstep, every digest.
"""
import collections

import decode
from decode import DATAGRAMS, FRAMES, Malformed, canonical, need

import client as lockstep
from wire import xxh3
from world import World

NUMBER = {row.name: kind for kind, row in FRAMES.items()}
HOSTS = (1, 2)  # roles


class Stream:
    """One direction of a TCP connection: its bytes in order, whatever came twice, early or in larger pieces."""

    def __init__(self):
        self.next, self.early, self.data = None, {}, bytearray()

    def feed(self, seq, syn, payload):
        if syn:
            self.next = seq + 1 & 0xFFFFFFFF
            return
        if not payload or self.next is None:
            return
        self.early[seq] = max(payload, self.early.get(seq, b""), key=len)
        while True:
            for seq, payload in sorted(self.early.items()):
                known = (self.next - seq) & 0xFFFFFFFF
                if known < 1 << 31:  # begins here or before
                    del self.early[seq]
                    self.data += payload[known:]
                    self.next = self.next + max(0, len(payload) - known) & 0xFFFFFFFF
                    break
            else:
                return


class Link:
    def __init__(self):
        self.streams = {True: Stream(), False: Stream()}  # by "from the server"
        self.peer, self.bulk, self.life, self.relay, self.greeted, self.resumed = None, False, False, False, False, False


class Peer:
    """A connection."""

    def __init__(self, number, token, role):
        self.number, self.token, self.role = number, token, role
        self.counted = {True: 0, False: 0}
        self.seqs = {True: set(), False: set()}
        self.nonces, self.asked, self.image, self.follower = set(), set(), b"", None


class Silent:
    """The link of a follower that only listens."""

    @staticmethod
    def send(kind, payload=b"", counted=False):
        pass


class Follower(lockstep.Host):
    """Reads lockstep beside a host that takes part, from what it gets and what it sends: each record, each digest."""

    def __init__(self, setup):
        self.link = Silent()
        self.begin(setup)

    def tails(self):
        tails = collections.defaultdict(list)
        for entity in self.world.entities.values():
            tails[entity.owner].append(len(entity.tail))
        return dict(tails)


class Conversation:
    def __init__(self, port, free):
        self.port, self.free = port, free
        self.links, self.peers, self.addresses = collections.defaultdict(Link), {}, {}
        self.count = collections.Counter()  # (kind of table, type, from the server) and "bytes" of each
        self.samples = {}                   # of each type: bytes and the decoder that takes them
        self.kinds = collections.defaultdict(collections.Counter)  # what there was inside
        self.assets, self.chunks = {}, {}
        self.mirror, self.models, self.joints = None, {}, set()
        self.followed, self.unfollowed = set(), []

    # What the network delivered.
    def packet(self, proto, source, target, payload, seq, syn):
        from_server = source == self.port
        if proto == "udp":
            parts = decode.apart(payload)
            self.kinds["packets of datagrams"]["of one" if len(parts) == 1 else "of several"] += 1
            for data in parts:
                self.datagram(from_server, target if from_server else source, data)
            return
        other = target if from_server else source
        if syn and not from_server:
            self.end_of(self.links.pop(other, None))  # a port that is used again
        link = self.links[other]
        stream = link.streams[from_server]
        stream.feed(seq, syn, payload)
        at = 0
        while True:
            try:
                got = decode.cut_frame(stream.data, at, decode.MAX_FRAME if link.greeted else decode.MAX_GREETING)
            except Malformed as error:
                raise Malformed(f"TCP from {source} to {target}: {error}")
            if not got:
                break
            frame, at = got
            try:
                self.frame(link, from_server, frame)
            except (Malformed, AssertionError) as error:
                name = FRAMES[frame.kind].name if frame.kind in FRAMES else "?"
                raise Malformed(f"frame {frame.kind} ({name}), {len(frame.payload)} bytes, from {source} to {target}: "
                                f"{type(error).__name__}: {error}")
        del stream.data[:at]

    @staticmethod
    def end_of(link):
        for stream in link.streams.values() if link else ():
            need(not stream.data and not stream.early, f"{len(stream.data)} bytes of half a frame at the end of a link")

    def end(self):
        for link in self.links.values():
            self.end_of(link)
        for digest in self.unfollowed:
            need(digest in self.followed, "a frame of states that no host sent or got")
        for number, joints in self.joints:
            has = self.models.get(number)
            need(joints in (0, has), f"{joints} joints of entity {number}, which has {has}")

    def taken(self, table, kind, from_server, size, data, decoder):
        self.count[table, kind, from_server] += 1
        self.count[table, kind, "bytes"] += size
        held = self.samples.get((table, kind), (None, None))[0]
        # The largest that is small, for the test with damaged bytes.
        if held is None or len(held) < len(data) <= 320 or len(data) < len(held) > 320:
            self.samples[table, kind] = (data, decoder)

    # Frames.
    def frame(self, link, from_server, frame):
        need(frame.kind in FRAMES, "an unknown type")
        row, peer = FRAMES[frame.kind], link.peer
        need(link.greeted or row.name in ("hello", "welcome", "decline", "asset_request"), "before the greeting")
        need("both" in row.sender or ("server" in row.sender) == from_server, f"not sent by {row.sender}")
        bulk = "bulk link" in row.sender
        need(bulk == link.bulk or row.name in ("hello", "heartbeat", "goodbye"), "on the wrong link")
        need(not link.life or (row.name in ("hello", "heartbeat") and not from_server), "on the link for signs of life")
        need(row.name != "heartbeat" or link.life or not frame.payload, "a heartbeat with a text")
        need("host" not in row.sender or peer.role in HOSTS, "a host's, from another")
        need(not link.relay or row.name in ("hello", "samples"), "on a link for samples")
        need((frame.seq != 0) == (row.counted == "yes" and not link.relay), f"seq {frame.seq}, but counted: {row.counted}")
        # After a resume the same frames may come again, with their old numbers.
        again = link.resumed and 0 < frame.seq <= peer.counted[from_server]
        if peer and frame.seq and not again:
            peer.counted[from_server] += 1
            need(frame.seq == peer.counted[from_server], f"seq {frame.seq}, not {peer.counted[from_server]}")
        if peer:
            need(frame.ack <= peer.counted[not from_server], f"ack {frame.ack} of what was not sent")
        follower = peer.follower if peer else None
        tails = follower.tails() if follower and row.name == "states" else {}
        if row.name == "states" and (again or not follower):
            self.unfollowed.append(xxh3(frame.payload))
            self.count["frame", frame.kind, from_server] += 1
            self.count["frame", frame.kind, "bytes"] += len(frame.payload)
            return
        decoder = lambda data, kind=frame.kind: decode.frame_value(kind, data, from_server, tails)
        value = decoder(frame.payload)
        self.taken("frame", frame.kind, from_server, len(frame.payload), frame.payload, decoder)
        if again:
            return
        if row.name == "states":
            self.followed.add(xxh3(frame.payload))
        handler = getattr(self, f"on_{row.name}", None)
        if handler:
            handler(link, value)
        if peer and peer.follower and (from_server or row.name == "states"):
            peer.follower.take(frame.kind, frame.payload)

    def on_hello(self, link, value):
        hello = dict(value)
        need(link.peer is None and not link.greeted, "a second Hello")
        link.hello = hello
        beside = next((kind for kind in ("bulk", "life", "relay") if kind in hello), None)
        if beside:
            said = dict(hello[beside])
            need(said["connection"] in self.peers, "another link of an unknown connection")
            link.peer, link.greeted = self.peers[said["connection"]], True
            setattr(link, beside, True)
            self.kinds["link"][beside] += 1
            need(said["token"] == link.peer.token, "another link with another token than Welcome's")
        elif "resume" in hello:
            said = dict(hello["resume"])
            need(said["connection"] in self.peers, "an unknown connection goes on")
            link.peer, link.resumed = self.peers[said["connection"]], True
            need(said["token"] == link.peer.token, "a connection goes on with another token than Welcome's")
            need(said.get("received", 0) <= link.peer.counted[True], "more was received than was sent")

    def on_welcome(self, link, value):
        welcome = dict(value)
        if link.resumed:
            need(set(welcome) <= {"connection", "scenario", "received"}, f"a Welcome back with {', '.join(welcome)}")
            need(welcome["connection"] == link.peer.number, "another connection")
            need(welcome["scenario"] == link.peer.scenario, "another scenario")
            need(welcome.get("received", 0) <= link.peer.counted[False], "more was received than was sent")
            self.kinds["link"]["resumed"] += 1
            link.greeted = True
            return
        need(len(welcome["token"]) == 16 and welcome["connection"] not in self.peers, "a wrong token or number")
        need(welcome.get("free_mode", 0) == self.free, "free_mode is wrong")
        need(welcome["udp_port"] == self.port, "another UDP port")
        peer = Peer(welcome["connection"], welcome["token"], link.hello["role"])
        peer.scenario = welcome["scenario"]
        self.peers[peer.number] = link.peer = peer
        link.greeted = True

    def on_decline(self, link, value):
        self.kinds["decline"][dict(value)["code"]] += 1

    def on_nonce(self, link, value):
        link.peer.nonces.add(value[0])

    def on_asset_chunk(self, link, value):
        hash_, offset, total, data = value
        chunks = self.chunks.setdefault((link.peer.number, hash_), bytearray())
        need(offset == len(chunks), "a chunk out of order")
        chunks += data
        if len(chunks) == total:
            need(xxh3(bytes(chunks)) == hash_, "an asset with another hash")
            self.assets[hash_] = bytes(chunks)
            canonical("Setup", self.assets[hash_])
            self.taken("inside", "Setup", True, total, self.assets[hash_], lambda d: canonical("Setup", d))

    def on_image(self, link, piece):
        peer = link.peer
        need(piece["offset"] == len(peer.image), "a piece of an image out of order")
        # The first host: what it gets and sends together is all that there is.
        if not self.free and peer.role == 1 and not any(p.follower for p in self.peers.values()):
            peer.follower = Follower(self.assets[peer.scenario])
        peer.image += piece["bytes"]
        if len(peer.image) == piece["total"]:
            self.taken("inside", "WorldImage", True, len(peer.image), peer.image, lambda d: canonical("WorldImage", d))
            canonical("WorldImage", peer.image)
            if self.free and self.mirror is None:
                self.mirror = (peer, World(self.assets[peer.scenario]))
                self.mirror[1].load_image(peer.image)
                self.learn()

    def learn(self):
        for entity in self.mirror[1].entities.values():
            self.models[entity.number] = len(self.mirror[1].models[entity.model]["joints"])

    def on_edits(self, link, edits):
        for which, edit in edits["edits"]:
            self.kinds["edit"][which] += 1
            if self.mirror and link.peer is self.mirror[0]:
                self.mirror[1].apply(which, edit, 0)
                self.learn()

    def on_open(self, link, said):
        self.on_edits(link, said["edits"])
        for which, _ in said["inputs"]:
            self.kinds["input"][which] += 1

    def on_inputs(self, link, said):
        for which, _ in said["inputs"]:
            self.kinds["input"][which] += 1

    def on_taken(self, link, said):
        for change in said["changes"]:
            self.kinds["element " + ("appeared", "changed", "gone")[change["kind"]]][change["type"]] += 1

    def on_elements(self, link, said):
        self.kinds["element by frame"][said[0]] += 1

    def on_request(self, link, value):
        self.kinds["method"][value[-1][0]] += 1

    # Datagrams.
    def datagram(self, from_server, address, data):
        try:
            self.sound_datagram(from_server, address, decode.cut_datagram(data), len(data))
        except Malformed as error:
            kind = data[0] if data else 0
            name = DATAGRAMS[kind].name if kind in DATAGRAMS else "?"
            raise Malformed(f"datagram {kind} ({name}), {len(data)} bytes, {'to' if from_server else 'from'} "
                            f"{address}: {error}")

    def sound_datagram(self, from_server, address, datagram, size):
        need(datagram.kind in DATAGRAMS, "an unknown type")
        row = DATAGRAMS[datagram.kind]
        need("both" in row.sender or ("server" in row.sender) == from_server, f"not sent by {row.sender}")
        need(datagram.connection in self.peers, f"connection {datagram.connection} is unknown")
        peer = self.peers[datagram.connection]
        seqs = peer.seqs[from_server]
        need(datagram.seq >= 1 and datagram.seq not in seqs, f"seq {datagram.seq} again")
        need(datagram.ack <= max(peer.seqs[not from_server], default=0), f"ack {datagram.ack} of what was not sent")
        seqs.add(datagram.seq)
        flags = datagram.flags
        decoder = lambda data, kind=datagram.kind: decode.datagram_value(kind, flags, data)
        value = decoder(datagram.payload)
        self.taken("datagram", datagram.kind, from_server, size, datagram.payload, decoder)
        if row.payload.startswith("token"):
            need(value[0] == peer.token, "another token than Welcome's")
            self.addresses.setdefault(peer.number, set()).add(address)
        elif row.name == "answer":
            need(value[0] in peer.nonces, "an answer with another nonce than the server's")
        elif row.name == "clock":
            need(value[0] in peer.asked or not from_server, "an answer to no probe")
            peer.asked.add(value[0])
        elif row.name == "states":
            for _, _, joints, states in value:
                self.kinds["states with joints" if joints else "states without"]["records"] += len(states)
                self.joints |= {(state["number"], joints) for state, _ in states}
        elif row.name == "elements":
            self.kinds["list"]["full" if flags == decode.FULL else "delta" if value[3] else "empty delta"] += 1
