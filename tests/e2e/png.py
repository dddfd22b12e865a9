"""Reads the pictures that the command draws."""
import struct
import zlib


def pixels(path):
    """Width, height and the rows of a PNG of 8-bit RGB, by a decoder of our own."""
    data, at, packed = path.read_bytes(), 8, b""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert (depth, colour) == (8, 2)
        packed += body if kind == b"IDAT" else b""
        at += 12 + size
    raw, rows, above = zlib.decompress(packed), [], bytes(3 * width)
    for y in range(height):
        how, line = raw[y * (3 * width + 1)], bytearray(raw[y * (3 * width + 1) + 1:(y + 1) * (3 * width + 1)])
        for x in range(3 * width):
            left, up, corner = (line[x - 3] if x > 2 else 0), above[x], (above[x - 3] if x > 2 else 0)
            near = min((left, up, corner), key=lambda v: abs(left + up - corner - v))
            line[x] = (line[x] + (0, left, up, (left + up) // 2, near)[how]) & 255
        rows.append(above := bytes(line))
    return width, height, rows
