// The world as the page knows it: models, entities in the order of the frames, and where everything is shown now.
import { ShownTime } from "./blend.ts";
import { place_links } from "./kinematics.ts";
import { Motion } from "./motion.ts";
import { Frame, type Beside, type EntitiesMessage, type EntityRow, type Model, type Scene } from "./protocol.ts";

const kLongestAhead = 1; // s of simulated time that anything is carried on
const kNone: number[] = [];

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
  instants = 0; // of other times among them
  refused = 0; // frames that were malformed, or of another structure
  newest = -1; // number of the frame that is shown

  poses = new Float64Array(0); // shown, 7 an entity
  joints = new Float64Array(0); // shown
  joint_at = new Int32Array(0);
  node_at = new Int32Array(0); // the entity's own matrix, then those of its links
  matrices = new Float32Array(0); // 16 a node
  private links = new Float64Array(0); // 7 a node, the first of an entity unused
  shown = new Uint8Array(0); // its place is known
  moved = new Uint8Array(0); // by the last update
  any_moved = false;

  private X_WO = new Float64Array(0);
  private structure = -1;
  private frame = new Frame(); // the newest
  private before = 0; // s, the time of another frame before it
  private motion = new Motion();
  private linked = new Uint8Array(0); // its links are placed, too
  private clock = new ShownTime();
  private quaternions = new Map<Model, number[]>(); // where joint numbers are attitudes
  private pending = -1; // number of the newest frame that came
  private began = false; // there was a frame of this run
  private drawn_at = -1; // s, simulated; less than 0: anew

  get time(): number { return this.began ? Math.min(this.clock.now, this.newest_time) : 0; }
  newest_time = 0; // s, simulated
  tick = 0;
  get twists(): Float64Array { return this.motion.twists; } // 6 an entity

  times_heard(name: string): number { return this.motion.count(this.by_name.get(name)?.slot ?? -1); }

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
    const n = entities.length, old = entities.map((e) => e.slot);
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
    this.joints = new Float64Array(this.joint_at[n]!);
    this.matrices = new Float32Array(16 * this.node_at[n]!);
    this.links = new Float64Array(7 * this.node_at[n]!);
    this.moved = new Uint8Array(n);
    this.linked = new Uint8Array(n);
    this.motion = this.motion.rearranged(old, this.joint_at);
    this.quaternions = new Map([...this.models.values()].map((m) => [m, attitudes(m)]));
    this.drawn_at = -1;
    this.version++;
  }

  // A frame came at `wall` (s). Malformed ones are counted and dropped.
  take_frame(bytes: ArrayBuffer, wall: number): void {
    const { frame, motion } = this;
    try {
      frame.read(bytes);
    } catch (error) {
      this.refused++;
      if (bytes.byteLength >= 8) this.pending = new DataView(bytes).getUint32(4, true);
      console.warn((error as Error).message);
      return;
    }
    this.pending = frame.number; // acknowledged whatever it is, so that the next comes
    if (!this.fits(frame)) {
      this.refused++;
      return;
    }
    if (frame.run !== this.run || !this.began) {
      this.run = frame.run, this.before = frame.time;
      this.clock.forget();
      motion.forget();
    } else if (frame.time !== this.newest_time) {
      this.before = this.newest_time;
    }
    if (frame.time !== this.newest_time) this.instants++;
    this.began = true;
    this.paused = frame.paused, this.newest_time = frame.time, this.tick = frame.tick;
    this.frames++;
    this.clock.frame_came(frame.time, wall);
    for (let k = 0, j = 0; k < frame.count; k++) {
      const i = frame.whole ? k : frame.slots[k]!;
      motion.hear(i, frame, k, j, this.before, this.clock.now, this.poses, this.entities[i]!.shift, this.joints);
      j += this.joint_at[i + 1]! - this.joint_at[i]!;
    }
    this.drawn_at = -1;
  }

  // A whole one of the entities that there are, or a part with some of them in a run that has begun with a whole one.
  private fits(frame: Frame): boolean {
    const n = this.entities.length;
    if (frame.structure !== this.structure) return false;
    if (frame.whole) return frame.count === n && frame.joint_count === this.joint_at[n];
    if (frame.run !== this.run || !this.began || (frame.count > 0 && frame.slots[frame.count - 1]! >= n)) return false;
    let joints = 0;
    for (let k = 0; k < frame.count; k++) joints += this.joint_at[frame.slots[k]! + 1]! - this.joint_at[frame.slots[k]!]!;
    return joints === frame.joint_count;
  }

  // Places everything for the instant that is shown now.
  update(wall: number, dt: number): void {
    this.moved.fill(0);
    this.any_moved = false;
    this.newest = this.pending;
    if (!this.began) return;
    this.clock.advance(wall, dt, this.paused);
    const now = Math.min(this.clock.now, this.newest_time + kLongestAhead);
    if (now === this.drawn_at) return;
    this.drawn_at = now;
    for (let i = 0; i < this.entities.length; i++)
      if (this.motion.heard(i) && !(this.motion.rests(i) && this.shown[i] === 1)) this.place(i, now);
  }

  private place(i: number, now: number): void {
    const { poses } = this, p = 7 * i, entity = this.entities[i]!;
    this.motion.place(i, now, this.paused, poses, this.joints, this.quaternions.get(entity.model) ?? kNone);
    poses[p]! += entity.shift;
    write_matrix(poses, p, this.matrices, 16 * this.node_at[i]!);
    this.shown[i] = 1, this.moved[i] = 1, this.linked[i] = 0, this.any_moved = true;
  }

  // The matrices of its links are those of where it is. To be called before they are read: of most of ten thousand entities
  // nobody wants to know.
  place_links(i: number): void {
    if (this.linked[i] === 1 || this.shown[i] === 0) return;
    this.linked[i] = 1;
    const { poses, links } = this, { model, shift } = this.entities[i]!, p = 7 * i, node = this.node_at[i]!;
    poses[p]! -= shift;
    place_links(model, poses, p, this.X_WO, p, this.joints, this.joint_at[i]!, model.joints.length, links, 7 * (node + 1));
    poses[p]! += shift;
    for (let k = 1; k <= model.links.length; k++) {
      links[7 * (node + k)]! += shift;
      write_matrix(links, 7 * (node + k), this.matrices, 16 * (node + k));
    }
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
