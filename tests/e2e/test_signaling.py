"""The signaling server as strangers meet it: wrong tokens, nonsense, crowds; and a streamer and a player of our own.

    .env/python/bin/python tests/e2e/test_signaling.py CONVOY [PART...]
"""
import contextlib
import json
import re
import socket
import sys
import time

import websockets.exceptions
import websockets.sync.client
from harness import new_bench

TOKENS = ("--player-token", "p1", "--streamer-token", "5ecret")


class Peer:
    """A WebSocket to the signaling server."""

    def __init__(self, port, path, **options):
        self.socket = websockets.sync.client.connect(f"ws://127.0.0.1:{port}{path}", proxy=None, **options)

    def json(self):
        return json.loads(self.socket.recv(20))

    def until(self, kind):
        while (message := self.json())["type"] != kind:
            pass
        return message

    def say(self, **message):
        self.socket.send(json.dumps(message))

    def closed(self):
        """Why it is closed by the server."""
        with contextlib.suppress(TimeoutError):
            try:
                while True:
                    self.socket.recv(20)
            except websockets.exceptions.ConnectionClosed as end:
                return end.rcvd.code, end.rcvd.reason
        return None


def refusal(port, path, **options):
    """The status with which it is not let in."""
    try:
        Peer(port, path, **options).socket.close()
    except websockets.exceptions.InvalidStatus as no:
        return no.response.status_code
    return None


@contextlib.contextmanager
def served(b, *arguments):
    with b.start("signaling", "--listen", "127.0.0.1:0", *TOKENS, *arguments) as server:
        yield server, int(re.search(r":(\d+)/", server.wait_for(r"video: (\S+)").group(1)).group(1))


def introduced(b):
    """A streamer and a player find each other by docs/viewer.md alone."""
    with served(b, "--stun", "stun.example:3478", "--turn", "turn.example:3478", "--turn-secret", "north") as (server, port):
        streamer, player = Peer(port, "/streamer?token=5ecret"), Peer(port, "/player?token=p1")
        servers = streamer.json()["peerConnectionOptions"]["iceServers"]
        b.check([one["urls"] for one in servers] == [["stun:stun.example:3478"], ["turn:turn.example:3478"]], "STUN and TURN are told", servers)
        until = int(servers[1]["username"].split(":")[0])
        b.check(time.time() + 3500 < until < time.time() + 3700 and servers[1]["credential"], "with credentials for an hour", servers)
        b.check(streamer.json() == {"type": "identify"}, "a streamer is asked who it is")
        streamer.say(type="endpointId", id="mine", protocolVersion="1.3.0")
        b.check(streamer.json() == {"type": "endpointIdConfirm", "committedId": "mine"}, "and is told by what id it is found")
        player.say(type="listStreamers")
        b.check(player.until("streamerList")["ids"] == ["mine"], "a player finds it")
        player.say(type="subscribe", streamerId="mine")
        who = streamer.until("playerConnected")["playerId"]
        streamer.say(type="offer", playerId=who, sdp="v=0")
        b.check(player.until("offer") == {"type": "offer", "sdp": "v=0"}, "an offer is handed on")
        player.say(type="answer", sdp="v=1")
        b.check(streamer.until("answer") == {"type": "answer", "sdp": "v=1", "playerId": who}, "and its answer, with who gives it")
        streamer.socket.close()
        b.check(player.until("streamerDisconnected"), "a player hears that its streamer is gone")
        server.wait_for("streamer 'mine' is gone")


def refused(b):
    """Strangers and nonsense are refused with a reason and counted, and the server stays up."""
    with served(b, "--max-players", 20) as (server, port):
        b.check(refusal(port, "/player?token=wrong") == 403, "a wrong token of a player")
        b.check(refusal(port, "/player") == 403, "none")
        b.check(refusal(port, "/streamer?token=p1") == 403, "a player's token for a streamer")
        b.check(refusal(port, "/player?token=p1", origin="http://elsewhere.example") == 403, "another origin")
        b.check(refusal(port, "/player?token=p1", origin="http://127.0.0.1:1") is None, "a page of this host at another port, which has the token")
        b.check(refusal(port, "/player?token=p1", origin="http://127.0.0.2:1") == 403, "one of another host")
        b.check(refusal(port, "/elsewhere?token=p1") == 404, "another place")
        player = Peer(port, "/player?token=p1")
        b.check(player.json()["type"] == "config", "a player is told how it can be reached")
        player.say(type="subscribe", streamerId="nobody")
        b.check(player.json() == {"type": "subscribeFailed", "message": "no streamer is called 'nobody'"}, "an unknown streamer")
        player.socket.send("{nonsense")
        b.check(player.closed() == (4403, "a message is a JSON object with a type"), "malformed JSON")
        large = Peer(port, "/player?token=p1")
        large.socket.send('{"type": "' + "x" * 100_000 + '"}')
        b.check(large.closed()[0] == 1009, "an oversized message")
        crowd = []
        for _ in range(1000):
            with contextlib.suppress(websockets.exceptions.WebSocketException, OSError):
                crowd.append(Peer(port, "/player?token=p1"))
        b.check(len(crowd) >= 20, "so many players may come", len(crowd))
        let_in = 0
        for one in crowd:
            with contextlib.suppress(websockets.exceptions.WebSocketException, TimeoutError):
                let_in += one.json()["type"] == "config"
        # The two that were sent away above may be counted for a moment yet.
        b.check(18 <= let_in <= 20, "of a thousand that come at once twenty are let in", let_in)
        server.wait_for(r"refused so far: .*too many p.*wrong token 3")
        for one in crowd:
            one.socket.close()
        # Connections that say nothing hold nobody up either.
        silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(200)]
        last = Peer(port, "/player?token=p1")
        b.check(last.json()["type"] == "config", "the server is up, and lets others in")
        for one in silent:
            one.close()


def everybody(b):
    """With --open no token is asked of players; other pages may come where they are named."""
    with served(b, "--open", "--origin", "https://app.example") as (_, port):
        b.check(refusal(port, "/") is None, "a player without a token")
        b.check(refusal(port, "/", origin="https://app.example") is None, "of a page that is named")
        b.check(refusal(port, "/", origin="https://other.example") == 403, "of another")
        b.check(refusal(port, "/streamer") == 403, "a streamer still needs its token")


PARTS = {f.__name__: f for f in (introduced, refused, everybody)}

if __name__ == "__main__":
    with new_bench(sys.argv[1]) as bench:
        bench.run(PARTS, sys.argv[2:])
    sys.exit(bench.result())
