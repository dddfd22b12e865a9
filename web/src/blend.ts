// What is shown between two frames: poses blended, and carried on a little by their twist.

// out = the pose from A to B at `share` (0 to 1); B where they are further apart than `reach` (m), or A is not known.
export function blend_pose(A: Float64Array, B: Float64Array, at: number, share: number, reach: number, out: Float64Array): void {
  const dx = B[at]! - A[at]!, dy = B[at + 1]! - A[at + 1]!, dz = B[at + 2]! - A[at + 2]!;
  if (share >= 1 || !(Math.hypot(dx, dy, dz) <= reach)) {
    for (let k = 0; k < 7; k++) out[at + k] = B[at + k]!;
    return;
  }
  out[at] = A[at]! + share * dx, out[at + 1] = A[at + 1]! + share * dy, out[at + 2] = A[at + 2]! + share * dz;
  let dot = 0;
  for (let k = 3; k < 7; k++) dot += A[at + k]! * B[at + k]!;
  const sign = dot < 0 ? -1 : 1; // q and -q are one attitude: the short way
  let norm = 0;
  for (let k = 3; k < 7; k++) {
    const q = (1 - share) * sign * A[at + k]! + share * B[at + k]!;
    out[at + k] = q;
    norm += q * q;
  }
  const scale = 1 / Math.sqrt(norm);
  for (let k = 3; k < 7; k++) out[at + k]! *= scale;
}

// out += what the twist (v, w in the world, at t) does in dt (s).
export function carry_on(twists: Float64Array, t: number, dt: number, out: Float64Array, at: number): void {
  for (let k = 0; k < 3; k++) out[at + k]! += twists[t + k]! * dt;
  const wx = twists[t + 3]!, wy = twists[t + 4]!, wz = twists[t + 5]!;
  const rate = Math.hypot(wx, wy, wz), angle = rate * dt;
  if (angle < 1e-9) return;
  const s = Math.sin(angle / 2) / rate, w = Math.cos(angle / 2), x = wx * s, y = wy * s, z = wz * s;
  const a = out[at + 3]!, b = out[at + 4]!, c = out[at + 5]!, d = out[at + 6]!;
  out[at + 3] = w * a - x * b - y * c - z * d;
  out[at + 4] = w * b + x * a + y * d - z * c;
  out[at + 5] = w * c - x * d + y * a + z * b;
  out[at + 6] = w * d + x * c - y * b + z * a;
}

// The instant of simulated time that is shown: it runs on by itself, one frame behind the newest, and follows what comes.
export class ShownTime {
  now = 0; // s, simulated
  private rate = 0; // simulated s in a s
  private step = 0.1; // simulated s from frame to frame
  private newest = 0;
  private arrived = 0; // s, of the caller's clock
  private known = false;

  frame_came(time: number, wall: number): void {
    const dt = time - this.newest, dw = wall - this.arrived;
    if (!this.known || dt < 0 || dw > 2) {
      this.now = time, this.known = true;
    } else if (dt > 0 && dw > 0) {
      this.rate += 0.3 * (Math.min(dt / dw, 1000) - this.rate);
      this.step += 0.3 * (dt - this.step);
    }
    this.newest = time, this.arrived = wall;
  }

  // To be called for each drawn frame, dt (s) after the one before.
  advance(wall: number, dt: number, paused: boolean): void {
    if (paused) {
      this.now = this.newest;
      return;
    }
    const target = this.newest - this.step + this.rate * (wall - this.arrived);
    const off = target - this.now;
    if (Math.abs(off) > 4 * this.step + 0.5) this.now = target;
    else this.now += Math.max(0, this.rate * dt + off * Math.min(1, 5 * dt));
  }

  forget(): void {
    this.known = false;
    this.rate = 0;
  }
}
