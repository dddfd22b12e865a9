#!/usr/bin/env python3
"""Draws the warehouse of scenarios/warehouse.yaml: an occupancy map as ROS has it, the same bytes every time.

    tools/make_warehouse.py FOLDER

Writes FOLDER/warehouse.pgm and FOLDER/warehouse.yaml. The hall is 44 x 28 m at 0.05 m a pixel, its lower left inner
corner at the world's (0, 0); 1 m around it is unknown. Racks are in two blocks with a cross aisle between them, the
loading area with its docks lies along the left wall.
"""
import pathlib
import sys

RESOLUTION = 0.05  # m
HALL = (44.0, 28.0)  # m, inside the walls
WALL = 0.2  # m
OUTSIDE = 1.0  # m of unknown ground around the walls
FREE, OCCUPIED, UNKNOWN = 254, 0, 205  # as map_saver writes them

LOADING = 8.0  # m from the left wall: no racks
RACK = (12.0, 1.1)  # m
RACK_COLUMNS = (10.0, 26.0)  # left edges, m
RACK_ROWS = [3.0 + 2.9 * i for i in range(8)]  # lower edges, m; aisles of 1.8 m
PILLAR = 0.4  # m
PILLARS = [(x, y) for x in (5.0, 24.0, 40.5) for y in (5.0, 14.0, 23.0)]
DOCKS = [(0.0, y, 1.5, 0.3) for y in (4.0, 9.0, 14.0, 19.0, 24.0)]  # walls between the gates: x, y, length, width
PALLETS = [(2.6, 7.0), (2.6, 11.8), (2.6, 16.6), (2.6, 21.4)]  # 1.2 x 0.8 m


class Picture:
    """Grey pixels; world coordinates in m, rows kept from the bottom."""

    def __init__(self):
        border = OUTSIDE + WALL
        self.origin = -border
        self.width = self.pixels(HALL[0] + 2 * border)
        self.height = self.pixels(HALL[1] + 2 * border)
        self.rows = [bytearray([UNKNOWN]) * self.width for _ in range(self.height)]

    @staticmethod
    def pixels(metres):
        return round(metres / RESOLUTION)

    def box(self, x, y, length, width, grey):
        left, right = self.pixels(x - self.origin), self.pixels(x + length - self.origin)
        for row in range(self.pixels(y - self.origin), self.pixels(y + width - self.origin)):
            self.rows[row][left:right] = bytes([grey]) * (right - left)

    def pgm(self):
        header = f"P5\n# Convoy's warehouse, {RESOLUTION} m/px\n{self.width} {self.height}\n255\n"
        return header.encode() + b"".join(bytes(row) for row in reversed(self.rows))


def draw():
    picture = Picture()
    picture.box(-WALL, -WALL, HALL[0] + 2 * WALL, HALL[1] + 2 * WALL, OCCUPIED)
    picture.box(0, 0, HALL[0], HALL[1], FREE)
    for x in RACK_COLUMNS:
        assert x >= LOADING
        for y in RACK_ROWS:
            picture.box(x, y, RACK[0], RACK[1], OCCUPIED)
    for x, y in PILLARS:
        picture.box(x - PILLAR / 2, y - PILLAR / 2, PILLAR, PILLAR, OCCUPIED)
    for dock in DOCKS:
        picture.box(*dock, OCCUPIED)
    for x, y in PALLETS:
        picture.box(x, y - 0.4, 1.2, 0.8, OCCUPIED)
    return picture


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    folder.mkdir(parents=True, exist_ok=True)
    picture = draw()
    (folder / "warehouse.pgm").write_bytes(picture.pgm())
    (folder / "warehouse.yaml").write_text(
        f"image: warehouse.pgm\nresolution: {RESOLUTION}\norigin: [{picture.origin}, {picture.origin}, 0.0]\n"
        "negate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\nmode: trinary\n")


if __name__ == "__main__":
    main()
