"""A small occupancy mapper: cells that beams pass are free, those where beams end are occupied."""
import math
import pathlib

import numpy

PASSED, HIT, SURE = -0.4, 0.85, 0.8  # log odds a beam, and from where on a cell is known


class Map:
    """`size` metres square around the origin of its frame; cells[row, column], rows upwards."""

    def __init__(self, size=20.0, resolution=0.05):
        self.resolution, self.n = resolution, round(size / resolution)
        self.odds = numpy.zeros((self.n, self.n))

    def cell(self, x, y):
        return math.floor(y / self.resolution) + self.n // 2, math.floor(x / self.resolution) + self.n // 2

    def place(self, row, column):
        """The middle of a cell."""
        return (column - self.n // 2 + 0.5) * self.resolution, (row - self.n // 2 + 0.5) * self.resolution

    def add(self, x, y, yaw, scan):
        """A scan (angle_min, angle_increment, range_min, range_max, ranges) taken from this pose of its sensor."""
        for i, distance in enumerate(scan["ranges"]):
            if math.isnan(distance) or distance < scan["range_min"]:
                continue
            ends = distance <= scan["range_max"]
            angle = yaw + scan["angle_min"] + i * scan["angle_increment"]
            self.add_beam(x, y, angle, distance if ends else scan["range_max"], ends)

    def add_beam(self, x, y, angle, distance, ends):
        c, s = math.cos(angle), math.sin(angle)
        last = self.cell(x + distance * c, y + distance * s)
        steps = numpy.arange(0.0, distance, self.resolution / 2)
        passed = {self.cell(x + step * c, y + step * s) for step in steps} - {last}
        for cell in passed:
            self.count(cell, PASSED)
        if ends:
            self.count(last, HIT)

    def count(self, cell, odds):
        if 0 <= cell[0] < self.n and 0 <= cell[1] < self.n:
            self.odds[cell] = min(4.0, max(-4.0, self.odds[cell] + odds))

    def known(self):
        """(x, y, occupied) of each cell that is sure."""
        rows, columns = numpy.nonzero(numpy.abs(self.odds) > SURE)
        return [(*self.place(row, column), bool(self.odds[row, column] > 0)) for row, column in zip(rows, columns)]

    def text(self, width=80):
        """What it knows, as characters: # occupied, . free."""
        rows, columns = numpy.nonzero(numpy.abs(self.odds) > SURE)
        if not len(rows):
            return ""
        step = max(1, math.ceil((columns.max() - columns.min() + 1) / width))
        lines = []
        for row in range(rows.max(), rows.min() - 1, -step):
            blocks = [self.odds[max(0, row - step + 1) : row + 1, c : c + step] for c in range(columns.min(), columns.max() + 1, step)]
            lines.append("".join("#" if b.max() > SURE else "." if b.min() < -SURE else " " for b in blocks).rstrip())
        return "\n".join(lines)

    def write_pgm(self, path):
        pixels = numpy.where(self.odds > SURE, 0, numpy.where(self.odds < -SURE, 254, 205)).astype(numpy.uint8)
        pathlib.Path(path).write_bytes(b"P5\n%d %d\n255\n" % (self.n, self.n) + pixels[::-1].tobytes())


class Reference:
    """A map of map_server: FILE.yaml beside the PGM that it names."""

    def __init__(self, path):
        path = pathlib.Path(path)
        told = dict(line.split(":", 1) for line in path.read_text().splitlines() if ":" in line and not line.lstrip().startswith("#"))
        self.resolution = float(told["resolution"])
        self.origin = [float(word) for word in told["origin"].strip(" []").split(",")]
        self.threshold = float(told.get("occupied_thresh", "0.65"))
        self.pixels = read_pgm(path.parent / told["image"].strip(" '\""))

    def occupied(self, x, y, reach=0):
        """Whether any cell up to `reach` cells from here is occupied; None outside."""
        row = self.pixels.shape[0] - 1 - math.floor((y - self.origin[1]) / self.resolution)
        column = math.floor((x - self.origin[0]) / self.resolution)
        if not (0 <= row < self.pixels.shape[0] and 0 <= column < self.pixels.shape[1]):
            return None
        near = self.pixels[max(0, row - reach) : row + reach + 1, max(0, column - reach) : column + reach + 1]
        return bool((near < 255 * (1 - self.threshold)).any())


def read_pgm(path):
    data = pathlib.Path(path).read_bytes()
    words, at = [], 0
    while len(words) < 4:
        end = data.index(b"\n", at)
        words += data[at:end].split(b"#")[0].split()
        at = end + 1
    return numpy.frombuffer(data[at:], numpy.uint8).reshape(int(words[2]), int(words[1]))


def agreement(made, reference):
    """How many cells of the made map are known, and how many of them are as the reference has it: an occupied one within a
    cell of an occupied one, a free one not in the middle of what is occupied."""
    cells = agree = 0
    for x, y, occupied in made.known():
        there = reference.occupied(x, y, 1 if occupied else 0)
        if there is not None:
            cells, agree = cells + 1, agree + (there == occupied)
    return cells, agree
