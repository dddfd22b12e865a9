// All entities as instanced meshes: one for each part of a model, filled each frame with those that are drawn in that detail.
import { DynamicDrawUsage, InstancedMesh, type Camera, Group, Vector3 } from "three";
import type { Model } from "./protocol.ts";
import { load_glb, shape_of_glb, shape_without_glb, type Part, type Shape } from "./shape.ts";
import type { World } from "./world.ts";

const kFull = 0, kBoxes = 1, kSingle = 2;
const kLeast = 50_000, kMost = 4_000_000; // triangles
const kSmall = 0.0035, kCoarse = 0.012; // radius by distance, below which one box is enough, or one a link
const kBetweenSorts = 0.25; // s

interface Batch { mesh: InstancedMesh; node: number; level: number }
// Of loose bodies, each link a thing of its own, one box for all would hide what is between them.
interface Kind { model: Model; shape: Shape; loose: boolean; batches: Batch[]; slots: number[] }

export class Fleet {
  readonly group = new Group();
  budget = 1_500_000; // triangles a frame, adapted to what the machine can do
  shadows = true;
  on_trouble: (text: string) => void = () => {};
  private kinds = new Map<number, Kind>();
  private loading = new Map<string, Promise<Shape>>();
  private levels = new Uint8Array(0);
  private order: number[] = [];
  private far = new Float64Array(0);
  private version = -1;
  private sorted_at = -1;
  private stale = true;
  private eye = new Vector3();

  constructor(private world: World, private session: () => string, private plain: boolean) {}

  get drawn(): number { return this.world.shown.reduce((sum, shown) => sum + shown, 0); }
  shape(model: Model): Shape | undefined { return this.kinds.get(model.index)?.shape; }

  private arrange(): void {
    const world = this.world;
    this.version = world.version;
    for (const [index, kind] of this.kinds)
      if (!this.adopt(kind, world.models.get(index))) this.drop(index);
    for (const model of world.models.values()) if (!this.kinds.has(model.index)) this.add(model);
    for (const kind of this.kinds.values()) kind.slots.length = 0;
    for (const entity of world.entities) this.kinds.get(entity.model.index)?.slots.push(entity.slot);
    this.levels = new Uint8Array(world.entities.length);
    this.far = new Float64Array(world.entities.length);
    this.order = world.entities.map((e) => e.slot);
    this.sorted_at = -1;
    this.stale = true;
    for (const kind of this.kinds.values()) this.make_room(kind);
  }

  // A model that is told again keeps its shape.
  private adopt(kind: Kind, model: Model | undefined): boolean {
    if (!model || model.glb !== kind.model.glb || model.name !== kind.model.name || model.links.length !== kind.model.links.length) return false;
    kind.model = model;
    return true;
  }

  private add(model: Model): void {
    this.dress(model, shape_without_glb(model));
    if (!model.glb) return;
    const url = model.glb;
    if (!this.loading.has(url))
      this.loading.set(url, load_glb(url, this.session()).then((gltf) => shape_of_glb(model, gltf)));
    this.loading.get(url)!.then((shape) => {
      const kind = this.kinds.get(model.index);
      if (kind?.model.glb !== url) return;
      this.drop(model.index);
      this.dress(kind.model, shape);
      this.version = -1;
    }, (error: Error) => {
      this.loading.delete(url);
      this.on_trouble(`The model ${model.name} cannot be shown: ${error.message}`);
    });
  }

  private dress(model: Model, shape: Shape): void {
    this.kinds.set(model.index, { model, shape, loose: model.links.some((link) => link.base === 3), batches: [], slots: [] });
  }

  private drop(index: number): void {
    for (const batch of this.kinds.get(index)?.batches ?? []) this.group.remove(batch.mesh), batch.mesh.dispose();
    this.kinds.delete(index);
  }

  private make_room(kind: Kind): void {
    const wanted = kind.slots.length, room = kind.batches[0]?.mesh.instanceMatrix.count ?? 0;
    if (wanted <= room) return;
    for (const batch of kind.batches) this.group.remove(batch.mesh), batch.mesh.dispose();
    const capacity = Math.max(4, 2 ** Math.ceil(Math.log2(wanted)));
    const batches_of = (parts: Part[], level: number): Batch[] => parts.map((part) => {
      const mesh = new InstancedMesh(part.geometry, part.material, capacity);
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false, mesh.matrixAutoUpdate = false, mesh.count = 0;
      mesh.receiveShadow = level === kFull;
      this.group.add(mesh);
      return { mesh, node: part.node, level };
    });
    const { full, boxes, single } = kind.shape;
    kind.batches = [...batches_of(full, kFull), ...batches_of(boxes, kBoxes), ...batches_of(single, kSingle)];
  }

  update(camera: Camera, now: number): void {
    if (this.version !== this.world.version) this.arrange();
    if (now - this.sorted_at > kBetweenSorts) this.choose_levels(camera, now);
    if (!this.world.any_moved && !this.stale) return;
    this.stale = false;
    for (const kind of this.kinds.values()) for (const batch of kind.batches) this.fill(batch, kind.slots);
  }

  // The nearest have all their details, until the budget is spent.
  private choose_levels(camera: Camera, now: number): void {
    const { entities, poses, shown } = this.world, { far, order, levels } = this;
    this.sorted_at = now;
    camera.getWorldPosition(this.eye);
    for (let i = 0; i < entities.length; i++)
      far[i] = Math.hypot(poses[7 * i]! - this.eye.x, poses[7 * i + 1]! - this.eye.y, poses[7 * i + 2]! - this.eye.z);
    order.sort((a, b) => far[a]! - far[b]!);
    let spent = 0;
    for (const i of order) {
      if (shown[i] === 0) continue;
      const kind = this.kinds.get(entities[i]!.model.index);
      if (!kind) continue;
      const boxes = 12 * kind.shape.boxes.length;
      const small = !kind.loose && kind.model.radius < kSmall * far[i]!, coarse = this.plain && !kind.loose && kind.model.radius < kCoarse * far[i]!;
      let level = kind.loose ? kBoxes : kSingle;
      if (!coarse && spent + kind.shape.triangles <= 0.8 * this.budget) level = kFull;
      else if (!small && spent + boxes <= this.budget) level = kBoxes;
      spent += level === kFull ? kind.shape.triangles : level === kBoxes ? boxes : 12;
      if (levels[i] !== level) levels[i] = level, this.stale = true;
    }
  }

  private fill(batch: Batch, slots: number[]): void {
    const { matrices, node_at, shown } = this.world, out = batch.mesh.instanceMatrix.array;
    let count = 0;
    for (let s = 0; s < slots.length; s++) {
      const i = slots[s]!;
      if (this.levels[i] !== batch.level || shown[i] === 0) continue;
      const from = 16 * (node_at[i]! + batch.node), to = 16 * count++;
      for (let k = 0; k < 16; k++) out[to + k] = matrices[from + k]!;
    }
    batch.mesh.count = count;
    batch.mesh.visible = count > 0;
    batch.mesh.castShadow = this.shadows;
    if (count === 0) return;
    batch.mesh.instanceMatrix.clearUpdateRanges();
    batch.mesh.instanceMatrix.addUpdateRange(0, 16 * count);
    batch.mesh.instanceMatrix.needsUpdate = true;
  }

  // Fewer details where frames take too long, more where there is time.
  adapt(fps: number): void {
    if (fps < 24) this.budget = Math.max(kLeast, 0.7 * this.budget);
    else if (fps > 50) this.budget = Math.min(kMost, 1.25 * this.budget);
  }
}
