#!/usr/bin/env python3
"""A simulator's streams as they were written down: each line of FILE is a topic and its payload in hexadecimal; info lines go out
on the port behind the next one. All of it again and again, 50 times a second. What comes on the port between is printed.

    urlab_streams.py FILE PORT
"""
import sys
import time

import zmq


def main():
    lines = [line.split() for line in open(sys.argv[1]) if line.strip() and not line.startswith("#")]
    port, context = int(sys.argv[2]), zmq.Context()
    main_, control, info = context.socket(zmq.PUB), context.socket(zmq.SUB), context.socket(zmq.PUB)
    control.subscribe(b"")
    for socket, at in ((main_, port), (control, port + 1), (info, port + 2)):
        socket.bind(f"tcp://127.0.0.1:{at}")
    print("streaming", flush=True)
    while True:
        for topic, payload in lines:
            if topic == "info":
                info.send(bytes.fromhex(payload))
            else:
                main_.send_multipart([topic.replace("~", " ").encode(), bytes.fromhex(payload)])
        end = time.monotonic() + 0.02
        while control.poll(max(0, 1000 * (end - time.monotonic()))):
            topic, payload = control.recv_multipart()
            print(topic.decode(), payload.hex(), flush=True)


main()
