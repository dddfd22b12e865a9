#!/usr/bin/env python3
"""A real ROS 2 program, of rclpy: a peer of the tests. Run by .env/ros/bin/python.

    rclpy_peer.py echo TOPIC TYPE            each message as a line of JSON; with --raw its CDR in hexadecimal
    rclpy_peer.py pub TOPIC TYPE JSON        --count times, once somebody subscribes
    rclpy_peer.py call SERVICE TYPE JSON     --count times: {"reply": ..., "us": round trip}, or "timeout"
    rclpy_peer.py calls                      one after the other, as stdin says: {"service": ..., "type": ..., "request": {...}} a line
    rclpy_peer.py serve SERVICE TYPE JSON    answers every request so, and prints it
    rclpy_peer.py goal ACTION TYPE JSON      each feedback, then the result; --cancel after so many of them
    rclpy_peer.py parameters NODE JSON       what it has, what came of setting those, and what it told of it
    rclpy_peer.py nodes                      nodes, a line of JSON each, with how often it is listed
    rclpy_peer.py topics                     endpoints with node, type, hash and QoS; services
    rclpy_peer.py watch TOPIC TYPE           the stamp of each message, and its writers' gids whenever they are others
    rclpy_peer.py clock                      ns of a node that uses simulated time, whenever they change
    rclpy_peer.py drive CMD_VEL ODOM         until it has come --metres or turned --radians; where it was and is
    rclpy_peer.py reach COMMAND STATES JSON  commands joints by name until --within of there; what the states then say
    rclpy_peer.py tf TARGET SOURCE           the transform between two frames, --count times as it changes
    rclpy_peer.py map SCAN ODOM              a map of --count scans, and how many cells agree with --reference FILE.yaml

Exits with 0; 1 if it timed out; 4 where there are no Python types of a message. All times are of the wall.
"""
import argparse
import collections
import json
import math
import os
import sys
import time

import rclpy
import rclpy.action
import rclpy.parameter_client
import ros_values
from frames import Frames
from mapper import Map, Reference, agreement
from rclpy.executors import ExternalShutdownException
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from ros_values import fill, plain, type_of


def say(value):
    print(value if isinstance(value, str) else json.dumps(value), flush=True)


class TimedOut(Exception):
    pass


class Peer:
    """A node, and the command's options."""

    def __init__(self, options):
        self.o = options
        overrides = [Parameter("use_sim_time", value=True)] if options.command == "clock" else []
        self.node = rclpy.create_node(options.node, namespace=options.namespace, parameter_overrides=overrides)
        self.end = time.monotonic() + options.timeout

    def until(self, condition, what):
        """Spins until it holds; raises TimedOut."""
        while not condition():
            if time.monotonic() > self.end:
                raise TimedOut(what)
            rclpy.spin_once(self.node, timeout_sec=0.05)

    def pause(self):
        """Spins for as long as --rate says."""
        end = time.monotonic() + 1 / self.o.rate
        while time.monotonic() < end:
            rclpy.spin_once(self.node, timeout_sec=max(0.0, end - time.monotonic()))

    def qos(self):
        return QoSProfile(depth=self.o.depth, history=HistoryPolicy.KEEP_LAST,
                          reliability=ReliabilityPolicy.BEST_EFFORT if self.o.best_effort else ReliabilityPolicy.RELIABLE,
                          durability=DurabilityPolicy.TRANSIENT_LOCAL if self.o.transient_local else DurabilityPolicy.VOLATILE)

    def full_name(self):
        return self.node.get_fully_qualified_name()


def echo(peer):
    o, seen = peer.o, []

    def heard(message):
        if not o.count or len(seen) < o.count:
            seen.append(1)
            say(message.hex() if o.raw else plain(message))

    peer.node.create_subscription(type_of(o.words[1]), o.words[0], heard, peer.qos(), raw=o.raw)
    peer.until(lambda: o.count and len(seen) >= o.count, f"{len(seen)} messages")


def pub(peer):
    o = peer.o
    publisher = peer.node.create_publisher(type_of(o.words[1]), o.words[0], peer.qos())
    message = fill(type_of(o.words[1])(), json.loads(o.words[2]))
    peer.until(lambda: publisher.get_subscription_count() > 0, "nobody subscribes")
    for _ in range(max(1, o.count)):
        publisher.publish(message)
        peer.pause()
    say({"sent": max(1, o.count)})


def call(peer):
    o, service = peer.o, type_of(peer.o.words[1])
    client = peer.node.create_client(service, o.words[0])
    peer.until(client.service_is_ready, "no service")
    request = fill(service.Request(), json.loads(o.words[2]))
    for _ in range(max(1, o.count)):
        peer.end = time.monotonic() + o.timeout
        begun = time.monotonic()
        future = client.call_async(request)
        peer.until(future.done, "no reply")
        say({"reply": plain(future.result()), "us": round(1e6 * (time.monotonic() - begun))})


def calls(peer):
    clients = {}
    for line in sys.stdin:
        asked = json.loads(line)
        name, service = asked["service"], type_of(asked["type"])
        if name not in clients:
            clients[name] = peer.node.create_client(service, name)
        peer.end = time.monotonic() + peer.o.timeout
        peer.until(clients[name].service_is_ready, f"no service {name}")
        future = clients[name].call_async(fill(service.Request(), asked["request"]))
        peer.until(future.done, f"no reply of {name}")
        say({"reply": plain(future.result())})


def serve(peer):
    o, service, seen = peer.o, type_of(peer.o.words[1]), []

    def asked(request, response):
        seen.append(1)
        say(plain(request))
        return fill(response, json.loads(o.words[2]))

    peer.node.create_service(service, o.words[0], asked)
    say("serving")
    peer.until(lambda: o.count and len(seen) >= o.count, f"{len(seen)} requests")
    peer.pause()  # the last reply leaves


def goal(peer):
    o, action = peer.o, type_of(peer.o.words[1])
    client = rclpy.action.ActionClient(peer.node, action, o.words[0])
    peer.until(client.server_is_ready, "no action")
    heard = []

    def told(message):
        heard.append(message)
        say({"feedback": plain(message.feedback)})

    sent = client.send_goal_async(fill(action.Goal(), json.loads(o.words[2])), feedback_callback=told)
    peer.until(sent.done, "no answer to the goal")
    if not sent.result().accepted:
        say({"accepted": False})
        return
    if o.cancel:
        peer.until(lambda: len(heard) >= o.cancel, "no feedback")
        canceled = sent.result().cancel_goal_async()
        peer.until(canceled.done, "no answer to the cancel")
        say({"canceling": len(canceled.result().goals_canceling)})
    result = sent.result().get_result_async()
    peer.until(result.done, "no result")
    say({"status": result.result().status, "result": plain(result.result().result)})


def parameters(peer):
    """As a program that looks after another node's parameters does it."""
    o, told = peer.o, []
    client = rclpy.parameter_client.AsyncParameterClient(peer.node, o.words[0])
    peer.node.create_subscription(type_of("rcl_interfaces/msg/ParameterEvent"), "/parameter_events", told.append, QoSProfile(depth=1000))

    def answer(future):
        peer.until(future.done, "no reply")
        return future.result()

    peer.until(client.services_are_ready, "not all services of parameters are there")
    names = answer(client.list_parameters()).result.names
    say({"names": names})
    say({"values": values_of(names, answer(client.get_parameters(names)).values)})
    say({"descriptors": [plain(one) for one in answer(client.describe_parameters(names)).descriptors]})
    wanted = [Parameter(name, value=value) for name, value in json.loads(o.words[1]).items()]
    results = answer(client.set_parameters(wanted)).results
    say({"set": {one.name: result.reason or "done" for one, result in zip(wanted, results)}})
    changed = {one.name for one, result in zip(wanted, results) if result.successful}

    def events():
        return {one.name: parameter_value_to_python(one.value) for event in told if event.node == o.words[0] for one in event.changed_parameters}

    peer.until(lambda: changed <= set(events()), "what has changed is not told")
    say({"events": events()})
    say({"after": values_of(names, answer(client.get_parameters(names)).values)})


def values_of(names, values):
    return dict(zip(names, map(parameter_value_to_python, values)))


def wished(peer, names):
    """Until all names are there that are asked for, and none that is to be gone; or for as long as the timeout says."""
    o = peer.o
    wishes = o.until or o.gone
    try:
        peer.until(lambda: wishes and set(o.until) <= names() and not set(o.gone) & names(), "not all are there, or not all are gone")
    except TimedOut:
        if wishes:
            raise


def full_names(peer):
    """As `ros2 node list` has them: one that is told twice is there twice."""
    return [(space.rstrip("/") + "/" + name) for name, space in peer.node.get_node_names_and_namespaces()]


def node_names(peer):
    return set(full_names(peer)) - {peer.full_name()}


def nodes(peer):
    try:
        wished(peer, lambda: node_names(peer))
    finally:
        listed = collections.Counter(full_names(peer))
        for name in sorted(node_names(peer)):
            say({"node": name, "listed": listed[name]})


def endpoints(peer):
    """Of others whose node is known."""
    found = []
    for topic, _ in peer.node.get_topic_names_and_types():
        try:
            writers, readers = peer.node.get_publishers_info_by_topic(topic), peer.node.get_subscriptions_info_by_topic(topic)
        except ValueError as error:
            found.append({"kind": "invalid", "topic": topic, "error": str(error)})
            continue
        for kind, infos in (("writer", writers), ("reader", readers)):
            for one in infos:
                node = one.node_namespace.rstrip("/") + "/" + one.node_name
                if node == peer.full_name() or one.node_name == "_NODE_NAME_UNKNOWN_":
                    continue
                qos = one.qos_profile
                found.append({"kind": kind, "topic": topic, "node": node, "type": one.topic_type, "hash": str(one.topic_type_hash),
                              "gid": bytes(one.endpoint_gid).hex(), "reliability": qos.reliability.name.lower(),
                              "durability": qos.durability.name.lower(), "liveliness": qos.liveliness.name.lower(),
                              "deadline_ns": qos.deadline.nanoseconds, "lifespan_ns": qos.lifespan.nanoseconds})
    return found


NAMELESS = "_CREATED_BY_BARE_DDS_APP_"


def topics(peer):
    def names():
        services = {name for name, _ in peer.node.get_service_names_and_types()}
        ends = endpoints(peer)
        nameless = {one["topic"] for one in ends if NAMELESS in one["node"]}  # their participant has not said yet whose they are
        with_types = {f"{one['topic']} {one['type']}" for one in ends}
        with_kinds = {f"{one['kind']} {one['topic']}" for one in ends if NAMELESS not in one["node"]}
        return ({one["topic"] for one in ends} | with_types | with_kinds) - nameless | services

    try:
        wished(peer, names)
    finally:
        for one in endpoints(peer):
            say(one)
        for name, types in peer.node.get_service_names_and_types():
            if not name.startswith(peer.full_name() + "/"):
                say({"kind": "service", "service": name, "type": types[0]})


def watch(peer):
    o, known = peer.o, ["?"]  # other than any list of writers

    def heard(message):
        say({"ns": ns_of(message.header.stamp if hasattr(message, "header") else message.clock)})

    def changed():
        writers = sorted(bytes(one.endpoint_gid).hex() for one in peer.node.get_publishers_info_by_topic(o.words[0]))
        if writers != known:
            known[:] = writers
            say({"writers": writers})
        return False

    peer.node.create_subscription(type_of(o.words[1]), o.words[0], heard, peer.qos())
    peer.until(changed, "watched for long enough")


def clock(peer):
    seen = [0]

    def changed():
        now = peer.node.get_clock().now().nanoseconds
        if now != seen[-1]:
            seen.append(now)
            say(str(now))
        return peer.o.count and len(seen) > peer.o.count

    peer.until(changed, f"{len(seen) - 1} instants")


def yaw_of(q):
    return math.atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z))


def place_of(odometry):
    pose = odometry.pose.pose
    return [pose.position.x, pose.position.y, yaw_of(pose.orientation)]


def commander(peer, topic):
    """A function that publishes one command of the options' speeds, times a factor."""
    o = peer.o
    stamped = o.stamped
    publisher = peer.node.create_publisher(type_of("geometry_msgs/msg/" + ("TwistStamped" if stamped else "Twist")), topic, 10)

    def send(factor=1.0):
        message = publisher.msg_type()
        twist = message.twist if stamped else message
        twist.linear.x, twist.angular.z = factor * o.linear, factor * o.angular
        if stamped:
            message.header.frame_id = "base_link"
            message.header.stamp = peer.node.get_clock().now().to_msg()
        publisher.publish(message)

    return publisher, send


def drive(peer):
    o, seen = peer.o, []
    peer.node.create_subscription(type_of("nav_msgs/msg/Odometry"), o.words[1], seen.append, peer.qos())
    publisher, send = commander(peer, o.words[0])
    peer.until(lambda: seen, "no odometry")
    peer.until(lambda: publisher.get_subscription_count() > 0, "nobody takes commands")
    start, turned, last = place_of(seen[0]), 0.0, place_of(seen[0])

    def arrived():
        nonlocal turned, last
        place = place_of(seen[-1])
        turned += math.remainder(place[2] - last[2], math.tau)
        last = place
        return math.dist(place[:2], start[:2]) >= o.metres and abs(turned) >= o.radians

    while not arrived():
        if time.monotonic() > peer.end:
            raise TimedOut(f"it was at {start} and is at {last}, turned by {turned}")
        send()
        peer.pause()
    for _ in range(3):
        send(0.0)
        peer.pause()
    header = seen[-1].header
    say({"start": start, "end": place_of(seen[-1]), "turned": turned, "messages": len(seen), "frame": header.frame_id,
         "child": seen[-1].child_frame_id, "stamps_ns": [ns_of(seen[0].header.stamp), ns_of(header.stamp)]})


def reach(peer):
    """JSON has a position for each joint, and for names that the robot lacks; --claim takes the robot first, by that service."""
    o, states, wanted = peer.o, [], json.loads(peer.o.words[2])
    kind = type_of("sensor_msgs/msg/JointState")
    if o.claim:
        client = peer.node.create_client(type_of("std_srvs/srv/Trigger"), o.claim)
        peer.until(client.service_is_ready, "no service")
        claimed = client.call_async(client.srv_type.Request())
        peer.until(claimed.done, "no reply")
        say({"claimed": claimed.result().success})
    peer.node.create_subscription(kind, o.words[1], states.append, peer.qos())
    publisher = peer.node.create_publisher(kind, o.words[0], 10)
    peer.until(lambda: states, "no states")
    peer.until(lambda: publisher.get_subscription_count() > 0, "nobody takes commands")

    def there():
        now = dict(zip(states[-1].name, states[-1].position, strict=True))
        return all(abs(now.get(name, math.inf) - value) < o.within for name, value in wanted.items() if name in now)

    while not there():
        if time.monotonic() > peer.end:
            raise TimedOut(f"the joints are at {plain(states[-1])}")
        publisher.publish(kind(name=list(wanted), position=[float(value) for value in wanted.values()]))
        peer.pause()
    say({"joints": dict(zip(states[-1].name, states[-1].position, strict=True))})


def ns_of(stamp):
    return stamp.sec * 10**9 + stamp.nanosec


def listen_to_frames(peer):
    frames, message = Frames(), type_of("tf2_msgs/msg/TFMessage")
    always = QoSProfile(depth=100, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)

    peer.node.create_subscription(message, peer.o.tf, frames.hear, QoSProfile(depth=100))
    peer.node.create_subscription(message, peer.o.tf + "_static", lambda m: frames.hear(m, holds_always=True), always)
    return frames


def tf(peer):
    frames, seen = listen_to_frames(peer), []

    def looked_up():
        found = frames.lookup(*peer.o.words)
        if found and (not seen or found != seen[-1]):
            seen.append(found)
            say({"translation": found[0], "rotation": found[1], "stamp_ns": found[2]})
        return len(seen) >= max(1, peer.o.count)

    try:
        peer.until(looked_up, "no such transform")
    except TimedOut:
        say({"frames": {child: parent for child, (parent, _) in frames.parents.items()}})
        raise


def map_(peer):
    """Scans are put where odometry was at their stamp; --sensor is where the scanner is on the robot, --start where odometry
    begins in the reference's frame."""
    o, places, scans = peer.o, {}, []
    made = Map(o.size, o.resolution)
    peer.node.create_subscription(type_of("nav_msgs/msg/Odometry"), o.words[1], lambda m: places.update({ns_of(m.header.stamp): place_of(m)}), 100)
    peer.node.create_subscription(type_of("sensor_msgs/msg/LaserScan"), o.words[0], scans.append, QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT))
    send = commander(peer, o.cmd_vel)[1] if o.cmd_vel else lambda factor=1.0: None
    used = 0
    peer.until(lambda: scans and places, "no scan, or no odometry")
    while used < max(1, o.count):
        if time.monotonic() > peer.end:
            raise TimedOut(f"{used} scans")
        send()
        peer.pause()
        while scans and max(places) >= ns_of(scans[0].header.stamp):
            scan = scans.pop(0)
            stamp = ns_of(scan.header.stamp)
            place = places[min(places, key=lambda s: abs(s - stamp))]
            x, y, yaw = moved(moved(o.start, place), o.sensor)
            made.add(x, y, yaw, {name: getattr(scan, name) for name in ("angle_min", "angle_increment", "range_min", "range_max", "ranges")})
            used += 1
    send(0.0)
    say(made.text())
    if o.pgm:
        made.write_pgm(o.pgm)
    result = {"scans": used, "known": len(made.known())}
    if o.reference:
        result["compared"], result["agree"] = agreement(made, Reference(o.reference))
    say(result)


def moved(a, b):
    """The pose (x, y, yaw) b, which is given in a."""
    c, s = math.cos(a[2]), math.sin(a[2])
    return [a[0] + c * b[0] - s * b[1], a[1] + s * b[0] + c * b[1], a[2] + b[2]]


def pose(text):
    x, y, yaw = map(float, text.split(","))
    return [x, y, yaw]


COMMANDS = {"echo": (echo, 2), "pub": (pub, 3), "call": (call, 3), "calls": (calls, 0), "serve": (serve, 3), "goal": (goal, 3), "nodes": (nodes, 0), "parameters": (parameters, 2),
            "topics": (topics, 0), "watch": (watch, 2), "clock": (clock, 0), "drive": (drive, 2), "reach": (reach, 3), "tf": (tf, 2), "map": (map_, 2)}


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("command", choices=COMMANDS)
    p.add_argument("words", nargs="*")
    p.add_argument("--count", type=int, default=0)
    p.add_argument("--timeout", type=float, default=None, help="s; default 3 for nodes and topics, else 30")
    p.add_argument("--rate", type=float, default=10.0, help="Hz")
    p.add_argument("--raw", action="store_true")
    p.add_argument("--reliable", dest="best_effort", action="store_false")
    p.add_argument("--best-effort", dest="best_effort", action="store_true")
    p.set_defaults(best_effort=False)
    p.add_argument("--transient-local", action="store_true")
    p.add_argument("--depth", type=int, default=10)
    p.add_argument("--node", default="rclpy_peer")
    p.add_argument("--namespace", default="/")
    p.add_argument("--until", action="append", default=[], metavar="NAME",
                   help="a node, topic, topic with its type (one word), or service that is to be there")
    p.add_argument("--gone", action="append", default=[], metavar="NAME", help="one that is to be gone")
    p.add_argument("--stamped", action="store_true", help="commands are TwistStamped")
    p.add_argument("--linear", type=float, default=0.0, help="m/s")
    p.add_argument("--angular", type=float, default=0.0, help="rad/s")
    p.add_argument("--metres", type=float, default=0.0)
    p.add_argument("--radians", type=float, default=0.0)
    p.add_argument("--within", type=float, default=0.01, help="rad or m")
    p.add_argument("--cancel", type=int, default=0, metavar="N", help="goal: after so many feedbacks")
    p.add_argument("--claim", metavar="SERVICE", help="reach: takes the robot by it")
    p.add_argument("--tf", default="/tf", metavar="TOPIC", help="of transforms; TOPIC_static of those that hold always")
    p.add_argument("--cmd-vel", metavar="TOPIC", help="map: drives meanwhile")
    p.add_argument("--size", type=float, default=20.0, help="m")
    p.add_argument("--resolution", type=float, default=0.05, help="m")
    p.add_argument("--start", type=pose, default=[0.0, 0.0, 0.0], metavar="X,Y,YAW")
    p.add_argument("--sensor", type=pose, default=[0.0, 0.0, 0.0], metavar="X,Y,YAW")
    p.add_argument("--reference", metavar="FILE.yaml")
    p.add_argument("--pgm", metavar="FILE")
    o = p.parse_intermixed_args()
    if len(o.words) != COMMANDS[o.command][1]:
        p.error(f"{o.command} takes {COMMANDS[o.command][1]} words")
    if o.timeout is None:
        o.timeout = 3.0 if o.command in ("nodes", "topics") else 30.0
    return o


def main():
    o = options()
    rclpy.init()
    code = 0
    try:
        COMMANDS[o.command][0](Peer(o))
    except TimedOut as error:
        say(f"timeout: {error}")
        code = 1
    except ros_values.NoSuchType as error:
        print(f"rclpy_peer: {error}", file=sys.stderr)
        code = 4
    except (ExternalShutdownException, KeyboardInterrupt):
        pass
    rclpy.try_shutdown()
    sys.stdout.flush()
    os._exit(code)  # what the middleware's threads do at exit is not what is tested


if __name__ == "__main__":
    main()
