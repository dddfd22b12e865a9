// Where each entity was heard to be last, and its way there from where it was shown: each at times of its own.
//
// One that is heard of in each frame goes from state to state. One that is heard of now and then is carried on by its twist
// in between; when it is heard of again, what that was wrong by goes away within a moment.
import { blend_pose, carry_on } from "./blend.ts";
import type { Frame } from "./protocol.ts";

const kLongestAhead = 0.25; // s of simulated time that the twist carries on
const kLongestEver = 1; // of what is heard of seldom
const kCorrection = 0.2; // s, at most, until what was wrong is gone
const kJump = 1; // m beyond what its speed explains: not blended
const kUnheard = -Infinity;

export class Motion {
  twists = new Float64Array(0); // v_W, w_W as heard last, 6 an entity
  private poses = new Float64Array(0); // X_WR as heard last
  private joints = new Float64Array(0);
  private times = new Float64Array(0); // s, simulated, of what was heard last
  private gaps = new Float64Array(0); // s, from what was heard before
  private from_poses = new Float64Array(0); // where its way there begins
  private from_joints = new Float64Array(0);
  private from_times = new Float64Array(0);
  private until = new Float64Array(0); // it is over then
  private settled = new Uint8Array(0); // stands still, and is shown so
  private counts = new Uint32Array(0); // how often it was heard of

  constructor(private joint_at: Int32Array = new Int32Array(1)) {}

  count(i: number): number { return this.counts[i] ?? 0; }
  heard(i: number): boolean { return this.times[i] !== kUnheard; }
  // Nothing more will come of it, as it is shown.
  rests(i: number): boolean { return this.settled[i] === 1; }
  forget(): void {
    this.times.fill(kUnheard);
    this.settled.fill(0);
  }

  // The same for other entities: `old` has for each its place here, or less than 0.
  rearranged(old: number[], joint_at: Int32Array): Motion {
    const n = old.length, out = new Motion(joint_at), joints = joint_at[n]!;
    out.twists = new Float64Array(6 * n), out.poses = new Float64Array(7 * n), out.from_poses = new Float64Array(7 * n);
    out.joints = new Float64Array(joints), out.from_joints = new Float64Array(joints);
    out.times = new Float64Array(n).fill(kUnheard), out.gaps = new Float64Array(n);
    out.from_times = new Float64Array(n), out.until = new Float64Array(n), out.settled = new Uint8Array(n), out.counts = new Uint32Array(n);
    for (let i = 0; i < n; i++) {
      const from = old[i]!;
      if (from < 0 || from >= this.times.length) continue;
      for (const [to, of, size] of [[out.twists, this.twists, 6], [out.poses, this.poses, 7], [out.from_poses, this.from_poses, 7], [out.times, this.times, 1], [out.gaps, this.gaps, 1], [out.from_times, this.from_times, 1], [out.until, this.until, 1], [out.counts, this.counts, 1]] as const)
        for (let k = 0; k < size; k++) to[size * i + k] = of[size * from + k]!;
      const a = this.joint_at[from]!, had = this.joint_at[from + 1]! - a, to = joint_at[i]!;
      if (had !== joint_at[i + 1]! - to) continue;
      for (let k = 0; k < had; k++) out.joints[to + k] = this.joints[a + k]!, out.from_joints[to + k] = this.from_joints[a + k]!;
    }
    return out;
  }

  // The state at place k of a frame, whose joint numbers begin at j, is of entity i. `before`: the time of the frame before;
  // `now`: the instant that is shown, with the entity at `shown` (7 numbers from p).
  hear(i: number, frame: Frame, k: number, j: number, before: number, now: number, shown: Float64Array, shift: number, shown_joints: Float64Array): void {
    const p = 7 * i, first = this.joint_at[i]!, end = this.joint_at[i + 1]!, then = this.times[i]!, known = then !== kUnheard;
    this.counts[i]!++;
    if (known && this.settled[i] === 1 && this.same(i, frame, k, j)) {
      this.times[i] = frame.time;
      return;
    }
    const each = !known || then >= before || frame.time <= then;
    for (let c = 0; c < 7; c++) this.from_poses[p + c] = !known ? NaN : each ? this.poses[p + c]! : shown[p + c]!;
    if (known && !each) this.from_poses[p]! -= shift;
    for (let c = first; c < end; c++) this.from_joints[c] = !known ? frame.joints[j + c - first]! : each ? this.joints[c]! : shown_joints[c]!;
    this.gaps[i] = known ? Math.min(kLongestEver, frame.time - then) : 0;
    this.from_times[i] = known ? (each ? then : now) : frame.time;
    this.until[i] = each ? frame.time : Math.max(frame.time, now + Math.min(kCorrection, 0.5 * this.gaps[i]!));
    for (let c = 0; c < 7; c++) this.poses[p + c] = frame.poses[7 * k + c]!;
    for (let c = 0; c < 6; c++) this.twists[6 * i + c] = frame.twists[6 * k + c]!;
    for (let c = first; c < end; c++) this.joints[c] = frame.joints[j + c - first]!;
    this.times[i] = frame.time;
    this.settled[i] = 0;
  }

  private same(i: number, frame: Frame, k: number, j: number): boolean {
    for (let c = 0; c < 7; c++) if (this.poses[7 * i + c] !== frame.poses[7 * k + c]) return false;
    for (let c = 0; c < 6; c++) if (this.twists[6 * i + c] !== frame.twists[6 * k + c]) return false;
    for (let c = this.joint_at[i]!; c < this.joint_at[i + 1]!; c++, j++) if (this.joints[c] !== frame.joints[j]) return false;
    return true;
  }

  // Writes the pose and the joint numbers of entity i at the instant `now`; `attitudes`: where joint numbers are quaternions.
  place(i: number, now: number, paused: boolean, poses: Float64Array, joints: Float64Array, attitudes: number[]): void {
    const p = 7 * i, t = this.times[i]!, from = this.from_times[i]!, until = this.until[i]!, v = this.twists, w = 6 * i;
    const share = paused || until <= from ? 1 : Math.min(1, Math.max(0, (now - from) / (until - from)));
    const longest = Math.min(kLongestEver, Math.max(kLongestAhead, 1.5 * this.gaps[i]!));
    const ahead = paused ? 0 : share < 1 ? share * (until - t) : Math.min(longest, Math.max(0, now - t));
    blend_pose(this.from_poses, this.poses, p, share, kJump + Math.hypot(v[w]!, v[w + 1]!, v[w + 2]!) * this.gaps[i]!, poses);
    if (ahead > 0) carry_on(v, w, ahead, poses, p);
    this.blend_joints(i, share, joints, attitudes);
    if (share === 1 && this.stands(w)) this.settled[i] = 1;
  }

  private stands(w: number): boolean {
    const v = this.twists;
    return v[w] === 0 && v[w + 1] === 0 && v[w + 2] === 0 && v[w + 3] === 0 && v[w + 4] === 0 && v[w + 5] === 0;
  }

  private blend_joints(i: number, share: number, out: Float64Array, attitudes: number[]): void {
    const A = this.from_joints, B = this.joints, first = this.joint_at[i]!, end = this.joint_at[i + 1]!;
    for (let k = first; k < end; k++) {
      const d = B[k]! - A[k]!;
      out[k] = Math.abs(d) > Math.PI ? B[k]! : A[k]! + share * d;
    }
    for (let k = 0; k < attitudes.length; k++) blend_attitude(A, B, first + attitudes[k]!, share, out);
  }
}

function blend_attitude(A: Float64Array, B: Float64Array, at: number, share: number, out: Float64Array): void {
  let dot = 0, norm = 0;
  for (let k = at; k < at + 4; k++) dot += A[k]! * B[k]!;
  for (let k = at; k < at + 4; k++) {
    out[k] = (1 - share) * (dot < 0 ? -1 : 1) * A[k]! + share * B[k]!;
    norm += out[k]! * out[k]!;
  }
  for (let k = at; k < at + 4; k++) out[k] = norm > 0 ? out[k]! / Math.sqrt(norm) : B[k]!;
}
