// The world as the page knows it: models, entities in the order of the frames, and where everything is shown now.
import { blend_pose, carry_on, ShownTime } from "./blend.ts";
import { place_links } from "./kinematics.ts";
import { Frame, type Beside, type EntitiesMessage, type EntityRow, type Model, type Scene } from "./protocol.ts";

const kLongestAhead = 0.25; // s of simulated time that the twist carries on
const kJump = 1; // m beyond what its speed explains: not blended

export interface Entity {
  number: number; name: string; model: Model; parent: number; host: number; frozen: boolean; tags: string[]; slot: number;
  shift: number; // m along x, from where it is to where it is drawn
}

const kNoModel: Model = { index: -1, name: "", category: "", glb: null, radius: 0.2, height: 0.3, fixed_base: false, joints: [], links: [], actuators: [], keyframes: [], max_speed: 0, max_turn: 0 };

export class World {
  models = new Map<number, Model>();
  hosts: string[] = [];
  entities: Entity[] = []; // by ascending number: the slot is the place in a frame
  by_name = new Map<string, Entity>();
  by_number = new Map<number, Entity>();
  bounds: number[] = [-5, -5, 5, 5];
  private beside: Beside | undefined;
  version = 0; // grows when entities or models change
  paused = false;
  run = 0;
  frames = 0; // taken
  refused = 0; // frames that were malformed, or of another structure
  newest = -1; // number of the frame that is shown

  poses = new Float64Array(0); // shown, 7 an entity
  twists = new Float64Array(0); // 6 an entity
  joints = new Float64Array(0); // shown
  joint_at = new Int32Array(0);
  node_at = new Int32Array(0); // the entity's own matrix, then those of its links
  matrices = new Float32Array(0); // 16 a node
  links = new Float64Array(0); // 7 a node, the first of an entity unused
  shown = new Uint8Array(0); // its place is known
  moved = new Uint8Array(0); // by the last update
  any_moved = false;

  private X_WO = new Float64Array(0);
  private structure = -1;
  private before = new Frame();
  private last = new Frame();
  private spare = new Frame();
  private settled = new Uint8Array(0); // stands still, and is drawn so
  private clock = new ShownTime();
  private quaternions = new Map<Model, number[]>(); // where joint numbers are attitudes
  private pending = -1; // number of the newest frame that came
  private drawn_share = -1;
  private drawn_ahead = -1;

  get time(): number { return this.last.structure < 0 ? 0 : Math.min(this.clock.now, this.last.time); }
  get newest_time(): number { return this.last.time; }
  get tick(): number { return this.last.tick; }

  // Another connection: its frames are counted anew.
  connected(): void {
    this.pending = this.newest = -1;
  }

  take_scene(scene: Scene): void {
    this.bounds = scene.bounds;
    this.beside = scene.beside;
    this.models = new Map(scene.models.map((model) => [model.index, model]));
    for (const entity of this.entities) entity.model = this.models.get(entity.model.index) ?? kNoModel;
    this.arrange(this.entities);
  }

  take_entities(message: EntitiesMessage): void {
    const kept = new Map<number, Entity>();
    if (!message.all) for (const entity of this.entities) kept.set(entity.number, entity);
    for (const number of message.gone) kept.delete(number);
    for (const row of message.set) kept.set(row[0], this.entity_of(row));
    this.hosts = message.hosts;
    this.structure = message.structure;
    this.arrange([...kept.values()].sort((a, b) => a.number - b.number));
  }

  private origins = new Map<number, number[]>();
  private entity_of(row: EntityRow): Entity {
    const [number, name, model, parent, host, frozen, origin, tags] = row;
    this.origins.set(number, origin);
    const slot = this.by_number.get(number)?.slot ?? -1;
    return { number, name, model: this.models.get(model) ?? kNoModel, parent, host, frozen: frozen !== 0, tags, slot, shift: this.beside && number >= this.beside.first ? this.beside.shift : 0 };
  }

  // Gives each entity its slot; what is known of it goes along.
  private arrange(entities: Entity[]): void {
    const n = entities.length, old = entities.map((e) => e.slot), old_joint_at = this.joint_at;
    const poses = this.poses, shown = this.shown;
    this.joint_at = new Int32Array(n + 1);
    this.node_at = new Int32Array(n + 1);
    for (let i = 0; i < n; i++) {
      const model = entities[i]!.model;
      this.joint_at[i + 1] = this.joint_at[i]! + model.joints.length;
      this.node_at[i + 1] = this.node_at[i]! + model.links.length + 1;
    }
    this.entities = entities;
    this.by_name = new Map(entities.map((e) => [e.name, e]));
    this.by_number = new Map(entities.map((e) => [e.number, e]));
    for (const number of this.origins.keys()) if (!this.by_number.has(number)) this.origins.delete(number);
    this.poses = new Float64Array(7 * n);
    this.shown = new Uint8Array(n);
    this.X_WO = new Float64Array(7 * n);
    for (let i = 0; i < n; i++) {
      const from = old[i]!;
      if (from >= 0 && from < shown.length) {
        this.poses.set(poses.subarray(7 * from, 7 * from + 7), 7 * i);
        this.shown[i] = shown[from]!;
      }
      this.X_WO.set(this.origins.get(entities[i]!.number) ?? [0, 0, 0, 1, 0, 0, 0], 7 * i);
      entities[i]!.slot = i;
    }
    this.twists = new Float64Array(6 * n);
    this.joints = new Float64Array(this.joint_at[n]!);
    this.matrices = new Float32Array(16 * this.node_at[n]!);
    this.links = new Float64Array(7 * this.node_at[n]!);
    this.moved = new Uint8Array(n);
    this.settled = new Uint8Array(n);
    this.before = this.rearranged(this.before, old, old_joint_at);
    this.last = this.rearranged(this.last, old, old_joint_at);
    this.quaternions = new Map([...this.models.values()].map((m) => [m, attitudes(m)]));
    this.drawn_share = -1;
    this.version++;
  }

  private rearranged(frame: Frame, old: number[], old_joint_at: Int32Array): Frame {
    const n = old.length, out = new Frame();
    Object.assign(out, { paused: frame.paused, number: frame.number, run: frame.run, time: frame.time, tick: frame.tick });
    out.structure = frame.structure < 0 ? -1 : this.structure;
    out.count = n, out.joint_count = this.joint_at[n]!;
    out.poses = new Float64Array(7 * n).fill(NaN); // NaN: not known yet
    out.twists = new Float64Array(6 * n);
    out.joints = new Float64Array(out.joint_count);
    for (let i = 0; i < n; i++) {
      const from = old[i]!;
      if (from < 0 || from >= frame.count) continue;
      out.poses.set(frame.poses.subarray(7 * from, 7 * from + 7), 7 * i);
      out.twists.set(frame.twists.subarray(6 * from, 6 * from + 6), 6 * i);
      const had = old_joint_at[from + 1]! - old_joint_at[from]!, has = this.joint_at[i + 1]! - this.joint_at[i]!;
      if (had === has) out.joints.set(frame.joints.subarray(old_joint_at[from]!, old_joint_at[from + 1]!), this.joint_at[i]!);
    }
    return out;
  }

  // A frame came at `wall` (s). Malformed ones are counted and dropped.
  take_frame(bytes: ArrayBuffer, wall: number): void {
    const frame = this.spare;
    try {
      frame.read(bytes);
    } catch (error) {
      this.refused++;
      if (bytes.byteLength >= 8) this.pending = new DataView(bytes).getUint32(4, true);
      console.warn((error as Error).message);
      return;
    }
    const n = this.entities.length;
    if (frame.structure !== this.structure || frame.count !== n || frame.joint_count !== this.joint_at[n]) {
      this.refused++;
      this.pending = frame.number; // acknowledged, so that the next comes
      return;
    }
    if (frame.run !== this.run) {
      this.run = frame.run;
      this.clock.forget();
      this.last.structure = -1;
    }
    if (this.last.structure < 0) this.last.poses = new Float64Array(7 * n).fill(NaN), this.last.joints = frame.joints.slice();
    this.spare = this.before, this.before = this.last, this.last = frame;
    this.paused = frame.paused;
    this.pending = frame.number;
    this.frames++;
    this.clock.frame_came(frame.time, wall);
    this.drawn_share = -1;
    this.twists = frame.twists;
    this.note_settled();
  }

  // An entity that is the same in both frames and has no speed is placed once more, then left alone.
  private note_settled(): void {
    const { before, last, settled } = this;
    for (let i = 0; i < settled.length; i++) {
      let same = true;
      for (let k = 7 * i; same && k < 7 * i + 7; k++) same = before.poses[k] === last.poses[k];
      for (let k = 6 * i; same && k < 6 * i + 6; k++) same = last.twists[k] === 0;
      for (let k = this.joint_at[i]!; same && k < this.joint_at[i + 1]!; k++) same = before.joints[k] === last.joints[k];
      if (!same) settled[i] = 0;
      else if (settled[i] === 0) settled[i] = 1;
    }
  }

  // Places everything for the instant that is shown now.
  update(wall: number, dt: number): void {
    this.moved.fill(0);
    this.any_moved = false;
    this.newest = this.pending;
    const { before, last } = this;
    if (last.structure < 0) return;
    this.clock.advance(wall, dt, this.paused);
    const gap = before.structure < 0 ? 0 : last.time - before.time;
    const share = this.paused || gap <= 0 ? 1 : Math.min(1, Math.max(0, (this.clock.now - before.time) / gap));
    const ahead = this.paused ? 0 : Math.min(kLongestAhead, Math.max(0, this.clock.now - last.time));
    if (share === this.drawn_share && ahead === this.drawn_ahead) return;
    this.drawn_share = share, this.drawn_ahead = ahead;
    for (let i = 0; i < this.entities.length; i++)
      if (this.settled[i] !== 2) this.place(i, share, ahead, gap);
  }

  private place(i: number, share: number, ahead: number, gap: number): void {
    const { last, before, poses } = this, p = 7 * i, model = this.entities[i]!.model;
    if (Number.isNaN(last.poses[p]!)) return;
    const speed = Math.hypot(last.twists[6 * i]!, last.twists[6 * i + 1]!, last.twists[6 * i + 2]!);
    blend_pose(before.poses, last.poses, p, share, kJump + speed * gap, poses);
    if (ahead > 0) carry_on(last.twists, 6 * i, ahead, poses, p);
    this.blend_joints(i, share, model);
    const node = this.node_at[i]!, shift = this.entities[i]!.shift;
    place_links(model, poses, p, this.X_WO, p, this.joints, this.joint_at[i]!, model.joints.length, this.links, 7 * (node + 1));
    poses[p]! += shift;
    for (let k = 1; shift !== 0 && k <= model.links.length; k++) this.links[7 * (node + k)]! += shift;
    write_matrix(poses, p, this.matrices, 16 * node);
    for (let k = 1; k <= model.links.length; k++) write_matrix(this.links, 7 * (node + k), this.matrices, 16 * (node + k));
    this.shown[i] = 1, this.moved[i] = 1, this.any_moved = true;
    if (this.settled[i] === 1) this.settled[i] = 2;
  }

  private blend_joints(i: number, share: number, model: Model): void {
    const A = this.before.joints, B = this.last.joints, from = this.joint_at[i]!, to = this.joint_at[i + 1]!;
    for (let k = from; k < to; k++) {
      const d = B[k]! - A[k]!;
      this.joints[k] = Math.abs(d) > Math.PI ? B[k]! : A[k]! + share * d;
    }
    for (const offset of this.quaternions.get(model) ?? []) blend_attitude(A, B, from + offset, share, this.joints);
  }
}

function attitudes(model: Model): number[] {
  const out: number[] = [], fits = (at: number): boolean => at >= 0 && at + 4 <= model.joints.length;
  for (const link of model.links) {
    if (link.base === 3 && fits(link.at + 3)) out.push(link.at + 3);
    for (const joint of link.joints) if (joint.type === 2 && fits(joint.at)) out.push(joint.at);
  }
  return out;
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

// Column by column, as WebGL takes it.
function write_matrix(X: Float64Array, at: number, out: Float32Array, to: number): void {
  const w = X[at + 3]!, x = X[at + 4]!, y = X[at + 5]!, z = X[at + 6]!;
  const xx = 2 * x * x, yy = 2 * y * y, zz = 2 * z * z, xy = 2 * x * y, xz = 2 * x * z, yz = 2 * y * z;
  const wx = 2 * w * x, wy = 2 * w * y, wz = 2 * w * z;
  out[to] = 1 - yy - zz, out[to + 1] = xy + wz, out[to + 2] = xz - wy, out[to + 3] = 0;
  out[to + 4] = xy - wz, out[to + 5] = 1 - xx - zz, out[to + 6] = yz + wx, out[to + 7] = 0;
  out[to + 8] = xz + wy, out[to + 9] = yz - wx, out[to + 10] = 1 - xx - yy, out[to + 11] = 0;
  out[to + 12] = X[at]!, out[to + 13] = X[at + 1]!, out[to + 14] = X[at + 2]!, out[to + 15] = 1;
}
