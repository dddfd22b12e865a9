// What the page and its server say to each other: the types of the messages, and the frame of states as bytes.

export type Role = "view" | "drive" | "edit" | "admin";

export interface Joint { type: number; at: number; anchor: number[]; axis: number[]; zero: number; lead: number }
export interface Link { name: string; base: number; parent: number; at: number; X: number[]; joints: Joint[] }
export interface Model {
  index: number; name: string; category: string; glb: string | null;
  radius: number; height: number; fixed_base: boolean; joints: string[]; links: Link[];
  actuators: string[]; keyframes: string[]; max_speed: number; max_turn: number; // m/s, rad/s; 0: not known
}
// Of two recordings: entities from the number `first` on are of the second, and are drawn `shift` m along x.
export interface Beside { first: number; shift: number; glb: string | null }
export interface Scene { glb: string | null; bounds: number[]; models: Model[]; beside?: Beside }
export interface Welcome {
  role: Role; name: string; mode: string; seed: number | string; tick_s: number; version: string; page: number;
  video?: string; // a page with live video of the same run
}
// number, name, model, parent or 0, host, frozen, origin, tags
export type EntityRow = [number, string, number, number, number, number, number[], string[]];
export interface EntitiesMessage { structure: number; all: boolean; hosts: string[]; set: EntityRow[]; gone: number[] }
export interface ServerStatus {
  hosts?: { name: string; present: boolean; done: boolean }[]; waits_for?: string[]; digest?: string;
  connections?: { number: number; name: string; role: string; state: string; linked: boolean }[];
  drops?: Record<string, number>; leases?: { robot: string; holder: string }[]; control?: { robots?: Record<string, number>; ignored?: Record<string, number> };
}
export interface RecordingStatus { file: string; end_s: number; run: number; run_time_s: number; detail: string; damage: string; beside: string; difference: { time_s: number; entity: string; text: string } | null }
export interface Status {
  recording?: RecordingStatus;
  paused?: boolean; speed?: number; time_s?: number; tick?: number; rtf?: number; entities?: number; robots?: number;
  environment?: Record<string, unknown>; pages?: number; refused?: Record<string, number>; raw?: ServerStatus;
}
export interface Vec3 { x: number; y: number; z: number }
export interface Contact { body?: string; other?: string; other_body?: string; position?: Vec3; normal?: Vec3; force?: Vec3; depth?: number }
export interface Outcome { error?: number; text?: string; number?: number }
export interface Reply {
  id: number; error: number; text?: string; tick?: number | string; names?: string[]; data?: unknown;
  outcomes?: Outcome[]; contacts?: Contact[];
}
export interface EventMessage { time_s: number; level: string; text: string }

export interface ServerMessage {
  welcome?: Welcome; scene?: Scene; entities?: EntitiesMessage; status?: Status; reply?: Reply; event?: EventMessage;
  lost?: { text: string };
}

const kHead = 40; // bytes before the first entity
const kEntity = 32; // bytes of an entity
const kSlot = 4; // more, in a part
const kWhole = 1, kPart = 2; // first byte of a frame of states
const kPaused = 1; // flag

// Where the page looks (docs/web.md).
export interface Look { eye: number[]; ahead: number[]; angle: number; always: number[] }

// A frame of states, whole or of some entities, unpacked into arrays that are kept from one frame to the next.
export class Frame {
  paused = false;
  number = 0;
  run = 0;
  structure = -1; // none yet
  time = 0; // s
  tick = 0;
  whole = true;
  count = 0;
  joint_count = 0;
  slots = new Uint32Array(0); // of a part: whose state each is
  poses = new Float64Array(0); // X_WR: x, y, z, qw, qx, qy, qz for each entity
  twists = new Float64Array(0); // v_W (m/s), w_W (rad/s) for each entity
  joints = new Float64Array(0);

  // Throws, and stays as it was, if the bytes are no whole frame.
  read(bytes: ArrayBuffer): void {
    if (bytes.byteLength < kHead) throw new Error(`a frame of ${bytes.byteLength} bytes is shorter than its head`);
    const view = new DataView(bytes);
    const kind = view.getUint8(0), whole = kind === kWhole;
    if (!whole && kind !== kPart) throw new Error(`a frame of unknown kind ${kind}`);
    const count = view.getUint32(32, true), joint_count = view.getUint32(36, true);
    const states = kHead + (whole ? 0 : kSlot * count), wanted = states + kEntity * count + 4 * joint_count;
    if (bytes.byteLength !== wanted)
      throw new Error(`a frame of ${count} entities and ${joint_count} joint numbers has ${wanted} bytes, not ${bytes.byteLength}`);
    for (let i = 0, at = states; i < count; i++, at += kEntity)
      for (let k = 0; k < 12; k += 4)
        if (!Number.isFinite(view.getFloat32(at + k, true))) throw new Error(`entity ${i} of a frame has no place`);
    for (let i = 1; !whole && i < count; i++)
      if (view.getUint32(kHead + kSlot * i, true) <= view.getUint32(kHead + kSlot * (i - 1), true)) throw new Error("the slots of a frame do not ascend");

    this.paused = (view.getUint8(1) & kPaused) !== 0;
    this.number = view.getUint32(4, true);
    this.run = view.getUint32(8, true);
    this.structure = view.getUint32(12, true);
    this.time = view.getFloat64(16, true);
    this.tick = view.getFloat64(24, true);
    this.whole = whole;
    this.count = count;
    this.joint_count = joint_count;
    if (this.poses.length < 7 * count) {
      this.poses = new Float64Array(7 * count);
      this.twists = new Float64Array(6 * count);
    }
    if (this.joints.length < joint_count) this.joints = new Float64Array(joint_count);
    if (!whole && this.slots.length < count) this.slots = new Uint32Array(count);
    for (let i = 0; !whole && i < count; i++) this.slots[i] = view.getUint32(kHead + kSlot * i, true);
    for (let i = 0, at = states; i < count; i++, at += kEntity) this.read_entity(view, at, i);
    for (let i = 0, at = states + kEntity * count; i < joint_count; i++, at += 4)
      this.joints[i] = view.getFloat32(at, true);
  }

  private read_entity(view: DataView, at: number, i: number): void {
    const poses = this.poses, twists = this.twists, p = 7 * i, t = 6 * i;
    for (let k = 0; k < 3; k++) poses[p + k] = view.getFloat32(at + 4 * k, true);
    let norm = 0;
    for (let k = 0; k < 4; k++) {
      const q = view.getInt16(at + 12 + 2 * k, true);
      poses[p + 3 + k] = q;
      norm += q * q;
    }
    if (norm === 0) {
      poses[p + 3] = 1;
    } else {
      const scale = 1 / Math.sqrt(norm);
      for (let k = 3; k < 7; k++) poses[p + k]! *= scale;
    }
    for (let k = 0; k < 3; k++) {
      twists[t + k] = view.getInt16(at + 20 + 2 * k, true) / 256;
      twists[t + 3 + k] = view.getInt16(at + 26 + 2 * k, true) / 1024;
    }
  }
}
