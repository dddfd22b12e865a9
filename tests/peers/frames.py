"""Transforms between frames from messages of /tf and /tf_static, in as few lines as do.

Quaternions are (x, y, z, w); a transform is (translation, quaternion, stamp in ns or None if it holds always).
"""


def rotated(q, v):
    x, y, z, w = q
    tx, ty, tz = 2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])
    return (v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx)


def product(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


def composed(a, b):
    """X_AC of X_AB and X_BC; of the older stamp."""
    stamps = [s for s in (a[2], b[2]) if s is not None]
    moved = rotated(a[1], b[0])
    return (tuple(p + m for p, m in zip(a[0], moved)), product(a[1], b[1]), min(stamps) if stamps else None)


def inverse(a):
    q = (-a[1][0], -a[1][1], -a[1][2], a[1][3])
    return (tuple(-p for p in rotated(q, a[0])), q, a[2])


IDENTITY = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), None)


class Frames:
    """A tree of the newest transform of each frame to its parent."""

    def __init__(self):
        self.parents = {}  # child: (parent, transform)

    def add(self, parent, child, translation, quaternion, stamp):
        self.parents[child] = (parent, (translation, quaternion, stamp))

    def hear(self, message, holds_always=False):
        """All of a tf2_msgs/TFMessage."""
        for one in message.transforms:
            t, q, at = one.transform.translation, one.transform.rotation, one.header.stamp
            stamp = None if holds_always else at.sec * 10**9 + at.nanosec
            self.add(one.header.frame_id, one.child_frame_id, (t.x, t.y, t.z), (q.x, q.y, q.z, q.w), stamp)

    def chain(self, frame):
        """The frames from here to the root, each with X_(it)(frame)."""
        found, transform = [(frame, IDENTITY)], IDENTITY
        while frame in self.parents and len(found) <= len(self.parents):
            frame, step = self.parents[frame]
            transform = composed(step, transform)
            found.append((frame, transform))
        return found

    def lookup(self, target, source):
        """X_(target)(source), or None where they have no common frame."""
        of_target = dict(self.chain(target))
        for frame, transform in self.chain(source):
            if frame in of_target:
                return composed(inverse(of_target[frame]), transform)
        return None
