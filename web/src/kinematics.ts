// Where the links of an entity are: forward kinematics, written into arrays that exist, as it runs for each drawn frame.
import type { Joint, Link, Model } from "./protocol.ts";

const kHinge = 0, kSlide = 1, kBall = 2, kSteered = 3;
const kOnLink = 0, kOnEntity = 1, kFree = 3;

export class Vector { x = 0; y = 0; z = 0 }
class Pose { x = 0; y = 0; z = 0; qw = 1; qx = 0; qy = 0; qz = 0 }

const own = new Pose(), turned = new Vector(), fixed = new Vector(), level = new Float64Array(7);

// out = v rotated by the quaternion w, x, y, z
export function rotate(w: number, x: number, y: number, z: number, vx: number, vy: number, vz: number, out: Vector): void {
  const tx = 2 * (y * vz - z * vy), ty = 2 * (z * vx - x * vz), tz = 2 * (x * vy - y * vx);
  out.x = vx + w * tx + y * tz - z * ty;
  out.y = vy + w * ty + z * tx - x * tz;
  out.z = vz + w * tz + x * ty - y * tx;
}

// own = X_A (at a) * X_B
function compose(A: Float64Array, a: number, B: ArrayLike<number>): void {
  const w = A[a + 3]!, x = A[a + 4]!, y = A[a + 5]!, z = A[a + 6]!;
  rotate(w, x, y, z, B[0]!, B[1]!, B[2]!, turned);
  own.x = A[a]! + turned.x, own.y = A[a + 1]! + turned.y, own.z = A[a + 2]! + turned.z;
  own.qw = w, own.qx = x, own.qy = y, own.qz = z;
  turn(B[3]!, B[4]!, B[5]!, B[6]!);
}

// own.q = own.q * (w, x, y, z)
function turn(w: number, x: number, y: number, z: number): void {
  const { qw, qx, qy, qz } = own;
  own.qw = qw * w - qx * x - qy * y - qz * z;
  own.qx = qw * x + qx * w + qy * z - qz * y;
  own.qy = qw * y - qx * z + qy * w + qz * x;
  own.qz = qw * z + qx * y - qy * x + qz * w;
}

function normalise(): void {
  const norm = Math.hypot(own.qw, own.qx, own.qy, own.qz);
  if (norm === 0) {
    own.qw = 1;
    return;
  }
  own.qw /= norm, own.qx /= norm, own.qy /= norm, own.qz /= norm;
}

function turn_about(anchor: number[], w: number, x: number, y: number, z: number): void {
  rotate(own.qw, own.qx, own.qy, own.qz, anchor[0]!, anchor[1]!, anchor[2]!, turned);
  fixed.x = own.x + turned.x, fixed.y = own.y + turned.y, fixed.z = own.z + turned.z;
  turn(w, x, y, z);
  rotate(own.qw, own.qx, own.qy, own.qz, anchor[0]!, anchor[1]!, anchor[2]!, turned);
  own.x = fixed.x - turned.x, own.y = fixed.y - turned.y, own.z = fixed.z - turned.z;
}

function turn_by_angle(joint: Joint, angle: number): void {
  const [x, y, z] = joint.axis as [number, number, number];
  const norm = Math.hypot(x, y, z);
  const s = norm === 0 ? 0 : Math.sin(angle / 2) / norm;
  turn_about(joint.anchor, Math.cos(angle / 2), x * s, y * s, z * s);
}

function move_joint(joint: Joint, q: Float64Array, q_at: number, q_count: number): void {
  const needs = joint.type === kBall ? 4 : 1;
  if (joint.at < 0 || joint.at + needs > q_count) return;
  const at = q_at + joint.at, d = q[at]! - joint.zero;
  if (joint.type === kHinge) {
    turn_by_angle(joint, d);
  } else if (joint.type === kSlide) {
    rotate(own.qw, own.qx, own.qy, own.qz, joint.axis[0]!, joint.axis[1]!, joint.axis[2]!, turned);
    own.x += d * turned.x, own.y += d * turned.y, own.z += d * turned.z;
  } else if (joint.type === kBall) {
    turn_about(joint.anchor, q[at]!, q[at + 1]!, q[at + 2]!, q[at + 3]!);
  } else if (joint.type === kSteered) {
    turn_by_angle(joint, Math.atan2(Math.sin(d), Math.cos(d) - joint.lead * Math.sin(d)));
  }
}

function base_of(link: Link, X_WR: Float64Array, r: number, X_WF: Float64Array, f: number, q: Float64Array, q_at: number,
                 q_count: number, out: Float64Array, out_at: number): void {
  if (link.base === kOnLink && link.parent >= 0) {
    compose(out, out_at + 7 * link.parent, link.X);
  } else if (link.base === kOnEntity) {
    compose(X_WR, r, link.X);
  } else if (link.base === kFree && link.at >= 0 && link.at + 7 <= q_count) {
    const at = q_at + link.at;
    own.x = q[at]!, own.y = q[at + 1]!, own.z = q[at + 2]!;
    own.qw = q[at + 3]!, own.qx = q[at + 4]!, own.qy = q[at + 5]!, own.qz = q[at + 6]!;
  } else {
    compose(X_WF, f, link.X);
  }
  normalise();
}

// Writes X_WL (7 numbers) of each link of `model` at out_at. X_WR: its pose, at r; X_WO: where it began, at o; q: its joint
// numbers, q_count of them from q_at.
export function place_links(model: Model, X_WR: Float64Array, r: number, X_WO: Float64Array, o: number, q: Float64Array,
                            q_at: number, q_count: number, out: Float64Array, out_at: number): void {
  let X_WF = X_WR, f = r;
  if (!model.fixed_base) {
    const w = X_WO[o + 3]!, z = X_WO[o + 6]!, norm = Math.hypot(w, z);
    level[0] = X_WO[o]!, level[1] = X_WO[o + 1]!, level[2] = 0;
    level[3] = norm === 0 ? 1 : w / norm, level[4] = 0, level[5] = 0, level[6] = norm === 0 ? 0 : z / norm;
    X_WF = level, f = 0;
  }
  const links = model.links;
  for (let i = 0; i < links.length; i++) {
    const link = links[i]!;
    base_of(link, X_WR, r, X_WF, f, q, q_at, q_count, out, out_at);
    for (let k = 0; k < link.joints.length; k++) move_joint(link.joints[k]!, q, q_at, q_count);
    const at = out_at + 7 * i;
    out[at] = own.x, out[at + 1] = own.y, out[at + 2] = own.z;
    out[at + 3] = own.qw, out[at + 4] = own.qx, out[at + 5] = own.qy, out[at + 6] = own.qz;
  }
}
