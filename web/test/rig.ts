// What the tests share: frames written from the protocol's table, and models of a few links.
import type { Joint, Link, Model } from "../src/protocol.ts";

export interface Body { pose: number[]; twist?: number[] }
export interface Head { flags?: number; number?: number; run?: number; structure?: number; time?: number; tick?: number }

export function frame_bytes(head: Head, bodies: Body[], joints: number[] = []): ArrayBuffer {
  const bytes = new ArrayBuffer(40 + 32 * bodies.length + 4 * joints.length), view = new DataView(bytes);
  view.setUint8(0, 1);
  view.setUint8(1, head.flags ?? 0);
  view.setUint32(4, head.number ?? 1, true);
  view.setUint32(8, head.run ?? 0, true);
  view.setUint32(12, head.structure ?? 1, true);
  view.setFloat64(16, head.time ?? 0, true);
  view.setFloat64(24, head.tick ?? 0, true);
  view.setUint32(32, bodies.length, true);
  view.setUint32(36, joints.length, true);
  bodies.forEach(({ pose, twist = [0, 0, 0, 0, 0, 0] }, i) => {
    const at = 40 + 32 * i;
    for (let k = 0; k < 3; k++) view.setFloat32(at + 4 * k, pose[k]!, true);
    for (let k = 0; k < 4; k++) view.setInt16(at + 12 + 2 * k, Math.round(pose[3 + k]! * 32767), true);
    for (let k = 0; k < 3; k++) view.setInt16(at + 20 + 2 * k, Math.round(twist[k]! * 256), true);
    for (let k = 0; k < 3; k++) view.setInt16(at + 26 + 2 * k, Math.round(twist[3 + k]! * 1024), true);
  });
  joints.forEach((q, i) => view.setFloat32(40 + 32 * bodies.length + 4 * i, q, true));
  return bytes;
}

// A part: of each body its slot.
export function part_bytes(head: Head, slots: number[], bodies: Body[], joints: number[] = []): ArrayBuffer {
  const whole = new Uint8Array(frame_bytes(head, bodies, joints)), bytes = new Uint8Array(whole.length + 4 * slots.length);
  bytes.set(whole.subarray(0, 40));
  bytes[0] = 2;
  bytes.set(new Uint8Array(new Uint32Array(slots).buffer), 40);
  bytes.set(whole.subarray(40), 40 + 4 * slots.length);
  return bytes.buffer;
}

export const kHere = [0, 0, 0, 1, 0, 0, 0];
export const kQuarter = Math.SQRT1_2; // sine and cosine of half a quarter turn

export function link(fields: Partial<Link>): Link {
  return { name: "link", base: 1, parent: -1, at: -1, X: kHere, joints: [], ...fields };
}
export function joint(fields: Partial<Joint>): Joint {
  return { type: 0, at: 0, anchor: [0, 0, 0], axis: [0, 0, 1], zero: 0, lead: 0, ...fields };
}
export function model(links: Link[], fields: Partial<Model> = {}): Model {
  return { index: 0, name: "m", category: "robot", glb: null, radius: 1, height: 1, fixed_base: false, joints: [], links, actuators: [], keyframes: [], max_speed: 0, max_turn: 0, ...fields };
}
export function rounded(numbers: ArrayLike<number>): number[] {
  return Array.from(numbers, (v) => Math.round(v * 1e6) / 1e6 + 0);
}
